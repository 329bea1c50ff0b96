//! Adds findings and the code of the hottest functions to a report.

use crate::code_source::FileCode;
use crate::terminal::long_work::say_if_long;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use whittle_findings::FindingsOptions;
use whittle_model::FunctionKind;
use whittle_packed::{PackOptions, PackedSource};
use whittle_profile::{Flavour, Profile, Query, ViewMode};
use whittle_views::functions::FunctionsView;
use whittle_views::source::{CodeSource, Disassembly, JavaClass, NativeCode, SourceText};

/// Functions are ranked by exclusive and by inclusive value. A report has the source of this many top functions of each
/// ranking, because readers look at costly functions and at their callers.
const SOURCE_FUNCTIONS: usize = 50;
/// Largest total size of the source texts in a report, in bytes.
const MOST_SOURCE_BYTES: usize = 4 << 20;

/// The usual options, with findings and with the code of the hottest functions.
pub(super) fn with_sources(profile: &Profile, code: FileCode) -> PackOptions {
    let findings = findings(profile, &code);
    PackOptions { findings, ..code_of_hottest_functions(profile, code) }
}

/// The usual options, with findings and without sources.
pub(super) fn without_sources(profile: &Profile, code: FileCode) -> PackOptions {
    PackOptions { findings: findings(profile, &WithoutTexts(code)), ..PackOptions::default() }
}

/// The findings with their guide pages as JSON. Missing: the experiment has no samples for them.
fn findings(profile: &Profile, code: &dyn CodeSource) -> Option<String> {
    let look = || whittle_findings::findings(profile, &Query::default(), &FindingsOptions::default(), code);
    let view = say_if_long("looking for known patterns …", look).ok()?;
    serde_json::to_string(&view.with_guides()).ok()
}

/// Provides class files but no sources. Class files are needed to find lines to edit.
struct WithoutTexts(FileCode);

impl CodeSource for WithoutTexts {
    fn java_source(&self, _class: &JavaClass<'_>) -> Result<SourceText, String> {
        Err("left out".to_owned())
    }

    fn class_file(&self, class_name: &str) -> Option<Vec<u8>> {
        self.0.class_file(class_name)
    }

    fn native_source(&self, _path: &str) -> Result<SourceText, String> {
        Err("left out".to_owned())
    }

    fn machine_code(&self, _code: &NativeCode<'_>) -> Result<Disassembly, String> {
        Err("not in reports".to_owned())
    }
}

/// The usual options with the code of the hottest functions, if whittle finds this code. A function has its source, or
/// otherwise its class file.
fn code_of_hottest_functions(profile: &Profile, code: FileCode) -> PackOptions {
    let recorder = Recorder::new(code);
    let query = Query { mode: ViewMode::User, ..Query::default() };
    // If a function cannot be shown here, the report shows the reason instead of the function.
    for function in hottest_functions(profile, &query) {
        let _shown = whittle_views::source::source(profile, &query, &function, &recorder);
    }
    recorder.into_options()
}

/// The Java and native functions with the largest exclusive and inclusive values. Empty: the experiment has no metric.
fn hottest_functions(profile: &Profile, query: &Query) -> Vec<String> {
    let Ok(FunctionsView { columns, mut rows, .. }) = whittle_views::functions::functions(profile, query) else {
        return Vec::new();
    };
    rows.retain(|row| matches!(row.kind, FunctionKind::Java | FunctionKind::Native));
    let mut hottest = Vec::new();
    for flavour in [Flavour::Exclusive, Flavour::Inclusive] {
        let Some(column) = columns.iter().position(|column| column.flavour == flavour) else { continue };
        rows.sort_by(|a, b| b.values.numbers[column].total_cmp(&a.values.numbers[column]));
        for row in rows.iter().take(SOURCE_FUNCTIONS) {
            if !hottest.contains(&row.function) {
                hottest.push(row.function.clone());
            }
        }
    }
    hottest
}

/// Forwards requests for code to `code`, and keeps the answers. It refuses requests for machine code, because reports
/// contain no machine code.
struct Recorder {
    code: FileCode,
    found: RefCell<Found>,
}

#[derive(Default)]
struct Found {
    sources: BTreeMap<String, SourceText>,
    bytes: usize,
    /// Classes without source.
    class_files: BTreeSet<String>,
}

impl Recorder {
    fn new(code: FileCode) -> Self {
        Self { code, found: RefCell::default() }
    }

    fn keep(&self, of: &str, found: &Result<SourceText, String>) {
        let mut all = self.found.borrow_mut();
        let Ok(source) = found else { return };
        if !all.sources.contains_key(of) && all.bytes + source.text.len() <= MOST_SOURCE_BYTES {
            all.bytes += source.text.len();
            all.sources.insert(of.to_owned(), source.clone());
        }
    }

    fn into_options(self) -> PackOptions {
        let Found { sources, class_files, .. } = self.found.into_inner();
        let source = |(of, SourceText { path, text })| PackedSource { of, path, text };
        PackOptions { sources: sources.into_iter().map(source).collect(), class_files, ..PackOptions::default() }
    }
}

impl CodeSource for Recorder {
    fn java_source(&self, class: &JavaClass<'_>) -> Result<SourceText, String> {
        let found = self.code.java_source(class);
        self.keep(&class.path(), &found);
        if found.is_err() {
            self.found.borrow_mut().class_files.insert(class.name.to_owned());
        }
        found
    }

    fn class_file(&self, _class_name: &str) -> Option<Vec<u8>> {
        None
    }

    fn native_source(&self, path: &str) -> Result<SourceText, String> {
        let found = self.code.native_source(path);
        self.keep(path, &found);
        found
    }

    fn machine_code(&self, _code: &NativeCode<'_>) -> Result<Disassembly, String> {
        Err("not in reports".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_import::{CollapsedOptions, import_collapsed};
    use whittle_model::{Manifest, TableBuilder};

    /// The report contains the source of a caller even if many functions have larger exclusive values. Some of these
    /// functions are in the kernel.
    #[test]
    fn the_source_of_callers_is_in_the_report() {
        let mut stacks: String = (0..200).map(|leaf| format!("a.Main.run;a.Leaf.f{leaf} 10\n")).collect();
        stacks.extend((0..200).map(|leaf| format!("a.Main.read;sys_{leaf}_[k] 20\n")));
        let mut builder = TableBuilder::new();
        let import = import_collapsed(&stacks, CollapsedOptions::default(), &mut builder).expect("stacks");
        let manifest = Manifest { metrics: import.metrics, ..Manifest::new(crate::written_by::written_by()) };
        let profile = Profile::load(manifest, builder.into_tables()).expect("sound tables");
        let hottest = hottest_functions(&profile, &Query { mode: ViewMode::User, ..Query::default() });
        assert!(
            ["a.Main.run", "a.Main.read", "a.Leaf.f0"].iter().all(|name| hottest.iter().any(|of| of.contains(name)))
        );
        assert!(hottest.len() <= 2 * SOURCE_FUNCTIONS, "{}", hottest.len());
    }
}
