//! The table of functions, with exclusive and inclusive values of each function.

mod text;
use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys};
use serde::{Deserialize, Serialize};
use whittle_model::FunctionKind;
use whittle_profile::AnalysisError;
use whittle_profile::metrics::{Column, ColumnKind, Columns, Flavour};
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::reduction::{EntityKey, EntitySums};
use whittle_profile::value_shape::ValueShape;
use whittle_profile::weights::Weights;
use whittle_profile::{Profile, totals};

/// The definition of this view. Its answer is [`FunctionsView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "functions",
        answer: |on, asked| {
            let Keys { named } = keys(asked)?;
            Ok(Answered::view(functions_named(on.profile, on.query, &named)?))
        },
    },
    not_compared: None,
    command: Some(Command {
        parameters: &[Parameter::text(
            "named",
            "TEXT",
            "Only functions with a name that contains the text, in upper or lower case. Percentages do not change",
        )],
        ..Command::table("Functions with exclusive and inclusive values")
    }),
};

/// The keys of a request for the table.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Keys {
    named: String,
}

/// The answer of [`functions`](functions()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `total` and of each row.
    pub columns: Vec<Column>,
    /// The values of all samples. They are the base of percentages.
    pub total: Values,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// Functions with a value in one of the columns.
    pub rows: Vec<FunctionRow>,
}

/// One function.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FunctionRow {
    /// The name as shown.
    pub function: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Path of the file that contains the function. Missing if unknown, and for a pseudo-function.
    pub binary: Option<String>,
    /// The function's values.
    #[serde(flatten)]
    pub values: Values,
}

/// The table of functions.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn functions(profile: &Profile, query: &Query) -> Result<FunctionsView, AnalysisError> {
    functions_named(profile, query, "")
}

/// The functions with a name that contains a text, in upper or lower case. An empty text keeps all functions.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn functions_named(profile: &Profile, query: &Query, named: &str) -> Result<FunctionsView, AnalysisError> {
    let weights = profile.weights(query)?;
    let columns = profile.columns(ColumnKind::Table, query, &weights)?;
    let ranked = rank_named(profile, query, (EntityKey::Function, named), (&columns, &weights))?;
    let rows = ranked.rows.into_iter().map(|(function, values)| function_row(profile, function, values));
    Ok(FunctionsView {
        preamble: profile.preamble("functions", query, (&columns, &weights)),
        columns: columns.shown,
        total: ranked.total,
        row_count: ranked.row_count,
        rows: rows.collect(),
    })
}

/// The row of a function. `function` is its number in [`FunctionNames`](whittle_profile::reduction::FunctionNames).
pub(crate) fn function_row(profile: &Profile, function: u32, values: Values) -> FunctionRow {
    FunctionRow {
        function: profile.names().display_name(function).to_owned(),
        kind: profile.names().kind(function),
        binary: binary_path(profile, function),
        values,
    }
}

/// The path of the file that contains a function, if it is known.
pub(crate) fn binary_path(profile: &Profile, function: u32) -> Option<String> {
    let row = profile.names().row(function)?;
    let binary = profile.tables().functions.binary[row];
    Some(profile.tables().binaries.path[binary.row()].clone()).filter(|path| !path.is_empty())
}

/// Ranks the entities of a tree by the sort column.
pub(crate) fn rank_entities(
    profile: &Profile,
    query: &Query,
    key: EntityKey,
    asked: (&Columns, &Weights),
) -> Result<Ranked, AnalysisError> {
    rank_named(profile, query, (key, ""), asked)
}

/// Ranks the entities of functions with a name that contains a text, in upper or lower case.
fn rank_named(
    profile: &Profile,
    query: &Query,
    (key, named): (EntityKey, &str),
    (columns, weights): (&Columns, &Weights),
) -> Result<Ranked, AnalysisError> {
    let reduction = profile.shown(query, key)?;
    let metrics = columns.metrics();
    weights.by_stack.prepare(&metrics);
    let node_weights: Vec<_> =
        metrics.iter().map(|metric| reduction.node_weights(&weights.by_stack[*metric])).collect();
    let mut sums: Vec<Option<EntitySums>> = profile.manifest().metrics.iter().map(|_| None).collect();
    for (metric, computed) in metrics.iter().zip(EntitySums::new(&reduction, &node_weights)) {
        sums[*metric] = Some(computed);
    }
    let value = |column: &Column, entity: usize| {
        sums[column.metric_index].as_ref().map_or(0.0, |sums| match column.flavour {
            Flavour::Exclusive => sums.exclusive[entity],
            _ => sums.inclusive[entity],
        })
    };
    let totals = totals(weights);
    let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
    let name = |entity: u32| profile.names().display_name(reduction.places[entity as usize].function);
    let wanted = named.to_lowercase();
    let mut entities: Vec<u32> = (1..reduction.places.len() as u32)
        .filter(|entity| wanted.is_empty() || name(*entity).to_lowercase().contains(&wanted))
        .filter(|entity| columns.shown.iter().flat_map(Column::sums).any(|sum| value(sum, *entity as usize) != 0.0))
        .collect();
    let (row_count, shown_name) = (entities.len(), |entity: &u32| (name(*entity), *entity));
    match &columns.sort {
        Some(column) => {
            let rank = |entity: &u32| column.rank(|column| value(column, *entity as usize));
            keep_largest(&mut entities, query.window(), rank, shown_name);
        }
        None => keep_first(&mut entities, query.window(), shown_name),
    }
    let values = |entity: u32| shape.values(|column| value(column, entity as usize));
    let rows = entities.into_iter().map(|entity| (entity, values(entity))).collect();
    let total = shape.values(|column| totals[column.metric_index]);
    Ok(Ranked { total, row_count, rows })
}

/// Entities with their values, in order.
pub(crate) struct Ranked {
    pub(crate) total: Values,
    pub(crate) row_count: usize,
    pub(crate) rows: Vec<(u32, Values)>,
}
