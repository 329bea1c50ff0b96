//! Folds the frames of frameworks between the root and the program's own code, and between own code and own code.
//!
//! ```text
//! recorded                                             folded
//! Thread.run                                           Thread.run
//!   NioEndpoint$SocketProcessor.doRun                    <18 framework frames>
//!     …                                                    Http11InputBuffer.parseHeaders
//!       Http11Processor.service                            shop.Orders.list
//!         Http11InputBuffer.parseHeaders                     OrderRepository$Proxy.find
//!         …                                                    <12 framework frames>
//!           shop.Orders.list                                     shop.Order.read
//! ```
//!
//! Only frames on the way to own code are folded. Code of a framework that leads to no own code stays visible: most of the
//! framework's own cost is there. The folded frame has the rest. The first framework frame that own code calls also stays visible: it says what own code calls.

use crate::entity_tree::{EntityTree, ROOT, RawTree};
use crate::folded_names::{FEWEST_FRAMES, MOST_FRAMES};
use crate::frameworks::{is_framework, is_jdk, is_library};
use crate::reduction::{FunctionNames, Place, Reduction, UnfoldedNodes};
use crate::target::Members;
use crate::transform::built::{entity_of, with_new_ends};
use rustc_hash::FxHashSet;
use whittle_model::FunctionKind;

/// The functions that folding distinguishes. Own code is Java code that is not of the JDK, a known framework or a known library.
pub(super) fn framework_members(names: FunctionNames<'_>) -> Members {
    let java = |function: u32| {
        let row = names.row(function).filter(|_| names.kind(function) == FunctionKind::Java)?;
        Some(names.tables.functions.internal_name[row].as_str())
    };
    let of_framework = |function: u32| java(function).is_some_and(is_framework);
    let own =
        |function: u32| java(function).is_some_and(|name| !is_framework(name) && !is_library(name) && !is_jdk(name));
    Members {
        is_member: (0..names.count()).map(of_framework).collect(),
        is_own: (0..names.count()).map(own).collect(),
        group: Some(names.of_folded(0)),
    }
}

/// Folds the runs of framework frames in all stacks. `first_name` is the function of the shortest run's name. A folded frame
/// with one of the nodes in `opened` stays unfolded.
pub(super) fn fold(old: &Reduction, (members, first_name): (&Members, u32), opened: &[u32]) -> Reduction {
    let mut folding =
        Folding { old, places: old.places.clone(), runs: Runs::new(&old.tree, &old.places, members), first_name };
    let mut folded = folding.fold(|_| false);
    if !opened.is_empty() {
        let opened: FxHashSet<u32> =
            opened.iter().filter_map(|node| folded.nodes.get(*node as usize).copied()).collect();
        let nodes = std::mem::take(&mut folded.nodes);
        folded = folding.fold(|node| opened.contains(&nodes[node]));
    }
    let Folded { tree, nodes } = folded;
    let ends: Vec<u32> = old.node_of_end.iter().map(|node| nodes[*node as usize]).collect();
    let mut first = vec![ROOT; tree.len()];
    for (node, shown_by) in nodes.iter().enumerate().rev() {
        first[*shown_by as usize] = node as u32;
    }
    let unfolded = Some(UnfoldedNodes { first, shown_by: nodes });
    Reduction { unfolded, ..with_new_ends(old, tree, folding.places, &ends) }
}

struct Folding<'a> {
    old: &'a Reduction,
    places: Vec<Place>,
    runs: Runs,
    first_name: u32,
}

/// A tree with folded frames, and the node in it of each old node.
struct Folded {
    tree: EntityTree,
    nodes: Vec<u32>,
}

impl Folding<'_> {
    /// Folds all runs but those for whose first node `is_opened` is true.
    fn fold(&mut self, is_opened: impl Fn(usize) -> bool) -> Folded {
        let Self { old, places, runs, first_name } = self;
        let mut tree = RawTree::new(old.tree.entity[ROOT as usize], old.tree.len());
        let mut nodes: Vec<u32> = Vec::with_capacity(old.tree.len());
        let mut is_open = vec![false; old.tree.len()];
        nodes.push(ROOT);
        for node in 1..old.tree.len() {
            let above = old.tree.parent[node] as usize;
            let (length, continues) = (runs.length[node], runs.length[above] > 0);
            is_open[node] = length > 0 && if continues { is_open[above] } else { is_opened(node) };
            nodes.push(if length == 0 || is_open[node] {
                tree.add(nodes[above], old.tree.entity[node])
            } else if continues {
                nodes[above]
            } else {
                tree.add(nodes[above], entity_of(places, *first_name + length - FEWEST_FRAMES))
            });
        }
        let tree = tree.finish(&mut nodes);
        Folded { tree, nodes }
    }
}

/// The runs of frames that are folded.
struct Runs {
    /// Per node: the length of the longest run through its first frame, at most [`MOST_FRAMES`]; 0: the node is not folded.
    length: Vec<u32>,
}

impl Runs {
    fn new(tree: &EntityTree, places: &[Place], members: &Members) -> Self {
        let has = |set: &[bool], node: usize| set[places[tree.entity[node] as usize].function as usize];
        let is_own = |node: usize| node != ROOT as usize && has(&members.is_own, node);
        let leads_to_own = leads_to_own(tree, is_own);
        let is_between = |node: usize| node != ROOT as usize && leads_to_own[node] && !is_own(node);
        // The number of frames from a node to the end of the longest run below it.
        let mut rest = vec![0_u32; tree.len()];
        for node in (1..tree.len()).rev().filter(|node| is_between(*node)) {
            rest[node] += 1;
            let above = tree.parent[node] as usize;
            rest[above] = rest[above].max(rest[node]);
        }
        let mut length = vec![0; tree.len()];
        for node in 1..tree.len() {
            let above = tree.parent[node] as usize;
            if !is_between(node) {
                continue;
            }
            let begins = has(&members.is_member, node) && !is_own(above) && rest[node] >= FEWEST_FRAMES;
            length[node] = match length[above] {
                0 if begins => rest[node].min(MOST_FRAMES),
                of_run => of_run,
            };
        }
        Self { length }
    }
}

/// Per node, true if own code is below it.
fn leads_to_own(tree: &EntityTree, is_own: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut leads = vec![false; tree.len()];
    for node in (1..tree.len()).rev() {
        if leads[node] || is_own(node) {
            leads[tree.parent[node] as usize] = true;
        }
    }
    leads
}
