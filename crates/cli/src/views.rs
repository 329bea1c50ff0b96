//! The commands that show an experiment.

use crate::arguments::{AgainstArguments, Colour, ViewArguments, ViewCommand};
use crate::code_source::FileCode;
use crate::{Failure, output};
use std::path::{Path, PathBuf};
use whittle_analysis::compare::Run;
use whittle_analysis::{Format, Fragment, Profile, Query, Style, TimelineShape, TreeShape, View, render};
use whittle_experiment::Experiment;
use whittle_model::State;

/// Rows of a table where the user gives no limit: about a screen.
const DEFAULT_ROWS: usize = 30;

/// Loads the experiment and prints the view.
pub(crate) fn run(command: &ViewCommand) -> Result<(), Failure> {
    match command {
        ViewCommand::Overview(view) if !view.against.baseline.is_empty() => show(view, |profile, query| {
            profile.comparison_overview(&Query { limit: given_limit(view), ..query.clone() })
        }),
        ViewCommand::Overview(view) => {
            // A glance has a length of its own.
            show(view, |profile, query| profile.overview(&Query { limit: given_limit(view), ..query.clone() }))
        }
        ViewCommand::Functions(view) => show(view, Profile::functions),
        ViewCommand::Stacks(view) => show(view, Profile::stacks),
        ViewCommand::Lines(view) => show(view, Profile::lines),
        ViewCommand::Threads(view) => show(view, Profile::threads),
        ViewCommand::Timeline { view, .. } if !view.against.baseline.is_empty() => Err(Failure {
            message: "a timeline shows one experiment: times of different runs have nothing to do with each other; leave out --baseline"
                .to_owned(),
            exit_code: 2,
        }),
        ViewCommand::Timeline { bins, view } => {
            let shape = TimelineShape { bins: Some(*bins), ..TimelineShape::default() };
            show(view, |profile, query| profile.timeline(query, &shape))
        }
        ViewCommand::Syscalls { by, view } if !view.against.baseline.is_empty() => {
            show(view, |profile, query| profile.compared_syscalls(query, by))
        }
        ViewCommand::Syscalls { by, view } => show(view, |profile, query| profile.syscalls(query, by)),
        ViewCommand::Function { name, view } => show(view, |profile, query| profile.function_details(query, name)),
        ViewCommand::Source { name, source_path, view } => {
            show(view, |profile, query| profile.source(query, name, &FileCode::new(source_path, profile.manifest())))
        }
        ViewCommand::CallersCallees { fragment, view } => {
            let fragment = fragment.clone().unwrap_or_else(Fragment::total);
            show(view, |profile, query| profile.callers_callees(query, &fragment))
        }
        ViewCommand::CallTree { root, min_percent, depth, percent_of, view } => {
            let (root, min_ratio) = (root.clone(), min_percent / 100.0);
            let shape = TreeShape { root, min_ratio, max_depth: *depth, percent_of: *percent_of };
            show(view, |profile, query| profile.call_tree(query, &shape))
        }
    }
}

fn show<V: View, E: std::error::Error>(
    arguments: &ViewArguments,
    view: impl FnOnce(&Profile, &Query) -> Result<V, E>,
) -> Result<(), Failure> {
    let profile = load_compared(&arguments.experiment, &arguments.against)?;
    let query = Query {
        mode: arguments.mode,
        filter: arguments.filter.clone(),
        transforms: arguments.transform.clone(),
        metrics: arguments.metrics.clone(),
        sort: arguments.sort.clone(),
        skip: 0,
        limit: if arguments.limit.is_some() { given_limit(arguments) } else { Some(DEFAULT_ROWS) },
    };
    let format = ViewFormat { json: arguments.json, csv: arguments.csv, color: arguments.color };
    print(&view(&profile, &query)?, format)
}

/// How a view is printed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ViewFormat {
    pub(crate) json: bool,
    pub(crate) csv: bool,
    pub(crate) color: Colour,
}

/// Prints a view as the command's result.
pub(crate) fn print<V: View>(view: &V, format: ViewFormat) -> Result<(), Failure> {
    let style = Style { is_coloured: output::is_coloured(format.color) };
    let format = match (format.json, format.csv) {
        (true, _) => Format::Json,
        (_, true) => Format::Csv,
        _ => Format::Text,
    };
    output::print(&render(view, format, style))
}

/// The limit as given; 0 stands for none.
fn given_limit(arguments: &ViewArguments) -> Option<usize> {
    arguments.limit.filter(|limit| *limit > 0)
}

/// Reads an experiment, and those that it is compared with.
pub(crate) fn load_compared(experiment: &Path, against: &AgainstArguments) -> Result<Profile, Failure> {
    if against.baseline.is_empty() {
        return load(experiment);
    }
    let runs = |paths: &mut dyn Iterator<Item = &Path>| paths.map(read_run).collect::<Result<Vec<_>, Failure>>();
    let baseline = runs(&mut against.baseline.iter().map(PathBuf::as_path))?;
    let candidate = runs(&mut std::iter::once(experiment).chain(against.and.iter().map(PathBuf::as_path)))?;
    Ok(Profile::compare(baseline, candidate, (against.per.clone(), &against.rename))?)
}

/// Reads an experiment to be compared.
pub(crate) fn read_run(path: &Path) -> Result<Run, Failure> {
    let experiment = read(path)?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Run { name, manifest: experiment.manifest, tables: experiment.tables })
}

/// Reads an experiment, and says what of it could not be read.
pub(crate) fn load(experiment: &Path) -> Result<Profile, Failure> {
    let experiment = read(experiment)?;
    Ok(Profile::load(experiment.manifest, experiment.tables)?)
}

fn read(experiment: &Path) -> Result<Experiment, Failure> {
    let experiment = whittle_experiment::read(experiment)?;
    if experiment.manifest.state == State::Incomplete {
        output::note(
            "this experiment is incomplete: its collection is still under way or was killed, its end is missing",
        );
    }
    for damage in &experiment.damage {
        output::note(&damage.reason);
    }
    Ok(experiment)
}
