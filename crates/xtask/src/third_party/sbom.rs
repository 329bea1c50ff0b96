//! The packages in whittle's programs and report files as a software bill of materials (CycloneDX JSON).
//!
//! Tools that read manifests also list crates that only run during the build or in tests, and they do not see
//! async-profiler. This list contains exactly the packages in the shipped files, which `THIRD_PARTY.txt` also names.

use super::packages::{Origin, Package, Shipped};
use crate::{Result, passed_on};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of the format.
const SPEC_VERSION: &str = "1.6";

/// Checks a file with the format's schema. Its arguments are the version of the format and the file.
const VALIDATOR: &str = "\
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
text = open(sys.argv[2]).read()
error = JsonStrictValidator(SchemaVersion.from_version(sys.argv[1])).validate_str(text)
sys.exit(str(error) if error else 0)
";

/// Writes the list.
pub(crate) fn write(root: &Path) -> Result {
    let file = file(root);
    let text = serde_json::to_string_pretty(&list(root)?).map_err(|error| error.to_string())? + "\n";
    file.parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| format!("{}: {error}", file.display()))?;
    fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
    println!("sbom: {}", file.display());
    Ok(())
}

/// Writes the list, and fails if it does not follow the format's schema.
pub(crate) fn check(root: &Path) -> Result {
    write(root)?;
    let python = std::env::var("WHITTLE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let ran = passed_on::run(Command::new(python).args(["-c", VALIDATOR, SPEC_VERSION]).arg(file(root)))?;
    if ran.is_ok {
        println!("sbom: the file follows the schema of CycloneDX {SPEC_VERSION}");
        return Ok(());
    }
    Err(format!(
        "{} does not follow the schema of CycloneDX {SPEC_VERSION}; run: scripts/setup.sh test",
        file(root).display()
    ))
}

fn file(root: &Path) -> PathBuf {
    root.join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into())).join("whittle.cdx.json")
}

fn list(root: &Path) -> std::result::Result<Value, String> {
    let shipped = Shipped::read(root)?;
    let digests = digests(root)?;
    let components: Vec<Value> = shipped.all.iter().map(|package| component(package, &digests)).collect();
    let names: Vec<&Value> = components.iter().map(|component| &component["bom-ref"]).collect();
    Ok(json!({
        "$schema": format!("http://cyclonedx.org/schema/bom-{SPEC_VERSION}.schema.json"),
        "bomFormat": "CycloneDX",
        "specVersion": SPEC_VERSION,
        "version": 1,
        "metadata": { "component": {
            "type": "application",
            "bom-ref": "whittle",
            "name": "whittle",
            "version": env!("CARGO_PKG_VERSION"),
            "licenses": [{ "license": { "id": "Apache-2.0" } }],
        } },
        "dependencies": [{ "ref": "whittle", "dependsOn": names }],
        "components": components,
    }))
}

fn component(package: &Package, digests: &BTreeMap<(String, String), String>) -> Value {
    let Package { name, version, .. } = package;
    let address = address(package);
    let mut component = json!({
        "type": "library",
        "bom-ref": address,
        "name": name,
        "version": version,
        "purl": address,
        "licenses": [{ "expression": package.expression() }],
    });
    let digest = digests.get(&(name.clone(), version.clone())).filter(|_| package.origin == Origin::CratesIo);
    if let Some(digest) = digest {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": digest }]);
    }
    component
}

/// The address of a package (a "package URL").
fn address(package: &Package) -> String {
    let Package { name, version, .. } = package;
    match package.origin {
        Origin::CratesIo => format!("pkg:cargo/{name}@{version}"),
        Origin::Npm => format!("pkg:npm/{}@{version}", name.replace('@', "%40")),
        Origin::MavenCentral => format!("pkg:maven/tools.profiler/{name}@{version}"),
        Origin::BuildMachine => {
            format!("pkg:generic/{}@{version}", name.replace(' ', "-").replace('\'', "").to_lowercase())
        }
    }
}

/// The SHA-256 digests of crates, by name and version, from `Cargo.lock`.
fn digests(root: &Path) -> std::result::Result<BTreeMap<(String, String), String>, String> {
    let text = fs::read_to_string(root.join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    let value = |package: &str, name: &str| {
        package
            .lines()
            .find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(" = \"")?.strip_suffix('"')?.to_owned()))
    };
    let digest = |package| Some(((value(package, "name")?, value(package, "version")?), value(package, "checksum")?));
    Ok(text.split("[[package]]").filter_map(digest).collect())
}
