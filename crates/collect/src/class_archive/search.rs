//! Searches for the needed classes in one place after another, within the limits of the archive.

use super::ClassArchive;
use super::jar::{Contents, FoundClass, Jar, JarBytes, JarError, NameRoom};
use super::places::{MAX_PLACES, Place};
use super::target_files::TargetFiles;
use super::wanted::{ClassSource, WantedClass};
use super::{MAX_NAMED, listed, shortened};
use crate::agent_files::is_agent_class;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::time::Duration;
use whittle_model::{ArchiveTable, ArchivedClass, ContentHash};

/// Limit for the total size of archived class files. A typical file has 5 KB.
const MAX_ARCHIVE_BYTES: u64 = 64 << 20;
/// Maximum size of a class file. The file format allows larger files, but compilers do not create them.
pub(super) const MAX_CLASS_BYTES: u64 = 16 << 20;
/// Maximum total length of the paths from manifests. A server with 2000 jars, each with 100 jars in its manifest, has
/// 20 MB.
const MAX_NAMED_BYTES: usize = 32 << 20;
/// Maximum length of a path on Linux. No file has a longer path.
const MAX_PATH_BYTES: usize = 4096;
/// Maximum total size of decompressed jars inside jars. This is the content of six web archives of 300 MB.
const MAX_NESTED_BYTES: u64 = 2 << 30;
/// Time limit of the search. The end of the collection waits for the search. On two cores, a search of 2000 jars with
/// 200 classes each took 2 seconds, and of a web archive with 500 compressed jars and 320 MB 6 seconds. The limit leaves
/// ten times as much for slow disks and busy machines. A hostile program can have a file system that responds slowly.
pub(crate) const MAX_TIME: Duration = Duration::from_secs(60);
/// The same while the collection continues after the end of one of several JVMs. Meanwhile, nothing else is read.
pub(crate) const MAX_TIME_MEANWHILE: Duration = Duration::from_secs(3);
/// The Java version that is used if the JVM does not report its version. It matches no version of a multi-release jar.
pub(super) const UNKNOWN_VERSION: u32 = 0;

pub(super) const CLASS_FILE_MAGIC: [u8; 4] = [0xca, 0xfe, 0xba, 0xbe];

/// The state of a search.
#[derive(Debug)]
pub(super) struct Search<'a> {
    files: &'a TargetFiles,
    java_version: u32,
    wanted: &'a [WantedClass],
    /// Rows of `wanted` for classes that are not found yet, by class name.
    missing: HashMap<&'a str, usize>,
    found: Vec<Option<(String, Vec<u8>)>>,
    visited: HashSet<String>,
    bytes_left: u64,
    /// Size of the jars inside jars that can still be decompressed.
    pub(super) nested_bytes_left: u64,
    /// Time limit of the search, for messages.
    time: Duration,
    /// Total length of the paths that can still be read from manifests.
    named_bytes_left: usize,
    /// Places that are not searched because of their number or the length of their paths.
    left_out_count: usize,
    /// Places that are not searched, or only in part, because of the time limit.
    late_count: usize,
    /// Found classes that are left out because of the archive's size.
    too_many_count: usize,
    unreadable: Unreadable,
}

/// Unreadable files.
#[derive(Debug, Default)]
struct Unreadable {
    /// The first files, with the reason.
    first: Vec<String>,
    count: usize,
}

