//! The boxes of a stack chart: a function for the time between samples with the same frames up to this row.

use crate::stack_chart::runs::Run;
use whittle_profile::entity_tree::{EntityTree, ROOT};

/// Bit of [`ChartBoxes::flags`]: the thread only waited.
const WAITS: u8 = 4;

/// Largest number of boxes in an answer. Deeper rows are left out.
const MOST_BOXES: usize = 1_000_000;

/// Boxes by row, then by time. All vectors have one element per box.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChartBoxes {
    /// Node of the tree of shown stacks.
    pub node: Vec<u32>,
    /// Number of the function.
    pub function: Vec<u32>,
    /// Number of rows above the box.
    pub row: Vec<u32>,
    /// Nanoseconds since the experiment's start.
    pub start_ns: Vec<u64>,
    /// End, after the start.
    pub end_ns: Vec<u64>,
    /// 4 if the thread only waited in this time, otherwise 0.
    pub flags: Vec<u8>,
}

/// A box of one row that can still become longer.
#[derive(Debug, Clone, Copy)]
struct Open {
    node: u32,
    /// Whether the row is the last one of a wait.
    ends_in_wait: bool,
    start_ns: u64,
    end_ns: u64,
    only_waits: bool,
}

/// The boxes of runs, and whether deeper rows were left out.
pub(crate) fn boxes(runs: &[Run], tree: &EntityTree) -> (ChartBoxes, bool) {
    let paths: Vec<Vec<u32>> = runs.iter().map(|run| path_root_first(tree, run.node)).collect();
    let row_count = paths.iter().map(Vec::len).max().unwrap_or(0);
    let mut boxes = ChartBoxes::default();
    for row in 0..row_count {
        if boxes.node.len() > MOST_BOXES {
            return (boxes, true);
        }
        boxes.add_row(row, (runs, &paths), tree);
    }
    (boxes, false)
}

fn path_root_first(tree: &EntityTree, node: u32) -> Vec<u32> {
    let up = |node: &u32| Some(tree.parent[*node as usize]).filter(|up| *up != ROOT);
    let mut path: Vec<u32> = std::iter::successors(Some(node).filter(|node| *node != ROOT), up).collect();
    path.reverse();
    path
}

impl ChartBoxes {
    fn add_row(&mut self, row: usize, (runs, paths): (&[Run], &[Vec<u32>]), tree: &EntityTree) {
        let mut open: Option<Open> = None;
        for (index, run) in runs.iter().enumerate() {
            let box_of_run = paths[index].get(row).map(|node| Open {
                node: *node,
                ends_in_wait: run.is_wait && paths[index].len() == row + 1,
                start_ns: run.start_ns,
                end_ns: run.end_ns,
                only_waits: run.is_wait,
            });
            let touches = index > 0 && runs[index - 1].touches(run);
            let known = open.take();
            open = match (known, box_of_run) {
                (Some(known), Some(new)) if touches && known.continues_in(&new) => {
                    Some(Open { end_ns: new.end_ns, only_waits: known.only_waits && new.only_waits, ..known })
                }
                (known, new) => {
                    known.into_iter().for_each(|known| self.push(row, known, tree));
                    new
                }
            };
        }
        open.into_iter().for_each(|last| self.push(row, last, tree));
    }

    fn push(&mut self, row: usize, new: Open, tree: &EntityTree) {
        self.node.push(new.node);
        self.function.push(tree.entity[new.node as usize]);
        self.row.push(row as u32);
        self.start_ns.push(new.start_ns);
        self.end_ns.push(new.end_ns);
        self.flags.push(if new.only_waits { WAITS } else { 0 });
    }
}

impl Open {
    /// Whether the box of the next run belongs to this box. The end of a wait's stack is a separate box, so that the wait is
    /// visible also if the same function computes before and after the wait.
    fn continues_in(&self, next: &Self) -> bool {
        (self.node, self.ends_in_wait) == (next.node, next.ends_in_wait)
    }
}
