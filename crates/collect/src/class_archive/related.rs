//! Archives classes that were on no stack, but that classes on stacks refer to, directly or through other classes.
//!
//! The line to edit is often in a class that created an object, such as a factory, a constructor's caller or a
//! subclass. This class can be missing on the stacks. Only the program's own places are searched: folders of the class
//! path, and the jars of classes on stacks. The number of classes, their size and the time are limited. Classes beyond
//! the limits are missing only in the search for lines to edit.

use super::ClassArchive;
use super::jar::{Contents, FoundClass, Jar, JarBytes, JarError, NameRoom};
use super::places::Place;
use super::search::MAX_CLASS_BYTES;
use super::target_files::TargetFiles;
use super::wanted::{self, ClassSource};
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};
use whittle_model::{ArchiveTable, ArchivedClass, ContentHash};

/// Maximum number of classes. Programs rarely have more classes. The limit exists for jars of large libraries.
const MAX_CLASSES: usize = 4_000;
/// Maximum total size of these classes. A typical class has 4 KB.
const MAX_BYTES: usize = 16 << 20;
/// Time limit of this search. The end of the collection waits for the search. Tests have more time, because their results
/// must not depend on the machine's load.
const MAX_TIME: Duration = if cfg!(test) { Duration::from_secs(60) } else { Duration::from_millis(1_500) };
/// Maximum number of jars that are opened.
const MAX_JARS: usize = 64;
/// Maximum total size of decompressed jars inside jars, which stay in memory during this search. This is the content of
/// a web archive of 300 MB, or of several smaller ones.
const MAX_NESTED_BYTES: u64 = 384 << 20;

/// The places of the classes, and the classes to start from.
pub(super) struct Start<'a> {
    pub(super) files: &'a TargetFiles,
    /// Places in the JVM's search order.
    pub(super) places: &'a [Place],
    pub(super) java_version: u32,
    /// The main class. Missing: unknown.
    pub(super) main_class: Option<&'a str>,
}

/// Adds the classes that an archive's classes refer to.
///
/// This code runs in a thread with the lowest priority, because the observed program may still be running.
pub(super) fn add_related(archive: &mut ClassArchive, start: &Start<'_>) {
    let table = &archive.table;
    let (related, notes) = std::thread::scope(|scope| {
        let work = || {
            // On Linux, the priority applies only to this thread. If this fails, the program loses a little CPU time.
            let _ = rustix::process::nice(19);
            Related::new(table, start, Limits::default()).run()
        };
        scope.spawn(work).join().unwrap_or_default()
    });
    related.into_iter().for_each(|class| archive.table.push(class));
    archive.notes.extend(notes);
}

/// Limits for the memory of a search, apart from the found classes.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Names of the classes and jars in the jars.
    names: NameRoom,
    /// Names of classes that other classes refer to.
    known: NameRoom,
    nested_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { names: NameRoom::default(), known: NameRoom::default(), nested_bytes: MAX_NESTED_BYTES }
    }
}

/// A place that contains classes.
enum Source<'a> {
    Folder(&'a str),
    Jar { path: String, jar: Jar, classes: HashMap<String, FoundClass> },
}

/// The state of a search.
struct Related<'a> {
    files: TargetFiles,
    sources: Vec<Source<'a>>,
    known: HashSet<String>,
    /// Names to look up: `own` has the names from classes in folders, `other` has all other names.
    own: VecDeque<String>,
    other: VecDeque<String>,
    found: Vec<ArchivedClass>,
    bytes_left: usize,
    /// The limits that are left.
    left: Limits,
    /// Why classes are missing.
    notes: Vec<String>,
}