impl Unreadable {
    fn add(&mut self, place: &str, reason: &dyn Display) {
        self.count += 1;
        if self.first.len() < MAX_NAMED {
            self.first.push(format!("{} ({reason})", shortened(place)));
        }
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(files: &'a TargetFiles, wanted: &'a [WantedClass], java_version: Option<u32>) -> Self {
        let is_in_file = |class: &WantedClass| class.source != ClassSource::MadeAtRunTime;
        let rows = wanted.iter().enumerate().filter(|(_, class)| is_in_file(class));
        Self {
            files,
            java_version: java_version.unwrap_or(UNKNOWN_VERSION),
            wanted,
            missing: rows.map(|(row, class)| (class.name.as_str(), row)).collect(),
            found: vec![None; wanted.len()],
            visited: HashSet::new(),
            time: MAX_TIME,
            bytes_left: MAX_ARCHIVE_BYTES,
            nested_bytes_left: MAX_NESTED_BYTES,
            named_bytes_left: MAX_NAMED_BYTES,
            left_out_count: 0,
            late_count: 0,
            too_many_count: 0,
            unreadable: Unreadable::default(),
        }
    }

    /// Sets the time limit for messages, and reduces the limit of the archive by the bytes that are in it already.
    pub(super) fn set_limits(&mut self, time: Duration, archived_bytes: u64) {
        self.time = time;
        self.bytes_left = self.bytes_left.saturating_sub(archived_bytes);
    }

    /// Searches `places`, and the jars that their manifests name, until every class is found, or until a limit is
    /// reached.
    pub(super) fn run(&mut self, places: Vec<Place>) {
        let mut open: Vec<Place> = places.into_iter().rev().collect();
        while let Some(place) = open.pop() {
            if self.missing.is_empty() {
                return;
            }
            let (Place::Folder(path) | Place::Jar(path)) = &place;
            if self.visited.contains(path) {
                continue;
            }
            if self.visited.len() >= MAX_PLACES {
                self.left_out_count += self.count_unvisited(&open) + 1;
                return;
            }
            self.visited.insert(path.clone());
            match place {
                Place::Folder(path) => self.look_into_folder(&path),
                Place::Jar(path) => {
                    let named = self.look_into_file(&path);
                    let named = self.places_of(&path, &named, MAX_PLACES.saturating_sub(open.len()));
                    // Java searches the named jars directly after the jar with the manifest.
                    open.extend(named.into_iter().rev().map(Place::Jar));
                }
            }
            if self.files.is_late() && !self.missing.is_empty() {
                self.late_count = self.count_unvisited(&open) + 1;
                return;
            }
        }
    }

    fn count_unvisited(&self, places: &[Place]) -> usize {
        let paths = places.iter().map(|place| match place {
            Place::Folder(path) | Place::Jar(path) => path,
        });
        paths.filter(|path| !self.visited.contains(*path)).collect::<HashSet<_>>().len()
    }

    /// The paths of at most `max_count` jars that the manifest of the jar at `path` names. Jars that were searched are
    /// left out.
    fn places_of(&mut self, path: &str, named: &[String], max_count: usize) -> Vec<String> {
        let mut places = Vec::new();
        for place in named.iter().filter_map(|word| resolve(path, word)) {
            if place.len() > MAX_PATH_BYTES || self.visited.contains(&place) {
                continue;
            }
            match self.named_bytes_left.checked_sub(place.len()) {
                Some(left) if places.len() < max_count => {
                    self.named_bytes_left = left;
                    places.push(place);
                }
                _ => self.left_out_count += 1,
            }
        }
        places
    }

    fn look_into_folder(&mut self, folder: &str) {
        let files = self.files;
        let rows: Vec<(&str, usize)> = self.missing.iter().map(|(name, row)| (*name, *row)).collect();
        for (name, row) in rows {
            if files.is_late() {
                return;
            }
            let path = format!("{folder}/{name}.class");
            let Ok(file) = files.open_file(&path) else { continue };
            match file.read_start(MAX_CLASS_BYTES + 1) {
                Ok(bytes) if bytes.len() as u64 <= MAX_CLASS_BYTES => self.keep((name, row), folder.to_owned(), bytes),
                Ok(_) => self.unreadable.add(&path, &format_args!("more than {MAX_CLASS_BYTES} bytes")),
                Err(error) => self.unreadable.add(&path, &error),
            }
        }
    }

    /// Searches a jar. Returns the words of its class path.
    fn look_into_file(&mut self, path: &str) -> Vec<String> {
        let jar = match self.files.open_file(path) {
            Ok(file) => JarBytes::of_file(file).map_err(JarError::from).and_then(Jar::open),
            // Class paths often name files that do not exist.
            Err(_) => return Vec::new(),
        };
        match jar {
            Ok(jar) => self.look_into_jar(path, jar, true),
            Err(error) => {
                self.unreadable.add(path, &error);
                Vec::new()
            }
        }
    }

    /// Searches a jar and the jars in it. Returns the words of its class path.
    fn look_into_jar(&mut self, path: &str, mut jar: Jar, looks_inside: bool) -> Vec<String> {
        let Contents { classes, jars, class_path, error } =
            jar.contents(&|name| self.missing.contains_key(name), self.java_version, &mut NameRoom::default());
        for class in classes {
            self.take_class(path, &jar, class);
        }
        if let Some(error) = error {
            self.unreadable.add(path, &error);
        }
        for (name, entry) in jars {
            if self.missing.is_empty() || !looks_inside || self.files.is_late() {
                break;
            }
            let inner = format!("{path}!/{name}");
            match jar.nested(entry, &mut self.nested_bytes_left).and_then(Jar::open) {
                Ok(nested) => drop(self.look_into_jar(&inner, nested, false)),
                Err(error) => self.unreadable.add(&inner, &error),
            }
        }
        class_path
    }

    fn take_class(&mut self, path: &str, jar: &Jar, class: FoundClass) {
        let Some((name, row)) = self.missing.get_key_value(class.name.as_str()).map(|(name, row)| (*name, *row)) else {
            return;
        };
        let origin = if class.folder.is_empty() { path.to_owned() } else { format!("{path}!/{}", class.folder) };
        match jar.read(class.entry, MAX_CLASS_BYTES) {
            Ok(bytes) => self.keep((name, row), origin, bytes),
            Err(error) => self.unreadable.add(&format!("{origin}!/{name}.class"), &error),
        }
    }

    fn keep(&mut self, (name, row): (&str, usize), origin: String, bytes: Vec<u8>) {
        if !bytes.starts_with(&CLASS_FILE_MAGIC) {
            self.unreadable.add(&format!("{origin}: {name}.class"), &"no class file");
            return;
        }
        self.missing.remove(name);
        match self.bytes_left.checked_sub(bytes.len() as u64) {
            Some(left) => {
                self.bytes_left = left;
                self.found[row] = Some((origin, bytes));
            }
            None => self.too_many_count += 1,
        }
    }

    /// The archive, and the notes about missing classes.
    pub(super) fn finish(self) -> ClassArchive {
        let mut archive = ClassArchive::default();
        let (mut not_found, mut not_found_count) = (Vec::new(), 0);
        for (class, found) in self.wanted.iter().zip(self.found) {
            if let Some((origin, bytes)) = found {
                let digest = Some(ContentHash::of(&bytes));
                archive.table.push(ArchivedClass {
                    class_name: class.name.clone(),
                    origin,
                    digest,
                    bytes: Some(bytes),
                });
            } else if class.source != ClassSource::ProgramOrJdk {
                archive.table.push(without_bytes(class));
                let is_missing = self.missing.contains_key(class.name.as_str()) && !is_agent_class(&class.name);
                if is_missing && not_found.len() < MAX_NAMED {
                    not_found.push(shortened(&class.name.replace('/', ".")));
                }
                not_found_count += usize::from(is_missing);
            }
        }
        if not_found_count > 0 {
            archive.not_found = Some(format!("no class file was found for {}", listed(&not_found, not_found_count)));
        }
        if self.late_count > 0 {
            archive.notes.push(format!(
                "the search for class files ended after its limit of {} seconds: {} folders and jars were not searched, or only in part",
                self.time.as_secs(),
                self.late_count
            ));
        }
        if self.left_out_count > 0 {
            archive.notes.push(format!(
                "{} folders and jars were not searched for class files: there are more than {MAX_PLACES}, or their names are too long in total",
                self.left_out_count
            ));
        }
        if self.too_many_count > 0 {
            let limit = MAX_ARCHIVE_BYTES >> 20;
            archive
                .notes
                .push(format!("{} classes are not archived: the total would exceed {limit} MiB", self.too_many_count));
        }
        if self.unreadable.count > 0 {
            let files = listed(&self.unreadable.first, self.unreadable.count);
            archive.notes.push(format!("could not be read for the class archive: {files}"));
        }
        archive
    }
}

/// The rows of an archive for which no file can be read.
pub(super) fn rows_without_bytes(wanted: &[WantedClass]) -> ArchiveTable {
    let mut table = ArchiveTable::default();
    let rows = wanted.iter().filter(|class| class.source != ClassSource::ProgramOrJdk);
    rows.for_each(|class| table.push(without_bytes(class)));
    table
}

fn without_bytes(class: &WantedClass) -> ArchivedClass {
    ArchivedClass { class_name: class.name.clone(), origin: String::new(), digest: None, bytes: None }
}

/// The path of a jar in the manifest of the jar at `path`. `word` is a relative URL or a `file:` URL.
fn resolve(path: &str, word: &str) -> Option<String> {
    let word = match word.split_once(':') {
        None => word,
        Some(("file", absolute)) => absolute.strip_prefix("//").unwrap_or(absolute),
        Some(_) => return None,
    };
    let word = without_percent_codes(word)?;
    if word.starts_with('/') {
        return Some(word);
    }
    let (folder, _) = path.rsplit_once('/')?;
    Some(without_dots(&format!("{folder}/{word}")))
}

/// Removes `.` and `..` as in URLs. Otherwise jars that name each other would get longer and longer names.
fn without_dots(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Decodes `%20` and similar codes, as UTF-8.
fn without_percent_codes(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        bytes.extend(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_paths_of_manifests_are_urls() {
        let cases = [
            ("lib/b.jar", Some("/opt/lib/b.jar")),
            ("./lib/../../b.jar", Some("/b.jar")),
            ("a%20b.jar", Some("/opt/a b.jar")),
            ("file:/srv/b.jar", Some("/srv/b.jar")),
            ("file:///srv/b.jar", Some("/srv/b.jar")),
            ("/srv/b.jar", Some("/srv/b.jar")),
            ("https://example.org/b.jar", None),
            ("b%2.jar", None),
            ("b%zz.jar", None),
            ("b%é.jar", None),
            ("b%00.jar", None),
        ];
        for (word, path) in cases {
            assert_eq!(resolve("/opt/a.jar", word).as_deref(), path, "{word}");
        }
    }
}
