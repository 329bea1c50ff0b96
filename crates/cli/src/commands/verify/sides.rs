//! What the two sides are: command lines, a kept artefact, or experiments.

use super::arguments::VerifyArguments;
use super::experiments::is_experiment;
use super::runner::Commands;
use super::usage;
use crate::artefact::Artefact;
use crate::{Failure, output};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use whittle_analysis::Side;

/// What is kept of a program that no word of its command line leads to.
const NO_FILES: &str = "what was kept with --keep-artefact holds no file of the program, so its command line could run the new \
                        program as the old one: it counts as none";

/// Both sides, with their names for people.
pub(super) enum Sides {
    Commands(Commands, [String; 2]),
    /// Each with its side.
    Experiments(Vec<(Side, PathBuf)>, [String; 2]),
    /// A baseline's experiment whose program cannot be run again, and the candidate's command.
    KeptWithoutArtefact(PathBuf, Commands, [String; 2]),
}

impl Sides {
    /// Looks at the command line. A kept artefact is laid out in `folder`.
    pub(super) fn of(arguments: &VerifyArguments, folder: &Path) -> Result<Self, Failure> {
        if let Some(kept) = &arguments.against {
            return against(kept, arguments, folder);
        }
        let baseline = side("--baseline", &arguments.baseline)?;
        let candidate = side("--candidate", &arguments.candidate)?;
        let names = [baseline.name(), candidate.name()];
        match (baseline, candidate) {
            (OneSide::Command(_, baseline), OneSide::Command(_, candidate)) => {
                Ok(Self::Commands(Commands { baseline, candidate }, names))
            }
            (OneSide::Experiments(baseline), OneSide::Experiments(candidate)) => {
                Ok(Self::Experiments(with_sides(baseline, candidate), names))
            }
            _ => Err(usage(
                "one side is a command and the other an experiment: they were not measured alike. To run the program of an \
                 experiment again: whittle verify --against EXPERIMENT --candidate COMMAND"
                    .to_owned(),
            )),
        }
    }

    /// Experiments that are read.
    pub(super) fn inputs(&self) -> Vec<PathBuf> {
        match self {
            Self::Commands(..) => Vec::new(),
            Self::Experiments(paths, _) => paths.iter().map(|(_, path)| path.clone()).collect(),
            Self::KeptWithoutArtefact(kept, ..) => vec![kept.clone()],
        }
    }

    /// The baseline's and the candidate's.
    pub(super) fn names(&self) -> [String; 2] {
        match self {
            Self::Commands(_, names) | Self::Experiments(_, names) | Self::KeptWithoutArtefact(_, _, names) => {
                names.clone()
            }
        }
    }
}

enum OneSide {
    /// As typed, and in words.
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
        return Err(usage(format!("{flag} {missing}: there is no experiment")));
    }
    let [command] = values else {
        let words = values.join(" ");
        return Err(usage(format!("{flag}: a command is one word, in quotation marks: {flag} '{words}'")));
    };
    let words = shlex::split(command).filter(|words| !words.is_empty());
    let words =
        words.ok_or_else(|| usage(format!("{flag} {command:?}: a quotation mark is not closed, or it is empty")))?;
    Ok(OneSide::Command(command.clone(), words.into_iter().map(OsString::from).collect()))
}

/// The kept program against a command; without artefact, the experiment as it is against new ones.
fn against(kept: &Path, arguments: &VerifyArguments, folder: &Path) -> Result<Sides, Failure> {
    if !is_experiment(kept) {
        return Err(usage(format!("--against {}: there is no experiment", kept.display())));
    }
    let candidate = side("--candidate", &arguments.candidate)?;
    let name = format!("{} (kept)", kept.display());
    let artefact = Artefact::is_in(kept).then(|| Artefact::read(kept)).transpose()?;
    if let Some(artefact) = artefact.as_ref().filter(|_| !arguments.quiet) {
        artefact.left_out.iter().for_each(|sentence| output::note(sentence));
        if !artefact.has_files() {
            output::note(NO_FILES);
        }
    }
    match (candidate, artefact.filter(Artefact::has_files)) {
        (OneSide::Command(text, candidate), Some(artefact)) => {
            artefact.lay_out(kept, folder)?;
            Ok(Sides::Commands(Commands { baseline: artefact.command(folder), candidate }, [name, text]))
        }
        (OneSide::Experiments(candidate), _) => {
            let names = [kept.display().to_string(), OneSide::Experiments(candidate.clone()).name()];
            Ok(Sides::Experiments(with_sides(vec![kept.to_owned()], candidate), names))
        }
        (OneSide::Command(text, candidate), None) => {
            let commands = Commands { baseline: Vec::new(), candidate };
            Ok(Sides::KeptWithoutArtefact(kept.to_owned(), commands, [kept.display().to_string(), text]))
        }
    }
}
