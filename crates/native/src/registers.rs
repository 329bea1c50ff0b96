//! The known registers of a thread in one frame.
//!
//! The kernel provides few registers of the leaf frame. On the way to the root, unwind rules restore registers that
//! functions saved on the stack. Whittle never guesses the value of an unknown register.

use super::addresses::ProcessAddr;

/// Number of registers, numbered as in DWARF: x86-64 uses 0 to 16, 64-bit ARM 0 to 34.
const REGISTER_COUNT: usize = 35;

/// Bits of a user address on 64-bit ARM. The bits above can contain the signature of a return address.
const AARCH64_ADDRESS_BITS: u64 = (1 << 48) - 1;

/// A register's number in DWARF.
pub(crate) type RegisterNumber = u16;

/// The processors that whittle runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Architecture {
    /// 64-bit x86.
    X86_64,
    /// 64-bit ARM.
    Aarch64,
}

impl Architecture {
    /// The processor of this machine.
    pub const HOST: Self = if cfg!(target_arch = "aarch64") { Self::Aarch64 } else { Self::X86_64 };

    /// The highest number of a stored register.
    pub(crate) const LAST_REGISTER: RegisterNumber = REGISTER_COUNT as RegisterNumber - 1;

    pub(crate) fn stack_pointer(self) -> RegisterNumber {
        match self {
            Self::X86_64 => 7,
            Self::Aarch64 => 31,
        }
    }

    pub(crate) fn frame_pointer(self) -> RegisterNumber {
        match self {
            Self::X86_64 => 6,
            Self::Aarch64 => 29,
        }
    }

    /// The column of the return address in unwind tables. On 64-bit ARM, this is the column of the link register.
    pub(crate) fn return_address(self) -> RegisterNumber {
        match self {
            Self::X86_64 => 16,
            Self::Aarch64 => 30,
        }
    }

    /// The registers that a function restores if it changes them, one bit per register. The caller's values of all
    /// other registers are unknown.
    fn preserved(self) -> u64 {
        match self {
            // rbx, rbp, rsp, r12 to r15
            Self::X86_64 => 0b1111_0000_1100_1000,
            // x19 to x30 and the stack pointer. The caller of this function handles the link register.
            Self::Aarch64 => 0xfff8_0000,
        }
    }

    /// The code address that a return address contains.
    pub(crate) fn code_address(self, value: u64) -> ProcessAddr {
        match self {
            Self::X86_64 => ProcessAddr(value),
            Self::Aarch64 => ProcessAddr(value & AARCH64_ADDRESS_BITS),
        }
    }
}

/// The registers of a thread at a frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registers {
    architecture: Architecture,
    instruction: ProcessAddr,
    /// The known registers, one bit per register.
    known: u64,
    values: [u64; REGISTER_COUNT],
}

impl Registers {
    /// Registers with only two known values: the code's address and the stack pointer.
    pub fn at(instruction: u64, stack: u64) -> Self {
        Self::of(Architecture::HOST, instruction, stack)
    }

    /// Like [`at`](Self::at), but for any processor.
    fn of(architecture: Architecture, instruction: u64, stack: u64) -> Self {
        let values = [0; REGISTER_COUNT];
        let mut registers = Self { architecture, instruction: ProcessAddr(instruction), known: 0, values };
        registers.return_to(instruction);
        registers.set(architecture.stack_pointer(), stack);
        registers
    }

    /// Registers for tests.
    #[cfg(test)]
    pub(crate) fn of_test(architecture: Architecture, [instruction, stack, frame, link]: [u64; 4]) -> Self {
        let mut registers = Self::of(architecture, instruction, stack);
        registers.set(architecture.frame_pointer(), frame);
        if architecture == Architecture::Aarch64 {
            registers.set(architecture.return_address(), link);
        }
        registers
    }

    /// The number of the system call in which the thread is, from the kernel's structure `pt_regs`. Outside of system calls, this
    /// is any number.
    pub fn system_call(words: &[u64]) -> Option<u64> {
        words.get(if cfg!(target_arch = "aarch64") { 8 } else { 15 }).copied()
    }

    /// The result of the system call in which the thread is, from the kernel's structure `pt_regs`. A new thread has the result 0
    /// from the start. During other calls, this is any number.
    pub fn result(words: &[u64]) -> Option<u64> {
        words.get(if cfg!(target_arch = "aarch64") { 0 } else { 10 }).copied()
    }

    /// The second argument of the system call in which the thread is, from the kernel's structure `pt_regs`.
    pub fn second_argument(words: &[u64]) -> Option<u64> {
        words.get(if cfg!(target_arch = "aarch64") { 1 } else { 13 }).copied()
    }

