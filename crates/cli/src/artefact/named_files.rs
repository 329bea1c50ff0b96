//! Finds the files that a command line names.
//!
//! ```text
//! java   -cp   app.jar:lib/*              com.acme.Main   --config=conf/app.xml   out
//! text   text  path ":" path "/*"         text            "--config=" path        text: a bare word can have any meaning
//! ```
//!
//! The options of a `java` launcher are known, even if the launcher follows another program such as `taskset`. Other
//! words name a file if they look like a path (a slash, or a dot in the last part) and the path exists.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};
use whittle_collect::jar_class_path;

/// Folders of the system. Every similar machine has these files or creates them again.
const SYSTEM_FOLDERS: [&str; 13] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc",
    "/proc",
    "/sys",
    "/dev",
    "/run",
    "/var/lib",
    "/nix/store",
];
/// A folder inside a system folder. It contains files of the machine's owner.
const OWN_FOLDER: &str = "/usr/local";

/// Options of `java` with a list of paths. The list is the next word or comes after `=`.
const PATH_LISTS: [&str; 6] = ["-cp", "-classpath", "--class-path", "-p", "--module-path", "--upgrade-module-path"];
/// Options of `java` with a path directly after the colon. The path ends at `=`.
const AGENTS: [&str; 2] = ["-javaagent:", "-agentpath:"];
/// The option of `java` with a value of the form `MODULE=PATHS`.
const PATCH: &str = "--patch-module";
/// Options of `java` with a value that names no file. The value is the next word or comes after `=`.
const WITH_VALUE: [&str; 7] = [
    "--add-opens",
    "--add-exports",
    "--add-reads",
    "--add-modules",
    "--limit-modules",
    "--enable-native-access",
    "--source",
];
/// Options of `java` that take the program as their value. All later words are the program's arguments.
const MODULES: [&str; 2] = ["-m", "--module"];
/// Prefixes of `java` options that name no file to read. The colon separates a prefix from the option's value.
const SETTINGS: [&str; 8] =
    ["-XX:", "-Xlog:", "-verbose:", "-ea:", "-da:", "-enableassertions:", "-disableassertions:", "-agentlib:"];

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// Text, as typed.
    Text(String),
    /// A file or folder, as an absolute path.
    Path(PathBuf),
}

/// The words of a command line, and the files that they name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NamedFiles {
    /// The words of the command line, each as a list of its parts.
    pub(super) words: Vec<Vec<Word>>,
    /// Files and folders to copy, absolute paths.
    pub(super) files: BTreeSet<PathBuf>,
    /// Sentences about files that the program may need and that are not in `files`.
    pub(super) left_out: Vec<String>,
}

/// Finds the files of a command line. Relative paths begin at `working_directory`.
pub(super) fn named_files(command: &[OsString], working_directory: &Path) -> Result<NamedFiles, String> {
    let words: Option<Vec<&str>> = command.iter().map(|word| word.to_str()).collect();
    let words = words.ok_or("--keep-artefact: the command line has words that are not UTF-8")?;
    let mut found = Found { here: working_directory, named: NamedFiles::default() };
    // A java launcher can follow taskset, env or a script.
    let java = words.iter().position(|word| found.is_java(word)).unwrap_or(words.len());
    let (before, from_java) = words.split_at(java);
    if let Some((program, rest)) = before.split_first() {
        found.add_program(program, false);
        rest.iter().for_each(|word| found.add_word(word));
    }
    if let Some((java, rest)) = from_java.split_first() {
        found.add_program(java, true);
        found.add_java_words(rest);
    }
    Ok(found.named)
}

struct Found<'a> {
    here: &'a Path,
    named: NamedFiles,
}

