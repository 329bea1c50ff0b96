//! Which stack a group of threads had when: in each bin, the stack with the most CPU time of all threads. If no thread used a CPU,
//! the stack with the most time of the others: waits, and times in an unknown state.
//!
//! ```text
//! worker-1   [--------wait--------]
//! worker-2   [-wait-][-a-][--wait-]
//! runs       [-wait-][-a-][--wait-]      one of many threads works: its work is shown
//! ```
//!
//! The times of threads overlap, so the ends of runs are those of bins.

use crate::stack_chart::runs::{Run, Stack, start_of};
use crate::stack_chart::times::SampledTime;
use crate::timeline::bins::{TimeBins, TimeRange};

/// The runs of these times, in the order of time. Each thread has its own times.
pub(crate) fn group_runs(threads: &[Vec<SampledTime>], bins: TimeBins) -> Vec<Run> {
    let times = |is_cpu: bool| threads.iter().flatten().filter(move |time| (time.cpu_ns > 0) == is_cpu);
    let cpu = largest(times(true), bins, |_| true);
    let other = largest(times(false), bins, |bin| cpu[bin].is_none());
    let mut runs: Vec<Run> = Vec::new();
    for (bin, (cpu, other)) in cpu.into_iter().zip(other).enumerate() {
        let Some((node, is_wait)) = cpu.or(other) else { continue };
        let next = Run { start_ns: start_of(bins, bin), end_ns: start_of(bins, bin + 1), node, is_wait };
        match runs.last_mut() {
            Some(open) if open.touches(&next) && (open.node, open.is_wait) == (node, is_wait) => {
                open.end_ns = next.end_ns;
            }
            _ => runs.push(next),
        }
    }
    runs
}

/// The stack with the most time in each bin for which `is_needed` is true.
fn largest<'t>(
    times: impl Iterator<Item = &'t SampledTime>,
    bins: TimeBins,
    is_needed: impl Fn(usize) -> bool,
) -> Vec<Option<Stack>> {
    // Thousands of threads can wait in each bin. Sums of one stack at a time need no table of stacks and bins.
    let mut times: Vec<&SampledTime> = times.collect();
    times.sort_by_key(|time| time.stack());
    let mut sums_ns = vec![0.0_f64; bins.count];
    let mut best: Vec<(f64, Option<Stack>)> = vec![(0.0, None); bins.count];
    for of_stack in times.chunk_by(|a, b| a.stack() == b.stack()) {
        let (mut first, mut end) = (bins.count, 0);
        for time in of_stack {
            bins.spread(time.spent(), |bin, ns| {
                // A tick that begins after a wait has more CPU time than length. A thread uses one CPU at a time.
                sums_ns[bin] += ns.min(bins.bin_ns());
                (first, end) = (first.min(bin), end.max(bin + 1));
            });
        }
        for bin in first..end {
            let ns = std::mem::take(&mut sums_ns[bin]);
            // Of stacks with equal times, the first one in the tree. The order of the times must not matter.
            if ns > best[bin].0 && is_needed(bin) {
                best[bin] = (ns, Some(of_stack[0].stack()));
            }
        }
    }
    best.into_iter().map(|(_, stack)| stack).collect()
}

impl SampledTime {
    fn stack(&self) -> Stack {
        (self.node, self.is_wait)
    }

    /// The CPU time, or the length of another time.
    fn spent(&self) -> TimeRange {
        let length_ns = (self.end_ns - self.start_ns).max(1);
        let spent_ns = if self.cpu_ns > 0 { self.cpu_ns } else { length_ns } as f64;
        TimeRange { start_ns: self.start_ns, end_ns: self.end_ns, spent_ns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(start_ns: u64, end_ns: u64, node: u32) -> SampledTime {
        SampledTime { start_ns, end_ns, node, cpu_ns: end_ns - start_ns, is_wait: false, is_estimate: false }
    }

    fn wait(start_ns: u64, end_ns: u64, node: u32) -> SampledTime {
        SampledTime { cpu_ns: 0, is_wait: true, ..cpu(start_ns, end_ns, node) }
    }

    /// The runs in bins of 10. A wait is negative.
    fn found(threads: &[&[SampledTime]]) -> Vec<(u64, u64, i64)> {
        let threads: Vec<Vec<SampledTime>> = threads.iter().map(|times| times.to_vec()).collect();
        let runs = group_runs(&threads, TimeBins { from_ns: 100, to_ns: 200, count: 10 });
        let node = |run: &Run| if run.is_wait { -i64::from(run.node) } else { i64::from(run.node) };
        runs.iter().map(|run| (run.start_ns, run.end_ns, node(run))).collect()
    }

    #[test]
    fn the_work_of_one_thread_comes_before_the_waits_of_the_others() {
        let waiter = [wait(100, 180, 1)];
        let worker = [wait(100, 133, 1), cpu(133, 135, 2), wait(135, 160, 1)];
        assert_eq!(found(&[&waiter, &waiter, &worker]), [(100, 130, -1), (130, 140, 2), (140, 180, -1)]);
    }

    #[test]
    fn the_stack_with_the_most_cpu_time_of_all_threads_is_shown() {
        let threads: [&[SampledTime]; 3] = [&[cpu(100, 120, 1)], &[cpu(103, 110, 2)], &[cpu(104, 110, 2)]];
        assert_eq!(found(&threads), [(100, 110, 2), (110, 120, 1)]);
        // The times are those of whole bins, also if they end earlier.
        assert_eq!(found(&[&[cpu(144, 146, 3)], &[]]), [(140, 150, 3)]);
        assert_eq!(found(&[]), []);
    }

    #[test]
    fn cpu_time_counts_also_if_a_wait_made_its_tick_shorter() {
        let short = |end_ns| SampledTime { cpu_ns: 6, ..cpu(end_ns - 1, end_ns, 2) };
        assert_eq!(found(&[&[cpu(100, 110, 1)], &[short(105)], &[short(108)]]), [(100, 110, 2)]);
        // One thread cannot use more than the whole bin.
        let much = SampledTime { cpu_ns: 50, ..cpu(108, 109, 2) };
        assert_eq!(found(&[&[cpu(100, 110, 1)], &[cpu(102, 104, 1)], &[much]]), [(100, 110, 1)]);
    }

    #[test]
    fn of_waits_the_longest_is_shown() {
        assert_eq!(found(&[&[wait(100, 110, 2)], &[wait(100, 106, 1)], &[wait(104, 110, 1)]]), [(100, 110, -1)]);
    }
}
