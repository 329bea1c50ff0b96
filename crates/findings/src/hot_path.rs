//! Hot paths: lines of the program's own code below which much CPU time is spent, but which no pattern explains.
//! Time in the line's own code is not part of the finding: `largest_unexplained` reports it.
//!
//! ```text
//! Shop.list(), Shop.java:31 > Collections.sort > TimSort.sort > Collator.compare > …
//! own line                    the call            what the call consists of
//! ```

use crate::candidates::{Candidate, Stacks};
use crate::detector::{Detector, Figure};
use crate::matching::{AnchorPlace, NONE};
use crate::roles::Role;
use crate::view::Evidence;
use crate::words::share;
use rustc_hash::FxHashMap;
use whittle_model::{FrameKind, FunctionIndex, StackIndex};

/// Smallest share of the work threads' CPU time, outside other findings, in one own line and below it.
const HOT_RATIO: f64 = 0.30;
/// Smallest share of the work threads' CPU time in what the line calls. Compiled code often contains the rest of a call.
const CALLED_RATIO: f64 = 0.10;
/// A function with a smaller share of the path is not named as a part of it.
const PART_RATIO: f64 = 0.03;
/// At most this many parts are named.
const PART_LIMIT: usize = 3;
/// From this share on, the kind of cost decides what to try first.
const MOST: f64 = 0.5;

/// The own lines with a hot path, as candidates, and the stacks that belong to them.
#[derive(Default)]
pub(crate) struct HotPaths {
    pub(crate) candidates: Vec<Candidate>,
    /// New places. Their numbers follow those of the places that exist already.
    pub(crate) places: Vec<AnchorPlace>,
    /// For each new place, the number of its candidate in `candidates`.
    pub(crate) candidate_of_place: Vec<u32>,
    /// Observed stacks, each with the number of its new place.
    pub(crate) owned: Vec<(usize, u32)>,
}

/// An observed stack below an own line.
struct Below {
    /// Number of the observed stack.
    number: usize,
    cpu: f64,
    /// The row of the own line.
    own: StackIndex,
    /// The row that the own line calls. `None`: the stack ends with the own line.
    called: Option<StackIndex>,
}

/// An own line: its method, and the line's number if it is known.
type OwnLine = (FunctionIndex, Option<u32>);

impl HotPaths {
    /// Finds the hot paths among the stacks that are not explained.
    ///
    /// The second argument: the observed stacks, `cpu_by_stack` with the CPU time of each of them, and `total_ns`, the CPU
    /// time of all work threads. The numbers
    /// of the new places start with `first_place`.
    pub(crate) fn new(
        stacks: &Stacks<'_>,
        (observed, cpu_by_stack, total_ns): (&[StackIndex], &[f64], f64),
        is_explained: impl Fn(usize) -> bool,
        first_place: u32,
    ) -> Self {
        let mut paths = Self::default();
        let Some(detector) = Detector::all().iter().position(Detector::is_hot_path) else { return paths };
        let rest = || {
            let rows = observed.iter().zip(cpu_by_stack).enumerate().filter(|(_, (_, cpu))| **cpu > 0.0);
            rows.filter(|(number, _)| !is_explained(*number)).filter_map(|(number, (stack, cpu))| {
                let own = own_row(stacks, *stack)?;
                // No developer wrote the code that the JVM generates to link calls.
                let called = stacks.called(own, *stack);
                let written = called.iter().find(|row| stacks.role(**row) != Role::Glue);
                let called = written.or(called.first()).copied();
                Some(Below { number, cpu: *cpu, own, called })
            })
        };
        let line = |row: StackIndex| -> OwnLine { (stacks.function(row), stacks.line(row)) };
        let mut by_line: FxHashMap<OwnLine, (f64, f64)> = FxHashMap::default();
        for below in rest() {
            let (all, called) = by_line.entry(line(below.own)).or_default();
            *all += below.cpu;
            *called += below.called.map_or(0.0, |_| below.cpu);
        }
        by_line.retain(|_, (all, called)| *all >= HOT_RATIO * total_ns && *called >= CALLED_RATIO * total_ns);
        let mut number_of_line: FxHashMap<OwnLine, u32> = FxHashMap::default();
        let mut known: FxHashMap<(StackIndex, StackIndex), u32> = FxHashMap::default();
        for Below { number, own, called, .. } in rest().filter(|below| by_line.contains_key(&line(below.own))) {
            let Some(called) = called else { continue };
            let candidate = *number_of_line.entry(line(own)).or_insert_with(|| {
                paths.candidates.push(Candidate { detector, calling: stacks.function(own), places: Vec::new() });
                paths.candidates.len() as u32 - 1
            });
            let place = *known.entry((called, own)).or_insert_with(|| {
                let place = first_place + paths.places.len() as u32;
                paths.places.push(AnchorPlace { detector, anchor: called, calling: own });
                paths.candidate_of_place.push(candidate);
                paths.candidates[candidate as usize].places.push(place);
                place
            });
            paths.owned.push((number, place));
        }
        paths
    }
}

