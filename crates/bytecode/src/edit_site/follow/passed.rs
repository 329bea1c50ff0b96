//! The values passed to a method: its parameters, and the object on which it is called (`this`).

use super::here::Here;
use super::way::{MAX_BRANCHES, Way};
use crate::edit_site::context::{Context, Entered};
use crate::edit_site::member_uses::Use;
use crate::edit_site::names;
use crate::edit_site::search::Search;
use crate::edit_site::value::{Origin, Value};
use std::rc::Rc;

/// The value of a parameter. Parameters are counted from 0, without `this`.
pub(super) fn parameter<'c>(here: &Here<'_, '_, 'c>, number: u16) -> Way<'c> {
    operand(here.search, here.context, usize::from(number) + usize::from(!here.context.is_static()))
}

/// The object on which the method is called (`this`).
pub(super) fn this<'c>(here: &Here<'_, '_, 'c>) -> Way<'c> {
    let is_called_object = match &here.context.entered {
        Entered::Call(..) | Entered::Lambda { .. } => true,
        Entered::Frame(frame) => here.search.actual_caller(*frame, here.context).is_some(),
        Entered::Unknown => false,
    };
    if is_called_object || here.context.is_lambda_body() {
        return operand(here.search, here.context, 0);
    }
    objects_of_class(here.search, here.context)
}

/// Operand number `place` of the call that entered the method. If the method is not static, operand 0 is `this`.
fn operand<'c>(search: &Search<'_, 'c>, context: &Rc<Context<'c>>, place: usize) -> Way<'c> {
    match &context.entered {
        Entered::Call(caller, call) => passed_by((caller, *call), place, context),
        Entered::Lambda { maker, caller } => passed_to_lambda(
            (&maker.0, maker.1),
            caller.as_ref().map(|(caller, call)| (caller, *call)),
            (place, context),
        ),
        Entered::Frame(frame) => match search.actual_caller(*frame, context) {
            Some((caller, calls)) => calls.into_iter().map(|call| passed_by((&caller, call), place, context)).collect(),
            None => passed_anywhere(search, context, place),
        },
        Entered::Unknown => passed_anywhere(search, context, place),
    }
}

/// A method, and the bytecode index of a call in it.
type Call<'a, 'c> = (&'a Rc<Context<'c>>, u32);

/// The value that one call passes.
fn passed_by<'c>((caller, call): Call<'_, 'c>, place: usize, callee: &Context<'c>) -> Way<'c> {
    let Some(value) = caller.flow.operands_at(call).get(place) else {
        return Way::End(format!("the value that {} passes cannot be followed", caller.shown_place(call)));
    };
    let is_object = place == 0 && !callee.is_static();
    let (caller_place, method) = (caller.shown_place(call), callee.shown_method());
    Way::value(caller, value).after(if is_object {
        format!("{caller_place} calls {method} on it")
    } else {
        format!("{caller_place} passes it to {method}")
    })
}

/// The value that is passed to a lambda's body, when the lambda is created or when it is called.
fn passed_to_lambda<'c>(
    maker: Call<'_, 'c>,
    caller: Option<Call<'_, 'c>>,
    (place, body): (usize, &Context<'c>),
) -> Way<'c> {
    let captured_count = maker.0.flow.operands_at(maker.1).len();
    if place < captured_count {
        return passed_by(maker, place, body);
    }
    match caller {
        // The call's first operand is the lambda itself.
        Some(call) => passed_by(call, place - captured_count + 1, body),
        None => Way::End(format!(
            "unknown code passes the object to the lambda created in {}",
            maker.0.shown_place(maker.1)
        )),
    }
}

/// The values that known classes pass to a method. All calls in known classes are examined.
fn passed_anywhere<'c>(search: &Search<'_, 'c>, callee: &Rc<Context<'c>>, place: usize) -> Way<'c> {
    let calls = search.uses.calls(&search.classes, callee);
    if calls.is_empty() {
        return Way::End(format!(
            "no known class calls {}, the method that receives the object",
            callee.shown_method()
        ));
    }
    let passed = calls.iter().take(MAX_BRANCHES).filter_map(|call| passed_by_use(search, call, (place, callee)));
    let rest = calls.get(MAX_BRANCHES).map(|_| Way::End(format!("{} is called in many places", callee.shown_method())));
    passed.chain(rest).collect()
}

/// The value that a use passes to `callee`. A use is a call, or the creation of a lambda with this method as its body.
/// `None` if the code is unknown.
fn passed_by_use<'c>(
    search: &Search<'_, 'c>,
    call: &Use<'c>,
    (place, callee): (usize, &Rc<Context<'c>>),
) -> Option<Way<'c>> {
    let caller = search.context_of(&call.class, call.method)?;
    let call_site = (&caller, call.bytecode_index);
    if !call.is_dynamic() {
        return Some(passed_by(call_site, place, callee));
    }
    Some(passed_to_lambda(call_site, None, (place, callee)))
}

/// All objects that are created of a method's class or of its subclasses.
fn objects_of_class<'c>(search: &Search<'_, 'c>, context: &Context<'c>) -> Way<'c> {
    let name = &context.class.file.name;
    let made = search.uses.made(&search.classes, name);
    let objects = made.iter().take(MAX_BRANCHES).filter_map(|made| {
        let maker = search.context_of(&made.class, made.method)?;
        Some(Way::Value(maker, Value::of(Origin::At(made.bytecode_index))))
    });
    objects
        .collect::<Way<'c>>()
        .or_if_silent(Way::End(format!("no known class creates an object of {}", names::class(name))))
}
