//! Collapsed stacks: text, one line a stack, root first, with its number of samples.
//!
//! ```text
//! [main tid=7];clone3;start_thread;java/lang/Thread.run_[0];A.work(I)V_[j];do_syscall_64_[k] 42
//! ```
//!
//! What async-profiler adds is understood where present: a first frame with the thread, descriptors
//! (with `|` for `;`), and suffixes that say how the frame's code was executing. Text from other
//! tools is read too, with less known about it. Collapsed stacks have no times.

use crate::jfr::{KERNEL_BINARY, pseudo_frames};
use crate::{ImportError, foreign, java_names};
use rustc_hash::FxHashMap;
use whittle_model::{
    BinaryIndex, BinaryKind, CpuMode, EventKind, FrameIndex, FrameKind, FunctionKind, LossReason, Losses,
    MetricDefinition, NewFrame, NewFunction, Sample, StackIndex, TableBuilder, ThreadIndex, WeightColumn, cpu_metrics,
    without_compiler_suffix,
};

/// What the text does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollapsedOptions {
    /// What was observed.
    pub event: EventKind,
    /// What the number at the end of a line is.
    pub weight: WeightColumn,
    /// Process id to put into the threads table.
    pub process_id: Option<u32>,
}

impl Default for CollapsedOptions {
    /// CPU samples, counted.
    fn default() -> Self {
        Self { event: EventKind::Cpu, weight: WeightColumn::Count, process_id: None }
    }
}

/// What was read besides the rows in the builder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollapsedImport {
    /// Lines that are stacks.
    pub stack_line_count: u64,
    /// What is missing, by reason; lines that are no stacks are damaged input.
    pub losses: Losses,
    /// The metrics that the samples have.
    pub metrics: Vec<MetricDefinition>,
}

/// Reads collapsed stacks into `builder`. Every line becomes a sample at time 0.
pub fn import_collapsed(
    text: &str,
    options: CollapsedOptions,
    builder: &mut TableBuilder,
) -> Result<CollapsedImport, ImportError> {
    let has_mode = options.event == EventKind::Cpu && text.contains(KERNEL_SUFFIX);
    let frames = FrameReader { builder, known: FxHashMap::default(), is_annotated: is_annotated(text) };
    let mut reader = Reader { options, has_mode, frames, losses: Losses::default() };
    let mut stack_line_count = 0;
    let mut line_count = 0;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        line_count += 1;
        match parse_line(line) {
            Some(stack) => {
                reader.add(&stack);
                stack_line_count += 1;
            }
            None => reader.losses.add_input_bytes(LossReason::DamagedInput, line.len() as u64),
        }
    }
    if stack_line_count == 0 {
        return Err(ImportError::NotCollapsed { line_count });
    }
    Ok(CollapsedImport { stack_line_count, losses: reader.losses, metrics: metrics(&options, has_mode) })
}

fn metrics(options: &CollapsedOptions, has_mode: bool) -> Vec<MetricDefinition> {
    let CollapsedOptions { event, weight, .. } = *options;
    match (event, weight) {
        (EventKind::Cpu, WeightColumn::DurationNs) => cpu_metrics(has_mode),
        (EventKind::Cpu, _) => vec![MetricDefinition::new("cpu_samples", "CPU samples", event, weight)],
        (EventKind::JavaSample, _) => vec![MetricDefinition::new("java_samples", "Java samples", event, weight)],
        (EventKind::Wall, _) => vec![MetricDefinition::new("wall", "Wall clock", event, weight)],
        (EventKind::Alloc, WeightColumn::Count) => vec![MetricDefinition::alloc_count()],
        (EventKind::Alloc, _) => vec![MetricDefinition { weight, ..MetricDefinition::alloc_bytes() }],
        (EventKind::Lock, _) => vec![MetricDefinition { weight, ..MetricDefinition::lock_wait() }],
        (EventKind::OffCpu, _) => vec![MetricDefinition { weight, ..MetricDefinition::off_cpu() }],
        (EventKind::Syscall, _) => vec![MetricDefinition { weight, ..MetricDefinition::syscalls() }],
        (EventKind::SyscallBytes, _) => vec![MetricDefinition { weight, ..MetricDefinition::io_bytes() }],
        (EventKind::SyscallTime, _) => vec![MetricDefinition { weight, ..MetricDefinition::syscall_time() }],
        (EventKind::PageFault, _) => vec![MetricDefinition { weight, ..MetricDefinition::page_faults() }],
        (
            EventKind::Cycles
            | EventKind::Instructions
            | EventKind::CacheMisses
            | EventKind::BranchMisses
            | EventKind::Other,
            _,
        ) => {
            let metric = MetricDefinition::of_processor(event);
            vec![metric.unwrap_or_else(|| MetricDefinition::new("values", "Values", event, weight))]
        }
    }
}

