//! Makes rows of the syscalls table from the kernel side's exact accounts of system calls.

use crate::kernel::file_names::{file_row, other_files};
use crate::kernel::layout::{AccountKey, AccountValue};
use crate::kernel::programs::Programs;
use crate::syscall_names;
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{
    FileIndex, Syscall, SyscallIndex, SyscallLatency, SyscallLatencyTable, SyscallTable, Table, TableBuilder,
    ThreadIndex,
};

/// The key of a row of the syscalls table: thread, system call and file.
type RowKey = (ThreadIndex, u32, FileIndex);

/// The accounts of a collection.
#[derive(Debug, Default)]
pub(crate) struct CallAccounts {
    rows: FxHashMap<RowKey, SyscallIndex>,
    keys: Vec<RowKey>,
    /// The sums of ended threads, by row.
    settled: Vec<AccountValue>,
    /// The kernel's accounts at the last reading. A row can have several accounts.
    live: FxHashMap<AccountKey, Live>,
    /// Calls that had no room in the accounts, at the last reading.
    unlisted: FxHashMap<SyscallIndex, AccountValue>,
    /// Number of syscalls rows with a file, by row of the threads table.
    files_count: FxHashMap<ThreadIndex, u32>,
    /// Threads that have ended since their accounts were last read, with their rows.
    ended: FxHashMap<u32, ThreadIndex>,
}

/// One of the kernel's accounts.
#[derive(Debug, Clone, Copy)]
struct Live {
    row: SyscallIndex,
    value: AccountValue,
}

/// Maximum number of syscalls rows with a file, per row of the threads table. The kernel side has the same limit per
/// thread. Further files are distinguished only by their kind. The limit is needed because a row can represent very
/// many threads with one connection each.
const MAX_FILE_ROWS: u32 = 256;

impl CallAccounts {
    /// The row for calls of a thread on a file.
    pub(crate) fn row(&mut self, thread: ThreadIndex, call: u32, file: FileIndex) -> SyscallIndex {
        let next = SyscallIndex::from_row(self.keys.len());
        let row = *self.rows.entry((thread, call, file)).or_insert(next);
        if row == next {
            self.keys.push((thread, call, file));
            self.settled.push(AccountValue::NOTHING);
            *self.files_count.entry(thread).or_default() += u32::from(file != FileIndex::NONE);
        }
        row
    }

    /// The row for one of the kernel's accounts.
    fn row_of_key(&mut self, key: &AccountKey, thread: ThreadIndex, builder: &mut TableBuilder) -> SyscallIndex {
        let is_full = self.files_count.get(&thread).is_some_and(|count| *count >= MAX_FILE_ROWS);
        let file = file_row(key.device, key.inode, key.file_kind as u8, builder);
        let is_new = is_full && !self.rows.contains_key(&(thread, key.call, file));
        let kind = builder.tables().files.kind[file.row()];
        let file = if is_new { other_files(kind, builder) } else { file };
        self.row(thread, key.call, file)
    }

    /// Handles the end of a thread. The thread's accounts are read a last time and then removed.
    pub(crate) fn thread_ended(&mut self, thread_id: u32, row: ThreadIndex) {
        self.ended.insert(thread_id, row);
    }

    /// The row for a sampled call. The kernel side distinguishes a limited number of files per thread.
    pub(crate) fn row_of_sample(&mut self, (thread, call, file): RowKey, builder: &mut TableBuilder) -> SyscallIndex {
        let kind = builder.tables().files.kind[file.row()];
        let others = other_files(kind, builder);
        match self.rows.get(&(thread, call, others)) {
            Some(row) if !self.rows.contains_key(&(thread, call, file)) => *row,
            _ => self.row(thread, call, file),
        }
    }

    /// Number of ended threads with accounts that still take space in the kernel.
    pub(crate) fn ended_count(&self) -> usize {
        self.ended.len()
    }

