//! For the fuzzer: the private readers of this crate as functions of bytes. Each function panics if the result breaks a
//! promise.

use crate::class_archive;
use crate::cpu_quota::{self, Periods};
use crate::hand;
use crate::jvm_counters::JvmFigures;
use crate::kernel;
use crate::perf_memory;
use crate::process::{Stat, Status, ThreadCall};
use crate::process_events::{Changes, add_records};
use crate::process_memory;
use crate::program_output::MetricPattern;
use crate::program_output::lines::Lines;
use crate::thread_dump::ThreadDump;
use std::path::Path;
use whittle_model::TableBuilder;

/// Bytes of an entry of HotSpot's counters without its name and value.
const COUNTER_BYTES: usize = 20;
/// Bytes of the shortest record of perf events that changes anything.
const RECORD_BYTES: usize = 12;
/// Maximum number of words in a command line.
const MAX_WORDS: usize = 16_384;
/// A pattern with two groups, as users write them.
const PATTERN: &str = r"(?<rate>[-+0-9.,_eE]+) (?:msg|rec)/s|total[:=] *(?<total_count>\S+)";

/// Reads a jar: its directory, classes, manifest and inner jars.
pub fn read_jar(bytes: &[u8]) {
    class_archive::fuzzing::read_jar(bytes);
    class_archive::fuzzing::read_manifest(bytes);
}

/// Reads HotSpot's counters.
pub fn read_jvm_counters(bytes: &[u8]) {
    let count = perf_memory::parse_numbers(bytes).map_or(0, Iterator::count);
    assert!(count <= bytes.len() / COUNTER_BYTES, "{count} counters in {} bytes", bytes.len());
    let Some(figures) = JvmFigures::parse(bytes) else { return };
    assert!(figures.named().all(|(_, value)| value.is_finite() && value >= 0.0), "{figures:?}");
    let growth = figures.gc_since(&figures);
    assert!(matches!(growth, (None | Some(0), None | Some(0))), "{growth:?}");
}

/// Reads the text of a thread dump.
pub fn read_thread_dump(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut builder = TableBuilder::new();
    let stacks = ThreadDump::parse(&text).stacks(&mut builder);
    let thread_count = text.lines().filter(|line| line.starts_with('"')).count();
    assert!(stacks.len() <= thread_count);
    // The functions of the first dump are known code for the second.
    let again = ThreadDump::parse(&text).stacks(&mut builder);
    assert_eq!(stacks.len(), again.len());
    let holders = ThreadDump::parse(&text).holders(&mut builder);
    assert!(holders.len() <= thread_count);
    let tables = builder.into_tables();
    let held = holders.values().map(|holder| &holder.stack);
    assert!(stacks.values().chain(again.values()).chain(held).all(|stack| stack.row() < tables.stacks.parent.len()));
    tables.validate().expect("tables keep their promises");
}

/// Reads a text of `/proc/PID` or of a control group. Every reader of such a text reads it.
pub fn read_process_text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(status) = Status::parse(&text) {
        assert!(!status.state.is_whitespace());
        let _any_rights = (status.catches_sigquit(), status.has_perfmon());
    }
    if let Some(stat) = Stat::parse(&text) {
        // The name in front of the last parenthesis does not matter.
        let fields = text.rsplit_once(')').expect("the name is in parentheses").1;
        assert_eq!(Stat::parse(&format!("1 (a) b) {fields}")).map(|same| same.identity()), Some(stat.identity()));
    }
    let _any_call = ThreadCall::parse(&text);
    if let Some(periods) = Periods::parse(&text) {
        assert!(periods.all_count > 0);
    }
    let mounted = Path::new("/sys/fs/cgroup");
    for file in text.lines().filter_map(|line| cpu_quota::stat_file(mounted, line)) {
        assert!(file.starts_with(mounted) && file.ends_with("cpu.stat"), "{}", file.display());
    }
    let words = process_memory::words(&text);
    assert!(words.len() <= MAX_WORDS && words.iter().all(|word| !word.is_empty() && !word.contains('\0')));
    read_maps(&text);
}

fn read_maps(text: &str) {
    let libraries = process_memory::libraries(text);
    assert!(libraries.is_sorted_by(|a, b| a < b), "each library once, in order");
    assert!(libraries.iter().all(|path| path.starts_with('/') && path.contains(".so")));
    for address in [0, 0x7f00_0000_0000, u64::MAX] {
        assert!(process_memory::file_at(text, address).is_none_or(|path| path.starts_with('/')));
    }
}

/// Reads one packet between whittle and a hand, in both directions.
pub fn read_hand_packet(bytes: &[u8]) {
    hand::fuzzing::read_packet(bytes);
}

/// Sends requests to a hand that responds with these packets.
pub fn talk_to_hand(bytes: &[u8]) {
    hand::fuzzing::talk(bytes);
}

/// Reads the records of a ring of perf events. A cut record is ignored, so the result of whole records does not change.
pub fn read_process_events(bytes: &[u8]) {
    let mut changes = Changes::default();
    add_records(bytes, &mut changes);
    let count = changes.executed.len() + changes.mapped_jvm.len() + changes.ended.len();
    assert!(count <= bytes.len() / RECORD_BYTES, "{count} changes in {} bytes", bytes.len());
    let mut part = Changes::default();
    add_records(&bytes[..bytes.len() / 2], &mut part);
    let is_part = part.executed.is_subset(&changes.executed)
        && part.mapped_jvm.is_subset(&changes.mapped_jvm)
        && part.ended.is_subset(&changes.ended);
    assert!(is_part && part.has_gap <= changes.has_gap);
}

/// Reads a record of whittle's programs in the kernel.
pub fn read_kernel_record(bytes: &[u8]) {
    kernel::fuzzing::read_record(bytes);
}

/// Finds numbers in the output of a program. They are the same in whatever pieces the output arrives. The first byte is
/// the size of the pieces.
pub fn read_program_output(bytes: &[u8]) {
    let Some((size, output)) = bytes.split_first() else { return };
    let pattern = MetricPattern::parse(PATTERN).expect("a pattern with named groups");
    let values = |size: usize| {
        let mut lines = Lines::new(pattern.clone());
        let mut found: Vec<(String, f64)> = output.chunks(size).flat_map(|piece| lines.take(piece)).collect();
        found.extend(lines.finish());
        found
    };
    let whole = values(output.len().max(1));
    assert_eq!(whole, values(usize::from(*size) + 1));
    assert!(whole.iter().all(|(name, value)| value.is_finite() && ["rate", "total_count"].contains(&name.as_str())));
}
