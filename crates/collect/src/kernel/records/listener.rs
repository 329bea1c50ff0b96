//! One set of programs in the kernel for any number of collections. Each collection listens to one process or to all
//! processes.
//!
//! ```text
//!                                      ┌── process 4711 ──> listener of 4711
//! programs ── ring buffer ── reader ───┤
//!                                      └── process 4890 ──> listener of 4890
//! ```
//!
//! The kernel counts lost records, but not by process. So losses are reported once, to the next listener that requests
//! them.

use super::inboxes::Inboxes;
use super::lost::Lost;
use super::reader::RecordReader;
use super::record::Record;
use crate::error::KernelError;
use crate::kernel::layout::{
    COUNT_COMPAT_CALLS, COUNT_DROPPED_RECORDS, COUNT_DROPPED_TICK_NS, COUNT_FULL_TABLES, COUNT_HANDLER_NS,
    COUNT_HANDLERS, COUNT_UNACCOUNTED_CALLS, COUNT_UNKNOWN_THREADS, COUNT_UNSEEN_REQUESTS, COUNT_UNSURE_ITEMS,
    HttpRequest, ProcessValue, ThreadValue, VirtualWait,
};
use crate::kernel::plan::{KernelOptions, plan};
use crate::kernel::programs::{Plan, Programs};
use crate::process::Process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use whittle_model::StackCost;

/// Number of ticks between two shifts of the ticks. A shift begins a new distance between ticks, so each shift loses
/// half a distance. The loss is a thousandth of the time.
const TICKS_PER_SHIFT: u64 = 500;

/// The records that a listener gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// The listener gets all records, because it is the only listener.
    All,
    One(u32),
}

/// The programs, loaded, for several listeners.
#[derive(Clone)]
pub(crate) struct SharedPrograms(Arc<Mutex<Shared>>);

struct Shared {
    programs: Programs,
    reader: RecordReader,
    /// Records that were read from the ring buffer and not yet taken by their listener.
    inboxes: Inboxes,
    dropped_in_memory: u64,
    told: Lost,
    last_shift: Instant,
}

impl SharedPrograms {
    /// Loads the programs, which observe no process yet. `pause`: time between two readings of records from the kernel.
    fn load(plan: &Plan, pause: Duration) -> Result<Self, KernelError> {
        let (programs, ring) = Programs::load(plan)?;
        let reader = RecordReader::start(ring, pause).map_err(|error| KernelError::Refused {
            what: "starting a thread".to_owned(),
            reason: error.to_string(),
        })?;
        Ok(Self(Arc::new(Mutex::new(Shared {
            programs,
            reader,
            inboxes: Inboxes::default(),
            dropped_in_memory: 0,
            told: Lost::default(),
            last_shift: Instant::now(),
        }))))
    }

    /// Loads the programs that a collection needs.
    pub(crate) fn of(options: &KernelOptions, pause: Duration) -> Result<Self, KernelError> {
        Self::load(&plan(options), pause)
    }

    /// The only listener. This listener gets the records of all processes.
    pub(crate) fn listen_to_all(self) -> Listener {
        Listener { shared: self.0, scope: Scope::All }
    }

    /// One of several listeners. This listener gets the records of `process`.
    pub(crate) fn listen_to(&self, process: Process) -> Listener {
        Listener { shared: Arc::clone(&self.0), scope: Scope::One(process.0) }
    }
}

/// The access of one collection to the programs.
pub(crate) struct Listener {
    shared: Arc<Mutex<Shared>>,
    scope: Scope,
}

