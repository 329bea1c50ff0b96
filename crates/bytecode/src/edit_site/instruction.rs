//! The exact instruction of a place: a creation, a call, or a concatenation of texts. A whole method is the place of its first
//! instruction.

use super::context::Context;
use super::site::SiteInstruction;
use super::value::Origin;
use crate::class_file::{Constant, Operands, element_type};

const NEW: u8 = 0xbb;
const NEW_ARRAY: u8 = 0xbc;
const CALLS: std::ops::RangeInclusive<u8> = 0xb6..=0xb9;
const INVOKE_DYNAMIC: u8 = 0xba;
/// What an instruction does that compilers write for `+` between texts, since Java 9.
const CONCATENATION: &str = "concatenate java/lang/String";

/// The creation, call or concatenation at a bytecode index. The call of a constructor means the creation of its object.
/// `None`: the instruction does something else.
pub(super) fn of(context: &Context<'_>, bytecode_index: u32) -> Option<SiteInstruction> {
    let created = created_object(context, bytecode_index);
    let bytecode_index = created.unwrap_or(bytecode_index);
    let operation = match context.opcode(bytecode_index)? {
        NEW => format!("new {}", context.class_at(bytecode_index)?),
        NEW_ARRAY => format!("new {}[]", elements(context, bytecode_index)?),
        opcode if CALLS.contains(&opcode) => {
            let member = context.member_at(bytecode_index)?;
            format!("call {}.{}", member.class, member.name)
        }
        INVOKE_DYNAMIC if is_concatenation(context, bytecode_index) => CONCATENATION.to_owned(),
        _ => return None,
    };
    site_instruction(context, bytecode_index, operation)
}

/// The whole method, with the operation `method hashCode`.
pub(super) fn of_method(context: &Context<'_>) -> Option<SiteInstruction> {
    site_instruction(context, 0, format!("method {}", context.method_name()))
}

fn site_instruction(context: &Context<'_>, bytecode_index: u32, operation: String) -> Option<SiteInstruction> {
    let method = context.class.method(context.method)?;
    Some(SiteInstruction {
        class: context.class.file.name.clone().into_owned(),
        method: method.name.clone().into_owned(),
        descriptor: method.descriptor.clone().into_owned(),
        bytecode_index,
        operation,
    })
}

/// The type of the elements of a new array: `byte`.
fn elements(context: &Context<'_>, bytecode_index: u32) -> Option<&'static str> {
    match context.flow.instructions.get(&bytecode_index)?.operands {
        Operands::NewArray(code) => Some(element_type(code)),
        _ => None,
    }
}

/// The concatenation at a bytecode index. Code that the JVM generates does the work, and profiles leave out its frames.
/// `None`: the instruction does something else.
pub(super) fn concatenation(context: &Context<'_>, bytecode_index: u32) -> Option<SiteInstruction> {
    of(context, bytecode_index).filter(|instruction| instruction.operation == CONCATENATION)
}

fn is_concatenation(context: &Context<'_>, bytecode_index: u32) -> bool {
    let constants = &context.class.file.constants;
    let constant = context.flow.instructions.get(&bytecode_index).and_then(|it| constants.get(it.constant()?));
    let Some(Constant::InvokeDynamic { name_and_type, .. }) = constant else { return false };
    constants.name_and_type(name_and_type).is_some_and(|(name, _)| name == "makeConcatWithConstants")
}

/// The `new` of the object on which the instruction calls a constructor.
fn created_object(context: &Context<'_>, bytecode_index: u32) -> Option<u32> {
    let calls_constructor = CALLS.contains(&context.opcode(bytecode_index)?)
        && context.member_at(bytecode_index).is_some_and(|member| member.name == "<init>");
    let object = context.flow.operands_at(bytecode_index).first().filter(|_| calls_constructor)?;
    match object.origins() {
        [Origin::At(created)] if context.opcode(*created) == Some(NEW) => Some(*created),
        _ => None,
    }
}
