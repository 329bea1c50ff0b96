//! Finds the line to edit in class files. The search starts at the line that makes a costly call.
//!
//! ```text
//! stack ── call ──> the calling instruction ── flow ──> the origin of its receiver or argument, in the same method
//!                                                └── follow ──> through fields, callers, callees, lambdas: its creation
//! ```
//!
//! Each method is interpreted once, separately. Between methods, one value at a time is followed, and the number of
//! steps is limited. If the search ends at a collection or at an unknown class, the answer reports this, because no
//! line is better than a wrong line.

mod answer;
mod argument;
mod call;
mod context;
mod descriptor;
mod effects;
mod field_uses;
mod flow;
mod follow;
mod instruction;
mod key_class;
mod known_classes;
mod lambda;
mod lock;
mod log_text;
mod loops;
mod member_uses;
mod mentions;
mod monitors;
mod names;
mod outcome;
mod pin;
mod receiver;
mod retry;
mod rule;
mod search;
mod setter;
mod site;
mod source_text;
mod spot;
mod state;
mod trail;
mod value;
mod waiting;
mod waiting_calls;
mod wanted;
mod words;

pub use log_text::LogUse;
pub use mentions::TextIndex;
pub use rule::{SiteKind, SiteRule};
pub use site::place;
pub use site::{EditSite, FieldUse, OtherSite, SiteInstruction};
pub use source_text::refine_with_source;

use context::{Context, Entered};
use known_classes::KnownClasses;
use search::Search;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use waiting::Waiting;

/// Class files, found by the JVM's name of the class.
pub trait ClassFiles {
    /// The bytes of a class file.
    fn class_file(&self, class_name: &str) -> Option<&[u8]>;

    /// Names of the classes that are searched for uses of a member: classes of the program and its libraries. Class
    /// files of other classes can also be available.
    fn class_names(&self) -> Vec<&str>;

    /// The names of the searched classes that have all of `texts` among their constants. The list can also contain
    /// other classes.
    fn mentioning(&self, texts: &[&str]) -> Vec<&str> {
        let mut names = self.class_names();
        names.retain(|name| self.class_file(name).is_some_and(|bytes| mentions::mentions_all(bytes, texts)));
        names
    }
}

/// A place in a Java method, from a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallPlace<'a> {
    /// The class, named as in the JVM.
    pub class: &'a str,
    /// The method's name.
    pub method: &'a str,
    /// The method's descriptor, such as `(I)V`.
    pub descriptor: &'a str,
    /// Bytecode index of the call. `None` if unknown.
    pub bytecode_index: Option<u32>,
    /// The source line. `None` if unknown.
    pub line: Option<u32>,
}

/// The question: a rule and a stack.
#[derive(Debug, Clone, Copy)]
pub struct SiteQuestion<'a> {
    /// The rule that determines which line whittle searches for.
    pub rule: &'a SiteRule,
    /// The stack from the calling application frame (first) towards the root, including JDK frames.
    pub callers: &'a [CallPlace<'a>],
    /// The stack from the called function (first) towards the leaf, up to the first frame that is not Java.
    pub called: &'a [CallPlace<'a>],
}

/// Searches for the line to edit.
///
/// # Errors
/// The reason why the line was not found, as a text that continues "site not found: ".
pub fn find_site(question: &SiteQuestion<'_>, classes: &dyn ClassFiles) -> Result<EditSite, String> {
    let search = Search::new(question, KnownClasses::new(classes));
    match question.rule.kind {
        SiteKind::Call => call::calling_line(&search),
        SiteKind::Receiver => receiver::site(&search),
        SiteKind::Argument => argument::site(&search),
        SiteKind::HashCode => key_class::site(&search),
        SiteKind::Lock => lock::site(&search),
        SiteKind::Pin => pin::site(&search),
        SiteKind::Retry => retry::site(&search),
        SiteKind::Waiting => waiting::site(&search),
        SiteKind::None => Err("there is no line to edit".to_owned()),
    }
}

/// The line of the `synchronized` block at which a method waits for the lock, or releases it. The method calls no Java
/// code. `None` if the place is not in a block's header, or the class is unknown.
pub fn locking_line(place: &CallPlace<'_>, classes: &dyn ClassFiles) -> Option<u32> {
    let rule = SiteRule { kind: SiteKind::Lock, ..SiteRule::calling_line() };
    let question = SiteQuestion { rule: &rule, callers: &[*place], called: &[] };
    lock::line(&Search::new(&question, KnownClasses::new(classes)))
}

/// Identifies a class, and a method of it.
type MethodKey = (usize, usize);

/// What the code at places shows, without the stack below them. Each class is parsed once.
pub struct CodeOfLines<'c> {
    classes: KnownClasses<'c>,
    /// The loops that only wait, by class and method.
    waiting: RefCell<HashMap<MethodKey, Rc<Vec<Waiting>>>>,
}

/// A loop that only waits for another thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingLoop {
    /// The first line of the loop. `None`: the class was compiled without lines.
    pub line: Option<u32>,
}

impl<'c> CodeOfLines<'c> {
    /// Reads class files from `classes`.
    pub fn new(classes: &'c dyn ClassFiles) -> Self {
        Self { classes: KnownClasses::new(classes), waiting: RefCell::default() }
    }

    /// Whether a loop repeats the call at a place only after an exception, and at once.
    pub fn is_repeated(&self, place: &CallPlace<'_>) -> bool {
        let context = self.context(place);
        let call = place.bytecode_index.zip(context);
        call.is_some_and(|(call, context)| retry::handler(&context, call).is_some())
    }

    /// Whether a loop makes the call at a place for each of several elements, one after the other.
    pub fn is_for_each(&self, place: &CallPlace<'_>) -> bool {
        let call = place.bytecode_index.zip(self.context(place));
        call.is_some_and(|(call, context)| loops::is_for_each(&context, call))
    }

    /// The loop around a place that does nothing but wait for another thread.
    pub fn waiting_loop(&self, place: &CallPlace<'_>) -> Option<WaitingLoop> {
        let context = self.context(place)?;
        let key = (context.class_key(), context.method);
        let known = self.waiting.borrow().get(&key).cloned();
        let loops = known.unwrap_or_else(|| Rc::new(waiting::loops(&context, &self.classes)));
        self.waiting.borrow_mut().insert(key, Rc::clone(&loops));
        waiting::around(&loops, &context, place).map(|found| WaitingLoop { line: found.first_line(&context).0 })
    }

    /// What the instruction at a place does for a logger.
    pub fn log_use(&self, place: &CallPlace<'_>) -> Option<LogUse> {
        log_text::log_use(&*self.context(place)?, place.bytecode_index?)
    }

    fn context(&self, place: &CallPlace<'_>) -> Option<Rc<Context<'c>>> {
        let class = self.classes.get(place.class)?;
        let number = class.numbered(place)?;
        Context::new(class, number, Entered::Unknown)
    }
}

#[cfg(test)]
mod tests;
