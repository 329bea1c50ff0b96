//! `whittle compare`: two versions of a program side by side.
//!
//! Every view with a baseline compares. So `whittle compare BASE CANDIDATE VIEW …` is equivalent to `whittle VIEW
//! CANDIDATE --baseline BASE …`. Without a view this command shows the overview.

use super::command::{OfComparison, show};
use super::subject::Subject;
use crate::arguments::comparison::MeasureArguments;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use whittle_terminal::{Failure, TableArguments, ViewCommand};
use whittle_views::definition::ViewDefinition;

#[derive(Debug, Args)]
#[command(
    subcommand_value_name = "VIEW",
    subcommand_help_heading = "Views",
    disable_help_subcommand = true,
    after_help = "Examples:\n  whittle compare before.whittle after.whittle\n  \
    whittle compare before.whittle after.whittle functions --metrics e.system_cpu --limit 10\n  \
    whittle compare a1.whittle,a2.whittle b1.whittle,b2.whittle function 'com.acme.Log.write(int)'\n  \
    whittle compare before.whittle after.whittle --per messages --rename com.acme.old=com.acme.shop\n\n\
    Without a view the command shows the overview, with these options.\n\n\
    Values are per unit of work if both sides have the same unit (`whittle collect --metric`, `--unit-count`), otherwise per \
    second of elapsed time. Two functions are the same if class, method and signature are the same; numbers that the JVM adds \
    to names do not count. Native functions are the same if binary and symbol are the same. Differences may be due to chance: \
    `whittle verify` measures the certainty of a difference."
)]
pub(crate) struct CompareArguments {
    /// The old program: an experiment, or several runs separated by commas
    baseline: OsString,
    /// The new program: an experiment, or several runs separated by commas
    candidate: OsString,
    #[command(flatten)]
    overview: OverviewArguments,
    #[command(subcommand)]
    view: Option<ComparedView>,
}

/// The view of a comparison, with its options.
#[derive(Debug, Subcommand)]
enum ComparedView {
    #[command(flatten)]
    Known(Box<ViewCommand<OfComparison>>),
    #[command(external_subcommand)]
    Unknown(Vec<OsString>),
}

/// The view that is shown if the command line names no view.
static OVERVIEW: ViewDefinition = whittle_views::overview::VIEW;

/// The overview with its options. It is shown if the command line names no view. If the command line names a view,
/// overview options are refused, because a view's options come after its name.
#[derive(Debug)]
struct OverviewArguments(ViewCommand<OfComparison>);

impl Args for OverviewArguments {
    fn augment_args(command: Command) -> Command {
        TableArguments::augment_args(MeasureArguments::augment_args(command))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for OverviewArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match (matches.subcommand_name(), given_option(matches)) {
            (Some(view), Some(option)) => Err(clap::Error::raw(
                ErrorKind::ArgumentConflict,
                format!("--{option} must come after the name of the view: compare BASE CANDIDATE {view} --{option} …"),
            )),
            _ => ViewCommand::of(&OVERVIEW, &mut matches.clone()).map(Self),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// An overview option that the command line has.
fn given_option(matches: &ArgMatches) -> Option<String> {
    let options = OverviewArguments::augment_args(Command::new(""));
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let given = options.get_arguments().find(|option| is_given(option.get_id().as_str()))?;
    given.get_long().map(str::to_owned)
}

/// Prints the comparison.
pub(crate) fn run(arguments: CompareArguments) -> Result<(), Failure> {
    let CompareArguments { baseline, candidate, overview, view } = arguments;
    let view = match view {
        Some(ComparedView::Known(view)) => *view,
        Some(ComparedView::Unknown(words)) => return Err(unknown_view(&words)),
        None => with_findings(overview.0),
    };
    let measure = view.subject.clone();
    show(&view, &Subject::Comparison { baseline: runs(&baseline), candidate: runs(&candidate), measure })
}

/// The overview with the findings of both sides.
fn with_findings(mut overview: ViewCommand<OfComparison>) -> ViewCommand<OfComparison> {
    overview.keys.insert("findings".to_owned(), true.into());
    overview
}

/// The failure for a view that does not exist, or that shows only one experiment.
fn unknown_view(words: &[OsString]) -> Failure {
    let view = words.first().map_or_else(Default::default, |view| view.to_string_lossy());
    if view == "findings" {
        return Failure::usage("compare shows the findings of both sides in its overview; leave out findings");
    }
    let known = ViewCommand::<OfComparison>::augment_subcommands(Command::new(""));
    let known: Vec<&str> = known.get_subcommands().map(Command::get_name).collect();
    Failure::usage(format!(
        "compare does not show {view}, but {}; flame graphs of both sides are in the analyzer: whittle view CANDIDATE --baseline BASE",
        known.join(", ")
    ))
}

/// Splits the text into runs at its commas. If the whole text is an existing path, the text is one run.
fn runs(text: &OsStr) -> Vec<PathBuf> {
    match text.to_str() {
        Some(several) if !Path::new(text).exists() => several.split(',').map(PathBuf::from).collect(),
        _ => vec![PathBuf::from(text)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        compare: CompareArguments,
    }

    fn parsed(words: &str) -> Result<CompareArguments, String> {
        let line = Line::try_parse_from(std::iter::once("compare").chain(words.split(' ')));
        line.map(|line| line.compare).map_err(|error| error.to_string())
    }

    fn view(words: &str) -> Option<ViewCommand<OfComparison>> {
        match parsed(words).expect("a comparison").view {
            Some(ComparedView::Known(view)) => Some(*view),
            _ => None,
        }
    }

    #[test]
    fn the_view_is_the_overview_or_the_one_that_is_named() {
        let compare = parsed("a b --per run").expect("options of the overview");
        assert!(compare.view.is_none() && compare.overview.0.subject.per.is_some());
        let functions = view("a b functions --per run --limit 5").expect("a view");
        assert_eq!((functions.view.name(), functions.query().limit), ("functions", Some(5)));
        assert!(functions.subject.per.is_some());
        let function = view("a b function App.run").expect("a view");
        assert_eq!(function.keys["name"], "App.run");
        let tree = view("a b call-tree --depth 3").expect("a view");
        assert_eq!(
            serde_json::Value::from(tree.keys).to_string(),
            r#"{"depth":3,"frameworks":"folded","min_percent":1.0,"percent_of":"root"}"#
        );
    }

    #[test]
    fn options_come_after_the_name_of_the_view() {
        let error = parsed("a b --per run functions").expect_err("an option of another view");
        assert!(
            error.contains("--per must come after the name of the view: compare BASE CANDIDATE functions --per"),
            "{error}"
        );
        assert!(parsed("a b functions --baseline c").expect_err("compare has a baseline").contains("--baseline"));
    }

    #[test]
    fn views_that_do_not_compare_are_named() {
        let compare = parsed("a b timeline --bins 3").expect("parsed as an unknown view");
        let Some(ComparedView::Unknown(words)) = compare.view else { panic!("{compare:?}") };
        let Failure { message, exit_code } = unknown_view(&words);
        assert!(
            message.starts_with("compare does not show timeline, but overview, functions, callers-callees, "),
            "{message}"
        );
        assert!(message.contains("syscalls, classes, source, function;") && exit_code == 2, "{message}");
        assert!(unknown_view(&["findings".into()]).message.contains("in its overview"));
    }

    #[test]
    fn runs_are_separated_by_commas() {
        assert_eq!(runs(OsStr::new("a,b")), [PathBuf::from("a"), PathBuf::from("b")]);
        assert_eq!(runs(OsStr::new("a")), [PathBuf::from("a")]);
    }
}
