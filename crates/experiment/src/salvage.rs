//! Keeps the valid part of corrupt tables. If a row refers to an unreadable row, it is removed, or refers to a
//! substitute instead. The remaining rows follow every rule.

use crate::damage::Damage;
use crate::upgrade::add_unknown_class;
use crate::{Error, whole_file};
use std::path::Path;
use whittle_model::{
    BrokenPromise, File, FileIndex, FileKind, ObjectClassIndex, Table, Tables, Thread, ThreadIndex, ThreadTable,
};

/// Maximum number of missing threads. No process has this number of threads. If more threads are missing, the samples
/// are corrupt, and the table of threads is not. Each substitute takes some hundred bytes of memory.
const MAX_STAND_IN_THREADS: usize = 1 << 18;

/// Changes the tables until they follow every rule. Returns the number of lost samples.
///
/// # Errors
/// A table that views need breaks a rule.
pub(crate) fn salvage(tables: &mut Tables, damage: &mut Vec<Damage>, directory: &Path) -> Result<u64, Error> {
    stand_in_for_threads(tables, damage, directory);
    stand_in_for_files(tables);
    stand_in_for_classes(tables);
    let lost = drop_dangling_code_and_samples(tables) + drop_dangling_system_calls(tables);
    if tables.stacks.is_empty() {
        return Ok(lost);
    }
    while let Err(broken) = tables.validate() {
        if !clear_if_dispensable(tables, &broken) {
            return Err(Error::Invalid { path: directory.to_owned(), broken });
        }
        let path = directory.join(whole_file(broken.table));
        damage.push(Damage { path, reason: format!("{broken}; the table is left out") });
    }
    Ok(lost)
}

/// Adds a substitute for each unreadable thread, so the samples of these threads are kept.
fn stand_in_for_threads(tables: &mut Tables, damage: &mut Vec<Damage>, directory: &Path) {
    let highest = |threads: &[ThreadIndex]| threads.iter().map(|thread| thread.row() + 1).max().unwrap_or(0);
    let needed = [
        highest(&tables.samples.thread),
        highest(&tables.sampled_calls.thread),
        highest(&tables.syscalls.thread),
        highest(&tables.thread_states.thread),
        highest(&tables.requests.thread),
        highest(&tables.requests.answering_thread),
        highest(&tables.request_parts.thread),
        highest(&tables.wakes.thread),
    ];
    let missing = needed.into_iter().max().unwrap_or(0).saturating_sub(tables.threads.len());
    if missing == 0 || missing > MAX_STAND_IN_THREADS {
        return;
    }
    for row in tables.threads.len()..tables.threads.len() + missing {
        tables.threads.push(Thread::unknown(None, None, &format!("<thread {row}: not readable>")));
    }
    let path = directory.join(whole_file(ThreadTable::NAME));
    damage.push(Damage {
        path,
        reason: format!("{missing} threads are not readable, so their names and exact CPU times are missing"),
    });
}

/// Replaces the unreadable files of system calls and waits with the unknown file.
fn stand_in_for_files(tables: &mut Tables) {
    let Tables { files, syscalls, samples, .. } = tables;
    if files.is_empty() {
        files.push(File { device: 0, inode: 0, kind: FileKind::None, path: String::new() });
    }
    let of_rows = syscalls.file.iter_mut().chain(&mut samples.file);
    for file in of_rows.filter(|file| file.row() >= files.len()) {
        *file = FileIndex::NONE;
    }
}

/// Replaces unreadable classes of objects with the unknown class.
fn stand_in_for_classes(tables: &mut Tables) {
    add_unknown_class(tables);
    let Tables { object_classes, samples, .. } = tables;
    for class in samples.object_class.iter_mut().filter(|class| class.row() >= object_classes.len()) {
        *class = ObjectClassIndex::UNKNOWN;
    }
}

