//! The function with the most exclusive CPU time.

use crate::functions::functions;
use whittle_model::FunctionKind;
use whittle_profile::{Profile, Query};

/// The function with the most exclusive CPU, and its share. Only functions with code are considered. Missing if there
/// are no CPU samples.
pub(crate) fn top_function(profile: &Profile) -> Option<(String, f64)> {
    let query = Query { metrics: Some("e.cpu".parse().ok()?), ..Query::default() };
    let view = functions(profile, &query).ok()?;
    let row = view.rows.iter().find(|row| row.kind != FunctionKind::Pseudo)?;
    Some((row.function.clone(), row.values.ratio(0)?))
}
