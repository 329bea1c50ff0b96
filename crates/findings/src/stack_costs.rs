//! Computes the cost of methods without the application functions that they call, their page faults, and the depth of findings' stacks, in one pass over the
//! observed stacks.

use crate::candidates::Candidate;
use crate::detector::Detector;
use crate::matching::Family;
use crate::stacks::{AnchorPlace, NONE, Stacks};
use crate::sums::{Owners, Sums};
use rustc_hash::FxHashMap;
use whittle_model::{FunctionIndex, StackIndex};

/// A calling method, and the method of the program's own code that calls it. Both are the same for a method of the
/// program's own code.
type Method = (FunctionIndex, Option<FunctionIndex>);

/// CPU time of a method on stacks on which it is the calling frame or the deepest application frame.
#[derive(Debug, Clone, Copy, Default)]
struct MethodCost {
    /// All of these stacks.
    all_ns: f64,
    /// Only stacks that match no pattern.
    unowned_ns: f64,
}

/// Sums of costs over stacks.
pub(crate) struct StackCosts {
    methods: FxHashMap<Method, MethodCost>,
    /// The calling method of each candidate.
    method_of_candidate: Vec<Option<Method>>,
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
        let (matches, candidates) = (owners.matches, owners.candidates);
        let calling = |candidate: &Candidate| {
            let place = candidate.places.first()?;
            Some(method(stacks, matches.places[*place as usize].calling))
        };
        let mut costs = Self {
            methods: FxHashMap::default(),
            method_of_candidate: candidates.iter().map(calling).collect(),
            owned_ns: vec![0.0; candidates.len()],
            depth: vec![0.0; candidates.len()],
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
            costs.add_to_method(stacks, (*stack, *cpu), place);
        }
        costs
    }

    fn add_to_method(&mut self, stacks: &Stacks<'_>, (stack, cpu): (StackIndex, f64), place: Option<&AnchorPlace>) {
        // No pattern explains a hot path, so the path remains a part of its method.
        let owner = place.filter(|place| !Detector::all()[place.detector].is_hot_path());
        let application = stacks.application[stack.row()];
        let calling = owner.map(|place| place.calling).or((application != NONE).then_some(StackIndex(application)));
        let Some(calling) = calling else { return };
        let cost = self.methods.entry(method(stacks, calling)).or_default();
        cost.all_ns += cpu;
        cost.unowned_ns += if owner.is_none() { cpu } else { 0.0 };
    }

    /// CPU time of the calling method, without the application functions that it calls.
    pub(crate) fn whole_method_ns(&self, number: usize) -> f64 {
        self.method_cost(number).all_ns
    }

    /// The part of the calling method's CPU time that a change of its algorithm concerns: the candidate's time plus the
    /// method's time outside findings.
    pub(crate) fn changeable_ns(&self, number: usize, candidate: &Candidate) -> f64 {
        // The stacks of a hot path are also a part of its method's time outside findings.
        let is_hot_path = Detector::all()[candidate.detector].is_hot_path();
        let owned = if is_hot_path { 0.0 } else { self.owned_ns[number] };
        owned + self.method_cost(number).unowned_ns
    }

    fn method_cost(&self, number: usize) -> MethodCost {
        let method = self.method_of_candidate[number];
        method.and_then(|method| self.methods.get(&method)).copied().unwrap_or_default()
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

/// The method at a calling frame. A library method that several own methods call has its cost once for each of them.
fn method(stacks: &Stacks<'_>, calling: StackIndex) -> Method {
    (stacks.function(calling), stacks.own_row(calling).map(|row| stacks.function(row)))
}
