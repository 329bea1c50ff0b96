//! The answer for users and programs. It contains the verdicts of the analysis, with versions, times, hosts and costs.

use super::change::{ChangedHost, Role};
use super::{Gathered, RegressionsQuestion};
use crate::cost::{Cost, Price};
use crate::question::TimeRange;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::ops::Range;
use whittle_profile::{Flavour, ViewMode};
use whittle_verdict::regressions::{
    FleetCosts, FunctionChange, LeftOutHost, Measure, Method, Question as Limits, RegressionsView, StepView, Word,
};

/// The answer of [`Fleet::regressions`](crate::fleet::Fleet::regressions).
#[derive(Debug, Clone, Serialize)]
pub struct FleetRegressionsView {
    /// The text `regressions`.
    pub view: &'static str,
    /// The service.
    pub service: String,
    /// The selected observations, in words.
    pub whose: String,
    /// The requested time range, in words.
    pub time: String,
    /// The price of a core.
    #[serde(flatten)]
    pub price: Price,
    /// How changes were detected.
    pub method: Method,
    /// The old version. Missing: the date of the change is unknown.
    pub from_version: Option<String>,
    /// The new version. Missing: the date of the change is unknown.
    pub to_version: Option<String>,
    /// All versions that were seen, in order of appearance.
    pub versions: Vec<String>,
    /// Exclusive or inclusive costs.
    pub flavour: Flavour,
    /// Which frames are shown.
    pub mode: ViewMode,
    /// The measure of costs in rows: shares from 0 to 1, or nanoseconds per unit of work.
    pub measure: Measure,
    /// The unit of work. Missing: costs are not per unit of work.
    pub unit: Option<String>,
    /// Limits of error, and the watched functions.
    pub question: Limits,
    /// Length of a period, seconds.
    pub period_s: i64,
    /// Start of the first period, seconds since 1970-01-01 UTC.
    pub from_s: i64,
    /// End of the last period.
    pub to_s: i64,
    /// The time range before the change. Missing: the date of the change is unknown, or no period is before the change.
    pub before: Option<TimeRange>,
    /// The time range after the change. Missing: the date of the change is unknown, or no period is after the change.
    pub after: Option<TimeRange>,
    /// All hosts that ran these versions, by name.
    pub hosts: Vec<HostRow>,
    /// Number of hosts with each role.
    pub host_counts: RoleCounts,
    /// Number of functions with each verdict, before the limit is applied.
    pub counts: Vec<WordCount>,
    /// Number of functions that were tested.
    pub tested_count: usize,
    /// Number of functions, before the limit is applied.
    pub row_count: usize,
    /// The change that most functions share, as a ratio.
    pub common_ratio: f64,
    /// Sentences about the whole answer.
    pub sentences: Vec<String>,
    /// Functions with detected changes, then watched functions, then other functions. The last two groups are sorted by
    /// cost, the highest cost first.
    pub rows: Vec<RegressionRow>,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

/// One host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HostRow {
    /// Name of the host.
    pub host: String,
    /// The host's role in the answer.
    pub role: Role,
    /// Why the host is left out. Missing: the host is included.
    pub why: Option<String>,
    /// Start of the first period that can contain a version other than the old version. Missing: the host did not
    /// change.
    pub changed_from_s: Option<i64>,
    /// Start of the first period in which the host ran only the new version.
    pub changed_to_s: Option<i64>,
}

/// Number of hosts by role.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RoleCounts {
    /// Number of hosts that changed version. If the date of the change is unknown: the number of all included hosts.
    pub upgraded: usize,
    /// Hosts that did not change version.
    pub others: usize,
    /// Hosts that are left out.
    pub left_out: usize,
}

/// Number of functions with a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WordCount {
    /// The verdict.
    pub word: Word,
    /// Number of functions.
    pub functions: usize,
}

/// One function.
#[derive(Debug, Clone, Serialize)]
pub struct RegressionRow {
    /// The result of the analysis.
    #[serde(flatten)]
    pub change: FunctionChange,
    /// Changes in time order, if the date is unknown.
    pub steps: Vec<StepRow>,
    /// The function's cost before the change, on all upgraded hosts. If the date of the change is unknown: on all
    /// hosts, before the first change. Missing: there is no time before the change.
    pub cost_before: Option<Cost>,
    /// The function's cost after the change, computed in the same way.
    pub cost_after: Option<Cost>,
    /// Cost of the change on these hosts: `cost_after` minus the cost that the function would have without the change.
    /// Missing if the change has no ratio.
    pub cost_of_change: Option<Cost>,
    /// Cost of the change at the lower end of the interval.
    pub cost_of_change_low: Option<Cost>,
    /// Cost of the change at the upper end of the interval.
    pub cost_of_change_high: Option<Cost>,
    /// Cost of the change if all included hosts had the change. It is computed from the CPU time of these hosts.
    pub cost_on_all: Option<Cost>,
}

/// One change in the time range.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct StepRow {
    /// The change.
    #[serde(flatten)]
    pub step: StepView,
    /// Start of the first period after the change, seconds since 1970-01-01 UTC.
    pub from_s: i64,
}

