//! The views as commands: `whittle functions EXPERIMENT …`.

use super::arguments::ShownArguments;
use super::subject::Subject;
use crate::arguments::comparison::MeasureArguments;
use crate::arguments::source_path::SourcePathArguments;
use crate::code_source::FileCode;
use clap::{Args, Command, FromArgMatches};
use whittle_terminal::{Failure, Offer, ViewCommand};
use whittle_views::definition::ViewDefinition;

/// All views. Each view takes an experiment, and also a baseline if the view can compare.
#[derive(Debug)]
pub(crate) struct OfExperiment;

impl Offer for OfExperiment {
    type Subject = ShownArguments;

    fn has(_view: &ViewDefinition) -> bool {
        true
    }

    fn extend(view: &ViewDefinition, command: Command) -> Command {
        extend(view, command)
    }
}

/// The views of `whittle compare`. The experiments are before the view's name, so a view has only the arguments of the
/// comparison.
#[derive(Debug)]
pub(crate) struct OfComparison;

impl Offer for OfComparison {
    type Subject = MeasureArguments;

    fn has(view: &ViewDefinition) -> bool {
        view.not_compared.is_none()
    }

    fn extend(view: &ViewDefinition, command: Command) -> Command {
        extend(view, command)
    }
}

/// More help for some views.
const MORE_HELP: [(&str, &str); 2] = [
    (
        "source",
        "Examples:\n  whittle source app.whittle 'com.example.Log.flush()' --source-path src/main/java\n  \
        whittle source app.whittle java.util.HashMap.put --limit 0\n\n\
        whittle looks for sources in --source-path, then next to the jar or folder of the class (NAME-sources.jar, \
        src/main/java, the folder of the classes), then in the JDK's src.zip. Without sources, whittle shows the bytecode. \
        Native functions show their source file and their machine code. Text output shows only the lines around costs; --limit 0 shows all lines.",
    ),
    (
        "timeline",
        "A time range in the filter (time in 10s..20s) is the time range of the view. \
         --json and --csv have one row per thread, bin and state.",
    ),
];

/// Adds more help, and the source options of views that read code.
fn extend(view: &ViewDefinition, command: Command) -> Command {
    let reads_code = view.command.is_some_and(|command| command.reads_code);
    let command = if reads_code { SourcePathArguments::augment_args(command) } else { command };
    match MORE_HELP.iter().find(|(name, _)| *name == view.name()) {
        Some((_, help)) => command.after_help(*help),
        None => command,
    }
}

/// Reads the experiments and prints the view.
pub(crate) fn run(view: &ViewCommand<OfExperiment>) -> Result<(), Failure> {
    let subject = view.subject.subject();
    if let Some(reason) = view.view.not_compared.filter(|_| subject.is_comparison()) {
        let name = view.view.name();
        return Err(Failure::usage(format!("{name} shows one experiment, because {reason}; leave out --baseline")));
    }
    show(view, &subject)
}

/// Reads the experiments and prints the view.
pub(super) fn show<O: Offer>(view: &ViewCommand<O>, subject: &Subject) -> Result<(), Failure> {
    let profile = subject.load()?;
    // clap panics if the code requests an option that the command does not have.
    let sources = match view.view.command {
        Some(command) if command.reads_code => SourcePathArguments::from_arg_matches(&view.matches)?.source_path,
        _ => Vec::new(),
    };
    view.print(&profile, &FileCode::new(&sources, profile.manifest()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_help_is_about_views() {
        let is_view = |name: &str| whittle_engine::VIEWS.iter().any(|view| view.name() == name);
        assert!(MORE_HELP.iter().all(|(name, _)| is_view(name)));
    }
}
