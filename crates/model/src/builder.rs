//! Builds tables from a stream of samples. Each function, frame and stack is stored once.

use crate::child_index::ChildIndex;
use crate::identity::{ContentHash, normalized_name};
use crate::{
    Binary, BinaryIndex, BinaryKind, File, FileIndex, FileKind, Frame, FrameIndex, FrameKind, Function, FunctionIndex,
    FunctionKind, LossReason, NewRows, ObjectClass, ObjectClassIndex, Sample, SampleTable, Stack, StackIndex, Table,
    Tables, Thread, ThreadIndex,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// A function, with the names that the producer of the data uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NewFunction<'a> {
    /// The displayed name.
    pub display_name: &'a str,
    /// The name in the JVM or the linker.
    pub internal_name: &'a str,
    /// Kind of code.
    pub kind: FunctionKind,
    /// Row of binaries.
    pub binary: BinaryIndex,
}

/// A place in code, as the producer of the data describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NewFrame {
    /// Row of functions.
    pub function: FunctionIndex,
    /// How the code was executing. For [`FrameKind::Truncated`], use [`TableBuilder::truncated_frame`].
    pub kind: FrameKind,
    /// Source line, if known; 0 means unknown.
    pub line: Option<u32>,
    /// Bytecode index, if known.
    pub bytecode_index: Option<u32>,
    /// Machine address, if known.
    pub address: Option<u64>,
}

/// The values that distinguish a file from all others while the file exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    /// Device number in the kernel's form: the major number shifted left by 20 bits, plus the minor number.
    pub device: u64,
    /// Inode number.
    pub inode: u64,
    /// Kind of file.
    pub kind: FileKind,
}

/// Tables under construction. Rows never move, so a part of the tables can be written while rows are added.
#[derive(Debug)]
pub struct TableBuilder {
    tables: Tables,
    binaries: FxHashMap<String, BinaryIndex>,
    functions: FxHashMap<(String, FunctionKind, BinaryIndex), FunctionIndex>,
    frames: FxHashMap<(NewFrame, LossReason), FrameIndex>,
    children: ChildIndex,
    threads: FxHashMap<(Option<u32>, Option<u32>, String), ThreadIndex>,
    /// Threads with provisional names. A better name replaces a provisional name.
    named_for_now: FxHashSet<ThreadIndex>,
    files: FxHashMap<FileIdentity, FileIndex>,
    object_classes: FxHashMap<String, ObjectClassIndex>,
    /// Identity of each frame, by row. The content hashes of stacks are computed from these identities. The list ends
    /// at the highest requested row.
    frame_hashes: Vec<ContentHash>,
}

impl Default for TableBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl TableBuilder {
    /// Tables that contain only their fixed first rows.
    pub fn new() -> Self {
        let mut builder = Self {
            tables: Tables::default(),
            binaries: FxHashMap::default(),
            functions: FxHashMap::default(),
            frames: FxHashMap::default(),
            children: ChildIndex::default(),
            threads: FxHashMap::default(),
            named_for_now: FxHashSet::default(),
            files: FxHashMap::default(),
            object_classes: FxHashMap::default(),
            frame_hashes: Vec::new(),
        };
        builder.binary("", BinaryKind::None);
        builder.pseudo_frame("<Total>");
        let root =
            Stack { parent: StackIndex::ROOT, frame: FrameIndex::TOTAL, depth: 0, content_hash: ContentHash::ROOT };
        builder.tables.stacks.push(root);
        builder.children.add_row();
        builder.file(FileIdentity { device: 0, inode: 0, kind: FileKind::None }, "");
        builder.object_class("");
        builder
    }

    /// Returns the row of the binary with this path or name. Adds the binary if it is new.
    pub fn binary(&mut self, path: &str, kind: BinaryKind) -> BinaryIndex {
        if let Some(index) = self.binaries.get(path) {
            return *index;
        }
        let index = BinaryIndex::from_row(self.tables.binaries.len());
        self.tables.binaries.push(Binary { path: path.to_owned(), build_id: None, kind });
        self.binaries.insert(path.to_owned(), index);
        index
    }