pub(crate) const KERNEL_SUFFIX: &str = "_[k]";

/// The suffixes by which async-profiler says how a frame's code was executing.
pub(crate) const SUFFIXES: [(&str, FrameKind); 5] = [
    (KERNEL_SUFFIX, FrameKind::Kernel),
    ("_[j]", FrameKind::Jit),
    ("_[i]", FrameKind::Inlined),
    ("_[0]", FrameKind::Interpreted),
    ("_[1]", FrameKind::C1),
];

/// True if Java frames have suffixes, so that frames without one are native.
fn is_annotated(text: &str) -> bool {
    SUFFIXES.iter().any(|(suffix, kind)| *kind != FrameKind::Kernel && text.contains(suffix))
}

/// One line, taken apart.
struct StackLine<'t> {
    thread: Option<ThreadName<'t>>,
    frames_root_first: &'t str,
    weight: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ThreadName<'t> {
    pub(crate) name: &'t str,
    pub(crate) thread_id: Option<u32>,
}

fn parse_line(line: &str) -> Option<StackLine<'_>> {
    let (frames, weight) = line.trim_end().rsplit_once(' ')?;
    let weight = weight.parse().ok().filter(|weight| *weight > 0)?;
    let (first, others) = frames.split_once(';').unwrap_or((frames, ""));
    match parse_thread(first) {
        Some(thread) => Some(StackLine { thread: Some(thread), frames_root_first: others, weight }),
        None => Some(StackLine { thread: None, frames_root_first: frames, weight }),
    }
}

/// The thread in `[name tid=7]` or `[tid=7]`.
pub(crate) fn parse_thread(frame: &str) -> Option<ThreadName<'_>> {
    let (name, thread_id) = frame.strip_prefix('[')?.strip_suffix(']')?.rsplit_once("tid=")?;
    Some(ThreadName { name: name.trim_end(), thread_id: Some(thread_id.parse().ok()?) })
}

struct Reader<'t, 'b> {
    options: CollapsedOptions,
    /// True if kernel frames tell in which mode a sample was taken.
    has_mode: bool,
    frames: FrameReader<'t, 'b>,
    losses: Losses,
}

impl<'t> Reader<'t, '_> {
    fn add(&mut self, line: &StackLine<'t>) {
        let mut stack = StackIndex::ROOT;
        let mut has_kernel_leaf = false;
        let mut reason = LossReason::None;
        for name in line.frames_root_first.split(';').filter(|name| !name.is_empty()) {
            let known = self.frames.frame(name);
            if known.frame != FrameIndex::TOTAL {
                stack = self.frames.builder.child(stack, known.frame);
            }
            has_kernel_leaf = known.is_kernel;
            if reason == LossReason::None {
                reason = known.reason;
            }
        }
        if stack == StackIndex::ROOT {
            reason = LossReason::NoFrames;
            let frame = self.frames.builder.truncated_frame(reason);
            stack = self.frames.builder.child(stack, frame);
        }
        if reason != LossReason::None {
            self.losses.add_count(reason, if self.options.weight == WeightColumn::Count { line.weight } else { 1 });
        }
        let thread = self.thread(line);
        let mode = match self.has_mode {
            false => CpuMode::Unknown,
            true if has_kernel_leaf => CpuMode::System,
            true => CpuMode::User,
        };
        let weight_in = |column| if self.options.weight == column { line.weight } else { 0 };
        self.frames.builder.sample(Sample {
            mode,
            count: weight_in(WeightColumn::Count).max(1),
            duration_ns: weight_in(WeightColumn::DurationNs),
            bytes: weight_in(WeightColumn::Bytes),
            ..Sample::new(0, thread, stack, self.options.event)
        });
    }

    fn thread(&mut self, line: &StackLine<'_>) -> ThreadIndex {
        let (name, thread_id) = line.thread.as_ref().map_or(("", None), |thread| (thread.name, thread.thread_id));
        self.frames.builder.thread(self.options.process_id, thread_id, name)
    }
}

#[derive(Clone, Copy)]
struct KnownFrame {
    frame: FrameIndex,
    is_kernel: bool,
    reason: LossReason,
}

struct FrameReader<'t, 'b> {
    builder: &'b mut TableBuilder,
    known: FxHashMap<&'t str, KnownFrame>,
    is_annotated: bool,
}

