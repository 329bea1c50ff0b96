//! The values of fields: assignments in known classes, and arguments of superclass constructors.

use super::constructors;
use super::here::Here;
use super::way::{MAX_BRANCHES, Way};
use crate::class_file::MemberReference;
use crate::edit_site::context::Context;
use crate::edit_site::known_classes::KnownClass;
use crate::edit_site::member_uses::{FieldKey, Use};
use crate::edit_site::names;
use crate::edit_site::outcome::Leaf;
use crate::edit_site::search::Search;
use crate::edit_site::value::{Origin, Value};
use crate::edit_site::wanted::Wanted;
use std::rc::Rc;

/// The value of a field that an instruction reads.
pub(super) fn read<'c>(here: &Here<'_, '_, 'c>, index: u32) -> Way<'c> {
    let (context, classes) = (here.context, &here.search.classes);
    let Some(member) = context.member_at(index) else { return Way::nothing() };
    if here.wanted.takes_member(&member, classes) {
        return Way::made(context, index);
    }
    match classes.declaring_class(&member.class, &member.name, &member.descriptor) {
        Some(class) => of_known_class(here, index, (&class, &member)),
        None if here.wanted.takes_anything() => Way::made(context, index),
        None => of_unknown_class(here, index, &member),
    }
}

/// An assignment: the value that the field gets.
pub(super) fn assigned<'c>(context: &Rc<Context<'c>>, put: u32, value: &Value) -> Way<'c> {
    let Some(member) = context.member_at(put) else { return Way::nothing() };
    let step = format!("{} is assigned in {}", names::field(&member.class, &member.name), context.shown_place(put));
    Way::value(context, value).after(step)
}

fn of_known_class<'c>(
    here: &Here<'_, '_, 'c>,
    index: u32,
    (class, member): (&KnownClass<'c>, &MemberReference<'c>),
) -> Way<'c> {
    let key = FieldKey::new(class, member);
    let no_assignment = if is_constant(class, member) && here.wanted.takes_anything() {
        Way::made(here.context, index)
    } else {
        Way::End(format!("no known class assigns an object to {}", names::field(&member.class, &member.name)))
    };
    assignments(here, index, &key).or_if_silent(no_assignment).through(Some(key))
}

/// The assignments that can give a field its value.
fn assignments<'c>(here: &Here<'_, '_, 'c>, index: u32, key: &FieldKey) -> Way<'c> {
    let search = here.search;
    let made = base(here.context, index).and_then(|base| here.objects(base, &Wanted::Object(&key.class)));
    let puts = search.uses.puts(&search.classes, key);
    let Some(made) = made else { return unbound(search, puts.iter(), key) };
    // If the object itself is known, assignments in its constructors and in other methods are used.
    let bound = made.iter().take(MAX_BRANCHES).map(|object| in_constructors(search, object, key));
    let others = unbound(search, puts.iter().filter(|put| !put.is_in_constructor()), key);
    // A constructor reference such as `A::new` does not show which constructor creates the object.
    bound.chain([others]).collect::<Way<'c>>().or_if_silent(unbound(search, puts.iter(), key))
}

/// The object with the field that an instruction reads. `None` if the field is static.
fn base<'a>(context: &'a Context<'_>, index: u32) -> Option<&'a Value> {
    context.flow.operands_at(index).first().filter(|_| !is_static(context, index))
}

fn is_static(context: &Context<'_>, index: u32) -> bool {
    context.opcode(index) == Some(0xb2)
}

fn is_constant(class: &KnownClass<'_>, member: &MemberReference<'_>) -> bool {
    class.file.fields.iter().any(|field| field.name == member.name && field.constant.is_some())
}

/// Assignments in the constructors that run when one object is created.
fn in_constructors<'c>(search: &Search<'_, 'c>, object: &Leaf<'c>, key: &FieldKey) -> Way<'c> {
    let constructors = constructors::known(search, &object.context, object.bytecode_index);
    constructors.iter().flat_map(|constructor| in_constructor(search, constructor, key)).collect()
}

fn in_constructor<'c>(search: &Search<'_, 'c>, constructor: &Rc<Context<'c>>, key: &FieldKey) -> Vec<Way<'c>> {
    let puts = constructor.member_instructions(0xb5).filter(|(_, member)| key.is(member, &search.classes));
    let of_this_object = puts.filter_map(|(put, _)| match constructor.flow.operands_at(put) {
        [base, value] if base.contains(Origin::This) => Some(assigned(constructor, put, value)),
        _ => None,
    });
    of_this_object.collect()
}

/// Assignments to the field of any object.
fn unbound<'p, 'c: 'p>(search: &Search<'_, 'c>, puts: impl Iterator<Item = &'p Use<'c>>, key: &FieldKey) -> Way<'c> {
    let assigned_by = |(count, put): (usize, &Use<'c>)| {
        if count >= MAX_BRANCHES {
            let field = names::field(&key.class, &key.name);
            return Some(Way::End(format!("{field} is assigned in many places")));
        }
        let context = search.context_of(&put.class, put.method)?;
        let value = context.flow.operands_at(put.bytecode_index).last()?;
        Some(assigned(&context, put.bytecode_index, value))
    };
    puts.enumerate().take(MAX_BRANCHES + 1).filter_map(assigned_by).collect()
}

fn of_unknown_class<'c>(here: &Here<'_, '_, 'c>, index: u32, member: &MemberReference<'c>) -> Way<'c> {
    let is_looked_into = !is_static(here.context, index) && here.wanted.looks_through();
    let inherited = if is_looked_into { inherited(here, index, member) } else { Way::nothing() };
    let field = names::field(&member.class, &member.name);
    inherited.or_if_not_made(Way::End(format!("the object is kept in {field}, a field of an unknown class")))
}

/// The value of a field in a superclass that cannot be examined, such as `out` of `FilterOutputStream`. The value is an
/// argument of the superclass's constructor.
fn inherited<'c>(here: &Here<'_, '_, 'c>, index: u32, member: &MemberReference<'c>) -> Way<'c> {
    let makers = makers(here, index, member).into_iter().take(MAX_BRANCHES);
    let given = makers.map(|(maker, index)| {
        let field = names::field(&member.class, &member.name);
        let step = format!("the constructor assigns it to {field}, {}", maker.shown_place(index));
        constructors::foreign_arguments(here.search, &maker, index).after(step)
    });
    given.collect()
}

/// The places that create the object with the field, or any object of its class.
fn makers<'c>(here: &Here<'_, '_, 'c>, index: u32, member: &MemberReference<'c>) -> Vec<(Rc<Context<'c>>, u32)> {
    let search = here.search;
    let base = here.context.flow.operands_at(index).first().cloned().unwrap_or_default();
    if let Some(made) = here.objects(&base, &Wanted::Object(&member.class)) {
        return made.into_iter().map(|leaf| (leaf.context, leaf.bytecode_index)).collect();
    }
    let made = search.uses.made(&search.classes, &member.class);
    made.iter().filter_map(|made| Some((search.context_of(&made.class, made.method)?, made.bytecode_index))).collect()
}
