//! The results of the rounds: values by reader and JVM, medians, intervals and ratios.

use super::workload::{EMPTY, READERS, Reader, ReaderRun};
use std::path::PathBuf;
use whittle_statistics::{Interval, median, median_interval, paired_ratios};

/// The wanted probability that an interval contains the true median.
const WANTED_COVERAGE: f64 = 0.95;

/// All runs of an experiment.
pub(crate) struct Results {
    pub(crate) file_count: u32,
    pub(crate) jvms: Vec<JvmResult>,
}

/// One JVM.
pub(crate) struct JvmResult {
    pub(crate) home: PathBuf,
    /// `java.version`, for example 17.0.15.
    pub(crate) version: String,
    /// `java.vendor`.
    pub(crate) vendor: String,
    /// `java.vm.name` and its version.
    pub(crate) vm: String,
    /// The empty runs, one per round.
    pub(crate) empty: Vec<ReaderRun>,
    /// The cells of the six readers, in the order of `READERS`.
    pub(crate) cells: Vec<Cell>,
}

/// One reader on one JVM.
pub(crate) struct Cell {
    pub(crate) reader: Reader,
    /// One run per round.
    pub(crate) runs: Vec<ReaderRun>,
    /// Number of objects that one run creates. Missing: not counted, or this JVM cannot count objects.
    pub(crate) created_objects: Option<f64>,
}

/// A measurement of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Measured outside the JVM: time from start to end, minus the empty run of the round.
    RunNs,
    /// Measured outside the JVM: CPU time, minus the empty run of the round.
    CpuNs,
    /// Measured inside the JVM: time around the reading.
    ReadNs,
    /// Bytes divided by run time.
    BytesPerSecond,
    /// Files divided by run time.
    FilesPerSecond,
    /// Measured inside the JVM: median time per file.
    FileP50Ns,
    /// Measured inside the JVM: 99th percentile of the time per file.
    FileP99Ns,
    /// Measured outside the JVM: mean memory of the whole JVM.
    MeanRssBytes,
    /// Measured outside the JVM: peak memory of the whole JVM.
    PeakRssBytes,
    /// Measured inside the JVM: bytes allocated during the reading, counted by the JVM.
    AllocatedBytes,
    /// Measured inside the JVM: number of read calls, counted by the kernel.
    ReadCalls,
}

impl Measure {
    /// All measures, with their names in CSV and JSON.
    pub(crate) const ALL: [(Self, &'static str); 11] = [
        (Self::RunNs, "run_ns"),
        (Self::CpuNs, "cpu_ns"),
        (Self::ReadNs, "read_ns"),
        (Self::BytesPerSecond, "bytes_per_second"),
        (Self::FilesPerSecond, "files_per_second"),
        (Self::FileP50Ns, "file_p50_ns"),
        (Self::FileP99Ns, "file_p99_ns"),
        (Self::MeanRssBytes, "mean_rss_bytes"),
        (Self::PeakRssBytes, "peak_rss_bytes"),
        (Self::AllocatedBytes, "allocated_bytes"),
        (Self::ReadCalls, "read_calls"),
    ];

    /// The value of a run. Missing: the value is not available.
    fn of(self, run: &ReaderRun, empty: &ReaderRun) -> Option<f64> {
        let run_ns = run.run.elapsed_ns as f64 - empty.run.elapsed_ns as f64;
        let by_run_time = |amount: Option<f64>| amount.filter(|_| run_ns > 0.0).map(|amount| amount * 1e9 / run_ns);
        match self {
            Self::RunNs => Some(run_ns),
            Self::CpuNs => Some(cpu_ns(run) - cpu_ns(empty)),
            Self::ReadNs => run.number("read_ns"),
            Self::BytesPerSecond => by_run_time(run.number("characters")),
            Self::FilesPerSecond => by_run_time(run.number("files")),
            Self::FileP50Ns => run.number("file_p50_ns"),
            Self::FileP99Ns => run.number("file_p99_ns"),
            Self::MeanRssBytes => run.run.mean_rss_bytes,
            Self::PeakRssBytes => Some(run.run.peak_rss_bytes as f64),
            Self::AllocatedBytes => run.number("allocated_bytes"),
            Self::ReadCalls => run.number("read_calls"),
        }
    }
}

fn cpu_ns(run: &ReaderRun) -> f64 {
    (run.run.user_cpu_ns + run.run.system_cpu_ns) as f64
}

impl Results {
    pub(crate) fn new(file_count: u32, jvms: Vec<JvmResult>) -> Self {
        Self { file_count, jvms }
    }

    /// Adds the next run of a cell.
    pub(crate) fn add(&mut self, jvm: usize, reader: Reader, run: ReaderRun) {
        let jvm = &mut self.jvms[jvm];
        if reader == EMPTY {
            jvm.empty.push(run);
        } else if let Some(cell) = jvm.cells.iter_mut().find(|cell| cell.reader == reader) {
            cell.runs.push(run);
        }
    }

