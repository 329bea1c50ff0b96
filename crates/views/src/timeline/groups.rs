//! Rows that group the rows of threads and pools, by process, state or package.
//!
//! ```text
//! by pool (default)       by package, closed          by package, one group open
//! exec-# (8 threads)      com.acme.orders (9)         com.acme.orders (9)
//! orders-writer           org.apache.kafka (1)          exec-# (8 threads)
//! kafka-network                                         orders-writer
//!                                                     org.apache.kafka (1)
//! ```
//!
//! A pool belongs to one group: the one with the most time of its threads. Without rows of pools, each thread
//! has its own group. Reports have no such groups, because the lists of packages of libraries would make them larger.

use crate::pool_rows::ThreadLine;
use crate::processes::{ProcessLine, process_lines};
use crate::timeline::bins::TimeBins;
use crate::timeline::group_by::GroupBy;
use crate::timeline::idle_row::{Outer, TimelineLine};
use crate::timeline::order::Order;
use crate::timeline::source::Times;
use crate::timeline::states::STATES;
use crate::timeline::sums::Sums;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use whittle_model::{Resource, StackIndex, Table, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::query::Window;
use whittle_profile::ranking::keep_largest;
use whittle_profile::roles::{NamedPackages, Role, Roles, class_of};
use whittle_profile::samples::SampleKind;

/// The groups of threads without samples of times, and of code without a package.
const NO_SAMPLES: &str = "no sampled time";
const JVM: &str = "JVM";
const JDK: &str = "JDK";
const NATIVE: &str = "native code";
/// The parts of a package that name a group: `org.apache.kafka`.
const PACKAGE_PARTS: usize = 3;
/// A wait, or time that is either, counts only for threads without CPU time.
const WAIT_WEIGHT: f64 = 1e-9;

/// The groups of threads. A thread can have time in several groups, and has at least one.
pub(super) struct Groups {
    names: Vec<String>,
    /// By thread: groups, and the thread's time in them.
    times: Vec<Vec<(usize, f64)>>,
}

impl Groups {
    /// The groups of all threads. `None`: pools are the only groups, or there is only one group.
    pub(super) fn new(
        profile: &Profile,
        group_by: GroupBy,
        (times, bins): (&Times<'_>, TimeBins),
    ) -> Option<Arc<Self>> {
        match group_by {
            GroupBy::Pool | GroupBy::None => None,
            GroupBy::Process => Self::processes(profile).map(Arc::new),
            GroupBy::State => Some(Arc::new(Self::states(profile, times, bins))),
            GroupBy::Package => {
                let packages = profile.kept::<Packages>();
                Some(Arc::clone(packages.0.get_or_init(|| Arc::new(Self::packages(profile)))))
            }
        }
    }

    /// `None`: there is only one process.
    fn processes(profile: &Profile) -> Option<Self> {
        let lines = process_lines(profile);
        if lines.is_empty() {
            return None;
        }
        let numbers: FxHashMap<Option<u32>, usize> =
            lines.iter().enumerate().map(|(number, line)| (line.process_id, number)).collect();
        let times = profile.tables().threads.process_id.iter().map(|id| vec![(numbers[id], 1.0)]).collect();
        Some(Self { names: lines.iter().map(ProcessLine::title).collect(), times })
    }

    fn states(profile: &Profile, times: &Times<'_>, bins: TimeBins) -> Self {
        let mut sums = vec![[0.0; STATES.len()]; profile.tables().threads.len()];
        times.each(bins.from_ns, |found| sums[found.thread][found.state] += bins.spent_inside(found.range));
        let names = STATES.map(|(name, _)| words_of(name).to_owned()).to_vec();
        let times = sums.into_iter().map(|of| of.into_iter().enumerate().filter(|(_, ns)| *ns > 0.0).collect());
        Self { names, times: times.collect() }
    }

    fn packages(profile: &Profile) -> Self {
        let of_stack = packages_of_stacks(profile);
        let (samples, threads) = (profile.samples(), &profile.tables().threads);
        let durations_ns = samples.column(WeightColumn::DurationNs);
        let mut weights: Vec<FxHashMap<&str, f64>> = vec![FxHashMap::default(); threads.len()];
        for sample in 0..samples.kind.len() {
            let weight = match SampleKind::of_index(usize::from(samples.kind[sample])).event.resource() {
                Resource::CpuTime => 1.0,
                Resource::BlockedTime | Resource::LockTime | Resource::ElapsedTime => WAIT_WEIGHT,
                _ => continue,
            };
            let thread = samples.thread[sample].row();
            let is_jvm = threads.class[thread].is_jvm();
            let name = if is_jvm { JVM } else { of_stack[samples.observed[sample] as usize].as_str() };
            *weights[thread].entry(name).or_default() += weight * durations_ns[sample] as f64;
        }
        for (thread, weights) in weights.iter_mut().enumerate().filter(|(_, weights)| weights.is_empty()) {
            weights.insert(if threads.class[thread].is_jvm() { JVM } else { NO_SAMPLES }, 0.0);
        }
        Self::of_weights(weights.into_iter().map(|of| of.into_iter().map(|(name, ns)| (name.to_owned(), ns)).collect()))
    }

    fn of_weights(weights: impl Iterator<Item = Vec<(String, f64)>>) -> Self {
        let (mut names, mut numbers) = (Vec::new(), FxHashMap::default());
        let mut number = |name: String| {
            *numbers.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        };
        let times = weights.map(|of| of.into_iter().map(|(name, weight)| (number(name), weight)).collect()).collect();
        Self { names, times }
    }

    /// The group with the most time of some threads. Of equal groups, the first one by name.
    fn of_line(&self, line: &ThreadLine) -> usize {
        let mut sums: FxHashMap<usize, f64> = FxHashMap::default();
        let times = line.threads.iter().flat_map(|thread| &self.times[*thread]);
        times.for_each(|(group, time)| *sums.entry(*group).or_default() += time);
        let by_time = |a: &(usize, f64), b: &(usize, f64)| {
            a.1.total_cmp(&b.1).then_with(|| self.names[b.0].cmp(&self.names[a.0]))
        };
        sums.into_iter().max_by(by_time).map_or(0, |(group, _)| group)
    }
}

/// The groups by package. They depend neither on the filter nor on the shown range, so they are computed at the first request.
#[derive(Default)]
struct Packages(OnceLock<Arc<Groups>>);

/// The words for a state, as in the legend of the page.
fn words_of(state: &'static str) -> &'static str {
    match state {
        "user" => "user CPU",
        "system" => "system CPU",
        "cpu" => "CPU",
        "run_queue" => "waits for a CPU",
        "preemption" => "preempted",
        "quota" => "CPU quota",
        "page_fault" => "page fault",
        "memory_limit" => "memory limit",
        "other" => "other waiting",
        "lock" => "Java lock",
        "wall" => "executing or not",
        named => named,
    }
}

/// The group of each observed stack: the package of the innermost own method, else that of the innermost method of a library.
fn packages_of_stacks(profile: &Profile) -> Vec<String> {
    let tables = profile.tables();
    let roles = Roles::new(tables, &profile.manifest().command, NamedPackages::default()).of_function;
    let parent = |row: &StackIndex| Some(tables.stacks.parent[row.row()]).filter(|parent| parent.row() != 0);
    let function_of = |row: StackIndex| tables.frames.function[tables.stacks.frame[row.row()].row()].row();
    let package_of = |stack: &StackIndex| {
        let functions = || std::iter::successors(Some(*stack), parent).map(function_of);
        let with_role = |role: Role| functions().find(|function| roles[*function] == role);
        let method = with_role(Role::Own).or_else(|| with_role(Role::ThirdParty));
        match method {
            Some(function) => package_name(&tables.functions.internal_name[function]),
            None if with_role(Role::Jdk).is_some() => JDK.to_owned(),
            None => NATIVE.to_owned(),
        }
    };
    profile.observed_stacks().iter().map(package_of).collect()
}

/// The first parts of the package of a Java method, with dots.
fn package_name(internal_name: &str) -> String {
    let class = class_of(internal_name);
    let parts: Vec<&str> =
        class.rsplit_once('/').map_or(Vec::new(), |(package, _)| package.split('/').take(PACKAGE_PARTS).collect());
    if parts.is_empty() { "no package".to_owned() } else { parts.join(".") }
}

/// Moves rows into the rows of their groups. The row of idle threads stays at the end.
pub(super) fn with_groups(
    lines: Vec<TimelineLine>,
    (groups, is_open): (&Groups, impl Fn(&str) -> bool),
    (order, profile, sums): (Order, &Profile, &[Sums]),
) -> Vec<TimelineLine> {
    let mut members: FxHashMap<usize, Vec<TimelineLine>> = FxHashMap::default();
    let first_idle = lines.iter().position(|of| of.outer == Some(Outer::Idle)).unwrap_or(lines.len());
    let mut lines = lines;
    let idle = lines.split_off(first_idle);
    let mut group = 0;
    for TimelineLine { line, outer } in lines {
        // The rows of an open pool follow the row of their pool.
        if line.depth == 0 {
            group = groups.of_line(&line);
        }
        let line = ThreadLine { depth: line.depth + 1, ..line };
        members.entry(group).or_default().push(TimelineLine { line, outer });
    }
    let threads_of = |members: &[TimelineLine]| {
        let pools = members.iter().filter(|member| member.line.depth == 1);
        pools.flat_map(|member| member.line.threads.iter().copied()).collect::<Vec<usize>>()
    };
    let mut numbers: Vec<usize> = members.keys().copied().collect();
    let value = |number: &usize| order.value(&threads_of(&members[number]), profile, sums);
    keep_largest(&mut numbers, Window::ALL, value, |number| groups.names[*number].clone());
    let rows = numbers.into_iter().flat_map(|number| {
        let below = members.remove(&number).unwrap_or_default();
        let line = ThreadLine { threads: threads_of(&below), depth: 0 };
        let name = groups.names[number].clone();
        let is_open = is_open(&name);
        let row = TimelineLine { line, outer: Some(Outer::Group(name)) };
        std::iter::once(row).chain(below.into_iter().filter(move |_| is_open))
    });
    rows.chain(idle).collect()
}
