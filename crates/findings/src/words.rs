//! Findings in words: sentences that text, Markdown and SARIF share.
//!
//! Sentences say that a share refers to this experiment. A saving can be larger than the share of time, so no sentence says
//! "at most". Predictions have two significant digits.

use crate::detector::{Endpoint, GainModel, Measure};
use crate::view::{
    CallingPlace, Confidence, CostKind, Denied, ExpectedSaving, Finding, FindingsView, LibraryPlace, Minor,
    PackageCost, Scattered, Severity, SiteAnswer, Spent, ThreadGroup, Unexplained, UnitCost, Work, WorkUnits,
};
use whittle_bytecode::edit_site::{EditSite, place};
use whittle_model::Metric;
use whittle_profile::amounts::count;

/// The text for the measured saving if nothing was measured.
pub(crate) const MEASURED: &str = "not measured yet, run whittle verify";
/// Two shares with a smaller difference are shown as one share.
const SAME_SHARE: f64 = 0.005;
/// From this share on, CPU time without a line of the program is reported.
const UNPLACED_RATIO: f64 = 0.05;
const NANOS_PER_SECOND: f64 = 1e9;
const BYTES_PER_MB: f64 = 1e6;

/// A share in percent with two digits: `84 %`, `5.3 %`. Near 100 % it is `over 99 %`, near zero `below 0.1 %`.
pub(crate) fn share(ratio: f64) -> String {
    let percent = ratio * 100.0;
    if ratio >= 1.0 {
        "100 %".to_owned()
    } else if percent >= 99.5 {
        "over 99 %".to_owned()
    } else if percent > 0.0 && percent < 0.05 {
        "below 0.1 %".to_owned()
    } else {
        format!("{} %", digits(percent))
    }
}

/// An interval of shares: `82 to 86 %`.
pub(crate) fn interval(low_ratio: f64, high_ratio: f64) -> String {
    format!("{} to {} %", digits(low_ratio * 100.0), digits(high_ratio * 100.0))
}

fn digits(percent: f64) -> String {
    if percent.abs() < 9.95 && percent != 0.0 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

/// A function, with its place if the place is known: `c01.Slow.main(String[]), Slow.java:5`.
fn function_and_place(function: &str, file: Option<&str>, line: Option<u32>) -> String {
    place(file, line).map_or_else(|| function.to_owned(), |place| format!("{function}, {place}"))
}

impl Confidence {
    /// The name in text, flags and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }

    /// The evidence that this certainty requires.
    pub(crate) fn meaning(self) -> &'static str {
        match self {
            Self::Possible => "one weak indicator",
            Self::Likely => "frames only",
            Self::Certain => "frames and counters agree",
        }
    }
}

impl Severity {
    /// The name in text and JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Serious => "serious",
            Self::Note => "note",
        }
    }
}

impl Measure {
    /// The name in JSON and CSV.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => Metric::Cpu.name(),
            Self::Elapsed => "elapsed",
            Self::AllocBytes => Metric::AllocBytes.name(),
        }
    }

    /// The name in a sentence.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Cpu => "CPU time",
            Self::Elapsed => "elapsed time",
            Self::AllocBytes => "allocated bytes",
        }
    }
}

impl Endpoint {
    /// The name in JSON and CSV.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Elapsed => "elapsed",
        }
    }

    /// The name in a sentence.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Cpu => "CPU time",
            Self::Elapsed => "elapsed time",
        }
    }
}

impl Work {
    /// The groups as text: `main (98 % of their CPU time), pool-#-thread-# (4 threads, 2.0 %)`.
    pub(crate) fn groups_in_words(&self) -> String {
        let group = |(index, group): (usize, &ThreadGroup)| {
            let count = (group.threads_count != 1).then(|| format!("{} threads, ", group.threads_count));
            let of = if index == 0 { " of their CPU time" } else { "" };
            format!("{} ({}{}{of})", group.name, count.unwrap_or_default(), share(group.cpu_ratio))
        };
        match self.groups.as_slice() {
            [] => "none".to_owned(),
            [only] if only.threads_count == 1 => only.name.clone(),
            groups => groups.iter().enumerate().map(group).collect::<Vec<_>>().join(", "),
        }
    }

