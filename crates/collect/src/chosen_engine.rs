//! Chooses the first possible engine in this table. The first engine provides the most data. The last engine needs no
//! rights.
//!
//! | engine   | needs                                               | sees                                            |
//! |----------|-----------------------------------------------------|-------------------------------------------------|
//! | `kernel` | root, or CAP_BPF and CAP_PERFMON; a kernel with BTF  | all below, exact amounts, system calls, waits   |
//! | `cpu`    | perf events: perf_event_paranoid ≤ 1 or CAP_PERFMON | Java, native and kernel; user/system split      |
//! | `ctimer` | nothing                                             | Java and native; no split by method             |
//!
//! Only the first engine collects native programs.

use crate::engine::{Engine, EngineChoice, Subject};
use crate::kernel::{KernelOptions, KernelSide, SharedPrograms};
use crate::process::Process;
use crate::{Error, host};
use std::time::Duration;
use whittle_native::KernelSymbols;

/// An engine and why it was chosen.
pub(crate) struct ChosenEngine {
    pub(crate) engine: Engine,
    /// The reason, one sentence without a full stop.
    pub(crate) reason: String,
    /// The kernel-driven engine, loaded.
    pub(crate) kernel: Option<KernelSide>,
}

/// How to get the kernel-driven engine if it is refused.
pub(crate) const HOW_TO_GET_KERNEL: &str = "run whittle as root, or `sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog=ep` on whittle's file; \
     in a container add --cap-add BPF --cap-add PERFMON --pid host";

/// The first pid namespace of every machine (PROC_PID_INIT_INO in the kernel's proc_ns.h).
const INITIAL_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Chooses the engine for `process`. The engine `cpu` needs rights of the JVM, because the JVM itself opens perf
/// events. The kernel-driven engine needs rights of whittle.
pub(crate) fn choose(
    choice: EngineChoice,
    (process, subject): (Process, Subject),
    options: &KernelOptions,
) -> Result<ChosenEngine, Error> {
    let plain = |engine, reason: String| Ok(ChosenEngine { engine, reason, kernel: None });
    match (choice, subject) {
        (EngineChoice::Fixed(Engine::Ctimer), Subject::Java) => plain(Engine::Ctimer, "requested".to_owned()),
        (EngineChoice::Fixed(Engine::Cpu), Subject::Java) => match perf_events_for(process) {
            Ok(_) => plain(Engine::Cpu, "requested".to_owned()),
            Err(reason) => Err(Error::EngineUnavailable { engine: "cpu", needs: "perf events", reason }),
        },
        (EngineChoice::Fixed(engine @ (Engine::Cpu | Engine::Ctimer)), Subject::Native) => {
            Err(Error::EngineNeedsJava { engine: engine.name() })
        }
        (EngineChoice::Fixed(Engine::Kernel), _) => load_kernel(options, "requested").map_err(|reason| {
            Error::EngineUnavailable { engine: "kernel", needs: "BPF programs", reason: with_advice(&reason) }
        }),
        (EngineChoice::Auto, _) => match (load_kernel(options, "BPF programs are allowed here"), subject) {
            (Ok(chosen), _) => Ok(chosen),
            (Err(reason), Subject::Native) => Err(Error::NativeNeedsKernel { reason: with_advice(&reason) }),
            (Err(reason), Subject::Java) => Ok(without_kernel(process, &reason)),
        },
    }
}

/// The engine for all processes of a host, in a continuous collection.
pub(crate) struct HostEngine {
    choice: EngineChoice,
    /// The kernel-driven engine with the kernel's names, or why it is not available.
    kernel: Result<(SharedPrograms, Option<KernelSymbols>), String>,
}

impl HostEngine {
    /// Loads the programs and data that the choice needs, once for all processes. `pause`: time between two readings of
    /// records from the kernel.
    pub(crate) fn load(choice: EngineChoice, options: &KernelOptions, pause: Duration) -> Result<Self, Error> {
        let load = || {
            check_pid_namespace()?;
            let programs = SharedPrograms::of(options, pause).map_err(|error| reason_of(&error.to_string()))?;
            Ok((programs, KernelSymbols::read().ok()))
        };
        let kernel = if choice.collects_native() { load() } else { Err("another engine was requested".to_owned()) };
        match (choice, kernel) {
            (EngineChoice::Fixed(Engine::Kernel), Err(reason)) => {
                Err(Error::EngineUnavailable { engine: "kernel", needs: "BPF programs", reason: with_advice(&reason) })
            }
            (choice, kernel) => Ok(Self { choice, kernel }),
        }
    }

    /// Why the kernel-driven engine is not used. None: the engine is used, or the user requested another engine.
    pub(crate) fn obstacle(&self) -> Option<String> {
        let wanted = self.kernel.as_ref().err().filter(|_| self.choice.collects_native());
        wanted.map(|reason| with_advice(reason))
    }