impl<'t> FrameReader<'t, '_> {
    fn frame(&mut self, text: &'t str) -> KnownFrame {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let frame = self.add(text);
        self.known.insert(text, frame);
        frame
    }

    fn add(&mut self, text: &str) -> KnownFrame {
        if let Some(known) = foreign::pseudo_frame(self.builder, text) {
            return KnownFrame { frame: known.frame, is_kernel: false, reason: known.reason };
        }
        if let Some(name) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            return self.add_bracketed(text, name);
        }
        let suffix = SUFFIXES.iter().find_map(|(suffix, kind)| Some((text.strip_suffix(suffix)?, *kind)));
        match suffix {
            Some((name, FrameKind::Kernel)) => self.add_native(name, FunctionKind::Kernel),
            Some((name, kind)) => self.add_java(name, kind),
            None if !self.is_annotated && looks_like_java(text) => self.add_java(text, FrameKind::Jit),
            // Not certain: C++ in a Java program is nearly always the JVM's.
            None if text.contains("::") => self.add_native(text, FunctionKind::Jvm),
            None => self.add_native(text, FunctionKind::Native),
        }
    }

    /// A name in brackets: why frames are missing, or anything else that is no code.
    fn add_bracketed(&mut self, text: &str, name: &str) -> KnownFrame {
        if let Some(reason) = pseudo_frames::reason_of(name) {
            return KnownFrame { frame: self.builder.truncated_frame(reason), is_kernel: false, reason };
        }
        let (display_name, kind, frame_kind) = match name {
            pseudo_frames::UNKNOWN_CODE => ("[unknown]", FunctionKind::Native, FrameKind::Native),
            pseudo_frames::UNLOADED_METHOD => ("[unloaded Java method]", FunctionKind::Java, FrameKind::Jit),
            _ => {
                let frame = self.builder.pseudo_frame(text);
                return KnownFrame { frame, is_kernel: false, reason: LossReason::None };
            }
        };
        let function = NewFunction { display_name, internal_name: name, kind, binary: BinaryIndex::NONE };
        let frame = self.add_frame(&function, frame_kind, None);
        KnownFrame { reason: LossReason::Unsymbolised, ..frame }
    }

    fn add_java(&mut self, text: &str, kind: FrameKind) -> KnownFrame {
        let (name, line) = split_line(text);
        let (qualified, descriptor) = name.split_at(name.find('(').unwrap_or(name.len()));
        let (class, method) = qualified.rsplit_once('.').unwrap_or(("", qualified));
        let class = slashed(class);
        let unescaped = descriptor.replace('|', ";");
        let (display_name, internal_name) = if !java_names::is_descriptor(&unescaped) {
            // Without parameters, or with those that people read: `(int, java.lang.String)`.
            let dotted = java_names::dotted(&class);
            (join(&dotted, method) + descriptor, join(&class, method) + descriptor)
        } else {
            let descriptor = unescaped;
            (
                java_names::display_name(&class, method, &descriptor),
                java_names::internal_name(&class, method, &descriptor),
            )
        };
        let function = NewFunction {
            display_name: &display_name,
            internal_name: &internal_name,
            kind: FunctionKind::Java,
            binary: BinaryIndex::NONE,
        };
        self.add_frame(&function, kind, line)
    }

    /// A native or kernel function, with the library in front if the text has it: ``libc.so.6`write``.
    fn add_native(&mut self, text: &str, kind: FunctionKind) -> KnownFrame {
        let (library, name) = text.split_once('`').unwrap_or(("", text));
        let binary = match (kind, library) {
            (FunctionKind::Kernel, _) => self.builder.binary(KERNEL_BINARY, BinaryKind::Kernel),
            (_, "") => BinaryIndex::NONE,
            _ => self.builder.binary(library, BinaryKind::Elf),
        };
        let frame_kind = match kind {
            FunctionKind::Kernel => FrameKind::Kernel,
            FunctionKind::Jvm => FrameKind::Jvm,
            _ => FrameKind::Native,
        };
        let display_name = without_compiler_suffix(name);
        self.add_frame(&NewFunction { display_name, internal_name: name, kind, binary }, frame_kind, None)
    }

    fn add_frame(&mut self, function: &NewFunction<'_>, kind: FrameKind, line: Option<u32>) -> KnownFrame {
        let is_kernel = function.kind == FunctionKind::Kernel;
        let function = self.builder.function(function);
        let frame = self.builder.frame(NewFrame { function, kind, line, bytecode_index: None, address: None });
        KnownFrame { frame, is_kernel, reason: LossReason::None }
    }
}

