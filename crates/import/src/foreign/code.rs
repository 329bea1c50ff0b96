//! Makes functions and frames from the names in other profilers' files.
//!
//! Few formats contain the kind of a function. These sources are tried in this order: the names of whittle's
//! pseudo-functions, the kind in the file, the binary, the JVM's descriptor in the internal name, the source file, the
//! form of the name.

use crate::java_names::{self, looks_like_java as has_java_class, slashed};
use crate::jfr::pseudo_frames;
use whittle_model::{
    BinaryIndex, BinaryKind, FrameIndex, FrameKind, FunctionIndex, FunctionKind, LossReason, NewFunction, TableBuilder,
    without_compiler_suffix,
};

/// The file name of the JVM's library.
const JVM_LIBRARY: &str = "libjvm.so";

/// Source files of languages that run on the JVM.
const JAVA_SOURCES: [&str; 5] = [".java", ".kt", ".scala", ".groovy", ".clj"];

/// A place in code, as a file describes it. Unknown texts are empty, and unknown numbers are missing.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CodeName<'a> {
    pub(crate) name: &'a str,
    /// The name in the JVM or the linker.
    pub(crate) internal_name: &'a str,
    pub(crate) file: &'a str,
    pub(crate) line: Option<u32>,
    pub(crate) first_line: Option<u32>,
    pub(crate) binary: &'a str,
    pub(crate) address: Option<u64>,
    /// How the code was executing, if the format contains it.
    pub(crate) kind: Option<FrameKind>,
    /// The kind of code, if the format contains it.
    pub(crate) function_kind: Option<FunctionKind>,
    /// True if the name is only an address.
    pub(crate) is_unsymbolised: bool,
}

impl CodeName<'_> {
    /// The function at this place. Adds the function if it is new.
    pub(super) fn function(&self, builder: &mut TableBuilder) -> FunctionIndex {
        let kind = self.function_kind();
        let binary = match (kind, self.binary) {
            (FunctionKind::Kernel, _) => builder.binary(whittle_model::KERNEL_BINARY, BinaryKind::Kernel),
            (_, "") => BinaryIndex::NONE,
            (FunctionKind::Java, path) => builder.binary(path, BinaryKind::ClassOrigin),
            (_, path) => builder.binary(path, BinaryKind::Elf),
        };
        if kind == FunctionKind::Java {
            let (display_name, internal_name) = self.java_names();
            return builder.function(&NewFunction {
                display_name: &display_name,
                internal_name: &internal_name,
                kind,
                binary,
            });
        }
        let internal_name = if self.internal_name.is_empty() { self.name } else { self.internal_name };
        builder.function(&NewFunction { display_name: without_compiler_suffix(self.name), internal_name, kind, binary })
    }

    /// The frame kind for a function of kind `function`.
    pub(super) fn frame_kind(&self, function: FunctionKind) -> FrameKind {
        self.kind.unwrap_or(match function {
            FunctionKind::Pseudo => FrameKind::Pseudo,
            FunctionKind::Java => FrameKind::Jit,
            FunctionKind::Native => FrameKind::Native,
            FunctionKind::Jvm => FrameKind::Jvm,
            FunctionKind::Kernel => FrameKind::Kernel,
            FunctionKind::Stub => FrameKind::Stub,
        })
    }

    fn function_kind(&self) -> FunctionKind {
        let by_format = match self.kind {
            Some(FrameKind::Kernel) => Some(FunctionKind::Kernel),
            Some(FrameKind::Jvm) => Some(FunctionKind::Jvm),
            Some(FrameKind::Stub) => Some(FunctionKind::Stub),
            Some(FrameKind::Native) => Some(FunctionKind::Native),
            Some(FrameKind::Interpreted | FrameKind::C1 | FrameKind::Jit) => Some(FunctionKind::Java),
            Some(FrameKind::Inlined | FrameKind::Pseudo | FrameKind::Truncated) | None => None,
        };
        self.function_kind.or(by_format).unwrap_or_else(|| self.guessed_kind())
    }

    fn guessed_kind(&self) -> FunctionKind {
        let file_name = self.binary.rsplit('/').next().unwrap_or(self.binary);
        let is_java_source = JAVA_SOURCES.iter().any(|ending| self.file.ends_with(ending));
        if is_kernel_binary(self.binary) {
            FunctionKind::Kernel
        } else if file_name == JVM_LIBRARY {
            FunctionKind::Jvm
        } else if is_java_source || has_descriptor(self.internal_name) || self.looks_like_java() {
            FunctionKind::Java
        } else {
            FunctionKind::Native
        }
    }

    fn looks_like_java(&self) -> bool {
        self.binary.is_empty() && looks_like_java(self.name)
    }

    /// The displayed name and the JVM's name.
    fn java_names(&self) -> (String, String) {
        let has_dots = |name: &str| java_names::dotted(name);
        if let Some((class, method, descriptor)) = split_descriptor(self.internal_name) {
            let shown = if self.name.is_empty() || self.name == self.internal_name {
                java_names::display_name(class, method, descriptor)
            } else {
                self.name.to_owned()
            };
            return (shown, self.internal_name.to_owned());
        }
        let (qualified, parameters) = self.name.split_at(self.name.find('(').unwrap_or(self.name.len()));
        let (class, method) = qualified.rsplit_once('.').unwrap_or(("", qualified));
        let dot = if class.is_empty() { "" } else { "." };
        let shown = [&has_dots(&slashed(class)), dot, method, parameters].concat();
        let internal = [&slashed(class), dot, method, parameters].concat();
        (shown, if self.internal_name.is_empty() { internal } else { self.internal_name.to_owned() })
    }
}

