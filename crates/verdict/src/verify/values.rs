//! Computes the values of each endpoint from the runs. Decides which runs are used, and the unit of costs.

use crate::verify::{CallingMethod, Design, EndpointKind, PrimaryEndpoint, Run};
use whittle_profile::sides::{Better, Side, singular};

/// The unit of costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Per {
    /// A unit of work, with its name.
    Unit(String),
    /// A whole run, because units are unknown.
    Run,
}

/// One endpoint with its values.
#[derive(Debug)]
pub(super) struct Endpoint {
    pub(super) kind: EndpointKind,
    pub(super) name: String,
    pub(super) is_primary: bool,
    pub(super) better: Better,
    pub(super) values: Vec<Value>,
    /// Number of runs that should have a value but have no usable value.
    pub(super) missing_count: usize,
    /// What happened to the finding's calling method. `None`: not a finding.
    pub(super) calling: Option<CallingMethod>,
}

/// One run's value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value {
    /// Position in the input.
    pub(super) run: usize,
    pub(super) side: Side,
    pub(super) pair: Option<u32>,
    pub(super) order: u32,
    /// The value as displayed.
    pub(super) value: f64,
    /// The value's logarithm, for tests. If any run has no samples, all values are slightly increased first.
    pub(super) log: f64,
    /// Variance that sampling adds to the logarithm. 0: the value is not sampled.
    pub(super) sampling_variance: f64,
    /// Number of samples. `None`: the value is not sampled.
    pub(super) samples: Option<f64>,
}

impl Per {
    /// Costs are per unit if each side has units in at least half of its runs. Runs without units are then left out.
    pub(super) fn of(design: &Design, runs: &[Run]) -> Self {
        let knows = |side: Side| {
            let all = runs.iter().filter(|run| run.side == side);
            let (count, known) =
                all.fold((0, 0), |(all, known), run| (all + 1, known + usize::from(units(run).is_some())));
            known > 0 && 2 * known >= count
        };
        if Side::BOTH.into_iter().all(knows) {
            Self::Unit(design.unit.as_deref().map_or_else(|| "unit".to_owned(), singular))
        } else {
            Self::Run
        }
    }

    pub(super) fn name(&self) -> &str {
        match self {
            Self::Unit(name) => name,
            Self::Run => "run",
        }
    }

    /// The divisor of a run's costs. `None`: units are unknown.
    pub(super) fn divisor(&self, units: Option<f64>) -> Option<f64> {
        match self {
            Self::Unit(_) => usable(units?),
            Self::Run => Some(1.0),
        }
    }
}

fn units(run: &Run) -> Option<f64> {
    run.units.and_then(usable)
}

/// Returns the number if it has a logarithm.
pub(super) fn usable(number: f64) -> Option<f64> {
    (number.is_finite() && number > 0.0).then_some(number)
}

/// Runs that give times and printed metrics. These are the unprofiled runs if both sides have such runs.
pub(super) fn timed(runs: &[Run]) -> Vec<usize> {
    let of = |is_profiled: bool| -> Vec<usize> {
        (0..runs.len()).filter(|run| runs[*run].is_profiled == is_profiled).collect()
    };
    let has_both = |chosen: &[usize]| Side::BOTH.iter().all(|side| chosen.iter().any(|run| runs[*run].side == *side));
    let chosen = [of(false), of(true)].into_iter().find(|chosen| has_both(chosen));
    chosen.unwrap_or_else(|| (0..runs.len()).collect())
}

/// The endpoints of the whole program.
pub(super) fn program_endpoints(design: &Design, runs: &[Run], per: &Per) -> Vec<Endpoint> {
    let timed = timed(runs);
    let mut all = vec![
        time(design, runs, (&timed, per), EndpointKind::Cpu),
        time(design, runs, (&timed, per), EndpointKind::Elapsed),
    ];
    all.extend(metric_names(design, runs, &timed).iter().map(|name| metric(design, runs, &timed, name)));
    all
}

