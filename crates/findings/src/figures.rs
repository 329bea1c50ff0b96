//! Computes the values of counters for a candidate, and checks the conditions of its detector.

use crate::candidates::Candidate;
use crate::detector::{Condition, Detector, Figure, Measure};
use crate::exact_calls::Writes;
use crate::figure_words::{condition_words, figure_words};
use crate::matching::{Family, Matches};
use crate::quality::readings;
use crate::sampled_calls::Calls;
use crate::saving::gc_ratio;
use crate::sums::{Amounts, Sums, Totals};
use crate::view::{Confidence, Criterion, Evidence};
use crate::work::WorkThreads;
use crate::{exact_calls, missing, pools};
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{
    EventKind, FileTable, FrameKind, JvmEventKind, Metric, ObjectClassIndex, ObjectClassTable, StackIndex, Table,
    ThreadIndex, WaitReason,
};
use whittle_profile::Profile;
use whittle_profile::object_classes::shown_name;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::waits::WaitMeaning;

/// Size of a page of memory. With larger pages, there are fewer faults, and a pattern is denied rather than reported.
const PAGE_BYTES: f64 = 4096.0;
/// The cause of pauses in the JVM's log.
const HUMONGOUS: &str = "G1 Humongous Allocation";

/// All data about one candidate.
pub(crate) struct Known<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) work: &'a WorkThreads,
    pub(crate) sums: &'a Sums,
    pub(crate) matches: &'a Matches,
    pub(crate) candidate: &'a Candidate,
    pub(crate) totals: &'a Totals,
    /// `None`: no system calls were sampled.
    pub(crate) calls: Option<&'a Calls>,
    /// The candidate's share of the total over all work threads.
    pub(crate) program_ratio: f64,
    /// CPU time of the calling method, without the application functions that it calls.
    pub(crate) whole_method_ns: f64,
    /// Page faults of the calling method, without the application functions that it calls.
    pub(crate) faults: f64,
    /// Average number of frames from the anchor to the leaf, weighted by CPU time.
    pub(crate) anchor_depth: f64,
    /// The constant that the line to edit passes. `None`: the line passes no constant, or the line was not found.
    pub(crate) argument: Option<f64>,
}

