//! The licences in report files. The size of a report is limited, so the text contains only the notices that a licence
//! requires in programs, and each text only once.

use super::packages::Package;
use super::{APACHE, texts_of};
use std::collections::BTreeSet;

const HEAD: &str = "whittle (Apache-2.0) with parts of ";

const MIT: &str = "\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the \"Software\"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:
The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.
THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
";

/// Licences that require no text in programs without a file of notices. `THIRD_PARTY.txt` names these packages.
const SILENT: [&str; 3] = [APACHE, "BSL-1.0", "Unlicense"];

/// Packages in the lock file without code in the page: types, and code for servers.
const NOT_IN_PAGE: [&str; 3] = ["csstype", "seroval", "seroval-plugins"];

/// The text for `packages`. Fails if a package has a licence that is not in the text.
pub(super) fn text(packages: &BTreeSet<Package>) -> Result<String, String> {
    let mut named = Vec::new();
    for package in packages.iter().filter(|package| !NOT_IN_PAGE.contains(&package.name.as_str())) {
        if SILENT.iter().any(|licence| package.offers(licence)) {
            continue;
        }
        let Package { name, licence, .. } = package;
        if !package.offers("MIT") {
            return Err(format!("{name} ({licence}): reports have no text for this licence; add it to of_reports.rs"));
        }
        let owners = copyrights(package)?.into_iter().collect::<Vec<_>>().join(", ");
        named.push(if owners.is_empty() { name.clone() } else { format!("{name} © {owners}") });
    }
    Ok(format!("{HEAD}{}. MIT:\n{MIT}", named.join("; ")))
}

/// The years and owners in the licence texts of a package.
fn copyrights(package: &Package) -> Result<BTreeSet<String>, String> {
    let texts = texts_of(package)?;
    let lines = texts.iter().flat_map(|text| text.lines()).map(str::trim);
    let notice = |line: &str| {
        let owner = ["Copyright (c) ", "Copyright © "].iter().find_map(|start| line.strip_prefix(start))?;
        Some(owner.trim_end_matches(" or").to_owned())
    };
    Ok(lines.filter_map(notice).collect())
}
