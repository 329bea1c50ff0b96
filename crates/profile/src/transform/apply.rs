//! Applies transforms: creates a new tree from a tree of shown stacks.
//!
//! Each stack is read from its root to its leaf. The state contains a node of the new tree. Each frame changes the
//! state. Stacks share frames near the root, so one pass over the nodes of the old tree reads all stacks.

use crate::entity_tree::{ROOT, RawTree, first_occurrences};
use crate::reduction::{Place, Reduction};
use crate::target::Members;
use crate::transform::Transform;
use crate::transform::built::{NONE, entity_of, finished};
use crate::transform::fold::fold;
use crate::transform::language::Action;

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
        if let (Action::FoldFrameworks(opened), Some(first_name)) = (&self.action, members.group) {
            return fold(old, (members, first_name), opened);
        }
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
        finished(old, tree, places, &nodes)
    }
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
