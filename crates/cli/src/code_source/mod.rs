//! Finding the code of functions in files: sources of Java and native code, class files, machine code.
//!
//! ```text
//! Java     --source-path, then beside the jar or folder that the class was loaded from, then the JDK's src.zip
//! classes  --source-path, then the JDK's jmods
//! native   the path in the debug information, then --source-path
//! binaries --source-path, the program's own folder, the JDK, the system's folders of libraries; build id equal
//! ```
//!
//! An experiment can come from elsewhere, and what it names is not believed: only plain files whose names end as
//! those of sources do are read, within a limit of size.

mod disassembly;
mod java;
mod jdk;
mod native;

use jdk::JdkFolder;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use whittle_analysis::{CodeSource, Disassembly, JavaClass, NativeCode, SourceText};
use whittle_model::Manifest;

/// Larger texts are no sources that a person wrote.
const MAX_SOURCE_BYTES: u64 = 16 << 20;
/// As for the class archive.
const MAX_CLASS_BYTES: u64 = 16 << 20;

/// How the names of source files end. Others are not read, whatever an experiment says.
const SOURCE_EXTENSIONS: [&str; 22] = [
    "java", "kt", "kts", "scala", "groovy", "clj", "c", "cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "inc",
    "inl", "rs", "go", "s", "S", "asm",
];

/// Reads code from files.
#[derive(Debug)]
pub(crate) struct FileCode {
    /// Folders, jars and binaries that the user named, in order.
    source_path: Vec<PathBuf>,
    /// The observed program's words: a binary of that name may be among them.
    command: Vec<String>,
    /// The JDK that ran, if it is here.
    jdk: Option<JdkFolder>,
    /// Class files of the JDK that were asked for.
    classes: Mutex<HashMap<String, Option<Vec<u8>>>>,
}

impl FileCode {
    /// For the experiment with this manifest; `source_path` is what the user named, folders and jars.
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

/// True for names that sources have.
fn is_source_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(stem, extension)| !stem.is_empty() && SOURCE_EXTENSIONS.contains(&extension))
}

/// A path below a folder that cannot lead out of it.
fn is_inside(path: &str) -> bool {
    !path.is_empty() && !path.contains('\0') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// The text of a source file; nothing if there is none that can be read.
fn read_source(path: &Path) -> Option<SourceText> {
    let metadata = fs::metadata(path).ok()?;
    let shown = path.to_string_lossy().into_owned();
    if !metadata.is_file() || metadata.len() > MAX_SOURCE_BYTES || !is_source_name(&shown) {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    Some(SourceText { path: shown, text: String::from_utf8_lossy(&bytes).into_owned() })
}

/// Names in a sentence, at most so many.
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
