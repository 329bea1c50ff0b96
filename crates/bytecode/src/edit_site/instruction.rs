//! The exact instruction of a place: a creation, or a call.

use super::context::Context;
use super::site::SiteInstruction;
use super::value::Origin;

const NEW: u8 = 0xbb;
const CALLS: std::ops::RangeInclusive<u8> = 0xb6..=0xb9;

/// The creation or call at a bytecode index. The call of a constructor stands for the creation of its object. `None`: the
/// instruction does something else.
pub(super) fn of(context: &Context<'_>, bytecode_index: u32) -> Option<SiteInstruction> {
    let created = created_object(context, bytecode_index);
    let bytecode_index = created.unwrap_or(bytecode_index);
    let operation = match context.opcode(bytecode_index)? {
        NEW => format!("new {}", context.class_at(bytecode_index)?),
        opcode if CALLS.contains(&opcode) => {
            let member = context.member_at(bytecode_index)?;
            format!("call {}.{}", member.class, member.name)
        }
        _ => return None,
    };
    let method = context.class.method(context.method)?;
    Some(SiteInstruction {
        class: context.class.file.name.clone().into_owned(),
        method: method.name.clone().into_owned(),
        descriptor: method.descriptor.clone().into_owned(),
        bytecode_index,
        operation,
    })
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
