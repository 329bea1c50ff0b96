//! A running collection: polls the accounts, reads the engine's data, and writes parts.
//!
//! Two kinds of sources are combined here. The kernel side (if the engine is kernel-driven) provides events, exact values
//! and native stacks. The profiler in each JVM (if there is one) provides Java stacks, allocations and locks, which arrive
//! in its recording some seconds later. The JVM is the main process, or a process that the main process started.
//!
//! A session has three phases. A part of a continuous collection has the same phases, with differences in `segment`.
//!
//! ```text
//! start ──> run ──> end
//!            ├── jvm_search                 finds JVMs that start later, and starts the profiler in them
//!            ├── recording, profiled_jvm    reads the data of the profiler in each JVM
//!            ├── description, coverage      the manifest so far
//!            └── parts, store               writing, and rows that are not on disk yet
//! ```

mod coverage;
mod description;
mod end;
mod jvm_search;
mod notices;
mod parts;
mod profiled_jvm;
mod recording;
mod run;
mod segment;
mod start;
mod store;

use self::jvm_search::JvmSearch;
use self::notices::Notices;
use self::profiled_jvm::{ProfiledJvm, Recorded};
use self::store::Store;
use crate::agent::Agent;
use crate::counters::Counters;
use crate::gathered::Gathered;
use crate::kernel::KernelSide;
use crate::options::{CollectOptions, Observer};
use crate::process::Process;
use crate::program_output::CapturedOutput;
use std::time::{Duration, Instant};
use whittle_model::{Manifest, UnitOfWork};

pub(crate) use description::leave_out;
pub(crate) use end::abandon;

/// How often the accounts are read and the progress is shown.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// How a collection began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// With the program's start: all its CPU time is included.
    Launched,
    /// While the program runs: only the time of the recording is included.
    Attached,
}

/// The sources of samples. At least one of `agent` and `kernel` is set.
pub(crate) struct Sources {
    pub(crate) agent: Option<Agent>,
    pub(crate) kernel: Option<KernelSide>,
    /// Whether the JVM with `agent` writes its own log to the session's folder.
    pub(crate) has_jvm_log: bool,
    /// The output of a launched program, if whittle reads it.
    pub(crate) output: Option<CapturedOutput>,
}

/// A running collection.
pub(crate) struct Session<'a> {
    process: Process,
    beginning: Beginning,
    manifest: Manifest,
    gathered: Gathered,
    store: Store,
    kernel: Option<KernelSide>,
    /// The JVMs with the profiler inside. An ended JVM is removed, unless it is the main process.
    jvms: Vec<ProfiledJvm>,
    /// True if chunks of recordings were read after the last part was written.
    has_unwritten_chunks: bool,
    /// What the recordings contained that were read to their end.
    ended_recordings: Recorded,
    /// Finds further JVMs. Missing: there can be none, or this engine does not see them.
    jvm_search: Option<JvmSearch>,
    /// True if there is nothing to describe without a recording, because the session began with the profiler in a JVM.
    needs_recording: bool,
    /// CLOCK_MONOTONIC when whittle began to end the collection. Later pauses of a JVM are whittle's own.
    log_end_ns: Option<u64>,
    /// Notes for the end of the collection.
    end_notes: Vec<String>,
    notices: Notices,
    started: Instant,
    last_look: Instant,
    counters: Counters,
    /// Units of work, in addition to the units in the options and in the program's output.
    work: Vec<UnitOfWork>,
    /// CLOCK_MONOTONIC when sampling ended. None: sampling continues.
    end_ns: Option<u64>,
    options: &'a CollectOptions,
}

impl Session<'_> {
    /// True for a part of a continuous collection.
    fn is_segment(&self) -> bool {
        self.store.is_in_memory()
    }

    /// CLOCK_MONOTONIC at the start of the described time.
    fn start_ns(&self) -> u64 {
        self.manifest.start_monotonic_ns.unwrap_or_default()
    }

    fn poll_kernel(&mut self) {
        let Some(kernel) = &mut self.kernel else { return };
        kernel.poll(&mut self.gathered);
        for jvm in &self.jvms {
            kernel.confirm_handler(jvm.process);
        }
    }

    fn note_counters(&mut self) {
        let start_ns = self.start_ns();
        let Gathered { builder, accounts } = &mut self.gathered;
        self.counters.poll(accounts.resident_bytes(), start_ns, &mut builder.tables_mut().counters);
    }

    /// Reads what the JVMs have written to their logs.
    fn read_jvm_logs(&mut self, observer: &mut dyn Observer) {
        let events = &mut self.gathered.builder.tables_mut().jvm_events;
        for error in self.jvms.iter_mut().filter_map(|jvm| jvm.read_log(events).err()) {
            self.notices.once(format!("the JVM's log cannot be read: {error}"), observer);
        }
    }

    fn take_rows(&mut self) {
        self.store.take_rows(&mut self.gathered.builder);
    }
}
