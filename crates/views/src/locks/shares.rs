//! Which threads held a lock during a wait, and for which part of it.
//!
//! ```text
//! worker 1 waits   |----------------------------------|
//! auditor has it   |----------------------------|
//! worker 2 has it                                |--|
//! worker 3 has it                                    |--|   and wakes worker 1
//! ```
//!
//! The wake names the last holder only, which can have had the lock for a moment. So all threads that ever gave this lock back
//! count: a sample in a method that gave it back, without a wait for a lock, shows that the thread held the lock.
//! If no sample shows a holder in a wait, the wait has the shares of the lock's other waits, or the last holder.

use crate::locks::held::Holders;
use crate::wakers::lock::{Lock, functions_of, is_for_lock, lock};
use crate::wakers::sampled_waits::{Doing, SampledWaits};
use crate::wakers::tree::place;
use rustc_hash::FxHashMap;
use whittle_model::{FunctionIndex, StackIndex, ThreadIndex, Wake};
use whittle_profile::order::sort_by_key;

/// From this number of waits with a sample of a holder on, their shares hold for the other waits of the lock.
const ENOUGH_WAITS: usize = 5;

/// A thread that gave a lock back in a method.
struct Releaser {
    place: FunctionIndex,
    /// One of the wakes by which the thread gave it back.
    wake: Wake,
}

/// A sample that shows a holder.
struct Held {
    time_ns: u64,
    sample: u32,
    releaser: usize,
}

/// What the samples show of a lock.
#[derive(Default)]
struct OfLock {
    releasers: Vec<Releaser>,
    /// By time.
    held: Vec<Held>,
    /// For each releaser, its part of the waiting time in which samples show a holder. Empty: too few waits have such a sample.
    ratios: Vec<f64>,
}

/// The holders of locks, with their parts of the waits.
pub(crate) struct HeldShares<'w, 'p> {
    waits: &'w SampledWaits<'p>,
    holders: Holders<'w, 'p>,
    of_lock: FxHashMap<Lock, OfLock>,
}

impl<'w, 'p> HeldShares<'w, 'p> {
    pub(crate) fn new(waits: &'w SampledWaits<'p>) -> Self {
        let mut all = waits.kept(None);
        let holders = Holders::new(waits, &all);
        all.retain(|number| is_for_lock(waits.wait(*number).meaning));
        let mut of_lock: FxHashMap<Lock, (OfLock, Vec<usize>)> = FxHashMap::default();
        for number in all {
            let (known, numbers) = of_lock.entry(lock(waits, number)).or_default();
            numbers.push(number);
            if let Some(wake) = holders.wake_of_holder(number) {
                known.add_releaser(waits, wake);
            }
        }
        let seen = of_lock.into_iter().map(|(lock, (mut known, numbers))| {
            known.look(waits);
            known.sum_up(waits, &numbers);
            (lock, known)
        });
        let of_lock = seen.collect();
        Self { waits, holders, of_lock }
    }

    /// The wakes of the threads that held the lock of a wait, each with its part of the wait. The parts have the sum 1. Missing: the
    /// holder is not known.
    pub(crate) fn of(&self, number: usize) -> Vec<(Option<Wake>, f64)> {
        let Some(known) = self.of_lock.get(&lock(self.waits, number)) else { return vec![(None, 1.0)] };
        let seen_ns = known.seen_ns(self.waits, number);
        let sum_ns: f64 = seen_ns.iter().sum();
        let ratios: Vec<f64> = match sum_ns > 0.0 {
            true => seen_ns.iter().map(|nanos| nanos / sum_ns).collect(),
            false => known.ratios.clone(),
        };
        let parts = known.releasers.iter().zip(ratios).filter(|(_, ratio)| *ratio > 0.0);
        let parts: Vec<_> = parts.map(|(releaser, ratio)| (Some(releaser.wake.clone()), ratio)).collect();
        if parts.is_empty() { vec![(self.holders.wake_of_holder(number), 1.0)] } else { parts }
    }
}

