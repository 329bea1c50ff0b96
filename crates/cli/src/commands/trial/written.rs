//! The files that a program writes: regular files below the working folder, and files that the command line names.
//!
//! ```text
//! before the runs: state of all files ── run ──> files with another state: written ──> text or hash, by name
//! ```
//!
//! Files elsewhere are not seen. Hidden folders, such as `.git`, are left out.

use super::mask::without_ids;
use super::printed::{Compared, compare};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use whittle_profile::Side;
use xxhash_rust::xxh3::Xxh3;

/// If there are more files, whittle does not compare files.
const MAX_FILES: usize = 50_000;
/// Larger files are compared by their hashes only, and not line by line.
const MAX_TEXT_BYTES: u64 = 1 << 20;
const BUFFER_BYTES: usize = 1 << 16;

/// A file's state. If one of these values changed, the file was written.
type FileState = (u64, i64, i64, u64);

/// The content of a written file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    /// Text, for a comparison of its lines.
    Text(String),
    /// The hash of other content.
    Hash(u128),
}

/// Watches the files of a program from run to run.
pub(super) struct WrittenFiles {
    roots: Vec<PathBuf>,
    left_out: Vec<PathBuf>,
    states: BTreeMap<PathBuf, FileState>,
    /// The files that each run has written, by their names without ids.
    runs: Vec<(Side, BTreeMap<String, Content>)>,
    /// There are too many files.
    is_too_large: bool,
}

/// The comparison of the written files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilesCompared {
    pub(super) compared: Compared,
    /// Number of files that all runs wrote with the same content.
    pub(super) same_count: usize,
    /// Files with contents that differ from run to run of the baseline.
    pub(super) unsteady: Vec<String>,
}

impl WrittenFiles {
    /// Remembers the state of all files. `left_out`: whittle's own folders.
    pub(super) fn new(command: &[OsString], left_out: &[PathBuf]) -> io::Result<Self> {
        let here = std::env::current_dir()?;
        let mut roots = vec![here.clone()];
        roots.extend(named_paths(command, &here));
        let left_out = left_out.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let mut files = Self { roots, left_out, states: BTreeMap::new(), runs: Vec::new(), is_too_large: false };
        files.states = files.read_states();
        Ok(files)
    }

    /// Reads what a run has written. Call this after each run.
    pub(super) fn add_run(&mut self, side: Side) {
        if self.is_too_large {
            return;
        }
        let states = self.read_states();
        let is_new = |(path, state): &(&PathBuf, &FileState)| self.states.get(*path) != Some(state);
        let read = |path: &PathBuf| Some((self.name(path), content(path).ok()?));
        let written = states.iter().filter(is_new).filter_map(|(path, _)| read(path)).collect();
        self.runs.push((side, written));
        self.states = states;
    }

    /// The name of a file in messages, which is the same in all runs. It is relative to the working folder, the first root.
    fn name(&self, path: &Path) -> String {
        let below = |root: &PathBuf| path.strip_prefix(root).ok().map(|rest| without_ids(&rest.to_string_lossy()));
        let found = self.roots.iter().enumerate().find_map(|(number, root)| Some((number, root, below(root)?)));
        match found {
            Some((0, _, rest)) => rest,
            Some((_, root, rest)) => root.join(rest).display().to_string(),
            None => path.display().to_string(),
        }
    }

    fn read_states(&mut self) -> BTreeMap<PathBuf, FileState> {
        let mut states = BTreeMap::new();
        for root in self.roots.clone() {
            self.add_states(&root, &mut states);
        }
        states
    }

    fn add_states(&mut self, path: &Path, states: &mut BTreeMap<PathBuf, FileState>) {
        let Ok(metadata) = fs::symlink_metadata(path) else { return };
        if self.left_out.iter().any(|folder| folder == path) {
            return;
        }
        if states.len() >= MAX_FILES {
            self.is_too_large = true;
        } else if metadata.is_file() {
            states.insert(path.to_owned(), state(&metadata));
        } else if metadata.is_dir() {
            let entries = fs::read_dir(path).into_iter().flatten().flatten();
            let is_shown = |name: &OsString| !name.as_bytes().starts_with(b".");
            let shown = entries.filter(|entry| is_shown(&entry.file_name()));
            shown.for_each(|entry| self.add_states(&entry.path(), states));
        }
    }

