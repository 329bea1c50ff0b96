//! Runs of two sides, one after the other in turns, and their evidence. `whittle verify` compares two programs, and
//! `whittle try` compares a program with the same program and a remedy.
//!
//! ```text
//! settings + commands of both sides ──> plan (A B B A) ──> runner ──> evidence ──> verdict
//!                                                            └── after each run: the caller looks at the run
//! ```

mod design;
mod evidence;
pub(crate) mod finding;
mod folder;
mod functions;
mod plan;
mod printed_values;
mod runner;
mod summary;
mod watchdog;

pub(crate) use design::design;
pub(crate) use evidence::Evidence;
pub(crate) use folder::{Folder, TRIAL, only_owner};
pub(crate) use plan::{Counts, Step};
pub(crate) use printed_values::Reader;
pub(crate) use runner::{Commands, Finished, ProfiledRuns, Runner, Settings, SideCommand};
pub(crate) use summary::write_summary;

use whittle_profile::Profile;
use whittle_verdict::verify::Run;

/// Replaces the run's times by the times in its experiment. These are the times of the program alone, without whittle.
pub(crate) fn run_of_experiment(profile: &Profile, run: Run) -> Run {
    let manifest = profile.manifest();
    match &manifest.resources {
        Some(used) => Run { elapsed_ns: used.real_ns, user_cpu_ns: used.user_ns, system_cpu_ns: used.system_ns, ..run },
        None => Run { elapsed_ns: manifest.duration_ns, user_cpu_ns: 0, system_cpu_ns: 0, ..run },
    }
}
