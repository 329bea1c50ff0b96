//! Verdicts in words. Every change has its interval. A p-value is never shown alone.

use crate::verify::view::USUAL_INTERVAL_RATIO;
use crate::verify::{
    CallingMethod, Design, DoubtKind, EndpointKind, EndpointView, Expected, ExpectedOf, FunctionsComparison, Method,
    Order, RatioInterval, RunCounts, Verdict, VerificationView, Word,
};

/// Larger changes are shown as a factor.
const LARGEST_PERCENT_RATIO: f64 = 3.0;
/// Savings that are this close to 100 % need more digits.
const NEARLY_ALL: f64 = 0.005;
const MINUS: char = '−';

/// A share in percent with two digits: `6.8 %`, `52 %`.
pub(crate) fn percent(ratio: f64) -> String {
    format!("{} %", digits(ratio * 100.0))
}

fn digits(percent: f64) -> String {
    if percent.abs() < 9.95 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

/// A ratio as a change: `−52 %`, `+4.1 %`, `3.4 times`.
pub(crate) fn change(ratio: f64) -> String {
    let number = change_number(ratio);
    if ratio > LARGEST_PERCENT_RATIO { number } else { format!("{number} %") }
}

fn change_number(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    match ratio {
        _ if ratio > 1e6 => "over a million times".to_owned(),
        _ if ratio > LARGEST_PERCENT_RATIO => format!("{} times", digits(ratio)),
        _ if percent.abs() < 0.05 => "0.0".to_owned(),
        _ if ratio > 1.0 => format!("+{}", digits(percent)),
        _ if ratio < NEARLY_ALL => format!("{MINUS}{:.1}", -percent.max(-99.9)),
        _ => format!("{MINUS}{}", digits(-percent)),
    }
}

/// The ends of an interval as text: `−57 to −46 %`.
pub(crate) fn change_ends(low_ratio: f64, high_ratio: f64) -> String {
    let is_mixed = high_ratio > LARGEST_PERCENT_RATIO && low_ratio <= LARGEST_PERCENT_RATIO;
    format!("{}{} to {}", change_number(low_ratio), if is_mixed { " %" } else { "" }, change(high_ratio))
}

/// Time with a suitable unit: `5.8 µs`, `1.21 s`.
pub(crate) fn nanos(nanos: f64) -> String {
    let (number, unit) = match nanos.abs() {
        size if size < 1e3 => (nanos, "ns"),
        size if size < 1e6 => (nanos / 1e3, "µs"),
        size if size < 1e9 => (nanos / 1e6, "ms"),
        _ => (nanos / 1e9, "s"),
    };
    format!("{} {unit}", three_digits(number))
}

/// Three significant digits: `0.0123`, `5.81`, `58.1`, `581`, `1234567`.
pub(crate) fn three_digits(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let above = number.abs().log10().floor();
    let decimals = (2.0 - above).clamp(0.0, 9.0) as usize;
    format!("{number:.decimals$}")
}

impl RatioInterval {
    /// An interval with the confidence of most intervals.
    pub(super) fn usual(low_ratio: f64, high_ratio: f64) -> Self {
        Self { confidence_ratio: USUAL_INTERVAL_RATIO, low_ratio, high_ratio }
    }

    /// The interval as text: `95 % interval −57 to −46 %`.
    pub(super) fn words(&self) -> String {
        format!("{} interval {}", whole_percent(self.confidence_ratio), change_ends(self.low_ratio, self.high_ratio))
    }

    /// The interval below the heading "95 % interval". Another confidence is added: `−1.9 to +1.1 % (90 %)`.
    fn cell(&self) -> String {
        let ends = change_ends(self.low_ratio, self.high_ratio);
        let is_usual = self.confidence_ratio == USUAL_INTERVAL_RATIO;
        if is_usual { ends } else { format!("{ends} ({})", whole_percent(self.confidence_ratio)) }
    }
}

impl EndpointView {
    /// The interval that agrees with the verdict: "no relevant change" is proved by the interval of the test of
    /// equivalence. This interval is narrower than the 95 % interval, which can be partly outside the margin.
    pub(super) fn interval(&self) -> Option<RatioInterval> {
        let usual = || Some(RatioInterval::usual(self.low_ratio?, self.high_ratio?));
        self.equivalence_interval.filter(|_| self.verdict.word == Word::NoRelevantChange).or_else(usual)
    }

    /// The change and its interval for a table. `-`: nothing to compare.
    pub(super) fn change_cells(&self) -> [String; 2] {
        let shown = self.ratio.zip(self.interval()).map(|(ratio, interval)| [change(ratio), interval.cell()]);
        shown.unwrap_or_else(|| ["-".to_owned(), "-".to_owned()])
    }

    /// A value with its unit.
    pub(crate) fn shown(&self, value: Option<f64>) -> String {
        match (value, &self.unit) {
            (None, _) => "-".to_owned(),
            (Some(value), Some(_)) => nanos(value),
            (Some(value), None) => three_digits(value),
        }
    }

    /// The change with its interval: `−52 % (95 % interval −57 to −46 %)`. `None`: nothing to compare.
    pub fn change_in_words(&self) -> Option<String> {
        Some(format!("{} ({})", change(self.ratio?), self.interval()?.words()))
    }

    /// The verdict in one sentence.
    pub(super) fn sentence(&self, design: &Design) -> String {
        let Some(change) = self.change_in_words() else {
            return format!("{}: {}, because there are no values to compare", self.name, self.verdict.words());
        };
        let from = format!("{} to {}", self.shown(self.baseline.mean), self.shown(self.candidate.mean));
        let gone = self.candidate.values.iter().all(|value| value.value == 0.0);
        let gone = if self.kind == EndpointKind::Finding && gone {
            "; the candidate has no sample of the finding"
        } else {
            ""
        };
        let word = self.word_in_words(design.margin_ratio);
        format!("{}: {word}, {change}, from {from}{gone}; {}", self.name, self.method_in_words())
    }

    /// The word with its detail: `no relevant change (within ±2 %)`, `inconclusive (can only detect ≥ 6.8 %)`.
    pub(crate) fn word_in_words(&self, margin_ratio: f64) -> String {
        let words = self.verdict.words();
        match (self.verdict.word, self.detectable_ratio) {
            (Word::NoRelevantChange, _) => format!("{words} (within ±{})", whole_percent(margin_ratio)),
            (Word::Inconclusive, _) if self.calling == Some(CallingMethod::Gone) => {
                format!("{words} (the candidate does not have the calling method)")
            }
            (Word::Inconclusive, _) if self.kind.needs_all_runs() && self.missing_count > 0 => {
                format!("{words} (a value is missing in {})", count(self.missing_count, "run"))
            }
            (Word::Inconclusive, Some(ratio)) => format!("{words} (can only detect ≥ {})", percent(ratio)),
            _ => words,
        }
    }

    fn method_in_words(&self) -> String {
        let (a, b) = (self.baseline.values.len(), self.candidate.values.len());
        match self.method {
            Some(Method::PairedT) => format!("{} pairs of runs", a.min(b)),
            Some(Method::OneRunEach) => format!("{a} + {b} runs, with assumed noise"),
            _ => format!("{a} + {b} runs"),
        }
    }
}

/// A ratio in percent without superfluous digits: `2 %`, `0.5 %`.
pub(crate) fn whole_percent(ratio: f64) -> String {
    let percent = (ratio * 1e4).round() / 100.0;
    format!("{percent} %")
}

/// The row of all functions with too few samples.
pub(crate) const FEWER_SAMPLES: &str = "all with fewer samples";

/// Notes on the confidence of intervals: functions that were selected for their change, and the row of other functions.
pub(crate) fn interval_notes(functions: &FunctionsComparison) -> Vec<String> {
    let selected = format!(
        "Intervals of the listed functions have {:.2} % confidence, because these functions were selected (Benjamini and Yekutieli)",
        functions.interval_ratio * 100.0
    );
    let usual = whole_percent(USUAL_INTERVAL_RATIO);
    let other =
        format!("The interval of \"{FEWER_SAMPLES}\" has {usual} confidence, because this row was not selected");
    let notes = [(!functions.changed.is_empty()).then_some(selected), functions.other.as_ref().map(|_| other)];
    notes.into_iter().flatten().collect()
}

/// A number with its noun: `1 run`, `3 runs`.
pub(crate) fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The number of runs per side as text.
pub(crate) fn runs_a_side(runs: usize) -> String {
    if runs == 1 { "1 run per side".to_owned() } else { format!("{runs} runs per side") }
}

impl RunCounts {
    fn words(&self, design: &Design) -> String {
        let sides = |baseline: usize, candidate: usize| {
            if baseline == candidate { runs_a_side(baseline) } else { format!("{baseline} + {candidate} runs") }
        };
        let order = match design.order {
            Order::Interleaved => "interleaved (A B B A)",
            Order::Sequential => "first one side, then the other",
        };
        let unprofiled = (self.baseline + self.candidate > 0).then(|| sides(self.baseline, self.candidate));
        let profiled = (self.baseline_profiled + self.candidate_profiled > 0)
            .then(|| format!("{} profiled", sides(self.baseline_profiled, self.candidate_profiled)));
        let parts: Vec<String> = unprofiled.into_iter().chain(profiled).collect();
        if parts.is_empty() { "no runs".to_owned() } else { format!("{}, {order}", parts.join(", ")) }
    }
}

impl VerificationView {
    /// Warnings that a reader needs before the verdict, because the verdict alone misleads.
    pub(crate) fn cautions(&self) -> impl Iterator<Item = &str> {
        self.doubts.iter().filter(|doubt| doubt.kind == DoubtKind::FixedRunTime).map(|doubt| doubt.text.as_str())
    }

    /// All other warnings.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = &str> {
        self.doubts.iter().filter(|doubt| doubt.kind != DoubtKind::FixedRunTime).map(|doubt| doubt.text.as_str())
    }

    /// The verdict with its reason, the runs, and the prediction.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut all: Vec<String> = self.primary().map(|endpoint| endpoint.sentence.clone()).collect();
        all.extend(self.finding_alone());
        let is_worse = |endpoint: &&EndpointView| !endpoint.is_primary && endpoint.verdict.word == Word::Worse;
        all.extend(self.endpoints.iter().filter(is_worse).map(|endpoint| endpoint.sentence.clone()));
        all.push(format!("{}; costs are per {}", self.run_counts.words(&self.design), self.per));
        all.extend(self.prediction());
        all
    }

    /// The reason why a smaller cost of the finding is not an improvement of the program.
    fn finding_alone(&self) -> Option<String> {
        let program = self.primary().next().filter(|endpoint| endpoint.verdict.word != Word::Improved)?;
        let mut others = self.primary().filter(|endpoint| endpoint.kind == EndpointKind::Finding);
        others.any(|endpoint| endpoint.verdict.word == Word::Improved).then(|| {
            format!(
                "The finding costs less, but this alone does not show that the program improved: {} decides",
                program.name
            )
        })
    }

    /// Prediction and measurement in a sentence. Their bases differ: the prediction is a share of the work threads' time
    /// after warm-up, and an endpoint of the program also contains the warm-up and the JVM's threads.
    fn prediction(&self) -> Option<String> {
        let Expected { low_ratio, high_ratio, of } = self.design.finding.as_ref()?.expected?;
        let (kind, name) = match of {
            ExpectedOf::Cpu => (EndpointKind::Cpu, "CPU time"),
            ExpectedOf::Elapsed => (EndpointKind::Elapsed, "elapsed time"),
        };
        let endpoint = self.endpoints.iter().find(|endpoint| endpoint.kind == kind)?;
        let measured = endpoint.change_in_words()?;
        let (low, high) = (low_ratio * 100.0, high_ratio * 100.0);
        Some(format!(
            "Expected saving: {low:.0} to {high:.0} % of the work threads' {name} after warm-up; measured: {measured} \
             for the whole program with warm-up"
        ))
    }

    /// The verdict as a headline: `no relevant change (within ±2 %)`, `worse (Elapsed time per message)`. The endpoint has
    /// a name in the headline if it is not the program's own endpoint.
    pub(crate) fn headline(&self) -> String {
        let Some(deciding) = self.deciding() else { return self.words.clone() };
        let is_first = self.primary().next().is_some_and(|first| std::ptr::eq(first, deciding));
        if is_first {
            deciding.word_in_words(self.design.margin_ratio)
        } else {
            format!("{} ({})", self.words, deciding.name)
        }
    }
}