    /// Compares the files of both sides. `None`: there are too many files.
    pub(super) fn compare(&self) -> Option<FilesCompared> {
        if self.is_too_large {
            return None;
        }
        let of =
            |side: Side| -> Vec<_> { self.runs.iter().filter(|(of, _)| *of == side).map(|(_, files)| files).collect() };
        Some(compare_files(&of(Side::Baseline), &of(Side::Candidate)))
    }
}

fn compare_files(baseline: &[&BTreeMap<String, Content>], candidate: &[&BTreeMap<String, Content>]) -> FilesCompared {
    let names: BTreeSet<&String> = baseline.iter().flat_map(|run| run.keys()).collect();
    let new = candidate.iter().flat_map(|run| run.keys()).find(|name| !names.contains(name));
    let mut all = FilesCompared { compared: Compared::Same { unsteady_count: 0 }, same_count: 0, unsteady: Vec::new() };
    if let Some(name) = new.filter(|_| !baseline.is_empty()) {
        all.compared = Compared::Different { difference: format!("the file {name} is new") };
        return all;
    }
    for name in names {
        match compare_file(name, baseline, candidate) {
            OneFile::Same => all.same_count += 1,
            OneFile::Unsteady => all.unsteady.push(name.clone()),
            OneFile::Different(difference) => {
                all.compared = Compared::Different { difference };
                return all;
            }
        }
    }
    all
}

/// The comparison of one file.
enum OneFile {
    Same,
    Unsteady,
    Different(String),
}

fn compare_file(
    name: &str,
    baseline: &[&BTreeMap<String, Content>],
    candidate: &[&BTreeMap<String, Content>],
) -> OneFile {
    let contents =
        |runs: &[&BTreeMap<String, Content>]| runs.iter().map(|run| run.get(name).cloned()).collect::<Vec<_>>();
    let (of_baseline, of_candidate) = (contents(baseline), contents(candidate));
    if of_baseline.contains(&None) {
        return OneFile::Unsteady;
    }
    if of_candidate.contains(&None) {
        return OneFile::Different(format!("the file {name} is not written"));
    }
    if of_baseline.iter().all(|content| *content == of_baseline[0])
        && of_candidate.iter().all(|it| *it == of_baseline[0])
    {
        return OneFile::Same;
    }
    let texts = |contents: &[Option<Content>]| {
        let text = |content: &Option<Content>| match content {
            Some(Content::Text(text)) => Some(text.clone()),
            _ => None,
        };
        contents.iter().map(text).collect::<Option<Vec<String>>>()
    };
    match (texts(&of_baseline), texts(&of_candidate)) {
        (Some(of_baseline), Some(of_candidate)) => match compare(&of_baseline, &of_candidate) {
            Compared::Same { unsteady_count: 0 } => OneFile::Same,
            Compared::Same { .. } => OneFile::Unsteady,
            Compared::Different { difference } => OneFile::Different(format!("the file {name} differs: {difference}")),
        },
        _ if of_baseline.iter().any(|content| *content != of_baseline[0]) => OneFile::Unsteady,
        _ => OneFile::Different(format!("the file {name} has other content")),
    }
}

fn state(metadata: &Metadata) -> FileState {
    (metadata.ino(), metadata.mtime(), metadata.mtime_nsec(), metadata.len())
}

