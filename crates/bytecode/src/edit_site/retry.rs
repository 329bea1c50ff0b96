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

use super::call;
use super::context::Context;
use super::loops::{Graph, pauses};
use super::names;
use super::search::Search;
use super::site::EditSite;
use super::spot::Spot;
use super::value::Origin;
use crate::class_file::ExceptionHandler;
use std::collections::BTreeSet;

/// Parts of the names of exceptions that are repeated on purpose: after an interrupted or a timed wait, and after another
/// thread was faster.
const ON_PURPOSE: [&str; 5] = ["Interrupted", "Timeout", "Optimistic", "Wakeup", "ConcurrentModification"];
const AALOAD: u8 = 0x32;
/// Methods that give the next object of several.
const NEXT: [&str; 4] = ["next", "get", "nextElement", "poll"];
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
    candidates.peek()?;
    let graph = Graph::new(context, code)?;
    candidates.map(|handler| u32::from(handler.handler)).find(|handler| repeats(&graph, context, call, *handler))
}

/// Whether the innermost loop with the call and the handler continues after the handler, but not after the call, and repeats the
/// same call at once.
fn repeats(graph: &Graph, context: &Context<'_>, call: u32, handler: u32) -> bool {
    let Some((head, body)) = graph.innermost(&[call, handler]) else { return false };
    graph.reaches(&[handler], head, body)
        && !graph.continues_after(call, head, body)
        && !body.iter().any(|index| pauses(context, *index))
        && !uses_next(context, call, body)
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
