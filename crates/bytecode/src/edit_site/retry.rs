//! Calls that a loop repeats only after an exception.
//!
//! ```java
//! for (int attempt = 0; attempt < 5; attempt++) {
//!     try {
//!         return send(order);       // success leaves the loop
//!     } catch (IOException e) {
//!         continue;                 // failure repeats the call
//!     }
//! }
//! ```
//!
//! A loop over many objects continues after a success, too, so it repeats nothing. Three kinds of loops are left out: they
//! sleep or wait between two attempts, they try one object after the other, or they repeat a call whose time or version was
//! exceeded.
//!
//! The loops come from the branches to earlier instructions, as Java compilers write them.

use super::call;
use super::context::Context;
use super::flow::targets;
use super::names;
use super::search::Search;
use super::site::EditSite;
use super::spot::Spot;
use super::value::Origin;
use crate::class_file::{Code, ExceptionHandler};
use std::collections::{BTreeMap, BTreeSet};

/// Beginnings of the names of methods that pause.
const PAUSES: [&str; 8] = ["park", "await", "delay", "pause", "wait", "acquire", "tryAcquire", "poll"];
/// Parts of the names of methods that pause, in lower case.
const PAUSES_WITHIN: [&str; 2] = ["sleep", "backoff"];
/// Parts of the names of exceptions that are repeated on purpose: after an interrupted or a timed wait, and after another
/// thread was faster.
const ON_PURPOSE: [&str; 5] = ["Interrupted", "Timeout", "Optimistic", "Wakeup", "ConcurrentModification"];
/// Instructions after which the next instruction does not follow: `goto`, `ret`, switches, returns, `athrow`, `goto_w`.
const ENDS: [u8; 12] = [0xa7, 0xa9, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf, 0xb0, 0xb1, 0xbf, 0xc8];
const AALOAD: u8 = 0x32;
/// Methods that give the next object of several.
const NEXT: [&str; 4] = ["next", "get", "nextElement", "poll"];
/// Methods with more instructions are not examined.
const MOST_INSTRUCTIONS: usize = 4_000;

/// The exception handler that repeats the call: the line to edit.
///
/// # Errors
/// No loop repeats the call.
pub(super) fn site(search: &Search<'_, '_>) -> Result<EditSite, String> {
    let calls = call::locate(search)?;
    let handler = calls.indices.iter().find_map(|index| handler(&calls.context, *index));
    let handler = handler.ok_or_else(|| format!("no loop of {} repeats the call", calls.context.shown_method()))?;
    let called = names::line(calls.context.line(calls.indices[0]));
    let what = format!("the handler that repeats the call in {called}");
    Ok(Spot { what, ..Spot::new(&calls.context, handler) }.site(Vec::new()))
}

/// The first instruction of the handler that repeats the call at `call`.
pub(super) fn handler(context: &Context<'_>, call: u32) -> Option<u32> {
    let code = context.class.code(context.method)?;
    let is_candidate = |handler: &&ExceptionHandler<'_>| {
        let range = u32::from(handler.start)..u32::from(handler.end);
        let class = handler.class.as_deref().unwrap_or_default();
        range.contains(&call) && !ON_PURPOSE.iter().any(|part| class.contains(part))
    };
    let mut candidates = code.exception_handlers.iter().filter(is_candidate).peekable();
    if candidates.peek().is_none() || context.flow.instructions.len() > MOST_INSTRUCTIONS {
        return None;
    }
    let graph = Graph::new(context, code);
    candidates.map(|handler| u32::from(handler.handler)).find(|handler| graph.repeats(context, call, *handler))
}

/// The order in which a method's instructions can follow each other.
struct Graph {
    /// Successors without exceptions.
    next: BTreeMap<u32, Vec<u32>>,
    /// The loops: the first instruction of each, and all its instructions.
    loops: BTreeMap<u32, BTreeSet<u32>>,
}

impl Graph {
    fn new(context: &Context<'_>, code: &Code<'_>) -> Self {
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
        Self { next, loops }
    }

    /// Whether the innermost loop with the call and the handler continues after the handler, but not after the call, and
    /// repeats the same call at once.
    fn repeats(&self, context: &Context<'_>, call: u32, handler: u32) -> bool {
        let with_both = self.loops.iter().filter(|(_, body)| body.contains(&call) && body.contains(&handler));
        let Some((head, body)) = with_both.min_by_key(|(_, body)| body.len()) else { return false };
        let continues = |from: &[u32]| self.reaches(from, *head, body);
        let after_call = self.next.get(&call).map_or(&[][..], Vec::as_slice);
        continues(&[handler])
            && !continues(after_call)
            && !body.iter().any(|index| pauses(context, *index))
            && !uses_next(context, call, body)
    }

    /// Whether the instructions `from` lead to the head of the loop without an exception and without leaving the loop.
    fn reaches(&self, from: &[u32], head: u32, body: &BTreeSet<u32>) -> bool {
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

fn pauses(context: &Context<'_>, index: u32) -> bool {
    let is_call = matches!(context.opcode(index), Some(0xb6..=0xb9));
    let member = context.member_at(index).filter(|_| is_call);
    member.is_some_and(|member| {
        let lower = member.name.to_lowercase();
        PAUSES.iter().any(|pause| member.name.starts_with(pause))
            || PAUSES_WITHIN.iter().any(|part| lower.contains(part))
    })
}

/// Whether the call uses an object that the loop takes from several, such as the next host of a list.
fn uses_next(context: &Context<'_>, call: u32, body: &BTreeSet<u32>) -> bool {
    let origins = context.flow.operands_at(call).iter().flat_map(|value| value.origins());
    origins.into_iter().any(|origin| match origin {
        Origin::At(index) if body.contains(index) => {
            let is_next = |name: &str| NEXT.contains(&name);
            context.opcode(*index) == Some(AALOAD)
                || context.member_at(*index).is_some_and(|member| is_next(&member.name))
        }
        _ => false,
    })
}
