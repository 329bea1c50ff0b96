#![doc = include_str!("../README.md")]

#[macro_use]
mod codes;
#[macro_use]
mod table;

mod builder;
mod cell;
mod child_index;
mod command_line;
mod identity;
mod ids;
mod loss;
mod manifest;
mod merge;
mod metric;
mod symbol_name;
mod tables;
mod thread_class;
pub mod thread_name;
mod validate;

pub use builder::{FileIdentity, NewFrame, NewFunction, TableBuilder};
pub use cell::{Cell, CellType, ColumnValues, PhysicalType, WrongCells};
pub use codes::UnknownCode;
pub use command_line::{CommandLineDetail, REDACTED, redact_command};
pub use identity::{ContentHash, normalized_name};
pub use ids::{
    BinaryIndex, FileIndex, FrameIndex, FunctionIndex, ObjectClassIndex, StackIndex, SyscallIndex, ThreadIndex,
};
pub use loss::{Loss, LossReason, Losses};
pub use manifest::{
    Closure, Collector, CollectorStatus, ExitStatus, FORMAT_VERSION, Host, Jvm, JvmProcess, Manifest, Program,
    ResourceUse, SegmentId, StackCost, State, StreamId, UnitOfWork,
};
pub use merge::MergedRuns;
pub use metric::{
    Choice, CpuMode, Distance, Engines, EventFacts, EventKind, Metric, MetricDefinition, MetricFacts, MetricName,
    MetricsSeen, Observed, Resource, Shown, Summed, Unit, WaitReason, WeightColumn, cpu_metrics, off_cpu_metrics,
};
pub use symbol_name::without_compiler_suffix;
pub use table::{ColumnSpec, Table};
pub use tables::{
    ArchiveTable, ArchivedClass, Binary, BinaryKind, BinaryTable, Calibration, CalibrationTable, CounterTable,
    CounterValue, CpuSplitSource, File, FileKind, FileTable, Frame, FrameKind, FrameTable, Function, FunctionKind,
    FunctionTable, JvmEvent, JvmEventKind, JvmEventTable, KERNEL_BINARY, NewRows, ObjectClass, ObjectClassTable,
    REQUEST_TIME_COUNT, Request, RequestKind, RequestPart, RequestPartTable, RequestTable, RequestTimes,
    SYSTEM_COUNTERS, Sample, SampleTable, SampledCall, SampledCallTable, Stack, StackTable, Syscall, SyscallLatency,
    SyscallLatencyTable, SyscallTable, Tables, Thread, ThreadClass, ThreadState, ThreadStateSpan, ThreadStateTable,
    ThreadTable, Wake, WakeTable, WakerKind,
};
pub use validate::BrokenPromise;
