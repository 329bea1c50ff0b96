//! How the overview is laid out: sentences, then the top functions.

use super::views::{amount, heads, percent_base};
use super::{Cell, Head, Sheet, SheetRow, View, seconds};
use crate::overview::OverviewView;
use whittle_model::{CollectorStatus, ExitStatus, ResourceUse, State};

impl View for OverviewView {
    /// In CSV one row a field: totals, closure and losses.
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
        let notes = self.preamble.notes.iter().map(|note| format!("Note: {note}"));
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
        if let Some(jvm) = &self.jvm {
            lines.push(format!("JVM: {} {}", jvm.name, jvm.version).trim_end().to_owned());
        }
        if let Some(host) = &self.host {
            lines.push(format!("Host: {}, {} CPUs, Linux {}", host.name, host.cpu_count, host.kernel));
        }
        let end = match (self.state, self.exit) {
            (State::Incomplete, _) => {
                " (incomplete: the collection did not come to its end, the last seconds may be missing)"
            }
            (State::Complete, Some(ExitStatus::Code(0)) | None) => "",
            (State::Complete, Some(ExitStatus::Code(_))) => " (the program failed)",
            (State::Complete, Some(ExitStatus::Signal(_))) => " (a signal ended the program)",
        };
        lines.push(format!("Elapsed time: {} s{end}", seconds(self.duration_ns as f64)));
        lines.push(format!("Written by: {} {}", self.written_by.name, self.written_by.version).trim_end().to_owned());
        lines.extend(self.preamble.filter.as_ref().map(|filter| format!("Only samples with {filter}")));
        lines
    }

    fn what_is_explained(&self) -> Vec<String> {
        let totals: Vec<String> =
            self.columns.iter().zip(&self.totals.numbers).map(|(column, total)| amount(column, *total)).collect();
        let mut lines = vec![format!("Samples: {} in {} threads", self.samples_count, self.threads_count)];
        if !totals.is_empty() {
            lines.push(format!("Totals: {}", totals.join(", ")));
        }
        lines.extend(self.why_no_system_cpu.clone());
        if self.preamble.filter.is_some() {
            lines.push(
                "Closure, missing data and resources are of the whole experiment, whatever the filter.".to_owned(),
            );
        }
        lines.push(self.closure_in_words());
        if self.losses.is_empty() {
            lines.push("Missing data: nothing was counted as lost".to_owned());
        } else {
            lines.push("Missing data, by reason:".to_owned());
            lines.extend(self.losses.iter().map(|line| {
                let loss = &line.loss;
                let cpu = loss.cpu_ns.map(|cpu| format!(", {} s CPU", seconds(cpu as f64)));
                let bytes = loss.input_bytes.map(|bytes| format!(", {bytes} bytes of the input"));
                let amounts = [cpu, bytes].into_iter().flatten().collect::<String>();
                format!("  {} × {}{amounts}: {}", loss.count, loss.reason, line.description)
            }));
        }
        lines
    }

    fn closure_in_words(&self) -> String {
        let (Some(closure), Some(rooted)) = (&self.closure, self.closure_ratio) else {
            return "Closure: not known, there is no exact CPU time to compare the samples with".to_owned();
        };
        let exact = seconds(closure.exact_cpu_ns as f64);
        let (rooted, covered) = (Cell::Ratio(Some(rooted)).shown(), Cell::Ratio(self.coverage_ratio).shown());
        let split = match (closure.exact_user_ns, closure.exact_system_ns) {
            (Some(user), Some(system)) => {
                let (user, system) = (seconds(user as f64), seconds(system as f64));
                format!(". The kernel's own split, made of timer ticks: {user} s user, {system} s system")
            }
            _ => String::new(),
        };
        format!(
            "Closure: samples with a complete stack explain {rooted} % of the {exact} s CPU that the scheduler counted; \
             samples of any stack cover {covered} %{split}"
        )
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

fn resources_in_words(used: &ResourceUse) -> String {
    let megabytes = |title: &str, bytes: Option<u64>| {
        bytes.map(|bytes| format!("{title} {} MB", Cell::Bytes(bytes as f64).shown()))
    };
    let count = |title: &str, count: Option<u64>| count.map(|count| format!("{title} {count}"));
    let time = |title: &str, nanos: u64| Some(format!("{title} {} s", seconds(nanos as f64)));
    let parts = [
        time("real", used.real_ns),
        time("user", used.user_ns),
        time("system", used.system_ns),
        megabytes("peak memory", used.peak_rss_bytes),
        megabytes("mean memory", used.mean_rss_bytes),
        count("voluntary context switches", used.voluntary_switches),
        count("involuntary", used.involuntary_switches),
        count("minor page faults", used.minor_faults),
        count("major", used.major_faults),
    ];
    format!("Resources: {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}
