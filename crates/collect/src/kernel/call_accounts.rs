//! Exact figures of system calls: from the kernel side's accounts to the syscalls table.

use super::file_names::{file_row, other_files};
use super::programs::Programs;
use super::records::{AccountKey, AccountValue, MAX_CALLS};
use crate::syscall_names;
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{
    FileIndex, Syscall, SyscallIndex, SyscallLatency, SyscallLatencyTable, SyscallTable, Table, TableBuilder,
    ThreadIndex,
};

/// Which row of the syscalls table: thread, system call and file.
type RowKey = (ThreadIndex, u32, FileIndex);

/// The accounts of a collection.
#[derive(Debug, Default)]
pub(crate) struct CallAccounts {
    rows: FxHashMap<RowKey, SyscallIndex>,
    keys: Vec<RowKey>,
    figures: Vec<Figures>,
    /// The row of each account that the kernel has.
    by_key: FxHashMap<AccountKey, SyscallIndex>,
    /// Threads that have ended since their accounts were last read, with their rows.
    ended: FxHashMap<u32, ThreadIndex>,
}

/// What one row comes to.
#[derive(Debug, Clone, Copy)]
struct Figures {
    /// Of threads that have ended (an id can be used again).
    settled: AccountValue,
    /// Of the thread that lives, as last read.
    live: AccountValue,
}

impl CallAccounts {
    /// The row for calls of a thread on a file.
    pub(crate) fn row(&mut self, thread: ThreadIndex, call: u32, file: FileIndex) -> SyscallIndex {
        let next = SyscallIndex::from_row(self.keys.len());
        let row = *self.rows.entry((thread, call, file)).or_insert(next);
        if row == next {
            self.keys.push((thread, call, file));
            self.figures.push(Figures { settled: AccountValue::NOTHING, live: AccountValue::NOTHING });
        }
        row
    }

    /// A thread has ended: its accounts are read once more and then given back.
    pub(crate) fn thread_ended(&mut self, thread_id: u32, row: ThreadIndex) {
        self.ended.insert(thread_id, row);
    }

    /// The row for a sampled call: the kernel side tells apart only so many files of a thread.
    pub(crate) fn row_of_sample(&mut self, (thread, call, file): RowKey, builder: &mut TableBuilder) -> SyscallIndex {
        let kind = builder.tables().files.kind[file.row()];
        let others = other_files(kind, builder);
        match self.rows.get(&(thread, call, others)) {
            Some(row) if !self.rows.contains_key(&(thread, call, file)) => *row,
            _ => self.row(thread, call, file),
        }
    }

    /// Threads that have ended and whose accounts take room in the kernel.
    pub(crate) fn ended_count(&self) -> usize {
        self.ended.len()
    }

    /// Reads the accounts. `thread_row` finds the thread of an id.
    pub(crate) fn read(
        &mut self,
        programs: &mut Programs,
        builder: &mut TableBuilder,
        mut thread_row: impl FnMut(u32, &mut TableBuilder) -> ThreadIndex,
    ) {
        // An id that is in use again belongs to a thread that still writes its accounts.
        // Without ended threads the question does not come up, and the table of threads need not be read.
        let threads = if self.ended.is_empty() { Vec::new() } else { programs.threads() };
        let alive: FxHashSet<u32> = threads.into_iter().map(|(id, _)| id).collect();
        let is_over = |key: &AccountKey, ended: &FxHashMap<u32, ThreadIndex>| {
            ended.contains_key(&key.thread_id) && !alive.contains(&key.thread_id)
        };
        for (key, value) in programs.accounts() {
            let row = self.by_key.get(&key).copied().unwrap_or_else(|| {
                let file = file_row(key.device, key.inode, key.file_kind as u8, builder);
                let ended = self.ended.get(&key.thread_id).copied();
                let thread = ended.unwrap_or_else(|| thread_row(key.thread_id, builder));
                self.row(thread, key.call, file)
            });
            self.by_key.insert(key, row);
            let figures = &mut self.figures[row.row()];
            figures.live = value;
            if is_over(&key, &self.ended) {
                figures.settled = sum(&figures.settled, &value);
                figures.live = AccountValue::NOTHING;
                programs.remove_account(&key);
                self.by_key.remove(&key);
            }
        }
        self.ended.retain(|thread_id, _| alive.contains(thread_id));
    }

    /// Adds what found no room in the accounts, as calls of `thread`.
    pub(crate) fn read_unlisted(&mut self, programs: &Programs, thread: ThreadIndex) {
        for call in 0..MAX_CALLS as u32 {
            if let Some(value) = programs.unlisted(call) {
                let row = self.row(thread, call, FileIndex::NONE);
                self.figures[row.row()].live = value;
            }
        }
    }

    /// The tables as they are now.
    pub(crate) fn tables(&self) -> (SyscallTable, SyscallLatencyTable) {
        let (mut calls, mut latencies) = (SyscallTable::default(), SyscallLatencyTable::default());
        for ((thread, number, file), figures) in self.keys.iter().zip(&self.figures) {
            let total = sum(&figures.settled, &figures.live);
            let syscall = SyscallIndex::from_row(calls.len());
            calls.push(Syscall {
                thread: *thread,
                number: *number,
                name: syscall_names::name(*number),
                file: *file,
                calls_count: total.calls,
                errors_count: total.errors,
                bytes: total.bytes,
                duration_ns: total.duration_ns,
                longest_ns: total.longest_ns,
            });
            for (bucket, count) in (0..).zip(total.latencies).filter(|(_, count)| *count > 0) {
                latencies.push(SyscallLatency { syscall, bucket, count: count.into() });
            }
        }
        (calls, latencies)
    }
}

fn sum(a: &AccountValue, b: &AccountValue) -> AccountValue {
    let mut latencies = a.latencies;
    latencies.iter_mut().zip(b.latencies).for_each(|(sum, count)| *sum = sum.saturating_add(count));
    AccountValue {
        calls: a.calls + b.calls,
        errors: a.errors + b.errors,
        bytes: a.bytes + b.bytes,
        duration_ns: a.duration_ns + b.duration_ns,
        longest_ns: a.longest_ns.max(b.longest_ns),
        latencies,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_adds_up_the_threads_that_had_its_id() {
        let mut accounts = CallAccounts::default();
        let row = accounts.row(ThreadIndex(0), 1, FileIndex::NONE);
        let mut value =
            AccountValue { calls: 3, errors: 1, bytes: 30, duration_ns: 300, longest_ns: 200, ..AccountValue::NOTHING };
        value.latencies[7] = 3;
        accounts.figures[row.row()] = Figures { settled: value, live: AccountValue { longest_ns: 150, ..value } };
        let (calls, latencies) = accounts.tables();
        let total = calls.row(0);
        assert_eq!((total.calls_count, total.errors_count, total.bytes), (6, 2, 60));
        assert_eq!((total.duration_ns, total.longest_ns), (600, 200));
        assert_eq!((latencies.bucket[0], latencies.count[0], latencies.len()), (7, 6, 1));
        assert_eq!(accounts.row(ThreadIndex(0), 1, FileIndex::NONE), row);
        assert_ne!(accounts.row(ThreadIndex(1), 1, FileIndex::NONE), row);
    }
}
