//! Compiles the programs that `whittle lab` runs, so that old JVMs can also run them. The crate embeds the class files.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The folder of the sources, relative to this crate's folder.
const SOURCES: &str = "../../java/workloads/src/main/java";

/// The program that is started. javac also compiles the classes that this program uses.
const MAIN_SOURCE: &str = "whittle/workloads/readers/Readers.java";

/// If one of these files changes, all programs are compiled again.
const LOOKED_AT: &[&str] =
    &["whittle/workloads/readers", "whittle/workloads/Arguments.java", "whittle/workloads/Lines.java"];

/// The oldest Java version that current compilers can target.
const RELEASE: &str = "8";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=JAVA_HOME");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join(SOURCES);
    for looked_at in LOOKED_AT {
        println!("cargo::rerun-if-changed={}", sources.join(looked_at).display());
    }
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let classes = out_dir.join("lab-classes");
    // Classes of deleted sources must be removed. In the first build, there is nothing to remove.
    let _ = fs::remove_dir_all(&classes);
    fs::create_dir_all(&classes).unwrap_or_else(|error| panic!("{}: {error}", classes.display()));
    compile(&sources, &classes);
    let list = out_dir.join("lab_classes.rs");
    fs::write(&list, class_list(&classes)).unwrap_or_else(|error| panic!("{}: {error}", list.display()));
}

fn compile(sources: &Path, classes: &Path) {
    let output = Command::new(javac())
        .args(["--release", RELEASE, "-g", "-Xlint:all,-options", "-Werror", "-encoding", "UTF-8", "-proc:none"])
        .arg("-sourcepath")
        .arg(sources)
        .arg("-d")
        .arg(classes)
        .arg(sources.join(MAIN_SOURCE))
        .output()
        .unwrap_or_else(|error| {
            panic!("javac could not be started ({error}); install a JDK: apt-get install openjdk-17-jdk")
        });
    // The compiler's output must not be in this script's output, because cargo reads the script's output.
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "javac failed ({}):\n{}", output.status, String::from_utf8_lossy(&text));
}

/// The compiler of the JDK in `JAVA_HOME`, or the compiler on the path.
fn javac() -> PathBuf {
    let named = env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/javac"));
    named.filter(|javac| javac.exists()).unwrap_or_else(|| PathBuf::from("javac"))
}

/// A slice of names and bytes, as Rust source.
fn class_list(classes: &Path) -> String {
    let mut files = Vec::new();
    collect_files(classes, &mut files);
    files.sort();
    let mut list = String::from("&[\n");
    for file in files {
        let name = file.strip_prefix(classes).expect("found below it");
        writeln!(list, "    ({:?}, include_bytes!({:?})),", name.display().to_string(), file.display().to_string())
            .expect("strings can always be written to");
    }
    list + "]\n"
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for path in entries.map(|entry| entry.expect("a folder of ours").path()) {
        if path.is_dir() {
            collect_files(&path, files);
        } else {
            files.push(path);
        }
    }
}
