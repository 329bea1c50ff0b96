//! The layout of a program's use of the machine: labels and sentences, the system calls with the most time, and the
//! advice.

use crate::stat::view::{ClassCpu, CounterSummary, StatSyscalls, StatView};
use crate::transfers::mean_in_words;
use whittle_model::SYSTEM_COUNTERS;
use whittle_profile::amounts::{count, decimal, seconds, with_commas};
use whittle_profile::thread_times::ReasonTime;
use whittle_render::View;
use whittle_render::layout::note_line;
use whittle_render::{Cell, Head, Sheet, SheetRow};

/// The counter of the heap. It is shown on the line for memory.
const HEAP: &str = "heap_used_bytes";

/// Smallest share that is shown. A smaller share would be shown as 0 %.
const SHOWN_STOLEN: f64 = 0.005;

/// Shortest time that is shown. A shorter time would be shown as 0.000 s.
const SHOWN_NS: u64 = 500_000;

impl View for StatView {
    /// CSV has one row per field.
    fn sheet(&self) -> Sheet {
        let value = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let whole = |number: Option<u64>| number.map_or(String::new(), |number| number.to_string());
        let used = &self.resources;
        let mut fields = vec![
            ("real_ns".to_owned(), self.real_ns.to_string()),
            ("user_ns".to_owned(), whole(self.user_ns)),
            ("system_ns".to_owned(), whole(self.system_ns)),
            ("peak_rss_bytes".to_owned(), whole(used.peak_rss_bytes)),
            ("mean_rss_bytes".to_owned(), whole(used.mean_rss_bytes)),
            ("allocated_bytes".to_owned(), whole(used.allocated_bytes)),
            ("allocated_objects_count".to_owned(), whole(used.allocated_objects_count)),
            ("gc_count".to_owned(), whole(used.gc_count)),
            ("gc_ns".to_owned(), whole(used.gc_ns)),
            ("voluntary_switches".to_owned(), whole(used.voluntary_switches)),
            ("involuntary_switches".to_owned(), whole(used.involuntary_switches)),
            ("minor_faults".to_owned(), whole(used.minor_faults)),
            ("major_faults".to_owned(), whole(used.major_faults)),
            ("run_queue_ns".to_owned(), whole(self.run_queue_ns)),
        ];
        if let Some(calls) = &self.syscalls {
            fields.push(("syscalls_count".to_owned(), calls.calls_count.to_string()));
            fields.push(("syscalls_bytes_per_call".to_owned(), value(calls.bytes_per_call)));
        }
        fields.extend(
            self.blocked_by_reason
                .iter()
                .map(|time| (format!("blocked_{}_ns", time.reason), time.duration_ns.to_string())),
        );
        fields.extend(self.units_of_work.iter().map(|unit| (format!("{}_amount", unit.name), unit.amount.to_string())));
        fields.push(("advice_rule".to_owned(), self.advice.rule.to_owned()));
        let heads = vec![Head::text("field", "field"), Head::text("value", "value")];
        let rows = fields.into_iter().map(|(field, value)| row([&field, &value]));
        Sheet { heads, rows: rows.collect(), ..Sheet::default() }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let command = (!self.command.is_empty()).then(|| format!("Command: {}", self.command.join(" ")));
        let lines = self.lines();
        let mut sheets = vec![Sheet {
            heading: command.into_iter().collect(),
            heads: vec![Head::text("", ""), Head::text("", "")],
            rows: lines.iter().map(|(label, text)| row([&format!("{label}:"), text])).collect(),
            footer: Vec::new(),
        }];
        sheets.extend(self.syscalls.as_ref().map(calls_sheet));
        let notes = self.preamble.notes.iter().map(|note| note_line(note));
        let heading = notes.chain([format!("Next: {}", self.advice.text)]).collect();
        sheets.push(Sheet { heading, ..Sheet::default() });
        sheets
    }
}

fn row(texts: [&str; 2]) -> SheetRow {
    SheetRow { cells: texts.map(|text| Cell::Text(text.to_owned())).to_vec(), ..SheetRow::default() }
}

