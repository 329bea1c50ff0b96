//! Checks that the pure crates stay pure: no files, no network, no threads, no clock, no environment.
//!
//! Pure crates must give the same answer for the same input, and must run in a browser. On wasm32, code that uses
//! `std::fs` compiles and fails only when it is called. Therefore the sources are searched as well.

use crate::Result;
use crate::passed_on;
use crate::tiers::MEASURED;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The pure crates. Their input is bytes and tables, and their output is tables.
const PURE_CRATES: [&str; 12] = [
    "model",
    "import",
    "packed",
    "statistics",
    "bytecode",
    "profile",
    "render",
    "views",
    "export",
    "findings",
    "verdict",
    "engine",
];

/// Modules of `std` with access to the system.
const IMPURE_MODULES: [&str; 6] = ["env", "fs", "net", "process", "thread", "time"];

/// The target for browsers.
const BROWSER: &str = "wasm32-unknown-unknown";

/// Compiles the pure crates for browsers, and searches all their sources, without tests. Also checks that none of them
/// has measuring tests.
pub(crate) fn check(root: &Path) -> Result {
    let measuring = measuring_crates(&root.join("crates"));
    if !measuring.is_empty() {
        return Err(format!(
            "{}: tests of pure crates are exact and never repeated; move tests/{MEASURED} to tests/exact",
            measuring.join(", ")
        ));
    }
    compile(root)?;
    let mut wrong = Vec::new();
    for name in PURE_CRATES {
        let mut files = Vec::new();
        add_sources(&root.join("crates").join(name).join("src"), &mut files)?;
        for file in files.into_iter().filter(|file| !is_test(file)) {
            let source = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            wrong.extend(impure_lines(&source).map(|(line, module)| format!("{shown}:{line}: uses std::{module}")));
        }
    }
    if wrong.is_empty() {
        println!("purity: {} use nothing outside", PURE_CRATES.join(", "));
        return Ok(());
    }
    Err(format!("{}\npass the data from the calling crate: see docs/developer/architecture.md", wrong.join("\n")))
}

/// The pure crates with tests that `cargo xtask test` would repeat.
fn measuring_crates(crates: &Path) -> Vec<&'static str> {
    let is_measuring = |name: &str| {
        let tests = crates.join(name).join("tests").join(MEASURED);
        tests.exists() || tests.with_extension("rs").exists()
    };
    PURE_CRATES.into_iter().filter(|name| is_measuring(name)).collect()
}

fn compile(root: &Path) -> Result {
    let mut command = Command::new("cargo");
    command.args(["check", "--quiet", "--target", BROWSER]).current_dir(root);
    for name in PURE_CRATES {
        command.args(["--package", &format!("whittle-{name}")]);
    }
    let ran = passed_on::run(&mut command)?;
    if ran.is_ok { Ok(()) } else { Err(format!("{} do not compile for {BROWSER}", PURE_CRATES.join(", "))) }
}

/// Adds all Rust files below `folder`.
pub(crate) fn add_sources(folder: &Path, files: &mut Vec<PathBuf>) -> Result {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            add_sources(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// True for `tests.rs` and everything below `tests/`, if the module declares them only for tests.
pub(crate) fn is_test(file: &Path) -> bool {
    let is_tests = |path: &&Path| path.file_stem().is_some_and(|stem| stem == "tests");
    let Some(module) = file.ancestors().find(is_tests).and_then(Path::parent) else { return false };
    let declares = |source: &str| source.contains("#[cfg(test)]\nmod tests;");
    ["mod.rs", "lib.rs"].iter().any(|name| fs::read_to_string(module.join(name)).is_ok_and(|source| declares(&source)))
}

/// Numbers of the lines that use impure modules, and these modules. The lines after `#[cfg(test)]` are the file's
/// tests.
fn impure_lines(source: &str) -> impl Iterator<Item = (usize, &'static str)> + '_ {
    let code = source.lines().take_while(|line| line.trim() != "#[cfg(test)]").enumerate();
    let code = code.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.filter_map(|(index, line)| Some((index + 1, impure_module(line)?)))
}

fn impure_module(line: &str) -> Option<&'static str> {
    IMPURE_MODULES.into_iter().find(|module| is_used(line, module))
}

/// True for `std::fs::read`, `use std::fs;` and `use std::{fs, io};`.
fn is_used(line: &str, module: &str) -> bool {
    let (_, after) = line.split_once("std::").unwrap_or_default();
    let is_group = after.starts_with('{');
    let mut words = after.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    if is_group { words.any(|word| word == module) } else { words.next() == Some(module) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_crate_with_measuring_tests_is_found() {
        assert_eq!(measuring_crates(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")), [""; 0]);
        let crates = std::env::temp_dir().join(format!("whittle-purity-{}", std::process::id()));
        let created = ["views/tests/measured", "cli/tests/measured", "model/tests/exact"]
            .map(|folder| fs::create_dir_all(crates.join(folder)));
        let found = measuring_crates(&crates);
        fs::remove_dir_all(&crates).expect("the test's own folder");
        assert!(created.iter().all(std::result::Result::is_ok));
        assert_eq!(found, ["views"]);
    }

    #[test]
    fn uses_are_found_outside_tests_and_comments() {
        let source = "\
//! std::fs is not used
use std::fmt;
use std::{collections::BTreeMap, fs};
let now = std::time::Instant::now();
let environment = std::environment();
#[cfg(test)]
use std::thread;
";
        assert_eq!(impure_lines(source).collect::<Vec<_>>(), [(3, "fs"), (4, "time")]);
    }
}
