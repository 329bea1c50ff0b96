//! The line that locks an object.

use super::CallPlace;
use super::call;
use super::context::Context;
use super::field_uses;
use super::follow::follow;
use super::monitors;
use super::names;
use super::outcome::Outcome;
use super::search::Search;
use super::site::EditSite;
use super::spot::Spot;
use super::value::Value;
use super::wanted::Wanted;
use super::words;
use crate::class_file::Method;
use std::rc::Rc;

/// Finds the line to edit.
///
/// # Errors
/// The class file shows no lock in the method.
pub(super) fn site(search: &Search<'_, '_>) -> Result<EditSite, String> {
    let context = call::calling_method(search)?;
    let place = search.question.callers.first().ok_or("the stack has no calling function")?;
    let is_deepest = search.question.called.is_empty();
    let by_index = place.bytecode_index.and_then(|index| monitors::by_index(&context, index, is_deepest));
    if let Some(index) = by_index {
        return Ok(synchronized_block(search, &context, index));
    }
    // A call to `Lock.lock`, or to a synchronized method of the JDK, locks at this place.
    if let Some(calls) = call::locate(search).ok().filter(|_| !is_deepest) {
        let index = calls.indices[0];
        let object = context.flow.operands_at(index).first().cloned().unwrap_or_default();
        let what = words::instruction(&context, index);
        return Ok(of_object(search, (&context, index), (&object, what)));
    }
    let is_synchronized = context.class.method(context.method).is_some_and(Method::is_synchronized);
    match block_by_line(&context, place, is_synchronized) {
        Some(index) => Ok(synchronized_block(search, &context, index)),
        None if is_synchronized => Ok(synchronized_method(&context)),
        None => Err(format!("{} locks nothing in {}", context.shown_method(), names::line(place.line))),
    }
}

/// The block on the line of the stack.
fn block_by_line(context: &Context<'_>, place: &CallPlace<'_>, is_synchronized: bool) -> Option<u32> {
    match (place.bytecode_index, place.line) {
        // A synchronized method locks before its first line.
        (Some(_), _) if is_synchronized => None,
        (Some(index), line) => monitors::on_line(context, line.or_else(|| context.line(index))?),
        (None, line) => monitors::on_line(context, line?).or_else(|| monitors::above_line(context, line?)),
    }
}

/// The line that locks, if the bytecode index of the place shows a block.
pub(super) fn line(search: &Search<'_, '_>) -> Option<u32> {
    let context = call::calling_method(search).ok()?;
    let index = search.question.callers.first()?.bytecode_index?;
    context.line(monitors::by_index(&context, index, true)?)
}

pub(super) fn synchronized_method(context: &Rc<Context<'_>>) -> EditSite {
    let object = if context.is_static() { "its class" } else { "its object" };
    let spot = Spot { what: format!("synchronized method, which locks {object}"), ..Spot::new(context, 0) };
    spot.site(vec![format!("{} is synchronized", context.shown_method())])
}

pub(super) fn synchronized_block<'c>(search: &Search<'_, 'c>, context: &Rc<Context<'c>>, index: u32) -> EditSite {
    let object = context.flow.operands_at(index).first().cloned().unwrap_or_default();
    of_object(search, (context, index), (&object, "synchronized".to_owned()))
}

/// The line that locks, with the field of the lock and the places that create the lock.
fn of_object<'c>(
    search: &Search<'_, 'c>,
    (context, index): (&Rc<Context<'c>>, u32),
    (object, what): (&Value, String),
) -> EditSite {
    let outcome: Outcome<'c> = follow(search, context, object, &Wanted::Anything);
    let made: Vec<Spot<'c>> = outcome.leaves.iter().map(|leaf| Spot::new(&leaf.context, leaf.bytecode_index)).collect();
    let field = outcome.leaves.iter().find_map(|leaf| leaf.trail.field.clone());
    let mut spot = Spot { what, ..Spot::new(context, index) };
    if let Some(field) = &field {
        spot.what = format!("{} on field {}", spot.what, names::field(&field.class, &field.name));
    }
    let mut steps = vec![format!("{} locks", context.shown_place(index))];
    steps.extend(outcome.leaves.first().into_iter().flat_map(|leaf| leaf.trail.steps()));
    let mut site = spot.site(steps);
    site.others = made.iter().map(Spot::other).filter(|other| other.line != site.line).collect();
    site.field = field.and_then(|field| field_uses::of(search, &field, ((context, index), &made)));
    site
}
