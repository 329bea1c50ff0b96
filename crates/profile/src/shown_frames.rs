//! Finds the recorded frame of each shown frame. The recorded frame contains the kind, the line and the bytecode index.
//!
//! View modes and transforms remove frames. They also add frames that were never recorded, such as `java.util.*`. So
//! both stacks are read from the leaf towards the root. Each shown function gets the innermost recorded frame of this
//! function that is not paired yet.

use crate::entity_tree::{EntityTree, ROOT};
use crate::reduction::Reduction;
use whittle_model::{FrameIndex, FrameKind, FunctionKind, StackIndex, Tables};

/// Used if a node or a recorded frame has no counterpart.
const NO_ROW: u32 = u32::MAX;

/// Pairs the frames of one shown stack, leaf first. If a node's frame was recorded, the node gets the frame's row in
/// the stack table.
pub fn frames_leaf_first(
    (tables, tree): (&Tables, &EntityTree),
    stack: StackIndex,
    node: u32,
) -> Vec<(u32, Option<FrameIndex>)> {
    let mut row = stack;
    let is_node = |node: &u32| *node != ROOT;
    let nodes =
        std::iter::successors(Some(node).filter(is_node), |node| Some(tree.parent[*node as usize]).filter(is_node));
    nodes
        .map(|node| {
            let found = next_row_of(tables, row, tree.entity[node as usize]);
            row = found.map_or(row, |found| tables.stacks.parent[found.row()]);
            (node, found.map(|found| tables.stacks.frame[found.row()]))
        })
        .collect()
}

/// The first row with a frame of the function, from `row` towards the root.
fn next_row_of(tables: &Tables, row: StackIndex, function: u32) -> Option<StackIndex> {
    if function as usize >= tables.functions.display_name.len() {
        return None;
    }
    let outward = |row: &StackIndex| Some(tables.stacks.parent[row.row()]).filter(|up| *up != StackIndex::ROOT);
    let rows = std::iter::successors(Some(row).filter(|row| *row != StackIndex::ROOT), outward);
    rows.into_iter().find(|row| tables.frames.function[tables.stacks.frame[row.row()].row()].0 == function)
}

/// The number of a frame kind in flame graphs.
pub fn kind_code(kind: FrameKind) -> u8 {
    match kind {
        FrameKind::Pseudo => 0,
        FrameKind::Jit => 1,
        FrameKind::Interpreted => 2,
        FrameKind::C1 => 3,
        FrameKind::Inlined => 4,
        FrameKind::Jvm => 5,
        FrameKind::Native => 6,
        FrameKind::Kernel => 7,
        FrameKind::Stub => 8,
        FrameKind::Truncated => 9,
    }
}

/// The kind of a function's frames if there is no recorded frame.
pub fn usual_kind(kind: FunctionKind) -> FrameKind {
    match kind {
        FunctionKind::Pseudo => FrameKind::Pseudo,
        FunctionKind::Java => FrameKind::Jit,
        FunctionKind::Native => FrameKind::Native,
        FunctionKind::Jvm => FrameKind::Jvm,
        FunctionKind::Kernel => FrameKind::Kernel,
        FunctionKind::Stub => FrameKind::Stub,
    }
}

/// Number of frame kinds.
const KIND_COUNT: usize = 10;