    /// Fails if readers saw different characters, because such readers must not be compared.
    pub(crate) fn check_that_all_saw_the_same(&self) -> Result<(), String> {
        let mut runs = self.jvms.iter().flat_map(|jvm| jvm.cells.iter().map(move |cell| (jvm, cell)));
        let expected = runs.next().and_then(|(_, cell)| cell.runs.first()).map(ReaderRun::seen);
        for (jvm, cell) in self.jvms.iter().flat_map(|jvm| jvm.cells.iter().map(move |cell| (jvm, cell))) {
            if let Some(run) = cell.runs.iter().find(|run| Some(run.seen()) != expected) {
                let (title, found) = (cell.reader.title, run.seen());
                return Err(format!(
                    "{title} on {}: read {found:?}, but the first reader read {expected:?}",
                    jvm.version
                ));
            }
        }
        Ok(())
    }

    /// Number of bytes that each run reads. It equals the number of characters, because the files are ASCII.
    pub(crate) fn total_bytes(&self) -> Option<f64> {
        self.jvms.first()?.cells.first()?.runs.first()?.number("characters")
    }

    /// Share of the elapsed time that the raw readers were on a CPU. These readers have one thread, which never waits.
    /// So other programs used the CPU in the remaining time.
    pub(crate) fn executing_ratio(&self) -> Option<f64> {
        let runs = self.jvms.iter().filter_map(|jvm| jvm.cells.first()).flat_map(|cell| &cell.runs);
        let ratios: Vec<f64> = runs.map(|run| cpu_ns(run) / run.run.elapsed_ns as f64).collect();
        median(&ratios)
    }

    pub(crate) fn rounds(&self) -> usize {
        self.jvms.first().map_or(0, |jvm| jvm.empty.len())
    }
}

impl JvmResult {
    /// Makes the result of a JVM from its first run.
    pub(crate) fn new(home: PathBuf, run: &ReaderRun) -> Self {
        let property = |key: &str| run.text(key).unwrap_or("?").to_owned();
        let cells = READERS.map(|reader| Cell { reader, runs: Vec::new(), created_objects: None });
        Self {
            home,
            version: property("java.version"),
            vendor: property("java.vendor"),
            vm: format!("{} {}", property("java.vm.name"), property("java.vm.version")),
            empty: Vec::new(),
            cells: cells.into(),
        }
    }

    /// The version's numbers for sorting: 1.8.0_402 becomes 8, 0, 402.
    pub(crate) fn version_numbers(&self) -> Vec<u32> {
        let text = self.version.strip_prefix("1.").unwrap_or(&self.version);
        text.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    }

    /// A reader's values of one measure, one per round. Rounds without a value are left out.
    pub(crate) fn values(&self, cell: &Cell, measure: Measure) -> Vec<f64> {
        cell.runs.iter().zip(&self.empty).filter_map(|(run, empty)| measure.of(run, empty)).collect()
    }

    pub(crate) fn median(&self, cell: &Cell, measure: Measure) -> Option<f64> {
        median(&self.values(cell, measure))
    }

    pub(crate) fn interval(&self, cell: &Cell, measure: Measure) -> Option<Interval> {
        median_interval(&self.values(cell, measure), WANTED_COVERAGE)
    }

    /// Elapsed times of the empty runs.
    pub(crate) fn start_ns(&self) -> Vec<f64> {
        self.empty.iter().map(|run| run.run.elapsed_ns as f64).collect()
    }

    /// The interval of the empty runs' median time.
    pub(crate) fn start_interval(&self) -> Option<Interval> {
        median_interval(&self.start_ns(), WANTED_COVERAGE)
    }

    /// The median over all rounds of this ratio: run time divided by the fastest reader's run time in the same round.
    /// `None` if the fastest reader's time cannot be distinguished from the JVM's start time.
    pub(crate) fn ratio_to_fastest(&self, cell: &Cell) -> Option<f64> {
        let time = |cell: &&Cell| self.median(cell, Measure::RunNs).unwrap_or(f64::INFINITY);
        let fastest = self.cells.iter().min_by(|a, b| time(a).total_cmp(&time(b)))?;
        self.interval(fastest, Measure::RunNs).filter(|interval| interval.low > 0.0)?;
        let values = |cell| self.values(cell, Measure::RunNs);
        median(&paired_ratios(&values(cell), &values(fastest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jvm(version: &str) -> JvmResult {
        JvmResult {
            home: PathBuf::new(),
            version: version.to_owned(),
            vendor: String::new(),
            vm: String::new(),
            empty: Vec::new(),
            cells: Vec::new(),
        }
    }

    #[test]
    fn versions_sort_by_their_numbers() {
        assert_eq!(jvm("1.8.0_402").version_numbers(), [8, 0, 402]);
        assert!(jvm("1.8.0_402").version_numbers() < jvm("11.0.2").version_numbers());
        assert!(jvm("9").version_numbers() < jvm("17.0.15").version_numbers());
        assert_eq!(jvm("25-ea").version_numbers(), [25]);
    }
}
