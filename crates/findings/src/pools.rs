//! Pools of threads, and how long tasks wait for a free thread of a pool.
//!
//! A thread that waits for a result waits while its task is in the queue and while the task executes. By Little's law, the
//! average number of waiting threads is the sum of the average numbers of queued and of executing tasks. So if all threads
//! of a pool are busy, the time of waiting threads beyond the time of the pool's threads is time in the queue.

use crate::work::{NO_GROUP, WorkThreads, group_name};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use whittle_model::{Resource, Table, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::name_patterns::NamePatterns;
use whittle_profile::samples::SampleKind;
use whittle_profile::waits::{StackMeaning, WaitMeaning};

/// Functions in which a thread of a pool executes its tasks.
const POOL_FRAMES: [&str; 3] = [
    "java/util/concurrent/ThreadPoolExecutor.runWorker",
    "java/util/concurrent/ForkJoinWorkerThread.run",
    "org/apache/tomcat/util/threads/ThreadPoolExecutor.runWorker",
];
/// If the threads of a pool wait for tasks for a larger share of the time, tasks do not have to wait.
const IDLE: f64 = 0.20;

/// The threads of a pool must be known for this share of the observed time.
const OBSERVED: f64 = 0.5;
/// In these waits, a thread of a pool has no task, or its task is one for which nobody waits, such as a loop that polls.
const NOT_BUSY: [WaitMeaning; 7] = [
    WaitMeaning::Idle,
    WaitMeaning::Sleep,
    WaitMeaning::TimedPark,
    WaitMeaning::Park,
    WaitMeaning::Condition,
    WaitMeaning::ObjectWait,
    WaitMeaning::Queue,
];

/// Times of a pool's threads, in nanoseconds.
#[derive(Default)]
struct Pool {
    /// The threads wait for a task, or do nothing for others.
    idle_ns: f64,
    busy_ns: f64,
    /// Time in which the threads of this pool wait for the results.
    waits_ns: f64,
    is_pool: bool,
}

/// The share of the time of waiting for results in which the tasks were in the queue of a pool without a free thread. Zero:
/// there is no such pool. `is_wait` tells which observed stacks wait for the results.
pub(crate) fn queued_ratio(profile: &Profile, work: &WorkThreads, is_wait: impl Fn(usize) -> bool) -> f64 {
    let tables = profile.tables();
    let names = NamePatterns::new(POOL_FRAMES.into_iter(), &tables.functions);
    let is_of_pool = tables.stacks.has_frame(|frame| !names.of(tables.frames.function[frame.row()].row()).is_empty());
    let (samples, meanings, observed) = (profile.samples(), profile.wait_meanings(), profile.observed_stacks());
    let durations = samples.column(WeightColumn::DurationNs);
    let kinds: Vec<SampleKind> = SampleKind::all().collect();
    let group_names: Vec<Cow<'_, str>> = (0..tables.threads.len()).map(|thread| group_name(profile, thread)).collect();
    let mut pools: FxHashMap<&str, Pool> = FxHashMap::default();
    let mut waits_ns = 0.0;
    for sample in 0..samples.len() {
        let thread = samples.thread[sample].row();
        let is_time = matches!(
            kinds[usize::from(samples.kind[sample])].event.resource(),
            Resource::CpuTime | Resource::BlockedTime
        );
        let is_in_range = (work.from_ns..=work.to_ns).contains(&samples.time_ns[sample]);
        if !is_time || work.group_of_thread[thread] == NO_GROUP || !is_in_range {
            continue;
        }
        let (stack, duration) = (samples.observed[sample] as usize, durations[sample] as f64);
        let pool = pools.entry(&group_names[thread]).or_default();
        pool.is_pool |= is_of_pool[observed[stack].row()];
        match meanings[stack] {
            StackMeaning::Known(meaning) if NOT_BUSY.contains(&meaning) => pool.idle_ns += duration,
            _ => pool.busy_ns += duration,
        }
        // The main thread waits for the end of the program's work, not for a single task.
        if is_wait(stack) && tables.threads.name[thread] != "main" {
            pool.waits_ns += duration;
            waits_ns += duration;
        }
    }
    let is_full = |pool: &&Pool| {
        let all_ns = pool.idle_ns + pool.busy_ns;
        let is_other = pool.is_pool && pool.waits_ns < 0.01 * waits_ns;
        is_other && pool.idle_ns <= IDLE * all_ns && all_ns >= OBSERVED * work.seconds() * 1e9
    };
    let busy = pools.values().filter(is_full).map(|pool| pool.busy_ns).fold(f64::NAN, f64::max);
    // Without such a pool, the ratio is NaN.
    if waits_ns > busy { 1.0 - busy / waits_ns } else { 0.0 }
}
