//! A method's code: instructions, exception handlers, and the source lines and variables of the instructions.

use crate::class_file::attributes::Attributes;
use crate::class_file::reader::Reader;
use crate::class_file::{ClassFileError, ConstantPool, Instructions};
use std::borrow::Cow;

/// The code of a method. Bytecode indices count its bytes from 0.
#[derive(Debug, Clone)]
pub struct Code<'a> {
    /// Maximum number of values on the operand stack.
    pub max_stack: u16,
    /// Number of slots for parameters and local variables.
    pub max_locals: u16,
    /// The bytes of the instructions.
    pub bytecode: &'a [u8],
    /// Exception handlers. The JVM uses the first matching handler.
    pub exception_handlers: Vec<ExceptionHandler<'a>>,
    /// The bytecode index at which each line begins, in the order of the class file. Empty if the class was compiled
    /// without lines.
    pub lines: Vec<LineStart>,
    /// Named local variables. Empty if the class was compiled without variables.
    pub local_variables: Vec<LocalVariable<'a>>,
}

/// An exception handler. It catches exceptions that are thrown in a range of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExceptionHandler<'a> {
    /// First bytecode index of the range.
    pub start: u16,
    /// Bytecode index after the end of the range.
    pub end: u16,
    /// Bytecode index of the handler's first instruction.
    pub handler: u16,
    /// The class of the caught exceptions. `None` if the handler catches all exceptions, as for `finally`.
    pub class: Option<Cow<'a, str>>,
}

/// A source line, and the bytecode index at which its code begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineStart {
    /// Bytecode index of the line's first instruction.
    pub start: u16,
    /// Source line, counted from 1.
    pub line: u16,
}

/// A named local variable in a range of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalVariable<'a> {
    /// First bytecode index at which the variable has a value.
    pub start: u16,
    /// Length of the range in bytes.
    pub length: u16,
    /// The variable's name.
    pub name: Cow<'a, str>,
    /// The variable's type, such as `Ljava/io/OutputStream;`.
    pub descriptor: Cow<'a, str>,
    /// The variable's slot. Slot 0 is `this` in a method that is not static.
    pub slot: u16,
}

impl<'a> Code<'a> {
    pub(super) fn read(reader: &mut Reader<'a>, constants: &ConstantPool<'a>) -> Result<Self, ClassFileError> {
        let max_stack = reader.u16("the size of the operand stack")?;
        let max_locals = reader.u16("the number of local variables")?;
        let length = reader.length("the length of the code")?;
        let bytecode = reader.take(length, "code of the stated length")?;
        let exception_handlers = read_handlers(reader, constants)?;
        let attributes = Attributes::read(reader, constants)?;
        let (mut lines, mut local_variables) = (Vec::new(), Vec::new());
        for mut table in attributes.all("LineNumberTable") {
            read_lines(&mut table, &mut lines)?;
        }
        for mut table in attributes.all("LocalVariableTable") {
            read_variables(&mut table, constants, &mut local_variables)?;
        }
        Ok(Self { max_stack, max_locals, bytecode, exception_handlers, lines, local_variables })
    }

    /// The instructions in order, up to the first bytes that are not an instruction.
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions::new(self.bytecode)
    }

    /// The source line of the code at a bytecode index. `None` if unknown.
    pub fn line_at(&self, bytecode_index: u32) -> Option<u16> {
        let before = self.lines.iter().filter(|line| u32::from(line.start) <= bytecode_index);
        // If several lines begin at the same place, the last line is used, as in the JVM.
        before.max_by_key(|line| line.start).map(|line| line.line)
    }

    /// The smallest line of the method. `None` if unknown.
    pub fn first_line(&self) -> Option<u16> {
        self.lines.iter().map(|line| line.line).min()
    }

    /// The variable in a slot at a bytecode index. `None` if the slot has no named variable there.
    pub fn variable_at(&self, slot: u16, bytecode_index: u32) -> Option<&LocalVariable<'a>> {
        let is_there = |variable: &&LocalVariable<'_>| {
            let start = u32::from(variable.start);
            variable.slot == slot && (start..start + u32::from(variable.length)).contains(&bytecode_index)
        };
        self.local_variables.iter().find(is_there)
    }
}

fn read_handlers<'a>(
    reader: &mut Reader<'a>,
    constants: &ConstantPool<'a>,
) -> Result<Vec<ExceptionHandler<'a>>, ClassFileError> {
    const WANTED: &str = "an exception handler";
    let mut handlers = Vec::new();
    for _ in 0..reader.u16("the number of exception handlers")? {
        handlers.push(ExceptionHandler {
            start: reader.u16(WANTED)?,
            end: reader.u16(WANTED)?,
            handler: reader.u16(WANTED)?,
            class: match reader.u16(WANTED)? {
                0 => None,
                index => Some(constants.class_name(index).ok_or_else(|| reader.wanted("a class that is caught"))?),
            },
        });
    }
    Ok(handlers)
}

fn read_lines(table: &mut Reader<'_>, lines: &mut Vec<LineStart>) -> Result<(), ClassFileError> {
    const WANTED: &str = "a source line";
    for _ in 0..table.u16("the number of source lines")? {
        lines.push(LineStart { start: table.u16(WANTED)?, line: table.u16(WANTED)? });
    }
    Ok(())
}

fn read_variables<'a>(
    table: &mut Reader<'a>,
    constants: &ConstantPool<'a>,
    variables: &mut Vec<LocalVariable<'a>>,
) -> Result<(), ClassFileError> {
    const WANTED: &str = "a local variable";
    for _ in 0..table.u16("the number of local variables")? {
        variables.push(LocalVariable {
            start: table.u16(WANTED)?,
            length: table.u16(WANTED)?,
            name: constants.required_text(table, WANTED)?,
            descriptor: constants.required_text(table, WANTED)?,
            slot: table.u16(WANTED)?,
        });
    }
    Ok(())
}
