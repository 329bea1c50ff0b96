//! Collection on Linux: from a command line or a process id to an experiment.
//!
//! ```text
//! collection ── launch or attach ──> async-profiler in the JVM ──> recording (a growing JFR file)
//!     │                                                                 │ whole chunks, every few seconds
//!     ├── accounts: exact CPU time from the scheduler, per process and thread
//!     └── experiment parts on disk <── tables <────────────────────────┘
//! ```
//!
//! [`collect`] is the entrance. The engine is chosen by privilege ([`engine`](EngineChoice)); the
//! kernel-driven engine will stand above the two of today. This is the only crate that may use
//! `unsafe`, for system calls that have no safe wrapper.

mod accounts;
mod agent;
mod async_profiler;
mod attach;
mod class_archive;
mod closure;
mod code_files;
mod collection;
mod continuous;
mod counters;
mod cpu_quota;
mod doctor;
mod engine;
mod error;
mod events;
mod host;
mod jvm_counters;
mod kernel;
mod launch;
mod launch_gate;
mod machine_cpu;
mod measured_run;
mod native;
mod options;
mod perf_memory;
mod process;
mod program_output;
mod reached;
mod recording;
mod running;
mod session;
mod syscall_names;
mod target_folder;
mod thread_dump;
mod watch;

pub use code_files::{BinaryFile, FileSymbols, Processor, jar_class_path, read_zip_entry};
pub use collection::collect;
pub use continuous::{ContinuousOptions, Finish, HostCollector, SegmentSink};
pub use doctor::{Check, Diagnosis, diagnose};
pub use engine::{Engine, EngineChoice};
pub use error::Error;
pub use events::{Amount, Events};
pub use host::host_name;
pub use measured_run::{MeasuredRun, OutputFiles, run_measured, run_measured_into};
pub use options::{CollectOptions, Ending, Observer, Outcome, Progress, Stop, StopRequest, Target};
pub use program_output::{BadPattern, PrintedNumbers};
pub use running::{ProcessKind, RunningProcess, running_process, running_processes};
pub use watch::ProcessWatch;
