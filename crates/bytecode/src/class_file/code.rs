//! A method's code: instructions, where exceptions are caught, and which source lines and variables they belong to.

use super::attributes::Attributes;
use super::constant_pool::ConstantPool;
use super::instruction::Instructions;
use super::reader::{ClassFileError, Reader};
use std::borrow::Cow;

/// The code of a method. Bytecode indices count its bytes from 0.
#[derive(Debug, Clone)]
pub struct Code<'a> {
    /// Largest number of values on the operand stack.
    pub max_stack: u16,
    /// Number of slots of local variables, parameters included.
    pub max_locals: u16,
    /// The instructions' bytes.
    pub bytecode: &'a [u8],
    /// Where exceptions are caught; of several that fit the first counts.
    pub exception_handlers: Vec<ExceptionHandler<'a>>,
    /// Which line begins where, in the order of the file. Empty: compiled without.
    pub lines: Vec<LineStart>,
    /// Named local variables. Empty: compiled without.
    pub local_variables: Vec<LocalVariable<'a>>,
}

/// Catches exceptions that are thrown in a range of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExceptionHandler<'a> {
    /// First bytecode index of the range.
    pub start: u16,
    /// Bytecode index behind the range.
    pub end: u16,
    /// Bytecode index where it goes on.
    pub handler: u16,
    /// The class that is caught. Missing: any, as for `finally`.
    pub class: Option<Cow<'a, str>>,
}

/// From a bytecode index on, the code is of this line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineStart {
    /// Bytecode index.
    pub start: u16,
    /// Source line, counted from 1.
    pub line: u16,
}

/// A named local variable in a range of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalVariable<'a> {
    /// First bytecode index at which it has a value.
    pub start: u16,
    /// Number of bytes from there on.
    pub length: u16,
    /// Its name.
    pub name: Cow<'a, str>,
    /// Its type, `Ljava/io/OutputStream;`.
    pub descriptor: Cow<'a, str>,
    /// Its slot; 0 is `this` in a method that is not static.
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

    /// The instructions in order, up to the first bytes that are none.
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions::new(self.bytecode)
    }

    /// The source line of the code at a bytecode index. Missing: not known.
    pub fn line_at(&self, bytecode_index: u32) -> Option<u16> {
        let before = self.lines.iter().filter(|line| u32::from(line.start) <= bytecode_index);
        // Of several lines that begin at one place the last one counts, as for the JVM.
        before.max_by_key(|line| line.start).map(|line| line.line)
    }

    /// The smallest line of the method. Missing: not known.
    pub fn first_line(&self) -> Option<u16> {
        self.lines.iter().map(|line| line.line).min()
    }

    /// The variable in a slot at a bytecode index. Missing: it has no name there.
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
