//! The table of waits by what the threads waited for, and by file or peer. Idle threads have a row of their own, and no share: a pool that
//! is larger than its load would otherwise hide every lock.
//!
//! The kernel counts exactly how long each thread waited, by reason. Only sampled waits have a stack, and so a meaning.
//! Therefore, the exact time of a pool of threads and reason is distributed over meanings by the sampled waits. A sampled wait
//! represents some time, and the sum over the samples differs from the exact time by chance. Each sample gets a part of the
//! difference in proportion to the square of its time, which is about the variance that it adds to the sum (a calibration
//! estimator: Deville and Särndal 1992, with the variances as weights):
//!
//! ```text
//! exact    worker-#  futex  30 s
//! sampled  worker-#  futex  idle 20 s (one sample), lock 1 s (ten samples)
//! rows     idle 28.98 s, lock 1.02 s
//! ```
//!
//! So the few samples of idle threads, which represent much time, do not change the time of a lock that has many samples. Samples
//! can only represent a limited part of the counted time. Beyond it, only the kernel's reason is known.
//!
//! A filter that selects threads of a pool gets the part of the pool's time that these threads have.
//! A thread that is in no pool is a group of its own. A single thread of a large pool has only a few sampled waits, or none, so
//! they cannot tell what this thread waited for. Waits without a recorded stack are distributed like the other waits of the same
//! group and reason.

mod text;

use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use crate::fixed_order::{preamble, sort_field};
use serde::Serialize;
use std::collections::BTreeSet;
use whittle_model::{EventKind, FileIndex, Metric, Table, WaitReason, WeightColumn};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::order::sort_by_key;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::pools::Pools;
use whittle_profile::query::{Preamble, Query, serialize_number};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::samples::SampleKind;
use whittle_profile::thread_times::{ThreadTimes, thread_times};
use whittle_profile::waits::{StackMeaning, WaitMeaning, meaning};
use whittle_profile::weights::for_each_kept;

/// The definition of this view. Its answer is [`WaitsView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "waits",
        answer: |on, asked| {
            keys::<NoKeys>(asked)?;
            Ok(Answered::view(waits(on.profile, on.query)?))
        },
    },
    not_compared: Some(
        "waits of two versions are not compared by meaning: compare them with a filter such as `wait is lock or wait is monitor`",
    ),
    command: Some(Command {
        orders: &["time", "samples", "threads", "name"],
        in_fleet: false,
        ..Command::table("What threads waited for: locks, queues, pools, other programs. Idle threads are separate")
    }),
};

/// The answer of [`waits`](waits()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// Elapsed time of the experiment.
    pub experiment_duration_ns: u64,
    /// All selected waits, without those of idle threads.
    pub total: WaitFigures,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows.
    pub rows: Vec<WaitRow>,
}

/// Waits with the same meaning.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitRow {
    /// The meaning, as in the filter `wait is lock`.
    pub meaning: &'static str,
    /// What the threads waited for.
    pub words: &'static str,
    /// The file, or the peer of the socket, that the threads waited for. Empty: none or unknown.
    pub file: String,
    /// The share of all waits, without those of idle threads. Missing for idle threads.
    pub ratio: Option<f64>,
    /// The values.
    #[serde(flatten)]
    pub figures: WaitFigures,
}

/// Values of some waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitFigures {
    /// Time that the threads waited: the kernel's count, distributed by the sampled waits. The sum over all threads.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// Number of sampled waits.
    pub samples_count: u64,
    /// Number of threads with such waits. A thread without a sampled wait counts as idle if its pool is mostly idle, and otherwise
    /// only the kernel's reason is known.
    pub threads_count: usize,
}

/// The words that `--sort` accepts, each with the field that decides the order.
const SORTS: [(&str, &str); 3] = [("time", "duration_ns"), ("samples", "samples_count"), ("threads", "threads_count")];

const NO_WAITS: &str = "this experiment has no waits: only the engine kernel samples waits. `whittle doctor` shows what this \
                        engine needs on this machine";

const DISTRIBUTED: &str = "the kernel counted how long each thread waited, by reason; the sampled waits of its pool tell for \
                           what";