/// The existing files and folders that words of the command name outside of the working folder, without system folders.
fn named_paths(command: &[OsString], here: &Path) -> Vec<PathBuf> {
    let words = command.iter().skip(1).filter_map(|word| word.to_str());
    let paths = words.flat_map(|word| [word, word.split_once('=').map_or("", |(_, value)| value)]);
    let is_outside = |path: &PathBuf| path.is_absolute() && !path.starts_with(here) && !here.starts_with(path);
    let paths = paths.map(PathBuf::from).filter(|path| is_outside(path) && is_users(path));
    paths.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Whether a path is not in a folder of the system or of devices.
fn is_users(path: &Path) -> bool {
    !["/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/dev", "/proc", "/sys", "/opt"]
        .iter()
        .any(|system| path.starts_with(system))
        && path.components().count() > 2
}

/// The content of a file. Texts that are too large are a hash.
fn content(path: &Path) -> io::Result<Content> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() <= MAX_TEXT_BYTES {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        return Ok(match String::from_utf8(bytes) {
            Ok(text) => Content::Text(text),
            Err(error) => Content::Hash(xxhash_rust::xxh3::xxh3_128(error.as_bytes())),
        });
    }
    let (mut hasher, mut buffer) = (Xxh3::new(), vec![0; BUFFER_BYTES]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(Content::Hash(hasher.digest128())),
            length => hasher.update(&buffer[..length]),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    fn run(files: &[(&str, &str)]) -> BTreeMap<String, Content> {
        files.iter().map(|(name, text)| ((*name).to_owned(), Content::Text((*text).to_owned()))).collect()
    }

    fn compared(baseline: &[&[(&str, &str)]], candidate: &[(&str, &str)]) -> FilesCompared {
        let baseline: Vec<_> = baseline.iter().map(|files| run(files)).collect();
        compare_files(&baseline.iter().collect::<Vec<_>>(), &[&run(candidate)])
    }

    fn difference(baseline: &[&[(&str, &str)]], candidate: &[(&str, &str)]) -> String {
        match compared(baseline, candidate).compared {
            Compared::Different { difference } => difference,
            Compared::Same { .. } => "same".to_owned(),
        }
    }

    #[test]
    fn a_lost_end_a_missing_file_and_a_new_file_are_differences() {
        let whole: &[(&str, &str)] = &[("out", "a\nb\n")];
        assert_eq!(compared(&[whole; 2], whole).same_count, 1);
        assert_eq!(difference(&[whole; 2], &[("out", "a\n")]), "the file out differs: 2 lines became 1 line");
        assert_eq!(difference(&[whole; 2], &[]), "the file out is not written");
        assert_eq!(difference(&[whole; 2], &[("out", "a\nb\n"), ("core", "")]), "the file core is new");
    }

    #[test]
    fn times_in_files_are_no_difference_and_unsteady_files_are_listed() {
        assert_eq!(difference(&[&[("log", "took 1 s")], &[("log", "took 2 s")]], &[("log", "took 3 s")]), "same");
        let unsteady = compared(&[&[("log", "n 1")], &[("log", "n 2")]], &[("log", "n 3")]);
        assert_eq!((unsteady.unsteady, unsteady.same_count), (vec!["log".to_owned()], 0));
        assert_eq!(compared(&[&[("now", "")], &[]], &[]).unsteady, ["now"]);
    }

    #[test]
    fn written_files_are_found_by_their_state() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("input"), "x").unwrap();
        fs::create_dir(path(".git")).unwrap();
        fs::create_dir(path("own")).unwrap();
        let mut files = WrittenFiles {
            roots: vec![folder.path().to_owned()],
            left_out: vec![path("own")],
            states: BTreeMap::new(),
            runs: Vec::new(),
            is_too_large: false,
        };
        files.states = files.read_states();
        for (side, text) in [(Side::Baseline, "1"), (Side::Candidate, "12")] {
            fs::write(path("output"), text).unwrap();
            fs::write(path(".git/index"), text).unwrap();
            fs::write(path("own/report"), text).unwrap();
            files.add_run(side);
        }
        let names: Vec<Vec<String>> = files.runs.iter().map(|(_, files)| files.keys().cloned().collect()).collect();
        assert_eq!(names.len(), 2);
        assert!(names.iter().all(|names| names.len() == 1), "{names:?}");
        assert!(matches!(files.compare().unwrap().compared, Compared::Different { .. }));
    }

    #[test]
    fn paths_of_the_command_line_outside_the_working_folder_are_watched() {
        let command =
            ["java", "-jar", "/home/me/app.jar", "--out=/data/out/x", "/usr/lib/y", "/dev/null", "z", "/srv/a/in"];
        let words: Vec<OsString> = command.iter().map(OsString::from).collect();
        let found = named_paths(&words, Path::new("/srv/a"));
        assert_eq!(found, [PathBuf::from("/data/out/x"), PathBuf::from("/home/me/app.jar")]);
    }
}
