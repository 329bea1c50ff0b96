//! Reads experiments from disk: one, or both sides of a comparison. Prints notes about unreadable parts.

use crate::arguments::comparison::MeasureArguments;
use crate::terminal::output;
use std::path::{Path, PathBuf};
use whittle_experiment::Experiment;
use whittle_model::State;
use whittle_profile::Profile;
use whittle_profile::compare::Run;
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
        Ok(whittle_profile::compare::compare(baseline, candidate, (self.measure.per.clone(), &self.measure.rename))?)
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

/// Reads an experiment into a profile.
pub(crate) fn load(experiment: &Path) -> Result<Profile, Failure> {
    let mut experiment = read(experiment)?;
    languages::restore(&mut experiment.tables);
    Ok(Profile::load(experiment.manifest, experiment.tables)?)
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
