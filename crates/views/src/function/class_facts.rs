//! What the archived class file of a Java method says about the method.

use crate::java_method::MethodName;
use std::borrow::Cow;
use whittle_bytecode::class_file::{ClassFile, Method};
use whittle_model::ArchiveTable;

/// Facts about a method from the class file of its class.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ClassFacts {
    /// The name of the source file.
    pub(super) source_file: Option<String>,
    /// The source line where the method's code begins.
    pub(super) first_line: Option<u32>,
    /// The jar, the folder or the module that contains the class.
    pub(super) origin: Option<String>,
    /// Size of the method's bytecode.
    pub(super) bytecode_bytes: Option<u64>,
}

impl ClassFacts {
    /// The facts about the method with this internal name. `None` if the class is not in the archive.
    pub(super) fn of(archive: &ArchiveTable, internal_name: &str) -> Option<Self> {
        let name = MethodName::parse(internal_name)?;
        let row = archive.class_name.iter().position(|class| *class == name.class)?;
        let origin = Some(archive.origin[row].clone()).filter(|origin| !origin.is_empty());
        let class = archive.bytes[row].as_deref().and_then(|bytes| ClassFile::parse(bytes).ok());
        let method = class.as_ref().and_then(|class| name.find_in(class));
        Some(Self {
            source_file: class.as_ref().and_then(|class| class.source_file.clone()).map(Cow::into_owned),
            first_line: method.and_then(Method::first_line),
            origin,
            bytecode_bytes: method.and_then(|method| method.code.as_ref()).map(|code| code.bytecode.len() as u64),
        })
    }
}
