//! Units of work, metrics and warnings from the output of runs.

use crate::arguments::endpoint::{EndpointArguments, MetricValue};
use crate::arguments::unit_count::UnitCount;
use std::collections::BTreeSet;
use whittle_collect::{BadPattern, PrintedNumbers};
use whittle_profile::Side;
use whittle_profile::sides::singular;
use whittle_verdict::verify::{Doubt, DoubtKind, PrintedMetric};

/// Names of running totals have this ending.
const TOTAL_END: &str = "_count";
/// A metric is steady if it changes by less than this ratio from the middle third to the last third of a run.
const STEADY_RATIO: f64 = 0.05;
/// With fewer values than this, thirds are too small.
const FEWEST_VALUES: usize = 9;
/// With fewer runs per side, whittle cannot determine which lines are always printed.
const FEWEST_RUNS: usize = 2;
/// Longer lines are shortened in messages.
const QUOTED_CHARACTERS: usize = 60;

/// Reads numbers from the output of runs.
pub(crate) struct Reader {
    numbers: Option<PrintedNumbers>,
    value: MetricValue,
    units: Option<UnitCount>,
}

/// The output of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PrintedValues {
    pub(crate) units: Option<f64>,
    pub(crate) metrics: Vec<PrintedMetric>,
    /// Every printed number, in order.
    numbers: Vec<(String, f64)>,
    /// Lines without a metric.
    other_lines: BTreeSet<String>,
}

impl Reader {
    pub(crate) fn new(arguments: &EndpointArguments) -> Result<Self, BadPattern> {
        let numbers = arguments.metric.as_deref().map(PrintedNumbers::new).transpose()?;
        let mut units = arguments.unit_count.clone();
        let totals = numbers.iter().flat_map(PrintedNumbers::names).filter(|name| name.ends_with(TOTAL_END));
        units = units.or_else(|| totals.into_iter().next().map(|name| UnitCount::Group(name.to_owned())));
        Ok(Self { numbers, value: arguments.metric_value, units })
    }

    /// True if a line contains a number that is a metric or the units of work.
    pub(crate) fn has_number(&self, line: &str) -> bool {
        self.numbers.as_ref().is_some_and(|numbers| !numbers.find(line).is_empty())
    }

    /// Names of groups.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.numbers.iter().flat_map(PrintedNumbers::names).collect()
    }

    /// The group that has the units of work.
    pub(crate) fn unit_group(&self) -> Option<&str> {
        match &self.units {
            Some(UnitCount::Group(name)) => Some(name),
            _ => None,
        }
    }

    /// The name of one unit of work, from the name of its group: `messages_count` gives `message`.
    pub(crate) fn unit(&self) -> Option<String> {
        let plural = self.unit_group()?.trim_end_matches(TOTAL_END);
        Some(singular(plural))
    }

    /// Reads the two output streams of a run.
    pub(crate) fn read(&self, [stdout, stderr]: [&str; 2]) -> PrintedValues {
        let find = |text: &str| self.numbers.as_ref().map_or_else(Vec::new, |numbers| numbers.find(text));
        let numbers = [find(stdout), find(stderr)].concat();
        let names: BTreeSet<&str> = self.names().into_iter().filter(|name| Some(*name) != self.unit_group()).collect();
        let metrics = names.into_iter().filter_map(|name| {
            Some(PrintedMetric { name: name.to_owned(), value: self.run_value(&values(&numbers, name))? })
        });
        let units = match &self.units {
            Some(UnitCount::Number(number)) => Some(*number),
            Some(UnitCount::Group(name)) => values(&numbers, name).last().copied(),
            None => None,
        };
        let other_lines = stdout.lines().filter(|line| find(line).is_empty()).map(|line| line.trim().to_owned());
        let other_lines = other_lines.filter(|line| !line.is_empty()).collect();
        PrintedValues { units: units.filter(|units| *units > 0.0), metrics: metrics.collect(), numbers, other_lines }
    }

    fn run_value(&self, values: &[f64]) -> Option<f64> {
        match self.value {
            MetricValue::Last => values.last().copied(),
            MetricValue::Mean => (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64),
        }
    }

    /// Warnings about the output of all runs.
    pub(crate) fn doubts(&self, runs: &[(Side, &PrintedValues)]) -> Vec<Doubt> {
        let not_steady = Side::BOTH.into_iter().flat_map(|side| {
            self.names().into_iter().filter_map(move |name| not_steady(name, side, runs)).collect::<Vec<_>>()
        });
        different_output(runs).into_iter().chain(not_steady).collect()
    }
}

fn values(numbers: &[(String, f64)], name: &str) -> Vec<f64> {
    numbers.iter().filter(|(found, _)| found == name).map(|(_, value)| *value).collect()
}

/// The warning if a metric still changed near the end of most runs of a side.
fn not_steady(name: &str, side: Side, runs: &[(Side, &PrintedValues)]) -> Option<Doubt> {
    if name.ends_with(TOTAL_END) {
        return None;
    }
    let of_side = runs.iter().filter(|(of, _)| *of == side);
    let mut changes: Vec<f64> =
        of_side.filter_map(|(_, printed)| last_third_change(&values(&printed.numbers, name))).collect();
    changes.sort_by(f64::total_cmp);
    let median = *changes.get(changes.len() / 2)?;
    let same_way = changes.iter().filter(|change| change.signum() == median.signum()).count();
    if median.abs() < STEADY_RATIO || same_way * 4 < changes.len() * 3 {
        return None;
    }
    let (word, percent) = (if median > 0.0 { "rose" } else { "fell" }, median.abs() * 100.0);
    Some(Doubt {
        kind: DoubtKind::NotSteady,
        text: format!(
            "{name} still {word} by {percent:.0} % from the middle third to the last third of the {}'s runs: use longer runs to \
             measure the steady state",
            side.name()
        ),
    })
}