    /// The amount as text: `5.9 s CPU in 590 samples, from 2.1 to 8.1 s of the experiment`, or
    /// `CPU time unknown, 590 samples, …`.
    pub(crate) fn amount_in_words(&self) -> String {
        let seconds = |nanos: f64| nanos / NANOS_PER_SECOND;
        format!(
            "{} {} samples, from {:.1} to {:.1} s of the experiment",
            self.cpu_ns.map_or("CPU time unknown,".to_owned(), |nanos| format!("{:.1} s CPU in", seconds(nanos))),
            self.samples_count,
            seconds(self.from_ns as f64),
            seconds(self.to_ns as f64)
        )
    }
}

impl Spent {
    /// The cost as text: `84 % (95 % interval 82 to 86 %, in this experiment) of the CPU time of main: 5.0 s`.
    pub(crate) fn words(&self) -> String {
        let value = match self.measure {
            Measure::AllocBytes => format!("{:.1} MB", self.value / BYTES_PER_MB),
            _ => format!("{:.1} s", self.value / NANOS_PER_SECOND),
        };
        let interval = interval(self.low_ratio, self.high_ratio);
        let program = of_program(self.ratio, self.program_ratio);
        let ratio = share(self.ratio);
        format!("{ratio} (95 % interval {interval}, in this experiment) of the {}: {value}{program}", self.of)
    }
}

impl ExpectedSaving {
    /// The saving as text: `76 to 86 % of the CPU time of these threads`.
    pub(crate) fn words(&self) -> String {
        let is_same = (self.low_ratio - self.program_low_ratio).abs() < SAME_SHARE
            && (self.high_ratio - self.program_high_ratio).abs() < SAME_SHARE;
        let program = match is_same {
            true => String::new(),
            false => {
                format!("; {} over all work threads", interval(self.program_low_ratio, self.program_high_ratio))
            }
        };
        let of = match self.model {
            GainModel::Collector => "of these threads and of the garbage collector",
            _ => "of these threads",
        };
        let range = interval(self.low_ratio, self.high_ratio);
        format!("{range} of the {} {of}{program}", self.endpoint.words())
    }

    /// The saving over all work threads as text: `76 to 86 % of CPU time`.
    pub fn program_words(&self) -> String {
        format!("{} of {}", interval(self.program_low_ratio, self.program_high_ratio), self.endpoint.words())
    }

    /// The model of the prediction.
    fn model_in_words(&self) -> &'static str {
        match self.model {
            GainModel::Call => "the calls disappear",
            GainModel::Method => "the calling method does its work in another way",
            GainModel::Collector => "the garbage collector has less work",
            GainModel::None => "the profile cannot show how much a fix saves",
        }
    }
}

/// The share of all work threads, if it differs from `ratio`.
fn of_program(ratio: f64, program_ratio: f64) -> String {
    if (ratio - program_ratio).abs() < SAME_SHARE {
        String::new()
    } else {
        format!("; {} over all work threads", share(program_ratio))
    }
}

impl Finding {
    /// The prediction with its model and assumption, or the reason why it is missing.
    pub(crate) fn saving_in_words(&self) -> String {
        let note = self.saving_note.trim_end_matches('.');
        let Some(expected) = &self.expected else {
            return format!("unknown, because data is missing: {note}");
        };
        let (words, model) = (expected.words(), expected.model_in_words());
        match expected.is_modelled() {
            true => format!("{words}; measured: what the pattern costs; assumed: {model}, and {note}"),
            false => format!("{words}: {model}, because {note}"),
        }
    }

    /// All values in one sentence.
    pub(crate) fn evidence_in_words(&self) -> Option<String> {
        let texts: Vec<&str> = self.evidence.iter().map(|evidence| evidence.text.as_str()).collect();
        (!texts.is_empty()).then(|| texts.join("; "))
    }

    /// The criteria as text, each with its result.
    pub(crate) fn criteria_in_words(&self) -> Vec<String> {
        let criterion = |holds: Option<bool>| match holds {
            Some(true) => "met",
            Some(false) => "not met",
            None => "unknown",
        };
        let text = |text: &str| text.trim_end_matches(": unknown").to_owned();
        self.criteria.iter().map(|each| format!("{}: {}", criterion(each.holds), text(&each.text))).collect()
    }
}

