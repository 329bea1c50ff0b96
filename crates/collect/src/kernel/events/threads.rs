//! Who is who: the kernel's thread ids and the rows of the threads table, and the processes that an
//! observed one started.

use super::records::{
    Event, Head, Record, STATE_ON_CPU, STATE_PREEMPTION, STATE_RUN_QUEUE, ThreadLife, ThreadValue, kind, request,
};
use super::thread_rows::{CpuFigures, Life, NewThread, ThreadRows};
use crate::accounts::USER_TICK_NS;
use crate::host;
use crate::process::Process;
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{TableBuilder, ThreadIndex};

/// The threads of a collection: those that are alive, by the kernel's id, and those that ended lately.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    /// The process that the collection is about.
    pub(crate) main: Option<Process>,
    pub(crate) rows: ThreadRows,
    known: FxHashMap<u32, Known>,
    /// From the id in the main process's own pid namespace, which the profiler uses, to the kernel's.
    ids: FxHashMap<u32, u32>,
    /// Of the main process, by the same id, for the profiler's samples, which come later.
    past: FxHashMap<u32, Vec<Past>>,
    /// Names of threads whose end is told by a record that is yet to be looked at.
    coming_ends: FxHashMap<u32, String>,
    /// Threads that had accounts at the last reading, or have at this one, and were not known then.
    unknown: [FxHashSet<u32>; 2],
    /// No other reading will tell more of a thread.
    pub(crate) is_last_reading: bool,
}

/// A thread can begin or end while the table is read.
const MAX_MISSING: u32 = 3;

/// A thread has its parent's name until it gives itself another one.
const YOUNG_NS: u64 = 50_000_000;

/// No sample of the profiler comes later than this, in nanoseconds.
const PAST_NS: u64 = 30_000_000_000;

#[derive(Debug, Clone, Copy)]
struct Known {
    process_id: u32,
    namespaced_id: u32,
    /// CLOCK_MONOTONIC, as far as it is known.
    start_ns: u64,
    row: Option<ThreadIndex>,
    /// Readings of the kernel side's table since it was last in there.
    missing_count: u32,
}

/// A thread that has ended.
#[derive(Debug, Clone, Copy)]
struct Past {
    of: Identity,
    /// CLOCK_MONOTONIC.
    end_ns: u64,
}

/// The kernel's id of a thread, and its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) thread_id: u32,
    pub(crate) row: ThreadIndex,
}

impl Threads {
    /// The same threads, those that are alive, without rows: for tables that begin now.
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

    /// Looks through the records that come next: a thread that shares its row needs a name, and one that has ended
    /// has none in `/proc` any more.
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

    /// A thread begins.
    pub(crate) fn start(&mut self, life: &ThreadLife) {
        self.know(life.head.thread_id, (life.head.process_id, life.namespaced_id), life.head.time_ns);
    }

    /// Notes what a map's value, read at `now_ns`, tells of a thread.
    pub(crate) fn note(&mut self, thread_id: u32, value: &ThreadValue, now_ns: u64) {
        let start_ns = now_ns.saturating_sub(value.state_ns.iter().sum());
        self.know(thread_id, (value.process_id, value.namespaced_id), start_ns).missing_count = 0;
    }

    /// The threads that were not noted for some readings: they have ended. With whether they are of the main process.
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
        if self.is_main(process_id) {
            self.ids.insert(namespaced_id, thread_id);
        }
        let new = Known { process_id, namespaced_id, start_ns, row: None, missing_count: 0 };
        self.unknown[0].remove(&thread_id);
        self.known.entry(thread_id).or_insert(new)
    }

    /// The row of a thread, of which something is told that happened at `time_ns` of CLOCK_MONOTONIC.
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

    /// The row of a thread that is said to be alive. None: it has ended since, or is too young to have its own name; the
    /// record of its end, or a later reading, will tell.
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

    /// The accounts are about to be read once more.
    pub(crate) fn begin_reading_accounts(&mut self) {
        self.unknown = [std::mem::take(&mut self.unknown[1]), FxHashSet::default()];
    }

    /// The row of a thread that has accounts; none if other readings will tell more of it. A thread that is unknown at
    /// two readings is one whose beginning and end were told in records that found no room.
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

    /// The row of a thread that is known.
    fn give_row(&mut self, thread_id: u32, name: &str, builder: &mut TableBuilder) -> ThreadIndex {
        let known = self.known.get_mut(&thread_id);
        let Some(known) = known else { return self.rows.named(None, "(unknown thread)", builder) };
        let Known { process_id, namespaced_id, start_ns, .. } = *known;
        let is_main = self.main.is_some_and(|main| main.0 == process_id);
        let new = NewThread { process_id, is_main, namespaced_id, name, start_ns };
        *known.row.get_or_insert_with(|| self.rows.begin(&new, builder))
    }

    /// The thread in this row has ended; samples of it may come later. `life` is none if nobody told its figures.
    pub(crate) fn end(&mut self, ended: Identity, (life, end_ns): (Option<&Life>, u64), builder: &mut TableBuilder) {
        self.rows.end(ended.row, (life, end_ns), builder);
        self.coming_ends.remove(&ended.thread_id);
        let Some(known) = self.known.remove(&ended.thread_id) else { return };
        self.forget_namespaced(ended.thread_id, &known);
        if self.is_main(known.process_id) {
            self.past.entry(known.namespaced_id).or_default().push(Past { of: ended, end_ns });
        }
    }

    fn forget_namespaced(&mut self, thread_id: u32, known: &Known) {
        if self.ids.get(&known.namespaced_id) == Some(&thread_id) {
            self.ids.remove(&known.namespaced_id);
        }
    }

    /// Forgets the threads that ended before `settled_until_ns`, of which no sample comes any more.
    pub(crate) fn forget_past(&mut self, settled_until_ns: u64, now_ns: u64) {
        let until_ns = settled_until_ns.max(now_ns.saturating_sub(PAST_NS));
        self.past.retain(|_, lives| {
            lives.retain(|past| past.end_ns >= until_ns);
            !lives.is_empty()
        });
    }

    /// The thread of the main process that had an id of its own pid namespace at `time_ns` of CLOCK_MONOTONIC.
    pub(crate) fn at(&mut self, namespaced_id: u32, time_ns: u64, builder: &mut TableBuilder) -> Identity {
        let lives = self.past.get(&namespaced_id);
        let live = self.ids.get(&namespaced_id).copied();
        // The two clocks can differ by a little: without a live one, the last one it was.
        let last = lives.and_then(|lives| lives.last()).filter(|_| live.is_none());
        if let Some(past) = lives.and_then(|lives| lives.iter().find(|past| past.end_ns >= time_ns)).or(last) {
            return past.of;
        }
        let thread_id = live.unwrap_or(namespaced_id);
        let process_id = self.main.map_or(0, |main| main.0);
        Identity { thread_id, row: self.row((thread_id, process_id), time_ns, builder) }
    }

    /// The id of a thread in its own namespace.
    pub(crate) fn namespaced_id(&self, thread_id: u32) -> u32 {
        self.known.get(&thread_id).map_or(thread_id, |known| known.namespaced_id)
    }

    fn of_others(&self) -> impl Iterator<Item = (u32, Known)> + '_ {
        let others = self.known.iter().filter(|(_, known)| !self.is_main(known.process_id));
        others.map(|(id, known)| (*id, *known))
    }
}

