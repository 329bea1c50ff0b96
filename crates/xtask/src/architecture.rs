//! Compares the code with the architecture page: the allowed edges between crates, and `unsafe` only where it is
//! allowed.

use crate::{Result, purity};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

const PAGE: &str = "docs/developer/architecture.md";

/// Lines of the table of edges on the page have the form "| `cli` | `model`, `import` | … |".
const TABLE_HEAD: &str = "| crate | may use |";

/// The crate that may use `unsafe`, and therefore has its own lints.
const UNSAFE_CRATE: &str = "collect";

/// The crate with named exports. Rust requires `unsafe` for these exports, and nothing else in this crate may be
/// unsafe.
const EXPORTING_CRATE: &str = "wasm";
const EXPORT: &str = "#[unsafe(no_mangle)]";

/// The crate with tests that stop programs with ptrace. Only these tests may be unsafe.
const TRACING_CRATE: &str = "native";

/// Compares the workspace with the page.
pub(crate) fn check(root: &Path) -> Result {
    let page = fs::read_to_string(root.join(PAGE)).map_err(|error| format!("{PAGE}: {error}"))?;
    let allowed = parse_allowed(&page);
    if allowed.is_empty() {
        return Err(format!("{PAGE} has no table that starts with \"{TABLE_HEAD}\""));
    }
    let found = read_edges(root)?;
    let mut wrong = Vec::new();
    for (from, targets) in &found {
        match allowed.get(from) {
            None => wrong.push(format!("crate `{from}` is not on the page")),
            Some(may_use) => {
                let forbidden = targets.difference(may_use);
                wrong.extend(forbidden.map(|to| format!("`{from}` uses `{to}`: the page does not allow it")));
                let unused = may_use.difference(targets);
                wrong.extend(unused.map(|to| format!("`{from}` does not use `{to}`, but the page allows this use")));
            }
        }
    }
    wrong.extend(crates_with_own_lints(root, found.keys()));
    wrong.extend(unsafe_code(root, EXPORTING_CRATE, &|_, line| line == EXPORT)?);
    wrong.extend(unsafe_code(root, TRACING_CRATE, &|file, _| purity::is_test(file))?);
    if wrong.is_empty() {
        println!("architecture: {} crates follow {PAGE}", found.len());
        return Ok(());
    }
    Err(format!("{}\nfix the code, or add the edge to {PAGE} with a reason", wrong.join("\n")))
}

fn parse_allowed(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let rows = page.lines().skip_while(|line| !line.starts_with(TABLE_HEAD)).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let targets = cells.get(2)?.split(',').map(unquote).filter(|name| !name.is_empty());
            Some((unquote(cells.get(1)?), targets.collect()))
        })
        .collect()
}

fn unquote(name: &str) -> String {
    name.trim().trim_matches('`').trim_matches('-').to_owned()
}

/// The edges of the shipped code, without development dependencies.
fn read_edges(root: &Path) -> std::result::Result<BTreeMap<String, BTreeSet<String>>, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata lists no packages")?;
    let short = |name: &Value| {
        let name = name.as_str().unwrap_or_default();
        if name == "whittle" { "cli".to_owned() } else { name.trim_start_matches("whittle-").to_owned() }
    };
    let is_ours = |dependency: &&Value| dependency["name"].as_str().is_some_and(|name| name.starts_with("whittle"));
    let ships = |dependency: &&Value| dependency["kind"].is_null();
    let edges = packages.iter().map(|package| {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let targets = dependencies.filter(is_ours).filter(ships).map(|dependency| short(&dependency["name"]));
        (short(&package["name"]), targets.collect())
    });
    Ok(edges.collect())
}

fn crates_with_own_lints<'a>(root: &Path, crates: impl Iterator<Item = &'a String>) -> Vec<String> {
    let takes_workspace_lints = |name: &String| {
        let manifest = fs::read_to_string(root.join(format!("crates/{name}/Cargo.toml"))).unwrap_or_default();
        manifest.contains("[lints]\nworkspace = true")
    };
    let with_own_lints = [UNSAFE_CRATE, EXPORTING_CRATE, TRACING_CRATE];
    crates
        .filter(|name| !with_own_lints.contains(&name.as_str()))
        .filter(|name| !takes_workspace_lints(name))
        .map(|name| format!("crate `{name}` does not take the workspace's lints, which forbid unsafe"))
        .collect()
}

/// Lines of a crate that contain `unsafe`, except lines that `allows` accepts.
fn unsafe_code(
    root: &Path,
    name: &str,
    allows: &dyn Fn(&Path, &str) -> bool,
) -> std::result::Result<Vec<String>, String> {
    let mut files = Vec::new();
    purity::add_sources(&root.join("crates").join(name), &mut files)?;
    let mut wrong = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        let is_allowed = |line: &str| allows(&file, line);
        let lines = unsafe_lines(&source, &is_allowed);
        wrong.extend(lines.map(|line| format!("{shown}:{line}: unsafe code is not allowed here")));
    }
    Ok(wrong)
}

/// Numbers of lines with the word `unsafe`, without comments and allowed lines.
fn unsafe_lines<'a>(source: &'a str, is_allowed: &'a dyn Fn(&str) -> bool) -> impl Iterator<Item = usize> + 'a {
    let has_unsafe = |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
    let code = source.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.filter(move |(_, line)| has_unsafe(line) && !is_allowed(line.trim())).map(|(index, _)| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_exports_are_unsafe() {
        let source = "// unsafe {}\n#![allow(unsafe_code)]\n#[unsafe(no_mangle)]\nfn f() { unsafe { g() } }\n#[unsafe(no_mangle)] unsafe fn h() {}\n";
        assert_eq!(unsafe_lines(source, &|line| line == EXPORT).collect::<Vec<_>>(), [4, 5]);
        assert_eq!(unsafe_lines(source, &|_| true).count(), 0);
    }

    #[test]
    fn edges_are_read_from_the_table() {
        let page = "text\n| crate | may use | why |\n|---|---|---|\n| `model` | - | x |\n| `cli` | `model`, `import` | y |\n\nmore | text";
        let allowed = parse_allowed(page);
        assert_eq!(allowed["model"].len(), 0);
        assert_eq!(allowed["cli"], BTreeSet::from(["model".to_owned(), "import".to_owned()]));
        assert_eq!(allowed.len(), 2);
    }
}
