//! The version of a JDK.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum size of a JDK's file `release`. A real file has about 1 KiB.
pub const MAX_RELEASE_BYTES: u64 = 64 << 10;

/// The version in the line `JAVA_VERSION="17.0.15"` of a JDK's file `release`.
pub fn version_in_release(text: &str) -> Option<String> {
    let version = text.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    Some(version.trim_matches('"').to_owned())
}

/// The feature release of a version: 17 for `17.0.15`, 8 for `1.8.0_452`.
pub(crate) fn feature_release(version: &str) -> Option<u32> {
    let mut numbers = version.split(['.', '-', '+', '_']);
    match numbers.next()?.parse().ok()? {
        1 => numbers.next()?.parse().ok(),
        feature => Some(feature),
    }
}

/// The feature release of the JDK of a `java` launcher, as a command line names it. `None`: unknown.
pub(crate) fn release_of_launcher(launcher: &OsStr) -> Option<u32> {
    let program = find_program(launcher, std::env::var_os("PATH"))?.canonicalize().ok()?;
    let file = fs::File::open(program.parent()?.parent()?.join("release")).ok()?;
    let mut text = String::new();
    file.take(MAX_RELEASE_BYTES).read_to_string(&mut text).ok()?;
    feature_release(&version_in_release(&text)?)
}

/// Where the system finds a program: its path, or the first folder of `PATH` that has it.
fn find_program(program: &OsStr, path: Option<OsString>) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(PathBuf::from(program));
    }
    std::env::split_paths(&path?).map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_feature_release_is_the_first_number_that_counts() {
        let releases = ["17.0.15", "25", "1.8.0_452", "21-ea", "x", ""].map(feature_release);
        assert_eq!(releases, [Some(17), Some(25), Some(8), Some(21), None, None]);
    }

    #[test]
    fn a_launcher_is_found_as_the_system_finds_it() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("jdk/bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join("java"), "").unwrap();
        fs::write(folder.path().join("jdk/release"), "IMPLEMENTOR=\"X\"\nJAVA_VERSION=\"21.0.2\"\n").unwrap();
        std::os::unix::fs::symlink(bin.join("java"), folder.path().join("java")).unwrap();
        assert_eq!(release_of_launcher(folder.path().join("java").as_os_str()), Some(21));
        let path = std::env::join_paths([Path::new("/nowhere"), &bin]).unwrap();
        assert_eq!(find_program(OsStr::new("java"), Some(path)), Some(bin.join("java")));
    }
}
