//! The version of a JDK, and where its files are.
//!
//! ```text
//! since JDK 9     HOME/release   HOME/bin/java                              HOME/lib/server/libjvm.so
//! JDK 8           HOME/release   HOME/jre/bin/java, HOME/bin/java           HOME/jre/lib/ARCHITECTURE/server/libjvm.so
//! JRE 8           HOME/release   HOME/bin/java                              HOME/lib/ARCHITECTURE/server/libjvm.so
//! ```

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use whittle_native::{DebugFiles, ElfBytes, ElfFile, LocalFiles};

/// The first JDK that can report allocations without symbols of the JVM's library (JVMTI `SampledObjectAlloc`, JEP 331).
const ALLOCATIONS_RELEASE: u32 = 11;

/// The names of JDK 8's folder of libraries for this machine.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: &str = "amd64";
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: &str = "aarch64";

/// Maximum size of the names of the library's symbols. HotSpot has 3 MB.
const MAX_NAMES_BYTES: u64 = 32 << 20;

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

/// The paths at which a JDK, or the runtime inside a JDK 8, can have its file `release`, for the path of its `libjvm.so`.
pub(crate) fn release_paths(library: &str) -> Vec<String> {
    let Some((above, _)) = library.rsplit_once("/lib/") else { return Vec::new() };
    let jdk = above.strip_suffix("/jre").map(|home| format!("{home}/release"));
    std::iter::once(format!("{above}/release")).chain(jdk).collect()
}

/// The JDK of a `java` launcher.
#[derive(Debug)]
pub(crate) struct LauncherJdk {
    /// The feature release.
    pub(crate) release: u32,
    /// True if the JVM is OpenJ9 and not HotSpot.
    pub(crate) is_openj9: bool,
    /// The folder with `bin/java`.
    home: PathBuf,
}

impl LauncherJdk {
    /// The JDK of a launcher, as a command line names it. `None`: the launcher is not in a JDK, or the JDK has no version.
    pub(crate) fn find(launcher: &OsStr) -> Option<Self> {
        let program = find_program(launcher, std::env::var_os("PATH"))?.canonicalize().ok()?;
        let home = program.parent()?.parent()?;
        let is_runtime = home.file_name() == Some(OsStr::new("jre"));
        let folders = std::iter::once(home).chain(home.parent().filter(|_| is_runtime));
        let text =
            folders.map(|folder| folder.join("release")).find_map(|file| read_release(&file)).unwrap_or_default();
        let release = version_in_release(&text).and_then(|version| feature_release(&version));
        // Some packages of JDK 8 have no file `release`.
        let release =
            release.or_else(|| libraries_of_jdk_8(home).iter().any(|library| library.exists()).then_some(8))?;
        let variant = text.lines().find_map(|line| line.strip_prefix("JVM_VARIANT=")).unwrap_or_default();
        Some(Self { release, is_openj9: variant.to_ascii_lowercase().contains("openj9"), home: home.to_owned() })
    }

    /// False if async-profiler cannot find the functions with which an old JVM reports allocations.
    pub(crate) fn reports_allocations(&self) -> bool {
        let libraries = ["lib"].map(|folder| self.home.join(folder).join("server/libjvm.so"));
        let libraries = libraries.into_iter().chain(libraries_of_jdk_8(&self.home));
        self.release >= ALLOCATIONS_RELEASE || libraries.into_iter().any(|library| has_symbols_of_allocations(&library))
    }
}

/// Where the library of a JDK 8 can be.
fn libraries_of_jdk_8(home: &Path) -> [PathBuf; 2] {
    ["lib", "jre/lib"].map(|folder| home.join(folder).join(ARCHITECTURE).join("server/libjvm.so"))
}

fn read_release(file: &Path) -> Option<String> {
    let mut text = String::new();
    fs::File::open(file).ok()?.take(MAX_RELEASE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

fn has_symbols_of_allocations(library: &Path) -> bool {
    const NAME: &[u8] = b"AllocTracer";
    let Ok(file) = fs::File::open(library) else { return false };
    let Some(elf) = ElfFile::open(ElfBytes::File(Box::new(file))) else { return false };
    let debug = DebugFiles::new(Some(Arc::new(LocalFiles::own())), &library.to_string_lossy()).find(&elf);
    let names =
        [Some(&elf), debug.as_ref()].into_iter().flatten().filter_map(|elf| elf.section(".strtab", MAX_NAMES_BYTES));
    names.into_iter().any(|names| names.bytes.windows(NAME.len()).any(|window| window == NAME))
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
        let jdk = LauncherJdk::find(folder.path().join("java").as_os_str()).unwrap();
        assert_eq!((jdk.release, jdk.reports_allocations()), (21, true));
        let path = std::env::join_paths([Path::new("/nowhere"), &bin]).unwrap();
        assert_eq!(find_program(OsStr::new("java"), Some(path)), Some(bin.join("java")));
    }

    #[allow(non_snake_case, reason = "the name in HotSpot")]
    #[inline(never)]
    fn AllocTracer(number: u32) -> u32 {
        std::hint::black_box(number)
    }

    /// The launcher of JDK 8 is in the folder `jre`. The library has no symbols.
    #[test]
    fn the_release_of_jdk_8_is_above_its_runtime() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("jre/bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join("java"), "").unwrap();
        let launcher = bin.join("java");
        let with_release = |text: &str| {
            fs::write(folder.path().join("release"), text).unwrap();
            LauncherJdk::find(launcher.as_os_str()).unwrap()
        };
        let jdk = with_release("JAVA_VERSION=\"1.8.0_452\"\n");
        assert_eq!((jdk.release, jdk.reports_allocations(), jdk.is_openj9), (8, false, false));
        let library = folder.path().join("jre/lib").join(ARCHITECTURE).join("server/libjvm.so");
        fs::create_dir_all(library.parent().unwrap()).unwrap();
        fs::copy(std::env::current_exe().unwrap(), &library).unwrap();
        // This program has a function with the name.
        assert_eq!(AllocTracer(8), 8);
        assert!(with_release("JAVA_VERSION=\"1.8.0_452\"\n").reports_allocations());
        assert_eq!(with_release("").release, 8);
        let jdk = with_release("JAVA_VERSION=\"21.0.2\"\nJVM_VARIANT=\"Openj9\"\n");
        assert!(jdk.is_openj9 && jdk.release == 21);
        assert_eq!(
            release_paths("/opt/jdk8/jre/lib/amd64/server/libjvm.so"),
            ["/opt/jdk8/jre/release", "/opt/jdk8/release"]
        );
        assert_eq!(release_paths("/opt/jdk/lib/server/libjvm.so"), ["/opt/jdk/release"]);
        assert!(release_paths("libjvm.so").is_empty());
    }
}
