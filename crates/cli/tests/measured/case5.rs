//! Casebook case 5, the slow process lister. The kernel's work for the lister is on top of the most common stacks.

use crate::goals::GOAL_CLOSURE;
use crate::hypotheses::lister;
use crate::support::tables::{Collected, kernel_jdks, may_use_kernel_engine};
use crate::support::{Workspace, printed};
use crate::tolerance;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use whittle_model::{CpuMode, EventKind};
use whittle_testkit::native_workload;

/// Processes with many mappings. They end when their standard input ends.
struct Mapped {
    child: Child,
    pids: String,
}

impl Mapped {
    fn start() -> Self {
        let mut command = Command::new(native_workload("mapped_processes"));
        command.args(["--processes", "2", "--mappings", "30000"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let pids = line.trim().rsplit_once("pids=").unwrap().1.to_owned();
        Self { child, pids }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}

/// Asserts that the walk over the mappings is in the most common stacks and in a large part of the system CPU time.
/// `reader` is the function that called the walk.
fn assert_walk_is_on_top(what: &str, workspace: &Workspace, reader: &str) {
    let view = ["stacks", "a.whittle", "-m", "machine", "--metrics", "e.system_cpu", "--sort", "e.system_cpu"];
    let view = workspace.json(&view);
    let top = &view["rows"].as_array().unwrap()[..4];
    let is_walk = |row: &&serde_json::Value| {
        let text = row.to_string();
        text.contains("show_smap") || text.contains("smaps_account") || text.contains("proc_get_vma")
    };
    assert!(top.iter().filter(is_walk).count() >= 3, "{what}: {top:#?}");

    let collected = Collected::read(workspace, "a.whittle");
    let samples = &collected.tables.samples;
    let (mut walk, mut below_reader, mut all, mut walk_samples) = (0.0, 0.0, 0.0, 0.0);
    for row in collected.samples(EventKind::Cpu).filter(|row| samples.mode[*row] == CpuMode::System) {
        let (names, weight) = (collected.names(samples.stack[row]), samples.duration_ns[row] as f64);
        let walks = names.iter().any(|name| name.contains("show_smap"));
        let reads = names.iter().any(|name| name.contains(reader)) && collected.is_rooted(samples.stack[row]);
        all += weight;
        walk += if walks { weight } else { 0.0 };
        walk_samples += if walks { 1.0 } else { 0.0 };
        below_reader += if walks && reads { weight } else { 0.0 };
    }
    eprintln!("{what}: {:.3} of the system CPU walks, {:.3} of that below {reader}", walk / all, below_reader / walk);
    assert!(walk >= lister::WALKS_OR_NO_KERNEL_STACKS * all, "{what}: {walk} of {all}");
    // Only the reader calls the walk.
    let least = tolerance::least(GOAL_CLOSURE, walk_samples);
    assert!(below_reader >= least * walk, "{what}: {below_reader} of {walk}, at least {least:.4}");
}

/// Asserts that the slow program needs much more elapsed time per listed process than the fast program.
fn assert_factor(what: &str, slow: &str, fast: &str) {
    let [slow, fast] = [slow, fast].map(|output| printed(output, "us_per_process=", "us_per_process"));
    eprintln!("{what}: {slow} us against {fast} us, factor {:.0}", slow / fast);
    assert!(slow > lister::WALKS_OR_READS * fast, "{what}: {slow} against {fast}");
}

#[test]
fn the_native_lister_shows_the_walk_over_the_mappings() {
    if !may_use_kernel_engine() {
        return;
    }
    let (workspace, mapped) = (Workspace::new(), Mapped::start());
    let lister = |how: &str, experiment: &str| {
        let arguments = ["--how", how, "--pids", &mapped.pids, "--seconds", "3"];
        workspace.collect_native(&["-q", "-o", experiment], "lister", &arguments)
    };
    let slow = lister("slow", "a.whittle");
    assert_walk_is_on_top("native", &workspace, "add_up_mappings");
    assert_factor("native", &slow, &lister("fast", "b.whittle"));
}

#[test]
fn the_java_lister_shows_the_walk_below_its_java_method() {
    for jdk in kernel_jdks() {
        let (workspace, mapped) = (Workspace::new(), Mapped::start());
        let lister = |program: &str, experiment: &str| {
            let program = format!("whittle.workloads.lister.{program}");
            let program = [&program, "--pids", &mapped.pids, "--seconds", "3"];
            workspace.collect_launched(&["-q", "-o", experiment], &jdk, &program)
        };
        let slow = lister("Slow", "a.whittle");
        let what = format!("JDK {}", jdk.version);
        assert_walk_is_on_top(&what, &workspace, "whittle.workloads.lister.Slow.addUpMappings(");
        assert_factor(&what, &slow, &lister("Fixed", "b.whittle"));
    }
}
