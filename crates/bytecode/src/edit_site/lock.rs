//! The line that locks an object.

use super::call;
use super::context::Context;
use super::field_uses;
use super::follow::follow;
use super::names;
use super::outcome::Outcome;
use super::search::Search;
use super::site::EditSite;
use super::spot::Spot;
use super::value::Value;
use super::wanted::Wanted;
use super::words;
use std::rc::Rc;

const MONITOR_ENTER: u8 = 0xc2;
const SYNCHRONIZED: u16 = 0x0020;

/// Finds the line to edit.
///
/// # Errors
/// The class file shows no lock in the method.
pub(super) fn site(search: &Search<'_, '_>) -> Result<EditSite, String> {
    let context = call::calling_method(search)?;
    let place = search.question.callers.first().ok_or("the stack has no calling function")?;
    let at_monitor = place.bytecode_index.filter(|index| context.opcode(*index) == Some(MONITOR_ENTER));
    // A call to `Lock.lock`, or to a synchronized method of the JDK, locks at this place.
    let calls =
        if at_monitor.is_none() && !search.question.called.is_empty() { call::locate(search).ok() } else { None };
    let on_line = || {
        let line = place.line.or_else(|| context.line(place.bytecode_index?));
        let mut all = context.flow.with_opcode(MONITOR_ENTER).map(|it| it.bytecode_index);
        all.find(|index| line.is_some() && context.line(*index) == line)
    };
    if let Some(index) = at_monitor.or_else(|| if calls.is_none() { on_line() } else { None }) {
        return synchronized_block(search, &context, index);
    }
    if let Some(calls) = calls {
        let index = calls.indices[0];
        let object = context.flow.operands_at(index).first().cloned().unwrap_or_default();
        let what = words::instruction(&context, index);
        return Ok(of_object(search, (&context, index), (&object, what)));
    }
    let is_synchronized = context.class.method(context.method).is_some_and(|it| it.access_flags & SYNCHRONIZED != 0);
    if !is_synchronized {
        return Err(format!("{} locks nothing in {}", context.shown_method(), names::line(place.line)));
    }
    let object = if context.is_static() { "its class" } else { "its object" };
    let spot = Spot { what: format!("synchronized method, which locks {object}"), ..Spot::new(&context, 0) };
    Ok(spot.site(vec![format!("{} is synchronized", context.shown_method())]))
}

fn synchronized_block<'c>(search: &Search<'_, 'c>, context: &Rc<Context<'c>>, index: u32) -> Result<EditSite, String> {
    let object = context.flow.operands_at(index).first().cloned().unwrap_or_default();
    Ok(of_object(search, (context, index), (&object, "synchronized".to_owned())))
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
