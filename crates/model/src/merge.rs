//! Merges several experiments into one set of tables. Functions with the same name become one row. Equal stacks and
//! classes of objects with the same name also become one row.
//!
//! ```text
//! run 1   main > parse      ┐            main ┬ parse     samples of run 1 and of run 2
//! run 2   main > parse      ├─────────>       └ write     samples of run 2
//!         main > write      ┘
//! ```
//!
//! Threads, files and exact values of different runs are not merged. If the same code has different names in two runs,
//! the caller must make the names equal before merging.

use crate::{
    ArchiveTable, BinaryIndex, FileIndex, FrameIndex, FunctionIndex, FunctionKind, NewFrame, NewFunction,
    ObjectClassIndex, RequestPartTable, RequestTable, StackIndex, SyscallIndex, Table, TableBuilder, Tables,
    ThreadIndex, WakeTable,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// Runs merged so far.
#[derive(Debug, Default)]
pub struct MergedRuns {
    builder: TableBuilder,
    /// Java methods by internal name. Methods with the same name are one method, even if they are in different jars.
    java_methods: FxHashMap<String, FunctionIndex>,
    /// Classes that are in the archive.
    archived: FxHashSet<String>,
}

/// Where the rows of one run are in the merged tables.
struct Rows {
    stacks: Vec<StackIndex>,
    object_classes: Vec<ObjectClassIndex>,
    first_thread: usize,
    first_file: usize,
    first_syscall: usize,
}

impl Rows {
    fn thread(&self, thread: ThreadIndex) -> ThreadIndex {
        ThreadIndex::from_row(self.first_thread + thread.row())
    }

    fn stack(&self, stack: StackIndex) -> StackIndex {
        self.stacks[stack.row()]
    }

    fn object_class(&self, class: ObjectClassIndex) -> ObjectClassIndex {
        self.object_classes[class.row()]
    }

    fn syscall(&self, syscall: SyscallIndex) -> SyscallIndex {
        SyscallIndex::from_row(self.first_syscall + syscall.row())
    }

    /// Row 0 represents "no file" in all runs.
    fn file(&self, file: FileIndex) -> FileIndex {
        if file.row() == 0 { file } else { FileIndex::from_row(self.first_file + file.row() - 1) }
    }
}

impl MergedRuns {
    /// Adds a run and returns the rows of its threads. The tables must be valid. If several runs contain a class, the
    /// class file of the first run is kept.
    pub fn add(&mut self, tables: Tables) -> Range<usize> {
        let frames = self.add_code(&tables);
        let object_classes = tables.object_classes.name.iter().map(|name| self.builder.object_class(name)).collect();
        let merged = self.builder.tables();
        let rows = Rows {
            first_thread: merged.threads.len(),
            first_file: merged.files.len(),
            first_syscall: merged.syscalls.len(),
            stacks: self.add_stacks(&tables, &frames),
            object_classes,
        };
        let thread_count = tables.threads.len();
        self.add_rows(tables, &rows);
        rows.first_thread..rows.first_thread + thread_count
    }

    /// The merged tables.
    pub fn into_tables(self) -> Tables {
        self.builder.into_tables()
    }

    /// Adds binaries, functions and frames. Returns the new row of each frame.
    fn add_code(&mut self, tables: &Tables) -> Vec<FrameIndex> {
        let binaries = &tables.binaries;
        let binary_rows: Vec<BinaryIndex> = (0..binaries.len())
            .map(|row| {
                let index = self.builder.binary(&binaries.path[row], binaries.kind[row]);
                if let Some(build_id) = &binaries.build_id[row] {
                    self.builder.describe_binary(index, build_id);
                }
                index
            })
            .collect();
        let functions: Vec<FunctionIndex> =
            (0..tables.functions.len()).map(|row| self.add_function(tables, row, &binary_rows)).collect();
        let frames = &tables.frames;
        let add_frame = |row: usize| {
            let frame = NewFrame {
                function: functions[frames.function[row].row()],
                kind: frames.kind[row],
                line: frames.line[row],
                bytecode_index: frames.bytecode_index[row],
                // An address means different places in different runs.
                address: None,
            };
            self.builder.intern_frame(frame, frames.reason[row])
        };
        (0..frames.len()).map(add_frame).collect()
    }

    fn add_function(&mut self, tables: &Tables, row: usize, binaries: &[BinaryIndex]) -> FunctionIndex {
        let functions = &tables.functions;
        let internal_name = functions.internal_name[row].as_str();
        let kind = functions.kind[row];
        if kind == FunctionKind::Java
            && let Some(known) = self.java_methods.get(internal_name)
        {
            return *known;
        }
        let binary = binaries[functions.binary[row].row()];
        let display_name = functions.display_name[row].as_str();
        let count = self.builder.tables().functions.len();
        let index = self.builder.function(&NewFunction { display_name, internal_name, kind, binary });
        if index.row() == count {
            let source_file = functions.source_file[row].as_deref();
            self.builder.describe_function(index, source_file, functions.first_line[row]);
        }
        if kind == FunctionKind::Java {
            self.java_methods.insert(internal_name.to_owned(), index);
        }
        index
    }

    /// Adds the stacks. Returns the new row of each stack.
    fn add_stacks(&mut self, tables: &Tables, frames: &[FrameIndex]) -> Vec<StackIndex> {
        let stacks = &tables.stacks;
        let mut rows = Vec::with_capacity(stacks.len());
        rows.push(StackIndex::ROOT);
        for row in 1..stacks.len() {
            let parent = rows[stacks.parent[row].row()];
            rows.push(self.builder.child(parent, frames[stacks.frame[row].row()]));
        }
        rows
    }

    /// Adds the rows that are not merged with rows of other runs.
    fn add_rows(&mut self, tables: Tables, rows: &Rows) {
        let Tables {
            threads,
            mut thread_states,
            mut samples,
            mut files,
            mut syscalls,
            mut syscall_latencies,
            mut sampled_calls,
            mut calibration,
            requests,
            request_parts,
            wakes,
            counters,
            jvm_events,
            archive,
            ..
        } = tables;
        let map_threads = |threads: &mut [ThreadIndex]| threads.iter_mut().for_each(|one| *one = rows.thread(*one));
        map_threads(&mut samples.thread);
        map_threads(&mut sampled_calls.thread);
        map_threads(&mut thread_states.thread);
        map_threads(&mut syscalls.thread);
        map_threads(&mut calibration.thread);
        samples.stack.iter_mut().for_each(|stack| *stack = rows.stack(*stack));
        samples.object_class.iter_mut().for_each(|class| *class = rows.object_class(*class));
        samples.file.iter_mut().for_each(|file| *file = rows.file(*file));
        sampled_calls.stack.iter_mut().for_each(|stack| *stack = rows.stack(*stack));
        sampled_calls.syscall.iter_mut().for_each(|syscall| *syscall = rows.syscall(*syscall));
        syscall_latencies.syscall.iter_mut().for_each(|syscall| *syscall = rows.syscall(*syscall));
        syscalls.file.iter_mut().for_each(|file| *file = rows.file(*file));
        let mut is_kept = vec![true; files.len()];
        is_kept.iter_mut().take(1).for_each(|none| *none = false);
        files.retain(&is_kept);
        let merged = self.builder.tables_mut();
        merged.threads.append(threads);
        merged.files.append(files);
        merged.samples.append(samples);
        merged.sampled_calls.append(sampled_calls);
        merged.thread_states.append(thread_states);
        merged.syscalls.append(syscalls);
        merged.syscall_latencies.append(syscall_latencies);
        merged.calibration.append(calibration);
        merged.counters.append(counters);
        merged.jvm_events.append(jvm_events);
        self.add_requests((requests, request_parts), rows);
        // Report files contain none, and their engine does without this code.
        if cfg!(not(target_arch = "wasm32")) {
            self.add_wakes(wakes, rows);
        }
        self.add_archive(archive);
    }

    /// The numbers of this run's requests follow the numbers of the other runs.
    fn add_requests(&mut self, (mut requests, mut parts): (RequestTable, RequestPartTable), rows: &Rows) {
        let threads = requests.thread.iter_mut().chain(&mut requests.answering_thread).chain(&mut parts.thread);
        threads.for_each(|thread| *thread = rows.thread(*thread));
        let merged = self.builder.tables_mut();
        let next = merged.requests.number.iter().flatten().max().map_or(0, |last| last.wrapping_add(1));
        let numbers = requests.number.iter_mut().flatten().chain(&mut parts.number);
        numbers.for_each(|number| *number = number.wrapping_add(next));
        merged.requests.append(requests);
        merged.request_parts.append(parts);
    }

    fn add_wakes(&mut self, mut wakes: WakeTable, rows: &Rows) {
        let threads = wakes.thread.iter_mut().chain(wakes.waker.iter_mut().flatten());
        threads.for_each(|thread| *thread = rows.thread(*thread));
        wakes.stack.iter_mut().for_each(|stack| *stack = rows.stack(*stack));
        self.builder.tables_mut().wakes.append(wakes);
    }

    fn add_archive(&mut self, mut archive: ArchiveTable) {
        let is_new: Vec<bool> = archive.class_name.iter().map(|name| self.archived.insert(name.clone())).collect();
        archive.retain(&is_new);
        self.builder.tables_mut().archive.append(archive);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryKind, EventKind, FrameKind, Sample};

    /// A run with one thread, and one sample for each of the given stacks of Java methods.
    fn run(jar: &str, stacks: &[&[&str]]) -> Tables {
        let mut builder = TableBuilder::new();
        let binary = builder.binary(jar, BinaryKind::ClassOrigin);
        let thread = builder.thread(Some(1), Some(1), "main");
        for (time, names) in stacks.iter().enumerate() {
            let frames: Vec<FrameIndex> = names
                .iter()
                .map(|name| {
                    let function =
                        NewFunction { display_name: name, internal_name: name, kind: FunctionKind::Java, binary };
                    let function = builder.function(&function);
                    let kind = FrameKind::Jit;
                    builder.frame(NewFrame { function, kind, line: Some(1), bytecode_index: None, address: None })
                })
                .collect();
            let stack = builder.stack(frames);
            builder.sample(Sample { duration_ns: 1, ..Sample::new(time as u64, thread, stack, EventKind::Cpu) });
        }
        builder.into_tables()
    }

    #[test]
    fn equal_code_is_one_and_threads_stay_apart() {
        let mut merged = MergedRuns::default();
        assert_eq!(merged.add(run("a-1.0.jar", &[&["main", "parse"], &["main", "read"]])), 0..1);
        assert_eq!(merged.add(run("a-1.1.jar", &[&["main", "write"], &["main", "parse"]])), 1..2);
        let tables = merged.into_tables();
        tables.validate().expect("merged tables keep all promises");
        assert_eq!(tables.functions.internal_name, ["<Total>", "main", "parse", "read", "write"]);
        assert_eq!(tables.stacks.len(), 5);
        assert_eq!(tables.samples.thread.iter().map(|thread| thread.row()).collect::<Vec<_>>(), [0, 0, 1, 1]);
        assert_eq!(tables.samples.stack[0], tables.samples.stack[3]);
    }

    #[test]
    fn classes_of_the_same_name_are_one() {
        let mut merged = MergedRuns::default();
        for classes in [&["byte[]", "a.Order"][..], &["a.Order", "", "long[]"]] {
            let mut builder = TableBuilder::new();
            let thread = builder.thread(Some(1), Some(1), "main");
            for name in classes {
                let object_class = builder.object_class(name);
                let sample = Sample::new(0, thread, StackIndex::ROOT, EventKind::Alloc);
                builder.sample(Sample { object_class, ..sample });
            }
            merged.add(builder.into_tables());
        }
        let tables = merged.into_tables();
        tables.validate().expect("merged tables keep all promises");
        assert_eq!(tables.object_classes.name, ["", "byte[]", "a.Order", "long[]"]);
        assert_eq!(tables.samples.object_class.iter().map(|class| class.row()).collect::<Vec<_>>(), [1, 2, 2, 0, 3]);
    }

    #[test]
    fn a_run_merged_alone_is_itself() {
        let alone = run("a.jar", &[&["main", "parse"], &["main"], &["main", "parse", "read"]]);
        let mut merged = MergedRuns::default();
        merged.add(alone.clone());
        assert_eq!(merged.into_tables(), alone);
    }
}
