//! The log in which a JVM (JDK 9 and later) reports its safepoints, its garbage collections, and compiled code that it gives up.
//!
//! The format is that of [JEP 158](https://openjdk.org/jeps/158) with the decorations `tn` (nanoseconds of the JVM's
//! monotonic clock) and `tg` (tags). A line is written when the thing that it describes is over:
//!
//! ```text
//! [639810600119ns][gc,phases] GC(101)   Evacuate Collection Set: 2.3ms
//! [639810672644ns][gc       ] GC(101) Pause Young (Normal) (G1 Evacuation Pause) 78M->66M(200M) 3.022ms
//! [639810685909ns][safepoint] Safepoint "G1CollectForAllocation", Time since last: 777110 ns, Reaching safepoint: 4498 ns, …
//! ```

mod line;
mod safepoint_clock;

use self::line::{Line, Part, Report, SafepointTimes};
use self::safepoint_clock::SafepointClock;
use whittle_model::{JvmEvent, JvmEventKind, JvmEventTable, Table};

/// What to log, as options of the JVM: `-Xlog:WHAT:file=…:DECORATORS:…`, or the arguments of the diagnostic command
/// `VM.log`.
pub const JVM_LOG_WHAT: &str = "safepoint=info,gc=info,gc+phases=info,codecache=warning,jit+compilation=debug";

/// The decorations of each line.
pub const JVM_LOG_DECORATORS: &str = "tn,tg";

/// Maximum length of a line. Longer lines are skipped.
const MAX_LINE_BYTES: usize = 1 << 10;
/// Maximum number of events. Another user's program can write the log.
const MAX_EVENTS: usize = 250_000;
/// If there are more events, phases are left out: they are most of the events, and the least important ones.
const MAX_EVENTS_WITH_PHASES: usize = 100_000;
/// Pauses of one safepoint. If there are more, the log does not contain safepoints.
const MAX_PENDING: usize = 64;

/// Reads a JVM's log while it grows.
#[derive(Debug)]
pub struct JvmLog {
    /// The experiment's start on the JVM's monotonic clock.
    start_ns: u64,
    /// The start of a line whose end is not known yet.
    rest: Vec<u8>,
    is_line_skipped: bool,
    clock: SafepointClock,
    /// The name of the current safepoint. Before JDK 13, the name and the times are in different lines.
    safepoint: Option<String>,
    /// Lengths of the parts of the next pause, in the order of the log.
    parts: Vec<Part>,
    /// What the log says about the next pause, besides its name.
    next_pause: Option<&'static str>,
    /// Events that were left out because of the limits.
    left_out_count: u64,
    /// Pauses and their parts inside the current safepoint. Times of the JVM's clock.
    pending: Vec<JvmEvent>,
}

impl JvmLog {
    /// A log from its beginning. `start_ns` is the experiment's start on the JVM's monotonic clock.
    pub fn new(start_ns: u64) -> Self {
        Self {
            start_ns,
            rest: Vec::new(),
            is_line_skipped: false,
            clock: SafepointClock::default(),
            safepoint: None,
            parts: Vec::new(),
            next_pause: None,
            left_out_count: 0,
            pending: Vec::new(),
        }
    }

    /// How many events were left out, because there were too many.
    pub fn left_out_count(&self) -> u64 {
        self.left_out_count
    }