/// The table of waits. `Query::sort` is one of `time`, `samples`, `threads`, `name`. `Query::metrics` must be missing.
///
/// # Errors
/// The order is unknown, columns are requested, or the filter contains an unknown name.
pub fn waits(profile: &Profile, query: &Query) -> Result<WaitsView, AnalysisError> {
    let sorted_by = sort_field(query, "waits", &SORTS)?;
    let by_meaning = by_meaning(profile, profile.selection(query)?.as_ref());
    let mut total = Sum::default();
    let is_idle = |meaning: &WaitMeaning| *meaning == WaitMeaning::Idle;
    by_meaning.iter().filter(|((meaning, _), _)| !is_idle(meaning)).for_each(|(_, sum)| total.add(sum));
    let total = total.figures();
    let row = |((meaning, file), sum): (Group<'_>, Sum)| {
        let figures = sum.figures();
        WaitRow {
            meaning: meaning.name(),
            words: if is_idle(&meaning) { "work (the thread is idle)" } else { meaning.words() },
            file: file.to_owned(),
            ratio: (!is_idle(&meaning) && total.duration_ns > 0.0).then(|| figures.duration_ns / total.duration_ns),
            figures,
        }
    };
    let mut rows: Vec<WaitRow> = by_meaning.into_iter().map(row).collect();
    let row_count = rows.len();
    let name = |row: &WaitRow| format!("{} {}", row.meaning, row.file);
    match sorted_by {
        Some(field) => keep_largest(&mut rows, query.window(), |row| row.figures.value(field), name),
        None => keep_first(&mut rows, query.window(), name),
    }
    // Idle threads usually have most of the time, but they are the least interesting.
    sort_by_key(&mut rows, |row| row.ratio.is_none());
    let mut notes = Vec::new();
    if profile.manifest().metric_index(Metric::OffCpu).is_none() {
        notes.push(NO_WAITS.to_owned());
    } else if row_count == 0 {
        notes.push("the filter leaves no waits".to_owned());
    } else if !profile.tables().thread_states.is_empty() {
        notes.push(DISTRIBUTED.to_owned());
    }
    Ok(WaitsView {
        preamble: Preamble { notes, ..preamble(profile, query, "waits", sorted_by) },
        experiment_duration_ns: profile.manifest().duration_ns,
        total,
        row_count,
        rows,
    })
}

impl WaitFigures {
    fn value(&self, field: &str) -> f64 {
        match field {
            "samples_count" => self.samples_count as f64,
            "threads_count" => self.threads_count as f64,
            _ => self.duration_ns,
        }
    }
}

/// The waits with one meaning.
#[derive(Default)]
struct Sum {
    duration_ns: f64,
    samples_count: u64,
    threads: BTreeSet<usize>,
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.duration_ns += other.duration_ns;
        self.samples_count += other.samples_count;
        self.threads.extend(&other.threads);
    }

    fn figures(&self) -> WaitFigures {
        WaitFigures {
            duration_ns: self.duration_ns,
            samples_count: self.samples_count,
            threads_count: self.threads.len(),
        }
    }
}

/// A sampled wait.
struct Wait {
    thread: usize,
    reason: WaitReason,
    meaning: WaitMeaning,
    file: FileIndex,
    /// Whether the stack was recorded, or is not needed.
    has_stack: bool,
    nanos: f64,
}

/// Calls `add` for each sampled wait that a predicate keeps.
fn for_each_wait(profile: &Profile, predicate: Option<&Predicate>, mut add: impl FnMut(&Wait)) {
    let (samples, of_stack) = (profile.samples(), profile.wait_meanings());
    let kinds: Vec<SampleKind> = SampleKind::all().collect();
    let durations = samples.column(WeightColumn::DurationNs);
    for_each_kept(samples, predicate, |sample| {
        let SampleKind { event, reason, .. } = kinds[usize::from(samples.kind[sample])];
        let stack = of_stack[samples.observed[sample] as usize];
        let meaning = meaning(stack, reason).filter(|_| event == EventKind::OffCpu);
        let Some(meaning) = meaning else { return };
        let has_stack = stack != StackMeaning::NoStack || WaitMeaning::is_told_by_kernel(reason);
        let thread = samples.thread[sample].row();
        let file = samples.files().map_or(FileIndex::NONE, |files| files[sample]);
        add(&Wait { thread, reason, meaning, file, has_stack, nanos: durations[sample] as f64 });
    });
}

