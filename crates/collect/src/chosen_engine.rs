//! Chooses the first possible engine in this table. The first engine provides the most data. The last engine needs no
//! rights.
//!
//! | engine   | needs                                               | sees                                              |
//! |----------|-----------------------------------------------------|---------------------------------------------------|
//! | `kernel` | root, or CAP_BPF and CAP_PERFMON; Linux 5.15 with BTF | all below, exact amounts, system calls, run queue |
//! | `cpu`    | perf events: perf_event_paranoid ≤ 1 or CAP_PERFMON | Java, native and kernel; user/system split; waits |
//! | `ctimer` | nothing                                             | Java and native; no split by method; waits        |
//!
//! Only the first engine collects native programs.

use crate::engine::{Engine, EngineChoice, Subject};
use crate::kernel::{KernelOptions, KernelSide, SharedPrograms};
use crate::kernel_obstacle::Obstacle;
use crate::process::Process;
use crate::{Error, host};
use std::time::Duration;
use whittle_native::KernelSymbols;

/// The reason of an engine that the user chose.
pub(crate) const REQUESTED: &str = "requested";

/// An engine and why it was chosen.
pub(crate) struct ChosenEngine {
    pub(crate) engine: Engine,
    /// The reason, one sentence without a full stop.
    pub(crate) reason: String,
    /// The kernel-driven engine, loaded.
    pub(crate) kernel: Option<KernelSide>,
}

/// Chooses the engine for `process`. The engine `cpu` needs rights of the JVM, because the JVM itself opens perf
/// events. The kernel-driven engine needs rights of whittle.
pub(crate) fn choose(
    choice: EngineChoice,
    (process, subject): (Process, Subject),
    options: &KernelOptions,
) -> Result<ChosenEngine, Error> {
    let plain = |engine, reason: String| Ok(ChosenEngine { engine, reason, kernel: None });
    match (choice, subject) {
        (EngineChoice::Fixed(Engine::Ctimer), Subject::Java) => plain(Engine::Ctimer, REQUESTED.to_owned()),
        (EngineChoice::Fixed(Engine::Cpu), Subject::Java) => match perf_events_for(process) {
            Ok(_) => plain(Engine::Cpu, REQUESTED.to_owned()),
            Err(reason) => Err(Error::EngineUnavailable { engine: "cpu", needs: "perf events", reason }),
        },
        (EngineChoice::Fixed(engine @ (Engine::Cpu | Engine::Ctimer)), Subject::Native) => {
            Err(Error::EngineNeedsJava { engine: engine.name() })
        }
        (EngineChoice::Fixed(Engine::Kernel), _) => load_kernel(options, REQUESTED).map_err(unavailable),
        (EngineChoice::Auto, _) => match (load_kernel(options, "BPF programs are allowed here"), subject) {
            (Ok(chosen), _) => Ok(chosen),
            (Err(obstacle), Subject::Native) => Err(Error::NativeNeedsKernel { reason: obstacle.to_string() }),
            (Err(obstacle), Subject::Java) => Ok(without_kernel(process, &obstacle)),
        },
    }
}

/// The engine for all processes of a host, in a continuous collection.
pub(crate) struct HostEngine {
    choice: EngineChoice,
    /// The kernel-driven engine with the kernel's names, or why it is not available.
    kernel: Result<(SharedPrograms, Option<KernelSymbols>), Obstacle>,
}

impl HostEngine {
    /// Loads the programs and data that the choice needs, once for all processes. `pause`: time between two readings of
    /// records from the kernel.
    pub(crate) fn load(choice: EngineChoice, options: &KernelOptions, pause: Duration) -> Result<Self, Error> {
        let load = || {
            let programs = Obstacle::or(|| SharedPrograms::of(options, pause))?;
            Ok((programs, KernelSymbols::read().ok()))
        };
        let kernel = if choice.collects_native() { load() } else { Err(Obstacle::other_engine()) };
        match (choice, kernel) {
            (EngineChoice::Fixed(Engine::Kernel), Err(obstacle)) => Err(unavailable(obstacle)),
            (choice, kernel) => Ok(Self { choice, kernel }),
        }
    }

    /// Why the kernel-driven engine is not used. None: the engine is used, or the user requested another engine.
    pub(crate) fn obstacle(&self) -> Option<String> {
        let wanted = self.kernel.as_ref().err().filter(|_| self.choice.collects_native());
        wanted.map(ToString::to_string)
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
            (Err(obstacle), EngineChoice::Auto, Subject::Java) => Ok(without_kernel(process, obstacle)),
            (Err(obstacle), EngineChoice::Auto, Subject::Native) => {
                Err(Error::NativeNeedsKernel { reason: obstacle.to_string() })
            }
            (Err(_), fixed, subject) => choose(fixed, (process, subject), options),
        }
    }
}

