//! Checks the licences of the shipped packages against the list in `deny.toml`.
//!
//! `cargo xtask audit` also checks the packages that only build and test whittle, with cargo-deny, which takes minutes to
//! build.

use super::packages::Package;
use crate::Result;
use serde::Deserialize;
use spdx::{Expression, ParseMode};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const RULES: &str = "deny.toml";

#[derive(Deserialize)]
struct Rules {
    licenses: Licences,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
}

/// Fails if the rules do not allow the licence of a package.
pub(super) fn check(root: &Path, packages: &BTreeSet<Package>) -> Result {
    let text = fs::read_to_string(root.join(RULES)).map_err(|error| format!("{RULES}: {error}"))?;
    let rules: Rules = toml::from_str(&text).map_err(|error| format!("{RULES}: {error}"))?;
    let is_refused = |package: &&Package| !is_allowed(&package.expression(), &rules.licenses.allow);
    let refused: Vec<String> =
        packages.iter().filter(is_refused).map(|package| format!("{} ({})", package.name, package.licence)).collect();
    if refused.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{RULES} does not allow the licence of {}: choose another package, or change {RULES} with a reason",
        refused.join(", ")
    ))
}

/// True if the expression can be met with licences of the list.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let Ok(expression) = Expression::parse_mode(expression, ParseMode::LAX) else { return false };
    expression.evaluate(|licence| allowed.contains(&licence.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_must_be_in_the_list() {
        let allowed = ["MIT", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        for licence in ["MIT", "MIT OR GPL-3.0-only", "Apache-2.0 WITH LLVM-exception AND MIT"] {
            assert!(is_allowed(licence, &allowed), "{licence}");
        }
        for licence in ["GPL-3.0-only", "MIT AND GPL-3.0-only", "Apache-2.0", "none", ""] {
            assert!(!is_allowed(licence, &allowed), "{licence}");
        }
    }
}
