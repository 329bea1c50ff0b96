//! Finds the functions that match names with wildcards, for patterns over stacks.
//!
//! Every name is a pattern with a number. Every function has a list of matching patterns. Therefore names are compared
//! only once per function, and stacks are tested by numbers.
//!
//! ```text
//! a/B.run        this method, with any parameters         kernel:show_smap    a function of the kernel
//! a/B.run(I)V    this method                              native:             … of native code
//! a/B.*          all methods; also `*.run` and `*B*`      jvm:, stub:         … of the JVM, a stub
//! ```

use rustc_hash::FxHashMap;
use whittle_model::{FunctionKind, FunctionTable, Table};

/// The number of a pattern.
pub type PatternId = u16;

/// Patterns, and the functions that match them.
#[derive(Debug, Default)]
pub struct NamePatterns {
    ids: FxHashMap<&'static str, PatternId>,
    /// The pattern lists of all functions, one after the other.
    fits: Vec<PatternId>,
    /// The start of each function's list, and the end of the last list.
    starts: Vec<u32>,
}

/// A pattern, split into its parts.
struct NamePattern {
    id: PatternId,
    kind: FunctionKind,
    text: &'static str,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Exact,
    Start,
    End,
    Inside,
}

impl NamePatterns {
    /// Compares all names with all functions. A name can occur several times.
    pub fn new(names: impl Iterator<Item = &'static str>, functions: &FunctionTable) -> Self {
        let mut this = Self::default();
        let mut patterns: Vec<NamePattern> = Vec::new();
        for name in names {
            let next = this.ids.len() as PatternId;
            if *this.ids.entry(name).or_insert(next) == next {
                patterns.push(NamePattern::new(next, name));
            }
        }
        this.compare(&patterns, functions);
        this
    }

    /// The pattern numbers of some of the names.
    pub fn ids(&self, names: &[impl AsRef<str>]) -> Vec<PatternId> {
        names.iter().filter_map(|name| self.ids.get(name.as_ref()).copied()).collect()
    }

    /// The patterns that match a function.
    pub fn of(&self, function: usize) -> &[PatternId] {
        &self.fits[self.starts[function] as usize..self.starts[function + 1] as usize]
    }

    /// Whether one of these patterns matches a function.
    pub fn is_any(&self, function: usize, wanted: &[PatternId]) -> bool {
        self.of(function).iter().any(|id| wanted.contains(id))
    }

    fn compare(&mut self, patterns: &[NamePattern], functions: &FunctionTable) {
        let (exact, others): (Vec<&NamePattern>, Vec<&NamePattern>) =
            patterns.iter().partition(|pattern| pattern.shape == Shape::Exact);
        let exact: FxHashMap<(u8, &str), PatternId> =
            exact.into_iter().map(|pattern| ((pattern.kind as u8, pattern.text), pattern.id)).collect();
        self.starts.push(0);
        for row in 0..functions.len() {
            let kind = functions.kind[row];
            let whole =
                if kind == FunctionKind::Java { &functions.internal_name[row] } else { &functions.display_name[row] };
            let name = whole.split('(').next().unwrap_or_default();
            self.fits.extend(exact.get(&(kind as u8, name)));
            // Names with parameters are compared with the whole function name.
            self.fits.extend(whole.find(')').and_then(|end| exact.get(&(kind as u8, &whole[..=end]))));
            self.fits.extend(others.iter().filter(|other| other.fits(kind, name)).map(|other| other.id));
            self.starts.push(self.fits.len() as u32);
        }
    }
}

/// The kind of code that a name refers to.
pub fn kind_of_name(name: &str) -> FunctionKind {
    kind_and_rest(name).0
}

fn kind_and_rest(name: &str) -> (FunctionKind, &str) {
    let kinds = [
        ("kernel:", FunctionKind::Kernel),
        ("native:", FunctionKind::Native),
        ("jvm:", FunctionKind::Jvm),
        ("stub:", FunctionKind::Stub),
    ];
    let told = kinds.into_iter().find_map(|(start, kind)| Some((kind, name.strip_prefix(start)?)));
    told.unwrap_or((FunctionKind::Java, name))
}

impl NamePattern {
    fn new(id: PatternId, name: &'static str) -> Self {
        let (kind, name) = kind_and_rest(name);
        let (text, shape) = match (name.strip_prefix('*'), name.strip_suffix('*')) {
            (Some(_), Some(_)) if name.len() > 1 => (&name[1..name.len() - 1], Shape::Inside),
            (Some(end), _) => (end, Shape::End),
            (None, Some(start)) => (start, Shape::Start),
            (None, None) => (name, Shape::Exact),
        };
        Self { id, kind, text, shape }
    }

    fn fits(&self, kind: FunctionKind, name: &str) -> bool {
        self.kind == kind
            && match self.shape {
                Shape::Exact => name == self.text,
                Shape::Start => name.starts_with(self.text),
                Shape::End => name.ends_with(self.text),
                Shape::Inside => name.contains(self.text),
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_by_kind_and_by_their_ends() {
        for (pattern, kind, name, fits) in [
            ("a/B.run", FunctionKind::Java, "a/B.run", true),
            ("a/B.run", FunctionKind::Java, "a/B.running", false),
            ("a/B.run", FunctionKind::Native, "a/B.run", false),
            ("a/B.run*", FunctionKind::Java, "a/B.running", true),
            ("*.hashCode", FunctionKind::Java, "x/Key.hashCode", true),
            ("*regex*", FunctionKind::Java, "java/util/regex/Pattern.compile", true),
            ("kernel:show_smap", FunctionKind::Kernel, "show_smap", true),
            ("jvm:ObjectMonitor::*", FunctionKind::Jvm, "ObjectMonitor::enter", true),
            ("*", FunctionKind::Java, "anything", true),
        ] {
            assert_eq!(NamePattern::new(0, pattern).fits(kind, name), fits, "{pattern} and {name}");
        }
    }
}
