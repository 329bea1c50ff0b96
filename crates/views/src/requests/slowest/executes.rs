//! How threads executed: the program's code, the kernel, or the kernel that handles a page fault.

use whittle_model::{CpuMode, FunctionKind, StackIndex, Table, Tables};

/// How a thread executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Executes {
    /// The program's own code.
    User,
    /// The kernel.
    Kernel,
    /// The kernel, because the thread touched memory that had no page.
    PageFault,
}

impl Executes {
    /// The name in answers.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Kernel => "kernel",
            Self::PageFault => "page_fault",
        }
    }
}

/// What comes after "executing", for a name of [`Executes`].
pub(super) fn words(name: Option<&str>) -> &'static str {
    match name {
        Some("kernel") => " in the kernel",
        Some("page_fault") => " in the kernel: page faults",
        _ => "",
    }
}

/// The kernel's functions for page faults, on x86-64 and arm64.
const PAGE_FAULTS: [&str; 4] = ["asm_exc_page_fault", "exc_page_fault", "do_page_fault", "do_mem_abort"];

/// The stacks that handle a page fault.
pub(super) struct PageFaults {
    /// For each row of stacks.
    is_fault: Vec<bool>,
}

impl PageFaults {
    pub(super) fn new(tables: &Tables) -> Self {
        let (functions, stacks) = (&tables.functions, &tables.stacks);
        let is_handler = |function: usize| {
            functions.kind[function] == FunctionKind::Kernel
                && PAGE_FAULTS.contains(&functions.internal_name[function].as_str())
        };
        let is_handler: Vec<bool> = (0..functions.len()).map(is_handler).collect();
        let mut is_fault = vec![false; stacks.len()];
        // Parents come before their children.
        for row in 1..stacks.len() {
            let function = tables.frames.function[stacks.frame[row].row()];
            is_fault[row] = is_fault[stacks.parent[row].row()] || is_handler[function.row()];
        }
        Self { is_fault }
    }

    /// How a sample executed. Missing: the engine does not know the mode.
    pub(super) fn executes(&self, stack: StackIndex, mode: CpuMode) -> Option<Executes> {
        match mode {
            CpuMode::Unknown => None,
            CpuMode::User => Some(Executes::User),
            CpuMode::System if self.is_fault[stack.row()] => Some(Executes::PageFault),
            CpuMode::System => Some(Executes::Kernel),
        }
    }
}
