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
    /// The next pause of the collector found no free region for objects. The words are those of the log.
    NextPause(&'static str),
    /// Something that is over now.
    Event { kind: JvmEventKind, name: String, length_ns: u64, heap: Heap },
}

/// The used part of the heap in bytes, before and after a collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Heap {
    pub(super) before: Option<u64>,
    pub(super) after: Option<u64>,
}

/// The level of the optimising compiler C2, and of other compilers in its place.
const LEVEL_OF_OPTIMISED_CODE: &str = "4";

/// Code is given up for these reasons although no assumption was wrong.
const REPLACED: [&str; 3] = ["not used", "OSR invalidation", "replaced"];

/// G1 up to JDK 17 reports this in a line of its own, before the pause.
const TO_SPACE_EXHAUSTED: &str = "To-space exhausted";

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
            "codecache" => Some(moment(JvmEventKind::CodeCache, message.trim())),
            "jit,compilation" => read_compilation(message),
            _ => None,
        };
        Some(Self { time_ns: time.trim().parse().ok()?, report: report? })
    }
}

/// Something that takes no time.
fn moment(kind: JvmEventKind, text: &str) -> Report {
    Report::Event { kind, name: name(text), length_ns: 0, heap: Heap::default() }
}

/// `  31 %     4       app.Shop::price @ 4 (32 bytes)   made not entrant`: number, flags, level, method. Since JDK 25, a reason
/// follows: `: uncommon trap`.
fn read_compilation(message: &str) -> Option<Report> {
    let (compiled, reason) = message.split_once("made not entrant")?;
    let is_level = |word: &&str| matches!(word.as_bytes(), [b'0'..=b'4']);
    // The first word is the number of the compilation. It can look like a level.
    let mut words = compiled.split_whitespace().skip(1).skip_while(|word| !is_level(word));
    let method = words.next().filter(|level| *level == LEVEL_OF_OPTIMISED_CODE).and_then(|_| words.next())?;
    let reason = reason.trim_start_matches(':').trim();
    let is_replaced = REPLACED.iter().any(|replaced| reason.contains(replaced));
    let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
    let text = || format!("{}{reason}", method.replacen("::", ".", 1));
    (!is_replaced).then(|| moment(JvmEventKind::Deoptimization, &text()))
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
    if message.trim().ends_with(TO_SPACE_EXHAUSTED) {
        return Some(Report::NextPause(TO_SPACE_EXHAUSTED));
    }
    let (text, length) = message.trim().rsplit_once(' ')?;
    let length_ns = length_ns(length)?;
    let Some((_, text)) = text.strip_prefix("GC(").and_then(|text| text.split_once(')')) else {
        let thread = text.strip_prefix("Allocation Stall (")?.strip_suffix(')')?;
        let (kind, heap) = (JvmEventKind::AllocationStall, Heap::default());
        return Some(Report::Event { kind, name: name(thread), length_ns, heap });
    };
    let text = text.trim();
    if let Some(part) = text.strip_suffix(':') {
        return is_phase.then(|| Report::Part(Part { name: name(part), length_ns }));
    }
    let (text, heap) = match text.rsplit_once(' ').map(|(text, last)| (text, last.split_once("->"))) {
        Some((before, Some(sizes))) => (before, Some(sizes)),
        _ => (text, None),
    };
    let has_heap = heap.is_some();
    let heap = heap.map_or(Heap::default(), |(before, after)| Heap { before: bytes(before), after: bytes(after) });
    let (text, generation) = without_generation(text);
    let kind = match text.split(' ').next() {
        Some("Pause") => JvmEventKind::GcPause,
        _ if !text.starts_with("Concurrent") && is_phase && !has_heap => JvmEventKind::GcPhase,
        _ => JvmEventKind::GcConcurrent,
    };
    Some(Report::Event { kind, name: name(&format!("{text}{generation}")), length_ns, heap })
}

/// `78M`, or `146M(73%)`, in bytes. `None`: this is no size.
fn bytes(text: &str) -> Option<u64> {
    let text = text.split('(').next()?;
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let scale = ["B", "K", "M", "G", "T"].iter().position(|known| *known == unit)?;
    text.strip_suffix(unit)?.parse::<u64>().ok()?.checked_mul(1 << (10 * scale))
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
