//! Finds lines to edit in real classes. The javac of each tested JDK compiles the Java sources.
//!
//! A source marks its places. `// CALL` is the calling line, `// SITE` is the line to edit, and `// OTHER` is an
//! equally good line.

use crate::class_file::ClassFile;
use crate::edit_site::source_text::declaration_line;
use crate::edit_site::*;
use std::collections::BTreeMap;
use std::path::Path;
use whittle_testkit::{Jdk, jdks};

mod cases;
mod code_of_line;
mod damage;
mod fields_and_locks;
mod instructions;
mod monitors;
mod pin;
mod setters;
mod variants;
mod waiting;

/// Compiled classes by name.
#[derive(Clone)]
struct Compiled(BTreeMap<String, Vec<u8>>);

impl ClassFiles for Compiled {
    fn class_file(&self, class_name: &str) -> Option<&[u8]> {
        self.0.get(class_name).map(Vec::as_slice)
    }

    fn class_names(&self) -> Vec<&str> {
        self.0.keys().map(String::as_str).collect()
    }
}

/// Sources by file name, and their compiled classes.
struct Program {
    sources: Vec<(String, String)>,
    classes: Compiled,
}

impl Program {
    fn compile(jdk: &Jdk, sources: &[(&str, &str)], options: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = std::process::Command::new(jdk.home.join("bin/javac"));
        command.args(["-nowarn", "-d", "out"]).args(options).current_dir(folder.path());
        for (name, text) in sources {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
            command.arg(name);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mut classes = BTreeMap::new();
        read_classes(&folder.path().join("out"), &mut classes);
        let sources = sources.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        Self { sources, classes: Compiled(classes) }
    }

    /// The file and line of a mark.
    fn marked(&self, mark: &str) -> Vec<(String, u32)> {
        let in_file = |(name, text): &(String, String)| {
            let lines = text.lines().enumerate().filter(|(_, line)| line.ends_with(mark));
            lines.map(|(row, _)| (name.rsplit('/').next().unwrap().to_owned(), row as u32 + 1)).collect::<Vec<_>>()
        };
        self.sources.iter().flat_map(in_file).collect()
    }
}

fn read_classes(folder: &Path, classes: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            read_classes(&path, classes);
        } else if path.extension().is_some_and(|extension| extension == "class") {
            let bytes = std::fs::read(&path).unwrap();
            classes.insert(ClassFile::parse(&bytes).unwrap().name.into_owned(), bytes);
        }
    }
}

/// A stack as text, the calling frame first: `c01/Slow$CrcOut.write:5`. The only method that has this name and contains
/// the line provides the descriptor and the bytecode index.
fn frames<'a>(classes: &'a Compiled, stack: &'a [(&'a str, &'a str, u32)]) -> Vec<CallPlace<'a>> {
    stack.iter().map(|(class, method, line)| frame(classes, (class, method, *line))).collect()
}

fn frame<'a>(classes: &'a Compiled, (class, method, line): (&'a str, &'a str, u32)) -> CallPlace<'a> {
    let place = |descriptor| CallPlace { class, method, descriptor, bytecode_index: None, line: Some(line) };
    let Some(bytes) = classes.class_file(class) else { return place("") };
    let file = ClassFile::parse(bytes).unwrap();
    let has_line = |found: &&crate::class_file::Method<'_>| {
        found.name == method
            && found.code.as_ref().is_some_and(|code| code.lines.iter().any(|start| u32::from(start.line) == line))
    };
    let found = file.methods.iter().find(has_line).unwrap_or_else(|| panic!("{class}.{method}:{line}"));
    // The descriptor borrows from this text, so the text must live as long as the bytes.
    let descriptor: &'a str = leak(found.descriptor.clone().into_owned());
    place(descriptor)
}

fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

fn rule(kind: SiteKind, classes: &[&str]) -> SiteRule {
    let classes = classes.iter().map(|class| (*class).to_owned()).collect();
    SiteRule { kind, classes, ..SiteRule::calling_line() }
}

/// The wanted classes for streams.
const STREAMS: [&str; 6] = [
    "java/io/FileOutputStream",
    "java/io/FileInputStream",
    "java/io/FileReader",
    "java/nio/file/Files.newOutputStream",
    "java/net/Socket.getOutputStream",
    "java/io/RandomAccessFile",
];

/// The line to edit that is found for the receiver of a call to `called`.
fn receiver_site(
    classes: &Compiled,
    stack: &[(&str, &str, u32)],
    (class, method, descriptor): (&str, &str, &str),
) -> Result<EditSite, String> {
    let rule = rule(SiteKind::Receiver, &STREAMS);
    let called = [CallPlace { class, method, descriptor, bytecode_index: Some(3), line: Some(1) }];
    let callers = frames(classes, stack);
    let by_line = find_site(&SiteQuestion { rule: &rule, callers: &callers, called: &called }, classes);
    // Asks the same question with the bytecode index of the call, as in profiles.
    let exact = with_index(classes, &callers, method);
    let by_index = find_site(&SiteQuestion { rule: &rule, callers: &exact, called: &called }, classes);
    if let (Ok(by_line), Ok(by_index)) = (&by_line, &by_index) {
        assert_eq!((by_line.line, &by_line.class), (by_index.line, &by_index.class), "{by_line:?}\n{by_index:?}");
    }
    by_index
}

/// The callers. The calling frame gets a bytecode index: the index of the first call to `called` on the frame's line.
fn with_index<'a>(classes: &'a Compiled, callers: &[CallPlace<'a>], called: &str) -> Vec<CallPlace<'a>> {
    let mut callers = callers.to_vec();
    let place = callers[0];
    let file = ClassFile::parse(classes.class_file(place.class).unwrap()).unwrap();
    let code = file.method(place.method, place.descriptor).unwrap().code.as_ref().unwrap();
    let is_call = |instruction: &crate::class_file::Instruction| {
        code.line_at(instruction.bytecode_index).map(u32::from) == place.line
            && (0xb6..=0xb9).contains(&instruction.opcode)
            && instruction.constant().and_then(|index| file.constants.member(index)).is_some_and(|it| it.name == called)
    };
    let found = code.instructions().flatten().find(is_call).unwrap_or_else(|| panic!("{called} in {place:?}"));
    callers[0].bytecode_index = Some(found.bytecode_index);
    callers
}