fn unavailable(obstacle: Obstacle) -> Error {
    Error::EngineUnavailable { engine: "kernel", needs: "BPF programs", reason: obstacle.to_string() }
}

fn without_kernel(process: Process, obstacle: &Obstacle) -> ChosenEngine {
    let lost = format!("no exact amounts: the engine `kernel` needs BPF programs, and {obstacle}");
    let (engine, reason) = match perf_events_for(process) {
        Ok(_) => (Engine::Cpu, lost),
        Err(perf) => {
            let split = format!("; no user/system split by method: the engine `cpu` needs perf events, and {perf}");
            (Engine::Ctimer, lost + &split)
        }
    };
    ChosenEngine { engine, reason, kernel: None }
}

fn load_kernel(options: &KernelOptions, reason: &str) -> Result<ChosenEngine, Obstacle> {
    let kernel = Obstacle::or(|| KernelSide::load(options))?;
    Ok(ChosenEngine { engine: Engine::Kernel, reason: reason.to_owned(), kernel: Some(kernel) })
}

/// Why `process` can use perf events with kernel stacks (`Ok`), or why not (`Err`).
pub(crate) fn perf_events_for(process: Process) -> Result<String, String> {
    let Some(paranoid) = host::perf_event_paranoid() else {
        return Err("this kernel has no perf events".to_owned());
    };
    let is_capable = process.status().is_ok_and(|status| status.has_perfmon());
    // Whittle can be in the same user namespace as the process.
    decide(paranoid, if is_capable { Perfmon::of(process.is_in_first_user_namespace()) } else { Perfmon::Missing })
}

/// Where a process has CAP_PERFMON. Only the capability of the whole machine allows perf events.
#[derive(Debug, Clone, Copy)]
enum Perfmon {
    OnMachine,
    OnlyInUserNamespace,
    /// Whittle is not allowed to see the user namespace of the process.
    SomewhereUnknown,
    Missing,
}

impl Perfmon {
    fn of(is_in_first_user_namespace: Option<bool>) -> Self {
        match is_in_first_user_namespace {
            Some(true) => Self::OnMachine,
            Some(false) => Self::OnlyInUserNamespace,
            None => Self::SomewhereUnknown,
        }
    }
}

fn decide(paranoid: i32, perfmon: Perfmon) -> Result<String, String> {
    let lack = match perfmon {
        Perfmon::OnMachine => return Ok("the process is allowed to use perf events (CAP_PERFMON)".to_owned()),
        _ if paranoid <= 1 => {
            return Ok(format!("all users are allowed to use perf events (perf_event_paranoid = {paranoid})"));
        }
        Perfmon::OnlyInUserNamespace => "the process has CAP_PERFMON only in its user namespace",
        Perfmon::SomewhereUnknown => {
            "whittle is not allowed to see whether the process has CAP_PERFMON only in a user namespace"
        }
        Perfmon::Missing => "the process has no CAP_PERFMON",
    };
    Err(format!(
        "perf_event_paranoid is {paranoid} and {lack} (`sysctl kernel.perf_event_paranoid=1` as root allows perf events)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Events;

    #[test]
    fn perf_events_need_a_capability_or_a_lenient_kernel() {
        assert!(decide(4, Perfmon::OnMachine).is_ok());
        assert!(decide(1, Perfmon::Missing).is_ok());
        assert!(decide(-1, Perfmon::OnlyInUserNamespace).is_ok());
        let reason = decide(2, Perfmon::Missing).unwrap_err();
        assert!(reason.contains("perf_event_paranoid is 2") && reason.contains("sysctl"), "{reason}");
    }

    #[test]
    fn a_capability_that_does_not_count_is_named() {
        for (namespace, part) in [(Some(false), "only in its user namespace"), (None, "not allowed to see")] {
            let reason = decide(2, Perfmon::of(namespace)).unwrap_err();
            assert!(reason.contains(part) && !reason.contains("has no CAP_PERFMON"), "{reason}");
        }
    }

    #[test]
    fn ctimer_is_always_to_be_had_for_java_and_never_for_others() {
        let own = Process(std::process::id());
        let tick = Duration::from_millis(10);
        let options =
            KernelOptions { tick, events: Events::default(), follows: false, has_marks: false, drop_every: 0 };
        let choice = EngineChoice::Fixed(Engine::Ctimer);
        assert_eq!(
            choose(choice, (own, Subject::Java), &options).map(|chosen| chosen.engine).ok(),
            Some(Engine::Ctimer)
        );
        let error = choose(choice, (own, Subject::Native), &options).err().unwrap();
        assert!(error.to_string().contains("only Java"), "{error}");
    }
}
