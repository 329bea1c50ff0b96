//! Finds the caller of code without an unwind table: hand-written assembly, generated code, or programs that were
//! compiled without tables.
//!
//! Two places can contain the return address, and both can contain other values. So a candidate is accepted only if it
//! is the address after a call instruction. In generated code, the bytes are not available, so only a frame record is
//! accepted.

use crate::addresses::ProcessAddr;
use crate::registers::{Architecture, Registers};
use crate::stack_copy::StackCopy;

/// The result of checking a place for a return address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallSite {
    /// The instruction before the address is a call.
    Certain,
    /// The address is in generated code.
    Possible,
    /// The address is not in code, or there is no call before it.
    None,
}

/// No place contains a possible return address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NoCaller;

/// The caller of the function at `registers`. `None` if this function is the thread's outermost function. `is_leaf` is
/// true if the function has not called another function.
pub(crate) fn caller_without_tables(
    registers: &Registers,
    is_leaf: bool,
    stack: &StackCopy<'_>,
    mut call_site: impl FnMut(ProcessAddr) -> CallSite,
) -> Result<Option<Registers>, NoCaller> {
    let leaf_caller = if is_leaf { caller_of_leaf(registers, stack) } else { None };
    if let Some(caller) = leaf_caller.filter(|caller| call_site(caller.instruction()) == CallSite::Certain) {
        return Ok(Some(caller));
    }
    // In all frames except the leaf, a frame pointer of zero marks the outermost function. Code that starts threads
    // sets this zero, because the conventions of both processors require this.
    if !is_leaf && registers.get(registers.architecture().frame_pointer()) == Some(0) {
        return Ok(None);
    }
    match caller_by_frame_record(registers, stack) {
        Some(caller) if call_site(caller.instruction()) != CallSite::None => Ok(Some(caller)),
        _ => Err(NoCaller),
    }
}

/// The caller of a function that has not changed the stack.
fn caller_of_leaf(registers: &Registers, stack: &StackCopy<'_>) -> Option<Registers> {
    let architecture = registers.architecture();
    let mut caller = registers.without_scratch();
    match architecture {
        Architecture::X86_64 => {
            caller.return_to(stack.word(registers.stack_pointer()).ok()?);
            caller.set(architecture.stack_pointer(), registers.stack_pointer().checked_add(8)?);
        }
        Architecture::Aarch64 => {
            caller.return_to(registers.get(architecture.return_address())?);
            caller.forget(architecture.return_address());
        }
    }
    Some(caller)
}

/// The caller, found with the pair at the frame pointer: the caller's frame pointer and the return address.
fn caller_by_frame_record(registers: &Registers, stack: &StackCopy<'_>) -> Option<Registers> {
    let architecture = registers.architecture();
    let record = registers.get(architecture.frame_pointer())?;
    if record % 8 != 0 || record < registers.stack_pointer() {
        return None;
    }
    let frame_pointer = stack.word(record).ok()?;
    let return_value = stack.word(record.checked_add(8)?).ok()?;
    let mut caller = registers.without_scratch();
    caller.forget(architecture.return_address());
    caller.set(architecture.frame_pointer(), frame_pointer);
    caller.set(architecture.stack_pointer(), callers_stack_pointer(architecture, record, (frame_pointer, stack))?);
    caller.return_to(return_value);
    Some(caller)
}

