//! One search: its question, the available classes, and the remaining steps.

use super::SiteQuestion;
use super::context::{Context, Entered};
use super::known_classes::{KnownClass, KnownClasses};
use super::member_uses::MemberUses;
use std::cell::Cell;
use std::rc::Rc;

/// Maximum number of values that one search follows.
const MAX_STEPS: usize = 2_500;

/// A search in progress.
pub(super) struct Search<'q, 'c> {
    pub(super) classes: KnownClasses<'c>,
    pub(super) uses: MemberUses<'c>,
    pub(super) question: &'q SiteQuestion<'q>,
    steps_left: Cell<usize>,
}

impl<'q, 'c> Search<'q, 'c> {
    pub(super) fn new(question: &'q SiteQuestion<'q>, classes: KnownClasses<'c>) -> Self {
        Self { classes, uses: MemberUses::default(), question, steps_left: Cell::new(MAX_STEPS) }
    }

    /// Uses up one step. False if no step is left.
    pub(super) fn take_step(&self) -> bool {
        let left = self.steps_left.get().checked_sub(1);
        self.steps_left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Runs a function with a part of the remaining steps.
    pub(super) fn with_part_of_steps<T>(&self, work: impl FnOnce() -> T) -> T {
        let all = self.steps_left.get();
        let part = all / 4;
        self.steps_left.set(part);
        let result = work();
        self.steps_left.set(all - (part - self.steps_left.get()));
        result
    }

    /// The context of a method. If the method is on the stack, the profile shows how it was entered.
    pub(super) fn context_of(&self, class: &Rc<KnownClass<'c>>, method: usize) -> Option<Rc<Context<'c>>> {
        let known = class.method(method)?;
        let frame = self.question.callers.iter().position(|place| {
            place.class == class.file.name && place.method == known.name && place.descriptor == known.descriptor
        });
        let entered = frame.map_or(Entered::Unknown, Entered::Frame);
        Context::new(Rc::clone(class), method, entered)
    }

    /// The context of a frame.
    pub(super) fn context_of_frame(&self, frame: usize) -> Option<Rc<Context<'c>>> {
        let place = self.question.callers.get(frame)?;
        let class = self.classes.get(place.class)?;
        let number = class.numbered(place)?;
        Context::new(class, number, Entered::Frame(frame))
    }

    /// The frame that calls `frame`, and its calls of `callee` at the place that the stack shows. `None` if the code at
    /// this place does not call the method.
    pub(super) fn actual_caller(&self, frame: usize, callee: &Context<'c>) -> Option<(Rc<Context<'c>>, Vec<u32>)> {
        let caller = self.context_of_frame(frame + 1)?;
        let place = self.question.callers.get(frame + 1)?;
        let method = callee.class.method(callee.method)?;
        let calls = caller.calls_at(place.bytecode_index, place.line, |member| {
            member.name == method.name && member.descriptor == method.descriptor
        });
        (!calls.is_empty()).then_some((caller, calls))
    }
}