/// The note on endpoints that were not chosen before the runs.
pub(crate) const SECONDARY: &str =
    "Holm's correction over all endpoints applies to the other endpoints, because they were not chosen before the runs";

impl Verdict {
    /// A mark that does not depend on colour.
    pub(crate) const fn mark(self) -> &'static str {
        match self.word {
            Word::Improved => "✔",
            Word::Worse => "✘",
            Word::NoRelevantChange => "=",
            Word::Changed => "≠",
            Word::Inconclusive => "?",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_a_sign_and_two_digits() {
        let shown: Vec<String> =
            [0.48, 0.9962, 1.0, 1.041, 1.5, 3.4, 0.002, 1e-9, 1e9].into_iter().map(change).collect();
        assert_eq!(
            shown,
            ["−52 %", "−0.4 %", "0.0 %", "+4.1 %", "+50 %", "3.4 times", "−99.8 %", "−99.9 %", "over a million times"]
        );
        assert_eq!(RatioInterval::usual(0.43, 0.54).words(), "95 % interval −57 to −46 %");
        assert_eq!(RatioInterval::usual(0.9, 5.0).words(), "95 % interval −10 % to 5.0 times");
        let of_equivalence = RatioInterval { confidence_ratio: 0.9, low_ratio: 0.981, high_ratio: 1.011 };
        assert_eq!(of_equivalence.cell(), "−1.9 to +1.1 % (90 %)");
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        assert_eq!(
            [0.0, 5.81, 5_812.0, 1.214e9, 58.0e6].map(nanos),
            ["0 ns", "5.81 ns", "5.81 µs", "1.21 s", "58.0 ms"]
        );
        assert_eq!([1_234_567.0, 0.012_34].map(three_digits), ["1234567", "0.0123"]);
    }
}
