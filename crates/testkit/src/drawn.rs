//! Experiments drawn as text.
//!
//! ```text
//! @thread  main       main      C2 [jit_compiler]      (optional; also @weight, @time)
//!          main       main      compile[j]             columns are samples
//!          write      parse:12                         rows are depth; parse is at line 12
//!          __write[n]
//!          vfs_write[k]
//! ```
//!
//! Two or more spaces separate entries. All entries of a sample start in the same text column. The kind of code is in
//! brackets: `[n]` native (of `libc.so.6`; `[n:libfast.so]` of another file), `[k]` kernel, `[j]` JVM, `[s]` stub,
//! `[t:depth_limit]` truncated for that reason. Names without brackets are Java code. A sample is one second of CPU
//! time. Its mode is system if its leaf is kernel code, otherwise user.
//!
//! `@event` sets another event, such as `alloc` or `off_cpu:futex`. `@count` and `@bytes` set these weights. `@class` sets
//! the class of allocated objects, and `@file` the file or peer that a thread waited for; `-` means an unknown one. With `@call`, the column is a sampled call instead of a
//! sample. The value of `@call` is a row of the drawn system calls, `@weight` is the latency of the call, and `@error` is
//! its error number.
//!
//! With `@wakes`, the column is a wake. Its value is the thread that waited, `@thread` and the frames are those of the waker,
//! `@event` and `@weight` those of the wait. `@kind` is the kind of the waker if it is no thread.

use whittle_model::{
    BinaryIndex, BinaryKind, CpuMode, EventKind, FileIdentity, FileIndex, FileKind, FrameIndex, FrameKind,
    FunctionKind, LossReason, Manifest, Metric, MetricDefinition, NewFrame, NewFunction, Program, Sample, SampledCall,
    StackIndex, State, SyscallIndex, TableBuilder, Tables, ThreadClass, ThreadIndex, WaitReason, Wake, WakerKind,
    WeightColumn, cpu_metrics,
};

/// Default weight of a sample.
const SECOND_NS: u64 = 1_000_000_000;

/// Two threads with recursion and a native frame, for requests and filters.
const TWO_THREADS: &str = "
    @thread  main         main         worker       worker
             main()       main()       run()        run()
             app.A.f()    app.A.f()    app.A.f()    app.B.g()
             app.B.g()    app.C.h()    app.A.f()
             __write[n]                app.C.h()
";

/// An experiment of two threads. One function occurs at several depths and calls itself.
pub fn experiment_of_two_threads() -> (Manifest, Tables) {
    experiment_from_text(TWO_THREADS)
}

/// An experiment with one sample for each drawn column.
///
/// # Panics
/// If the drawing is wrong.
pub fn experiment_from_text(text: &str) -> (Manifest, Tables) {
    experiment_with(TableBuilder::new(), text)
}

/// Adds the drawn columns to `builder`.
pub(crate) fn experiment_with(mut builder: TableBuilder, text: &str) -> (Manifest, Tables) {
    let columns = columns(text);
    for (index, column) in columns.iter().enumerate() {
        add_sample(&mut builder, column, index);
    }
    let mut manifest = Manifest::new(Program { name: "testkit".to_owned(), version: String::new() });
    manifest.state = State::Complete;
    manifest.duration_ns = columns.len() as u64 * SECOND_NS;
    manifest.metrics = cpu_metrics(true);
    manifest.metrics.push(Metric::Samples.definition());
    let tables = builder.into_tables();
    manifest.metrics.extend(other_metrics(&tables));
    tables.validate().expect("drawn experiments are valid");
    (manifest, tables)
}

/// The metrics of drawn events other than CPU time.
fn other_metrics(tables: &Tables) -> Vec<MetricDefinition> {
    let samples = &tables.samples;
    let reasons = WaitReason::ALL.iter().copied().filter(|reason| samples.reason.contains(reason));
    // Blocked time and the kernel's other events come before those of the JVM.
    let (first, kernel) = EventKind::ALL.split_at(EventKind::OffCpu as usize);
    let others = kernel.iter().chain(first).filter(|event| **event != EventKind::Cpu && samples.event.contains(event));
    others.flat_map(|event| event.metrics(false, reasons.clone())).collect()
}

/// One drawn sample.
#[derive(Debug, Default)]
struct DrawnColumn {
    start: usize,
    thread: Option<String>,
    weight_ns: Option<u64>,
    time_ns: Option<u64>,
    event: Option<String>,
    count: Option<u64>,
    bytes: u64,
    class: String,
    file: String,
    call: Option<u32>,
    error_number: Option<u32>,
    wakes: Option<String>,
    waker_kind: Option<String>,
    frames_root_first: Vec<String>,
}

