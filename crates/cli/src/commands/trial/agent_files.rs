//! The files of a trial's agent: its jar, the plan of each side, class files, and reports.
//!
//! ```text
//! FOLDER/whittle-agent.jar   baseline.plan, candidate.plan   class-1.class …   baseline.report.4711 (one per JVM)
//! ```

use super::agent_report::AgentReport;
use crate::interleaved::only_owner;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use whittle_findings::{SiteInstruction, Trial};
use whittle_model::ArchiveTable;
use whittle_profile::Side;
use whittle_terminal::Failure;

/// JVMs read options from this variable of the environment.
pub(super) const OPTIONS_VARIABLE: &str = "JAVA_TOOL_OPTIONS";

/// A larger report is not read.
const MAX_REPORT_BYTES: u64 = 1 << 20;

/// The folder of a trial. It is removed when the value is dropped.
pub(super) struct AgentFiles {
    folder: TempDir,
}

impl AgentFiles {
    /// Writes the jar, the class files, and both plans. The baseline's plan has no places. The candidate's plan has the places
    /// of all trials, which are numbered from 1.
    pub(super) fn write(trials: &[Trial], archive: &ArchiveTable) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("whittle-trial-").permissions(only_owner()).tempdir()?;
        let files = Self { folder };
        fs::write(files.jar(), whittle_collect::java_agent())?;
        let mut class_files = Vec::new();
        for (number, bytes) in (1..).zip(class_files_of(trials, archive)?) {
            let class_file = files.path(&format!("class-{number}.class"));
            fs::write(&class_file, bytes)?;
            class_files.push(class_file);
        }
        let lines = place_lines(trials, &class_files);
        for (side, places) in [(Side::Baseline, ""), (Side::Candidate, lines.as_str())] {
            let report = files.report(side);
            fs::write(files.plan(side), format!("report\t{}\n{places}", report.display()))?;
        }
        Ok(files)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn jar(&self) -> PathBuf {
        self.path("whittle-agent.jar")
    }

    fn plan(&self, side: Side) -> PathBuf {
        self.path(&format!("{}.plan", side.name()))
    }

    fn report(&self, side: Side) -> PathBuf {
        self.path(&format!("{}.report", side.name()))
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The value of the variable for a side: the user's options, and the agent.
    pub(super) fn options(&self, side: Side, of_user: Option<&OsStr>) -> OsString {
        let mut agent = OsString::from("-javaagent:");
        agent.push(self.jar());
        agent.push("=try:");
        agent.push(self.plan(side));
        appended(of_user, &agent)
    }

    /// Reads the reports of a run, and removes them, so that the next run has its own.
    pub(super) fn take_report(&self, side: Side) -> io::Result<AgentReport> {
        let start = format!("{}.report.", side.name());
        let mut report = AgentReport::default();
        for entry in fs::read_dir(self.folder.path())? {
            let entry = entry?;
            if !entry.file_name().to_string_lossy().starts_with(&start) {
                continue;
            }
            // A JVM that was killed can leave a file that it has not renamed.
            let is_whole = !entry.file_name().to_string_lossy().ends_with(".new");
            if is_whole && entry.metadata()?.len() <= MAX_REPORT_BYTES {
                report.add(&String::from_utf8_lossy(&fs::read(entry.path())?));
            }
            fs::remove_file(entry.path())?;
        }
        Ok(report)
    }
}

/// The bytes of the class file of each place of all trials.
pub(super) fn class_files_of<'a>(trials: &[Trial], archive: &'a ArchiveTable) -> Result<Vec<&'a [u8]>, Failure> {
    let places = trials.iter().flat_map(|trial| &trial.places);
    places.map(|place| class_bytes(archive, &place.instruction.class)).collect()
}

fn class_bytes<'a>(archive: &'a ArchiveTable, class: &str) -> Result<&'a [u8], Failure> {
    let mut rows = archive.class_name.iter().zip(&archive.bytes);
    let found = rows.find_map(|(name, bytes)| bytes.as_deref().filter(|_| name == class));
    found.ok_or_else(|| Failure::new(format!("the experiment does not contain the class file of {class}")))
}

/// The user's options with the agent at the end. A JVM splits the value at spaces outside quotation marks.
fn appended(of_user: Option<&OsStr>, agent: &OsStr) -> OsString {
    let mut options = of_user.map(OsStr::to_owned).unwrap_or_default();
    if !options.is_empty() {
        options.push(" ");
    }
    let has_space = agent.as_encoded_bytes().iter().any(u8::is_ascii_whitespace);
    let quote = if has_space { "\"" } else { "" };
    options.push(quote);
    options.push(agent);
    options.push(quote);
    options
}

