//! Compares two versions. The changes of the upgraded hosts are compared with the changes of all other hosts.

use crate::regressions::discoveries::{Discovery, detectable_growth, discoveries};
use crate::regressions::filters::{Domain, amount, end_length, moved_within, went_away};
use crate::regressions::panel::{Changes, FEWEST_HOSTS, Panel};
use crate::regressions::shift::{beyond, common_shift, p_of_both};
use crate::regressions::{
    FleetCosts, FunctionChange, HostCounts, Measure, Method, MovedWithin, NoPower, Question, RegressionsError,
    RegressionsView, Windows, Word,
};
use whittle_statistics::{Difference, ModeratedT};

/// A function needs at least this mean number of samples per host, on one side in one window. With fewer samples,
/// logarithms of counts are far from normal, and no relevant change is detectable.
pub(super) const FEWEST_SAMPLES: f64 = 5.0;
/// From this number of functions on, the tests share information about the variance.
const FEWEST_TO_MODERATE: usize = 10;
/// Error limit of the tests that prove that a change is small.
const EQUIVALENCE_RATIO: f64 = 0.05;

/// Finds the functions that changed on hosts with a new version.
///
/// The unit of the test is the host. A host's value is the change of the cost's logarithm. Each side needs at least
/// three hosts. Welch's t tests watched functions, and all functions if there are few. Otherwise the moderated t is
/// used, which learns the variation between hosts from all functions.
///
/// # Errors
/// The values or the question are not valid: see [`RegressionsError`].
pub fn version_change(costs: &FleetCosts, question: &Question) -> Result<RegressionsView, RegressionsError> {
    costs.validate()?;
    question.validate()?;
    let windows = costs.windows().unwrap_or(Windows { before: 0..0, after: 0..0 });
    let (measure, panel) = measured(costs, question, &windows);
    let mut view = RegressionsView::new(Method::DifferenceInDifferences, question, measure, Some(&windows));
    let (upgraded, others) = panel.host_counts();
    view.hosts = HostCounts { upgraded, others };
    let rows = rows(costs, question, &panel);
    let shift = if measure == Measure::Share { common_shift(tested(&rows)) } else { 0.0 };
    view.common_ratio = shift.exp();
    view.tested_count = tested(&rows).count();
    let comparison = Comparison { costs, question, windows: &windows, measure, panel: &panel, shift };
    view.functions = comparison.functions(&rows);
    view.left_out = panel.left_out;
    Ok(view.finished())
}

/// Costs are per unit of work if enough hosts have units: at least three on each side, and at least half of the hosts
/// that can be compared as shares.
fn measured<'a>(costs: &'a FleetCosts, question: &Question, windows: &Windows) -> (Measure, Panel<'a>) {
    let panel = |measure: Measure| (measure, Panel::new(costs, windows, measure));
    if let Some(measure) = question.measure {
        return panel(measure);
    }
    let (per_unit, share) = (panel(Measure::PerUnit), panel(Measure::Share));
    let (units, all) = (per_unit.1.host_counts(), share.1.host_counts());
    let are_enough = |known: usize, all: usize| known >= FEWEST_HOSTS && 2 * known >= all;
    if are_enough(units.0, all.0) && are_enough(units.1, all.1) { per_unit } else { share }
}

/// One function with its changes.
struct Row {
    changes: Changes,
    /// `None`: too few hosts.
    difference: Option<Difference>,
    has_samples: bool,
}

