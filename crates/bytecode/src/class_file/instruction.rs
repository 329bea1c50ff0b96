//! Decodes a method's code into instructions.

use crate::class_file::ClassFileError;
use crate::class_file::opcodes::{Shape, WIDE, opcode};
use crate::class_file::reader::Reader;

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Bytecode index: where the instruction begins in the method's code.
    pub bytecode_index: u32,
    /// The instruction's number in the JVM specification. After `wide`, this is the number of the widened instruction.
    pub opcode: u8,
    /// True if `wide` comes before the instruction.
    pub is_wide: bool,
    /// The operands in the code, without values on the operand stack.
    pub operands: Operands,
}

/// The operands after an opcode. Targets are bytecode indices. In damaged code they can be outside the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operands {
    /// No operands.
    None,
    /// A number.
    Immediate(i16),
    /// A local variable's slot.
    Local(u16),
    /// A local variable's slot, and the number that is added to the variable.
    Increment(u16, i16),
    /// The number of a constant.
    Constant(u16),
    /// The number of the constant that names the called method, and how many slots the object and the arguments take.
    InterfaceCall(u16, u8),
    /// Bytecode index of the next instruction if the branch is taken.
    Branch(i32),
    /// The code of a type: 4 boolean, 5 char, 6 float, 7 double, 8 byte, 9 short, 10 int, 11 long.
    NewArray(u8),
    /// The constant of the array's class, and the number of dimensions.
    MultiArray(u16, u8),
    /// Each value with its target, and the target for all other values.
    Switch(Vec<(i32, i32)>, i32),
}

impl Instruction {
    /// The instruction's name, such as `invokevirtual`. A widened instruction has the same name as in `javap`:
    /// `iload_w`.
    pub fn mnemonic(&self) -> &'static str {
        let widened = match self.opcode {
            _ if !self.is_wide => None,
            0x15 => Some("iload_w"),
            0x16 => Some("lload_w"),
            0x17 => Some("fload_w"),
            0x18 => Some("dload_w"),
            0x19 => Some("aload_w"),
            0x36 => Some("istore_w"),
            0x37 => Some("lstore_w"),
            0x38 => Some("fstore_w"),
            0x39 => Some("dstore_w"),
            0x3a => Some("astore_w"),
            0x84 => Some("iinc_w"),
            0xa9 => Some("ret_w"),
            _ => None,
        };
        widened.or_else(|| opcode(self.opcode).map(|(name, _)| name)).unwrap_or("unknown")
    }

    /// The number of the constant in the operands. `None` if the operands contain no constant.
    pub fn constant(&self) -> Option<u16> {
        match self.operands {
            Operands::Constant(index) | Operands::InterfaceCall(index, _) | Operands::MultiArray(index, _) => {
                Some(index)
            }
            _ => None,
        }
    }
}

/// The instructions of a method in order. Bytes that are not an instruction give an error and end the list.
#[derive(Debug, Clone)]
pub struct Instructions<'a> {
    reader: Reader<'a>,
    is_damaged: bool,
}

impl<'a> Instructions<'a> {
    pub(super) fn new(bytecode: &'a [u8]) -> Self {
        Self { reader: Reader::new(bytecode), is_damaged: false }
    }
}

impl Iterator for Instructions<'_> {
    type Item = Result<Instruction, ClassFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_damaged || self.reader.is_at_end() {
            return None;
        }
        let instruction = read_instruction(&mut self.reader);
        self.is_damaged = instruction.is_err();
        Some(instruction)
    }
}

const WANTED: &str = "an instruction with its operands";

fn read_instruction(reader: &mut Reader<'_>) -> Result<Instruction, ClassFileError> {
    let (start, at) = (reader.position(), reader.wanted("a known instruction"));
    let mut code = reader.u8(WANTED)?;
    let is_wide = code == WIDE;
    if is_wide {
        code = reader.u8(WANTED)?;
    }
    let (_, shape) = opcode(code).ok_or(at)?;
    if is_wide && !matches!(shape, Shape::Local | Shape::Increment) {
        return Err(at);
    }
    // The JVM does not read class files with code longer than 2^31 bytes.
    let origin = i32::try_from(start).map_err(|_| at)?;
    let operands = read_operands(reader, shape, (origin, is_wide))?;
    Ok(Instruction { bytecode_index: origin.cast_unsigned(), opcode: code, is_wide, operands })
}

