//! Finds the archived classes of an experiment by name. Each source file name is read from its class file only once.

use std::borrow::Cow;
use std::cell::OnceCell;
use whittle_bytecode::class_file::ClassFile;
use whittle_model::{ArchiveTable, Table};
use whittle_profile::order::sort_by;

/// Finds classes by name.
pub(super) struct ClassIndex<'a> {
    archive: &'a ArchiveTable,
    /// Rows, sorted by name. Rows with the same name are in the order of the table.
    by_name: Vec<usize>,
    /// The source file name of each row. It is read at the first request. Missing if the class file does not contain
    /// the name.
    source_files: Vec<OnceCell<Option<String>>>,
}

impl<'a> ClassIndex<'a> {
    pub(super) fn new(archive: &'a ArchiveTable) -> Self {
        let mut by_name: Vec<usize> = (0..archive.len()).collect();
        sort_by(&mut by_name, |a, b| archive.class_name[*a].cmp(&archive.class_name[*b]));
        let source_files = by_name.iter().map(|_| OnceCell::new()).collect();
        Self { archive, by_name, source_files }
    }

    /// The row of a class.
    pub(super) fn row(&self, class: &str) -> Option<usize> {
        let position = self.by_name.partition_point(|row| self.archive.class_name[*row].as_str() < class);
        self.by_name.get(position).copied().filter(|row| self.archive.class_name[*row] == class)
    }

    /// The origin of a class, and its class file if archived. The origin is empty if unknown.
    pub(super) fn class(&self, row: usize) -> (&'a str, Option<&'a [u8]>) {
        (&self.archive.origin[row], self.archive.bytes[row].as_deref())
    }

    /// The source file's name from the class file.
    pub(super) fn source_file(&self, row: usize) -> Option<String> {
        let read = || source_file_of(self.class(row).1?);
        self.source_files[row].get_or_init(read).clone()
    }
}

/// The name of the source file in a class file.
pub(super) fn source_file_of(class_file: &[u8]) -> Option<String> {
    ClassFile::parse(class_file).ok()?.source_file.map(Cow::into_owned)
}
