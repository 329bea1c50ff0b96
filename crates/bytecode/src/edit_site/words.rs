//! Readable texts for instructions and constants.

use crate::class_file::{ClassFile, Constant, Operands};
use crate::edit_site::context::Context;
use crate::edit_site::descriptor::parameters;
use crate::edit_site::lambda::Lambda;
use crate::edit_site::names;
use crate::edit_site::value::Origin;
use std::rc::Rc;

/// The result of an instruction in words: `new java.io.FileOutputStream(…)`, `9`, `java.net.Socket.getOutputStream()`.
pub(super) fn instruction(context: &Rc<Context<'_>>, bytecode_index: u32) -> String {
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
            let value = instruction.constant().and_then(|index| context.class.file.constants.get(index));
            let words = value.and_then(|value| constant(&context.class.file, value));
            words.unwrap_or_else(|| "a constant".to_owned())
        }
        0xb2 | 0xb4 => {
            let member = context.member_at(bytecode_index);
            member.map_or_else(|| "a field".to_owned(), |member| names::field(&member.class, &member.name))
        }
        0xb6..=0xb9 => called(context, bytecode_index),
        0xba => match Lambda::at(context, bytecode_index) {
            Some(lambda) if lambda.makes_object => format!("{}::new", names::class(&lambda.member.class)),
            Some(lambda) if lambda.member.name.starts_with("lambda$") => "a lambda".to_owned(),
            Some(lambda) => format!("{}::{}", names::class(&lambda.member.class), lambda.member.name),
            None => "a value computed at run time".to_owned(),
        },
        0xbb => format!("new {}({})", made_class(context, bytecode_index), constructor_dots(context, bytecode_index)),
        0xbc | 0xbd | 0xc5 => "a new array".to_owned(),
        _ => "a calculated value".to_owned(),
    }
}

fn made_class(context: &Context<'_>, bytecode_index: u32) -> String {
    context.class_at(bytecode_index).map_or_else(|| "?".to_owned(), |name| names::class(&name))
}

fn constructor_dots(context: &Context<'_>, bytecode_index: u32) -> &'static str {
    let mut calls = context.constructor_calls(Origin::At(bytecode_index));
    let descriptor = calls.next().and_then(|call| context.call_descriptor(call));
    descriptor.map_or("…", |descriptor| dots(&descriptor))
}

fn dots(descriptor: &str) -> &'static str {
    if parameters(descriptor).is_empty() { "" } else { "…" }
}

fn called(context: &Context<'_>, bytecode_index: u32) -> String {
    match context.member_at(bytecode_index) {
        Some(found) if found.name == "<init>" => {
            format!("new {}({})", names::class(&found.class), dots(&found.descriptor))
        }
        Some(found) => format!("{}({})", names::member(&found), dots(&found.descriptor)),
        None => "a call".to_owned(),
    }
}

/// The value of a number or text constant, as Java writes it.
pub(super) fn constant(class: &ClassFile<'_>, constant: Constant<'_>) -> Option<String> {
    Some(match constant {
        Constant::Integer(number) => number.to_string(),
        Constant::Long(number) => number.to_string(),
        Constant::Float(number) => number.to_string(),
        Constant::Double(number) => number.to_string(),
        Constant::String { text } => format!("\"{}\"", class.constants.text(text)?),
        _ => return None,
    })
}
