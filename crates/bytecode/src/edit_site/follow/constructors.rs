//! The constructors that a `new` instruction runs, and their arguments.

use super::way::{MAX_BRANCHES, Way};
use crate::edit_site::context::{Context, Entered};
use crate::edit_site::descriptor::parameters;
use crate::edit_site::search::Search;
use crate::edit_site::value::{Origin, Value};
use std::rc::Rc;

/// A method, and the bytecode index of a call in it.
type Call<'c> = (Rc<Context<'c>>, u32);

/// The constructors of known classes that a `new` runs: the constructor of the class, and the constructors that it
/// calls with `this(…)` and `super(…)`. Each constructor is entered from the previous constructor.
pub(super) fn known<'c>(search: &Search<'_, 'c>, context: &Rc<Context<'c>>, new_index: u32) -> Vec<Rc<Context<'c>>> {
    let mut found: Vec<Rc<Context<'c>>> = Vec::new();
    let mut open: Vec<Call<'c>> = calls(context, Origin::At(new_index)).collect();
    while let Some(call) = open.pop() {
        if found.len() >= MAX_BRANCHES {
            break;
        }
        if let Some(entered) = enter(search, call) {
            open.extend(calls(&entered, Origin::This));
            found.push(entered);
        }
    }
    found
}

/// The arguments of constructors that cannot be examined: constructors of JDK classes and of unknown classes.
pub(super) fn foreign_arguments<'c>(search: &Search<'_, 'c>, context: &Rc<Context<'c>>, new_index: u32) -> Way<'c> {
    let known = known(search, context, new_index);
    let further = known.iter().flat_map(|constructor| calls(constructor, Origin::This));
    let is_foreign = |(context, call): &Call<'c>| {
        context.member_at(*call).is_some_and(|member| search.classes.get(&member.class).is_none())
    };
    let foreign = calls(context, Origin::At(new_index)).chain(further).filter(is_foreign);
    foreign.flat_map(|(context, call)| object_arguments(&context, call)).collect()
}

/// The arguments of a call that can contain other objects.
pub(super) fn object_arguments<'c>(context: &Rc<Context<'c>>, call: u32) -> Vec<Way<'c>> {
    let Some(descriptor) = context.call_descriptor(call) else { return Vec::new() };
    let (operands, types) = (context.flow.operands_at(call), parameters(&descriptor));
    let first = operands.len().saturating_sub(types.len());
    let arguments = operands.iter().skip(first).zip(types);
    let objects = arguments.filter(|(_, parameter)| can_hold_objects(&parameter.descriptor));
    objects.map(|(value, _): (&Value, _)| Way::value(context, value)).collect()
}

/// True for types of objects that can contain other objects. For example, false for numbers, strings, arrays and file
/// names.
pub(super) fn can_hold_objects(descriptor: &str) -> bool {
    const PLAIN: [&str; 12] = [
        "Ljava/lang/String;",
        "Ljava/lang/Class;",
        "Ljava/lang/Integer;",
        "Ljava/lang/Long;",
        "Ljava/lang/Boolean;",
        "Ljava/io/File;",
        "Ljava/nio/file/Path;",
        "Ljava/nio/charset/",
        "Ljava/util/Locale;",
        "Ljava/util/concurrent/TimeUnit;",
        "Ljava/time/",
        "Ljava/math/",
    ];
    descriptor.starts_with('L') && !PLAIN.iter().any(|plain| descriptor.starts_with(plain))
}

/// The constructor calls on one object, in one method.
fn calls<'a, 'c>(context: &'a Rc<Context<'c>>, object: Origin) -> impl Iterator<Item = Call<'c>> + use<'a, 'c> {
    context.constructor_calls(object).map(|call| (Rc::clone(context), call))
}

/// The constructor that a call runs. `None` if its class is unknown.
fn enter<'c>(search: &Search<'_, 'c>, (caller, call): Call<'c>) -> Option<Rc<Context<'c>>> {
    let member = caller.member_at(call)?;
    let class = search.classes.get(&member.class)?;
    let number = class.method_number(&member.name, &member.descriptor)?;
    Context::new(class, number, Entered::Call(caller, call))
}
