//! The layout of the overview: sentences, then the top functions.

use crate::overview::OverviewView;
use crate::overview::calibration::CalibrationLine;
#[cfg(not(target_arch = "wasm32"))]
use crate::overview::time_breakdown::TimeBreakdown;
#[cfg(not(target_arch = "wasm32"))]
use crate::processes::ProcessLine;
use crate::stat::text::{calls_in_words, reasons_in_words};
use whittle_model::{CollectorStatus, ExitStatus, Jvm, ResourceUse, State};
use whittle_profile::amounts::{amount, count, seconds};
use whittle_render::View;
use whittle_render::layout::{heads, note_line, percent_base, selection};
use whittle_render::{Cell, Head, Sheet, SheetRow, harmless};

/// Number of processes in the text. The JSON has all.
#[cfg(not(target_arch = "wasm32"))]
const SHOWN_PROCESSES: usize = 6;

impl View for OverviewView {
    /// CSV has one row per field: totals, closure, losses, counts.
    fn sheet(&self) -> Sheet {
        let ratio = |ratio: Option<f64>| Cell::Ratio(ratio).raw();
        let mut fields = vec![
            ("duration_ns".to_owned(), self.duration_ns.to_string()),
            ("samples_count".to_owned(), self.samples_count.to_string()),
            ("threads_count".to_owned(), self.threads_count.to_string()),
            ("closure_ratio".to_owned(), ratio(self.closure_ratio)),
            ("coverage_ratio".to_owned(), ratio(self.coverage_ratio)),
        ];
        let totals = self.columns.iter().zip(Cell::metrics(&self.totals));
        fields.extend(totals.map(|(column, cell)| (column.field(), cell.raw())));
        fields.extend(self.losses.iter().map(|line| {
            let loss = &line.loss;
            (format!("lost_{}_count", loss.reason), loss.count.to_string())
        }));
        fields.extend(
            self.blocked_by_reason
                .iter()
                .map(|time| (format!("blocked_{}_ns", time.reason), time.duration_ns.to_string())),
        );
        fields.extend(self.run_queue_ns.map(|nanos| ("run_queue_ns".to_owned(), nanos.to_string())));
        fields.extend(self.syscalls.as_ref().map(|calls| ("syscalls_count".to_owned(), calls.calls_count.to_string())));
        let row = |(field, value): (String, String)| SheetRow {
            cells: vec![Cell::Text(field), Cell::Text(value)],
            is_emphasized: false,
            is_text_only: false,
        };
        let heads = vec![Head::text("field", "field"), Head::text("value", "value")];
        Sheet { heads, rows: fields.into_iter().map(row).collect(), ..Sheet::default() }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let mut heading = self.what_it_is();
        heading.push(String::new());
        heading.extend(self.what_is_explained());
        heading.push(String::new());
        heading.extend(self.collectors_in_words());
        heading.extend(self.resources.as_ref().map(resources_in_words));
        heading.extend(
            self.units_of_work.iter().map(|unit| format!("Work done: {} {} ({})", unit.amount, unit.name, unit.source)),
        );
        let mut sheets = vec![Sheet { heading, ..Sheet::default() }];
        if let Some(first) = self.top_functions.first() {
            let rows = self.top_functions.iter();
            sheets.push(Sheet {
                heading: [format!("Top functions, {} mode", self.preamble.mode)]
                    .into_iter()
                    .chain(percent_base(&first.values, "of all samples shown"))
                    .collect(),
                heads: heads(&first.values.columns, &self.preamble, [Head::text("function", "function")]),
                rows: rows.map(|row| SheetRow::new(&row.values, [Cell::Text(row.function.clone())])).collect(),
                footer: Vec::new(),
            });
        }
        let notes = self.preamble.notes.iter().map(|note| note_line(note));
        if let Some(last) = sheets.last_mut() {
            last.footer.extend(notes);
        }
        sheets
    }
}

