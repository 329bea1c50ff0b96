//! Class files of an experiment: those in its archive, then those that are found elsewhere.

use super::ClassFiles;
use crate::CodeSource;
use std::collections::HashMap;
use std::sync::OnceLock;
use whittle_model::ArchiveTable;

/// The class files of an experiment, found by name in constant time. Made once for all findings.
pub(crate) struct ArchivedClasses<'a> {
    archived: HashMap<&'a str, &'a [u8]>,
    code: Option<&'a dyn CodeSource>,
    fetched: Fetched,
}

impl<'a> ArchivedClasses<'a> {
    /// Class files in `archive`, and those that `code` knows besides.
    pub(crate) fn new(archive: &'a ArchiveTable, code: Option<&'a dyn CodeSource>) -> Self {
        let rows = archive.class_name.iter().zip(&archive.bytes);
        let archived = rows.filter_map(|(name, bytes)| Some((name.as_str(), bytes.as_deref()?))).collect();
        Self { archived, code, fetched: Fetched::default() }
    }
}

impl ClassFiles for ArchivedClasses<'_> {
    fn class_file(&self, class_name: &str) -> Option<&[u8]> {
        let archived = self.archived.get(class_name).copied();
        archived.or_else(|| self.fetched.get(class_name, || self.code?.class_file(class_name)))
    }

    fn class_names(&self) -> Vec<&str> {
        self.archived.keys().copied().collect()
    }
}

/// A list that only grows, so that what is in it can be lent out. Short: classes outside the archive are few.
#[derive(Default)]
struct Fetched {
    first: OnceLock<Box<Entry>>,
}

struct Entry {
    class_name: String,
    bytes: Option<Vec<u8>>,
    next: OnceLock<Box<Entry>>,
}

impl Fetched {
    fn get(&self, class_name: &str, fetch: impl Fn() -> Option<Vec<u8>>) -> Option<&[u8]> {
        let mut place = &self.first;
        loop {
            let new = || Box::new(Entry { class_name: class_name.to_owned(), bytes: fetch(), next: OnceLock::new() });
            let entry = place.get_or_init(new);
            if entry.class_name == class_name {
                return entry.bytes.as_deref();
            }
            place = &entry.next;
        }
    }
}