fn columns(text: &str) -> Vec<DrawnColumn> {
    let mut columns: Vec<DrawnColumn> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut entries = entries(line);
        let key = entries.first().filter(|(_, entry)| entry.starts_with('@')).map(|(_, entry)| entry.clone());
        if key.is_some() {
            entries.remove(0);
        }
        if columns.is_empty() {
            columns.extend(entries.iter().map(|(start, _)| DrawnColumn { start: *start, ..DrawnColumn::default() }));
        }
        for (start, entry) in entries {
            let column = columns.iter_mut().find(|column| column.start == start);
            let column = column.unwrap_or_else(|| panic!("\"{entry}\" is not below a column's start: {line}"));
            let seconds = || entry.parse::<f64>().map(|seconds| (seconds * SECOND_NS as f64) as u64).ok();
            match key.as_deref() {
                None => column.frames_root_first.push(entry),
                Some("@thread") => column.thread = Some(entry),
                Some("@weight") => column.weight_ns = seconds(),
                Some("@time") => column.time_ns = seconds(),
                Some("@event") => column.event = Some(entry),
                Some("@count") => column.count = Some(entry.parse().expect("a count")),
                Some("@bytes") => column.bytes = entry.parse().expect("a number of bytes"),
                Some("@file") => column.file = if entry == "-" { String::new() } else { entry },
                Some("@class") => column.class = if entry == "-" { String::new() } else { entry },
                Some("@call") => column.call = Some(entry.parse().expect("a row of the system calls")),
                Some("@error") => column.error_number = entry.parse().ok(),
                Some("@wakes") => column.wakes = Some(entry).filter(|entry| entry != "-"),
                Some("@kind") => column.waker_kind = Some(entry).filter(|entry| entry != "-"),
                Some(other) => {
                    panic!(
                        "{other} is none of @thread, @weight, @time, @event, @count, @bytes, @class, @file, @call, @error, @wakes, @kind"
                    )
                }
            }
        }
    }
    columns
}

/// The entries of a line, with their positions. An entry can contain single spaces.
pub(crate) fn entries(line: &str) -> Vec<(usize, String)> {
    let mut entries: Vec<(usize, String)> = Vec::new();
    let mut gap = 2;
    for (position, c) in line.chars().enumerate() {
        match entries.last_mut() {
            _ if c == ' ' => gap += 1,
            Some((_, entry)) if gap < 2 => {
                entry.extend(std::iter::repeat_n(' ', gap).chain([c]));
                gap = 0;
            }
            _ => {
                entries.push((position, c.to_string()));
                gap = 0;
            }
        }
    }
    entries
}

fn add_sample(builder: &mut TableBuilder, column: &DrawnColumn, index: usize) {
    let mut stack = StackIndex::ROOT;
    let mut is_kernel = false;
    for drawn in &column.frames_root_first {
        let (name, suffix) = name_and_suffix(drawn);
        is_kernel = suffix == "k";
        let frame = frame(builder, name, suffix);
        stack = builder.child(stack, frame);
    }
    let thread = thread(builder, column.thread.as_deref().unwrap_or("main"));
    let time_ns = column.time_ns.unwrap_or(index as u64 * SECOND_NS);
    if let Some(row) = column.call {
        builder.tables_mut().sampled_calls.push(SampledCall {
            time_ns,
            thread,
            stack,
            syscall: SyscallIndex(row),
            count: column.count.unwrap_or(1),
            bytes: column.bytes,
            latency_ns: column.weight_ns.unwrap_or_default(),
            error_number: column.error_number,
        });
        return;
    }
    let (event, reason) = event_and_reason(column.event.as_deref().unwrap_or("cpu"));
    if let Some(waiter) = &column.wakes {
        add_wake(builder, column, (waiter, reason), (time_ns, thread, stack));
        return;
    }
    let mode = match event {
        EventKind::Cpu if is_kernel => CpuMode::System,
        EventKind::Cpu => CpuMode::User,
        _ => CpuMode::Unknown,
    };
    let has_duration = event.weight() == WeightColumn::DurationNs && event != EventKind::Wall;
    let object_class = builder.object_class(&column.class);
    let file = if column.file.is_empty() { FileIndex::NONE } else { drawn_file(builder, &column.file) };
    builder.sample(Sample {
        mode,
        reason,
        object_class,
        file,
        count: column.count.unwrap_or(1),
        duration_ns: column.weight_ns.unwrap_or(if has_duration { SECOND_NS } else { 0 }),
        bytes: column.bytes,
        ..Sample::new(time_ns, thread, stack, event)
    });
}