impl OverviewView {
    fn what_it_is(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.command.is_empty() {
            lines.push(format!("Command: {}", self.command.join(" ")));
        }
        lines.extend(self.jvms());
        if let Some(host) = &self.host {
            lines.push(format!("Host: {}, {} CPUs, Linux {}", host.name, host.cpu_count, host.kernel));
        }
        let end = match (self.state, self.exit) {
            (State::Incomplete, _) => {
                " (incomplete: the collection is still running or was killed, so the last seconds might be missing)"
            }
            (State::Complete, Some(ExitStatus::Code(0)) | None) => "",
            (State::Complete, Some(ExitStatus::Code(_))) => " (the program failed)",
            (State::Complete, Some(ExitStatus::Signal(_))) => " (a signal ended the program)",
        };
        lines.push(format!("Elapsed time: {} s{end}", seconds(self.duration_ns as f64)));
        lines.push(format!("Written by: {} {}", self.written_by.name, self.written_by.version).trim_end().to_owned());
        lines.extend(selection(&self.preamble));
        lines
    }

    fn what_is_explained(&self) -> Vec<String> {
        let [sampled, seen] = [self.threads_count, self.seen_threads_count].map(|threads| count(threads as f64));
        let threads = if sampled == seen { seen } else { format!("{sampled} of {seen}") };
        let mut lines = vec![format!("Samples: {} in {threads} threads", count(self.samples_count as f64))];
        lines.extend(self.totals_in_words());
        #[cfg(not(target_arch = "wasm32"))]
        lines.extend(self.processes_in_words());
        #[cfg(not(target_arch = "wasm32"))]
        lines.extend(self.time_breakdown.iter().flat_map(TimeBreakdown::in_words));
        lines.extend(self.why_no_system_cpu.clone());
        if self.preamble.filter.is_some() {
            lines.push(
                "Closure, counted values, missing data and resources refer to the whole experiment, not only to the filter's samples."
                    .to_owned(),
            );
        }
        lines.push(self.closure_in_words());
        lines.extend(self.own_cost_in_words());
        #[cfg(not(target_arch = "wasm32"))]
        lines.extend(self.stack_cost_in_words());
        lines.extend(self.counted_in_words());
        lines.extend(self.pauses_in_words());
        lines.extend(self.calibration_in_words());
        lines.extend(self.not_counted.iter().map(|what| format!("Not counted: {what}")));
        if self.losses.is_empty() {
            lines.push("Missing data: no losses were counted".to_owned());
        } else {
            lines.push("Missing data, by reason:".to_owned());
            lines.extend(self.losses.iter().map(|line| {
                let loss = &line.loss;
                let cpu = loss.cpu_ns.map(|cpu| format!(", {} s CPU", seconds(cpu as f64)));
                let bytes = loss.input_bytes.map(|bytes| format!(", {bytes} bytes of the input"));
                let amounts = [cpu, bytes].into_iter().flatten().collect::<String>();
                format!("  {} × {}{amounts}: {}", count(loss.count as f64), loss.reason, line.description)
            }));
        }
        lines
    }

    /// The JVM, or each JVM if processes have different ones.
    fn jvms(&self) -> Vec<String> {
        let words = |jvm: &Jvm| format!("{} {}", jvm.name, jvm.version).trim_end().to_owned();
        #[cfg(not(target_arch = "wasm32"))]
        {
            let lines = || self.processes.iter().filter_map(|line| Some((line, line.jvm.as_ref()?)));
            if lines().any(|(_, jvm)| self.jvm.as_ref().is_none_or(|main| words(main) != words(jvm))) {
                let line = |(line, jvm): (&ProcessLine, &Jvm)| format!("JVM of {}: {}", line.title(), words(jvm));
                return lines().take(SHOWN_PROCESSES).map(line).collect();
            }
        }
        self.jvm.iter().map(|jvm| format!("JVM: {}", words(jvm))).collect()
    }

