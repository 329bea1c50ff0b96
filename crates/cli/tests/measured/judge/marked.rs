//! Marks in the sources of `java/development` and `java/sealed`. They show the calling lines, the lines to edit, and how the slow program
//! becomes the fixed program. The README of `java/development` explains the marks.

use std::collections::BTreeSet;

/// Lines with marks, counted from 1.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) calling: BTreeSet<u64>,
    pub(crate) edit: BTreeSet<u64>,
}

impl Marks {
    pub(crate) fn of(source: &str) -> Self {
        let mut marks = Self::default();
        for (line, text) in (1..).zip(source.lines()) {
            if has(text, "[call]") {
                marks.calling.insert(line);
            }
            if has(text, "[edit]") || has(text, "[or]") {
                marks.edit.insert(line);
            }
        }
        marks
    }
}

/// Whether the comment at the end of a line has this mark.
fn has(line: &str, mark: &str) -> bool {
    line.rsplit_once("// ").is_some_and(|(_, comment)| comment.contains(mark))
}

/// The fixed program. Each line keeps the line number that it has in the slow program.
pub(crate) fn fixed_source(slow: &str) -> String {
    slow.lines().map(|line| fixed_line(line) + "\n").collect()
}

fn fixed_line(line: &str) -> String {
    let code = line.trim_start();
    if let Some(new) = code.strip_prefix("// [new] ") {
        return format!("{}{new}", &line[..line.len() - code.len()]);
    }
    let is_gone = has(line, "[edit]") || has(line, "[old]");
    if is_gone { format!("// {line}") } else { line.to_owned() }
}

#[test]
fn marks_say_where_and_make_the_fixed_program() {
    let slow = "\
class A {
    int f() {
        return g(\"// [x]\"); // [call] [edit]
        // [new] return 1;
    }
    int h = 2; // [or]
    int i = 3; // [old]
}
";
    let marks = Marks { calling: [3].into(), edit: [3, 6].into() };
    assert_eq!(Marks::of(slow), marks);
    let fixed = fixed_source(slow);
    assert_eq!(fixed.lines().nth(3), Some("        return 1;"));
    assert!(fixed.lines().nth(2).unwrap().starts_with("// "), "{fixed}");
    assert!(fixed.lines().nth(6).unwrap().starts_with("// "), "{fixed}");
    assert_eq!(fixed.lines().nth(5), slow.lines().nth(5));
}
