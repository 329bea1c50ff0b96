//! For the fuzzer: jars from any bytes.

use super::jar::{Contents, Jar, JarBytes, Manifest, NameRoom};
use std::io;
use std::sync::Arc;
use whittle_native::ReadAt;

/// Maximum size of an entry that is read.
const MAX_ENTRY_BYTES: u64 = 1 << 20;
/// Number of entries and of inner jars that are read. A jar can contain a jar that needs much time.
const MAX_READ: usize = 4;
/// Depth of jars in jars.
const MAX_DEPTH: u32 = 2;
/// The newest classes of a multi-release jar are for this version of Java.
const JAVA_VERSION: u32 = 21;

/// A file with these bytes.
#[derive(Debug)]
struct FileOf(Vec<u8>);

impl ReadAt for FileOf {
    fn size(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let rest = usize::try_from(position).ok().and_then(|position| self.0.get(position..)).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// Reads a jar as a file and as a block of memory. Both have the same content.
pub(crate) fn read_jar(bytes: &[u8]) {
    let in_file = JarBytes::of_file(FileOf(bytes.to_vec())).expect("the size of a file in memory");
    let in_memory = JarBytes::InMemory(Arc::new(bytes.to_vec()));
    assert_eq!(read(in_file, MAX_DEPTH), read(in_memory, MAX_DEPTH));
}

/// Reads the text of a manifest.
pub(crate) fn read_manifest(bytes: &[u8]) {
    let manifest = Manifest::parse(&String::from_utf8_lossy(bytes));
    assert!(manifest.class_path.iter().all(|word| !word.is_empty() && !word.contains(char::is_whitespace)));
}

/// The names of classes and inner jars. The inner jars are also read.
fn read(bytes: JarBytes, depth: u32) -> Vec<String> {
    let Ok(mut jar) = Jar::open(bytes) else { return vec!["no jar".to_owned()] };
    let contents = jar.contents(&|name| !name.starts_with("unwanted/"), JAVA_VERSION, &mut NameRoom::default());
    check(&contents);
    let best = jar.best_entry(|name| Some(name.len() as u32));
    let shortest = best.ok().flatten().map(|(_, entry)| entry);
    for entry in contents.classes.iter().take(MAX_READ).map(|class| class.entry).chain(shortest) {
        let class = jar.read(entry, MAX_ENTRY_BYTES);
        assert!(class.is_ok_and(|bytes| bytes.len() as u64 <= MAX_ENTRY_BYTES) || jar.read(entry, 0).is_err());
    }
    let mut names: Vec<String> =
        contents.classes.iter().map(|class| format!("{}/{}", class.folder, class.name)).collect();
    for (name, entry) in contents.jars.iter().take(MAX_READ).filter(|_| depth > 0) {
        names.push(name.clone());
        // Only decompressed jars are compared with their checksum. So a corrupt inner jar can be readable in a file.
        let _any_names = jar.nested(*entry, &mut { MAX_ENTRY_BYTES }).map(|inner| read(inner, depth - 1));
    }
    names
}

fn check(contents: &Contents) {
    assert!(contents.classes.is_sorted_by(|a, b| a.name < b.name), "each class once, in order");
    for class in &contents.classes {
        let is_known = ["", "BOOT-INF/classes", "WEB-INF/classes"].contains(&class.folder.as_str());
        assert!(is_known || class.folder.starts_with("META-INF/versions/"), "{}", class.folder);
        assert!(!class.name.starts_with("unwanted/"), "{}", class.name);
    }
}
