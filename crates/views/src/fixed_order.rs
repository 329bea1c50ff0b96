//! The order of tables with fixed columns, such as system calls and waits.

use whittle_profile::metrics::SortTerm;
use whittle_profile::{AnalysisError, Query};

/// The field that a table is sorted by, from the words that `--sort` accepts. The first word is the default. Missing if the
/// rows are sorted by name.
///
/// # Errors
/// The word is unknown, or the query requests columns.
pub(crate) fn sort_field(
    query: &Query,
    view: &'static str,
    words: &[(&'static str, &'static str)],
) -> Result<Option<&'static str>, AnalysisError> {
    if query.metrics.is_some() {
        return Err(AnalysisError::FixedColumns { view });
    }
    let text = match &query.sort {
        None => return Ok(words.first().map(|(_, field)| *field)),
        Some(SortTerm::Name) => return Ok(None),
        Some(SortTerm::Metric(term)) => term.to_string(),
    };
    let known = words.iter().find(|(word, _)| *word == text);
    known.map(|(_, field)| Some(*field)).ok_or_else(|| AnalysisError::UnknownOrder {
        text,
        known: words.iter().map(|(word, _)| *word).chain(["name"]).collect(),
    })
}
