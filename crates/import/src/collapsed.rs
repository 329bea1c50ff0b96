//! Collapsed stacks: text with one stack per line, root first, followed by its number of samples.
//!
//! ```text
//! [main tid=7];clone3;start_thread;java/lang/Thread.run_[0];A.work(I)V_[j];do_syscall_64_[k] 42
//! ```
//!
//! async-profiler's additions are also read: a first frame with the thread, descriptors (with `|` instead of `;`), and
//! suffixes for frame kinds. Text of other tools has fewer details. Collapsed stacks have no times.

use crate::foreign::MAX_STACKS;
use crate::frame_suffix::{KERNEL_SUFFIX, SUFFIXES};
use crate::java_names::{looks_like_java, slashed};
use crate::jfr::pseudo_frames;
use crate::{ImportError, foreign, java_names};
use rustc_hash::FxHashMap;
use whittle_model::{
    BinaryIndex, BinaryKind, CpuMode, EventKind, FrameIndex, FrameKind, FunctionKind, LossReason, Losses, Metric,
    MetricDefinition, NewFrame, NewFunction, Sample, StackIndex, Table, TableBuilder, ThreadIndex, WeightColumn,
    without_compiler_suffix,
};

/// Values that the text does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollapsedOptions {
    /// The observed event.
    pub event: EventKind,
    /// The meaning of the number at the end of a line.
    pub weight: WeightColumn,
    /// Process id to put into the threads table.
    pub process_id: Option<u32>,
}

impl Default for CollapsedOptions {
    /// The default values: each line counts CPU samples.
    fn default() -> Self {
        Self { event: EventKind::Cpu, weight: WeightColumn::Count, process_id: None }
    }
}

/// The results of an import. The rows are in the builder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollapsedImport {
    /// Number of lines with a stack.
    pub stack_line_count: u64,
    /// Missing data, by reason. Lines without a stack are counted as unreadable data.
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
                let frame_count = stack.frames_root_first.bytes().filter(|byte| *byte == b';').count() + 1;
                if reader.frames.builder.tables().stacks.len() + frame_count > MAX_STACKS {
                    return Err(ImportError::TooManyStacks { max_count: MAX_STACKS });
                }
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

/// The metrics of the lines' numbers: the event's metrics with this weight. If there are none, a number of samples or a
/// new metric.
fn metrics(options: &CollapsedOptions, has_mode: bool) -> Vec<MetricDefinition> {
    let CollapsedOptions { event, weight, .. } = *options;
    let amounts = event.metrics(has_mode, []).into_iter().filter(|metric| metric.weight == weight);
    let amounts: Vec<MetricDefinition> = amounts.filter(|_| event != EventKind::Other).collect();
    if !amounts.is_empty() {
        return amounts;
    }
    let samples = event.sample_count().filter(|metric| metric.weight() == weight).map(Metric::definition);
    vec![samples.unwrap_or_else(|| MetricDefinition::new("values", "Values", event, weight))]
}

/// True if Java frames have suffixes. Then frames without a suffix are native.
fn is_annotated(text: &str) -> bool {
    SUFFIXES.iter().any(|(suffix, kind)| *kind != FrameKind::Kernel && text.contains(suffix))
}

/// The parts of one line.
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
    /// True if kernel frames show the mode of a sample.
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
            // This is a guess: C++ code in a Java program nearly always belongs to the JVM.
            None if text.contains("::") => self.add_native(text, FunctionKind::Jvm),
            None => self.add_native(text, FunctionKind::Native),
        }
    }

    /// A name in brackets: the reason for missing frames, or another frame that is not code.
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
            // The text has no parameters, or readable parameters: `(int, java.lang.String)`.
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

    /// A native or kernel function. The text can contain the library in front of the name: ``libc.so.6`write``.
    fn add_native(&mut self, text: &str, kind: FunctionKind) -> KnownFrame {
        let (library, name) = text.split_once('`').unwrap_or(("", text));
        let binary = match (kind, library) {
            (FunctionKind::Kernel, _) => self.builder.binary(whittle_model::KERNEL_BINARY, BinaryKind::Kernel),
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

/// Splits `A.work:12` into name and line.
fn split_line(text: &str) -> (&str, Option<u32>) {
    match text.rsplit_once(':') {
        Some((name, line)) if line.parse::<u32>().is_ok() => (name, line.parse().ok()),
        _ => (text, None),
    }
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
