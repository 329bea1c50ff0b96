//! Names and instructions in words for people.

use super::context::Context;
use super::effects;
use super::known_classes::constant_words;
use super::lambda::Lambda;
use crate::class_file::{MemberReference, Operands};
use std::rc::Rc;

/// `java.io.File`.
pub(super) fn class(name: &str) -> String {
    name.replace('/', ".")
}

/// The name in the source: `CrcOut` of `c01/Slow$CrcOut`.
pub(super) fn simple_class(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    let inner = name.rsplit('$').next().unwrap_or(name);
    if inner.is_empty() || inner.starts_with(|first: char| first.is_ascii_digit()) { name } else { inner }
}

/// `CrcOut.w`.
pub(super) fn field(owner: &str, name: &str) -> String {
    format!("{}.{name}", simple_class(owner))
}

/// `java.io.OutputStream.write`.
pub(super) fn member(member: &MemberReference<'_>) -> String {
    format!("{}.{}", class(&member.class), member.name)
}

/// `line 5`.
pub(super) fn line(line: Option<u32>) -> String {
    line.map_or_else(|| "line not known".to_owned(), |line| format!("line {line}"))
}

/// The type of a field: `java.io.OutputStream`, `byte[]`.
pub(super) fn kind(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let name = match element {
        "Z" => "boolean".to_owned(),
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "S" => "short".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "F" => "float".to_owned(),
        "D" => "double".to_owned(),
        other => class(other.strip_prefix('L').unwrap_or(other).trim_end_matches(';')),
    };
    name + &"[]".repeat(descriptor.len() - element.len())
}

/// What an instruction makes: `new java.io.FileOutputStream(…)`, `9`, `java.net.Socket.getOutputStream()`.
pub(super) fn of(context: &Rc<Context<'_>>, bytecode_index: u32) -> String {
    let Some(instruction) = context.flow.instructions.get(&bytecode_index) else { return "?".to_owned() };
    match instruction.opcode {
        0x02..=0x08 => (i32::from(instruction.opcode) - 3).to_string(),
        0x09 | 0x0a => format!("{}L", instruction.opcode - 0x09),
        0x0b..=0x0d => format!("{}.0f", instruction.opcode - 0x0b),
        0x0e | 0x0f => format!("{}.0", instruction.opcode - 0x0e),
        0x10 | 0x11 => match instruction.operands {
            Operands::Immediate(number) => number.to_string(),
            _ => "a number".to_owned(),
        },
        0x12..=0x14 => {
            let constant = instruction.constant().and_then(|index| context.class.file.constants.get(index));
            let words = constant.and_then(|constant| constant_words(&context.class.file, constant));
            words.unwrap_or_else(|| "a constant".to_owned())
        }
        0xb2 | 0xb4 => {
            let member = context.member_at(bytecode_index);
            member.map_or_else(|| "a field".to_owned(), |member| field(&member.class, &member.name))
        }
        0xb6..=0xb9 => called(context, bytecode_index),
        0xba => match Lambda::at(context, bytecode_index) {
            Some(lambda) if lambda.makes_object => format!("{}::new", class(&lambda.member.class)),
            Some(lambda) if lambda.member.name.starts_with("lambda$") => "a lambda".to_owned(),
            Some(lambda) => format!("{}::{}", class(&lambda.member.class), lambda.member.name),
            None => "a value made at run time".to_owned(),
        },
        0xbb => format!("new {}({})", made_class(context, bytecode_index), constructor_dots(context, bytecode_index)),
        0xbc | 0xbd | 0xc5 => "a new array".to_owned(),
        _ => "a calculated value".to_owned(),
    }
}

fn made_class(context: &Context<'_>, bytecode_index: u32) -> String {
    context.class_at(bytecode_index).map_or_else(|| "?".to_owned(), |name| class(&name))
}

fn constructor_dots(context: &Context<'_>, bytecode_index: u32) -> &'static str {
    let mut calls = context.constructor_calls(super::value::Origin::At(bytecode_index));
    let descriptor = calls.next().and_then(|call| context.call_descriptor(call));
    descriptor.map_or("…", |descriptor| dots(&descriptor))
}

fn dots(descriptor: &str) -> &'static str {
    if effects::parameters(descriptor).is_empty() { "" } else { "…" }
}

fn called(context: &Context<'_>, bytecode_index: u32) -> String {
    match context.member_at(bytecode_index) {
        Some(found) if found.name == "<init>" => format!("new {}({})", class(&found.class), dots(&found.descriptor)),
        Some(found) => format!("{}({})", member(&found), dots(&found.descriptor)),
        None => "a call".to_owned(),
    }
}
