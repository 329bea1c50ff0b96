//! The tables of an experiment.
//!
//! ```text
//! samples ───────stack──> stacks ──frame──> frames ──function──> functions ──binary──> binaries
//!    ├──────────thread──> threads <──thread── thread_states, calibration
//!    ├────object_class──> object_classes
//!    └────────────file──> files
//! sampled_calls ─stack──> stacks
//!    ├──────────thread──> threads
//!    └─────────syscall──> syscalls ──file──> files
//!                            ├────thread──> threads
//!                            └<──syscall── syscall_latencies
//! requests ──────thread──> threads
//! request_parts ─thread──> threads
//! wakes ─────────thread──> threads
//!    └─────────stack──> stacks
//! counters, jvm_events, archive: point nowhere
//! ```

mod archive;
mod code;
mod jvm_events;
mod objects;
mod requests;
mod samples;
mod system_calls;
mod threads;
mod wakes;

pub use archive::{ArchiveTable, ArchivedClass};
pub use code::{
    Binary, BinaryKind, BinaryTable, Frame, FrameKind, FrameTable, Function, FunctionKind, FunctionTable,
    KERNEL_BINARY, Stack, StackTable,
};
pub use jvm_events::{JvmEvent, JvmEventKind, JvmEventTable};
pub use objects::{ObjectClass, ObjectClassTable};
pub use requests::{
    REQUEST_TIME_COUNT, Request, RequestKind, RequestPart, RequestPartTable, RequestTable, RequestTimes,
};
pub use samples::{CounterTable, CounterValue, SYSTEM_COUNTERS, Sample, SampleTable, SampledCall, SampledCallTable};
pub use system_calls::{
    Calibration, CalibrationTable, File, FileKind, FileTable, Syscall, SyscallLatency, SyscallLatencyTable,
    SyscallTable,
};
pub use threads::{CpuSplitSource, Thread, ThreadClass, ThreadState, ThreadStateSpan, ThreadStateTable, ThreadTable};
pub use wakes::{Wake, WakeTable, WakerKind};

use crate::Table;

/// All tables of one experiment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tables {
    /// ELF files, class origins, the kernel.
    pub binaries: BinaryTable,
    /// Functions and methods.
    pub functions: FunctionTable,
    /// Places in code.
    pub frames: FrameTable,
    /// The prefix tree of stacks.
    pub stacks: StackTable,
    /// Threads.
    pub threads: ThreadTable,
    /// What threads did, and when.
    pub thread_states: ThreadStateTable,
    /// Observations.
    pub samples: SampleTable,
    /// Classes of objects.
    pub object_classes: ObjectClassTable,
    /// Files, sockets and other objects that descriptors refer to.
    pub files: FileTable,
    /// Exact counts of system calls.
    pub syscalls: SyscallTable,
    /// Exact counts of system calls by latency.
    pub syscall_latencies: SyscallLatencyTable,
    /// System calls with their stacks.
    pub sampled_calls: SampledCallTable,
    /// Samples compared with exact values.
    pub calibration: CalibrationTable,
    /// Requests that servers answered.
    pub requests: RequestTable,
    /// When threads worked for requests.
    pub request_parts: RequestPartTable,
    /// Who ended the sampled waits.
    pub wakes: WakeTable,
    /// Counters over time.
    pub counters: CounterTable,
    /// Safepoints and garbage collections of the JVM.
    pub jvm_events: JvmEventTable,
    /// Class files.
    pub archive: ArchiveTable,
}

/// New rows of the growing tables that are not on disk yet.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewRows {
    /// Observations.
    pub samples: SampleTable,
    /// System calls with their stacks.
    pub sampled_calls: SampledCallTable,
    /// What threads did, and when.
    pub thread_states: ThreadStateTable,
    /// Requests that servers answered.
    pub requests: RequestTable,
    /// When threads worked for requests.
    pub request_parts: RequestPartTable,
    /// Who ended the sampled waits.
    pub wakes: WakeTable,
    /// Counters over time.
    pub counters: CounterTable,
}

impl NewRows {
    /// Adds the rows of `other` at the end.
    pub fn append(&mut self, other: Self) {
        self.samples.append(other.samples);
        self.sampled_calls.append(other.sampled_calls);
        self.thread_states.append(other.thread_states);
        self.requests.append(other.requests);
        self.request_parts.append(other.request_parts);
        self.wakes.append(other.wakes);
        self.counters.append(other.counters);
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
            && self.sampled_calls.is_empty()
            && self.thread_states.is_empty()
            && self.requests.is_empty()
            && self.request_parts.is_empty()
            && self.wakes.is_empty()
            && self.counters.is_empty()
    }
}
