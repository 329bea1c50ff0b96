//! Java class files: the parts of a class, down to single instructions with their operands in words.
//!
//! ```text
//! bytes ── ClassFile::parse ──> names, fields, methods ── Code ──> instructions, lines, variables
//! ```
//!
//! Class files are untrusted bytes. Every length is checked before memory is allocated for it. A damaged file gives an
//! error with the place, never a panic. References, such as the name of a called method, are looked up on request. A
//! reference to a missing constant has no result. Annotations, generic signatures, stack maps and module descriptors
//! are skipped. Code is not verified: code that the JVM would refuse is shown as well.

mod attributes;
mod code;
mod constant_pool;
mod instruction;
mod jdk_classes;
mod member;
mod modified_utf8;
mod opcodes;
mod reader;
mod words;

pub use attributes::{BootstrapMethod, InnerClass};
pub use code::{Code, ExceptionHandler, LineStart, LocalVariable};
pub use constant_pool::{Constant, ConstantPool, MemberKind, MemberReference};
pub use instruction::{Instruction, Instructions, Operands};
pub use jdk_classes::is_jdk_method;
pub use member::{Field, Method};
pub use reader::ClassFileError;

use crate::class_file::attributes::Attributes;
use crate::class_file::reader::Reader;
use std::borrow::Cow;

/// The first bytes of every class file.
const MAGIC: u32 = 0xcafe_babe;

/// A class file. Texts in plain UTF-8 are borrowed from the file's bytes. Other texts are decoded.
#[derive(Debug, Clone)]
pub struct ClassFile<'a> {
    /// Version of the format: 61 for Java 17. It is always 44 more than the version of Java.
    pub major_version: u16,
    /// The constants that instructions refer to by number.
    pub constants: ConstantPool<'a>,
    /// Access flags, as the JVM specification numbers them.
    pub access_flags: u16,
    /// The class's name in the JVM's form: `java/util/Map$Entry`.
    pub name: Cow<'a, str>,
    /// The name of the class that it extends. `None`: the class is `java/lang/Object`, or a module.
    pub super_name: Option<Cow<'a, str>>,
    /// Names of the interfaces that it implements, in the order of the source.
    pub interfaces: Vec<Cow<'a, str>>,
    /// Its fields.
    pub fields: Vec<Field<'a>>,
    /// Its methods, constructors (`<init>`) and static initialiser (`<clinit>`) included.
    pub methods: Vec<Method<'a>>,
    /// Name of the source file without folders. `None`: the class was compiled without it.
    pub source_file: Option<Cow<'a, str>>,
    /// Nested classes: the classes nested in this class, this class itself if it is nested, and other nested classes
    /// that the class mentions.
    pub inner_classes: Vec<InnerClass<'a>>,
    /// The methods that create call sites of `invokedynamic` and dynamic constants.
    pub bootstrap_methods: Vec<BootstrapMethod>,
}

impl<'a> ClassFile<'a> {
    /// Reads a class file.
    ///
    /// # Errors
    /// The place at which the bytes are no longer a valid class file. Extra bytes after the end are an error, too.
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

    /// The operand of an instruction in words, `java/io/OutputStream.write:(I)V`. Empty: the instruction
    /// has no operand.
    pub fn operand_words(&self, instruction: &Instruction) -> String {
        words::operand_words(self, instruction)
    }
}
