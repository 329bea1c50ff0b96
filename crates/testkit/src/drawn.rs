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
//! Entries are separated by two or more spaces and start where the column's first entry starts.
//! The kind of code stands in brackets: `[n]` native (of `libc.so.6`; `[n:libfast.so]` of another
//! file), `[k]` kernel, `[j]` JVM, `[s]` stub, `[t:depth_limit]` truncated for that reason, nothing
//! Java. A sample is one second of CPU in system mode if its leaf is kernel code, else in user mode.

use whittle_model::{
    BinaryIndex, BinaryKind, CpuMode, EventKind, FrameIndex, FrameKind, FunctionKind, LossReason, Manifest,
    MetricDefinition, NewFrame, NewFunction, Program, Sample, StackIndex, State, TableBuilder, Tables, ThreadClass,
    WeightColumn, cpu_metrics,
};

/// Default weight of a sample.
const SECOND_NS: u64 = 1_000_000_000;

/// An experiment with one sample for each drawn column.
///
/// # Panics
/// If the drawing is wrong.
pub fn experiment_from_text(text: &str) -> (Manifest, Tables) {
    let columns = columns(text);
    let mut builder = TableBuilder::new();
    for (index, column) in columns.iter().enumerate() {
        add_sample(&mut builder, column, index);
    }
    let mut manifest = Manifest::new(Program { name: "testkit".to_owned(), version: String::new() });
    manifest.state = State::Complete;
    manifest.duration_ns = columns.len() as u64 * SECOND_NS;
    manifest.metrics = cpu_metrics(true);
    manifest.metrics.push(MetricDefinition::new("samples", "Samples", EventKind::Cpu, WeightColumn::Count));
    let tables = builder.into_tables();
    tables.validate().expect("drawn experiments keep all promises");
    (manifest, tables)
}

/// One drawn sample.
#[derive(Debug, Default)]
struct DrawnColumn {
    start: usize,
    thread: Option<String>,
    weight_ns: Option<u64>,
    time_ns: Option<u64>,
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
            let column = column.unwrap_or_else(|| panic!("\"{entry}\" does not stand under a column's start: {line}"));
            let seconds = || entry.parse::<f64>().map(|seconds| (seconds * SECOND_NS as f64) as u64).ok();
            match key.as_deref() {
                None => column.frames_root_first.push(entry),
                Some("@thread") => column.thread = Some(entry),
                Some("@weight") => column.weight_ns = seconds(),
                Some("@time") => column.time_ns = seconds(),
                Some(other) => panic!("{other} is none of @thread, @weight, @time"),
            }
        }
    }
    columns
}

/// The entries of a line with their positions; single spaces belong to an entry.
fn entries(line: &str) -> Vec<(usize, String)> {
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
    let (name, class) = name_and_suffix(column.thread.as_deref().unwrap_or("main"));
    let thread = builder.thread(Some(1), None, name.trim_end());
    let class = if class.is_empty() { "work" } else { class };
    builder.threads_mut().class[thread.row()] = ThreadClass::from_name(class).expect("a thread class in brackets");
    let time_ns = column.time_ns.unwrap_or(index as u64 * SECOND_NS);
    builder.sample(Sample {
        mode: if is_kernel { CpuMode::System } else { CpuMode::User },
        duration_ns: column.weight_ns.unwrap_or(SECOND_NS),
        ..Sample::new(time_ns, thread, stack, EventKind::Cpu)
    });
}

/// Splits `write[n]` into `write` and `n`; array types such as `sort(int[])` are no suffix.
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
