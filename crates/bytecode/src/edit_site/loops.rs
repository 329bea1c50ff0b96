//! The loops of a method. They come from the branches to earlier instructions, as Java compilers write them.

use super::context::Context;
use super::flow::targets;
use crate::class_file::{Code, MemberReference, Operands};
use std::collections::{BTreeMap, BTreeSet};

/// Beginnings of the names of methods that pause.
const PAUSES: [&str; 8] = ["park", "await", "delay", "pause", "wait", "acquire", "tryAcquire", "poll"];
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
/// array, or counts. It does not pause. Only the number of elements ends it, before it takes an element. This leaves out
/// attempts, searches and pages. Loops whose condition is at the end of their code, as some compilers write them, are not found.
pub(super) fn is_for_each(context: &Context<'_>, call: u32) -> bool {
    let Some(code) = context.class.code(context.method) else { return false };
    let Some(graph) = Graph::new(context, code) else { return false };
    let Some((head, body)) = graph.innermost(&[call]) else { return false };
    let is_inner = |index: &u32| graph.innermost(&[*index]).is_some_and(|(inner, _)| inner != head);
    let own: Vec<u32> = body.iter().copied().filter(|index| *index != call && !is_inner(index)).collect();
    let counters: BTreeSet<u16> = own.iter().filter_map(|index| counter(context, *index)).collect();
    let takes_next = |index: &u32| {
        let is_load = context.opcode(*index).is_some_and(|opcode| ARRAY_LOADS.contains(&opcode));
        is_load || calls_of_sequence(context, *index, &["next", "nextElement"])
    };
    let exits: Vec<u32> = own.iter().copied().filter(|index| graph.leaves(context, *index, body)).collect();
    let asks_for_more = |exit: &u32| {
        let before = context.flow.instructions.range(..exit).rev().take(CONDITION_INSTRUCTIONS);
        // An earlier branch is another condition.
        let before = before.take_while(|(_, instruction)| targets(instruction).is_empty());
        before.map(|(index, _)| *index).any(|index| {
            let is_counter = loaded(context, index).is_some_and(|local| counters.contains(&local));
            is_counter || calls_of_sequence(context, index, &["hasNext", "hasMoreElements", "next"])
        })
    };
    (!counters.is_empty() || own.iter().any(takes_next))
        && !exits.is_empty()
        && exits.iter().all(asks_for_more)
        && graph.continues_after(call, head, body)
        && !graph.can_leave_after(context, call, (head, body))
        && !body.iter().any(|index| pauses(context, *index))
}

/// A condition such as `i < all.length` has at most this many instructions before its branch.
const CONDITION_INSTRUCTIONS: usize = 4;

/// The local variable that the instruction increases.
fn counter(context: &Context<'_>, index: u32) -> Option<u16> {
    let instruction = context.flow.instructions.get(&index).filter(|instruction| instruction.opcode == IINC)?;
    match instruction.operands {
        Operands::Increment(local, _) => Some(local),
        _ => None,
    }
}

/// The local variable that the instruction loads as a number (`iload`).
fn loaded(context: &Context<'_>, index: u32) -> Option<u16> {
    let instruction = context.flow.instructions.get(&index)?;
    match (instruction.opcode, &instruction.operands) {
        (0x15, Operands::Local(local)) => Some(*local),
        (opcode @ 0x1a..=0x1d, _) => Some(u16::from(opcode - 0x1a)),
        _ => None,
    }
}

/// Whether the instruction calls one of these methods of an iterator, an enumeration or a result set.
fn calls_of_sequence(context: &Context<'_>, index: u32, names: &[&str]) -> bool {
    called(context, index).is_some_and(|member| {
        names.contains(&&*member.name) && SEQUENCES.iter().any(|sequence| member.class.ends_with(sequence))
    })
}

/// The order in which a method's instructions can follow each other.
pub(super) struct Graph {
    /// Successors without exceptions.
    pub(super) next: BTreeMap<u32, Vec<u32>>,
    /// The loops: the first instruction of each, and all its instructions.
    loops: BTreeMap<u32, BTreeSet<u32>>,
    /// The ways through the loops, one for each branch back: the first instruction, and all instructions on the way. A loop with
    /// `continue` has several.
    pub(super) rounds: Vec<(u32, BTreeSet<u32>)>,
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
        let mut rounds = Vec::new();
        for (from, head) in next.iter().flat_map(|(from, to)| to.iter().map(move |to| (*from, *to))) {
            if head <= from {
                let round = body(&before, from, head);
                loops.entry(head).or_default().extend(&round);
                rounds.push((head, round));
            }
        }
        Some(Self { next, loops, rounds })
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

    /// Whether the loop can end at this instruction without an exception.
    fn leaves(&self, context: &Context<'_>, index: u32, body: &BTreeSet<u32>) -> bool {
        let next = self.next.get(&index).into_iter().flatten();
        next.into_iter().any(|next| !body.contains(next) && !self.throws(context, *next))
    }

    /// Whether the code at this instruction only throws an exception.
    fn throws(&self, context: &Context<'_>, mut index: u32) -> bool {
        const ATHROW: u8 = 0xbf;
        for _ in 0..MOST_INSTRUCTIONS {
            if context.opcode(index) == Some(ATHROW) {
                return true;
            }
            match self.next.get(&index).map(Vec::as_slice) {
                Some([next]) => index = *next,
                _ => return false,
            }
        }
        false
    }

    /// Whether the loop can end between this instruction and the next round, without an exception.
    fn can_leave_after(&self, context: &Context<'_>, index: u32, (head, body): (u32, &BTreeSet<u32>)) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![index];
        while let Some(at) = open.pop() {
            if self.leaves(context, at, body) {
                return true;
            }
            let next = self.next.get(&at).into_iter().flatten().copied();
            let inside = next.filter(|next| *next != head && body.contains(next) && seen.insert(*next));
            open.extend(inside.collect::<Vec<u32>>());
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

/// The method that the instruction calls.
fn called<'c>(context: &Context<'c>, index: u32) -> Option<MemberReference<'c>> {
    let is_call = matches!(context.opcode(index), Some(0xb6..=0xb9));
    context.member_at(index).filter(|_| is_call)
}

/// Whether the instruction calls a method that pauses.
pub(super) fn pauses(context: &Context<'_>, index: u32) -> bool {
    called(context, index).is_some_and(|member| {
        let lower = member.name.to_lowercase();
        member.name == "take"
            || PAUSES.iter().any(|pause| member.name.starts_with(pause))
            || PAUSES_WITHIN.iter().any(|part| lower.contains(part))
    })
}