impl Listener {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another listener for the same records. It replaces this listener.
    pub(crate) fn again(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), scope: self.scope }
    }

    /// The records since the last call, in the order of their times.
    pub(crate) fn take(&self) -> Vec<Record> {
        let mut shared = self.shared();
        let (records, dropped) = shared.reader.take();
        shared.dropped_in_memory += dropped;
        match self.scope {
            Scope::All => records,
            Scope::One(process_id) => {
                shared.inboxes.deliver(records);
                shared.inboxes.take(process_id)
            }
        }
    }

    /// The losses since the last call of any listener. The kernel makes a text for each program, so this is not for
    /// every fetch of records.
    pub(crate) fn take_lost(&self) -> Lost {
        let mut shared = self.shared();
        let counts = shared.programs.counts();
        let count = |index: u32| counts[index as usize];
        let now = Lost {
            records: count(COUNT_DROPPED_RECORDS) + shared.dropped_in_memory + shared.inboxes.dropped(),
            tick_ns: count(COUNT_DROPPED_TICK_NS) + shared.reader.dropped_tick_ns(),
            threads: count(COUNT_UNKNOWN_THREADS),
            without_room: count(COUNT_FULL_TABLES),
            calls: count(COUNT_UNACCOUNTED_CALLS),
            compat_calls: count(COUNT_COMPAT_CALLS),
            skipped_runs: shared.programs.skipped_runs(),
            requests: count(COUNT_UNSEEN_REQUESTS),
            unsure_items: count(COUNT_UNSURE_ITEMS),
        };
        let since = now.since(shared.told);
        shared.told = now;
        since
    }

    /// The profiler's work for stacks in the processes of all listeners.
    pub(crate) fn stack_cost(&self) -> StackCost {
        let [handlers_count, cpu_ns] =
            [COUNT_HANDLERS, COUNT_HANDLER_NS].map(|index| self.shared().programs.count(index));
        StackCost { handlers_count, cpu_ns }
    }

    /// The same, if this listener is the only one.
    pub(crate) fn own_stack_cost(&self) -> Option<StackCost> {
        (self.scope == Scope::All).then(|| self.stack_cost())
    }

    /// Reads the last records from the kernel. No more records arrive after this.
    pub(crate) fn finish(&self) {
        if self.scope == Scope::All {
            self.shared().reader.finish();
        }
    }

    /// Observes a process from now on.
    pub(crate) fn observe(&self, process: Process, threads: &[(u32, ThreadValue)]) -> Result<(), KernelError> {
        let mut shared = self.shared();
        if let Scope::One(process_id) = self.scope {
            shared.inboxes.open(process_id);
        }
        shared.programs.observe(process.0, threads)
    }

    /// Stops observing this listener's processes.
    pub(crate) fn stop(&self) -> Result<(), KernelError> {
        let mut shared = self.shared();
        match self.scope {
            Scope::All => shared.programs.observe_nothing(),
            Scope::One(process_id) => {
                shared.inboxes.close(process_id);
                shared.programs.stop_observing(process_id)
            }
        }
    }

    /// The processes that this listener observes.
    pub(crate) fn processes(&self) -> Vec<(u32, ProcessValue)> {
        let mut processes = self.shared().programs.processes();
        processes.retain(|(id, _)| self.is_of(*id));
        processes
    }

    /// The live threads of the processes that this listener observes.
    pub(crate) fn threads(&self) -> Vec<(u32, ThreadValue)> {
        let mut threads = self.shared().programs.threads();
        threads.retain(|(_, value)| self.is_of(value.process_id));
        threads
    }

    /// The last request of each connection.
    pub(crate) fn last_requests(&self) -> Vec<HttpRequest> {
        let mut requests = self.shared().programs.last_requests();
        requests.retain(|request| self.is_of(request.head.process_id));
        requests
    }

    /// The sampled waits of virtual threads that still wait at `end_ns`, as if they ended then.
    pub(crate) fn last_virtual_waits(&self, end_ns: u64) -> Vec<VirtualWait> {
        let threads = self.shared().programs.virtual_threads();
        let own = threads.iter().filter(|(process_id, _)| self.is_of(*process_id));
        own.filter_map(|(process_id, thread)| thread.wait_until(*process_id, end_ns)).collect()
    }

    fn is_of(&self, process_id: u32) -> bool {
        self.scope == Scope::All || self.scope == Scope::One(process_id)
    }

    /// Forgets a process that has ended.
    pub(crate) fn forget(&self, process_id: u32) {
        self.shared().programs.forget(process_id);
    }

    /// Allows signals to the process while the process has this handler.
    pub(crate) fn confirm_handler(&self, process_id: u32, handler: u64) -> Result<(), KernelError> {
        self.shared().programs.confirm_handler(process_id, handler)
    }

    /// The mean distance between two events of a kind.
    pub(crate) fn interval(&self, kind: u16) -> u64 {
        self.shared().programs.interval(kind)
    }

    /// Changes the mean distance between two events of a kind.
    pub(crate) fn set_interval(&self, kind: u16, interval: u64) -> Result<(), KernelError> {
        self.shared().programs.set_interval(kind, interval)
    }

    /// Shifts the ticks slightly, if enough ticks have passed since the last shift. Without shifts, a program with the
    /// same rhythm would always be sampled at the same place in its code.
    pub(crate) fn shift_ticks(&self) {
        let mut shared = self.shared();
        if shared.last_shift.elapsed() >= Duration::from_nanos(shared.programs.tick_ns() * TICKS_PER_SHIFT) {
            shared.last_shift = Instant::now();
            shared.programs.shift_ticks(random_share());
        }
    }

    /// Calls `act` with the programs, for access to the accounts of system calls.
    pub(crate) fn with_accounts<T>(&self, act: impl FnOnce(&mut Programs) -> T) -> T {
        act(&mut self.shared().programs)
    }
}

/// A random number from 0 to 1.
fn random_share() -> f64 {
    use std::hash::{BuildHasher, Hasher};
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    random as f64 / u64::MAX as f64
}
