//! The waits of groups of threads, and the time that each sampled wait represents. A group is a pool, or a thread that is in no pool.
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
//! rows     idle 28.998 s, lock 1.002 s
//! ```
//!
//! So the few samples of idle threads, which represent much time, do not change the time of a lock that has many samples. Samples
//! can only represent a limited part of the counted time. Beyond it, only the kernel's reason is known.
//!
//! The kernel counts the waits of pinned virtual threads for their carriers. Their samples have rows of their own, so the carriers' time is
//! less by the time of these samples.
//!
//! A thread that is in no pool is a group of its own. A single thread of a large pool has only a few sampled waits, or none, so
//! they cannot tell what this thread waited for. A thread of a pool that never had work is also a group of its own: its only wait
//! says nothing about the waits of the others. A filter that selects threads of a pool gets the part of the pool's time that these
//! threads have. Waits without a recorded stack are distributed like the other waits of the same group and reason.

use super::pinned_times::PinnedTimes;
use crate::unused_threads::unused_threads;
use whittle_model::{EventKind, FileIndex, WaitReason, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::pools::Pools;
use whittle_profile::samples::SampleKind;
use whittle_profile::thread_times::{ThreadTimes, thread_times};
use whittle_profile::waits::{StackMeaning, WaitMeaning, meaning};
use whittle_profile::weights::for_each_kept;

/// A sampled wait.
pub(super) struct Wait {
    pub(super) thread: usize,
    pub(super) reason: WaitReason,
    pub(super) meaning: WaitMeaning,
    pub(super) file: FileIndex,
    /// Whether the stack was recorded, or is not needed.
    has_stack: bool,
    nanos: f64,
}

/// Calls `add` for each sampled wait that a predicate keeps.
pub(super) fn for_each_wait(profile: &Profile, predicate: Option<&Predicate>, mut add: impl FnMut(&Wait)) {
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

    /// The most time that the waits represent: their sum, four of its standard deviations, and four times the largest wait. With a
    /// single wait, this is nine times its time. If the true time were longer, there would be a second wait in 99.8 % of the cases
    /// (Poisson).
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
pub(super) struct OfGroup {
    /// The time that the kernel counted, and the part of the selected threads. Missing: the kernel counted none of the threads.
    pub(super) counted_ns: Option<[f64; 2]>,
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
    pub(super) fn part_ns(&self, wait: &Wait) -> Option<f64> {
        let is_left_out = !wait.has_stack && self.with_stack.sum_ns > 0.0;
        let part_ns = || self.sampled().part_ns(wait.nanos, self.represented_ns()) * self.selected_ratio();
        (!is_left_out && self.sampled().sum_ns > 0.0).then(part_ns)
    }

    /// The time of the selected threads that no sample represents.
    pub(super) fn rest_ns(&self) -> f64 {
        let rest = self.counted_ns.map_or(0.0, |[counted, _]| counted - self.represented_ns());
        rest.max(0.0) * self.selected_ratio()
    }
}

/// The waits of all groups, by reason.
pub(super) struct Groups {
    /// The group of each thread.
    pub(super) of_thread: Vec<usize>,
    /// For each thread, whether it is a thread of a pool that never had work.
    is_unused: Vec<bool>,
    /// What the kernel counted for each thread.
    pub(super) of_threads: Vec<Option<ThreadTimes>>,
    pub(super) all: Vec<[OfGroup; WaitReason::ALL.len()]>,
}

impl Groups {
    /// `kept` tells which threads are selected.
    pub(super) fn new(profile: &Profile, kept: &[bool]) -> Self {
        let (pools, of_threads) = (profile.pools(), thread_times(profile.tables()));
        let is_unused = unused_threads(profile);
        let (of_thread, count) = groups_of_threads(pools, &is_unused);
        let mut all = vec![[OfGroup::default(); WaitReason::ALL.len()]; count];
        for (thread, times) in of_threads.iter().enumerate() {
            let Some(times) = times else { continue };
            for (reason, group) in WaitReason::ALL.iter().zip(&mut all[of_thread[thread]]) {
                let [counted, selected] = group.counted_ns.get_or_insert_default();
                *counted += times.blocked_ns(*reason) as f64;
                *selected += if kept[thread] { times.blocked_ns(*reason) as f64 } else { 0.0 };
            }
        }
        let mut pinned = PinnedTimes::new(&profile.tables().threads);
        for_each_wait(profile, None, |wait| {
            pinned.add(wait.thread, wait.reason, wait.nanos);
            let group = &mut all[of_thread[wait.thread]][wait.reason as usize];
            let sampled = if wait.has_stack { &mut group.with_stack } else { &mut group.without_stack };
            sampled.add(wait.nanos);
        });
        let counted_ns =
            |group: usize, reason: usize| all[group][reason].counted_ns.map_or(0.0, |[counted, _]| counted);
        for (group, reason, ratio) in pinned.left_ratios(pools, counted_ns) {
            let counted = &mut all[group][reason].counted_ns;
            *counted = counted.map(|times| times.map(|nanos| nanos * ratio));
        }
        Self { of_thread, is_unused, of_threads, all }
    }

    pub(super) fn of(&self, thread: usize, reason: WaitReason) -> &OfGroup {
        &self.all[self.of_thread[thread]][reason as usize]
    }

    /// Whether a thread is idle in all waits for this reason: it never had work.
    pub(super) fn is_unused(&self, thread: usize, reason: WaitReason) -> bool {
        self.is_unused[thread] && !WaitMeaning::is_told_by_kernel(reason)
    }
}

/// The group of each thread, and the number of groups. The groups of pools and of threads in no pool have the same numbers as in
/// [`Pools`].
fn groups_of_threads(pools: &Pools, is_unused: &[bool]) -> (Vec<usize>, usize) {
    let mut count = pools.groups_count();
    let group = |(thread, is_unused): (usize, &bool)| {
        if !is_unused {
            return pools.group_of_thread(thread);
        }
        count += 1;
        count - 1
    };
    let of_thread = is_unused.iter().enumerate().map(group).collect();
    (of_thread, count)
}
