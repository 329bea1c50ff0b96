//! The two sides of a verification: command lines, a kept artefact, or experiments.

use super::arguments::VerifyArguments;
use super::experiments::is_experiment;
use crate::artefact::Artefact;
use crate::interleaved::{Commands, SideCommand};
use crate::terminal::output;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use whittle_model::redact_command;
use whittle_profile::Side;
use whittle_terminal::Failure;

/// The note for an artefact without files of the program.
const NO_FILES: &str = "the kept artefact has no file of the program, so its command line could run the new program instead of the \
                        old one: the artefact is not used";

/// Both sides, with their names for people.
pub(super) enum Sides {
    Commands(Commands, [String; 2]),
    /// Experiments with their sides, and the names of both sides.
    Experiments(Vec<(Side, PathBuf)>, [String; 2]),
    /// An experiment of the baseline without a program to run again, and the command of the candidate.
    KeptWithoutArtefact(PathBuf, Commands, [String; 2]),
}

impl Sides {
    /// Reads the arguments. The files of a kept artefact are copied to `folder`.
    pub(super) fn of(arguments: &VerifyArguments, folder: &Path) -> Result<Self, Failure> {
        if let Some(kept) = &arguments.against {
            return against(kept, arguments, folder);
        }
        let baseline = side("--baseline", &arguments.baseline)?;
        let candidate = side("--candidate", &arguments.candidate)?;
        let names = [baseline.name(), candidate.name()];
        match (baseline, candidate) {
            (OneSide::Command(_, baseline), OneSide::Command(_, candidate)) => {
                Ok(Self::Commands(Commands { baseline: baseline.into(), candidate: candidate.into() }, names))
            }
            (OneSide::Experiments(baseline), OneSide::Experiments(candidate)) => {
                Ok(Self::Experiments(with_sides(baseline, candidate), names))
            }
            _ => Err(Failure::usage(
                "a command and an experiment cannot be compared. To run the program of an experiment \
                 again: whittle verify --against EXPERIMENT --candidate COMMAND"
                    .to_owned(),
            )),
        }
    }

    /// Input experiments.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        match self {
            Self::Commands(..) => Vec::new(),
            Self::Experiments(paths, _) => paths.iter().map(|(_, path)| path.clone()).collect(),
            Self::KeptWithoutArtefact(kept, ..) => vec![kept.clone()],
        }
    }

    /// The names of the baseline and the candidate.
    pub(super) fn names(&self) -> [String; 2] {
        match self {
            Self::Commands(_, names) | Self::Experiments(_, names) | Self::KeptWithoutArtefact(_, _, names) => {
                names.clone()
            }
        }
    }
}

enum OneSide {
    /// The command line as typed, but without values that look like secrets, and its words with these values.
    Command(String, Vec<OsString>),
    Experiments(Vec<PathBuf>),
}

impl OneSide {
    fn name(&self) -> String {
        match self {
            Self::Command(text, _) => text.clone(),
            Self::Experiments(paths) => {
                let first = paths.first().map(|path| path.display().to_string()).unwrap_or_default();
                let more = paths.len().saturating_sub(1);
                if more == 0 { first } else { format!("{first} and {more} more") }
            }
        }
    }
}

fn with_sides(baseline: Vec<PathBuf>, candidate: Vec<PathBuf>) -> Vec<(Side, PathBuf)> {
    let of = |side| move |path| (side, path);
    baseline.into_iter().map(of(Side::Baseline)).chain(candidate.into_iter().map(of(Side::Candidate))).collect()
}

fn side(flag: &str, values: &[String]) -> Result<OneSide, Failure> {
    let paths: Vec<PathBuf> = values.iter().map(PathBuf::from).collect();
    if paths.iter().all(|path| is_experiment(path)) {
        return Ok(OneSide::Experiments(paths));
    }
    if let Some(missing) = values.iter().find(|value| value.ends_with(".whittle") && !is_experiment(Path::new(value))) {
        return Err(Failure::usage(format!("{flag} {missing}: the experiment does not exist")));
    }
    let [command] = values else {
        let words = values.join(" ");
        return Err(Failure::usage(format!(
            "{flag}: write the command as one word, in quotation marks: {flag} '{words}'"
        )));
    };
    let words = shlex::split(command).filter(|words| !words.is_empty());
    let words = words.ok_or_else(|| {
        Failure::usage(format!("{flag} {command:?}: the command is empty, or a quotation mark is not closed"))
    })?;
    Ok(OneSide::Command(without_secrets(command, &words), words.into_iter().map(OsString::from).collect()))
}

/// The command line for texts and files. If it has no secrets, it stays as the user typed it.
fn without_secrets(command: &str, words: &[String]) -> String {
    let redacted = redact_command(words);
    if redacted == words { command.to_owned() } else { redacted.join(" ") }
}

/// Compares the kept program with a command. Without an artefact, it compares the experiment with new experiments.
fn against(kept: &Path, arguments: &VerifyArguments, folder: &Path) -> Result<Sides, Failure> {
    if !is_experiment(kept) {
        return Err(Failure::usage(format!("--against {}: the experiment does not exist", kept.display())));
    }
    let candidate = side("--candidate", &arguments.candidate)?;
    let name = format!("{} (kept)", kept.display());
    let artefact = Artefact::is_in(kept).then(|| Artefact::read(kept)).transpose()?;
    if let Some(artefact) = artefact.as_ref().filter(|_| !arguments.answer.quiet) {
        artefact.left_out.iter().for_each(|sentence| output::note(sentence));
        if !artefact.has_files() {
            output::note(NO_FILES);
        }
    }
    match (candidate, artefact.filter(Artefact::has_files)) {
        (OneSide::Command(text, candidate), Some(artefact)) => {
            artefact.lay_out(kept, folder)?;
            let commands = Commands { baseline: artefact.command(folder).into(), candidate: candidate.into() };
            Ok(Sides::Commands(commands, [name, text]))
        }
        (OneSide::Experiments(candidate), _) => {
            let names = [kept.display().to_string(), OneSide::Experiments(candidate.clone()).name()];
            Ok(Sides::Experiments(with_sides(vec![kept.to_owned()], candidate), names))
        }
        (OneSide::Command(text, candidate), None) => {
            let commands = Commands { baseline: SideCommand::default(), candidate: candidate.into() };
            Ok(Sides::KeptWithoutArtefact(kept.to_owned(), commands, [kept.display().to_string(), text]))
        }
    }
}
