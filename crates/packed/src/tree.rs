//! The prefix tree of stacks in depth-first order. A node comes right after its parent, or after the subtree of a
//! sibling. So parents are not written. A node only stores how many levels its parent is above the previous node.
//!
//! ```text
//! row  stack of this row   way up  frame
//!   1  main                     0  main       below the row before, the root
//!   2  main write               0  write      below the row before
//!   3  main write flush         0  flush      below the row before
//!   4  main parse               2  parse      two up, then below
//! ```
//!
//! Frames are numbered by frequency, so most frames take one byte. Content hashes are not kept.

use crate::PackError;
use crate::bytes::{Reader, put_varint};
use crate::column::{put_integers, put_rows, read_integers, read_rows};
use whittle_model::{ContentHash, FrameIndex, StackIndex, StackTable, Table};

/// Means "no row".
const NONE: u32 = u32::MAX;

/// For each row of stacks, its place in depth-first order. Siblings keep their order.
pub(super) fn depth_first_places(stacks: &StackTable) -> Vec<u32> {
    let rows = stacks.len();
    let mut first_child = vec![NONE; rows];
    let mut next_sibling = vec![NONE; rows];
    for row in (1..rows).rev() {
        let parent = stacks.parent[row].row();
        next_sibling[row] = std::mem::replace(&mut first_child[parent], row as u32);
    }
    let mut places = vec![0; rows];
    let mut open = vec![first_child[0]];
    let mut place = 1;
    while let Some(row) = open.pop() {
        if row == NONE {
            continue;
        }
        places[row as usize] = place;
        place += 1;
        open.extend([next_sibling[row as usize], first_child[row as usize]]);
    }
    places
}

/// Appends the stacks in the order of `places`.
pub(super) fn put_stacks(bytes: &mut Vec<u8>, stacks: &StackTable, places: &[u32]) {
    let mut row_at = vec![0_usize; places.len()];
    places.iter().enumerate().for_each(|(row, place)| row_at[*place as usize] = row);
    let nodes = &row_at[1..];
    let (codes, frame_of_code) = frame_codes(stacks);
    let mut columns = Vec::new();
    put_varint(&mut columns, frame_of_code.len() as u64);
    put_integers(&mut columns, frame_of_code.iter().copied());
    let mut depth_before = 0;
    for row in nodes {
        let depth = stacks.depth[*row];
        put_varint(&mut columns, u64::from(depth_before + 1 - depth));
        depth_before = depth;
    }
    nodes.iter().for_each(|row| put_varint(&mut columns, codes[stacks.frame[*row].row()]));
    put_rows(bytes, nodes.len(), columns);
}

/// Numbers the frames by frequency in stacks. Returns the number of each frame row, and the frame rows in the order of
/// these numbers.
fn frame_codes(stacks: &StackTable) -> (Vec<u64>, Vec<u64>) {
    let frame_count = stacks.frame.iter().map(|frame| frame.row() + 1).max().unwrap_or(0);
    let mut occurrences = vec![0_u64; frame_count];
    stacks.frame.iter().for_each(|frame| occurrences[frame.row()] += 1);
    let mut rows: Vec<u64> = (0..frame_count as u64).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(occurrences[*row as usize]));
    let mut codes = vec![0; frame_count];
    rows.iter().enumerate().for_each(|(code, row)| codes[*row as usize] = code as u64);
    (codes, rows)
}

/// Reads the stacks and adds the root before them. It reads only parents and frames, and [`complete`] adds the other
/// columns.
pub(super) fn read_stacks(reader: &mut Reader<'_>) -> Result<StackTable, PackError> {
    let (nodes, mut columns) = read_rows(reader)?;
    let code_count = columns.count()?;
    let frame_of_code: Vec<FrameIndex> = read_integers(&mut columns, code_count)?.into_iter().map(FrameIndex).collect();
    let parent = read_parents(&mut columns, nodes)?;
    let mut frame = Vec::with_capacity(nodes + 1);
    frame.push(FrameIndex::TOTAL);
    if nodes > columns.remaining() {
        return Err(PackError::Short);
    }
    for _ in 0..nodes {
        let code = usize::try_from(columns.varint()?).unwrap_or(usize::MAX);
        frame.push(*frame_of_code.get(code).ok_or(PackError::Damaged("a frame"))?);
    }
    Ok(StackTable { parent, frame, ..StackTable::default() })
}

/// Computes the columns of stacks that are not written.
pub(super) fn complete(stacks: &mut StackTable) {
    stacks.content_hash = vec![ContentHash::ROOT; stacks.parent.len()];
    stacks.depth = Vec::with_capacity(stacks.parent.len());
    for (row, parent) in stacks.parent.iter().enumerate() {
        stacks.depth.push(if row == 0 { 0 } else { stacks.depth[parent.row()] + 1 });
    }
}

/// The parent of each row.
fn read_parents(columns: &mut Reader<'_>, nodes: usize) -> Result<Vec<StackIndex>, PackError> {
    let mut parents = Vec::with_capacity(nodes + 1);
    parents.push(StackIndex::ROOT);
    // The rows from the root to the previous row.
    let mut path = vec![StackIndex::ROOT];
    for _ in 0..nodes {
        let kept = usize::try_from(columns.varint()?).ok().and_then(|way_up| path.len().checked_sub(way_up));
        let kept = kept.filter(|kept| *kept > 0).ok_or(PackError::Damaged("a depth"))?;
        path.truncate(kept);
        let row = StackIndex::from_row(parents.len());
        parents.push(path[kept - 1]);
        path.push(row);
    }
    Ok(parents)
}