    /// The processes with the most CPU time, if there are several.
    #[cfg(not(target_arch = "wasm32"))]
    fn processes_in_words(&self) -> Option<String> {
        let (shown, rest) = self.processes.split_at(self.processes.len().min(SHOWN_PROCESSES));
        let word = |line: &ProcessLine| format!("{} {} s", line.title(), seconds(line.cpu_ns as f64));
        let mut words: Vec<String> = shown.iter().map(word).collect();
        if !rest.is_empty() {
            let rest_ns: u64 = rest.iter().map(|line| line.cpu_ns).sum();
            words.push(format!("{} more {} s", rest.len(), seconds(rest_ns as f64)));
        }
        (!shown.is_empty()).then(|| format!("Processes, counted CPU: {}", words.join(", ")))
    }

    /// The sums of the metrics. Metrics of single waiting reasons are on a separate line.
    fn totals_in_words(&self) -> Vec<String> {
        let metrics = || self.columns.iter().zip(&self.totals.numbers);
        let amounts: Vec<String> = metrics()
            .filter(|(column, _)| column.reason.is_none())
            .map(|(column, total)| amount(column, *total))
            .collect();
        let by_reason = metrics().filter_map(|(column, total)| Some((column.reason?, *total)));
        let reasons: Vec<String> =
            by_reason.map(|(reason, total)| format!("{} {} s", reason.words(), seconds(total))).collect();
        let totals = (!amounts.is_empty()).then(|| format!("Totals, from samples: {}", amounts.join(", ")));
        let blocked = (!reasons.is_empty()).then(|| format!("Blocked, from samples: {}", reasons.join(", ")));
        totals.into_iter().chain(blocked).collect()
    }

    /// The kernel's counts other than CPU time.
    fn counted_in_words(&self) -> Vec<String> {
        let queue = self.run_queue_ns.map(|nanos| format!("waiting for a CPU {} s", seconds(nanos as f64)));
        let blocked = reasons_in_words(&self.blocked_by_reason).into_iter().chain(queue).collect::<Vec<_>>().join(", ");
        let blocked =
            (!blocked.is_empty()).then(|| format!("Blocked, counted by the kernel: {blocked}, total of all threads"));
        let calls = self.syscalls.as_ref().map(|calls| {
            let top = calls.top_by_time.iter().take(SHOWN_CALLS);
            let top: Vec<String> =
                top.map(|call| format!("{} {} s", call.call, seconds(call.duration_ns as f64))).collect();
            format!("System calls: {}; most time in {}", calls_in_words(calls), top.join(", "))
        });
        blocked.into_iter().chain(calls).collect()
    }

    /// `JVM pauses: all threads were stopped for 1.158 s (37.87 % of the time) in 265 safepoints, the longest 81.0 ms; …`.
    fn pauses_in_words(&self) -> Option<String> {
        let stopped = self.safepoints?;
        let millis = |nanos: u64| format!("{:.1} ms", nanos as f64 / 1e6);
        let share = 100.0 * stopped.duration_ns as f64 / self.duration_ns.max(1) as f64;
        let collector = self.gc_pauses.map(|pauses| {
            let (time, longest) = (seconds(pauses.duration_ns as f64), millis(pauses.longest_ns));
            format!("; this includes {} GC pauses with {time} s, the longest {longest}", pauses.events_count)
        });
        Some(format!(
            "JVM pauses: all threads were stopped for {} s ({share:.2} % of the time) in {} safepoints, the longest {}{}",
            seconds(stopped.duration_ns as f64),
            stopped.events_count,
            millis(stopped.longest_ns),
            collector.unwrap_or_default()
        ))
    }

    fn calibration_in_words(&self) -> Option<String> {
        let lines: Vec<String> = self.calibration.iter().map(calibration_line).collect();
        (!lines.is_empty()).then(|| format!("Counted ÷ sampled: {}", lines.join(", ")))
    }

    fn closure_in_words(&self) -> String {
        let (Some(closure), Some(rooted)) = (&self.closure, self.closure_ratio) else {
            return "Closure unknown: the kernel did not count CPU time".to_owned();
        };
        let exact = seconds(closure.exact_cpu_ns as f64);
        let (rooted, covered) = (Cell::Ratio(Some(rooted)).shown(), Cell::Ratio(self.coverage_ratio).shown());
        let split = match (closure.exact_user_ns, closure.exact_system_ns) {
            (Some(user), Some(system)) => {
                let (user, system) = (seconds(user as f64), seconds(system as f64));
                format!(". The kernel's own split, from timer ticks: {user} s user, {system} s system")
            }
            _ => String::new(),
        };
        format!(
            "Closure: samples with a complete stack explain {rooted} % of the {exact} s CPU that the scheduler counted; \
             samples of any stack cover {covered} %{split}"
        )
    }

