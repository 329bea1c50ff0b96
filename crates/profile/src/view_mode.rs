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
//! A stack's weight is added to its last visible frame, so totals are the same in all modes.
//!
//! Launch frames are all frames on the root side of the first Java frame. Expert mode also hides them, because they are
//! the same in every Java thread. If they were shown, each entry method would have the caller `JavaCalls::call_helper`
//! or `start_thread`. This caller would depend on the mode and on how many native frames were walked.

use crate::system_libraries::SystemLibraries;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use whittle_model::{FrameKind, FunctionKind, Table, Tables};

/// Which frames of a stack are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ViewMode {
    /// What a Java developer wrote and called: Java frames, and native frames of the application's own libraries.
    /// Stacks without Java frames become one pseudo-function.
    #[default]
    User,
    /// Also native frames, and the native stacks of threads without Java frames.
    Expert,
    /// All recorded frames, including JVM and kernel frames.
    Machine,
}

impl ViewMode {
    /// All modes, sorted by the number of shown frames, fewest first.
    pub const ALL: [Self; 3] = [Self::User, Self::Expert, Self::Machine];

    /// The name in options and output.
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

/// An unknown view mode.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no view mode \"{0}\". View modes: user, expert, machine")]
pub struct UnknownViewMode(pub String);

impl FromStr for ViewMode {
    type Err = UnknownViewMode;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|mode| mode.name() == text);
        named.ok_or_else(|| UnknownViewMode(text.to_owned()))
    }
}

/// The classes of whittle's agent that changed classes call (`collect --instrument`).
const OWN_CLASSES: &str = "java/whittle/";

/// How a view mode treats a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// A Java frame, which is always shown. In user and expert mode the shown stack starts at the first Java frame.
    Java,
    /// A frame that is not code, such as a truncation. It is always shown, even among launch frames, because missing
    /// data must be visible.
    Marker,
    /// Any other frame.
    Code {
        /// The frame is shown if there is a Java frame on its root side.
        is_shown_below_java: bool,
        /// The frame is shown if the stack has no Java frame.
        is_shown_without_java: bool,
    },
}

/// The visibility of every row of frames.
pub(crate) fn frame_visibilities(tables: &Tables, mode: ViewMode) -> Vec<Visibility> {
    let libraries = SystemLibraries::new(&tables.binaries);
    let of_function: Vec<Visibility> = (0..tables.functions.len())
        .map(|function| {
            if tables.functions.internal_name[function].starts_with(OWN_CLASSES) {
                return own_visibility(mode);
            }
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

/// Code of whittle's agent in the JVM is not the program's: only machine mode shows it.
fn own_visibility(mode: ViewMode) -> Visibility {
    let is_shown = mode == ViewMode::Machine;
    Visibility::Code { is_shown_below_java: is_shown, is_shown_without_java: is_shown }
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
