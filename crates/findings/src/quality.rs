//! Warnings about the data. They come before the findings.

use crate::own_package::Guess;
use crate::sums::Sums;
use crate::view::{QualityFinding, Severity};
use crate::words::share;
use crate::work::{NO_GROUP, WorkThreads};
use whittle_model::{FrameKind, JvmEventKind, Table};
use whittle_profile::Profile;
use whittle_profile::thread_times::{ThreadTimes, thread_times};
use whittle_views::pause_figures::PauseFigures;

/// Samples should explain this share of the CPU time that the scheduler counted.
const CLOSURE: f64 = 0.95;
/// If a larger share of CPU time is on stacks with missing frames, there is a warning.
const TRUNCATED: f64 = 0.05;
/// A longer warm-up leaves too little data.
const WARM_UP: f64 = 0.4;
/// If the compiler takes a larger share of the CPU time after the warm-up, there is a warning.
const COMPILING: f64 = 0.2;
/// If runnable work threads wait for a CPU for a larger share of the time, there can be a warning.
const RUN_QUEUE: f64 = 0.15;
/// If other processes used a smaller share of the CPUs, they did not disturb the program.
const OTHERS_USE: f64 = 0.1;
/// If the host of a virtual machine takes a larger share of the CPUs' time, there is a warning.
const STOLEN: f64 = 0.05;
/// If the program itself uses a larger share of the CPUs, its threads compete with each other for CPUs.
const OWN_USE: f64 = 0.85;
/// With fewer samples, there is a warning. With 200 samples, a share of 10 % is known only to ±4 percentage points (two
/// standard deviations).
const FEW_SAMPLES: u64 = 200;
/// If the cgroup's quota is used up in a larger share of the periods, there is a warning.
const THROTTLED: f64 = 0.05;

/// If the JVM stopped all threads for a larger share of the time, there is a note.
const STOPPED: f64 = 0.05;

/// All warnings, the most severe first.
pub(crate) fn quality(profile: &Profile, work: &WorkThreads, sums: &Sums) -> Vec<QualityFinding> {
    let times = times_of_work(profile, work);
    let doubts = [
        closure(profile),
        few_samples(sums),
        warm_up(profile, work),
        truncated(profile, sums),
        other_processes(profile, work, sums, &times),
        stolen(profile),
        throttled(profile, &times),
        pauses(profile),
    ];
    let mut doubts: Vec<QualityFinding> = doubts.into_iter().flatten().collect();
    doubts.sort_by_key(|doubt| doubt.severity);
    doubts
}

/// The note about a package that may not be the program's own.
pub(crate) fn guessed_package(guess: &Guess) -> QualityFinding {
    let Guess { first, second } = guess;
    let second = second.as_ref().map(|second| format!("; {} is on {}", second.package, share(second.ratio)));
    QualityFinding {
        id: "guessed_package",
        severity: Severity::Note,
        text: format!(
            "The program's main class is unknown, or it is a server's. Whittle guesses that {} is the program's own code: this \
             package is on the stacks of {} of the CPU samples with Java code outside the JDK{}. If this is wrong, name the \
             packages with --own.",
            first.package,
            share(first.ratio),
            second.unwrap_or_default()
        ),
    }
}

fn serious_if(is_serious: bool) -> Severity {
    if is_serious { Severity::Serious } else { Severity::Note }
}

fn closure(profile: &Profile) -> Option<QualityFinding> {
    let Some(closure) = &profile.manifest().closure else {
        return Some(QualityFinding {
            id: "closure",
            severity: Severity::Note,
            text: "Whether the samples explain all CPU time is unknown: the kernel's count of CPU time is missing."
                .to_owned(),
        });
    };
    let ratio = closure.ratio().filter(|ratio| *ratio < CLOSURE)?;
    Some(QualityFinding {
        id: "closure",
        severity: serious_if(ratio < 0.8),
        text: format!(
            "Samples with a complete stack explain {:.0} % of the CPU time that the scheduler counted. The shares \
             below refer only to these samples. `whittle overview` shows the missing samples and the reasons.",
            ratio * 100.0
        ),
    })
}

