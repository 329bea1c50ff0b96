//! The order of tables with fixed columns, such as system calls and waits.

use whittle_profile::metrics::SortTerm;
use whittle_profile::query::{Preamble, TransformLine};
use whittle_profile::{AnalysisError, Profile, Query};

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

/// The common parts of the answer, without notes. `sorted_by` is the result of [`sort_field`].
pub(crate) fn preamble(
    profile: &Profile,
    query: &Query,
    view: &'static str,
    sorted_by: Option<&'static str>,
) -> Preamble {
    Preamble {
        view,
        mode: query.mode,
        filter: query.filter.as_ref().map(ToString::to_string),
        transforms: TransformLine::all(query),
        comparison: profile.comparison().cloned(),
        sorted_by: sorted_by.unwrap_or("name").to_owned(),
        notes: Vec::new(),
    }
}
