//! Finds separate files with debug information.
//!
//! ```text
//! build id ab12cd…   /usr/lib/debug/.build-id/ab/12cd….debug
//! debug link x.debug in the file's folder, in .debug below it, below /usr/lib/debug
//! build id ab12cd…   CACHE/ab12cd…/debuginfo
//! ```
//!
//! Each place is searched in the process's file system first. Then `/usr/lib/debug` is searched in whittle's file system,
//! and then the cache of debuginfod clients. Files are recognised by build id or checksum, never only by name. Nothing is
//! downloaded.

use super::{DebugLink, ElfBytes, ElfFile};
use crate::program_files::{LocalFiles, ProgramFiles};
use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

const DEBUG_FOLDER: &str = "/usr/lib/debug";

/// The folder in which debuginfod clients of this user keep what they have downloaded. Source: debuginfod-find(1).
pub fn debug_info_cache() -> Option<PathBuf> {
    cache_among(|name| env::var_os(name).filter(|value| !value.is_empty()))
}

fn cache_among(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let below = |variable: Option<OsString>, end: &str| variable.map(|folder| PathBuf::from(folder).join(end));
    variable("DEBUGINFOD_CACHE_PATH")
        .map(PathBuf::from)
        .or_else(|| below(variable("XDG_CACHE_HOME"), "debuginfod_client"))
        .or_else(|| below(variable("HOME"), ".cache/debuginfod_client"))
        .filter(|folder| folder.is_absolute())
}

/// Whether a folder or a file belongs to this user or to root, and other users cannot write to it. With `sudo`, the cache can be
/// another user's. Links are not followed.
pub fn is_own_cache(path: &Path) -> bool {
    let own = fs::metadata("/proc/self").map(|found| found.uid()).ok();
    let is_own = |found: Metadata| {
        (found.uid() == 0 || Some(found.uid()) == own) && found.mode() & OTHERS_WRITE == 0 && !found.is_symlink()
    };
    fs::symlink_metadata(path).is_ok_and(is_own)
}

const OTHERS_WRITE: u32 = 0o002;

/// The places that are searched for a file's debug information.
#[derive(Debug)]
pub struct DebugFiles {
    /// The files of the process. None: they are not accessible.
    files: Option<Arc<dyn ProgramFiles>>,
    /// The file's folder as the process sees it.
    folder: PathBuf,
    /// Downloaded files, in whittle's file system.
    cache: Option<PathBuf>,
}

impl DebugFiles {
    /// The places for a file at `path` among `files`.
    pub fn new(files: Option<Arc<dyn ProgramFiles>>, path: &str) -> Self {
        let folder = Path::new(path).parent().unwrap_or(Path::new("/")).to_owned();
        Self { files, folder, cache: debug_info_cache().filter(|cache| is_own_cache(cache)) }
    }

    /// The file with `elf`'s debug information, if it exists.
    pub fn find(&self, elf: &ElfFile) -> Option<ElfFile> {
        let by_id = elf.build_id().and_then(|id| self.open_by_build_id(id));
        by_id.or_else(|| self.open_by_link(elf, &elf.debug_link()?))
    }

    /// The file with debug information that `debug` shares with other files, if `debug` has such a link.
    pub fn find_supplementary(&self, debug: &ElfFile) -> Option<ElfFile> {
        let link = debug.supplementary_link()?;
        let by_id = link.build_id.as_deref().and_then(|id| self.open_by_build_id(id));
        // The path is relative to a debug file. The usual folders of debug files are two levels below this folder.
        let name = Path::new(link.name.trim_start_matches("../"));
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return by_id;
        }
        let path = Path::new(DEBUG_FOLDER).join(name);
        by_id.or_else(|| self.open(&path, |file| file.is_named_by(&link)))
    }

    fn open_by_build_id(&self, id: &str) -> Option<ElfFile> {
        let (start, rest) = id.split_at_checked(2)?;
        let path = format!("{DEBUG_FOLDER}/.build-id/{start}/{rest}.debug");
        let is_right = |file: &ElfFile| file.build_id() == Some(id);
        self.open(Path::new(&path), is_right).or_else(|| {
            let folder = self.cache.as_ref()?.join(id);
            let cached = folder.join("debuginfo");
            if !is_own_cache(&folder) || !is_own_cache(&cached) {
                return None;
            }
            ElfFile::open(ElfBytes::File(LocalFiles::own().open(&cached).ok()?)).filter(is_right)
        })
    }

    fn open_by_link(&self, elf: &ElfFile, link: &DebugLink) -> Option<ElfFile> {
        let name = Path::new(&link.name).file_name()?;
        let below = Path::new(DEBUG_FOLDER).join(self.folder.strip_prefix("/").unwrap_or(&self.folder));
        let is_right = |file: &ElfFile| match elf.build_id() {
            // Equal build ids are as reliable as a checksum, and the file does not have to be read completely.
            Some(id) if file.build_id().is_some() => file.build_id() == Some(id),
            _ => file.is_named_by(link),
        };
        let folders = [self.folder.clone(), self.folder.join(".debug"), below];
        folders.iter().find_map(|folder| self.open(&folder.join(name), is_right))
    }

    fn open(&self, path: &Path, is_right: impl Fn(&ElfFile) -> bool) -> Option<ElfFile> {
        let open_in = |files: &dyn ProgramFiles| {
            let file = files.open(path).ok()?;
            ElfFile::open(ElfBytes::File(file)).filter(&is_right)
        };
        let own = LocalFiles::own();
        let is_plain = path.components().all(|part| part != Component::ParentDir);
        let own: Option<&dyn ProgramFiles> = (is_plain && path.starts_with(DEBUG_FOLDER)).then_some(&own);
        self.files.as_deref().and_then(open_in).or_else(|| own.and_then(open_in))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_cache_is_that_of_other_debuginfod_clients() {
        let among = |variables: &[(&str, &str)]| {
            cache_among(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
        };
        let home = ("HOME", "/home/ada");
        let xdg = ("XDG_CACHE_HOME", "/var/cache/ada");
        assert_eq!(among(&[home]), Some("/home/ada/.cache/debuginfod_client".into()));
        assert_eq!(among(&[home, xdg]), Some("/var/cache/ada/debuginfod_client".into()));
        assert_eq!(among(&[home, xdg, ("DEBUGINFOD_CACHE_PATH", "/cache")]), Some("/cache".into()));
        assert_eq!(among(&[("HOME", "relative")]), None);
        assert_eq!(among(&[]), None);
    }

    #[test]
    fn a_cache_of_another_user_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_own_cache(folder.path()));
        assert!(!is_own_cache(&folder.path().join("absent")));
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &link).unwrap();
        assert!(!is_own_cache(&link));
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(!is_own_cache(folder.path()));
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        if std::os::unix::fs::chown(folder.path(), Some(65_534), None).is_ok() {
            assert!(!is_own_cache(folder.path()));
        }
    }
}
