//! Names and stacks from a thread dump of the JVM, for threads that still wait when a collection ends.
//!
//! The kernel knows only the first 15 characters of a thread's name. The profiler knows the whole name only for threads
//! that it has sampled. A dump contains the names of all threads of the JVM.
//!
//! A dump contains the class, method and line of a frame, but neither the parameters nor the kind of frame. A frame is
//! mapped to a function of the samples by name. If several functions have this name, whittle selects the function in
//! which samples have shown the frame's line. If no function has this name, or if the line does not select exactly one
//! function, the frame becomes a function without parameters. A dump contains only Java frames.
//!
//! The dump also shows which object's monitor a thread waits for, and which threads hold monitors. The stack of such a thread
//! gets the function of the JVM in which all threads wait for monitors.

mod parse;

use crate::monitor_frame::monitor_frame;
use parse::{DumpedFrame, DumpedThread, parse};
use std::collections::{HashMap, HashSet};
use whittle_model::{
    BinaryIndex, FrameIndex, FrameKind, FunctionIndex, FunctionKind, NewFrame, NewFunction, StackIndex, Table,
    TableBuilder, Tables,
};

/// A thread dump.
#[derive(Debug)]
pub(crate) struct ThreadDump<'a> {
    threads: Vec<DumpedThread<'a>>,
}

impl<'a> ThreadDump<'a> {
    /// Parses the text of a thread dump.
    pub(crate) fn parse(text: &'a str) -> Self {
        Self { threads: parse(text) }
    }

    /// The names of all threads, by the thread id in the JVM's pid namespace.
    pub(crate) fn names(&self) -> HashMap<u32, String> {
        let named = self.threads.iter().filter(|thread| (1..=MAX_NAME_BYTES).contains(&thread.name.len()));
        named.map(|thread| (thread.thread_id, thread.name.to_owned())).collect()
    }

    /// The stacks, by the thread id in the JVM's pid namespace. Threads without Java frames have no stack.
    pub(crate) fn stacks(&self, builder: &mut TableBuilder) -> HashMap<u32, StackIndex> {
        let known = KnownCode::of(builder.tables());
        let stack = |thread: &DumpedThread<'_>| {
            let mut frames: Vec<FrameIndex> =
                thread.frames_leaf_first.iter().rev().map(|frame| known.frame(frame, builder)).collect();
            frames.extend(thread.waits_for.map(|_| monitor_frame(builder)));
            (thread.thread_id, builder.stack(frames))
        };
        self.threads.iter().filter(|thread| !thread.frames_leaf_first.is_empty()).map(stack).collect()
    }

    /// The threads that hold the monitors that other threads wait for, by the waiting thread, as ids in the JVM's pid namespace.
    pub(crate) fn holders(&self, builder: &mut TableBuilder) -> HashMap<u32, Holder> {
        let wanted: HashSet<u64> = self.threads.iter().filter_map(|thread| thread.waits_for).collect();
        let mut held: HashMap<u64, Vec<(&DumpedThread<'_>, usize)>> = HashMap::new();
        for thread in &self.threads {
            // Of several frames with the same monitor, the last one is the outermost, which took it.
            let of_thread: HashMap<u64, usize> = thread.holds.iter().map(|of| (of.address, of.frames_above)).collect();
            for (address, frames_above) in of_thread.into_iter().filter(|(address, _)| wanted.contains(address)) {
                held.entry(address).or_default().push((thread, frames_above));
            }
        }
        if held.is_empty() {
            return HashMap::new();
        }
        let known = KnownCode::of(builder.tables());
        let mut holders: HashMap<u64, Holder> = HashMap::new();
        for (address, of) in held {
            // Two holders of one monitor: the dump is not what it should be.
            let [(thread, frames_above)] = of[..] else { continue };
            let below = thread.frames_leaf_first.iter().skip(frames_above);
            let frames: Vec<FrameIndex> = below.rev().map(|frame| known.frame(frame, builder)).collect();
            holders.insert(address, Holder { thread_id: thread.thread_id, stack: builder.stack(frames) });
        }
        let holder = |waiting: &DumpedThread<'_>| Some((waiting.thread_id, *holders.get(&waiting.waits_for?)?));
        self.threads.iter().filter_map(holder).collect()
    }
}

/// A thread that holds a monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Holder {
    /// The id in the JVM's pid namespace.
    pub(crate) thread_id: u32,
    /// The method that took the monitor, and its callers.
    pub(crate) stack: StackIndex,
}

/// Maximum length of a name in bytes. The program chooses its names.
const MAX_NAME_BYTES: usize = 1000;

/// The Java code in the samples.
#[derive(Debug, Default)]
struct KnownCode {
    /// The functions by class and method, in normalised form.
    functions: HashMap<String, Vec<FunctionIndex>>,
    /// The first frame of each function and line.
    frames: HashMap<(FunctionIndex, Option<u32>), FrameIndex>,
}

