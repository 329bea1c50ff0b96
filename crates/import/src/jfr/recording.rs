//! The recording's information about itself: producer, settings, JVM and operating system.

use super::system_properties::SystemProperties;
use std::collections::BTreeMap;
use whittle_model::Jvm;

/// The program that wrote a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Producer {
    /// async-profiler.
    AsyncProfiler,
    /// The JDK's flight recorder.
    Jdk,
}

/// The event with async-profiler's settings for the whole recording.
const WHOLE_RECORDING: &str = "jdk.ActiveRecording";
const EXECUTION_SAMPLE: &str = "jdk.ExecutionSample";

/// async-profiler's default CPU sampling interval.
const DEFAULT_CPU_INTERVAL_NS: u64 = 10_000_000;
/// async-profiler's default wall clock interval.
const DEFAULT_WALL_INTERVAL_NS: u64 = 50_000_000;

/// The requested settings of a recording. Values are text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<(String, String), String>);

impl Settings {
    /// The value of the setting `name` for events named `event`. async-profiler writes settings of the whole recording
    /// under `jdk.ActiveRecording`.
    pub fn get(&self, event: &str, name: &str) -> Option<&str> {
        self.0.get(&(event.to_owned(), name.to_owned())).map(String::as_str)
    }

    /// All settings as event, name and value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.0.iter().map(|((event, name), value)| (event.as_str(), name.as_str(), value.as_str()))
    }

    pub(crate) fn insert(&mut self, event: &str, name: &str, value: &str) {
        self.0.insert((event.to_owned(), name.to_owned()), value.to_owned());
    }

    fn number(&self, event: &str, name: &str) -> Option<u64> {
        self.get(event, name)?.parse().ok()
    }

    fn engine(&self) -> Option<&str> {
        self.get(WHOLE_RECORDING, "engine")
    }

    /// Nanoseconds that one observation of a thread represents.
    pub(crate) fn wall_interval_ns(&self) -> u64 {
        let wall = self.number(EXECUTION_SAMPLE, "wall");
        let interval = || self.number(EXECUTION_SAMPLE, "interval").filter(|_| self.engine() == Some("wall"));
        wall.or_else(interval).filter(|interval| *interval > 0).unwrap_or(DEFAULT_WALL_INTERVAL_NS)
    }

    /// The meaning of async-profiler's execution samples. The recording does not contain the weights of samples, so the
    /// engine determines their weight.
    pub(crate) fn execution_meaning(&self, timer_weight_ns: Option<u64>) -> ExecutionMeaning {
        let event = self.get(WHOLE_RECORDING, "event").unwrap_or("cpu");
        match (self.engine(), event) {
            (Some("perf_events"), "cpu" | "cpu-clock") => {
                let interval = self.number(EXECUTION_SAMPLE, "interval").filter(|interval| *interval > 0);
                ExecutionMeaning::Cpu {
                    weight_ns: interval.unwrap_or(DEFAULT_CPU_INTERVAL_NS),
                    sees_kernel: self.sees_kernel(),
                }
            }
            // Timers fire at the kernel's tick, not at the requested interval.
            (Some("ctimer" | "itimer") | None, _) => {
                ExecutionMeaning::Cpu { weight_ns: timer_weight_ns.unwrap_or(0), sees_kernel: false }
            }
            _ => ExecutionMeaning::OtherEvent,
        }
    }

    /// True if stacks taken in the kernel have kernel frames.
    fn sees_kernel(&self) -> bool {
        self.get(EXECUTION_SAMPLE, "alluser") == Some("false")
            && self.get(WHOLE_RECORDING, "kernelSymbols") == Some("true")
            && self.get(WHOLE_RECORDING, "cstack") != Some("no")
    }
}

/// The meaning of an execution sample of async-profiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExecutionMeaning {
    /// CPU time; 0: unknown amount.
    Cpu { weight_ns: u64, sees_kernel: bool },
    /// An event other than time, such as a page fault.
    OtherEvent,
}

