//! The origins of a JVM's classes, in the JVM's search order.

use super::target_files::TargetFiles;
use crate::process::Process;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use whittle_import::SystemProperties;

/// Maximum number of places. Manifests can name other jars, and the manifests of those jars can name more jars.
pub(super) const MAX_PLACES: usize = 20_000;

/// Time between two readings of the open files. A reading takes microseconds per file, and a server can have tens of
/// thousands of files.
const JAR_POLL_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum number of jars in [`JarWatch`]. Application servers have a few thousand.
const MAX_JARS: usize = 20_000;
/// Maximum total length of their paths: 200 bytes for each jar.
const MAX_JAR_BYTES: usize = 4 << 20;

/// Endings of files that contain classes.
const ARCHIVE_ENDINGS: [&str; 3] = [".jar", ".war", ".ear"];
/// The folder of jars in unpacked web archives. The folder of classes is next to it.
const WEB_JARS: &str = "/WEB-INF/lib/";
const WEB_CLASSES: &str = "/WEB-INF/classes";

/// A folder or jar with classes, by its path as the process sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// A folder. Packages are folders inside this folder.
    Folder(String),
    /// A jar.
    Jar(String),
}

/// The places of a JVM, at most [`MAX_PLACES`], and notes about missing places.
pub(super) fn places(files: &TargetFiles, properties: &SystemProperties, jars: &JarWatch) -> (Vec<Place>, Vec<String>) {
    let class_path = properties.paths("java.class.path");
    let module_path = properties.paths("jdk.module.path");
    let of_class_path = class_path.entries.iter().map(|entry| place(files, files.absolute(entry)));
    let of_module_path = module_path.entries.iter().flat_map(|entry| modules(files, files.absolute(entry)));
    let of_jars = jars.seen.iter().flat_map(|path| open_jar(files.name_in_root(path)));
    let mut all = of_class_path.chain(of_module_path).chain(of_jars);
    let places = all.by_ref().take(MAX_PLACES).collect();
    let mut notes = Vec::new();
    if class_path.is_cut || module_path.is_cut {
        let note = "the recording contains only the start of the class path; classes in folders of the missing part are not archived";
        notes.push(note.to_owned());
    }
    if all.next().is_some() {
        notes.push(format!(
            "the program has more than {MAX_PLACES} folders and jars; classes in the others are not archived"
        ));
    }
    if jars.is_full {
        let limit = MAX_JAR_BYTES >> 20;
        notes.push(format!(
            "the program opened more than {MAX_JARS} jars, or their names have more than {limit} MiB; classes in the other jars are not archived"
        ));
    }
    (places, notes)
}

fn place(files: &TargetFiles, path: String) -> Place {
    if files.is_folder(&path) { Place::Folder(path) } else { Place::Jar(path) }
}

/// The places of an entry of the module path. The entry is a jar, a module's folder, or a folder of modules.
fn modules(files: &TargetFiles, path: String) -> Vec<Place> {
    let is_module = |path: &str| files.exists(&format!("{path}/module-info.class"));
    if !files.is_folder(&path) || is_module(&path) {
        return vec![place(files, path)];
    }
    let entries = files.names_in(&path).into_iter().map(|name| format!("{path}/{name}"));
    entries.filter(|entry| entry.ends_with(".jar") || is_module(entry)).map(|entry| place(files, entry)).collect()
}

/// A jar that the process has open, and the folder of classes next to it in a web application.
fn open_jar(path: &str) -> Vec<Place> {
    let classes = path.find(WEB_JARS).map(|end| Place::Folder([&path[..end], WEB_CLASSES].concat()));
    classes.into_iter().chain([Place::Jar(path.to_owned())]).collect()
}

/// The jars that a process has open, read from time to time. Class loaders of application servers load jars that are
/// not on the class path, and keep these jars open.
#[derive(Debug)]
pub(super) struct JarWatch {
    process: Process,
    seen: BTreeSet<String>,
    /// Total length of the paths in `seen`.
    seen_bytes: usize,
    /// True if there was no room for a jar.
    is_full: bool,
    last: Option<Instant>,
}

impl JarWatch {
    pub(super) fn new(process: Process) -> Self {
        Self { process, seen: BTreeSet::new(), seen_bytes: 0, is_full: false, last: None }
    }

