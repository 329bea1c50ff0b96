//! Fields and methods.

use crate::class_file::attributes::Attributes;
use crate::class_file::reader::Reader;
use crate::class_file::{ClassFileError, Code, Constant, ConstantPool};
use std::borrow::Cow;

/// A field of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Field<'a> {
    /// Access flags, with the bits of the JVM specification.
    pub access_flags: u16,
    /// The field's name.
    pub name: Cow<'a, str>,
    /// The field's type, such as `Ljava/io/OutputStream;`.
    pub descriptor: Cow<'a, str>,
    /// The value of a constant: a number or a string. `None` if the field is not a constant.
    pub constant: Option<Constant<'a>>,
}

/// A method of a class.
#[derive(Debug, Clone)]
pub struct Method<'a> {
    /// Access flags, with the bits of the JVM specification.
    pub access_flags: u16,
    /// The method's name; `<init>` for a constructor.
    pub name: Cow<'a, str>,
    /// The method's type, such as `(I)V`.
    pub descriptor: Cow<'a, str>,
    /// The method's code. `None` if the method is abstract or native.
    pub code: Option<Code<'a>>,
}

/// The access flag of static methods.
const STATIC: u16 = 0x0008;
/// The access flag of methods that lock their object, or the class of a static method.
const NATIVE: u16 = 0x0100;
const SYNCHRONIZED: u16 = 0x0020;

impl Method<'_> {
    /// True if the method has no `this`.
    pub fn is_static(&self) -> bool {
        self.access_flags & STATIC != 0
    }

    /// The source line where the method's code begins. Missing if the method has no code or the class file has no lines.
    pub fn first_line(&self) -> Option<u32> {
        let code = self.code.as_ref()?;
        code.line_at(0).or(code.first_line()).map(u32::from)
    }

    /// True if the method is native code.
    pub fn is_native(&self) -> bool {
        self.access_flags & NATIVE != 0
    }

    /// True if the whole method holds the lock of its object, or of its class if it is static.
    pub fn is_synchronized(&self) -> bool {
        self.access_flags & SYNCHRONIZED != 0
    }
}

/// The common part of fields and methods.
struct Head<'a> {
    access_flags: u16,
    name: Cow<'a, str>,
    descriptor: Cow<'a, str>,
    attributes: Attributes<'a>,
}

impl<'a> Head<'a> {
    fn read(reader: &mut Reader<'a>, constants: &ConstantPool<'a>) -> Result<Self, ClassFileError> {
        Ok(Self {
            access_flags: reader.u16("access flags")?,
            name: constants.required_text(reader, "the name of a field or method")?,
            descriptor: constants.required_text(reader, "the type of a field or method")?,
            attributes: Attributes::read(reader, constants)?,
        })
    }
}

pub(super) fn read_fields<'a>(
    reader: &mut Reader<'a>,
    constants: &ConstantPool<'a>,
) -> Result<Vec<Field<'a>>, ClassFileError> {
    let mut fields = Vec::new();
    for _ in 0..reader.u16("the number of fields")? {
        let Head { access_flags, name, descriptor, attributes } = Head::read(reader, constants)?;
        let constant = match attributes.get("ConstantValue") {
            Some(mut value) => constants.get(value.u16("the value of a constant field")?),
            None => None,
        };
        fields.push(Field { access_flags, name, descriptor, constant });
    }
    Ok(fields)
}

pub(super) fn read_methods<'a>(
    reader: &mut Reader<'a>,
    constants: &ConstantPool<'a>,
) -> Result<Vec<Method<'a>>, ClassFileError> {
    let mut methods = Vec::new();
    for _ in 0..reader.u16("the number of methods")? {
        let Head { access_flags, name, descriptor, attributes } = Head::read(reader, constants)?;
        let code = match attributes.get("Code") {
            Some(mut code) => Some(Code::read(&mut code, constants)?),
            None => None,
        };
        methods.push(Method { access_flags, name, descriptor, code });
    }
    Ok(methods)
}