    /// Reads the accounts. `thread_row` returns the row of a thread id, if the thread is already known.
    pub(crate) fn read(
        &mut self,
        programs: &mut Programs,
        builder: &mut TableBuilder,
        mut thread_row: impl FnMut(u32, &mut TableBuilder) -> Option<ThreadIndex>,
    ) {
        // If a new thread has the id of an ended thread, the accounts are still in use and are not removed. Without
        // ended threads, this check is unnecessary, and the table of threads is not read.
        let threads = if self.ended.is_empty() { Vec::new() } else { programs.threads() };
        let alive: FxHashSet<u32> = threads.into_iter().map(|(id, _)| id).collect();
        let is_over = |key: &AccountKey, ended: &FxHashMap<u32, ThreadIndex>| {
            ended.contains_key(&key.thread_id) && !alive.contains(&key.thread_id)
        };
        let mut removed = Vec::new();
        for (key, value) in programs.accounts() {
            let row = self.live.get(&key).map(|live| live.row).or_else(|| {
                let ended = self.ended.get(&key.thread_id).copied();
                let thread = ended.or_else(|| thread_row(key.thread_id, builder))?;
                Some(self.row_of_key(&key, thread, builder))
            });
            let Some(row) = row else { continue };
            if is_over(&key, &self.ended) {
                self.settled[row.row()] = sum(&self.settled[row.row()], &value);
                removed.push(key);
                self.live.remove(&key);
            } else {
                self.live.insert(key, Live { row, value });
            }
        }
        programs.remove_accounts(&removed);
        self.ended.retain(|thread_id, _| alive.contains(thread_id));
    }

    /// Adds the calls that had no room in the accounts, as calls of `thread`.
    pub(crate) fn read_unlisted(&mut self, programs: &Programs, thread: ThreadIndex) {
        for (call, value) in programs.unlisted() {
            let row = self.row(thread, call, FileIndex::NONE);
            self.unlisted.insert(row, value);
        }
    }

    /// The current tables.
    pub(crate) fn tables(&self) -> (SyscallTable, SyscallLatencyTable) {
        let (mut calls, mut latencies) = (SyscallTable::default(), SyscallLatencyTable::default());
        let mut totals = self.settled.clone();
        let live = self.live.values().map(|live| (live.row, &live.value));
        for (row, value) in live.chain(self.unlisted.iter().map(|(row, value)| (*row, value))) {
            totals[row.row()] = sum(&totals[row.row()], value);
        }
        for ((thread, number, file), total) in self.keys.iter().zip(&totals) {
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
    use whittle_model::FileKind;

    #[test]
    fn a_row_adds_up_the_threads_that_it_stands_for() {
        let mut accounts = CallAccounts::default();
        let row = accounts.row(ThreadIndex(0), 1, FileIndex::NONE);
        let mut value =
            AccountValue { calls: 3, errors: 1, bytes: 30, duration_ns: 300, longest_ns: 200, ..AccountValue::NOTHING };
        value.latencies[7] = 3;
        accounts.settled[row.row()] = value;
        let (live, key) = (AccountValue { longest_ns: 150, ..value }, AccountKey::default());
        accounts.live.insert(key, Live { row, value: live });
        accounts.live.insert(AccountKey { thread_id: 2, ..key }, Live { row, value: live });
        let (calls, latencies) = accounts.tables();
        let total = calls.row(0);
        assert_eq!((total.calls_count, total.errors_count, total.bytes), (9, 3, 90));
        assert_eq!((total.duration_ns, total.longest_ns), (900, 200));
        assert_eq!((latencies.bucket[0], latencies.count[0], latencies.len()), (7, 9, 1));
        assert_eq!(accounts.row(ThreadIndex(0), 1, FileIndex::NONE), row);
        assert_ne!(accounts.row(ThreadIndex(1), 1, FileIndex::NONE), row);
    }
    #[test]
    fn a_row_of_many_threads_has_files_of_its_own_up_to_a_limit() {
        let (mut accounts, mut builder) = (CallAccounts::default(), TableBuilder::new());
        let socket = FileKind::ALL.iter().position(|kind| *kind == FileKind::Socket).unwrap() as u32;
        for inode in 1..5000 {
            let key = AccountKey { thread_id: 1, call: 0, inode, device: 8, file_kind: socket };
            accounts.row_of_key(&key, ThreadIndex(0), &mut builder);
        }
        assert_eq!(accounts.keys.len(), MAX_FILE_ROWS as usize + 1);
        let last = accounts.keys[MAX_FILE_ROWS as usize].2;
        assert_eq!(builder.tables().files.path[last.row()], "(other files)");
    }
}
