//! The files that a program writes: regular files below the working folder, and files that the command line names.
//!
//! ```text
//! before the runs: state of all files ── run ──> files with another state: written ──> hash and text, by path
//! ```
//!
//! If a run appended to a file, only the new part counts. A file whose path is not in all runs, for example because its name
//! has a date, is paired with files of the same name without times and ids.
//!
//! Of a compressed file, the decompressed content counts. Files elsewhere are not seen. Hidden folders, such as `.git`, are
//! left out.

use super::content::{Content, Whole, content, decompressed};
use super::mask::without_ids;
use super::printed::{Compared, Source, compare};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use whittle_profile::Side;

/// If there are more files, whittle does not compare files.
const MAX_FILES: usize = 50_000;

/// A file's state. If one of these values changed, the file was written.
type FileState = (u64, i64, i64, u64);

/// All kept texts together have at most this many bytes. Other files are compared by their hashes.
const MAX_KEPT_BYTES: u64 = 64 << 20;
/// Before the first run, at most this many bytes of all files are read, to see later what a run has appended.
const MAX_FIRST_READ_BYTES: u64 = 256 << 20;

/// The files that one run has written.
type Run = BTreeMap<PathBuf, Content>;

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
    /// Files with bytes that the remedy changes, in a format that whittle cannot decompress.
    pub(super) unreadable: Vec<String>,
}

/// What a remedy does with the bytes of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileBytes {
    /// The program writes the same bytes.
    Same,
    /// The program compresses the same content to other bytes.
    Compressed,
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
        if content.length == whole.0
            && let Some(decompressed) = decompressed(path)
        {
            content = decompressed;
        }
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
    pub(super) fn compare(&self, bytes: FileBytes) -> Option<FilesCompared> {
        if self.is_too_large {
            return None;
        }
        let of = |side: Side| -> Vec<&Run> {
            self.runs.iter().filter(|(of, _)| *of == side).map(|(_, files)| files).collect()
        };
        Some(compare_files(&self.roots, (&of(Side::Baseline), &of(Side::Candidate)), bytes))
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

fn compare_files(roots: &[PathBuf], (baseline, candidate): (&[&Run], &[&Run]), bytes: FileBytes) -> FilesCompared {
    let mut all = FilesCompared {
        compared: Compared::Same { unsteady_count: 0 },
        same_count: 0,
        unsteady: Vec::new(),
        unreadable: Vec::new(),
    };
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
            OneFile::OtherBytes(_) if bytes == FileBytes::Compressed => all.unreadable.push(shown),
            OneFile::OtherBytes(difference) | OneFile::Different(difference) => {
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
#[derive(Debug, Clone, PartialEq, Eq)]
enum OneFile {
    Same,
    Unsteady,
    /// The bytes differ, and they are no text.
    OtherBytes(String),
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
    let is_different = |file: &&OneFile| matches!(file, OneFile::Different(_));
    let has_other_bytes = |file: &&OneFile| matches!(file, OneFile::OtherBytes(_));
    let different = each.iter().find(is_different).or_else(|| each.iter().find(has_other_bytes)).cloned();
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
        let difference = format!("the file {name} differs: its length of {wanted} bytes became {found}");
        return match compared {
            Some(_) => OneFile::Different(difference),
            None => OneFile::OtherBytes(difference),
        };
    }
    match compared {
        Some(Compared::Same { unsteady_count: 0 }) => OneFile::Same,
        None if is_steady => OneFile::OtherBytes(format!("the file {name} has other content")),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use std::io::Write;
    use std::sync::Arc;

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
        compare_files(&[], (&baseline.iter().collect::<Vec<_>>(), &[&run(candidate)]), FileBytes::Same)
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
        assert!(matches!(files.compare(FileBytes::Same).unwrap().compared, Compared::Different { .. }));
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
            files.compare(FileBytes::Same).unwrap()
        };
        assert_eq!(compared_with("a\na\n").same_count, 1);
        let lost = Compared::Different { difference: "the file log differs: 2 lines became 1 line".to_owned() };
        assert_eq!(compared_with("a\n").compared, lost);
        assert!(matches!(compared_with("").compared, Compared::Different { .. }));
    }

    /// Compares a file that all runs write with two contents: that of the baseline and that of the candidate.
    fn written(baseline: &[u8], candidate: &[u8], bytes: FileBytes) -> FilesCompared {
        let folder = tempfile::tempdir().unwrap();
        let mut files = WrittenFiles::of_roots(vec![folder.path().to_owned()], Vec::new());
        for (side, content) in [(Side::Baseline, baseline), (Side::Candidate, candidate), (Side::Baseline, baseline)] {
            fs::write(folder.path().join("out"), content).unwrap();
            files.add_run(side);
        }
        files.compare(bytes).unwrap()
    }

    #[test]
    fn a_compressed_file_is_compared_after_decompression() {
        let texts = ["a line that repeats\n".repeat(500), "a line that repeats\n".repeat(499)];
        let gzip = |text: &str, level| {
            let mut packer = GzEncoder::new(Vec::new(), Compression::new(level));
            packer.write_all(text.as_bytes()).unwrap();
            packer.finish().unwrap()
        };
        let zlib = |text: &str, level| {
            let mut packer = ZlibEncoder::new(Vec::new(), Compression::new(level));
            packer.write_all(text.as_bytes()).unwrap();
            packer.finish().unwrap()
        };
        for pack in [&gzip as &dyn Fn(&str, u32) -> Vec<u8>, &zlib] {
            let (best, fast) = (pack(&texts[0], 9), pack(&texts[0], 1));
            assert_ne!(best, fast);
            assert_eq!(written(&best, &fast, FileBytes::Same).same_count, 1);
            let lost =
                Compared::Different { difference: "the file out differs: 500 lines became 499 lines".to_owned() };
            assert_eq!(written(&best, &pack(&texts[1], 1), FileBytes::Compressed).compared, lost);
            let cut = &fast[..fast.len() - 1];
            assert!(matches!(written(&best, cut, FileBytes::Same).compared, Compared::Different { .. }));
        }
    }

    #[test]
    fn other_bytes_are_listed_only_if_the_remedy_changes_them() {
        let pack = |level| {
            let mut packer = DeflateEncoder::new(vec![0xff], Compression::new(level));
            packer.write_all(&[7; 5000]).unwrap();
            packer.finish().unwrap()
        };
        let (best, stored) = (pack(9), pack(0));
        assert!(matches!(written(&best, &stored, FileBytes::Same).compared, Compared::Different { .. }));
        let compared = written(&best, &stored, FileBytes::Compressed);
        assert_eq!(compared.compared, Compared::Same { unsteady_count: 0 });
        assert_eq!(compared.unreadable, ["out"]);
    }
}
