//! The table of threads: what the samples say of each, beside what the scheduler counted.

use crate::functions::{ValueShape, keep_first, keep_largest};
use crate::metrics::{Column, ColumnKind};
use crate::profile::totals;
use crate::query::{Preamble, Query, Values};
use crate::{AnalysisError, Profile};
use serde::Serialize;
use whittle_model::{CpuSplitSource, Table, ThreadClass};

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
    /// Number of rows without a limit.
    pub row_count: usize,
    /// Threads with samples, or with exact CPU time where there is no filter.
    pub rows: Vec<ThreadRow>,
}

/// One thread.
#[derive(Debug, Clone, Serialize)]
pub struct ThreadRow {
    /// Name; empty: not known.
    pub thread: String,
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
    /// First seen alive, since the start. Missing: not known.
    pub start_ns: Option<u64>,
    /// Seen to have ended, since the start. Missing: alive at the end, or not known.
    pub end_ns: Option<u64>,
    /// Its values from the samples.
    #[serde(flatten)]
    pub values: Values,
}

impl Profile {
    /// The table of threads.
    ///
    /// # Errors
    /// An unknown metric, or a filter that names what is not there.
    pub fn threads(&self, query: &Query) -> Result<ThreadsView, AnalysisError> {
        let columns = self.columns(ColumnKind::Plain, query)?;
        let weights = self.weights(query)?;
        let value = |column: &Column, thread: usize| weights.by_thread[column.metric_index][thread];
        let table = &self.tables().threads;
        let is_shown = |thread: &usize| {
            weights.samples_by_thread[*thread] > 0
                || query.filter.is_none() && table.cpu_ns[*thread].is_some_and(|exact| exact > 0)
        };
        let mut threads: Vec<usize> = (0..table.len()).filter(is_shown).collect();
        let name = |thread: &usize| table.name[*thread].as_str();
        let row_count = threads.len();
        match &columns.sort {
            Some(column) => keep_largest(&mut threads, query.limit, |thread| value(column, *thread), name),
            None => keep_first(&mut threads, query.limit, name),
        }
        let totals = totals(&weights);
        let shape = ValueShape::new(&columns.shown, |column| totals[column.metric_index]);
        let rows = threads.into_iter().map(|thread| {
            let values = shape.values(|column| value(column, thread));
            self.thread_row(thread, weights.samples_by_thread[thread], values)
        });
        Ok(ThreadsView {
            preamble: self.preamble("threads", query, (&columns, &weights)),
            total: shape.values(|column| totals[column.metric_index]),
            recorded_samples_count: weights.sample_count(),
            row_count,
            rows: rows.collect(),
            columns: columns.shown,
        })
    }

    fn thread_row(&self, thread: usize, recorded_samples_count: u64, values: Values) -> ThreadRow {
        let table = &self.tables().threads;
        ThreadRow {
            thread: table.name[thread].clone(),
            class: table.class[thread],
            process_id: table.process_id[thread],
            thread_id: table.thread_id[thread],
            recorded_samples_count,
            exact_cpu_ns: table.cpu_ns[thread],
            exact_user_cpu_ns: table.user_cpu_ns[thread],
            exact_system_cpu_ns: table.system_cpu_ns[thread],
            exact_cpu_split: table.cpu_split[thread],
            start_ns: table.start_ns[thread],
            end_ns: table.end_ns[thread],
            values,
        }
    }
}
