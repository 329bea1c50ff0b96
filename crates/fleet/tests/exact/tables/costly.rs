//! Tests segments that need too much memory. The intake refuses and names them, and loads the other segments.

use super::odd::Odd;
use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use whittle_model::{
    BinaryIndex, EventKind, FrameKind, FunctionKind, NewFrame, NewFunction, Sample, StackIndex, TableBuilder, Tables,
};

/// Number of nodes with the long name.
const NODES: usize = 300;

/// A small file with large rows: each node of the stacks has a name of a megabyte, and the file contains this name
/// once.
fn long_names() -> Tables {
    let mut builder = TableBuilder::new();
    let name = "x".repeat(1 << 20);
    let new =
        NewFunction { display_name: &name, internal_name: &name, kind: FunctionKind::Java, binary: BinaryIndex::NONE };
    let function = builder.function(&new);
    let frame = NewFrame { function, kind: FrameKind::Jit, line: None, bytecode_index: None, address: None };
    let frame = builder.frame(frame);
    let stack = builder.stack(std::iter::repeat_n(frame, NODES));
    with_sample_times(builder, stack, &[0])
}

/// Samples in many hours. Each hour would become two files.
fn many_hours() -> Tables {
    let mut builder = TableBuilder::new();
    let frame = builder.pseudo_frame("main");
    let stack = builder.stack([frame]);
    let times: Vec<u64> = (0..100).map(|hour| hour * 3600 * 1_000_000_000).collect();
    with_sample_times(builder, stack, &times)
}

fn with_sample_times(mut builder: TableBuilder, stack: StackIndex, times: &[u64]) -> Tables {
    let thread = builder.thread(Some(1), Some(1), "main");
    times.iter().for_each(|time| builder.sample(Sample::new(*time, thread, stack, EventKind::Cpu)));
    builder.into_tables()
}

#[test]
fn a_segment_with_large_rows_is_refused_and_named_once() {
    let (objects, store) = store();
    let honest = &some_segments()[..3];
    honest.iter().for_each(|segment| drop(land(&store, segment)));
    let (manifest, _) = experiment_from_text("main");
    let names = land(&store, &segment((8, 0), "host-8", NOON_S, (manifest.clone(), long_names())));
    let hours = land(&store, &segment((9, 0), "host-9", NOON_S, (manifest, many_hours())));
    let mut intake = intake(&store);
    let taken = block_on(intake.run(NOON_S + 900)).unwrap();
    assert_eq!(taken.segment_count, 3);
    let refused: Vec<(&str, Refusal)> = taken.refused.iter().map(|one| (one.path.as_str(), one.refusal)).collect();
    let place = |landed: &str| format!("refused/too-costly/{}", landed.rsplit('/').next().unwrap());
    assert_eq!(refused, [(&*place(&names), Refusal::TooCostly), (&*place(&hours), Refusal::TooCostly)]);
    assert!(taken.refused[0].reason.contains("MiB in the fleet's tables; the limit is 256 MiB"), "{taken:?}");
    assert!(taken.refused[1].reason.contains("100 different hours"), "{taken:?}");
    assert_eq!(block_on(intake.run(NOON_S + 900)).unwrap(), Taken::default());
    assert_eq!(of_fleet(&store, FleetTable::Samples, &["checkout"]), of_segments(honest, FleetTable::Samples));
    assert!(paths(&objects, "segments").is_empty());
}

/// An intake that ends without an error, for example because the system has no more memory.
#[test]
fn a_segment_that_ends_the_intake_is_refused_after_some_starts() {
    let (objects, plain) = store();
    let segments = some_segments();
    segments.iter().for_each(|segment| drop(land(&plain, segment)));
    let fatal = land(&plain, &segment((9, 0), "host-9", NOON_S + 60, experiment_from_text("main")));
    let odd = Odd { objects: objects.clone(), behind: Duration::ZERO, fatal: Some(fatal.clone()) };
    let store = Arc::new(Store::over(Arc::new(odd), "odd"));
    let start = || catch_unwind(AssertUnwindSafe(|| block_on(intake(&store).run(NOON_S + 900)).unwrap()));
    let mut starts = (1..20).map(|number| (number, start()));
    let (count, taken) = starts.find_map(|(number, taken)| Some((number, taken.ok()?))).unwrap();
    assert!(count <= 4, "{count} starts");
    let [refused] = taken.refused.as_slice() else { panic!("{taken:?}") };
    assert_eq!(refused.path, format!("refused/too-costly/{}", fatal.rsplit('/').next().unwrap()));
    assert!(refused.reason.contains("ended repeatedly"), "{refused:?}");
    assert_eq!(of_fleet(&store, FleetTable::Samples, &["checkout"]), of_segments(&segments, FleetTable::Samples));
    assert!(paths(&objects, "segments").is_empty() && paths(&objects, "intake").is_empty());
}

/// One ended program can be chance: an operator can stop the intake at any time.
#[test]
fn a_segment_is_not_refused_because_the_intake_was_stopped_once() {
    let (objects, plain) = store();
    let only = segment((1, 0), "host-1", NOON_S, experiment_from_text("main"));
    let path = land(&plain, &only);
    let odd = Odd { objects, behind: Duration::ZERO, fatal: Some(path) };
    let store = Arc::new(Store::over(Arc::new(odd), "odd"));
    let start = || catch_unwind(AssertUnwindSafe(|| block_on(intake(&store).run(NOON_S + 900))));
    assert!(start().is_err(), "the first stop");
    let taken = block_on(intake(&plain).run(NOON_S + 900)).unwrap();
    assert_eq!((taken.segment_count, taken.refused.len()), (1, 0));
}
