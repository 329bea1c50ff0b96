//! The layout of the table of threads.
//!
//! With thread states from the kernel, the table has a second line of heads, and only as many columns as fit next to a
//! thread's name. CSV and JSON have all columns.

use crate::pool_rows::name_in_text;
use crate::threads::{ThreadRow, ThreadsView};
use whittle_model::CpuSplitSource;
use whittle_profile::thread_times::ReasonTime;
use whittle_render::View;
use whittle_render::layout::{TOTAL, footer, heading, heads, with_total_row};
use whittle_render::{Cell, Head, Sheet, SheetRow};

/// Largest number of reasons with a separate column in text. All other reasons share one column.
const SHOWN_REASONS: usize = 3;
/// Reasons with less than this share of the blocked time have no separate column.
const SHOWN_RATIO: f64 = 0.001;

impl View for ThreadsView {
    fn sheet(&self) -> Sheet {
        let mut own = self.exact_heads();
        own.extend(self.blocked_heads());
        own.extend(self.name_heads());
        let rows = self.rows.iter().map(|row| SheetRow::new(&row.values, self.cells(row)));
        let mut total = vec![Cell::Count(self.recorded_samples_count as f64)];
        total.resize(own.len() - 1, Cell::Text(String::new()));
        total.push(Cell::Text(TOTAL.to_owned()));
        let total = Cell::metrics(&self.total).into_iter().chain(total).collect();
        Sheet {
            heading: heading("Threads", &self.preamble, &self.total),
            heads: heads(&self.columns, &self.preamble, own),
            rows: with_total_row(total, rows),
            footer: self.footer(),
        }
    }
}

impl ThreadsView {
    fn has_states(&self) -> bool {
        self.rows.iter().any(|row| row.blocked_ns.is_some())
    }

    /// Columns without known values are left out, because they would only widen the text.
    fn exact_heads(&self) -> Vec<Head> {
        let has_exact = self.rows.iter().any(|row| row.exact_cpu_ns.is_some());
        let has_split = self.rows.iter().any(|row| row.exact_user_cpu_ns.is_some());
        let has_states = self.has_states();
        let head = |title: &str, field: &str| match (has_states, title.strip_prefix("exact ")) {
            (true, title_below) => Head::number_below("exact", title_below.unwrap_or(title), field),
            (false, _) => Head::number(title, field),
        };
        vec![
            Head { is_csv_only: has_states, ..Head::number("samples", "recorded_samples_count") },
            Head { is_csv_only: !has_exact, ..head("exact CPU s", "exact_cpu_ns") },
            Head { is_csv_only: !has_split, ..head("user s", "exact_user_cpu_ns") },
            Head { is_csv_only: !has_split, ..head("system s", "exact_system_cpu_ns") },
            Head { is_csv_only: !has_states, ..Head::number_below("run", "queue s", "run_queue_ns") },
            Head { is_csv_only: true, ..Head::number("", "blocked_ns") },
        ]
    }

    /// Number of reasons with a separate column in text.
    fn shown_reasons(&self) -> usize {
        let all_ns: f64 = self.blocked_by_reason.iter().map(|time| time.duration_ns as f64).sum();
        let is_worth_it = |time: &&ReasonTime| time.duration_ns as f64 >= SHOWN_RATIO * all_ns;
        self.blocked_by_reason.iter().take(SHOWN_REASONS).take_while(is_worth_it).count()
    }

    fn blocked_heads(&self) -> Vec<Head> {
        let shown = self.shown_reasons();
        let reasons = self.blocked_by_reason.iter().map(|time| time.reason).enumerate().map(|(index, reason)| Head {
            is_csv_only: index >= shown,
            ..Head::number_below("blocked", &format!("{} s", reason.words()), &format!("blocked_{reason}_ns"))
        });
        let has_rest = shown < self.blocked_by_reason.len();
        let rest = Head { is_text_only: true, ..Head::number_below("blocked", "rest s", "") };
        reasons.chain(has_rest.then_some(rest)).collect()
    }

    fn name_heads(&self) -> [Head; 7] {
        let has_ids = self.rows.iter().any(|row| row.thread_id.is_some());
        let thread_id = if self.has_states() {
            Head::number_below("thread", "id", "thread_id")
        } else {
            Head::number("thread id", "thread_id")
        };
        [
            Head { is_csv_only: !has_ids, ..thread_id },
            Head::text("class", "class"),
            Head::csv_only("thread_index"),
            Head::csv_only("pool"),
            Head::csv_only("threads_count"),
            Head::csv_only("thread"),
            Head { is_text_only: true, ..Head::text("thread", "thread") },
        ]
    }

    fn cells(&self, row: &ThreadRow) -> Vec<Cell> {
        let nanos = |nanos: Option<u64>| nanos.map_or(Cell::Missing, |nanos| Cell::Nanos(nanos as f64));
        let mut cells = vec![
            Cell::Count(row.recorded_samples_count as f64),
            nanos(row.exact_cpu_ns),
            nanos(row.exact_user_cpu_ns),
            nanos(row.exact_system_cpu_ns),
            nanos(row.run_queue_ns),
            nanos(row.blocked_ns),
        ];
        // A pool of a comparison has threads of several runs, so their number has no meaning.
        let is_pool = row.is_pool && self.preamble.comparison.is_none();
        let has_states = row.blocked_ns.is_some();
        let blocked =
            |time: &ReasonTime| has_states.then(|| row.blocked_by_reason_ns.get(&time.reason).copied().unwrap_or(0));
        cells.extend(self.blocked_by_reason.iter().map(|time| nanos(blocked(time))));
        let rest = &self.blocked_by_reason[self.shown_reasons()..];
        if !rest.is_empty() {
            cells.push(nanos(has_states.then(|| rest.iter().filter_map(blocked).sum())));
        }
        cells.extend([
            row.thread_id.map_or(Cell::Missing, |id| Cell::Drawn { text: id.to_string(), raw: id.to_string() }),
            Cell::Text(row.class.to_string()),
            Cell::Text(row.thread_index.to_string()),
            Cell::Text(row.pool.clone().unwrap_or_default()),
            Cell::Text(row.threads_count.to_string()),
            Cell::Text(row.thread.clone()),
            Cell::Text(name_in_text(&row.thread, row.threads_count, (is_pool, row.depth))),
        ]);
        cells
    }

    fn footer(&self) -> Vec<String> {
        let mut footer = footer(&self.preamble, self.rows.len(), self.row_count);
        if self.rows.iter().any(|row| row.exact_cpu_split == CpuSplitSource::KernelTicks) {
            footer.push(EXACT_SPLIT.to_owned());
        }
        if self.preamble.comparison.is_none() && self.rows.iter().any(|row| row.is_pool) {
            footer.push(POOL_SUMS.to_owned());
        }
        if self.preamble.filter.is_some() {
            let what = if self.has_states() { "Exact CPU, run queue and blocked time are" } else { "Exact CPU is" };
            footer.push(format!("{what} of the whole experiment. The filter does not apply to them."));
        }
        footer
    }
}

/// The note on rows of pools.
const POOL_SUMS: &str = "A row of several threads is a pool; its values are sums. --pools open also shows its threads.";

/// The note on a thread's exact user and system time.
const EXACT_SPLIT: &str = "Exact CPU is from the scheduler. Its split into user and system comes from timer ticks, so it \
                           is right on average only.";
