//! The result of following a value: the places that create the value, and the reasons why other ways ended.

use super::context::Context;
use super::trail::Trail;
use std::rc::Rc;

/// Maximum number of reasons that are kept.
const MAX_DEAD_ENDS: usize = 40;

/// A place that creates a value.
#[derive(Debug, Clone)]
pub(super) struct Leaf<'c> {
    pub(super) context: Rc<Context<'c>>,
    pub(super) bytecode_index: u32,
    pub(super) trail: Trail,
}

/// The result of following a value.
#[derive(Debug, Default)]
pub(super) struct Outcome<'c> {
    pub(super) leaves: Vec<Leaf<'c>>,
    /// Why other ways ended, one clause each.
    pub(super) dead_ends: Vec<String>,
}

impl<'c> Outcome<'c> {
    /// An outcome with one place and an empty way.
    pub(super) fn of_leaf(context: &Rc<Context<'c>>, bytecode_index: u32) -> Self {
        let leaf = Leaf { context: Rc::clone(context), bytecode_index, trail: Trail::default() };
        Self { leaves: vec![leaf], dead_ends: Vec::new() }
    }

    /// Adds the reason why a way ended. Each reason is kept once.
    pub(super) fn end(&mut self, reason: String) {
        if self.dead_ends.len() < MAX_DEAD_ENDS && !self.dead_ends.contains(&reason) {
            self.dead_ends.push(reason);
        }
    }
}
