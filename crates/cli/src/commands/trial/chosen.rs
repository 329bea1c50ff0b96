//! The experiment, and the finding to try.

use super::arguments::TryArguments;
use crate::code_source::FileCode;
use crate::experiments;
use crate::terminal::long_work::say_if_long;
use whittle_findings::{Finding, FindingsOptions, FindingsView, Trial, TrialAnswer};
use whittle_profile::{Profile, Query};
use whittle_terminal::Failure;

/// An experiment with its findings.
pub(super) struct Found {
    pub(super) profile: Profile,
    pub(super) view: FindingsView,
}

/// Reads the experiment, and searches for findings.
pub(super) fn find(arguments: &TryArguments) -> Result<Found, Failure> {
    let text = format!("reading {} …", arguments.experiment.display());
    let profile = say_if_long(&text, || experiments::load(&arguments.experiment))?;
    let code = FileCode::new(&arguments.sources.source_path, profile.manifest());
    let view = say_if_long("looking for known patterns …", || {
        whittle_findings::findings(&profile, &Query::default(), &FindingsOptions::default(), &code)
    })?;
    Ok(Found { profile, view })
}

/// The finding that the user wants, and its trial.
pub(super) fn choose<'a>(view: &'a FindingsView, wanted: &str) -> Result<(&'a Finding, &'a Trial), Failure> {
    let finding = wanted_finding(view, wanted)?;
    match &finding.trial {
        TrialAnswer::Possible(trial) => Ok((finding, trial)),
        TrialAnswer::Impossible { reason } => {
            Err(Failure::new(format!("finding {}, {}, not tried: {reason}", finding.rank, finding.title)))
        }
    }
}

/// The finding with this number, or the first finding of this pattern.
fn wanted_finding<'a>(view: &'a FindingsView, wanted: &str) -> Result<&'a Finding, Failure> {
    let is_wanted = |finding: &&Finding| match wanted.parse::<usize>() {
        Ok(rank) => finding.rank == rank,
        Err(_) => finding.detector == wanted,
    };
    view.findings.iter().find(is_wanted).ok_or_else(|| {
        let known = view.findings.iter().map(|finding| format!("{} {}", finding.rank, finding.detector));
        let known: Vec<String> = known.collect();
        let known = if known.is_empty() { "the experiment has no finding".to_owned() } else { known.join(", ") };
        Failure::new(format!("no finding is {wanted}: {known}; whittle findings shows them"))
    })
}