/// The sampled waits of a group and reason, with or without a stack.
#[derive(Debug, Clone, Copy, Default)]
struct Sampled {
    sum_ns: f64,
    largest_ns: f64,
    /// Sum of the squares of the waits' times.
    squares: f64,
}

impl Sampled {
    fn add(&mut self, nanos: f64) {
        self.sum_ns += nanos;
        self.largest_ns = self.largest_ns.max(nanos);
        self.squares += nanos * nanos;
    }

    /// The most time that the waits represent. Four standard deviations of the sum, and if there are only one or two waits, a
    /// multiple of the largest one: eight times its mean is less than this number in one of 3000 cases (Poisson).
    fn most_ns(&self) -> f64 {
        self.sum_ns + 4.0 * self.squares.sqrt() + 4.0 * self.largest_ns
    }

    /// The part of the counted time that one of the waits has. The parts of all waits are the counted time.
    fn part_ns(&self, nanos: f64, counted_ns: f64) -> f64 {
        let difference = counted_ns - self.sum_ns;
        // Otherwise, the largest wait would have a part below zero.
        let is_possible = self.largest_ns * -difference <= self.squares;
        match is_possible {
            true => nanos + difference * nanos * nanos / self.squares,
            false => nanos * counted_ns / self.sum_ns,
        }
    }
}

/// What is known about the waits of a group of threads for one reason. A group is a pool, or a thread that is in no pool.
#[derive(Debug, Clone, Copy, Default)]
struct OfGroup {
    /// The time that the kernel counted, and the part of the selected threads. Missing: the kernel counted none of the threads.
    counted_ns: Option<[f64; 2]>,
    with_stack: Sampled,
    without_stack: Sampled,
}

impl OfGroup {
    /// The waits that decide: those with a stack, if there are any.
    fn sampled(&self) -> &Sampled {
        if self.with_stack.sum_ns > 0.0 { &self.with_stack } else { &self.without_stack }
    }

    /// The counted time that the samples represent. Without a counted time, it is the time of the samples.
    fn represented_ns(&self) -> f64 {
        let all_ns = self.with_stack.sum_ns + self.without_stack.sum_ns;
        self.counted_ns.map_or(all_ns, |[counted, _]| counted.min(self.sampled().most_ns()))
    }

    /// The selected part of the group.
    fn selected_ratio(&self) -> f64 {
        self.counted_ns.map_or(1.0, |[counted, selected]| if counted > 0.0 { selected / counted } else { 0.0 })
    }

    /// The part of the selected threads in the counted time that a sampled wait has. `None`: other waits have its part, because they
    /// have a stack.
    fn part_ns(&self, wait: &Wait) -> Option<f64> {
        let is_left_out = !wait.has_stack && self.with_stack.sum_ns > 0.0;
        let part_ns = || self.sampled().part_ns(wait.nanos, self.represented_ns()) * self.selected_ratio();
        (!is_left_out && self.sampled().sum_ns > 0.0).then(part_ns)
    }

    /// The time of the selected threads that no sample represents.
    fn rest_ns(&self) -> f64 {
        let rest = self.counted_ns.map_or(0.0, |[counted, _]| counted - self.represented_ns());
        rest.max(0.0) * self.selected_ratio()
    }
}

/// The waits of all groups, by reason.
struct Groups<'p> {
    pools: &'p Pools,
    /// What the kernel counted for each thread.
    of_threads: Vec<Option<ThreadTimes>>,
    all: Vec<[OfGroup; WaitReason::ALL.len()]>,
}

impl<'p> Groups<'p> {
    /// `kept` tells which threads are selected.
    fn new(profile: &'p Profile, kept: &[bool]) -> Self {
        let (pools, of_threads) = (profile.pools(), thread_times(profile.tables()));
        let mut all = vec![[OfGroup::default(); WaitReason::ALL.len()]; pools.groups_count()];
        for (thread, times) in of_threads.iter().enumerate() {
            let Some(times) = times else { continue };
            for (reason, group) in WaitReason::ALL.iter().zip(&mut all[pools.group_of_thread(thread)]) {
                let [counted, selected] = group.counted_ns.get_or_insert_default();
                *counted += times.blocked_ns(*reason) as f64;
                *selected += if kept[thread] { times.blocked_ns(*reason) as f64 } else { 0.0 };
            }
        }
        for_each_wait(profile, None, |wait| {
            let group = &mut all[pools.group_of_thread(wait.thread)][wait.reason as usize];
            let sampled = if wait.has_stack { &mut group.with_stack } else { &mut group.without_stack };
            sampled.add(wait.nanos);
        });
        Self { pools, of_threads, all }
    }

