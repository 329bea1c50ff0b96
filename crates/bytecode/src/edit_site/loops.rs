//! The loops of a method. They come from the branches to earlier instructions, as Java compilers write them.

use super::context::Context;
use super::flow::targets;
use crate::class_file::Code;
use std::collections::{BTreeMap, BTreeSet};

/// Beginnings of the names of methods that pause.
const PAUSES: [&str; 9] = ["park", "await", "delay", "pause", "wait", "acquire", "tryAcquire", "poll", "take"];
/// Parts of the names of methods that pause, in lower case.
const PAUSES_WITHIN: [&str; 2] = ["sleep", "backoff"];
/// Instructions after which the next instruction does not follow: `goto`, `ret`, switches, returns, `athrow`, `goto_w`.
const ENDS: [u8; 12] = [0xa7, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf, 0xb0, 0xb1, 0xbf, 0xc8];
/// Methods with more instructions are not examined.
const MOST_INSTRUCTIONS: usize = 4_000;
/// The instructions `iaload` to `saload`: an element of an array.
const ARRAY_LOADS: std::ops::RangeInclusive<u8> = 0x2e..=0x35;
/// The instruction that increases a local variable, such as the index of a list.
const IINC: u8 = 0x84;
/// Ends of the names of classes whose method `next` or `nextElement` goes to the next element.
const SEQUENCES: [&str; 3] = ["Iterator", "Enumeration", "ResultSet"];

/// Whether a loop makes the call at `call` for each of several elements: the loop takes the next element of a collection or an
/// array, or counts. It does not pause. It ends before it takes an element, so the answer of the call does not end it. This
/// leaves out attempts, searches and pages.
pub(super) fn is_for_each(context: &Context<'_>, call: u32) -> bool {
    let Some(code) = context.class.code(context.method) else { return false };
    let Some(graph) = Graph::new(context, code) else { return false };
    let Some((head, body)) = graph.innermost(&[call]) else { return false };
    let is_inner = |index: &u32| graph.innermost(&[*index]).is_some_and(|(inner, _)| inner != head);
    let takes_next = |index: &u32| match context.opcode(*index) {
        Some(IINC) => true,
        Some(opcode) if ARRAY_LOADS.contains(&opcode) => true,
        _ => context.member_at(*index).is_some_and(|member| {
            let is_next = matches!(&*member.name, "next" | "nextElement");
            is_next && SEQUENCES.iter().any(|sequence| member.class.ends_with(sequence))
        }),
    };
    graph.continues_after(call, head, body)
        && graph.ends(body)
        && !graph.can_leave_after(call, head, body)
        && body.iter().filter(|index| !is_inner(index)).any(takes_next)
        && !body.iter().any(|index| pauses(context, *index))
}

/// The order in which a method's instructions can follow each other.
pub(super) struct Graph {
    /// Successors without exceptions.
    next: BTreeMap<u32, Vec<u32>>,
    /// The loops: the first instruction of each, and all its instructions.
    loops: BTreeMap<u32, BTreeSet<u32>>,
}

impl Graph {
    /// The graph of a method. `None`: the method is too long.
    pub(super) fn new(context: &Context<'_>, code: &Code<'_>) -> Option<Self> {
        if context.flow.instructions.len() > MOST_INSTRUCTIONS {
            return None;
        }
        let (mut next, mut before): (BTreeMap<u32, Vec<u32>>, BTreeMap<u32, Vec<u32>>) = Default::default();
        let instructions = &context.flow.instructions;
        let following = instructions.keys().skip(1).map(|index| Some(*index)).chain([None]);
        for ((index, instruction), following) in instructions.iter().zip(following) {
            let following = following.filter(|_| !ENDS.contains(&instruction.opcode));
            let successors: Vec<u32> = targets(instruction).into_iter().chain(following).collect();
            successors.iter().for_each(|successor| before.entry(*successor).or_default().push(*index));
            next.insert(*index, successors);
        }
        for handler in &code.exception_handlers {
            let range = u32::from(handler.start)..u32::from(handler.end);
            before
                .entry(handler.handler.into())
                .or_default()
                .extend(instructions.range(range).map(|(index, _)| *index));
        }
        // Several branches can lead back to the same head, such as one after a success and one after an exception.
        let mut loops: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (from, head) in next.iter().flat_map(|(from, to)| to.iter().map(move |to| (*from, *to))) {
            if head <= from {
                loops.entry(head).or_default().extend(body(&before, from, head));
            }
        }
        Some(Self { next, loops })
    }

    /// The innermost loop with all these instructions: its head and its instructions.
    pub(super) fn innermost(&self, wanted: &[u32]) -> Option<(u32, &BTreeSet<u32>)> {
        let with_all = self.loops.iter().filter(|(_, body)| wanted.iter().all(|index| body.contains(index)));
        with_all.min_by_key(|(_, body)| body.len()).map(|(head, body)| (*head, body))
    }

    /// Whether the loop can continue after this instruction.
    pub(super) fn continues_after(&self, index: u32, head: u32, body: &BTreeSet<u32>) -> bool {
        self.reaches(self.next.get(&index).map_or(&[][..], Vec::as_slice), head, body)
    }

    /// Whether the loop can end without an exception.
    fn ends(&self, body: &BTreeSet<u32>) -> bool {
        body.iter().flat_map(|index| self.next.get(index).into_iter().flatten()).any(|next| !body.contains(next))
    }

    /// Whether the loop can end between this instruction and the next round.
    fn can_leave_after(&self, index: u32, head: u32, body: &BTreeSet<u32>) -> bool {
        let mut seen = BTreeSet::new();
        let mut open: Vec<u32> = self.next.get(&index).cloned().unwrap_or_default();
        while let Some(index) = open.pop() {
            if !body.contains(&index) {
                return true;
            }
            if index != head && seen.insert(index) {
                open.extend(self.next.get(&index).into_iter().flatten());
            }
        }
        false
    }

    /// Whether the instructions `from` lead to the head of the loop without an exception and without leaving the loop.
    pub(super) fn reaches(&self, from: &[u32], head: u32, body: &BTreeSet<u32>) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), from.to_vec());
        while let Some(index) = open.pop() {
            if index == head {
                return true;
            }
            if body.contains(&index) && seen.insert(index) {
                open.extend(self.next.get(&index).into_iter().flatten());
            }
        }
        false
    }
}

/// The instructions of a loop: those that lead to its last instruction without its head.
fn body(before: &BTreeMap<u32, Vec<u32>>, last: u32, head: u32) -> BTreeSet<u32> {
    let (mut body, mut open) = (BTreeSet::from([head]), vec![last]);
    while let Some(index) = open.pop() {
        if body.insert(index) {
            open.extend(before.get(&index).into_iter().flatten());
        }
    }
    body
}

/// Whether the instruction calls a method that pauses.
pub(super) fn pauses(context: &Context<'_>, index: u32) -> bool {
    let is_call = matches!(context.opcode(index), Some(0xb6..=0xb9));
    let member = context.member_at(index).filter(|_| is_call);
    member.is_some_and(|member| {
        let lower = member.name.to_lowercase();
        PAUSES.iter().any(|pause| member.name.starts_with(pause))
            || PAUSES_WITHIN.iter().any(|part| lower.contains(part))
    })
}
