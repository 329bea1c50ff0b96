//! Assigns threads to rows of the threads table, so that whittle's memory does not grow with the number of threads.
//!
//! The first [`OWN_ROWS`] threads have one row each. Later threads with similar names share rows, one after the other.
//! When a thread ends, its row is free for the next thread of its group.
//!
//! ```text
//! thread   alive   row
//! task-1   0-3     1: task-# (3 threads)
//! task-2   3-6     1
//! task-3   5-9     2: task-3                 began before task-2 ended
//! task-4   7-8     1
//! ```
//!
//! The number of rows per group is the largest number of the group's threads that were alive at the same time. The
//! spans of a row in thread_states do not overlap. While a row has a thread, the row does not change its group, because
//! samples on disk refer to the row.
//!
//! This module is pure. Its input is starts and ends of threads, and its output is rows and their values.

use crate::thread_times::{CpuTimes, Life, set_cpu};
use rustc_hash::FxHashMap;
use whittle_model::thread_name::{name_of_several, without_numbers};
use whittle_model::{TableBuilder, Thread, ThreadIndex};

/// Maximum number of threads with a separate row. With its thread's system calls, a row needs about 5 KB, so all rows
/// need 20 MB.
pub(crate) const OWN_ROWS: usize = 4096;

/// Maximum number of groups. Later threads with new names share one group.
const MAX_GROUPS: usize = 1024;

/// Maximum number of rows for names without a thread id. Further names share one row. Numbers are removed from names,
/// but names such as `job-3fa9c0` also differ in letters.
const MAX_NAMED: usize = 1024;

/// The group of unknown names and of names beyond the limit.
const OTHERS: &str = "(others)";

/// Maximum number of rows that change their group. If a thread's last name differs from its first name, its row changes
/// to the group of the last name. Each change needs one more row.
const MAX_REGROUPED: usize = 256;

/// If a thread used more than 1/100 of all CPU time, later threads do not share its row. Even in a long collection,
/// there are only a few such threads.
const LARGE_PARTS: u64 = 100;

/// A thread that needs a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewThread<'a> {
    pub(crate) process_id: u32,
    /// True if the thread is part of the main process, false if the main process started the thread's process.
    pub(crate) is_main: bool,
    pub(crate) namespaced_id: u32,
    /// The kernel's current name of the thread. Empty: the name is unknown.
    pub(crate) name: &'a str,
    /// Start of the thread on CLOCK_MONOTONIC.
    pub(crate) start_ns: u64,
}

/// Whether a thread is part of the main process, and the thread's name without numbers.
type Group = (bool, String);

/// The state of a row.
#[derive(Debug, Default)]
struct Row {
    /// The group of the row. None: the row is for one thread only.
    group: Option<Group>,
    threads_count: u64,
    /// The name without numbers, if the row represents several threads.
    label: String,
    /// Sums of the threads that have ended.
    ended: CpuTimes,
}

/// A free row. Its thread has ended.
#[derive(Debug, Clone, Copy)]
struct Free {
    row: ThreadIndex,
    /// Time on CLOCK_MONOTONIC when the row became free.
    since_ns: u64,
}

/// All rows of threads of a collection.
#[derive(Debug, Default)]
pub(crate) struct ThreadRows {
    rows: Vec<Row>,
    /// Free rows of each group, ordered by the time when they became free.
    free: FxHashMap<Group, Vec<Free>>,
    /// Rows of each process for names without a thread id.
    named: FxHashMap<Option<u32>, FxHashMap<String, ThreadIndex>>,
    /// Number of rows for names that were added while threads already shared rows.
    named_when_sharing: usize,
    /// CPU time of all threads that have ended.
    ended_cpu_ns: u64,
    regrouped_count: usize,
}

impl ThreadRows {
    /// Number of rows for threads. Later rows of the builder's table have other sources.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// True if the next thread will share its row. Then its name is needed.
    pub(crate) fn is_sharing(&self) -> bool {
        self.rows.len() >= OWN_ROWS
    }

    /// The row for a thread that has no row yet.
    pub(crate) fn begin(&mut self, thread: &NewThread<'_>, builder: &mut TableBuilder) -> ThreadIndex {
        if !self.is_sharing() {
            return self.add(None, thread, builder);
        }
        let group = self.group(thread);
        match self.take_free(&group, thread.start_ns) {
            Some(row) => self.share(row, thread, builder),
            None => self.add(Some(group), thread, builder),
        }
    }

