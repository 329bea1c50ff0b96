//! The entry point: native stacks of any number of processes.

use super::frames::PlaceFrames;
use super::modules::{ModuleIndex, Modules};
use super::process_map::ProcessMap;
use super::registers::Registers;
use super::stack_copy::StackCopy;
use super::walk::{WalkedStack, Walker};
use crate::process_id::ProcessId;
use crate::program_files::FindFiles;
use gimli::UnwindContext;
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{LossReason, StackIndex, TableBuilder};

/// The data that the kernel side copied from a thread.
#[derive(Debug, Clone, Copy)]
pub struct CopiedStack<'a> {
    /// The thread's registers at the same time.
    pub registers: &'a Registers,
    /// Address of the first byte: the stack pointer or a lower address. On x86-64, functions can use 128 bytes below
    /// the stack pointer. Some functions store values in these bytes, and unwinding needs these values.
    pub start: u64,
    /// The copied bytes.
    pub bytes: &'a [u8],
    /// True if the thread has executed nothing but the return of the system call that created it. Its first function has no
    /// caller, but the unwind tables do not say so (in glibc's `clone3`).
    pub is_new: bool,
}

/// Turns copied stacks into rows. Use an instance with only one [`TableBuilder`], because the instance stores that
/// builder's row numbers.
pub struct NativeStacks {
    finder: Box<dyn FindFiles>,
    modules: Modules,
    maps: FxHashMap<u32, ProcessMap>,
    frames: PlaceFrames,
    context: UnwindContext<usize>,
}

impl NativeStacks {
    /// An instance without processes. It opens the files that `finder` finds.
    pub fn new(finder: impl FindFiles + 'static) -> Self {
        Self {
            finder: Box::new(finder),
            modules: Modules::default(),
            maps: FxHashMap::default(),
            frames: PlaceFrames::default(),
            context: UnwindContext::new(),
        }
    }

    /// Keeps the files, and forgets the rows of the previous tables.
    pub fn for_other_tables(mut self) -> Self {
        self.modules.forget_rows();
        Self { frames: PlaceFrames::default(), ..self }
    }

    /// Reads the mapped files of a process, unless they are known. Call this as soon as a process appears, because the
    /// files cannot be found after the process has ended.
    pub fn open(&mut self, process: ProcessId) {
        self.map(process);
    }

    /// Takes over the mappings of `parent` for its child `process`, which has executed no other program yet.
    pub fn inherit(&mut self, parent: ProcessId, process: ProcessId) {
        if let Some(map) = self.maps.get(&parent.0) {
            self.maps.insert(process.0, map.clone());
        }
    }

    /// Forgets a process: it has ended, or executes another program.
    pub fn forget(&mut self, process: ProcessId) {
        if self.maps.remove(&process.0).is_some() {
            let used: FxHashSet<ModuleIndex> = self.maps.values().flat_map(ProcessMap::modules).collect();
            self.modules.close_unused(&used);
        }
    }

    /// The row of a copied stack, and the reason why the stack is incomplete. The reason is `None` if the stack is
    /// complete.
    pub fn stack(
        &mut self,
        process: ProcessId,
        copied: &CopiedStack<'_>,
        builder: &mut TableBuilder,
    ) -> (StackIndex, LossReason) {
        let walked = self.walk(process, copied);
        self.intern(&walked, builder)
    }

    /// Walks a copied stack. This needs unwind tables, but no names.
    fn walk(&mut self, process: ProcessId, copied: &CopiedStack<'_>) -> WalkedStack {
        self.map(process);
        let Self { finder, modules, maps, context, .. } = self;
        let Some(map) = maps.get_mut(&process.0) else {
            return WalkedStack { places_leaf_first: Vec::new(), reason: LossReason::NoMapping };
        };
        let stack = StackCopy::new(copied.start, copied.bytes);
        let walked = Walker { process, finder: finder.as_ref(), map, modules, context }.walk(copied.registers, &stack);
        let has_no_tables = walked.reason == LossReason::NoUnwindInformation;
        if copied.is_new && has_no_tables && walked.places_leaf_first.len() == 1 {
            return WalkedStack { reason: LossReason::None, ..walked };
        }
        walked
    }

    /// Adds the names of a walked stack.
    fn intern(&mut self, walked: &WalkedStack, builder: &mut TableBuilder) -> (StackIndex, LossReason) {
        let mut reason = walked.reason;
        let mut stack = StackIndex::ROOT;
        if reason != LossReason::None {
            let truncated = builder.truncated_frame(reason);
            stack = builder.child(stack, truncated);
        }
        for place in walked.places_leaf_first.iter().rev() {
            let (frames, of_place) = self.frames.of(*place, &mut self.modules, builder);
            stack = frames.iter().rev().fold(stack, |stack, frame| builder.child(stack, *frame));
            if reason == LossReason::None {
                reason = of_place;
            }
        }
        (stack, reason)
    }

    fn map(&mut self, process: ProcessId) {
        if !self.maps.contains_key(&process.0) {
            let map = ProcessMap::read(process, self.finder.as_ref(), &mut self.modules);
            self.maps.insert(process.0, map);
        }
    }
}
