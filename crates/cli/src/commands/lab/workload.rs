//! The program that reads files: a folder with its classes, its runs, and their output.
//!
//! Inside the JVM the program measures the time around the reading, the time of each file, and the allocation. Elapsed
//! time, CPU time and memory of the run are measured outside the JVM.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use whittle_collect::{MeasuredRun, run_measured};
use whittle_terminal::Failure;

/// Names and bytes of class files, made by the build.
const CLASSES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/lab_classes.rs"));

const MAIN_CLASS: &str = "whittle.workloads.readers.Readers";

/// Variables that change the behaviour of every JVM.
const VARIABLES: [&str; 4] = ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"];

/// Enough memory for all objects of a run, so that the garbage collector does not run during the count.
const UNCOLLECTED: [&str; 2] = ["-XX:+UseSerialGC", "-Xmn1g"];

/// A way to read files: its name in the program, and its title for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reader {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
}

/// The six ways to read files.
pub(crate) const READERS: [Reader; 6] = [
    Reader { name: "raw-bytes", title: "raw bytes" },
    Reader { name: "raw-chars", title: "raw chars" },
    Reader { name: "buffered-bytes", title: "buffered stream" },
    Reader { name: "buffered-chars", title: "buffered reader" },
    Reader { name: "own-byte-buffer", title: "own byte buffer" },
    Reader { name: "own-char-buffer", title: "own char buffer" },
];

/// The reader of empty runs, which reads nothing. Its time is the JVM's start time.
pub(crate) const EMPTY: Reader = Reader { name: "none", title: "nothing" };

/// A folder with classes and text files, removed when dropped.
pub(crate) struct Workload {
    folder: PathBuf,
    file_count: u32,
    file_bytes: u32,
}

/// One run, measured inside and outside.
#[derive(Debug, Clone)]
pub(crate) struct ReaderRun {
    /// The values that were measured outside the JVM.
    pub(crate) run: MeasuredRun,
    /// Values that the run printed as words `key=value`. Values of JVM properties can contain spaces, so each property
    /// has its own line.
    values: HashMap<String, String>,
}

impl Workload {
    /// Writes the class files. The first run makes the text files.
    pub(crate) fn new(file_count: u32, file_bytes: u32) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("whittle-lab-{}", std::process::id()));
        let cannot = |path: &Path, error| Failure::new(format!("cannot write {}: {error}", path.display()));
        fs::create_dir(&folder).map_err(|error| cannot(&folder, error))?;
        let workload = Self { folder, file_count, file_bytes };
        fs::create_dir(workload.texts()).map_err(|error| cannot(&workload.texts(), error))?;
        for (name, bytes) in CLASSES {
            let file = workload.classes().join(name);
            file.parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| cannot(&file, error))?;
            fs::write(&file, bytes).map_err(|error| cannot(&file, error))?;
        }
        Ok(workload)
    }

    fn classes(&self) -> PathBuf {
        self.folder.join("classes")
    }

    fn texts(&self) -> PathBuf {
        self.folder.join("texts")
    }

    /// Runs a reader once, to measure its time.
    pub(crate) fn run(&self, home: &Path, reader: Reader) -> Result<ReaderRun, String> {
        self.start(home, reader, &[])
    }

    /// Number of objects that the program and the reader create in a run. Missing: this JVM cannot count objects.
    pub(crate) fn created_objects(&self, home: &Path, reader: Reader) -> Option<f64> {
        self.start(home, reader, &UNCOLLECTED).ok()?.number("created_objects")
    }

    fn start(&self, home: &Path, reader: Reader, flags: &[&str]) -> Result<ReaderRun, String> {
        let counts_objects = if flags == UNCOLLECTED { "yes" } else { "no" };
        let mut command = Command::new(home.join("bin/java"));
        for name in VARIABLES {
            command.env_remove(name);
        }
        command.args(flags).arg("-cp").arg(self.classes()).arg(MAIN_CLASS);
        command.args(["--reader", reader.name, "--count-objects", counts_objects]);
        command.args(["--files", &self.file_count.to_string(), "--file-bytes", &self.file_bytes.to_string()]);
        command.arg("--dir").arg(self.texts());
        let run = run_measured(command).map_err(|error| error.to_string())?;
        if run.exit_code != Some(0) {
            return Err(why_it_failed(&run));
        }
        let values = run.stdout.lines().flat_map(printed_values).collect();
        Ok(ReaderRun { run, values })
    }
}

impl Drop for Workload {
    fn drop(&mut self) {
        // If the folder cannot be removed now, the system removes it with the other temporary files.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl ReaderRun {
    /// A value as the run printed it.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// A printed number. Missing: the run did not print the number, or this JVM does not provide it.
    pub(crate) fn number(&self, key: &str) -> Option<f64> {
        self.text(key)?.parse().ok()
    }

    /// Facts about the characters that were read. They are equal for all readers.
    pub(crate) fn seen(&self) -> [Option<&str>; 3] {
        ["characters", "lines", "checksum"].map(|key| self.text(key))
    }
}

/// The reason of a failure. The first line of the output contains the JVM's error.
fn why_it_failed(run: &MeasuredRun) -> String {
    let lines = run.stderr.lines().chain(run.stdout.lines());
    let reason = lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or("it printed nothing");
    match run.exit_code {
        Some(code) => format!("{reason} (exit status {code})"),
        None => format!("{reason} (ended by a signal)"),
    }
}

fn printed_values(line: &str) -> Vec<(String, String)> {
    let words: Vec<&str> = if line.starts_with("java.") { vec![line] } else { line.split(' ').collect() };
    let pairs = words.into_iter().filter_map(|word| word.split_once('='));
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_classes_are_for_java_8_and_start_with_the_main_one() {
        assert!(CLASSES.iter().any(|(name, _)| *name == "whittle/workloads/readers/Readers.class"));
        for (name, bytes) in CLASSES {
            assert_eq!(bytes.get(..8), Some(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52][..]), "{name}");
        }
    }

    #[test]
    fn printed_lines_are_words_and_properties_whole_lines() {
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(printed_values("read_ns=5 file_p50_ns=7"), [pair("read_ns", "5"), pair("file_p50_ns", "7")]);
        assert_eq!(printed_values("java.vendor=A B = C"), [pair("java.vendor", "A B = C")]);
        assert_eq!(printed_values("Picked up nothing"), []);
    }
}