    /// The engine for one process.
    pub(crate) fn choose(
        &self,
        (process, subject): (Process, Subject),
        options: &KernelOptions,
    ) -> Result<ChosenEngine, Error> {
        match (&self.kernel, self.choice, subject) {
            (Ok((programs, symbols)), ..) => {
                let kernel = KernelSide::first_segment(programs, symbols.as_ref(), (process, options));
                let reason = "BPF programs are allowed here".to_owned();
                Ok(ChosenEngine { engine: Engine::Kernel, reason, kernel: Some(kernel) })
            }
            (Err(reason), EngineChoice::Auto, Subject::Java) => Ok(without_kernel(process, reason)),
            (Err(reason), EngineChoice::Auto, Subject::Native) => {
                Err(Error::NativeNeedsKernel { reason: with_advice(reason) })
            }
            (Err(_), fixed, subject) => choose(fixed, (process, subject), options),
        }
    }
}

fn with_advice(reason: &str) -> String {
    format!("{reason}; {HOW_TO_GET_KERNEL}")
}

fn without_kernel(process: Process, reason: &str) -> ChosenEngine {
    let lost = format!(
        "no exact amounts, system calls or waits: the engine `kernel` needs BPF programs, and {}",
        with_advice(reason)
    );
    let (engine, reason) = match perf_events_for(process) {
        Ok(_) => (Engine::Cpu, lost),
        Err(perf) => {
            let split = format!("; no user/system split by method: the engine `cpu` needs perf events, and {perf}");
            (Engine::Ctimer, lost + &split)
        }
    };
    ChosenEngine { engine, reason, kernel: None }
}

fn load_kernel(options: &KernelOptions, reason: &str) -> Result<ChosenEngine, String> {
    check_pid_namespace()?;
    let kernel = KernelSide::load(options).map_err(|error| reason_of(&error.to_string()))?;
    Ok(ChosenEngine { engine: Engine::Kernel, reason: reason.to_owned(), kernel: Some(kernel) })
}

/// Why the programs could not be loaded. Without the needed rights, the kernel refuses whittle's first request with an
/// error that does not mention the rights.
pub(crate) fn reason_of(error: &str) -> String {
    let is_refusal = ["Operation not permitted", "Permission denied"].iter().any(|refusal| error.contains(refusal));
    if is_refusal { "the kernel does not allow whittle to load them".to_owned() } else { error.to_owned() }
}

/// Checks that whittle sees the same process ids as the kernel.
pub(crate) fn check_pid_namespace() -> Result<(), String> {
    let own = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    if own.as_os_str() == INITIAL_PID_NAMESPACE {
        return Ok(());
    }
    Err("whittle runs in a separate pid namespace, so its process ids differ from the kernel's".to_owned())
}

/// Why `process` can use perf events with kernel stacks (`Ok`), or why not (`Err`).
pub(crate) fn perf_events_for(process: Process) -> Result<String, String> {
    let Some(paranoid) = host::perf_event_paranoid() else {
        return Err("this kernel has no perf events".to_owned());
    };
    let is_capable = process.status().is_ok_and(|status| status.has_perfmon());
    let has_perfmon = is_capable && process.is_in_our_user_namespace();
    decide(paranoid, has_perfmon)
}

fn decide(paranoid: i32, has_perfmon: bool) -> Result<String, String> {
    if has_perfmon {
        return Ok("the process is allowed to use perf events (CAP_PERFMON)".to_owned());
    }
    if paranoid <= 1 {
        return Ok(format!("all users are allowed to use perf events (perf_event_paranoid = {paranoid})"));
    }
    Err(format!(
        "perf_event_paranoid is {paranoid} and the process has no CAP_PERFMON \
         (`sysctl kernel.perf_event_paranoid=1` as root allows perf events)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Events;

    #[test]
    fn perf_events_need_a_capability_or_a_lenient_kernel() {
        assert!(decide(4, true).is_ok());
        assert!(decide(1, false).is_ok());
        assert!(decide(-1, false).is_ok());
        let reason = decide(2, false).unwrap_err();
        assert!(reason.contains("perf_event_paranoid is 2") && reason.contains("sysctl"), "{reason}");
    }

    #[test]
    fn ctimer_is_always_to_be_had_for_java_and_never_for_others() {
        let own = Process(std::process::id());
        let tick = Duration::from_millis(10);
        let options = KernelOptions { tick, events: Events::default(), follows: false, drop_every: 0 };
        let choice = EngineChoice::Fixed(Engine::Ctimer);
        assert_eq!(
            choose(choice, (own, Subject::Java), &options).map(|chosen| chosen.engine).ok(),
            Some(Engine::Ctimer)
        );
        let error = choose(choice, (own, Subject::Native), &options).err().unwrap();
        assert!(error.to_string().contains("only Java"), "{error}");
    }
}