impl StatView {
    /// Label and text of each line. Unknown values have no line.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let real = match self.cpu_count {
            Some(1) => format!("{} s on 1 CPU", seconds(self.real_ns as f64)),
            Some(count) => format!("{} s on {count} CPUs", seconds(self.real_ns as f64)),
            None => format!("{} s", seconds(self.real_ns as f64)),
        };
        let lines = [
            ("Real", Some(real)),
            ("User", self.user_ns.map(|nanos| cpu_time(nanos, self.user_ratio))),
            ("System", self.system_ns.map(|nanos| cpu_time(nanos, self.system_ratio))),
            ("CPU by threads", self.classes_in_words()),
            ("Memory", self.memory_in_words()),
            ("Allocation", self.allocation_in_words()),
            ("GC", self.gc_in_words()),
            ("JVM", self.jvm_in_words()),
            ("Switches", self.switches_in_words()),
            ("Page faults", self.faults_in_words()),
            ("Blocked", self.blocked_in_words()),
            ("System calls", self.syscalls.as_ref().map(calls_in_words)),
            ("Machine", self.machine_in_words()),
        ];
        let known = lines.into_iter().filter_map(|(label, text)| Some((label, text?)));
        known.chain(self.work_in_words().into_iter().map(|text| ("Work done", text))).collect()
    }

    fn classes_in_words(&self) -> Option<String> {
        let class = |class: &ClassCpu| {
            format!("{} {} s ({:.1} %)", class.class, seconds(class.cpu_ns as f64), class.ratio * 100.0)
        };
        joined(self.cpu_by_class.iter().map(class))
    }

    fn memory_in_words(&self) -> Option<String> {
        let heap = self.counters.iter().find(|counter| counter.counter == HEAP);
        joined(
            [
                self.resources.peak_rss_bytes.map(|bytes| format!("peak {}", megabytes(bytes as f64))),
                self.resources.mean_rss_bytes.map(|bytes| format!("mean {}", megabytes(bytes as f64))),
                heap.map(|heap| format!("Java heap up to {}", megabytes(heap.largest))),
            ]
            .into_iter()
            .flatten(),
        )
    }

    fn allocation_in_words(&self) -> Option<String> {
        let used = &self.resources;
        let bytes = used.allocated_bytes?;
        let rate = used.allocated_bytes_per_second.map_or(String::new(), |rate| format!(" ({}/s)", megabytes(rate)));
        let objects = used.allocated_objects_count.map(|objects| {
            let rate = used.allocated_objects_per_second.map_or(String::new(), |rate| format!(" ({}/s)", count(rate)));
            format!(", {} objects{rate}", count(objects as f64))
        });
        Some(format!("{}{rate}{}, estimated from samples", megabytes(bytes as f64), objects.unwrap_or_default()))
    }

    fn gc_in_words(&self) -> Option<String> {
        let used = &self.resources;
        let time = used.gc_ns.map(|nanos| {
            let share = used.gc_ratio.map_or(String::new(), |ratio| format!(" ({:.1} % of real)", ratio * 100.0));
            format!("{} s{share}", seconds(nanos as f64))
        });
        joined(
            [used.gc_count.map(|number| format!("{} collections", count(number as f64))), time].into_iter().flatten(),
        )
    }

    /// Work of the JVM other than executing the program and collecting garbage: counters that only grow. If the program ran
    /// before, only the growth since the first reading is part of the measurement.
    fn jvm_in_words(&self) -> Option<String> {
        let is_whole = self.exit.is_some();
        let grown = |name: &str| {
            let counter = self.counters.iter().find(|counter| counter.counter == name)?;
            // One reading of a running program shows no growth.
            let is_known = is_whole || counter.readings_count > 1;
            is_known.then(|| (counter.last - if is_whole { 0.0 } else { counter.first }).max(0.0))
        };
        let counted = |name, words| grown(name).map(|number| format!("{} {words}", count(number)));
        let time = |name| grown(name).map(seconds);
        let took = |what: Option<String>, time: Option<String>| {
            let time = time.map(|time| format!(" in {time} s")).unwrap_or_default();
            what.map(|what| format!("{what}{time}"))
        };
        let parts = [
            took(counted("class_count", "classes loaded"), time("class_loading_ns")),
            time("compilation_ns").map(|time| format!("compiler {time} s")),
            took(counted("safepoint_count", "safepoints"), time("safepoint_ns")),
        ];
        joined(parts.into_iter().flatten())
    }

    fn switches_in_words(&self) -> Option<String> {
        let used = &self.resources;
        let rate = used.switches_per_second.map(|rate| format!("{}/s", count(rate)));
        joined(
            [
                used.voluntary_switches.map(|number| format!("{} voluntary", count(number as f64))),
                used.involuntary_switches.map(|number| format!("{} involuntary", count(number as f64))),
                rate,
            ]
            .into_iter()
            .flatten(),
        )
    }

    fn faults_in_words(&self) -> Option<String> {
        let used = &self.resources;
        let minor = used.minor_faults.map(|number| format!("{} minor", count(number as f64)));
        joined([minor, used.major_faults.map(|number| format!("{} major", count(number as f64)))].into_iter().flatten())
    }

    fn blocked_in_words(&self) -> Option<String> {
        let queue = self.run_queue_ns.map(|nanos| format!("; waiting for a CPU {} s", seconds(nanos as f64)));
        let reasons = reasons_in_words(&self.blocked_by_reason)?;
        let threads = match self.work_threads_count {
            1 => "of one work thread".to_owned(),
            count => format!("total of {count} work threads"),
        };
        let source = if queue.is_some() { "" } else { ", estimated from samples" };
        Some(format!("{reasons}{}; {threads}{source}", queue.unwrap_or_default()))
    }

    fn machine_in_words(&self) -> Option<String> {
        let mean =
            |name: &str| self.counters.iter().find(|counter| counter.counter == name).map(|counter| counter.mean);
        let stolen = mean("machine_stolen_ratio").filter(|ratio| *ratio >= SHOWN_STOLEN);
        let stolen =
            stolen.map_or(String::new(), |ratio| format!(", {:.0} % taken by its host (steal)", ratio * 100.0));
        Some(format!("{:.0} % of its CPUs' time busy{stolen}", mean("machine_busy_ratio")? * 100.0))
    }

    fn work_in_words(&self) -> Vec<String> {
        let units = self.units_of_work.iter().map(|unit| {
            let rate = unit.per_second.map_or(String::new(), |rate| format!(" ({}/s)", decimal(rate, 1)));
            format!("{} {}{rate}, {}", with_commas(&unit.amount.to_string()), unit.name, unit.source)
        });
        let is_unit =
            |name: &str| self.units_of_work.iter().any(|unit| name.strip_suffix("_count") == Some(&unit.name));
        let is_own = |counter: &&CounterSummary| {
            !SYSTEM_COUNTERS.contains(&counter.counter.as_str()) && !is_unit(&counter.counter)
        };
        let counters = self.counters.iter().filter(is_own).map(|counter| {
            let CounterSummary { counter, readings_count, mean, smallest, largest, last, .. } = counter;
            let [mean, smallest, largest, last] = [mean, smallest, largest, last].map(|value| decimal(*value, 1));
            format!(
                "{counter} {mean} on average, {smallest} to {largest}, last {last} ({} readings)",
                count(*readings_count as f64)
            )
        });
        units.chain(counters).collect()
    }
}

