//! Engines, the user's choice of an engine, and kinds of programs.

use std::str::FromStr;
use whittle_model::Collector;

/// The source of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// BPF programs in the kernel decide when to take a sample, and async-profiler answers with the stack.
    Kernel,
    /// async-profiler with perf events, one per thread.
    Cpu,
    /// async-profiler with a POSIX timer on each thread's CPU clock.
    Ctimer,
}

impl Engine {
    /// The name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kernel => Collector::KERNEL,
            Self::Cpu => Collector::CPU,
            Self::Ctimer => Collector::CTIMER,
        }
    }
}

/// The requested engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EngineChoice {
    /// The best engine that is allowed here.
    #[default]
    Auto,
    /// Only this engine.
    Fixed(Engine),
}

impl EngineChoice {
    /// True if native programs can be collected.
    pub(crate) fn collects_native(self) -> bool {
        matches!(self, Self::Auto | Self::Fixed(Engine::Kernel))
    }
}

impl FromStr for EngineChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "kernel" => Ok(Self::Fixed(Engine::Kernel)),
            "cpu" => Ok(Self::Fixed(Engine::Cpu)),
            "ctimer" => Ok(Self::Fixed(Engine::Ctimer)),
            _ => Err(format!("\"{text}\" is not an engine; known: auto, kernel, cpu, ctimer")),
        }
    }
}

/// The kind of program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A JVM, with the profiler inside.
    Java,
    /// A program of another kind.
    Native,
}
