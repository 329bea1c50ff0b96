//! Finds the JVMs of this machine in the folders of users and installers.
//!
//! A JVM is a folder with `bin/java` in it. Folders are compared by their real paths, so a JVM with several links to it
//! (such as `current`) is found only once. The first run of a JVM shows whether the JVM works.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of JVMs.
const FOLDERS: &[&str] = &["/usr/lib/jvm", "/usr/lib64/jvm", "/usr/lib32/jvm", "/usr/java", "/opt/java", "/opt"];

/// Folders of JVMs below the user's home folder: SDKMAN, IntelliJ, Gradle, asdf, mise, jbang, Coursier.
const USER_FOLDERS: &[&str] = &[
    ".sdkman/candidates/java",
    ".jdks",
    ".gradle/jdks",
    ".asdf/installs/java",
    ".local/share/mise/installs/java",
    ".jbang/cache/jdks",
    ".cache/coursier/jvm",
    "jdk",
];

/// The real folders of all JVMs found, in order of their names.
pub(crate) fn installed() -> Vec<PathBuf> {
    let user = env::home_dir().into_iter().flat_map(|home| USER_FOLDERS.iter().map(move |folder| home.join(folder)));
    let folders = FOLDERS.iter().map(PathBuf::from).chain(user);
    let in_folders = folders.flat_map(|folder| entries(&folder));
    let named = env::var_os("JAVA_HOME").map(PathBuf::from);
    let launchers = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&launchers).filter_map(|folder| home_of_launcher(&folder.join("java")));
    let found = in_folders.chain(named).chain(on_path);
    found.filter_map(|folder| home(&folder)).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The real folder of a JVM from a folder or launcher on the command line. Missing: the path is not a JVM.
pub(crate) fn named(path: &Path) -> Option<PathBuf> {
    home(path).or_else(|| home_of_launcher(path))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// The real path of a folder with a launcher. For the runtime inside a JDK 8 (`jre`), returns the JDK's folder.
fn home(folder: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(folder).ok()?;
    let outer = real.parent().filter(|_| real.ends_with("jre")).map(Path::to_owned);
    outer.into_iter().chain([real]).find(|home| home.join("bin/java").is_file())
}

fn home_of_launcher(launcher: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(launcher).ok().filter(|real| real.is_file())?;
    home(real.parent()?.parent()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;
    use std::os::unix::fs::symlink;

    fn jvm(folder: &Path) {
        fs::create_dir_all(folder.join("bin")).unwrap();
        fs::write(folder.join("bin/java"), "").unwrap();
    }

    #[test]
    fn a_jvm_with_several_paths_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let real = root.join("jdk-8");
        jvm(&real);
        jvm(&real.join("jre"));
        symlink(&real, root.join("current")).unwrap();
        symlink(real.join("jre/bin/java"), root.join("java")).unwrap();
        for name in ["jdk-8", "current", "jdk-8/jre", "java", "jdk-8/bin/java", "current/jre/bin/java"] {
            assert_eq!(named(&root.join(name)), Some(real.clone()), "{name}");
        }
    }

    #[test]
    fn a_folder_without_a_launcher_is_not_a_jvm() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("openjdk-17/lib")).unwrap();
        for name in ["openjdk-17", "not-there", ""] {
            assert_eq!(named(&folder.path().join(name)), None, "{name}");
        }
    }
}
