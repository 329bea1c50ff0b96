//! One set of programs in the kernel for any number of collections: each listens to its process, or to all.
//!
//! ```text
//!                                      ┌── process 4711 ──> listener of 4711
//! programs ── ring buffer ── reader ───┤
//!                                      └── process 4890 ──> listener of 4890
//! ```
//!
//! What was lost on the way is told to whoever asks next, once: the kernel's counts do not say whose it was.

use super::plan::plan;
use super::programs::{KernelError, Plan, Programs};
use super::reader::RecordReader;
use super::records::{
    COUNT_DROPPED_RECORDS, COUNT_DROPPED_TICK_NS, COUNT_UNACCOUNTED_CALLS, COUNT_UNKNOWN_THREADS, ProcessValue, Record,
    ThreadValue,
};
use super::side::KernelOptions;
use crate::process::Process;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The ticks are moved after so many of them. Moving them begins a new distance, so half of one is lost each time: a
/// thousandth.
const TICKS_PER_SHIFT: u64 = 500;

/// Records of a process that nobody took are kept up to this number. Each listener looks every second or so.
const MAX_INBOX: usize = 1 << 20;

/// Whose records a listener gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// It is the only listener.
    All,
    One(u32),
}

/// What was lost on the way from the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    /// Records that found no room.
    pub(crate) records: u64,
    /// CPU time of the ticks among them.
    pub(crate) tick_ns: u64,
    /// Threads that could not be noted because they were leaving, or because there were too many.
    pub(crate) threads: u64,
    /// Calls that found no room in the accounts.
    pub(crate) calls: u64,
}

impl Lost {
    fn since(self, before: Self) -> Self {
        Self {
            records: self.records.saturating_sub(before.records),
            tick_ns: self.tick_ns.saturating_sub(before.tick_ns),
            threads: self.threads.saturating_sub(before.threads),
            calls: self.calls.saturating_sub(before.calls),
        }
    }

    /// Adds what was lost later.
    pub(crate) fn add(&mut self, later: Self) {
        self.records += later.records;
        self.tick_ns += later.tick_ns;
        self.threads += later.threads;
        self.calls += later.calls;
    }
}

/// The programs, loaded, for several listeners.
#[derive(Clone)]
pub(crate) struct SharedPrograms(Arc<Mutex<Shared>>);

struct Shared {
    programs: Programs,
    reader: RecordReader,
    /// Records that are taken out of the reader and not yet taken by their listener.
    inboxes: FxHashMap<u32, Vec<Record>>,
    dropped_in_memory: u64,
    told: Lost,
    last_shift: Instant,
}

impl SharedPrograms {
    /// Loads the programs; nothing is observed yet. Records are taken out of the kernel with `pause` in between.
    fn load(plan: &Plan, pause: Duration) -> Result<Self, KernelError> {
        let (programs, ring) = Programs::load(plan)?;
        let reader = RecordReader::start(ring, pause).map_err(|error| KernelError::Refused {
            what: "starting a thread".to_owned(),
            reason: error.to_string(),
        })?;
        Ok(Self(Arc::new(Mutex::new(Shared {
            programs,
            reader,
            inboxes: FxHashMap::default(),
            dropped_in_memory: 0,
            told: Lost::default(),
            last_shift: Instant::now(),
        }))))
    }

    /// Loads the programs for what a collection asks for.
    pub(crate) fn of(options: &KernelOptions, pause: Duration) -> Result<Self, KernelError> {
        Self::load(&plan(options), pause)
    }

    /// The only listener.
    pub(crate) fn listen_to_all(self) -> Listener {
        Listener { shared: self.0, scope: Scope::All }
    }

    /// One of several listeners.
    pub(crate) fn listen_to(&self, process: Process) -> Listener {
        Listener { shared: Arc::clone(&self.0), scope: Scope::One(process.0) }
    }
}

