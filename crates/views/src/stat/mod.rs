//! Shows a program's use of resources on one screen. A reader sees whether the program uses more resources than its
//! work needs.
//!
//! All values refer to the whole experiment. They are the kernel's counts if available. Estimates from samples are
//! marked as estimates. The last sentence recommends the next step.

mod advice;
pub(crate) mod text;
mod top_function;
pub mod view;
use crate::stat::advice::{Circumstances, advise};
use crate::stat::view::{ClassCpu, CounterSummary, StatCall, StatResources, StatSyscalls, StatView, UnitRate};
use crate::transfers::Transfers;
use whittle_model::{Metric, MetricDefinition, ResourceUse, Table, ThreadClass};
use whittle_profile::ViewMode;
use whittle_profile::order::sort_by_key;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Preamble, Window};
use whittle_profile::ranking::keep_largest;
use whittle_profile::thread_times::{ReasonTime, ThreadTimes, thread_times};
use whittle_profile::{Profile, totals};

/// Number of system calls that are listed one by one.
const TOP_CALLS: usize = 5;

/// A program's use of resources on one screen. `experiment` is the experiment's name in the commands of the advice. It
/// is missing if the experiment is not kept.
pub fn stat(profile: &Profile, experiment: Option<&str>) -> StatView {
    let manifest = profile.manifest();
    let rate = rate(profile);
    let real_ns = rate.real_ns;
    let (user_ns, system_ns) = user_and_system_ns(profile);
    let cpu_count = manifest.host.as_ref().map(|host| host.cpu_count);
    let capacity_ns = cpu_count.map(|count| real_ns as f64 * f64::from(count)).filter(|capacity| *capacity > 0.0);
    let ratio = |nanos: Option<u64>| Some(nanos? as f64 / capacity_ns?);
    let (work_threads_count, work_times) = work_times(profile);
    let (estimated_threads_count, estimated_waits) = estimated_waits(profile).unzip();
    let estimated_threads_count = estimated_threads_count.unwrap_or(0);
    let syscalls = syscall_totals(profile);
    let resources = stat_resources(profile, rate);
    let samples_count = profile.all_weights().sample_count();
    let circumstances = Circumstances {
        experiment,
        real_ns,
        user_ns,
        system_ns,
        gc_ratio: resources.gc_ratio,
        syscalls: &calls_by_name(profile, rate),
        work: &work_times,
        active: &active_times(profile),
        lock_wait_ns: metric_total(profile, Metric::LockWait),
        samples_count,
    };
    StatView {
        preamble: stat_preamble(profile),
        command: manifest.command.clone(),
        exit: manifest.exit,
        cpu_count,
        real_ns,
        user_ns,
        system_ns,
        user_ratio: ratio(user_ns),
        system_ratio: ratio(system_ns),
        cpu_by_class: cpu_by_class(profile),
        advice: advise(profile, &circumstances),
        resources,
        syscalls,
        work_threads_count: work_threads_count + estimated_threads_count,
        blocked_by_reason: estimated_waits.unwrap_or_else(|| work_times.by_reason()),
        run_queue_ns: (work_threads_count > 0).then_some(work_times.run_queue_ns),
        units_of_work: unit_rates(profile, rate),
        counters: counter_summaries(profile),
        samples_count,
    }
}

/// Amounts per second of elapsed time.
fn rate(profile: &Profile) -> Rate {
    let real_ns = profile.manifest().resources.as_ref().map_or(0, |used| used.real_ns);
    Rate { real_ns: real_ns.max(profile.manifest().duration_ns) }
}

fn stat_preamble(profile: &Profile) -> Preamble {
    Preamble {
        comparison: None,
        view: "stat",
        mode: ViewMode::User,
        transforms: Vec::new(),
        filter: None,
        sorted_by: "name".to_owned(),
        notes: profile.manifest().not_counted.iter().map(|what| format!("not counted: {what}")).collect(),
    }
}

/// User and system CPU, from the kernel's counts if available, otherwise from the samples.
fn user_and_system_ns(profile: &Profile) -> (Option<u64>, Option<u64>) {
    if let Some(used) = &profile.manifest().resources {
        return (Some(used.user_ns), Some(used.system_ns));
    }
    (metric_total(profile, Metric::UserCpu), metric_total(profile, Metric::SystemCpu))
}

/// Sum of a metric over all samples. Missing if the experiment does not have the metric.
fn metric_total(profile: &Profile, metric: Metric) -> Option<u64> {
    let metric = profile.manifest().metric_index(metric)?;
    Some(totals(profile.all_weights())[metric] as u64)
}

