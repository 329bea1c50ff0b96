//! The files that a program writes: regular files below the working folder, and files that the command line names.
//!
//! ```text
//! before the runs: state of all files ── run ──> files with another state: written ──> hash and text, by path
//! ```
//!
//! If a run appended to a file, only the new part counts. A file whose path is not in all runs, for example because its name
//! has a date, is paired with files of the same name without times and ids.
//!
//! Files elsewhere are not seen. Hidden folders, such as `.git`, are left out.

use super::mask::without_ids;
use super::printed::{Compared, Source, compare};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use whittle_profile::Side;
use xxhash_rust::xxh3::Xxh3;

/// If there are more files, whittle does not compare files.
const MAX_FILES: usize = 50_000;
/// Larger files are compared by their hashes only, and not line by line.
const MAX_TEXT_BYTES: u64 = 1 << 20;
const BUFFER_BYTES: usize = 1 << 16;

/// A file's state. If one of these values changed, the file was written.
type FileState = (u64, i64, i64, u64);

/// All kept texts together have at most this many bytes. Other files are compared by their hashes.
const MAX_KEPT_BYTES: u64 = 64 << 20;
/// Before the first run, at most this many bytes of all files are read, to see later what a run has appended.
const MAX_FIRST_READ_BYTES: u64 = 256 << 20;

/// The content that a run has written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    hash: u128,
    length: u64,
    /// Text, for a comparison of its lines.
    text: Option<Arc<str>>,
}

/// The files that one run has written.
type Run = BTreeMap<PathBuf, Content>;

/// The length and the hash of a whole file.
type Whole = (u64, u128);

/// Watches the files of a program from run to run.
pub(super) struct WrittenFiles {
    roots: Vec<PathBuf>,
    left_out: Vec<PathBuf>,
    states: BTreeMap<PathBuf, FileState>,
    /// The last known whole contents.
    wholes: BTreeMap<PathBuf, Whole>,
    /// The files that each run has written.
    runs: Vec<(Side, Run)>,
    kept_bytes: u64,
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
        Ok(Self::of_roots(roots, left_out))
    }

    fn of_roots(roots: Vec<PathBuf>, left_out: Vec<PathBuf>) -> Self {
        let mut files = Self {
            roots,
            left_out,
            states: BTreeMap::new(),
            wholes: BTreeMap::new(),
            runs: Vec::new(),
            kept_bytes: 0,
            is_too_large: false,
        };
        files.states = files.read_states();
        files.wholes = first_wholes(&files.states);
        files
    }

    /// Reads what a run has written. Call this after each run.
    pub(super) fn add_run(&mut self, side: Side) {
        if self.is_too_large {
            return;
        }
        let states = self.read_states();
        let is_new = |(path, state): &(&PathBuf, &FileState)| self.states.get(*path) != Some(state);
        let paths: Vec<PathBuf> = states.iter().filter(is_new).map(|(path, _)| path.clone()).collect();
        let written = paths.into_iter().filter_map(|path| Some((path.clone(), self.read(&path).ok()?))).collect();
        self.runs.push((side, written));
        self.states = states;
    }

    /// Reads what a run has written to a file.
    fn read(&mut self, path: &Path) -> io::Result<Content> {
        let before = self.wholes.get(path).copied();
        let (whole, mut content) = content(path, before)?;
        self.wholes.insert(path.to_owned(), whole);
        let of_earlier = self.runs.iter().rev().filter_map(|(_, run)| run.get(path));
        let same = of_earlier.filter(|earlier| earlier.hash == content.hash).find_map(|earlier| earlier.text.clone());
        if same.is_some() {
            content.text = same;
        } else if content.text.is_some() {
            let is_kept = self.kept_bytes + content.length <= MAX_KEPT_BYTES;
            self.kept_bytes += if is_kept { content.length } else { 0 };
            content.text = content.text.filter(|_| is_kept);
        }
        Ok(content)
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
        let of = |side: Side| -> Vec<&Run> {
            self.runs.iter().filter(|(of, _)| *of == side).map(|(_, files)| files).collect()
        };
        Some(compare_files(&self.roots, &of(Side::Baseline), &of(Side::Candidate)))
    }
}

