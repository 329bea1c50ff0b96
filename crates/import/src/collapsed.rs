//! Collapsed stacks.
