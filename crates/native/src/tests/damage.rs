//! Tests that no file content causes a panic, a hang or a stack overflow, because files are untrusted.

use super::program::Workshop;
use crate::addresses::{ElfAddr, FileOffset, ProcessAddr};
use crate::module::{Module, ModuleOrigin};
use crate::registers::{Architecture, Registers};
use crate::stack_copy::StackCopy;
use crate::unwind::{CallSite, caller_without_tables};
use gimli::UnwindContext;
use std::fs;
use std::time::{Duration, Instant};

/// Number of corrupt copies of each file.
const ROUND_COUNT: u64 = 400;
/// Number of places in a file that are looked up.
const PLACE_COUNT: usize = 60;

/// Numbers that look random and are the same in every run (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

/// Values that often cause errors.
const SPECIAL: [u64; 6] = [0, 1, u64::MAX, i64::MAX as u64, 0x7fff_ffff, 0x8000_0000_0000_0000];

fn damaged(file: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = file.to_vec();
    if numbers.below(20) == 0 {
        bytes.truncate(numbers.below(file.len()));
    }
    for _ in 0..=numbers.below(12) {
        // Some changes are in the headers at the start and at the end, because all other data depends on the headers.
        let area = [bytes.len(), bytes.len(), bytes.len(), 1024][numbers.below(4)].min(bytes.len());
        let place = if numbers.below(2) == 0 { bytes.len() - area } else { 0 } + numbers.below(area);
        let special = SPECIAL[numbers.below(SPECIAL.len())].to_le_bytes();
        let length = [1, 1, 2, 4, 8][numbers.below(5)].min(bytes.len().saturating_sub(place));
        match numbers.below(2) {
            0 => bytes[place..place + length].copy_from_slice(&special[..length]),
            _ => bytes[place..place + length].fill(numbers.next() as u8),
        }
    }
    bytes
}

/// Offsets of named code.
fn code_of(bytes: Vec<u8>) -> Vec<u64> {
    let byte_count = bytes.len() as u64;
    let mut module = Module::open(ModuleOrigin::Image(bytes));
    module.read_names(u64::MAX);
    let mut is_named = |offset: &u64| {
        let address = module.address_of(FileOffset(*offset));
        address.is_some_and(|address| module.names(address).symbol.is_some())
    };
    (0..byte_count).filter(|offset| is_named(offset)).collect()
}

/// Requests all information about places in `code`, or about random places.
fn ask_everything(bytes: Vec<u8>, code: &[u64], numbers: &mut Numbers) {
    let mut module = Module::open(ModuleOrigin::Image(bytes));
    let mut context = UnwindContext::new();
    let stack: Vec<u8> = (0..64).flat_map(|_| numbers.next().to_le_bytes()).collect();
    let stack = StackCopy::new(0x7000, &stack);
    module.build_id();
    module.read_names(u64::MAX);
    for _ in 0..PLACE_COUNT {
        let odd = SPECIAL[numbers.below(SPECIAL.len())];
        let offset = FileOffset(code.get(numbers.below(code.len() + 8)).copied().unwrap_or(odd));
        let address = module.address_of(offset).unwrap_or(ElfAddr(odd));
        let frame = [0x7010, numbers.next()][numbers.below(2)];
        let registers = Registers::of_test(Architecture::HOST, [address.0, 0x7000, frame, numbers.next()]);
        if let Some(row) = module.unwind_row(address, &mut context) {
            let _any_result = row.step(&registers, &stack);
        }
        let call_site =
            |address: ProcessAddr| if address.0.is_multiple_of(2) { CallSite::Possible } else { CallSite::None };
        let _any_guess = caller_without_tables(&registers, true, &stack, call_site);
        module.call_site(address);
        let _any_names = module.names(address);
    }
}

#[test]
fn damaged_files_give_less_and_never_a_panic() {
    let workshop = Workshop::new();
    for (source, options) in [
        ("callers.c", &["-g"][..]),
        ("inlined.c", &["-gdwarf-4"]),
        ("names.cpp", &["-g", "-gz=zlib"]),
        ("odd_frames.c", &["-g", "-fno-asynchronous-unwind-tables"]),
    ] {
        let Some(program) = workshop.compile(source, options) else { return };
        let file = fs::read(program).unwrap();
        let code = code_of(file.clone());
        assert!(code.len() > 100, "{source}: {} bytes of code", code.len());
        ask_everything(file.clone(), &code, &mut Numbers(7));
        for round in 0..ROUND_COUNT {
            let start = Instant::now();
            let mut numbers = Numbers(round);
            ask_everything(damaged(&file, &mut numbers), &code, &mut numbers);
            let took = start.elapsed();
            assert!(took < Duration::from_secs(5), "{source}, round {round}: {took:?}");
        }
    }
}

#[test]
fn what_is_no_program_is_no_module() {
    for bytes in [&b""[..], b"\x7fELF", b"#!/bin/sh\n", &[0; 4096], &[0xff; 4096]] {
        ask_everything(bytes.to_vec(), &[0, 1], &mut Numbers(1));
        assert_eq!(Module::open(ModuleOrigin::Image(bytes.to_vec())).address_of(FileOffset(0)), None);
    }
}

/// Tests that deep nesting costs time, not stack memory. 300 000 functions are inlined into each other.
#[test]
fn nesting_does_not_use_up_the_stack() {
    let workshop = Workshop::new();
    let Some(library) = workshop.compile("nested.s", &["-shared", "-nostdlib"]) else { return };
    let mut module = Module::open(ModuleOrigin::Image(fs::read(library).unwrap()));
    module.read_names(u64::MAX);
    let address = (0..0x10000).step_by(16).find_map(|offset| {
        let address = module.address_of(FileOffset(offset))?;
        module.names(address).symbol.is_some_and(|symbol| symbol.name == b"nested").then_some(address)
    });
    let names = module.names(address.unwrap());
    assert_eq!(names.source.last().unwrap().name.as_deref(), Some(&b"nested"[..]));
}

/// Tests a program without section headers. Some tools remove them, and the program still runs.
#[test]
fn a_program_without_section_headers_is_walked_no_further() {
    let workshop = Workshop::new();
    let Some(program) = workshop.compile("callers.c", &[]) else { return };
    let mut bytes = fs::read(&program).unwrap();
    // Offset and number of section headers, and the index of the header for the section names.
    bytes[0x28..0x30].fill(0);
    bytes[0x3c..0x40].fill(0);
    let mut module = Module::open(ModuleOrigin::Image(bytes));
    let address = module.address_of(FileOffset(0x1080)).unwrap();
    assert!(module.build_id().is_some(), "it is also in a segment");
    assert!(module.unwind_row(address, &mut UnwindContext::new()).is_none());
    assert_eq!(module.names(address).symbol, None);
}
