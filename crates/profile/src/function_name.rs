//! Finding functions by the name that a view shows.
//!
//! `java.io.FileOutputStream.write(int)` is one overload, `java.io.FileOutputStream.write` means all
//! of them, merged into one group.

use crate::AnalysisError;
use crate::order::sort_by;
use crate::reduction::FunctionNames;
use std::borrow::Cow;
use thiserror::Error;

/// Functions that a name stands for; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FunctionGroup {
    /// The name as asked for, in the spelling of the experiment if it is one function.
    pub(crate) name: String,
    /// Functions, numbered as in [`FunctionNames`].
    pub(crate) functions: Vec<u32>,
}

/// No function has the name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", AnalysisError::from(self.clone()))]
pub(crate) struct NameError {
    name: String,
    suggestions: Vec<String>,
}

impl From<NameError> for AnalysisError {
    fn from(error: NameError) -> Self {
        Self::UnknownFunction { name: error.name, suggestions: error.suggestions }
    }
}

/// Number of names that an error suggests: few enough to read, more than one for overloads.
const SUGGESTION_COUNT: usize = 4;

impl FunctionGroup {
    /// The functions called `name`: exactly, or without their signature; packages and binaries that transforms make
    /// frames of, too.
    pub(crate) fn find(names: FunctionNames<'_>, name: &str) -> Result<Self, NameError> {
        Self::find_among(names, names.count(), name)
    }

    /// The same of what was recorded.
    pub(crate) fn find_recorded(names: FunctionNames<'_>, name: &str) -> Result<Self, NameError> {
        Self::find_among(names, names.recorded_count(), name)
    }

    /// The same of the first functions.
    fn find_among(names: FunctionNames<'_>, count: u32, name: &str) -> Result<Self, NameError> {
        let wanted = without_spaces(name);
        let is_exact = |shown: &str| without_spaces(shown) == wanted;
        let is_overload = |shown: &str| shown.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
        let matching = |test: &dyn Fn(&str) -> bool| -> Vec<u32> {
            (0..count).filter(|function| test(names.display_name(*function))).collect()
        };
        let mut functions = matching(&is_exact);
        if functions.is_empty() {
            functions = matching(&is_overload);
        }
        match functions.as_slice() {
            [] => Err(NameError { name: name.to_owned(), suggestions: suggestions(names, name) }),
            [only] => Ok(Self { name: names.display_name(*only).to_owned(), functions }),
            _ => Ok(Self { name: name.to_owned(), functions }),
        }
    }

    /// True if several functions are treated as one.
    pub(crate) fn is_merged(&self) -> bool {
        self.functions.len() > 1
    }

    /// For every function, whether it is in the group.
    pub(crate) fn members(&self, names: FunctionNames<'_>) -> Vec<bool> {
        let mut is_member = vec![false; names.count() as usize];
        for function in &self.functions {
            is_member[*function as usize] = true;
        }
        is_member
    }

    /// What a reader has to know about a merged group; missing for a single function.
    pub(crate) fn note(&self, names: FunctionNames<'_>) -> Option<String> {
        let shown: Vec<&str> = self.functions.iter().map(|function| names.display_name(*function)).collect();
        self.is_merged()
            .then(|| format!("{} stands for {} functions, merged: {}", self.name, shown.len(), shown.join(", ")))
    }
}

/// Parameter lists are written with and without a space behind the comma.
fn without_spaces(name: &str) -> Cow<'_, str> {
    if name.contains(", ") { Cow::Owned(name.replace(", ", ",")) } else { Cow::Borrowed(name) }
}

/// Names that contain what was asked for, else its last part; shortest first.
fn suggestions(names: FunctionNames<'_>, name: &str) -> Vec<String> {
    let without_signature = name.split('(').next().unwrap_or(name);
    let last_part = without_signature.rsplit(['.', ':']).next().unwrap_or(name);
    let containing = |text: &str| -> Vec<String> {
        let text = text.to_lowercase();
        let shown = (1..names.recorded_count()).map(|function| names.display_name(function));
        let mut found: Vec<String> =
            shown.filter(|shown| !text.is_empty() && shown.to_lowercase().contains(&text)).map(str::to_owned).collect();
        sort_by(&mut found, |a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
        found.dedup();
        found.truncate(SUGGESTION_COUNT);
        found
    };
    let near = containing(without_signature);
    if near.is_empty() { containing(last_part) } else { near }
}
