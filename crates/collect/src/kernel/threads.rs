//! Who is who: the kernel's thread ids and the rows of the threads table, and the processes that an
//! observed one started.

use super::records::{
    Event, Head, STATE_ON_CPU, STATE_PREEMPTION, STATE_RUN_QUEUE, ThreadLife, ThreadValue, kind, request,
};
use crate::accounts::set_cpu;
use crate::process::Process;
use rustc_hash::FxHashMap;
use whittle_model::{TableBuilder, ThreadClass, ThreadIndex};

/// The threads that are alive, by the kernel's id.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    /// The process that the collection is about.
    pub(crate) main: Option<Process>,
    known: FxHashMap<u32, Known>,
    /// From the id in the process's own pid namespace, which the profiler uses, to the kernel's.
    ids: FxHashMap<u32, u32>,
}

/// A thread can begin or end while the table is read.
const MAX_MISSING: u32 = 3;

#[derive(Debug, Clone, Copy)]
struct Known {
    process_id: u32,
    namespaced_id: u32,
    row: Option<ThreadIndex>,
    /// Readings of the kernel side's table since it was last in there.
    missing_count: u32,
}

impl Threads {
    /// Number of threads.
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    pub(crate) fn is_main(&self, process_id: u32) -> bool {
        self.main.is_some_and(|main| main.0 == process_id)
    }

    /// A thread begins.
    pub(crate) fn start(&mut self, life: &ThreadLife) {
        self.know(life.head.thread_id, life.head.process_id, life.namespaced_id);
    }

    /// Notes what a map's value tells of a thread.
    pub(crate) fn note(&mut self, thread_id: u32, value: &ThreadValue) {
        self.know(thread_id, value.process_id, value.namespaced_id).missing_count = 0;
    }

    /// The threads that were not noted for some readings: they have ended. With their rows.
    pub(crate) fn take_missing(&mut self) -> Vec<(u32, Option<ThreadIndex>)> {
        self.known.values_mut().for_each(|known| known.missing_count += 1);
        let is_missing = |_: &u32, known: &mut Known| known.missing_count > MAX_MISSING;
        self.known.extract_if(is_missing).map(|(id, known)| (id, known.row)).collect()
    }

    fn know(&mut self, thread_id: u32, process_id: u32, namespaced_id: u32) -> &mut Known {
        let namespaced_id = if namespaced_id == 0 { thread_id } else { namespaced_id };
        if self.is_main(process_id) {
            self.ids.insert(namespaced_id, thread_id);
        }
        self.known.entry(thread_id).or_insert(Known { process_id, namespaced_id, row: None, missing_count: 0 })
    }

    /// The row of a thread of which an event tells.
    pub(crate) fn row(&mut self, thread_id: u32, process_id: u32, builder: &mut TableBuilder) -> ThreadIndex {
        if !self.known.contains_key(&thread_id) {
            let namespaced_id = Process(process_id).namespaced_thread_id(thread_id).unwrap_or(thread_id);
            self.know(thread_id, process_id, namespaced_id);
        }
        self.known_row(thread_id, builder)
    }

    /// The row of a thread by its id alone: of the main process unless it is known otherwise.
    pub(crate) fn known_row(&mut self, thread_id: u32, builder: &mut TableBuilder) -> ThreadIndex {
        let main = self.main.map_or(0, |main| main.0);
        let known = self.known.get_mut(&thread_id);
        let Some(known) = known else { return builder.thread(Some(main), Some(thread_id), "") };
        let (process_id, namespaced_id) = (known.process_id, known.namespaced_id);
        *known.row.get_or_insert_with(|| builder.thread(Some(process_id), Some(namespaced_id), ""))
    }

    /// The row of a thread that has ended.
    pub(crate) fn of_life(&mut self, life: &ThreadLife, builder: &mut TableBuilder) -> ThreadIndex {
        self.know(life.head.thread_id, life.head.process_id, life.namespaced_id);
        self.known_row(life.head.thread_id, builder)
    }

    /// The thread has ended; its id in its own namespace stays known, for samples that come later.
    pub(crate) fn end(&mut self, thread_id: u32) {
        self.known.remove(&thread_id);
    }

    /// The kernel's id of a thread that the profiler sampled.
    pub(crate) fn id_of(&self, thread: ThreadIndex, builder: &TableBuilder) -> Option<u32> {
        let namespaced_id = builder.tables().threads.thread_id[thread.row()]?;
        Some(self.ids.get(&namespaced_id).copied().unwrap_or(namespaced_id))
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
    /// CPU time by process, as last read or as its ended threads say, whichever is more.
    cpu_ns: FxHashMap<u32, (u64, u64)>,
}

impl Followed {
    /// CPU time of all of them.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.cpu_ns.values().map(|(read, ended)| read.max(ended)).sum()
    }

    /// Reads a process once more; false if it has ended.
    pub(crate) fn poll(&mut self, process: Process) -> bool {
        let Some(cpu_ns) = process.cpu_ns() else { return process.is_alive() };
        self.cpu_ns.entry(process.0).or_default().0 = cpu_ns;
        process.is_alive()
    }

    /// Notes the figures of a thread that has ended.
    pub(crate) fn end_thread(
        &mut self,
        life: &ThreadLife,
        (row, start_ns): (ThreadIndex, u64),
        builder: &mut TableBuilder,
    ) {
        self.cpu_ns.entry(life.head.process_id).or_default().1 += life.cpu_ns;
        let threads = builder.threads_mut();
        let row = row.row();
        if threads.name[row].is_empty() {
            threads.name[row] = life.name();
        }
        threads.class[row] = ThreadClass::Work;
        threads.start_ns[row] = Some(life.start_ns.saturating_sub(start_ns));
        threads.end_ns[row] = Some(life.head.time_ns.saturating_sub(start_ns));
        set_cpu(threads, row, [life.cpu_ns, life.user_ns, life.system_ns]);
    }

    /// Brings the rows of live threads up to date.
    pub(crate) fn complete_live(&self, threads: &Threads, builder: &mut TableBuilder) {
        for (thread_id, known) in threads.of_others() {
            let Some(row) = known.row else { continue };
            let process = Process(known.process_id);
            let (Some(cpu_ns), Some(stat)) = (process.thread_cpu_ns(thread_id), process.thread_stat(thread_id)) else {
                continue;
            };
            let name = process.thread_name(thread_id).unwrap_or_default();
            let table = builder.threads_mut();
            let row = row.row();
            table.name[row] = name;
            table.class[row] = ThreadClass::Work;
            table.start_ns[row].get_or_insert(0);
            set_cpu(table, row, [cpu_ns, stat.user_ticks, stat.system_ticks]);
        }
    }
}
