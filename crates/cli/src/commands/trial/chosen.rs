//! The finding to try, and the command line of the program.

use super::arguments::TryArguments;
use crate::code_source::FileCode;
use crate::experiments;
use crate::terminal::long_work::say_if_long;
use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};
use whittle_findings::{Finding, FindingsOptions, FindingsView, Trial, TrialAnswer};
use whittle_model::REDACTED;
use whittle_profile::{Profile, Query};
use whittle_render::harmless;
use whittle_terminal::Failure;

/// A finding that can be tried.
pub(super) struct Chosen {
    pub(super) profile: Profile,
    pub(super) finding: Finding,
    pub(super) trial: Trial,
}

/// Finds the finding in the experiment.
pub(super) fn choose(arguments: &TryArguments) -> Result<Chosen, Failure> {
    let text = format!("reading {} …", arguments.experiment.display());
    let profile = say_if_long(&text, || experiments::load(&arguments.experiment))?;
    let code = FileCode::new(&[], profile.manifest());
    let mut view = say_if_long("looking for known patterns …", || {
        whittle_findings::findings(&profile, &Query::default(), &FindingsOptions::default(), &code)
    })?;
    let position = position(&view, &arguments.finding)?;
    let finding = view.findings.swap_remove(position);
    match finding.trial.clone() {
        TrialAnswer::Possible(trial) => Ok(Chosen { profile, finding, trial }),
        TrialAnswer::Impossible { reason } => {
            Err(Failure::new(format!("finding {}, {}, not tried: {reason}", finding.rank, finding.title)))
        }
    }
}

/// The position of the finding with this number, or of the first finding of this pattern.
fn position(view: &FindingsView, wanted: &str) -> Result<usize, Failure> {
    let is_wanted = |finding: &Finding| match wanted.parse::<usize>() {
        Ok(rank) => finding.rank == rank,
        Err(_) => finding.detector == wanted,
    };
    view.findings.iter().position(is_wanted).ok_or_else(|| {
        let known = view.findings.iter().map(|finding| format!("{} {}", finding.rank, finding.detector));
        let known: Vec<String> = known.collect();
        let known = if known.is_empty() { "the experiment has no finding".to_owned() } else { known.join(", ") };
        Failure::new(format!("no finding is {wanted}: {known}; whittle findings shows them"))
    })
}

/// The words of the program's command line: from the arguments, or from the experiment after a confirmation.
pub(super) fn command(arguments: &TryArguments, profile: &Profile) -> Result<Vec<OsString>, Failure> {
    if !arguments.command.is_empty() {
        return Ok(arguments.command.clone());
    }
    let recorded = &profile.manifest().command;
    let how = format!("add it: whittle try {} {} -- java …", arguments.experiment.display(), arguments.finding);
    if recorded.is_empty() {
        return Err(Failure::new(format!("the experiment does not contain the command line of the program; {how}")));
    }
    if recorded.iter().any(|word| word.contains(REDACTED)) {
        return Err(Failure::new(format!("the command line in the experiment has redacted values; {how}")));
    }
    if !arguments.yes {
        confirm(recorded, &how)?;
    }
    Ok(recorded.iter().map(OsString::from).collect())
}

/// Shows the recorded command line and waits for the user's answer.
fn confirm(recorded: &[String], how: &str) -> Result<(), Failure> {
    let words: Vec<&str> = recorded.iter().map(String::as_str).collect();
    let shown = shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "));
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Failure::usage(format!(
            "the experiment contains the command line {shown}; to run it, add --yes; for another command line, {how}"
        )));
    }
    let mut error = io::stderr().lock();
    write!(error, "{}\nRun this command line several times? [y/N] ", harmless(&shown))?;
    error.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new(format!("nothing was run; for another command line, {how}"))),
    }
}
