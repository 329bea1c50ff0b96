//! The files that the judge writes: a table for people, and a ledger that compares predicted and measured savings.

use super::programs::Set;
use super::verdict::{Other, Saving, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

/// Reviews of findings with other causes. A person has decided whether each finding is right.
#[derive(Debug, Default)]
pub(crate) struct Reviewed(Vec<[String; 5]>);

impl Reviewed {
    /// Reads rows with a program, its version, a detector, a place such as `File.java:5`, `right` or `wrong`, and a reason.
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let row = |line: &str| {
            let mut cells = line.split('\t').map(str::to_owned);
            std::array::from_fn(|_| cells.next().unwrap_or_default())
        };
        Self(text.lines().skip(1).map(row).collect())
    }

    /// Whether the finding counts as wrong. Findings without a review count as wrong.
    pub(crate) fn is_wrong(&self, program: &str, other: &Other) -> bool {
        let of = [program, other.version, &other.detector, &other.place, "right"];
        !self.0.iter().any(|row| row.iter().eq(of))
    }
}

/// Numbers of right and wrong results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    pub(crate) programs: usize,
    pub(crate) causes: usize,
    pub(crate) calling: usize,
    pub(crate) sites: usize,
    pub(crate) savings: usize,
    /// Number of fixed programs where whittle still finds the cause.
    pub(crate) still_found: usize,
    /// Wrong findings of other causes.
    pub(crate) wrong_others: usize,
}

impl Summary {
    /// Makes one summary per set and JDK.
    pub(crate) fn of(verdicts: &[Verdict], reviewed: &Reviewed) -> BTreeMap<(Set, u32), Self> {
        let mut summaries: BTreeMap<(Set, u32), Self> = BTreeMap::new();
        for verdict in verdicts {
            summaries.entry((verdict.program.set, verdict.jdk)).or_default().add(verdict, reviewed);
        }
        summaries
    }

    fn add(&mut self, verdict: &Verdict, reviewed: &Reviewed) {
        self.programs += 1;
        self.causes += usize::from(verdict.is_cause_first);
        self.calling += usize::from(verdict.is_calling_right);
        self.sites += usize::from(verdict.is_site_right);
        self.savings += usize::from(verdict.saving.as_ref().is_some_and(super::Saving::is_covered));
        self.still_found += usize::from(!verdict.still_found.is_empty());
        let is_wrong = |other: &&Other| reviewed.is_wrong(&verdict.program.name, other);
        self.wrong_others += verdict.others.iter().filter(is_wrong).count();
    }

    fn line(&self, set: Set, jdk: u32) -> String {
        let Self { programs, causes, calling, sites, savings, still_found, wrong_others } = self;
        format!(
            "{} on JDK {jdk}: {programs} programs; cause first {causes}, calling line {calling}, line to edit {sites}, \
             saving in the expected range {savings}; cause still found in {still_found} fixed programs; \
             {wrong_others} other findings above 5 % that are wrong or not reviewed",
            set.name()
        )
    }
}

/// Writes one row for each program and JDK. Shares and savings are in percent.
pub(crate) fn write_ledger(path: &Path, verdicts: &[Verdict]) {
    let mut text =
        "detector\tprogram\tjdk\tendpoint\tshare_percent\tmodelled_percent\tlow_percent\thigh_percent\tmeasured_percent\tis_covered\n"
            .to_owned();
    for verdict in verdicts {
        let (cause, program, jdk) = (&verdict.program.causes[0], &verdict.program.name, verdict.jdk);
        let Some(saving) = &verdict.saving else {
            let _ = writeln!(text, "{cause}\t{program}\t{jdk}\t\t\t\t\t\t\tno range");
            continue;
        };
        let Saving { endpoint, share, modelled, low, high, measured, .. } = saving;
        let is_covered = if saving.is_covered() { "yes" } else { "no" };
        let _ = writeln!(
            text,
            "{cause}\t{program}\t{jdk}\t{endpoint}\t{share:.1}\t{modelled:.1}\t{low:.1}\t{high:.1}\t{measured:.1}\t{is_covered}"
        );
    }
    std::fs::write(path, text).unwrap();
}

