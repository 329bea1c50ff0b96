//! Hot paths: lines of the program's own code with much CPU time, in their own code or in what they call, which no
//! pattern explains.
//!
//! ```text
//! Shop.list(), Shop.java:31 > Collections.sort > TimSort.sort > Collator.compare > …
//! own line                    the call            what the call consists of
//! ```

use crate::added::Added;
use crate::detector::{Detector, Figure};
use crate::figure_words::figure_words;
use crate::stacks::{AnchorPlace, NONE, OwnLine, Stacks};
use crate::view::Evidence;
use crate::words::share;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use whittle_model::{FrameKind, FunctionIndex, StackIndex};

/// Smallest share of the work threads' CPU time, outside other findings, in one own line and below it.
const HOT_RATIO: f64 = 0.30;
/// A function with a smaller share of the path is not named as a part of it.
const PART_RATIO: f64 = 0.03;
/// A smaller inferred share is not worth saying.
const INFERRED_RATIO: f64 = 0.01;
/// At most this many parts are named.
const PART_LIMIT: usize = 3;
/// From this share on, the kind of cost decides what to try first.
const MOST: f64 = 0.5;

/// Finds the hot paths among the stacks that are not explained.
///
/// The second argument: the observed stacks, `cpu_by_stack` with the CPU time of each of them, and `total_ns`, the CPU
/// time of all work threads. The numbers of the new places start with `first_place`.
pub(crate) fn hot_paths(
    stacks: &Stacks<'_>,
    (observed, cpu_by_stack, total_ns): (&[StackIndex], &[f64], f64),
    is_explained: impl Fn(usize) -> bool,
    first_place: u32,
) -> Added {
    let mut paths = Added::new(first_place);
    let Some(detector) = Detector::all().iter().position(Detector::is_hot_path) else { return paths };
    let callers = StubCallers::new(stacks, observed);
    // The number of an observed stack, its own row, and the row that the own row calls.
    let rest = || {
        let unexplained = observed.iter().enumerate().filter(|(number, _)| !is_explained(*number));
        unexplained.filter_map(|(number, stack)| {
            let (own, called) = match own_row(stacks, *stack) {
                Some(own) => (own, stacks.called_row(own, *stack)),
                None => callers.of(stacks, *stack)?,
            };
            Some((number, own, called))
        })
    };
    let mut by_line: FxHashMap<OwnLine, f64> = FxHashMap::default();
    for (number, own, _) in rest() {
        *by_line.entry(stacks.own_line(own)).or_default() += cpu_by_stack[number];
    }
    by_line.retain(|_, cpu| *cpu > 0.0 && *cpu >= HOT_RATIO * total_ns);
    // Stacks without CPU time belong to the path, too: they have its waits and its allocated bytes.
    for (number, calling, anchor) in rest().filter(|(_, own, _)| by_line.contains_key(&stacks.own_line(*own))) {
        paths.add(stacks, AnchorPlace { detector, anchor, calling }, number);
    }
    paths
}

/// The nearest own row above a stack's leaf. In a program without own code, the nearest row of a library.
fn own_row(stacks: &Stacks<'_>, stack: StackIndex) -> Option<StackIndex> {
    let application = stacks.application[stack.row()];
    let row = (application != NONE).then_some(StackIndex(application))?;
    Some(stacks.own_row(row).unwrap_or(row))
}

/// The own lines that call methods which the JVM implements as stubs. Some stubs have no caller on their stacks. If other
/// stacks show that only one own line calls the method's class, this line is the caller.
struct StubCallers {
    /// For each class, the own row and the row that it calls. `None`: several lines call the class.
    by_class: FxHashMap<&'static str, Option<(StackIndex, StackIndex)>>,
}

impl StubCallers {
    fn new(stacks: &Stacks<'_>, observed: &[StackIndex]) -> Self {
        let mut this = Self { by_class: FxHashMap::default() };
        // Many stacks have the same stub.
        let wanted: BTreeSet<&'static str> =
            observed.iter().filter_map(|stack| class_of_stub(stacks, *stack)).collect();
        let names = &stacks.tables.functions.display_name;
        for stack in observed.iter().filter(|_| !wanted.is_empty()) {
            let Some(own) = own_row(stacks, *stack) else { continue };
            for row in stacks.called(own, *stack) {
                let name = &names[stacks.function(row).row()];
                // Creating an object of the class does not call the stub.
                let is_use = !["<init>", "<clinit>", "getInstance"].iter().any(|other| name.contains(other));
                let is_in = |class: &&&str| name.strip_prefix(**class).is_some_and(|rest| rest.starts_with('.'));
                let class = wanted.iter().find(is_in).filter(|_| is_use);
                let Some(class) = class else { continue };
                let caller = (own, stacks.called_row(own, *stack));
                let known = this.by_class.entry(class).or_insert(Some(caller));
                let is_same = |(other, _): &(StackIndex, StackIndex)| {
                    stacks.function(*other) == stacks.function(own) && stacks.line(*other) == stacks.line(own)
                };
                *known = known.filter(is_same);
            }
        }
        this
    }

