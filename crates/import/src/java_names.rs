//! Converts Java names from the JVM's form to the readable form.
//!
//! `java/io/FileOutputStream`, `write`, `([BII)V` becomes
//! `java.io.FileOutputStream.write(byte[], int, int)`. Return types are left out.

/// The displayed name of a method, with dots in the class name, and with complete parameter types.
///
/// An invalid descriptor is shown as `(…)`.
pub(crate) fn display_name(class: &str, method: &str, descriptor: &str) -> String {
    let mut name = dotted(class);
    if !name.is_empty() && !method.is_empty() {
        name.push('.');
    }
    name.push_str(method);
    let bare_length = name.len();
    if push_parameters(&mut name, descriptor).is_none() {
        name.truncate(bare_length);
        name.push_str("(…)");
    }
    name
}

/// The name of a method in the JVM: `java/io/FileOutputStream.write([BII)V`.
pub(crate) fn internal_name(class: &str, method: &str, descriptor: &str) -> String {
    [class, ".", method, descriptor].concat()
}

/// True for a descriptor of a method, such as `(I)V`.
pub(crate) fn is_descriptor(text: &str) -> bool {
    push_parameters(&mut String::new(), text).is_some()
}

/// A class name with dots. The number that the JVM appends to hidden classes (`Main$$Lambda/0x00…`) keeps its slash,
/// because the part before the slash is not a package.
pub(crate) fn dotted(class: &str) -> String {
    let mut name = String::with_capacity(class.len());
    let mut characters = class.chars().peekable();
    while let Some(character) = characters.next() {
        let is_package_end = character == '/' && !characters.peek().is_some_and(char::is_ascii_digit);
        name.push(if is_package_end { '.' } else { character });
    }
    name
}

/// The name of a class in Java, from its name in the JVM: `java.lang.String` for `java/lang/String`, `byte[][]` for
/// `[[B`. A name that is no valid name of an array is kept.
pub(crate) fn type_name(class: &str) -> String {
    let element = class.trim_start_matches('[');
    let dimensions = class.len() - element.len();
    if dimensions == 0 {
        return dotted(class);
    }
    let mut name = String::new();
    if push_type(&mut name, element) != Some("") {
        return class.to_owned();
    }
    name + &"[]".repeat(dimensions)
}

/// Appends parameters such as `(int, java.lang.String[])`. If the descriptor is invalid, the content of `name` is
/// undefined.
fn push_parameters(name: &mut String, descriptor: &str) -> Option<()> {
    let (mut rest, _result) = descriptor.strip_prefix('(')?.split_once(')')?;
    name.push('(');
    let mut separator = "";
    while !rest.is_empty() {
        name.push_str(separator);
        separator = ", ";
        let element = rest.trim_start_matches('[');
        let dimensions = rest.len() - element.len();
        rest = push_type(name, element)?;
        (0..dimensions).for_each(|_| name.push_str("[]"));
    }
    name.push(')');
    Some(())
}

/// Appends the type at the start of `descriptor`. Returns the rest.
fn push_type<'d>(name: &mut String, descriptor: &'d str) -> Option<&'d str> {
    let (kind, rest) = (descriptor.chars().next()?, descriptor.get(1..)?);
    let primitive = match kind {
        'Z' => "boolean",
        'B' => "byte",
        'C' => "char",
        'S' => "short",
        'I' => "int",
        'J' => "long",
        'F' => "float",
        'D' => "double",
        'L' => {
            let (class, rest) = rest.split_once(';')?;
            name.push_str(&dotted(class));
            return Some(rest);
        }
        _ => return None,
    };
    name.push_str(primitive);
    Some(rest)
}

/// True for `java/lang/Thread.run`, `com.acme.Main.main` and `Main.main`. False for `libc.so.6` and `JavaThread::run`,
/// because the class of a method contains slashes or begins with a capital letter.
pub(crate) fn looks_like_java(text: &str) -> bool {
    if text.contains("::") || text.contains('`') {
        return false;
    }
    let Some((class, _method)) = text[..text.find('(').unwrap_or(text.len())].rsplit_once('.') else { return false };
    let simple_name = class.rsplit(['.', '/']).next().unwrap_or(class);
    class.find('/').is_some_and(|slash| slash > 0) || simple_name.starts_with(|first: char| first.is_ascii_uppercase())
}

/// The class name in the JVM, from a text with slashes or with dots.
pub(crate) fn slashed(class: &str) -> String {
    if class.contains('/') {
        return class.to_owned();
    }
    let mut characters = class.chars().peekable();
    let mut name = String::with_capacity(class.len());
    while let Some(character) = characters.next() {
        let is_package_end = character == '.' && !characters.peek().is_some_and(char::is_ascii_digit);
        name.push(if is_package_end { '/' } else { character });
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_are_shown_with_their_parameters() {
        let cases = [
            ("java/io/FileOutputStream", "write", "(I)V", "java.io.FileOutputStream.write(int)"),
            ("A", "<init>", "()V", "A.<init>()"),
            (
                "a/B$C",
                "m",
                "([BJ[[Ljava/lang/String;Z)Ljava/lang/Object;",
                "a.B$C.m(byte[], long, java.lang.String[][], boolean)",
            ),
            ("", "m", "(D)F", "m(double)"),
        ];
        for (class, method, descriptor, shown) in cases {
            assert_eq!(display_name(class, method, descriptor), shown);
        }
        assert_eq!(internal_name("a/B", "m", "(I)V"), "a/B.m(I)V");
    }

    #[test]
    fn classes_are_shown_as_in_java() {
        for (class, shown) in [
            ("java/util/HashMap$Node", "java.util.HashMap$Node"),
            ("[B", "byte[]"),
            ("[[Ljava/lang/String;", "java.lang.String[][]"),
            ("[La/B$$Lambda/0x7f;", "a.B$$Lambda/0x7f[]"),
            ("Main", "Main"),
            ("", ""),
            ("[", "["),
            ("[BB", "[BB"),
            ("[Lx", "[Lx"),
        ] {
            assert_eq!(type_name(class), shown);
        }
    }

    #[test]
    fn numbers_of_hidden_classes_keep_their_slash() {
        assert_eq!(dotted("a/B$$Lambda$14/0x0000000800c03000"), "a.B$$Lambda$14/0x0000000800c03000");
        assert_eq!(dotted("a/B$$Lambda.0x0000000028040660"), "a.B$$Lambda.0x0000000028040660");
    }

    #[test]
    fn descriptors_that_are_none_are_shown_so() {
        for descriptor in ["", "(", "(L", "(Lx)V", "([)V", "(é)V", "(IQ)V", "I)V"] {
            assert_eq!(display_name("a/B", "m", descriptor), "a.B.m(…)");
        }
    }
}