/// The input of an answer.
pub(super) struct Found<'a> {
    pub(super) asked: &'a RegressionsQuestion,
    pub(super) gathered: &'a Gathered,
    pub(super) view: RegressionsView,
    /// Hosts that the analysis left out.
    pub(super) left_out: Vec<LeftOutHost>,
    pub(super) price: Price,
}

const WORDS: [Word; 6] =
    [Word::Regressed, Word::Improved, Word::Moved, Word::WentAway, Word::Unchanged, Word::NotEnoughPower];

impl Found<'_> {
    pub(super) fn into_view(mut self) -> FleetRegressionsView {
        let (asked, gathered) = (self.asked, self.gathered);
        let periods = gathered.periods;
        let count = |word: Word| WordCount { word, functions: self.view.with_word(word).count() };
        let counts = WORDS.map(count).into_iter().filter(|count| count.functions > 0).collect();
        let mut rows = self.rows();
        let row_count = rows.len();
        if let Some(limit) = asked.limit {
            keep_first(&mut rows, limit);
        }
        let hosts: Vec<HostRow> = gathered.changed.hosts.iter().map(|host| self.host(host)).collect();
        let with_role = |role: Role| hosts.iter().filter(|host| host.role == role).count();
        let host_counts = RoleCounts {
            upgraded: with_role(Role::Upgraded),
            others: with_role(Role::Other),
            left_out: with_role(Role::LeftOut),
        };
        let span = |ends: Option<(usize, usize)>| {
            ends.map(|(first, last)| TimeRange { from_s: periods.start_s(first), to_s: periods.start_s(last + 1) })
        };
        let [from_version, to_version] = match &gathered.changed.versions {
            Some([from, to]) => [Some(from.clone()), Some(to.clone())],
            None => [None, None],
        };
        FleetRegressionsView {
            view: "regressions",
            service: asked.whose.services.join(", "),
            whose: asked.whose.words(),
            time: asked.time.to_string(),
            price: self.price,
            method: self.view.method,
            from_version,
            to_version,
            versions: gathered.versions.clone(),
            flavour: asked.flavour,
            mode: asked.mode,
            measure: self.view.measure,
            unit: gathered.unit.clone().filter(|_| self.view.measure == Measure::PerUnit),
            question: std::mem::take(&mut self.view.question),
            period_s: periods.width_s,
            from_s: periods.time().from_s,
            to_s: periods.time().to_s,
            before: span(self.view.before),
            after: span(self.view.after),
            hosts,
            host_counts,
            counts,
            tested_count: self.view.tested_count,
            row_count,
            common_ratio: self.view.common_ratio,
            sentences: std::mem::take(&mut self.view.sentences),
            rows,
            notes: gathered.notes.clone(),
        }
    }

    fn host(&self, host: &ChangedHost) -> HostRow {
        let by_analysis = self.left_out.iter().find(|left_out| left_out.host == host.host);
        let why = host.left_out.clone().or_else(|| by_analysis.map(|left_out| left_out.why.words().to_owned()));
        let role = match (&why, host.upgrade) {
            (Some(_), _) => Role::LeftOut,
            (None, None) if self.view.method == Method::DifferenceInDifferences => Role::Other,
            _ => Role::Upgraded,
        };
        let periods = self.gathered.periods;
        HostRow {
            host: host.host.clone(),
            role,
            why,
            changed_from_s: host.upgrade.map(|upgrade| periods.start_s(upgrade.from)),
            changed_to_s: host.upgrade.map(|upgrade| periods.start_s(upgrade.to)),
        }
    }

    /// All functions, in the order of the answer.
    fn rows(&self) -> Vec<RegressionRow> {
        let costs = Costs::new(self);
        let mut rows: Vec<RegressionRow> = self.view.functions.iter().map(|change| costs.row(change)).collect();
        // The analysis has already sorted changed functions. A stable sort keeps their order.
        let rank =
            |row: &RegressionRow| if !is_unnamed(row.change.word) { 0 } else { 2 - u8::from(row.change.is_watched) };
        let cores = |row: &RegressionRow| match rank(row) {
            0 => 0.0,
            _ => row.cost_after.map_or(0.0, |cost| cost.cores),
        };
        rows.sort_by(|a, b| rank(a).cmp(&rank(b)).then(cores(b).total_cmp(&cores(a))));
        rows
    }
}

/// Keeps all watched functions, and up to `limit` functions for each verdict that reports a change. Then keeps other
/// functions until the total is `limit`.
fn keep_first(rows: &mut Vec<RegressionRow>, limit: usize) {
    let (mut kept, mut kept_of) = (0, FxHashMap::default());
    rows.retain(|row| {
        let word = row.change.word;
        let of_word: &mut usize = kept_of.entry(word).or_default();
        let is_kept = row.change.is_watched || if is_unnamed(word) { kept < limit } else { *of_word < limit };
        *of_word += usize::from(is_kept);
        kept += usize::from(is_kept);
        is_kept
    });
}

/// Whether this verdict means that no change was detected.
pub(super) fn is_unnamed(word: Word) -> bool {
    matches!(word, Word::Unchanged | Word::NotEnoughPower)
}

