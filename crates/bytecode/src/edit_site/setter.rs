//! Calls of setters on a created object, such as the level of a compressing stream:
//!
//! ```java
//! class Packed extends GZIPOutputStream {
//!     Packed(OutputStream out) throws IOException { super(out); def.setLevel(9); }    // a field of the superclass
//! }
//! zip = new ZipOutputStream(out); zip.setLevel(9);                                  // a local variable or a field
//! ```

use super::context::{Context, Entered};
use super::known_classes::KnownClass;
use super::outcome::Leaf;
use super::search::Search;
use super::value::Origin;
use super::wanted::Wanted;
use std::collections::HashSet;
use std::rc::Rc;

/// A call in a method.
type Call<'c> = (Rc<Context<'c>>, u32);

const GETSTATIC: u8 = 0xb2;
const GETFIELD: u8 = 0xb4;
const NEW: u8 = 0xbb;

/// The calls of setters on the object that a place creates: in the object's class, in the creating method, and on the field that
/// keeps the object.
pub(super) fn calls<'c>(search: &Search<'_, 'c>, leaf: &Leaf<'c>) -> Vec<Call<'c>> {
    if search.question.rule.setters.is_empty() {
        return Vec::new();
    }
    let (context, index) = (&leaf.context, leaf.bytecode_index);
    let mut found = Vec::new();
    if context.opcode(index) == Some(NEW)
        && let Some(class) = context.class_at(index)
    {
        let constructor = context.constructor_calls(Origin::At(index)).next().map(|call| (Rc::clone(context), call));
        found.extend(in_class(search, &class, constructor));
    }
    found.extend(on(search, context, |origin| origin == Origin::At(index)));
    if let Some(field) = leaf.trail.field.as_deref() {
        let uses = search.uses.of_field(&search.classes, field);
        for read in uses.into_iter().filter(|read| matches!(read.opcode, GETSTATIC | GETFIELD)) {
            let user = search.context_of(&read.class, read.method);
            found.extend(
                user.map_or_else(Vec::new, |user| {
                    on(search, &user, |origin| origin == Origin::At(read.bytecode_index))
                }),
            );
        }
    }
    let mut seen = HashSet::new();
    found.retain(|(context, call)| seen.insert(context.place_key(*call)));
    found
}

/// The calls of setters in the class that a call names, if the class is a subclass of a wanted class.
pub(super) fn calls_of_class<'c>(search: &Search<'_, 'c>, (context, call): (&Rc<Context<'c>>, u32)) -> Vec<Call<'c>> {
    let rule = search.question.rule;
    let class = context.member_at(call).filter(|_| !rule.setters.is_empty()).map(|member| member.class.into_owned());
    let wanted = Wanted::Classes(&rule.classes);
    let class = class.filter(|class| wanted.takes_class(class, &search.classes));
    class.map_or_else(Vec::new, |class| in_class(search, &class, None))
}

/// The calls of setters that a class and its known superclasses make on themselves, or on their inherited fields. `constructor`
/// is the call that creates the object.
fn in_class<'c>(search: &Search<'_, 'c>, class: &str, constructor: Option<Call<'c>>) -> Vec<Call<'c>> {
    let created_by = constructor.as_ref().and_then(|(context, call)| context.call_descriptor(*call));
    let mut found = Vec::new();
    for known in search.classes.ancestors(class).iter().filter_map(|name| search.classes.get(name)) {
        let is_created = known.file.name == class;
        let of_constructor = |number: usize| {
            let method = known.method(number).filter(|method| is_created && method.name == "<init>");
            method.is_some_and(|method| created_by.as_deref() == Some(&*method.descriptor))
        };
        let mut of_class: Vec<(bool, Call<'c>)> = Vec::new();
        for number in 0..known.file.methods.len() {
            let entered = constructor.clone().filter(|_| of_constructor(number));
            let Some(context) = context(search, &known, number, entered) else { continue };
            let is_itself = |origin: Origin| is_own_object(&context, origin);
            let is_constructor = is_created && context.method_name() == "<init>";
            of_class.extend(on(search, &context, is_itself).into_iter().map(|call| (is_constructor, call)));
        }
        // Another constructor did not create this object.
        let is_used = |(is_constructor, call): &(bool, Call<'c>)| !is_constructor || of_constructor(call.0.method);
        if of_class.iter().any(|found| found.0 && is_used(found)) {
            of_class.retain(is_used);
        }
        found.extend(of_class.into_iter().map(|(_, call)| call));
    }
    found
}

fn context<'c>(
    search: &Search<'_, 'c>,
    class: &Rc<KnownClass<'c>>,
    number: usize,
    entered: Option<Call<'c>>,
) -> Option<Rc<Context<'c>>> {
    match entered {
        Some((caller, call)) => Context::new(Rc::clone(class), number, Entered::Call(caller, call)),
        None => search.context_of(class, number),
    }
}

/// Whether a value is `this`, or a field of `this`.
fn is_own_object(context: &Context<'_>, origin: Origin) -> bool {
    match origin {
        Origin::This => true,
        Origin::At(index) if context.opcode(index) == Some(GETFIELD) => {
            context.flow.operands_at(index).first().is_some_and(|object| object.origins() == [Origin::This])
        }
        _ => false,
    }
}

/// The calls of setters in a method on values with only these origins.
fn on<'c>(search: &Search<'_, 'c>, context: &Rc<Context<'c>>, is_object: impl Fn(Origin) -> bool) -> Vec<Call<'c>> {
    let setters = &search.question.rule.setters;
    let is_setter = |owner: &str, name: &str| {
        let has_name = |class: &str| {
            setters.iter().any(|setter| setter.strip_prefix(class).and_then(|it| it.strip_prefix('.')) == Some(name))
        };
        setters.iter().any(|setter| setter.ends_with(name))
            && search.classes.ancestors(owner).iter().any(|class| has_name(class))
    };
    let calls = context.member_instructions(0xb6).filter(|(_, member)| is_setter(&member.class, &member.name));
    let on_it = calls.filter(|(call, _)| {
        let origins = context.flow.operands_at(*call).first().map_or(&[][..], |object| object.origins());
        !origins.is_empty() && origins.iter().all(|origin| is_object(*origin))
    });
    on_it.map(|(call, _)| (Rc::clone(context), call)).collect()
}
