//! The layout of a timeline: one line per thread or pool with one character per bin. CSV has one row per line, bin and
//! state.

use crate::pool_rows::name_in_text;
use crate::timeline::{TimelineSource, TimelineView};
use whittle_profile::amounts::seconds;
use whittle_render::View;
use whittle_render::layout::footer;
use whittle_render::{Cell, Head, Sheet, SheetRow};

/// Bars from almost no CPU to full CPU.
const CPU_BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// If a bin has less CPU than this share, it shows the reason of the wait.
const SHOWN_CPU_RATIO: f64 = 1.0 / 16.0;
/// Letters for the states without CPU time, and their words in the legend.
const MARKS: [(&str, char, &str); 16] = [
    ("run_queue", 'q', "waits for a CPU"),
    ("preemption", 'q', "waits for a CPU"),
    ("quota", 'u', "CPU quota"),
    ("futex", 'f', "futex"),
    ("socket", 's', "socket"),
    ("pipe", 'p', "pipe"),
    ("poll", 'o', "poll"),
    ("file", 'd', "file"),
    ("sleep", 'z', "sleep"),
    ("page_fault", 'g', "page fault"),
    ("memory_limit", 'm', "memory limit"),
    ("stopped", 't', "stopped"),
    ("lock", 'l', "Java lock"),
    ("other", 'x', "other"),
    ("wall", 'w', "executing or not"),
    ("idle", '·', "idle"),
];

/// The notes on rows of groups and pools.
const GROUP_MEANS: &str = "A row of several threads is a group or a pool: its line shows the mean over its threads, its times \
                           are sums. --pools open also shows its rows.";
const POOL_MEANS: &str = "A row of several threads is a pool: its line shows the mean over its threads, its times are \
                          sums. --pools open also shows its threads.";

impl View for TimelineView {
    fn sheet(&self) -> Sheet {
        let heads = ["thread_row", "thread", "bin", "start_ns", "state", "ns", "is_pool", "is_group"];
        let header = &self.header;
        let rows = self.rows().map(|row| {
            let start_ns = header.from_ns as f64 + row.bin as f64 * header.bin_ns;
            let cells = vec![
                Cell::Count(row.thread as f64),
                Cell::Text(row.name.to_owned()),
                Cell::Count(row.bin as f64),
                Cell::Count(start_ns),
                Cell::Text(row.state.to_owned()),
                Cell::Count(f64::from(row.ns)),
                Cell::Text(row.is_pool.to_string()),
                Cell::Text(row.is_group.to_string()),
            ];
            SheetRow { cells, ..SheetRow::default() }
        });
        Sheet {
            heads: heads.into_iter().map(|field| Head::text(field, field)).collect(),
            rows: rows.collect(),
            ..Sheet::default()
        }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let header = &self.header;
        let sorted = |head: Head| Head { is_sorted: head.field == header.preamble.sorted_by, ..head };
        let has_blocked = header.threads.iter().any(|thread| thread.blocked_ns > 0.0);
        let heads = vec![
            sorted(Head::number("CPU s", "cpu_ns")),
            Head { is_csv_only: !has_blocked, ..sorted(Head::number("blocked s", "blocked_ns")) },
            Head::text("class", "class"),
            Head::text(&self.axis(), "strip"),
            sorted(Head::text("thread", "name")),
        ];
        let rows = header.threads.iter().enumerate().map(|(index, thread)| {
            let cells = vec![
                Cell::Nanos(thread.cpu_ns),
                Cell::Nanos(thread.blocked_ns),
                Cell::Text(thread.class.to_string()),
                Cell::Text(self.strip(index)),
                Cell::Text(name_in_text(
                    &thread.name,
                    thread.threads_count,
                    (thread.is_pool || thread.is_group, thread.depth),
                )),
            ];
            SheetRow { cells, ..SheetRow::default() }
        });
        let rows = self.stopped_row().into_iter().chain(rows);
        let mut footer = footer(&header.preamble, header.threads.len(), header.row_count);
        footer.extend(self.legend());
        if header.threads.iter().any(|thread| thread.is_group) {
            footer.push(GROUP_MEANS.to_owned());
        } else if header.threads.iter().any(|thread| thread.is_pool) {
            footer.push(POOL_MEANS.to_owned());
        }
        vec![Sheet { heading: self.heading(), heads, rows: rows.collect(), footer }]
    }
}

