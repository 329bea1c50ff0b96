//! Checks all packages that whittle uses, also in its build and its tests: licences, sources and known vulnerabilities.
//!
//! Lists of vulnerabilities are on the internet. If a list cannot be reached, the check is reported as a check that did
//! not run. It never passes without the list.

use crate::{Result, passed_on, summary};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Where `scripts/setup.sh` installs cargo-deny.
const CARGO_DENY: &str = ".cache/tools/bin/cargo-deny";

/// The weakest vulnerability that fails the check of npm packages.
const LEVEL: &str = "moderate";

/// Runs all checks.
pub(crate) fn check(root: &Path) -> Result {
    policy(root)?;
    advisories_of_crates(root)?;
    advisories_of_page(root)
}

/// Licences and sources of crates, as `deny.toml` allows them.
fn policy(root: &Path) -> Result {
    if passed_on::run(&mut deny(root, &["--log-level", "error", "check", "licenses", "bans", "sources"]))?.is_ok {
        println!("audit: deny.toml allows the licences and sources of all crates");
        return Ok(());
    }
    Err("deny.toml does not allow a crate: choose another crate, or change deny.toml with a reason".to_owned())
}

fn advisories_of_crates(root: &Path) -> Result {
    if !passed_on::run(&mut deny(root, &["fetch", "db"]))?.is_ok {
        return summary::note_not_run("audit::crates", "needs a network with the list of vulnerable crates (RustSec)");
    }
    if passed_on::run(&mut deny(root, &["check", "--disable-fetch", "advisories"]))?.is_ok {
        println!("audit: no crate has a known vulnerability");
        return Ok(());
    }
    Err("a crate has a known vulnerability: update the crate with cargo update".to_owned())
}

fn deny(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(root.join(CARGO_DENY));
    command.arg("--locked").args(arguments).current_dir(root);
    command
}

/// Known vulnerabilities of npm packages, also of those that only build and test the page.
fn advisories_of_page(root: &Path) -> Result {
    let mut npm = Command::new("npm");
    npm.args(["audit", "--json", "--audit-level", LEVEL]).current_dir(root.join("web"));
    let output = npm.output().map_err(|error| format!("npm audit: {error}"))?;
    match verdict_of_npm(&output.stdout, output.status.success()) {
        Some(true) => {
            println!("audit: no npm package has a known vulnerability");
            Ok(())
        }
        Some(false) => Err(format!(
            "an npm package has a known vulnerability; run npm audit in web:\n{}",
            String::from_utf8_lossy(&output.stdout)
        )),
        None => summary::note_not_run("audit::page", "needs a network with the list of vulnerable npm packages"),
    }
}

/// Whether npm found no vulnerability. Missing: npm has no list of vulnerabilities.
fn verdict_of_npm(report: &[u8], is_ok: bool) -> Option<bool> {
    let report: Value = serde_json::from_slice(report).ok()?;
    report["metadata"]["vulnerabilities"].as_object().map(|_| is_ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_without_a_list_is_no_verdict() {
        let report = br#"{"auditReportVersion": 2, "metadata": {"vulnerabilities": {"high": 1}}}"#;
        assert_eq!([true, false].map(|is_ok| verdict_of_npm(report, is_ok)), [Some(true), Some(false)]);
        assert_eq!(verdict_of_npm(br#"{"message": "405 Method Not Allowed"}"#, false), None);
        assert_eq!(verdict_of_npm(b"", true), None);
    }
}
