//! Makes a reduction from the new tree of a transform.

use crate::entity_tree::{EntityTree, RawTree};
use crate::reduction::{LEFT_OUT, Place, Reduction};

/// Used if there is no node.
pub(super) const NONE: u32 = u32::MAX;

/// The reduction with a new tree. `nodes` has the new node of each old node; [`NONE`]: the node was removed.
pub(super) fn finished(old: &Reduction, tree: RawTree, places: Vec<Place>, nodes: &[u32]) -> Reduction {
    let mut ends: Vec<u32> = old.node_of_end.iter().map(|node| nodes[*node as usize]).collect();
    let is_kept: Vec<bool> = ends.iter().map(|node| *node != NONE).collect();
    let mut kept: Vec<u32> = ends.iter().copied().filter(|node| *node != NONE).collect();
    let tree = tree.finish(&mut kept);
    let mut kept = kept.into_iter();
    for (end, is_kept) in ends.iter_mut().zip(is_kept) {
        *end = if is_kept { kept.next().unwrap_or(LEFT_OUT) } else { LEFT_OUT };
    }
    with_new_ends(old, tree, places, &ends)
}

/// The reduction with a finished new tree. `ends` has the new node of each old end; [`LEFT_OUT`]: the end was removed.
pub(super) fn with_new_ends(old: &Reduction, tree: EntityTree, places: Vec<Place>, ends: &[u32]) -> Reduction {
    let node_of_stack = |end: &u32| ends.get(*end as usize).copied().unwrap_or(LEFT_OUT);
    let node_of_stack = old.end_of_stack.iter().map(node_of_stack).collect();
    Reduction::with_ends(tree, places, node_of_stack)
}

/// The entity of a whole function, added if it is missing.
pub(super) fn entity_of(places: &mut Vec<Place>, function: u32) -> u32 {
    let place = Place::in_function(function);
    let is_it = |index: &usize| places[*index] == place;
    // In function trees, entities have the numbers of functions. In other trees, an earlier transform may have added
    // the entity.
    let known = Some(function as usize).filter(|index| *index < places.len()).filter(is_it);
    let known = known.or_else(|| places.iter().rposition(|known| *known == place));
    known.unwrap_or_else(|| {
        places.push(place);
        places.len() - 1
    }) as u32
}
