//! What counters say of a candidate, and whether that is what its detector wants.

use super::candidates::Candidate;
use super::detector::{Condition, Detector, Figure};
use super::exact_calls;
use super::matching::{Family, Matches, NONE};
use super::missing;
use super::saving::gc_ratio;
use super::sums::{Amounts, Owners, Sums, Totals};
use super::view::{Confidence, Criterion, Evidence};
use super::work::{NO_GROUP, WorkThreads};
use crate::Profile;
use crate::filter::Predicate;
use crate::weights::for_each_kept;
use rustc_hash::FxHashSet;
use whittle_model::{EventKind, FrameKind, StackIndex, SyscallIndex, ThreadIndex, WaitReason, WeightColumn};

/// System calls of a candidate, from the sampled ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Calls {
    by_name: Vec<CallSums>,
    /// Threads that make them.
    pub(super) threads: FxHashSet<ThreadIndex>,
}

#[derive(Debug, Clone)]
struct CallSums {
    name: String,
    calls: f64,
    /// Bytes that they moved.
    bytes: f64,
}

/// Calls that the profiler in the JVM makes in the threads that it looks at.
const PROFILERS: [&str; 2] = ["gettid", "rt_sigreturn"];

impl Calls {
    fn wanted(&self, names: &[String]) -> impl Iterator<Item = &CallSums> {
        let is_wanted = move |sums: &&CallSums| match names {
            [] => !PROFILERS.contains(&sums.name.as_str()),
            names => names.contains(&sums.name),
        };
        self.by_name.iter().filter(is_wanted)
    }

    /// Calls of these names, all if there are none: how many, and how many bytes.
    pub(super) fn of(&self, names: &[String]) -> (f64, f64) {
        let wanted = self.wanted(names);
        wanted.fold((0.0, 0.0), |(calls, bytes), sums| (calls + sums.calls, bytes + sums.bytes))
    }

    fn add(&mut self, name: &str, calls: f64, bytes: f64) {
        match self.by_name.iter_mut().find(|sums| sums.name == name) {
            Some(sums) => {
                sums.calls += calls;
                sums.bytes += bytes;
            }
            None => self.by_name.push(CallSums { name: name.to_owned(), calls, bytes }),
        }
    }

    /// The name with the most calls.
    fn most(&self, names: &[String]) -> Option<&str> {
        self.wanted(names).max_by(|a, b| a.calls.total_cmp(&b.calls)).map(|sums| sums.name.as_str())
    }
}

/// The calls of each candidate, by the owner of their stacks. Missing: no calls were sampled with their stacks.
pub(crate) fn calls(
    profile: &Profile,
    work: &WorkThreads,
    owners: &Owners<'_>,
    predicate: Option<&Predicate>,
) -> Option<Vec<Calls>> {
    let (table, samples) = (&profile.tables().sampled_calls, profile.sampled_calls());
    if samples.len() == 0 {
        return None;
    }
    let owner = owners.matches.owners(Family::Time);
    let names: Vec<&str> = profile.tables().syscalls.name.iter().map(String::as_str).collect();
    let name = |call: SyscallIndex| names.get(call.row()).copied().unwrap_or("");
    let mut calls = vec![Calls::default(); owners.candidates.len()];
    let counts = samples.column(WeightColumn::Count);
    for_each_kept(samples, predicate, |sample| {
        let place = owner[samples.observed[sample] as usize];
        if place == NONE || work.group_of_thread[samples.thread[sample].row()] == NO_GROUP {
            return;
        }
        let finding = owners.candidate_of_place[place as usize] as usize;
        calls[finding].threads.insert(samples.thread[sample]);
        let count = counts[sample] as f64;
        calls[finding].add(name(table.syscall[sample]), count, count * table.bytes[sample] as f64);
    });
    Some(calls)
}

/// What is known of one candidate.
pub(crate) struct Known<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) work: &'a WorkThreads,
    pub(crate) sums: &'a Sums,
    pub(crate) matches: &'a Matches,
    pub(crate) candidate: &'a Candidate,
    pub(crate) totals: &'a Totals,
    /// Missing: no system calls were sampled.
    pub(crate) calls: Option<&'a Calls>,
    /// Share of the measure of all work threads.
    pub(crate) program_ratio: f64,
    /// CPU time of the calling method itself, without what it calls of the application.
    pub(crate) method_ns: f64,
    /// Frames from the anchor to the leaf, on average over CPU time.
    pub(crate) anchor_depth: f64,
    /// The constant that the edit site passes. Missing: none, or not found.
    pub(crate) argument: Option<f64>,
}

