//! The engine of all front ends. It contains all views, and a function that takes a JSON request and returns the
//! answer.
//!
//! If a view exists on the command line, its answer equals the output of `--json`. If a key is missing or null, its
//! default is used. A key or view that does not exist is an error, so nothing is ignored silently. Answers with
//! pictures are bytes, all other answers are JSON. The form of requests is described in [`whittle_views::request`].
//!
//! A report file has a separate engine, without detectors and comparisons.

pub use whittle_views::request::{Answer, EngineError, ErrorKind};

use serde_json::{Map, Value};
use whittle_profile::Profile;
use whittle_views::definition::{Answered, Answerer, Asking, ViewDefinition, ViewError};
use whittle_views::source::CodeSource;

/// All views, in the order in which the help of the programs lists them.
pub static VIEWS: [ViewDefinition; whittle_views::VIEWS.len() + 1] = {
    let mut views = [whittle_findings::VIEW; whittle_views::VIEWS.len() + 1];
    let mut index = 0;
    while index < whittle_views::VIEWS.len() {
        views[index] = whittle_views::VIEWS[index];
        index += 1;
    }
    views
};

/// The views with a different answer for comparisons.
static COMPARED: [Answerer; 3] =
    [whittle_findings::COMPARED[0], whittle_findings::COMPARED[1], whittle_views::comparison::SYSCALLS];

/// The views that answer requests about a profile. In a comparison, some views are replaced.
pub fn answerers(profile: &Profile) -> impl Iterator<Item = &'static Answerer> {
    let compared: &[Answerer] = if profile.comparison().is_some() { &COMPARED } else { &[] };
    compared.iter().chain(VIEWS.iter().map(|view| &view.answerer))
}

/// Answers a request, which is a JSON object. `code` finds source text and class files that are not in the experiment.
///
/// # Errors
/// The request is not valid, or it contains a name that does not exist in the experiment.
pub fn answer(profile: &Profile, request: &str, code: &dyn CodeSource) -> Result<Answer, EngineError> {
    whittle_views::request::answer(answerers(profile), profile, request, code)
}

/// Answers a query with one view. `asked` contains the keys of the view. This function is for front ends without JSON.
///
/// # Errors
/// See [`ViewError`].
pub fn answer_view(on: &Asking<'_>, view: &ViewDefinition, asked: Map<String, Value>) -> Result<Answered, ViewError> {
    let answerer = answerers(on.profile).find(|answerer| answerer.name == view.name());
    (answerer.unwrap_or(&view.answerer).answer)(on, asked)
}
