//! The origins of a JVM's classes, in the JVM's search order.

use super::target_files::TargetFiles;
use crate::process::Process;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use whittle_import::SystemProperties;

/// Time between two readings of the open files. A reading takes microseconds per file, and a server can have tens of
/// thousands of files.
const JAR_POLL_INTERVAL: Duration = Duration::from_secs(10);

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

/// All places of a JVM, and whether the recording contains only the start of the class path.
pub(super) fn places(files: &TargetFiles, properties: &SystemProperties, jars: &JarWatch) -> (Vec<Place>, bool) {
    let class_path = properties.paths("java.class.path");
    let module_path = properties.paths("jdk.module.path");
    let mut places: Vec<Place> = class_path.entries.iter().map(|entry| place(files, files.absolute(entry))).collect();
    places.extend(module_path.entries.iter().flat_map(|entry| modules(files, files.absolute(entry))));
    places.extend(jars.seen.iter().flat_map(|path| open_jar(files.name_in_root(path))));
    (places, class_path.is_cut || module_path.is_cut)
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
    last: Option<Instant>,
}

impl JarWatch {
    pub(super) fn new(process: Process) -> Self {
        Self { process, seen: BTreeSet::new(), last: None }
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
                self.seen.insert(path.into_owned());
            }
        }
        self.last = Some(Instant::now());
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
        let (places, is_cut) = places(&files, &properties, &JarWatch::new(Process(std::process::id())));
        let expected = [
            Place::Folder(format!("{path}/one")),
            Place::Jar(format!("{path}/many/three.jar")),
            Place::Folder(format!("{path}/many/two")),
            Place::Jar(format!("{path}/absent.jar")),
        ];
        assert_eq!(places, expected);
        assert!(!is_cut);
    }
}
