//! What a thread waits for, in words.

use whittle_profile::waits::WaitMeaning;

/// What a thread waits for, with the file or peer: `data from a socket (tcp 10.0.0.7:5432)`.
pub(crate) fn waited_for(meaning: Option<&str>, file: &str) -> String {
    let meaning = meaning.and_then(WaitMeaning::from_name).unwrap_or(WaitMeaning::Unknown);
    if file.is_empty() { meaning.words().to_owned() } else { format!("{} ({file})", meaning.words()) }
}