    /// The row for a name without a thread id, such as virtual threads.
    pub(crate) fn named(&mut self, process_id: Option<u32>, name: &str, builder: &mut TableBuilder) -> ThreadIndex {
        let is_sharing = self.is_sharing();
        let Self { named, rows, named_when_sharing, .. } = self;
        let named = named.entry(process_id).or_default();
        if let Some(row) = named.get(name) {
            return *row;
        }
        let name = if is_sharing { without_numbers(name) } else { name.to_owned() };
        let is_room = !is_sharing || *named_when_sharing < MAX_NAMED || named.contains_key(&name);
        let name = if is_room { name } else { OTHERS.to_owned() };
        *named_when_sharing += usize::from(is_sharing && !named.contains_key(&name));
        *named.entry(name).or_insert_with_key(|name| {
            rows.push(Row { threads_count: 1, ..Row::default() });
            builder.add_thread(Thread::unknown(process_id, None, name))
        })
    }

    /// Sets the name of the row's thread. `is_final`: the program chose the name. Rows of several threads already have
    /// a name.
    pub(crate) fn name(&self, row: ThreadIndex, (name, is_final): (&str, bool), builder: &mut TableBuilder) {
        match (self.rows[row.row()].threads_count, is_final) {
            (1, true) => builder.name_thread(row, name),
            (1, false) => builder.name_thread_for_now(row, name),
            _ => {}
        }
    }

    /// Writes the values of a row: the sum of its current thread and its earlier threads.
    pub(crate) fn complete(&self, row: ThreadIndex, life: &Life, builder: &mut TableBuilder) {
        let ended = self.rows[row.row()].ended;
        let table = builder.threads_mut();
        let start_ns = &mut table.start_ns[row.row()];
        *start_ns = Some(start_ns.map_or(life.start_ns, |first| first.min(life.start_ns)));
        table.end_ns[row.row()] = life.end_ns;
        set_cpu(table, row.row(), std::array::from_fn(|figure| ended[figure] + life.cpu[figure]));
    }

    /// Sets the last name of a thread. If the row has had only this thread, later threads with similar names will share
    /// the row.
    pub(crate) fn set_last_name(&mut self, row: ThreadIndex, thread: &NewThread<'_>, builder: &mut TableBuilder) {
        self.name(row, (thread.name, false), builder);
        let group = self.group(thread);
        let kept = &mut self.rows[row.row()];
        let is_other = kept.group.as_ref().is_some_and(|before| *before != group);
        if is_other && kept.threads_count == 1 && self.regrouped_count < MAX_REGROUPED {
            self.regrouped_count += 1;
            kept.group = Some(group);
        }
    }

    /// Handles the end of the row's thread at `now_ns` of CLOCK_MONOTONIC. Without `life`, the thread's values are
    /// unknown.
    pub(crate) fn end(&mut self, row: ThreadIndex, (life, now_ns): (Option<&Life>, u64), builder: &mut TableBuilder) {
        let cpu = life.map_or(CpuTimes::default(), |life| life.cpu);
        if let Some(life) = life {
            self.complete(row, life, builder);
        }
        self.ended_cpu_ns += cpu[0];
        let is_large = cpu[0] > self.ended_cpu_ns / LARGE_PARTS;
        let kept = &mut self.rows[row.row()];
        kept.ended.iter_mut().zip(cpu).for_each(|(sum, more)| *sum += more);
        if is_large && kept.threads_count == 1 {
            kept.group = None;
        }
        if let Some(group) = &kept.group {
            let free = self.free.entry(group.clone()).or_default();
            // Ends of threads arrive almost in the order of time, so the place is at the end or close to it.
            let position = free.iter().rposition(|earlier| earlier.since_ns <= now_ns).map_or(0, |last| last + 1);
            free.insert(position, Free { row, since_ns: now_ns });
        }
    }

    /// Adds the number of threads to the names of shared rows.
    pub(crate) fn write_counts(&self, builder: &mut TableBuilder) {
        let names = &mut builder.threads_mut().name;
        for (row, name) in self.rows.iter().zip(names).filter(|(row, _)| row.threads_count > 1) {
            *name = name_of_several(&row.label, row.threads_count);
        }
    }

    /// The number of threads that share rows, and the number of these rows. None: every thread has a separate row.
    pub(crate) fn shared(&self) -> Option<(u64, usize)> {
        let shared = self.rows.iter().filter(|row| row.threads_count > 1);
        let (threads, rows) = shared.fold((0, 0), |(threads, rows), row| (threads + row.threads_count, rows + 1));
        (rows > 0).then_some((threads, rows))
    }