/// Costs of functions before and after the change.
struct Costs<'a> {
    found: &'a Found<'a>,
    fleet: &'a FleetCosts,
    /// Positions of the upgraded hosts. If the date of the change is unknown: positions of all included hosts.
    upgraded: Vec<usize>,
    /// CPU time of all included hosts, divided by the CPU time of the upgraded hosts. Both times are measured after the
    /// change.
    of_all: f64,
}

impl<'a> Costs<'a> {
    fn new(found: &'a Found<'a>) -> Self {
        let fleet = &found.gathered.costs;
        let is_left_out = |name: &str| found.left_out.iter().any(|left_out| left_out.host == name);
        let counts = |host: &usize| !is_left_out(&fleet.hosts[*host].host);
        let all: Vec<usize> = (0..fleet.hosts.len()).filter(counts).collect();
        let has_changed =
            |host: &usize| found.view.method == Method::ChangePoints || fleet.hosts[*host].upgrade.is_some();
        let upgraded: Vec<usize> = all.iter().copied().filter(has_changed).collect();
        let after = found.view.after.map_or(0..fleet.period_count, |(first, last)| first..last + 1);
        let cpu = |hosts: &[usize]| -> f64 {
            hosts.iter().flat_map(|host| &fleet.hosts[*host].periods[after.clone()]).map(|period| period.cpu_ns).sum()
        };
        let of_all = cpu(&all) / cpu(&upgraded);
        Self { found, fleet, upgraded, of_all }
    }

    fn row(&self, change: &FunctionChange) -> RegressionRow {
        let functions = &self.fleet.functions;
        let function = functions.binary_search_by(|function| function.name.as_str().cmp(&change.name)).ok();
        let cost = |span: Option<Range<usize>>| self.cost(function?, span?);
        let [before, after] = self.spans(change);
        let (before, after) = (cost(before), cost(after));
        let of_change = |ratio: Option<f64>| Some(changed(before?, after?, ratio?));
        let on_all = of_change(change.ratio).filter(|_| self.of_all.is_finite());
        let periods = self.found.gathered.periods;
        let step = |step: &StepView| StepRow { step: *step, from_s: periods.start_s(step.period) };
        RegressionRow {
            steps: change.steps.iter().map(step).collect(),
            change: FunctionChange { steps: Vec::new(), ..change.clone() },
            cost_before: before,
            cost_after: after,
            cost_of_change: of_change(change.ratio),
            cost_of_change_low: of_change(change.low_ratio),
            cost_of_change_high: of_change(change.high_ratio),
            cost_on_all: on_all.map(|cost| times(cost, self.of_all)),
        }
    }

    /// The time ranges before and after a function's change.
    fn spans(&self, change: &FunctionChange) -> [Option<Range<usize>>; 2] {
        let view = &self.found.view;
        let of = |ends: Option<(usize, usize)>| ends.map(|(first, last)| first..last + 1);
        match (view.method, change.steps.as_slice()) {
            (Method::DifferenceInDifferences, _) => [of(view.before), of(view.after)],
            (_, [first, .., last]) => [Some(0..first.period), Some(last.period..self.fleet.period_count)],
            (_, [only]) => [Some(0..only.period), Some(only.period..self.fleet.period_count)],
            (_, []) => [Some(0..self.fleet.period_count), Some(0..self.fleet.period_count)],
        }
    }

    fn cost(&self, function: usize, span: Range<usize>) -> Option<Cost> {
        let costs = &self.fleet.functions[function].cost_ns;
        let of_host = |host: &usize| {
            let begin = host * self.fleet.period_count;
            costs[begin + span.start..begin + span.end].iter().sum::<f64>()
        };
        let sum: f64 = self.upgraded.iter().map(of_host).sum();
        let seconds = self.found.gathered.periods.seconds(span.len());
        (!span.is_empty() && !self.upgraded.is_empty()).then(|| self.found.price.cost(sum, seconds))
    }
}

/// Cost of a change, computed from the side with the higher cost. For new code, the result is the code's whole cost.
/// For removed code, the result is the negative whole cost.
fn changed(before: Cost, after: Cost, ratio: f64) -> Cost {
    if ratio >= 1.0 { times(after, 1.0 - 1.0 / ratio) } else { times(before, ratio - 1.0) }
}

fn times(cost: Cost, factor: f64) -> Cost {
    Cost { cores: cost.cores * factor, cost_per_year: cost.cost_per_year * factor }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_costs_what_would_not_be_there_without_it() {
        let cost = |cores: f64| Cost { cores, cost_per_year: 100.0 * cores };
        assert_eq!(changed(cost(1.0), cost(1.5), 2.0), Cost { cores: 0.75, cost_per_year: 75.0 });
        assert_eq!(changed(cost(1.0), cost(0.5), 0.5).cores, -0.5);
        assert_eq!(changed(cost(0.0), cost(2.0), f64::INFINITY).cores, 2.0, "new");
        assert_eq!(changed(cost(2.0), cost(0.0), 0.0).cores, -2.0, "gone");
    }
}