fn cpu_by_class(profile: &Profile) -> Vec<ClassCpu> {
    let threads = &profile.tables().threads;
    let sampled = profile.manifest().metric_index(Metric::Cpu);
    let has_exact = threads.cpu_ns.iter().any(Option::is_some);
    let cpu_ns = |thread: usize| match (has_exact, sampled) {
        (true, _) => threads.cpu_ns[thread].unwrap_or(0),
        (false, Some(metric)) => profile.all_weights().by_thread[metric][thread] as u64,
        (false, None) => 0,
    };
    let mut by_class: OrderedMap<ThreadClass, u64> = OrderedMap::default();
    for thread in 0..threads.len() {
        *by_class.at(threads.class[thread], || 0) += cpu_ns(thread);
    }
    let all: u64 = by_class.iter().map(|(_, cpu)| cpu).sum();
    let class = |(class, cpu_ns)| ClassCpu { class, cpu_ns, ratio: cpu_ns as f64 / all.max(1) as f64 };
    let mut classes: Vec<ClassCpu> = by_class.into_pairs().into_iter().filter(|(_, cpu)| *cpu > 0).map(class).collect();
    sort_by_key(&mut classes, |class| std::cmp::Reverse(class.cpu_ns));
    classes
}

fn stat_resources(profile: &Profile, rate: Rate) -> StatResources {
    let used = profile.manifest().resources.clone().unwrap_or_default();
    let ResourceUse { peak_rss_bytes, mean_rss_bytes, gc_count, gc_ns, .. } = used;
    let allocated_bytes = used.allocated_bytes.or_else(|| metric_total(profile, Metric::AllocBytes));
    let allocated_objects_count = used.allocated_objects_count.or_else(|| metric_total(profile, Metric::AllocCount));
    let switches = used.voluntary_switches.zip(used.involuntary_switches);
    StatResources {
        peak_rss_bytes,
        mean_rss_bytes,
        allocated_bytes,
        allocated_bytes_per_second: allocated_bytes.and_then(|bytes| rate.per_second(bytes as f64)),
        allocated_objects_count,
        allocated_objects_per_second: allocated_objects_count.and_then(|count| rate.per_second(count as f64)),
        gc_count,
        gc_ns,
        gc_ratio: gc_ns.and_then(|gc| rate.per_second(gc as f64)).map(|per_second| per_second / NANOS_PER_SECOND),
        voluntary_switches: used.voluntary_switches,
        involuntary_switches: used.involuntary_switches,
        switches_per_second: switches.and_then(|(a, b)| rate.per_second(a as f64 + b as f64)),
        minor_faults: used.minor_faults,
        major_faults: used.major_faults,
    }
}

/// The sums of each call over all threads and files, sorted by name.
fn calls_by_name(profile: &Profile, rate: Rate) -> Vec<StatCall> {
    let table = &profile.tables().syscalls;
    let mut by_name: OrderedMap<&str, (u64, u64, u64)> = OrderedMap::default();
    for row in 0..table.len() {
        let (calls, bytes, nanos) = by_name.at(&table.name[row], Default::default);
        *calls = calls.saturating_add(table.calls_count[row]);
        *bytes = bytes.saturating_add(table.bytes[row]);
        *nanos = nanos.saturating_add(table.duration_ns[row]);
    }
    let call = |(name, (calls_count, bytes, duration_ns)): (&str, (u64, u64, u64))| StatCall {
        call: name.to_owned(),
        calls_count,
        calls_per_second: rate.per_second(calls_count as f64),
        bytes_per_call: (bytes > 0 && calls_count > 0).then(|| bytes as f64 / calls_count as f64),
        duration_ns,
    };
    by_name.into_pairs().into_iter().map(call).collect()
}

/// All system calls. Missing if system calls were not counted.
pub(crate) fn syscall_totals(profile: &Profile) -> Option<StatSyscalls> {
    let rate = rate(profile);
    let table = &profile.tables().syscalls;
    if table.is_empty() {
        return None;
    }
    let sum = |column: &[u64]| column.iter().fold(0_u64, |sum, value| sum.saturating_add(*value));
    let (calls_count, bytes) = (sum(&table.calls_count), sum(&table.bytes));
    let mut transfers = Transfers::default();
    table.calls_count.iter().zip(&table.bytes).for_each(|(calls, bytes)| transfers.add(*calls as f64, *bytes as f64));
    let mut top_by_time = calls_by_name(profile, rate);
    keep_largest(&mut top_by_time, Window::first(TOP_CALLS), |call| call.duration_ns as f64, |call| call.call.clone());
    Some(StatSyscalls {
        calls_count,
        calls_per_second: rate.per_second(calls_count as f64),
        errors_count: sum(&table.errors_count),
        bytes,
        bytes_per_call: transfers.mean_bytes(),
        duration_ns: sum(&table.duration_ns),
        top_by_time,
    })
}