/// The recorded JVM's information about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JvmInformation {
    /// Name of the JVM, for example `OpenJDK 64-Bit Server VM`.
    pub name: String,
    /// The JVM's version text.
    pub version: String,
    /// Arguments to the JVM.
    pub jvm_arguments: String,
    /// Main class and its arguments.
    pub java_arguments: String,
    /// Process id, as the JVM sees it.
    pub process_id: Option<u32>,
}

impl JvmInformation {
    /// True if compiled code has exact line numbers. The last `DebugNonSafepoints` argument decides.
    fn has_exact_lines(&self) -> bool {
        let words = self.jvm_arguments.split_whitespace().rev();
        let settings = words.filter(|word| word.starts_with("-XX:") && word.ends_with("DebugNonSafepoints"));
        settings.map(|word| word == "-XX:+DebugNonSafepoints").next().unwrap_or(false)
    }
}

impl From<&JvmInformation> for Jvm {
    fn from(jvm: &JvmInformation) -> Self {
        Self {
            name: jvm.name.clone(),
            version: jvm.version.clone(),
            arguments: jvm.jvm_arguments.clone(),
            has_exact_lines: Some(jvm.has_exact_lines()),
        }
    }
}

/// The recording's information about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recording {
    /// Producer of the first chunk. Missing: no chunk was readable.
    pub producer: Option<Producer>,
    /// Start, nanoseconds since 1970. Times of samples are relative to this start.
    pub start_wall_ns: u64,
    /// Start on the recording's clock, if this clock counts nanoseconds. With async-profiler's `clock=monotonic`, the
    /// clock is CLOCK_MONOTONIC.
    pub start_clock_ns: Option<u64>,
    /// Time from the start to the end of the last chunk or sample, whichever is later.
    pub duration_ns: u64,
    /// Chunks that were readable at least in part.
    pub chunk_count: u64,
    /// The requested settings.
    pub settings: Settings,
    /// The JVM, if it is in the recording.
    pub jvm: Option<JvmInformation>,
    /// The JVM's system properties with the origins of its classes, as far as they are in the recording.
    pub system_properties: SystemProperties,
    /// The operating system, if it is in the recording.
    pub operating_system: Option<String>,
    /// Number of CPU time samples with a stack that was taken at a safepoint, and not at the place that used the time.
    pub biased_sample_count: u64,
    /// Readable samples that were left out, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
}

/// Why readable samples are not in the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    /// async-profiler counted an event other than time, such as page faults.
    OtherPerfEvent,
    /// The thread was parked, but not for a lock: it was idle, or sleeping.
    ParkedNotOnLock,
    /// async-profiler observed a thread that did not sleep. CPU samples contain its time.
    NotSleeping,
    /// `jdk.ObjectAllocationSample` counts the same allocations.
    AllocationCountedTwice,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(texts: &[(&str, &str, &str)]) -> Settings {
        let mut settings = Settings::default();
        texts.iter().for_each(|(event, name, value)| settings.insert(event, name, value));
        settings
    }

    #[test]
    fn only_perf_events_give_weight_and_mode() {
        let perf = settings(&[
            (WHOLE_RECORDING, "engine", "perf_events"),
            (WHOLE_RECORDING, "event", "cpu"),
            (WHOLE_RECORDING, "kernelSymbols", "true"),
            (EXECUTION_SAMPLE, "alluser", "false"),
            (EXECUTION_SAMPLE, "interval", "1000000"),
        ]);
        let cpu = |weight_ns, sees_kernel| ExecutionMeaning::Cpu { weight_ns, sees_kernel };
        assert_eq!(perf.execution_meaning(Some(7)), cpu(1_000_000, true));
        let timer = settings(&[(WHOLE_RECORDING, "engine", "ctimer"), (EXECUTION_SAMPLE, "interval", "1000000")]);
        assert_eq!(timer.execution_meaning(None), cpu(0, false));
        assert_eq!(timer.execution_meaning(Some(4_000_000)), cpu(4_000_000, false));
        let faults = settings(&[(WHOLE_RECORDING, "engine", "perf_events"), (WHOLE_RECORDING, "event", "page-faults")]);
        assert_eq!(faults.execution_meaning(None), ExecutionMeaning::OtherEvent);
    }
}
