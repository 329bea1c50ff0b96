//! Walks a copied stack from the leaf to the root.
//!
//! A caller is looked up one byte before its return address: that byte belongs to the call, while the return
//! address itself may be the start of another line or, after a call that never returns, of another function.
//! The leaf, and code that a signal interrupted, is looked up where it is.

use super::addresses::{ElfAddr, ProcessAddr};
use super::modules::{ModuleIndex, Modules};
use super::process_map::{Place, ProcessMap};
use super::registers::Registers;
use super::stack_copy::StackCopy;
use super::unwind::{CallSite, Guess, Step, Stuck, caller_without_tables};
use crate::process::Process;
use gimli::UnwindContext;
use whittle_model::LossReason;

/// Most frames of a stack. The smallest frame takes 16 bytes of it.
const MAX_FRAMES: usize = 4096;

/// A frame before it has names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CodePlace {
    /// Code of a file; of a caller an address within its call.
    InModule(ModuleIndex, ElfAddr),
    /// Code that belongs to no file, or to one that cannot be read.
    Unknown,
}

/// A stack before it has names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WalkedStack {
    pub(crate) places_leaf_first: Vec<CodePlace>,
    /// Why frames are missing at the root end; `None` if none are.
    pub(crate) reason: LossReason,
}

/// What a walk needs of its process.
pub(crate) struct Walker<'w> {
    pub(crate) process: Process,
    pub(crate) map: &'w mut ProcessMap,
    pub(crate) modules: &'w mut Modules,
    pub(crate) context: &'w mut UnwindContext<usize>,
}

/// Where a walk stands.
#[derive(Debug)]
struct Position {
    registers: Registers,
    /// True unless the address is that behind a call.
    is_exact: bool,
    is_leaf: bool,
}

/// What one turn of a walk led to.
enum Turn {
    Caller(Position),
    End(LossReason),
}

impl Walker<'_> {
    /// Walks the stack that belongs to `registers`.
    pub(crate) fn walk(&mut self, registers: &Registers, stack: &StackCopy<'_>) -> WalkedStack {
        let mut places = Vec::new();
        let mut position = Position { registers: registers.clone(), is_exact: true, is_leaf: true };
        if self.map.is_stale() {
            self.map.refresh_if_due(self.process, self.modules);
        }
        while places.len() < MAX_FRAMES {
            match self.turn(&position, stack, &mut places) {
                Turn::Caller(caller) => position = caller,
                Turn::End(reason) => return WalkedStack { places_leaf_first: places, reason },
            }
        }
        WalkedStack { places_leaf_first: places, reason: LossReason::DepthLimit }
    }

    /// Adds the frame at `position` and goes to its caller.
    fn turn(&mut self, position: &Position, stack: &StackCopy<'_>, places: &mut Vec<CodePlace>) -> Turn {
        let instruction = position.registers.instruction();
        let before = u64::from(!position.is_exact);
        let Some(place) = self.find(ProcessAddr(instruction.0.wrapping_sub(before))) else {
            // What a stack says beyond its first frame may be no code at all; then it is no frame.
            if position.is_leaf {
                places.push(CodePlace::Unknown);
                return self.turn_without_tables(position, stack, LossReason::NoMapping);
            }
            return Turn::End(LossReason::NoMapping);
        };
        let CodePlace::InModule(module, address) = place else {
            places.push(place);
            return self.turn_without_tables(position, stack, LossReason::NoMapping);
        };
        let Some(row) = self.modules.unwind_row(module, address, self.context) else {
            places.push(place);
            return self.turn_without_tables(position, stack, LossReason::NoUnwindInformation);
        };
        // The return address of a signal handler is made up: it is the start of the code that ends the signal.
        let named = if row.is_signal_frame { ElfAddr(address.0.wrapping_add(before)) } else { address };
        places.push(CodePlace::InModule(module, named));
        let is_exact = row.is_signal_frame;
        match row.step(&position.registers, stack) {
            Ok(Step::Caller(registers)) => Turn::Caller(Position { registers, is_exact, is_leaf: false }),
            Ok(Step::Root) => Turn::End(LossReason::None),
            Err(Stuck::NotCopied(place)) if place.is_beyond => Turn::End(LossReason::StackCopyLimit),
            Err(Stuck::NotCopied(_) | Stuck::UnknownRegister | Stuck::Damaged) => {
                Turn::End(LossReason::UnwalkableNative)
            }
        }
    }

    /// Goes to the caller of code that no table covers; `reason` says what is missing if that is not possible.
    fn turn_without_tables(&mut self, position: &Position, stack: &StackCopy<'_>, reason: LossReason) -> Turn {
        let Self { map, modules, .. } = self;
        let modules = std::cell::RefCell::new(modules);
        let call_site = |return_address: ProcessAddr| {
            // The byte before a return address is the call's.
            match map.find(ProcessAddr(return_address.0.wrapping_sub(1))) {
                Place::File(module, offset) => {
                    let mut modules = modules.borrow_mut();
                    let address = modules.address_of(module, offset);
                    address.map_or(CallSite::None, |address| modules.call_site(module, ElfAddr(address.0 + 1)))
                }
                Place::Generated => CallSite::Possible,
                Place::Unmapped => CallSite::None,
            }
        };
        match caller_without_tables(&position.registers, position.is_leaf, stack, call_site) {
            Guess::Caller(registers) => Turn::Caller(Position { registers, is_exact: false, is_leaf: false }),
            Guess::Root if reason == LossReason::NoUnwindInformation => Turn::End(LossReason::None),
            Guess::Root | Guess::Nothing => Turn::End(reason),
        }
    }

    /// The code at an address of the process; nothing if none is mapped there.
    fn find(&mut self, address: ProcessAddr) -> Option<CodePlace> {
        let mut place = self.map.find(address);
        if place == Place::Unmapped && self.map.refresh_if_due(self.process, self.modules) {
            place = self.map.find(address);
        }
        match place {
            Place::File(module, offset) => {
                let address = self.modules.address_of(module, offset);
                Some(address.map_or(CodePlace::Unknown, |address| CodePlace::InModule(module, address)))
            }
            Place::Generated => Some(CodePlace::Unknown),
            Place::Unmapped => None,
        }
    }
}
