//! The table of threads: values from samples next to the scheduler's counts.

mod bias;
mod text;
use crate::definition::{Answered, Answerer, Command, ViewDefinition, keys};
use crate::pool_rows::{POOLS, PoolKeys, PoolRows, ThreadLine, thread_lines};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use whittle_model::{CpuSplitSource, Metric, Table, ThreadClass, WaitReason};
use whittle_profile::AnalysisError;
use whittle_profile::metrics::{Column, ColumnKind, Columns};
use whittle_profile::pools::threads_count;
use whittle_profile::query::{Preamble, Query, Values, Window};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::thread_times::{ReasonTime, ThreadTimes, thread_times};
use whittle_profile::value_shape::ValueShape;
use whittle_profile::weights::Weights;
use whittle_profile::{Profile, totals};

/// The definition of this view. Its answer is [`ThreadsView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "threads",
        answer: |on, asked| {
            let shape: ThreadsShape = keys(asked)?;
            Ok(Answered::view(threads(on.profile, on.query, &shape)?))
        },
    },
    not_compared: None,
    command: Some(Command {
        parameters: &[POOLS],
        ..Command::table("Threads and pools of threads, with their CPU time and their waits")
    }),
};

/// The rows of the table of threads.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ThreadsShape {
    /// Which rows the threads of pools have. A comparison always has a row for each pool.
    pub pools: PoolRows,
    /// Threads, by their row in the threads table. The pools of these threads are open.
    pub open: Vec<usize>,
}

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
    /// Number of threads in all rows, before the limit is applied. Those without samples are also counted.
    pub threads_count: u64,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// Threads with samples. Without a filter, threads with exact times are also included.
    pub rows: Vec<ThreadRow>,
}

/// A thread or a pool of threads.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ThreadRow {
    /// Row of the threads table, as in the filter `thread = #12`. For a pool: the row of its first thread, as in the
    /// filter `pool is #12`.
    pub thread_index: usize,
    /// The name of the thread or the pool. Empty if unknown.
    pub thread: String,
    /// True if no other thread or pool of the experiment has this name. A filter such as `thread = "main"` or
    /// `pool is "exec-#"` then selects only this row.
    pub has_own_name: bool,
    /// The name of the pool, as in the filter `pool is "pool-3-thread-#"`. Missing: the thread is in no pool.
    pub pool: Option<String>,
    /// True if the row represents a pool. Its values are sums over its threads.
    pub is_pool: bool,
    /// 1 for a thread below the row of its pool, otherwise 0.
    pub depth: usize,
    /// Number of threads that the row represents. It can be more than 1 even if the row is not a pool: short threads with
    /// similar names share a row of the threads table.
    pub threads_count: u64,
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

/// The table of threads. A pool is one row, unless `shape` says otherwise.
///
/// # Errors
/// The metric is unknown, or the filter contains an unknown name.
pub fn threads(profile: &Profile, query: &Query, shape: &ThreadsShape) -> Result<ThreadsView, AnalysisError> {
    let weights = profile.weights(query)?;
    let mut columns = profile.columns(ColumnKind::Plain, query, &weights)?;
    let times = thread_times(profile.tables());
    if query.metrics.is_none() && times.iter().any(Option::is_some) {
        // Another column already shows the kernel's value of system CPU, and the table has many columns.
        columns.shown.retain(|column| column.metric != "system_cpu" || columns.sort.as_ref() == Some(column));
    }
    if query.metrics.is_none() && profile.comparison().is_none() {
        add_estimated_waits(profile, &mut columns);
    }
    let table = &profile.tables().threads;
    let shown = seen_threads(profile, query, (&weights, &times));
    let value = |column: &Column, line: &ThreadLine| {
        line.threads.iter().fold(0.0, |sum, thread| sum + weights.by_thread[column.metric_index][*thread])
    };
    let name = |line: &ThreadLine| (line.name(profile), line.threads[0]);
    let sort = |lines: &mut Vec<ThreadLine>| match &columns.sort {
        Some(column) => keep_largest(lines, Window::ALL, |line| column.rank(|column| value(column, line)), name),
        None => keep_first(lines, Window::ALL, name),
    };
    let keys = PoolKeys { rows: shape.pools, open: &shape.open };
    let mut lines = thread_lines(profile, shown.iter().copied(), keys, sort);
    let row_count = lines.len();
    query.window().cut(&mut lines);
    let totals = totals(&weights);
    let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
    let rows = lines.iter().map(|line| {
        let samples_count = line.threads.iter().fold(0, |sum, thread| sum + weights.samples_by_thread[*thread]);
        let row = thread_row(profile, line, samples_count, shape.values(|column| value(column, line)));
        if profile.comparison().is_none() { counted(profile, &line.threads, &times, row) } else { row }
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
        threads_count: threads_count(table, &shown),
        row_count,
        rows: rows.collect(),
        columns: columns.shown,
    })
}

