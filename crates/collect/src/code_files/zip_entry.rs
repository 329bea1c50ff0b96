//! Reads one file in a jar or zip.

use crate::class_archive::jar::{Jar, JarBytes, Manifest};
use std::io;
use std::path::Path;

/// Reads one entry of a zip, jar or jmod file. `rank` gives a number to each acceptable name, and the entry with the
/// smallest number is read. Returns the entry's name and bytes. `None`: no name is acceptable.
///
/// # Errors
/// The file is not a zip file, or is corrupt, or the entry has more than `max_bytes`.
pub fn read_zip_entry(
    path: &Path,
    rank: impl Fn(&str) -> Option<u32>,
    max_bytes: u64,
) -> io::Result<Option<(String, Vec<u8>)>> {
    let file = whittle_native::open_regular_file(path)?;
    let mut jar = JarBytes::of_file(file).and_then(|bytes| Jar::open(bytes).map_err(io::Error::other))?;
    let Some((name, entry)) = jar.best_entry(rank).map_err(io::Error::other)? else { return Ok(None) };
    let bytes = jar.read(entry, max_bytes).map_err(io::Error::other)?;
    Ok(Some((name, bytes)))
}

/// Maximum size of a manifest. Real manifests have at most a few thousand bytes.
const MAX_MANIFEST_BYTES: u64 = 1 << 20;

/// The words of `Class-Path` in a jar's manifest: URLs, mostly paths relative to the jar.
///
/// # Errors
/// The errors of [`read_zip_entry`].
pub fn jar_class_path(path: &Path) -> io::Result<Vec<String>> {
    let rank = |name: &str| name.eq_ignore_ascii_case("META-INF/MANIFEST.MF").then_some(0);
    let entry = read_zip_entry(path, rank, MAX_MANIFEST_BYTES)?;
    Ok(entry.map_or_else(Vec::new, |(_, bytes)| Manifest::parse(&String::from_utf8_lossy(&bytes)).class_path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::any_jdk;

    #[test]
    fn the_best_ranked_entry_of_a_jdk_module_is_read() {
        let Some(jdk) = any_jdk() else { return };
        let module = jdk.home.join("jmods/java.base.jmod");
        if !module.exists() {
            return whittle_testkit::not_run("needs a JDK with jmods");
        }
        let rank = |name: &str| match name {
            "classes/java/lang/String.class" => Some(1),
            "classes/java/lang/Object.class" => Some(0),
            _ => None,
        };
        let (name, bytes) = read_zip_entry(&module, rank, 1 << 20).unwrap().unwrap();
        assert_eq!((name.as_str(), &bytes[..4]), ("classes/java/lang/Object.class", &[0xca, 0xfe, 0xba, 0xbe][..]));
        assert!(read_zip_entry(&module, rank, 10).is_err(), "too large");
        assert!(read_zip_entry(&module, |_| None, 10).unwrap().is_none());
        assert!(read_zip_entry(Path::new(env!("CARGO_MANIFEST_DIR")), rank, 10).is_err(), "a folder");
        assert!(read_zip_entry(&jdk.java(), rank, 10).is_err(), "no zip");
    }
}
