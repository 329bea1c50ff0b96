//! Addresses of `whittle view` that read and write files of the open experiments.
//!
//! ```text
//! GET  /api/experiment/notes?experiment=N            the user's notes: {"notes": [...]}
//! POST /api/experiment/notes?experiment=N  {"change": "add", "function": "app.Log.flush()", "text": "..."}
//! POST /api/experiment/report?experiment=N {"at": "#/functions", "with_sources": false}    a report: {"html": "..."}
//! ```
//!
//! A request names an experiment only by its number, so no request can name a file.

use crate::arguments::at::PageState;
use crate::commands::report::{self, ReportOrder};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use whittle_experiment::{NoteChange, NotesError, UserNotes, change_notes, read_notes};
use whittle_server::{Experiments, OtherError, OtherRequest, OtherRoutes};

/// The routes of `whittle view`.
pub(super) struct ExperimentRoutes {
    experiments: Arc<Experiments>,
    /// Where to look for sources first.
    source_path: Vec<PathBuf>,
    /// Locked while notes are changed, so that no change is lost.
    changing: Mutex<()>,
}

impl ExperimentRoutes {
    pub(super) fn new(experiments: Arc<Experiments>, source_path: Vec<PathBuf>) -> Self {
        Self { experiments, source_path, changing: Mutex::default() }
    }

    /// The folder of the requested experiment.
    fn folder(&self, query: &str) -> Result<PathBuf, OtherError> {
        let number = query.strip_prefix("experiment=").and_then(|number| number.parse().ok());
        let number = number.ok_or_else(|| OtherError::BadRequest("expected ?experiment=NUMBER".to_owned()))?;
        match self.experiments.source(number) {
            None => Err(OtherError::NotFound(format!("experiment {number} does not exist"))),
            Some(source) if source.path.is_empty() => {
                Err(OtherError::NotFound("a comparison has no directory; open one of its experiments".to_owned()))
            }
            Some(source) => Ok(source.path.into()),
        }
    }

    fn report(&self, request: &OtherRequest<'_>) -> Result<String, OtherError> {
        let experiment = self.folder(request.query)?;
        let WantedReport { at, with_sources } = parsed(request.body)?;
        let at: PageState = at.parse().map_err(OtherError::BadRequest)?;
        let order = ReportOrder {
            experiment: &experiment,
            source_path: &self.source_path,
            has_sources: with_sources,
            limit_bytes: report::usual_limit_bytes(),
            at: Some(&at),
        };
        let report = report::make(&order).map_err(|failure| OtherError::Failed(failure.message))?;
        Ok(json!({ "html": report.html }).to_string())
    }

    fn change(&self, request: &OtherRequest<'_>) -> Result<UserNotes, OtherError> {
        let folder = self.folder(request.query)?;
        let change: NoteChange = parsed(request.body)?;
        let _one_at_a_time = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        change_notes(&folder, change).map_err(explained)
    }
}

impl OtherRoutes for ExperimentRoutes {
    fn prefix(&self) -> &'static str {
        "/api/experiment/"
    }

    fn answer(&self, request: OtherRequest<'_>) -> Result<String, OtherError> {
        let notes = match (request.is_post, request.path) {
            (false, "notes") => read_notes(&self.folder(request.query)?).map_err(explained)?,
            (true, "notes") => self.change(&request)?,
            (true, "report") => return self.report(&request),
            _ => return Err(OtherError::NotFound("the analyzer has no such address".to_owned())),
        };
        serde_json::to_string(&notes).map_err(|error| OtherError::Failed(error.to_string()))
    }
}

/// The body of a request for a report.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WantedReport {
    /// The view with which the report opens.
    at: String,
    /// Whether the report contains the sources of the hottest functions.
    with_sources: bool,
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, OtherError> {
    serde_json::from_slice(body).map_err(|error| OtherError::BadRequest(error.to_string()))
}

fn explained(error: NotesError) -> OtherError {
    match error {
        NotesError::Refused(why) => OtherError::BadRequest(why),
        NotesError::Unknown(_) => OtherError::NotFound(error.to_string()),
        NotesError::Unreadable(_) | NotesError::Io { .. } => OtherError::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;
    use crate::code_source::FileCode;
    use serde_json::Value;
    use std::path::Path;
    use whittle_profile::Profile;
    use whittle_server::{Served, Source};
    use whittle_testkit::experiment_from_text;

    /// The routes of an experiment in `folder` and of a comparison.
    fn routes(folder: &Path) -> ExperimentRoutes {
        let experiments = Experiments::default();
        for path in [folder.display().to_string(), String::new()] {
            let (manifest, tables) = experiment_from_text("main");
            let code = FileCode::new(&[], &manifest);
            let profile = Arc::new(Profile::load(manifest, tables).unwrap());
            let source = Source { name: "a".to_owned(), path, live: None, keeps_program: false, sides: None };
            experiments.add(source, Served { profile, code: Arc::new(code) });
        }
        ExperimentRoutes::new(Arc::new(experiments), Vec::new())
    }

    fn ask(routes: &ExperimentRoutes, query: &str, body: Option<&str>) -> Result<Value, OtherError> {
        let body = body.map(str::as_bytes);
        let request = OtherRequest { is_post: body.is_some(), path: "notes", query, body: body.unwrap_or_default() };
        routes.answer(request).map(|json| serde_json::from_str(&json).unwrap())
    }

    #[test]
    fn notes_are_kept_in_the_experiment() {
        let folder = tempfile::tempdir().unwrap();
        let routes = routes(folder.path());
        assert_eq!(ask(&routes, "experiment=0", None).unwrap()["notes"], Value::Array(Vec::new()));
        let change = r#"{"change":"add","from_ns":5,"to_ns":9,"text":"<script>"}"#;
        let added = ask(&routes, "experiment=0", Some(change)).unwrap();
        assert_eq!(added["notes"], serde_json::json!([{"id": 1, "from_ns": 5, "to_ns": 9, "text": "<script>"}]));
        assert_eq!(ask(&routes, "experiment=0", None).unwrap(), added);
    }

    #[test]
    fn what_is_not_possible_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let routes = routes(folder.path());
        let refusal = |query: &str, body| ask(&routes, query, body).unwrap_err();
        assert!(matches!(refusal("experiment=1", None), OtherError::NotFound(why) if why.contains("comparison")));
        assert!(matches!(refusal("experiment=2", None), OtherError::NotFound(_)));
        assert!(matches!(refusal("experiment=../..", None), OtherError::BadRequest(_)));
        assert!(matches!(refusal("experiment=0", Some("{}")), OtherError::BadRequest(_)));
        let report = |body: &'static str| {
            let request = OtherRequest { is_post: true, path: "report", query: "experiment=0", body: body.as_bytes() };
            routes.answer(request).unwrap_err()
        };
        assert!(matches!(report(r#"{"at":"home","with_sources":false}"#), OtherError::BadRequest(_)));
        assert!(matches!(report(r##"{"at":"#/home","with_sources":false,"output":"/x"}"##), OtherError::BadRequest(_)));
        let empty = r#"{"change":"add","text":" "}"#;
        assert!(matches!(refusal("experiment=0", Some(empty)), OtherError::BadRequest(_)));
        assert!(matches!(refusal("experiment=0", Some(r#"{"change":"delete","id":3}"#)), OtherError::NotFound(_)));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
