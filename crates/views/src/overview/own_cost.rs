//! Estimates the cost of the engine `kernel` from samples.
//!
//! The BPF programs run on the observed threads, so their cost is part of the program's system CPU. The overview shows
//! this cost.

use whittle_model::{FunctionKind, Metric, Table};
use whittle_profile::Profile;
use whittle_profile::own_frames::OWN_FRAMES;
use whittle_profile::weights::Weights;

/// CPU time of BPF programs on the threads' stacks. Missing if no CPU was sampled, or if no stack has a BPF program.
pub(crate) fn own_cpu_ns(profile: &Profile, weights: &Weights) -> Option<u64> {
    let cpu = profile.manifest().metric_index(Metric::Cpu)?;
    let (stacks, frames, functions) = (&profile.tables().stacks, &profile.tables().frames, &profile.tables().functions);
    let is_own =
        |row: &usize| functions.kind[*row] == FunctionKind::Kernel && functions.display_name[*row] == OWN_FRAMES;
    let own = (0..functions.len()).find(is_own)?;
    // The frames that BPF programs call are left out, so these stacks end in BPF programs.
    let ends_in_own = |stack: usize| frames.function[stacks.frame[stack].row()].row() == own;
    let by_stack = profile.observed_stacks().iter().zip(&weights.by_stack[cpu]);
    Some(by_stack.filter(|(stack, _)| ends_in_own(stack.row())).map(|(_, weight)| *weight).sum::<f64>() as u64)
}
