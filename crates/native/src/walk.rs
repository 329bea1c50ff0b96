//! Walks a copied stack from the leaf to the root.
//!
//! A caller is looked up one byte before its return address. This byte is part of the call. The return address itself
//! can be the start of another line or, after a call that never returns, of another function. The leaf and code that a
//! signal interrupted are looked up at their exact address.

use super::addresses::{ElfAddr, ProcessAddr};
use super::modules::{ModuleIndex, Modules};
use super::process_map::{Place, ProcessMap};
use super::registers::Registers;
use super::stack_copy::StackCopy;
use super::unwind::{CallSite, NoCaller, Stuck, caller_without_tables};
use crate::process_id::ProcessId;
use crate::program_files::FindFiles;
use gimli::UnwindContext;
use std::ops::ControlFlow;
use whittle_model::LossReason;

/// Maximum number of frames of a stack. The smallest frame takes 16 bytes.
const MAX_FRAMES: usize = 4096;

/// A frame before it has names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CodePlace {
    /// Code of a file. For a caller, the address is inside its call.
    InModule(ModuleIndex, ElfAddr),
    /// Code without a file, or with an unreadable file.
    Unknown,
}

/// A stack before it has names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WalkedStack {
    pub(crate) places_leaf_first: Vec<CodePlace>,
    /// Why frames are missing at the root end; `None` if the stack is complete.
    pub(crate) reason: LossReason,
}

/// The data of a process that a walk needs.
pub(crate) struct Walker<'w> {
    pub(crate) process: ProcessId,
    pub(crate) finder: &'w dyn FindFiles,
    pub(crate) map: &'w mut ProcessMap,
    pub(crate) modules: &'w mut Modules,
    pub(crate) context: &'w mut UnwindContext<usize>,
}

/// The state of a walk.
#[derive(Debug)]
struct Position {
    registers: Registers,
    /// True in the leaf and in code that a signal interrupted. In all other frames, the address is the address after a
    /// call.
    is_leaf: bool,
}

/// The result of one step of a walk: the caller, or the reason why frames are missing after the last frame.
type Turn = ControlFlow<LossReason, Position>;

impl Walker<'_> {
    /// Walks the stack, starting at `registers`.
    pub(crate) fn walk(&mut self, registers: &Registers, stack: &StackCopy<'_>) -> WalkedStack {
        let mut places = Vec::new();
        let mut position = Position { registers: registers.clone(), is_leaf: true };
        self.map.refresh_if_old(self.process, self.finder, self.modules);
        while places.len() < MAX_FRAMES {
            match self.turn(&position, stack, &mut places) {
                Turn::Continue(caller) => position = caller,
                Turn::Break(reason) => return WalkedStack { places_leaf_first: places, reason },
            }
        }
        WalkedStack { places_leaf_first: places, reason: LossReason::DepthLimit }
    }

    /// Adds the frame at `position` and finds its caller.
    fn turn(&mut self, position: &Position, stack: &StackCopy<'_>, places: &mut Vec<CodePlace>) -> Turn {
        let instruction = position.registers.instruction();
        let before = u64::from(!position.is_leaf);
        let Some((place, reason)) = self.find(ProcessAddr(instruction.0.wrapping_sub(before))) else {
            // After the first frame, an address on a stack might not be code. Such an address has no frame.
            if position.is_leaf {
                places.push(CodePlace::Unknown);
                return self.turn_without_tables(position, stack, LossReason::NoMapping);
            }
            return Turn::Break(LossReason::NoMapping);
        };
        let row = match place {
            CodePlace::InModule(module, address) => self.modules.unwind_row(module, address, self.context),
            CodePlace::Unknown => None,
        };
        let (Some(row), CodePlace::InModule(module, address)) = (row, place) else {
            places.push(place);
            return self.turn_without_tables(position, stack, reason);
        };
        // The return address of a signal handler is artificial: it is the start of the code that ends the signal.
        let named = if row.is_signal_frame { ElfAddr(address.0.wrapping_add(before)) } else { address };
        places.push(CodePlace::InModule(module, named));
        let is_leaf = row.is_signal_frame;
        match row.step(&position.registers, stack) {
            Ok(Some(registers)) => Turn::Continue(Position { registers, is_leaf }),
            Ok(None) => Turn::Break(LossReason::None),
            Err(Stuck::NotCopied(place)) if place.is_beyond => Turn::Break(LossReason::StackCopyLimit),
            Err(Stuck::NotCopied(_) | Stuck::UnknownRegister | Stuck::Damaged) => {
                Turn::Break(LossReason::UnwalkableNative)
            }
        }
    }

    /// Finds the caller of code without a table. `reason` is the reason for missing frames if no caller is found.
    fn turn_without_tables(&mut self, position: &Position, stack: &StackCopy<'_>, reason: LossReason) -> Turn {
        let Self { map, modules, .. } = self;
        let call_site = |return_address: ProcessAddr| {
            // The byte before a return address is part of the call.
            match map.find(ProcessAddr(return_address.0.wrapping_sub(1))) {
                Place::File(module, offset) => {
                    let address = modules.address_of(module, offset);
                    address
                        .map_or(CallSite::None, |address| modules.call_site(module, ElfAddr(address.0.wrapping_add(1))))
                }
                Place::Generated => CallSite::Possible,
                Place::Unmapped => CallSite::None,
            }
        };
        match caller_without_tables(&position.registers, position.is_leaf, stack, call_site) {
            Ok(Some(registers)) => Turn::Continue(Position { registers, is_leaf: false }),
            Ok(None) if reason == LossReason::NoUnwindInformation => Turn::Break(LossReason::None),
            Ok(None) | Err(NoCaller) => Turn::Break(reason),
        }
    }

    /// The code at an address of the process, and why frames are missing if its caller cannot be found. `None` if no
    /// code is mapped there.
    fn find(&mut self, address: ProcessAddr) -> Option<(CodePlace, LossReason)> {
        let mut place = self.map.find(address);
        if place == Place::Unmapped && self.map.refresh_if_allowed(self.process, self.finder, self.modules) {
            place = self.map.find(address);
        }
        match place {
            Place::File(module, offset) => {
                let address = self.modules.address_of(module, offset);
                let code = address.map_or(CodePlace::Unknown, |address| CodePlace::InModule(module, address));
                Some((code, LossReason::NoUnwindInformation))
            }
            Place::Generated => Some((CodePlace::Unknown, LossReason::NoMapping)),
            Place::Unmapped => None,
        }
    }
}