impl<'a> Related<'a> {
    fn new(table: &ArchiveTable, start: &Start<'a>, limits: Limits) -> Self {
        let mut related = Self {
            files: start.files.until(Instant::now() + MAX_TIME),
            sources: Vec::new(),
            known: table.class_name.iter().cloned().collect(),
            own: VecDeque::new(),
            other: VecDeque::new(),
            found: Vec::new(),
            bytes_left: MAX_BYTES,
            left: limits,
            notes: Vec::new(),
        };
        related.open_sources(table, start);
        if let Some(name) = start.main_class {
            related.want(&name.replace('.', "/"), true);
        }
        for (origin, bytes) in table.origin.iter().zip(&table.bytes) {
            if let Some(bytes) = bytes {
                let is_own = !origin.contains(".jar");
                class_names(bytes).into_iter().for_each(|name| related.want(name, is_own));
            }
        }
        related
    }

    /// Opens folders, and the jars that contained a class of the archive.
    fn open_sources(&mut self, table: &ArchiveTable, start: &Start<'a>) {
        let origins: HashSet<&str> = table.origin.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        let mut jars: Vec<&str> = Vec::new();
        for place in start.places {
            match place {
                Place::Folder(path) => self.sources.push(Source::Folder(path)),
                Place::Jar(path) => jars.push(path),
            }
        }
        // Jars that only manifests name are not in the class path.
        let mut named: Vec<&str> = origins.iter().map(|origin| file_of(origin)).collect();
        named.sort_unstable();
        jars.extend(named);
        let used: HashSet<&str> = origins.iter().map(|origin| file_of(origin)).collect();
        let mut opened = HashSet::new();
        for path in jars {
            if used.contains(path) && opened.insert(path) && opened.len() <= MAX_JARS && !self.files.is_late() {
                self.open_jar(path, &origins, start.java_version);
            }
        }
    }

    /// Opens a jar. An unreadable jar is skipped, because the earlier search in this jar already reported the error.
    fn open_jar(&mut self, path: &str, origins: &HashSet<&str>, java_version: u32) {
        let Ok(file) = self.files.open_file(path) else { return };
        let Ok(mut jar) = JarBytes::of_file(file).map_err(Into::into).and_then(Jar::open) else { return };
        let Contents { classes, jars, error, .. } = jar.contents(&|_| true, java_version, &mut self.left.names);
        self.note(error);
        let mut nested = Vec::new();
        for (name, entry) in jars {
            if self.files.is_late() {
                break;
            }
            let inner = format!("{path}!/{name}");
            if !origins.iter().any(|origin| origin.starts_with(&inner)) {
                continue;
            }
            match jar.nested(entry, &mut self.left.nested_bytes).and_then(Jar::open) {
                Ok(mut jar) => {
                    let Contents { classes, error, .. } = jar.contents(&|_| true, java_version, &mut self.left.names);
                    self.note(error);
                    nested.push(Source::Jar { path: inner, jar, classes: by_name(classes) });
                }
                Err(error) => self.note(Some(error)),
            }
        }
        self.sources.push(Source::Jar { path: path.to_owned(), jar, classes: by_name(classes) });
        self.sources.extend(nested);
    }

    /// Notes that a limit of this search left something out. The earlier search reported all other errors.
    fn note(&mut self, error: Option<JarError>) {
        let reason = match error {
            Some(JarError::TooManyNames) => "the jars have too many classes".to_owned(),
            Some(JarError::TooManyNestedBytes) => {
                format!("the jars inside jars have more than {} MiB", MAX_NESTED_BYTES >> 20)
            }
            _ => return,
        };
        self.add_note(&reason);
    }

