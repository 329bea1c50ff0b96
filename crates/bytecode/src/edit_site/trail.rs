//! The way from a call to a place: its steps in sentences, and the values on this way.

use super::member_uses::FieldKey;
use super::value::Origin;
use std::rc::Rc;

/// The way from the call to a place. Ways with the same start share their first steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Trail {
    last_step: Option<Rc<Step>>,
    /// The first field on the way.
    pub(super) field: Option<Rc<FieldKey>>,
    /// Number of values on the way.
    pub(super) depth: usize,
    last_seen: Option<Rc<Seen>>,
}

/// One step as a sentence, and the steps before it.
#[derive(Debug)]
struct Step {
    text: String,
    before: Option<Rc<Step>>,
}

/// A value on the way, and the values before it.
#[derive(Debug)]
struct Seen {
    key: ValueKey,
    before: Option<Rc<Seen>>,
}

/// A value of a method: class, method, origin.
pub(super) type ValueKey = (usize, usize, Origin);

impl Trail {
    /// This way with one more step. A step that repeats the previous step is not added.
    pub(super) fn with_step(&self, text: String) -> Self {
        let mut trail = self.clone();
        if trail.last_step.as_ref().is_none_or(|last| last.text != text) {
            trail.last_step = Some(Rc::new(Step { text, before: trail.last_step.take() }));
        }
        trail
    }

    /// This way with one more value.
    pub(super) fn with_value(&self, key: ValueKey) -> Self {
        let mut trail = self.clone();
        trail.last_seen = Some(Rc::new(Seen { key, before: trail.last_seen.take() }));
        trail.depth += 1;
        trail
    }

    /// This way with a field. Only the first field is kept.
    pub(super) fn with_field(&self, field: FieldKey) -> Self {
        let mut trail = self.clone();
        trail.field.get_or_insert_with(|| Rc::new(field));
        trail
    }

    /// The sentences from the call on.
    pub(super) fn steps(&self) -> Vec<String> {
        let all = std::iter::successors(self.last_step.as_ref(), |step| step.before.as_ref());
        let mut steps: Vec<String> = all.map(|step| step.text.clone()).collect();
        steps.reverse();
        steps
    }

    /// How often a value occurs on the way.
    pub(super) fn count(&self, key: ValueKey) -> usize {
        let all = std::iter::successors(self.last_seen.as_ref(), |seen| seen.before.as_ref());
        all.filter(|seen| seen.key == key).count()
    }
}
