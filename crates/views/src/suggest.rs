//! Function names that contain a text, for input fields that suggest functions. The heaviest function comes first.

use crate::definition::{Answered, Answerer, ViewDefinition, keys};
use serde::{Deserialize, Serialize};
use whittle_model::FunctionKind;
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::metrics::ColumnKind;
use whittle_profile::query::Query;
use whittle_profile::ranking::keep_largest;
use whittle_profile::reduction::{EntityKey, EntitySums};

/// The definition of this view. Its answer is [`Suggestions`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "suggest",
        answer: |on, asked| {
            let Keys { text } = keys(asked)?;
            Answered::data(&suggest(on.profile, on.query, &text)?)
        },
    },
    not_compared: None,
    command: None,
};

/// The keys of a request for suggestions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    text: String,
}

/// The answer of [`suggest`](suggest()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Suggestions {
    /// The view's name.
    pub view: &'static str,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// Functions of the shown stacks, by inclusive value, the largest first.
    pub rows: Vec<Suggestion>,
}

/// One function.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Suggestion {
    /// The name as shown.
    pub function: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Inclusive value of the sort metric as a share of the total. Missing if the total is 0.
    pub inclusive_ratio: Option<f64>,
}

/// Functions of the shown stacks with names that contain `text`. Upper and lower case are treated as equal.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn suggest(profile: &Profile, query: &Query, text: &str) -> Result<Suggestions, AnalysisError> {
    let weights = profile.weights(query)?;
    let columns = profile.columns(ColumnKind::Table, query, &weights)?;
    let column = columns.sort.as_ref().or(columns.shown.first()).ok_or(AnalysisError::NoMetrics)?;
    let reduction = profile.shown(query, EntityKey::Function)?;
    let node_weights = [reduction.node_weights(&weights.by_stack[column.magnitude_index()])];
    let sums = EntitySums::new(&reduction, &node_weights).remove(0);
    let wanted = text.to_lowercase();
    let names = profile.names();
    let is_wanted = |function: &u32| {
        reduction.occurs[*function as usize] && names.display_name(*function).to_lowercase().contains(&wanted)
    };
    let mut functions: Vec<u32> = (1..reduction.places.len() as u32).filter(is_wanted).collect();
    let (row_count, inclusive) = (functions.len(), |function: &u32| sums.inclusive[*function as usize]);
    keep_largest(&mut functions, query.window(), inclusive, |function| (names.display_name(*function), *function));
    let total = sums.inclusive[0];
    let rows = functions.into_iter().map(|function| Suggestion {
        function: names.display_name(function).to_owned(),
        kind: names.kind(function),
        inclusive_ratio: (total > 0.0).then(|| inclusive(&function) / total),
    });
    Ok(Suggestions { view: "suggest", row_count, rows: rows.collect() })
}
