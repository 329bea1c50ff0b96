//! The packages that are linked into whittle's programs or bundled into its page, and where their sources are.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder into which the build of the page installs packages.
const NODE_MODULES: &str = "web/node_modules";

/// The program that fetches async-profiler.
const BUILD_OF_COLLECT: &str = "crates/collect/build.rs";

/// The file that builds the agent in the JVM.
const BUILD_OF_AGENT: &str = "java/agent/pom.xml";

/// The file with the version of Rust.
const TOOLCHAIN: &str = "rust-toolchain.toml";

/// The programs for the kernel contain code of these headers.
pub(super) const LIBBPF: &str = "libbpf's headers";

/// The agent in the JVM reads and writes class files with this library.
pub(super) const ASM: &str = "ASM";

/// The targets that whittle is built for, and the target of the engine in report files.
const LINUX: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];
const BROWSER: &str = "wasm32-unknown-unknown";

/// A package whose code or data is in a shipped file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// SPDX expression. Older packages separate alternatives by `/`.
    pub(super) licence: String,
    /// Where the package is from.
    pub(super) origin: Origin,
    /// The folder with the package's sources. Missing: whittle's own texts describe the package.
    pub(super) folder: Option<PathBuf>,
}

/// Where a package is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    CratesIo,
    Npm,
    MavenCentral,
    /// The compiler or the system of the machine that builds whittle.
    BuildMachine,
}

impl Package {
    /// The SPDX expression, without `/`.
    pub(super) fn expression(&self) -> String {
        self.licence.replace(" / ", "/").replace('/', " OR ")
    }

    /// True if whittle can use the package under this licence alone.
    pub(super) fn offers(&self, licence: &str) -> bool {
        let expression = self.expression();
        let is_choice = !expression.contains(" AND ") && !expression.contains('(');
        is_choice && expression.split(" OR ").any(|offered| offered.trim() == licence)
    }
}

/// Shipped files, and the packages in them.
pub(super) struct Shipped {
    /// The packages of all programs.
    pub(super) all: BTreeSet<Package>,
    /// The packages in report files and in the analyzer's page.
    pub(super) report: BTreeSet<Package>,
}

impl Shipped {
    pub(super) fn read(root: &Path) -> Result<Self, String> {
        let folders = folders(root)?;
        let mut report = linked(root, "whittle-wasm", &[BROWSER], &folders)?;
        report.extend(bundled(root)?);
        report.insert(rust_library(root)?);
        let mut all = report.clone();
        for program in ["whittle", "whittle-fleet"] {
            all.extend(linked(root, program, &LINUX, &folders)?);
        }
        all.extend(embedded(root)?);
        Ok(Self { all, report })
    }
}

/// Software that no package manager of ours lists.
fn embedded(root: &Path) -> Result<[Package; 3], String> {
    let build = std::fs::read_to_string(root.join(BUILD_OF_COLLECT)).unwrap_or_default();
    let version = build.lines().find_map(|line| line.strip_prefix("const VERSION: &str = \"")?.strip_suffix("\";"));
    let version = version.ok_or_else(|| format!("{BUILD_OF_COLLECT}: the version of async-profiler is missing"))?;
    let profiler = package("async-profiler", version, "Apache-2.0");
    let headers = package(LIBBPF, "1", "LGPL-2.1-only OR BSD-2-Clause");
    let asm = package(ASM, &asm_version(root)?, "BSD-3-Clause");
    let [profiler, asm] = [profiler, asm].map(|package| Package { origin: Origin::MavenCentral, ..package });
    Ok([profiler, headers, asm])
}

/// The agent in the JVM contains this library.
fn asm_version(root: &Path) -> Result<String, String> {
    let build = std::fs::read_to_string(root.join(BUILD_OF_AGENT)).unwrap_or_default();
    let version =
        build.lines().find_map(|line| line.trim().strip_prefix("<asm.version>")?.strip_suffix("</asm.version>"));
    version.map(str::to_owned).ok_or_else(|| format!("{BUILD_OF_AGENT}: the version of ASM is missing"))
}

/// Every Rust program contains parts of Rust's library.
fn rust_library(root: &Path) -> Result<Package, String> {
    let toolchain = std::fs::read_to_string(root.join(TOOLCHAIN)).unwrap_or_default();
    let version = toolchain.lines().find_map(|line| line.strip_prefix("channel = \"")?.strip_suffix('"'));
    let version = version.ok_or_else(|| format!("{TOOLCHAIN}: the version of Rust is missing"))?;
    Ok(package("Rust's standard library", version, "MIT OR Apache-2.0"))
}

