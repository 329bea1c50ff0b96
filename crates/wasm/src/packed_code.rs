//! The code of functions as far as a packed experiment holds it: some source files. Bytecode comes from the archive.

use whittle_analysis::packed::PackedSource;
use whittle_analysis::{CodeSource, Disassembly, JavaClass, NativeCode, SourceText};

/// Why there is nothing else.
const ELSEWHERE: &str =
    "the report holds the sources of the hottest functions only; whittle view shows all that it finds";

/// Source files with what they are the source of, few of them.
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
    /// The text of a class is that of its outermost class, whose name source files are packed under.
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
        Err("a report holds no machine code; whittle view shows it".to_owned())
    }
}