fn add_wake(
    builder: &mut TableBuilder,
    column: &DrawnColumn,
    (waiter, reason): (&str, WaitReason),
    (time_ns, waker, stack): (u64, ThreadIndex, StackIndex),
) {
    let kind = column.waker_kind.as_deref().unwrap_or("thread");
    let kind = WakerKind::from_name(kind).expect("a kind of waker");
    let thread = thread(builder, waiter);
    let duration_ns = column.weight_ns.unwrap_or(SECOND_NS);
    let waker = kind.is_thread().then_some(waker);
    builder.tables_mut().wakes.push(Wake {
        time_ns,
        thread,
        reason,
        kind,
        waker,
        stack,
        duration_ns,
        weight_ns: duration_ns,
    });
}

/// The file with a path. Files with the same path are one file.
fn drawn_file(builder: &mut TableBuilder, path: &str) -> FileIndex {
    let known = builder.tables().files.path.iter().position(|known| known == path);
    let inode = known.unwrap_or(builder.tables().files.path.len()) as u64;
    builder.file(FileIdentity { device: 1, inode, kind: FileKind::Socket }, path)
}

/// The thread of a drawn name such as `C2 [jit_compiler]`. A name without a class is a thread of the program.
pub(crate) fn thread(builder: &mut TableBuilder, drawn: &str) -> ThreadIndex {
    let (name, class) = name_and_suffix(drawn);
    let thread = builder.thread(Some(1), None, name.trim_end());
    let class = if class.is_empty() { "work" } else { class };
    builder.threads_mut().class[thread.row()] = ThreadClass::from_name(class).expect("a thread class in brackets");
    thread
}

fn event_and_reason(drawn: &str) -> (EventKind, WaitReason) {
    let (event, reason) = drawn.split_once(':').unwrap_or((drawn, "none"));
    (EventKind::from_name(event).expect("an event"), WaitReason::from_name(reason).expect("a reason behind the event"))
}

/// Splits `write[n]` into `write` and `n`. The brackets of an array type, as in `sort(int[])`, are not a suffix.
fn name_and_suffix(drawn: &str) -> (&str, &str) {
    let split = drawn.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    split.filter(|(name, suffix)| !name.is_empty() && !suffix.is_empty()).unwrap_or((drawn, ""))
}

fn frame(builder: &mut TableBuilder, drawn: &str, suffix: &str) -> FrameIndex {
    let (suffix, detail) = suffix.split_once(':').unwrap_or((suffix, ""));
    let (function_kind, kind, binary) = match suffix {
        "" => (FunctionKind::Java, FrameKind::Jit, BinaryIndex::NONE),
        "n" => {
            let path = if detail.is_empty() { "/usr/lib/x86_64-linux-gnu/libc.so.6" } else { detail };
            (FunctionKind::Native, FrameKind::Native, builder.binary(path, BinaryKind::Elf))
        }
        "k" => (FunctionKind::Kernel, FrameKind::Kernel, builder.binary("[kernel]", BinaryKind::Kernel)),
        "j" => (FunctionKind::Jvm, FrameKind::Jvm, builder.binary("/opt/jdk/lib/server/libjvm.so", BinaryKind::Elf)),
        "s" => (FunctionKind::Stub, FrameKind::Stub, BinaryIndex::NONE),
        "t" => return builder.truncated_frame(LossReason::from_name(detail).expect("a loss reason behind t:")),
        other => panic!("[{other}] is none of [n], [k], [j], [s], [t:reason]"),
    };
    let (name, line) = match drawn.rsplit_once(':') {
        Some((name, line)) if line.parse::<u32>().is_ok() => (name, line.parse().ok()),
        _ => (drawn, None),
    };
    let function =
        builder.function(&NewFunction { display_name: name, internal_name: name, kind: function_kind, binary });
    builder.frame(NewFrame { function, kind, line, bytecode_index: None, address: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_samples_and_rows_are_depth() {
        let (_, tables) = experiment_from_text(
            "
            @thread  main             worker 1  GC [gc]
                     main             run()     mark[j]
                     write(int, int)            scan[k]
                     __write[n]
            ",
        );
        assert_eq!(tables.samples.stack.len(), 3);
        assert_eq!(tables.threads.name, ["main", "worker 1", "GC"]);
        assert_eq!(tables.threads.class[2], ThreadClass::Gc);
        assert_eq!(tables.samples.mode, [CpuMode::User, CpuMode::User, CpuMode::System]);
        assert!(tables.functions.display_name.contains(&"write(int, int)".to_owned()));
        let leaf = tables.samples.stack[0].row();
        assert_eq!(tables.stacks.depth[leaf], 3);
    }
}
