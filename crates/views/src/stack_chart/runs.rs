//! Which stack one thread had when: the stack with the most time in each bin, joined over neighbouring bins.
//!
//! ```text
//! times    [---a---][-b-][a][-----b-----]        [--c--]
//! bins     |   a   |  b   |  b   |  b   |       |  c   |
//! runs     [---a---][---------b---------]        [--c--]      with the ends of the times, not those of the bins
//! ```
//!
//! So the number of runs is at most the number of bins, and a time that is longer than a bin keeps its exact ends.

use crate::stack_chart::times::SampledTime;
use crate::timeline::bins::{TimeBins, TimeRange};
use rustc_hash::FxHashMap;

/// A time with one stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) node: u32,
    pub(crate) is_wait: bool,
}

impl Run {
    /// Whether a later run begins where this one ends.
    pub(crate) fn touches(&self, next: &Self) -> bool {
        self.end_ns == next.start_ns
    }
}

/// A stack, and whether the thread waited in it.
pub(crate) type Stack = (u32, bool);

/// What a bin contains of one stack.
#[derive(Debug, Clone, Copy)]
struct InBin {
    ns: f64,
    /// The earliest start of the stack's times in the bin. It can be before the bin.
    start_ns: u64,
    /// Their latest end. It can be after the bin.
    end_ns: u64,
}

/// A run with its first and last bin.
#[derive(Debug, Clone, Copy)]
struct BinRun {
    run: Run,
    bins: (usize, usize),
}

/// The runs of these times, in the order of time.
pub(crate) fn runs(times: &[SampledTime], bins: TimeBins) -> Vec<Run> {
    let mut runs: Vec<BinRun> = Vec::new();
    for (bin, best) in dominant(times, bins).into_iter().enumerate() {
        let Some(((node, is_wait), found)) = best else { continue };
        let open = runs.last_mut().filter(|open| open.bins.1 + 1 == bin);
        match open {
            Some(open) if (open.run.node, open.run.is_wait) == (node, is_wait) => {
                open.bins.1 = bin;
                open.run.end_ns = found.end_ns;
            }
            _ => {
                let run = Run { start_ns: found.start_ns, end_ns: found.end_ns, node, is_wait };
                runs.push(BinRun { run, bins: (bin, bin) });
            }
        }
    }
    meet(&mut runs, bins);
    runs.into_iter().map(|found| found.run).collect()
}

/// The stack with the most time in each bin.
fn dominant(times: &[SampledTime], bins: TimeBins) -> Vec<Option<(Stack, InBin)>> {
    let mut found: FxHashMap<(usize, Stack), InBin> = FxHashMap::default();
    for time in times {
        let spent_ns = (time.end_ns - time.start_ns).max(1) as f64;
        let range = TimeRange { start_ns: time.start_ns, end_ns: time.end_ns, spent_ns };
        bins.spread(range, |bin, ns| {
            let new = InBin { ns: 0.0, start_ns: time.start_ns, end_ns: time.end_ns };
            let part = found.entry((bin, (time.node, time.is_wait))).or_insert(new);
            part.ns += ns;
            part.start_ns = part.start_ns.min(time.start_ns);
            part.end_ns = part.end_ns.max(time.end_ns);
        });
    }
    let mut best: Vec<Option<(Stack, InBin)>> = vec![None; bins.count];
    for ((bin, stack), part) in found {
        // Of stacks with equal times, the first one in the tree. The order of the table must not matter.
        let is_better = |(known, other): &(Stack, InBin)| part.ns > other.ns || (part.ns == other.ns && stack < *known);
        if best[bin].as_ref().is_none_or(is_better) {
            best[bin] = Some((stack, part));
        }
    }
    best
}

/// Cuts runs at the ends of the bins, and makes neighbours meet. Neighbours that overlap meet between their bins. A gap that
/// is shorter than a bin is no gap.
fn meet(runs: &mut [BinRun], bins: TimeBins) {
    for found in &mut *runs {
        found.run.start_ns = found.run.start_ns.max(bins.from_ns);
        found.run.end_ns = found.run.end_ns.min(bins.to_ns);
        if found.run.start_ns >= found.run.end_ns {
            (found.run.start_ns, found.run.end_ns) = (start_of(bins, found.bins.0), start_of(bins, found.bins.1 + 1));
        }
    }
    for index in 1..runs.len() {
        let (before, after) = runs.split_at_mut(index);
        let (Some(before), Some(after)) = (before.last_mut(), after.first_mut()) else { continue };
        if before.bins.1 + 1 != after.bins.0 {
            continue;
        }
        if before.run.end_ns > after.run.start_ns {
            let edge = start_of(bins, after.bins.0);
            (before.run.end_ns, after.run.start_ns) = (edge, edge);
        } else if ((after.run.start_ns - before.run.end_ns) as f64) < bins.bin_ns() {
            before.run.end_ns = after.run.start_ns;
        }
    }
}

/// Start of a bin. The bin after the last one starts at the end of the time range.
pub(crate) fn start_of(bins: TimeBins, bin: usize) -> u64 {
    let length_ns = (bins.to_ns - bins.from_ns) as f64;
    bins.from_ns + (length_ns * bin as f64 / bins.count as f64).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(times: &[(u64, u64, u32)], count: usize) -> Vec<(u64, u64, u32)> {
        let time = |&(start_ns, end_ns, node)| SampledTime {
            start_ns,
            end_ns,
            node,
            cpu_ns: 1,
            is_wait: false,
            is_estimate: false,
        };
        let times: Vec<SampledTime> = times.iter().map(time).collect();
        let runs = runs(&times, TimeBins { from_ns: 100, to_ns: 200, count });
        runs.iter().map(|run| (run.start_ns, run.end_ns, run.node)).collect()
    }

    #[test]
    fn times_longer_than_a_bin_keep_their_ends() {
        assert_eq!(
            found(&[(103, 131, 1), (131, 152, 2), (170, 195, 1)], 10),
            [(103, 131, 1), (131, 152, 2), (170, 195, 1)]
        );
        // The range cuts times.
        assert_eq!(found(&[(50, 120, 1), (180, 900, 2)], 10), [(100, 120, 1), (180, 200, 2)]);
        // A time in one bin.
        assert_eq!(found(&[(144, 146, 3)], 10), [(144, 146, 3)]);
        assert_eq!(found(&[], 10), []);
    }

    #[test]
    fn shorter_times_belong_to_the_stack_with_the_most_time_in_the_bin() {
        let alternating = [(100, 104, 1), (104, 110, 2), (110, 113, 1), (113, 120, 2), (120, 128, 1), (128, 130, 2)];
        assert_eq!(found(&alternating, 10), [(104, 120, 2), (120, 128, 1)]);
        // Both stacks have 15: the first one in the tree is shown.
        assert_eq!(found(&alternating, 1), [(100, 128, 1)]);
    }

    #[test]
    fn neighbours_that_overlap_meet_between_their_bins() {
        assert_eq!(found(&[(100, 125, 1), (116, 140, 2)], 10), [(100, 120, 1), (120, 140, 2)]);
    }
}
