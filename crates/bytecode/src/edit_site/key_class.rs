//! Finds the method `hashCode` of a map key's class.

use super::call;
use super::context::{Context, Entered};
use super::descriptor::{parameters, result};
use super::follow::follow;
use super::instruction;
use super::known_classes::{KnownClass, is_jdk_class};
use super::names;
use super::search::Search;
use super::site::EditSite;
use super::spot::Spot;
use super::value::{Origin, Value};
use super::wanted::Wanted;
use crate::class_file::Constant;
use std::rc::Rc;

/// Methods that maps call on keys.
const KEY_METHODS: [&str; 3] = ["hashCode", "equals", "compareTo"];
/// The JDK class that generates the methods of records.
const OBJECT_METHODS: &str = "java/lang/runtime/ObjectMethods";

/// Finds the line to edit.
///
/// # Errors
/// The class of the keys is unknown, or has no `hashCode` that can be edited.
pub(super) fn site(search: &Search<'_, '_>) -> Result<EditSite, String> {
    let passed = passed_keys(search);
    let keys = match (called_key(search), passed) {
        (Some(called), Ok(passed)) => vec![certain(search, called, passed)],
        (Some(called), Err(_)) => vec![called],
        (None, passed) => passed?,
    };
    let (mut keys, steps): (Vec<String>, Vec<String>) = keys.into_iter().map(|key| (key.class, key.step)).unzip();
    keys.dedup();
    match keys.as_slice() {
        [] => {
            Err("the class of the keys is unknown. Check the hashCode of the keys that are put into the map".to_owned())
        }
        [key] => hash_code(search, key, steps),
        several => {
            let names: Vec<String> = several.iter().map(|name| names::class(name)).collect();
            Err(format!("the keys can be {}. Check the hashCode of each class", names.join(" or ")))
        }
    }
}

/// A class of keys, and how it was found.
struct Key {
    class: String,
    step: String,
}

/// The class whose method the map called.
fn called_key(search: &Search<'_, '_>) -> Option<Key> {
    let place = search.question.called.iter().find(|place| {
        KEY_METHODS.contains(&place.method) && !is_jdk_class(place.class) && search.classes.get(place.class).is_some()
    })?;
    let step = format!("the map calls {}.{} of its keys", names::class(place.class), place.method);
    Some(Key { class: place.class.to_owned(), step })
}

/// The classes of the keys that the calling line passes.
fn passed_keys(search: &Search<'_, '_>) -> Result<Vec<Key>, String> {
    let calls = call::locate(search)?;
    let mut keys = Vec::new();
    for index in &calls.indices {
        for class in key_classes(search, (&calls.context, *index)) {
            let step = format!("{} passes a {} as the key", calls.context.shown_place(*index), names::class(&class));
            keys.push(Key { class, step });
        }
    }
    Ok(keys)
}

/// The called class, if the line can pass it. The JVM sometimes names the `equals` of another class, if it has compiled those of
/// several classes into the map's method. So a passed class with a `hashCode` of its own is more certain than an unrelated class.
fn certain(search: &Search<'_, '_>, called: Key, mut passed: Vec<Key>) -> Key {
    passed.dedup_by(|a, b| a.class == b.class);
    let classes = &search.classes;
    let is_related =
        |key: &Key| classes.is_subtype(&called.class, &key.class) || classes.is_subtype(&key.class, &called.class);
    let has_hash_code = |class: &str| {
        classes.resolve_method(class, "hashCode", "()I").is_some_and(|(owner, _)| !is_jdk_class(&owner.file.name))
    };
    match passed.pop() {
        Some(only) if passed.is_empty() && !is_related(&only) && has_hash_code(&only.class) => only,
        _ => called,
    }
}

