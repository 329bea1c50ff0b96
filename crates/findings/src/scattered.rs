//! Functions whose cost is large in sum though no single path to them is.
//!
//! A function is scattered if its inclusive share is at least 3 %, it is reached from many calling places of the
//! application, and the largest of these has less than a third of it. Only the application's own entries into other
//! code are looked at, that is the JDK functions that application frames call directly, and application functions that
//! are called from many others.

use super::candidates::Stacks;
use super::matching::NONE;
use super::sums::Sums;
use super::view::Scattered;
use rustc_hash::FxHashMap;
use whittle_model::{FunctionIndex, StackIndex};

/// A function with a smaller inclusive share is not looked at.
const SMALLEST_RATIO: f64 = 0.03;
/// Fewer paths are seen without being told.
const FEWEST_PATHS: usize = 6;
/// A larger path is seen from the top.
const LARGEST_PATH: f64 = 0.34;
/// Functions that are told.
const LIMIT: usize = 5;

/// A line of a function, however its code is executed.
type Line = (FunctionIndex, Option<u32>);

/// By function: the calls that lead to it, with CPU time.
#[derive(Default)]
struct Paths {
    /// By calling line.
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

/// Functions with a large inclusive share: few, so that only their callers are told apart.
fn large_functions(stacks: &Stacks<'_>, observed: &[StackIndex], sums: &Sums, all_ns: f64) -> Vec<bool> {
    let count = stacks.tables.functions.display_name.len();
    let (mut inclusive, mut last_stack) = (vec![0.0; count], vec![u32::MAX; count]);
    for (number, (stack, cpu)) in
        observed.iter().zip(&sums.cpu_by_stack).enumerate().filter(|(_, (_, cpu))| **cpu > 0.0)
    {
        for row in stacks.upwards(*stack) {
            let function = stacks.function(row).row();
            // A function that calls itself counts once a stack.
            if last_stack[function] != number as u32 {
                last_stack[function] = number as u32;
                inclusive[function] += cpu;
            }
        }
    }
    inclusive.into_iter().map(|cpu| cpu >= SMALLEST_RATIO * all_ns).collect()
}

/// Adds the outermost call of each application function, and of the function that application code enters last.
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
                // Towards the root: the outermost call of a function stays.
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
