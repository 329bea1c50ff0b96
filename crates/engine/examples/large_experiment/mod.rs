//! Large experiments for benches. Their stacks are random, but the same in every run.

#[path = "../pcg/mod.rs"]
mod pcg;

use pcg::Random;
use whittle_model::{
    Binary, BinaryKind, ContentHash, CpuMode, EventKind, Frame, FrameIndex, FrameKind, Function, FunctionIndex,
    FunctionKind, LossReason, Manifest, Program, Sample, Stack, StackIndex, Table, TableBuilder, Tables, ThreadIndex,
    cpu_metrics,
};

/// Number of frames of each stack.
pub(crate) const STACK_DEPTH: u32 = 40;
const FUNCTION_COUNT: u32 = 5_000;
const THREAD_COUNT: u32 = 64;
/// Elapsed time that the samples are spread over.
const DURATION_NS: u64 = 1_000_000_000_000;

/// Functions of known patterns. One in fifty functions has one of these names.
const COSTLY: [&str; 8] = [
    "java/io/FileOutputStream.write",
    "java/util/HashMap.resize",
    "java/util/regex/Pattern.compile",
    "java/lang/Thread.getStackTrace",
    "java/util/ArrayList.indexOf",
    "java/lang/Throwable.fillInStackTrace",
    "java/util/zip/Deflater.deflate",
    "java/io/FileInputStream.read",
];

/// The internal name of a function.
fn internal_name(number: u32) -> String {
    match COSTLY.get((number / 50) as usize % COSTLY.len()) {
        Some(costly) if number % 50 == 1 => format!("{costly}(I)V"),
        _ => format!("com/example/Class{}.method{number}(I)V", number / 20),
    }
}

/// Adds functions. Of ten functions, eight are Java, one is native and one is a kernel function.
fn add_functions(tables: &mut Tables) {
    tables.binaries.push(Binary { path: "/srv/app/libfast.so".to_owned(), build_id: None, kind: BinaryKind::Elf });
    for number in 1..=FUNCTION_COUNT {
        let (kind, frame_kind) = match number % 10 {
            0 => (FunctionKind::Kernel, FrameKind::Kernel),
            5 => (FunctionKind::Native, FrameKind::Native),
            _ => (FunctionKind::Java, FrameKind::Jit),
        };
        tables.functions.push(Function {
            display_name: format!("com.example.Class{}.method{number}(int)", number / 20),
            internal_name: internal_name(number),
            kind,
            binary: whittle_model::BinaryIndex(u32::from(kind == FunctionKind::Native)),
            source_file: Some(format!("Class{}.java", number / 20)),
            first_line: Some(1),
            address: None,
            size_bytes: None,
        });
        for line in [10, 20] {
            tables.frames.push(Frame {
                function: FunctionIndex(number),
                line: Some(line),
                bytecode_index: Some(line),
                address: None,
                kind: frame_kind,
                reason: LossReason::None,
            });
        }
    }
}

/// Adds stacks. Each stack branches off an earlier stack at a random depth, at most `new_frames` above the earlier
/// stack's leaf.
fn add_stacks(tables: &mut Tables, (stack_count, new_frames): (u32, u32), random: &mut Random) -> Vec<StackIndex> {
    let mut leaves: Vec<StackIndex> = Vec::new();
    for _ in 0..stack_count {
        let mut stack = StackIndex::ROOT;
        if !leaves.is_empty() {
            stack = leaves[random.below(leaves.len() as u32) as usize];
            for _ in 0..=random.below(new_frames) {
                stack = tables.stacks.parent[stack.row()];
            }
        }
        let mut depth = tables.stacks.depth[stack.row()];
        while depth < STACK_DEPTH {
            depth += 1;
            // Kernel frames are only near the leaf, as in real programs.
            let limit = if depth > STACK_DEPTH - 4 { FUNCTION_COUNT } else { FUNCTION_COUNT / 10 * 9 };
            let function = 1 + random.below(limit);
            let function =
                if function.is_multiple_of(10) && depth <= STACK_DEPTH - 4 { function + 1 } else { function };
            let frame = FrameIndex(1 + (function - 1) * 2 + random.below(2));
            tables.stacks.push(Stack { parent: stack, frame, depth, content_hash: ContentHash::ROOT });
            stack = StackIndex::from_row(tables.stacks.len() - 1);
        }
        leaves.push(stack);
    }
    leaves
}

/// An experiment with `sample_count` samples and `stack_count` stacks. A stack has at most `new_frames` frames that it
/// does not share with another stack. Another seed results in other stacks of the same functions.
pub(crate) fn experiment(seed: u64, sample_count: u64, stack_count: u32, new_frames: u32) -> (Manifest, Tables) {
    let mut random = Random(seed);
    let mut builder = TableBuilder::new();
    for number in 0..THREAD_COUNT {
        builder.thread(Some(1), Some(100 + number), &format!("worker-{number}"));
    }
    let mut tables = builder.into_tables();
    add_functions(&mut tables);
    let leaves = add_stacks(&mut tables, (stack_count, new_frames), &mut random);
    for number in 0..sample_count {
        // Some stacks are much more common than others.
        let rank = random.below(stack_count).min(random.below(stack_count)).min(random.below(stack_count));
        // With few samples, every stack must still occur.
        let is_scarce = sample_count < 10 * u64::from(stack_count) && number < u64::from(stack_count);
        let rank = if is_scarce { number as u32 } else { rank };
        let (time_ns, thread) = (number * DURATION_NS / sample_count, ThreadIndex(random.below(THREAD_COUNT)));
        tables.samples.push(Sample {
            mode: if random.below(4) == 0 { CpuMode::System } else { CpuMode::User },
            duration_ns: 1_000_000,
            ..Sample::new(time_ns, thread, leaves[rank as usize], EventKind::Cpu)
        });
    }
    let mut manifest = Manifest::new(Program { name: "bench".to_owned(), version: String::new() });
    manifest.metrics = cpu_metrics(true);
    manifest.duration_ns = DURATION_NS;
    (manifest, tables)
}
