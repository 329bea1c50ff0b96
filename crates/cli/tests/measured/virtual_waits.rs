//! Waits of virtual threads: the program measures each of its own waits.

use crate::goals::GOAL_VIRTUAL_WAIT_ERROR;
use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Workspace, printed};
use crate::tolerance;
use whittle_model::EventKind;

/// The first JDK with virtual threads.
const FIRST_RELEASE: u32 = 21;

const PROGRAM: [&str; 5] = ["whittle.workloads.truth.VirtualWaits", "--threads", "100000", "--delay", "3"];

/// A way to wait, as the program prints it, and the function of the program that waits in this way.
const KINDS: [(&str, &str); 2] = [("sleep", "VirtualWaits$Sleep.await"), ("result", "VirtualWaits$Result.await")];

#[test]
fn virtual_threads_have_their_waits_with_their_own_stacks() {
    for jdk in kernel_jdks().into_iter().filter(|jdk| jdk.version >= FIRST_RELEASE) {
        let workspace = Workspace::new();
        let output = workspace.collect_launched(&["-q", "--instrument", "-o", "a.whittle"], &jdk, &PROGRAM);
        let collected = Collected::read(&workspace, "a.whittle");
        let samples = &collected.tables.samples;
        let waits: Vec<usize> = collected.samples(EventKind::OffCpu).collect();
        for (kind, function) in KINDS {
            let is_of = |row: &&usize| collected.names(samples.stack[**row]).iter().any(|name| name.contains(function));
            let weights: Vec<f64> = waits.iter().filter(is_of).map(|row| samples.duration_ns[*row] as f64).collect();
            let (found_ns, waited_ns) =
                (weights.iter().sum::<f64>(), printed(&output, &format!("wait={kind} "), "waited_ns"));
            let bound = GOAL_VIRTUAL_WAIT_ERROR + tolerance::weights(&weights);
            eprintln!("JDK {}, {kind}: {found_ns} ns in {} samples, {waited_ns} ns", jdk.version, weights.len());
            assert!((found_ns / waited_ns - 1.0).abs() < bound, "JDK {}, {kind}: {found_ns} {waited_ns}", jdk.version);
        }
        let threads = &collected.tables.threads.name;
        assert!(threads.iter().any(|name| name == "virtual threads"), "JDK {}: {threads:?}", jdk.version);
    }
}