    fn add_note(&mut self, reason: &str) {
        let note = format!("some classes that only other classes refer to are not archived: {reason}");
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn run(mut self) -> (Vec<ArchivedClass>, Vec<String>) {
        while let Some(name) = self.own.pop_front().or_else(|| self.other.pop_front()) {
            if self.found.len() >= MAX_CLASSES || self.bytes_left == 0 || self.files.is_late() {
                break;
            }
            let Some((origin, bytes)) = self.look_up(&name) else { continue };
            self.bytes_left = self.bytes_left.saturating_sub(bytes.len());
            let is_own = !origin.contains(".jar");
            class_names(&bytes).into_iter().for_each(|name| self.want(name, is_own));
            let digest = Some(ContentHash::of(&bytes));
            self.found.push(ArchivedClass { class_name: name, origin, digest, bytes: Some(bytes) });
        }
        (self.found, self.notes)
    }

    fn want(&mut self, name: &str, is_own: bool) {
        if wanted::source_of(name) != Some(ClassSource::Program) || !wanted::is_class_name(name) {
            return;
        }
        if self.known.contains(name) {
            return;
        }
        if !self.left.known.take(name.len()) {
            self.add_note("the classes refer to too many classes");
            return;
        }
        self.known.insert(name.to_owned());
        let queue = if is_own { &mut self.own } else { &mut self.other };
        queue.push_back(name.to_owned());
    }

    fn look_up(&self, name: &str) -> Option<(String, Vec<u8>)> {
        let found = self.sources.iter().find_map(|source| match source {
            Source::Folder(folder) => {
                let file = self.files.open_file(&format!("{folder}/{name}.class")).ok()?;
                Some(((*folder).to_owned(), file.read_start(MAX_CLASS_BYTES).ok()?))
            }
            Source::Jar { path, jar, classes } => {
                let class = classes.get(name)?;
                let origin = if class.folder.is_empty() { path.clone() } else { format!("{path}!/{}", class.folder) };
                Some((origin, jar.read(class.entry, MAX_CLASS_BYTES).ok()?))
            }
        });
        found.filter(|(_, bytes)| bytes.len() <= self.bytes_left && bytes.starts_with(&super::search::CLASS_FILE_MAGIC))
    }
}

fn by_name(classes: Vec<FoundClass>) -> HashMap<String, FoundClass> {
    classes.into_iter().map(|class| (class.name.clone(), class)).collect()
}

/// The file of an origin: `/opt/app.jar` for the origin `/opt/app.jar!/BOOT-INF/classes`.
fn file_of(origin: &str) -> &str {
    origin.split("!/").next().unwrap_or(origin)
}

/// The classes that a class file refers to: superclass, interfaces, nest, and all classes in its code. Empty: the file
/// is corrupt. Each text of the file is used once, so the names are never longer than the file.
fn class_names(bytes: &[u8]) -> Vec<&str> {
    read_class_names(bytes).unwrap_or_default()
}

/// Reads the constants one after the other, as `(kind, content)`. Their sizes are in the JVM specification, section
/// 4.4.
fn read_class_names(bytes: &[u8]) -> Option<Vec<&str>> {
    let u16_at = |at: usize| Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?));
    let count = usize::from(u16_at(8)?);
    let mut texts: HashMap<u16, &[u8]> = HashMap::new();
    let mut classes = Vec::new();
    let (mut at, mut number) = (10, 1);
    while number < count {
        let length = match *bytes.get(at)? {
            1 => {
                let length = usize::from(u16_at(at + 1)?);
                texts.insert(number as u16, bytes.get(at + 3..at + 3 + length)?);
                2 + length
            }
            7 => {
                classes.push(u16_at(at + 1)?);
                2
            }
            3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => 4,
            5 | 6 => {
                number += 1;
                8
            }
            8 | 16 | 19 | 20 => 2,
            15 => 3,
            _ => return None,
        };
        at += 1 + length;
        number += 1;
    }
    let texts = classes.iter().filter_map(|name| str::from_utf8(texts.remove(name)?).ok());
    Some(texts.filter_map(element_class).collect())
}

