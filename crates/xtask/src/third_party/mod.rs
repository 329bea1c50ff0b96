//! The licences of the software in whittle's programs and report files: `THIRD_PARTY.txt` with the texts of all
//! licences, and a short text that is part of every report file.
//!
//! If a package offers several licences, whittle uses the Apache License 2.0, which is also its own licence. Otherwise,
//! the file contains every licence text that the package contains.

mod licences;
mod of_reports;
mod packages;
pub(crate) mod sbom;

use crate::{Result, generated};
use packages::{ASM, LIBBPF, Package, Shipped};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

const PAGE: &str = "THIRD_PARTY.txt";
/// What report files contain. The command `report` reads this file.
const OF_REPORTS: &str = "crates/cli/src/commands/report/third_party.txt";

/// Whittle's own licence, and the licence of most packages.
const APACHE: &str = "Apache-2.0";

/// Names of files with licences and notices, in capital letters.
const LICENCE_FILES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "UNLICENSE", "COPYRIGHT"];
const NOTICE_FILE: &str = "NOTICE";

/// Files with licences in other folders: the C sources that a crate contains.
const INNER_FILES: [(&str, &str); 1] = [("zstd-sys", "zstd/LICENSE")];

/// The licence texts of packages that contain no text. The texts are from the sources that the packages are made from.
const MISSING_TEXTS: [(&str, &str); 5] = [
    (ASM, include_str!("../../texts/asm.txt")),
    ("alloc-stdlib", include_str!("../../texts/alloc-stdlib.txt")),
    ("iced-x86", include_str!("../../texts/iced-x86.txt")),
    (LIBBPF, include_str!("../../texts/libbpf.txt")),
    ("yaxpeax-arm", include_str!("../../texts/yaxpeax-arm.txt")),
];

const LINE: &str = "--------------------------------------------------------------------------------";

/// Fails if a licence is not allowed, or if a file in the repository differs from the generated file.
pub(crate) fn check(root: &Path) -> Result {
    let shipped = Shipped::read(root)?;
    licences::check(root, &shipped.all)?;
    files(root, &shipped)?.iter().try_for_each(|(file, text)| generated::check(root, file, text))
}

/// Writes the files.
pub(crate) fn write(root: &Path) -> Result {
    files(root, &Shipped::read(root)?)?.iter().try_for_each(|(file, text)| generated::write(root, file, text))
}

fn files(root: &Path, shipped: &Shipped) -> std::result::Result<[(&'static str, String); 2], String> {
    let apache = fs::read_to_string(root.join("LICENSE")).map_err(|error| format!("LICENSE: {error}"))?;
    let all = "Software of other authors in the programs whittle and whittle-fleet, and in report files.";
    Ok([(PAGE, text(all, &shipped.all, &apache)?), (OF_REPORTS, of_reports::text(&shipped.report)?)])
}

fn text(title: &str, packages: &BTreeSet<Package>, apache: &str) -> std::result::Result<String, String> {
    let mut text = format!("{title}\nWritten by `cargo xtask docs`. Do not edit.\n\n");
    for Package { name, version, licence, .. } in packages {
        text += &format!("{name} {version}: {licence}\n");
    }
    let mut texts: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for package in packages {
        for found in texts_of(package)? {
            texts.entry(found).or_default().insert(&package.name);
        }
    }
    for (found, names) in texts {
        let names: Vec<&str> = names.into_iter().collect();
        text += &format!("\n{LINE}\n{}:\n\n{found}\n", names.join(", "));
    }
    let names: BTreeSet<&str> =
        packages.iter().filter(|package| package.offers(APACHE)).map(|package| package.name.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    Ok(text + &format!("\n{LINE}\n{}:\n\n{}\n", names.join(", "), tidy(apache)))
}

/// The notices and licence texts of a package, without the Apache License 2.0.
fn texts_of(package: &Package) -> std::result::Result<Vec<String>, String> {
    let needs_licence = !package.offers(APACHE);
    let missing = MISSING_TEXTS.iter().find(|(name, _)| *name == package.name).map(|(_, text)| tidy(text));
    let mut texts: Vec<String> = missing.into_iter().filter(|_| needs_licence).collect();
    if let Some(folder) = &package.folder {
        let wanted = |name: &str| {
            let name = name.to_uppercase();
            name.starts_with(NOTICE_FILE)
                || (needs_licence && LICENCE_FILES.iter().any(|start| name.starts_with(start)))
        };
        let inner = INNER_FILES.iter().filter(|(name, _)| *name == package.name).map(|(_, file)| (*file).to_owned());
        for file in names(folder)?.into_iter().filter(|name| wanted(name)).chain(inner) {
            let path = folder.join(&file);
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            texts.push(tidy(&text));
        }
    }
    if needs_licence && texts.is_empty() {
        let Package { name, version, licence, .. } = package;
        return Err(format!(
            "{name} {version} ({licence}) contains no licence text: add it to crates/xtask/texts and MISSING_TEXTS"
        ));
    }
    Ok(texts)
}

/// The names of the files in a folder, in a fixed order.
fn names(folder: &Path) -> std::result::Result<BTreeSet<String>, String> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}; for packages of the page, run: make -C web", folder.display()))?;
    let files = entries.flatten().filter(|entry| entry.path().is_file());
    Ok(files.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
}

/// A text without differences that no reader sees.
fn tidy(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}
