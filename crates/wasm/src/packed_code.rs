//! The code of functions in a packed experiment: some source files. Bytecode is read from the class archive.

use whittle_packed::PackedSource;
use whittle_views::source::{CodeSource, Disassembly, JavaClass, NativeCode, SourceText};

/// The reason why other sources are missing.
const ELSEWHERE: &str =
    "the report has the sources of the hottest functions only; whittle view shows all sources that it finds";

/// Source files, with the names of their classes or files. A report contains only few source files.
#[derive(Debug, Default)]
pub struct PackedCode {
    sources: Vec<(String, SourceText)>,
}

impl PackedCode {
    /// The source files of a packed experiment.
    pub fn new(sources: Vec<PackedSource>) -> Self {
        let text = |source: PackedSource| (source.of, SourceText { path: source.path, text: source.text });
        Self { sources: sources.into_iter().map(text).collect() }
    }

    fn find(&self, of: &str) -> Result<SourceText, String> {
        let found = self.sources.iter().find(|(known, _)| known == of);
        found.map(|(_, source)| source.clone()).ok_or_else(|| ELSEWHERE.to_owned())
    }
}

impl CodeSource for PackedCode {
    /// The text of a class is in the file of its outermost class. The packed source file has the name of this outermost
    /// class.
    fn java_source(&self, class: &JavaClass<'_>) -> Result<SourceText, String> {
        self.find(&class.path())
    }

    fn class_file(&self, _class_name: &str) -> Option<Vec<u8>> {
        None
    }

    fn native_source(&self, path: &str) -> Result<SourceText, String> {
        self.find(path)
    }

    fn machine_code(&self, _code: &NativeCode<'_>) -> Result<Disassembly, String> {
        Err("a report has no machine code; whittle view shows the machine code".to_owned())
    }
}
