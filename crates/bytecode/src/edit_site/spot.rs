//! A place in code that can be edited.

use crate::edit_site::context::Context;
use crate::edit_site::{EditSite, OtherSite, instruction, words};
use std::rc::Rc;

/// A place in code that can be edited.
#[derive(Debug, Clone)]
pub(super) struct Spot<'c> {
    pub(super) context: Rc<Context<'c>>,
    pub(super) bytecode_index: u32,
    /// The code at this place as text.
    pub(super) what: String,
}

impl<'c> Spot<'c> {
    pub(super) fn new(context: &Rc<Context<'c>>, bytecode_index: u32) -> Self {
        Self { context: Rc::clone(context), bytecode_index, what: words::instruction(context, bytecode_index) }
    }

    pub(super) fn line(&self) -> Option<u32> {
        self.context.line(self.bytecode_index)
    }

    /// Identifies the line of a method. Several spots on one line are one place to edit.
    pub(super) fn key(&self) -> (usize, usize, Option<u32>) {
        (self.context.class_key(), self.context.method, self.line())
    }

    pub(super) fn other(&self) -> OtherSite {
        OtherSite {
            function: self.context.shown_method(),
            file: self.context.class.file.source_file.as_deref().map(str::to_owned),
            line: self.line(),
            what: self.what.clone(),
            instruction: instruction::of(&self.context, self.bytecode_index),
        }
    }

    /// This place as the line to edit, without other places and without a field.
    pub(super) fn site(&self, steps: Vec<String>) -> EditSite {
        EditSite {
            class: self.context.class.file.name.clone().into_owned(),
            method: self.context.method_name().to_owned(),
            file: self.context.class.file.source_file.as_deref().map(str::to_owned),
            line: self.line(),
            what: self.what.clone(),
            text: None,
            steps,
            others: Vec::new(),
            field: None,
            constant: None,
            instruction: instruction::of(&self.context, self.bytecode_index),
        }
    }
}