impl CallingPlace {
    /// Function and line.
    pub(crate) fn words(&self) -> String {
        function_and_place(&self.function, self.file.as_deref(), self.line)
    }

    /// The other lines: `also line 7 (12 %), line 9 (3.0 %)`.
    pub(crate) fn other_lines(&self) -> Option<String> {
        let line = |line: Option<u32>| line.map_or("line unknown".to_owned(), |line| format!("line {line}"));
        let others = self.lines.iter().skip(1).map(|part| format!("{} ({})", line(part.line), share(part.ratio)));
        let others: Vec<String> = others.collect();
        (!others.is_empty()).then(|| format!("also {}", others.join(", ")))
    }
}

impl LibraryPlace {
    /// The library's function, line and jar.
    pub(crate) fn words(&self) -> String {
        let jar = self.jar.as_ref().map(|jar| format!(", in {jar}"));
        function_and_place(&self.function, self.file.as_deref(), self.line) + &jar.unwrap_or_default()
    }
}

impl SiteAnswer {
    /// One line: the place and the code, or the reason why it is missing.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Found(site) => site.words(),
            Self::NotFound { reason } => format!("site not found: {reason}"),
            Self::None => "no line to edit: see the fix".to_owned(),
        }
    }

    pub(crate) fn found(&self) -> Option<&EditSite> {
        match self {
            Self::Found(site) => Some(site),
            _ => None,
        }
    }
}

impl WorkUnits {
    /// The work as text: `12,000 messages after the warm-up`. The text also shows whether fixed cost can be separated
    /// from cost per unit.
    pub(crate) fn words(&self) -> String {
        let told =
            if self.varies { "" } else { "; fixed cost and cost per unit are unknown, because the work hardly varied" };
        format!("{} {} after the warm-up{told}", count(self.units), self.unit)
    }
}

impl PackageCost {
    /// The cost as text: `com.acme.sampling: 3.4 % of the CPU time, fixed (91 %, 80 to 100 %)`.
    pub(crate) fn words(&self) -> String {
        format!("{}: {} of the work threads' CPU time, {}", self.package, share(self.ratio), self.cost.words())
    }
}

impl UnitCost {
    /// The CPU time per unit, and the fixed share.
    pub(crate) fn words(&self) -> String {
        let mean = format!("{:.1} µs of CPU time for each of the {}", self.cpu_ns_per_unit / 1e3, self.unit);
        let (Some(fixed), Some(low), Some(high)) = (self.fixed_ratio, self.low_ratio, self.high_ratio) else {
            return mean;
        };
        let kind = match self.kind {
            CostKind::Fixed => "fixed cost",
            CostKind::PerUnit => "grows with the work",
            CostKind::NotTold => "the data does not show whether the cost is fixed or grows with the work",
        };
        format!("{mean}; {kind} (fixed part {}, 95 % interval {})", share(fixed), interval(low, high))
    }
}

impl Minor {
    /// The share, which is too small for a finding, and the expected saving.
    pub(crate) fn words(&self) -> String {
        let place = function_and_place(&self.function, self.file.as_deref(), self.line);
        let saving = self.expected.as_ref().map(|expected| {
            let range = interval(expected.program_low_ratio, expected.program_high_ratio);
            format!(", expected saving {range} of their {}", expected.endpoint.words())
        });
        let (title, share, measure) = (&self.title, share(self.program_ratio), self.measure.words());
        format!("{title} in {place}: {share} of the work threads' {measure}{}", saving.unwrap_or_default())
    }
}

impl Denied {
    /// The pattern, its place and share, and the condition that denied it.
    pub(crate) fn words(&self) -> String {
        let place = function_and_place(&self.function, self.file.as_deref(), self.line);
        let (title, share, measure) = (&self.title, share(self.program_ratio), self.measure.words());
        let reason = &self.reason;
        format!("looks like \"{title}\" in {place}, {share} of the work threads' {measure}: denied, because {reason}")
    }
}

