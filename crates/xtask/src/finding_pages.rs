//! The pages of the user's guide about detectors in the repository.

use crate::Result;
use std::fs;
use std::path::Path;
use whittle_findings::{Detector, guide_index, guide_page};

/// The folder of the pages.
const FOLDER: &str = "docs/user/findings";

/// Fails if the pages in the repository differ from the generated pages.
pub(crate) fn check(root: &Path) -> Result {
    let folder = root.join(FOLDER);
    let pages = pages();
    for (name, text) in &pages {
        if fs::read_to_string(folder.join(name)).unwrap_or_default() != *text {
            return Err(format!("{FOLDER}/{name} is not current; run: cargo xtask docs"));
        }
    }
    if let Some(name) = strangers(&folder, &pages)?.first() {
        return Err(format!("{FOLDER}/{name} has no detector; run: cargo xtask docs"));
    }
    println!("docs: {} pages in {FOLDER} are current", pages.len());
    Ok(())
}

/// Writes the pages, and removes pages of deleted detectors.
pub(crate) fn write(root: &Path) -> Result {
    let folder = root.join(FOLDER);
    let failed = |error: std::io::Error| format!("{FOLDER}: {error}");
    fs::create_dir_all(&folder).map_err(failed)?;
    let pages = pages();
    for name in strangers(&folder, &pages)? {
        fs::remove_file(folder.join(name)).map_err(failed)?;
    }
    pages.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text).map_err(failed))
}

/// Names of files in the folder that are not generated pages.
fn strangers(folder: &Path, pages: &[(String, String)]) -> std::result::Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{FOLDER}: {error}; run: cargo xtask docs"))?;
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    Ok(names.filter(|name| pages.iter().all(|(page, _)| page != name)).collect())
}

/// The names and texts of all pages.
fn pages() -> Vec<(String, String)> {
    let one = |detector: &Detector| (format!("{}.md", detector.id), guide_page(detector));
    std::iter::once(("README.md".to_owned(), guide_index())).chain(Detector::all().iter().map(one)).collect()
}
