//! Defines how views get the code of functions. Front ends implement this trait, because the analysis cannot read
//! files.

/// Finds source texts, class files and machine code. Code can be missing, and the view then reports this.
pub trait CodeSource {
    /// The text of the file that a class was compiled from.
    ///
    /// # Errors
    /// The message follows the words "source not found: ". It lists the searched places and explains how to make the
    /// source available.
    fn java_source(&self, class: &JavaClass<'_>) -> Result<SourceText, String>;

    /// The class file of a class that is not in the experiment's archive, such as a JDK class.
    fn class_file(&self, class_name: &str) -> Option<Vec<u8>>;

    /// The text of a source file, by the path in the debug information.
    ///
    /// # Errors
    /// The same as for [`java_source`](Self::java_source).
    fn native_source(&self, path: &str) -> Result<SourceText, String>;

    /// The machine code of a function.
    ///
    /// # Errors
    /// The reason why there is no machine code. It follows the words "no disassembly: ".
    fn machine_code(&self, code: &NativeCode<'_>) -> Result<Disassembly, String>;
}

/// A class. Its source file was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JavaClass<'a> {
    /// The class's name in the JVM's form, `java/util/Map$Entry`.
    pub name: &'a str,
    /// Name of the source file without folders, `Map.java`.
    pub source_file: &'a str,
    /// Path of the folder or jar that the class was loaded from, `/opt/app.jar!/BOOT-INF/classes`. Missing if unknown.
    pub origin: Option<&'a str>,
}

impl JavaClass<'_> {
    /// The file's path below a source folder, such as `java/util/Map.java`.
    pub fn path(&self) -> String {
        match self.name.rsplit_once('/') {
            Some((package, _)) => format!("{package}/{}", self.source_file),
            None => self.source_file.to_owned(),
        }
    }
}

/// A source text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// Where the text was found: a path, or `x.jar!/a/B.java`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// A native function. Its machine code was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeCode<'a> {
    /// Path or name of the file in the experiment.
    pub binary: &'a str,
    /// GNU build id in lower-case hexadecimal. A file with another id is a different build. Missing if unknown.
    pub build_id: Option<&'a str>,
    /// The function's name in the linker's symbols, demangled for C++ and Rust.
    pub symbol: &'a str,
    /// The function's first address, as given in the file's headers. Missing if unknown.
    pub address: Option<u64>,
    /// The function's size. Missing if unknown.
    pub size_bytes: Option<u64>,
}

/// A function's machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembly {
    /// The file that contains the machine code.
    pub path: String,
    /// A note for the reader, for example that the file might not be the file that ran.
    pub note: Option<String>,
    /// The instructions in the order of their addresses.
    pub instructions: Vec<MachineInstruction>,
}

/// One machine instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineInstruction {
    /// The instruction's address, as given in the file's headers.
    pub address: u64,
    /// Name and operands of the instruction.
    pub text: String,
    /// Path of the source file of this instruction. Missing if unknown.
    pub source_file: Option<String>,
    /// Line in the source file, counted from 1. Missing if unknown.
    pub line: Option<u32>,
}

/// A code source for front ends without files. It finds no code. Views still show the bytecode of archived classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoFiles {
    /// The reason. It follows the words "source not found: ".
    pub reason: &'static str,
}

impl CodeSource for NoFiles {
    fn java_source(&self, _class: &JavaClass<'_>) -> Result<SourceText, String> {
        Err(self.reason.to_owned())
    }

    fn class_file(&self, _class_name: &str) -> Option<Vec<u8>> {
        None
    }

    fn native_source(&self, _path: &str) -> Result<SourceText, String> {
        Err(self.reason.to_owned())
    }

    fn machine_code(&self, _code: &NativeCode<'_>) -> Result<Disassembly, String> {
        Err(self.reason.to_owned())
    }
}
