//! `whittle compare`: two versions of a program side by side.
//!
//! Every view compares if it is given a baseline; this is the command to start with: `whittle compare BASE CANDIDATE VIEW …`
//! means `whittle VIEW CANDIDATE --baseline BASE …`, and without a view the comparison at a glance.

use crate::arguments::{Arguments, Command};
use crate::{Failure, views};
use clap::{Args, Parser};
use std::ffi::OsString;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  whittle compare before.whittle after.whittle\n  \
    whittle compare before.whittle after.whittle functions --metrics e.system_cpu --limit 10\n  \
    whittle compare a1.whittle,a2.whittle,a3.whittle b1.whittle,b2.whittle,b3.whittle callers-callees --fragment 'com.acme.Log.write(int)'\n  \
    whittle compare before.whittle after.whittle --per messages --rename com.acme.old=com.acme.shop\n\n\
    Values are per unit of work where both sides know the same unit (`whittle collect --metric`, `--unit-count`), else per \
    second of elapsed time. Functions are the same if class, method and signature are, whatever numbers the JVM gave; \
    native ones if binary and symbol are. Two recordings can look different by chance: `whittle verify` says how sure it is.")]
pub(crate) struct CompareArguments {
    /// The program as it was: an experiment, or several runs separated by commas
    pub(crate) baseline: OsString,
    /// The program as it is to be: an experiment, or several runs separated by commas
    pub(crate) candidate: OsString,
    /// A view with its options: overview, functions, callers-callees, call-tree, stacks, lines, threads, syscalls, source,
    /// function [default: overview]
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "VIEW")]
    pub(crate) view: Vec<OsString>,
}

/// The views that compare.
const VIEWS: [&str; 10] = [
    "overview",
    "functions",
    "callers-callees",
    "call-tree",
    "stacks",
    "lines",
    "threads",
    "syscalls",
    "source",
    "function",
];

/// Prints the comparison.
pub(crate) fn run(arguments: &CompareArguments) -> Result<(), Failure> {
    let line = as_view(arguments);
    if !VIEWS.iter().any(|view| line[1] == *view) {
        let (view, known) = (line[1].to_string_lossy(), VIEWS.join(", "));
        return Err(Failure {
            message: format!(
                "compare does not show {view}, but {known}; flame graphs of both sides are in the analyzer: whittle view CANDIDATE --baseline BASE"
            ),
            exit_code: 2,
        });
    }
    let parsed = Arguments::try_parse_from(line).unwrap_or_else(|error| error.exit());
    match parsed.command {
        Command::View(view) => views::run(&view),
        // Every view that compares is one.
        _ => Ok(()),
    }
}

/// The command line of the view: the program, the view and the rest.
fn as_view(arguments: &CompareArguments) -> Vec<OsString> {
    let has_view = arguments.view.first().is_some_and(|first| !first.to_string_lossy().starts_with('-'));
    let (view, options) = if has_view {
        (arguments.view[0].clone(), &arguments.view[1..])
    } else {
        ("overview".into(), &arguments.view[..])
    };
    let (baselines, mut candidates) = (runs(&arguments.baseline), runs(&arguments.candidate).into_iter());
    let mut line: Vec<OsString> = vec!["whittle".into(), view];
    line.extend(candidates.next());
    line.extend(baselines.into_iter().flat_map(|run| ["--baseline".into(), run]));
    line.extend(candidates.flat_map(|run| ["--and".into(), run]));
    line.extend(options.iter().cloned());
    line
}

/// Runs separated by commas; a path that exists as it is written is one run.
fn runs(text: &OsString) -> Vec<OsString> {
    match text.to_str() {
        Some(several) if !std::path::Path::new(text).exists() => several.split(',').map(OsString::from).collect(),
        _ => vec![text.clone()],
    }
}
