//! `whittle notes`: the notes that users wrote about an experiment in the analyzer.

use crate::terminal::output;
use clap::Args;
use std::path::PathBuf;
use whittle_experiment::{NotePlace, UserNote, UserNotes, read_manifest, read_notes};
use whittle_render::harmless;
use whittle_terminal::Failure;

const NANOS_PER_SECOND: f64 = 1e9;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  whittle notes app.whittle\n  whittle notes app.whittle --json\n\n\
    Notes are written in the analyzer: whittle view app.whittle. The experiment keeps them in its file notes.json.")]
pub(crate) struct NotesArguments {
    /// The experiment's directory
    experiment: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints the notes.
pub(crate) fn run(arguments: &NotesArguments) -> Result<(), Failure> {
    // If the path is no experiment, the user learns it instead of "no note".
    read_manifest(&arguments.experiment)?;
    let notes = read_notes(&arguments.experiment).map_err(|error| Failure::new(error.to_string()))?;
    if arguments.json {
        let json = serde_json::to_string_pretty(&notes).map_err(|error| Failure::new(error.to_string()))?;
        return output::print(format!("{json}\n"));
    }
    output::print(text(&notes))
}

/// The notes for people. Names and texts must not control the terminal.
fn text(notes: &UserNotes) -> String {
    if notes.notes.is_empty() {
        return "There is no note.\n".to_owned();
    }
    let one = |note: &UserNote| {
        let lines = harmless(&note.text).lines().map(|line| format!("   {line}\n")).collect::<String>();
        format!("{}  {}\n{lines}", note.id, harmless(&place_words(&note.place)))
    };
    notes.notes.iter().map(one).collect::<Vec<_>>().join("\n")
}

fn place_words(place: &NotePlace) -> String {
    let seconds = |ns: u64| ns as f64 / NANOS_PER_SECOND;
    let times = place.from_ns.zip(place.to_ns).map(|(from, to)| format!("{}s to {}s", seconds(from), seconds(to)));
    let words: Vec<String> = place.function.clone().into_iter().chain(times).collect();
    if words.is_empty() { "the experiment".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    #[test]
    fn notes_are_printed_with_their_places() {
        let json = r#"{"notes_version": 1, "notes": [
            {"id": 1, "function": "a.B.c()", "text": "one\ntwo"},
            {"id": 4, "from_ns": 0, "to_ns": 1500000000, "text": "\u001b[2J"},
            {"id": 5, "text": "three"}]}"#;
        let notes: UserNotes = serde_json::from_str(json).unwrap();
        let expected = "1  a.B.c()\n   one\n   two\n\n4  0s to 1.5s\n   \\u{1b}[2J\n\n5  the experiment\n   three\n";
        assert_eq!(text(&notes), expected);
        assert_eq!(text(&UserNotes::default()), "There is no note.\n");
    }
}