impl Known<'_> {
    fn has(&self, event: EventKind) -> bool {
        missing::has(self.profile, event)
    }

    /// A figure. Missing: what it is made of was not collected.
    pub(crate) fn figure(&self, condition: &Condition) -> Option<f64> {
        let totals = self.totals;
        let (cpu, blocked, allocated) = (totals.cpu_ns(), totals.blocked_ns, totals.alloc_bytes);
        let manifest = self.profile.manifest();
        match condition.figure {
            Figure::CallsPerSecond => {
                let calls = self.calls?;
                ratio(calls.of(&condition.calls).0, self.lifetime_seconds(&calls.threads))
            }
            Figure::BytesPerCall => {
                let (calls, bytes) = self.calls?.of(&condition.calls);
                ratio(bytes, calls)
            }
            Figure::CallsPerSocketRead => exact_calls::calls_per_socket_read(self, &condition.calls),
            Figure::WritesPerCall => {
                exact_calls::writes_per_call(self.profile, &condition.calls).map(|(writes, _)| writes)
            }
            Figure::WrittenBytesPerCall => {
                exact_calls::writes_per_call(self.profile, &condition.calls).map(|(_, bytes)| bytes)
            }
            Figure::KernelRatio => manifest.metric("system_cpu").and_then(|_| ratio(totals.system_ns, cpu)),
            Figure::BlockedRatio => self.has(EventKind::OffCpu).then(|| ratio(blocked, cpu + blocked)).flatten(),
            Figure::AllocRatio => {
                self.has(EventKind::Alloc).then(|| ratio(allocated, self.sums.total.alloc_bytes).unwrap_or(0.0))
            }
            Figure::BytesPerObject => {
                self.has(EventKind::Alloc).then(|| ratio(allocated, totals.alloc_objects)).flatten()
            }
            Figure::AllocBytesPerSecond => {
                self.has(EventKind::Alloc).then(|| ratio(allocated, self.method_ns / 1e9)).flatten()
            }
            Figure::SpentRatio => Some(self.program_ratio),
            Figure::MethodRatio => ratio(cpu, self.method_ns),
            Figure::FaultsPerSecond => self.has(EventKind::PageFault).then(|| totals.faults / self.work.seconds()),
            Figure::AnchorDepth => Some(self.anchor_depth),
            Figure::FramesRatio => self.frames_ratio(&condition.frames),
            Figure::ArgumentValue => self.argument,
            Figure::GcRatio => gc_ratio(self.profile),
            Figure::InterpretedRatio => self.interpreted_ratio(),
        }
    }

    /// How long threads lived in the time that counts, added up.
    fn lifetime_seconds(&self, rows: &FxHashSet<ThreadIndex>) -> f64 {
        let threads = &self.profile.tables().threads;
        let lifetime = |thread: &ThreadIndex| {
            let from = threads.start_ns[thread.row()].unwrap_or(0).max(self.work.from_ns);
            let to = threads.end_ns[thread.row()].unwrap_or(u64::MAX).min(self.work.to_ns);
            to.saturating_sub(from).max(1) as f64 / 1e9
        };
        rows.iter().map(lifetime).sum()
    }

    /// Whether a condition that names frames has to do with most of the candidate.
    fn is_asked(&self, condition: &Condition) -> bool {
        const MOST: f64 = 0.5;
        let has_most = |frames: &[String]| self.frames_ratio(frames).is_some_and(|ratio| ratio >= MOST);
        let is_special = condition.figure != Figure::FramesRatio && !condition.frames.is_empty();
        (!is_special || has_most(&condition.frames)) && (condition.unless.is_empty() || !has_most(&condition.unless))
    }

    /// Share of the candidate's CPU time whose deepest Java frame was interpreted.
    fn interpreted_ratio(&self) -> Option<f64> {
        let tables = self.profile.tables();
        let kind = |row: StackIndex| tables.frames.kind[tables.stacks.frame[row.row()].row()];
        self.cpu_ratio(|stack, _| {
            let rows = std::iter::successors(Some(stack), |row| Some(tables.stacks.parent[row.row()]));
            let is_java = |kind: &FrameKind| {
                matches!(kind, FrameKind::Interpreted | FrameKind::C1 | FrameKind::Jit | FrameKind::Inlined)
            };
            let deepest = rows.take_while(|row| row.row() != 0).map(kind).find(is_java);
            deepest == Some(FrameKind::Interpreted)
        })
    }

    /// Share of the candidate's CPU time on stacks with one of these functions at the anchor or below it.
    fn frames_ratio(&self, frames: &[String]) -> Option<f64> {
        let (ids, tables) = (self.matches.names.ids(frames), self.profile.tables());
        let has_frame = |stack: StackIndex, anchor: StackIndex| {
            let rows = std::iter::successors(Some(stack), |row| Some(tables.stacks.parent[row.row()]));
            let functions = rows.take_while(|row| row.0 >= anchor.0.max(1));
            functions
                .map(|row| tables.frames.function[tables.stacks.frame[row.row()].row()].row())
                .any(|function| self.matches.names.of(function).iter().any(|id| ids.contains(id)))
        };
        self.cpu_ratio(has_frame)
    }

    /// Share of the candidate's CPU time that a test of stack and anchor picks.
    fn cpu_ratio(&self, is_picked: impl Fn(StackIndex, StackIndex) -> bool) -> Option<f64> {
        let is_own = |place: u32| place != NONE && self.candidate.places.binary_search(&place).is_ok();
        let owners =
            self.matches.owners(Family::Time).iter().zip(self.profile.observed_stacks()).zip(&self.sums.cpu_by_stack);
        let (mut with, mut all) = (0.0, 0.0);
        for ((place, stack), cpu) in owners.filter(|((place, _), cpu)| **cpu > 0.0 && is_own(**place)) {
            all += cpu;
            if is_picked(*stack, self.matches.places[*place as usize].anchor) {
                with += cpu;
            }
        }
        ratio(with, all)
    }
}