/// The threads with samples. Without a filter, also the threads that only the kernel counted.
pub(crate) fn seen_threads(
    profile: &Profile,
    query: &Query,
    (weights, times): (&Weights, &[Option<ThreadTimes>]),
) -> Vec<usize> {
    let table = &profile.tables().threads;
    let is_counted = |thread: usize| table.cpu_ns[thread].is_some_and(|exact| exact > 0) || times[thread].is_some();
    let is_whole = !Profile::is_selective(query);
    let is_seen = |thread: &usize| weights.samples_by_thread[*thread] > 0 || is_whole && is_counted(*thread);
    (0..table.len()).filter(is_seen).collect()
}

/// Adds the column with the estimate of blocked time. If the kernel counted the blocked time, other columns show it.
fn add_estimated_waits(profile: &Profile, columns: &mut Columns) {
    let manifest = profile.manifest();
    let index = manifest.metric_index(Metric::OffCpu).filter(|_| manifest.has_estimated_waits());
    let estimate = index.map(|index| Column::plain(&manifest.metrics, index));
    columns.shown.extend(estimate.filter(|column| !columns.shown.contains(column)));
}

/// The row of a thread or a pool, without the kernel's values. The kernel's values of different runs are not added up.
fn thread_row(profile: &Profile, line: &ThreadLine, recorded_samples_count: u64, values: Values) -> ThreadRow {
    let (table, first) = (&profile.tables().threads, line.threads[0]);
    ThreadRow {
        thread_index: line.index(profile),
        thread: line.name(profile).to_owned(),
        has_own_name: line.has_own_name(profile),
        pool: profile.pools().of_thread(first).map(|pool| pool.name.clone()),
        is_pool: line.pool(profile).is_some(),
        depth: line.depth,
        threads_count: threads_count(table, &line.threads),
        class: table.class[first],
        process_id: None,
        thread_id: None,
        recorded_samples_count,
        exact_cpu_ns: None,
        exact_user_cpu_ns: None,
        exact_system_cpu_ns: None,
        exact_cpu_split: table.cpu_split[first],
        run_queue_ns: None,
        blocked_ns: None,
        blocked_by_reason_ns: BTreeMap::new(),
        start_ns: None,
        end_ns: None,
        values,
    }
}

/// Adds the kernel's values: the sums over the threads of the row.
fn counted(profile: &Profile, threads: &[usize], times: &[Option<ThreadTimes>], row: ThreadRow) -> ThreadRow {
    let (table, first) = (&profile.tables().threads, threads[0]);
    let mut all_times: Option<ThreadTimes> = None;
    for times in threads.iter().filter_map(|thread| times[*thread].as_ref()) {
        all_times.get_or_insert_default().add(times);
    }
    let all_times = all_times.as_ref();
    let sum = |value: &dyn Fn(usize) -> Option<u64>| {
        threads.iter().filter_map(|thread| value(*thread)).reduce(u64::saturating_add)
    };
    let of_times = |thread: usize, value: fn(&ThreadTimes) -> u64| times[thread].as_ref().map(value);
    let by_reason = all_times.map(ThreadTimes::by_reason).unwrap_or_default();
    let have_ended = threads.iter().all(|thread| table.end_ns[*thread].is_some());
    ThreadRow {
        process_id: table.process_id[first],
        thread_id: table.thread_id[first].filter(|_| threads.len() == 1),
        exact_cpu_ns: sum(&|thread| table.cpu_ns[thread].or(of_times(thread, ThreadTimes::cpu_ns))),
        exact_user_cpu_ns: sum(&|thread| table.user_cpu_ns[thread].or(of_times(thread, |times| times.user_ns))),
        exact_system_cpu_ns: sum(&|thread| table.system_cpu_ns[thread].or(of_times(thread, |times| times.system_ns))),
        run_queue_ns: all_times.map(|times| times.run_queue_ns),
        blocked_ns: all_times.map(ThreadTimes::all_blocked_ns),
        blocked_by_reason_ns: by_reason.into_iter().map(|time| (time.reason, time.duration_ns)).collect(),
        start_ns: threads.iter().filter_map(|thread| table.start_ns[*thread]).min(),
        end_ns: threads.iter().filter_map(|thread| table.end_ns[*thread]).max().filter(|_| have_ended),
        ..row
    }
}
