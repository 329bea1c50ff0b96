//! Finds the JDK of a program, if it is on this machine. The JDK has sources and class files.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use whittle_collect::{MAX_RELEASE_BYTES, open_regular_file, version_in_release};
use whittle_model::Manifest;

/// Folders where distributions and installers put JDKs.
const JDK_FOLDERS: [&str; 3] = ["/usr/lib/jvm", "/opt/java", "/usr/java"];

/// The folder of a JDK with the version that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JdkFolder(PathBuf);

impl JdkFolder {
    /// The archive of the JDK's sources. Missing: not installed.
    pub(super) fn sources(&self) -> Option<PathBuf> {
        // Distributions put the archive next to the JDK's home. The home contains a link to the archive, which can be
        // broken.
        ["lib/src.zip", "src.zip"].iter().map(|name| self.0.join(name)).find(|path| path.is_file())
    }

    /// Modules of the JDK with their class files. Empty: not installed.
    pub(super) fn modules(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.join("jmods")).into_iter().flatten().flatten();
        let mut modules: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        modules.retain(|path| path.extension().is_some_and(|extension| extension == "jmod"));
        // Nearly every requested class is in this module.
        modules.sort_by_key(|path| (path.file_name().is_none_or(|name| name != "java.base.jmod"), path.clone()));
        modules
    }

    /// Folders of the JDK's native libraries.
    pub(super) fn libraries(&self) -> [PathBuf; 2] {
        [self.0.join("lib"), self.0.join("lib/server")]
    }
}

/// Finds a program's JDK: the JDK in its command, or otherwise a JDK with exactly the same version.
pub(super) fn find(manifest: &Manifest) -> Option<JdkFolder> {
    let jvm = manifest.jvm.as_ref()?;
    let of_command = manifest.command.first().and_then(|program| super::native::program_file(program));
    let of_command = of_command.and_then(|java| Some(java.canonicalize().ok()?.parent()?.parent()?.to_owned()));
    let from_environment = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let installed = JDK_FOLDERS.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let homes = of_command.into_iter().chain(from_environment).chain(installed.map(|entry| entry.path()));
    let mut homes = homes.filter(|home| version_of(home).is_some_and(|version| is_version(&jvm.version, &version)));
    homes.next().map(JdkFolder)
}

/// The version in a JDK's `release` file.
fn version_of(home: &Path) -> Option<String> {
    // The path comes from the experiment. It can lead to a pipe, or to a file of any size.
    let path = home.join("release");
    let mut release = String::new();
    let file = open_regular_file(&path).ok()?;
    file.take(MAX_RELEASE_BYTES).read_to_string(&mut release).ok()?;
    version_in_release(&release)
}

/// True if the full version, such as `17.0.15+6-Debian`, is a build of `version`, such as `17.0.15`.
fn is_version(full: &str, version: &str) -> bool {
    let rest = full.strip_prefix(version).filter(|_| !version.is_empty());
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    #[test]
    fn a_release_file_can_be_a_pipe_or_have_any_size() {
        let folder = tempfile::tempdir().unwrap();
        let release = folder.path().join("release");
        assert!(std::process::Command::new("mkfifo").arg(&release).status().unwrap().success());
        assert_eq!(version_of(folder.path()), None);
        fs::remove_file(&release).unwrap();
        fs::write(&release, "JAVA_VERSION=\"25\"\n").unwrap();
        assert_eq!(version_of(folder.path()).as_deref(), Some("25"));
        fs::File::options().write(true).open(&release).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(version_of(folder.path()).as_deref(), Some("25"));
    }

    #[test]
    fn versions_are_equal_or_not() {
        assert!(is_version("17.0.15+6-Debian-1deb12u1", "17.0.15"));
        assert!(is_version("25+36-LTS", "25"));
        assert!(!is_version("25.0.1+8", "25"));
        assert!(!is_version("17.0.15+6", "17.0.1"));
        assert!(!is_version("17.0.15+6", ""));
    }
}
