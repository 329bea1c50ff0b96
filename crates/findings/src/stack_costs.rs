//! Computes the exclusive cost of methods, their page faults, and the depth of findings' stacks, in one pass over the
//! observed stacks.

use crate::candidates::Candidate;
use crate::detector::Detector;
use crate::matching::Family;
use crate::stacks::{NONE, Stacks};
use crate::sums::{Owners, Sums};
use whittle_model::StackIndex;

/// Sums of costs over stacks.
pub(crate) struct StackCosts {
    /// For each function, CPU time of stacks that match no pattern and have this function as the deepest
    /// application frame.
    unowned_ns: Vec<f64>,
    /// For each candidate, CPU time of its stacks.
    owned_ns: Vec<f64>,
    /// For each candidate, the sum over its stacks: the number of frames from the anchor to the leaf, multiplied by CPU
    /// time.
    depth: Vec<f64>,
    /// For each function, page faults of stacks that have this function as the deepest application frame.
    faults: Vec<f64>,
}

impl StackCosts {
    pub(crate) fn new(stacks: &Stacks<'_>, owners: &Owners<'_>, sums: &Sums, observed: &[StackIndex]) -> Self {
        let (matches, candidates) = (owners.matches, owners.candidates.len());
        let mut costs = Self {
            unowned_ns: vec![0.0; stacks.tables.functions.display_name.len()],
            owned_ns: vec![0.0; candidates],
            depth: vec![0.0; candidates],
            faults: vec![0.0; stacks.tables.functions.display_name.len()],
        };
        let of_time = matches.owners(Family::Time);
        for (((number, stack), cpu), owner) in observed.iter().enumerate().zip(&sums.cpu_by_stack).zip(of_time) {
            let faults = sums.of_stack(number).faults;
            if let (true, Some(function)) = (faults > 0.0, stacks.application_function(*stack)) {
                costs.faults[function.row()] += faults;
            }
            if *cpu == 0.0 {
                continue;
            }
            let place = (*owner != NONE).then(|| &matches.places[*owner as usize]);
            if let Some(place) = place {
                let candidate = owners.candidate_of_place[*owner as usize] as usize;
                let frames = stacks.upwards(*stack).take_while(|row| *row != place.anchor).count() + 1;
                costs.owned_ns[candidate] += cpu;
                costs.depth[candidate] += cpu * frames as f64;
            }
            // No pattern explains a hot path, so the path remains a part of its method.
            let is_unowned = place.is_none_or(|place| Detector::all()[place.detector].is_hot_path());
            if let (true, Some(function)) = (is_unowned, stacks.application_function(*stack)) {
                costs.unowned_ns[function.row()] += cpu;
            }
        }
        costs
    }

    /// Exclusive CPU time of the calling method: the candidate's time plus the method's time outside findings.
    pub(crate) fn method_ns(&self, number: usize, candidate: &Candidate) -> f64 {
        // The stacks of a hot path are also a part of its method's time outside findings.
        let is_hot_path = Detector::all()[candidate.detector].is_hot_path();
        let owned = if is_hot_path { 0.0 } else { self.owned_ns[number] };
        owned + self.unowned_ns[candidate.calling.row()]
    }

    /// Page faults of the calling method, without the application functions that it calls. The stack of a page fault has
    /// no frames of the kernel, so the faults cannot be counted by anchor.
    pub(crate) fn faults(&self, candidate: &Candidate) -> f64 {
        self.faults[candidate.calling.row()]
    }

    /// Average number of frames from the anchor to the leaf, weighted by CPU time.
    pub(crate) fn depth(&self, number: usize) -> f64 {
        if self.owned_ns[number] > 0.0 { self.depth[number] / self.owned_ns[number] } else { 0.0 }
    }
}
