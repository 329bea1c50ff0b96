//! The effect of each instruction on the local variables and the operand stack.
//!
//! An instruction takes slots from the stack and puts slots on the stack. A `long` or `double` has two slots.

use crate::class_file::{ClassFile, Constant, Instruction, Operands};
use crate::edit_site::descriptor::{Type, parameters, result};
use crate::edit_site::state::State;
use crate::edit_site::value::{Origin, Value};

/// The result of an instruction, in addition to the changed state.
#[derive(Debug, Default)]
pub(super) struct Effect {
    /// The values that the instruction took from the stack. They are set only for instructions with operands that the
    /// flow stores.
    pub(super) operands: Vec<Value>,
    /// True if a local variable changed.
    pub(super) changes_locals: bool,
    /// True if the next instruction is not executed after this instruction.
    pub(super) ends_way: bool,
}

/// Applies an instruction. `None` if the stack is too small, or a constant is wrong.
pub(super) fn apply(state: &mut State, instruction: &Instruction, class: &ClassFile<'_>) -> Option<Effect> {
    let here = Value::of(Origin::At(instruction.bytecode_index));
    let opcode = instruction.opcode;
    match opcode {
        0x15..=0x2d => load(state, instruction),
        0x36..=0x4e => store(state, instruction),
        0x57..=0x5f => shuffle(state, opcode),
        0x84 => {
            let Operands::Increment(slot, _) = instruction.operands else { return None };
            *state.locals.get_mut(usize::from(slot))? = here;
            Some(Effect { changes_locals: true, ..Effect::default() })
        }
        0xb2..=0xb5 => field_access(state, instruction, class),
        0xb6..=0xba => call(state, instruction, class),
        // A cast keeps the value's origin. Casts to `byte`, `char` and `short` are included.
        0xc0 | 0x91..=0x93 => state.stack.last().map(|_| Effect::default()),
        0xc5 => {
            let Operands::MultiArray(_, dimensions) = instruction.operands else { return None };
            state.take(usize::from(dimensions))?;
            state.stack.push(here);
            Some(Effect::default())
        }
        _ => plain(state, opcode, here),
    }
}

/// Instructions that take a fixed number of slots and put a fixed number of slots on the stack.
fn plain(state: &mut State, opcode: u8, here: Value) -> Option<Effect> {
    let (taken, left) = slots(opcode)?;
    let operands = state.take(taken)?;
    state.push(here, left);
    let is_asked_about = matches!(opcode, 0x32 | 0x53 | 0xac..=0xb0 | 0xbd | 0xc2 | 0xc3);
    let ends_way = matches!(opcode, 0xa7 | 0xa9..=0xb1 | 0xbf | 0xc8);
    Some(Effect { operands: if is_asked_about { operands } else { Vec::new() }, ends_way, ..Effect::default() })
}

/// How many slots an instruction takes from the stack, and how many slots it puts on the stack.
fn slots(opcode: u8) -> Option<(usize, usize)> {
    Some(match opcode {
        0x00 | 0xa7 | 0xa9 | 0xb1 | 0xc8 => (0, 0),
        0x09 | 0x0a | 0x0e | 0x0f | 0x14 => (0, 2),
        0x01..=0x13 | 0xa8 | 0xbb | 0xc9 => (0, 1),
        0x2f | 0x31 => (2, 2),
        0x2e..=0x35 => (2, 1),
        0x50 | 0x52 => (4, 0),
        0x4f..=0x56 => (3, 0),
        0x60..=0x73 if opcode & 1 == 0 => (2, 1),
        0x60..=0x73 => (4, 2),
        0x74 | 0x76 => (1, 1),
        0x75 | 0x77 => (2, 2),
        0x78 | 0x7a | 0x7c => (2, 1),
        0x79 | 0x7b | 0x7d => (3, 2),
        0x7e | 0x80 | 0x82 => (2, 1),
        0x7f | 0x81 | 0x83 => (4, 2),
        0x85 | 0x87 | 0x8c | 0x8d => (1, 2),
        0x86 | 0x8b => (1, 1),
        0x88 | 0x89 | 0x8e | 0x90 => (2, 1),
        0x8a | 0x8f => (2, 2),
        0x94 | 0x97 | 0x98 => (4, 1),
        0x95 | 0x96 => (2, 1),
        0x99..=0x9e | 0xaa | 0xab | 0xac | 0xae | 0xb0 | 0xbf | 0xc2 | 0xc3 | 0xc6 | 0xc7 => (1, 0),
        0x9f..=0xa6 | 0xad | 0xaf => (2, 0),
        0xbc..=0xbe | 0xc1 => (1, 1),
        _ => return None,
    })
}

