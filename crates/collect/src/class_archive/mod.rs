//! Copies class files into the experiment, so the code can be viewed later and on another machine. The copied classes
//! are the classes of functions on stacks, and the classes that these classes refer to.
//!
//! ```text
//! functions table ──── wanted ────> class names ──┐
//! system properties ─┐                            ├─> search ──> archive table
//! open files ────────┴ places ──> where to look ──┘     │                    │
//!                                                      └── jar: zip, jars   └ related ──> archive table: what these
//!                                                          in jars, multi-release         classes refer to
//! ```
//!
//! A class is read from the place where the JVM would find it first. The order is class path, module path, then the
//! jars that the process has open (application servers, agents). Classes are read when the collection ends. If a jar
//! was replaced during the collection, the classes of the new jar are archived. Classes of the JDK are not archived,
//! because every JDK of that version has them. Generated classes are in no file, so they have a row without bytes.
//! Sources are not archived.

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;
pub(crate) mod jar;
mod places;
mod related;
mod search;
mod target_files;
mod wanted;

use crate::process::Process;
use crate::process_memory::command_line;
use places::{JarWatch, places};
use related::{Start, add_related};
use search::Search;
pub(crate) use search::{MAX_TIME, MAX_TIME_MEANWHILE};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use target_files::TargetFiles;
use wanted::WantedClass;
use whittle_import::SystemProperties;
use whittle_model::{ArchiveTable, ArchivedClass, FunctionTable, Table};

/// A note lists at most this many unreadable files.
const MAX_NAMED: usize = 5;
/// Maximum length of a name in a note, in characters. Paths of the observed program can have any length.
const MAX_NAME_CHARACTERS: usize = 300;

/// Watches the origins of a JVM's classes during the whole collection.
#[derive(Debug)]
pub(crate) struct ClassArchiver {
    /// The process's files. Missing: the process had ended before it was inspected, or whittle is not allowed to
    /// inspect it.
    files: Option<TargetFiles>,
    jars: JarWatch,
    process: Process,
    /// The main class. Missing: it was not read yet, or is not in the command line.
    main_class: Option<String>,
}

/// The archive.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct ClassArchive {
    /// The rows. The classes on stacks come first, in the order of the functions table. The classes that they refer
    /// to come next.
    pub(crate) table: ArchiveTable,
    /// The classes for which no file was found, as a sentence.
    pub(crate) not_found: Option<String>,
    /// What else is missing and why, one sentence each.
    pub(crate) notes: Vec<String>,
}

impl ClassArchiver {
    /// Starts to watch a JVM. Its root and working directory are opened now, because they are not available after the
    /// JVM's end.
    pub(crate) fn new(process: Process) -> Self {
        Self { files: TargetFiles::of_process(process).ok(), jars: JarWatch::new(process), process, main_class: None }
    }

    /// Records the jars that the JVM has open. Call this regularly. Most calls do nothing.
    pub(crate) fn poll(&mut self) {
        if self.jars.poll() {
            self.look_at_command();
        }
    }

    /// Reads the main class from the command line, unless it is known. At first, the process can still execute another
    /// program, which then starts the JVM.
    fn look_at_command(&mut self) {
        if self.main_class.is_none() {
            let name = crate::running::java_program(&command_line(self.process));
            // The main class comes after the module's name. For a jar, the main class is in the manifest.
            let class = name.rsplit('/').next().unwrap_or(&name);
            self.main_class = (!class.ends_with(".jar")).then(|| class.to_owned());
        }
    }

    /// Archives the classes of the Java functions in `functions`. `known` is the archive of JVMs that ended earlier. The
    /// result includes it, and the classes on stacks have the maximum size of an archive together. The search for files ends
    /// after `time`. The JVM may have ended.
    pub(crate) fn archive(
        mut self,
        (functions, known): (&FunctionTable, &ArchiveTable),
        properties: &SystemProperties,
        time: Duration,
    ) -> ClassArchive {
        let archived = names_with_bytes(known);
        let mut classes = wanted::classes_of(functions);
        classes.retain(|class| !archived.contains(class.name.as_str()));
        let known_bytes = known.bytes.iter().flatten().map(|bytes| bytes.len() as u64).sum();
        let found = self.search((&classes, known_bytes), properties, time);
        ClassArchive { table: merged(known, found.table), ..found }
    }

    fn search(
        &mut self,
        (classes, known_bytes): (&[WantedClass], u64),
        properties: &SystemProperties,
        time: Duration,
    ) -> ClassArchive {
        let Some(files) = self.files.take() else {
            let note = "no class files are archived: the directories of the program could not be opened";
            return ClassArchive {
                table: search::rows_without_bytes(classes),
                notes: vec![note.to_owned()],
                ..ClassArchive::default()
            };
        };
        let files = files.until(Instant::now() + time);
        self.jars.poll_now();
        self.look_at_command();
        let (class_path, notes) = places(&files, properties, &self.jars);
        let mut search = Search::new(&files, classes, properties.java_version());
        search.set_limits(time, known_bytes);
        search.run(class_path.clone());
        let mut archive = search.finish();
        let java_version = properties.java_version().unwrap_or(search::UNKNOWN_VERSION);
        let main_class = self.main_class.as_deref();
        add_related(&mut archive, &Start { files: &files, places: &class_path, java_version, main_class });
        archive.notes.extend(notes);
        archive
    }
}

/// The classes whose files are in the archive.
fn names_with_bytes(archive: &ArchiveTable) -> HashSet<&str> {
    let names = archive.class_name.iter().zip(&archive.bytes);
    names.filter(|(_, bytes)| bytes.is_some()).map(|(name, _)| name.as_str()).collect()
}

/// The rows of both archives. If both have a row for a class, the row with the class file counts.
fn merged(first: &ArchiveTable, second: ArchiveTable) -> ArchiveTable {
    let later = names_with_bytes(&second);
    let mut merged = ArchiveTable::default();
    let mut names: HashSet<String> = HashSet::new();
    let mut add = |class: ArchivedClass| {
        if names.insert(class.class_name.clone()) {
            merged.push(class);
        }
    };
    let is_kept = |row: &usize| first.bytes[*row].is_some() || !later.contains(first.class_name[*row].as_str());
    (0..first.len()).filter(is_kept).for_each(|row| add(first.row(row)));
    (0..second.len()).for_each(|row| add(second.row(row)));
    merged
}

/// The first names, such as `a, b, c`, and the number of further names. `count` is the number of all names.
fn listed(first: &[String], count: usize) -> String {
    let shown = first.join(", ");
    if count <= first.len() { shown } else { format!("{shown} and {} more", count - first.len()) }
}

/// The start of a name, if the name is too long for a note.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(MAX_NAME_CHARACTERS) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests;
