//! Locals and operand stack at one place of a method.

use crate::edit_site::value::Value;

/// Locals and operand stack, slot by slot. A `long` has two slots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct State {
    pub(super) locals: Vec<Value>,
    pub(super) stack: Vec<Value>,
}

impl State {
    /// Puts a value of one or two slots on the stack. If `slots` is 0, nothing changes.
    pub(super) fn push(&mut self, value: Value, slots: usize) {
        if slots > 0 {
            self.stack.push(value);
        }
        if slots > 1 {
            self.stack.push(Value::default());
        }
    }

    /// Takes the top `count` slots from the stack. The deepest slot comes first. `None` if the stack has fewer slots.
    pub(super) fn take(&mut self, count: usize) -> Option<Vec<Value>> {
        let start = self.stack.len().checked_sub(count)?;
        Some(self.stack.split_off(start))
    }
}
