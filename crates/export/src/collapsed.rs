//! Writes collapsed stacks. Each line contains one stack, its frames from root to leaf, and its weight. Lines are in
//! the order of the tree.
//!
//! ```text
//! A.main(java.lang.String[])_[0];A.work(int)_[j];do_syscall_64_[k] 42
//! ```
//!
//! Frame names end with the suffixes of async-profiler. Flame graph tools choose colours by these suffixes: `_[0]`
//! interpreted, `_[1]` C1, `_[j]` compiled, `_[i]` inlined, `_[k]` kernel. The format contains no threads, times or
//! lines.

use crate::frame_kinds::frame_kinds;
use crate::shown::ShownSamples;
use std::collections::BTreeMap;
use std::fmt::Write;
use whittle_model::{FrameKind, FunctionKind};

/// Writes the stacks with the first metric. Stacks without weight are left out.
pub(crate) fn write(shown: &ShownSamples<'_>) -> String {
    let mut by_node: BTreeMap<u32, u64> = BTreeMap::new();
    for row in &shown.rows {
        let weight = shown.weight(*row, &shown.metrics[0]);
        if weight > 0 {
            let sum = by_node.entry(shown.node(*row)).or_default();
            *sum = sum.saturating_add(weight);
        }
    }
    let kinds = frame_kinds(shown);
    let mut text = String::new();
    for (node, weight) in by_node {
        push_path(&mut text, shown, (node, &kinds));
        // Writing to a string cannot fail.
        let _ = writeln!(text, " {weight}");
    }
    text
}

fn push_path(text: &mut String, shown: &ShownSamples<'_>, (leaf, kinds): (u32, &[FrameKind])) {
    let tree = &shown.reduction.tree;
    let mut nodes: Vec<u32> = std::iter::successors(Some(leaf), |node| Some(tree.parent[*node as usize]))
        .take_while(|node| *node != whittle_profile::entity_tree::ROOT)
        .collect();
    nodes.reverse();
    if nodes.is_empty() {
        nodes.push(leaf);
    }
    for (position, node) in nodes.into_iter().enumerate() {
        if position > 0 {
            text.push(';');
        }
        let function = shown.function(tree.entity[node as usize]);
        text.extend(function.name.chars().map(in_a_frame));
        text.push_str(suffix(function.kind, kinds[node as usize]));
    }
}

/// Replaces semicolons and line ends, because they would start another frame or stack.
fn in_a_frame(character: char) -> char {
    match character {
        ';' => '|',
        character if character.is_control() => ' ',
        character => character,
    }
}

fn suffix(function: FunctionKind, frame: FrameKind) -> &'static str {
    match (function, frame) {
        (FunctionKind::Kernel, _) => "_[k]",
        (FunctionKind::Java, FrameKind::Interpreted) => "_[0]",
        (FunctionKind::Java, FrameKind::C1) => "_[1]",
        (FunctionKind::Java, FrameKind::Inlined) => "_[i]",
        (FunctionKind::Java, _) => "_[j]",
        _ => "",
    }
}
