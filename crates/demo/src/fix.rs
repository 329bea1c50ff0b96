//! The fix: the line that differs between the two versions of a source.

use crate::Result;
use std::fs;
use std::path::Path;

/// The line before and after, without indentation.
#[derive(Debug, PartialEq)]
pub(crate) struct Fix {
    /// The file's name, without its folder.
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Fix {
    /// Reads the fix from two sources. They differ in one line, in addition to their packages.
    pub(crate) fn read(slow: &Path, fixed: &Path) -> Result<Self> {
        let read = |path: &Path| fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()));
        let file = slow.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::between(file, &read(slow)?, &read(fixed)?)
            .ok_or_else(|| format!("{} and {} do not differ in exactly one line", slow.display(), fixed.display()))
    }

    fn between(file: String, slow: &str, fixed: &str) -> Option<Self> {
        let numbered = (1..).zip(slow.lines().zip(fixed.lines()));
        let mut changes = numbered.filter(|(_, (slow, fixed))| slow != fixed && !slow.starts_with("package "));
        let (line, (before, after)) = changes.next()?;
        let is_all = changes.next().is_none() && slow.lines().count() == fixed.lines().count();
        is_all.then(|| Self { file, line, before: before.trim().to_owned(), after: after.trim().to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fix_is_the_one_line_that_differs() {
        let between = |slow, fixed| Fix::between("A.java".to_owned(), slow, fixed);
        let fix = between("package slow;\n  int a;\n", "package fixed;\n  long a;\n").expect("one line");
        assert_eq!((fix.line, &*fix.before, &*fix.after), (2, "int a;", "long a;"));
        assert_eq!(between("package slow;\n", "package fixed;\n"), None);
        assert_eq!(between("a\nb\n", "c\nd\n"), None);
        assert_eq!(between("a\nb\n", "c\nb\nd\n"), None);
    }
}
