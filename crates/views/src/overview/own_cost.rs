//! Estimates the cost of the engine `kernel` from samples.
//!
//! The BPF programs run on the observed threads, so their cost is part of the program's system CPU. The overview shows
//! this cost.

use whittle_model::{FunctionKind, Metric};
use whittle_profile::Profile;
use whittle_profile::weights::Weights;

/// Prefixes of kernel functions that run BPF programs at tracepoints.
const RUNNERS: [&str; 2] = ["bpf_trace_run", "bpf_prog_"];

/// The engine with BPF programs.
const KERNEL_ENGINE: &str = "kernel";

/// CPU time of BPF programs on the threads' stacks. Missing if the engine has no BPF programs, or if no CPU was
/// sampled.
pub(crate) fn own_cpu_ns(profile: &Profile, weights: &Weights) -> Option<u64> {
    let manifest = profile.manifest();
    manifest.collectors.iter().find(|collector| collector.engine == KERNEL_ENGINE)?;
    let cpu = manifest.metric_index(Metric::Cpu)?;
    let (stacks, frames, functions) = (&profile.tables().stacks, &profile.tables().frames, &profile.tables().functions);
    let is_runner = |function: usize| {
        let name = functions.display_name[function].as_str();
        functions.kind[function] == FunctionKind::Kernel && RUNNERS.iter().any(|runner| name.starts_with(runner))
    };
    let runs_bpf = stacks.has_frame(|frame| is_runner(frames.function[frame.row()].row()));
    let by_stack = profile.observed_stacks().iter().zip(&weights.by_stack[cpu]);
    let own: f64 = by_stack.filter(|(stack, _)| runs_bpf[stack.row()]).map(|(_, weight)| weight).sum();
    Some(own as u64)
}