    fn group(&self, thread: &NewThread<'_>) -> Group {
        let label = if thread.name.is_empty() { OTHERS.to_owned() } else { without_numbers(thread.name) };
        let group = (thread.is_main, label);
        let is_known = self.free.contains_key(&group);
        if is_known || self.free.len() < MAX_GROUPS { group } else { (thread.is_main, OTHERS.to_owned()) }
    }

    /// Takes the last row that became free before `start_ns`. Earlier free rows remain available for threads that
    /// started earlier.
    fn take_free(&mut self, group: &Group, start_ns: u64) -> Option<ThreadIndex> {
        let free = self.free.get_mut(group)?;
        // At most a few rows became free after the thread began.
        let position = free.iter().rposition(|free| free.since_ns <= start_ns)?;
        Some(free.remove(position).row)
    }

    fn add(&mut self, group: Option<Group>, thread: &NewThread<'_>, builder: &mut TableBuilder) -> ThreadIndex {
        if let Some(group) = &group {
            self.free.entry(group.clone()).or_default();
        }
        self.rows.push(Row { group, threads_count: 1, ..Row::default() });
        let row = builder.add_thread(Thread::unknown(Some(thread.process_id), Some(thread.namespaced_id), ""));
        builder.name_thread_for_now(row, thread.name);
        row
    }