    /// Sets the build id of a binary if the build id is unknown. If several files have the same name, the first build
    /// id is kept.
    pub fn describe_binary(&mut self, index: BinaryIndex, build_id: &str) {
        let known = &mut self.tables.binaries.build_id[index.row()];
        known.get_or_insert_with(|| build_id.to_owned());
    }

    /// Returns the row of a function. Adds the function if it is new. Two functions are the same if internal name, kind
    /// and binary are equal.
    pub fn function(&mut self, function: &NewFunction<'_>) -> FunctionIndex {
        let key = (function.internal_name.to_owned(), function.kind, function.binary);
        if let Some(index) = self.functions.get(&key) {
            return *index;
        }
        let index = self.add_function(Function {
            display_name: function.display_name.to_owned(),
            internal_name: function.internal_name.to_owned(),
            kind: function.kind,
            binary: function.binary,
            source_file: None,
            first_line: None,
            address: None,
            size_bytes: None,
        });
        self.functions.insert(key, index);
        index
    }

    /// Adds a function without a check whether it exists. [`function`](Self::function) does not find this row.
    pub fn add_function(&mut self, function: Function) -> FunctionIndex {
        let index = FunctionIndex::from_row(self.tables.functions.len());
        self.tables.functions.push(function);
        index
    }

    /// Sets the details of a function other than its name (source file, first line, size …).
    pub fn describe_function(&mut self, index: FunctionIndex, source_file: Option<&str>, first_line: Option<u32>) {
        self.tables.functions.source_file[index.row()] = source_file.map(str::to_owned);
        self.tables.functions.first_line[index.row()] = first_line;
    }

    /// Sets the address of a function's machine code, and the size of the code if known. The values of the first call
    /// are kept.
    pub fn locate_function(&mut self, index: FunctionIndex, address: u64, size_bytes: Option<u64>) {
        let functions = &mut self.tables.functions;
        if functions.address[index.row()].is_none() {
            functions.address[index.row()] = Some(address);
            functions.size_bytes[index.row()] = size_bytes;
        }
    }

    /// Returns the row of a frame. Adds the frame if it is new.
    pub fn frame(&mut self, frame: NewFrame) -> FrameIndex {
        let line = frame.line.filter(|line| *line > 0);
        self.intern_frame(NewFrame { line, ..frame }, LossReason::None)
    }

    /// The frame of a pseudo-function such as `<Total>`.
    pub fn pseudo_frame(&mut self, name: &str) -> FrameIndex {
        let frame = self.pseudo_place(name, FrameKind::Pseudo);
        self.intern_frame(frame, LossReason::None)
    }

    /// The frame that replaces missing frames. `reason` is why they are missing.
    pub fn truncated_frame(&mut self, reason: LossReason) -> FrameIndex {
        let frame = self.pseudo_place(&format!("<truncated: {reason}>"), FrameKind::Truncated);
        self.intern_frame(frame, reason)
    }

    fn pseudo_place(&mut self, name: &str, kind: FrameKind) -> NewFrame {
        let function = self.function(&NewFunction {
            display_name: name,
            internal_name: name,
            kind: FunctionKind::Pseudo,
            binary: BinaryIndex::NONE,
        });
        NewFrame { function, kind, line: None, bytecode_index: None, address: None }
    }

    /// Returns the row of a frame of any kind. Adds the frame if it is new.
    pub(crate) fn intern_frame(&mut self, frame: NewFrame, reason: LossReason) -> FrameIndex {
        if let Some(index) = self.frames.get(&(frame, reason)) {
            return *index;
        }
        let NewFrame { function, kind, line, bytecode_index, address } = frame;
        let index = self.add_frame(Frame { function, line, bytecode_index, address, kind, reason });
        self.frames.insert((frame, reason), index);
        index
    }

    /// Adds a frame without a check whether it exists. [`frame`](Self::frame) does not find this row.
    pub fn add_frame(&mut self, frame: Frame) -> FrameIndex {
        let index = FrameIndex::from_row(self.tables.frames.len());
        self.tables.frames.push(frame);
        index
    }

