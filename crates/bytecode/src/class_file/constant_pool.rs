//! The constant pool: names, numbers and texts that the rest of a class file refers to by number.

use crate::class_file::reader::Reader;
use crate::class_file::{ClassFileError, modified_utf8};
use std::borrow::Cow;

/// One constant. Its `u16` values are the numbers of other constants.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "the variants and their fields are those of the JVM specification, section 4.4")]
pub enum Constant<'a> {
    /// A text in modified UTF-8.
    Utf8(&'a [u8]),
    Integer(i32),
    Float(f32),
    Long(i64),
    Double(f64),
    Class {
        name: u16,
    },
    String {
        text: u16,
    },
    /// A field, a method or an interface method.
    Member {
        kind: MemberKind,
        class: u16,
        name_and_type: u16,
    },
    NameAndType {
        name: u16,
        descriptor: u16,
    },
    /// `kind` as in the specification, table 5.4.3.5-A: 1 get field … 6 static call … 9 interface call.
    MethodHandle {
        kind: u8,
        member: u16,
    },
    MethodType {
        descriptor: u16,
    },
    /// `bootstrap` is the row of a bootstrap method.
    Dynamic {
        bootstrap: u16,
        name_and_type: u16,
    },
    InvokeDynamic {
        bootstrap: u16,
        name_and_type: u16,
    },
    Module {
        name: u16,
    },
    Package {
        name: u16,
    },
    /// An unused number: number 0, or the number after a `Long` or `Double`.
    Unused,
}

/// The kind of a member reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberKind {
    /// A field.
    Field,
    /// A method of a class.
    Method,
    /// A method of an interface.
    InterfaceMethod,
}

/// A field or method that an instruction refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberReference<'a> {
    /// Field or method.
    pub kind: MemberKind,
    /// The class in which the JVM looks up the member, `java/io/OutputStream`.
    pub class: Cow<'a, str>,
    /// The member's name.
    pub name: Cow<'a, str>,
    /// The member's type, such as `(I)V`.
    pub descriptor: Cow<'a, str>,
}

/// All constants of a class file.
#[derive(Debug, Clone)]
pub struct ConstantPool<'a> {
    constants: Vec<Constant<'a>>,
}

impl<'a> ConstantPool<'a> {
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Self, ClassFileError> {
        let count = usize::from(reader.u16("the number of constants")?);
        // The shortest constant has three bytes.
        let mut constants = Vec::with_capacity(count.min(reader.left() / 3 + 1));
        constants.push(Constant::Unused);
        while constants.len() < count {
            let constant = read_constant(reader)?;
            constants.push(constant);
            if matches!(constant, Constant::Long(_) | Constant::Double(_)) {
                constants.push(Constant::Unused);
            }
        }
        Ok(Self { constants })
    }

    /// The constant with this number. `None` if the pool has no such number.
    pub fn get(&self, index: u16) -> Option<Constant<'a>> {
        self.constants.get(usize::from(index)).copied().filter(|constant| *constant != Constant::Unused)
    }

    /// The text of the constant with this number.
    pub fn text(&self, index: u16) -> Option<Cow<'a, str>> {
        match self.get(index)? {
            Constant::Utf8(bytes) => Some(modified_utf8::decode(bytes)),
            _ => None,
        }
    }

    /// The name of the class with this number, such as `java/lang/String` or `[I`.
    pub fn class_name(&self, index: u16) -> Option<Cow<'a, str>> {
        match self.get(index)? {
            Constant::Class { name } => self.text(name),
            _ => None,
        }
    }

    /// The name and the type of the constant with this number.
    pub fn name_and_type(&self, index: u16) -> Option<(Cow<'a, str>, Cow<'a, str>)> {
        match self.get(index)? {
            Constant::NameAndType { name, descriptor } => Some((self.text(name)?, self.text(descriptor)?)),
            _ => None,
        }
    }

    /// The field or method with this number.
    pub fn member(&self, index: u16) -> Option<MemberReference<'a>> {
        let Constant::Member { kind, class, name_and_type } = self.get(index)? else { return None };
        let (name, descriptor) = self.name_and_type(name_and_type)?;
        Some(MemberReference { kind, class: self.class_name(class)?, name, descriptor })
    }

    pub(super) fn required_text(
        &self,
        reader: &mut Reader<'_>,
        wanted: &'static str,
    ) -> Result<Cow<'a, str>, ClassFileError> {
        let at = reader.wanted(wanted);
        self.text(reader.u16(wanted)?).ok_or(at)
    }

    pub(super) fn required_class(
        &self,
        reader: &mut Reader<'_>,
        wanted: &'static str,
    ) -> Result<Cow<'a, str>, ClassFileError> {
        let at = reader.wanted(wanted);
        self.class_name(reader.u16(wanted)?).ok_or(at)
    }
}

fn read_constant<'a>(reader: &mut Reader<'a>) -> Result<Constant<'a>, ClassFileError> {
    const WANTED: &str = "a constant";
    let at = reader.wanted("a known kind of constant");
    let kind = reader.u8(WANTED)?;
    let mut number = || reader.u16(WANTED);
    Ok(match kind {
        1 => {
            let length = usize::from(number()?);
            Constant::Utf8(reader.take(length, "a text of the stated length")?)
        }
        3 => Constant::Integer(reader.u32(WANTED)?.cast_signed()),
        4 => Constant::Float(f32::from_bits(reader.u32(WANTED)?)),
        5 => Constant::Long(reader.u64(WANTED)?.cast_signed()),
        6 => Constant::Double(f64::from_bits(reader.u64(WANTED)?)),
        7 => Constant::Class { name: number()? },
        8 => Constant::String { text: number()? },
        9 => Constant::Member { kind: MemberKind::Field, class: number()?, name_and_type: number()? },
        10 => Constant::Member { kind: MemberKind::Method, class: number()?, name_and_type: number()? },
        11 => Constant::Member { kind: MemberKind::InterfaceMethod, class: number()?, name_and_type: number()? },
        12 => Constant::NameAndType { name: number()?, descriptor: number()? },
        15 => Constant::MethodHandle { kind: reader.u8(WANTED)?, member: reader.u16(WANTED)? },
        16 => Constant::MethodType { descriptor: number()? },
        17 => Constant::Dynamic { bootstrap: number()?, name_and_type: number()? },
        18 => Constant::InvokeDynamic { bootstrap: number()?, name_and_type: number()? },
        19 => Constant::Module { name: number()? },
        20 => Constant::Package { name: number()? },
        _ => return Err(at),
    })
}
