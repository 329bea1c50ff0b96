//! Parses the text of a transform.

use crate::lexer::{Misread, Quoted, Words, in_quotes, pointed_at, tokens};
use crate::target::Target;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A valid transform. A view checks whether its names occur in the experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transform {
    text: String,
    /// The effect of the transform.
    pub action: Action,
}

/// The effect of a transform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Focus(Target),
    Merge(Target),
    Hide(Target),
    /// Collapses a package or binary, never a function.
    Collapse(Target),
    /// Collapses recursion of this function. Missing: collapses recursion of every function.
    CollapseRecursion(Option<Quoted>),
    /// Folds the frames of frameworks that lead to own code, except at these nodes of the tree without folded frames. Users
    /// open folded frames with the pointer, so the text of a transform cannot name nodes.
    FoldFrameworks(Vec<u32>),
}

/// A transform with a syntax error or an unknown name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the transform is wrong at character {}: {problem}\n{}\nexample: {EXAMPLE}", position + 1, pointed_at(text, *position))]
pub struct TransformError {
    /// The text of the transform.
    pub text: String,
    /// The position of the error, in characters counted from 0.
    pub position: usize,
    /// Describes what was expected and what was found.
    pub problem: String,
}

const FOLD_FRAMEWORKS: &str = "fold frameworks";
const EXAMPLE: &str = "merge \"java.util.HashMap.hash\", or collapse package \"java.util\"";

impl Transform {
    /// The transform that folds the frames of frameworks, except at the nodes in `opened`. See
    /// [`Reduction::id_of`](crate::reduction::Reduction::id_of).
    pub fn fold_frameworks(opened: &[u32]) -> Self {
        // Equal transforms have equal texts.
        let mut opened = opened.to_vec();
        opened.sort_unstable();
        opened.dedup();
        let action = Action::FoldFrameworks(opened);
        Self { text: FOLD_FRAMEWORKS.to_owned(), action }
    }

    /// An error about the part of the text that starts at `position`.
    pub fn error(&self, position: usize, problem: String) -> TransformError {
        TransformError { text: self.text.clone(), position, problem }
    }

    /// True if the transform names functions, which the experiment may not have.
    pub(crate) fn names_functions(&self) -> bool {
        !matches!(self.action, Action::FoldFrameworks(_))
    }

    /// True if the transform can remove whole stacks with their cost.
    pub fn leaves_out(&self) -> bool {
        matches!(self.action, Action::Focus(_) | Action::Hide(_))
    }

    /// The effect as text, for a reader who does not know the syntax.
    pub fn words(&self) -> String {
        match &self.action {
            Action::Focus(target) => format!("only what {target} does"),
            Action::Merge(target) => format!("{target} counted as its callers"),
            Action::Hide(target) => format!("without stacks through {target}"),
            Action::Collapse(target) => format!("{target} as one frame"),
            Action::CollapseRecursion(None) => "recursion of all functions as one frame each".to_owned(),
            Action::CollapseRecursion(Some(name)) => format!("recursion of {} as one frame", name.text),
            Action::FoldFrameworks(_) => "framework frames as one frame".to_owned(),
        }
    }
}

/// Writes the canonical text without extra spaces. Equal transforms have equal texts.
impl fmt::Display for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match &self.action {
            Action::Focus(target) => format!("focus {}", target.written()),
            Action::Merge(target) => format!("merge {}", target.written()),
            Action::Hide(target) => format!("hide {}", target.written()),
            Action::Collapse(target) => format!("collapse {}", target.written()),
            Action::CollapseRecursion(None) => "collapse recursion".to_owned(),
            Action::CollapseRecursion(Some(name)) => format!("collapse recursion {}", in_quotes(&name.text)),
            Action::FoldFrameworks(opened) => {
                opened.iter().fold(FOLD_FRAMEWORKS.to_owned(), |text, node| format!("{text} {node}"))
            }
        })
    }
}

