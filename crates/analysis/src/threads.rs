//! The table of threads: what the samples say of each, beside what the scheduler counted.

use crate::functions::{ValueShape, keep_first, keep_largest};
use crate::metrics::{Column, ColumnKind};
use crate::ordered_map::OrderedMap;
use crate::profile::totals;
use crate::query::{Preamble, Query, Values};
use crate::thread_times::{ReasonTime, ThreadTimes, thread_times};
use crate::{AnalysisError, Profile};
use serde::Serialize;
use std::collections::BTreeMap;
use whittle_model::{CpuSplitSource, Table, ThreadClass, WaitReason};

/// The answer of [`Profile::threads`].
#[derive(Debug, Clone, Serialize)]
pub struct ThreadsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// The columns of `total` and of each row.
    pub columns: Vec<Column>,
    /// The values of all samples: what percentages are of.
    pub total: Values,
    /// Samples of all threads, whatever the limit.
    pub recorded_samples_count: u64,
    /// Why threads were blocked, counted by the kernel, all threads together, the largest first, whatever the filter.
    pub blocked_by_reason: Vec<ReasonTime>,
    /// Number of rows without a limit.
    pub row_count: usize,
    /// Threads with samples, or with exact times where there is no filter.
    pub rows: Vec<ThreadRow>,
}

/// One thread.
#[derive(Debug, Clone, Serialize)]
pub struct ThreadRow {
    /// Row of the threads table: what `thread = #12` means in a filter.
    pub thread_index: usize,
    /// Name; empty: not known.
    pub thread: String,
    /// True if it has a name and no other thread of the experiment has that: `thread = "main"` in a filter means it alone.
    pub has_own_name: bool,
    /// Kind of work.
    pub class: ThreadClass,
    /// Process id. Missing: not known.
    pub process_id: Option<u32>,
    /// Operating system thread id. Missing: not known.
    pub thread_id: Option<u32>,
    /// Number of samples, of whatever event.
    pub recorded_samples_count: u64,
    /// CPU time from the scheduler, whatever the filter. Missing: not measured.
    pub exact_cpu_ns: Option<u64>,
    /// User part of it. Missing: not measured.
    pub exact_user_cpu_ns: Option<u64>,
    /// System part of it. Missing: not measured.
    pub exact_system_cpu_ns: Option<u64>,
    /// Where that split is from.
    pub exact_cpu_split: CpuSplitSource,
    /// Time in which it was able to execute and no CPU was free, exact, whatever the filter. Missing: not measured.
    pub run_queue_ns: Option<u64>,
    /// Time in which it was blocked, exact, whatever the filter. Missing: not measured.
    pub blocked_ns: Option<u64>,
    /// That time by reason; reasons that did not occur in this thread are left out.
    pub blocked_by_reason_ns: BTreeMap<WaitReason, u64>,
    /// First seen alive, since the start. Missing: not known.
    pub start_ns: Option<u64>,
    /// Seen to have ended, since the start. Missing: alive at the end, or not known.
    pub end_ns: Option<u64>,
    /// Its values from the samples.
    #[serde(flatten)]
    pub values: Values,
}

/// Threads that share a row; at least one.
type ThreadGroup = Vec<usize>;

/// A thread's name with numbers as `#`: threads of a pool differ in them only.
pub(crate) fn without_digits(name: &str) -> String {
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

impl Profile {
    /// True if the thread has a name and no other one has that.
    pub(crate) fn has_own_name(&self, thread: usize) -> bool {
        let names = &self.tables().threads.name;
        let compute = || {
            let mut by_name: Vec<usize> = (0..names.len()).collect();
            by_name.sort_by_key(|row| names[*row].as_str());
            let mut is_own = vec![false; names.len()];
            for alike in by_name.chunk_by(|a, b| names[*a] == names[*b]) {
                is_own[alike[0]] = alike.len() == 1 && !names[alike[0]].is_empty();
            }
            is_own
        };
        self.own_names().get_or_init(compute)[thread]
    }

    /// The table of threads.
    ///
    /// # Errors
    /// An unknown metric, or a filter that names what is not there.
    pub fn threads(&self, query: &Query) -> Result<ThreadsView, AnalysisError> {
        let weights = self.weights(query)?;
        let mut columns = self.columns(ColumnKind::Plain, query, &weights)?;
        let times = thread_times(self.tables());
        if query.metrics.is_none() && times.iter().any(Option::is_some) {
            // The kernel's own figure of system CPU stands beside, and there are many columns.
            columns.shown.retain(|column| column.metric != "system_cpu" || columns.sort.as_ref() == Some(column));
        }
        let table = &self.tables().threads;
        let is_shown = |thread: &usize| {
            weights.samples_by_thread[*thread] > 0
                || !Self::is_selective(query)
                    && (table.cpu_ns[*thread].is_some_and(|exact| exact > 0) || times[*thread].is_some())
        };
        let mut threads = self.grouped((0..table.len()).filter(is_shown));
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
                [thread] if self.comparison().is_none() => {
                    self.thread_row(*thread, samples_count, (values, times[*thread].as_ref()))
                }
                _ => self.thread_group_row(group[0], samples_count, values),
            }
        });
        let mut all_times = ThreadTimes::default();
        times.iter().flatten().for_each(|times| all_times.add(times));
        Ok(ThreadsView {
            preamble: self.preamble("threads", query, (&columns, &weights)),
            total: shape.values(|column| totals[column.metric_index]),
            recorded_samples_count: weights.sample_count(),
            blocked_by_reason: all_times.by_reason(),
            row_count,
            rows: rows.collect(),
            columns: columns.shown,
        })
    }

    /// Each thread by itself; in a comparison those of one name together, whatever numbers it has.
    fn grouped(&self, threads: impl Iterator<Item = usize>) -> Vec<ThreadGroup> {
        if self.comparison().is_none() {
            return threads.map(|thread| vec![thread]).collect();
        }
        let table = &self.tables().threads;
        let mut groups: OrderedMap<(String, bool), ThreadGroup> = OrderedMap::default();
        for thread in threads {
            let name = without_digits(&table.name[thread]);
            groups.at((name, table.class[thread].is_jvm()), Vec::new).push(thread);
        }
        groups.into_pairs().into_iter().map(|(_, group)| group).collect()
    }

    /// The row of threads of one name; the kernel's figures of different runs are not added up.
    fn thread_group_row(&self, first: usize, recorded_samples_count: u64, values: Values) -> ThreadRow {
        let thread = without_digits(&self.tables().threads.name[first]);
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
            ..self.thread_row(first, recorded_samples_count, (values, None))
        }
    }

    fn thread_row(
        &self,
        thread: usize,
        recorded_samples_count: u64,
        (values, times): (Values, Option<&ThreadTimes>),
    ) -> ThreadRow {
        let by_reason = times.map(ThreadTimes::by_reason).unwrap_or_default();
        let table = &self.tables().threads;
        ThreadRow {
            thread_index: thread,
            thread: table.name[thread].clone(),
            has_own_name: self.has_own_name(thread),
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
}
