//! Groups places into candidates. A candidate's places have the same detector, the same calling method and the same
//! method of the program's own code.

use crate::matching::Matches;
use crate::stacks::{NONE, Stacks};
use rustc_hash::FxHashMap;
use whittle_model::FunctionIndex;

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

impl Candidate {
    /// Whether a place belongs to this candidate. [`NONE`] belongs to no candidate.
    pub(crate) fn has(&self, place: u32) -> bool {
        place != NONE && self.places.binary_search(&place).is_ok()
    }
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