    /// Reads the open files, unless they were read a short time ago. Returns true if it has read the files.
    pub(super) fn poll(&mut self) -> bool {
        let is_time = self.last.is_none_or(|last| last.elapsed() >= JAR_POLL_INTERVAL);
        if is_time {
            self.poll_now();
        }
        is_time
    }

    /// Reads the open files. A process that has ended has no open files.
    pub(super) fn poll_now(&mut self) {
        for path in self.process.open_files() {
            let path = path.to_string_lossy();
            if path.starts_with('/') && ARCHIVE_ENDINGS.iter().any(|ending| path.ends_with(ending)) {
                self.add(&path);
            }
        }
        self.last = Some(Instant::now());
    }

    fn add(&mut self, path: &str) {
        if self.seen.contains(path) {
            return;
        }
        if self.seen.len() < MAX_JARS && self.seen_bytes + path.len() <= MAX_JAR_BYTES {
            self.seen_bytes += path.len();
            self.seen.insert(path.to_owned());
        } else {
            self.is_full = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_jars_are_seen_while_they_are_open() {
        let folder = tempfile::tempdir().unwrap();
        let jar = folder.path().join("WEB-INF/lib/a.jar");
        std::fs::create_dir_all(jar.parent().unwrap()).unwrap();
        let open = std::fs::File::create(&jar).unwrap();
        let mut watch = JarWatch::new(Process(std::process::id()));
        watch.poll();
        drop(open);
        watch.poll_now();
        let path = std::fs::canonicalize(&jar).unwrap().display().to_string();
        assert!(watch.seen.contains(&path), "{:?}", watch.seen);
        let base = path.strip_suffix("/WEB-INF/lib/a.jar").unwrap();
        let classes = Place::Folder(format!("{base}/WEB-INF/classes"));
        assert_eq!(open_jar(&path), [classes, Place::Jar(path.clone())]);
    }

    #[test]
    fn a_module_path_names_modules_and_folders_of_modules() {
        let folder = tempfile::tempdir().unwrap();
        let path = std::fs::canonicalize(folder.path()).unwrap().display().to_string();
        for file in ["one/module-info.class", "many/two/module-info.class", "many/three.jar", "many/notes.txt"] {
            let file = folder.path().join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        let files = TargetFiles::of_process(Process(std::process::id())).unwrap();
        let mut properties = SystemProperties::default();
        properties.set("jdk.module.path", &format!("{path}/one:{path}/many:{path}/absent.jar"));
        let (places, notes) = places(&files, &properties, &JarWatch::new(Process(std::process::id())));
        let expected = [
            Place::Folder(format!("{path}/one")),
            Place::Jar(format!("{path}/many/three.jar")),
            Place::Folder(format!("{path}/many/two")),
            Place::Jar(format!("{path}/absent.jar")),
        ];
        assert_eq!((places, notes), (expected.to_vec(), Vec::new()));
    }

    #[test]
    fn open_jars_are_limited_in_number_and_length() {
        let files = TargetFiles::of_process(Process(std::process::id())).unwrap();
        let folder = "x".repeat(3_000);
        for (name, expected_count) in [("/a", MAX_JARS), (folder.as_str(), MAX_JAR_BYTES / 3_010)] {
            let mut watch = JarWatch::new(Process(std::process::id()));
            // The same names again take no room.
            for number in (0..expected_count).chain(0..10) {
                watch.add(&format!("{name}/{number:05}.jar"));
            }
            assert_eq!((watch.seen.len(), watch.is_full), (expected_count, false));
            watch.add(&format!("{name}/one-more.jar"));
            assert_eq!((watch.seen.len(), watch.is_full), (expected_count, true));
            let (places, notes) = places(&files, &SystemProperties::default(), &watch);
            assert_eq!(places.len(), expected_count);
            assert!(notes.len() == 1 && notes[0].contains("more than 20000 jars"), "{notes:?}");
        }
    }

    #[test]
    fn a_class_path_is_limited() {
        let files = TargetFiles::of_process(Process(std::process::id())).unwrap();
        let files = files.until(Instant::now());
        let mut properties = SystemProperties::default();
        properties.set("java.class.path", &vec!["a.jar"; MAX_PLACES + 1].join(":"));
        let (places, notes) = places(&files, &properties, &JarWatch::new(Process(std::process::id())));
        assert_eq!(places.len(), MAX_PLACES);
        assert!(notes.len() == 1 && notes[0].contains("more than 20000 folders and jars"), "{notes:?}");
    }
}
