//! Implements the exported functions, except for the handling of memory and addresses.

use crate::PackedCode;
use serde_json::{Map, Value};
use whittle_profile::Profile;
use whittle_views::definition::{Answered, Answerer, Asking, ViewError};
use whittle_views::request::{Answer, answer};

/// The views of a report: all views except comparisons. The findings are always about the whole experiment. Whittle
/// computes the findings when it writes the report, so the report needs no detectors.
static VIEWS: [Answerer; whittle_views::VIEWS.len() + 1] = {
    let mut views = [Answerer { name: "findings", answer: stored_findings }; whittle_views::VIEWS.len() + 1];
    let mut index = 0;
    while index < whittle_views::VIEWS.len() {
        views[index] = whittle_views::VIEWS[index].answerer;
        index += 1;
    }
    views
};

fn stored_findings(on: &Asking<'_>, asked: Map<String, Value>) -> Result<Answered, ViewError> {
    if let Some(key) = asked.keys().find(|key| !["own", "third_party"].contains(&key.as_str())) {
        return Err(ViewError::Keys(format!("unknown field `{key}`")));
    }
    let why = "this report has no findings for this request; whittle view and whittle findings show them";
    let stored = on.profile.stored_findings().ok_or(ViewError::Missing(why))?;
    Ok(Answered::Json(stored.to_owned()))
}

/// The loaded experiment. At first, no experiment is loaded.
#[derive(Debug, Default)]
pub struct Session {
    loaded: Option<Loaded>,
}

#[derive(Debug)]
struct Loaded {
    profile: Profile,
    code: PackedCode,
}

/// The outcome of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// An answer in JSON.
    Json(String),
    /// An answer in bytes.
    Binary(Vec<u8>),
    /// An error in JSON: `{"error":{"message":…}}`.
    Error(String),
}

impl Session {
    /// Loads a packed experiment. It replaces the experiment that was loaded before.
    ///
    /// # Errors
    /// The experiment is not valid. The error is a sentence.
    pub fn load(&mut self, bytes: Vec<u8>) -> Result<(), String> {
        self.loaded = None;
        let unpacked = whittle_packed::read(&bytes).map_err(|error| error.to_string())?;
        drop(bytes);
        let profile = Profile::load_for_views(unpacked.manifest, unpacked.tables).map_err(|error| error.to_string())?;
        let profile = profile.with_notes(unpacked.notes).with_findings(unpacked.findings);
        self.loaded = Some(Loaded { profile, code: PackedCode::new(unpacked.sources) });
        Ok(())
    }

    /// Answers a request.
    pub fn answer(&self, request: &[u8]) -> Outcome {
        let Some(loaded) = &self.loaded else {
            return Outcome::Error(error_json("no experiment is loaded"));
        };
        let Ok(request) = std::str::from_utf8(request) else {
            return Outcome::Error(error_json("the request is not UTF-8 text"));
        };
        match answer(&VIEWS, &loaded.profile, request, &loaded.code) {
            Ok(Answer::Json(text)) => Outcome::Json(text),
            Ok(Answer::Binary(bytes)) => Outcome::Binary(bytes),
            Err(error) => Outcome::Error(serde_json::to_string(&error).unwrap_or_else(|_| error_json("no answer"))),
        }
    }
}

/// An error in the engine's format.
fn error_json(message: &str) -> String {
    serde_json::json!({ "error": { "message": message, "kind": "request", "position": null } }).to_string()
}
