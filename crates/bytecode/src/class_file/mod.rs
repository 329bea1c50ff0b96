//! Java class files: what a class is made of, down to single instructions with their operands in words.
//!
//! ```text
//! bytes ── ClassFile::parse ──> names, fields, methods ── Code ──> instructions, lines, variables
//! ```
//!
//! Class files are outside bytes. Every length is checked before anything is allocated for it; damaged files give an
//! error that says where, never a panic. What is only referred to, such as the name of a called method, is looked up
//! when it is asked for, and is missing where the reference leads nowhere. Not read: annotations, generic
//! signatures, stack maps, module descriptors. Nothing is verified: code that the JVM would refuse is shown as well.

mod attributes;
mod code;
mod constant_pool;
mod instruction;
mod member;
mod modified_utf8;
mod opcodes;
mod reader;
mod words;

pub use attributes::{BootstrapMethod, InnerClass};
pub use code::{Code, ExceptionHandler, LineStart, LocalVariable};
pub use constant_pool::{Constant, ConstantPool, MemberKind, MemberReference};
pub use instruction::{Instruction, Instructions, Operands};
pub use member::{Field, Method};
pub use reader::ClassFileError;

use attributes::Attributes;
use reader::Reader;
use std::borrow::Cow;

/// What every class file begins with.
const MAGIC: u32 = 0xcafe_babe;

/// A class file. Texts are borrowed from its bytes where these are plain UTF-8.
#[derive(Debug, Clone)]
pub struct ClassFile<'a> {
    /// Version of the format: 61 for Java 17, always 44 more than Java's.
    pub major_version: u16,
    /// Everything that instructions refer to by number.
    pub constants: ConstantPool<'a>,
    /// Access flags, as the JVM specification numbers them.
    pub access_flags: u16,
    /// The class's name as the JVM has it: `java/util/Map$Entry`.
    pub name: Cow<'a, str>,
    /// The name of the class that it extends. Missing: it is `java/lang/Object`, or a module.
    pub super_name: Option<Cow<'a, str>>,
    /// Names of the interfaces that it implements, in the order of the source.
    pub interfaces: Vec<Cow<'a, str>>,
    /// Its fields.
    pub fields: Vec<Field<'a>>,
    /// Its methods, constructors (`<init>`) and static initialiser (`<clinit>`) included.
    pub methods: Vec<Method<'a>>,
    /// Name of the source file without folders. Missing: it was compiled without.
    pub source_file: Option<Cow<'a, str>>,
    /// The nested classes that it has, is, or mentions.
    pub inner_classes: Vec<InnerClass<'a>>,
    /// How the call sites of `invokedynamic` and dynamic constants are made.
    pub bootstrap_methods: Vec<BootstrapMethod>,
}

impl<'a> ClassFile<'a> {
    /// Reads a class file.
    ///
    /// # Errors
    /// Where the bytes stop to be a class file. Bytes behind its end count as damage, too.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ClassFileError> {
        let mut reader = Reader::new(bytes);
        if reader.u32("the number of class files, cafebabe")? != MAGIC {
            return Err(ClassFileError { position: 0, wanted: "the number of class files, cafebabe" });
        }
        let _minor_version = reader.u16("the version")?;
        let major_version = reader.u16("the version")?;
        let constants = ConstantPool::read(&mut reader)?;
        let access_flags = reader.u16("the access flags")?;
        let name = constants.required_class(&mut reader, "the name of the class")?;
        let super_name = match reader.u16("the name of the superclass")? {
            0 => None,
            index => Some(constants.class_name(index).ok_or_else(|| reader.wanted("the name of the superclass"))?),
        };
        let mut interfaces = Vec::new();
        for _ in 0..reader.u16("the number of interfaces")? {
            interfaces.push(constants.required_class(&mut reader, "the name of an interface")?);
        }
        let fields = member::read_fields(&mut reader, &constants)?;
        let methods = member::read_methods(&mut reader, &constants)?;
        let attributes = Attributes::read(&mut reader, &constants)?;
        if !reader.is_at_end() {
            return Err(reader.wanted("the end of the file"));
        }
        Ok(Self {
            major_version,
            source_file: attributes.source_file(&constants)?,
            inner_classes: attributes.inner_classes(&constants)?,
            bootstrap_methods: attributes.bootstrap_methods()?,
            constants,
            access_flags,
            name,
            super_name,
            interfaces,
            fields,
            methods,
        })
    }

    /// The method with this name and descriptor, such as `write` and `(I)V`.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&Method<'a>> {
        self.methods.iter().find(|method| method.name == name && method.descriptor == descriptor)
    }

    /// The operand of an instruction in words, `java/io/OutputStream.write:(I)V`; empty if it has none.
    pub fn operand_words(&self, instruction: &Instruction) -> String {
        words::operand_words(self, instruction)
    }
}