    /// The identity of the frame in this row. It is computed when a stack first needs it.
    fn frame_hash(&mut self, frame: FrameIndex) -> ContentHash {
        for row in self.frame_hashes.len()..=frame.row() {
            self.frame_hashes.push(self.frame_identity(&self.tables.frames.row(row)));
        }
        self.frame_hashes[frame.row()]
    }

    /// A frame's identity, which is the same on all hosts: function, file name of the binary, line and bytecode index.
    /// Addresses and frame kinds are not part of the identity, because they change from run to run.
    fn frame_identity(&self, frame: &Frame) -> ContentHash {
        let function = frame.function.row();
        let name = normalized_name(&self.tables.functions.internal_name[function]);
        let binary = &self.tables.binaries.path[self.tables.functions.binary[function].row()];
        let file_name = binary.rsplit('/').next().unwrap_or(binary);
        let (line, index) = (frame.line.unwrap_or(0), frame.bytecode_index.map_or(-1, i64::from));
        ContentHash::of(format!("{name}\0{file_name}\0{line}\0{index}").as_bytes())
    }

    /// Returns the row of the stack that has `frame` on top of `parent`. Adds the stack if it is new.
    pub fn child(&mut self, parent: StackIndex, frame: FrameIndex) -> StackIndex {
        let next = StackIndex::from_row(self.tables.stacks.len());
        let index = self.children.find_or_insert((parent, frame), next, &self.tables.stacks.frame);
        if index == next {
            let frame_hash = self.frame_hash(frame);
            let stacks = &mut self.tables.stacks;
            let depth = stacks.depth[parent.row()] + 1;
            let content_hash = stacks.content_hash[parent.row()].then(frame_hash);
            stacks.push(Stack { parent, frame, depth, content_hash });
            self.children.add_row();
        }
        index
    }

    /// Returns the row of the stack with these frames, outermost first. Adds the stack if it is new.
    pub fn stack(&mut self, frames_root_first: impl IntoIterator<Item = FrameIndex>) -> StackIndex {
        frames_root_first.into_iter().fold(StackIndex::ROOT, |stack, frame| self.child(stack, frame))
    }

    /// Returns the row of a thread. Adds the thread if it is new. Threads without a thread id are distinguished by
    /// name. A thread with an id keeps its first name, because programs rename threads. The JVM also renames threads:
    /// `main` becomes `DestroyJavaVM` at the end.
    pub fn thread(&mut self, process_id: Option<u32>, thread_id: Option<u32>, name: &str) -> ThreadIndex {
        let key_name = if thread_id.is_some() { String::new() } else { name.to_owned() };
        let next = ThreadIndex::from_row(self.tables.threads.len());
        let index = *self.threads.entry((process_id, thread_id, key_name)).or_insert(next);
        if index == next {
            self.tables.threads.push(Thread::unknown(process_id, thread_id, name));
        } else {
            self.name_thread(index, name);
        }
        index
    }

    /// Adds a row for a thread that [`thread`](Self::thread) does not find.
    pub fn add_thread(&mut self, thread: Thread) -> ThreadIndex {
        let index = ThreadIndex::from_row(self.tables.threads.len());
        self.tables.threads.push(thread);
        index
    }

    /// Removes all threads from `first_row` on, and returns them. The caller must remove or change the samples that
    /// refer to these rows.
    pub fn take_threads(&mut self, first_row: usize) -> Vec<Thread> {
        let table = &mut self.tables.threads;
        let taken = (first_row..table.len()).map(|row| table.row(row)).collect();
        table.truncate(first_row);
        self.threads.retain(|_, index| index.row() < first_row);
        self.named_for_now.retain(|index| index.row() < first_row);
        taken
    }

    /// Names a thread that has no name or a provisional name.
    pub fn name_thread(&mut self, index: ThreadIndex, name: &str) {
        if !name.is_empty() && (self.tables.threads.name[index.row()].is_empty() || self.is_named_for_now(index)) {
            name.clone_into(&mut self.tables.threads.name[index.row()]);
            self.named_for_now.remove(&index);
        }
    }

