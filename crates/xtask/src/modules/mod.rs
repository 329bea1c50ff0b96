//! Checks the modules of each crate: there are no cycles, and the page of modules shows their floors. A module uses
//! only modules on lower floors.
//!
//! A module uses another module if a `use` or a path in its code refers to that module, directly or through re-exports.
//! Uses between a module and its own child are ignored, and tests are ignored. Two kinds of graphs must have no cycles:
//! the graph of a crate's files, and the graph of each folder's entries. An entry includes everything in its subfolder.

mod graph;
mod tree;

use crate::Result;
use graph::{ModulePath, Uses, circles, uses};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The generated page.
const PAGE: &str = "docs/developer/modules.md";

const HEAD: &str = "# Modules of each crate

`cargo xtask docs` writes this page, and `cargo xtask check` compares it with the code. Floor 1 is the ground: its modules use no
other module of the crate. A module uses only modules on lower floors. There are no cycles between modules.
";

type Edges = BTreeMap<ModulePath, BTreeSet<ModulePath>>;

/// Fails if there are cycles, or if the floors on the page differ from the code.
pub(crate) fn check(root: &Path) -> Result {
    let (page, count) = page(root)?;
    let known = fs::read_to_string(root.join(PAGE)).unwrap_or_default();
    if known != page {
        return Err(format!("{PAGE} is not current; run: cargo xtask docs"));
    }
    println!("modules: {count} modules form no cycle, and {PAGE} is current");
    Ok(())
}

/// Writes the page.
pub(crate) fn write(root: &Path) -> Result {
    let (page, _) = page(root)?;
    fs::write(root.join(PAGE), page).map_err(|error| format!("{PAGE}: {error}"))
}

/// The page, and the number of modules.
fn page(root: &Path) -> std::result::Result<(String, usize), String> {
    let mut page = HEAD.to_owned();
    let (mut count, mut wrong) = (0, Vec::new());
    let crates = root.join("crates");
    let entries = fs::read_dir(&crates).map_err(|error| format!("{}: {error}", crates.display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    for name in names {
        let source = crates.join(&name).join("src");
        let Some(file) = ["lib.rs", "main.rs"].iter().map(|file| source.join(file)).find(|file| file.exists()) else {
            continue;
        };
        let modules = tree::read(&file)?;
        let uses = uses(&modules);
        count += modules.len();
        wrong.extend(circles_of(&name, &uses));
        add_floors(&mut page, &name, &folder(&uses, &[]));
    }
    if wrong.is_empty() {
        return Ok((page, count));
    }
    Err(format!("{}\nmove the code that both need to a separate file", wrong.join("\n")))
}

/// The cycles of files, and of the entries of each folder.
fn circles_of(name: &str, uses: &Uses) -> Vec<String> {
    let files: Edges = uses.iter().map(|(from, to)| (from.clone(), to.keys().cloned().collect())).collect();
    let folders: BTreeSet<&[String]> = uses.keys().filter_map(|path| Some(path.split_last()?.1)).collect();
    let of_folders = folders.into_iter().flat_map(|parent| circles(&folder(uses, parent)));
    let found: BTreeSet<Vec<ModulePath>> = circles(&files).into_iter().chain(of_folders).collect();
    found.iter().map(|circle| in_words(name, circle, uses)).collect()
}

fn in_words(name: &str, circle: &[ModulePath], uses: &Uses) -> String {
    let mut words = format!("crate `{name}`: a cycle of {} modules", circle.len());
    let inside = |path: &ModulePath| circle.iter().find(|of| path.starts_with(of));
    let mut seen = BTreeSet::new();
    for (from, targets) in uses {
        for (to, paths) in targets {
            let (Some(one), Some(other)) = (inside(from), inside(to)) else { continue };
            if one != other && seen.insert((one, other)) {
                let path = paths.iter().next().map_or("", String::as_str);
                write!(words, "\n  {} uses {path} of {}", from.join("::"), to.join("::"))
                    .expect("strings can be written to");
            }
        }
    }
    words
}

/// The dependencies between a folder's entries. An entry includes everything below it.
fn folder(uses: &Uses, parent: &[String]) -> Edges {
    let depth = parent.len();
    let entry = |path: &ModulePath| (path.len() > depth && path.starts_with(parent)).then(|| path[..=depth].to_vec());
    let mut edges = Edges::new();
    for (from, targets) in uses {
        let Some(from) = entry(from) else { continue };
        let known = edges.entry(from.clone()).or_default();
        known.extend(targets.keys().filter_map(entry).filter(|to| *to != from));
    }
    edges
}

/// Adds a crate's floors, the highest first. The edges must not have cycles.
fn add_floors(page: &mut String, name: &str, edges: &Edges) {
    let mut floor: BTreeMap<&ModulePath, usize> = BTreeMap::new();
    while floor.len() < edges.len() {
        let is_ready = |path: &ModulePath, to: &BTreeSet<ModulePath>| {
            !floor.contains_key(path) && to.iter().all(|to| floor.contains_key(to))
        };
        let ready: Vec<_> = edges.iter().filter(|(path, to)| is_ready(path, to)).collect();
        if ready.is_empty() {
            return;
        }
        for (path, to) in ready {
            let lowest = to.iter().map(|to| floor[to] + 1).max().unwrap_or(1);
            floor.insert(path, lowest);
        }
    }
    let Some(highest) = floor.values().copied().max() else { return };
    write!(page, "\n## {name}\n\n| floor | modules |\n|---|---|\n").expect("strings can be written to");
    for level in (1..=highest).rev() {
        let names: Vec<String> =
            floor.iter().filter(|(_, of)| **of == level).map(|(path, _)| format!("`{}`", path.join("::"))).collect();
        writeln!(page, "| {level} | {} |", names.join(", ")).expect("strings can be written to");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sources are in a separate folder, because tests run at the same time.
    fn uses_of(test: &str, files: &[(&str, &str)]) -> Uses {
        let folder = std::env::temp_dir().join(format!("whittle-modules-{}-{test}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        for (name, source) in files {
            fs::write(folder.join(name), source).expect("a file");
        }
        let modules = tree::read(&folder.join("lib.rs")).expect("sources");
        fs::remove_dir_all(&folder).expect("it is there");
        uses(&modules)
    }

    #[test]
    fn an_arrow_back_is_a_circle() {
        let lib = ("lib.rs", "mod a;\nmod b;\npub use b::B;");
        let one_way = uses_of("one_way", &[lib, ("a.rs", "use crate::B;\nstruct A(B);"), ("b.rs", "pub struct B;")]);
        assert_eq!(circles_of("x", &one_way), Vec::<String>::new());
        let back = uses_of(
            "back",
            &[lib, ("a.rs", "use crate::B;\npub struct A(B);"), ("b.rs", "pub struct B;\nfn f() { crate::a::A; }")],
        );
        let [words] = circles_of("x", &back).try_into().expect("one circle");
        assert!(words.contains("a uses crate::B of b") && words.contains("b uses crate::a::A of a"), "{words}");
    }

    #[test]
    fn tests_and_children_are_no_arrows() {
        let lib = ("lib.rs", "mod a;\nstruct Whole;\n#[cfg(test)]\nmod tests { use crate::a::A; }");
        let found = uses_of("children", &[lib, ("a.rs", "use super::Whole;\npub struct A(Whole);"), ("unused.rs", "")]);
        assert!(found.values().all(BTreeMap::is_empty), "{found:?}");
    }
}