    /// All registers of user mode, from the kernel's structure `pt_regs`. `None` if there are too few words.
    pub fn from_pt_regs(words: &[u64]) -> Option<Self> {
        /// Positions of the registers 0 to 15 in the x86-64 structure.
        const X86_64: [usize; 16] = [10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0];
        const X86_64_INSTRUCTION: usize = 16;
        /// Position of the instruction, after the registers 0 to 30 and the stack pointer.
        const AARCH64_INSTRUCTION: usize = 32;
        let mut registers = Self::at(0, 0);
        let word = |place: usize| words.get(place).copied();
        match registers.architecture {
            Architecture::X86_64 => {
                for (register, place) in (0..).zip(X86_64) {
                    registers.set(register, word(place)?);
                }
                registers.return_to(word(X86_64_INSTRUCTION)?);
            }
            Architecture::Aarch64 => {
                for (register, place) in (0..).zip(0..AARCH64_INSTRUCTION) {
                    registers.set(register, word(place)?);
                }
                registers.return_to(word(AARCH64_INSTRUCTION)?);
            }
        }
        Some(registers)
    }

    pub(crate) fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The address at which the thread executes, or at which it continues when it returns to this frame.
    pub(crate) fn instruction(&self) -> ProcessAddr {
        self.instruction
    }

    /// The stack pointer. It is known in every frame, because without it the caller cannot be found.
    pub fn stack_pointer(&self) -> u64 {
        self.get(self.architecture.stack_pointer()).unwrap_or(0)
    }

    pub(crate) fn get(&self, register: RegisterNumber) -> Option<u64> {
        let index = usize::from(register);
        (index < REGISTER_COUNT && self.known & (1 << index) != 0).then(|| self.values[index])
    }

    pub(crate) fn set(&mut self, register: RegisterNumber, value: u64) {
        if let Some(place) = self.values.get_mut(usize::from(register)) {
            *place = value;
            self.known |= 1 << register;
        }
    }

    pub(crate) fn forget(&mut self, register: RegisterNumber) {
        if usize::from(register) < REGISTER_COUNT {
            self.known &= !(1 << register);
        }
    }

    /// A copy with only the registers that a function preserves for its caller, even if the unwind table does not list
    /// them.
    pub(crate) fn without_scratch(&self) -> Self {
        Self { known: self.known & self.architecture.preserved(), ..self.clone() }
    }

    /// Continues at `return_value`, the stored return address.
    pub(crate) fn return_to(&mut self, return_value: u64) {
        self.instruction = self.architecture.code_address(return_value);
        if self.architecture == Architecture::X86_64 {
            // On this architecture, the column of the return address is the instruction pointer. Unwind tables of
            // linkage stubs use this column.
            self.set(self.architecture.return_address(), return_value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_keeps_what_the_calling_convention_keeps() {
        let mut registers = Registers::of_test(Architecture::X86_64, [0x1000, 0x7000, 0x7010, 9]);
        registers.set(0, 1);
        registers.set(3, 2);
        registers.set(15, 3);
        let kept = registers.without_scratch();
        assert_eq!([kept.get(0), kept.get(3), kept.get(15)], [None, Some(2), Some(3)]);
        assert_eq!([kept.get(6), kept.get(7), kept.get(10)], [Some(0x7010), Some(0x7000), None]);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_kernels_structure_is_understood() {
        let words: Vec<u64> = (100..121).collect();
        let registers = Registers::from_pt_regs(&words).unwrap();
        // rax, rbx, rbp, rsp, r8, r12, r15, rip
        let expected = [(0, 110), (3, 105), (6, 104), (7, 119), (8, 109), (12, 103), (15, 100), (16, 116)];
        assert_eq!(expected.map(|(register, _)| registers.get(register)), expected.map(|(_, value)| Some(value)));
        assert_eq!(registers.instruction(), ProcessAddr(116));
        assert_eq!(Registers::from_pt_regs(&words[..19]), None);
    }

    #[test]
    fn numbers_beyond_the_known_registers_are_not_known() {
        let mut registers = Registers::of_test(Architecture::X86_64, [0; 4]);
        registers.set(35, 1);
        registers.set(u16::MAX, 1);
        registers.forget(64);
        assert_eq!([registers.get(35), registers.get(u16::MAX)], [None, None]);
    }

    #[test]
    fn a_signed_return_address_loses_its_signature() {
        let mut registers = Registers::of_test(Architecture::Aarch64, [0x1000, 0x7000, 0, 0x2000]);
        assert_eq!(registers.get(30), Some(0x2000));
        registers.return_to(0x0035_aaaa_b54f_7000);
        assert_eq!(registers.instruction(), ProcessAddr(0xaaaa_b54f_7000));
    }
}