    /// The own row that calls the stub, and the row that it calls.
    fn of(&self, stacks: &Stacks<'_>, stack: StackIndex) -> Option<(StackIndex, StackIndex)> {
        *self.by_class.get(class_of_stub(stacks, stack)?)?
    }
}

/// The class of the method that the stub at a stack's leaf implements. `None`: the leaf is no such stub, or an own row
/// is on the stack.
fn class_of_stub(stacks: &Stacks<'_>, stack: StackIndex) -> Option<&'static str> {
    let method = stacks.method_of_stub(stacks.function(stack))?;
    Some(method.rsplit_once('.')?.0).filter(|_| own_row(stacks, stack).is_none())
}

/// What a hot path consists of: the functions whose own code takes most of its CPU time, and the share of the own
/// line's method.
///
/// `path` has the observed stacks of the path with their CPU time. The functions are the deepest Java functions of the
/// stacks, or stubs that implement methods of the JDK. Other native code and the kernel count for the Java function that
/// calls them.
pub(crate) fn parts(
    stacks: &Stacks<'_>,
    own: FunctionIndex,
    path: impl Iterator<Item = (StackIndex, f64)>,
) -> Vec<Evidence> {
    let names = &stacks.tables.functions.display_name;
    let mut by_name: FxHashMap<&str, f64> = FxHashMap::default();
    let (mut all, mut inferred) = (0.0, 0.0);
    for (stack, cpu) in path {
        inferred += if class_of_stub(stacks, stack).is_some() { cpu } else { 0.0 };
        let is_named = |row: &StackIndex| match stacks.tables.frames.kind[stacks.frame(*row).row()] {
            FrameKind::C1 | FrameKind::Inlined | FrameKind::Interpreted | FrameKind::Jit => true,
            FrameKind::Stub => stacks.method_of_stub(stacks.function(*row)).is_some(),
            _ => false,
        };
        let deepest = stacks.upwards(stack).find(is_named).unwrap_or(stack);
        let function = stacks.function(deepest);
        // Several stubs can implement the same method.
        *by_name.entry(stacks.method_of_stub(function).unwrap_or(&names[function.row()])).or_default() += cpu;
        all += cpu;
    }
    let mut parts: Vec<(&str, f64)> = by_name.into_iter().map(|(name, cpu)| (name, cpu / all)).collect();
    parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
    let Some((_, largest)) = parts.first() else { return Vec::new() };
    let own_ratio = parts.iter().find(|(name, _)| *name == names[own.row()]).map_or(0.0, |(_, ratio)| *ratio);
    let words: Vec<String> = parts
        .iter()
        .take(PART_LIMIT)
        .filter(|(_, ratio)| *ratio >= PART_RATIO)
        .map(|(name, ratio)| format!("{name} ({})", share(*ratio)))
        .collect();
    let text = match words.as_slice() {
        [] => format!("no function's own code takes {} of it", share(PART_RATIO)),
        words => format!("largest parts: the code of {}", words.join(", ")),
    };
    let mut evidence = vec![Evidence { figure: Figure::LargestPart, value: *largest, text }];
    if own_ratio >= PART_RATIO {
        let text = figure_words(Figure::OwnCodeRatio, own_ratio, None);
        evidence.push(Evidence { figure: Figure::OwnCodeRatio, value: own_ratio, text });
    }
    if inferred >= INFERRED_RATIO * all {
        let text = figure_words(Figure::InferredRatio, inferred / all, None);
        evidence.push(Evidence { figure: Figure::InferredRatio, value: inferred / all, text });
    }
    evidence
}

/// The words about what to try, according to what the path consists of.
pub(crate) fn what_to_try(fix: &str, evidence: &[Evidence]) -> String {
    let is_most = |figure: Figure| is_most(evidence, figure);
    let hint = match () {
        () if is_most(Figure::KernelRatio) => " Most of the time is in the kernel: make fewer and larger calls.",
        () if is_most(Figure::AllocRatio) => {
            " The line allocates most of the bytes: reuse objects, or make them smaller."
        }
        () if is_most(Figure::OwnCodeRatio) => {
            " Most of the time is in the method's own code. The JIT compiler knows the lines of compiled code only roughly, so \
             look at the lines near this one, too."
        }
        () if is_most(Figure::BlockedRatio) => " The threads wait most of this time: look at what they wait for.",
        () => "",
    };
    format!("{fix}{hint}")
}

/// Whether most of a hot path is in the own code of the line's method. The line calls nothing that takes as long.
pub(crate) fn is_own_code(evidence: &[Evidence]) -> bool {
    is_most(evidence, Figure::OwnCodeRatio)
}

fn is_most(evidence: &[Evidence], figure: Figure) -> bool {
    evidence.iter().any(|each| each.figure == figure && each.value >= MOST)
}
