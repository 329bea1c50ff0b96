//! The files that threads used and waited for, by name.

use crate::object_classes::rows_named;
use whittle_model::{FileTable, Table};

/// For each row of files, true if its path is `name`. Without such a path: true for the paths whose last part is `name`. If
/// there are none, returns the reason.
pub fn named(files: &FileTable, name: &str) -> Result<Vec<bool>, String> {
    let path = |row: usize| files.path[row].as_str();
    rows_named((files.len(), &path), name, '/').ok_or_else(|| match files.len() {
        0 | 1 => "this experiment has no files: only the engine kernel sees them".to_owned(),
        _ => format!("no file or peer has the name \"{name}\"; `whittle syscalls --by file` lists all"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{FileIdentity, FileKind, TableBuilder};

    #[test]
    fn files_are_found_by_their_path_and_by_its_last_part() {
        let mut builder = TableBuilder::new();
        for (inode, path) in ["/var/log/app.log", "/tmp/app.log", "tcp 10.0.0.7:5432", "", "app.txt"].iter().enumerate()
        {
            builder.file(FileIdentity { device: 1, inode: inode as u64, kind: FileKind::Regular }, path);
        }
        let files = &builder.tables().files;
        let found = |name: &str| -> Result<Vec<&str>, String> {
            let is_it = named(files, name)?;
            Ok((0..files.len()).filter(|row| is_it[*row]).map(|row| files.path[row].as_str()).collect())
        };
        assert_eq!(found("app.log"), Ok(vec!["/var/log/app.log", "/tmp/app.log"]));
        assert_eq!(found("/tmp/app.log"), Ok(vec!["/tmp/app.log"]));
        assert_eq!(found("tcp 10.0.0.7:5432"), Ok(vec!["tcp 10.0.0.7:5432"]));
        assert_eq!(found("app.txt"), Ok(vec!["app.txt"]));
        assert!(found("").is_err_and(|problem| problem.contains("no file or peer has the name")));
        let none = named(&TableBuilder::new().tables().files, "app.log");
        assert!(none.is_err_and(|problem| problem.contains("has no files")));
    }
}