    fn of(&self, thread: usize, reason: WaitReason) -> &OfGroup {
        &self.all[self.pools.group_of_thread(thread)][reason as usize]
    }
}

/// A meaning, and the name of the file or peer.
type Group<'p> = (WaitMeaning, &'p str);

/// The selected waits by meaning and file. Groups without waits are left out. Waits of idle threads have no file.
fn by_meaning<'p>(profile: &'p Profile, predicate: Option<&Predicate>) -> Vec<(Group<'p>, Sum)> {
    let (threads, files) = (&profile.tables().threads, &profile.tables().files);
    // A filter that tests more than threads selects samples. The others select threads.
    let selected = predicate.map_or_else(|| Some(vec![true; threads.len()]), Predicate::threads_alone);
    let samples = if selected.is_some() { None } else { predicate };
    let kept = selected.as_deref();
    let is_kept = |thread: usize| kept.is_none_or(|kept| kept[thread]);
    let groups = Groups::new(profile, kept.unwrap_or(&vec![true; threads.len()]));
    let mut sums: OrderedMap<Group<'p>, Sum> = OrderedMap::default();
    let mut is_sampled = vec![[false; WaitReason::ALL.len()]; threads.len()];
    let mut idle_ns = vec![[0.0; WaitReason::ALL.len()]; groups.all.len()];
    for_each_wait(profile, samples, |wait| {
        let (group, nanos) = (groups.of(wait.thread, wait.reason), groups.of(wait.thread, wait.reason).part_ns(wait));
        let Some(nanos) = nanos.filter(|nanos| *nanos > 0.0 || is_kept(wait.thread)) else { return };
        if group.counted_ns.is_none() && !is_kept(wait.thread) {
            return;
        }
        let is_idle = wait.meaning == WaitMeaning::Idle;
        let file = if is_idle { FileIndex::NONE } else { wait.file };
        let sum = sums.at((wait.meaning, files.path[file.row()].as_str()), Sum::default);
        sum.duration_ns += nanos;
        idle_ns[groups.pools.group_of_thread(wait.thread)][wait.reason as usize] +=
            if is_idle { nanos } else { -nanos };
        if is_kept(wait.thread) {
            sum.samples_count += 1;
            sum.threads.insert(wait.thread);
            is_sampled[wait.thread][wait.reason as usize] = true;
        }
    });
    // Time without samples has no stack. A filter by stack or time leaves it out.
    let mut is_told = vec![[false; WaitReason::ALL.len()]; groups.all.len()];
    for thread in kept.iter().flat_map(|kept| (0..kept.len()).filter(|thread| kept[*thread])) {
        let Some(counted) = &groups.of_threads[thread] else { continue };
        let number = groups.pools.group_of_thread(thread);
        for reason in WaitReason::ALL.iter().filter(|reason| counted.blocked_ns(**reason) > 0) {
            let (at, group) = (*reason as usize, groups.of(thread, *reason));
            let of_jvm = threads.class[thread].is_jvm().then_some(WaitMeaning::Idle);
            let Some(meaning) = of_jvm.or_else(|| WaitMeaning::of_reason(*reason)) else { continue };
            if group.rest_ns() > 0.0 {
                let sum = sums.at((meaning, ""), Sum::default);
                sum.duration_ns +=
                    if std::mem::replace(&mut is_told[number][at], true) { 0.0 } else { group.rest_ns() };
                sum.threads.extend((!is_sampled[thread][at]).then_some(thread));
            } else if !is_sampled[thread][at] && idle_ns[number][at] > 0.0 {
                // The pool was mostly idle, so this thread is one of its idle threads.
                sums.at((WaitMeaning::Idle, ""), Sum::default).threads.insert(thread);
            }
        }
    }
    sums.into_pairs()
}
