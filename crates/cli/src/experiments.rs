//! Reads experiments from disk: one, or both sides of a comparison. Prints notes about unreadable parts.

use crate::arguments::comparison::MeasureArguments;
use crate::terminal::output;
use crate::tries;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use whittle_experiment::Experiment;
use whittle_model::State;
use whittle_profile::compare::{Rename, Run};
use whittle_profile::{AnalysisError, Profile, SingleRuns};
use whittle_terminal::Failure;
use whittle_views::languages;

/// The experiments of both sides. Each side has one or more experiments.
pub(crate) struct Comparison<'a> {
    pub(crate) baseline: &'a [PathBuf],
    pub(crate) candidate: &'a [PathBuf],
    pub(crate) measure: &'a MeasureArguments,
}

impl Comparison<'_> {
    /// Reads all experiments.
    pub(crate) fn load(&self) -> Result<Profile, Failure> {
        let runs = |paths: &[PathBuf]| paths.iter().map(|path| read_run(path)).collect::<Result<Vec<_>, Failure>>();
        let (baseline, candidate) = (runs(self.baseline)?, runs(self.candidate)?);
        let MeasureArguments { per, rename } = self.measure;
        let compared = whittle_profile::compare::compare(baseline, candidate, (per.clone(), rename))?;
        let paths = [self.baseline, self.candidate].concat();
        Ok(compared.with_single_runs(Arc::new(RunsOnDisk { paths, renames: rename.clone() })))
    }
}

/// The runs of a comparison, the baseline's runs first.
#[derive(Debug)]
struct RunsOnDisk {
    paths: Vec<PathBuf>,
    renames: Vec<Rename>,
}

impl SingleRuns for RunsOnDisk {
    fn load(&self, run: usize) -> Result<Profile, String> {
        let path = self.paths.get(run).ok_or("the comparison has fewer runs")?;
        // Notes about unreadable parts were printed when the comparison was made.
        let experiment = whittle_experiment::read(path).map_err(|error| error.to_string())?;
        profile_of(experiment, path).map_err(|error| error.to_string())
    }

    fn renamed(&self, name: &str) -> String {
        self.renames.iter().fold(name.to_owned(), |name, rename| rename.renamed(&name))
    }
}

/// Reads an experiment for a comparison.
fn read_run(path: &Path) -> Result<Run, Failure> {
    let mut experiment = read(path)?;
    // Names are aligned first, by the JVM's names.
    languages::correct_lines(&mut experiment.tables);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Run { name, manifest: experiment.manifest, tables: experiment.tables })
}

/// Reads an experiment into a profile, with the results of its trials.
pub(crate) fn load(experiment: &Path) -> Result<Profile, Failure> {
    Ok(profile_of(read(experiment)?, experiment)?)
}

fn profile_of(mut loaded: Experiment, path: &Path) -> Result<Profile, AnalysisError> {
    languages::restore(&mut loaded.tables);
    Ok(Profile::load(loaded.manifest, loaded.tables)?.with_trials(tries::text(path)))
}

/// Reads an experiment, and prints notes about unreadable parts.
pub(crate) fn read(experiment: &Path) -> Result<Experiment, Failure> {
    let experiment = whittle_experiment::read(experiment)?;
    if experiment.manifest.state == State::Incomplete {
        output::note(
            "this experiment is incomplete, and its end is missing: the collection is still running or was killed",
        );
    }
    for damage in &experiment.damage {
        output::note(&damage.reason);
    }
    Ok(experiment)
}