/// What one collection has of the programs.
pub(crate) struct Listener {
    shared: Arc<Mutex<Shared>>,
    scope: Scope,
}

impl Listener {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another listener in the place of this one.
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
                shared.deliver(records);
                shared.inboxes.get_mut(&process_id).map(std::mem::take).unwrap_or_default()
            }
        }
    }

    /// What was lost since somebody asked last.
    pub(crate) fn take_lost(&self) -> Lost {
        let mut shared = self.shared();
        let count = |index| shared.programs.count(index);
        let now = Lost {
            records: count(COUNT_DROPPED_RECORDS) + shared.dropped_in_memory,
            tick_ns: count(COUNT_DROPPED_TICK_NS) + shared.reader.dropped_tick_ns(),
            threads: count(COUNT_UNKNOWN_THREADS),
            calls: count(COUNT_UNACCOUNTED_CALLS),
        };
        let since = now.since(shared.told);
        shared.told = now;
        since
    }

    /// Takes the last records out of the kernel; nothing comes afterwards.
    pub(crate) fn finish(&self) {
        if self.scope == Scope::All {
            self.shared().reader.finish();
        }
    }

    /// Observes a process from now on.
    pub(crate) fn observe(&self, process: Process, threads: &[(u32, ThreadValue)]) -> Result<(), KernelError> {
        let mut shared = self.shared();
        if let Scope::One(process_id) = self.scope {
            shared.inboxes.insert(process_id, Vec::new());
        }
        shared.programs.observe(process.0, threads)
    }

    /// Observes nothing of its own from now on.
    pub(crate) fn stop(&self) -> Result<(), KernelError> {
        let mut shared = self.shared();
        match self.scope {
            Scope::All => shared.programs.observe_nothing(),
            Scope::One(process_id) => {
                shared.inboxes.remove(&process_id);
                shared.programs.stop_observing(process_id)
            }
        }
    }

    /// The processes that are observed for it.
    pub(crate) fn processes(&self) -> Vec<(u32, ProcessValue)> {
        let mut processes = self.shared().programs.processes();
        processes.retain(|(id, _)| self.is_of(*id));
        processes
    }

    /// Its threads that live.
    pub(crate) fn threads(&self) -> Vec<(u32, ThreadValue)> {
        let mut threads = self.shared().programs.threads();
        threads.retain(|(_, value)| self.is_of(value.process_id));
        threads
    }

    fn is_of(&self, process_id: u32) -> bool {
        self.scope == Scope::All || self.scope == Scope::One(process_id)
    }

    /// Forgets a process that has ended.
    pub(crate) fn forget(&self, process_id: u32) {
        self.shared().programs.forget(process_id);
    }

    /// Lets signals go to the process while it has this handler.
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

    /// Moves the ticks by a little, if it is time, so that they keep step with no rhythm of a program.
    pub(crate) fn shift_ticks(&self) {
        let mut shared = self.shared();
        if shared.last_shift.elapsed() >= Duration::from_nanos(shared.programs.tick_ns() * TICKS_PER_SHIFT) {
            shared.last_shift = Instant::now();
            shared.programs.shift_ticks(random_share());
        }
    }

    /// Does something with the accounts of system calls.
    pub(crate) fn with_accounts<T>(&self, act: impl FnOnce(&mut Programs) -> T) -> T {
        act(&mut self.shared().programs)
    }
}

impl Shared {
    fn deliver(&mut self, records: Vec<Record>) {
        for record in records {
            // Without an inbox nobody listens any more.
            let Some(inbox) = self.inboxes.get_mut(&record.process_id()) else { continue };
            if inbox.len() < MAX_INBOX {
                inbox.push(record);
            } else {
                self.dropped_in_memory += 1;
            }
        }
    }
}

/// A number from 0 to 1 that nobody can keep step with.
fn random_share() -> f64 {
    use std::hash::{BuildHasher, Hasher};
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    random as f64 / u64::MAX as f64
}