/// True for a Java method name in whittle's form: `A.main(java.lang.String[])`.
pub(crate) fn looks_like_java(name: &str) -> bool {
    let Some((qualified, parameters)) = name.split_once('(') else { return false };
    parameters.ends_with(')') && !qualified.contains(' ') && has_java_class(name)
}

fn is_kernel_binary(path: &str) -> bool {
    let is_module = path.ends_with(".ko") || path.contains(".ko.");
    path == whittle_model::KERNEL_BINARY
        || path.starts_with("[kernel")
        || path.starts_with("[guest.kernel")
        || path.contains("vmlinux")
        || is_module
}

fn has_descriptor(internal_name: &str) -> bool {
    split_descriptor(internal_name).is_some()
}

/// Class, method and descriptor of `java/lang/Thread.run()V`.
fn split_descriptor(internal_name: &str) -> Option<(&str, &str, &str)> {
    let (qualified, _) = internal_name.split_once('(')?;
    let descriptor = &internal_name[qualified.len()..];
    let (class, method) = qualified.rsplit_once('.')?;
    java_names::is_descriptor(descriptor).then_some((class, method, descriptor))
}

/// A frame, and the reason if the frame or its name is missing. If nothing is missing, the reason is `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KnownFrame {
    pub(crate) frame: FrameIndex,
    pub(crate) reason: LossReason,
}

/// The frame of whittle's pseudo-function with this name. Files that whittle exported contain such names.
pub(crate) fn pseudo_frame(builder: &mut TableBuilder, name: &str) -> Option<KnownFrame> {
    let reason = match name {
        "<Total>" => return Some(KnownFrame { frame: FrameIndex::TOTAL, reason: LossReason::None }),
        "<JVM-System>" | "<no Java callstack recorded>" => {
            return Some(KnownFrame { frame: builder.pseudo_frame(name), reason: LossReason::None });
        }
        _ => match name.strip_prefix("<truncated: ") {
            Some(rest) => LossReason::from_name(rest.strip_suffix('>')?).ok()?,
            None => pseudo_frames::reason_of(name.strip_prefix('[')?.strip_suffix(']')?)?,
        },
    };
    Some(KnownFrame { frame: builder.truncated_frame(reason), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(code: CodeName<'_>) -> (String, String, FunctionKind) {
        let mut builder = TableBuilder::new();
        let row = code.function(&mut builder).row();
        let functions = &builder.tables().functions;
        (functions.display_name[row].clone(), functions.internal_name[row].clone(), functions.kind[row])
    }

    #[test]
    fn java_is_told_by_descriptor_source_or_look() {
        let by_descriptor = CodeName { name: "a.B.m(int)", internal_name: "a/B.m(I)V", ..CodeName::default() };
        assert_eq!(function(by_descriptor), ("a.B.m(int)".into(), "a/B.m(I)V".into(), FunctionKind::Java));
        let by_source = CodeName { name: "a.b.m", file: "B.kt", ..CodeName::default() };
        assert_eq!(function(by_source), ("a.b.m".into(), "a/b.m".into(), FunctionKind::Java));
        let by_look = CodeName { name: "a.B.m(int[])", ..CodeName::default() };
        assert_eq!(function(by_look), ("a.B.m(int[])".into(), "a/B.m(int[])".into(), FunctionKind::Java));
    }

    #[test]
    fn other_code_is_told_by_its_binary() {
        let of = |name, binary| function(CodeName { name, binary, ..CodeName::default() }).2;
        assert_eq!(of("tcp_ack", "[kernel.kallsyms]"), FunctionKind::Kernel);
        assert_eq!(of("Thread::run", "/opt/jdk/lib/server/libjvm.so"), FunctionKind::Jvm);
        assert_eq!(of("A.b()", "/usr/bin/program"), FunctionKind::Native);
        assert_eq!(of("github.com/a/b.(*T).Method", ""), FunctionKind::Native);
        assert_eq!(of("runtime.mallocgc", ""), FunctionKind::Native);
    }

    #[test]
    fn what_whittle_wrote_itself_is_understood() {
        let mut builder = TableBuilder::new();
        let mut reason = |name| pseudo_frame(&mut builder, name).map(|known| known.reason);
        assert_eq!(reason("<truncated: depth_limit>"), Some(LossReason::DepthLimit));
        assert_eq!(reason("<JVM-System>"), Some(LossReason::None));
        assert_eq!(reason("[GC_active]"), Some(LossReason::GcActive));
        assert_eq!(reason("<module>"), None);
    }
}
