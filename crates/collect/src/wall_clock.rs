//! How the engines `cpu` and `ctimer` find waits: async-profiler observes all threads of a JVM at intervals.
//!
//! A thread that used CPU time after its last observation gets a signal, and the signal handler takes its stack. A thread that
//! still sleeps at the same place gets no signal: only its CPU clock is read, which takes about 4 µs. So the cost mostly depends
//! on the number of threads that work.

use crate::engine::Engine;
use crate::events::{Amount, Events};
use whittle_model::{Manifest, Metric};

/// The interval is this time for each thread that a running JVM has when the collection starts. These threads have at most about
/// 500 observations per second. They cost 0.2 % of one CPU if all threads are idle. If all threads work, each observation takes a
/// stack, which costs 15 to 200 µs: 0.8 to 10 % of one CPU. The interval stays the same if the number of threads grows, so each
/// later thread adds observations.
const PER_THREAD_NS: u64 = 1_970_000;

/// The interval for a JVM with few threads. Neither this interval nor [`PER_THREAD_NS`] is a round number, because a program
/// that works every 10 or 100 ms would always be observed in the same phase.
const LEAST_NS: u64 = 47_000_000;

/// The assumed number of threads of a program that whittle starts. Each of its threads is observed five times per second, also if
/// there are thousands.
const USUAL_THREADS: u64 = 100;

/// The shortest interval that the user can set.
const LEAST_SET_NS: u64 = 1_000_000;

/// The text for the end of the collection.
pub(crate) const ESTIMATED: &str = "waits are estimates, and observing them can interrupt system calls of native libraries \
                                    (`--events cpu` observes none); no system calls, no time in the run queue";

/// The time between two observations of a thread. `None`: waits are not observed, or the engine `kernel` counts them. `threads`
/// is the number of threads of a running JVM.
pub(crate) fn interval_ns(events: &Events, engine: Engine, threads: Option<usize>) -> Option<u64> {
    let threads = threads.map_or(USUAL_THREADS, |threads| threads as u64);
    match (engine, events.amount(Metric::OffCpu)) {
        (Engine::Kernel, _) | (_, Amount::None) => None,
        (_, Amount::Fixed(interval_ns)) => Some(interval_ns.max(LEAST_SET_NS)),
        (_, Amount::Following) => Some(threads.saturating_mul(PER_THREAD_NS).max(LEAST_NS)),
    }
}

/// Adds to the manifest what observations cannot show.
pub(crate) fn describe(manifest: &mut Manifest, interval_ns: Option<u64>) {
    let Some(interval_ns) = interval_ns else { return };
    let interval_ms = interval_ns / 1_000_000;
    manifest.not_counted.extend([
        format!(
            "waits: their times are estimates, because whittle observed each thread once every {interval_ms} ms, for any number \
             of threads; waits that are shorter are rarely seen"
        ),
        "waits for a disk or for a page of memory: the profiler sees only waits that a signal can interrupt".to_owned(),
        "system calls, and time in which threads waited for a CPU: only the engine kernel sees them".to_owned(),
    ]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::Program;

    #[test]
    fn the_interval_grows_with_the_number_of_threads() {
        let of = |threads| interval_ns(&Events::default(), Engine::Ctimer, threads).unwrap();
        assert_eq!([Some(1), Some(20), Some(200), None].map(of), [47_000_000, 47_000_000, 394_000_000, 197_000_000]);
        for threads in [1, 24, 200, 5000] {
            let per_second = threads as f64 / (of(Some(threads)) as f64 / 1e9);
            assert!(per_second < 520.0, "{threads} threads: {per_second}");
        }
    }

    #[test]
    fn each_thread_of_a_launched_program_adds_observations() {
        let interval_ns = interval_ns(&Events::default(), Engine::Ctimer, None).unwrap();
        let per_second = 1000.0 / (interval_ns as f64 / 1e9);
        assert!((5000.0..5100.0).contains(&per_second), "{per_second}");
    }

    #[test]
    fn the_user_decides_about_waits() {
        let of = |events: &str, engine| interval_ns(&events.parse().unwrap(), engine, Some(1000));
        assert_eq!(of("off_cpu=20ms", Engine::Cpu), Some(20_000_000));
        assert_eq!(of("off_cpu=1us", Engine::Cpu), Some(1_000_000));
        assert_eq!(of("cpu,alloc", Engine::Ctimer), None);
        assert_eq!(of("off_cpu=20ms", Engine::Kernel), None);
    }

    #[test]
    fn the_manifest_reports_what_observations_cannot_show() {
        let mut manifest = Manifest::new(Program { name: String::new(), version: String::new() });
        describe(&mut manifest, None);
        assert!(manifest.not_counted.is_empty());
        describe(&mut manifest, Some(197_000_000));
        assert!(manifest.not_counted[0].contains("estimates") && manifest.not_counted[0].contains("197 ms"));
        assert_eq!(manifest.not_counted.len(), 3);
    }
}
