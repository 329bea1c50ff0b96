//! Finds the child of a stack by the child's leaf frame. This is the inner loop of every import.
//!
//! Most stacks have one to three children. The rows of these children are usually close to their parent's row in
//! memory, because they were added soon after their parent. So the first children of a stack form a short linked list
//! of rows. A hash table for all children would be several times larger, and each lookup would wait for memory. The
//! hash table contains only the children that are in no list.
//!
//! ```text
//! row  first_child  next_sibling
//!   1            2             0
//!   2            0             3      children of 1: 2, 3
//!   3            0             0
//! ```

use crate::{FrameIndex, StackIndex};
use rustc_hash::FxHashMap;

/// Maximum number of children in the list of a stack. Following a longer list costs more than a lookup in the hash
/// table.
const LIST_LENGTH: usize = 12;

/// Means "no row": the root is never a child.
const NONE: StackIndex = StackIndex::ROOT;

/// The children of all stacks.
#[derive(Debug, Default)]
pub(crate) struct ChildIndex {
    /// For each row: the first row of its list of children.
    first_child: Vec<StackIndex>,
    /// For each row: the next row in the same list.
    next_sibling: Vec<StackIndex>,
    /// The children that are in no list.
    others: FxHashMap<(StackIndex, FrameIndex), StackIndex>,
}

impl ChildIndex {
    /// Makes room for the stack that was added last.
    pub(crate) fn add_row(&mut self) {
        self.first_child.push(NONE);
        self.next_sibling.push(NONE);
    }

    /// Finds the child of `parent` with this leaf frame. `frames` contains the leaf frame of every stack. If `parent`
    /// does not have this child, the row `next` becomes the child. Then the caller must add the row `next`.
    #[inline]
    pub(crate) fn find_or_insert(
        &mut self,
        (parent, frame): (StackIndex, FrameIndex),
        next: StackIndex,
        frames: &[FrameIndex],
    ) -> StackIndex {
        let mut last = NONE;
        let mut child = self.first_child[parent.row()];
        for _ in 0..LIST_LENGTH {
            if child == NONE {
                let link =
                    if last == NONE { &mut self.first_child[parent.row()] } else { &mut self.next_sibling[last.row()] };
                *link = next;
                return next;
            }
            if frames[child.row()] == frame {
                return child;
            }
            last = child;
            child = self.next_sibling[child.row()];
        }
        *self.others.entry((parent, frame)).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_found_in_lists_and_beyond() {
        let mut index = ChildIndex::default();
        index.add_row();
        let mut frames = vec![FrameIndex(0)];
        // Two parents: the root and row 1, each with more children than a list can hold.
        for round in 0..2 {
            for frame in 1..=40 {
                for parent in [StackIndex(0), StackIndex(1)] {
                    let next = StackIndex::from_row(frames.len());
                    let child = index.find_or_insert((parent, FrameIndex(frame)), next, &frames);
                    assert_eq!(child == next, round == 0, "frame {frame} on {parent:?}");
                    if child == next {
                        index.add_row();
                        frames.push(FrameIndex(frame));
                    }
                    assert_eq!(frames[child.row()], FrameIndex(frame));
                }
            }
        }
        assert_eq!(frames.len(), 81);
        assert_eq!(index.others.len(), 2 * (40 - LIST_LENGTH));
    }
}
