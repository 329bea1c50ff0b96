//! Maps the kernel's thread ids to rows of the threads table.

use super::thread_rows::{NewThread, ThreadRows};
use crate::host;
use crate::kernel::layout::{Head, ThreadLife, ThreadValue};
use crate::kernel::records::Record;
use crate::process::Process;
use crate::thread_times::Life;
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{TableBuilder, ThreadIndex};

/// The threads of a collection: live threads by the kernel's id, and recently ended threads.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    /// The main process of the collection.
    pub(crate) main: Option<Process>,
    pub(crate) rows: ThreadRows,
    known: FxHashMap<u32, Known>,
    /// The kernel's ids. The profiler in a JVM uses the ids of the JVM's pid namespace.
    ids: FxHashMap<NamespacedThread, u32>,
    /// Ended threads. The profiler's samples arrive later and refer to these threads.
    past: FxHashMap<NamespacedThread, Vec<Past>>,
    /// Names of ended threads, from records that are not handled yet.
    coming_ends: FxHashMap<u32, String>,
    /// Unknown threads that had accounts at the previous reading, and unknown threads with accounts at this reading.
    unknown: [FxHashSet<u32>; 2],
    /// True if no later reading can provide more information about a thread.
    pub(crate) is_last_reading: bool,
}

/// Maximum number of readings in which a live thread can be missing. Threads can begin or end while the table is read.
const MAX_MISSING: u32 = 3;

/// A thread younger than this may still have its parent's name.
const YOUNG_NS: u64 = 50_000_000;

/// Maximum delay of the profiler's samples, in nanoseconds.
const PAST_NS: u64 = 30_000_000_000;

/// The process of a thread, and the thread's id in the pid namespace of this process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct NamespacedThread {
    pub(crate) process_id: u32,
    pub(crate) id: u32,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    process_id: u32,
    namespaced_id: u32,
    /// Start of the thread on CLOCK_MONOTONIC, if known.
    start_ns: u64,
    row: Option<ThreadIndex>,
    /// Number of readings of the kernel side's table since the thread was last in the table.
    missing_count: u32,
}

/// A thread that has ended.
#[derive(Debug, Clone, Copy)]
struct Past {
    of: Identity,
    /// End of the thread on CLOCK_MONOTONIC.
    end_ns: u64,
}

/// A live thread of a process that the observed process started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OtherThread {
    pub(crate) of: Identity,
    pub(crate) process: Process,
    /// Start of the thread on CLOCK_MONOTONIC, if known.
    pub(crate) start_ns: u64,
}

/// The kernel's id of a thread, and its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) thread_id: u32,
    pub(crate) row: ThreadIndex,
}

impl Threads {
    /// A copy of the live threads without rows, for new tables.
    pub(crate) fn for_next_segment(&self) -> Self {
        let without_row = |(id, known): (&u32, &Known)| (*id, Known { row: None, ..*known });
        let known = self.known.iter().map(without_row).collect();
        Self { main: self.main, known, ids: self.ids.clone(), ..Self::default() }
    }