/// Reads the files that exist before the first run.
fn first_wholes(states: &BTreeMap<PathBuf, FileState>) -> BTreeMap<PathBuf, Whole> {
    let mut left = MAX_FIRST_READ_BYTES;
    let mut wholes = BTreeMap::new();
    for (path, (.., length)) in states {
        if *length > left {
            continue;
        }
        left -= length;
        if let Ok((whole, _)) = content(path, None) {
            wholes.insert(path.clone(), whole);
        }
    }
    wholes
}

/// The name of a file in messages. It is relative to the working folder, the first root.
fn name(roots: &[PathBuf], path: &Path) -> String {
    let below = roots.first().and_then(|here| path.strip_prefix(here).ok());
    below.unwrap_or(path).display().to_string()
}

fn compare_files(roots: &[PathBuf], baseline: &[&Run], candidate: &[&Run]) -> FilesCompared {
    let mut all = FilesCompared { compared: Compared::Same { unsteady_count: 0 }, same_count: 0, unsteady: Vec::new() };
    if baseline.is_empty() || candidate.is_empty() {
        return all;
    }
    let runs = || baseline.iter().chain(candidate);
    let paths: BTreeSet<&PathBuf> = runs().flat_map(|run| run.keys()).collect();
    let (everywhere, elsewhere): (Vec<&PathBuf>, Vec<_>) =
        paths.into_iter().partition(|path| runs().all(|run| run.contains_key(*path)));
    let mut groups: BTreeMap<String, Vec<&PathBuf>> = BTreeMap::new();
    for path in elsewhere {
        groups.entry(without_ids(&name(roots, path))).or_default().push(path);
    }
    let groups = everywhere.into_iter().map(|path| vec![path]).chain(groups.into_values());
    for paths in groups {
        let shown = name(roots, paths[0]);
        match compare_group(
            (&shown, paths.len()),
            &contents_of_runs(baseline, &paths),
            &contents_of_runs(candidate, &paths),
        ) {
            OneFile::Same => all.same_count += paths.len(),
            OneFile::Unsteady => all.unsteady.push(shown),
            OneFile::Different(difference) => {
                all.compared = Compared::Different { difference };
                return all;
            }
        }
    }
    all
}

fn contents_of_runs<'a>(runs: &[&'a Run], paths: &[&PathBuf]) -> Vec<Vec<&'a Content>> {
    runs.iter().map(|run| contents(run, paths)).collect()
}

/// The contents that a run has written to any of these files, in an order that does not depend on the names.
fn contents<'a>(run: &'a Run, paths: &[&PathBuf]) -> Vec<&'a Content> {
    let mut contents: Vec<&Content> = paths.iter().filter_map(|path| run.get(*path)).collect();
    contents.sort_by(|left, right| (&left.text, left.hash).cmp(&(&right.text, right.hash)));
    contents
}

/// The comparison of one file, or of files whose names differ only in times and ids.
#[derive(Debug, PartialEq, Eq)]
enum OneFile {
    Same,
    Unsteady,
    Different(String),
}