    fn own_cost_in_words(&self) -> Option<String> {
        let own = self.whittle_cpu_ns.filter(|own| *own > 0)? as f64;
        let exact = self.closure.as_ref().map(|closure| closure.exact_cpu_ns as f64).filter(|exact| *exact > 0.0)?;
        let share = Cell::Ratio(Some(own / exact)).shown();
        Some(format!("Whittle's own BPF programs used {} s ({share} %) of this CPU time", seconds(own)))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn stack_cost_in_words(&self) -> Option<String> {
        let whittle_model::StackCost { handlers_count, cpu_ns } = self.stack_cost?;
        let exact = self.closure.as_ref().map(|closure| closure.exact_cpu_ns as f64).filter(|exact| *exact > 0.0)?;
        let (time, share) = (seconds(cpu_ns as f64), Cell::Ratio(Some(cpu_ns as f64 / exact)).shown());
        let handlers = count(handlers_count as f64);
        Some(format!(
            "The profiler's signal handlers, which take the stacks, used {time} s ({share} %) of this CPU time in {handlers} \
             calls, without the kernel's work for signals"
        ))
    }

    fn collectors_in_words(&self) -> Vec<String> {
        let collectors = self.collectors.iter();
        collectors
            .map(|collector| {
                let verb = match collector.status {
                    CollectorStatus::Used => "Collected by",
                    CollectorStatus::Unavailable => "Not available:",
                };
                let interval = collector.interval_ns.map(|nanos| format!(" every {} ms", nanos as f64 / 1e6));
                let reason = Some(&collector.reason).filter(|reason| !reason.is_empty());
                let reason = reason.map(|reason| format!(": {reason}"));
                let (name, engine) = (&collector.name, &collector.engine);
                format!("{verb} {name}, engine {engine}{}{}", interval.unwrap_or_default(), reason.unwrap_or_default())
            })
            .collect()
    }
}

/// Number of system calls that are named in the overview.
const SHOWN_CALLS: usize = 3;

/// A text such as `syscalls 1.010 (worker 1.250)`. The thread has the largest deviation.
fn calibration_line(line: &CalibrationLine) -> String {
    let factor = |factor: Option<f64>| factor.map_or("not sampled".to_owned(), |factor| format!("{factor:.3}"));
    let farthest = line.farthest_thread.as_ref().filter(|_| line.farthest_factor != line.factor);
    let farthest = farthest.map(|thread| format!(" ({} {})", harmless(thread), factor(line.farthest_factor)));
    format!("{} {}{}", line.metric, factor(line.factor), farthest.unwrap_or_default())
}

fn resources_in_words(used: &ResourceUse) -> String {
    let megabytes = |title: &str, bytes: Option<u64>| {
        bytes.map(|bytes| format!("{title} {} MB", Cell::Bytes(bytes as f64).shown()))
    };
    let counted = |title: &str, number: Option<u64>| number.map(|number| format!("{title} {}", count(number as f64)));
    let time = |title: &str, nanos: u64| Some(format!("{title} {} s", seconds(nanos as f64)));
    let parts = [
        time("real", used.real_ns),
        time("user", used.user_ns),
        time("system", used.system_ns),
        megabytes("peak memory", used.peak_rss_bytes),
        megabytes("mean memory", used.mean_rss_bytes),
        counted("voluntary context switches", used.voluntary_switches),
        counted("involuntary", used.involuntary_switches),
        counted("minor page faults", used.minor_faults),
        counted("major", used.major_faults),
        counted("garbage collections", used.gc_count),
        used.gc_ns.and_then(|nanos| time("in", nanos)),
        megabytes("allocated, estimated", used.allocated_bytes),
    ];
    format!("Resources: {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}