/// True for `java/lang/Thread.run`, `com.acme.Main.main` and `Main.main`, false for `libc.so.6` and
/// `JavaThread::run`: a method's class has slashes or begins with a capital letter.
pub(crate) fn looks_like_java(text: &str) -> bool {
    if text.contains("::") || text.contains('`') {
        return false;
    }
    let Some((class, _method)) = text[..text.find('(').unwrap_or(text.len())].rsplit_once('.') else { return false };
    let simple_name = class.rsplit(['.', '/']).next().unwrap_or(class);
    class.find('/').is_some_and(|slash| slash > 0) || simple_name.starts_with(|first: char| first.is_ascii_uppercase())
}

/// Splits `A.work:12` into name and line.
fn split_line(text: &str) -> (&str, Option<u32>) {
    match text.rsplit_once(':') {
        Some((name, line)) if line.parse::<u32>().is_ok() => (name, line.parse().ok()),
        _ => (text, None),
    }
}

/// The class as the JVM names it, whether the text has it with slashes or with dots.
pub(crate) fn slashed(class: &str) -> String {
    if class.contains('/') {
        return class.to_owned();
    }
    let mut characters = class.chars().peekable();
    let mut name = String::with_capacity(class.len());
    while let Some(character) = characters.next() {
        let is_package_end = character == '.' && !characters.peek().is_some_and(char::is_ascii_digit);
        name.push(if is_package_end { '/' } else { character });
    }
    name
}

fn join(class: &str, method: &str) -> String {
    if class.is_empty() { method.to_owned() } else { [class, ".", method].concat() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{Table, Tables};

    fn import(text: &str) -> (Tables, CollapsedImport) {
        let mut builder = TableBuilder::new();
        let import = import_collapsed(text, CollapsedOptions::default(), &mut builder).unwrap();
        (builder.into_tables(), import)
    }

    /// The functions as `kind name`, without `<Total>`.
    fn functions(tables: &Tables) -> Vec<String> {
        let kinds = tables.functions.kind.iter().zip(&tables.functions.display_name).skip(1);
        kinds.map(|(kind, name)| format!("{kind} {name}")).collect()
    }

    #[test]
    fn suffixes_descriptors_and_threads_of_async_profiler() {
        let (tables, import) = import(
            "[main worker tid=7];clone3;Thread::call_run();java/lang/Thread.run()V_[0];\
             A$$Lambda.0x01.run(Ljava/lang/Object|I)V_[j];do_syscall_64_[k] 42\n",
        );
        let expected = [
            "native clone3",
            "jvm Thread::call_run()",
            "java java.lang.Thread.run()",
            "java A$$Lambda.0x01.run(java.lang.Object, int)",
            "kernel do_syscall_64",
        ];
        assert_eq!(functions(&tables), expected);
        assert_eq!(tables.functions.internal_name[4], "A$$Lambda.0x01.run(Ljava/lang/Object;I)V");
        assert_eq!((tables.threads.name[0].as_str(), tables.threads.thread_id[0]), ("main worker", Some(7)));
        assert_eq!((tables.samples.count[0], tables.samples.mode[0]), (42, CpuMode::System));
        assert!(import.losses.is_empty());
    }

    #[test]
    fn without_suffixes_java_is_recognised_by_its_names() {
        let (tables, _) =
            import("java/lang/Thread.run;com.acme.Main.main;Main.go:12;libc.so.6`write;wait.constprop.0;memset 1");
        let expected = [
            "java java.lang.Thread.run",
            "java com.acme.Main.main",
            "java Main.go",
            "native write",
            "native wait",
            "native memset",
        ];
        assert_eq!(functions(&tables), expected);
        assert_eq!(tables.functions.internal_name[2], "com/acme/Main.main");
        assert_eq!(tables.functions.internal_name[5], "wait.constprop.0");
        assert_eq!(tables.frames.line[3], Some(12));
        assert_eq!(tables.binaries.path[1], "libc.so.6");
        assert_eq!(tables.samples.mode[0], CpuMode::Unknown);
    }

    #[test]
    fn reasons_and_damaged_lines_are_counted() {
        let (tables, import) = import("[break_compiled];A.b_[j] 3\n[unknown];A.b_[j] 2\n[tid=9] 1\nno number\nA.b 0\n");
        assert_eq!(tables.samples.len(), 3);
        assert_eq!(import.stack_line_count, 3);
        assert_eq!(import.losses.count(LossReason::UnwalkableJava), 3);
        assert_eq!(import.losses.count(LossReason::Unsymbolised), 2);
        assert_eq!(import.losses.count(LossReason::NoFrames), 1);
        assert_eq!(import.losses.count(LossReason::DamagedInput), 2);
    }

    #[test]
    fn text_without_stacks_is_an_error() {
        let result = import_collapsed("hello\n\nworld\n", CollapsedOptions::default(), &mut TableBuilder::new());
        assert_eq!(result, Err(ImportError::NotCollapsed { line_count: 2 }));
    }
}