impl Found<'_> {
    fn push(&mut self, word: Vec<Word>) {
        self.named.words.push(word);
    }

    fn push_text(&mut self, word: &str) {
        self.push(vec![Word::Text(word.to_owned())]);
    }

    fn leave_out(&mut self, what: String) {
        if !self.named.left_out.contains(&what) {
            self.named.left_out.push(what);
        }
    }

    /// True if the word names a launcher. A source folder with the name `java` is not a launcher.
    fn is_java(&self, word: &str) -> bool {
        Path::new(word).file_name().is_some_and(|name| name == "java") && !self.absolute(word).is_dir()
    }

    fn add_program(&mut self, program: &str, is_java: bool) {
        let in_path = || {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            std::env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
        };
        let path = if program.contains('/') { Some(self.absolute(program)) } else { in_path() };
        match path.filter(|path| path.is_file() && !is_system(path)) {
            // A launcher cannot run without its JVM.
            Some(path) if is_java => {
                self.leave_out(format!("the JVM at {} is not kept", path.display()));
                self.push_text(program);
            }
            Some(path) => {
                if is_script(&path) {
                    self.leave_out(format!("the files that the script {program} starts and reads are not kept"));
                }
                self.keep_as_word(path);
            }
            None => self.push_text(program),
        }
    }

    fn keep_as_word(&mut self, path: PathBuf) {
        self.named.files.insert(path.clone());
        self.push(vec![Word::Path(path)]);
    }

    fn add_java_words(&mut self, words: &[&str]) {
        let mut words = words.iter();
        let mut is_option = true;
        while let Some(word) = words.next() {
            if is_option && takes_next(word) {
                self.push_text(word);
                words.next().into_iter().for_each(|value| self.add_java_value(word, value));
            } else if !is_option || !self.add_java_option(word) {
                self.add_word(word);
            }
            // The words after the jar or the main class are the program's arguments.
            is_option &= word.starts_with(['-', '@']) && !is_program(word);
        }
    }

    /// Adds the value of an option. The value is the word after the option.
    fn add_java_value(&mut self, option: &str, value: &str) {
        match value.split_once('=') {
            Some((module, list)) if option == PATCH => self.add_path_list(&format!("{module}="), list),
            _ if option == "-jar" || PATH_LISTS.contains(&option) => self.add_path_list("", value),
            _ => self.push_text(value),
        }
    }

    /// Adds an option that consists of one word. Returns false if the word is not a known option.
    fn add_java_option(&mut self, word: &str) -> bool {
        if let Some((option, list)) = word.split_once('=').filter(|(option, _)| PATH_LISTS.contains(option)) {
            self.add_path_list(&format!("{option}="), list);
            return true;
        }
        if let Some((module, list)) = word.strip_prefix(PATCH).and_then(|rest| rest.strip_prefix('=')?.split_once('='))
        {
            self.add_path_list(&format!("{PATCH}={module}="), list);
            return true;
        }
        let option = word.split_once('=').map_or(word, |(option, _)| option);
        if SETTINGS.iter().any(|start| word.starts_with(start)) || WITH_VALUE.contains(&option) || is_program(option) {
            self.push_text(word);
            return true;
        }
        if let Some(agent) = AGENTS.iter().find(|agent| word.starts_with(**agent)) {
            let (path, options) = match word[agent.len()..].split_once('=') {
                Some((path, options)) => (path, format!("={options}")),
                None => (&word[agent.len()..], String::new()),
            };
            let mut parts = vec![Word::Text((*agent).to_owned())];
            parts.extend(self.class_path_entry(path));
            parts.extend((!options.is_empty()).then_some(Word::Text(options)));
            self.push(parts);
            return true;
        }
        if let Some(file) = word.strip_prefix('@') {
            self.leave_out(format!("the files that the argument file {file} names are not kept"));
            self.push_text(word);
            return true;
        }
        false
    }

    fn add_path_list(&mut self, prefix: &str, list: &str) {
        let mut parts = Vec::new();
        let mut text = prefix.to_owned();
        for (position, entry) in list.split(':').enumerate() {
            text.push_str(if position > 0 { ":" } else { "" });
            for part in self.class_path_entry(entry) {
                match part {
                    Word::Text(more) => text.push_str(&more),
                    path @ Word::Path(_) => {
                        parts.extend((!text.is_empty()).then(|| Word::Text(std::mem::take(&mut text))));
                        parts.push(path);
                    }
                }
            }
        }
        if !text.is_empty() || parts.is_empty() {
            parts.push(Word::Text(text));
        }
        self.push(parts);
    }

    /// Parses a class path entry: a jar, a folder, or all jars of a folder. A missing file is kept as text.
    fn class_path_entry(&mut self, entry: &str) -> Vec<Word> {
        let as_text = || vec![Word::Text(entry.to_owned())];
        if entry.is_empty() {
            self.leave_out(
                "the class path contains the working directory, but the working directory is not kept".to_owned(),
            );
            return as_text();
        }
        if let Some(folder) = entry.strip_suffix("/*").or_else(|| (entry == "*").then_some(".")) {
            let folder = self.absolute(folder);
            for jar in jars_of(&folder) {
                self.add_jar(jar);
            }
            return vec![Word::Path(folder), Word::Text("/*".to_owned())];
        }
        let path = self.absolute(entry);
        if !path.exists() || is_system(&path) {
            return as_text();
        }
        if path.is_file() {
            self.add_jar(path.clone());
        } else {
            self.named.files.insert(path.clone());
        }
        vec![Word::Path(path)]
    }

    /// Adds a jar, and the jars that its manifest names.
    fn add_jar(&mut self, jar: PathBuf) {
        if !self.named.files.insert(jar.clone()) {
            return;
        }
        // A file that is not a jar has no manifest.
        let entries = jar_class_path(&jar).unwrap_or_default();
        for entry in entries.iter().map(|entry| entry.replace("%20", " ")) {
            if entry.contains(":/") {
                self.leave_out(format!("{entry} is not kept; the manifest of {} names it", jar.display()));
                continue;
            }
            let path = normalised(&jar.parent().unwrap_or(Path::new("/")).join(&entry));
            match (path.is_dir(), path.is_file() && !is_system(&path)) {
                (true, _) => _ = self.named.files.insert(path),
                (_, true) => self.add_jar(path),
                _ => {}
            }
        }
    }

    /// Adds a word without a known meaning.
    fn add_word(&mut self, word: &str) {
        if let Some(path) = self.named_path(word) {
            return self.keep_as_word(path);
        }
        let value = word.split_once('=').and_then(|(key, value)| Some((key, self.named_path(value)?)));
        match value {
            Some((key, path)) => {
                self.named.files.insert(path.clone());
                self.push(vec![Word::Text(format!("{key}=")), Word::Path(path)]);
            }
            None => {
                self.note_possible_file(word);
                self.push_text(word);
            }
        }
    }

    /// Records that a word is kept as text. If the word names a file, a later run uses the current file with this name.
    fn note_possible_file(&mut self, word: &str) {
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        let path = self.absolute(value);
        let is_of_machine = path.exists() && is_system(&path);
        let is_noted = self.named.left_out.iter().any(|note| note.starts_with(&format!("{word} is not kept")));
        if word.contains(['/', ':', ' ']) && !is_of_machine && !is_noted {
            self.leave_out(format!("{word:?} is kept as text; if this word names a file, the file is not kept"));
        }
    }

    /// The existing file or folder that a word names, if the word looks like a path.
    fn named_path(&mut self, word: &str) -> Option<PathBuf> {
        let path = self.absolute(word);
        let name = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if word.is_empty() || word.contains('\n') || !path.exists() || is_system(&path) {
            return None;
        }
        if !word.contains('/') && !name.contains('.') {
            self.leave_out(format!("{word} is not kept; if the program reads it, write ./{word}"));
            return None;
        }
        if self.here.starts_with(&path) {
            self.leave_out(format!("{word} is not kept, because it is the working directory or a folder above it"));
            return None;
        }
        (path.is_file() || path.is_dir()).then_some(path)
    }

    fn absolute(&self, path: &str) -> PathBuf {
        normalised(&self.here.join(path))
    }
}

/// Whether this option of `java` has its value in the next word.
fn takes_next(word: &str) -> bool {
    let known = [&PATH_LISTS[..], &WITH_VALUE, &MODULES, &[PATCH, "-jar"]];
    known.iter().any(|options| options.contains(&word))
}

/// Whether an option of `java` names the program. This option is the launcher's last option.
fn is_program(word: &str) -> bool {
    word == "-jar" || MODULES.contains(&word) || word.starts_with("--module=")
}

/// The path without `.` and `..`. Links are not followed.
fn normalised(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => _ = normal.pop(),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

fn is_system(path: &Path) -> bool {
    !path.starts_with(OWN_FOLDER) && SYSTEM_FOLDERS.iter().any(|folder| path.starts_with(folder))
}

fn is_script(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 2];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == *b"#!"
}

fn jars_of(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_jar = |path: &PathBuf| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("jar"));
    let mut jars: Vec<PathBuf> = entries.filter(is_jar).collect();
    jars.sort();
    jars
}
