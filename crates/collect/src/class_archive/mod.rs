//! The class files of the program's functions that were seen on stacks, and of classes that those refer to, kept in
//! the experiment, so that its code can be looked at on another machine and later.
//!
//! ```text
//! functions table ──── wanted ────> class names ──┐
//! system properties ─┐                            ├─> search ──> archive table
//! open files ────────┴ places ──> where to look ──┘     │                    │
//!                                                      └── jar: zip, jars   └ related ──> archive table: what these
//!                                                          in jars, multi-release         classes refer to
//! ```
//!
//! A class is taken from where the JVM would find it first: class path, then module path, then the jars that the
//! process has open (application servers, agents). It is read when the collection ends: a jar that was replaced
//! meanwhile gives its new classes. Not archived are classes of the JDK, which every JDK of that version has, and
//! classes that the JVM made while it ran, which are in no file; the latter have a row without bytes. Sources are
//! not archived.

pub(crate) mod jar;
mod places;
mod related;
mod search;
mod target_files;
mod wanted;

use crate::process::Process;
use places::{JarWatch, places};
use related::{Start, add_related};
use search::Search;
use target_files::TargetFiles;
use whittle_import::SystemProperties;
use whittle_model::{ArchiveTable, FunctionTable};

/// Files that could not be read are named up to this number.
const MAX_NAMED: usize = 5;

/// Where the classes of a JVM come from, watched from the beginning of a collection to its end.
#[derive(Debug)]
pub(crate) struct ClassArchiver {
    /// Missing: the process was gone before it was looked at, or is not ours to look at.
    files: Option<TargetFiles>,
    jars: JarWatch,
    process: Process,
    /// Missing: not seen yet, or the command line does not say it.
    main_class: Option<String>,
}

/// What was archived.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ClassArchive {
    /// The rows: first classes on stacks in the order of the functions table, then those that they refer to.
    pub(crate) table: ArchiveTable,
    /// What is missing and why, one sentence each.
    pub(crate) notes: Vec<String>,
}

impl ClassArchiver {
    /// Begins to watch a JVM. Its root and working directory are opened now: both are gone when it has ended.
    pub(crate) fn new(process: Process) -> Self {
        Self { files: TargetFiles::of_process(process).ok(), jars: JarWatch::new(process), process, main_class: None }
    }

    /// Notes which jars the JVM has open. To be called now and then; most calls do nothing.
    pub(crate) fn poll(&mut self) {
        if self.jars.poll() {
            self.look_at_command();
        }
    }

    /// The program can still be the one that starts the JVM when it is looked at first.
    fn look_at_command(&mut self) {
        if self.main_class.is_none() {
            let name = crate::running::java_program(&self.process.command_line());
            // A module's class stands behind it; of a jar its manifest knows.
            let class = name.rsplit('/').next().unwrap_or(&name);
            self.main_class = (!class.ends_with(".jar")).then(|| class.to_owned());
        }
    }

    /// Archives the classes of the Java functions in `functions`. The JVM may have ended.
    pub(crate) fn archive(mut self, functions: &FunctionTable, properties: &SystemProperties) -> ClassArchive {
        let classes = wanted::classes_of(functions);
        let Some(files) = self.files.take() else {
            let note = "no class files are archived: the directories of the program could not be opened";
            return ClassArchive { table: search::rows_without_bytes(&classes), notes: vec![note.to_owned()] };
        };
        self.jars.poll_now();
        self.look_at_command();
        let (class_path, is_cut) = places(&files, properties, &self.jars);
        let mut search = Search::new(&files, &classes, properties.java_version());
        search.run(class_path.clone());
        let mut archive = search.finish();
        let java_version = properties.java_version().unwrap_or(search::UNKNOWN_VERSION);
        let main_class = self.main_class.as_deref();
        add_related(&mut archive.table, &Start { files: &files, places: &class_path, java_version, main_class });
        if is_cut {
            let note = "the recording holds the start of the class path only; classes of folders in the rest of it are not archived";
            archive.notes.push(note.to_owned());
        }
        archive
    }
}

/// `a, b, c` of the first few names, and how many more there are.
fn listed(names: &[String]) -> String {
    let shown = names[..names.len().min(MAX_NAMED)].join(", ");
    if names.len() <= MAX_NAMED { shown } else { format!("{shown} and {} more", names.len() - MAX_NAMED) }
}

#[cfg(test)]
mod tests;
