//! Candidates that do not come from patterns of frames, with the stacks that belong to them.

use crate::candidates::Candidate;
use crate::stacks::{AnchorPlace, Stacks};
use rustc_hash::FxHashMap;
use whittle_model::{FunctionIndex, StackIndex};

/// New candidates. Each has a detector and a line of a method.
#[derive(Default)]
pub(crate) struct Added {
    pub(crate) candidates: Vec<Candidate>,
    /// New places. Their numbers follow those of the places that exist already.
    pub(crate) places: Vec<AnchorPlace>,
    /// For each new place, the number of its candidate in `candidates`.
    pub(crate) candidate_of_place: Vec<u32>,
    /// Observed stacks, each with the number of its new place.
    pub(crate) owned: Vec<(usize, u32)>,
    first_place: u32,
    number_of_line: FxHashMap<(usize, FunctionIndex, Option<u32>), u32>,
    known: FxHashMap<(usize, StackIndex, StackIndex), u32>,
}

impl Added {
    /// No candidates. The numbers of new places start with `first_place`.
    pub(crate) fn new(first_place: u32) -> Self {
        Self { first_place, ..Self::default() }
    }

    /// Adds an observed stack with its calling row and the row that it calls.
    pub(crate) fn add(&mut self, stacks: &Stacks<'_>, place: AnchorPlace, observed: usize) {
        let AnchorPlace { detector, anchor, calling } = place;
        let function = stacks.function(calling);
        let candidate = *self.number_of_line.entry((detector, function, stacks.line(calling))).or_insert_with(|| {
            self.candidates.push(Candidate { detector, calling: function, places: Vec::new() });
            self.candidates.len() as u32 - 1
        });
        let number = *self.known.entry((detector, anchor, calling)).or_insert_with(|| {
            let number = self.first_place + self.places.len() as u32;
            self.places.push(place);
            self.candidate_of_place.push(candidate);
            self.candidates[candidate as usize].places.push(number);
            number
        });
        self.owned.push((observed, number));
    }
}
