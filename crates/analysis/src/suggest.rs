//! Function names that contain a text, for pickers: the heaviest first.

use crate::functions::keep_largest;
use crate::metrics::ColumnKind;
use crate::query::Query;
use crate::reduction::{EntityKey, EntitySums};
use crate::{AnalysisError, Profile};
use serde::Serialize;
use whittle_model::FunctionKind;

/// The answer of [`Profile::suggest`].
#[derive(Debug, Clone, Serialize)]
pub struct Suggestions {
    /// The view's name.
    pub view: &'static str,
    /// Number of rows without a limit.
    pub row_count: usize,
    /// Functions of the shown stacks, by inclusive value, the largest first.
    pub rows: Vec<Suggestion>,
}

/// One function.
#[derive(Debug, Clone, Serialize)]
pub struct Suggestion {
    /// The name as shown.
    pub function: String,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Inclusive value of the sort metric as share of the total. Missing: the total is 0.
    pub inclusive_ratio: Option<f64>,
}

impl Profile {
    /// Functions of the shown stacks whose names contain `text`, upper or lower case.
    ///
    /// # Errors
    /// An unknown metric, or a filter that names what is not there.
    pub fn suggest(&self, query: &Query, text: &str) -> Result<Suggestions, AnalysisError> {
        let weights = self.weights(query)?;
        let columns = self.columns(ColumnKind::Table, query, &weights)?;
        let column = columns.sort.as_ref().or(columns.shown.first()).ok_or(AnalysisError::NoMetrics)?;
        let reduction = self.shown(query, EntityKey::Function)?;
        let node_weights = [reduction.node_weights(&weights.by_stack[column.magnitude_index()])];
        let sums = EntitySums::new(&reduction, &node_weights).remove(0);
        let wanted = text.to_lowercase();
        let names = self.names();
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
}
