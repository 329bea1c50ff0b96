//! Groups places into candidates. A candidate's places have the same detector, the same calling method and the same
//! method of the program's own code.

use crate::intrinsics::method_of_stub;
use crate::matching::{Matches, NONE};
use crate::roles::Role;
use rustc_hash::FxHashMap;
use whittle_model::{FrameIndex, FunctionIndex, FunctionKind, StackIndex, Tables};

/// A possible finding.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// Number of the detector.
    pub(crate) detector: usize,
    /// The method of the deepest application frame.
    pub(crate) calling: FunctionIndex,
    /// Places of this candidate.
    pub(crate) places: Vec<u32>,
}

/// Groups the places. Also returns the candidate of each place.
pub(crate) fn candidates(matches: &Matches, stacks: &Stacks<'_>) -> (Vec<Candidate>, Vec<u32>) {
    let mut known: FxHashMap<(usize, FunctionIndex, Option<FunctionIndex>), u32> = FxHashMap::default();
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut of_place = Vec::with_capacity(matches.places.len());
    for (number, place) in matches.places.iter().enumerate() {
        let calling = stacks.function(place.calling);
        let own = stacks.own_row(place.calling).map(|row| stacks.function(row));
        let candidate = *known.entry((place.detector, calling, own)).or_insert_with(|| {
            candidates.push(Candidate { detector: place.detector, calling, places: Vec::new() });
            candidates.len() as u32 - 1
        });
        candidates[candidate as usize].places.push(number as u32);
        of_place.push(candidate);
    }
    (candidates, of_place)
}

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
}
