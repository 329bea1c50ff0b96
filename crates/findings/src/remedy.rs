//! Remedies: what `whittle try` puts in the place of an instruction while the program runs. They are read from one file.
//!
//! A detector names the remedies that fit its findings. The agent in the JVM has the code of each remedy.

use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// One remedy, as read from the file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remedy {
    /// The name in plans and JSON: `buffer-output`.
    pub id: String,
    /// What happens to the object or the call: `wrapped in a BufferedOutputStream`.
    pub title: String,
    /// What a result with this remedy means.
    pub promise: RemedyPromise,
    /// What must be true, or what differs, in words.
    pub condition: String,
    /// Which other fix saves more: continues "a fix can save more: ". `None`: none that is usual.
    #[serde(default)]
    pub more: Option<String>,
    /// The instructions that the remedy changes: `new java/io/FileOutputStream`. A `*` matches any text.
    pub fits: Vec<String>,
    /// The heaviest function of a finding that the remedy is for, as displayed. `None`: any function.
    #[serde(default)]
    of: Option<String>,
    /// Whether the remedy changes the bytes of compressed files, but not their decompressed content.
    #[serde(default)]
    pub compresses: bool,
    /// The last argument of the form in the source, if the trial shows none. `None`: the form needs no value.
    #[serde(default)]
    pub argument: Option<String>,
    /// The form of the change in the source, with its arguments: `["wrap", "java.io.BufferedReader", "java.io.Reader"]`. Empty: no
    /// form.
    #[serde(default)]
    pub source: Vec<String>,
    /// Why there is no form in the source. `None`: there is one, or the remedy is a bound.
    #[serde(default)]
    pub no_source: Option<String>,
    /// Whether the remedy can be switched on and off in a running program.
    #[serde(default)]
    attach: bool,
    /// Why not.
    #[serde(default)]
    no_attach: Option<String>,
}

/// What a result with a remedy means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RemedyPromise {
    /// The program means the same, under the condition of the remedy.
    Kept,
    /// The program does less or other work. The result is an indication of what a fix saves. It is neither a limit nor a fix.
    Bound,
}

/// The file of all remedies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    remedy: Vec<Remedy>,
}

impl Remedy {
    /// All remedies.
    pub fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<Remedy>> = OnceLock::new();
        ALL.get_or_init(|| {
            let file: File = toml::from_str(include_str!("remedies.toml"))
                .unwrap_or_else(|error| unreachable!("remedies.toml, which a test reads: {error}"));
            file.remedy
        })
    }

    /// The remedy with an id.
    pub fn of_id(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|remedy| remedy.id == id)
    }

    /// Why the remedy cannot be switched on and off in a running program. `None`: it can.
    pub fn why_not_attached(&self) -> Option<&str> {
        let unknown = "nobody has checked what it leaves behind";
        (!self.attach).then(|| self.no_attach.as_deref().unwrap_or(unknown))
    }

    /// Whether the remedy is for findings with this heaviest function, as displayed, with or without parameters.
    pub(crate) fn is_of(&self, function: &str) -> bool {
        self.of.as_ref().is_none_or(|of| function.split('(').next() == Some(of))
    }

    /// Whether the remedy changes instructions that do this, such as `new java/io/FileOutputStream`.
    pub fn fits(&self, operation: &str) -> bool {
        self.fits.iter().any(|pattern| matches(pattern, operation))
    }
}

/// Whether a text matches a pattern. Each `*` matches any text.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(start) else { return false };
    let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    ends.any(|at| matches(rest, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_matches_any_text() {
        assert!(matches("new a/B", "new a/B") && !matches("new a/B", "new a/B$C"));
        assert!(matches("call *.flush", "call java/io/Writer.flush") && !matches("call *.flush", "call a/B.flushAll"));
        assert!(matches("call a/*.get*Instance", "call a/é.getNumberInstance"));
        assert!(matches("*", "") && matches("a*", "a") && !matches("a*b", "a"));
    }
}
