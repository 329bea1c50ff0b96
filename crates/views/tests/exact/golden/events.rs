//! Converts gprofng's raw events to tables.
//!
//! ```text
//! #     0: 2530197645018,   0.043261674 (2530.197645018) t = 1, cpu = 0, frames = 6
//!     mstate = 10 (LINUX_CPU), nticks = 1
//!           main + 0x00000083, line 21 in "recur.c" [0x000055d218772200]
//!           java.lang.System.nanoTime() <Java native method> [0x0000560b5cf098a0]
//! ```
//!
//! The root frame is first. The number after a name is an offset in the function. For Java methods, it is the bytecode
//! index. The number in brackets is an address inside gprofng itself.

use regex::Regex;
use whittle_model::{
    BinaryIndex, BinaryKind, EventKind, FrameIndex, FrameKind, FunctionKind, Manifest, NewFrame, NewFunction, Program,
    Sample, TableBuilder, cpu_metrics,
};
use whittle_profile::Profile;

/// Weight of one tick: gprofng samples every 997 µs (`-p hi`). In each recording, the printed total divided by the
/// number of packets is 0.997 ms.
const TICK_NS: u64 = 997_000;

/// The profile of a raw-event listing.
pub(crate) fn profile_of_events(text: &str) -> Profile {
    let head = Regex::new(r"^#\s*\d+: (\d+),.* t = (\d+), cpu = \d+, frames = (\d+)$").expect("a regular expression");
    let mut builder = TableBuilder::new();
    let mut start_ns = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(fields) = head.captures(line) else { continue };
        let number = |field: usize| fields[field].parse::<u64>().expect("digits");
        let ticks = lines.next().and_then(|line| line.split("nticks = ").nth(1)).expect("a line with nticks");
        let ticks: u64 = ticks.parse().expect("digits");
        let frames: Vec<&str> = lines.by_ref().take(number(3) as usize).map(str::trim).collect();
        // A stack that starts in the C library was walked as a native stack. In such a stack, the name of a Java method
        // means machine code. gprofng does not treat this machine code as the method.
        let is_native = frames[0].starts_with("<static>");
        let frames: Vec<FrameIndex> = frames.iter().map(|frame| add_frame(&mut builder, frame, is_native)).collect();
        let stack = builder.stack(frames);
        let thread = builder.thread(Some(1), Some(number(2) as u32), &format!("Thread {}", number(2)));
        let time_ns = number(1) - *start_ns.get_or_insert(number(1));
        let sample = Sample::new(time_ns, thread, stack, EventKind::Cpu);
        builder.sample(Sample { count: ticks, duration_ns: ticks * TICK_NS, ..sample });
    }
    let mut manifest = Manifest::new(Program { name: "gprofng".to_owned(), version: String::new() });
    manifest.metrics = cpu_metrics(false);
    Profile::load(manifest, builder.into_tables()).expect("valid tables")
}

fn add_frame(builder: &mut TableBuilder, text: &str, is_native: bool) -> FrameIndex {
    let (text, _) = text.rsplit_once(" [0x").expect("an address at the end");
    let (text, line) = match text.rsplit_once(", line ") {
        Some((text, place)) => (text, place.split_once(" in ").map(|(line, file)| (line, file.trim_matches('"')))),
        None => (text, None),
    };
    let text = text.rsplit_once(" + 0x").map_or(text, |(name, _)| name);
    let text = text.strip_suffix(" <Java native method>").unwrap_or(text);
    let leaf =
        text.strip_prefix("<Function ").and_then(|rest| rest.strip_suffix(": HotSpot-compiled leaf instructions>"));
    let pseudo = ["<no Java callstack recorded>", "<JVM-System>"].into_iter().find(|name| text.starts_with(name));
    let name = pseudo.or(leaf).unwrap_or(text);
    let binary = if is_native { builder.binary("machine code", BinaryKind::Elf) } else { BinaryIndex::NONE };
    let function =
        builder.function(&NewFunction { display_name: name, internal_name: name, kind: FunctionKind::Native, binary });
    if let Some((_, file)) = line {
        builder.describe_function(function, Some(file), None);
    }
    let line = line.map(|(line, _)| line.parse().expect("a line number"));
    builder.frame(NewFrame { function, kind: FrameKind::Native, line, bytecode_index: None, address: None })
}
