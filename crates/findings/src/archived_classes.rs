//! Class files of an experiment: first from its archive, then from other sources of code.

use std::collections::HashMap;
use std::sync::OnceLock;
use whittle_bytecode::edit_site::{ClassFiles, TextIndex};
use whittle_model::ArchiveTable;
use whittle_views::source::CodeSource;

/// Finds the class files of an experiment by name in constant time. It is created once for all findings.
pub(crate) struct ArchivedClasses<'a> {
    archived: HashMap<&'a str, &'a [u8]>,
    /// The archived classes, in the order of the rows of `index`.
    rows: Vec<(&'a str, &'a [u8])>,
    /// Created on the first request.
    index: OnceLock<TextIndex>,
    code: Option<&'a dyn CodeSource>,
    fetched: Fetched,
}

impl<'a> ArchivedClasses<'a> {
    /// Uses the class files in `archive`, and takes all other class files from `code`.
    pub(crate) fn new(archive: &'a ArchiveTable, code: Option<&'a dyn CodeSource>) -> Self {
        let rows = archive.class_name.iter().zip(&archive.bytes);
        let rows: Vec<_> = rows.filter_map(|(name, bytes)| Some((name.as_str(), bytes.as_deref()?))).collect();
        let archived = rows.iter().copied().collect();
        Self { archived, rows, index: OnceLock::new(), code, fetched: Fetched::default() }
    }
}

impl ClassFiles for ArchivedClasses<'_> {
    fn class_file(&self, class_name: &str) -> Option<&[u8]> {
        let archived = self.archived.get(class_name).copied();
        archived.or_else(|| self.fetched.get(class_name, || self.code?.class_file(class_name)))
    }

    fn class_names(&self) -> Vec<&str> {
        self.rows.iter().map(|(name, _)| *name).collect()
    }

    fn mentioning(&self, texts: &[&str]) -> Vec<&str> {
        let index = self.index.get_or_init(|| TextIndex::of(self.rows.iter().map(|(_, bytes)| *bytes)));
        let rows = index.holding(texts).into_iter();
        rows.filter_map(|row| self.rows.get(row as usize)).map(|(name, _)| *name).collect()
    }
}

/// At most this many classes outside the archive are requested, because each missing class causes a search of all jars
/// and modules.
const MAX_FETCHES: usize = 40;

/// A list that only grows, so its bytes can be borrowed. It is short, because few classes are outside the archive.
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
        for _ in 0..MAX_FETCHES {
            let new = || Box::new(Entry { class_name: class_name.to_owned(), bytes: fetch(), next: OnceLock::new() });
            let entry = place.get_or_init(new);
            if entry.class_name == class_name {
                return entry.bytes.as_deref();
            }
            place = &entry.next;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::ArchivedClass;
    use whittle_views::source::NoFiles;

    #[test]
    fn classes_of_the_archive_are_known_by_name() {
        let mut table = ArchiveTable::default();
        for (name, bytes) in [("a/A", Some(vec![1])), ("a/B$$Lambda/0x1", None)] {
            table.push(ArchivedClass { class_name: name.to_owned(), origin: String::new(), digest: None, bytes });
        }
        let classes = ArchivedClasses::new(&table, Some(&NoFiles { reason: "no files" }));
        assert_eq!(classes.class_file("a/A"), Some(&[1][..]));
        assert_eq!((classes.class_file("a/B$$Lambda/0x1"), classes.class_file("a/C")), (None, None));
        assert_eq!(classes.class_names(), ["a/A"]);
    }

    #[test]
    fn each_class_is_fetched_once_and_their_number_is_limited() {
        let fetched = Fetched::default();
        let count = std::cell::Cell::new(0);
        let fetch = |name: &str| {
            fetched.get(name, || {
                count.set(count.get() + 1);
                (name == "a/C7").then(|| vec![7])
            })
        };
        for _ in 0..2 {
            for number in 0..2 * MAX_FETCHES {
                let name = format!("a/C{number}");
                assert_eq!(fetch(&name), (number == 7).then_some(&[7][..]));
            }
        }
        assert_eq!(count.get(), MAX_FETCHES);
    }
}
