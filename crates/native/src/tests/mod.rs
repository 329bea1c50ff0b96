//! Compares native stacks of real programs with the programs' known stacks.

#![allow(unsafe_code, reason = "tests stop programs with ptrace")]

mod damage;
mod kinds;
mod program;
mod unwinding;

use super::stacks::{CopiedStack, NativeStacks};
use crate::process_id::ProcessId;
use crate::program_files::TrustAll;
use program::Stopped;
use whittle_model::{LossReason, StackIndex, TableBuilder, Tables};

/// Native stacks and their tables.
struct Observer {
    stacks: NativeStacks,
    builder: TableBuilder,
}

impl Observer {
    fn new() -> Self {
        Self { stacks: NativeStacks::new(TrustAll), builder: TableBuilder::new() }
    }

    /// The stack as text, root first, and why the stack is incomplete.
    fn see(&mut self, process: ProcessId, stopped: &Stopped) -> (Vec<String>, LossReason) {
        let Stopped { registers, start, stack } = stopped;
        let copied = CopiedStack { registers, start: *start, bytes: stack, is_new: false };
        let (stack, reason) = self.stacks.stack(process, &copied, &mut self.builder);
        (self.words(stack), reason)
    }

    /// The frames of a stack, root first: names with lines, and a mark at inlined frames.
    fn words(&self, stack: StackIndex) -> Vec<String> {
        let tables = self.builder.tables();
        let mut frames = Vec::new();
        let mut stack = stack;
        while stack != StackIndex::ROOT {
            frames.push(frame_words(tables, tables.stacks.frame[stack.row()].row()));
            stack = tables.stacks.parent[stack.row()];
        }
        frames.reverse();
        frames
    }
}

fn frame_words(tables: &Tables, frame: usize) -> String {
    let name = &tables.functions.display_name[tables.frames.function[frame].row()];
    let line = tables.frames.line[frame].map_or_else(String::new, |line| format!(":{line}"));
    let kind = tables.frames.kind[frame];
    let kind = if kind == whittle_model::FrameKind::Inlined { " inlined" } else { "" };
    format!("{name}{line}{kind}")
}

/// The frames from `main` on.
fn from_main(words: &[String]) -> &[String] {
    let main = words.iter().position(|frame| frame.split(':').next() == Some("main"));
    &words[main.unwrap_or_else(|| panic!("no main in {words:?}"))..]
}
