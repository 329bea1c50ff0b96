//! Finds the code of functions in files: sources of Java and native code, class files, machine code.
//!
//! ```text
//! Java     --source-path, then next to the jar or folder of the class, then the JDK's src.zip
//! classes  --source-path, then the JDK's jmods
//! native   the path in the debug information, then --source-path
//! binaries --source-path, the program's own folder, the JDK, the system's folders of libraries; build id equal
//! ```
//!
//! An experiment can be from an untrusted source. So whittle reads only plain files with the ending of a source file,
//! up to a size limit.

mod disassembly;
mod java;
mod jdk;
mod native;

use jdk::JdkFolder;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use whittle_collect::open_regular_file;
use whittle_model::Manifest;
use whittle_views::source::{CodeSource, Disassembly, JavaClass, NativeCode, SourceText};

/// Larger source files are not read, because people do not write such files.
const MAX_SOURCE_BYTES: u64 = 16 << 20;
/// Larger class files are not read. The class archive has the same limit.
const MAX_CLASS_BYTES: u64 = 16 << 20;

/// Endings of source files. Other files are never read.
const SOURCE_EXTENSIONS: [&str; 22] = [
    "java", "kt", "kts", "scala", "groovy", "clj", "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "inc",
    "inl", "rs", "go", "s", "S", "asm",
];

/// Folders without sources. Paths through `/proc` can point to any file.
const SYSTEM_FOLDERS: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Reads code from files.
#[derive(Debug)]
pub(crate) struct FileCode {
    /// Folders, jars and binaries from the command line, in order.
    source_path: Vec<PathBuf>,
    /// The command line of the program, which can name a binary.
    command: Vec<String>,
    /// The JDK of the program, if it is on this machine.
    jdk: Option<JdkFolder>,
    /// Class files of the JDK that were already requested.
    classes: Mutex<HashMap<String, Option<Vec<u8>>>>,
}

impl FileCode {
    /// Finds code for the experiment with this manifest. `source_path` contains the folders and jars that the user
    /// named.
    pub(crate) fn new(source_path: &[PathBuf], manifest: &Manifest) -> Self {
        Self {
            source_path: source_path.to_vec(),
            command: manifest.command.clone(),
            jdk: jdk::find(manifest),
            classes: Mutex::default(),
        }
    }
}

impl CodeSource for FileCode {
    fn java_source(&self, class: &JavaClass<'_>) -> Result<SourceText, String> {
        self.find_java_source(class)
    }

    fn class_file(&self, class_name: &str) -> Option<Vec<u8>> {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = classes.entry(class_name.to_owned());
        known.or_insert_with(|| self.find_class_file(class_name)).clone()
    }

    fn native_source(&self, path: &str) -> Result<SourceText, String> {
        self.find_native_source(path)
    }

    fn machine_code(&self, code: &NativeCode<'_>) -> Result<Disassembly, String> {
        self.find_machine_code(code)
    }
}

/// True for names of source files.
fn is_source_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && SOURCE_EXTENSIONS.contains(&extension))
}

/// True if a path below a folder cannot leave the folder.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// The text of a source file. Missing: the file does not exist or must not be read.
fn read_source(path: &Path) -> Option<SourceText> {
    // The real path of the open file is checked, because a link with the name of a source file can point to a private key,
    // and somebody else can change the link at any time.
    let file = open_regular_file(path).ok()?;
    let real = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
    let shown = path.to_string_lossy().into_owned();
    let is_source = is_source_name(&shown) && is_source_name(&real.to_string_lossy());
    let is_of_system = SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder) || real.starts_with(folder));
    if !is_source || is_of_system {
        return None;
    }
    let bytes = read_all(file, MAX_SOURCE_BYTES)?;
    Some(SourceText { path: shown, text: String::from_utf8_lossy(&bytes).into_owned() })
}

/// The bytes of an open file. Missing: the file is larger than `max_bytes`, or cannot be read.
fn read_all(file: fs::File, max_bytes: u64) -> Option<Vec<u8>> {
    if file.metadata().ok()?.len() > max_bytes {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// A list of names for a sentence. A long list is shortened.
fn listed(names: &[String]) -> String {
    const MAX_NAMED: usize = 6;
    let named = names[..names.len().min(MAX_NAMED)].join(", ");
    match names.len().checked_sub(MAX_NAMED) {
        None | Some(0) => named,
        Some(more) => format!("{named} and {more} more places"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_with_the_name_of_a_source_does_not_lead_to_another_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("id_rsa"), "private").unwrap();
        fs::write(at("real.c"), "int x;").unwrap();
        std::os::unix::fs::symlink(at("id_rsa"), at("key.c")).unwrap();
        std::os::unix::fs::symlink(at("real.c"), at("link.c")).unwrap();
        assert!(read_source(&at("key.c")).is_none());
        assert_eq!(read_source(&at("link.c")).unwrap().text, "int x;");
        let through_proc = format!("/proc/self/root{}", at("real.c").display());
        assert!(read_source(Path::new(&through_proc)).is_none());
    }

    #[test]
    fn only_sources_inside_are_read() {
        for name in ["/src/Main.java", "a.c", "x/y.hpp", "start.S"] {
            assert!(is_source_name(name), "{name}");
        }
        for name in ["/etc/shadow", "/home/me/.ssh/id_rsa", ".java", "/x.java/secret", "key.pem"] {
            assert!(!is_source_name(name), "{name}");
        }
        for path in ["a/B.java", "B.java"] {
            assert!(is_inside(path), "{path}");
        }
        for path in ["../B.java", "/etc/B.java", "a/../../B.java", "a//b", "", "a\0b"] {
            assert!(!is_inside(path), "{path}");
        }
    }
}