fn rows(costs: &FleetCosts, question: &Question, panel: &Panel<'_>) -> Vec<Row> {
    let changes: Vec<Changes> = costs.functions.iter().map(|function| panel.changes(&function.cost_ns)).collect();
    let has_samples = |changes: &Changes| changes.samples >= FEWEST_SAMPLES;
    let logged: Vec<_> = changes.iter().filter(|it| has_samples(it)).map(|it| it.logged.clone()).collect();
    let is_many = logged.iter().filter(|it| it.is_typical).count() >= FEWEST_TO_MODERATE;
    let moderated = if is_many { ModeratedT::new(&logged) } else { None };
    let row = |(changes, name): (Changes, &str)| {
        let moderated = moderated.filter(|_| !question.is_watched(name) && has_samples(&changes));
        let moderated = moderated.and_then(|moderated| moderated.difference(&changes.logged));
        let difference = moderated.or_else(|| changes.welch()).filter(|_| panel.has_enough_hosts());
        Row { has_samples: has_samples(&changes), difference, changes }
    };
    changes.into_iter().zip(costs.functions.iter().map(|function| function.name.as_str())).map(row).collect()
}

fn tested(rows: &[Row]) -> impl Iterator<Item = &Difference> {
    rows.iter().filter(|row| row.has_samples).filter_map(|row| row.difference.as_ref())
}

/// The data from which verdicts are chosen.
struct Comparison<'a> {
    costs: &'a FleetCosts,
    question: &'a Question,
    windows: &'a Windows,
    measure: Measure,
    panel: &'a Panel<'a>,
    shift: f64,
}

/// Functions that are named as changed.
struct Named<'a> {
    /// Positions and amounts of these functions.
    amounts: Vec<(usize, f64)>,
    /// `None`: the time after the change is too short to have an end part.
    at_end: Option<AtEnd<'a>>,
}

/// The end of the time after the change, compared with two other times: the time before the change, and the rest of the
/// time after the change.
struct AtEnd<'a> {
    from_before: Panel<'a>,
    back: Panel<'a>,
}

impl<'a> Comparison<'a> {
    fn functions(&self, rows: &[Row]) -> Vec<FunctionChange> {
        let tested: Vec<(usize, Difference)> = (0..rows.len())
            .filter(|function| rows[*function].has_samples)
            .filter_map(|function| Some((function, rows[function].difference?)))
            .collect();
        let ps: Vec<(usize, f64)> =
            tested.iter().map(|(function, difference)| (*function, p_of_both(*difference, self.shift))).collect();
        let mut found: Vec<Option<Found>> = vec![None; rows.len()];
        for ((function, p), discovery) in ps.iter().zip(discoveries(self.costs, self.question, &ps)) {
            found[*function] = Some(Found { p: *p, discovery });
        }
        let is_named = |function: usize| found[function].is_some_and(|found| found.discovery.is_named);
        let amount = |(function, it): &(usize, Difference)| {
            (*function, amount(rows[*function].changes.levels, beyond(*it, self.shift).value))
        };
        let amounts: Vec<(usize, f64)> =
            tested.iter().filter(|(function, _)| is_named(*function)).map(amount).collect();
        let named = Named { at_end: if amounts.is_empty() { None } else { self.at_end() }, amounts };
        (0..rows.len())
            .map(|function| {
                let mut change = self.described(function, &rows[function], found[function]);
                if is_named(function)
                    && let Some(word) = self.word_of_named(function, &rows[function], &named)
                {
                    (change.word, change.moved) = word;
                }
                change
            })
            .collect()
    }

    /// The result for a function. Fields that only named functions have are still missing.
    fn described(&self, function: usize, row: &Row, found: Option<Found>) -> FunctionChange {
        let costs = &self.costs.functions[function];
        let ends = row.difference.map(|it| it.interval(self.question.confidence_ratio()));
        let level = |level: f64| level.is_finite().then_some(level);
        let p_limit = found.map_or(self.question.alpha_ratio, |found| found.discovery.p_limit);
        let (word, no_power) = self.word_of_unnamed(row);
        let is_named = found.is_some_and(|found| found.discovery.is_named);
        FunctionChange {
            name: costs.name.clone(),
            domain: costs.domain.clone(),
            word,
            sentence: String::new(),
            is_watched: self.question.is_watched(&costs.name),
            ratio: row.difference.map(|it| it.value.exp()),
            low_ratio: ends.map(|(low, _)| low.exp()),
            high_ratio: ends.map(|(_, high)| high.exp()),
            before: level(row.changes.levels.0),
            after: level(row.changes.levels.1),
            p: found.map(|found| found.p),
            adjusted_p: found.map(|found| found.discovery.adjusted_p),
            detectable_ratio: row.difference.and_then(|it| detectable_growth(&it, p_limit)),
            samples: if row.changes.samples.is_finite() { row.changes.samples } else { 0.0 },
            no_power: no_power.filter(|_| !is_named),
            moved: None,
            steps: Vec::new(),
        }
    }

