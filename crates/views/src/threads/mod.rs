//! The table of threads: values from samples next to the scheduler's counts.

mod bias;
mod text;
use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;
use whittle_model::{CpuSplitSource, Table, ThreadClass, WaitReason};
use whittle_profile::AnalysisError;
use whittle_profile::metrics::{Column, ColumnKind};
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Preamble, Query, Values};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::thread_times::{ReasonTime, ThreadTimes, thread_times};
use whittle_profile::value_shape::ValueShape;
use whittle_profile::{Profile, totals};

/// The definition of this view. Its answer is [`ThreadsView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "threads",
        answer: |on, asked| {
            let NoKeys {} = keys(asked)?;
            Ok(Answered::view(threads(on.profile, on.query)?))
        },
    },
    not_compared: None,
    command: Some(Command::table("Threads with their CPU time and their waits")),
};

/// The answer of [`threads`](threads()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ThreadsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `total` and of each row.
    pub columns: Vec<Column>,
    /// The values of all samples. They are the base of percentages.
    pub total: Values,
    /// Number of samples of all threads. It does not depend on the limit.
    pub recorded_samples_count: u64,
    /// Blocked time of all threads by reason, as counted by the kernel, the largest first. The filter is ignored.
    pub blocked_by_reason: Vec<ReasonTime>,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// Threads with samples. Without a filter, threads with exact times are also included.
    pub rows: Vec<ThreadRow>,
}

/// One thread.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ThreadRow {
    /// Row of the threads table, as in the filter `thread = #12`.
    pub thread_index: usize,
    /// The thread's name. Empty if unknown.
    pub thread: String,
    /// True if no other thread of the experiment has this name. A filter such as `thread = "main"` then selects only
    /// this thread.
    pub has_own_name: bool,
    /// Kind of work.
    pub class: ThreadClass,
    /// Process id. Missing if unknown.
    pub process_id: Option<u32>,
    /// Operating system thread id. Missing if unknown.
    pub thread_id: Option<u32>,
    /// Number of samples of any event.
    pub recorded_samples_count: u64,
    /// CPU time from the scheduler. The filter is ignored. Missing if not measured.
    pub exact_cpu_ns: Option<u64>,
    /// User part of `exact_cpu_ns`. Missing if not measured.
    pub exact_user_cpu_ns: Option<u64>,
    /// System part of `exact_cpu_ns`. Missing if not measured.
    pub exact_system_cpu_ns: Option<u64>,
    /// The source of the split into user and system time.
    pub exact_cpu_split: CpuSplitSource,
    /// Exact time in which the thread could execute but no CPU was free. The filter is ignored. Missing if not
    /// measured.
    pub run_queue_ns: Option<u64>,
    /// Exact time in which the thread was blocked. The filter is ignored. Missing if not measured.
    pub blocked_ns: Option<u64>,
    /// Blocked time by reason. Reasons that did not occur in this thread are left out.
    pub blocked_by_reason_ns: BTreeMap<WaitReason, u64>,
    /// When the thread was first seen alive, in nanoseconds since the experiment's start. Missing if unknown.
    pub start_ns: Option<u64>,
    /// When the end of the thread was seen, in nanoseconds since the experiment's start. Missing if the thread was
    /// alive at the end, or if the time is unknown.
    pub end_ns: Option<u64>,
    /// The thread's values from the samples.
    #[serde(flatten)]
    pub values: Values,
}

/// The threads that share a row. There is at least one.
type ThreadGroup = Vec<usize>;

/// A thread's name with `#` for each number. The names of a pool's threads differ only in these numbers.
pub fn without_digits(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '0'..='9' if out.ends_with('#') => {}
            '0'..='9' => out.push('#'),
            other => out.push(other),
        }
    }
    out
}

/// Whether each thread has a name that no other thread has. This is computed at the first request.
#[derive(Default)]
struct OwnNames(OnceLock<Vec<bool>>);

/// True if the thread has a name that no other thread has.
pub(crate) fn has_own_name(profile: &Profile, thread: usize) -> bool {
    let names = &profile.tables().threads.name;
    let compute = || {
        let mut by_name: Vec<usize> = (0..names.len()).collect();
        by_name.sort_by_key(|row| names[*row].as_str());
        let mut is_own = vec![false; names.len()];
        for alike in by_name.chunk_by(|a, b| names[*a] == names[*b]) {
            is_own[alike[0]] = alike.len() == 1 && !names[alike[0]].is_empty();
        }
        is_own
    };
    profile.kept::<OwnNames>().0.get_or_init(compute)[thread]
}

