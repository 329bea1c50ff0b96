//! Tables of exact counts, drawn as text: system calls and thread states.

use crate::drawn::{entries, experiment_with, thread};
use whittle_model::{
    FileIdentity, FileIndex, FileKind, Manifest, Syscall, SyscallIndex, SyscallLatency, TableBuilder, Tables, Thread,
    ThreadIndex, ThreadState, ThreadStateSpan, WaitReason,
};

/// A drawn experiment with system calls. Each line is a row. Entries are separated by two or more spaces. Each latency
/// is a bucket with its count. Samples and sampled calls are drawn in `text`, as for an experiment without calls.
///
/// ```text
/// thread  call   file                  calls  errors  bytes  seconds  latencies
/// main    write  regular:/var/app.log  1000   0       1000   0.5      10:900 14:100
/// main    futex  none                  7      1       0      3.5      29:7
/// ```
///
/// # Panics
/// If the drawing is wrong.
pub fn experiment_with_calls(calls: &str, text: &str) -> (Manifest, Tables) {
    let mut builder = TableBuilder::new();
    let lines = calls.lines().filter(|line| !line.trim().is_empty());
    for line in lines.skip(1) {
        let cells: Vec<String> = entries(line).into_iter().map(|(_, cell)| cell).collect();
        let cells: [String; 8] = cells.try_into().unwrap_or_else(|_| panic!("eight entries in: {line}"));
        add_call(&mut builder, &cells);
    }
    experiment_with(builder, text)
}

fn add_call(builder: &mut TableBuilder, cells: &[String; 8]) {
    let [thread_name, call, file, calls, errors, bytes, seconds, latencies] = cells;
    let number = |text: &String| text.parse::<u64>().expect("a number");
    let thread = thread(builder, thread_name);
    let file = drawn_file(builder, file);
    let row = SyscallIndex::from_row(builder.tables().syscalls.thread.len());
    let tables = builder.tables_mut();
    let buckets = latencies.split(' ').map(|part| part.split_once(':').expect("bucket:count"));
    for (bucket, count) in buckets {
        let bucket = bucket.parse().expect("a bucket");
        tables.syscall_latencies.push(SyscallLatency { syscall: row, bucket, count: number(&count.to_owned()) });
    }
    tables.syscalls.push(Syscall {
        thread,
        number: 0,
        name: call.clone(),
        file,
        calls_count: number(calls),
        errors_count: number(errors),
        bytes: number(bytes),
        duration_ns: (seconds.parse::<f64>().expect("seconds") * 1e9) as u64,
        longest_ns: 0,
    });
}

/// A file drawn as `none`, or as `socket:tcp 1.2.3.4:5->6.7.8.9:10`.
fn drawn_file(builder: &mut TableBuilder, drawn: &str) -> FileIndex {
    let (kind, path) = drawn.split_once(':').unwrap_or((drawn, ""));
    let kind = FileKind::from_name(kind).expect("a kind of file");
    if kind == FileKind::None {
        return FileIndex::NONE;
    }
    let known = builder.tables().files.path.iter().position(|known| !path.is_empty() && known == path);
    let inode = known.unwrap_or(builder.tables().files.path.len()) as u64;
    builder.file(FileIdentity { device: 0, inode, kind }, path)
}

/// Adds thread states in seconds. Each line is a thread, and each column is a state with its reason. `-` is a missing
/// value.
///
/// ```text
/// thread  on_cpu_user  on_cpu_system  runnable:run_queue  blocked:futex
/// main    1.5          0.5            0.25                7.75
/// idle    -            -              -                   10
/// ```
///
/// # Panics
/// If the drawing is wrong.
pub fn add_thread_states(tables: &mut Tables, text: &str) {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let head = entries(lines.next().expect("a line of states"));
    for line in lines {
        let cells = entries(line);
        assert_eq!(cells.len(), head.len(), "as many entries as states: {line}");
        let thread = thread_called(tables, &cells[0].1);
        let amounts = head[1..].iter().zip(&cells[1..]).filter(|(_, (_, cell))| cell != "-");
        let amounts: Vec<(&str, u64)> = amounts
            .map(|((_, state), (_, cell))| (state.as_str(), (cell.parse::<f64>().expect("seconds") * 1e9) as u64))
            .collect();
        let end_ns = amounts.iter().map(|(_, nanos)| nanos).sum();
        for (state, duration_ns) in amounts {
            let (state, reason) = state.split_once(':').unwrap_or((state, "none"));
            let state = ThreadState::from_name(state).expect("a state");
            let reason = WaitReason::from_name(reason).expect("a reason");
            tables.thread_states.push(ThreadStateSpan { thread, start_ns: 0, end_ns, state, reason, duration_ns });
        }
    }
    tables.validate().expect("drawn states are valid");
}

fn thread_called(tables: &mut Tables, name: &str) -> ThreadIndex {
    let known = tables.threads.name.iter().position(|known| known == name);
    let row = known.unwrap_or_else(|| {
        tables.threads.push(Thread::unknown(Some(1), None, name));
        tables.threads.name.len() - 1
    });
    ThreadIndex::from_row(row)
}
