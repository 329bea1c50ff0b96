//! The results of calls, methods and lambdas.

use super::call_targets::{Target, targets};
use super::constructors::object_arguments;
use super::here::Here;
use super::way::{MAX_BRANCHES, Way};
use crate::class_file::MemberReference;
use crate::edit_site::context::{Context, Entered};
use crate::edit_site::lambda::Lambda;
use crate::edit_site::names;
use crate::edit_site::wanted::Wanted;
use crate::edit_site::words;
use std::rc::Rc;

/// The result of a call.
pub(super) fn of_call<'c>(here: &Here<'_, '_, 'c>, index: u32) -> Way<'c> {
    let Some(member) = here.context.member_at(index) else { return Way::nothing() };
    if here.wanted.takes_member(&member, &here.search.classes) {
        return Way::made(here.context, index);
    }
    let targets = targets(here, index, &member);
    if targets.is_empty() {
        return of_foreign_method(here, index, &member);
    }
    let results = targets.into_iter().take(MAX_BRANCHES).map(|target| match target {
        Target::Method(entered) => of_method(&entered),
        Target::Lambda(lambda) => of_lambda(here, &lambda, Some(index)),
    });
    results.collect()
}

/// The object that an `invokedynamic` creates, or the result of the lambda.
pub(super) fn of_dynamic<'c>(here: &Here<'_, '_, 'c>, index: u32) -> Way<'c> {
    match Lambda::at(here.context, index) {
        Some(lambda) if here.wanted.looks_through() => of_lambda(here, &lambda, None),
        _ if here.wanted.takes_anything() || matches!(here.wanted, Wanted::Target) => Way::made(here.context, index),
        _ => Way::End(format!("it is a lambda, {}", here.context.shown_place(index))),
    }
}

/// The objects that a method of a known class returns.
fn of_method<'c>(entered: &Rc<Context<'c>>) -> Way<'c> {
    let returned = entered.flow.with_opcode(0xb0).filter_map(|it| {
        let index = it.bytecode_index;
        let value = entered.flow.operands_at(index).first()?;
        let step = format!("{} returns it, {}", entered.shown_method(), names::line(entered.line(index)));
        Some(Way::value(entered, value).after(step))
    });
    let reason = format!("the result of {} cannot be followed", entered.shown_method());
    returned.collect::<Way<'c>>().or_if_silent(Way::End(reason))
}

/// The result of a lambda or method reference. `call` is the instruction that calls the lambda; `None` if unknown.
fn of_lambda<'c>(here: &Here<'_, '_, 'c>, lambda: &Lambda<'c>, call: Option<u32>) -> Way<'c> {
    let (maker, index) = &lambda.maker;
    let (classes, member) = (&here.search.classes, lambda.member.as_reference());
    let is_taken = if lambda.makes_object {
        here.wanted.takes_class(&member.class, classes)
    } else {
        here.wanted.takes_member(&member, classes)
    };
    let resolved = classes.resolve_method(&member.class, &member.name, &member.descriptor);
    let entered = resolved.filter(|_| !lambda.makes_object).and_then(|(class, number)| {
        let caller = call.map(|index| (Rc::clone(here.context), index));
        Context::new(class, number, Entered::Lambda { maker: lambda.maker.clone(), caller })
    });
    let result = match entered {
        _ if is_taken => Way::made(maker, *index),
        Some(entered) => of_method(&entered),
        None if here.wanted.takes_anything() => Way::made(maker, *index),
        None => Way::End(format!("it is the result of {}", names::member(&member))),
    };
    result.after(format!("the lambda of {} returns it", maker.shown_place(*index)))
}

/// The result of a method that cannot be examined.
fn of_foreign_method<'c>(here: &Here<'_, '_, 'c>, index: u32, member: &MemberReference<'c>) -> Way<'c> {
    let context = here.context;
    let first = context.flow.operands_at(index).first().map(|value| Way::value(context, value));
    if &*member.class == "java/util/Objects" && member.name.starts_with("requireNonNull") {
        return first.into_iter().collect();
    }
    let is_kept = keeps_objects(member);
    if here.wanted.takes_anything() && !is_kept {
        return Way::made(context, index);
    }
    let (call, place) = (words::instruction(context, index), context.shown_place(index));
    let reason = if is_kept {
        format!("it is kept in a collection, {call} in {place}")
    } else {
        format!("it is the result of {call} in {place}")
    };
    if !here.wanted.looks_through() {
        return Way::End(reason);
    }
    let object = first.filter(|_| !is_kept && context.opcode(index) != Some(0xb8));
    let inside = object_arguments(context, index).into_iter().chain(object).collect::<Way<'c>>();
    inside.after(format!("{call} returns it, {place}")).or_if_not_made(Way::End(reason))
}

/// True for methods that return an object that was put into a collection or another container.
fn keeps_objects(member: &MemberReference<'_>) -> bool {
    const NO_HOLDERS: [&str; 4] = ["java/util/zip/", "java/util/regex/", "java/util/function/", "java/util/jar/"];
    let is_holder = member.class.starts_with("java/util/") || member.class.starts_with("java/lang/ref/");
    is_holder
        && !NO_HOLDERS.iter().any(|package| member.class.starts_with(package))
        && member.descriptor.ends_with(")Ljava/lang/Object;")
}
