//! Types in descriptors: parameters and results of methods, with their slots.

/// A type in a descriptor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Type {
    /// The type as written in the descriptor: `I`, `Ljava/io/File;`, `[B`.
    pub(super) descriptor: String,
    /// Number of slots: 0 for `V`, 2 for `J` and `D`, otherwise 1.
    pub(super) slots: usize,
}

impl Type {
    pub(super) fn new(descriptor: &str) -> Self {
        let slots = match descriptor {
            "V" => 0,
            "J" | "D" => 2,
            _ => 1,
        };
        Self { descriptor: descriptor.to_owned(), slots }
    }

    /// The class's name. `None` if the type is a number or an array.
    pub(super) fn class(&self) -> Option<&str> {
        self.descriptor.strip_prefix('L')?.strip_suffix(';')
    }
}

/// The types of a method's parameters, up to the first unreadable type.
pub(super) fn parameters(descriptor: &str) -> Vec<Type> {
    let inside = descriptor.strip_prefix('(').and_then(|rest| rest.split_once(')')).map_or("", |(inside, _)| inside);
    let mut rest = inside;
    let mut types = Vec::new();
    while let Some(length) = type_length(rest) {
        types.push(Type::new(&rest[..length]));
        rest = &rest[length..];
    }
    types
}

/// The type of a method's result.
pub(super) fn result(descriptor: &str) -> Type {
    Type::new(descriptor.rsplit_once(')').map_or("V", |(_, result)| result))
}

fn type_length(text: &str) -> Option<usize> {
    let dimensions = text.len() - text.trim_start_matches('[').len();
    match text.as_bytes().get(dimensions)? {
        b'L' => text[dimensions..].find(';').map(|end| dimensions + end + 1),
        byte if byte.is_ascii_uppercase() => Some(dimensions + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_cut_into_types() {
        let types: Vec<_> = parameters("(I[[JLjava/io/File;D[Lx/Y;)V").into_iter().map(|it| it.descriptor).collect();
        assert_eq!(types, ["I", "[[J", "Ljava/io/File;", "D", "[Lx/Y;"]);
        assert_eq!(result("(I)Ljava/io/File;").class(), Some("java/io/File"));
        assert_eq!(result("()J").slots, 2);
        for damaged in ["", "(", "(Ljava", "([", "()", "(é)V"] {
            assert!(parameters(damaged).is_empty(), "{damaged}");
        }
    }
}