/// The classes of the key that a call passes.
fn key_classes<'c>(search: &Search<'_, 'c>, (context, index): (&Rc<Context<'c>>, u32)) -> Vec<String> {
    let number = usize::from(search.question.rule.argument.unwrap_or(0));
    let has_object = usize::from(context.opcode(index) != Some(0xb8));
    let Some(value) = context.flow.operands_at(index).get(number + has_object) else { return Vec::new() };
    let declared: Vec<String> = value.origins().iter().filter_map(|origin| declared_class(context, *origin)).collect();
    let outcome = follow(search, context, value, &Wanted::Target);
    let made = outcome.leaves.iter().filter_map(|leaf| leaf.context.class_at(leaf.bytecode_index));
    let mut classes: Vec<String> = made.collect();
    // Casts show the class of the elements of generic containers.
    classes.extend(casts(context, value));
    classes.extend(declared);
    // The interfaces and superclasses of a known class are left out, because they add no information.
    let names = classes.clone();
    classes.retain(|name| !names.iter().any(|other| other != name && search.classes.is_subtype(other, name)));
    classes.retain(|name| name != "java/lang/Object");
    classes.sort();
    classes.dedup();
    classes
}

/// The declared class of a value.
fn declared_class(context: &Context<'_>, origin: Origin) -> Option<String> {
    match origin {
        Origin::This => Some(context.class.file.name.clone().into_owned()),
        Origin::Parameter(number) => {
            let method = context.class.method(context.method)?;
            let types = parameters(&method.descriptor);
            Some(types.get(usize::from(number))?.class()?.to_owned())
        }
        Origin::At(index) => match context.opcode(index)? {
            0xb2 | 0xb4 => {
                let member = context.member_at(index)?;
                Some(member.descriptor.strip_prefix('L')?.strip_suffix(';')?.to_owned())
            }
            0xb6..=0xb9 => Some(result(&context.call_descriptor(index)?).class()?.to_owned()),
            _ => None,
        },
        Origin::Unknown => None,
    }
}

/// Classes of casts that directly follow the origin of a value.
fn casts(context: &Context<'_>, value: &Value) -> Vec<String> {
    let next_to = |origin: &Origin| {
        let Origin::At(index) = origin else { return None };
        let (next, instruction) = context.flow.instructions.range(index + 1..).next()?;
        (instruction.opcode == 0xc0).then(|| context.class_at(*next)).flatten()
    };
    value.origins().iter().filter_map(next_to).collect()
}

/// The `hashCode` of a class, declared or inherited.
fn hash_code(search: &Search<'_, '_>, key: &str, mut steps: Vec<String>) -> Result<EditSite, String> {
    let shown = names::class(key);
    if is_jdk_class(key) {
        return Err(format!(
            "the keys are {shown}, and their hashCode is part of the JDK. Use another key or another map"
        ));
    }
    let class = search.classes.get(key).ok_or_else(|| format!("the class file of the key class {shown} is missing"))?;
    let is_enum = class.file.super_name.as_deref() == Some("java/lang/Enum");
    let Some((owner, number)) = search.classes.resolve_method(key, "hashCode", "()I") else {
        return Err(if is_enum {
            format!("{shown} is an enum, and its hashCode cannot be changed; an EnumMap needs no hashCode")
        } else {
            format!("{shown} has no hashCode of its own and inherits it from java.lang.Object; declare hashCode in it")
        });
    };
    let context = Context::new(Rc::clone(&owner), number, Entered::Unknown)
        .ok_or_else(|| format!("{}.hashCode has no code", names::class(&owner.file.name)))?;
    let mut spot = Spot::new(&context, 0);
    spot.what = format!("hashCode of {}", names::class(&owner.file.name));
    if is_of_record(&owner, number) {
        spot.what.push_str(", generated for the record; declare one that mixes all fields");
    }
    if owner.file.name != key {
        steps.push(format!("{shown} inherits it from {}", names::class(&owner.file.name)));
    }
    let mut site = spot.site(steps);
    site.instruction = instruction::of_method(&context);
    Ok(site)
}

/// True if the compiler generated the method for a record.
fn is_of_record(class: &KnownClass<'_>, number: usize) -> bool {
    let Some(code) = class.code(number) else { return false };
    code.instructions().flatten().any(|instruction| {
        let Some(Constant::InvokeDynamic { bootstrap, .. }) =
            instruction.constant().and_then(|index| class.file.constants.get(index))
        else {
            return false;
        };
        let bootstrap = class.file.bootstrap_methods.get(usize::from(bootstrap));
        let Some(Constant::MethodHandle { member, .. }) =
            bootstrap.and_then(|bootstrap| class.file.constants.get(bootstrap.method))
        else {
            return false;
        };
        class.file.constants.member(member).is_some_and(|member| member.class == OBJECT_METHODS)
    })
}
