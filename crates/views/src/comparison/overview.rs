//! An overview of a comparison: work and resources of both sides, the functions that changed most, and moved cost.

use crate::comparison::MovedCost;
use crate::comparison::moved::moved_costs;
use crate::functions::FunctionRow;
use crate::functions::function_row;
use crate::functions::rank_entities;
use serde::Serialize;
use whittle_profile::AnalysisError;
use whittle_profile::metrics::{Column, ColumnKind};
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::reduction::EntityKey;
use whittle_profile::sides::{ComparedCounter, Part};
use whittle_profile::value_shape::ValueShape;
use whittle_profile::{Profile, totals};

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
    /// Cost that moved between functions while their caller's cost did not change.
    pub moved: Vec<MovedCost>,
    /// The functions with the largest change of exclusive cost.
    pub top_functions: Vec<FunctionRow>,
}

/// Number of functions if the query sets no limit.
const TOP_FUNCTIONS: usize = 10;

/// The overview of a comparison. `Query::limit` is the number of functions.
///
/// # Errors
/// The metric is unknown, the filter contains an unknown name, or the profile is not a comparison.
pub fn comparison_overview(profile: &Profile, query: &Query) -> Result<ComparisonView, AnalysisError> {
    let compared = profile.compared().ok_or(AnalysisError::NothingToCompare)?;
    let weights = profile.weights(query)?;
    let top_columns = profile.columns(ColumnKind::Table, query, &weights)?;
    let limit = Some(query.limit.unwrap_or(TOP_FUNCTIONS));
    let top_query = Query { limit, skip: 0, ..query.clone() };
    let top = rank_entities(profile, &top_query, EntityKey::Function, (&top_columns, &weights))?;
    let totals = totals(&weights);
    let has_any = |column: &Column| column.sums().any(|sum| totals[sum.metric_index] != 0.0);
    // All columns of a metric are shown or left out together. If only one side has a metric, the metric is new or
    // removed.
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
