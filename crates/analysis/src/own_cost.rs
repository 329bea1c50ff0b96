//! What the kernel-driven engine itself costs, as far as samples show it.
//!
//! Its BPF programs run in the observed threads' time, so their cost is part of the program's system CPU and
//! belongs there; a reader should know how much of it that is.

use crate::Profile;
use crate::weights::Weights;
use whittle_model::{FunctionKind, Table};

/// The kernel's functions that run BPF programs at tracepoints, by the start of their names.
const RUNNERS: [&str; 2] = ["bpf_trace_run", "bpf_prog_"];

/// The engine that has such programs.
const KERNEL_ENGINE: &str = "kernel";

impl Profile {
    /// CPU time of BPF programs in the threads' own stacks. Missing: the engine has none, or no CPU was sampled.
    pub(crate) fn own_cpu_ns(&self, weights: &Weights) -> Option<u64> {
        let manifest = self.manifest();
        manifest.collectors.iter().find(|collector| collector.engine == KERNEL_ENGINE)?;
        let cpu = manifest.metrics.iter().position(|metric| metric.name == "cpu")?;
        let (stacks, frames, functions) = (&self.tables().stacks, &self.tables().frames, &self.tables().functions);
        let is_runner = |function: usize| {
            let name = functions.display_name[function].as_str();
            functions.kind[function] == FunctionKind::Kernel && RUNNERS.iter().any(|runner| name.starts_with(runner))
        };
        let mut runs_bpf = vec![false; stacks.len()];
        for row in 1..stacks.len() {
            let function = frames.function[stacks.frame[row].row()].row();
            runs_bpf[row] = runs_bpf[stacks.parent[row].row()] || is_runner(function);
        }
        let by_stack = self.observed_stacks().iter().zip(&weights.by_stack[cpu]);
        let own: f64 = by_stack.filter(|(stack, _)| runs_bpf[stack.row()]).map(|(_, weight)| weight).sum();
        Some(own as u64)
    }
}
