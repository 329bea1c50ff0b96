//! Languages of the programs, and their compilers. The JDK compiles Java. Maven downloads the compilers of Kotlin and
//! Scala (`java/compilers/pom.xml`).

use crate::support::stderr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use whittle_testkit::Jdk;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Java,
    Kotlin,
    Scala,
}

impl Language {
    pub(super) const ALL: [Self; 3] = [Self::Java, Self::Kotlin, Self::Scala];

    /// The ending of source files.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Kotlin => "kt",
            Self::Scala => "scala",
        }
    }

    /// `None`: no source file of a known language.
    pub(super) fn of(source: &Path) -> Option<Self> {
        let ending = source.extension()?.to_str()?;
        Self::ALL.into_iter().find(|language| language.ending() == ending)
    }

    /// The jars that programs need at run time.
    pub(super) fn libraries(self) -> Vec<PathBuf> {
        let starts: &[&str] = match self {
            Self::Java => return Vec::new(),
            Self::Kotlin => &["kotlin-stdlib-"],
            Self::Scala => &["scala-library-", "scala3-library_3-"],
        };
        let is_library = |jar: &&PathBuf| {
            let name = jar.file_name().unwrap_or_default().to_string_lossy();
            starts.iter().any(|start| name.starts_with(start))
        };
        COMPILERS.iter().filter(is_library).cloned().collect()
    }

    /// Compiles sources of this language. They can use the classes that are already in `classes`.
    pub(super) fn compile(self, jdk: &Jdk, sources: &[&Path], classes: &Path) {
        if sources.is_empty() {
            return;
        }
        let (mut command, options): (Command, &[&str]) = match self {
            Self::Java => (Command::new(jdk.home.join("bin/javac")), &["-g", "-nowarn", "-encoding", "UTF-8"]),
            Self::Kotlin => (
                compiler(jdk, "org.jetbrains.kotlin.cli.jvm.K2JVMCompiler"),
                &["-nowarn", "-no-stdlib", "-no-reflect", "-jvm-target", "17"],
            ),
            Self::Scala => (compiler(jdk, "dotty.tools.dotc.Main"), &[]),
        };
        command.args(options);
        let used = class_path(self.libraries().into_iter().chain([classes.to_owned()]));
        let output = command.args(["-cp", &used, "-d"]).arg(classes).args(sources).output().unwrap();
        assert!(output.status.success(), "{self:?}: {}", stderr(&output));
    }
}

/// A compiler that is a Java program.
fn compiler(jdk: &Jdk, main: &str) -> Command {
    let mut command = Command::new(jdk.java());
    command.args(["-cp", &class_path(COMPILERS.iter().cloned()), main]);
    command
}

/// The jars of both compilers.
static COMPILERS: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let pom = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java/compilers/pom.xml");
    let list = tempfile::NamedTempFile::new().unwrap();
    let mut maven = Command::new("mvn");
    maven.args(["-q", "-B", "-f"]).arg(pom).arg("dependency:build-classpath");
    let output = maven.arg(format!("-Dmdep.outputFile={}", list.path().display())).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    std::env::split_paths(&std::fs::read_to_string(list.path()).unwrap()).collect()
});

/// Folders and jars as one class path.
pub(super) fn class_path(parts: impl Iterator<Item = PathBuf>) -> String {
    std::env::join_paths(parts).unwrap().into_string().unwrap()
}