impl Scattered {
    /// The total cost and the cost of the largest path.
    pub(crate) fn words(&self) -> String {
        let owner = self.finding.map(|rank| format!("; see finding {rank}"));
        format!(
            "{}: {} of all work threads' CPU time in total, over {} paths; the largest path has {}{}",
            self.function,
            share(self.ratio),
            self.paths_count,
            share(self.largest_path_ratio),
            owner.unwrap_or_default()
        )
    }
}

impl Unexplained {
    /// The function as text: `java.util.HashMap.put(Object, Object), 12 % of the CPU time of all work threads`.
    pub(crate) fn words(&self) -> String {
        format!("{}, {} of all work threads' CPU time", self.function, share(self.ratio))
    }
}

/// The smallest share of a finding as text: `3 %`.
fn threshold() -> String {
    format!("{:.0} %", crate::view::REPORTED_RATIO * 100.0)
}

/// A list that ends with the number of elements that are not in it.
fn with_rest(mut texts: Vec<String>, left_out: usize) -> Vec<String> {
    texts.extend((left_out > 0).then(|| format!("and {left_out} more")));
    texts
}

/// Missing data, and the patterns that need it.
pub(crate) struct Missing<'a> {
    pub(crate) needs: &'a str,
    pub(crate) titles: Vec<&'a str>,
}

impl Missing<'_> {
    /// `Boxing, Garbage collection: needs allocations (event alloc)`.
    pub(crate) fn words(&self) -> String {
        format!("{}: needs {}", self.titles.join(", "), self.needs)
    }
}

impl FindingsView {
    /// Number of known patterns, checked or not.
    pub(crate) fn known_count(&self) -> usize {
        self.checked_count + self.not_checked.len()
    }

    /// The result in one sentence. It never says that there is no problem.
    pub(crate) fn result_in_words(&self) -> String {
        let unexplained = self.largest_unexplained.as_ref();
        let mut unexplained = unexplained.map_or("unknown".to_owned(), Unexplained::words);
        if self.unplaced_ratio >= UNPLACED_RATIO {
            let share = share(self.unplaced_ratio);
            unexplained += &format!("; {share} has no stack with a line of the program, so no finding can explain it");
            if let Some(Unexplained { function, .. }) = &self.largest_unplaced {
                unexplained += &format!(" (largest part: {function})");
            }
        }
        let union = share(self.union_ratio);
        let more = match self.left_out.findings {
            0 => String::new(),
            1 => "; 1 more finding is not listed".to_owned(),
            count => format!("; {count} more findings are not listed"),
        };
        match self.findings.len() {
            0 => format!(
                "None of the {} checked patterns reaches {}; largest unexplained function: {unexplained}",
                self.checked_count,
                threshold()
            ),
            1 => format!(
                "The finding covers {union} of all work threads' CPU time; largest unexplained function: {unexplained}"
            ),
            _ => format!(
                "All findings together cover {union} of all work threads' CPU time; savings overlap, so do not add \
                 them up{more}; largest unexplained function: {unexplained}"
            ),
        }
    }

    /// The patterns that are too small for a finding.
    pub(crate) fn minor_in_words(&self) -> Vec<String> {
        with_rest(self.minor.iter().map(Minor::words).collect(), self.left_out.minor)
    }

    /// The denied candidates.
    pub(crate) fn denied_in_words(&self) -> Vec<String> {
        with_rest(self.denied.iter().map(Denied::words).collect(), self.left_out.denied)
    }

    /// The number of checked patterns as text: `38 of 44 patterns checked`.
    pub(crate) fn checked_in_words(&self) -> String {
        format!("{} of {} patterns checked", self.checked_count, self.known_count())
    }

    /// The kinds of problems without a pattern: `14 kinds of problems: …`.
    pub(crate) fn unknown_in_words(&self) -> String {
        format!("{} kinds of problems: {}", self.unknown_classes.len(), self.unknown_classes.join("; "))
    }

    /// The patterns that could not be checked, grouped by missing data.
    pub(crate) fn missing(&self) -> Vec<Missing<'_>> {
        let mut all: Vec<Missing<'_>> = Vec::new();
        for each in &self.not_checked {
            match all.iter_mut().find(|missing| missing.needs == each.needs) {
                Some(missing) => missing.titles.push(&each.title),
                None => all.push(Missing { needs: &each.needs, titles: vec![&each.title] }),
            }
        }
        all
    }
}
