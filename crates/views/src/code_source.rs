//! Where the code of functions comes from: asked of whoever can read files, because analysis cannot.

/// Finds texts and machine code. All of it is optional: what is missing is said in the view.
pub trait CodeSource {
    /// The text of the file that a class was compiled from.
    ///
    /// # Errors
    /// Where it was looked for, and what to do to have it found, in words that go on from "source not found: ".
    fn java_source(&self, class: &JavaClass<'_>) -> Result<SourceText, String>;

    /// The class file of a class that is not in the experiment's archive, such as one of the JDK.
    fn class_file(&self, class_name: &str) -> Option<Vec<u8>>;

    /// The text of a source file, by the path that debug information has.
    ///
    /// # Errors
    /// As for [`java_source`](Self::java_source).
    fn native_source(&self, path: &str) -> Result<SourceText, String>;

    /// The machine code of a function.
    ///
    /// # Errors
    /// Why there is none, in words that go on from "no disassembly: ".
    fn machine_code(&self, code: &NativeCode<'_>) -> Result<Disassembly, String>;
}

/// A class whose source is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JavaClass<'a> {
    /// Its name as the JVM has it, `java/util/Map$Entry`.
    pub name: &'a str,
    /// Name of the source file without folders, `Map.java`.
    pub source_file: &'a str,
    /// Path of the folder or jar that the class was loaded from, `/opt/app.jar!/BOOT-INF/classes`. Missing: not known.
    pub origin: Option<&'a str>,
}

impl JavaClass<'_> {
    /// Where the file is below a root of sources: `java/util/Map.java`.
    pub fn path(&self) -> String {
        match self.name.rsplit_once('/') {
            Some((package, _)) => format!("{package}/{}", self.source_file),
            None => self.source_file.to_owned(),
        }
    }
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    /// Where: a path, or `x.jar!/a/B.java`.
    pub path: String,
    /// The whole text.
    pub text: String,
}

/// A native function whose machine code is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeCode<'a> {
    /// Path or name of the file, as the experiment has it.
    pub binary: &'a str,
    /// GNU build id in lower-case hexadecimal: a file with another one is not the one that ran. Missing: not known.
    pub build_id: Option<&'a str>,
    /// The function's name as the linker has it, demangled for C++ and Rust.
    pub symbol: &'a str,
    /// Where it begins, as the file's headers have it. Missing: not known.
    pub address: Option<u64>,
    /// How many bytes it has. Missing: not known.
    pub size_bytes: Option<u64>,
}

/// A function's machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disassembly {
    /// The file that it was read from.
    pub path: String,
    /// What a reader has to know, for example that it is not certain that this file ran. Missing: nothing.
    pub note: Option<String>,
    /// The instructions in the order of their addresses.
    pub instructions: Vec<MachineInstruction>,
}

/// One machine instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineInstruction {
    /// Where it is, as the file's headers have it.
    pub address: u64,
    /// Name and operands.
    pub text: String,
    /// Path of the source file that it was compiled from. Missing: not known.
    pub source_file: Option<String>,
    /// Line in that file, counted from 1. Missing: not known.
    pub line: Option<u32>,
}

/// Finds nothing: for front ends without files. Bytecode of archived classes still shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoFiles {
    /// Why, in words that go on from "source not found: ".
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
