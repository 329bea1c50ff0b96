//! Finds functions by their displayed name.
//!
//! `java.io.FileOutputStream.write(int)` is one overload. `java.io.FileOutputStream.write` means all overloads, merged
//! into one group.

use crate::order::sort_by;
use crate::reduction::FunctionNames;
use std::borrow::Cow;
use thiserror::Error;

/// The functions with a name; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionGroup {
    /// The requested name. If only one function has the requested name, the function's full name in the experiment.
    pub name: String,
    /// Functions, numbered as in [`FunctionNames`].
    pub functions: Vec<u32>,
}

/// No function has the requested name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no function \"{name}\" in this experiment{}", suggestion_text(suggestions))]
pub struct UnknownFunction {
    /// The requested name.
    pub name: String,
    /// Similar names, best first.
    pub suggestions: Vec<String>,
}

fn suggestion_text(suggestions: &[String]) -> String {
    match suggestions {
        [] => String::new(),
        names => format!("; did you mean {}?", names.join(" or ")),
    }
}

/// Number of suggested names in an error. The list is short enough to read, and long enough for some overloads.
const SUGGESTION_COUNT: usize = 4;

impl FunctionGroup {
    /// Finds the functions with the name `name`, with or without their signature. Includes the frames that transforms
    /// create for packages and binaries.
    pub fn find(names: FunctionNames<'_>, name: &str) -> Result<Self, UnknownFunction> {
        Self::find_among(names, names.count(), name)
    }

    /// Finds only recorded functions with the name.
    pub fn find_recorded(names: FunctionNames<'_>, name: &str) -> Result<Self, UnknownFunction> {
        Self::find_among(names, names.recorded_count(), name)
    }

    /// Finds functions with the name among the first `count` functions.
    fn find_among(names: FunctionNames<'_>, count: u32, name: &str) -> Result<Self, UnknownFunction> {
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
            [] => Err(UnknownFunction { name: name.to_owned(), suggestions: suggestions(names, name) }),
            [only] => Ok(Self { name: names.display_name(*only).to_owned(), functions }),
            _ => Ok(Self { name: name.to_owned(), functions }),
        }
    }

    /// True if several functions are treated as one.
    pub fn is_merged(&self) -> bool {
        self.functions.len() > 1
    }

    /// For every function, true if it is in the group.
    pub fn members(&self, names: FunctionNames<'_>) -> Vec<bool> {
        let mut is_member = vec![false; names.count() as usize];
        for function in &self.functions {
            is_member[*function as usize] = true;
        }
        is_member
    }

    /// The note about a merged group. Missing for a single function.
    pub fn note(&self, names: FunctionNames<'_>) -> Option<String> {
        let shown: Vec<&str> = self.functions.iter().map(|function| names.display_name(*function)).collect();
        self.is_merged()
            .then(|| format!("{} represents {} merged functions: {}", self.name, shown.len(), shown.join(", ")))
    }
}

/// Removes spaces after commas, because parameter lists are written with and without these spaces.
fn without_spaces(name: &str) -> Cow<'_, str> {
    if name.contains(", ") { Cow::Owned(name.replace(", ", ",")) } else { Cow::Borrowed(name) }
}

/// Names that contain the requested name, the shortest first. If there are no such names, names that contain its last
/// part.
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
