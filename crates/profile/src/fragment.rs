//! The centre of callers-callees: a chain of functions, outermost first, as the user names it.

use crate::AnalysisError;
use std::fmt;
use std::str::FromStr;

/// Functions that directly call each other, outermost first; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fragment {
    names: Vec<String>,
}

/// Between two functions in writing. With spaces, because names such as `List<A>` hold the sign.
const SEPARATOR: &str = " > ";

/// Most functions in a fragment: the bits of the mask that matching uses. Nobody reads that far.
const LENGTH_LIMIT: usize = 64;

impl Fragment {
    /// The fragment of one function: "Set Center".
    pub fn center(name: impl Into<String>) -> Self {
        Self { names: vec![name.into()] }
    }

    /// The root of all stacks.
    pub fn total() -> Self {
        Self::center("<Total>")
    }

    /// With a caller in front.
    #[must_use]
    pub fn prepend(mut self, name: impl Into<String>) -> Self {
        self.names.insert(0, name.into());
        self
    }

    /// With a callee behind.
    #[must_use]
    pub fn append(mut self, name: impl Into<String>) -> Self {
        self.names.push(name.into());
        self
    }

    /// Without its outermost function; unchanged if it has only one.
    #[must_use]
    pub fn remove_first(mut self) -> Self {
        if self.names.len() > 1 {
            self.names.remove(0);
        }
        self
    }

    /// Without its innermost function; unchanged if it has only one.
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

    /// An error if it is longer than can be matched.
    pub(crate) fn check_length(&self) -> Result<(), AnalysisError> {
        let problem = "it has more than 64 functions; remove some at either end";
        let error = || AnalysisError::MalformedFragment { text: self.to_string(), problem };
        if self.names.len() > LENGTH_LIMIT { Err(error()) } else { Ok(()) }
    }
}

impl FromStr for Fragment {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let names: Vec<String> = text.split(SEPARATOR).map(|name| name.trim().to_owned()).collect();
        if names.iter().any(String::is_empty) {
            let problem = "a function's name is missing";
            return Err(AnalysisError::MalformedFragment { text: text.to_owned(), problem });
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