impl FromStr for Transform {
    type Err = TransformError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let misread = |Misread { position, problem }| TransformError { text: text.to_owned(), position, problem };
        Ok(Self { text: text.to_owned(), action: action(text).map_err(misread)? })
    }
}

fn action(text: &str) -> Result<Action, Misread> {
    let tokens = tokens(text)?;
    let mut words = Words::new(text, &tokens);
    let action = if words.take_word("focus") {
        Action::Focus(Target::read(&mut words)?)
    } else if words.take_word("merge") {
        Action::Merge(Target::read(&mut words)?)
    } else if words.take_word("hide") {
        Action::Hide(Target::read(&mut words)?)
    } else if words.take_word("collapse") {
        collapse(&mut words)?
    } else if words.take_word("fold") {
        words.keyword("frameworks")?;
        Action::FoldFrameworks(Vec::new())
    } else {
        return Err(words.unexpected("`focus`, `merge`, `hide`, `collapse` or `fold`"));
    };
    words.end("the end")?;
    Ok(action)
}

fn collapse(words: &mut Words<'_>) -> Result<Action, Misread> {
    if words.take_word("recursion") {
        let name = words.peek().is_some().then(|| words.function_name("a function or the end"));
        return Ok(Action::CollapseRecursion(name.transpose()?));
    }
    let group = Target::read_group(words)?;
    group.map(Action::Collapse).ok_or_else(|| words.unexpected("`package`, `binary` or `recursion`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_are_written_as_they_are_read() {
        for (text, words) in [
            ("focus \"A.f(int)\"", "only what A.f(int) does"),
            ("merge package \"java.util\"", "package java.util counted as its callers"),
            ("hide binary \"libc.so.6\"", "without stacks through binary libc.so.6"),
            ("collapse package \"java.util\"", "package java.util as one frame"),
            ("collapse recursion", "recursion of all functions as one frame each"),
            ("fold frameworks", "framework frames as one frame"),
            ("collapse recursion \"operator\"\"\"\"_s\"", "recursion of operator\"\"_s as one frame"),
        ] {
            let transform: Transform = text.parse().expect("a transform");
            assert_eq!(transform.to_string(), text);
            assert_eq!(transform.words(), words);
        }
        for (text, written) in [
            ("merge A.f", "merge \"A.f\""),
            ("focus A.f(int, long)", "focus \"A.f(int, long)\""),
            ("hide package java.util", "hide package \"java.util\""),
            ("collapse recursion A.f", "collapse recursion \"A.f\""),
        ] {
            assert_eq!(text.parse::<Transform>().expect("a transform").to_string(), written);
        }
        assert_eq!(" merge  \"A.f\" ".parse::<Transform>().expect("a transform").to_string(), "merge \"A.f\"");
    }

    #[test]
    fn broken_transforms_say_where_and_what_was_expected() {
        let problem = |text: &str| text.parse::<Transform>().expect_err("broken").to_string();
        assert_eq!(
            problem("merge =A.f"),
            "the transform is wrong at character 7: expected a function, `package` or `binary`, found `=`\n  \
             merge =A.f\n        ^\nexample: merge \"java.util.HashMap.hash\", or collapse package \"java.util\""
        );
        for (text, part) in [
            ("", "character 1: expected `focus`, `merge`, `hide`, `collapse` or `fold`, found the end"),
            ("fold", "character 5: expected `frameworks`, found the end"),
            ("collapse \"A.f\"", "character 10: expected `package`, `binary` or `recursion`, found \"A.f\""),
            ("collapse package", "character 17: expected a package, such as"),
            ("hide \"A.f\" \"B.g\"", "character 12: expected the end, found \"B.g\""),
            ("focus \"A.f", "character 7: a text starts here and has no closing quote"),
            ("collapse recursion (", "character 20: expected a function or the end, found `(`"),
            ("hide A.f(int", "character 9: the signature has no `)`"),
        ] {
            assert!(problem(text).contains(part), "{text}: {}", problem(text));
        }
    }
}
