//! Candidates that do not come from patterns of frames, with the stacks that belong to them.

use crate::candidates::Candidate;
use crate::detector::Detector;
use crate::stacks::{AnchorPlace, NONE, OwnLine, Stacks};
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::StackIndex;

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
    /// Observed stacks that belong to the candidates even if a more specific pattern owns them.
    pub(crate) claimed: FxHashSet<usize>,
    first_place: u32,
    number_of_line: FxHashMap<(usize, OwnLine), u32>,
    known: FxHashMap<(usize, StackIndex, StackIndex), u32>,
}

impl Added {
    /// No candidates. The numbers of new places start with `first_place`.
    pub(crate) fn new(first_place: u32) -> Self {
        Self { first_place, ..Self::default() }
    }

    /// Adds an observed stack with its calling row and the row that it calls.
    pub(crate) fn add(&mut self, stacks: &Stacks<'_>, place: AnchorPlace, observed: usize) {
        self.add_at(stacks.own_line(place.calling), place, observed);
    }

    /// The same for a place whose candidate has another line, such as the first line of a loop.
    pub(crate) fn add_at(&mut self, line: OwnLine, place: AnchorPlace, observed: usize) {
        let AnchorPlace { detector, anchor, calling } = place;
        let candidate = *self.number_of_line.entry((detector, line)).or_insert_with(|| {
            self.candidates.push(Candidate { detector, calling: line.0, places: Vec::new() });
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

    /// Leaves the stacks of more specific patterns to their owners. `owners` and `places` are those of all stacks before.
    pub(crate) fn without_better(mut self, owners: &[u32], places: &[AnchorPlace]) -> Self {
        let specificity = |place: &AnchorPlace| Detector::all()[place.detector].specificity;
        let is_better = |(observed, number): &(usize, u32)| {
            let owner = (owners[*observed] != NONE).then(|| specificity(&places[owners[*observed] as usize]));
            let is_claimed = self.claimed.contains(observed);
            is_claimed
                || owner.is_none_or(|owner| owner < specificity(&self.places[(*number - self.first_place) as usize]))
        };
        let mut owned = std::mem::take(&mut self.owned);
        owned.retain(is_better);
        Self { owned, ..self }
    }
}
