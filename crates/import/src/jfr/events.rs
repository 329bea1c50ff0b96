//! Which events are read, and which of their fields.

use super::layout::Layout;
use super::metadata::{Metadata, TimeUnit};
use rustc_hash::FxHashMap;

/// What an event tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventType {
    /// A thread was executing: CPU time in async-profiler, a mere observation in the JDK.
    ExecutionSample,
    /// The JDK saw a thread in native code, executing or waiting.
    NativeMethodSample,
    /// A thread used as much CPU time as the event says (JDK 25).
    CpuTimeSample,
    /// async-profiler looked at a thread, executing or not.
    WallClockSample,
    /// An allocation for which the thread took a new buffer.
    AllocationInNewTlab,
    /// An allocation beside the thread's buffer.
    AllocationOutsideTlab,
    /// An allocation that stands for many (JDK).
    AllocationSample,
    /// A wait for a monitor.
    MonitorEnter,
    /// A wait for a lock of `java.util.concurrent`; in the JDK also for anything else.
    ThreadPark,
    /// A setting of the recording.
    ActiveSetting,
    /// The JVM and its command line.
    JvmInformation,
    /// A system property that the JVM started with.
    SystemProperty,
    /// The operating system.
    OsInformation,
    /// The JDK could not keep CPU time samples.
    CpuTimeSamplesLost,
    /// The JDK could not keep bytes.
    DataLoss,
}

impl EventType {
    /// True for events that become rows of the samples table.
    pub(crate) fn is_sample(self) -> bool {
        self <= Self::ThreadPark
    }
}

/// Slots of all samples.
pub(crate) mod sample {
    pub(crate) const TIME: usize = 0;
    pub(crate) const THREAD: usize = 1;
    pub(crate) const STACK: usize = 2;
    /// What the sample stands for: a period, a number of looks, bytes or a waiting time.
    pub(crate) const AMOUNT: usize = 3;
    /// CPU time samples: the stack could not be taken.
    pub(crate) const FAILED: usize = 4;
    /// CPU time samples: the stack was taken at a safepoint, not where the time was spent.
    pub(crate) const BIASED: usize = 5;
    /// Parked threads: the class of what was waited for.
    pub(crate) const PARKED_CLASS: usize = 4;
    /// Allocations in a new buffer: the size of the object. The amount is what the sample stands for.
    pub(crate) const OBJECT_SIZE: usize = 4;
}

const EXECUTION: &[&str] = &["startTime", "sampledThread", "stackTrace"];
const WALL: &[&str] = &["startTime", "sampledThread", "stackTrace", "samples"];
const CPU_TIME: &[&str] = &["startTime", "eventThread", "stackTrace", "samplingPeriod", "failed", "biased"];
// The size of the new buffer, not of the object: the buffer is what the sample stands for.
const NEW_TLAB: &[&str] = &["startTime", "eventThread", "stackTrace", "tlabSize", "allocationSize"];
const OUTSIDE_TLAB: &[&str] = &["startTime", "eventThread", "stackTrace", "allocationSize"];
const ALLOCATION: &[&str] = &["startTime", "eventThread", "stackTrace", "weight"];
const WAIT: &[&str] = &["startTime", "eventThread", "stackTrace", "duration", "parkedClass"];

/// Every event that is read: its name and its fields in slot order.
const READ_EVENTS: [(EventType, &str, &[&str]); 15] = [
    (EventType::ExecutionSample, "jdk.ExecutionSample", EXECUTION),
    (EventType::NativeMethodSample, "jdk.NativeMethodSample", EXECUTION),
    (EventType::CpuTimeSample, "jdk.CPUTimeSample", CPU_TIME),
    (EventType::WallClockSample, "profiler.WallClockSample", WALL),
    (EventType::AllocationInNewTlab, "jdk.ObjectAllocationInNewTLAB", NEW_TLAB),
    (EventType::AllocationOutsideTlab, "jdk.ObjectAllocationOutsideTLAB", OUTSIDE_TLAB),
    (EventType::AllocationSample, "jdk.ObjectAllocationSample", ALLOCATION),
    (EventType::MonitorEnter, "jdk.JavaMonitorEnter", WAIT),
    (EventType::ThreadPark, "jdk.ThreadPark", WAIT),
    (EventType::ActiveSetting, "jdk.ActiveSetting", &["id", "name", "value"]),
    (
        EventType::JvmInformation,
        "jdk.JVMInformation",
        &["jvmName", "jvmVersion", "jvmArguments", "javaArguments", "pid"],
    ),
    (EventType::SystemProperty, "jdk.InitialSystemProperty", &["key", "value"]),
    (EventType::OsInformation, "jdk.OSInformation", &["osVersion"]),
    (EventType::CpuTimeSamplesLost, "jdk.CPUTimeSamplesLost", &["lostSamples"]),
    (EventType::DataLoss, "jdk.DataLoss", &["amount"]),
];

/// How to read one event type of a chunk.
#[derive(Debug)]
pub(crate) struct EventReader {
    pub(crate) event_type: EventType,
    pub(crate) layout: Layout,
    /// Unit of the field in the slot [`sample::AMOUNT`], where that is a time.
    pub(crate) amount_unit: Option<TimeUnit>,
}

/// The readers of the chunk's events, by the events' type ids.
pub(crate) fn event_readers(metadata: &Metadata<'_>) -> FxHashMap<u64, EventReader> {
    let reader = |(event_type, name, fields): (EventType, &str, &[&str])| {
        let of = metadata.by_name(name)?;
        let layout = Layout::compile(metadata, of, fields).ok()?;
        let amount = of.fields.iter().find(|field| Some(&metadata.field_name(field)) == fields.get(sample::AMOUNT));
        let amount_unit = amount.and_then(|field| field.unit);
        Some((of.id, EventReader { event_type, layout, amount_unit }))
    };
    READ_EVENTS.into_iter().filter_map(reader).collect()
}
