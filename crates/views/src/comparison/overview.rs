//! An overview of a comparison: work and resources of both sides, the functions that changed most, and moved cost.

use crate::comparison::moved::moved_costs;
use crate::comparison::{MovedCost, Run};
use crate::functions::FunctionRow;
use crate::functions::function_row;
use crate::functions::rank_entities;
use serde::Serialize;
use whittle_model::{SYSTEM_COUNTERS, Unit};
use whittle_profile::AnalysisError;
use whittle_profile::metrics::{Column, ColumnKind};
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::reduction::EntityKey;
use whittle_profile::sides::{Better, ComparedCounter, Part, Per};
use whittle_profile::value_shape::ValueShape;
use whittle_profile::{Profile, totals};
use whittle_statistics::median;

/// The answer of [`comparison_overview`](comparison_overview()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparisonView {
    /// Mode, filter, order and notes, and the compared sides.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `totals`.
    pub columns: Vec<Column>,
    /// The sums of all samples.
    pub totals: Values,
    /// Time, throughput, memory, and values that the program printed.
    pub counters: Vec<ComparedCounter>,
    /// Cost that moved between functions while the cost of their caller did not change.
    pub moved: Vec<MovedCost>,
    /// The functions that changed most in exclusive cost.
    pub top_functions: Vec<FunctionRow>,
}

/// Number of functions if the query sets no limit.
const TOP_FUNCTIONS: usize = 10;

/// The overview of a comparison. `Query::limit` is the number of functions.
///
/// # Errors
/// An unknown metric, a filter with a name that does not exist, or a profile that is not a comparison.
pub fn comparison_overview(profile: &Profile, query: &Query) -> Result<ComparisonView, AnalysisError> {
    let compared = profile.compared().ok_or(AnalysisError::NothingToCompare)?;
    let weights = profile.weights(query)?;
    let top_columns = profile.columns(ColumnKind::Table, query, &weights)?;
    let limit = Some(query.limit.unwrap_or(TOP_FUNCTIONS));
    let top_query = Query { limit, skip: 0, ..query.clone() };
    let top = rank_entities(profile, &top_query, EntityKey::Function, (&top_columns, &weights))?;
    let totals = totals(&weights);
    let has_any = |column: &Column| column.sums().any(|sum| totals[sum.metric_index] != 0.0);
    // A metric has all parts or no part. A metric that only one side has is new or removed.
    let all = profile.all_columns(&weights);
    let metrics = all.chunks(Part::SHOWN.len()).filter(|parts| parts.iter().any(has_any));
    let columns: Vec<Column> = metrics.flatten().cloned().collect();
    let shape = ValueShape::new(&columns, |column| totals[column.metric_index]);
    let first = top_columns.shown.iter().find(|column| column.part == Some(Part::Baseline));
    Ok(ComparisonView {
        preamble: profile.preamble("overview", query, (&top_columns, &weights)),
        totals: shape.values(|column| totals[column.metric_index]),
        columns,
        counters: compared.counters.clone(),
        moved: first.map_or(Ok(Vec::new()), |column| moved_costs(profile, query, column.metric_index))?,
        top_functions: top.rows.into_iter().map(|(function, values)| function_row(profile, function, values)).collect(),
    })
}

/// The counters that are known for both sides.
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

/// Names of the values that a program printed. Units of work are left out, because they are reported separately.
fn printed(runs: &[Run]) -> Vec<String> {
    let mut names: Vec<String> = runs.first().map(|run| run.tables.counters.counter.clone()).unwrap_or_default();
    names.retain(|name| !SYSTEM_COUNTERS.contains(&name.as_str()) && !name.ends_with("_count"));
    whittle_profile::order::sort_by_key(&mut names, Clone::clone);
    names.dedup();
    names
}
