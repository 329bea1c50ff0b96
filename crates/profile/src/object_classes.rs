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
    let rows = |is_it: &dyn Fn(&str) -> bool| -> Option<Vec<bool>> {
        let all = (0..classes.len()).map(|row| is_it(shown_name(classes, ObjectClassIndex::from_row(row))));
        Some(all.collect::<Vec<bool>>()).filter(|found| found.contains(&true))
    };
    let after_package = |known: &str| known.rsplit_once('.').is_some_and(|(_, simple)| simple == name);
    rows(&|known| known == name).or_else(|| rows(&after_package)).ok_or_else(|| match classes.len() {
        0 | 1 => "this experiment has no classes of allocated objects".to_owned(),
        _ => format!("no allocated object has the class \"{name}\"; `whittle classes` lists all classes"),
    })
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
