//! For the fuzzer: the private readers of this crate as functions of bytes.

use crate::addresses::{ElfAddr, FileOffset};
use crate::module::{Module, ModuleOrigin};
use crate::process_map;
use crate::registers::Registers;
use crate::stack_copy::StackCopy;
use gimli::UnwindContext;

/// Number of places in a file that are looked up.
const PLACE_COUNT: usize = 64;
/// Memory for debug information.
const DEBUG_BYTES: u64 = 64 << 20;
/// The address of the copied stack.
const STACK_START: u64 = 0x7000;

/// Reads the unwind tables, symbols and debug information of an ELF file, and looks up places in its code.
pub fn read_binary(bytes: &[u8]) {
    let mut module = Module::open(ModuleOrigin::Image(bytes.to_vec()));
    let mut context = UnwindContext::new();
    let stack: Vec<u8> = bytes.iter().copied().cycle().take(1024.min(bytes.len() * 8)).collect();
    let stack = StackCopy::new(STACK_START, &stack);
    module.build_id();
    module.read_names(DEBUG_BYTES);
    for place in (0..bytes.len()).step_by(bytes.len() / PLACE_COUNT + 1) {
        let address = module.address_of(FileOffset(place as u64)).unwrap_or(ElfAddr(place as u64));
        let registers = Registers::at(address.0, STACK_START);
        if let Some(row) = module.unwind_row(address, &mut context) {
            let _any_result = row.step(&registers, &stack);
        }
        module.call_site(address);
        let _any_names = module.names(address);
    }
}

/// Reads the lines of `/proc/PID/maps`.
pub fn read_process_map(text: &[u8]) {
    text.split(|byte| *byte == b'\n').for_each(|line| {
        let _any_line = process_map::parse_line(line);
    });
}
