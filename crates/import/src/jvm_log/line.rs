//! One line of a JVM's log.

use whittle_model::JvmEventKind;

/// Maximum length of a name in bytes.
const MAX_NAME_BYTES: usize = 120;

/// A line that reports something.
#[derive(Debug, PartialEq)]
pub(super) struct Line {
    /// When the line was written, on the JVM's monotonic clock.
    pub(super) time_ns: u64,
    pub(super) report: Report,
}

/// What a line reports.
#[derive(Debug, PartialEq)]
pub(super) enum Report {
    /// Before JDK 13: all threads have stopped. Another line has the times.
    SafepointBegins { name: String },
    /// A safepoint is over. The name is missing before JDK 13.
    Safepoint { name: Option<String>, times: SafepointTimes },
    /// The length of a part of the next pause.
    Part(Part),
    /// Something that is over now.
    Event { kind: JvmEventKind, name: String, length_ns: u64 },
}

/// Times of a safepoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SafepointTimes {
    /// Time from the end of the safepoint before. Missing before JDK 13.
    pub(super) since_last_ns: Option<u64>,
    /// Time until the last thread had stopped.
    pub(super) reaching_ns: u64,
    pub(super) total_ns: u64,
}

/// A part of a pause.
#[derive(Debug, PartialEq)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) length_ns: u64,
}

impl Line {
    /// Reads a line. `None`: the line reports nothing that whittle knows.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (time, rest) = text.strip_prefix('[')?.split_once("ns]")?;
        let (tags, message) = rest.strip_prefix('[')?.split_once(']')?;
        let report = match tags.trim() {
            "safepoint" => read_safepoint(message.trim()),
            "gc" => read_collection(message, false),
            "gc,phases" => read_collection(message, true),
            "codecache" => {
                Some(Report::Event { kind: JvmEventKind::CodeCache, name: name(message.trim()), length_ns: 0 })
            }
            _ => None,
        };
        Some(Self { time_ns: time.trim().parse().ok()?, report: report? })
    }
}

fn read_safepoint(message: &str) -> Option<Report> {
    if let Some(named) = message.strip_prefix("Safepoint \"") {
        let (safepoint, times) = named.split_once("\", ")?;
        let value = |label: &str| {
            let found = times.split(", ").find_map(|time| time.strip_prefix(label)?.strip_prefix(": "));
            found?.strip_suffix(" ns")?.parse().ok()
        };
        let times = SafepointTimes {
            since_last_ns: Some(value("Time since last")?),
            reaching_ns: value("Reaching safepoint")?,
            total_ns: value("Total")?,
        };
        return Some(Report::Safepoint { name: Some(name(safepoint)), times });
    }
    if let Some(safepoint) = message.strip_prefix("Entering safepoint region: ") {
        return Some(Report::SafepointBegins { name: name(safepoint) });
    }
    let times = message.strip_prefix("Total time for which application threads were stopped: ")?;
    let (total, reaching) = times.split_once(", Stopping threads took: ")?;
    let nanos = |text: &str| length_ns(&text.replace(" seconds", "s"));
    let times = SafepointTimes { since_last_ns: None, reaching_ns: nanos(reaching)?, total_ns: nanos(total)? };
    Some(Report::Safepoint { name: None, times })
}

/// `GC(101) Pause Young (Normal) (G1 Evacuation Pause) 78M->66M(200M) 3.022ms`.
fn read_collection(message: &str, is_phase: bool) -> Option<Report> {
    let (text, length) = message.trim().rsplit_once(' ')?;
    let length_ns = length_ns(length)?;
    let Some((_, text)) = text.strip_prefix("GC(").and_then(|text| text.split_once(')')) else {
        let thread = text.strip_prefix("Allocation Stall (")?.strip_suffix(')')?;
        return Some(Report::Event { kind: JvmEventKind::AllocationStall, name: name(thread), length_ns });
    };
    let text = text.trim();
    if let Some(part) = text.strip_suffix(':') {
        return is_phase.then(|| Report::Part(Part { name: name(part), length_ns }));
    }
    let (text, has_heap) = match text.rsplit_once(' ') {
        Some((before, heap)) if heap.contains("->") => (before, true),
        _ => (text, false),
    };
    let (text, generation) = without_generation(text);
    let kind = match text.split(' ').next() {
        Some("Pause") => JvmEventKind::GcPause,
        _ if !text.starts_with("Concurrent") && is_phase && !has_heap => JvmEventKind::GcPhase,
        _ => JvmEventKind::GcConcurrent,
    };
    Some(Report::Event { kind, name: name(&format!("{text}{generation}")), length_ns })
}

/// ZGC marks lines with the generation that it collects: `y: Pause Mark Start`.
fn without_generation(text: &str) -> (&str, &'static str) {
    match text.split_once(": ") {
        Some(("y" | "Y", rest)) => (rest, " (young generation)"),
        Some(("O", rest)) => (rest, " (old generation)"),
        _ => (text, ""),
    }
}

/// `3.022ms` or `0.094s` in nanoseconds. `None`: this is not a length.
fn length_ns(text: &str) -> Option<u64> {
    let (number, unit_ns) = match text.strip_suffix("ms") {
        Some(number) => (number, 1e6),
        None => (text.strip_suffix('s')?, 1e9),
    };
    let is_number = number.starts_with(|letter: char| letter.is_ascii_digit());
    let number: f64 = if is_number { number.parse().ok()? } else { return None };
    Some((number * unit_ns).round() as u64)
}

fn name(text: &str) -> String {
    let end = (0..=text.len().min(MAX_NAME_BYTES)).rev().find(|end| text.is_char_boundary(*end));
    text[..end.unwrap_or(0)].chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
