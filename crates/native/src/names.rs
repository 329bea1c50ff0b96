//! Readable names of native functions, from the linker's names.
//!
//! Whittle and async-profiler can see the same function. It must be one function in the experiment. So C++ and Rust
//! names are written as in async-profiler: demangled, without parameters and, for Rust, without the hash. Therefore all
//! overloads become one function. All instances of a generic function also become one function.
//!
//! Symbol tables are untrusted, so the work and the length of a name are limited.

use cpp_demangle::{BorrowedSymbol, DemangleOptions, ParseOptions};
use std::fmt::{self, Write};

/// Maximum length of a name: the longest name in a JFR recording of async-profiler.
pub(crate) const MAX_NAME_BYTES: usize = 8191;

/// Maximum nesting depth of a C++ name. Real names need less than 60. Each level needs stack memory.
const MAX_NESTING: u32 = 96;

/// A function's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionNames {
    /// The name that identifies the function.
    pub internal: String,
    /// The same name without the compiler's additions.
    pub display: String,
}

impl FunctionNames {
    /// The names for a symbol in the linker's form.
    pub fn of_symbol(symbol: &[u8]) -> Self {
        let symbol = printable(&symbol[..symbol.len().min(MAX_NAME_BYTES)]);
        match demangled(&symbol) {
            Some(name) => Self { internal: name.clone(), display: name },
            None => Self { display: whittle_model::without_compiler_suffix(&symbol).to_owned(), internal: symbol },
        }
    }
}

/// The text of a symbol, with a question mark instead of each control character.
fn printable(symbol: &[u8]) -> String {
    String::from_utf8_lossy(symbol).chars().map(|c| if c < ' ' { '?' } else { c }).collect()
}

fn demangled(symbol: &str) -> Option<String> {
    if symbol.starts_with("_R") || (symbol.starts_with("_Z") && has_rust_hash(symbol)) {
        return demangled_rust(symbol).or_else(|| demangled_cpp(symbol));
    }
    if symbol.starts_with("_Z") { demangled_cpp(symbol) } else { None }
}

