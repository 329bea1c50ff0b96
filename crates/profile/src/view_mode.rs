//! View modes: which frames of a stack are shown.
//!
//! ```text
//! recorded stack, root first        user            expert          machine
//! start_thread            native                                    start_thread
//! JavaThread::run         jvm                                       JavaThread::run
//! Log.flush()             java      Log.flush()     Log.flush()     Log.flush()
//! File.write(int)         java      File.write(int) File.write(int) File.write(int)
//! Java_File_write         native                    Java_File_write Java_File_write
//! __write                 native                    __write         __write
//! vfs_write               kernel                                    vfs_write
//! ```
//!
//! The weight of a stack goes to its last visible frame, so totals are the same in all modes.
//!
//! Launch frames (everything on the root side of the first Java frame) are hidden in expert mode
//! too. Every Java thread has the same ones, and with them each entry method would have
//! `JavaCalls::call_helper` or `start_thread` as its caller, in one mode or the other, depending on
//! how far the native part could be walked.

use crate::AnalysisError;
use crate::system_libraries::SystemLibraries;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use whittle_model::{FrameKind, FunctionKind, Table, Tables};

/// How much of a stack is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewMode {
    /// What a Java developer wrote and called: Java frames, and native frames of the application's
    /// own libraries. Stacks without Java frames show as one pseudo-function.
    #[default]
    User,
    /// Native frames too, and the native stacks of threads without Java frames.
    Expert,
    /// Everything that was recorded, JVM and kernel frames included.
    Machine,
}

impl ViewMode {
    /// All modes, from the fewest frames to all of them.
    pub const ALL: [Self; 3] = [Self::User, Self::Expert, Self::Machine];

    /// The word in flags and output.
    pub fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Expert => "expert",
            Self::Machine => "machine",
        }
    }
}

impl fmt::Display for ViewMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ViewMode {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|mode| mode.name() == text);
        named.ok_or_else(|| AnalysisError::UnknownViewMode(text.to_owned()))
    }
}

/// What a view mode does with a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// A Java frame: always shown. In user and expert mode the shown stack starts at the first one.
    Java,
    /// A frame that stands for no code, such as a truncation: always shown, launch frames or not,
    /// because what is missing must not be hidden.
    Marker,
    /// Any other frame.
    Code {
        /// Shown if there is a Java frame on its root side.
        is_shown_below_java: bool,
        /// Shown if the stack has no Java frame.
        is_shown_without_java: bool,
    },
}

/// The visibility of every row of frames.
pub(crate) fn frame_visibilities(tables: &Tables, mode: ViewMode) -> Vec<Visibility> {
    let libraries = SystemLibraries::new(&tables.binaries);
    let of_function: Vec<Visibility> = (0..tables.functions.len())
        .map(|function| {
            let kind = tables.functions.kind[function];
            let path = &tables.binaries.path[tables.functions.binary[function].row()];
            function_visibility(mode, kind, || (libraries.is_system(path), libraries.is_profiler(path)))
        })
        .collect();
    let frames = &tables.frames;
    let of_frame = frames.function.iter().zip(&frames.kind);
    of_frame
        .map(
            |(function, kind)| {
                if *kind == FrameKind::Truncated { Visibility::Marker } else { of_function[function.row()] }
            },
        )
        .collect()
}

fn function_visibility(
    mode: ViewMode,
    kind: FunctionKind,
    is_system_and_profiler: impl Fn() -> (bool, bool),
) -> Visibility {
    let code =
        |is_shown_below_java, is_shown_without_java| Visibility::Code { is_shown_below_java, is_shown_without_java };
    match (kind, mode) {
        (FunctionKind::Java, _) => Visibility::Java,
        (FunctionKind::Pseudo, _) => Visibility::Marker,
        (_, ViewMode::Machine) => code(true, true),
        (FunctionKind::Native, ViewMode::User) => code(!is_system_and_profiler().0, false),
        (FunctionKind::Native, ViewMode::Expert) => {
            let is_shown = !is_system_and_profiler().1;
            code(is_shown, is_shown)
        }
        (FunctionKind::Jvm, ViewMode::Expert) => code(false, true),
        (FunctionKind::Jvm | FunctionKind::Kernel | FunctionKind::Stub, _) => code(false, false),
    }
}