    /// Gives a thread a provisional name, until [`thread`](Self::thread) brings a better name. The provisional name is
    /// the kernel's name, which is shortened and can differ from the program's name for the thread.
    pub fn name_thread_for_now(&mut self, index: ThreadIndex, name: &str) {
        if !name.is_empty() && (self.tables.threads.name[index.row()].is_empty() || self.is_named_for_now(index)) {
            name.clone_into(&mut self.tables.threads.name[index.row()]);
            self.named_for_now.insert(index);
        }
    }

    fn is_named_for_now(&self, index: ThreadIndex) -> bool {
        self.named_for_now.contains(&index)
    }

    /// The threads so far. The caller can add details.
    pub fn threads_mut(&mut self) -> &mut crate::ThreadTable {
        &mut self.tables.threads
    }

    /// Returns the row of a file. Adds the file if it is new. The first path that is not empty is kept.
    pub fn file(&mut self, identity: FileIdentity, path: &str) -> FileIndex {
        let next = FileIndex::from_row(self.tables.files.len());
        let index = *self.files.entry(identity).or_insert(next);
        if index == next {
            let FileIdentity { device, inode, kind } = identity;
            self.tables.files.push(File { device, inode, kind, path: path.to_owned() });
        } else if self.tables.files.path[index.row()].is_empty() {
            path.clone_into(&mut self.tables.files.path[index.row()]);
        }
        index
    }

    /// Returns the row of a class of objects. Adds the class if it is new. The empty name means "unknown".
    pub fn object_class(&mut self, name: &str) -> ObjectClassIndex {
        if let Some(index) = self.object_classes.get(name) {
            return *index;
        }
        let index = ObjectClassIndex::from_row(self.tables.object_classes.len());
        self.tables.object_classes.push(ObjectClass { name: name.to_owned() });
        self.object_classes.insert(name.to_owned(), index);
        index
    }

