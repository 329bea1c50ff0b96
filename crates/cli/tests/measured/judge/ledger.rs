//! The files that the judge writes: a table for people, and a ledger that compares predicted and measured savings.

use super::programs::Set;
use super::verdict::{Other, Verdict};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Reviews of findings with other causes. A person has decided whether each finding is right.
#[derive(Debug, Default)]
pub(crate) struct Reviewed(Vec<[String; 3]>);

impl Reviewed {
    /// Reads rows with a program, a detector, `right` or `wrong`, and a reason.
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
        let is_right = |row: &[String; 3]| row[0] == program && row[1] == other.detector && row[2] == "right";
        !self.0.iter().any(is_right)
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
        self.savings += usize::from(verdict.saving.as_ref().is_some_and(super::Saving::is_near));
        self.still_found += usize::from(!verdict.still_found.is_empty());
        let is_wrong = |other: &&Other| reviewed.is_wrong(&verdict.program.name, other);
        self.wrong_others += verdict.others.iter().filter(is_wrong).count();
    }

    fn line(&self, set: Set, jdk: u32) -> String {
        let Self { programs, causes, calling, sites, savings, still_found, wrong_others } = self;
        format!(
            "{} on JDK {jdk}: {programs} programs; cause first {causes}, calling line {calling}, line to edit {sites}, \
             saving within 10 points {savings}; cause still found in {still_found} fixed programs; \
             {wrong_others} other findings above 5 % that are wrong or not reviewed",
            set.name()
        )
    }
}

/// Writes the columns `detector`, program, JDK, endpoint, predicted, measured and difference. Savings are in percent.
pub(crate) fn write_ledger(path: &Path, verdicts: &[Verdict]) {
    let mut text =
        "detector\tprogram\tjdk\tendpoint\tpredicted_percent\tmeasured_percent\tdifference_points\n".to_owned();
    for verdict in verdicts {
        let (cause, program, jdk) = (&verdict.program.causes[0], &verdict.program.name, verdict.jdk);
        let _ = match &verdict.saving {
            Some(saving) => {
                let (endpoint, least) = (&saving.endpoint, if saving.is_at_least { "at least " } else { "" });
                let (predicted, measured, difference) = (saving.predicted, saving.measured, saving.difference());
                writeln!(
                    text,
                    "{cause}\t{program}\t{jdk}\t{endpoint}\t{least}{predicted:.1}\t{measured:.1}\t{difference:+.1}"
                )
            }
            None => writeln!(text, "{cause}\t{program}\t{jdk}\t\tnot predicted\t\t"),
        };
    }
    std::fs::write(path, text).unwrap();
}

/// Writes the table for people, and returns it.
pub(crate) fn write_verdicts(path: &Path, verdicts: &[Verdict], reviewed: &Reviewed) -> String {
    let mut text = String::new();
    for ((set, jdk), summary) in Summary::of(verdicts, reviewed) {
        let _ = writeln!(text, "{}\n", summary.line(set, jdk));
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
            let least = if saving.is_at_least { "at least " } else { "" };
            let (predicted, measured) = (saving.predicted, saving.measured);
            put(
                saving.is_near(),
                "saving",
                &format!("{} {least}{predicted:.0} %, measured {measured:.0} %", saving.endpoint),
            );
        }
        None => put(false, "saving", "not predicted"),
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
