//! Finds the methods and lambdas that a call can run, if they are known.

use super::here::Here;
use super::way::MAX_BRANCHES;
use crate::class_file::MemberReference;
use crate::edit_site::context::{Context, Entered};
use crate::edit_site::known_classes::{KnownClass, is_jdk_class};
use crate::edit_site::lambda::Lambda;
use crate::edit_site::outcome::Leaf;
use crate::edit_site::search::Search;
use crate::edit_site::wanted::Wanted;
use std::rc::Rc;

/// A method or lambda that a call can run.
pub(super) enum Target<'c> {
    Method(Rc<Context<'c>>),
    Lambda(Lambda<'c>),
}

/// A class, and the number of one of its methods.
type ClassMethod<'c> = (Rc<KnownClass<'c>>, usize);

/// The methods and lambdas that the call at `index` can run. Empty if all of them are unknown.
pub(super) fn targets<'c>(here: &Here<'_, '_, 'c>, index: u32, member: &MemberReference<'c>) -> Vec<Target<'c>> {
    let call = (here.context, index);
    let declared = here.search.classes.resolve_method(&member.class, &member.name, &member.descriptor);
    if matches!(here.context.opcode(index), Some(0xb7 | 0xb8)) {
        return declared.and_then(|method| enter(method, call)).into_iter().collect();
    }
    let overriding = overriding(here.search, member);
    let has_code = declared.as_ref().is_some_and(|(class, number)| class.code(*number).is_some());
    if overriding.is_empty() && has_code {
        return declared.and_then(|method| enter(method, call)).into_iter().collect();
    }
    let receiver = here.context.flow.operands_at(index).first().cloned().unwrap_or_default();
    match here.objects(&receiver, &Wanted::Target) {
        Some(objects) => objects.iter().filter_map(|object| on_object(here.search, object, call)).collect(),
        None => {
            let possible = declared.into_iter().chain(overriding).take(MAX_BRANCHES);
            possible.filter_map(|method| enter(method, call)).collect()
        }
    }
}

/// The methods of known subclasses that a virtual call can run.
fn overriding<'c>(search: &Search<'_, 'c>, member: &MemberReference<'c>) -> Vec<ClassMethod<'c>> {
    // The methods of a JDK class or interface are not followed, because too many classes override them.
    if is_jdk_class(&member.class) {
        return Vec::new();
    }
    let subtypes = search.uses.subtypes(&search.classes, &member.class);
    let methods = subtypes.iter().filter_map(|class| {
        let number = class.method_number(&member.name, &member.descriptor)?;
        class.code(number).is_some().then(|| (Rc::clone(class), number))
    });
    methods.collect()
}

/// The method or lambda that a call on one object runs.
fn on_object<'c>(search: &Search<'_, 'c>, object: &Leaf<'c>, call: (&Rc<Context<'c>>, u32)) -> Option<Target<'c>> {
    if let Some(lambda) = Lambda::at(&object.context, object.bytecode_index) {
        return Some(Target::Lambda(lambda));
    }
    let class = object.context.class_at(object.bytecode_index)?;
    let member = call.0.member_at(call.1)?;
    enter(search.classes.resolve_method(&class, &member.name, &member.descriptor)?, call)
}

fn enter<'c>((class, number): ClassMethod<'c>, (caller, call): (&Rc<Context<'c>>, u32)) -> Option<Target<'c>> {
    Context::new(class, number, Entered::Call(Rc::clone(caller), call)).map(Target::Method)
}
