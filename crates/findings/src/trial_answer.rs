//! The answer whether a fix can be tried.

use crate::remedy::RemedyPromise;
use serde::Serialize;
use whittle_bytecode::edit_site::SiteInstruction;

/// Whether the fix of a finding can be tried with `whittle try`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TrialAnswer {
    /// The fix can be tried.
    Possible(Trial),
    /// The fix cannot be tried.
    Impossible {
        /// The reason. The words continue "not tried: ".
        reason: String,
    },
}

/// A remedy and its places.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Trial {
    /// The name of the remedy: `buffer-output`.
    pub remedy: String,
    /// What the remedy does: `wrapped in a BufferedOutputStream`.
    pub title: String,
    /// What a result with the remedy means.
    pub promise: RemedyPromise,
    /// What must be true, or what differs, in words.
    pub condition: String,
    /// The places that the remedy changes, at least one.
    pub places: Vec<TrialPlace>,
}

/// A place that a remedy changes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TrialPlace {
    /// The place in words: `FileOutputStream in Slow$CrcOut.<init> (Slow.java:4)`.
    pub words: String,
    /// Source file without folders. `None`: unknown.
    pub file: Option<String>,
    /// The line in this file. `None`: unknown.
    pub line: Option<u32>,
    /// Whether the place is in a library, and not in the program's own code.
    pub is_in_library: bool,
    /// The instruction.
    #[serde(skip)]
    pub instruction: SiteInstruction,
}

impl Trial {
    /// The change in words: `FileOutputStream in Slow$CrcOut.<init> (Slow.java:4) wrapped in a BufferedOutputStream`.
    pub fn words(&self) -> String {
        let places: Vec<&str> = self.places.iter().map(|place| place.words.as_str()).collect();
        format!("{} {}", places.join("; "), self.title)
    }
}