/// A part of a whole; missing without one.
pub(super) fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then_some(part / whole)
}

impl Condition {
    /// Asks for a figure of all calls and frames, whatever its value.
    fn of(figure: Figure) -> Self {
        let (calls, frames, unless, none_of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { figure, calls, frames, unless, none_of, at_least: None, at_most: None, required: false }
    }

    /// Whether a value is as it is wanted.
    pub(crate) fn is_met_by(&self, value: f64) -> bool {
        let at_least = self.at_least.is_none_or(|least| value >= least);
        at_least && self.at_most.is_none_or(|most| value <= most) && !self.none_of.contains(&value)
    }
}

/// What the conditions of a detector say.
pub(crate) struct Verdict {
    pub(crate) confidence: Confidence,
    pub(crate) criteria: Vec<Criterion>,
    pub(crate) evidence: Vec<Evidence>,
}

/// Asks the conditions; missing if one fails, or one that is required cannot be asked.
pub(crate) fn judge(detector: &Detector, known: &Known<'_>) -> Option<Verdict> {
    let mut criteria =
        vec![Criterion { text: "frames of the pattern stand on the stacks".to_owned(), holds: Some(true) }];
    let mut evidence = Vec::new();
    let (mut agreed_count, mut unknown_count) = (0, 0);
    for condition in detector.conditions.iter().filter(|condition| known.is_asked(condition)) {
        let value = known.figure(condition);
        let holds = value.map(|value| condition.is_met_by(value));
        if holds == Some(false) || (holds.is_none() && condition.required) {
            return None;
        }
        let is_counter = condition.figure.is_counter();
        unknown_count += usize::from(is_counter && holds.is_none());
        agreed_count += usize::from(is_counter && holds == Some(true));
        let name = known.calls.and_then(|calls| calls.most(&condition.calls));
        criteria.push(Criterion { text: condition_words(condition, value, name), holds });
        if let Some(value) = value {
            evidence.push(Evidence {
                figure: condition.figure,
                value,
                text: figure_words(condition.figure, value, name),
            });
        }
    }
    let confidence = match agreed_count {
        _ if detector.weak => Confidence::Possible,
        count if count > 0 && unknown_count == 0 => Confidence::Certain,
        _ => Confidence::Likely,
    };
    Some(Verdict { confidence, criteria, evidence })
}

/// Figures that support any finding, asked for or not.
pub(crate) fn further_evidence(known: &Known<'_>, verdict: &mut Verdict) {
    for figure in
        [Figure::KernelRatio, Figure::CallsPerSecond, Figure::BytesPerCall, Figure::BlockedRatio, Figure::AllocRatio]
    {
        if verdict.evidence.iter().any(|evidence| evidence.figure == figure) {
            continue;
        }
        let condition = Condition::of(figure);
        let name = known.calls.and_then(|calls| calls.most(&[]));
        match known.figure(&condition) {
            Some(value) if is_worth_saying(figure, value) => {
                verdict.evidence.push(Evidence { figure, value, text: figure_words(figure, value, name) });
            }
            _ => {}
        }
    }
}

/// Adds the largest reason to what is said of blocked time.
pub(crate) fn name_reasons(evidence: &mut [Evidence], amounts: &Amounts) {
    let all: f64 = amounts.blocked_by_reason.iter().sum();
    let largest = WaitReason::ALL.iter().zip(&amounts.blocked_by_reason).max_by(|a, b| a.1.total_cmp(b.1));
    let (Some((reason, nanos)), true) = (largest, all > 0.0) else { return };
    for blocked in evidence.iter_mut().filter(|evidence| evidence.figure == Figure::BlockedRatio) {
        blocked.text += &format!(", {:.0} % of that by {}", nanos / all * 100.0, reason.words());
    }
}

fn is_worth_saying(figure: Figure, value: f64) -> bool {
    match figure {
        Figure::CallsPerSecond => value >= 100.0,
        Figure::BytesPerCall => value > 0.0,
        _ => value >= 0.05,
    }
}

fn condition_words(condition: &Condition, value: Option<f64>, name: Option<&str>) -> String {
    let bound = match (condition.at_least, condition.at_most) {
        (Some(least), Some(most)) => {
            format!("between {} and {}", bound(condition.figure, least), bound(condition.figure, most))
        }
        (Some(least), None) => format!("at least {}", bound(condition.figure, least)),
        (None, Some(most)) => format!("at most {}", bound(condition.figure, most)),
        (None, None) if !condition.none_of.is_empty() => {
            let values: Vec<String> = condition.none_of.iter().map(|value| bound(condition.figure, *value)).collect();
            format!("none of {}", values.join(", "))
        }
        (None, None) => "any".to_owned(),
    };
    match value {
        Some(value) => format!("{} (asked for: {bound})", figure_words(condition.figure, value, name)),
        None => format!("{} (asked for: {bound}): not known", unknown_words(condition.figure)),
    }
}

fn bound(figure: Figure, value: f64) -> String {
    match figure {
        Figure::KernelRatio
        | Figure::BlockedRatio
        | Figure::AllocRatio
        | Figure::SpentRatio
        | Figure::MethodRatio
        | Figure::FramesRatio
        | Figure::GcRatio
        | Figure::InterpretedRatio => format!("{} %", value * 100.0),
        _ => value.to_string(),
    }
}

fn unknown_words(figure: Figure) -> &'static str {
    match figure {
        Figure::CallsPerSecond => "system calls a second",
        Figure::BytesPerCall => "bytes a system call",
        Figure::KernelRatio => "share of the kernel",
        Figure::BlockedRatio => "share of blocked time",
        Figure::AllocRatio => "share of the allocated bytes",
        Figure::SpentRatio => "share of the work threads",
        Figure::MethodRatio => "share of the calling method",
        Figure::FaultsPerSecond => "page faults a second",
        Figure::AnchorDepth => "depth of the recursion",
        Figure::FramesRatio => "share of the frames looked for",
        Figure::BytesPerObject => "bytes an object",
        Figure::AllocBytesPerSecond => "bytes allocated a second",
        Figure::ArgumentValue => "value passed at the edit site",
        Figure::CallsPerSocketRead => "system calls for each read from a socket",
        Figure::WritesPerCall => "writes for each such call",
        Figure::WrittenBytesPerCall => "bytes written for each such call",
        Figure::GcRatio => "CPU time of the garbage collector",
        Figure::InterpretedRatio => "share of interpreted code",
    }
}

