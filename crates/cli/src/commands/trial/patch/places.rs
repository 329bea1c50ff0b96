//! The sources of the places that a patch changes.

use crate::code_source::FileCode;
use crate::commands::trial::result::Outcome;
use whittle_findings::{Remedy, RemedyPromise, Trial, TrialPlace};
use whittle_model::ArchiveTable;
use whittle_views::source::{CodeSource, JavaClass, SourceText};

/// A source with the edits that remedies need.
pub(super) struct EditedSource {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) edits: Vec<Edit>,
}

/// A change of an expression.
pub(super) struct Edit {
    pub(super) line: u32,
    /// What the instruction does: `new java/io/FileOutputStream`.
    pub(super) operation: String,
    /// The form of the change, and its arguments.
    pub(super) form: Vec<String>,
    /// The place in words.
    pub(super) words: String,
}

/// Sources with edits, and why other places have none.
#[derive(Default)]
pub(super) struct FoundPlaces {
    pub(super) sources: Vec<EditedSource>,
    pub(super) notes: Vec<String>,
}

/// Finds the sources of all places of the trials.
pub(super) fn find((trials, outcome): (&[Trial], &Outcome), archive: &ArchiveTable, code: &FileCode) -> FoundPlaces {
    let mut found = FoundPlaces::default();
    let places = trials.iter().flat_map(|trial| trial.places.iter().map(move |place| (trial, place)));
    for (number, (trial, place)) in (1..).zip(places) {
        let edited = form(trial, outcome.capacities_of_places.get(&number).copied())
            .and_then(|form| Ok((form, source(place, archive, code)?)));
        match edited {
            Ok((form, (source, line))) => found.add(source, edit(place, line, form)),
            Err(reason) => found.notes.push(format!("{}: {reason}", place.words)),
        }
    }
    found
}

/// The form of the remedy in the source, with the capacity of the trial.
fn form(trial: &Trial, capacity: Option<u64>) -> Result<Vec<String>, String> {
    let remedy = Remedy::of_id(&trial.remedy).ok_or("the remedy is unknown")?;
    if remedy.promise == RemedyPromise::Bound {
        return Err("the remedy does other work than a fix".to_owned());
    }
    if remedy.source.is_empty() {
        return Err(remedy.no_source.clone().unwrap_or_else(|| "the remedy has no form in the source".to_owned()));
    }
    let argument = remedy.argument.as_ref().map(|usual| capacity.map_or(usual.clone(), |tried| tried.to_string()));
    Ok(remedy.source.iter().cloned().chain(argument).collect())
}

/// The source of a place, and its line.
fn source(place: &TrialPlace, archive: &ArchiveTable, code: &FileCode) -> Result<(SourceText, u32), String> {
    let class = &place.instruction.class;
    let (Some(file), Some(line)) = (&place.file, place.line) else {
        return Err("its class file has no lines".to_owned());
    };
    if !file.ends_with(".java") {
        return Err(format!("{file} is not a source of Java"));
    }
    let row = archive.class_name.iter().position(|name| name == class);
    let origin = row.map(|row| archive.origin[row].as_str()).filter(|origin| !origin.is_empty());
    let source = code.java_source(&JavaClass { name: class, source_file: file, origin })?;
    Ok((source, line))
}

fn edit(place: &TrialPlace, line: u32, form: Vec<String>) -> Edit {
    Edit { line, operation: place.instruction.operation.clone(), form, words: place.words.clone() }
}

impl FoundPlaces {
    fn add(&mut self, source: SourceText, edit: Edit) {
        match self.sources.iter_mut().find(|known| known.path == source.path) {
            Some(known) => known.edits.push(edit),
            None => {
                let SourceText { path, text } = source;
                self.sources.push(EditedSource { path, text, edits: vec![edit] });
            }
        }
    }
}
