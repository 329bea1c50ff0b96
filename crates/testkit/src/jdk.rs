//! Java for tests: the JDKs of this machine and the workloads' jar.

use crate::not_run;
use std::fs;
use std::path::{Path, PathBuf};

/// The oldest and the newest version that whittle is tested on.
const VERSIONS: [u32; 2] = [17, 25];

/// Folders in which Linux distributions and installers put JDKs.
const JDK_FOLDERS: [&str; 3] = ["/usr/lib/jvm", "/opt/java", "/usr/java"];

/// A JDK.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jdk {
    /// Its feature version: 17, 25.
    pub version: u32,
    /// Its folder.
    pub home: PathBuf,
}

impl Jdk {
    /// The `java` launcher.
    pub fn java(&self) -> PathBuf {
        self.home.join("bin/java")
    }
}

/// The JDKs that tests run on. Each version that is not installed is reported as not run. With `WHITTLE_ALL_JDKS` in
/// the environment, tests also run on all other installed versions above the oldest.
pub fn jdks() -> Vec<Jdk> {
    let installed = installed_jdks();
    let mut versions = VERSIONS.to_vec();
    if std::env::var_os("WHITTLE_ALL_JDKS").is_some() {
        versions.extend(installed.iter().map(|jdk| jdk.version).filter(|version| *version > VERSIONS[0]));
        versions.sort_unstable();
        versions.dedup();
    }
    versions.into_iter().filter_map(|version| find(&installed, version)).collect()
}

/// Whether a JDK of this version is installed.
pub fn has_jdk(version: u32) -> bool {
    installed_jdks().iter().any(|jdk| jdk.version == version)
}

/// The oldest JDK that tests run on.
pub fn any_jdk() -> Option<Jdk> {
    jdks().into_iter().next()
}

/// The JDK of this version, for a program that needs this version. If the JDK is missing, the test is reported as not
/// run.
pub fn jdk_of_version(version: u32) -> Option<Jdk> {
    find(&installed_jdks(), version)
}

fn find(installed: &[Jdk], version: u32) -> Option<Jdk> {
    let found = installed.iter().find(|jdk| jdk.version == version).cloned();
    if found.is_none() {
        not_run(&format!("needs JDK {version}"));
    }
    found
}

fn installed_jdks() -> Vec<Jdk> {
    let from_environment = std::env::var_os("JAVA_HOME").map(PathBuf::from);
    let folders = JDK_FOLDERS.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let mut homes: Vec<PathBuf> = folders.map(|entry| entry.path()).chain(from_environment).collect();
    homes.sort();
    homes.into_iter().filter_map(|home| Some(Jdk { version: version_of(&home)?, home })).collect()
}

/// The feature version in the line `JAVA_VERSION="17.0.15"` of a JDK's `release` file.
fn version_of(home: &Path) -> Option<u32> {
    if !home.join("bin/java").exists() {
        return None;
    }
    let release = fs::read_to_string(home.join("release")).ok()?;
    let version = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?.trim_matches('"');
    version.split('.').next()?.parse().ok()
}

/// The class path of the workloads: their jar and the third-party library.
///
/// # Panics
/// The workloads are not built.
pub fn workloads_class_path() -> String {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java/workloads/target");
    let jar = target.join("whittle-workloads.jar");
    assert!(jar.exists(), "the workloads are not built; run: mvn -q -B -f java/workloads/pom.xml package");
    format!("{}:{}/lib/*", jar.display(), target.display())
}