    /// The verdict on a function that is not named: unchanged, or not enough power.
    fn word_of_unnamed(&self, row: &Row) -> (Word, Option<NoPower>) {
        let margin = self.question.margin_ratio;
        match row.difference {
            None => (Word::NotEnoughPower, Some(NoPower::FewHosts)),
            Some(_) if !row.has_samples => (Word::NotEnoughPower, Some(NoPower::FewSamples)),
            Some(it) => {
                let own = beyond(it, self.shift);
                let p = own.equivalence_p((1.0 - margin).ln(), (1.0 + margin).ln());
                if p <= EQUIVALENCE_RATIO {
                    (Word::Unchanged, None)
                } else {
                    (Word::NotEnoughPower, Some(NoPower::Noise))
                }
            }
        }
    }

    fn word_of_named(&self, function: usize, row: &Row, named: &Named<'_>) -> Option<(Word, Option<MovedWithin>)> {
        let own = beyond(row.difference?, self.shift).value;
        if named.at_end.as_ref().is_some_and(|at_end| self.is_gone(function, own, at_end)) {
            return Some((Word::WentAway, None));
        }
        let moved = self.moved(function, amount(row.changes.levels, own), &named.amounts);
        let changed = if own > 0.0 { Word::Regressed } else { Word::Improved };
        Some((if moved.is_some() { Word::Moved } else { changed }, moved))
    }

    fn at_end(&self) -> Option<AtEnd<'a>> {
        let after = self.windows.after.clone();
        let begin = after.end - end_length(after.len())?;
        let panel = |before: std::ops::Range<usize>| {
            Panel::new(self.costs, &Windows { before, after: begin..after.end }, self.measure)
        };
        let at_end = AtEnd { from_before: panel(self.windows.before.clone()), back: panel(after.start..begin) };
        (at_end.from_before.has_enough_hosts() && at_end.back.has_enough_hosts()).then_some(at_end)
    }

    fn is_gone(&self, function: usize, change: f64, at_end: &AtEnd<'_>) -> bool {
        let cost_ns = &self.costs.functions[function].cost_ns;
        let found = [&at_end.from_before, &at_end.back].map(|panel| panel.changes(cost_ns).welch());
        let [Some(from_before), Some(back)] = found else { return false };
        went_away(change, beyond(from_before, self.shift), back, self.question.alpha_ratio)
    }

    fn moved(&self, function: usize, amount: f64, named: &[(usize, f64)]) -> Option<MovedWithin> {
        let name = self.costs.functions[function].domain.as_deref()?;
        let all = self.costs.of_domain(name);
        let changes = self.panel.changes(&self.costs.sum(&all));
        let is_within = |other: usize| other != function && all.contains(&other);
        let named = named.iter().filter(|(other, _)| is_within(*other));
        let domain = Domain {
            name,
            difference: beyond(changes.welch()?, self.shift),
            levels: changes.levels,
            named: named.map(|(other, amount)| (self.costs.functions[*other].name.as_str(), *amount)).collect(),
        };
        (all.len() > 1).then(|| moved_within(&domain, amount, self.question.confidence_ratio()))?
    }
}

/// A tested function, and its result among all functions.
#[derive(Debug, Clone, Copy)]
struct Found {
    p: f64,
    discovery: Discovery,
}
