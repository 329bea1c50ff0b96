//! Compiles the BPF programs, and checks that the objects belong to their sources.
//!
//! The objects are committed, so that building whittle needs no clang. A file next to the objects records their sources
//! and the compiler. If this compiler is installed, the check compiles the sources again and compares every byte.

use crate::Result;
use crate::built::{digest, recorded, run};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Command;

const FOLDER: &str = "crates/collect/bpf";
const SOURCES: [&str; 27] = [
    "whittle.bpf.c",
    "records.h",
    "kernel.h",
    "maps.h",
    "threads.h",
    "emit.h",
    "handlers.h",
    "stacks.h",
    "amounts.h",
    "place.h",
    "entry.h",
    "quota.h",
    "states.h",
    "sockets.h",
    "files.h",
    "requests.h",
    "calls.h",
    "signals.h",
    "tick_weight.h",
    "ticks.h",
    "waits.h",
    "wakes.h",
    "life.h",
    "items.h",
    "statements.h",
    "virtual.h",
    "marks.h",
];
const ORIGIN: &str = "objects.txt";

/// Names of architectures in Rust and in libbpf's headers.
const ARCHITECTURES: [(&str, &str); 2] = [("x86_64", "x86"), ("aarch64", "arm64")];

const FLAGS: [&str; 11] = [
    "-target",
    "bpf",
    // The programs need v3 for atomic addition that returns the old value. Linux supports this from 5.12 on.
    "-mcpu=v3",
    "-O2",
    "-g",
    "-Wall",
    "-Werror",
    "-Wno-compare-distinct-pointer-types",
    // The build folder's path must not be in the object.
    "-fdebug-compilation-dir=.",
    "-ffile-prefix-map=/usr/include=",
    "-c",
];

/// Compiles the objects.
pub(crate) fn build(root: &Path) -> Result {
    let folder = root.join(FOLDER);
    let compiler =
        compiler().ok_or("install clang, llvm-strip and libbpf's headers: apt-get install clang llvm libbpf-dev")?;
    for (rust_name, header_name) in ARCHITECTURES {
        compile(&folder, header_name, &folder.join(object(rust_name)))?;
    }
    let origin = format!("sources: {}\ncompiler: {compiler}\n", digest(&folder, &SOURCES)?);
    fs::write(folder.join(ORIGIN), origin).map_err(|error| format!("{ORIGIN}: {error}"))?;
    println!("bpf: compiled the objects of {} architectures with {compiler}", ARCHITECTURES.len());
    Ok(())
}

/// Checks that the objects belong to the sources.
pub(crate) fn check(root: &Path) -> Result {
    let folder = root.join(FOLDER);
    let origin = fs::read_to_string(folder.join(ORIGIN)).map_err(|error| format!("{FOLDER}/{ORIGIN}: {error}"))?;
    if recorded(&origin, "sources: ") != digest(&folder, &SOURCES)? {
        return Err(format!(
            "{FOLDER}: the sources have changed since the objects were compiled; run: cargo xtask bpf"
        ));
    }
    match compiler() {
        Some(compiler) if compiler == recorded(&origin, "compiler: ") => compare(&folder, &compiler),
        Some(compiler) => {
            not_rebuilt(&format!("compiled by {}, but this machine has {compiler}", recorded(&origin, "compiler: ")))
        }
        None => not_rebuilt("needs clang, llvm-strip and libbpf's headers"),
    }
}

fn compare(folder: &Path, compiler: &str) -> Result {
    let made = std::env::temp_dir().join(format!("whittle-bpf-{}.o", std::process::id()));
    for (rust_name, header_name) in ARCHITECTURES {
        compile(folder, header_name, &made)?;
        let bytes = fs::read(&made).map_err(|error| format!("{}: {error}", made.display()));
        // Files that remain after an error only take space.
        let _ = fs::remove_file(&made);
        let object = object(rust_name);
        if fs::read(folder.join(&object)).ok() != Some(bytes?) {
            return Err(format!("{FOLDER}/{object} does not match its sources; run: cargo xtask bpf"));
        }
    }
    println!("bpf: {compiler} compiles the sources to the same objects");
    Ok(())
}

/// Reports that the objects were not compared, on the terminal and in the list of tests that did not run.
fn not_rebuilt(why: &str) -> Result {
    let text = format!("the BPF objects were not compiled again and compared: {why}");
    println!("bpf: not run: {text}");
    let Some(list) = std::env::var_os("WHITTLE_NOT_RUN") else { return Ok(()) };
    let file = OpenOptions::new().create(true).append(true).open(&list);
    file.and_then(|mut file| writeln!(file, "{text}")).map_err(|error| format!("{}: {error}", list.display()))
}

fn object(architecture: &str) -> String {
    format!("whittle.{architecture}.bpf.o")
}

fn compile(folder: &Path, header_name: &str, output: &Path) -> Result {
    let target = format!("-D__TARGET_ARCH_{header_name}");
    run(Command::new("clang").args(FLAGS).arg(target).arg(SOURCES[0]).arg("-o").arg(output).current_dir(folder))?;
    // Removes the compiler's debug information, and keeps BTF, which the kernel reads.
    run(Command::new("llvm-strip").arg("-g").arg(output))
}

/// The first line of the compiler's version. `None` if the compiler or a related tool is missing.
fn compiler() -> Option<String> {
    let version =
        |name: &str| Command::new(name).arg("--version").output().ok().filter(|output| output.status.success());
    version("llvm-strip")?;
    let text = String::from_utf8(version("clang")?.stdout).ok()?;
    let has_headers = Path::new("/usr/include/bpf/bpf_helpers.h").exists();
    text.lines().next().map(str::to_owned).filter(|_| has_headers)
}
