//! Copies files and folders, and records their sizes and content hashes.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// Most files to copy. No class path has more files, so a larger number means that a folder was named by mistake.
const MAX_FILES: usize = 100_000;

const BUFFER_BYTES: usize = 1 << 16;

/// A file that was copied.
#[derive(Debug)]
pub(super) struct Copied {
    /// Absolute path of the original.
    pub(super) original: PathBuf,
    pub(super) bytes: u64,
    /// XXH3-128, 32 hexadecimal digits.
    pub(super) hash: String,
    pub(super) is_executable: bool,
}

/// Copies all files, and folders with their content. Each copy has the file's absolute path, below `folder`. Links are
/// followed.
pub(super) fn copy_all(originals: &BTreeSet<PathBuf>, folder: &Path, limit_bytes: u64) -> Result<Vec<Copied>, String> {
    let mut copy = Copy { folder, limit_bytes, bytes: 0, visited: BTreeSet::new(), copied: Vec::new() };
    for original in originals {
        copy.add(original)?;
    }
    Ok(copy.copied)
}

struct Copy<'a> {
    folder: &'a Path,
    limit_bytes: u64,
    bytes: u64,
    /// Real paths of visited folders, and paths of visited files. Because of them, copying ends even if links form a
    /// circle.
    visited: BTreeSet<PathBuf>,
    copied: Vec<Copied>,
}

impl Copy<'_> {
    fn add(&mut self, original: &Path) -> Result<(), String> {
        let cannot = |error: io::Error| format!("--keep-artefact: cannot read {}: {error}", original.display());
        let metadata = fs::metadata(original).map_err(cannot)?;
        if metadata.is_dir() {
            let real = fs::canonicalize(original).map_err(cannot)?;
            if self.visited.insert(real) {
                let mut entries: Vec<PathBuf> =
                    fs::read_dir(original).map_err(cannot)?.flatten().map(|entry| entry.path()).collect();
                entries.sort();
                return entries.iter().filter(|entry| entry.exists()).try_for_each(|entry| self.add(entry));
            }
        } else if metadata.is_file() && self.visited.insert(original.to_owned()) {
            self.check_room(original, metadata.len())?;
            let place = self.folder.join(original.strip_prefix("/").unwrap_or(original));
            let (bytes, hash) = copy_file(original, &place).map_err(cannot)?;
            self.bytes += bytes;
            let is_executable = metadata.permissions().mode() & 0o111 != 0;
            self.copied.push(Copied { original: original.to_owned(), bytes, hash, is_executable });
        }
        Ok(())
    }

    fn check_room(&self, next: &Path, bytes: u64) -> Result<(), String> {
        let mib = self.limit_bytes >> 20;
        if self.bytes.saturating_add(bytes) > self.limit_bytes {
            let next = next.display();
            return Err(format!(
                "--keep-artefact: the files that the command line names have more than {mib} MiB (the limit is reached at {next}); \
                 raise the limit, for example --artefact-limit {}m, or leave --keep-artefact out",
                (mib * 4).max(1)
            ));
        }
        if self.copied.len() >= MAX_FILES {
            return Err(format!(
                "--keep-artefact: the command line names folders with more than {MAX_FILES} files (the limit is reached at {}); name \
                 smaller folders",
                next.display()
            ));
        }
        Ok(())
    }
}

/// Copies one file to a new file with its permissions; returns its length and hash.
pub(super) fn copy_file(from: &Path, to: &Path) -> io::Result<(u64, String)> {
    let mut source = File::open(from)?;
    let permissions = source.metadata()?.permissions();
    to.parent().map_or(Ok(()), fs::create_dir_all)?;
    let mut copy = File::create_new(to)?;
    let (mut hasher, mut length, mut buffer) = (Xxh3::new(), 0, vec![0; BUFFER_BYTES]);
    loop {
        let count = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&buffer[..count]);
        copy.write_all(&buffer[..count])?;
        length += count as u64;
    }
    // The user must be able to remove the copy, whatever permissions the original has.
    let mode = permissions.mode() | 0o600;
    copy.set_permissions(fs::Permissions::from_mode(mode & 0o777))?;
    Ok((length, format!("{:032x}", hasher.digest128())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    /// Another user could have put the link there.
    #[test]
    fn a_copy_never_follows_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let [from, victim, link] = ["from", "victim", "link"].map(|name| folder.path().join(name));
        fs::write(&from, "new").unwrap();
        fs::write(&victim, "old").unwrap();
        std::os::unix::fs::symlink(&victim, &link).unwrap();
        assert_eq!(copy_file(&from, &link).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&victim).unwrap(), "old");
    }
}