    /// Reads the next bytes of the log, and adds the events whose ends are known.
    pub fn push(&mut self, bytes: &[u8], events: &mut JvmEventTable) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, is_end) = piece.strip_suffix(b"\n").map_or((piece, false), |text| (text, true));
            self.is_line_skipped |= self.rest.len() + text.len() > MAX_LINE_BYTES;
            if !self.is_line_skipped {
                self.rest.extend_from_slice(text);
            }
            if is_end {
                let line = std::mem::take(&mut self.rest);
                if !std::mem::take(&mut self.is_line_skipped) {
                    self.read_line(&String::from_utf8_lossy(&line), events);
                }
            } else if self.is_line_skipped {
                self.rest.clear();
            }
        }
    }

    /// Adds the pauses whose safepoint is not in the log.
    pub fn finish(&mut self, events: &mut JvmEventTable) {
        let pending = std::mem::take(&mut self.pending);
        pending.into_iter().for_each(|event| self.add(event, events));
    }

    fn read_line(&mut self, text: &str, events: &mut JvmEventTable) {
        let Some(Line { time_ns, report }) = Line::read(text) else { return };
        match report {
            Report::SafepointBegins { name } => self.safepoint = Some(name),
            Report::Safepoint { name, times } => {
                let name = name.or_else(|| self.safepoint.take());
                self.end_safepoint(name.unwrap_or_default(), (time_ns, times), events);
            }
            Report::Part(part) => self.parts.push(part),
            Report::NextPause(words) => self.next_pause = Some(words),
            Report::Event { kind, name, length_ns, heap } => {
                let event = event(kind, name, (time_ns.saturating_sub(length_ns), time_ns));
                let event = JvmEvent { heap_before_bytes: heap.before, heap_after_bytes: heap.after, ..event };
                match kind {
                    JvmEventKind::GcPause => self.add_pause(event),
                    JvmEventKind::GcPhase => self.pending.push(event),
                    _ => self.add(event, events),
                }
            }
        }
        self.parts.truncate(MAX_PENDING);
        if self.pending.len() > MAX_PENDING {
            self.finish(events);
        }
    }

    /// Adds a pause and its parts to the current safepoint.
    fn add_pause(&mut self, mut pause: JvmEvent) {
        if let Some(words) = self.next_pause.take() {
            pause.name = format!("{} ({words})", pause.name);
        }
        let mut start_ns = pause.start_ns;
        for part in std::mem::take(&mut self.parts) {
            let end_ns = start_ns.saturating_add(part.length_ns).min(pause.end_ns);
            self.pending.push(event(JvmEventKind::GcPhase, part.name, (start_ns, end_ns)));
            start_ns = end_ns;
        }
        self.pending.push(pause);
    }

    /// Adds the safepoint, and the pauses inside it. The log's times are some time after the ends, so pauses are moved
    /// into their safepoint.
    fn end_safepoint(&mut self, name: String, (time_ns, times): (u64, SafepointTimes), events: &mut JvmEventTable) {
        let end_ns = self.clock.end_ns(time_ns, times);
        let start_ns = end_ns.saturating_sub(times.total_ns);
        for pending in std::mem::take(&mut self.pending) {
            let late_ns = pending.end_ns.saturating_sub(end_ns);
            let inside = |time_ns: u64| time_ns.saturating_sub(late_ns).clamp(start_ns, end_ns);
            let (start_ns, end_ns) = (inside(pending.start_ns), inside(pending.end_ns));
            self.add(JvmEvent { start_ns, end_ns, ..pending }, events);
        }
        let reaching_ns = times.reaching_ns.min(end_ns - start_ns);
        self.add(JvmEvent { reaching_ns, ..event(JvmEventKind::Safepoint, name, (start_ns, end_ns)) }, events);
    }

    /// Adds an event with times of the JVM's clock, unless it ended before the experiment's start.
    fn add(&mut self, event: JvmEvent, events: &mut JvmEventTable) {
        let Some(end_ns) = event.end_ns.checked_sub(self.start_ns) else { return };
        let limit = if event.kind == JvmEventKind::GcPhase { MAX_EVENTS_WITH_PHASES } else { MAX_EVENTS };
        if events.len() >= limit {
            self.left_out_count += 1;
            return;
        }
        let start_ns = event.start_ns.saturating_sub(self.start_ns);
        events.push(JvmEvent { start_ns, end_ns, reaching_ns: event.reaching_ns.min(end_ns - start_ns), ..event });
    }
}

fn event(kind: JvmEventKind, name: String, (start_ns, end_ns): (u64, u64)) -> JvmEvent {
    JvmEvent { start_ns, end_ns, kind, name, reaching_ns: 0, heap_before_bytes: None, heap_after_bytes: None }
}

#[cfg(test)]
mod tests;