fn read_operands(
    reader: &mut Reader<'_>,
    shape: Shape,
    (origin, is_wide): (i32, bool),
) -> Result<Operands, ClassFileError> {
    let local = |reader: &mut Reader<'_>| if is_wide { reader.u16(WANTED) } else { reader.u8(WANTED).map(u16::from) };
    Ok(match shape {
        Shape::None | Shape::Wide => Operands::None,
        Shape::Byte => Operands::Immediate(signed_byte(reader)?),
        Shape::Short => Operands::Immediate(signed_short(reader)?),
        Shape::Local => Operands::Local(local(reader)?),
        Shape::Increment => {
            let slot = local(reader)?;
            Operands::Increment(slot, if is_wide { signed_short(reader)? } else { signed_byte(reader)? })
        }
        Shape::ShortConstant => Operands::Constant(u16::from(reader.u8(WANTED)?)),
        Shape::Constant => Operands::Constant(reader.u16(WANTED)?),
        Shape::InterfaceCall => {
            let (constant, count) = (reader.u16(WANTED)?, reader.u8(WANTED)?);
            reader.u8(WANTED)?;
            Operands::InterfaceCall(constant, count)
        }
        Shape::DynamicCall => {
            let constant = reader.u16(WANTED)?;
            reader.u16(WANTED)?;
            Operands::Constant(constant)
        }
        Shape::Branch => Operands::Branch(origin.wrapping_add(i32::from(signed_short(reader)?))),
        Shape::WideBranch => Operands::Branch(target(reader, origin)?),
        Shape::NewArray => Operands::NewArray(reader.u8(WANTED)?),
        Shape::MultiArray => Operands::MultiArray(reader.u16(WANTED)?, reader.u8(WANTED)?),
        Shape::TableSwitch | Shape::LookupSwitch => read_switch(reader, shape, origin)?,
    })
}

/// Reads a switch. Padding aligns its numbers to multiples of four bytes.
fn read_switch(reader: &mut Reader<'_>, shape: Shape, origin: i32) -> Result<Operands, ClassFileError> {
    const SWITCH: &str = "a switch whose length fits";
    let padding = reader.position().next_multiple_of(4) - reader.position();
    reader.take(padding, SWITCH)?;
    let default = target(reader, origin)?;
    let first = reader.u32(SWITCH)?.cast_signed();
    let mut cases = Vec::new();
    if shape == Shape::LookupSwitch {
        let count = usize::try_from(first).ok().filter(|count| *count <= reader.left() / 8);
        for _ in 0..count.ok_or_else(|| reader.wanted(SWITCH))? {
            cases.push((reader.u32(SWITCH)?.cast_signed(), target(reader, origin)?));
        }
    } else {
        let last = reader.u32(SWITCH)?.cast_signed();
        let count = i64::from(last) - i64::from(first) + 1;
        let is_fit = usize::try_from(count).is_ok_and(|count| count <= reader.left() / 4);
        if !is_fit {
            return Err(reader.wanted(SWITCH));
        }
        for value in first..=last {
            cases.push((value, target(reader, origin)?));
        }
    }
    Ok(Operands::Switch(cases, default))
}

fn target(reader: &mut Reader<'_>, origin: i32) -> Result<i32, ClassFileError> {
    Ok(origin.wrapping_add(reader.u32(WANTED)?.cast_signed()))
}

fn signed_byte(reader: &mut Reader<'_>) -> Result<i16, ClassFileError> {
    reader.u8(WANTED).map(|byte| i16::from(byte.cast_signed()))
}

fn signed_short(reader: &mut Reader<'_>) -> Result<i16, ClassFileError> {
    reader.u16(WANTED).map(u16::cast_signed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> Vec<Result<Instruction, ClassFileError>> {
        Instructions::new(bytes).collect()
    }

    #[test]
    fn operands_are_those_of_the_specification() {
        let code = [0x10, 0xff, 0xc4, 0x15, 1, 0, 0xa7, 0xff, 0xfa, 0xc4, 0x84, 1, 0, 0xff, 0xfe];
        let found: Vec<_> = decoded(&code).into_iter().map(Result::unwrap).collect();
        let shown: Vec<_> = found.iter().map(|it| (it.bytecode_index, it.mnemonic(), it.operands.clone())).collect();
        let expected = [
            (0, "bipush", Operands::Immediate(-1)),
            (2, "iload_w", Operands::Local(256)),
            (6, "goto", Operands::Branch(0)),
            (9, "iinc_w", Operands::Increment(256, -2)),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn switches_that_state_more_than_there_is_are_damage() {
        let mut table = vec![0xaa, 0, 0, 0, 0, 0, 0, 9];
        table.extend(i32::MIN.to_be_bytes());
        table.extend(i32::MAX.to_be_bytes());
        assert!(decoded(&table)[0].is_err());
        let mut lookup = vec![0xab, 0, 0, 0, 0, 0, 0, 9];
        lookup.extend((-1_i32).to_be_bytes());
        assert!(decoded(&lookup)[0].is_err());
        assert!(decoded(&[0xca])[0].is_err(), "no such opcode");
        assert!(decoded(&[0xc4, 0x00])[0].is_err(), "wide before nop");
        assert_eq!(decoded(&[0x00, 0x10]).len(), 2);
    }
}
