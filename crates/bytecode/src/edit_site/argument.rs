//! Finds the origin of an argument. The argument is passed to the call, or to the constructor or factory of the object
//! on which the method is called.

use super::answer;
use super::call;
use super::context::Context;
use super::descriptor::parameters;
use super::field_uses;
use super::follow::follow;
use super::names;
use super::outcome::Outcome;
use super::receiver;
use super::search::Search;
use super::setter;
use super::site::{EditSite, FieldUse};
use super::spot::Spot;
use super::value::{Origin, Value};
use super::wanted::Wanted;
use super::words;
use crate::class_file::{Constant, Field};
use std::rc::Rc;

/// Finds the line to edit.
///
/// # Errors
/// The reason why the origin was not found.
pub(super) fn site(search: &Search<'_, '_>) -> Result<EditSite, String> {
    let number = usize::from(search.question.rule.argument.unwrap_or(0));
    let calls = call::locate(search)?;
    if search.question.rule.classes.is_empty() {
        let call = (&calls.context, calls.indices[0]);
        let has_object = usize::from(calls.context.opcode(call.1) != Some(0xb8));
        let value = calls.context.flow.operands_at(call.1).get(number + has_object).cloned();
        let value =
            value.ok_or_else(|| format!("{} has no such argument", words::instruction(&calls.context, call.1)))?;
        return of_value(search, call, &value);
    }
    let made = receiver::made(search, &calls);
    let Some(leaf) = made.leaves.first() else {
        let whole = answer::of_outcome(search, (&calls.context, calls.indices[0]), &made);
        let set = setter::calls_of_class(search, (&calls.context, calls.indices[0]));
        return set_later(search, &set, None).map_or(whole, Ok);
    };
    // If the argument is missing or has an unknown origin, the line that creates the object is the line to edit.
    let whole = answer::of_outcome(search, (&calls.context, calls.indices[0]), &made)?;
    // Single bytes cost calls, whatever a setter sets. The fix is at the creation.
    let is_single_byte =
        search.question.called.iter().any(|place| (place.method, place.descriptor) == ("write", "(I)V"));
    if !is_single_byte && let Some(site) = set_later(search, &setter::calls(search, leaf), Some(&whole)) {
        return Ok(site);
    }
    let Some((call, value)) = argument_of(&leaf.context, leaf.bytecode_index, number) else { return Ok(whole) };
    // An argument that is an object, such as the stream in `new GZIPOutputStream(stream)`, is not a setting.
    if takes_object(&leaf.context, call, number) {
        return Ok(whole);
    }
    match of_value(search, (&leaf.context, call), &value) {
        Ok(mut site) => {
            let mut steps = whole.steps;
            steps.extend(site.steps.into_iter().skip(1));
            site.steps = steps;
            site.others.extend(whole.others);
            // A number is no instruction that a remedy changes, but the call that gets it is one.
            site.instruction = site.instruction.or(whole.instruction);
            Ok(site)
        }
        Err(_) => Ok(whole),
    }
}

/// The call that sets the argument after the object was created. The value is known if all such calls set the same. `created` is the line
/// that creates the object. `None`: there is no such call.
fn set_later<'c>(
    search: &Search<'_, 'c>,
    calls: &[(Rc<Context<'c>>, u32)],
    created: Option<&EditSite>,
) -> Option<EditSite> {
    let values: Vec<Option<EditSite>> = calls
        .iter()
        .map(|(context, call)| {
            let value = context.flow.operands_at(*call).get(1)?;
            of_value(search, (context, *call), value).ok()
        })
        .collect();
    let (context, call) = calls.first()?;
    let mut site = Spot::new(context, *call).site(created.map_or_else(Vec::new, |created| created.steps.clone()));
    site.steps.push(format!("{} calls {}", context.shown_place(*call), site.what));
    site.others = calls.iter().skip(1).map(|(context, call)| Spot::new(context, *call).other()).collect();
    let constant = |value: &Option<EditSite>| value.as_ref().and_then(|value| value.constant);
    if let [Some(first), ..] = values.as_slice()
        && values.iter().all(|value| constant(value) == first.constant)
    {
        site.constant = first.constant;
        site.what = format!("{} with {}", site.what, first.what);
        if (&first.class, first.line) != (&site.class, site.line) {
            site.others.push(first.as_other());
        }
    }
    site.others.extend(created.map(EditSite::as_other));
    Some(site)
}

/// The call that creates an object, and one of its arguments.
fn argument_of(context: &Rc<Context<'_>>, index: u32, number: usize) -> Option<(u32, Value)> {
    let (call, first) = match context.opcode(index)? {
        0xbb => (context.constructor_calls(Origin::At(index)).next()?, 1),
        0xb7 if context.member_at(index)?.name == "<init>" => (index, 1),
        0xb8 => (index, 0),
        _ => (index, 1),
    };
    Some((call, context.flow.operands_at(call).get(number + first)?.clone()))
}

/// True if a call's parameter is an object or an array.
fn takes_object(context: &Context<'_>, call: u32, number: usize) -> bool {
    let types = context.member_at(call).map(|member| parameters(&member.descriptor)).unwrap_or_default();
    types.get(number).is_some_and(|parameter| parameter.descriptor.starts_with(['L', '[']))
}

fn of_value<'c>(search: &Search<'_, 'c>, call: (&Rc<Context<'c>>, u32), value: &Value) -> Result<EditSite, String> {
    let outcome: Outcome<'c> = follow(search, call.0, value, &Wanted::Anything);
    let mut site = answer::of_outcome(search, call, &outcome)?;
    if let Some(leaf) = outcome.leaves.first() {
        let spot = Spot::new(&leaf.context, leaf.bytecode_index);
        site.constant = is_constant(&spot).then(|| spot.what.trim_end_matches(['L', 'f', 'd']).parse().ok()).flatten();
        name_constant(&mut site, &spot);
    }
    Ok(site)
}

/// Finds the constant with the same value, because javac replaces a constant's name with its value.
fn name_constant(site: &mut EditSite, spot: &Spot<'_>) {
    if site.field.is_some() || !is_constant(spot) {
        return;
    }
    let class = &spot.context.class.file;
    let has_value = |field: &&Field<'_>| field.constant.is_some_and(|constant| is_value(class, constant, &spot.what));
    let names: Vec<&Field<'_>> = class.fields.iter().filter(has_value).collect();
    match names.as_slice() {
        [] => {}
        [field] => {
            site.what = format!("{}, the value of constant {}", spot.what, names::field(&class.name, &field.name));
            site.field = Some(FieldUse {
                field: format!("{}.{}", names::class(&class.name), field.name),
                declaration: field_uses::declaration(field),
                line: None,
                uses: Vec::new(),
            });
        }
        several => {
            let names: Vec<&str> = several.iter().map(|field| field.name.as_ref()).collect();
            site.what = format!("{}, which may be constant {}", spot.what, names.join(" or "));
        }
    }
}

fn is_constant(spot: &Spot<'_>) -> bool {
    matches!(spot.context.opcode(spot.bytecode_index), Some(0x02..=0x14))
}

fn is_value(class: &crate::class_file::ClassFile<'_>, constant: Constant<'_>, shown: &str) -> bool {
    let words = words::constant(class, constant);
    let shown = shown.strip_suffix('L').unwrap_or(shown);
    words.is_some_and(|words| words == shown)
}