/// A figure in words.
fn figure_words(figure: Figure, value: f64, name: Option<&str>) -> String {
    let percent = format!("{:.0} %", value * 100.0);
    match figure {
        Figure::CallsPerSecond => {
            let name = name.map_or_else(|| "system".to_owned(), |name| format!("`{name}`"));
            format!("{} {name} calls a second and thread", thousands(value))
        }
        Figure::BytesPerCall => format!("{value:.1} bytes a call"),
        Figure::KernelRatio => format!("{percent} of it in the kernel"),
        Figure::BlockedRatio => format!("{percent} of it blocked"),
        Figure::AllocRatio => format!("{percent} of all bytes that the work threads allocate"),
        Figure::SpentRatio => format!("{percent} of the work threads"),
        Figure::MethodRatio => format!("{percent} of the calling method's CPU time"),
        Figure::FaultsPerSecond => format!("{} page faults a second", thousands(value)),
        Figure::AnchorDepth => format!("{value:.0} frames deep"),
        Figure::FramesRatio => format!("{percent} of it in the frames looked for"),
        Figure::BytesPerObject => format!("{} bytes an object", thousands(value)),
        Figure::AllocBytesPerSecond => {
            format!("{} MB allocated a second of the method's CPU time", thousands(value / 1e6))
        }
        Figure::ArgumentValue => format!("{value} is passed at the edit site"),
        Figure::CallsPerSocketRead => format!("{value:.1} system calls for each read from a socket"),
        Figure::WritesPerCall => format!("{value:.1} writes for each such call"),
        Figure::WrittenBytesPerCall => format!("{} bytes written for each such call", thousands(value)),
        Figure::GcRatio => format!("the garbage collector took {percent} of the work threads' CPU time besides"),
        Figure::InterpretedRatio => format!("{percent} of it in interpreted code"),
    }
}

/// A whole number with separators: `754,662`.
pub(crate) fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.max(0.0));
    let mut out = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