/// How good the ranges of savings are: coverage, median width as a share of the finding's own share, and the interval
/// score divided by the score of the range from zero to the share.
fn ranges(verdicts: &[Verdict], set: Set) -> String {
    let of_set = verdicts.iter().filter(|verdict| verdict.program.set == set);
    let savings: Vec<&Saving> = of_set.filter_map(|verdict| verdict.saving.as_ref()).collect();
    let covered = savings.iter().filter(|saving| saving.is_covered()).count();
    let mut widths: Vec<f64> = savings.iter().map(|saving| (saving.high - saving.low) / saving.share).collect();
    widths.sort_by(f64::total_cmp);
    let sum = |score: fn(&Saving) -> f64| savings.iter().map(|saving| score(saving)).sum::<f64>();
    format!(
        "{}, all JDKs: {} of {} ranges contain the measured saving; median width {:.0} % of the finding's share; interval \
         score {:.2} of the score of [0, share]; {} ranges without a model",
        set.name(),
        covered,
        savings.len(),
        widths.get(widths.len() / 2).copied().unwrap_or(0.0) * 100.0,
        sum(Saving::score) / sum(Saving::score_of_share),
        savings.iter().filter(|saving| !saving.is_modelled).count()
    )
}

/// Writes the table for people, and returns it.
pub(crate) fn write_verdicts(path: &Path, verdicts: &[Verdict], reviewed: &Reviewed) -> String {
    let mut text = String::new();
    for ((set, jdk), summary) in Summary::of(verdicts, reviewed) {
        let _ = writeln!(text, "{}\n", summary.line(set, jdk));
    }
    let sets: BTreeSet<Set> = verdicts.iter().map(|verdict| verdict.program.set).collect();
    for set in sets {
        let _ = writeln!(text, "{}\n", ranges(verdicts, set));
    }
    for verdict in verdicts {
        text += &block(verdict, reviewed);
    }
    std::fs::write(path, &text).unwrap();
    text
}

fn mark(is_right: bool) -> &'static str {
    if is_right { "right" } else { "WRONG" }
}

fn block(verdict: &Verdict, reviewed: &Reviewed) -> String {
    let program = &verdict.program;
    let mut text = format!("{} {} JDK {}\n", program.name, program.causes.join("|"), verdict.jdk);
    let mut put = |is_right: bool, what: &str, found: &str| {
        let _ = writeln!(text, "  {} {what}: {found}", mark(is_right));
    };
    let or_none = |found: &Option<String>| found.clone().unwrap_or_else(|| "none".to_owned());
    put(verdict.is_cause_first, "first", &or_none(&verdict.first));
    let lines = |place: &super::Place| place.lines.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let calling = format!("{} ({})", or_none(&verdict.calling), lines(&program.calling));
    put(verdict.is_calling_right, "calling line", &calling);
    put(verdict.is_site_right, "line to edit", &format!("{} ({})", or_none(&verdict.site), lines(&program.edit)));
    match &verdict.saving {
        Some(saving) => {
            let Saving { endpoint, low, high, measured, .. } = saving;
            let found = format!("{endpoint} {low:.0} to {high:.0} %, measured {measured:.0} %");
            put(saving.is_covered(), "saving", &found);
        }
        None => put(false, "saving", "no range"),
    }
    for found in &verdict.still_found {
        put(false, "still found in Fixed", found);
    }
    for other in &verdict.others {
        let Other { version, detector, place, percent, confidence } = other;
        let found = format!("{confidence} {detector} {percent:.0} % at {place}");
        put(!reviewed.is_wrong(&program.name, other), &format!("other in {version}"), &found);
    }
    text
}
