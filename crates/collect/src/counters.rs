//! Values over time: memory, the JVM's counters, printed numbers, and how busy the machine is.

use crate::cpu_quota::Periods;
use crate::host;
use crate::jvm_counters::{JvmCounters, JvmFigures};
use crate::machine_cpu::MachineCpu;
use crate::process::Process;
use crate::program_output::CapturedOutput;
use std::time::{Duration, Instant};
use whittle_model::{CounterTable, CounterValue, UnitOfWork};

/// The counters of one collection.
#[derive(Debug)]
pub(crate) struct Counters {
    process: Process,
    interval: Duration,
    last: Option<Instant>,
    /// The machine's values at the last reading. Missing: not read yet.
    machine: Option<MachineCpu>,
    jvm: Option<Jvm>,
    output: Option<CapturedOutput>,
}

#[derive(Debug)]
struct Jvm {
    process: Process,
    /// The JVM's counters. Missing: the JVM has not created its file yet, or has no file.
    counters: Option<JvmCounters>,
    /// The values when the collection began. They are all zero for a launched JVM.
    first: Option<JvmFigures>,
    latest: Option<JvmFigures>,
}

impl Counters {
    /// Starts to record values, every `interval`. `began_with_us`: whittle launched the program, so its values count
    /// from 0.
    pub(crate) fn new(
        process: Process,
        (is_java, began_with_us): (bool, bool),
        (interval, output): (Duration, Option<CapturedOutput>),
    ) -> Self {
        let mut counters = Self { process, interval, last: None, machine: None, jvm: None, output };
        if is_java {
            counters.watch_jvm(process, began_with_us);
        }
        counters
    }

    /// From now on, reads the values of the JVM in `process`. `began_with_us`: whittle launched the program, so the JVM's values
    /// count from 0.
    pub(crate) fn watch_jvm(&mut self, process: Process, began_with_us: bool) {
        let first = began_with_us.then(JvmFigures::default);
        self.jvm = Some(Jvm { process, counters: None, first, latest: None });
    }

    /// Records all values if the interval is over. `start_ns` is CLOCK_MONOTONIC at the experiment's start.
    pub(crate) fn poll(&mut self, resident_bytes: u64, start_ns: u64, table: &mut CounterTable) {
        self.note_printed(start_ns, table);
        if self.last.is_some_and(|last| last.elapsed() < self.interval) {
            return;
        }
        self.last = Some(Instant::now());
        let time_ns = host::monotonic_ns().saturating_sub(start_ns);
        let mut note = |counter: &str, value: f64| {
            table.push(CounterValue { time_ns, counter: counter.to_owned(), value });
        };
        note("rss_bytes", resident_bytes as f64);
        if let Some(periods) = Periods::of_process(self.process.0) {
            note("cgroup_periods_count", periods.all_count as f64);
            note("cgroup_throttled_periods_count", periods.throttled_count as f64);
        }
        if let Some(figures) = self.jvm.as_mut().and_then(Jvm::read) {
            figures.named().for_each(|(counter, value)| note(counter, value));
        }
        self.note_machine(start_ns, table);
    }

    /// Records the values of the last time range, unless this range is shorter than half an interval.
    pub(crate) fn close(&mut self, start_ns: u64, table: &mut CounterTable) {
        if self.last.is_some_and(|last| last.elapsed() >= self.interval / 2) {
            self.last = Some(Instant::now());
            self.note_machine(start_ns, table);
        }
    }

    fn note_machine(&mut self, start_ns: u64, table: &mut CounterTable) {
        let Some(now) = MachineCpu::now() else { return };
        let Some(used) = self.machine.replace(now).and_then(|before| now.since(&before)) else { return };
        let time_ns = host::monotonic_ns().saturating_sub(start_ns);
        for (counter, value) in [("machine_busy_ratio", used.busy_ratio), ("machine_stolen_ratio", used.stolen_ratio)] {
            table.push(CounterValue { time_ns, counter: counter.to_owned(), value });
        }
    }

    /// Reads the rest of the program's output and the JVM's last values. Call this after the program's end.
    pub(crate) fn finish(&mut self, start_ns: u64, table: &mut CounterTable) {
        if let Some(output) = &mut self.output {
            output.finish();
        }
        self.note_printed(start_ns, table);
        if let Some(jvm) = &mut self.jvm {
            jvm.read();
        }
    }

    /// Number and elapsed time of garbage collections since the collection began.
    pub(crate) fn garbage_collections(&self) -> (Option<u64>, Option<u64>) {
        let Some(jvm) = &self.jvm else { return (None, None) };
        let figures = jvm.latest.as_ref().zip(jvm.first.as_ref());
        figures.map_or((None, None), |(latest, first)| latest.gc_since(first))
    }

    /// Work that the program printed.
    pub(crate) fn units_of_work(&self) -> Vec<UnitOfWork> {
        self.output.as_ref().map(CapturedOutput::units_of_work).unwrap_or_default()
    }

    /// Number of values that were dropped because the program printed them faster than whittle read them.
    pub(crate) fn dropped_count(&self) -> u64 {
        self.output.as_ref().map_or(0, CapturedOutput::dropped_count)
    }

    fn note_printed(&mut self, start_ns: u64, table: &mut CounterTable) {
        for printed in self.output.iter().flat_map(CapturedOutput::take_values) {
            let time_ns = printed.monotonic_ns.saturating_sub(start_ns);
            table.push(CounterValue { time_ns, counter: printed.counter, value: printed.value });
        }
    }
}

impl Jvm {
    fn read(&mut self) -> Option<JvmFigures> {
        if self.counters.is_none() {
            self.counters = JvmCounters::open(self.process);
        }
        let figures = self.counters.as_mut()?.read()?;
        self.first.get_or_insert(figures);
        self.latest = Some(figures);
        Some(figures)
    }
}