/// The lines of the places of all trials in a plan. `class_files` has the path of the class file of each place. The first place has
/// the number 1.
pub(super) fn place_lines(trials: &[Trial], class_files: &[PathBuf]) -> String {
    let places = trials.iter().flat_map(|trial| trial.places.iter().map(move |place| (trial, place)));
    let lines = (1..).zip(places).zip(class_files).map(|((number, (trial, place)), class_file)| {
        place_line((number, &trial.remedy), &place.instruction, class_file)
    });
    lines.collect()
}

/// The line of a place in the plan.
fn place_line((number, remedy): (usize, &str), instruction: &SiteInstruction, class_file: &Path) -> String {
    let SiteInstruction { class, method, descriptor, bytecode_index, operation: _ } = instruction;
    let class_file = class_file.display();
    format!("place\t{number}\t{remedy}\t{class}\t{method}\t{descriptor}\t{bytecode_index}\t{class_file}\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;
    use whittle_findings::{RemedyPromise, TrialPlace};
    use whittle_model::ArchivedClass;

    fn trial(remedy: &str) -> Trial {
        let instruction = SiteInstruction {
            class: "a/Log".to_owned(),
            method: "<init>".to_owned(),
            descriptor: "()V".to_owned(),
            bytecode_index: 5,
            operation: "new java/io/FileOutputStream".to_owned(),
        };
        Trial {
            remedy: remedy.to_owned(),
            title: String::new(),
            promise: RemedyPromise::Kept,
            condition: String::new(),
            places: vec![TrialPlace {
                words: String::new(),
                file: None,
                line: None,
                is_in_library: false,
                instruction,
            }],
        }
    }

    fn archive() -> ArchiveTable {
        let mut archive = ArchiveTable::default();
        let class = |name: &str, bytes| ArchivedClass {
            class_name: name.to_owned(),
            origin: String::new(),
            digest: None,
            bytes,
        };
        archive.push(class("a/Other", None));
        archive.push(class("a/Log", Some(vec![0xca, 0xfe])));
        archive
    }

    #[test]
    fn the_candidates_plan_has_the_places_and_the_baselines_plan_none() {
        let files = AgentFiles::write(&[trial("buffer-output")], &archive()).unwrap();
        let folder = files.folder().display();
        let read = |name: &str| fs::read_to_string(files.path(name)).unwrap();
        assert_eq!(read("baseline.plan"), format!("report\t{folder}/baseline.report\n"));
        let place = format!("place\t1\tbuffer-output\ta/Log\t<init>\t()V\t5\t{folder}/class-1.class\n");
        assert_eq!(read("candidate.plan"), format!("report\t{folder}/candidate.report\n{place}"));
        assert_eq!(fs::read(files.path("class-1.class")).unwrap(), [0xca, 0xfe]);
        assert!(fs::read(files.jar()).unwrap().starts_with(b"PK"));
        let error = AgentFiles::write(&[trial("buffer-output")], &ArchiveTable::default()).err().unwrap().message;
        assert!(error.contains("does not contain the class file of a/Log"), "{error}");
    }

    #[test]
    fn places_of_several_trials_are_numbered() {
        let files = AgentFiles::write(&[trial("buffer-output"), trial("presize")], &archive()).unwrap();
        let plan = fs::read_to_string(files.path("candidate.plan")).unwrap();
        assert!(plan.contains("place\t1\tbuffer-output\t") && plan.contains("place\t2\tpresize\t"), "{plan}");
        assert!(files.path("class-2.class").is_file());
    }

    #[test]
    fn only_the_owner_can_read_the_folder() {
        use std::os::unix::fs::PermissionsExt;
        let files = AgentFiles::write(&[trial("buffer-output")], &archive()).unwrap();
        assert_eq!(fs::metadata(files.folder()).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn the_users_options_stay() {
        let options = |of_user: Option<&str>, agent: &str| {
            appended(of_user.map(OsStr::new), OsStr::new(agent)).into_string().unwrap()
        };
        assert_eq!(options(None, "-javaagent:a"), "-javaagent:a");
        assert_eq!(options(Some("-Dx=1"), "-javaagent:a"), "-Dx=1 -javaagent:a");
        assert_eq!(options(Some(""), "-javaagent:a b"), "\"-javaagent:a b\"");
    }

    #[test]
    fn each_run_has_its_own_reports() {
        let files = AgentFiles::write(&[trial("buffer-output")], &archive()).unwrap();
        fs::write(files.path("candidate.report.7"), "ready\nruns\t1\t5\n").unwrap();
        fs::write(files.path("candidate.report.8"), "ready\nruns\t1\t6\n").unwrap();
        assert_eq!(files.take_report(Side::Baseline).unwrap().jvms_count, 0);
        let report = files.take_report(Side::Candidate).unwrap();
        assert_eq!((report.jvms_count, report.runs_count()), (2, 11));
        assert_eq!(files.take_report(Side::Candidate).unwrap().jvms_count, 0);
    }
}
