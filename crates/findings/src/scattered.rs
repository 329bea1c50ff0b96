//! Finds functions with a large total cost, although each path to these functions is small.
//!
//! A function is scattered if three conditions are met. Its inclusive share is at least 3 %. Many places in the
//! application call it. The largest of these places has less than a third of the cost. Only two kinds of functions are
//! examined: JDK functions that application frames call directly, and application functions with many callers in the
//! application.

use crate::stacks::{NONE, Stacks};
use crate::sums::Sums;
use crate::view::Scattered;
use rustc_hash::FxHashMap;
use whittle_model::{FunctionIndex, StackIndex};

/// A function with a smaller inclusive share is not examined.
const SMALLEST_RATIO: f64 = 0.03;
/// With fewer paths, the user sees the cost without this list.
const FEWEST_PATHS: usize = 6;
/// A path with a larger share is visible in the call tree.
const LARGEST_PATH: f64 = 0.34;
/// Largest number of reported functions.
const LIMIT: usize = 5;

/// A line of a function. The frame kind is ignored.
type Line = (FunctionIndex, Option<u32>);

/// For each function, the calls that lead to it, with CPU time.
#[derive(Default)]
struct Paths {
    /// CPU time by calling line.
    by_caller: FxHashMap<Line, f64>,
    total_ns: f64,
}

/// Scattered functions, the largest first.
pub(crate) fn scattered(stacks: &Stacks<'_>, observed: &[StackIndex], sums: &Sums, all_ns: f64) -> Vec<Scattered> {
    let is_large = large_functions(stacks, observed, sums, all_ns);
    let mut paths: FxHashMap<FunctionIndex, Paths> = FxHashMap::default();
    for (stack, cpu) in observed.iter().zip(&sums.cpu_by_stack).filter(|(_, cpu)| **cpu > 0.0) {
        add_stack(stacks, (*stack, *cpu), &is_large, &mut paths);
    }
    let mut found: Vec<(FunctionIndex, Scattered)> = Vec::new();
    for (function, paths) in paths {
        let ratio = paths.total_ns / all_ns;
        let largest = paths.by_caller.values().copied().fold(0.0, f64::max) / paths.total_ns;
        if ratio >= SMALLEST_RATIO && paths.by_caller.len() >= FEWEST_PATHS && largest < LARGEST_PATH {
            let name = stacks.tables.functions.display_name[function.row()].clone();
            found.push((
                function,
                Scattered {
                    function: name,
                    ratio,
                    paths_count: paths.by_caller.len(),
                    largest_path_ratio: largest,
                    finding: None,
                },
            ));
        }
    }
    found.sort_by(|a, b| b.1.ratio.total_cmp(&a.1.ratio).then(a.0.cmp(&b.0)));
    found.truncate(LIMIT);
    found.into_iter().map(|(_, scattered)| scattered).collect()
}

/// Functions with a large inclusive share. Callers are distinguished only for these few functions.
fn large_functions(stacks: &Stacks<'_>, observed: &[StackIndex], sums: &Sums, all_ns: f64) -> Vec<bool> {
    let count = stacks.tables.functions.display_name.len();
    let (mut inclusive, mut last_stack) = (vec![0.0; count], vec![u32::MAX; count]);
    for (number, (stack, cpu)) in
        observed.iter().zip(&sums.cpu_by_stack).enumerate().filter(|(_, (_, cpu))| **cpu > 0.0)
    {
        for row in stacks.upwards(*stack) {
            let function = stacks.function(row).row();
            // A recursive function is counted only once per stack.
            if last_stack[function] != number as u32 {
                last_stack[function] = number as u32;
                inclusive[function] += cpu;
            }
        }
    }
    inclusive.into_iter().map(|cpu| cpu >= SMALLEST_RATIO * all_ns).collect()
}

/// Adds the outermost call of each application function. Also adds the call from the deepest application frame to the
/// function directly below it.
fn add_stack(
    stacks: &Stacks<'_>,
    (stack, cpu): (StackIndex, f64),
    is_large: &[bool],
    paths: &mut FxHashMap<FunctionIndex, Paths>,
) {
    let application = stacks.application[stack.row()];
    if application == NONE {
        return;
    }
    let mut seen: Vec<(FunctionIndex, Line)> = Vec::new();
    let mut callee: Option<StackIndex> = None;
    for row in stacks.upwards(stack) {
        if stacks.role(row).is_application() {
            if let Some(callee) = callee.filter(|callee| is_large[stacks.function(*callee).row()]) {
                let function = stacks.function(callee);
                // The loop goes towards the root, so the outermost call of a function remains.
                seen.retain(|(other, _)| *other != function);
                seen.push((function, (stacks.function(row), stacks.line(row))));
            }
            callee = Some(row);
        } else if row.0 > application {
            callee = Some(row);
        }
    }
    for (function, caller) in seen {
        let paths = paths.entry(function).or_default();
        paths.total_ns += cpu;
        *paths.by_caller.entry(caller).or_default() += cpu;
    }
}
