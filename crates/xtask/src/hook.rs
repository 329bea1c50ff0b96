//! Builds the agent and the library that whittle loads into a JVM, and checks that both belong to their sources.
//!
//! The built files are committed, so that building whittle needs neither Maven nor a cross compiler. The check compares
//! digests. It does not build again, because Maven needs the network for its first build.

use crate::Result;
use crate::built::{digest, recorded, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use whittle_testkit::any_jdk;

const FOLDER: &str = "crates/collect/hook";
const AGENT: &str = "java/agent";
const ORIGIN: &str = "objects.txt";
const LIBRARY_SOURCES: [&str; 2] = ["hook.c", "include/stdio.h"];
const AGENT_JAR: &str = "whittle-agent.jar";
const ARCHITECTURES: [&str; 2] = ["x86_64", "aarch64"];
const ZIG: &str = "python-zig";

/// The library has no symbol of a C library, and whittle can walk its frames.
const FLAGS: [&str; 18] = [
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-ffreestanding",
    "-fno-builtin",
    "-fno-stack-protector",
    "-fno-sanitize=all",
    "-fno-omit-frame-pointer",
    "-fasynchronous-unwind-tables",
    "-fvisibility=hidden",
    "-fPIC",
    "-shared",
    "-nostdlib",
    "-s",
    "-Wl,--build-id=none",
    "-Wl,-z,noexecstack",
    "-Iinclude",
];

/// Builds the agent and the libraries.
pub(crate) fn build(root: &Path) -> Result {
    let folder = root.join(FOLDER);
    for architecture in ARCHITECTURES {
        compile(&folder, architecture)?;
    }
    run(Command::new("mvn").args(["-q", "-B", "clean", "package", "-DskipTests"]).current_dir(root.join(AGENT)))?;
    let jar = root.join(AGENT).join("target/whittle-agent-0.1.0.jar");
    fs::copy(&jar, folder.join(AGENT_JAR)).map_err(|error| format!("{}: {error}", jar.display()))?;
    let origin = format!("sources: {}\nbuilt: {}\n", sources(root)?, digest(&folder, &products())?);
    fs::write(folder.join(ORIGIN), origin).map_err(|error| format!("{ORIGIN}: {error}"))?;
    println!("hook: built {AGENT_JAR} and the libraries of {} architectures", ARCHITECTURES.len());
    Ok(())
}

/// Checks that the built files belong to the sources.
pub(crate) fn check(root: &Path) -> Result {
    let folder = root.join(FOLDER);
    let origin = fs::read_to_string(folder.join(ORIGIN)).map_err(|error| format!("{FOLDER}/{ORIGIN}: {error}"))?;
    if recorded(&origin, "sources: ") != sources(root)? {
        return Err(format!("{FOLDER}: the sources, or those in {AGENT}, have changed; run: cargo xtask hook"));
    }
    if recorded(&origin, "built: ") != digest(&folder, &products())? {
        return Err(format!("{FOLDER}: a built file has changed without its sources; run: cargo xtask hook"));
    }
    Ok(())
}

fn library(architecture: &str) -> String {
    format!("whittle-hook.{architecture}.so")
}

fn products() -> Vec<String> {
    let libraries = ARCHITECTURES.iter().map(|architecture| library(architecture));
    libraries.chain([AGENT_JAR.to_owned()]).collect()
}

fn compile(folder: &Path, architecture: &str) -> Result {
    let include = any_jdk().ok_or("install a JDK: the library needs its header jni.h")?.home.join("include");
    let mut command = Command::new(ZIG);
    command.args(["cc", "-target", &format!("{architecture}-linux-musl")]).args(FLAGS);
    for headers in [&include, &include.join("linux")] {
        command.arg("-I").arg(headers);
    }
    command.arg(LIBRARY_SOURCES[0]).arg("-o").arg(library(architecture)).current_dir(folder);
    run(&mut command).map_err(|error| format!("{error}\nscripts/setup.sh installs zig"))
}

/// The digest of all sources.
fn sources(root: &Path) -> std::result::Result<String, String> {
    let mut files: Vec<PathBuf> = LIBRARY_SOURCES.iter().map(|name| Path::new(FOLDER).join(name)).collect();
    files.push(Path::new(AGENT).join("pom.xml"));
    let mut java = Vec::new();
    add_files(root, &Path::new(AGENT).join("src/main"), &mut java)?;
    java.sort();
    files.extend(java);
    digest(root, &files)
}

fn add_files(root: &Path, folder: &Path, files: &mut Vec<PathBuf>) -> Result {
    let listed = fs::read_dir(root.join(folder)).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in listed.flatten() {
        let path = folder.join(entry.file_name());
        if entry.path().is_dir() {
            add_files(root, &path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
