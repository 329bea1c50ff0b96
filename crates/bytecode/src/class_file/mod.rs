//! Java class files: the parts of a class, down to single instructions with their operands in words.
//!
//! ```text
//! bytes ── ClassFile::parse ──> names, fields, methods ── Code ──> instructions, lines, variables
//! ```
//!
//! Class files are untrusted bytes. Every length is checked before memory is allocated for it. A damaged file gives an
//! error with a position, never a panic. References such as the name of a called method are looked up on request. A
//! reference to a missing constant has no result. Annotations, generic signatures, stack maps and module descriptors
//! are skipped. Lines of code that the Kotlin compiler inlined are lines of the class's own source file. Code is not
//! verified, so code that the JVM would reject is also shown.

mod attributes;
mod code;
mod constant_pool;
mod instruction;
mod jdk_classes;
mod kotlin_lines;
mod lookup;
mod member;
mod modified_utf8;
mod opcodes;
mod reader;
mod source_map;
mod words;

pub use attributes::{BootstrapMethod, InnerClass};
pub use code::{Code, ExceptionHandler, LineStart, LocalVariable};
pub use constant_pool::{Constant, ConstantPool, MemberKind, MemberReference};
pub use instruction::{Instruction, Instructions, Operands};
pub use jdk_classes::is_jdk_method;
pub use kotlin_lines::KotlinLines;
pub use member::{Field, Method};
pub use reader::ClassFileError;
pub use source_map::{MappedFile, SourceMap, SourcePlace};
pub(crate) use words::element_type;

use crate::class_file::attributes::Attributes;
use crate::class_file::reader::Reader;
use std::borrow::Cow;

/// The first bytes of every class file.
const MAGIC: u32 = 0xcafe_babe;

/// A class file. Texts in plain UTF-8 are borrowed from the file's bytes. Other texts are decoded.
#[derive(Debug, Clone)]
pub struct ClassFile<'a> {
    /// Version of the class file format: Java's version plus 44. For example, it is 61 for Java 17.
    pub major_version: u16,
    /// The constants that instructions refer to by number.
    pub constants: ConstantPool<'a>,
    /// Access flags, with the bits of the JVM specification.
    pub access_flags: u16,
    /// The class's name in the JVM's form: `java/util/Map$Entry`.
    pub name: Cow<'a, str>,
    /// The superclass's name. `None` for `java/lang/Object` and for modules.
    pub super_name: Option<Cow<'a, str>>,
    /// Names of the implemented interfaces, in source order.
    pub interfaces: Vec<Cow<'a, str>>,
    /// The fields of the class.
    pub fields: Vec<Field<'a>>,
    /// The methods of the class, including constructors (`<init>`) and the static initialiser (`<clinit>`).
    pub methods: Vec<Method<'a>>,
    /// Name of the source file without folders. `None` if the class file does not contain this name.
    pub source_file: Option<Cow<'a, str>>,
    /// Nested classes that this class contains or mentions. If this class is nested, it is also in this list.
    pub inner_classes: Vec<InnerClass<'a>>,
    /// The methods that create call sites of `invokedynamic` and dynamic constants.
    pub bootstrap_methods: Vec<BootstrapMethod>,
    /// Translates lines of the class file, as profilers record them, to the lines of this class. `None` if both are the
    /// same.
    pub kotlin_lines: Option<KotlinLines<'a>>,
    /// True if the Scala compiler wrote the class.
    pub is_scala: bool,
}

impl<'a> ClassFile<'a> {
    /// Reads a class file.
    ///
    /// # Errors
    /// The position of the first byte that is not valid in a class file. Extra bytes after the end are also an error.
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
        let mut methods = member::read_methods(&mut reader, &constants)?;
        let attributes = Attributes::read(&mut reader, &constants)?;
        if !reader.is_at_end() {
            return Err(reader.wanted("the end of the file"));
        }
        let kotlin_lines = attributes.source_map().and_then(|map| KotlinLines::new(map, &name));
        let mut source_file = attributes.source_file(&constants)?;
        if let Some(lines) = &kotlin_lines {
            lines.correct(&mut methods);
            source_file = Some(Cow::Borrowed(lines.source_file()));
        }
        Ok(Self {
            major_version,
            source_file,
            inner_classes: attributes.inner_classes(&constants)?,
            bootstrap_methods: attributes.bootstrap_methods()?,
            constants,
            access_flags,
            name,
            super_name,
            interfaces,
            fields,
            methods,
            kotlin_lines,
            is_scala: attributes.is_scala(),
        })
    }

    /// The method with this name and descriptor, such as `write` and `(I)V`.
    pub fn method(&self, name: &str, descriptor: &str) -> Option<&Method<'a>> {
        self.methods.iter().find(|method| method.name == name && method.descriptor == descriptor)
    }

    /// The operand of an instruction as text, such as `java/io/OutputStream.write:(I)V`. Empty if the instruction has
    /// no operand.
    pub fn operand_words(&self, instruction: &Instruction) -> String {
        words::operand_words(self, instruction)
    }
}