    /// Assigns the row to one more thread.
    fn share(&mut self, row: ThreadIndex, thread: &NewThread<'_>, builder: &mut TableBuilder) -> ThreadIndex {
        let kept = &mut self.rows[row.row()];
        let table = builder.threads_mut();
        kept.threads_count += 1;
        if kept.threads_count == 2 {
            let label = kept.group.as_ref().map(|group| group.1.as_str()).unwrap_or_default();
            // The kernel cuts long names. If the program's name for the thread is known, this name is complete.
            let whole = without_numbers(&table.name[row.row()]);
            kept.label = if whole.starts_with(label) { whole } else { label.to_owned() };
        }
        table.thread_id[row.row()] = None;
        if table.process_id[row.row()] != Some(thread.process_id) {
            table.process_id[row.row()] = None;
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes rows that all have a thread, so later threads share rows.
    fn full(builder: &mut TableBuilder) -> ThreadRows {
        let mut rows = ThreadRows::default();
        for id in 0..OWN_ROWS as u32 {
            let row = rows.begin(&thread("first", id, 0), builder);
            rows.end(row, (Some(&life(0, 1, 1_000_000)), 1), builder);
        }
        rows
    }

    fn thread(name: &str, namespaced_id: u32, start_ns: u64) -> NewThread<'_> {
        NewThread { process_id: 1, is_main: true, namespaced_id, name, start_ns }
    }

    fn life(start_ns: u64, end_ns: u64, cpu_ns: u64) -> Life {
        Life { start_ns, end_ns: Some(end_ns), cpu: [cpu_ns, cpu_ns, 0] }
    }

    /// Tests the diagram at the top of this file.
    #[test]
    fn threads_of_like_names_share_as_many_rows_as_lived_at_once() {
        let mut builder = TableBuilder::new();
        let mut rows = full(&mut builder);
        let mut run = |name, id, start, end| {
            let row = rows.begin(&thread(name, id, start), &mut builder);
            rows.end(row, (Some(&life(start, end, end - start)), end), &mut builder);
            row
        };
        let found = [run("task-1", 1, 0, 3), run("task-2", 2, 3, 6), run("task-3", 3, 5, 9), run("task-4", 4, 7, 8)];
        let (first, second) = (found[0], found[2]);
        assert_eq!(found, [first, first, second, first]);
        assert_eq!(run("other", 5, 10, 11).row(), second.row() + 1);
        rows.write_counts(&mut builder);
        let table = builder.threads_mut();
        let of = |row: ThreadIndex| {
            let row = row.row();
            (table.name[row].as_str(), table.thread_id[row], table.start_ns[row], table.end_ns[row], table.cpu_ns[row])
        };
        assert_eq!(of(first), ("task-# (3 threads)", None, Some(0), Some(8), Some(7)));
        assert_eq!(of(second), ("task-3", Some(3), Some(5), Some(9), Some(4)));
        assert_eq!(rows.shared(), Some((3, 1)));
    }

    #[test]
    fn rows_are_bounded_and_no_time_is_lost() {
        let mut builder = TableBuilder::new();
        let mut rows = full(&mut builder);
        let before: u64 = builder.tables().threads.cpu_ns.iter().flatten().sum();
        let (count, mut spent, mut alive) = (100_000_u64, 0, std::collections::VecDeque::new());
        for id in 0..count {
            // Every name is new, as if it contained a random text. Four threads live at the same time.
            let name = format!("job-{id}-{}", char::from_u32(0x4e00 + id as u32 % 20_000).unwrap_or('x'));
            alive.push_back((id, rows.begin(&thread(&name, id as u32, id), &mut builder)));
            if alive.len() == 4 {
                let (start_ns, row) = alive.pop_front().unwrap();
                spent += id % 7;
                rows.end(row, (Some(&life(start_ns, id, id % 7)), id), &mut builder);
            }
        }
        assert!(rows.len() <= OWN_ROWS + MAX_GROUPS + 8, "{}", rows.len());
        assert_eq!(builder.tables().threads.cpu_ns.iter().flatten().sum::<u64>(), before + spent);
    }

    #[test]
    fn names_without_a_thread_are_bounded_too() {
        let mut builder = TableBuilder::new();
        let mut rows = full(&mut builder);
        let known = rows.named(None, "virtual-3fa9", &mut builder);
        for id in 0..100_000_u32 {
            rows.named(None, &format!("job-{id:x}"), &mut builder);
        }
        assert!(rows.len() <= OWN_ROWS + MAX_NAMED + 1, "{}", rows.len());
        assert_eq!(rows.named(None, "virtual-8fa2", &mut builder), known);
        assert_eq!(rows.named(None, "another", &mut builder), rows.named(None, "one more", &mut builder));
        assert_ne!(rows.named(Some(7), "virtual-3fa9", &mut builder), known);
    }

    #[test]
    fn many_rows_of_one_group_become_free_and_are_taken() {
        let mut builder = TableBuilder::new();
        let mut rows = full(&mut builder);
        let count = 100_000;
        let began: Vec<ThreadIndex> =
            (0..count).map(|id| rows.begin(&thread("task", id, u64::from(id)), &mut builder)).collect();
        for (row, end) in began.into_iter().zip(u64::from(count)..) {
            rows.end(row, (Some(&life(0, end, 0)), end), &mut builder);
        }
        let start = std::time::Instant::now();
        for id in 0..count {
            rows.begin(&thread("task", id, u64::from(3 * count)), &mut builder);
        }
        // Searching all rows each time would take a quarter of a minute.
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
        assert_eq!(rows.len(), OWN_ROWS + count as usize);
    }

    #[test]
    fn a_thread_that_used_much_keeps_its_row() {
        let mut builder = TableBuilder::new();
        let mut rows = full(&mut builder);
        let large = rows.begin(&thread("batch-1", 1, 10), &mut builder);
        rows.end(large, (Some(&life(10, 20, 1_000_000_000)), 20), &mut builder);
        assert_ne!(rows.begin(&thread("batch-2", 2, 30), &mut builder), large);
        assert_eq!(rows.shared(), None);
    }

    #[test]
    fn a_thread_whose_name_comes_late_is_of_the_group_of_that_name() {
        let mut builder = TableBuilder::new();
        let mut rows = full(&mut builder);
        let row = rows.begin(&thread("", 1, 10), &mut builder);
        rows.set_last_name(row, &thread("task-1", 1, 10), &mut builder);
        rows.end(row, (Some(&life(10, 20, 1)), 20), &mut builder);
        assert_eq!(rows.begin(&thread("task-2", 2, 30), &mut builder), row);
        rows.write_counts(&mut builder);
        assert_eq!(builder.tables().threads.name[row.row()], "task-# (2 threads)");
    }

    #[test]
    fn names_of_the_program_are_kept_while_a_row_has_one_thread() {
        let mut builder = TableBuilder::new();
        let mut rows = full(&mut builder);
        let row = rows.begin(&thread("blocked-selecto", 1, 10), &mut builder);
        rows.name(row, ("blocked-selector-1", true), &mut builder);
        rows.name(row, ("blocked-selecto", false), &mut builder);
        assert_eq!(builder.tables().threads.name[row.row()], "blocked-selector-1");
        rows.end(row, (Some(&life(10, 20, 1)), 20), &mut builder);
        assert_eq!(rows.begin(&thread("blocked-selecto", 2, 30), &mut builder), row);
        rows.name(row, ("blocked-selector-2", true), &mut builder);
        rows.write_counts(&mut builder);
        assert_eq!(builder.tables().threads.name[row.row()], "blocked-selector-# (2 threads)");
    }
}