/// True for names with an ending such as `17h0123456789abcdefE`. C++ names have no such ending.
fn has_rust_hash(symbol: &str) -> bool {
    let Some(end) = symbol.rfind('E') else { return false };
    let Some(hash) = end.checked_sub(19).and_then(|start| symbol.as_bytes().get(start..end)) else { return false };
    hash.starts_with(b"17h") && hash[3..].iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn demangled_rust(symbol: &str) -> Option<String> {
    let name = rustc_demangle::try_demangle(symbol).ok()?;
    let mut text = BoundedText::default();
    write!(text, "{name:#}").ok()?;
    Some(text.0)
}

fn demangled_cpp(symbol: &str) -> Option<String> {
    if let Some((kind, target)) = thunk(symbol) {
        return Some(format!("{kind} to {}", demangled_cpp(&format!("_Z{target}"))?));
    }
    let whole = demangled_cpp_exactly(symbol);
    let mut name = whole.or_else(|| demangled_cpp_exactly(symbol.split_once('.')?.0))?;
    cut_parameters(&mut name);
    Some(with_literal_suffixes(&name))
}

/// Number types: the cast in a demangled name, and the suffix that async-profiler's demangler writes instead.
const LITERALS: &[(&str, &str)] = &[
    ("(unsigned long)", "ul"),
    ("(unsigned int)", "u"),
    ("(long)", "l"),
    ("(int)", ""),
    ("(unsigned long long)", "ull"),
];

/// Writes `Buffer<(unsigned long)256>` as `Buffer<256ul>`.
fn with_literal_suffixes(name: &str) -> String {
    let mut result = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(start) = rest.find('(') {
        let (before, from_cast) = rest.split_at(start);
        result.push_str(before);
        let literal = LITERALS.iter().find_map(|(cast, suffix)| {
            let number = from_cast.strip_prefix(cast)?;
            let sign = usize::from(number.starts_with('-'));
            let digits = number[sign..].bytes().take_while(u8::is_ascii_digit).count();
            (digits > 0).then(|| (&number[..sign + digits], *suffix, &number[sign + digits..]))
        });
        match literal {
            Some((number, suffix, after)) => {
                result.extend([number, suffix]);
                rest = after;
            }
            None => {
                result.push('(');
                rest = &from_cast[1..];
            }
        }
    }
    result + rest
}

/// The kind and the target of a thunk. A thunk adjusts an object's address before it jumps to a function:
/// `_ZThn16_N1A1fEv`, `_ZTv0_n24_…`.
fn thunk(symbol: &str) -> Option<(&'static str, &str)> {
    let (kind, mut rest, offsets) = match symbol.strip_prefix("_ZTh") {
        Some(rest) => ("non-virtual thunk", rest, 1),
        None => ("virtual thunk", symbol.strip_prefix("_ZTv")?, 2),
    };
    for _ in 0..offsets {
        rest = rest
            .strip_prefix('n')
            .unwrap_or(rest)
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .strip_prefix('_')?;
    }
    // A target is never a thunk itself.
    Some((kind, rest)).filter(|(_, target)| !target.starts_with('T'))
}

fn demangled_cpp_exactly(symbol: &str) -> Option<String> {
    let parsing = ParseOptions::default().recursion_limit(MAX_NESTING);
    let symbol = BorrowedSymbol::new_with_options(symbol.as_bytes(), &parsing).ok()?;
    let mut text = BoundedText::default();
    symbol.structured_demangle(&mut text, &DemangleOptions::new().recursion_limit(MAX_NESTING)).ok()?;
    Some(text.0)
}

/// Removes the last group of parentheses and the text after it.
fn cut_parameters(name: &mut String) {
    let Some(end) = name.rfind(')') else { return };
    let mut depth = 0_usize;
    for position in (1..=end).rev() {
        match name.as_bytes()[position] {
            b')' => depth += 1,
            b'(' if depth == 1 => return name.truncate(position),
            b'(' => depth -= 1,
            _ => {}
        }
    }
}

/// A text that does not grow beyond the longest name, because a short C++ symbol can expand to a huge name.
#[derive(Debug, Default)]
struct BoundedText(String);

impl Write for BoundedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_NAME_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(symbol: &str) -> (String, String) {
        let names = FunctionNames::of_symbol(symbol.as_bytes());
        (names.internal, names.display)
    }

    #[test]
    fn names_are_spelled_as_async_profiler_spells_them() {
        for (symbol, name) in [
            ("write", "write"),
            ("__GI___write", "__GI___write"),
            ("_ZN10JavaThread3runEv", "JavaThread::run"),
            ("_Z3fooIiEvT_", "void foo<int>"),
            ("_ZNK3Foo3barEPFviE", "Foo::bar"),
            ("_ZN12FormatBufferILm256EE5printEPKcz", "FormatBuffer<256ul>::print"),
            ("_ZN1AILin7ELj3ELb1EE1fEv", "A<-7, 3u, true>::f"),
            ("_ZThn16_N1A1fEi", "non-virtual thunk to A::f"),
            ("_ZTv0_n24_N1AD1Ev", "virtual thunk to A::~A"),
            ("_ZN12_GLOBAL__N_113single_threadEv", "(anonymous namespace)::single_thread"),
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("_Zno_name_at_all", "_Zno_name_at_all"),
        ] {
            assert_eq!(names(symbol), (name.to_owned(), name.to_owned()), "{symbol}");
        }
    }

    #[test]
    fn what_the_compiler_added_is_kept_in_the_internal_name_only() {
        assert_eq!(names("work.isra.0"), ("work.isra.0".to_owned(), "work".to_owned()));
        assert_eq!(names("_ZN3Foo3barEv.cold").0, "Foo::bar");
    }

    #[test]
    fn long_and_odd_names_are_bounded() {
        let long = vec![b'a'; 100_000];
        assert_eq!(FunctionNames::of_symbol(&long).internal.len(), MAX_NAME_BYTES);
        // Each substitution doubles the name.
        let bomb = format!("_Z1fI{}E", "1aIS_S_E".repeat(40));
        assert!(names(&bomb).0.len() <= MAX_NAME_BYTES);
        let nested = format!("_Z1f{}v", "P".repeat(8000));
        assert!(names(&nested).0.len() <= MAX_NAME_BYTES);
        assert_eq!(names("a\u{1}b").0, "a?b");
        assert_eq!(FunctionNames::of_symbol(b"\xff").internal, "\u{fffd}");
    }
}
