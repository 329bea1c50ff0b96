//! How much of a command line an experiment stores, and which words of a command line are secrets.
//!
//! ```text
//! java -Ddb.password=hunter2 -jar shop.jar --api-key k7 mysql://app:pw@db/shop?token=t
//! java -Ddb.password=<redacted> -jar shop.jar --api-key <redacted> mysql://app:<redacted>@db/shop?token=<redacted>
//! ```
//!
//! Only the name of a value shows that the value is a secret. If a name is doubtful, the value is redacted: a missing
//! value costs little, but a stored password cannot be taken back. Positional arguments without a name, and values
//! directly after a short option (`-phunter2`, `-u user:hunter2`), are not recognised.

mod secret_names;
mod secret_values;

use crate::Manifest;
use secret_names::is_secret_name;
use std::fmt;
use std::str::FromStr;

/// The text that replaces a secret.
pub const REDACTED: &str = "<redacted>";

/// How much of the observed program's command line is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommandLineDetail {
    /// All words. Values that look like secrets are replaced by [`REDACTED`].
    #[default]
    Redacted,
    /// All words, with their secrets.
    Full,
    /// No word.
    None,
}

impl CommandLineDetail {
    const ALL: [Self; 3] = [Self::Redacted, Self::Full, Self::None];

    fn name(self) -> &'static str {
        match self {
            Self::Redacted => "redacted",
            Self::Full => "full",
            Self::None => "none",
        }
    }

    /// The part of a command line that is stored.
    pub fn command(self, words: &[String]) -> Vec<String> {
        match self {
            Self::Redacted => redact_command(words),
            Self::Full => words.to_vec(),
            Self::None => Vec::new(),
        }
    }

    /// The part of a JVM's arguments that is stored. `text` contains the arguments, separated by spaces.
    pub fn jvm_arguments(self, text: &str) -> String {
        match self {
            Self::Redacted => redact_jvm_arguments(text),
            Self::Full => text.to_owned(),
            Self::None => String::new(),
        }
    }

    /// Removes everything that is not stored from a manifest.
    pub fn limit(self, manifest: &mut Manifest) {
        manifest.command = self.command(&manifest.command);
        self.limit_jvms(manifest);
    }

    /// Removes everything that is not stored from the arguments of a manifest's JVMs.
    pub fn limit_jvms(self, manifest: &mut Manifest) {
        #[cfg(not(target_arch = "wasm32"))]
        let others = manifest.jvm_processes.iter_mut().map(|process| &mut process.jvm);
        #[cfg(target_arch = "wasm32")]
        let others = std::iter::empty();
        for jvm in manifest.jvm.iter_mut().chain(others) {
            jvm.arguments = self.jvm_arguments(&jvm.arguments);
        }
    }
}

impl fmt::Display for CommandLineDetail {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for CommandLineDetail {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|detail| detail.name() == text);
        found.ok_or_else(|| "wanted redacted, full or none".to_owned())
    }
}

/// Replaces the secrets in the words of a command line.
pub fn redact_command(words: &[String]) -> Vec<String> {
    let mut is_secret = false;
    let redact = |word: &String| {
        let is_value = std::mem::replace(&mut is_secret, announces_secret(word));
        if is_value && !word.starts_with('-') { REDACTED.to_owned() } else { redact_word(word) }
    };
    words.iter().map(redact).collect()
}

/// Replaces the secrets in JVM arguments that are separated by spaces. A value can contain spaces, and every argument
/// starts with a hyphen or, if it names a file with arguments, with `@`.
fn redact_jvm_arguments(text: &str) -> String {
    let mut arguments: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match arguments.last_mut() {
            Some(argument) if !word.starts_with(['-', '@']) => *argument += &format!(" {word}"),
            _ => arguments.push(word.to_owned()),
        }
    }
    arguments.iter().map(|argument| redact_word(argument)).collect::<Vec<_>>().join(" ")
}

/// True if the word is an option, and the next word is its secret value.
fn announces_secret(word: &str) -> bool {
    let is_option = word.starts_with('-') && !["-D", "-X"].iter().any(|prefix| word.starts_with(prefix));
    is_option && !word.contains(['=', ':', ' ']) && is_secret_name(word)
}

/// Replaces the secrets in one word.
fn redact_word(word: &str) -> String {
    if let Some((name, value)) = word.split_once('=')
        && is_secret_name(name)
        && secret_values::is_name(name)
        && !value.is_empty()
    {
        return format!("{name}={REDACTED}");
    }
    if let Some((name, value)) = word.split_once(':')
        && is_secret_name(name)
        && secret_values::is_name(name)
        && (value.starts_with(' ') || name.starts_with('-'))
    {
        return format!("{name}:{REDACTED}");
    }
    secret_values::redact_pairs(&secret_values::redact_user_info(word))
}

#[cfg(test)]
mod tests;
