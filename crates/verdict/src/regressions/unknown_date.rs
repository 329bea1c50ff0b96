//! Finds changes with an unknown date. For each function, searches its series over all hosts for dates.
//!
//! There are no unchanged hosts, so the unit of the test is the period. Anything that happens to all hosts at once is a
//! change. The noise of a single day is not a change.

use crate::regressions::change_points::{Changes, changes, date_count, difference};
use crate::regressions::discoveries::{Discovery, detectable_growth, discoveries};
use crate::regressions::filters::{Domain, amount, moved_within};
use crate::regressions::panel::FEWEST_HOSTS;
use crate::regressions::series::{Course, Series};
use crate::regressions::shift::{beyond, common_shift};
use crate::regressions::version_change::FEWEST_SAMPLES;
use crate::regressions::{
    FleetCosts, FunctionChange, HostCounts, Measure, Method, MovedWithin, NoPower, Question, RegressionsError,
    RegressionsView, StepView, Word,
};
use whittle_statistics::Difference;

/// Functions can have moved cost between each other only if their dates differ by at most this many periods.
const SAME_DATE: usize = 2;

/// Finds the functions that changed, and the dates of the changes. The field `upgrade` of hosts is ignored.
///
/// At least six periods are needed, and twenty or more to detect typical changes. The time per function grows with the
/// square of the number of periods.
///
/// # Errors
/// The values or the question are not valid: see [`RegressionsError`].
pub fn unknown_date(costs: &FleetCosts, question: &Question) -> Result<RegressionsView, RegressionsError> {
    costs.validate()?;
    question.validate()?;
    let course = course(costs, question);
    let mut view = RegressionsView::new(Method::ChangePoints, question, course.1, None);
    let (course, measure) = course;
    view.hosts = HostCounts { upgraded: course.host_count(), others: 0 };
    let rows: Vec<Row> =
        costs.functions.iter().map(|function| Row::new(&course, &function.cost_ns, question)).collect();
    view.tested_count = rows.iter().filter(|row| row.is_tested()).count();
    let search = Search { costs, question, measure, course: &course, rows: &rows };
    view.functions = search.functions();
    view.left_out = course.left_out;
    Ok(view.finished())
}

/// Costs are per unit of work if half of the hosts have units.
fn course<'a>(costs: &'a FleetCosts, question: &Question) -> (Course<'a>, Measure) {
    let of = |measure: Measure| (Course::new(costs, measure), measure);
    if let Some(measure) = question.measure {
        return of(measure);
    }
    let (per_unit, share) = (of(Measure::PerUnit), of(Measure::Share));
    let known = per_unit.0.host_count();
    if known >= FEWEST_HOSTS && 2 * known >= share.0.host_count() { per_unit } else { share }
}

/// One function over time.
struct Row {
    series: Series,
    /// `None`: too few periods.
    changes: Option<Changes>,
}

impl Row {
    fn new(course: &Course<'_>, cost_ns: &[f64], question: &Question) -> Self {
        let series = course.series(cost_ns);
        let changes = changes(&series.logs, series.sampling_variance, question.alpha_ratio);
        Self { series, changes }
    }

    fn is_tested(&self) -> bool {
        self.changes.is_some() && self.series.samples >= FEWEST_SAMPLES
    }

    fn difference(&self, pieces: (usize, usize, usize)) -> Option<Difference> {
        difference(&self.series.logs, pieces, self.series.sampling_variance)
    }

    /// The most likely date.
    fn strongest(&self) -> Option<(usize, usize, usize)> {
        let points = &self.changes.as_ref()?.points;
        let strongest = points.iter().min_by(|a, b| a.p.total_cmp(&b.p))?;
        Some((strongest.around.0, strongest.position, strongest.around.1))
    }

    /// The difference between the last and the first piece of time.
    fn net(&self) -> Option<Difference> {
        let points = &self.changes.as_ref()?.points;
        let (first, last) = (points.first()?.position, points.last()?.position);
        let outer: Vec<f64> = [&self.series.logs[..first], &self.series.logs[last..]].concat();
        difference(&outer, (0, first, outer.len()), self.series.sampling_variance)
    }