/// The class in a type name: `a/B` in `a/B` and in `[[La/B;`. Missing: an array of numbers.
fn element_class(name: &str) -> Option<&str> {
    match name.strip_prefix('[') {
        None => Some(name),
        Some(array) => array.trim_start_matches('[').strip_prefix('L')?.strip_suffix(';'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class_archive::tests::{packed, refers_to};
    use crate::process::Process;

    /// Two web archives. In each, a jar contains a class on a stack, and a class that the first class refers to.
    struct Archives {
        folder: tempfile::TempDir,
        nested_bytes: u64,
    }

    impl Archives {
        fn new() -> Self {
            let (folder, mut nested_bytes) = (tempfile::tempdir().unwrap(), 0);
            for name in ["a", "b"] {
                let inner = packed(&[
                    (&format!("{name}/Seen.class"), refers_to(&[])),
                    (&format!("{name}/Other.class"), refers_to(&[])),
                ]);
                nested_bytes += inner.len() as u64;
                let archive = packed(&[("WEB-INF/lib/inner.jar", inner)]);
                std::fs::write(folder.path().join(format!("{name}.war")), archive).unwrap();
            }
            Self { folder, nested_bytes }
        }

        fn path(&self, name: &str) -> String {
            self.folder.path().join(name).display().to_string()
        }

        /// The names of the related classes, and the notes.
        fn related(&self, files: &TargetFiles, limits: Limits) -> (Vec<String>, Vec<String>) {
            let mut table = ArchiveTable::default();
            for name in ["a", "b"] {
                table.push(ArchivedClass {
                    class_name: format!("{name}/Seen"),
                    origin: format!("{}!/WEB-INF/lib/inner.jar", self.path(&format!("{name}.war"))),
                    digest: None,
                    bytes: Some(refers_to(&[&format!("{name}/Other")])),
                });
            }
            let start = Start { files, places: &[], java_version: 17, main_class: None };
            let (found, notes) = Related::new(&table, &start, limits).run();
            (found.into_iter().map(|class| class.class_name).collect(), notes)
        }
    }

    fn own_files() -> TargetFiles {
        TargetFiles::of_process(Process(std::process::id())).unwrap()
    }

    #[test]
    fn the_memory_of_a_search_is_limited() {
        let archives = Archives::new();
        let (files, limits) = (own_files(), Limits::default());
        assert_eq!(archives.related(&files, limits), (vec!["a/Other".to_owned(), "b/Other".to_owned()], vec![]));
        let few = |count| NameRoom { count, ..NameRoom::default() };
        for (limits, reason) in [
            (Limits { nested_bytes: archives.nested_bytes - 1, ..limits }, "the jars inside jars have more than"),
            // The first archive has three names: the jar and its two classes.
            (Limits { names: few(4), ..limits }, "the jars have too many classes"),
            (Limits { names: NameRoom { bytes: 60, ..few(100) }, ..limits }, "the jars have too many classes"),
            (Limits { known: few(1), ..limits }, "the classes refer to too many classes"),
        ] {
            let (found, notes) = archives.related(&files, limits);
            assert_eq!(found, ["a/Other"], "{reason}");
            let prefix = "some classes that only other classes refer to are not archived: ";
            assert!(notes.len() == 1 && notes[0].starts_with(&format!("{prefix}{reason}")), "{notes:?}");
        }
    }

    #[test]
    fn no_jar_is_opened_after_the_end() {
        let archives = Archives::new();
        let files = own_files().until(Instant::now());
        let table = ArchiveTable::default();
        let start = Start { files: &files, places: &[], java_version: 17, main_class: None };
        let mut related = Related::new(&table, &start, Limits::default());
        related.open_jar(&archives.path("a.war"), &HashSet::new(), 17);
        assert!(related.sources.is_empty());
        assert_eq!(archives.related(&files, Limits::default()), (vec![], vec![]));
    }

    #[test]
    fn damaged_class_files_refer_to_nothing() {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 3, 1, 0, 3];
        bytes.extend(b"a/B");
        bytes.extend([7, 0, 1]);
        assert_eq!(class_names(&bytes), ["a/B"]);
        for length in 0..bytes.len() {
            assert!(class_names(&bytes[..length]).is_empty(), "{length}");
        }
        assert_eq!(element_class("[[La/B;"), Some("a/B"));
        assert_eq!(element_class("[J"), None);
    }

    #[test]
    fn a_text_is_one_name_even_if_many_constants_refer_to_it() {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0xff, 0xff, 1, 0xff, 0xff];
        bytes.extend([b'x'; 0xffff]);
        (0..0xfffd).for_each(|_| bytes.extend([7, 0, 1]));
        assert_eq!(class_names(&bytes).iter().map(|name| name.len()).collect::<Vec<_>>(), [0xffff]);
    }
}
