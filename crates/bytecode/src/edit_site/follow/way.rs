//! The possible sources of a value: the result of one step backwards.

use crate::edit_site::context::Context;
use crate::edit_site::member_uses::FieldKey;
use crate::edit_site::value::Value;
use std::rc::Rc;

/// Maximum number of calls, assignments or subclasses that are followed from one place.
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
    /// A sentence that describes a step, and the way after this step.
    Step(String, Box<Way<'c>>),
    /// A field that contains the value, and the way after this field.
    Field(FieldKey, Box<Way<'c>>),
    /// Each of these ways is a possible source of the value.
    All(Vec<Way<'c>>),
    /// The first way, or the second way if the first way has no result.
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

    /// Adds a step before this way.
    pub(super) fn after(self, step: String) -> Self {
        Self::Step(step, Box::new(self))
    }

    /// Adds the field before this way, if the field is known.
    pub(super) fn through(self, field: Option<FieldKey>) -> Self {
        match field {
            Some(field) => Self::Field(field, Box::new(self)),
            None => self,
        }
    }

    /// This way, or the other way if no place on this way creates the value.
    pub(super) fn or_if_not_made(self, other: Self) -> Self {
        Self::Else(Box::new(self), NoResult::NotMade, Box::new(other))
    }

    /// This way, or the other way if this way gives neither a place nor a reason.
    pub(super) fn or_if_silent(self, other: Self) -> Self {
        Self::Else(Box::new(self), NoResult::Silent, Box::new(other))
    }
}

impl<'c> FromIterator<Way<'c>> for Way<'c> {
    fn from_iter<I: IntoIterator<Item = Way<'c>>>(ways: I) -> Self {
        Self::All(ways.into_iter().collect())
    }
}
