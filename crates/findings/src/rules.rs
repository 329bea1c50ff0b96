//! Detectors that examine groups of threads, or what the JVM reported, instead of stacks.

use crate::detector::Detector;
use crate::jvm_rules;
use crate::sums::Sums;
use crate::view::{QualityFinding, Severity};
use crate::work::{NO_GROUP, WorkThreads};
use whittle_model::Table;
use whittle_profile::Profile;
use whittle_profile::thread_times::{ThreadTimes, thread_times};

/// If the compiler is still busy after this time, the cause is not the warm-up. Nanoseconds since the experiment's
/// start.
const STARTED_NS: u64 = 60_000_000_000;
/// If the compiler takes a larger share of the CPU time, there is a finding.
const COMPILING: f64 = 0.10;
/// Threads must wait for a CPU for at least this share of the time in which they are ready.
const WAITING: f64 = 0.5;
/// If the program itself uses at least this share of the CPUs, other processes are not the cause.
const OWN_USE: f64 = 0.85;

/// The input of rules.
pub(crate) struct Circumstances<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) work: &'a WorkThreads,
    pub(crate) sums: &'a Sums,
}

/// The finding of a detector's rule. `None`: the rule finds no problem.
pub(crate) fn finding(detector: &'static Detector, seen: &Circumstances<'_>) -> Option<QualityFinding> {
    let criteria = match detector.rule.as_deref()? {
        "compiler-threads" => seen.compiler_threads(),
        "oversized-pools" => seen.oversized_pools(),
        "collector-falls-behind" | "early-promotion" | "repeated-deoptimization" => {
            jvm_rules::criteria(detector, seen.profile, seen.work)
        }
        // These rules are about stacks: see `hot_path` and `code_patterns`.
        "hot-path" | "repeated-call" | "serial-remote-calls" | "unused-log-text" | "waiting-loop" => None,
        other => unreachable!("no rule {other}, which a test of the files looks for"),
    };
    // The note refers to no stacks, so it does not change the shares of findings.
    let text = format!("{}: {}. {}", detector.title, criteria?.join("; "), detector.text.fix);
    Some(QualityFinding { id: &detector.id, severity: Severity::Note, text })
}

/// The data that a rule needs but that is missing in the experiment.
pub(crate) fn missing(detector: &Detector, profile: &Profile) -> Option<&'static str> {
    match detector.rule.as_deref()? {
        "repeated-call" | "serial-remote-calls" | "unused-log-text"
            if profile.tables().archive.class_name.is_empty() =>
        {
            Some("class files in the experiment")
        }
        "oversized-pools" if profile.tables().thread_states.is_empty() => Some("thread states (engine kernel)"),
        "oversized-pools" if profile.manifest().host.is_none() => Some("the number of CPUs"),
        "compiler-threads" if profile.manifest().duration_ns < 2 * STARTED_NS => {
            Some("two minutes or more of a running program")
        }
        rule => jvm_rules::missing(rule, profile),
    }
}

impl Circumstances<'_> {
    fn compiler_threads(&self) -> Option<Vec<String>> {
        let ratio = self.work.jit_ratio_after;
        let is_late = self.work.to_ns >= 2 * STARTED_NS;
        (is_late && ratio >= COMPILING).then(|| {
            vec![format!(
                "the compiler's threads took {:.0} % of the CPU time after the warm-up (required: at least {:.0} %)",
                ratio * 100.0,
                COMPILING * 100.0
            )]
        })
    }

    fn oversized_pools(&self) -> Option<Vec<String>> {
        let cpus = f64::from(self.profile.manifest().host.as_ref()?.cpu_count);
        let own_use = self.sums.process_cpu_ns / (self.work.seconds() * 1e9 * cpus);
        let (group, times) =
            self.times_by_group().into_iter().enumerate().max_by_key(|(_, times)| times.run_queue_ns)?;
        let (waited, ran) = (times.run_queue_ns as f64, times.cpu_ns() as f64);
        let (ratio, threads) = (waited / (waited + ran), self.work.threads_count[group]);
        (ratio >= WAITING && own_use >= OWN_USE && threads as f64 > cpus).then(|| {
            vec![
                format!(
                    "the threads {} waited for a CPU in {:.0} % of the time in which they were ready (required: at least {:.0} %)",
                    self.work.names[group],
                    ratio * 100.0,
                    WAITING * 100.0
                ),
                format!(
                    "the program itself used {:.1} of {cpus} CPUs (required: at least {:.0} %)",
                    own_use * cpus,
                    OWN_USE * 100.0
                ),
                format!("there are more threads ({threads}) than CPUs ({cpus})"),
            ]
        })
    }

    fn times_by_group(&self) -> Vec<ThreadTimes> {
        let mut by_group = vec![ThreadTimes::default(); self.work.names.len()];
        for (times, group) in thread_times(self.profile.tables()).iter().zip(&self.work.group_of_thread) {
            if let (Some(times), true) = (times, *group != NO_GROUP) {
                by_group[usize::from(*group)].add(times);
            }
        }
        by_group
    }
}
