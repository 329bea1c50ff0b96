//! Reports what this machine allows. For each missing feature, it reports the cost and how to get the feature.

use crate::chosen_engine;
use crate::engine::Engine;
use crate::events::Events;
use crate::hand::{Installed, World};
use crate::kernel::{KernelOptions, KernelSide};
use crate::kernel_obstacle::{KERNEL_TYPES, Obstacle};
use crate::process::{Process, Status};
use crate::{async_profiler, host};
use serde::Serialize;
use std::fs;
use std::path::Path;
use std::time::Duration;
use whittle_native::{KernelSymbols, NoKernelSymbols};

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
        (true, _) => Engine::Kernel,
        (false, true) => Engine::Cpu,
        (false, false) => Engine::Ctimer,
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
    Diagnosis { checks, engine: engine.name().to_owned() }
}

fn fine(subject: &'static str, found: String) -> Check {
    Check { subject, is_fine: true, found, cost: String::new(), remedy: String::new() }
}

fn lacking(subject: &'static str, found: String, (cost, remedy): (&str, &str)) -> Check {
    Check { subject, is_fine: false, found, cost: cost.to_owned(), remedy: remedy.to_owned() }
}

/// Loads and attaches all programs, which observe nothing, and unloads them again.
fn bpf_programs() -> Check {
    let options = KernelOptions {
        tick: Duration::from_millis(10),
        events: Events::default(),
        follows: false,
        has_marks: true,
        drop_every: 0,
    };
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
    // Addresses are also hidden from root in a user namespace, and from root without the capability.
    let remedy = match rustix::process::geteuid().is_root() {
        true => "run whittle as root of the host; in a container, add `--cap-add SYSLOG`",
        false => "run whittle as root, or with CAP_SYSLOG",
    };
    match KernelSymbols::read() {
        Ok(_) => fine("kernel symbols", "/proc/kallsyms shows addresses".to_owned()),
        Err(NoKernelSymbols::Hidden) => {
            let found = "the kernel hides its addresses in /proc/kallsyms".to_owned();
            lacking("kernel symbols", found, ("kernel frames have no names", remedy))
        }
        Err(reason) => lacking("kernel symbols", reason.to_string(), ("kernel frames have no names", remedy)),
    }
}

fn perf_events() -> Check {
    let cost = "the engine cpu: user and system CPU by method where BPF is not allowed";
    let allowed = chosen_engine::perf_events_for(Process(std::process::id()));
    match allowed.map(|found| (found, crate::kernel::try_perf_event())) {
        Ok((found, Ok(()))) => fine("perf events", found),
        Ok((_, Err(error))) => lacking(
            "perf events",
            format!("the kernel refuses them although whittle has the right ({error})"),
            (
                cost,
                "in a container, add `--security-opt seccomp=unconfined`, or allow the system call `perf_event_open`",
            ),
        ),
        Err(reason) => lacking("perf events", reason, (cost, "on the host: sudo sysctl kernel.perf_event_paranoid=1")),
    }
}

fn other_processes() -> Check {
    let own = Process(std::process::id());
    let status = own.status();
    let reach = Reach {
        is_root: rustix::process::geteuid().is_root(),
        has_ptrace: status.as_ref().is_ok_and(Status::has_ptrace),
        has_admin: status.as_ref().is_ok_and(Status::has_admin),
        sees_all_processes: own.is_in_first_pid_namespace(),
        is_in_first_user_namespace: own.is_in_first_user_namespace() == Some(true),
    };
    reach.check()
}

/// What decides which processes whittle can attach to.
struct Reach {
    is_root: bool,
    /// Whether whittle has CAP_SYS_PTRACE, which container engines do not give to root.
    has_ptrace: bool,
    /// Whether whittle has CAP_SYS_ADMIN, which is needed to enter another container.
    has_admin: bool,
    sees_all_processes: bool,
    is_in_first_user_namespace: bool,
}

impl Reach {
    fn check(&self) -> Check {
        let lacking = |found: &str, lack| lacking("other processes", found.to_owned(), lack);
        match *self {
            Self { is_root: false, sees_all_processes: false, .. } => lacking(
                "whittle can attach only to JVMs of the same user in the same container",
                ("JVMs of other users, and everything outside of the container", "run whittle as root on the host"),
            ),
            Self { is_root: false, .. } => lacking(
                "whittle can attach only to JVMs of the same user",
                ("JVMs of other users", "run whittle as root, or as the JVM's user"),
            ),
            Self { has_ptrace: false, .. } => lacking(
                "root has no CAP_SYS_PTRACE here, so whittle can attach only to JVMs of root",
                ("JVMs of other users", "in a container, add `--cap-add SYS_PTRACE`, or run whittle as the JVM's user"),
            ),
            Self { sees_all_processes: false, .. } => lacking(
                "whittle runs in a separate pid namespace and sees only the processes in it",
                (
                    "processes of the host and of other containers",
                    "run whittle on the host, or in a container with `--pid host --privileged` (in a pod: `hostPID: true` and \
                     `privileged: true`)",
                ),
            ),
            Self { has_admin: false, .. } => lacking(
                "root has no CAP_SYS_ADMIN here, so whittle can attach only to JVMs in the same container",
                ("JVMs of the host and of other containers", "in a container, add `--privileged`"),
            ),
            Self { is_in_first_user_namespace: false, .. } => lacking(
                "whittle is root only in a user namespace, and can attach only to JVMs of the users in it",
                ("JVMs of other users", "run whittle as root of the host"),
            ),
            _ => fine("other processes", "whittle runs as root and can attach to JVMs of all users".to_owned()),
        }
    }
}

fn shared_folder() -> Check {
    match World::own().and_then(|world| world.install(Installed::Profiler)) {
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

    #[test]
    fn root_in_a_container_does_not_reach_all_processes() {
        let all = Reach {
            is_root: true,
            has_ptrace: true,
            has_admin: true,
            sees_all_processes: true,
            is_in_first_user_namespace: true,
        };
        assert!(all.check().is_fine);
        for (reach, found, remedy) in [
            (Reach { has_ptrace: false, ..all }, "only to JVMs of root", "SYS_PTRACE"),
            (Reach { has_admin: false, ..all }, "only to JVMs in the same container", "--privileged"),
            (Reach { sees_all_processes: false, ..all }, "sees only the processes in it", "--pid host"),
            (Reach { is_in_first_user_namespace: false, ..all }, "only in a user namespace", "root of the host"),
            (Reach { is_root: false, ..all }, "only to JVMs of the same user", "as the JVM's user"),
            (Reach { is_root: false, sees_all_processes: false, ..all }, "in the same container", "on the host"),
        ] {
            let check = reach.check();
            assert!(check.found.contains(found) && check.remedy.contains(remedy), "{check:?}");
        }
    }
}