impl Known<'_> {
    /// Whether nearly all of the elapsed time is blocked time.
    fn hardly_executes(&self) -> bool {
        self.totals.blocked_ns > 0.95 * self.totals.measure(Measure::Elapsed)
    }

    fn has(&self, event: EventKind) -> bool {
        missing::has(self.profile, event)
    }

    /// The value of a counter. `None`: the data for the counter was not collected.
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
            Figure::CpuNanosPerCall => ratio(cpu, self.calls?.of(&condition.calls).0),
            Figure::CallsPerSocketRead => self.calls_per_socket_read(&condition.calls),
            Figure::WritesPerCall => {
                let writes = Writes::of_calls(self.profile, &condition.calls);
                ratio(writes.writes_count as f64, writes.calls_count as f64)
            }
            Figure::WrittenBytesPerCall => {
                let writes = Writes::of_calls(self.profile, &condition.calls);
                ratio(writes.bytes as f64, writes.calls_count as f64)
            }
            Figure::KernelRatio => manifest.metric(Metric::SystemCpu).and_then(|_| ratio(totals.system_ns, cpu)),
            Figure::BlockedRatio => self.has(EventKind::OffCpu).then(|| ratio(blocked, cpu + blocked)).flatten(),
            Figure::AllocRatio => {
                self.has(EventKind::Alloc).then(|| ratio(allocated, self.sums.total.alloc_bytes).unwrap_or(0.0))
            }
            Figure::BytesPerObject => {
                self.has(EventKind::Alloc).then(|| ratio(allocated, totals.alloc_objects)).flatten()
            }
            Figure::AllocBytesPerSecond => {
                self.has(EventKind::Alloc).then(|| ratio(allocated, self.whole_method_ns / 1e9)).flatten()
            }
            Figure::SpentRatio => Some(self.program_ratio),
            Figure::MethodRatio => ratio(cpu, self.whole_method_ns),
            Figure::FaultsPerSecond => self.has(EventKind::PageFault).then(|| self.faults / self.work.seconds()),
            Figure::FaultsPerNewPage => self.faults_per_new_page(),
            Figure::AnchorDepth => Some(self.anchor_depth),
            Figure::FramesRatio => self.frames_ratio(&condition.frames),
            Figure::ArgumentValue => self.argument,
            Figure::GcRatio => gc_ratio(self.profile),
            Figure::HumongousPauses => self.humongous_pauses(),
            Figure::InterpretedRatio => self.interpreted_ratio(),
            Figure::QueuedRatio => Some(self.queued_ratio()),
            // Only the evidence of hot paths, of locks and of requests has these values.
            Figure::LargestPart
            | Figure::OwnCodeRatio
            | Figure::InferredRatio
            | Figure::HeldRatio
            | Figure::RequestRatio
            | Figure::HolderRatio
            | Figure::KnownHolderRatio => None,
        }
    }

    fn faults_per_new_page(&self) -> Option<f64> {
        let resident = readings(self.profile, "rss_bytes", self.work.from_ns);
        let first = resident.first().filter(|_| self.has(EventKind::PageFault))?;
        let pages = (resident.iter().copied().fold(*first, f64::max) - first) / PAGE_BYTES;
        Some(self.sums.total.faults / pages.max(1.0))
    }

    /// `None`: the JVM reported no events.
    fn humongous_pauses(&self) -> Option<f64> {
        let events = &self.profile.tables().jvm_events;
        let range = self.work.from_ns..self.work.to_ns;
        let is_humongous = |row: &usize| {
            let is_pause = range.contains(&events.start_ns[*row]) && events.kind[*row] == JvmEventKind::GcPause;
            is_pause && events.name[*row].contains(HUMONGOUS)
        };
        let count = (0..events.len()).filter(is_humongous).count();
        (!events.is_empty()).then(|| count as f64 * 60.0 / self.work.seconds())
    }

    /// The most frequent system call. `None`: it is rare.
    fn frequent_call(&self) -> Option<String> {
        let name = self.calls?.most()?.to_owned();
        let condition = Condition { calls: vec![name.clone()], ..Condition::of(Figure::CallsPerSecond) };
        self.figure(&condition).filter(|count| *count >= FEW_CALLS).map(|_| name)
    }

    fn queued_ratio(&self) -> f64 {
        let owners = self.matches.owners(Family::Time);
        pools::queued_ratio(self.profile, self.work, |observed| self.candidate.has(owners[observed]))
    }

    /// The candidate's calls, divided by the socket reads of the same threads. Without socket reads, this is the number
    /// of the candidate's calls.
    fn calls_per_socket_read(&self, names: &[String]) -> Option<f64> {
        let calls = self.calls?;
        let (own, _) = calls.of(names);
        let reads = exact_calls::socket_reads(self.profile, &calls.threads);
        // The exact counts cover the whole experiment. The calls cover only the observed range.
        let part = self.work.seconds() * 1e9 / self.profile.manifest().duration_ns.max(1) as f64;
        Some(own / (reads as f64 * part).max(1.0))
    }

    /// Total lifetime of threads within the observed range.
    fn lifetime_seconds(&self, rows: &FxHashSet<ThreadIndex>) -> f64 {
        let threads = &self.profile.tables().threads;
        let lifetime = |thread: &ThreadIndex| {
            let from = threads.start_ns[thread.row()].unwrap_or(0).max(self.work.from_ns);
            let to = threads.end_ns[thread.row()].unwrap_or(u64::MAX).min(self.work.to_ns);
            to.saturating_sub(from).max(1) as f64 / 1e9
        };
        rows.iter().map(lifetime).sum()
    }

    /// Whether a condition applies. At least half of the candidate's CPU time must be on stacks with functions in
    /// `frames`, and less than half on stacks with functions in `unless`.
    fn is_asked(&self, condition: &Condition) -> bool {
        const MOST: f64 = 0.5;
        let has_most = |frames: &[String]| self.frames_ratio(frames).is_some_and(|ratio| ratio >= MOST);
        let is_special = condition.figure != Figure::FramesRatio && !condition.frames.is_empty();
        (!is_special || has_most(&condition.frames)) && (condition.unless.is_empty() || !has_most(&condition.unless))
    }

    /// Share of the candidate's CPU time in which the deepest Java frame is interpreted.
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
                .any(|function| self.matches.names.is_any(function, &ids))
        };
        self.cpu_ratio(has_frame)
    }

    /// Share of the candidate's CPU time on stacks that `is_picked` accepts. The arguments of `is_picked` are the stack
    /// and the anchor.
    fn cpu_ratio(&self, is_picked: impl Fn(StackIndex, StackIndex) -> bool) -> Option<f64> {
        let owners =
            self.matches.owners(Family::Time).iter().zip(self.profile.observed_stacks()).zip(&self.sums.cpu_by_stack);
        let (mut with, mut all) = (0.0, 0.0);
        for ((place, stack), cpu) in owners.filter(|((place, _), cpu)| **cpu > 0.0 && self.candidate.has(**place)) {
            all += cpu;
            if is_picked(*stack, self.matches.places[*place as usize].anchor) {
                with += cpu;
            }
        }
        ratio(with, all)
    }
}

