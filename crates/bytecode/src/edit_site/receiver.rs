//! Finds the creation of the object on which a method is called.

use super::answer;
use super::call::{self, Calls};
use super::context::Context;
use super::follow::follow;
use super::outcome::Outcome;
use super::search::Search;
use super::site::EditSite;
use super::wanted::Wanted;
use std::rc::Rc;

/// Finds the line to edit.
///
/// # Errors
/// The reason why the creation was not found.
pub(super) fn site(search: &Search<'_, '_>) -> Result<EditSite, String> {
    let calls = call::locate(search)?;
    let outcome = made(search, &calls);
    answer::of_outcome(search, (&calls.context, calls.indices[0]), &outcome)
}

/// The places that create the objects on which the calls are made. The objects must have one of the wanted classes. If
/// there are no such objects, the result is the places that create the calls' arguments.
pub(super) fn made<'c>(search: &Search<'_, 'c>, calls: &Calls<'c>) -> Outcome<'c> {
    let classes = &search.question.rule.classes;
    let wanted = if classes.is_empty() { Wanted::Anything } else { Wanted::Classes(classes) };
    let mut outcome = Outcome::default();
    for index in &calls.indices {
        let found = made_at(search, (&calls.context, *index), &wanted);
        outcome.leaves.extend(found.leaves);
        outcome.dead_ends.extend(found.dead_ends.into_iter().filter(|reason| !reason.is_empty()));
    }
    outcome.dead_ends.sort();
    outcome.dead_ends.dedup();
    outcome
}

fn made_at<'c>(search: &Search<'_, 'c>, (context, index): (&Rc<Context<'c>>, u32), wanted: &Wanted<'_>) -> Outcome<'c> {
    if is_it_itself(search, (context, index), wanted) {
        return Outcome::of_leaf(context, index);
    }
    let operands = context.flow.operands_at(index).to_vec();
    let has_object = context.opcode(index) != Some(0xb8);
    let mut outcome = Outcome::default();
    if let Some(receiver) = operands.first().filter(|_| has_object) {
        outcome = follow(search, context, receiver, wanted);
    }
    if outcome.leaves.is_empty() && !wanted.takes_anything() {
        for argument in operands.iter().skip(usize::from(has_object)) {
            outcome.leaves.extend(follow(search, context, argument, wanted).leaves);
        }
    }
    outcome
}

/// True if the call itself creates the object: a constructor, a factory.
fn is_it_itself(search: &Search<'_, '_>, (context, index): (&Rc<Context<'_>>, u32), wanted: &Wanted<'_>) -> bool {
    let Some(member) = context.member_at(index) else { return false };
    match context.opcode(index) {
        Some(0xb7) if member.name == "<init>" => wanted.takes_class(&member.class, &search.classes),
        Some(0xb8) => wanted.takes_anything() || wanted.takes_member(&member, &search.classes),
        _ => wanted.takes_member(&member, &search.classes),
    }
}
