//! The search for a method by the parts of its name that another tool wrote.

use crate::class_file::{ClassFile, Method};

/// The flag of methods that a compiler adds to call an overriding method with another result or other parameters.
const BRIDGE: u16 = 0x0040;
/// The flag of methods that are not in the source.
const SYNTHETIC: u16 = 0x1000;

impl<'a> ClassFile<'a> {
    /// The method with this name and these displayed parameters, such as `(int, java.lang.String[])`. `None` as
    /// parameters: any. If no method has these parameters, another tool may have written them in another way. In this
    /// case, the result is the only method of the source with this name.
    ///
    /// A class can have several methods with the same name and parameters, and different results: a method, and the
    /// bridges that a compiler adds. The method of the source comes before the bridges.
    pub fn method_by_shown_name(&self, name: &str, parameters: Option<&str>) -> Option<&Method<'a>> {
        let has_parameters = |method: &&Method<'_>| {
            parameters.is_none_or(|wanted| shown_parameters(&method.descriptor).as_deref() == Some(wanted))
        };
        let named = || self.methods.iter().filter(|method| method.name == name);
        let found = named().filter(has_parameters).min_by_key(|method| method.is_from_compiler());
        found.or_else(|| {
            let mut of_source = named().filter(|method| !method.is_from_compiler());
            of_source.next().filter(|_| of_source.next().is_none())
        })
    }
}

impl Method<'_> {
    /// True if a compiler added this method, so it is not in the source.
    pub fn is_from_compiler(&self) -> bool {
        self.access_flags & (BRIDGE | SYNTHETIC) != 0
    }
}

/// The parameters of a descriptor as Java shows them: `(I[J)V` becomes `(int, long[])`. `None` if the descriptor is
/// damaged.
fn shown_parameters(descriptor: &str) -> Option<String> {
    let (mut rest, _result) = descriptor.strip_prefix('(')?.split_once(')')?;
    let mut types = Vec::new();
    while !rest.is_empty() {
        let (shown, after) = first_type(rest)?;
        types.push(shown);
        rest = after;
    }
    Some(format!("({})", types.join(", ")))
}

/// The first type of a descriptor's parameters, and the text after this type.
fn first_type(text: &str) -> Option<(String, &str)> {
    let element = text.trim_start_matches('[');
    let (name, after) = match element.strip_prefix('L') {
        Some(class) => class.split_once(';').map(|(class, after)| (class.replace('/', "."), after))?,
        None => (primitive(element.chars().next()?)?.to_owned(), element.get(1..)?),
    };
    Some((name + &"[]".repeat(text.len() - element.len()), after))
}

fn primitive(letter: char) -> Option<&'static str> {
    Some(match letter {
        'Z' => "boolean",
        'B' => "byte",
        'C' => "char",
        'S' => "short",
        'I' => "int",
        'J' => "long",
        'F' => "float",
        'D' => "double",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Bridges.get()` has two results: its own, and the interface's.
    const BRIDGES: &[u8] = include_bytes!("../../tests/fixtures/Bridges.class");

    #[test]
    fn the_method_of_the_source_comes_before_its_bridges_in_any_order() {
        let mut class = ClassFile::parse(BRIDGES).expect("a class");
        assert_eq!(class.methods.iter().filter(|method| method.name == "get").count(), 2);
        for _ in 0..2 {
            let found = |parameters| class.method_by_shown_name("get", parameters).map(|it| it.descriptor.to_string());
            assert_eq!(found(None).as_deref(), Some("()Lfixtures/Bridges;"));
            assert_eq!(found(Some("()")).as_deref(), Some("()Lfixtures/Bridges;"));
            assert_eq!(found(Some("(other.Words)")).as_deref(), Some("()Lfixtures/Bridges;"));
            let bridge = class.method("get", "()Ljava/lang/Object;").expect("the bridge");
            assert!(bridge.is_from_compiler());
            // Compilers other than `javac` write bridges before the method.
            class.methods.reverse();
        }
    }

    #[test]
    fn overloads_are_distinguished_by_their_shown_parameters() {
        let mut class = ClassFile::parse(BRIDGES).expect("a class");
        for _ in 0..2 {
            for (parameters, descriptor) in
                [("(int)", "(I)V"), ("(java.lang.String[], long)", "([Ljava/lang/String;J)V")]
            {
                let found =
                    class.method_by_shown_name("put", Some(parameters)).map(|method| method.descriptor.as_ref());
                assert_eq!(found, Some(descriptor));
            }
            assert!(class.method_by_shown_name("put", Some("(Words)")).is_none());
            class.methods.reverse();
        }
        for damaged in ["", "(", "(L", "(Lx)V", "([)V", "(é)V", "(IQ)V", "I)V"] {
            assert_eq!(shown_parameters(damaged), None, "{damaged}");
        }
    }
}
