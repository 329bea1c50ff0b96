//! The types of the engine's answers in TypeScript, generated from the Rust types for the page.

use crate::{Result, generated};
use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use ts_rs::{Config, TS, TypeVisitor};
use whittle_model::Metric;
use whittle_views::AnswerVisitor;

const FILE: &str = "web/src/engine/answers.ts";

const INTRODUCTION: &str = "\
// Written by `cargo xtask docs` from the Rust types of the views' answers. Do not edit.

/** Values by field name, such as `exclusive_cpu_ns`. A view's columns show which fields exist. */
export type Values = Readonly<Record<string, unknown>>;
";

/// Fails if the file in the repository differs from the generated file.
pub(crate) fn check(root: &Path) -> Result {
    generated::check(root, FILE, &file())
}

/// Writes the file.
pub(crate) fn write(root: &Path) -> Result {
    generated::write(root, FILE, &file())
}

/// The text of the whole file.
fn file() -> String {
    let mut types = Types {
        // JSON's numbers become JavaScript's numbers in the page. Times in nanoseconds are below 2^53 for 100 days.
        config: Config::new().with_large_int("number"),
        answers: BTreeMap::new(),
        seen: HashSet::new(),
        declarations: BTreeMap::new(),
    };
    whittle_views::visit_answers(&mut types);
    whittle_views::comparison::visit_answers(&mut types);
    whittle_findings::visit_answers(&mut types);
    let answers: String =
        types.answers.iter().map(|(view, names)| format!("  '{view}': {};\n", names.join(" | "))).collect();
    let declarations: String = types.declarations.into_values().collect();
    format!(
        "{INTRODUCTION}\n{}\n/** The answer to a request, by the request's `view`. */\nexport interface Answers {{\n{answers}}}\n{declarations}",
        known_metrics()
    )
}

/// The names of the registry's metrics as a type.
fn known_metrics() -> String {
    let names: Vec<String> = Metric::ALL.iter().map(|metric| format!("'{}'", metric.name())).collect();
    format!(
        "/** The metrics that whittle knows. Imported files can have others. */\nexport type KnownMetric = {};\n",
        names.join(" | ")
    )
}

/// The types of answers, and the types of their parts.
struct Types {
    config: Config,
    /// Names of the types of answers, by view.
    answers: BTreeMap<&'static str, Vec<String>>,
    seen: HashSet<TypeId>,
    /// The types' declarations, by name.
    declarations: BTreeMap<String, String>,
}

impl AnswerVisitor for Types {
    fn visit<T: TS + 'static>(&mut self, view: &'static str) {
        self.answers.entry(view).or_default().push(T::name(&self.config));
        TypeVisitor::visit::<T>(self);
    }
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            let declaration = format!("\n{}\n", tidy(&format!("{docs}export {}", T::decl(&self.config))));
            self.declarations.insert(T::name(&self.config), declaration);
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

/// Formats a declaration. Each field has one line, and each comment is on one line.
fn tidy(declaration: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut is_in_type = false;
    for line in declaration.lines().map(str::trim) {
        let indent = if is_in_type && !line.starts_with('}') { "  " } else { "" };
        match lines.last_mut().filter(|last| last.trim_start().starts_with("/**") && !last.ends_with("*/")) {
            // A comment: its lines are joined.
            Some(last) if line == "*/" => last.push_str(" */"),
            Some(last) => {
                last.push(' ');
                last.push_str(line.trim_start_matches('*').trim());
            }
            None => lines.push(format!("{indent}{line}")),
        }
        is_in_type |= line.ends_with('{');
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_have_a_line_for_each_field() {
        let declaration =
            "/**\n * A row\n * of code.\n */\nexport type Row = { \n/**\n * Its line.\n */\nline: number, };";
        assert_eq!(
            tidy(declaration),
            "/** A row of code. */\nexport type Row = {\n  /** Its line. */\n  line: number, };"
        );
    }
}