/// The part divided by the whole. `None`: the whole is zero.
fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then_some(part / whole)
}

impl Condition {
    /// A condition without limits. It uses all calls and frames.
    fn of(figure: Figure) -> Self {
        let (calls, frames, unless, none_of) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { figure, calls, frames, unless, none_of, at_least: None, at_most: None, required: false }
    }

    /// Whether a value meets the condition.
    pub(crate) fn is_met_by(&self, value: f64) -> bool {
        let at_least = self.at_least.is_none_or(|least| value >= least);
        at_least && self.at_most.is_none_or(|most| value <= most) && !self.none_of.contains(&value)
    }
}

/// The result of a detector's conditions.
pub(crate) struct Verdict {
    pub(crate) confidence: Confidence,
    pub(crate) criteria: Vec<Criterion>,
    pub(crate) evidence: Vec<Evidence>,
}

/// Evaluates the conditions.
///
/// # Errors
/// A condition is not met, or a required condition has no data. The error is the condition in words.
pub(crate) fn judge(detector: &Detector, known: &Known<'_>) -> Result<Verdict, String> {
    let stacks = match detector.is_pattern() {
        true => "the stacks contain frames of the pattern",
        false => "no finding of a pattern explains these samples",
    };
    let mut criteria = vec![Criterion { text: stacks.to_owned(), holds: Some(true) }];
    let mut evidence = Vec::new();
    let (mut agreed_count, mut unknown_count) = (0, 0);
    for condition in detector.conditions.iter().filter(|condition| known.is_asked(condition)) {
        let value = known.figure(condition);
        let holds = value.map(|value| condition.is_met_by(value));
        let name = known.calls.and_then(|calls| calls.in_words(&condition.calls));
        let name = name.as_deref();
        if holds == Some(false) || (holds.is_none() && condition.required) {
            return Err(condition_words(condition, value, name));
        }
        // A wait is always blocked, so this is no second indicator.
        let is_counter =
            condition.figure.is_counter() && !(condition.figure == Figure::BlockedRatio && detector.has_waits());
        unknown_count += usize::from(is_counter && holds.is_none());
        agreed_count += usize::from(is_counter && holds == Some(true));
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
    Ok(Verdict { confidence, criteria, evidence })
}

/// Fewer system calls per second and thread are not worth saying.
const FEW_CALLS: f64 = 100.0;

fn is_about_calls(figure: Figure) -> bool {
    matches!(figure, Figure::CallsPerSecond | Figure::BytesPerCall | Figure::CpuNanosPerCall)
}

/// Figures about the CPU time of a thread.
fn is_about_execution(figure: Figure) -> bool {
    matches!(figure, Figure::KernelRatio | Figure::CpuNanosPerCall)
}

/// Values that support any finding.
const FURTHER_FIGURES: [Figure; 6] = [
    Figure::KernelRatio,
    Figure::CallsPerSecond,
    Figure::BytesPerCall,
    Figure::CpuNanosPerCall,
    Figure::BlockedRatio,
    Figure::AllocRatio,
];

/// Adds values that support any finding, even if no condition uses them.
pub(crate) fn further_evidence(known: &Known<'_>, verdict: &mut Verdict) {
    // The conditions of some detectors have their own calls.
    let has_calls = verdict.evidence.iter().any(|evidence| is_about_calls(evidence.figure));
    let calls: Vec<String> = known.frequent_call().filter(|_| !has_calls).into_iter().collect();
    let name = known.calls.and_then(|known| known.in_words(&calls));
    for figure in FURTHER_FIGURES {
        let is_told = verdict.evidence.iter().any(|evidence| evidence.figure == figure);
        if is_told || calls.is_empty() && is_about_calls(figure) {
            continue;
        }
        let condition = Condition { calls: calls.clone(), ..Condition::of(figure) };
        match known.figure(&condition) {
            // If a thread hardly executes, it does not matter where.
            Some(_) if is_about_execution(figure) && known.hardly_executes() => {}
            Some(value) if is_worth_saying(figure, value) => {
                verdict.evidence.push(Evidence { figure, value, text: figure_words(figure, value, name.as_deref()) });
            }
            _ => {}
        }
    }
}

/// The meaning with the most time.
pub(crate) fn longest_wait(by_meaning: &FxHashMap<WaitMeaning, f64>) -> Option<(WaitMeaning, f64)> {
    let longest = by_meaning.iter().max_by(|a, b| a.1.total_cmp(b.1).then(b.0.name().cmp(a.0.name())));
    longest.map(|(meaning, nanos)| (*meaning, *nanos))
}

/// Adds to the evidence about blocked time what the threads wait for: the meaning with the most time. If no rule knows it,
/// the kernel's reason with the most time.
pub(crate) fn name_waits(evidence: &mut [Evidence], amounts: &Amounts, by_meaning: &FxHashMap<WaitMeaning, f64>) {
    let Some(blocked) = evidence.iter_mut().find(|evidence| evidence.figure == Figure::BlockedRatio) else { return };
    let all: f64 = amounts.blocked_by_reason.iter().sum();
    let reason = WaitReason::ALL.iter().zip(&amounts.blocked_by_reason).max_by(|a, b| a.1.total_cmp(b.1));
    match (longest_wait(by_meaning), reason) {
        (Some((meaning, nanos)), _) if nanos > 0.5 * all => {
            blocked.text +=
                &format!(", and {:.0} % of this time waiting for {}", (nanos / all).min(1.0) * 100.0, meaning.words());
        }
        (_, Some((reason, nanos))) if all > 0.0 => {
            blocked.text +=
                &format!(", and {:.0} % of this time for the reason {}", nanos / all * 100.0, reason.words());
        }
        _ => {}
    }
}

/// Adds to the evidence about blocked time which file or peer the threads wait for most, if it is known. Several rows can have the
/// same name, if runs are merged.
pub(crate) fn name_files(evidence: &mut [Evidence], amounts: &Amounts, files: &FileTable) {
    let Some(blocked) = evidence.iter_mut().find(|evidence| evidence.figure == Figure::BlockedRatio) else { return };
    let mut by_path: OrderedMap<&str, f64> = OrderedMap::default();
    for (file, nanos) in amounts.blocked_by_file.iter() {
        *by_path.at(files.path[file.row()].as_str(), || 0.0) += nanos;
    }
    let all: f64 = by_path.iter().map(|(_, nanos)| nanos).sum();
    let largest = by_path.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((path, nanos)) = largest.filter(|(path, nanos)| !path.is_empty() && *nanos > 0.5 * all) {
        blocked.text += &format!("; {:.0} % of the blocked time is for `{path}`", nanos / all * 100.0);
    }
}

/// Adds to the evidence about allocated bytes which class most of them belong to, if it is known.
pub(crate) fn name_classes(evidence: &mut [Evidence], amounts: &Amounts, classes: &ObjectClassTable) {
    let Some(allocated) = evidence.iter_mut().find(|evidence| evidence.figure == Figure::AllocRatio) else { return };
    let all: f64 = amounts.alloc_by_class.iter().map(|(_, bytes)| bytes).sum();
    let largest = amounts.alloc_by_class.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let most = largest.filter(|(class, bytes)| *class != ObjectClassIndex::UNKNOWN && *bytes > 0.5 * all);
    if let Some((class, bytes)) = most {
        let name = shown_name(classes, *class);
        allocated.text += &format!(", mostly `{name}` ({:.0} % of these bytes)", bytes / all * 100.0);
    }
}

fn is_worth_saying(figure: Figure, value: f64) -> bool {
    match figure {
        Figure::CallsPerSecond | Figure::BytesPerCall | Figure::CpuNanosPerCall => value > 0.0,
        _ => value >= 0.05,
    }
}
