//! Stacks with the role of each function, and places on them.

use crate::intrinsics::method_of_stub;
use whittle_model::{FrameIndex, FunctionIndex, FunctionKind, StackIndex, Tables};
use whittle_profile::roles::Role;

/// Marks a missing place or row.
pub(crate) const NONE: u32 = u32::MAX;

/// A row of stacks at which the pattern of a detector begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnchorPlace {
    /// Number of the detector.
    pub(crate) detector: usize,
    /// The anchor's row.
    pub(crate) anchor: StackIndex,
    /// The row of the deepest application frame above the anchor.
    pub(crate) calling: StackIndex,
}

/// A line of a method: the method, and the line's number if it is known.
pub(crate) type OwnLine = (FunctionIndex, Option<u32>);

/// Stacks and the role of each function on them.
#[derive(Clone, Copy)]
pub(crate) struct Stacks<'a> {
    pub(crate) tables: &'a Tables,
    pub(crate) roles: &'a [Role],
    /// For each row of stacks, the row of its deepest application frame. [`NONE`]: the stack has no application frame.
    pub(crate) application: &'a [u32],
}

impl<'a> Stacks<'a> {
    pub(crate) fn frame(&self, row: StackIndex) -> FrameIndex {
        self.tables.stacks.frame[row.row()]
    }

    pub(crate) fn function(&self, row: StackIndex) -> FunctionIndex {
        self.tables.frames.function[self.frame(row).row()]
    }

    pub(crate) fn role(&self, row: StackIndex) -> Role {
        self.roles[self.function(row).row()]
    }

    /// The method of the JDK that a function implements, if the function is a stub of the JVM for such a method.
    pub(crate) fn method_of_stub(&self, function: FunctionIndex) -> Option<&'static str> {
        let functions = &self.tables.functions;
        let is_stub = functions.kind[function.row()] == FunctionKind::Stub;
        method_of_stub(&functions.display_name[function.row()]).filter(|_| is_stub)
    }

    pub(crate) fn line(&self, row: StackIndex) -> Option<u32> {
        self.tables.frames.line[self.frame(row).row()]
    }

    /// The line of a row of the program's own code.
    pub(crate) fn own_line(&self, row: StackIndex) -> OwnLine {
        (self.function(row), self.line(row))
    }

    /// The row itself and the rows above it, up to the root.
    pub(crate) fn upwards(&self, row: StackIndex) -> impl Iterator<Item = StackIndex> + use<'a> {
        let tables = self.tables;
        std::iter::successors(Some(row), move |row| Some(tables.stacks.parent[row.row()]))
            .take_while(|row| row.row() != 0)
    }

    /// The nearest row of the program's own code. This can be `row` itself.
    pub(crate) fn own_row(&self, row: StackIndex) -> Option<StackIndex> {
        self.upwards(row).find(|row| self.role(*row) == Role::Own)
    }

    /// The method of the deepest application frame.
    pub(crate) fn application_function(&self, row: StackIndex) -> Option<FunctionIndex> {
        let application = self.application[row.row()];
        (application != NONE).then(|| self.function(StackIndex(application)))
    }

    /// The rows below a calling frame, down to and including a leaf. The rows near the caller come first.
    pub(crate) fn called(&self, calling: StackIndex, leaf: StackIndex) -> Vec<StackIndex> {
        let mut rows: Vec<StackIndex> = self.upwards(leaf).take_while(|row| *row != calling).collect();
        rows.reverse();
        rows
    }

    /// The row that a calling frame calls. If the stack ends with the calling frame, this is the calling frame itself.
    pub(crate) fn called_row(&self, calling: StackIndex, leaf: StackIndex) -> StackIndex {
        // No developer wrote the code that the JVM generates to link calls.
        let called = self.called(calling, leaf);
        let written = called.iter().find(|row| self.role(**row) != Role::Glue);
        written.or(called.first()).copied().unwrap_or(calling)
    }
}
