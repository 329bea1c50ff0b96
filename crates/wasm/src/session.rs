//! What the exports do, without memory and addresses.

use crate::PackedCode;
use whittle_analysis::Profile;
use whittle_analysis::engine::{self, Answer};

/// An experiment, once it is loaded.
#[derive(Debug, Default)]
pub struct Session {
    loaded: Option<Loaded>,
}

#[derive(Debug)]
struct Loaded {
    profile: Profile,
    code: PackedCode,
}

/// What became of a request.
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
    /// Loads a packed experiment in place of the one before.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub fn load(&mut self, bytes: Vec<u8>) -> Result<(), String> {
        self.loaded = None;
        let (profile, sources) = Profile::load_packed(bytes).map_err(|error| error.to_string())?;
        self.loaded = Some(Loaded { profile, code: PackedCode::new(sources) });
        Ok(())
    }

    /// Answers a request.
    pub fn answer(&self, request: &[u8]) -> Outcome {
        let Some(loaded) = &self.loaded else {
            return Outcome::Error(error_json("no experiment is loaded"));
        };
        let Ok(request) = std::str::from_utf8(request) else {
            return Outcome::Error(error_json("the request is no text"));
        };
        match engine::answer_in_report(&loaded.profile, request, &loaded.code) {
            Ok(Answer::Json(text)) => Outcome::Json(text),
            Ok(Answer::Binary(bytes)) => Outcome::Binary(bytes),
            Err(error) => Outcome::Error(serde_json::to_string(&error).unwrap_or_else(|_| error_json("no answer"))),
        }
    }
}

/// An error in the engine's form.
fn error_json(message: &str) -> String {
    serde_json::json!({ "error": { "message": message, "kind": "request", "position": null } }).to_string()
}
