//! Which engine collects: a ladder, from the one that sees most to the one that needs nothing.
//!
//! | engine   | needs                                             | sees                                      |
//! |----------|---------------------------------------------------|-------------------------------------------|
//! | `cpu`    | perf events: perf_event_paranoid ≤ 1 or CAP_PERFMON | Java, native and kernel; user/system split |
//! | `ctimer` | nothing                                           | Java and native; no split by method       |
//!
//! The kernel-driven engine (CAP_BPF) will stand above these two.

use crate::process::Process;
use crate::{Error, host};
use std::str::FromStr;

/// An engine of async-profiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// perf events, one per thread.
    Cpu,
    /// A POSIX timer on each thread's CPU clock.
    Ctimer,
}

impl Engine {
    /// The word for it in flags, files and async-profiler's options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Ctimer => "ctimer",
        }
    }
}

/// Which engine to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// The best one that this process may use.
    #[default]
    Auto,
    /// This one or none.
    Fixed(Engine),
}

impl FromStr for EngineChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "cpu" => Ok(Self::Fixed(Engine::Cpu)),
            "ctimer" => Ok(Self::Fixed(Engine::Ctimer)),
            _ => Err(format!("\"{text}\" is not an engine; known: auto, cpu, ctimer")),
        }
    }
}

/// An engine and why it was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChosenEngine {
    pub(crate) engine: Engine,
    /// One sentence without a full stop.
    pub(crate) reason: String,
}

/// Chooses the engine for code that runs with the rights of `process`: perf events are opened
/// inside the JVM, so its rights count and not ours.
pub(crate) fn choose(choice: EngineChoice, process: Process) -> Result<ChosenEngine, Error> {
    let perf = perf_events_for(process);
    match (choice, perf) {
        (EngineChoice::Fixed(Engine::Ctimer), _) => {
            Ok(ChosenEngine { engine: Engine::Ctimer, reason: "asked for".to_owned() })
        }
        (EngineChoice::Fixed(Engine::Cpu), Ok(_)) => {
            Ok(ChosenEngine { engine: Engine::Cpu, reason: "asked for".to_owned() })
        }
        (EngineChoice::Fixed(Engine::Cpu), Err(reason)) => Err(Error::EngineUnavailable { reason }),
        (EngineChoice::Auto, Ok(reason)) => Ok(ChosenEngine { engine: Engine::Cpu, reason }),
        (EngineChoice::Auto, Err(reason)) => Ok(ChosenEngine {
            engine: Engine::Ctimer,
            reason: format!("no user/system split by method: the engine `cpu` needs perf events, and {reason}"),
        }),
    }
}

/// Why `process` may use perf events with kernel stacks (`Ok`), or why not (`Err`).
fn perf_events_for(process: Process) -> Result<String, String> {
    let Some(paranoid) = host::perf_event_paranoid() else {
        return Err("this kernel has none".to_owned());
    };
    let is_capable = process.status().is_ok_and(|status| status.has_perfmon());
    let has_perfmon = is_capable && process.is_in_our_user_namespace();
    decide(paranoid, has_perfmon)
}

fn decide(paranoid: i32, has_perfmon: bool) -> Result<String, String> {
    if has_perfmon {
        return Ok("the process may use perf events (CAP_PERFMON)".to_owned());
    }
    if paranoid <= 1 {
        return Ok(format!("perf events are open to everybody (perf_event_paranoid = {paranoid})"));
    }
    Err(format!(
        "perf_event_paranoid is {paranoid} and the process has no CAP_PERFMON \
         (`sysctl kernel.perf_event_paranoid=1` as root opens them)"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perf_events_need_a_capability_or_a_lenient_kernel() {
        assert!(decide(4, true).is_ok());
        assert!(decide(1, false).is_ok());
        assert!(decide(-1, false).is_ok());
        let reason = decide(2, false).unwrap_err();
        assert!(reason.contains("perf_event_paranoid is 2") && reason.contains("sysctl"), "{reason}");
    }

    #[test]
    fn ctimer_is_always_to_be_had() {
        let own = Process(std::process::id());
        let chosen = choose(EngineChoice::Fixed(Engine::Ctimer), own).unwrap();
        assert_eq!(chosen.engine, Engine::Ctimer);
    }
}
