//! Which part of a thread's blocked time it was idle. The kernel's record of states has no stacks, and so no meanings of waits.
//! The sampled waits have both.
//!
//! ```text
//! record   worker-1  futex   0 s ─────────────── 4 s    4 s blocked: one wait
//! record   worker-1  futex   4 s ───── 5 s              0.9 s blocked: several waits
//! sampled  worker-1  futex   ended at 4.2 s: idle 4.2 s; at 4.6 s: lock 0.1 s; at 4.8 s: idle 0.1 s
//! ```
//!
//! The first span has no sampled wait. The thread was blocked for its whole length, so this is a part of the wait that ends next, at
//! 4.2 s: all of it is idle. The sampled waits of the second span represent 0.4 s, of which 0.3 s are idle: 0.2 s of the first wait
//! are in it. The other 0.5 s have no sampled wait, because idle threads are rarely sampled. For them, the share of the thread's
//! pool in the whole experiment is used.
//!
//! After the last sampled wait, a span can be a part of a wait that did not end before the program did. This wait has no stack. But
//! it is one wait with one meaning, so all of it is idle if most of the pool's waits are.

use crate::timeline::bins::TimeRange;
use crate::unused_threads::unused_threads;
use whittle_model::{EventKind, Table, WaitReason, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::order::sort_by_key;
use whittle_profile::samples::SampleKind;
use whittle_profile::waits::{StackMeaning, WaitMeaning};

/// A span that is blocked for this share of its length is a part of one wait.
const WHOLE_RATIO: f64 = 0.99;

/// A sampled wait: when it ended, how much time it represents, and whether the thread was idle.
#[derive(Debug, Clone, Copy)]
struct Wait {
    end_ns: u64,
    nanos: f64,
    is_idle: bool,
}

/// The sampled waits by thread and reason, in the order of time.
#[derive(Debug, Default)]
pub(crate) struct IdleShares {
    waits: Vec<Vec<Wait>>,
    /// The idle share by pool and reason, in the whole experiment. A thread that is in no pool has its own.
    of_pools: Vec<f64>,
    /// The pool of each thread, or a number of its own.
    pool_of_thread: Vec<usize>,
    /// For each thread, true if all its waits are for work: the JVM's own threads, which wait for work of the JVM, and unused threads
    /// of pools.
    only_waits_for_work: Vec<bool>,
}

impl IdleShares {
    /// The sampled waits of a profile.
    pub(crate) fn new(profile: &Profile) -> Self {
        let (samples, meanings) = (profile.samples(), profile.wait_meanings());
        let kinds: Vec<SampleKind> = SampleKind::all().collect();
        let durations = samples.column(WeightColumn::DurationNs);
        let threads_count = profile.tables().threads.len();
        let mut waits = vec![Vec::new(); threads_count * WaitReason::ALL.len()];
        for sample in 0..samples.len() {
            let kind = kinds[usize::from(samples.kind[sample])];
            let stack = meanings[samples.observed[sample] as usize];
            if kind.event != EventKind::OffCpu || stack == StackMeaning::NoStack {
                continue;
            }
            let is_told = WaitMeaning::is_told_by_kernel(kind.reason);
            let is_idle = stack == StackMeaning::Known(WaitMeaning::Idle) && !is_told;
            let wait = Wait { end_ns: samples.time_ns[sample], nanos: durations[sample] as f64, is_idle };
            waits[place(samples.thread[sample].row(), kind.reason)].push(wait);
        }
        waits.iter_mut().for_each(|waits| sort_by_key(waits, |wait: &Wait| wait.end_ns));
        // The engine of report files must be small.
        let is_unused = match cfg!(target_arch = "wasm32") {
            true => vec![false; threads_count],
            false => unused_threads(profile),
        };
        let classes = profile.tables().threads.class.iter();
        let only_waits_for_work: Vec<bool> =
            classes.zip(is_unused).map(|(class, is_unused)| class.is_jvm() || is_unused).collect();
        let pools = profile.pools();
        let pool_of_thread: Vec<usize> = (0..threads_count).map(|thread| pools.group_of_thread(thread)).collect();
        let mut of_pools = vec![Sampled::default(); pools.groups_count() * WaitReason::ALL.len()];
        for (place, waits) in waits.iter().enumerate() {
            let (thread, reason) = (place / WaitReason::ALL.len(), place % WaitReason::ALL.len());
            // The long unknown wait of an unused thread does not describe the waits of the threads that work.
            if only_waits_for_work[thread] {
                continue;
            }
            let of_pool = &mut of_pools[pool_of_thread[thread] * WaitReason::ALL.len() + reason];
            waits.iter().for_each(|wait| of_pool.add(wait.nanos, wait.is_idle));
        }
        let of_pools = of_pools.iter().map(Sampled::idle_ratio).collect();
        Self { waits, of_pools, pool_of_thread, only_waits_for_work }
    }

    /// The idle share of the time that a thread was blocked in a span for a reason: 0 to 1.
    pub(crate) fn ratio(&self, thread: usize, reason: WaitReason, span: TimeRange) -> f64 {
        if self.only_waits_for_work[thread] {
            return f64::from(u8::from(!WaitMeaning::is_told_by_kernel(reason)));
        }
        let waits = &self.waits[place(thread, reason)];
        let first = waits.partition_point(|wait| wait.end_ns <= span.start_ns);
        let end = waits.partition_point(|wait| wait.end_ns <= span.end_ns);
        let is_whole = span.spent_ns >= WHOLE_RATIO * (span.end_ns - span.start_ns) as f64;
        // The wait that ends next must have begun before the span.
        let begins_before = |wait: &Wait| wait.end_ns as f64 - wait.nanos <= span.start_ns as f64;
        let of_pool = self.of_pools[place(self.pool_of_thread[thread], reason)];
        if is_whole && first == end {
            match waits.get(end) {
                Some(wait) if begins_before(wait) => return f64::from(u8::from(wait.is_idle)),
                Some(_) => {}
                None => return of_pool.round(),
            }
        }
        let mut sampled = Sampled::default();
        for wait in &waits[first..end] {
            sampled.add(wait.nanos.min(wait.end_ns.saturating_sub(span.start_ns) as f64), wait.is_idle);
        }
        let unknown_ns = (span.spent_ns - sampled.all_ns).max(0.0);
        let all_ns = sampled.all_ns + unknown_ns;
        if all_ns > 0.0 { (sampled.idle_ns + unknown_ns * of_pool) / all_ns } else { 0.0 }
    }
}

/// A number for a thread, or for a pool, and a reason.
fn place(thread: usize, reason: WaitReason) -> usize {
    thread * WaitReason::ALL.len() + reason as usize
}

/// The time that sampled waits represent, and its idle part.
#[derive(Debug, Clone, Copy, Default)]
struct Sampled {
    all_ns: f64,
    idle_ns: f64,
}

impl Sampled {
    fn add(&mut self, nanos: f64, is_idle: bool) {
        self.all_ns += nanos;
        self.idle_ns += if is_idle { nanos } else { 0.0 };
    }

    fn idle_ratio(&self) -> f64 {
        if self.all_ns > 0.0 { self.idle_ns / self.all_ns } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::experiment_from_text;

    #[test]
    fn the_waits_in_a_span_decide_its_idle_share() {
        let (manifest, tables) = experiment_from_text(
            "
            @thread  worker                                            worker                                            worker
            @event   off_cpu:futex                                     off_cpu:futex                                     off_cpu:futex
            @time    4.2                                               4.6                                               4.8
            @weight  4.2                                               0.1                                               0.1
                     java/util/concurrent/ThreadPoolExecutor.getTask   app.Shop.order                                    java/util/concurrent/ThreadPoolExecutor.getTask
                     java/util/concurrent/LinkedBlockingQueue.take     java/util/concurrent/locks/ReentrantLock.lock     java/util/concurrent/LinkedBlockingQueue.take
            ",
        );
        let profile = Profile::load(manifest, tables).expect("valid");
        let shares = IdleShares::new(&profile);
        let ratio = |reason: WaitReason, [start, end, spent]: [f64; 3]| {
            let nanos = |seconds: f64| (seconds * 1e9) as u64;
            let span = TimeRange { start_ns: nanos(start), end_ns: nanos(end), spent_ns: spent * 1e9 };
            (shares.ratio(0, reason, span) * 1000.0).round() / 1000.0
        };
        assert_eq!(ratio(WaitReason::Futex, [0.0, 4.0, 4.0]), 1.0);
        // 0.3 s and 0.977 of the other 0.5 s, in 0.9 s.
        assert_eq!(ratio(WaitReason::Futex, [4.0, 5.0, 0.9]), 0.876);
        assert_eq!(ratio(WaitReason::Futex, [4.3, 4.7, 0.1]), 0.0);
        // One wait after the last sampled wait: most waits of the pool are idle.
        assert_eq!(ratio(WaitReason::Futex, [5.0, 6.0, 1.0]), 1.0);
        // Neither sampled nor one wait: the pool's share in the whole experiment, 4.3 of 4.4 s.
        assert_eq!(ratio(WaitReason::Futex, [4.9, 5.0, 0.05]), 0.977);
        assert_eq!(ratio(WaitReason::Socket, [0.0, 4.0, 4.0]), 0.0);
    }
}