fn load(state: &mut State, instruction: &Instruction) -> Option<Effect> {
    let opcode = instruction.opcode;
    let (kind, slot) = match instruction.operands {
        Operands::Local(slot) => (opcode - 0x15, slot),
        _ => ((opcode.checked_sub(0x1a)?) / 4, u16::from((opcode - 0x1a) % 4)),
    };
    let value = state.locals.get(usize::from(slot))?.clone();
    state.stack.push(value);
    if kind == 1 || kind == 3 {
        state.stack.push(Value::default());
    }
    Some(Effect::default())
}

fn store(state: &mut State, instruction: &Instruction) -> Option<Effect> {
    let opcode = instruction.opcode;
    let (kind, slot) = match instruction.operands {
        Operands::Local(slot) => (opcode - 0x36, slot),
        _ => ((opcode.checked_sub(0x3b)?) / 4, u16::from((opcode - 0x3b) % 4)),
    };
    let count = if kind == 1 || kind == 3 { 2 } else { 1 };
    let mut taken = state.take(count)?;
    let slot = usize::from(slot);
    *state.locals.get_mut(slot)? = std::mem::take(taken.first_mut()?);
    if count == 2 {
        *state.locals.get_mut(slot + 1)? = Value::default();
    }
    Some(Effect { changes_locals: true, ..Effect::default() })
}

/// The instructions from `pop` to `swap`.
fn shuffle(state: &mut State, opcode: u8) -> Option<Effect> {
    // How many slots are taken from the stack, and the positions of the taken slots that are put back.
    let (taken, left): (usize, &[usize]) = match opcode {
        0x57 => (1, &[]),
        0x58 => (2, &[]),
        0x59 => (1, &[0, 0]),
        0x5a => (2, &[1, 0, 1]),
        0x5b => (3, &[2, 0, 1, 2]),
        0x5c => (2, &[0, 1, 0, 1]),
        0x5d => (3, &[1, 2, 0, 1, 2]),
        0x5e => (4, &[2, 3, 0, 1, 2, 3]),
        _ => (2, &[1, 0]),
    };
    let values = state.take(taken)?;
    state.stack.extend(left.iter().filter_map(|place| values.get(*place).cloned()));
    Some(Effect::default())
}

fn field_access(state: &mut State, instruction: &Instruction, class: &ClassFile<'_>) -> Option<Effect> {
    let field = class.constants.member(instruction.constant()?)?;
    let slots = Type::new(&field.descriptor).slots.max(1);
    let (has_object, is_put) = (instruction.opcode >= 0xb4, instruction.opcode % 2 == 1);
    let taken = usize::from(has_object) + if is_put { slots } else { 0 };
    let mut operands = state.take(taken)?;
    // Only the first slot of a long value has the origin.
    operands.truncate(usize::from(has_object) + usize::from(is_put));
    if !is_put {
        state.push(Value::of(Origin::At(instruction.bytecode_index)), slots);
    }
    Some(Effect { operands, ..Effect::default() })
}

fn call(state: &mut State, instruction: &Instruction, class: &ClassFile<'_>) -> Option<Effect> {
    let index = instruction.constant()?;
    let descriptor = match class.constants.get(index)? {
        Constant::InvokeDynamic { name_and_type, .. } => class.constants.name_and_type(name_and_type)?.1,
        _ => class.constants.member(index)?.descriptor,
    };
    let has_object = !matches!(instruction.opcode, 0xb8 | 0xba);
    let parameters = parameters(&descriptor);
    let slots: usize = parameters.iter().map(|parameter| parameter.slots).sum();
    let mut taken = state.take(slots + usize::from(has_object))?.into_iter();
    let mut operands = Vec::with_capacity(parameters.len() + 1);
    if has_object {
        operands.push(taken.next()?);
    }
    for parameter in &parameters {
        operands.push(taken.next()?);
        if parameter.slots == 2 {
            taken.next();
        }
    }
    state.push(Value::of(Origin::At(instruction.bytecode_index)), result(&descriptor).slots);
    Some(Effect { operands, ..Effect::default() })
}