fn few_samples(sums: &Sums) -> Option<QualityFinding> {
    if sums.total.cpu_ns() == 0.0 {
        return Some(QualityFinding {
            id: "few_samples",
            severity: Severity::Serious,
            text: "The selected samples contain no CPU time of work threads, or they only contain counts: \
                   no conclusion is possible without measurements."
                .to_owned(),
        });
    }
    (sums.samples_count < FEW_SAMPLES).then(|| QualityFinding {
        id: "few_samples",
        severity: Severity::Serious,
        text: format!(
            "{} CPU samples of work threads after warm-up are too few to distinguish functions. Collect for longer, \
             under load, or with a shorter --interval.",
            sums.samples_count
        ),
    })
}

fn warm_up(profile: &Profile, work: &WorkThreads) -> Option<QualityFinding> {
    let ratio = work.from_ns as f64 / profile.manifest().duration_ns.max(1) as f64;
    if work.is_at_rest && ratio <= WARM_UP && work.jit_ratio_after <= COMPILING {
        return None;
    }
    Some(QualityFinding {
        id: "warm_up",
        severity: serious_if(work.jit_ratio_after > COMPILING),
        text: format!(
            "The program was warming up for {:.0} % of the experiment, and the JIT compiler took {:.0} % of the CPU time after \
             that. Collect for longer, or attach later.",
            ratio * 100.0,
            work.jit_ratio_after * 100.0
        ),
    })
}

fn truncated(profile: &Profile, sums: &Sums) -> Option<QualityFinding> {
    let (stacks, frames) = (&profile.tables().stacks, &profile.tables().frames);
    let is_truncated = stacks.has_frame(|frame| frames.kind[frame.row()] == FrameKind::Truncated);
    let observed = profile.observed_stacks().iter().zip(&sums.cpu_by_stack);
    let missing: f64 = observed.filter(|(stack, _)| is_truncated[stack.row()]).map(|(_, cpu)| cpu).sum();
    let ratio = missing / sums.cpu_by_stack.iter().sum::<f64>();
    (ratio > TRUNCATED).then(|| QualityFinding {
        id: "truncated_stacks",
        severity: serious_if(ratio > 0.2),
        text: format!(
            "{:.0} % of the work threads' CPU time is on stacks with missing frames. Their callers are unknown, and \
             findings do not include them.",
            ratio * 100.0
        ),
    })
}

/// The times of all work threads together.
fn times_of_work(profile: &Profile, work: &WorkThreads) -> ThreadTimes {
    let mut times = ThreadTimes::default();
    let all = thread_times(profile.tables());
    for (thread, group) in all.iter().zip(&work.group_of_thread) {
        if let (Some(thread), true) = (thread, *group != NO_GROUP) {
            times.add(thread);
        }
    }
    times
}

fn other_processes(profile: &Profile, work: &WorkThreads, sums: &Sums, times: &ThreadTimes) -> Option<QualityFinding> {
    // Other processes do not cause stops by the quota.
    let waited = times.run_queue_ns.saturating_sub(times.quota_ns) as f64;
    let ratio = waited / (waited + times.cpu_ns() as f64);
    let cpus = f64::from(profile.manifest().host.as_ref()?.cpu_count);
    let own_use = sums.process_cpu_ns / (work.seconds() * 1e9 * cpus);
    // Even on an idle machine, a thread starts some microseconds after its wake-up. Therefore the use by other
    // processes is checked, too.
    let others_use = mean_reading(profile, "machine_busy_ratio", work.from_ns).map(|busy| busy - own_use);
    let is_others = others_use.is_none_or(|used| used > OTHERS_USE);
    (ratio > RUN_QUEUE && own_use < OWN_USE && is_others).then(|| QualityFinding {
        id: "other_processes",
        // Shares of CPU time do not change, and a load generator on the same machine is usual.
        severity: Severity::Note,
        text: format!(
            "Work threads waited for a CPU in {:.0} % of the time in which they were runnable, although the program used only {:.1} \
             of {cpus} CPUs: {}. Shares of CPU time are reliable, but elapsed times are not.",
            ratio * 100.0,
            own_use * cpus,
            others_use.map_or_else(
                || "probably other processes used the rest".to_owned(),
                |used| format!("other processes used {:.1}", used * cpus)
            ),
        ),
    })
}