fn package(name: &str, version: &str, licence: &str) -> Package {
    let [name, version, licence] = [name, version, licence].map(str::to_owned);
    Package { name, version, licence, origin: Origin::BuildMachine, folder: None }
}

/// The folders of all crates, by name and version.
fn folders(root: &Path) -> Result<BTreeMap<(String, String), PathBuf>, String> {
    let mut command = cargo(root, &["metadata", "--locked", "--format-version", "1"]);
    for target in LINUX.iter().chain([&BROWSER]) {
        command.args(["--filter-platform", target]);
    }
    let metadata: Value =
        serde_json::from_str(&output(command)?).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata: it lists no packages")?;
    let folder = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let key = (package["name"].as_str()?.to_owned(), package["version"].as_str()?.to_owned());
        Some((key, manifest.parent()?.to_owned()))
    };
    Ok(packages.iter().filter_map(folder).collect())
}

/// The crates that are linked into a program. Crates that run only during the build or in tests are not linked.
fn linked(
    root: &Path,
    program: &str,
    targets: &[&str],
    folders: &BTreeMap<(String, String), PathBuf>,
) -> Result<BTreeSet<Package>, String> {
    let mut command = cargo(root, &["tree", "--locked", "--edges", "normal,no-proc-macro", "--prefix", "none"]);
    command.args(["--format", "{p}|{l}", "--package", program]);
    for target in targets {
        command.args(["--target", target]);
    }
    let mut packages = BTreeSet::new();
    for line in output(command)?.lines() {
        let Some((name, version, licence)) = parse(line).filter(|(name, ..)| !name.starts_with("whittle")) else {
            continue;
        };
        let [name, version, licence] = [name, version, licence].map(str::to_owned);
        let folder = folders.get(&(name.clone(), version.clone())).cloned();
        if folder.is_none() {
            return Err(format!("cargo tree lists {name} {version}, but cargo metadata does not"));
        }
        packages.insert(Package { name, version, licence, origin: Origin::CratesIo, folder });
    }
    Ok(packages)
}

/// Parses a line such as `libm v0.2.16|MIT (*)`. The mark means that the package was listed before.
fn parse(line: &str) -> Option<(&str, &str, &str)> {
    let (package, licence) = line.trim_end_matches(" (*)").split_once('|')?;
    let mut words = package.split(' ');
    Some((words.next()?, words.next()?.strip_prefix('v')?, licence))
}

/// The npm packages that the page can contain.
fn bundled(root: &Path) -> Result<BTreeSet<Package>, String> {
    let file = root.join("web/package-lock.json");
    let text = std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lock: Value = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let packages = lock["packages"].as_object().ok_or("web/package-lock.json: it lists no packages")?;
    let is_bundled = |path: &str, entry: &Value| !path.is_empty() && entry["dev"] != true;
    let package = |(path, entry): (&String, &Value)| {
        let name = path.strip_prefix("node_modules/").unwrap_or(path);
        Some(Package {
            name: name.to_owned(),
            version: entry["version"].as_str()?.to_owned(),
            licence: entry["license"].as_str()?.to_owned(),
            origin: Origin::Npm,
            folder: Some(root.join(NODE_MODULES).join(name)),
        })
    };
    let found = packages.iter().filter(|(path, entry)| is_bundled(path, entry)).map(package);
    found.collect::<Option<_>>().ok_or_else(|| "web/package-lock.json: a package has no version or licence".to_owned())
}

fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(root);
    command
}

fn output(mut command: Command) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{command:?}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_cargo_tree_is_parsed() {
        assert_eq!(parse("libm v0.2.16|MIT (*)"), Some(("libm", "0.2.16", "MIT")));
        assert_eq!(parse("whittle v0.1.0 (/a b)|Apache-2.0"), Some(("whittle", "0.1.0", "Apache-2.0")));
        assert_eq!(parse(""), None);
    }

    #[test]
    fn only_an_alternative_is_a_choice() {
        let offers = |licence| package("a", "1", licence).offers("Apache-2.0");
        assert!(["Apache-2.0", "MIT OR Apache-2.0", "MIT/Apache-2.0", "Apache-2.0 / MIT"].into_iter().all(offers));
        assert!(!["MIT", "Apache-2.0 AND MIT", "(MIT OR Apache-2.0) AND ISC"].into_iter().any(offers));
    }
}
