//! Leaves out small stacks. If children of a node are too small by every metric, one frame `<left out>` replaces these
//! children and everything below them. Therefore all totals stay the same. A function that is spread over many small
//! stacks loses these stacks and their cost.
//!
//! ```text
//! main 100                 main 100
//! ├ write 98               ├ write 98
//! ├ log 1       becomes    └ <left out> 2
//! │ └ flush 1
//! └ read 1
//! ```

use whittle_model::{
    BinaryIndex, ContentHash, Frame, FrameIndex, FrameKind, Function, FunctionIndex, FunctionKind, LossReason,
    MetricDefinition, Stack, StackIndex, StackTable, Table, Tables,
};

/// The name of the pseudo-function for the removed stacks.
pub(super) const LEFT_OUT: &str = "<left out>";

/// Numbers of stacks before and after the cut.
pub(super) struct Cut {
    /// Number of stacks before the cut, without the empty stack.
    pub(super) stacks_before: usize,
    /// Number of remaining stacks.
    pub(super) stacks_left: usize,
}

/// Merges stacks into `<left out>` if their values are below `smallest_ratio` of the total by every metric. Then
/// removes frames and functions that are in no stack.
pub(super) fn cut_small_stacks(tables: &mut Tables, metrics: &[MetricDefinition], smallest_ratio: f64) -> Cut {
    let is_kept = large_enough(tables, metrics, smallest_ratio);
    let stacks_before = tables.stacks.len() - 1;
    let left_out = add_left_out_frame(tables);
    let old = std::mem::take(&mut tables.stacks);
    let mut stacks = StackTable::default();
    let mut new_row = vec![StackIndex::ROOT; old.len()];
    let mut left_out_below = vec![None; old.len()];
    let mut push = |parent: StackIndex, frame: FrameIndex, depth: u32| {
        stacks.push(Stack { parent, frame, depth, content_hash: ContentHash::ROOT });
        StackIndex::from_row(stacks.len() - 1)
    };
    for row in 0..old.len() {
        let parent = old.parent[row].row();
        new_row[row] = if is_kept[row] || row == 0 {
            push(new_row[parent], old.frame[row], old.depth[row])
        } else if !is_kept[parent] && parent != 0 {
            new_row[parent]
        } else {
            *left_out_below[parent].get_or_insert_with(|| push(new_row[parent], left_out, old.depth[row]))
        };
    }
    tables.stacks = stacks;
    let points = tables.samples.stack.iter_mut().chain(&mut tables.sampled_calls.stack);
    points.chain(&mut tables.wakes.stack).for_each(|stack| *stack = new_row[stack.row()]);
    drop_unused_frames(tables);
    drop_unused_functions(tables);
    Cut { stacks_before, stacks_left: tables.stacks.len() - 1 }
}

/// For each stack, true if its inclusive value is at least `smallest_ratio` of the total by at least one metric.
fn large_enough(tables: &Tables, metrics: &[MetricDefinition], smallest_ratio: f64) -> Vec<bool> {
    let samples = &tables.samples;
    let mut is_kept = vec![false; tables.stacks.len()];
    for metric in metrics {
        let mut inclusive = vec![0.0_f64; tables.stacks.len()];
        for (row, amount) in metric.weight.values(samples).iter().enumerate() {
            let is_mode = metric.mode.is_none_or(|mode| mode == samples.mode[row]);
            let is_reason = metric.reason.is_none_or(|reason| reason == samples.reason[row]);
            if metric.event == samples.event[row] && is_mode && is_reason {
                inclusive[samples.stack[row].row()] += *amount as f64;
            }
        }
        for row in (1..inclusive.len()).rev() {
            inclusive[tables.stacks.parent[row].row()] += inclusive[row];
        }
        let smallest = inclusive[0] * smallest_ratio;
        is_kept.iter_mut().zip(&inclusive).for_each(|(is_kept, value)| *is_kept |= *value > 0.0 && *value >= smallest);
    }
    is_kept
}

fn add_left_out_frame(tables: &mut Tables) -> FrameIndex {
    let function = FunctionIndex::from_row(tables.functions.len());
    tables.functions.push(Function {
        display_name: LEFT_OUT.to_owned(),
        internal_name: LEFT_OUT.to_owned(),
        kind: FunctionKind::Pseudo,
        binary: BinaryIndex::NONE,
        source_file: None,
        first_line: None,
        address: None,
        size_bytes: None,
    });
    let (kind, reason) = (FrameKind::Pseudo, LossReason::None);
    tables.frames.push(Frame { function, line: None, bytecode_index: None, address: None, kind, reason });
    FrameIndex::from_row(tables.frames.len() - 1)
}

fn drop_unused_frames(tables: &mut Tables) {
    let new_row = retain_used(&mut tables.frames, tables.stacks.frame.iter().map(|frame| frame.row()));
    tables.stacks.frame.iter_mut().for_each(|frame| *frame = FrameIndex(new_row[frame.row()]));
}

fn drop_unused_functions(tables: &mut Tables) {
    let new_row = retain_used(&mut tables.functions, tables.frames.function.iter().map(|function| function.row()));
    tables.frames.function.iter_mut().for_each(|function| *function = FunctionIndex(new_row[function.row()]));
}

/// Keeps row 0 and the used rows. Returns the new row of each old row.
fn retain_used<T: Table>(table: &mut T, used: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut is_used = vec![false; table.len()];
    is_used[0] = true;
    used.for_each(|row| is_used[row] = true);
    table.retain(&is_used);
    let places = is_used.iter().scan(0, |next, is_used| Some(std::mem::replace(next, *next + u32::from(*is_used))));
    places.collect()
}
