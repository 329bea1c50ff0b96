//! The classes of allocated objects, by name.

use whittle_model::{ObjectClassIndex, ObjectClassTable, Table};

/// The shown name of the class if the class is unknown.
pub const UNKNOWN_CLASS: &str = "<unknown>";

/// The name of a class, as in views and filters.
pub fn shown_name(classes: &ObjectClassTable, class: ObjectClassIndex) -> &str {
    if class == ObjectClassIndex::UNKNOWN { UNKNOWN_CLASS } else { &classes.name[class.row()] }
}

/// For each class, true if it has this name. Without such a class: true for the classes that have this name after their
/// package, such as `String[]` for `java.lang.String[]`. If there are none, returns the reason.
pub fn named(classes: &ObjectClassTable, name: &str) -> Result<Vec<bool>, String> {
    let known = |row: usize| shown_name(classes, ObjectClassIndex::from_row(row));
    rows_named((classes.len(), &known), name, '.').ok_or_else(|| match classes.len() {
        0 | 1 => "this experiment has no classes of allocated objects".to_owned(),
        _ => format!("no allocated object has the class \"{name}\"; `whittle classes` lists all classes"),
    })
}

/// For each row, true if it has this name. If no row has it: true for the rows whose name has this last part. `None`: there is
/// no such row. Empty names have no rows.
pub(crate) fn rows_named<'n>(
    (count, name_of): (usize, &dyn Fn(usize) -> &'n str),
    name: &str,
    separator: char,
) -> Option<Vec<bool>> {
    let rows = |is_part: bool| -> Option<Vec<bool>> {
        let is_it = |known: &str| match known.rsplit_once(separator).filter(|_| is_part) {
            Some((_, last)) => last == name,
            None => !is_part && known == name,
        };
        let all: Vec<bool> = (0..count).map(|row| !name.is_empty() && is_it(name_of(row))).collect();
        Some(all).filter(|found| found.contains(&true))
    };
    rows(false).or_else(|| rows(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::TableBuilder;

    #[test]
    fn classes_are_found_with_and_without_their_package() {
        let mut builder = TableBuilder::new();
        let names =
            ["byte[]", "java.lang.String", "java.lang.String[]", "app.String", "String[]", "app.A$$Lambda/0x7.2"];
        for name in names {
            builder.object_class(name);
        }
        let classes = &builder.tables().object_classes;
        let found = |name: &str| -> Result<Vec<&str>, String> {
            let is_it = named(classes, name)?;
            let shown = |row| shown_name(classes, ObjectClassIndex::from_row(row));
            Ok((0..classes.len()).filter(|row| is_it[*row]).map(shown).collect())
        };
        for (name, expected) in [
            ("byte[]", vec!["byte[]"]),
            ("String", vec!["java.lang.String", "app.String"]),
            ("java.lang.String[]", vec!["java.lang.String[]"]),
            ("String[]", vec!["String[]"]),
            ("<unknown>", vec!["<unknown>"]),
        ] {
            assert_eq!(found(name).expect(name), expected);
        }
        assert!(found("tring").is_err_and(|problem| problem.contains("no allocated object has the class \"tring\"")));
        let none = named(&TableBuilder::new().tables().object_classes, "byte[]");
        assert_eq!(none, Err("this experiment has no classes of allocated objects".to_owned()));
    }
}