fn compare_group(
    (name, paths_count): (&str, usize),
    baseline: &[Vec<&Content>],
    candidate: &[Vec<&Content>],
) -> OneFile {
    let wanted = baseline[0].len();
    if baseline.iter().all(|run| run.is_empty()) {
        return OneFile::Different(format!("the file {name} is new"));
    }
    let (fewest, most) = (counts(baseline).min().unwrap_or(0), counts(baseline).max().unwrap_or(0));
    if let Some(found) = counts(candidate).find(|found| *found < fewest || (fewest == most && *found > most)) {
        return OneFile::Different(match (paths_count, found) {
            (1, _) | (_, 0) => format!("the file {name} is not written"),
            _ => format!("{wanted} files with names like {name} became {found}"),
        });
    }
    if fewest != most {
        return OneFile::Unsteady;
    }
    let each = (0..wanted).map(|number| {
        let of = |runs: &[Vec<&Content>]| runs.iter().map(|run| run[number].clone()).collect::<Vec<_>>();
        compare_contents(name, &of(baseline), &of(candidate))
    });
    let each: Vec<OneFile> = each.collect();
    let is_unsteady = each.contains(&OneFile::Unsteady);
    let different = each.into_iter().find(|file| matches!(file, OneFile::Different(_)));
    different.unwrap_or(if is_unsteady { OneFile::Unsteady } else { OneFile::Same })
}

fn counts<'a>(runs: &'a [Vec<&Content>]) -> impl Iterator<Item = usize> + 'a {
    runs.iter().map(Vec::len)
}