fn drop_dangling_code_and_samples(tables: &mut Tables) -> u64 {
    let Tables { binaries, functions, frames, stacks, threads, samples, .. } = tables;
    if let Some(rows) = functions.binary.iter().position(|binary| binary.row() >= binaries.len()) {
        functions.truncate(rows);
    }
    if let Some(rows) = frames.function.iter().position(|function| function.row() >= functions.len()) {
        frames.truncate(rows);
    }
    // A row can have a missing parent only after a row with a missing frame. So all rows before the first missing frame
    // are kept.
    if let Some(rows) = stacks.frame.iter().position(|frame| frame.row() >= frames.len()) {
        stacks.truncate(rows);
    }
    let places = samples.stack.iter().zip(&samples.thread);
    let is_whole = places.map(|(stack, thread)| stack.row() < stacks.len() && thread.row() < threads.len()).collect();
    keep(samples, is_whole)
}

/// Removes rows about system calls that refer to missing rows. Returns the number of lost sampled calls.
fn drop_dangling_system_calls(tables: &mut Tables) -> u64 {
    let Tables {
        threads,
        stacks,
        syscalls,
        syscall_latencies,
        sampled_calls,
        thread_states,
        calibration,
        requests,
        request_parts,
        wakes,
        ..
    } = tables;
    let in_threads = |thread: &ThreadIndex| thread.row() < threads.len();
    if let Some(rows) = syscalls.thread.iter().position(|thread| !in_threads(thread)) {
        syscalls.truncate(rows);
    }
    let in_calls = syscall_latencies.syscall.iter().map(|call| call.row() < syscalls.len()).collect();
    keep(syscall_latencies, in_calls);
    keep(thread_states, thread_states.thread.iter().map(in_threads).collect());
    keep(calibration, calibration.thread.iter().map(in_threads).collect());
    let threads_of_requests = requests.thread.iter().zip(&requests.answering_thread);
    keep(requests, threads_of_requests.map(|(first, last)| in_threads(first) && in_threads(last)).collect());
    keep(request_parts, request_parts.thread.iter().map(in_threads).collect());
    let of_wakes = wakes.thread.iter().zip(&wakes.waker).zip(&wakes.stack).map(|((thread, waker), stack)| {
        in_threads(thread) && waker.iter().all(in_threads) && stack.row() < stacks.len()
    });
    keep(wakes, of_wakes.collect());
    let is_whole = (0..sampled_calls.len()).map(|row| {
        in_threads(&sampled_calls.thread[row])
            && sampled_calls.stack[row].row() < stacks.len()
            && sampled_calls.syscall[row].row() < syscalls.len()
    });
    let is_whole = is_whole.collect();
    keep(sampled_calls, is_whole)
}

/// Keeps the rows for which `is_kept` is true. Returns the number of removed rows.
fn keep<T: Table>(table: &mut T, is_kept: Vec<bool>) -> u64 {
    let lost = is_kept.iter().filter(|is_kept| !**is_kept).count();
    if lost > 0 {
        table.retain(&is_kept);
    }
    lost as u64
}

/// Empties the table that breaks a rule. Returns false, and changes nothing, if samples are useless without this table.
fn clear_if_dispensable(tables: &mut Tables, broken: &BrokenPromise) -> bool {
    match broken.table {
        "thread_states" => tables.thread_states = Default::default(),
        "sampled_calls" => tables.sampled_calls = Default::default(),
        "syscall_latencies" => tables.syscall_latencies = Default::default(),
        "syscalls" | "files" => {
            tables.syscalls = Default::default();
            tables.syscall_latencies = Default::default();
            tables.sampled_calls = Default::default();
            tables.files = Default::default();
            stand_in_for_files(tables);
        }
        "object_classes" => {
            tables.object_classes = Default::default();
            stand_in_for_classes(tables);
        }
        "calibration" => tables.calibration = Default::default(),
        "requests" => tables.requests = Default::default(),
        "request_parts" => tables.request_parts = Default::default(),
        "wakes" => tables.wakes = Default::default(),
        "counters" => tables.counters = Default::default(),
        "jvm_events" => tables.jvm_events = Default::default(),
        "archive" => tables.archive = Default::default(),
        _ => return false,
    }
    true
}