    /// Number of threads that are alive.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    pub(crate) fn is_main(&self, process_id: u32) -> bool {
        self.main.is_some_and(|main| main.0 == process_id)
    }

    /// Reads the names of ended threads from records that are handled later. A thread that shares its row needs a name,
    /// and `/proc` has only names of live threads.
    pub(crate) fn look_ahead<'a>(&mut self, records: impl Iterator<Item = &'a Record>) {
        self.coming_ends.clear();
        let ends = records.filter_map(|record| match record {
            Record::ThreadEnd(life) if self.rows.is_sharing() => Some(life),
            _ => None,
        });
        for life in ends {
            self.coming_ends.entry(life.head.thread_id).or_insert_with(|| life.name());
        }
    }

    /// Adds a thread that begins.
    pub(crate) fn start(&mut self, life: &ThreadLife) {
        let other = self.known.get(&life.head.thread_id).filter(|known| known.process_id != life.head.process_id);
        if other.is_some() {
            self.known.remove(&life.head.thread_id);
        }
        self.know(life.head.thread_id, (life.head.process_id, life.namespaced_id), life.head.time_ns);
    }

    /// Records a thread's value from the kernel side's map. The value was read at `now_ns`.
    pub(crate) fn note(&mut self, thread_id: u32, value: &ThreadValue, now_ns: u64) {
        let start_ns = now_ns.saturating_sub(value.state_ns.iter().sum());
        self.know(thread_id, (value.process_id, value.namespaced_id), start_ns).missing_count = 0;
    }

    /// Returns the threads that were missing in several readings, because they have ended. The flag is true for threads
    /// of the main process.
    pub(crate) fn take_missing(&mut self, builder: &mut TableBuilder) -> Vec<(Identity, bool)> {
        self.known.values_mut().for_each(|known| known.missing_count += 1);
        let missing: Vec<_> =
            self.known.iter().filter(|(_, known)| known.missing_count > MAX_MISSING).map(|(id, _)| *id).collect();
        let mut of = |thread_id: u32| {
            let process_id = self.known.get(&thread_id)?.process_id;
            let row = self.give_row(thread_id, "", builder);
            Some((Identity { thread_id, row }, self.is_main(process_id)))
        };
        missing.into_iter().filter_map(&mut of).collect()
    }

    fn know(&mut self, thread_id: u32, (process_id, namespaced_id): (u32, u32), start_ns: u64) -> &mut Known {
        let namespaced_id = if namespaced_id == 0 { thread_id } else { namespaced_id };
        self.ids.insert(NamespacedThread { process_id, id: namespaced_id }, thread_id);
        let new = Known { process_id, namespaced_id, start_ns, row: None, missing_count: 0 };
        self.unknown[0].remove(&thread_id);
        self.known.entry(thread_id).or_insert(new)
    }

    /// The row of a thread with an event at `time_ns` of CLOCK_MONOTONIC.
    pub(crate) fn row(
        &mut self,
        (thread_id, process_id): (u32, u32),
        time_ns: u64,
        builder: &mut TableBuilder,
    ) -> ThreadIndex {
        if !self.known.contains_key(&thread_id) {
            let namespaced_id = Process(process_id).namespaced_thread_id(thread_id).unwrap_or(thread_id);
            self.know(thread_id, (process_id, namespaced_id), time_ns);
        }
        let name = if self.rows.is_sharing() { self.name_now((thread_id, process_id)) } else { None };
        self.give_row(thread_id, &name.unwrap_or_default(), builder)
    }

    /// The row of a thread that was alive when the table was read. `None`: the thread has ended since then, or is so
    /// young that it may still have its parent's name. In both cases, the record of the thread's end, or a later
    /// reading, contains the name.
    pub(crate) fn row_if_alive(
        &mut self,
        (thread_id, process_id): (u32, u32),
        time_ns: u64,
        builder: &mut TableBuilder,
    ) -> Option<ThreadIndex> {
        let known = self.known.get(&thread_id);
        if self.rows.is_sharing() && known.is_none_or(|known| known.row.is_none()) {
            let is_old = known.is_some_and(|known| known.start_ns + YOUNG_NS <= host::monotonic_ns());
            Process(process_id).thread_name(thread_id).filter(|_| is_old || self.is_last_reading)?;
        }
        Some(self.row((thread_id, process_id), time_ns, builder))
    }

    /// Prepares for the next reading of the accounts.
    pub(crate) fn begin_reading_accounts(&mut self) {
        self.unknown = [std::mem::take(&mut self.unknown[1]), FxHashSet::default()];
    }

    /// The row of a thread with accounts. `None`: a later reading can provide more information about the thread. If a
    /// thread is unknown at two readings, there was no room for the records of its start and end.
    pub(crate) fn row_of_accounts(&mut self, thread_id: u32, builder: &mut TableBuilder) -> Option<ThreadIndex> {
        match self.known.get(&thread_id) {
            Some(known) if known.row.is_some() || !self.is_last_reading => known.row,
            None if !self.unknown[0].contains(&thread_id) && !self.is_last_reading => {
                self.unknown[1].insert(thread_id);
                None
            }
            known => {
                let process_id = known.map(|known| known.process_id).or(self.main.map(|main| main.0));
                Some(self.row((thread_id, process_id.unwrap_or(0)), host::monotonic_ns(), builder))
            }
        }
    }

    fn name_now(&self, (thread_id, process_id): (u32, u32)) -> Option<String> {
        let coming = self.coming_ends.get(&thread_id).cloned();
        coming.or_else(|| Process(process_id).thread_name(thread_id))
    }

    /// The row of a thread that has ended.
    pub(crate) fn of_life(&mut self, life: &ThreadLife, builder: &mut TableBuilder) -> ThreadIndex {
        self.know(life.head.thread_id, (life.head.process_id, life.namespaced_id), life.start_ns);
        let name = life.name();
        let row = self.give_row(life.head.thread_id, &name, builder);
        let Head { process_id, .. } = life.head;
        let (is_main, namespaced_id) = (self.is_main(process_id), life.namespaced_id);
        let thread = NewThread { process_id, is_main, namespaced_id, name: &name, start_ns: life.start_ns };
        self.rows.set_last_name(row, &thread, builder);
        row
    }

    /// Gives a row to a known thread.
    fn give_row(&mut self, thread_id: u32, name: &str, builder: &mut TableBuilder) -> ThreadIndex {
        let known = self.known.get_mut(&thread_id);
        let Some(known) = known else { return self.rows.named(None, "(unknown thread)", builder) };
        let Known { process_id, namespaced_id, start_ns, .. } = *known;
        let is_main = self.main.is_some_and(|main| main.0 == process_id);
        let new = NewThread { process_id, is_main, namespaced_id, name, start_ns };
        *known.row.get_or_insert_with(|| self.rows.begin(&new, builder))
    }

    /// Ends the row's thread. Samples of this thread may still arrive. `life` is missing if the thread's end was not
    /// reported.
    pub(crate) fn end(&mut self, ended: Identity, (life, end_ns): (Option<&Life>, u64), builder: &mut TableBuilder) {
        self.rows.end(ended.row, (life, end_ns), builder);
        self.coming_ends.remove(&ended.thread_id);
        let Some(known) = self.known.remove(&ended.thread_id) else { return };
        let namespaced = NamespacedThread { process_id: known.process_id, id: known.namespaced_id };
        if self.ids.get(&namespaced) == Some(&ended.thread_id) {
            self.ids.remove(&namespaced);
        }
        self.past.entry(namespaced).or_default().push(Past { of: ended, end_ns });
    }

    /// Forgets the threads that ended before `settled_until_ns`, because no more samples of them can arrive.
    pub(crate) fn forget_past(&mut self, settled_until_ns: u64, now_ns: u64) {
        let until_ns = settled_until_ns.max(now_ns.saturating_sub(PAST_NS));
        self.past.retain(|_, lives| {
            lives.retain(|past| past.end_ns >= until_ns);
            !lives.is_empty()
        });
    }

    /// The thread that had this id at `time_ns` of CLOCK_MONOTONIC. `None`: the process has no such thread. A hostile program
    /// can write any id into its recording, also an id of another process's thread.
    pub(crate) fn at(
        &mut self,
        namespaced: NamespacedThread,
        time_ns: u64,
        builder: &mut TableBuilder,
    ) -> Option<Identity> {
        let lives = self.past.get(&namespaced);
        let live = self.ids.get(&namespaced).copied();
        // The two clocks can differ slightly. If no live thread has this id, the last thread with this id is used.
        let last = lives.and_then(|lives| lives.last()).filter(|_| live.is_none());
        if let Some(past) = lives.and_then(|lives| lives.iter().find(|past| past.end_ns >= time_ns)).or(last) {
            return Some(past.of);
        }
        let thread_id = live.unwrap_or(namespaced.id);
        let is_own = match self.known.get(&thread_id) {
            Some(known) => known.process_id == namespaced.process_id,
            None => {
                let process = Process(namespaced.process_id);
                self.is_main(process.0) && process.namespaced_thread_id(thread_id).is_some()
            }
        };
        is_own.then(|| Identity { thread_id, row: self.row((thread_id, namespaced.process_id), time_ns, builder) })
    }

    /// The thread in its pid namespace.
    pub(crate) fn namespaced(&self, thread_id: u32, process_id: u32) -> NamespacedThread {
        let id = self.known.get(&thread_id).map_or(thread_id, |known| known.namespaced_id);
        NamespacedThread { process_id, id }
    }

    /// The live threads of processes that the observed process started, if they have rows.
    pub(crate) fn of_others(&self) -> impl Iterator<Item = OtherThread> + '_ {
        let others = self.known.iter().filter(|(_, known)| !self.is_main(known.process_id));
        others.filter_map(|(id, known)| {
            let of = Identity { thread_id: *id, row: known.row? };
            Some(OtherThread { of, process: Process(known.process_id), start_ns: known.start_ns })
        })
    }
}
