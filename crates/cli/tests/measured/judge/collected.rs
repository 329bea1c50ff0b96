//! Compiles the programs, collects them, and reads their output.

use super::languages::{Language, class_path};
use super::marked::fixed_source;
use super::programs::{Program, Set};
use crate::support::{stderr, whittle_command};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;
use whittle_testkit::Jdk;

/// The class that repeats a program's unit of work, used by every program.
const HARNESS: &str = "Load";

/// The version of a program: with the fault, or without the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    Slow,
    Fixed,
}

impl Version {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Slow => "Slow",
            Self::Fixed => "Fixed",
        }
    }
}

/// Microseconds per unit of work, which a program printed at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) elapsed_us: f64,
    /// CPU time of the threads that work.
    pub(crate) cpu_us: f64,
}

/// A folder with compiled programs and their experiments, and the duration of each measurement.
pub(crate) struct Bench {
    pub(crate) folder: PathBuf,
    pub(crate) warm_seconds: f64,
    pub(crate) seconds: f64,
    /// Time between samples, for `collect --interval`. A program that mostly waits has few samples.
    pub(crate) interval: &'static str,
}

impl Bench {
    /// Compiles programs that are older than their sources. `compiler` should be the oldest JDK that is used.
    pub(crate) fn compile(&self, compiler: &Jdk, shared: Option<&Path>) {
        if let Some(cases) = shared {
            compile(compiler, &source_files(cases), &self.classes("cases"));
        }
        for set in [Set::Development, Set::Sealed] {
            self.compile_marked(compiler, set, |_| true);
        }
    }

    /// Compiles a few programs of the development set.
    pub(crate) fn compile_some(&self, compiler: &Jdk, programs: &[&Program]) {
        let is_chosen = |path: &Path| {
            let name = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
            name == HARNESS || programs.iter().any(|program| program.name == name)
        };
        self.compile_marked(compiler, Set::Development, is_chosen);
    }

    /// Compiles both versions of each chosen program of a set whose sources have marks.
    fn compile_marked(&self, compiler: &Jdk, set: Set, is_chosen: impl Fn(&Path) -> bool) {
        let Some(sources) = set.marked_folder().map(|folder| folder.join("src")).filter(|folder| folder.exists())
        else {
            return;
        };
        let slow: Vec<PathBuf> = source_files(&sources).into_iter().filter(|path| is_chosen(path)).collect();
        let fixed: Vec<PathBuf> = slow.iter().map(|path| self.write_fixed(set, &sources, path)).collect();
        compile(compiler, &slow, &self.classes(&format!("{}-slow", set.name())));
        compile(compiler, &fixed, &self.classes(&format!("{}-fixed", set.name())));
    }

    /// Writes the fixed program's source next to the classes, if the source has changed. Returns its path.
    fn write_fixed(&self, set: Set, sources: &Path, slow: &Path) -> PathBuf {
        let within = slow.strip_prefix(sources).unwrap();
        let path = self.folder.join(format!("{}-fixed-sources", set.name())).join(within);
        let text = fixed_source(&fs::read_to_string(slow).unwrap());
        if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
        }
        path
    }

    fn classes(&self, name: &str) -> PathBuf {
        self.folder.join("classes").join(name)
    }

    fn class_path(&self, program: &Program, version: Version) -> PathBuf {
        match (program.set, version) {
            (Set::Cases, _) => self.classes("cases"),
            (set, version) => self.classes(&format!("{}-{}", set.name(), version.name().to_lowercase())),
        }
    }

    /// The command line that starts a program.
    fn java(&self, program: &Program, version: Version, jdk: &Jdk) -> Vec<String> {
        let main = &program.mains[usize::from(version == Version::Fixed)];
        let classes = self.class_path(program, version);
        let class_path = class_path([classes].into_iter().chain(program.language.libraries()));
        let times = [format!("-Dwarm={}", self.warm_seconds), format!("-Dseconds={}", self.seconds)];
        let java = jdk.java().display().to_string();
        [java].into_iter().chain(times).chain(["-cp".to_owned(), class_path, main.clone()]).collect()
    }

    /// The experiment of a program. The program is collected now, unless an experiment newer than the program exists.
    pub(crate) fn experiment(&self, program: &Program, version: Version, jdk: &Jdk) -> PathBuf {
        let name = format!("{}-{}-{}", program.name, version.name(), jdk.version);
        let folder = self.folder.join("exp");
        let (experiment, printed) = (folder.join(format!("{name}.whittle")), folder.join(format!("{name}.out")));
        let compiled = modified(&self.class_path(program, version).join(".compiled"));
        if result(&printed).is_some() && modified(&printed) > compiled {
            return experiment;
        }
        fs::create_dir_all(&folder).unwrap();
        let java = self.java(program, version, jdk);
        let path = experiment.display().to_string();
        let mut words = vec!["collect", "-q", "-f", "-o", &path, "--interval", self.interval, "--"];
        words.extend(java.iter().map(String::as_str));
        let output = whittle_command(&words).output().unwrap();
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        fs::write(&printed, &output.stdout).unwrap();
        experiment
    }

    /// The cost that the program printed while it was collected.
    pub(crate) fn cost(&self, program: &Program, version: Version, jdk: &Jdk) -> Option<Cost> {
        let name = format!("{}-{}-{}.out", program.name, version.name(), jdk.version);
        result(&self.folder.join("exp").join(name))
    }

    /// Runs a program without whittle.
    pub(crate) fn run_alone(&self, program: &Program, version: Version, jdk: &Jdk) -> Cost {
        let words = self.java(program, version, jdk);
        let output = Command::new(&words[0]).args(&words[1..]).output().unwrap();
        cost_in(&String::from_utf8_lossy(&output.stdout))
            .unwrap_or_else(|| panic!("{}: {}", program.name, stderr(&output)))
    }

    /// The findings in an experiment.
    pub(crate) fn findings(experiment: &Path) -> Value {
        let path = experiment.display().to_string();
        let output = whittle_command(&["findings", &path, "--json"]).output().unwrap();
        assert!(output.status.success(), "{path}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// Java comes first, because programs of all languages use the Java class `Load`.
fn compile(compiler: &Jdk, sources: &[PathBuf], classes: &Path) {
    let stamp = classes.join(".compiled");
    if sources.iter().all(|source| modified(source) < modified(&stamp)) {
        return;
    }
    fs::create_dir_all(classes).unwrap();
    for language in Language::ALL {
        let of_language = sources.iter().map(PathBuf::as_path).filter(|source| Language::of(source) == Some(language));
        language.compile(compiler, &of_language.collect::<Vec<_>>(), classes);
    }
    fs::write(stamp, "").unwrap();
}

fn source_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(source_files(&path));
        } else if Language::of(&path).is_some() {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn modified(path: &Path) -> Option<SystemTime> {
    fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

fn result(path: &Path) -> Option<Cost> {
    cost_in(&fs::read_to_string(path).ok()?)
}

/// Reads the line `result units=… wall_us_per_unit=… main_cpu_us_per_unit=…`. The two harnesses use different names for
/// these values.
fn cost_in(printed: &str) -> Option<Cost> {
    let line = printed.lines().find(|line| line.starts_with("result "))?;
    let value = |names: [&str; 2]| {
        let found = line.split(' ').filter_map(|word| word.split_once('=')).find(|(name, _)| names.contains(name))?;
        found.1.parse::<f64>().ok()
    };
    Some(Cost {
        elapsed_us: value(["wall_us_per_unit", "elapsed_us_per_unit"])?,
        cpu_us: value(["main_cpu_us_per_unit", "work_cpu_us_per_unit"])?,
    })
}