impl TimelineView {
    fn heading(&self) -> Vec<String> {
        let header = &self.header;
        let source = match header.source {
            TimelineSource::ThreadStates => "counted by the kernel",
            TimelineSource::Samples => "from samples",
        };
        let mut lines = vec![format!(
            "Timeline of {} s to {} s, {} bins of {} s, {source}",
            seconds(header.from_ns as f64),
            seconds(header.to_ns as f64),
            header.bins,
            seconds(header.bin_ns)
        )];
        lines.extend(header.preamble.filter.as_ref().map(|filter| format!("Only times that match {filter}")));
        lines
    }

    /// When all threads were stopped, as bars of the share of each bin.
    fn stopped_row(&self) -> Option<SheetRow> {
        let bins = self.stopped_bins()?;
        let total: f64 = bins.iter().map(|ns| f64::from(*ns)).sum();
        let strip = bins.iter().map(|ns| if *ns > 0.0 { bar(f64::from(*ns) / self.header.bin_ns) } else { ' ' });
        let cells = vec![
            Cell::Missing,
            Cell::Nanos(total),
            Cell::Text("jvm".to_owned()),
            Cell::Text(strip.collect()),
            Cell::Text("<all threads stopped>".to_owned()),
        ];
        Some(SheetRow { cells, ..SheetRow::default() })
    }

    /// The times at both ends of the strips, if they fit.
    fn axis(&self) -> String {
        let header = &self.header;
        let (from, to) = (seconds(header.from_ns as f64), seconds(header.to_ns as f64));
        match header.bins.checked_sub(from.len() + to.len()) {
            Some(room) if room > 0 => format!("{from}{}{to}", " ".repeat(room)),
            _ => from,
        }
    }

    /// One character per bin: the mean over the threads of the row.
    fn strip(&self, row: usize) -> String {
        let lanes = self.header.threads[row].lanes_count as f64;
        let bins: Vec<&[f32]> = (0..self.header.states.len()).map(|state| self.bins_of(row, state)).collect();
        (0..self.header.bins).map(|bin| self.mark(|state| f64::from(bins[state][bin]) / lanes)).collect()
    }

    /// The height of the CPU time, or the letter of the state with the most time.
    fn mark(&self, ns: impl Fn(usize) -> f64) -> char {
        let states = &self.header.states;
        let of_cpu = |state: &usize| matches!(states[*state].name, "user" | "system" | "cpu");
        let cpu_ratio = (0..states.len()).filter(of_cpu).map(&ns).sum::<f64>() / self.header.bin_ns;
        let longest = (0..states.len()).filter(|state| !of_cpu(state)).max_by(|a, b| ns(*a).total_cmp(&ns(*b)));
        match longest.filter(|state| ns(*state) > 0.0) {
            Some(state) if cpu_ratio < SHOWN_CPU_RATIO => mark_of(states[state].name).map_or('x', |mark| mark.1),
            _ if cpu_ratio > 0.0 => bar(cpu_ratio),
            _ => ' ',
        }
    }

    /// The meaning of the characters that can occur.
    fn legend(&self) -> Option<String> {
        let mut words: Vec<String> = Vec::new();
        for state in &self.header.states {
            let word = match mark_of(state.name) {
                Some((_, mark, meaning)) => format!("{mark} {meaning}"),
                None => "▁ to █ CPU time".to_owned(),
            };
            if !words.contains(&word) {
                words.push(word);
            }
        }
        (!words.is_empty()).then(|| format!("{}; blank: not observed", words.join(", ")))
    }
}

/// A bar whose height is a share.
fn bar(ratio: f64) -> char {
    CPU_BARS[((ratio * 8.0).ceil() as usize).clamp(1, 8) - 1]
}

fn mark_of(state: &str) -> Option<(&'static str, char, &'static str)> {
    MARKS.into_iter().find(|(name, _, _)| *name == state)
}