/// The nearest own row above a stack's leaf. In a program without own code, the nearest row of a library.
fn own_row(stacks: &Stacks<'_>, stack: StackIndex) -> Option<StackIndex> {
    let application = stacks.application[stack.row()];
    let row = (application != NONE).then_some(StackIndex(application))?;
    Some(stacks.own_row(row).unwrap_or(row))
}

/// What a hot path consists of: the functions whose own code takes most of its CPU time.
///
/// `path` has the observed stacks of the path with their CPU time. The functions are the deepest Java functions of the
/// stacks. Native code and the kernel count for the Java function that calls them.
pub(crate) fn parts(stacks: &Stacks<'_>, path: impl Iterator<Item = (StackIndex, f64)>) -> Option<Evidence> {
    let mut by_function: FxHashMap<FunctionIndex, f64> = FxHashMap::default();
    let mut all = 0.0;
    for (stack, cpu) in path {
        let is_java = |row: &StackIndex| {
            use FrameKind::{C1, Inlined, Interpreted, Jit};
            matches!(stacks.tables.frames.kind[stacks.frame(*row).row()], Interpreted | C1 | Jit | Inlined)
        };
        let deepest = stacks.upwards(stack).find(is_java).unwrap_or(stack);
        *by_function.entry(stacks.function(deepest)).or_default() += cpu;
        all += cpu;
    }
    let mut parts: Vec<(FunctionIndex, f64)> = by_function.into_iter().map(|(row, cpu)| (row, cpu / all)).collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let largest = parts.first()?.1;
    let name = |function: FunctionIndex| &stacks.tables.functions.display_name[function.row()];
    let words: Vec<String> = parts
        .iter()
        .take(PART_LIMIT)
        .filter(|(_, ratio)| *ratio >= PART_RATIO)
        .map(|(function, ratio)| format!("{} ({})", name(*function), share(*ratio)))
        .collect();
    let text = match words.as_slice() {
        [] => format!("no function's own code takes {} of it", share(PART_RATIO)),
        words => format!("it consists of the code of {}", words.join(", ")),
    };
    Some(Evidence { figure: Figure::LargestPart, value: largest, text })
}

/// The words about what to try, according to what the path consists of.
pub(crate) fn what_to_try(fix: &str, evidence: &[Evidence]) -> String {
    let is_most = |figure: Figure| evidence.iter().any(|each| each.figure == figure && each.value >= MOST);
    let hint = match () {
        () if is_most(Figure::KernelRatio) => " Most of the time is in the kernel: make fewer and larger calls.",
        () if is_most(Figure::AllocRatio) => {
            " The line allocates most of the bytes: use objects again, or smaller ones."
        }
        () if is_most(Figure::BlockedRatio) => " Most of the time is waiting: look at what the threads wait for.",
        () => "",
    };
    format!("{fix}{hint}")
}