impl KnownCode {
    fn of(tables: &Tables) -> Self {
        let mut known = Self::default();
        for (row, name) in tables.functions.internal_name.iter().enumerate() {
            if tables.functions.kind[row] == FunctionKind::Java
                && let Some(name) = name.split('(').next()
            {
                known.functions.entry(alike(name)).or_default().push(FunctionIndex::from_row(row));
            }
        }
        for row in 0..tables.frames.len() {
            let place = (tables.frames.function[row], tables.frames.line[row]);
            known.frames.entry(place).or_insert(FrameIndex::from_row(row));
        }
        known
    }

    fn frame(&self, dumped: &DumpedFrame<'_>, builder: &mut TableBuilder) -> FrameIndex {
        let function = self.function(dumped).unwrap_or_else(|| function_without_parameters(dumped, builder));
        if let Some(frame) = self.frames.get(&(function, dumped.line)) {
            return *frame;
        }
        // The kind of frame is unknown. In a long run, waiting code is mostly compiled.
        let kind = if dumped.is_native { FrameKind::Native } else { FrameKind::Jit };
        builder.frame(NewFrame { function, kind, line: dumped.line, bytecode_index: None, address: None })
    }

    fn function(&self, dumped: &DumpedFrame<'_>) -> Option<FunctionIndex> {
        let overloads = self.functions.get(&alike(&format!("{}.{}", dumped.class, dumped.method)))?;
        if let [only] = overloads[..] {
            return Some(only);
        }
        let mut with_line = overloads.iter().filter(|function| self.frames.contains_key(&(**function, dumped.line)));
        with_line.next().copied().filter(|_| dumped.line.is_some() && with_line.next().is_none())
    }
}

fn function_without_parameters(dumped: &DumpedFrame<'_>, builder: &mut TableBuilder) -> FunctionIndex {
    let display_name = format!("{}.{}(…)", dumped.class, dumped.method);
    let internal_name = format!("{}.{}", dumped.class.replace('.', "/"), dumped.method);
    let function = builder.function(&NewFunction {
        display_name: &display_name,
        internal_name: &internal_name,
        kind: FunctionKind::Java,
        binary: BinaryIndex::NONE,
    });
    builder.describe_function(function, dumped.file, None);
    function
}

