//! The edit site: from the line that makes a costly call to the line that has to change, by the class files.
//!
//! ```text
//! stack ── call ──> the instruction that calls ── flow ──> where its receiver or argument comes from, in the method
//!                                                   └── follow ──> over fields, callers, callees, lambdas: where it is made
//! ```
//!
//! Every method is interpreted on its own, once; what is followed over methods is one value at a time, with a limit
//! of steps. Where the way ends, at a collection or at a class that is not known, the answer says so: a wrong site is
//! worse than none.

mod answer;
mod archive;
mod argument;
mod call;
mod context;
mod effects;
mod field_uses;
mod flow;
mod follow;
mod key_class;
mod known_classes;
mod lambda;
mod lock;
mod member_uses;
mod mentions;
mod receiver;
mod source_text;
mod value;
mod wanted;
mod words;

pub(crate) use archive::ArchivedClasses;
pub(crate) use source_text::refine_with_source;

use crate::findings::{EditSite, SiteKind, SiteRule};
use follow::Search;
use known_classes::KnownClasses;

/// Class files by the JVM's names of their classes.
pub(crate) trait ClassFiles {
    /// The bytes of a class file.
    fn class_file(&self, class_name: &str) -> Option<&[u8]>;

    /// Names of the program's and its libraries' classes that are looked through for uses of something. Others
    /// can be known as well.
    fn class_names(&self) -> Vec<&str>;

    /// Those of them whose constants hold all of `texts`; others can be among them.
    fn mentioning(&self, texts: &[&str]) -> Vec<&str> {
        let mut names = self.class_names();
        names.retain(|name| self.class_file(name).is_some_and(|bytes| mentions::mentions_all(bytes, texts)));
        names
    }
}

/// A place in a Java method, as a stack has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CallPlace<'a> {
    /// The class as the JVM names it.
    pub(crate) class: &'a str,
    /// The method's name.
    pub(crate) method: &'a str,
    /// Its descriptor, `(I)V`.
    pub(crate) descriptor: &'a str,
    /// Where in its code the call is. Missing: not known.
    pub(crate) bytecode_index: Option<u32>,
    /// The source line. Missing: not known.
    pub(crate) line: Option<u32>,
}

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiteQuestion<'a> {
    /// What is looked for.
    pub(crate) rule: &'a SiteRule,
    /// The stack from the calling application frame (first) towards the root, JDK frames included.
    pub(crate) callers: &'a [CallPlace<'a>],
    /// The stack from the called function (first) towards the leaf, as far as it is Java.
    pub(crate) called: &'a [CallPlace<'a>],
}

/// Looks for the line to edit.
///
/// # Errors
/// Why it was not found, in words that go on from "site not found: ".
pub(crate) fn find_site(question: &SiteQuestion<'_>, classes: &dyn ClassFiles) -> Result<EditSite, String> {
    let search = Search::new(question, KnownClasses::new(classes));
    match question.rule.kind {
        SiteKind::Call => call::calling_line(&search),
        SiteKind::Receiver => receiver::site(&search),
        SiteKind::Argument => argument::site(&search),
        SiteKind::HashCode => key_class::site(&search),
        SiteKind::Lock => lock::site(&search),
        SiteKind::None => Err("there is no line to edit".to_owned()),
    }
}

#[cfg(test)]
mod tests;