/// The table of threads.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn threads(profile: &Profile, query: &Query) -> Result<ThreadsView, AnalysisError> {
    let weights = profile.weights(query)?;
    let mut columns = profile.columns(ColumnKind::Plain, query, &weights)?;
    let times = thread_times(profile.tables());
    if query.metrics.is_none() && times.iter().any(Option::is_some) {
        // Another column already shows the kernel's value of system CPU, and the table has many columns.
        columns.shown.retain(|column| column.metric != "system_cpu" || columns.sort.as_ref() == Some(column));
    }
    let table = &profile.tables().threads;
    let is_shown = |thread: &usize| {
        weights.samples_by_thread[*thread] > 0
            || !Profile::is_selective(query)
                && (table.cpu_ns[*thread].is_some_and(|exact| exact > 0) || times[*thread].is_some())
    };
    let mut threads = grouped(profile, (0..table.len()).filter(is_shown));
    let value = |column: &Column, group: &ThreadGroup| {
        group.iter().fold(0.0, |sum, thread| sum + weights.by_thread[column.metric_index][*thread])
    };
    let name = |group: &ThreadGroup| (table.name[group[0]].clone(), group[0]);
    let row_count = threads.len();
    match &columns.sort {
        Some(column) => {
            let rank = |group: &ThreadGroup| column.rank(|column| value(column, group));
            keep_largest(&mut threads, query.window(), rank, name);
        }
        None => keep_first(&mut threads, query.window(), name),
    }
    let totals = totals(&weights);
    let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
    let rows = threads.into_iter().map(|group| {
        let values = shape.values(|column| value(column, &group));
        let samples_count = group.iter().fold(0, |sum, thread| sum + weights.samples_by_thread[*thread]);
        match group.as_slice() {
            [thread] if profile.comparison().is_none() => {
                thread_row(profile, *thread, samples_count, (values, times[*thread].as_ref()))
            }
            _ => thread_group_row(profile, group[0], samples_count, values),
        }
    });
    let mut all_times = ThreadTimes::default();
    times.iter().flatten().for_each(|times| all_times.add(times));
    let mut preamble = profile.preamble("threads", query, (&columns, &weights));
    if !Profile::is_selective(query) && profile.comparison().is_none() {
        preamble.notes.extend(bias::note(profile));
    }
    Ok(ThreadsView {
        preamble,
        total: shape.values(|column| totals[column.metric_index]),
        recorded_samples_count: weights.sample_count(),
        blocked_by_reason: all_times.by_reason(),
        row_count,
        rows: rows.collect(),
        columns: columns.shown,
    })
}

/// Each thread is one row. In a comparison, threads with names that differ only in numbers are one row.
fn grouped(profile: &Profile, threads: impl Iterator<Item = usize>) -> Vec<ThreadGroup> {
    if profile.comparison().is_none() {
        return threads.map(|thread| vec![thread]).collect();
    }
    let table = &profile.tables().threads;
    let mut groups: OrderedMap<(String, bool), ThreadGroup> = OrderedMap::default();
    for thread in threads {
        let name = without_digits(&table.name[thread]);
        groups.at((name, table.class[thread].is_jvm()), Vec::new).push(thread);
    }
    groups.into_pairs().into_iter().map(|(_, group)| group).collect()
}

/// One row for several threads with names that differ only in numbers. The kernel's values of different runs are not
/// added up.
fn thread_group_row(profile: &Profile, first: usize, recorded_samples_count: u64, values: Values) -> ThreadRow {
    let thread = without_digits(&profile.tables().threads.name[first]);
    ThreadRow {
        thread,
        has_own_name: false,
        process_id: None,
        thread_id: None,
        exact_cpu_ns: None,
        exact_user_cpu_ns: None,
        exact_system_cpu_ns: None,
        start_ns: None,
        end_ns: None,
        ..thread_row(profile, first, recorded_samples_count, (values, None))
    }
}

fn thread_row(
    profile: &Profile,
    thread: usize,
    recorded_samples_count: u64,
    (values, times): (Values, Option<&ThreadTimes>),
) -> ThreadRow {
    let by_reason = times.map(ThreadTimes::by_reason).unwrap_or_default();
    let table = &profile.tables().threads;
    ThreadRow {
        thread_index: thread,
        thread: table.name[thread].clone(),
        has_own_name: has_own_name(profile, thread),
        class: table.class[thread],
        process_id: table.process_id[thread],
        thread_id: table.thread_id[thread],
        recorded_samples_count,
        exact_cpu_ns: table.cpu_ns[thread].or(times.map(ThreadTimes::cpu_ns)),
        exact_user_cpu_ns: table.user_cpu_ns[thread].or(times.map(|times| times.user_ns)),
        exact_system_cpu_ns: table.system_cpu_ns[thread].or(times.map(|times| times.system_ns)),
        exact_cpu_split: table.cpu_split[thread],
        run_queue_ns: times.map(|times| times.run_queue_ns),
        blocked_ns: times.map(ThreadTimes::all_blocked_ns),
        blocked_by_reason_ns: by_reason.into_iter().map(|time| (time.reason, time.duration_ns)).collect(),
        start_ns: table.start_ns[thread],
        end_ns: table.end_ns[thread],
        values,
    }
}