/// A wait that is open at the end of a collection, as the event that its end would have been.
pub(crate) fn open_wait(thread_id: u32, value: &ThreadValue, now_ns: u64) -> Option<Event> {
    let is_waiting = ![STATE_ON_CPU, STATE_PREEMPTION, STATE_RUN_QUEUE].contains(&value.state);
    let is_woken = value.woken_ns >= value.state_since_ns;
    if !is_waiting || is_woken || now_ns <= value.state_since_ns {
        return None;
    }
    let head = Head {
        time_ns: now_ns,
        process_id: value.process_id,
        thread_id,
        epoch: value.epoch,
        kind: kind::BLOCKED,
        request: request::DEFERRED,
        is_kernel_mode: 1,
    };
    let call = if value.is_in_call != 0 { value.call } else { -1 };
    Some(Event { head, weight: now_ns - value.state_since_ns, call, reason: value.state, ..Event::default() })
}

/// The processes that an observed one started, with their exact figures.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    processes: FxHashMap<u32, FollowedProcess>,
    /// CPU time of those that have ended.
    past_cpu_ns: u64,
}

/// CPU time of a process as last read, or as its ended threads say: whichever is more.
#[derive(Debug, Default, Clone, Copy)]
struct FollowedProcess {
    read_cpu_ns: u64,
    ended_cpu_ns: u64,
    /// Looks since it was last observed.
    missing_count: u32,
}

impl FollowedProcess {
    fn cpu_ns(self) -> u64 {
        self.read_cpu_ns.max(self.ended_cpu_ns)
    }
}

impl Followed {
    /// CPU time of all of them.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.past_cpu_ns + self.processes.values().map(|process| process.cpu_ns()).sum::<u64>()
    }

    /// Reads a process once more; false if it has ended.
    pub(crate) fn poll(&mut self, process: Process) -> bool {
        let Some(cpu_ns) = process.cpu_ns() else { return process.is_alive() };
        let followed = self.processes.entry(process.0).or_default();
        (followed.read_cpu_ns, followed.missing_count) = (cpu_ns, 0);
        process.is_alive()
    }

    /// Keeps only the sum of processes that are not there any more, and whose last threads have been told of.
    pub(crate) fn forget_ended(&mut self) {
        let Self { processes, past_cpu_ns } = self;
        processes.retain(|_, process| {
            process.missing_count += 1;
            let is_past = process.missing_count > MAX_MISSING;
            *past_cpu_ns += if is_past { process.cpu_ns() } else { 0 };
            !is_past
        });
    }

    /// Notes the CPU time of a thread that has ended.
    pub(crate) fn end_thread(&mut self, life: &ThreadLife) -> CpuFigures {
        self.processes.entry(life.head.process_id).or_default().ended_cpu_ns += life.cpu_ns;
        [life.cpu_ns, life.user_ns, life.system_ns]
    }

    /// Brings the rows of live threads up to date; `start_ns` is CLOCK_MONOTONIC at the experiment's start.
    pub(crate) fn complete_live(&self, threads: &Threads, start_ns: u64, builder: &mut TableBuilder) {
        for (thread_id, known) in threads.of_others() {
            let Some(row) = known.row else { continue };
            let process = Process(known.process_id);
            let (Some(cpu_ns), Some(stat)) = (process.thread_cpu_ns(thread_id), process.thread_stat(thread_id)) else {
                continue;
            };
            let name = process.thread_name(thread_id).unwrap_or_default();
            threads.rows.name(row, (&name, false), builder);
            let cpu = [cpu_ns, stat.user_ticks * USER_TICK_NS, stat.system_ticks * USER_TICK_NS];
            let life = Life { start_ns: known.start_ns.saturating_sub(start_ns), end_ns: None, cpu };
            threads.rows.complete(row, &life, builder);
        }
    }
}