impl OfLock {
    fn add_releaser(&mut self, waits: &SampledWaits<'_>, wake: Wake) {
        let Some(place) = wake.waker.and_then(|_| place(waits, wake.stack)) else { return };
        let is_same = |known: &Releaser| (known.wake.waker, known.place) == (wake.waker, place);
        if !self.releasers.iter().any(is_same) {
            self.releasers.push(Releaser { place, wake });
        }
    }

    /// Looks for samples that show the releasers with the lock.
    fn look(&mut self, waits: &SampledWaits<'_>) {
        let mut of_thread: FxHashMap<ThreadIndex, Vec<usize>> = FxHashMap::default();
        for (number, releaser) in self.releasers.iter().enumerate() {
            if let Some(thread) = releaser.wake.waker {
                of_thread.entry(thread).or_default().push(number);
            }
        }
        for (thread, releasers) in of_thread {
            let releaser_of = |stack: StackIndex| {
                // The deepest method counts.
                functions_of(waits.profile.tables(), stack).find_map(|function| {
                    releasers.iter().copied().find(|releaser| self.releasers[*releaser].place == function)
                })
            };
            // Many samples of a thread have the same stack.
            let mut known: FxHashMap<usize, Option<usize>> = FxHashMap::default();
            for sample in waits.samples_of(thread) {
                let Some(stack) = stack_with_lock(waits, waits.doing(*sample)) else { continue };
                let Some(releaser) = *known.entry(stack.row()).or_insert_with(|| releaser_of(stack)) else { continue };
                let time_ns = waits.profile.samples().time_ns[*sample as usize];
                self.held.push(Held { time_ns, sample: *sample, releaser });
            }
        }
        sort_by_key(&mut self.held, |held| (held.time_ns, held.sample));
    }

    /// For each releaser, how long the samples show it with the lock during a wait, in nanoseconds.
    fn seen_ns(&self, waits: &SampledWaits<'_>, number: usize) -> Vec<f64> {
        let mut seen_ns = vec![0.0; self.releasers.len()];
        let Some((from_ns, to_ns)) = waits.times(number) else { return seen_ns };
        let first = self.held.partition_point(|held| held.time_ns < from_ns);
        let within = self.held[first..].iter().take_while(|held| held.time_ns <= to_ns);
        for held in within {
            // A thread does not wait for itself.
            if self.releasers[held.releaser].wake.waker != Some(waits.wait(number).thread) {
                seen_ns[held.releaser] += waits.nanos_within(held.sample, (from_ns, to_ns));
            }
        }
        seen_ns
    }

    /// The ratios of the releasers in all waits together. A sample represents the time between samples, so in many waits, the
    /// samples show each holder for its part of the time.
    fn sum_up(&mut self, waits: &SampledWaits<'_>, numbers: &[usize]) {
        let (mut sums, mut count) = (vec![0.0; self.releasers.len()], 0);
        for number in numbers {
            let seen_ns = self.seen_ns(waits, *number);
            let Some((from_ns, to_ns)) = waits.times(*number) else { continue };
            count += usize::from(seen_ns.iter().any(|nanos| *nanos > 0.0));
            let weight = waits.wait(*number).weight_ns as f64 / to_ns.saturating_sub(from_ns).max(1) as f64;
            sums.iter_mut().zip(seen_ns).for_each(|(sum, nanos)| *sum += weight * nanos);
        }
        let sum: f64 = sums.iter().sum();
        if count >= ENOUGH_WAITS && sum > 0.0 {
            self.ratios = sums.iter().map(|of_releaser| of_releaser / sum).collect();
        }
    }
}

/// The stack of a thread that can have a lock: it does not wait for one, and does not take one.
fn stack_with_lock(waits: &SampledWaits<'_>, doing: Doing) -> Option<StackIndex> {
    match doing {
        Doing::Executing(stack) | Doing::Runnable(stack) => Some(stack),
        Doing::TakingLock(_) => None,
        Doing::Waiting(number) => {
            let wait = waits.wait(number);
            (!is_for_lock(wait.meaning)).then_some(wait.stack)
        }
    }
}