/// The change from the mean of the middle third to the mean of the last third.
fn last_third_change(values: &[f64]) -> Option<f64> {
    let third = values.len() / 3;
    if values.len() < FEWEST_VALUES {
        return None;
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (middle, last) = (&values[values.len() - 2 * third..values.len() - third], &values[values.len() - third..]);
    let change = mean(last) / mean(middle) - 1.0;
    change.is_finite().then_some(change)
}

/// Finds lines that all runs of one side print and no run of the other side prints.
fn different_output(runs: &[(Side, &PrintedValues)]) -> Option<Doubt> {
    let of = |side: Side| runs.iter().filter(move |(of, _)| *of == side).map(|(_, printed)| &printed.other_lines);
    if Side::BOTH.iter().any(|side| of(*side).count() < FEWEST_RUNS) {
        return None;
    }
    let only = |side: Side| {
        let mut lines = of(side);
        let first = lines.next()?;
        let always = |line: &&String| of(side).all(|lines| lines.contains(*line));
        let elsewhere = |line: &&String| of(side.other()).any(|lines| lines.contains(*line));
        first.iter().filter(always).find(|line| !elsewhere(line)).map(|line| quoted(line))
    };
    let text = match (only(Side::Baseline), only(Side::Candidate)) {
        (None, None) => return None,
        (Some(baseline), Some(candidate)) => {
            format!("the baseline always prints {baseline}, the candidate {candidate}")
        }
        (Some(baseline), None) => format!("the baseline always prints {baseline}, the candidate never"),
        (None, Some(candidate)) => format!("the candidate always prints {candidate}, the baseline never"),
    };
    Some(Doubt { kind: DoubtKind::OutputsDiffer, text: format!("{text}. Check that both do the same work") })
}

fn quoted(line: &str) -> String {
    let short: String = line.chars().take(QUOTED_CHARACTERS).collect();
    if short.len() < line.len() { format!("\"{short}…\"") } else { format!("\"{short}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(pattern: &str, value: MetricValue) -> Reader {
        let numbers = PrintedNumbers::new(pattern).expect("a pattern");
        Reader { numbers: Some(numbers), value, units: Some(UnitCount::Group("documents_count".to_owned())) }
    }

    const PATTERN: &str = "rate (?<rate_per_second>[0-9.]+)|(?<documents_count>[0-9]+) documents";

    #[test]
    fn units_and_metrics_are_the_last_values_printed() {
        let text = "hello\nrate 1\nrate 3\n7 documents\nrate 2\n9 documents\n";
        let printed = reader(PATTERN, MetricValue::Last).read([text, ""]);
        assert_eq!((printed.units, printed.metrics[0].value), (Some(9.0), 2.0));
        assert_eq!(printed.metrics.len(), 1, "the unit is not a metric");
        assert_eq!(printed.other_lines, BTreeSet::from(["hello".to_owned()]));
        let mean = reader(PATTERN, MetricValue::Mean).read([text, ""]);
        assert_eq!(mean.metrics[0].value, 2.0);
        assert_eq!(reader(PATTERN, MetricValue::Last).unit().as_deref(), Some("document"));
    }

    #[test]
    fn a_rate_that_still_rises_gives_a_warning() {
        let reader = reader(PATTERN, MetricValue::Last);
        let run = |rates: &[u32]| {
            let text: String = rates.iter().map(|rate| format!("rate {rate}\n")).collect();
            reader.read([&text, ""])
        };
        let rising = run(&[10, 20, 40, 100, 110, 120, 150, 160, 170]);
        let steady = run(&[10, 50, 100, 100, 101, 99, 100, 101, 99]);
        let runs = [(Side::Baseline, &rising), (Side::Baseline, &rising), (Side::Candidate, &steady)];
        let doubts = reader.doubts(&runs);
        assert_eq!(doubts.len(), 1, "{doubts:?}");
        assert!(doubts[0].text.contains("rose by 45 %") && doubts[0].text.contains("baseline's"), "{doubts:?}");
    }

    #[test]
    fn lines_that_differ_between_sides_and_not_within_give_a_warning() {
        let reader = reader(PATTERN, MetricValue::Last);
        let run = |text: &str| reader.read([text, ""]);
        let (a1, a2) = (run("sum 17\ntook 1.0\nrate 5"), run("sum 17\ntook 1.1\nrate 6"));
        let (b1, b2) = (run("sum 18\ntook 0.5\nrate 9"), run("sum 18\ntook 0.6\nrate 9"));
        let sides = |c: &PrintedValues, d: &PrintedValues| {
            let runs = [(Side::Baseline, &a1), (Side::Baseline, &a2), (Side::Candidate, c), (Side::Candidate, d)];
            reader.doubts(&runs).into_iter().map(|doubt| doubt.text).collect::<String>()
        };
        assert!(sides(&b1, &b2).starts_with("the baseline always prints \"sum 17\", the candidate \"sum 18\""));
        assert_eq!(sides(&a2, &a1), "");
    }
}
