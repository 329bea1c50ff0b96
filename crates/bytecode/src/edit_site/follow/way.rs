//! The possible sources of a value: the result of one step backwards.

use crate::edit_site::context::Context;
use crate::edit_site::member_uses::FieldKey;
use crate::edit_site::value::Value;
use std::rc::Rc;

/// Largest number of calls, assignments or subclasses that are followed from one place.
pub(super) const MAX_BRANCHES: usize = 16;

/// The possible sources of a value.
#[derive(Debug)]
pub(super) enum Way<'c> {
    /// The instruction at this bytecode index creates the value.
    Made(Rc<Context<'c>>, u32),
    /// The value cannot be followed, for this reason.
    End(String),
    /// The value is the same as another value, in the same method or in another method.
    Value(Rc<Context<'c>>, Value),
    /// A sentence about the step, and the way after it.
    Step(String, Box<Way<'c>>),
    /// The way after a field that contains the value.
    Field(FieldKey, Box<Way<'c>>),
    /// The value can come from all of these ways.
    All(Vec<Way<'c>>),
    /// The value comes from the second way if the first way has no result.
    Else(Box<Way<'c>>, NoResult, Box<Way<'c>>),
}

/// Defines when a way has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoResult {
    /// No place creates the value, whether or not a reason is known.
    NotMade,
    /// No place creates the value, and no reason is known.
    Silent,
}

impl<'c> Way<'c> {
    pub(super) fn nothing() -> Self {
        Self::All(Vec::new())
    }

    pub(super) fn made(context: &Rc<Context<'c>>, bytecode_index: u32) -> Self {
        Self::Made(Rc::clone(context), bytecode_index)
    }

    pub(super) fn value(context: &Rc<Context<'c>>, value: &Value) -> Self {
        Self::Value(Rc::clone(context), value.clone())
    }

    /// The step, and then this way.
    pub(super) fn after(self, step: String) -> Self {
        Self::Step(step, Box::new(self))
    }

    /// The field, if it is known, and then this way.
    pub(super) fn through(self, field: Option<FieldKey>) -> Self {
        match field {
            Some(field) => Self::Field(field, Box::new(self)),
            None => self,
        }
    }

    /// This way. If no place on this way creates the value: the other way.
    pub(super) fn or_if_not_made(self, other: Self) -> Self {
        Self::Else(Box::new(self), NoResult::NotMade, Box::new(other))
    }

    /// This way. If this way gives no place and no reason: the other way.
    pub(super) fn or_if_silent(self, other: Self) -> Self {
        Self::Else(Box::new(self), NoResult::Silent, Box::new(other))
    }
}

impl<'c> FromIterator<Way<'c>> for Way<'c> {
    fn from_iter<I: IntoIterator<Item = Way<'c>>>(ways: I) -> Self {
        Self::All(ways.into_iter().collect())
    }
}
