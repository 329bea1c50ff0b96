//! The table of waits by what the threads waited for, and by file or peer. Idle threads have a row of their own, and no share: a pool that
//! is larger than its load would otherwise hide every lock.
//!
//! The kernel counts exactly how long each thread waited, by reason. Only sampled waits have a stack, and so a meaning.
//! Therefore, the exact time of a pool of threads and reason is distributed over meanings by the sampled waits. A sampled wait
//! represents some time, and the sum over the samples differs from the exact time by chance. Each sample gets a part of the
//! difference in proportion to the square of its time, because this is the variance that it adds to the sum (a calibration
//! estimator: Deville and Särndal 1992, with the variances as weights):
//!
//! ```text
//! exact    worker-#  futex  30 s
//! sampled  worker-#  futex  idle 20 s (one sample), lock 1 s (ten samples)
//! rows     idle 28.98 s, lock 1.02 s
//! ```
//!
//! So the few samples of idle threads, which represent much time, do not change the time of a lock that has many samples.
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
    /// Number of threads with sampled waits. For idle threads also those of mostly idle pools that have no sampled wait.
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

/// A value for each reason of waits.
type ByReason<T> = [T; WaitReason::ALL.len()];

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

/// The times of all waits by group of threads and reason: what the kernel counted, and what was sampled. A group is a pool, or a
/// thread that is in no pool.
struct Times<'p> {
    pools: &'p Pools,
    /// What the kernel counted for each thread.
    of_threads: Vec<Option<ThreadTimes>>,
    /// The sum of the threads of a group. Missing: the kernel counted none of them.
    counted: Vec<Option<ByReason<f64>>>,
    /// The sampled waits of a group with a stack and without one.
    sampled: Vec<ByReason<[Sampled; 2]>>,
    is_thread_sampled: Vec<ByReason<bool>>,
}

impl<'p> Times<'p> {
    fn new(profile: &'p Profile) -> Self {
        let (pools, of_threads) = (profile.pools(), thread_times(profile.tables()));
        let mut counted = vec![None; pools.groups_count()];
        for (thread, times) in of_threads.iter().enumerate() {
            let Some(times) = times else { continue };
            let sums = counted[pools.group_of_thread(thread)].get_or_insert(ByReason::default());
            WaitReason::ALL.iter().for_each(|reason| sums[*reason as usize] += times.blocked_ns(*reason) as f64);
        }
        let mut sampled = vec![ByReason::default(); pools.groups_count()];
        let mut is_thread_sampled = vec![ByReason::default(); of_threads.len()];
        for_each_wait(profile, None, |wait| {
            let sums: &mut ByReason<[Sampled; 2]> = &mut sampled[pools.group_of_thread(wait.thread)];
            sums[wait.reason as usize][usize::from(!wait.has_stack)].add(wait.nanos);
            is_thread_sampled[wait.thread][wait.reason as usize] = true;
        });
        Self { pools, of_threads, counted, sampled, is_thread_sampled }
    }

    fn sampled(&self, thread: usize, reason: WaitReason) -> [Sampled; 2] {
        self.sampled[self.pools.group_of_thread(thread)][reason as usize]
    }

    /// The part of the counted time that a sampled wait has. `None`: other waits have its part, because they have a stack.
    fn part_ns(&self, wait: &Wait) -> Option<f64> {
        let [with_stack, without] = self.sampled(wait.thread, wait.reason);
        let sampled = if with_stack.sum_ns > 0.0 { with_stack } else { without };
        let is_left_out = !wait.has_stack && with_stack.sum_ns > 0.0;
        let of_group = self.counted[self.pools.group_of_thread(wait.thread)];
        let counted = of_group.map_or(with_stack.sum_ns + without.sum_ns, |counted| counted[wait.reason as usize]);
        (!is_left_out && sampled.sum_ns > 0.0).then(|| sampled.part_ns(wait.nanos, counted))
    }

    /// The counted time of a thread and reason without any sampled wait. Missing: the thread has no such time.
    fn unsampled(&self, thread: usize, reason: WaitReason) -> Option<Unsampled> {
        let counted = self.of_threads[thread].as_ref()?.blocked_ns(reason) as f64;
        let is_thread_sampled = self.is_thread_sampled[thread][reason as usize];
        (counted > 0.0 && !is_thread_sampled).then(|| {
            match self.sampled(thread, reason).iter().all(|sampled| sampled.sum_ns == 0.0) {
                true => Unsampled::Group(counted),
                false => Unsampled::Thread,
            }
        })
    }
}

/// Counted time without a sampled wait.
enum Unsampled {
    /// The waits of other threads of the pool were sampled. They have the time of this thread, too.
    Thread,
    /// No wait of the group was sampled. The thread's counted time, in nanoseconds.
    Group(f64),
}

/// A meaning, and the name of the file or peer.
type Group<'p> = (WaitMeaning, &'p str);

/// The selected waits by meaning and file. Groups without waits are left out. Waits of idle threads have no file.
fn by_meaning<'p>(profile: &'p Profile, predicate: Option<&Predicate>) -> Vec<(Group<'p>, Sum)> {
    let (times, threads, files) = (Times::new(profile), &profile.tables().threads, &profile.tables().files);
    let mut sums: OrderedMap<Group<'p>, Sum> = OrderedMap::default();
    let mut idle_of_pools = vec![ByReason::<f64>::default(); times.pools.groups_count()];
    for_each_wait(profile, predicate, |wait| {
        if let Some(nanos) = times.part_ns(wait) {
            let is_idle = wait.meaning == WaitMeaning::Idle;
            let file = if is_idle { FileIndex::NONE } else { wait.file };
            let sum = sums.at((wait.meaning, files.path[file.row()].as_str()), Sum::default);
            sum.duration_ns += nanos;
            sum.samples_count += 1;
            sum.threads.insert(wait.thread);
            idle_of_pools[times.pools.group_of_thread(wait.thread)][wait.reason as usize] +=
                if is_idle { nanos } else { -nanos };
        }
    });
    // Waits that were never sampled have no stack. A filter by stack or time leaves them out.
    let kept = predicate.map_or_else(|| Some(vec![true; threads.len()]), Predicate::threads_alone);
    for thread in kept.iter().flat_map(|kept| (0..kept.len()).filter(|thread| kept[*thread])) {
        for reason in WaitReason::ALL {
            let of_jvm = threads.class[thread].is_jvm().then_some(WaitMeaning::Idle);
            match (times.unsampled(thread, *reason), of_jvm.or_else(|| WaitMeaning::of_reason(*reason))) {
                (Some(Unsampled::Group(nanos)), Some(meaning)) => {
                    let sum = sums.at((meaning, ""), Sum::default);
                    sum.duration_ns += nanos;
                    sum.threads.insert(thread);
                }
                // If the pool was mostly idle, this thread is one of its idle threads.
                (Some(Unsampled::Thread), _)
                    if idle_of_pools[times.pools.group_of_thread(thread)][*reason as usize] > 0.0 =>
                {
                    sums.at((WaitMeaning::Idle, ""), Sum::default).threads.insert(thread);
                }
                _ => {}
            }
        }
    }
    sums.into_pairs()
}