/// The number of work threads, and the sum of their times.
fn work_times(profile: &Profile) -> (u64, ThreadTimes) {
    times_of(profile, |_| true)
}

/// The sum of the times of active work threads. Idle threads are left out, because thread pools keep unused threads.
fn active_times(profile: &Profile) -> ThreadTimes {
    times_of(profile, |times| times.cpu_ns() as f64 >= ACTIVE_RATIO * times.observed_ns() as f64).1
}

/// The number of work threads that were observed while they waited, and an estimate of their blocked time by reason, the largest
/// first. Missing: the kernel counted the waits, or they were not observed.
fn estimated_waits(profile: &Profile) -> Option<(u64, Vec<ReasonTime>)> {
    let (manifest, weights) = (profile.manifest(), profile.all_weights());
    let all = manifest.metric_index(Metric::OffCpu).filter(|_| manifest.has_estimated_waits())?;
    let classes = profile.tables().threads.class.iter().enumerate();
    let work: Vec<usize> = classes.filter(|(_, class)| !class.is_jvm()).map(|(thread, _)| thread).collect();
    let of_reason = |(metric, definition): (usize, &MetricDefinition)| {
        let nanos: f64 = work.iter().map(|thread| weights.by_thread[metric][*thread]).sum();
        Some(ReasonTime { reason: definition.reason?, duration_ns: nanos as u64 })
    };
    let mut times: Vec<ReasonTime> = manifest.metrics.iter().enumerate().filter_map(of_reason).collect();
    sort_by_key(&mut times, |time| (std::cmp::Reverse(time.duration_ns), time.reason));
    let count = work.iter().filter(|thread| weights.by_thread[all][**thread] > 0.0).count();
    Some((count as u64, times))
}

fn times_of(profile: &Profile, is_wanted: impl Fn(&ThreadTimes) -> bool) -> (u64, ThreadTimes) {
    let (mut count, mut sum) = (0, ThreadTimes::default());
    let classes = &profile.tables().threads.class;
    for (times, class) in thread_times(profile.tables()).iter().zip(classes) {
        if let Some(times) = times.as_ref().filter(|times| !class.is_jvm() && is_wanted(times)) {
            count += 1;
            sum.add(times);
        }
    }
    (count, sum)
}

fn unit_rates(profile: &Profile, rate: Rate) -> Vec<UnitRate> {
    let units = profile.manifest().units_of_work.iter();
    units
        .map(|unit| UnitRate {
            name: unit.name.clone(),
            amount: unit.amount,
            per_second: rate.per_second(unit.amount),
            source: unit.source.clone(),
        })
        .collect()
}

fn counter_summaries(profile: &Profile) -> Vec<CounterSummary> {
    let table = &profile.tables().counters;
    let mut readings: OrderedMap<&str, Vec<(u64, f64)>> = OrderedMap::default();
    for row in 0..table.len() {
        readings.at(&table.counter[row], Vec::new).push((table.time_ns[row], table.value[row]));
    }
    readings.into_pairs().into_iter().map(|(counter, readings)| CounterSummary::new(counter, readings)).collect()
}

/// A thread is active if its CPU time is at least this share of its life. Other threads only wait for work.
const ACTIVE_RATIO: f64 = 0.01;

const NANOS_PER_SECOND: f64 = 1e9;

/// Turns amounts into rates.
#[derive(Debug, Clone, Copy)]
struct Rate {
    real_ns: u64,
}

impl Rate {
    /// Missing if no time has passed.
    fn per_second(self, amount: f64) -> Option<f64> {
        (self.real_ns > 0).then(|| amount * NANOS_PER_SECOND / self.real_ns as f64)
    }
}

impl CounterSummary {
    /// Summarizes the readings of a counter. There must be at least one reading.
    fn new(counter: &str, mut readings: Vec<(u64, f64)>) -> Self {
        sort_by_key(&mut readings, |(time_ns, _)| *time_ns);
        let values = || readings.iter().map(|(_, value)| *value);
        Self {
            counter: counter.to_owned(),
            readings_count: readings.len() as u64,
            mean: values().sum::<f64>() / readings.len() as f64,
            smallest: values().fold(f64::INFINITY, f64::min),
            largest: values().fold(f64::NEG_INFINITY, f64::max),
            first: readings.first().map_or(0.0, |(_, value)| *value),
            last: readings.last().map_or(0.0, |(_, value)| *value),
        }
    }
}