/// A text such as `futex 7.500 s, socket 0.100 s`. Missing if no reason is shown.
pub(crate) fn reasons_in_words(reasons: &[ReasonTime]) -> Option<String> {
    let shown = reasons.iter().filter(|time| time.duration_ns >= SHOWN_NS);
    joined(shown.map(|time| format!("{} {} s", time.reason.words(), seconds(time.duration_ns as f64))))
}

fn joined(parts: impl Iterator<Item = String>) -> Option<String> {
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn cpu_time(nanos: u64, ratio: Option<f64>) -> String {
    let share = ratio.map_or(String::new(), |ratio| format!(" ({:.1} % of real × CPUs)", ratio * 100.0));
    format!("{} s{share}", seconds(nanos as f64))
}

fn megabytes(bytes: f64) -> String {
    format!("{} MB", decimal(bytes / 1e6, 1))
}

pub(crate) fn calls_in_words(calls: &StatSyscalls) -> String {
    let rate = calls.calls_per_second.map_or(String::new(), |rate| format!(" ({}/s)", count(rate)));
    let mean = calls.bytes_per_call.map(|bytes| format!(", {}", mean_in_words(bytes)));
    let errors = match calls.errors_count {
        0 => String::new(),
        errors => format!(", {} errors", count(errors as f64)),
    };
    format!("{}{rate}{}{errors}", count(calls.calls_count as f64), mean.unwrap_or_default())
}

fn calls_sheet(calls: &StatSyscalls) -> Sheet {
    let rows = calls.top_by_time.iter().map(|call| SheetRow {
        cells: vec![
            Cell::Nanos(call.duration_ns as f64),
            Cell::Count(call.calls_count as f64),
            Cell::Decimal(call.calls_per_second),
            Cell::Decimal(call.bytes_per_call),
            Cell::Text(call.call.clone()),
        ],
        ..SheetRow::default()
    });
    Sheet {
        heads: vec![
            Head { is_sorted: true, ..Head::number("time s", "duration_ns") },
            Head::number("calls", "calls_count"),
            Head::number("calls/s", "calls_per_second"),
            Head::number("bytes/call", "bytes_per_call"),
            Head::text("system call", "call"),
        ],
        rows: rows.collect(),
        ..Sheet::default()
    }
}
