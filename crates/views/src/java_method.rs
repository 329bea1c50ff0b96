//! The name of a Java method in the functions table, and the method in its class file.

use std::borrow::Cow;
use whittle_bytecode::class_file::{ClassFile, Method};

/// Texts that come before the number in the name of a generated class.
const HIDDEN_PARTS: [&str; 4] = ["$$Lambda", "/0x", ".0x", "+0x"];

/// Parameters that could not be read.
const UNKNOWN_PARAMETERS: &str = "(…)";

/// The parts of a method's name in the functions table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MethodName<'a> {
    /// The class in the JVM's form. For a generated class, this is the class that it was generated from.
    pub(crate) class: Cow<'a, str>,
    pub(crate) name: &'a str,
    /// The descriptor. Missing if the name has no descriptor.
    descriptor: Option<&'a str>,
    /// The parameters as Java shows them: `(int)`. Missing if the name has a descriptor, or no parameters.
    parameters: Option<&'a str>,
}

impl<'a> MethodName<'a> {
    /// Reads a name such as `java/io/OutputStream.write(I)V`. The name can have dots instead of slashes.
    pub(crate) fn parse(internal_name: &'a str) -> Option<Self> {
        let start = internal_name.find('(').unwrap_or(internal_name.len());
        let (until_parameters, in_parentheses) = internal_name.split_at(start);
        let (class, name) = until_parameters.rsplit_once('.')?;
        let end = HIDDEN_PARTS.iter().filter_map(|part| class.find(part)).min().unwrap_or(class.len());
        let class = &class[..end];
        let class = if class.contains('/') { Cow::Borrowed(class) } else { Cow::Owned(class.replace('.', "/")) };
        // A descriptor ends with a type. The displayed form `(int)` is not a descriptor.
        let types = Some(in_parentheses).filter(|types| !types.is_empty());
        let descriptor = types.filter(|types| !types.ends_with(')'));
        let parameters = types.filter(|types| types.ends_with(')') && *types != UNKNOWN_PARAMETERS);
        (!class.is_empty()).then_some(Self { class, name, descriptor, parameters })
    }

    pub(crate) fn package(&self) -> &str {
        self.class.rsplit_once('/').map_or("", |(package, _)| package)
    }

    /// The usual name of the source file, from the name of the outermost class.
    pub(crate) fn usual_source_file(&self) -> String {
        let simple_name = self.class.rsplit('/').next().unwrap_or(&self.class);
        let outermost = simple_name.split('$').find(|part| !part.is_empty()).unwrap_or(simple_name);
        format!("{outermost}.java")
    }

    pub(crate) fn find_in<'c, 'b>(&self, class: &'c ClassFile<'b>) -> Option<&'c Method<'b>> {
        match self.descriptor {
            Some(descriptor) => class.method(self.name, descriptor),
            None => class.method_by_shown_name(self.name, self.parameters),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_class_method_and_type() {
        for (text, class, name, types, file) in [
            ("java/io/F.write(I)V", "java/io/F", "write", (Some("(I)V"), None), "F.java"),
            ("app.Main.run(int)", "app/Main", "run", (None, Some("(int)")), "Main.java"),
            ("app/Main$Part$1.<init>()V", "app/Main$Part$1", "<init>", (Some("()V"), None), "Main.java"),
            ("app/Main$$Lambda/0x00007f.run()V", "app/Main", "run", (Some("()V"), None), "Main.java"),
            ("app/Main$$Lambda.0x00007f.run()V", "app/Main", "run", (Some("()V"), None), "Main.java"),
            ("Main.main", "Main", "main", (None, None), "Main.java"),
        ] {
            let parsed = MethodName::parse(text).unwrap();
            assert_eq!(
                (parsed.class.as_ref(), parsed.name, (parsed.descriptor, parsed.parameters)),
                (class, name, types),
                "{text}"
            );
            assert_eq!(parsed.usual_source_file(), file, "{text}");
        }
        assert_eq!(MethodName::parse("main"), None);
    }
}
