//! Threads with sampled CPU time that differs from their exact CPU time by more than chance.
//!
//! Samples of a thread that wakes often and executes for less than the interval are not independent of the clock: the
//! thread can sleep at most ticks, or be woken by them. Its share is then wrong, however many samples there are.

use whittle_model::{EventKind, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::order::sort_by;
use whittle_profile::samples::SampleKind;

/// Distance in standard deviations. By chance, one of 1000 correct threads differs by more.
const DEVIATIONS: f64 = 3.291;
/// A smaller part of the program's CPU time is not reported.
const SMALLEST_SHARE: f64 = 0.01;
/// Most threads in the note.
const MOST_NAMED: usize = 3;

/// A thread's CPU time in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct CpuOfThread {
    sampled: f64,
    exact: f64,
}

/// A note with the threads whose samples are wrong by more than chance, the largest difference first. `None` if there
/// are no such threads, or if the kernel did not count CPU time.
pub(super) fn note(profile: &Profile) -> Option<String> {
    let tables = profile.tables();
    let mut times: Vec<CpuOfThread> = tables
        .threads
        .cpu_ns
        .iter()
        .map(|exact| CpuOfThread { sampled: 0.0, exact: exact.unwrap_or(0) as f64 })
        .collect();
    let samples = profile.samples();
    let duration_ns = samples.column(WeightColumn::DurationNs);
    let is_cpu = |row: &usize| SampleKind::of_index(usize::from(samples.kind[*row])).event == EventKind::Cpu;
    let mut count = 0.0;
    for row in (0..samples.len()).filter(is_cpu) {
        let time = &mut times[samples.thread[row].row()];
        time.sampled += duration_ns[row] as f64;
        // A thread without an exact time cannot be compared.
        count += if time.exact > 0.0 { 1.0 } else { 0.0 };
    }
    let found = biased(&times, count);
    let threads = found.iter().take(MOST_NAMED).map(|thread| {
        let (seconds, name) = (|nanos: f64| nanos / 1e9, &tables.threads.name[*thread]);
        let CpuOfThread { sampled, exact } = times[*thread];
        format!("{name} (samples {:.3} s, counted {:.3} s)", seconds(sampled), seconds(exact))
    });
    let rest = found.len().saturating_sub(MOST_NAMED);
    let rest = (rest > 0).then(|| format!("{rest} more"));
    let list = threads.chain(rest).collect::<Vec<_>>().join(", ");
    (!found.is_empty()).then(|| {
        format!(
            "The samples of these threads differ from the scheduler's count by more than chance: {list}. A thread that \
             wakes often and executes for less than the interval gets too few or too many samples. Use its exact CPU."
        )
    })
}

/// The threads with samples that differ from the exact time by more than chance, the largest difference first. `count`
/// is the number of samples of all threads with an exact time.
///
/// If samples were drawn independently with the mean weight `w`, a thread with the exact time `t` and the share `p` of
/// all exact time would have the standard deviation `√(t w (1 - p))`. A sampling clock is more regular than this. Time that is missing in all threads, which
/// closure reports, is not counted again: `t` is multiplied by the samples' share of all exact time,
/// unless the thread is nearer to `t` itself: the share can be small because of one thread.
fn biased(times: &[CpuOfThread], count: f64) -> Vec<usize> {
    let sum = |part: fn(&CpuOfThread) -> f64| times.iter().map(part).sum::<f64>();
    let exact = sum(|time| time.exact);
    let sampled = sum(|time| if time.exact > 0.0 { time.sampled } else { 0.0 });
    if exact <= 0.0 || sampled <= 0.0 {
        return Vec::new();
    }
    let (coverage, weight) = ((sampled / exact).min(1.0), sampled / count);
    let difference = |time: &CpuOfThread| {
        let from = |expected: f64| (time.sampled - expected).abs();
        from(time.exact).min(from(time.exact * coverage))
    };
    let is_biased = |time: &CpuOfThread| {
        let chance = DEVIATIONS * (time.exact * weight * (1.0 - time.exact / exact)).sqrt() + weight;
        time.exact > 0.0 && difference(time) > chance && difference(time) > SMALLEST_SHARE * exact
    };
    let mut found: Vec<usize> = (0..times.len()).filter(|thread| is_biased(&times[*thread])).collect();
    sort_by(&mut found, |a, b| difference(&times[*b]).total_cmp(&difference(&times[*a])));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(seconds: &[(f64, f64)]) -> Vec<CpuOfThread> {
        seconds.iter().map(|(sampled, exact)| CpuOfThread { sampled: sampled * 1e9, exact: exact * 1e9 }).collect()
    }

    #[test]
    fn a_difference_beyond_chance_is_found() {
        // 460 samples of 10 ms. The second thread slept at the ticks, and the first one has its samples.
        assert_eq!(biased(&times(&[(4.39, 4.0), (0.0, 0.4), (0.21, 0.2)]), 460.0), [1, 0]);
        // The third thread was woken by the ticks.
        assert_eq!(biased(&times(&[(7.12, 8.0), (0.38, 0.4), (1.3, 0.4)]), 880.0), [2, 0]);
    }

    #[test]
    fn chance_and_missing_time_of_all_threads_are_not_reported() {
        // 0.4 s in samples of 10 ms has a standard deviation of 0.063 s.
        assert_eq!(biased(&times(&[(4.2, 4.0), (0.2, 0.4)]), 440.0), [0; 0]);
        // Samples cover 80 % of all threads.
        assert_eq!(biased(&times(&[(3.2, 4.0), (1.6, 2.0)]), 4800.0), [0; 0]);
        // The difference is larger than chance, but too small to matter.
        assert_eq!(biased(&times(&[(100.0, 100.1), (0.0, 0.1)]), 100_000.0), [0; 0]);
        assert_eq!(biased(&times(&[(1.0, 0.0)]), 100.0), [0; 0]);
        assert_eq!(biased(&[], 0.0), [0; 0]);
    }
}
