//! Random experiments for property tests. They are small enough to read if a test fails, and contain much recursion and
//! all kinds of code.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy};
use whittle_model::{
    BinaryIndex, BinaryKind, CpuMode, EventKind, FrameKind, FunctionKind, LossReason, Manifest, Metric, NewFrame,
    NewFunction, Program, Sample, State, TableBuilder, Tables, ThreadClass, cpu_metrics,
};

/// The size of random experiments.
#[derive(Debug, Clone, Copy)]
pub struct RandomShape {
    /// Number of different functions of each kind of code.
    pub function_count: u8,
    /// Longest stack.
    pub depth: usize,
    /// Largest number of samples.
    pub sample_count: usize,
    /// Number of threads. Every third thread belongs to the JVM.
    pub thread_count: u8,
}

/// One random sample.
#[derive(Debug, Clone)]
pub struct RandomSample {
    /// Frames, each a kind of code and a function number, root first.
    pub frames_root_first: Vec<(FunctionKind, u8)>,
    /// Number of the thread.
    pub thread: u8,
    /// CPU time.
    pub weight_ns: u64,
    /// Start time.
    pub time_ns: u64,
    /// Mode.
    pub mode: CpuMode,
}

/// Random samples. Stacks share prefixes, because there are few functions.
pub fn random_samples(shape: RandomShape) -> impl Strategy<Value = Vec<RandomSample>> {
    let kind = proptest::sample::select(vec![
        FunctionKind::Java,
        FunctionKind::Java,
        FunctionKind::Java,
        FunctionKind::Native,
        FunctionKind::Jvm,
        FunctionKind::Kernel,
        FunctionKind::Stub,
        FunctionKind::Pseudo,
    ]);
    let frames = vec((kind, 0..shape.function_count), 0..=shape.depth);
    let mode = proptest::sample::select(vec![CpuMode::User, CpuMode::System]);
    let sample = (frames, 0..shape.thread_count, 0_u64..1000, 0_u64..100, mode);
    let sample = sample.prop_map(|(frames_root_first, thread, weight_ns, time_ns, mode)| RandomSample {
        frames_root_first,
        thread,
        weight_ns,
        time_ns,
        mode,
    });
    (vec(sample, 1..=shape.sample_count), Just(())).prop_map(|(samples, ())| samples)
}

/// The experiment with the given samples. Functions have names such as `java_0()` and `native_1`. Native functions with
/// odd numbers belong to an application's library.
pub fn experiment_from_samples(samples: &[RandomSample]) -> (Manifest, Tables) {
    let mut builder = TableBuilder::new();
    for sample in samples {
        let frames: Vec<_> = sample.frames_root_first.iter().map(|frame| add_frame(&mut builder, *frame)).collect();
        let stack = builder.stack(frames);
        let thread = builder.thread(None, None, &format!("thread-{}", sample.thread));
        let class = if sample.thread % 3 == 2 { ThreadClass::JvmService } else { ThreadClass::Work };
        builder.threads_mut().class[thread.row()] = class;
        builder.sample(Sample {
            mode: sample.mode,
            duration_ns: sample.weight_ns,
            ..Sample::new(sample.time_ns, thread, stack, EventKind::Cpu)
        });
    }
    let mut manifest = Manifest::new(Program { name: "testkit".to_owned(), version: String::new() });
    manifest.state = State::Complete;
    manifest.metrics = cpu_metrics(true);
    manifest.metrics.push(Metric::Samples.definition());
    (manifest, builder.into_tables())
}

fn add_frame(builder: &mut TableBuilder, (kind, number): (FunctionKind, u8)) -> whittle_model::FrameIndex {
    let frame_kind = match kind {
        FunctionKind::Pseudo => return builder.truncated_frame(LossReason::DepthLimit),
        FunctionKind::Java => FrameKind::Jit,
        FunctionKind::Native => FrameKind::Native,
        FunctionKind::Jvm => FrameKind::Jvm,
        FunctionKind::Kernel => FrameKind::Kernel,
        FunctionKind::Stub => FrameKind::Stub,
    };
    let binary = match (kind, number % 2) {
        (FunctionKind::Native, 0) => builder.binary("libc.so.6", BinaryKind::Elf),
        (FunctionKind::Native, _) => builder.binary("libapplication.so", BinaryKind::Elf),
        _ => BinaryIndex::NONE,
    };
    let name = if kind == FunctionKind::Java { format!("java_{number}()") } else { format!("{kind}_{number}") };
    let function = builder.function(&NewFunction { display_name: &name, internal_name: &name, kind, binary });
    builder.frame(NewFrame { function, kind: frame_kind, line: None, bytecode_index: Some(3), address: None })
}
