//! Reports what this machine allows. For each missing feature, it reports the cost and how to get the feature.

use crate::chosen_engine;
use crate::events::Events;
use crate::hand::World;
use crate::kernel::{KernelOptions, KernelSide};
use crate::kernel_obstacle::{KERNEL_TYPES, Obstacle};
use crate::process::Process;
use crate::{async_profiler, host};
use serde::Serialize;
use std::fs;
use std::path::Path;
use std::time::Duration;
use whittle_native::KernelSymbols;

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    /// The subject of the check, two or three words.
    pub subject: &'static str,
    /// True if no change is needed for whittle.
    pub is_fine: bool,
    /// What was found.
    pub found: String,
    /// The missing feature. Empty: the check is fine.
    pub cost: String,
    /// How to get the feature. Empty: the check is fine, or there is no way.
    pub remedy: String,
}

/// The result of all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// All checks.
    pub checks: Vec<Check>,
    /// The engine that whittle would choose for a JVM of whittle's user.
    pub engine: String,
}

/// Checks this machine with whittle's rights.
pub fn diagnose() -> Diagnosis {
    let programs = bpf_programs();
    let perf = perf_events();
    let engine = match (programs.is_fine, perf.is_fine) {
        (true, _) => "kernel",
        (false, true) => "cpu",
        (false, false) => "ctimer",
    };
    let checks = vec![
        programs,
        type_information(),
        bpf_compiler(),
        kernel_symbols(),
        perf,
        other_processes(),
        shared_folder(),
        profiler(),
        timer(),
    ];
    Diagnosis { checks, engine: engine.to_owned() }
}

fn fine(subject: &'static str, found: String) -> Check {
    Check { subject, is_fine: true, found, cost: String::new(), remedy: String::new() }
}

fn lacking(subject: &'static str, found: String, (cost, remedy): (&str, &str)) -> Check {
    Check { subject, is_fine: false, found, cost: cost.to_owned(), remedy: remedy.to_owned() }
}

/// Loads and attaches all programs, which observe nothing, and unloads them again.
fn bpf_programs() -> Check {
    let options =
        KernelOptions { tick: Duration::from_millis(10), events: Events::default(), follows: false, drop_every: 0 };
    let loaded = Obstacle::or(|| KernelSide::load(&options).map(drop));
    let cost = "no exact amounts, no system calls, no run queue time, only estimates of waits, no threads that live for less \
                than a tick, no native programs: the engine falls back to cpu or ctimer";
    match loaded {
        Ok(()) => fine("BPF programs", "all BPF programs load and attach".to_owned()),
        Err(Obstacle { reason, remedy }) => lacking("BPF programs", reason, (cost, remedy)),
    }
}

fn type_information() -> Check {
    if Path::new(KERNEL_TYPES).exists() {
        return fine("kernel types", format!("{KERNEL_TYPES} exists"));
    }
    let lack = ("BPF programs cannot find the kernel's fields", "use a kernel with CONFIG_DEBUG_INFO_BTF");
    lacking("kernel types", format!("{KERNEL_TYPES} is missing"), lack)
}

fn bpf_compiler() -> Check {
    let setting = fs::read_to_string("/proc/sys/net/core/bpf_jit_enable").unwrap_or_default();
    match setting.trim() {
        "0" => lacking(
            "BPF compiler",
            "net.core.bpf_jit_enable is 0".to_owned(),
            ("BPF programs are interpreted, so they run several times slower", "sudo sysctl net.core.bpf_jit_enable=1"),
        ),
        "" => fine("BPF compiler", "always on".to_owned()),
        _ => fine("BPF compiler", "on".to_owned()),
    }
}

fn kernel_symbols() -> Check {
    let remedy = "run whittle as root, or with CAP_SYSLOG; or sudo sysctl kernel.kptr_restrict=0";
    match KernelSymbols::read() {
        Ok(_) => fine("kernel symbols", "/proc/kallsyms shows addresses".to_owned()),
        Err(reason) => lacking("kernel symbols", reason.to_string(), ("kernel frames have no names", remedy)),
    }
}

fn perf_events() -> Check {
    let cost = "the engine cpu: user and system CPU by method where BPF is not allowed";
    match chosen_engine::perf_events_for(Process(std::process::id())) {
        Ok(found) => fine("perf events", found),
        Err(reason) => lacking("perf events", reason, (cost, "sudo sysctl kernel.perf_event_paranoid=1")),
    }
}

fn other_processes() -> Check {
    if rustix::process::geteuid().is_root() {
        return fine("other processes", "whittle runs as root and can attach to JVMs of all users".to_owned());
    }
    let found = "whittle can attach only to JVMs of the same user".to_owned();
    lacking("other processes", found, ("JVMs of other users", "run whittle as root, or as the JVM's user"))
}

fn shared_folder() -> Check {
    match World::own().and_then(|world| world.install_library()) {
        Ok(library) => fine("shared folder", format!("the profiler's library is at {}", library.display())),
        Err(error) => lacking("shared folder", error.to_string(), ("JVMs cannot be collected", "make /tmp writable")),
    }
}

fn profiler() -> Check {
    fine("profiler", format!("async-profiler {} is built in", async_profiler::VERSION))
}

fn timer() -> Check {
    let host = host::host();
    let tick_hz = host.tick_hz.map_or_else(|| "unknown".to_owned(), |tick_hz| tick_hz.to_string());
    fine("machine", format!("{} CPUs, Linux {}, {tick_hz} timer ticks per second", host.cpu_count, host.kernel))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lack_says_what_it_costs_and_how_to_get_it() {
        let diagnosis = diagnose();
        for check in &diagnosis.checks {
            assert!(!check.found.is_empty(), "{check:?}");
            assert_eq!(check.is_fine, check.cost.is_empty(), "{check:?}");
            assert_eq!(check.is_fine, check.remedy.is_empty(), "{check:?}");
        }
        let programs = &diagnosis.checks[0];
        assert_eq!(diagnosis.engine == "kernel", programs.is_fine, "{programs:?}");
    }
}