fn stolen(profile: &Profile) -> Option<QualityFinding> {
    let ratio = mean_reading(profile, "machine_stolen_ratio", 0).filter(|ratio| *ratio > STOLEN)?;
    Some(QualityFinding {
        id: "stolen",
        severity: Severity::Note,
        text: format!(
            "The host of this virtual machine took {:.0} % of its CPUs' time (steal). Elapsed times and latencies \
             include this time. Shares of CPU time are reliable.",
            ratio * 100.0
        ),
    })
}

fn mean_reading(profile: &Profile, counter: &str, from_ns: u64) -> Option<f64> {
    let values = readings(profile, counter, from_ns);
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// A counter's values that were read at this time or later.
pub(crate) fn readings(profile: &Profile, counter: &str, from_ns: u64) -> Vec<f64> {
    let counters = &profile.tables().counters;
    let is_asked = |row: &usize| counters.counter[*row] == counter && counters.time_ns[*row] >= from_ns;
    (0..counters.len()).filter(is_asked).map(|row| counters.value[row]).collect()
}

fn throttled(profile: &Profile, times: &ThreadTimes) -> Option<QualityFinding> {
    let grown = |name: &str| {
        let values = readings(profile, name, 0);
        let grown = values.iter().copied().fold(f64::MIN, f64::max) - values.iter().copied().fold(f64::MAX, f64::min);
        (grown.is_finite() && grown >= 0.0).then_some(grown)
    };
    let (periods, throttled) = (grown("cgroup_periods_count")?, grown("cgroup_throttled_periods_count")?);
    let ratio = throttled / periods;
    let stopped = times.quota_ns as f64 / (times.run_queue_ns + times.cpu_ns()) as f64;
    let effect = if stopped > 0.0 {
        format!("It stopped the work threads for {:.0} % of the time in which they were runnable.", stopped * 100.0)
    } else {
        "The threads then stop until the period ends.".to_owned()
    };
    (ratio > THROTTLED).then(|| QualityFinding {
        id: "cpu_quota",
        severity: serious_if(ratio > 0.25),
        text: format!(
            "The container's CPU quota was used up in {:.0} % of its periods. {effect} Raise the quota or use fewer threads \
             before you judge latencies.",
            ratio * 100.0
        ),
    })
}

/// How long the JVM stopped all threads, if this is much of the time.
fn pauses(profile: &Profile) -> Option<QualityFinding> {
    let events = &profile.tables().jvm_events;
    let stopped = PauseFigures::of_kind(events, JvmEventKind::Safepoint)?;
    let percent = |nanos: u64| 100.0 * nanos as f64 / profile.manifest().duration_ns.max(1) as f64;
    let of_collector = PauseFigures::of_kind(events, JvmEventKind::GcPause).map_or(0, |pauses| pauses.duration_ns);
    (percent(stopped.duration_ns) > 100.0 * STOPPED).then(|| QualityFinding {
        id: "jvm_pauses",
        severity: Severity::Note,
        text: format!(
            "The JVM stopped all Java threads in {:.0} % of the time ({:.0} % for garbage collection). There were {} safepoints, and \
             the longest took {:.1} ms. Waits and latencies include this time. `whittle pauses` shows the reasons.",
            percent(stopped.duration_ns),
            percent(of_collector),
            stopped.events_count,
            stopped.longest_ns as f64 / 1e6
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::findings;
    use crate::options::FindingsOptions;
    use whittle_model::{CounterValue, Host, JvmEvent};
    use whittle_profile::query::Query;
    use whittle_testkit::{add_thread_states, experiment_from_text};
    use whittle_views::source::NoFiles;

    fn with_counters(rows: &[(&str, f64)]) -> Profile {
        let (manifest, mut tables) = experiment_from_text("a.Main.main()");
        for (time_ns, (counter, value)) in (0..).zip(rows) {
            tables.counters.push(CounterValue { time_ns, counter: (*counter).to_owned(), value: *value });
        }
        Profile::load(manifest, tables).expect("loads")
    }

    #[test]
    fn a_quota_that_is_used_up_is_a_doubt() {
        let (all, used_up) = ("cgroup_periods_count", "cgroup_throttled_periods_count");
        let profile = with_counters(&[(all, 100.0), (used_up, 10.0), (all, 200.0), (used_up, 50.0)]);
        let doubt = throttled(&profile, &times_of_work(&profile, &WorkThreads::new(&profile))).expect("a doubt");
        assert_eq!((doubt.id, doubt.severity), ("cpu_quota", Severity::Serious));
        assert!(doubt.text.contains("40 % of its periods"), "{}", doubt.text);
        assert!(stolen(&profile).is_none());
    }

    #[test]
    fn what_the_host_takes_is_a_doubt() {
        let name = "machine_stolen_ratio";
        let doubt = stolen(&with_counters(&[(name, 0.02), ("machine_busy_ratio", 0.9), (name, 0.2)])).expect("a doubt");
        assert_eq!((doubt.id, doubt.severity), ("stolen", Severity::Note));
        assert!(doubt.text.contains("took 11 % of its CPUs' time"), "{}", doubt.text);
        assert!(stolen(&with_counters(&[(name, 0.02), (name, 0.03)])).is_none());
    }

    #[test]
    fn long_pauses_are_told_with_the_part_of_the_collector() {
        let (mut manifest, mut tables) = experiment_from_text("a.Main.main()");
        manifest.duration_ns = 10_000_000_000;
        let mut event = |kind, (start_ns, end_ns): (u64, u64)| {
            let name = String::new();
            tables.jvm_events.push(JvmEvent {
                start_ns,
                end_ns,
                kind,
                name,
                reaching_ns: 0,
                heap_before_bytes: None,
                heap_after_bytes: None,
            });
        };
        event(JvmEventKind::Safepoint, (1_000_000_000, 2_000_000_000));
        event(JvmEventKind::GcPause, (1_100_000_000, 2_000_000_000));
        event(JvmEventKind::Safepoint, (3_000_000_000, 3_200_000_000));
        let profile = Profile::load(manifest, tables).expect("loads");
        let doubt = pauses(&profile).expect("a note");
        assert!(
            doubt.text.contains("in 12 % of the time (9 % for garbage collection). There were 2 safepoints"),
            "{}",
            doubt.text
        );
        assert!(pauses(&with_counters(&[])).is_none());
    }

    /// The warnings for a thread that executes for one second and waits for a CPU for one second. The machine has two
    /// CPUs and this load.
    fn doubts_with_waits(machine_busy_ratio: Option<f64>) -> Vec<QualityFinding> {
        let (mut manifest, mut tables) = experiment_from_text("@thread  worker\n         a.Main.main()");
        add_thread_states(&mut tables, "thread  on_cpu_user  runnable:run_queue\nworker  1.0          1.0");
        manifest.duration_ns = 2_000_000_000;
        manifest.host = Some(Host { name: String::new(), kernel: String::new(), cpu_count: 2, tick_hz: None });
        if let Some(value) = machine_busy_ratio {
            tables.counters.push(CounterValue { time_ns: 1, counter: "machine_busy_ratio".to_owned(), value });
        }
        let profile = Profile::load(manifest, tables).expect("loads");
        let nobody = NoFiles { reason: "no files here" };
        let view = findings(&profile, &Query::default(), &FindingsOptions::default(), &nobody).expect("findings");
        view.quality.into_iter().filter(|doubt| doubt.id == "other_processes").collect()
    }

    #[test]
    fn others_are_blamed_for_waits_only_if_they_used_the_machine() {
        let text = |busy| doubts_with_waits(busy).pop().map(|doubt| doubt.text);
        let busy = text(Some(0.95)).expect("a doubt");
        assert!(
            busy.contains("waited for a CPU in 50 % of the time") && busy.contains("other processes used"),
            "{busy}"
        );
        assert_eq!(text(Some(0.05)), None);
        assert!(text(None).expect("a doubt").contains("probably"));
    }
}
