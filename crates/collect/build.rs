//! Fetches async-profiler from Maven Central and hands its library to the crate, which embeds it.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The version of async-profiler (Apache-2.0). Before 4.5, attaching caused long pauses and the JFR clock was wrong.
const VERSION: &str = "4.6";

/// For each target architecture: the library's folder in the jar, and the library's SHA-256 digest. Whittle loads the
/// library into other users' programs, so a library with another digest must not be built in.
const LIBRARIES: &[(&str, &str, &str)] = &[
    ("x86_64", "linux-x64", "1aa55af4645fafb7b70fe78b8bcc8d32a1a2fce1a278ce04318224df68694fb2"),
    ("aarch64", "linux-arm64", "45895af951d172126819552f5e2762b1a71c4db2a95ab8def791becb9ce7e35d"),
];

const LIBRARY_FILE: &str = "libasyncProfiler.so";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let architecture = env::var("CARGO_CFG_TARGET_ARCH").expect("cargo sets the architecture");
    let Some((_, folder, expected_digest)) = LIBRARIES.iter().find(|(name, ..)| *name == architecture) else {
        panic!("async-profiler has no Linux library for {architecture}; build for x86_64 or aarch64");
    };
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let library = out_dir.join(folder).join(LIBRARY_FILE);
    if !library.exists() {
        fetch(&out_dir);
    }
    let bytes = fs::read(&library).unwrap_or_else(|error| panic!("{}: {error}", library.display()));
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(
        digest == *expected_digest,
        "{}: not the pinned async-profiler {VERSION}: its SHA-256 digest is {digest}, expected {expected_digest}",
        library.display()
    );
    println!("cargo::rustc-env=ASYNC_PROFILER_LIBRARY={}", library.display());
    println!("cargo::rustc-env=ASYNC_PROFILER_VERSION={VERSION}");
}

/// Lets Maven fetch and unpack the jar, because Maven knows the machine's mirrors, proxies and caches.
fn fetch(out_dir: &Path) {
    // Maven's output is captured, because cargo reads the output of this script, and Maven prints colour codes even in
    // quiet mode.
    let output = Command::new("mvn")
        .args(["-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:unpack"])
        .arg(format!("-Dartifact=tools.profiler:async-profiler:{VERSION}"))
        .arg(format!("-DoutputDirectory={}", out_dir.display()))
        .arg(format!("-Dmdep.unpack.includes=linux-x64/{LIBRARY_FILE},linux-arm64/{LIBRARY_FILE}"))
        .current_dir(out_dir)
        .output();
    match output {
        Ok(output) if output.status.success() => {}
        Ok(output) => panic!(
            "mvn could not fetch tools.profiler:async-profiler:{VERSION} ({}); is a Maven repository reachable?\n{}",
            output.status,
            String::from_utf8_lossy(&output.stdout)
        ),
        Err(error) => panic!("mvn could not be started ({error}); install Maven: apt-get install maven"),
    }
}
