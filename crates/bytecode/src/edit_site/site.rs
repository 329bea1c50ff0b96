//! The answer: the line to edit, with all facts that are needed for the edit.

use serde::Serialize;

/// A line to edit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct EditSite {
    /// The class, named as in the JVM.
    pub class: String,
    /// The method's name without its descriptor: `<init>`.
    pub method: String,
    /// Source file without folders. `None` if unknown.
    pub file: Option<String>,
    /// Line. `None` if the class was compiled without lines.
    pub line: Option<u32>,
    /// The code on the line in words: `new java.io.FileOutputStream(…), kept in field CrcOut.w`.
    pub what: String,
    /// The text of the line. `None` if the source was not found.
    pub text: Option<String>,
    /// How the line was found: the steps from the call to this line, one sentence each.
    pub steps: Vec<String>,
    /// Other places that are equally possible: assignments of the same field.
    pub others: Vec<OtherSite>,
    /// The field that contains the object. `None` if no field contains the object.
    pub field: Option<FieldUse>,
    /// The value of the constant, if the code is a number.
    pub constant: Option<f64>,
    /// The instruction of `what`. `None`: the code is no creation, call, concatenation or method, or several calls on the line
    /// are possible.
    #[serde(skip)]
    pub instruction: Option<SiteInstruction>,
}

/// Another line that may have to be edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OtherSite {
    /// `c01.Slow$CrcOut.<init>`.
    pub function: String,
    /// Source file without folders. `None` if unknown.
    pub file: Option<String>,
    /// Line. `None` if the class was compiled without lines.
    pub line: Option<u32>,
    /// The code on the line in words.
    pub what: String,
    /// The instruction of `what`. `None`: the code is no creation, no call and no concatenation.
    #[serde(skip)]
    pub instruction: Option<SiteInstruction>,
}

/// The creation, the call or the concatenation at a place of a class file, exactly. Or a whole method.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteInstruction {
    /// The class, named as in the JVM.
    pub class: String,
    /// The method's name without its descriptor.
    pub method: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// Bytecode index of the `new` of a creation, or of the call or concatenation. 0 for a whole method.
    pub bytecode_index: u32,
    /// What the instruction does, with names as in the JVM: `new java/io/FileOutputStream`,
    /// `call java/util/regex/Pattern.compile`, `new byte[]`, `concatenate java/lang/String`, `method hashCode`.
    pub operation: String,
}

/// A field and its other uses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FieldUse {
    /// The field as displayed: `c01.Slow$CrcOut.w`.
    pub field: String,
    /// The field's declaration: `final java.io.OutputStream w`.
    pub declaration: String,
    /// Line of the declaration. `None` if the source was not found.
    pub line: Option<u32>,
    /// Uses of the field in addition to the calling line and the line to edit. The edit must not break these uses:
    /// `close(), line 6: w.close()`.
    pub uses: Vec<OtherSite>,
}

impl EditSite {
    /// This line as a place that is listed after another line.
    pub fn as_other(&self) -> OtherSite {
        OtherSite {
            function: self.function(),
            file: self.file.clone(),
            line: self.line,
            what: self.what.clone(),
            instruction: self.instruction.clone(),
        }
    }

    /// `c01.Slow$CrcOut.<init>`.
    pub fn function(&self) -> String {
        match self.class.as_str() {
            // Native code has no class.
            "" => self.method.clone(),
            class => format!("{}.{}", class.replace('/', "."), self.method),
        }
    }

    /// The line as text: `Slow.java:4, c01.Slow$CrcOut.<init>: new java.io.FileOutputStream(…)`.
    pub fn words(&self) -> String {
        let place = place(self.file.as_deref(), self.line).map(|place| format!("{place}, "));
        format!("{}{}: {}", place.unwrap_or_default(), self.function(), self.what)
    }
}

impl OtherSite {
    /// The place as text: `c01.Slow$CrcOut.close, Slow.java:6: w.close()`.
    pub fn words(&self) -> String {
        let place = place(self.file.as_deref(), self.line).map(|place| format!(", {place}"));
        format!("{}{}: {}", self.function, place.unwrap_or_default(), self.what)
    }
}

/// File and line as text: `Slow.java:5`, or only the known part. `None` if both parts are unknown.
pub fn place(file: Option<&str>, line: Option<u32>) -> Option<String> {
    match (file, line) {
        (Some(file), Some(line)) => Some(format!("{file}:{line}")),
        (Some(file), None) => Some(file.to_owned()),
        (None, Some(line)) => Some(format!("line {line}")),
        (None, None) => None,
    }
}