    /// Mean level of the first piece and of the last piece of time.
    fn levels(&self) -> (f64, f64) {
        let levels = &self.series.levels;
        let points = self.changes.as_ref().map_or(&[][..], |changes| &changes.points);
        let first = points.first().map_or(levels.len(), |point| point.position);
        let last = points.last().map_or(0, |point| point.position);
        let mean = |piece: &[f64]| piece.iter().sum::<f64>() / piece.len() as f64;
        (mean(&levels[..first]), mean(&levels[last..]))
    }
}

struct Search<'a> {
    costs: &'a FleetCosts,
    question: &'a Question,
    measure: Measure,
    course: &'a Course<'a>,
    rows: &'a [Row],
}

impl Search<'_> {
    fn functions(&self) -> Vec<FunctionChange> {
        let tested = |function: &usize| self.rows[*function].is_tested();
        let ps: Vec<(usize, f64)> =
            (0..self.rows.len()).filter(tested).map(|function| (function, self.p(function))).collect();
        let mut found: Vec<Option<(f64, Discovery)>> = vec![None; self.rows.len()];
        for ((function, p), discovery) in ps.iter().zip(discoveries(self.costs, self.question, &ps)) {
            found[*function] = Some((*p, discovery));
        }
        let is_named = |function: usize| {
            let has_points = self.rows[function].changes.as_ref().is_some_and(|it| !it.points.is_empty());
            has_points && found[function].is_some_and(|(_, discovery)| discovery.is_named)
        };
        let named: Vec<usize> = (0..self.rows.len()).filter(|function| is_named(*function)).collect();
        (0..self.rows.len())
            .map(|function| {
                let mut change = self.described(function, found[function]);
                if is_named(function) {
                    self.name(function, &named, &mut change);
                }
                change
            })
            .collect()
    }

    /// p of a function's change. For shares, the difference from most functions' change at that date must also be
    /// improbable.
    fn p(&self, function: usize) -> f64 {
        let row = &self.rows[function];
        let own = row.changes.as_ref().map_or(1.0, |changes| changes.p);
        let Some(pieces) = row.strongest().filter(|_| self.measure == Measure::Share) else { return own };
        let dates = date_count(row.series.logs.len()) as f64;
        let beyond = row.difference(pieces).map_or(1.0, |own| beyond(own, self.shift(pieces)).p());
        own.max((beyond * dates).min(1.0))
    }

    fn shift(&self, pieces: (usize, usize, usize)) -> f64 {
        let tested = self.rows.iter().filter(|row| row.is_tested());
        let differences: Vec<Difference> = tested.filter_map(|row| row.difference(pieces)).collect();
        if self.measure == Measure::Share { common_shift(differences.iter()) } else { 0.0 }
    }

    /// The result for a function. Fields that only named functions have are still missing.
    fn described(&self, function: usize, found: Option<(f64, Discovery)>) -> FunctionChange {
        let (costs, row) = (&self.costs.functions[function], &self.rows[function]);
        let p_limit = found.map_or(self.question.alpha_ratio, |(_, discovery)| discovery.p_limit);
        let detectable_ratio = self.detectable(row, p_limit);
        let no_power = if row.changes.is_none() {
            Some(NoPower::FewPeriods)
        } else if !row.is_tested() {
            Some(NoPower::FewSamples)
        } else {
            detectable_ratio.is_none_or(|ratio| ratio > self.question.margin_ratio).then_some(NoPower::Noise)
        };
        let (before, after) = row.levels();
        let level = |level: f64| level.is_finite().then_some(level);
        FunctionChange {
            name: costs.name.clone(),
            domain: costs.domain.clone(),
            word: if no_power.is_none() { Word::Unchanged } else { Word::NotEnoughPower },
            sentence: String::new(),
            is_watched: self.question.is_watched(&costs.name),
            ratio: None,
            low_ratio: None,
            high_ratio: None,
            before: level(before),
            after: level(after),
            p: found.map(|(p, _)| p),
            adjusted_p: found.map(|(_, discovery)| discovery.adjusted_p),
            detectable_ratio,
            samples: if row.series.samples.is_finite() { row.series.samples } else { 0.0 },
            no_power,
            moved: None,
            steps: Vec::new(),
        }
    }

    /// The smallest detectable change in the middle of the series. The limit of p is divided by the number of possible
    /// dates.
    fn detectable(&self, row: &Row, p_limit: f64) -> Option<f64> {
        let length = row.series.logs.len();
        let dates = date_count(length);
        let pieces = row.strongest().unwrap_or((0, length / 2, length));
        let error = row.difference(pieces)?;
        // Assumes the same noise, and half of the periods on each side.
        let count =
            |pieces: (usize, usize, usize)| 1.0 / (pieces.1 - pieces.0) as f64 + 1.0 / (pieces.2 - pieces.1) as f64;
        let halves = count((0, length / 2, length)) / count(pieces);
        let error = Difference { standard_error: error.standard_error * halves.sqrt(), ..error };
        (dates > 0).then(|| detectable_growth(&error, p_limit / dates as f64))?
    }

    fn name(&self, function: usize, named: &[usize], change: &mut FunctionChange) {
        let row = &self.rows[function];
        let Some((changes, net)) = row.changes.as_ref().zip(row.net()) else { return };
        let confidence = self.question.confidence_ratio();
        let (low, high) = net.interval(confidence);
        (change.ratio, change.low_ratio, change.high_ratio) =
            (Some(net.value.exp()), Some(low.exp()), Some(high.exp()));
        let step = |point: &crate::regressions::change_points::ChangePoint| {
            let (low, high) = point.difference.interval(confidence);
            StepView {
                period: self.course.periods[point.position],
                ratio: point.difference.value.exp(),
                low_ratio: low.exp(),
                high_ratio: high.exp(),
                p: point.p,
            }
        };
        change.steps = changes.points.iter().map(step).collect();
        change.no_power = None;
        let largest = changes.points.iter().map(|point| point.difference.value.abs()).fold(0.0, f64::max);
        let is_back =
            changes.points.len() > 1 && net.p() > self.question.alpha_ratio && net.value.abs() < largest / 2.0;
        change.moved = if is_back { None } else { self.moved(function, named) };
        change.word = match (&change.moved, is_back) {
            (_, true) => Word::WentAway,
            (Some(_), _) => Word::Moved,
            _ if net.value > 0.0 => Word::Regressed,
            _ => Word::Improved,
        };
    }

    fn moved(&self, function: usize, named: &[usize]) -> Option<MovedWithin> {
        let name = self.costs.functions[function].domain.as_deref()?;
        let all = self.costs.of_domain(name);
        let pieces = self.rows[function].strongest()?;
        let shift = self.shift(pieces);
        let whole = Row { series: self.course.series(&self.costs.sum(&all)), changes: None };
        let amount_of = |row: &Row| Some(amount(row.levels_of(pieces), beyond(row.difference(pieces)?, shift).value));
        let is_within = |other: &&usize| {
            let date = self.rows[**other].strongest().map(|other| other.1);
            **other != function && all.contains(other) && date.is_some_and(|date| date.abs_diff(pieces.1) <= SAME_DATE)
        };
        let others = named.iter().filter(is_within);
        let domain = Domain {
            name,
            difference: beyond(whole.difference(pieces)?, shift),
            levels: whole.levels_of(pieces),
            named: others
                .filter_map(|other| Some((self.costs.functions[*other].name.as_str(), amount_of(&self.rows[*other])?)))
                .collect(),
        };
        let amount = amount_of(&self.rows[function])?;
        (all.len() > 1).then(|| moved_within(&domain, amount, self.question.confidence_ratio()))?
    }
}

impl Row {
    /// Mean level of two pieces of time.
    fn levels_of(&self, (begin, position, end): (usize, usize, usize)) -> (f64, f64) {
        let mean = |piece: &[f64]| piece.iter().sum::<f64>() / piece.len() as f64;
        (mean(&self.series.levels[begin..position]), mean(&self.series.levels[position..end]))
    }
}