/// Normalises a class name. Packages are separated by `/` or `.`, and a hidden class's number by `/`, `.` or `+`.
fn alike(name: &str) -> String {
    name.replace(['/', '+'], ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add_frame(builder: &mut TableBuilder, internal_name: &str, line: u32) {
        let function = builder.function(&NewFunction {
            display_name: internal_name,
            internal_name,
            kind: FunctionKind::Java,
            binary: BinaryIndex::NONE,
        });
        let (kind, bytecode_index) = (FrameKind::Interpreted, Some(7));
        builder.frame(NewFrame { function, kind, line: Some(line), bytecode_index, address: None });
    }

    /// Frames of a stack, root first, as `name line kind`.
    fn drawn(builder: &TableBuilder, stack: StackIndex) -> Vec<String> {
        let tables = builder.tables();
        let mut lines = Vec::new();
        let mut row = stack;
        while row != StackIndex::ROOT {
            let frame = tables.frames.row(tables.stacks.frame[row.row()].row());
            let name = &tables.functions.internal_name[frame.function.row()];
            lines.push(format!("{name} {} {}", frame.line.unwrap_or(0), frame.kind));
            row = tables.stacks.parent[row.row()];
        }
        lines.reverse();
        lines
    }

    #[test]
    fn frames_are_functions_that_samples_have_shown() {
        let mut builder = TableBuilder::new();
        add_frame(&mut builder, "a/Main.main([Ljava/lang/String;)V", 10);
        add_frame(&mut builder, "a/Main$$Lambda.0x0000000020040210.run()V", 1);
        add_frame(&mut builder, "a/B.over(I)V", 20);
        add_frame(&mut builder, "a/B.over(J)V", 30);
        add_frame(&mut builder, "a/B.read0(I)I", 40);
        let text = "\"x\" #1 nid=77\n\tat a.B.read0(Native Method)\n\tat a.B.over(B.java:20)\n\tat a.B.over(B.java:31)\n\tat a.New.go(New.java:5)\n\tat a.Main$$Lambda/0x0000000020040210.run(Unknown Source)\n\tat a.Main.main(Main.java:11)\n\tat a.Main.main(Main.java:10)\n";
        let stacks = ThreadDump::parse(text).stacks(&mut builder);
        let expected = [
            "a/Main.main([Ljava/lang/String;)V 10 interpreted",
            "a/Main.main([Ljava/lang/String;)V 11 jit",
            "a/Main$$Lambda.0x0000000020040210.run()V 0 jit",
            "a/New.go 5 jit",
            "a/B.over 31 jit",
            "a/B.over(I)V 20 interpreted",
            "a/B.read0(I)I 0 native",
        ];
        assert_eq!(drawn(&builder, stacks[&77]), expected);
        let tables = builder.into_tables();
        tables.validate().unwrap();
        let new = tables.functions.internal_name.iter().position(|name| name == "a/New.go").unwrap();
        assert_eq!(tables.functions.display_name[new], "a.New.go(…)");
        assert_eq!(tables.functions.source_file[new].as_deref(), Some("New.java"));
    }

    const PROGRAM: &str = "public class Waiting {
        static final Object LOCK = new Object();
        static void waitFor(long millis) throws Exception { synchronized (LOCK) { LOCK.wait(millis); } }
        static synchronized void hold() { while (true) { try { Thread.sleep(1_000_000); } catch (Exception e) { } } }
        static void block() { synchronized (Waiting.class) { hold(); } }
        static Thread start(String name, Runnable work, Thread.State state) throws Exception {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            thread.start();
            while (thread.getState() != state) Thread.sleep(1);
            return thread;
        }
        public static void main(String[] arguments) throws Exception {
            Thread waiter = new Thread(() -> { try { waitFor(1_000_000); } catch (Exception e) { } }, \"a \\\"waiter\\\" nid=1\");
            waiter.start();
            while (waiter.getState() != Thread.State.TIMED_WAITING) Thread.sleep(1);
            start(\"holding\", Waiting::hold, Thread.State.TIMED_WAITING);
            start(\"blocked\", Waiting::block, Thread.State.BLOCKED);
            System.out.println(ProcessHandle.current().pid());
            System.in.read();
        }
    }";

    /// Starts the program with its class path. When this returns, the program waits.
    fn start(jdk: &whittle_testkit::Jdk, folder: &std::path::Path) -> std::process::Child {
        use std::io::{BufRead, BufReader};
        std::fs::write(folder.join("Waiting.java"), PROGRAM).unwrap();
        let mut command = std::process::Command::new(jdk.java());
        command.arg("Waiting.java").current_dir(folder);
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        child
    }

    #[test]
    fn a_real_jvm_tells_where_its_threads_wait() {
        for jdk in whittle_testkit::jdks() {
            let folder = tempfile::tempdir().unwrap();
            let mut child = start(&jdk, folder.path());
            let jvm = crate::attach::Jvm::find(crate::process::Process(child.id())).unwrap();
            let text = jvm.thread_dump(None);
            let mut builder = TableBuilder::new();
            let text = text.unwrap();
            let dump = ThreadDump::parse(&text);
            let (names, stacks) = (dump.names(), dump.stacks(&mut builder));
            let holders = dump.holders(&mut builder);
            let ids: Vec<u32> = crate::process::Process(child.id()).thread_ids();
            child.kill().unwrap();
            child.wait().unwrap();
            assert!(stacks.keys().all(|id| ids.contains(id)), "{stacks:?} {ids:?}");
            assert!(names.keys().all(|id| ids.contains(id)), "{names:?} {ids:?}");
            // The kernel's name would be `a "waiter" nid=`.
            for name in ["main", "a \"waiter\" nid=1", "C2 CompilerThread0"] {
                assert!(names.values().any(|known| known == name), "JDK {}: {name} in {names:?}", jdk.version);
            }
            let [holding, blocked] = ["holding", "blocked"]
                .map(|name| *names.iter().find(|(_, known)| *known == name).map(|(id, _)| id).unwrap());
            let holder = holders[&blocked];
            assert_eq!((holders.len(), holder.thread_id), (1, holding), "JDK {}: {holders:?}", jdk.version);
            assert_eq!(drawn(&builder, holder.stack).last().unwrap(), "Waiting.hold 4 jit", "JDK {}", jdk.version);
            let of_blocked = drawn(&builder, stacks[&blocked]);
            assert_eq!(of_blocked[of_blocked.len() - 2..], ["Waiting.block 5 jit", "ObjectMonitor::enter 0 jvm"]);
            let stacks: Vec<Vec<String>> = stacks.values().map(|stack| drawn(&builder, *stack)).collect();
            let position = |frames: &[String], name: &str| frames.iter().position(|frame| frame.starts_with(name));
            let waiter = stacks.iter().find(|frames| position(frames, "Waiting.waitFor 3 ").is_some());
            let waiter = waiter.unwrap_or_else(|| panic!("JDK {}: {stacks:?}", jdk.version));
            assert!(position(waiter, "java/lang/Thread.run ") < position(waiter, "Waiting.waitFor "), "{waiter:?}");
            assert!(waiter.last().unwrap().starts_with("java/lang/Object.wait"), "{waiter:?}");
            let main = stacks.iter().find(|frames| position(frames, "Waiting.main 20 ").is_some());
            assert!(main.is_some_and(|frames| frames.last().unwrap().contains("readBytes")), "{stacks:?}");
        }
    }
}
