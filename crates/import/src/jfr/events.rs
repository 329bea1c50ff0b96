//! The events that the import reads, and their fields.

use super::layout::Layout;
use super::metadata::{Metadata, TimeUnit};
use rustc_hash::FxHashMap;

/// The meaning of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum EventType {
    /// A thread was executing. async-profiler's samples represent CPU time. The JDK's samples are only observations.
    ExecutionSample,
    /// The JDK saw a thread in native code, executing or waiting.
    NativeMethodSample,
    /// A thread used CPU time. The event contains the amount (JDK 25).
    CpuTimeSample,
    /// async-profiler observed a thread, executing or not.
    WallClockSample,
    /// An allocation for which the thread needed a new buffer.
    AllocationInNewTlab,
    /// An allocation outside the thread's buffer.
    AllocationOutsideTlab,
    /// An allocation that represents many allocations (JDK).
    AllocationSample,
    /// A wait for a monitor.
    MonitorEnter,
    /// A wait for a lock of `java.util.concurrent`. The JDK also records waits for other objects.
    ThreadPark,
    /// A setting of the recording.
    ActiveSetting,
    /// The JVM and its command line.
    JvmInformation,
    /// A system property of the JVM at its start.
    SystemProperty,
    /// The operating system.
    OsInformation,
    /// The JDK lost CPU time samples.
    CpuTimeSamplesLost,
    /// The JDK lost bytes.
    DataLoss,
}

impl EventType {
    /// True for events that become rows of the samples table.
    pub(crate) fn is_sample(self) -> bool {
        self <= Self::ThreadPark
    }

    /// True for allocations of objects.
    pub(crate) fn is_allocation(self) -> bool {
        matches!(self, Self::AllocationInNewTlab | Self::AllocationOutsideTlab | Self::AllocationSample)
    }
}

/// Slots of all samples.
pub(crate) mod sample {
    pub(crate) const TIME: usize = 0;
    pub(crate) const THREAD: usize = 1;
    pub(crate) const STACK: usize = 2;
    /// The amount of the sample: a period, a number of observations, bytes or a waiting time.
    pub(crate) const AMOUNT: usize = 3;
    /// For CPU time samples: whether the stack could not be walked.
    pub(crate) const FAILED: usize = 4;
    /// For CPU time samples: whether the stack was taken at a safepoint, and not at the place that used the time.
    pub(crate) const BIASED: usize = 5;
    /// For wall clock samples: async-profiler's number of the thread's state.
    pub(crate) const STATE: usize = 4;
    /// For wall clock samples: the time between the first and the last observation that the sample represents.
    pub(crate) const TIME_SPAN: usize = 5;
    /// For parked threads: the class of the object that the thread waited for.
    pub(crate) const PARKED_CLASS: usize = 4;
    /// For allocations: the class of the object.
    pub(crate) const OBJECT_CLASS: usize = 4;
    /// For allocations in a new buffer: the size of the object. The slot `AMOUNT` contains the size of the buffer.
    pub(crate) const OBJECT_SIZE: usize = 5;
}

const EXECUTION: &[&str] = &["startTime", "sampledThread", "stackTrace"];
const WALL: &[&str] = &["startTime", "sampledThread", "stackTrace", "samples", "state", "timeSpan"];
const CPU_TIME: &[&str] = &["startTime", "eventThread", "stackTrace", "samplingPeriod", "failed", "biased"];
// The amount is the size of the new buffer, because the sample represents the buffer.
const NEW_TLAB: &[&str] = &["startTime", "eventThread", "stackTrace", "tlabSize", "objectClass", "allocationSize"];
const OUTSIDE_TLAB: &[&str] = &["startTime", "eventThread", "stackTrace", "allocationSize", "objectClass"];
const ALLOCATION: &[&str] = &["startTime", "eventThread", "stackTrace", "weight", "objectClass"];
const WAIT: &[&str] = &["startTime", "eventThread", "stackTrace", "duration", "parkedClass"];

/// Every event that is read, with its name and its fields in slot order.
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
    /// Unit of the field in the slot [`sample::AMOUNT`], if the amount is a time.
    pub(crate) amount_unit: Option<TimeUnit>,
}

/// The readers of the chunk's events, by type id.
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
