//! Finds how the code at each shown node was executing, for example interpreted, compiled or inlined.
//!
//! In a tree of functions or lines, interpreted and compiled frames of one method share a node. Of the stacks that
//! contain the node, the stack with the most samples determines the node's kind.

use crate::shown::ShownSamples;
use whittle_model::{FrameKind, FrameTable, StackIndex};
use whittle_profile::entity_tree::ROOT;
use whittle_profile::reduction::Place;
use whittle_profile::shown_frames::usual_kind;

/// The kind of every node of the tree.
pub(crate) fn frame_kinds(shown: &ShownSamples<'_>) -> Vec<FrameKind> {
    let tree = &shown.reduction.tree;
    let mut kinds: Vec<Option<FrameKind>> = vec![None; tree.len()];
    kinds[ROOT as usize] = Some(FrameKind::Pseudo);
    for observed in observed_by_sample_count(shown) {
        let Some(node) = shown.reduction.node_of_stack(observed) else { continue };
        mark_path(shown, (node, shown.profile.observed_stacks()[observed]), &mut kinds);
    }
    let of_node = |(node, kind): (usize, Option<FrameKind>)| kind.unwrap_or_else(|| kind_of_function(shown, node));
    kinds.into_iter().enumerate().map(of_node).collect()
}

/// The observed stacks of the kept samples, sorted by number of samples, the largest first.
fn observed_by_sample_count(shown: &ShownSamples<'_>) -> Vec<usize> {
    let samples = shown.profile.samples();
    let mut counts = vec![0_u64; shown.profile.observed_stacks().len()];
    shown.rows.iter().for_each(|row| counts[samples.observed[*row] as usize] += 1);
    let mut observed: Vec<usize> = (0..counts.len()).filter(|stack| counts[*stack] > 0).collect();
    observed.sort_by_key(|stack| std::cmp::Reverse(counts[*stack]));
    observed
}

/// Sets the kinds of the nodes on a shown path from the frames of an observed stack, starting at the leaf. If a node
/// already has a kind, all nodes above it have kinds too.
fn mark_path(shown: &ShownSamples<'_>, (leaf, stack): (u32, StackIndex), kinds: &mut [Option<FrameKind>]) {
    let tree = &shown.reduction.tree;
    let (mut node, mut frames) = (leaf, stack);
    while kinds[node as usize].is_none() {
        let place = shown.place(tree.entity[node as usize]);
        let found = find_frame(shown, frames, place);
        kinds[node as usize] = Some(found.map_or_else(|| kind_of_function(shown, node as usize), |(kind, _)| kind));
        frames = found.map_or(frames, |(_, above)| above);
        node = tree.parent[node as usize];
    }
}

/// The kind of the innermost frame at `place`, and the stack above this frame. The view's pseudo-functions have no
/// frame, so they have no kind.
fn find_frame(shown: &ShownSamples<'_>, stack: StackIndex, place: Place) -> Option<(FrameKind, StackIndex)> {
    let tables = shown.profile.tables();
    shown.profile.names().row(place.function)?;
    let mut stack = stack;
    while stack != StackIndex::ROOT {
        let frame = tables.stacks.frame[stack.row()].row();
        let above = tables.stacks.parent[stack.row()];
        if is_at(&tables.frames, frame, place) {
            return Some((tables.frames.kind[frame], above));
        }
        stack = above;
    }
    None
}

fn is_at(frames: &FrameTable, frame: usize, place: Place) -> bool {
    let is_line = place.line.is_none_or(|line| frames.line[frame] == Some(line));
    let is_index = place.bytecode_index.is_none_or(|index| frames.bytecode_index[frame] == Some(index));
    frames.function[frame].0 == place.function && is_line && is_index
}

/// The kind of a node if only its function is known.
fn kind_of_function(shown: &ShownSamples<'_>, node: usize) -> FrameKind {
    usual_kind(shown.function(shown.reduction.tree.entity[node]).kind)
}