/// CPU time or elapsed time.
fn time(design: &Design, runs: &[Run], (timed, per): (&[usize], &Per), kind: EndpointKind) -> Endpoint {
    let is_cpu = kind == EndpointKind::Cpu;
    let cost = |run: &Run| {
        let nanos = if is_cpu { run.cpu_ns() } else { run.elapsed_ns as f64 };
        usable(nanos / per.divisor(run.units)?)
    };
    let primary = if is_cpu { PrimaryEndpoint::Cpu } else { PrimaryEndpoint::Elapsed };
    let words = if is_cpu { "CPU time" } else { "Elapsed time" };
    Endpoint {
        kind,
        name: format!("{words} per {}", per.name()),
        is_primary: design.endpoint == primary,
        better: Better::Smaller,
        ..measured(runs, timed, cost)
    }
}

fn metric(design: &Design, runs: &[Run], timed: &[usize], name: &str) -> Endpoint {
    let value = |run: &Run| {
        let mut named = run.metrics.iter().filter(|metric| metric.name == name);
        named.next_back().and_then(|metric| usable(metric.value))
    };
    Endpoint {
        kind: EndpointKind::Metric,
        name: name.to_owned(),
        is_primary: matches!(&design.endpoint, PrimaryEndpoint::Metric(primary) if primary == name),
        better: design.better(name),
        ..measured(runs, timed, value)
    }
}

/// Names of printed metrics: the primary metric, then the other metrics.
fn metric_names(design: &Design, runs: &[Run], timed: &[usize]) -> Vec<String> {
    let primary = match &design.endpoint {
        PrimaryEndpoint::Metric(name) => Some(name.as_str()),
        _ => None,
    };
    let printed = printed_names(timed.iter().map(|run| &runs[*run]));
    let others = printed.into_iter().filter(|name| Some(*name) != primary);
    primary.into_iter().chain(others).map(str::to_owned).collect()
}

/// Names of printed metrics in the order of their first appearance.
pub(super) fn printed_names<'a>(runs: impl Iterator<Item = &'a Run>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for metric in runs.flat_map(|run| &run.metrics) {
        if !names.contains(&metric.name.as_str()) {
            names.push(&metric.name);
        }
    }
    names
}

/// An endpoint with measured values, which are not sampled. The caller sets kind, name and direction.
fn measured(runs: &[Run], chosen: &[usize], value: impl Fn(&Run) -> Option<f64>) -> Endpoint {
    let values: Vec<Value> =
        chosen.iter().filter_map(|run| value(&runs[*run]).map(|value| Value::new(runs, *run, value))).collect();
    Endpoint {
        kind: EndpointKind::Metric,
        name: String::new(),
        is_primary: false,
        better: Better::Smaller,
        missing_count: chosen.len() - values.len(),
        values,
        calling: None,
    }
}

impl Value {
    pub(super) fn new(runs: &[Run], run: usize, value: f64) -> Self {
        let Run { side, pair, order, .. } = runs[run];
        Self { run, side, pair, order, value, log: value.ln(), sampling_variance: 0.0, samples: None }
    }
}

impl Endpoint {
    /// The values of one side.
    pub(super) fn of(&self, side: Side) -> impl Iterator<Item = &Value> {
        self.values.iter().filter(move |value| value.side == side)
    }

    pub(super) fn logs(&self, side: Side) -> Vec<f64> {
        self.of(side).map(|value| value.log).collect()
    }

    /// Complete pairs, sorted by number: baseline and candidate.
    pub(super) fn pairs(&self) -> Vec<(Value, Value)> {
        let in_pair = |wanted: u32, side: Side| {
            let mut found = self.of(side).filter(|value| value.pair == Some(wanted));
            let only = found.next().copied();
            only.filter(|_| found.next().is_none())
        };
        let mut numbers: Vec<u32> = self.of(Side::Baseline).filter_map(|value| value.pair).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let both = |number: u32| Some((in_pair(number, Side::Baseline)?, in_pair(number, Side::Candidate)?));
        numbers.into_iter().filter_map(both).collect()
    }
}
