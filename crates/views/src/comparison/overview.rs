//! A comparison at a glance: what both sides did and used, which functions changed most, what moved.

use super::moved::MovedCost;
use super::{Part, Per, Run};
use crate::functions::{FunctionRow, ValueShape};
use crate::metrics::{Column, ColumnKind};
use crate::profile::totals;
use crate::query::{Preamble, Query, Values};
use crate::reduction::EntityKey;
use crate::stats::median;
use crate::verify::Better;
use crate::{AnalysisError, Profile};
use serde::Serialize;
use whittle_model::{SYSTEM_COUNTERS, Unit};

/// The answer of [`Profile::comparison_overview`].
#[derive(Debug, Clone, Serialize)]
pub struct ComparisonView {
    /// Mode, filter, order and notes; what is compared.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `totals`.
    pub columns: Vec<Column>,
    /// The sums of all samples.
    pub totals: Values,
    /// Time, throughput, memory, and what the program printed.
    pub counters: Vec<ComparedCounter>,
    /// Cost that moved between functions while what calls them costs what it did.
    pub moved: Vec<MovedCost>,
    /// The functions that changed most, in what they cost themselves.
    pub top_functions: Vec<FunctionRow>,
}

/// One figure of both sides that is no sum of samples: the mean of each side's runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedCounter {
    /// What it is.
    pub title: String,
    /// Its unit; missing: a number of the program, in the unit of its name.
    pub unit: Option<Unit>,
    /// The baseline's.
    pub baseline: f64,
    /// The candidate's.
    pub candidate: f64,
    /// Which direction is better.
    pub is_better_when: Better,
}

/// Functions without a limit.
const TOP_FUNCTIONS: usize = 10;

impl Profile {
    /// A comparison at a glance. `Query::limit` is the number of functions.
    ///
    /// # Errors
    /// An unknown metric, a filter that names what is not there, or nothing that is compared.
    pub fn comparison_overview(&self, query: &Query) -> Result<ComparisonView, AnalysisError> {
        let compared = self.compared().ok_or(AnalysisError::NothingToCompare)?;
        let weights = self.weights(query)?;
        let top_columns = self.columns(ColumnKind::Table, query, &weights)?;
        let limit = Some(query.limit.unwrap_or(TOP_FUNCTIONS));
        let top_query = Query { limit, skip: 0, ..query.clone() };
        let top = self.rank_entities(&top_query, EntityKey::Function, (&top_columns, &weights))?;
        let totals = totals(&weights);
        let has_any = |column: &Column| column.sums().any(|sum| totals[sum.metric_index] != 0.0);
        // All parts of a metric or none: what only one side has is new or gone.
        let all = self.all_columns(&weights);
        let metrics = all.chunks(Part::SHOWN.len()).filter(|parts| parts.iter().any(has_any));
        let columns: Vec<Column> = metrics.flatten().cloned().collect();
        let shape = ValueShape::new(&columns, |column| totals[column.metric_index]);
        let first = top_columns.shown.iter().find(|column| column.part == Some(Part::Baseline));
        Ok(ComparisonView {
            preamble: self.preamble("overview", query, (&top_columns, &weights)),
            totals: shape.values(|column| totals[column.metric_index]),
            columns,
            counters: compared.counters.clone(),
            moved: first.map_or(Ok(Vec::new()), |column| self.moved_costs(query, column.metric_index))?,
            top_functions: top.rows.into_iter().map(|(function, values)| self.function_row(function, values)).collect(),
        })
    }
}

/// The figures that both sides have.
pub(super) fn counters(sides: &[Vec<Run>; 2], per: &Per) -> Vec<ComparedCounter> {
    let mut counters = Vec::new();
    let mut add = |title: String, unit: Option<Unit>, is_better_when: Better, value: &dyn Fn(&Run) -> Option<f64>| {
        let mean = |runs: &[Run]| -> Option<f64> {
            let values: Option<Vec<f64>> = runs.iter().map(value).collect();
            values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
        };
        if let (Some(baseline), Some(candidate)) = (mean(&sides[0]), mean(&sides[1])) {
            counters.push(ComparedCounter { title, unit, baseline, candidate, is_better_when });
        }
    };
    let elapsed = |run: &Run| Some(run.manifest.duration_ns as f64).filter(|ns| *ns > 0.0);
    if let Per::Unit(name) = per {
        let words = per.words();
        add(format!("elapsed time {words}"), Some(Unit::Nanoseconds), Better::Smaller, &|run| {
            Some(elapsed(run)? / run.units(name)?)
        });
        let title = format!("{} per second", name.replace('_', " "));
        add(title, None, Better::Larger, &|run| Some(run.units(name)? / (elapsed(run)? / 1e9)));
    } else {
        add("elapsed time of a run".to_owned(), Some(Unit::Nanoseconds), Better::Unknown, &elapsed);
    }
    add("peak resident memory".to_owned(), Some(Unit::Bytes), Better::Smaller, &|run| {
        run.manifest.resources.as_ref()?.peak_rss_bytes.map(|bytes| bytes as f64)
    });
    for name in printed(&sides[0]) {
        let better = Better::of_name(&name);
        add(name.replace('_', " "), None, better, &|run| {
            let counters = &run.tables.counters;
            let rows = counters.counter.iter().zip(&counters.value).filter(|(counter, _)| **counter == name);
            median(&rows.map(|(_, value)| *value).collect::<Vec<_>>())
        });
    }
    counters
}

/// Names of the numbers that a program printed; units of work are told otherwise.
fn printed(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<String> = runs.first().map(|run| run.tables.counters.counter.clone()).unwrap_or_default();
    names.retain(|name| !SYSTEM_COUNTERS.contains(&name.as_str()) && !name.ends_with("_count"));
    crate::order::sort_by_key(&mut names, Clone::clone);
    names.dedup();
    names
}
