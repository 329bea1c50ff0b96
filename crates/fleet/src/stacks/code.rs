//! Functions and frames of all services. Each function and each frame is stored once.

use rustc_hash::FxHashMap;
use whittle_model::{BinaryKind, FrameKind, FunctionKind, LossReason};

/// Functions and frames by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Code {
    pub(super) functions: Vec<CodeFunction>,
    pub(super) frames: Vec<CodeFrame>,
    function_numbers: FxHashMap<(String, FunctionKind, String), u32>,
    frame_numbers: FxHashMap<CodeFrame, u32>,
}

/// A function as in the fleet's tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeFunction {
    pub(super) display_name: String,
    pub(super) internal_name: String,
    pub(super) kind: FunctionKind,
    /// Path of the binary. Empty: there is no binary.
    pub(super) binary: String,
    pub(super) binary_kind: BinaryKind,
    pub(super) source_file: Option<String>,
    pub(super) first_line: Option<u32>,
}

/// A frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct CodeFrame {
    pub(super) function: u32,
    pub(super) kind: FrameKind,
    pub(super) reason: LossReason,
    pub(super) line: Option<u32>,
    pub(super) bytecode_index: Option<u32>,
}

impl Code {
    /// Number of frames.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// The number of a function. For a Java method, the jar is ignored. Merged runs also ignore the jar.
    pub(super) fn function(&mut self, function: CodeFunction) -> u32 {
        let binary = if function.kind == FunctionKind::Java { String::new() } else { function.binary.clone() };
        let next = self.functions.len() as u32;
        let number =
            *self.function_numbers.entry((function.internal_name.clone(), function.kind, binary)).or_insert(next);
        if number == next {
            self.functions.push(function);
        }
        number
    }

    /// The number of a frame.
    pub(super) fn frame(&mut self, frame: CodeFrame) -> u32 {
        let next = self.frames.len() as u32;
        let number = *self.frame_numbers.entry(frame).or_insert(next);
        if number == next {
            self.frames.push(frame);
        }
        number
    }
}