/// For each node, the code of the frame kind with the most weight. `by_stack` contains one weight per observed stack,
/// and `usual` is the code for a node without recorded frames.
pub fn dominant_kinds(
    (tables, reduction): (&Tables, &Reduction),
    (observed, by_stack): (&[StackIndex], &[f64]),
    usual: impl Fn(u32) -> u8,
) -> Vec<u8> {
    let tree = &reduction.tree;
    let kinds_of_functions = kinds_of_functions(tables);
    let occurring = (0..).zip(&reduction.occurs).filter(|(_, occurs)| **occurs).map(|(entity, _)| entity);
    let of_entity = |entity: u32| match kinds_of_functions.get(entity as usize) {
        Some(KindOfFunction::Always(kind)) => *kind,
        _ => usual(entity),
    };
    let mut by_entity = vec![0; reduction.places.len()];
    occurring.clone().for_each(|entity| by_entity[entity as usize] = of_entity(entity));
    let mut kinds: Vec<u8> = tree.entity.iter().map(|entity| by_entity[*entity as usize]).collect();
    let is_mixed = |entity: u32| matches!(kinds_of_functions.get(entity as usize), Some(KindOfFunction::Mixed));
    // Each node of a recorded function represents a recorded frame of the function. So only functions with frames of
    // different kinds must be examined.
    if !occurring.clone().any(is_mixed) {
        return kinds;
    }
    let node_of_row = node_of_rows(tables, reduction, observed);
    let weight_of_row = weight_of_rows(tables, observed, by_stack);
    let mut best = vec![-1.0_f32; tree.len()];
    let mut mixed: rustc_hash::FxHashMap<u32, [f64; KIND_COUNT]> = rustc_hash::FxHashMap::default();
    let rows = node_of_row.iter().enumerate().filter(|(_, node)| **node != NO_ROW);
    for (row, node) in rows.filter(|(_, node)| is_mixed(tree.entity[**node as usize])) {
        let kind = kind_code(tables.frames.kind[tables.stacks.frame[row].row()]);
        let (known, sum) = (&mut kinds[*node as usize], &mut best[*node as usize]);
        let weight = weight_of_row[row];
        if let Some(sums) = mixed.get_mut(node) {
            sums[usize::from(kind)] += weight;
        } else if *sum < 0.0 || *known == kind {
            (*known, *sum) = (kind, sum.max(0.0) + weight as f32);
        } else {
            let mut sums = [0.0; KIND_COUNT];
            sums[usize::from(*known)] = f64::from(*sum);
            sums[usize::from(kind)] += weight;
            mixed.insert(*node, sums);
        }
    }
    for (node, sums) in mixed {
        let heaviest = (0..KIND_COUNT).max_by(|a, b| sums[*a].total_cmp(&sums[*b]).then(b.cmp(a)));
        kinds[node as usize] = heaviest.unwrap_or(0) as u8;
    }
    kinds
}

/// The kinds of a function's frames.
#[derive(Debug, Clone, Copy)]
enum KindOfFunction {
    NoFrame,
    /// The code, if all frames of the function have the same kind.
    Always(u8),
    Mixed,
}

/// Per row of functions, the kinds of its frames.
fn kinds_of_functions(tables: &Tables) -> Vec<KindOfFunction> {
    let mut kinds = vec![KindOfFunction::NoFrame; tables.functions.display_name.len()];
    for (function, kind) in tables.frames.function.iter().zip(&tables.frames.kind) {
        let (known, kind) = (&mut kinds[function.row()], kind_code(*kind));
        *known = match *known {
            KindOfFunction::NoFrame => KindOfFunction::Always(kind),
            KindOfFunction::Always(same) if same == kind => *known,
            _ => KindOfFunction::Mixed,
        };
    }
    kinds
}

/// Per row of stacks, the node that shows its frame, or [`NO_ROW`]. Frames near the root that several stacks share are
/// read only once.
fn node_of_rows(tables: &Tables, reduction: &Reduction, observed: &[StackIndex]) -> Vec<u32> {
    let (stacks, tree) = (&tables.stacks, &reduction.tree);
    let mut node_of_row = vec![NO_ROW; stacks.parent.len()];
    // Per row, the position in the shown stack when the row was reached.
    let mut reached = vec![NO_ROW; stacks.parent.len()];
    let function_count = tables.functions.display_name.len() as u32;
    for (stack, end) in observed.iter().zip(&reduction.end_of_stack) {
        let Some(end_node) = reduction.node_of_end.get(*end as usize) else { continue };
        let (mut row, mut node) = (*stack, *end_node);
        while row != StackIndex::ROOT && node != ROOT {
            if tree.entity[node as usize] >= function_count {
                node = tree.parent[node as usize];
                continue;
            }
            if reached[row.row()] == node {
                break;
            }
            reached[row.row()] = node;
            if tables.frames.function[stacks.frame[row.row()].row()].0 == tree.entity[node as usize] {
                node_of_row[row.row()] = node;
                node = tree.parent[node as usize];
            }
            row = stacks.parent[row.row()];
        }
    }
    node_of_row
}

/// Per row of stacks, the weight of the stacks that contain the row.
fn weight_of_rows(tables: &Tables, observed: &[StackIndex], by_stack: &[f64]) -> Vec<f64> {
    let parents = &tables.stacks.parent;
    let mut weights = vec![0.0; parents.len()];
    for (stack, weight) in observed.iter().zip(by_stack) {
        weights[stack.row()] += weight;
    }
    for row in (1..parents.len()).rev() {
        weights[parents[row].row()] += weights[row];
    }
    weights
}
