//! New objects: the wanted objects, and objects that wrap them.

use super::constructors;
use super::fields;
use super::here::Here;
use super::way::Way;
use crate::edit_site::context::Context;
use crate::edit_site::member_uses::FieldKey;
use crate::edit_site::search::Search;
use crate::edit_site::value::Origin;
use crate::edit_site::words;
use std::rc::Rc;

/// The value that a `new` creates.
pub(super) fn made<'c>(here: &Here<'_, '_, 'c>, index: u32) -> Way<'c> {
    let context = here.context;
    let Some(class) = context.class_at(index) else { return Way::nothing() };
    if here.wanted.takes_class(&class, &here.search.classes) {
        return Way::made(context, index);
    }
    let (object, place) = (words::instruction(context, index), context.shown_place(index));
    if !here.wanted.looks_through() {
        return Way::End(format!("{object}, {place}"));
    }
    let wrapped = wrapped(here.search, context, index).after(format!("{object} in {place} wraps it"));
    wrapped.or_if_not_made(Way::End(format!("it is {object}, {place}")))
}

/// The objects that a new object keeps. Its constructor creates or receives these objects.
fn wrapped<'c>(search: &Search<'_, 'c>, context: &Rc<Context<'c>>, index: u32) -> Way<'c> {
    let constructors = constructors::known(search, context, index);
    let kept = constructors.iter().flat_map(|constructor| kept_in_fields(search, constructor));
    kept.chain([constructors::foreign_arguments(search, context, index)]).collect()
}

/// The objects that a constructor assigns to fields of the new object.
fn kept_in_fields<'c>(search: &Search<'_, 'c>, constructor: &Rc<Context<'c>>) -> Vec<Way<'c>> {
    let puts = constructor.member_instructions(0xb5);
    let puts = puts.filter(|(_, member)| constructors::can_hold_objects(&member.descriptor));
    let kept = puts.filter_map(|(put, member)| {
        let [object, value] = constructor.flow.operands_at(put) else { return None };
        let class = search.classes.declaring_class(&member.class, &member.name, &member.descriptor);
        let field = class.map(|class| FieldKey::new(&class, &member));
        object.contains(Origin::This).then(|| fields::assigned(constructor, put, value).through(field))
    });
    kept.collect()
}
