//! Collection on Linux: from a command line or a process id to an experiment.
//!
//! ```text
//! collection ── launch or attach ──> async-profiler in the JVM ──> recording (a growing JFR file)
//!     │                                                                 │ whole chunks, every few seconds
//!     ├── accounts: exact CPU time from the scheduler, per process and thread
//!     ├── kernel: BPF programs, whose records go through four stages to rows
//!     └── experiment parts on disk <── tables <────────────────────────┘
//! ```
//!
//! [`collect`] is the entry point. The engine is chosen by privilege ([`engine`](EngineChoice)). This is the only crate
//! that ships `unsafe` code, for system calls without a safe wrapper.
//!
//! The crate has five floors. A module uses modules of lower floors, and modules of earlier groups on the same floor.
//!
//! ```text
//! 5 entrances     collection, continuous, doctor, measured_run, measured_server, watch
//! 4 a collection  session: start, run, end
//! 3 engines       kernel, kernel_obstacle, chosen_engine; class_archive and code_files for the files of the program
//! 2 a process     attach, agent, attached_trial, launch, running; accounts, counters
//! 1 ground        words (engine, events, options, error), the machine (host, cpu_quota …), formats (recording, thread_dump …)
//! ```

// Floor 1: basic types, the machine, formats.
mod engine;
mod events;
mod host;
mod launchers;
mod monitor_frame;
mod syscall_names;
mod thread_times;

mod closure;
mod cpu_quota;
mod cpus;
mod machine_cpu;
mod perf_memory;
mod reached;
mod recording;
mod server_address;
mod thread_dump;

mod agent_files;
mod async_profiler;
mod options;
mod program_output;
mod wall_clock;

mod error;

// Floor 2: one process, from outside and inside.
mod hand;
mod process;
mod process_file;
mod process_memory;
mod process_owner;
mod program_files;
mod session_folder;

mod accounts;
mod attach;
mod cpu_timeline;
mod jdk_version;
mod jvm_counters;
mod jvm_log;
mod jvm_ready;
mod launch_gate;
mod other_profilers;

mod agent;
mod attached_trial;
mod counters;
mod gathered;
mod instrument;
mod launch;
mod process_events;
mod running;

// Floor 3: engines, and the files of the program.
mod class_archive;
mod kernel;
mod kernel_obstacle;

mod chosen_engine;
mod code_files;

// Floor 4: a running collection.
mod session;

// Floor 5: entry points.
mod collection;
mod doctor;
mod measured_run;
mod measured_server;
mod watch;

mod continuous;

#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;

pub use agent_files::java_agent;
pub use attached_trial::{AttachedTrial, TrialPaths};
pub use code_files::{BinaryFile, FileSymbols, Processor, jar_class_path, read_zip_entry};
pub use collection::collect;
pub use continuous::{ContinuousOptions, Finish, HostCollector, SegmentSink};
pub use doctor::{Check, Diagnosis, diagnose};
pub use engine::{Engine, EngineChoice};
pub use error::Error;
pub use events::{Amount, Events, EventsError};
pub use hand::{end_all_within, kill_all as kill_helpers};
pub use host::host_name;
pub use jdk_version::{MAX_RELEASE_BYTES, version_in_release};
pub use measured_run::{MeasuredRun, OutputFiles, run_measured, run_measured_into};
pub use measured_server::{ServerLoad, run_server_into};
pub use options::{CollectOptions, Ending, Observer, Outcome, Progress, Stop, StopRequest, Target};
pub use process_file::ProcessFile;
pub use process_memory::environment_of;
pub use program_output::{BadPattern, PrintedNumbers};
pub use running::{
    ProcessKind, RunningProcess, other_process_ids, running_process, running_process_without_jdk, running_processes,
};
pub use server_address::ServerAddress;
pub use watch::ProcessWatch;
pub use whittle_native::{debug_info_cache, is_own_cache, open_regular_file};
