//! Attributes: named parts of a class, field, method or code. Unknown attributes are skipped.

use crate::class_file::reader::Reader;
use crate::class_file::{ClassFileError, ConstantPool, SourceMap};
use std::borrow::Cow;

/// A nested class, from the `InnerClasses` attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InnerClass<'a> {
    /// The nested class's full name, `java/util/Map$Entry`.
    pub name: Cow<'a, str>,
    /// The class around it. `None` if the nested class is local or anonymous.
    pub outer_name: Option<Cow<'a, str>>,
    /// The nested class's name in the source. `None` if the class is anonymous.
    pub simple_name: Option<Cow<'a, str>>,
    /// Access flags as in the source.
    pub access_flags: u16,
}

/// How the JVM creates a call site of `invokedynamic` or a dynamic constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BootstrapMethod {
    /// The constant with the method handle that the JVM calls.
    pub method: u16,
    /// The constants that the method receives in addition to caller, name and type.
    pub arguments: Vec<u16>,
}

/// The attributes of a class, field, method or code, by name. Their bytes are not decoded yet.
#[derive(Debug, Clone)]
pub(super) struct Attributes<'a> {
    parts: Vec<(Cow<'a, str>, Reader<'a>)>,
}

impl<'a> Attributes<'a> {
    pub(super) fn read(reader: &mut Reader<'a>, constants: &ConstantPool<'a>) -> Result<Self, ClassFileError> {
        let mut parts = Vec::new();
        for _ in 0..reader.u16("the number of attributes")? {
            let name = constants.required_text(reader, "the name of an attribute")?;
            let length = reader.length("the length of an attribute")?;
            parts.push((name, reader.part(length, "an attribute of the stated length")?));
        }
        Ok(Self { parts })
    }

    /// The bytes of the first attribute with this name.
    pub(super) fn get(&self, name: &str) -> Option<Reader<'a>> {
        self.all(name).next()
    }

    /// The bytes of all attributes with this name. Lines and variables can be distributed over several attributes.
    pub(super) fn all(&self, name: &str) -> impl Iterator<Item = Reader<'a>> {
        self.parts.iter().filter(move |(found, _)| found == name).map(|(_, reader)| reader.clone())
    }

    pub(super) fn source_file(&self, constants: &ConstantPool<'a>) -> Result<Option<Cow<'a, str>>, ClassFileError> {
        let Some(mut reader) = self.get("SourceFile") else { return Ok(None) };
        constants.required_text(&mut reader, "the name of the source file").map(Some)
    }

    /// True if the class has one of the attributes with which the compilers of Scala 2 and 3 mark their classes.
    pub(super) fn is_scala(&self) -> bool {
        ["Scala", "ScalaSig", "TASTY"].into_iter().any(|name| self.get(name).is_some())
    }

    /// The source map. Maps that are not in UTF-8 are skipped.
    pub(super) fn source_map(&self) -> Option<SourceMap<'a>> {
        let mut reader = self.get("SourceDebugExtension")?;
        let bytes = reader.take(reader.left(), "a source map").ok()?;
        SourceMap::parse(str::from_utf8(bytes).ok()?)
    }

    pub(super) fn inner_classes(&self, constants: &ConstantPool<'a>) -> Result<Vec<InnerClass<'a>>, ClassFileError> {
        const WANTED: &str = "a nested class";
        let Some(mut reader) = self.get("InnerClasses") else { return Ok(Vec::new()) };
        let mut classes = Vec::new();
        for _ in 0..reader.u16("the number of nested classes")? {
            classes.push(InnerClass {
                name: constants.required_class(&mut reader, WANTED)?,
                outer_name: constants.class_name(reader.u16(WANTED)?),
                simple_name: constants.text(reader.u16(WANTED)?),
                access_flags: reader.u16(WANTED)?,
            });
        }
        Ok(classes)
    }

    pub(super) fn bootstrap_methods(&self) -> Result<Vec<BootstrapMethod>, ClassFileError> {
        const WANTED: &str = "a bootstrap method";
        let Some(mut reader) = self.get("BootstrapMethods") else { return Ok(Vec::new()) };
        let mut methods = Vec::new();
        for _ in 0..reader.u16("the number of bootstrap methods")? {
            let method = reader.u16(WANTED)?;
            let count = reader.u16(WANTED)?;
            let arguments: Result<Vec<u16>, _> = (0..count).map(|_| reader.u16(WANTED)).collect();
            methods.push(BootstrapMethod { method, arguments: arguments? });
        }
        Ok(methods)
    }
}
