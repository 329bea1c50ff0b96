//! The rule of a detector: which line has to change.

use serde::Deserialize;

/// Determines which line has to change.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteRule {
    /// The kind of line.
    pub kind: SiteKind,
    /// Classes, named as in the JVM. The line to edit creates an object of one of these classes. A `*` at the end
    /// matches any text.
    #[serde(default)]
    pub classes: Vec<String>,
    /// Number of the argument that matters, counted from 0.
    #[serde(default)]
    pub argument: Option<u8>,
    /// Methods that set the argument after the object was created, such as `java/util/zip/Deflater.setLevel`. Their only argument is
    /// the one that matters.
    #[serde(default)]
    pub setters: Vec<String>,
    /// Classes with objects that cannot be wrapped, named as in the JVM. If their methods are called, the calling line
    /// is the line to edit.
    #[serde(default)]
    pub unwrappable: Vec<String>,
    /// If the creation of the object is not found, the calling line is the line to edit.
    #[serde(default)]
    pub or_call: bool,
}

impl SiteRule {
    /// The rule that the calling line itself is the line to edit.
    pub fn calling_line() -> Self {
        let (classes, setters, unwrappable) = (Vec::new(), Vec::new(), Vec::new());
        Self { kind: SiteKind::Call, classes, argument: None, setters, unwrappable, or_call: false }
    }

    /// This rule for a call of a method of `class`.
    pub fn of_call(&self, class: &str) -> Self {
        let kind = if self.unwrappable.iter().any(|other| other == class) { SiteKind::Call } else { self.kind };
        Self { kind, ..self.clone() }
    }
}

/// Kinds of lines to edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SiteKind {
    /// The calling line itself.
    Call,
    /// The line that creates the object on which the method is called. If this object is a wrapper, the line that
    /// creates the wrapped object.
    Receiver,
    /// The line that is the origin of an argument of the call.
    Argument,
    /// The method `hashCode` of the keys' class.
    HashCode,
    /// The line that locks an object.
    Lock,
    /// The frame that keeps a virtual thread on its carrier: a lock that it holds, native code, or the initialiser of a class.
    Pin,
    /// The exception handler that repeats a call.
    Retry,
    /// The loop that only waits for another thread. Without such a loop, the calling line itself.
    Waiting,
    /// No line has to change, for example if an option of the JVM is the fix.
    None,
}
