//! Builds the analyzer's page (`make -C web`) and embeds it into the crate.
//!
//! On a machine without Node.js, set `WHITTLE_ANALYZER` to a folder with a page that is already built.

use lzma_rust2::{LzmaOptions, LzmaWriter};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The folder that `make -C web` fills.
const BUILT: &str = "web/dist";

/// The file that is locked while the page is built. `make build` builds the page before cargo runs this program.
const LOCK: &str = "web/.cache/lock";

/// The sources of the page, below the project's root.
const SOURCES: &[&str] = &[
    "web/src",
    "web/build",
    "web/index.html",
    "web/package.json",
    "web/package-lock.json",
    "web/vite.config.ts",
    "web/tsconfig.json",
    "web/Makefile",
    "crates/wasm",
    "crates/engine/src",
    "crates/views/src",
    "crates/render/src",
    "crates/statistics/src",
    "crates/profile/src",
    "crates/bytecode/src",
    "crates/packed/src",
    "crates/model/src",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=WHITTLE_ANALYZER");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = match env::var_os("WHITTLE_ANALYZER") {
        Some(folder) => PathBuf::from(folder),
        None => build_page(&root),
    };
    let page = folder.join("analyzer.html");
    assert!(page.exists(), "{}: no such file; `make -C web` writes it", page.display());
    embed("ANALYZER_HTML", &page);
    embed("REPORT_HTML", &folder.join("report.html"));
    embed_packed("REPORT_SCRIPT_LZMA", &folder.join("report.js"));
    embed_packed("ENGINE_LZMA", &folder.join("engine.wasm"));
}

fn build_page(root: &Path) -> PathBuf {
    for source in SOURCES.iter().map(|source| root.join(source)).filter(|source| source.exists()) {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    check_tools();
    let lock = lock(&root.join(LOCK)).unwrap_or_else(|error| panic!("{LOCK}: {error}"));
    make(root);
    drop(lock);
    root.join(BUILT)
}

fn check_tools() {
    for tool in ["make", "node", "npm"] {
        if let Err(error) = Command::new(tool).arg("--version").output() {
            panic!(
                "building the analyzer's page needs {tool} ({tool}: {error}); install the tools: apt-get install make nodejs npm, \
                 or name a folder with a built page: WHITTLE_ANALYZER=FOLDER"
            );
        }
    }
}

fn lock(path: &Path) -> std::io::Result<File> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    let file = File::create(path)?;
    file.lock()?;
    Ok(file)
}

/// Builds the page with make. Cargo waits for make, so make must not wait for cargo. Therefore make gets no variables
/// of cargo, and builds in another folder.
fn make(root: &Path) {
    let mut command = Command::new("make");
    command.args(["--silent", "-j", "2", "-C"]).arg(root.join("web"));
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let is_cargos = text.starts_with("CARGO_") && text != "CARGO_HOME"
            || matches!(&*text, "RUSTC" | "RUSTDOC" | "RUSTFLAGS" | "TARGET" | "HOST" | "OUT_DIR" | "MAKEFLAGS");
        if is_cargos {
            command.env_remove(name);
        }
    }
    // Cargo reads this program's output, so the output of make must not be part of this output.
    let output = command.output().unwrap_or_else(|error| panic!("make: {error}"));
    if !output.status.success() {
        let text = [output.stdout, output.stderr].concat();
        panic!("`make -C web` failed ({}):\n{}", output.status, String::from_utf8_lossy(&text));
    }
}

/// Copies a file and passes the copy's path to the crate. Another build of the page cannot change the copy. A missing
/// file is embedded as an empty file.
fn embed(name: &str, file: &Path) {
    write(name, &read(file));
}

/// Embeds a file in the same way as [`embed`], with LZMA compression. The LZMA header contains the length.
fn embed_packed(name: &str, file: &Path) {
    let bytes = read(file);
    // The options that compress WebAssembly and scripts best. WebAssembly is not aligned, so both have no position bits.
    let literal_context_bits = if file.extension().is_some_and(|extension| extension == "wasm") { 4 } else { 2 };
    let packed = |bytes: Vec<u8>| lzma(&bytes, literal_context_bits).unwrap_or_else(|error| panic!("LZMA: {error}"));
    write(name, &if bytes.is_empty() { bytes } else { packed(bytes) });
}

fn read(file: &Path) -> Vec<u8> {
    if !file.exists() {
        return Vec::new();
    }
    println!("cargo::rerun-if-changed={}", file.display());
    fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn write(name: &str, bytes: &[u8]) {
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let copy = out_dir.join(name);
    fs::write(&copy, bytes).unwrap_or_else(|error| panic!("{}: {error}", copy.display()));
    println!("cargo::rustc-env={name}={}", copy.display());
}

fn lzma(bytes: &[u8], literal_context_bits: u32) -> std::io::Result<Vec<u8>> {
    let options = LzmaOptions {
        lc: literal_context_bits,
        lp: 0,
        pb: 0,
        nice_len: 273,
        depth_limit: 1000,
        ..LzmaOptions::with_preset(9)
    };
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len() as u64))?;
    writer.write_all(bytes)?;
    writer.finish()
}