fn compare_contents(name: &str, baseline: &[Content], candidate: &[Content]) -> OneFile {
    let first = &baseline[0];
    let is_first = |content: &Content| (content.hash, content.length) == (first.hash, first.length);
    let is_steady = baseline.iter().all(is_first);
    if is_steady && candidate.iter().all(is_first) {
        return OneFile::Same;
    }
    let texts = |contents: &[Content]| {
        contents.iter().map(|content| content.text.as_deref().map(str::to_owned)).collect::<Option<Vec<String>>>()
    };
    let compared = match (texts(baseline), texts(candidate)) {
        (Some(baseline), Some(candidate)) => Some(compare(Source::File, &baseline, &candidate)),
        _ => None,
    };
    if let Some(Compared::Different { difference }) = compared {
        return OneFile::Different(format!("the file {name} differs: {difference}"));
    }
    let has_length = baseline.iter().all(|content| content.length == first.length);
    let other = candidate.iter().find(|content| content.length != first.length);
    if let Some(other) = other.filter(|_| has_length) {
        let (wanted, found) = (first.length, other.length);
        return OneFile::Different(format!("the file {name} differs: its length of {wanted} bytes became {found}"));
    }
    match compared {
        Some(Compared::Same { unsteady_count: 0 }) => OneFile::Same,
        None if is_steady => OneFile::Different(format!("the file {name} has other content")),
        _ => OneFile::Unsteady,
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

/// The hash of a whole file, and the content that a run has written. This is the end of the file if the file still begins
/// with the content `before`. Texts that are too large are a hash.
fn content(path: &Path, before: Option<Whole>) -> io::Result<(Whole, Content)> {
    let mut file = File::open(path)?;
    let old_length = before.map_or(0, |(length, _)| length).min(file.metadata()?.len());
    let (start, mut whole) = (hash_up_to(&mut file, old_length)?, Xxh3::new());
    let is_appended = before.is_some_and(|(length, hash)| length == old_length && hash == start.digest128());
    whole.clone_from(&start);
    let (mut written, mut text, mut length) = (Xxh3::new(), Vec::new(), 0);
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        let bytes = &buffer[..count];
        whole.update(bytes);
        written.update(bytes);
        length += count as u64;
        if length <= MAX_TEXT_BYTES {
            text.extend_from_slice(bytes);
        }
    }
    let of_whole = (old_length + length, whole.digest128());
    if old_length > 0 && (!is_appended || length == 0) {
        return Ok((of_whole, content(path, None)?.1));
    }
    let text = (length <= MAX_TEXT_BYTES).then_some(text).and_then(|text| String::from_utf8(text).ok());
    Ok((of_whole, Content { hash: written.digest128(), length, text: text.map(Arc::from) }))
}

/// The hash of the first bytes of a file.
fn hash_up_to(file: &mut File, length: u64) -> io::Result<Xxh3> {
    let (mut hasher, mut buffer) = (Xxh3::new(), vec![0; BUFFER_BYTES]);
    let mut start = file.take(length);
    loop {
        match start.read(&mut buffer)? {
            0 => return Ok(hasher),
            count => hasher.update(&buffer[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    fn run(files: &[(&str, &str)]) -> Run {
        let content = |text: &str| Content {
            hash: xxhash_rust::xxh3::xxh3_128(text.as_bytes()),
            length: text.len() as u64,
            text: Some(Arc::from(text)),
        };
        files.iter().map(|(name, text)| (PathBuf::from(name), content(text))).collect()
    }

    fn compared(baseline: &[&[(&str, &str)]], candidate: &[(&str, &str)]) -> FilesCompared {
        let baseline: Vec<_> = baseline.iter().map(|files| run(files)).collect();
        compare_files(&[], &baseline.iter().collect::<Vec<_>>(), &[&run(candidate)])
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
        let mut files = WrittenFiles::of_roots(vec![folder.path().to_owned()], vec![path("own")]);
        for (side, text) in [(Side::Baseline, "1"), (Side::Candidate, "12")] {
            fs::write(path("output"), text).unwrap();
            fs::write(path(".git/index"), text).unwrap();
            fs::write(path("own/report"), text).unwrap();
            files.add_run(side);
        }
        let names: Vec<Vec<PathBuf>> = files.runs.iter().map(|(_, files)| files.keys().cloned().collect()).collect();
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

    #[test]
    fn a_lost_file_is_seen_if_names_differ_only_in_dates_or_ids() {
        let days: &[_] = &[("day-2026-01-01", "1"), ("day-2026-01-02", "2"), ("day-2026-01-03", "3")];
        assert_eq!(compared(&[days; 2], days).same_count, 3);
        assert_eq!(difference(&[days; 2], &days[..2]), "the file day-2026-01-03 is not written");
        let swapped = [("day-2026-01-01", "2"), ("day-2026-01-02", "1"), ("day-2026-01-03", "3")];
        assert!(difference(&[days; 2], &swapped).contains("differs"));
        let first: &[_] = &[("a@1b2c3d", "x"), ("a@2b2c3d", "y")];
        let second: &[_] = &[("a@3b2c3d", "y"), ("a@4b2c3d", "x")];
        assert_eq!(difference(&[first, second], &[("a@5b2c3d", "y"), ("a@6b2c3d", "x")]), "same");
        assert_eq!(difference(&[first, second], &[("a@5b2c3d", "y")]), "2 files with names like a@1b2c3d became 1");
        assert!(difference(&[first, second], &[("a@5b2c3d", "y"), ("a@6b2c3d", "z")]).contains("differs"));
    }

    #[test]
    fn the_length_of_a_file_is_compared_if_it_is_steady() {
        let baseline: [&[_]; 2] = [&[("log", "n 1 \n")], &[("log", "n 2 \n")]];
        assert_eq!(difference(&baseline, &[("log", "n 3\n")]), "the file log differs: its length of 5 bytes became 4");
    }

    #[test]
    fn a_loss_in_a_file_that_all_runs_append_to_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let compared_with = |lines: &str| {
            fs::write(&path, "old\n").unwrap();
            let mut files = WrittenFiles::of_roots(vec![folder.path().to_owned()], Vec::new());
            let mut text = "old\n".to_owned();
            let runs = [(Side::Baseline, "a\na\n"), (Side::Candidate, lines), (Side::Baseline, "a\na\n")];
            for (side, lines) in runs {
                text += lines;
                fs::write(&path, &text).unwrap();
                files.add_run(side);
            }
            files.compare().unwrap()
        };
        assert_eq!(compared_with("a\na\n").same_count, 1);
        let lost = Compared::Different { difference: "the file log differs: 2 lines became 1 line".to_owned() };
        assert_eq!(compared_with("a\n").compared, lost);
        assert!(matches!(compared_with("").compared, Compared::Different { .. }));
    }
}