/// The caller's stack pointer, if the function's pair is at `record`. On x86-64, nothing is between the pair and the caller's
/// stack. On 64-bit ARM, compilers can store the pair below the rest of the function's frame. The caller's own pair is then at
/// its stack pointer. A smaller value, or one outside the stack, is no frame pointer: for example the zero of a thread's outermost
/// function.
fn callers_stack_pointer(
    architecture: Architecture,
    record: u64,
    (frame_pointer, stack): (u64, &StackCopy<'_>),
) -> Option<u64> {
    let end = record.checked_add(16)?;
    let is_record = frame_pointer % 8 == 0 && frame_pointer > end && stack.word(frame_pointer).is_ok();
    let below_frame = architecture == Architecture::Aarch64 && is_record;
    Some(if below_frame { frame_pointer } else { end })
}

impl Architecture {
    /// True if `code`, the bytes before an address, end with a call.
    pub(crate) fn ends_with_call(self, code: &[u8; 8]) -> bool {
        match self {
            Self::X86_64 => ends_with_x86_call(code),
            Self::Aarch64 => {
                let instruction = u32::from_le_bytes([code[4], code[5], code[6], code[7]]);
                let (bl, blr) = (instruction >> 26 == 0b10_0101, instruction & 0xffff_fc1f == 0xd63f_0000);
                // blraa, blrab, blraaz, blrabz: calls with a signed address.
                bl || blr || instruction & 0xfeff_f800 == 0xd63f_0800
            }
        }
    }
}

/// True if the bytes end with a call. `call rel32` is `e8` and four bytes. An indirect call is `ff` and a byte with 2
/// in its middle three bits. This byte also determines how many bytes follow.
fn ends_with_x86_call(code: &[u8; 8]) -> bool {
    if code[3] == 0xe8 {
        return true;
    }
    (2..=7).any(|length| {
        let (opcode, operand) = (code[8 - length], code[9 - length]);
        let (mode, register) = (operand >> 6, operand & 7);
        let has_index = mode != 3 && register == 4;
        let displacement = match (mode, register) {
            (0, 5) | (2, _) => 4,
            // Without a base register, an address follows the index byte.
            (0, 4) if length > 2 && code[10 - length] & 7 == 5 => 4,
            (1, _) => 1,
            _ => 0,
        };
        opcode == 0xff && (operand >> 3) & 7 == 2 && length == 2 + usize::from(has_index) + displacement
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends_with_call(bytes: &[u8]) -> bool {
        let mut code = [0x90; 8];
        code[8 - bytes.len()..].copy_from_slice(bytes);
        Architecture::X86_64.ends_with_call(&code)
    }

    #[test]
    fn calls_are_recognised() {
        for call in [
            &[0xe8, 1, 2, 3, 4][..],            // call 4030201
            &[0xff, 0xd0],                      // call *%rax
            &[0x41, 0xff, 0xd4],                // call *%r12
            &[0xff, 0x10],                      // call *(%rax)
            &[0xff, 0x50, 0x18],                // call *0x18(%rax)
            &[0xff, 0x15, 1, 2, 3, 4],          // call *0x4030201(%rip)
            &[0xff, 0x90, 0, 1, 0, 0],          // call *0x100(%rax)
            &[0xff, 0x14, 0xc3],                // call *(%rbx,%rax,8)
            &[0x41, 0xff, 0x54, 0x24, 0x10],    // call *0x10(%r12)
            &[0xff, 0x14, 0xc5, 0x80, 0, 0, 0], // call *0x80(,%rax,8)
            &[0xff, 0x94, 0xc3, 0, 1, 0, 0],    // call *0x100(%rbx,%rax,8)
        ] {
            assert!(ends_with_call(call), "{call:x?}");
        }
        for other in
            [&[0x90][..], &[0xff, 0xe0], &[0xff, 0x25, 1, 2, 3, 4], &[0x48, 0x89, 0xe5], &[0xc3], &[0xff, 0xc0]]
        {
            assert!(!ends_with_call(other), "{other:x?}");
        }
        let arm = |instruction: u32| {
            let mut code = [0; 8];
            code[4..].copy_from_slice(&instruction.to_le_bytes());
            Architecture::Aarch64.ends_with_call(&code)
        };
        assert!(arm(0x9400_0010) && arm(0x97ff_fff0) && arm(0xd63f_0200) && arm(0xd73f_0a11) && arm(0xd63f_081f));
        assert!(!arm(0x1400_0010) && !arm(0xd65f_03c0) && !arm(0xd61f_0200) && !arm(0xd503_201f));
    }

    const CALLER: u64 = 0x2000;

    fn certain(address: ProcessAddr) -> CallSite {
        if address.0 == CALLER { CallSite::Certain } else { CallSite::None }
    }

    #[test]
    fn a_leaf_without_frame_comes_before_the_frame_record() {
        let bytes: Vec<u8> =
            [CALLER, 0, 0x7020, 0x3000, 0, 0].iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
        let stack = StackCopy::new(0x7000, &bytes);
        let registers = Registers::of_test(Architecture::X86_64, [0x1000, 0x7000, 0x7010, 0]);
        let caller = caller_without_tables(&registers, true, &stack, certain).unwrap().unwrap();
        assert_eq!([caller.instruction().0, caller.stack_pointer()], [CALLER, 0x7008]);
        let any = |_| CallSite::Possible;
        let caller = caller_without_tables(&registers, true, &stack, any).unwrap().unwrap();
        assert_eq!([caller.instruction().0, caller.stack_pointer(), caller.get(6).unwrap()], [0x3000, 0x7020, 0x7020]);
    }

    /// A function with the record below 32 bytes of variables. gcc generates such functions.
    #[test]
    fn on_arm_the_record_can_be_below_the_rest_of_the_frame() {
        let caller_of = |frame_pointer: u64| {
            let words = [frame_pointer, CALLER, 1, 2, 3, 4, 5, 6];
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let registers = Registers::of_test(Architecture::Aarch64, [0x1000, 0x7000, 0x7000, 0]);
            let caller = caller_without_tables(&registers, false, &StackCopy::new(0x7000, &bytes), certain);
            let caller = caller.unwrap().unwrap();
            (caller.instruction().0, caller.stack_pointer(), caller.get(29).unwrap())
        };
        assert_eq!(caller_of(0x7030), (CALLER, 0x7030, 0x7030));
        assert_eq!(caller_of(0), (CALLER, 0x7010, 0), "the outermost function has no record");
        for no_record in [0x7031, 0x8000, u64::MAX - 7] {
            assert_eq!(caller_of(no_record), (CALLER, 0x7010, no_record));
        }
    }

    #[test]
    fn what_is_no_call_site_is_not_believed() {
        let stack = StackCopy::new(0x7000, &[0x41; 64]);
        for frame_pointer in [0, 0x7010, 0x7011, 0x6000, u64::MAX - 7] {
            let registers = Registers::of_test(Architecture::X86_64, [0x1000, 0x7000, frame_pointer, 0]);
            assert_eq!(caller_without_tables(&registers, true, &stack, certain), Err(NoCaller), "{frame_pointer:x}");
        }
        let outermost = Registers::of_test(Architecture::X86_64, [0x1000, 0x7000, 0, 0]);
        assert_eq!(caller_without_tables(&outermost, false, &stack, certain), Ok(None));
    }
}
