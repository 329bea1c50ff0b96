//! Applies transforms: creates a new tree from a tree of shown stacks.
//!
//! Each stack is read from its root to its leaf. The state contains a node of the new tree. Each frame changes the
//! state. Stacks share frames near the root, so one pass over the nodes of the old tree reads all stacks.

use crate::entity_tree::{ROOT, RawTree, first_occurrences};
use crate::reduction::{LEFT_OUT, Place, Reduction};
use crate::target::Members;
use crate::transform::Transform;
use crate::transform::language::Action;

/// Used if there is no node.
const NONE: u32 = u32::MAX;

/// The state after reading a part of a stack.
#[derive(Debug, Clone, Copy)]
struct Reading {
    /// The node of the shown part. [`NONE`] if the stack is outside the focus or was removed.
    node: u32,
    /// The state of the transform. Its meaning depends on the transform.
    mark: Mark,
}

/// The state of a transform in a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    Nothing,
    /// The last frame is one of the frames that are collapsed.
    Inside,
    /// The function has occurred. Its outermost frame is below this node.
    Below(u32),
}

struct Applying<'a> {
    transform: &'a Transform,
    is_member: &'a [bool],
    /// The entity of the frame that replaces a package or binary.
    group_entity: u32,
    places: &'a [Place],
    tree: RawTree,
}

impl Transform {
    /// The stacks of a reduction after this transform.
    pub fn apply(&self, old: &Reduction, members: &Members) -> Reduction {
        let mut places = old.places.clone();
        let group_entity = members.group.map_or(0, |group| entity_of(&mut places, group));
        let is_first = match self.action {
            // In a tree of lines, the same function can occur with different lines.
            Action::CollapseRecursion(None) => first_occurrences(&old.tree, |entity| places[entity as usize].function),
            _ => Vec::new(),
        };
        let tree = RawTree::new(old.tree.entity[ROOT as usize], old.tree.len());
        let mut applying =
            Applying { transform: self, is_member: &members.is_member, group_entity, places: &places, tree };
        let nodes = applying.read_all(old, &is_first);
        let tree = applying.tree;
        let mut ends: Vec<u32> = old.node_of_end.iter().map(|node| nodes[*node as usize]).collect();
        drop(nodes);
        let is_kept: Vec<bool> = ends.iter().map(|node| *node != NONE).collect();
        let mut kept: Vec<u32> = ends.iter().copied().filter(|node| *node != NONE).collect();
        let tree = tree.finish(&mut kept);
        let mut kept = kept.into_iter();
        for (end, is_kept) in ends.iter_mut().zip(is_kept) {
            *end = if is_kept { kept.next().unwrap_or(LEFT_OUT) } else { LEFT_OUT };
        }
        let node_of_stack = |end: &u32| ends.get(*end as usize).copied().unwrap_or(LEFT_OUT);
        let node_of_stack = old.end_of_stack.iter().map(node_of_stack).collect();
        Reduction::with_ends(tree, places, node_of_stack)
    }
}

/// The entity of a whole function, added if it is missing.
fn entity_of(places: &mut Vec<Place>, function: u32) -> u32 {
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

impl Applying<'_> {
    /// The state at each node of the old tree. `is_first` is empty if the transform does not need it.
    fn read_all(&mut self, old: &Reduction, is_first: &[bool]) -> Vec<u32> {
        let start = match self.transform.action {
            Action::Focus(_) => NONE,
            _ => ROOT,
        };
        // In depth-first order, the parent is the last visited node one level up.
        let mut by_level = vec![Reading { node: start, mark: Mark::Nothing }];
        let mut nodes = Vec::with_capacity(old.tree.len());
        nodes.push(start);
        let frames = old.tree.depth.iter().zip(&old.tree.entity).enumerate();
        for (node, (depth, entity)) in frames.skip(1) {
            let level = *depth as usize;
            let is_first = is_first.get(node).copied().unwrap_or(true);
            let reading = self.next(by_level[level - 1], *entity, is_first);
            by_level.truncate(level);
            by_level.push(reading);
            nodes.push(reading.node);
        }
        nodes
    }

    /// Reads one more frame.
    fn next(&mut self, above: Reading, entity: u32, is_first: bool) -> Reading {
        let is_member = self.is_member[self.places[entity as usize].function as usize];
        match (&self.transform.action, is_member) {
            (Action::Focus(_), true) if above.node == NONE => self.shown(ROOT, entity),
            (Action::Merge(_), true) => above,
            (Action::Hide(_), true) => Reading { node: NONE, ..above },
            (Action::Collapse(_), true) if above.mark == Mark::Inside => above,
            (Action::Collapse(_), true) => Reading { mark: Mark::Inside, ..self.shown(above.node, self.group_entity) },
            (Action::CollapseRecursion(Some(_)), true) => {
                let below = if let Mark::Below(node) = above.mark { node } else { above.node };
                Reading { mark: Mark::Below(below), ..self.shown(below, entity) }
            }
            (Action::CollapseRecursion(Some(_)), false) => {
                Reading { mark: above.mark, ..self.shown(above.node, entity) }
            }
            (Action::CollapseRecursion(None), _) if !is_first => {
                self.shown(self.above_same(above.node, entity), entity)
            }
            _ if above.node == NONE => above,
            _ => self.shown(above.node, entity),
        }
    }

    fn shown(&mut self, below: u32, entity: u32) -> Reading {
        Reading { node: self.tree.add(below, entity), mark: Mark::Nothing }
    }

    /// Finds the innermost node on the path to `node` that shows the entity's function, and returns this node's parent.
    /// If the path has no such node, returns `node` itself. This happens if the recorded recursion has lost its outer
    /// frame.
    fn above_same(&self, node: u32, entity: u32) -> u32 {
        let function = |entity: u32| self.places[entity as usize].function;
        let mut up = node;
        while up != ROOT {
            if function(self.tree.entity(up)) == function(entity) {
                return self.tree.parent(up);
            }
            up = self.tree.parent(up);
        }
        node
    }
}
