//! Joins the frames of whittle's BPF programs into one frame.
//!
//! With the engine `kernel`, BPF programs run on the observed threads. Their time is whittle's cost, not the program's, and
//! their functions are not the program's functions. So the first of these frames gets a name that says so, and the frames
//! that it calls are left out:
//!
//! ```text
//! recorded                                                     shown
//! write > do_syscall_64 > __bpf_trace_sys_enter                write > do_syscall_64 > <whittle BPF programs>
//!       > bpf_trace_run2 > bpf_prog_52… > bpf_ringbuf_output
//! ```
//!
//! Stored tables do not change. Samples keep their weights, so totals do not change either.

use whittle_model::{FunctionKind, Manifest, Table, Tables};

/// The name of the joined frames.
pub const OWN_FRAMES: &str = "<whittle BPF programs>";

/// Prefixes of kernel functions that run the BPF programs of tracers. Programs that something else runs, such as the filters of
/// seccomp, are part of what the program does.
const RUNNERS: [&str; 3] = ["__bpf_trace_", "bpf_trace_run", "bpf_overflow_handler"];

/// The engine with BPF programs.
const KERNEL_ENGINE: &str = "kernel";

/// Joins the frames, if the engine of the collection has BPF programs.
pub(crate) fn join(manifest: &Manifest, tables: &mut Tables) {
    if !manifest.collectors.iter().any(|collector| collector.engine == KERNEL_ENGINE) {
        return;
    }
    let functions = &tables.functions;
    let is_runner: Vec<bool> = (0..functions.len())
        .map(|row| {
            let name = functions.display_name[row].as_str();
            let is_named = name == OWN_FRAMES || RUNNERS.iter().any(|runner| name.starts_with(runner));
            functions.kind[row] == FunctionKind::Kernel && is_named
        })
        .collect();
    let Some(function) = is_runner.iter().position(|is_runner| *is_runner) else { return };
    OWN_FRAMES.clone_into(&mut tables.functions.display_name[function]);
    let is_own: Vec<bool> = tables.frames.function.iter().map(|function| is_runner[function.row()]).collect();
    let Some(frame) = is_own.iter().position(|is_own| *is_own) else { return };
    tables.frames.function[frame].0 = function as u32;
    cut_stacks(tables, &is_own, frame as u32);
}

/// Every stack with an own frame ends in `frame`, in the place of its first own frame.
fn cut_stacks(tables: &mut Tables, is_own: &[bool], frame: u32) {
    let stacks = &mut tables.stacks;
    let mut has_own = vec![false; stacks.len()];
    for row in 1..has_own.len() {
        let parent = stacks.parent[row];
        if has_own[parent.row()] {
            // The row becomes a copy of its parent, so that the tables that refer to the row need no change.
            (stacks.parent[row], stacks.frame[row]) = (stacks.parent[parent.row()], stacks.frame[parent.row()]);
            has_own[row] = true;
        } else if is_own[stacks.frame[row].row()] {
            stacks.frame[row].0 = frame;
            has_own[row] = true;
        }
    }
}
