//! The centre of callers-callees: a chain of functions, outermost first, as the user wrote it.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Functions that call each other directly, outermost first; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    names: Vec<String>,
}

/// The fragment has no functions, or too many.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("\"{text}\" is not a fragment of a stack: {problem}. Example: 'Main.run() > Log.write(int)'")]
pub struct MalformedFragment {
    /// The text of the fragment.
    pub text: String,
    /// What is wrong with the text.
    pub problem: &'static str,
}

/// The separator of functions in text form. It includes spaces, because names such as `List<A>` contain `>`.
const SEPARATOR: &str = " > ";

/// Maximum number of functions in a fragment. It equals the number of bits in the matching mask.
const LENGTH_LIMIT: usize = 64;

impl Fragment {
    /// A fragment with only one function.
    pub fn center(name: impl Into<String>) -> Self {
        Self { names: vec![name.into()] }
    }

    /// The fragment `<Total>`: the root of all stacks.
    pub fn total() -> Self {
        Self::center("<Total>")
    }

    /// Adds a caller at the start.
    #[must_use]
    pub fn prepend(mut self, name: impl Into<String>) -> Self {
        self.names.insert(0, name.into());
        self
    }

    /// Adds a callee at the end.
    #[must_use]
    pub fn append(mut self, name: impl Into<String>) -> Self {
        self.names.push(name.into());
        self
    }

    /// Removes the outermost function, unless it is the only function.
    #[must_use]
    pub fn remove_first(mut self) -> Self {
        if self.names.len() > 1 {
            self.names.remove(0);
        }
        self
    }

    /// Removes the innermost function, unless it is the only function.
    #[must_use]
    pub fn remove_last(mut self) -> Self {
        if self.names.len() > 1 {
            self.names.pop();
        }
        self
    }

    /// The names, outermost first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns an error if the fragment is too long for matching.
    pub fn check_length(&self) -> Result<(), MalformedFragment> {
        let problem = "it has more than 64 functions. Remove functions at one end";
        let error = || MalformedFragment { text: self.to_string(), problem };
        if self.names.len() > LENGTH_LIMIT { Err(error()) } else { Ok(()) }
    }
}

impl FromStr for Fragment {
    type Err = MalformedFragment;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names: Vec<String> = text.split(SEPARATOR).map(|name| name.trim().to_owned()).collect();
        if names.iter().any(String::is_empty) {
            let problem = "a function's name is missing";
            return Err(MalformedFragment { text: text.to_owned(), problem });
        }
        let fragment = Self { names };
        fragment.check_length().map(|()| fragment)
    }
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.names.join(SEPARATOR))
    }
}