    /// The tables, for a collector that fills some of them directly. These are syscalls, syscall_latencies, calibration,
    /// jvm_events and archive with exact values, and sampled_calls, thread_states, requests, wakes and counters row by row. The caller must
    /// not change the other tables.
    pub fn tables_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }

    /// Adds a sample.
    pub fn sample(&mut self, sample: Sample) {
        self.tables.samples.push(sample);
    }

    /// The tables so far.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Removes and returns the samples that were added since the last call. The other tables do not change.
    pub fn take_samples(&mut self) -> SampleTable {
        std::mem::take(&mut self.tables.samples)
    }

    /// Removes and returns the rows of samples, sampled_calls, thread_states, requests, wakes and counters that were added since the
    /// last call. The other tables do not change.
    pub fn take_new_rows(&mut self) -> NewRows {
        NewRows {
            samples: self.take_samples(),
            sampled_calls: std::mem::take(&mut self.tables.sampled_calls),
            thread_states: std::mem::take(&mut self.tables.thread_states),
            requests: std::mem::take(&mut self.tables.requests),
            request_parts: std::mem::take(&mut self.tables.request_parts),
            wakes: std::mem::take(&mut self.tables.wakes),
            counters: std::mem::take(&mut self.tables.counters),
        }
    }

    /// The finished tables.
    pub fn into_tables(self) -> Tables {
        self.tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventKind;

    fn java_frame(builder: &mut TableBuilder, name: &str, line: u32) -> FrameIndex {
        let function = builder.function(&NewFunction {
            display_name: name,
            internal_name: name,
            kind: FunctionKind::Java,
            binary: BinaryIndex::NONE,
        });
        builder.frame(NewFrame {
            function,
            kind: FrameKind::Jit,
            line: Some(line),
            bytecode_index: None,
            address: None,
        })
    }

    /// Two stacks with a common start share the nodes of this start.
    #[test]
    fn everything_is_interned_once_and_keeps_its_promises() {
        let mut builder = TableBuilder::new();
        let (main, write, parse) = (
            java_frame(&mut builder, "main", 1),
            java_frame(&mut builder, "write", 2),
            java_frame(&mut builder, "parse", 3),
        );
        let first = builder.stack([main, write]);
        let second = builder.stack([main, parse]);
        assert_eq!(builder.stack([main, write]), first);
        assert_ne!(first, second);
        assert_eq!(java_frame(&mut builder, "write", 2), write);
        let thread = builder.thread(Some(1), Some(2), "main");
        assert_eq!(builder.thread(Some(1), Some(2), "DestroyJavaVM"), thread);
        builder.name_thread_for_now(thread, "java");
        builder.sample(Sample { duration_ns: 1, ..Sample::new(0, thread, second, EventKind::Cpu) });
        let tables = builder.into_tables();
        tables.validate().expect("built tables keep all promises");
        assert_eq!(tables.stacks.parent.iter().map(|parent| parent.0).collect::<Vec<_>>(), [0, 0, 1, 1]);
        assert_eq!(tables.stacks.depth, [0, 1, 2, 2]);
        assert_eq!(tables.threads.name, ["main"]);
    }

    #[test]
    fn a_name_for_now_gives_way_to_the_first_real_one() {
        let mut builder = TableBuilder::new();
        let thread = builder.thread(Some(1), Some(2), "");
        for (name, expected) in [("blocked-sel", "blocked-sel"), ("blocked-selecto", "blocked-selecto")] {
            builder.name_thread_for_now(thread, name);
            assert_eq!(builder.tables().threads.name[0], expected);
        }
        builder.thread(Some(1), Some(2), "blocked-selector");
        builder.thread(Some(1), Some(2), "renamed");
        builder.name_thread_for_now(thread, "java");
        assert_eq!(builder.tables().threads.name[0], "blocked-selector");
    }

    #[test]
    fn threads_that_are_taken_out_leave_nothing() {
        let mut builder = TableBuilder::new();
        let kept = builder.add_thread(Thread::unknown(Some(1), Some(2), "kept"));
        let first = builder.thread(Some(1), Some(2), "reader");
        builder.thread(Some(1), Some(3), "writer");
        let names: Vec<_> = builder.take_threads(kept.row() + 1).into_iter().map(|thread| thread.name).collect();
        assert_eq!(names, ["reader", "writer"]);
        assert_eq!(builder.thread(Some(1), Some(3), ""), first);
        assert_eq!(builder.tables().threads.name, ["kept", ""]);
    }

    /// The compiler makes such methods, for example for `Supplier<String>`: `Object get()` calls `String get()`.
    #[test]
    fn methods_that_differ_only_in_their_return_type_are_two_functions() {
        let mut builder = TableBuilder::new();
        let binary = builder.binary("app.jar", BinaryKind::ClassOrigin);
        let [object, string] = ["a/Names.get()Ljava/lang/Object;", "a/Names.get()Ljava/lang/String;"].map(|name| {
            let display_name = "a.Names.get()";
            builder.function(&NewFunction { display_name, internal_name: name, kind: FunctionKind::Java, binary })
        });
        assert_ne!(object, string);
        assert_eq!(
            builder.tables().functions.display_name[object.row()],
            builder.tables().functions.display_name[string.row()]
        );
    }

    /// The JVM numbers lambdas and moves code. The content hash does not depend on these numbers and addresses.
    #[test]
    fn the_content_hash_is_the_same_in_every_run() {
        let hash = |lambda: &str, address, kind| {
            let mut builder = TableBuilder::new();
            java_frame(&mut builder, "another first function, so that rows differ", address);
            let binary = builder.binary(&format!("/opt/{address}/lib/app.jar"), BinaryKind::ClassOrigin);
            let function = NewFunction { display_name: "", internal_name: lambda, kind: FunctionKind::Java, binary };
            let function = builder.function(&function);
            let address = Some(u64::from(address));
            let frame = builder.frame(NewFrame { function, kind, line: Some(7), bytecode_index: None, address });
            let stack = builder.stack([frame]);
            builder.tables().stacks.content_hash[stack.row()]
        };
        let one = hash("A$$Lambda/0x00007f2648000c30.run()V", 1, FrameKind::Interpreted);
        assert_eq!(one, hash("A$$Lambda/0x00007f1111111111.run()V", 2, FrameKind::Jit));
        assert_ne!(one, hash("B$$Lambda/0x00007f2648000c30.run()V", 1, FrameKind::Interpreted));
    }
}
