//! One step from a frame to its caller.

use super::expression::evaluate;
use super::row::{FrameRule, Rule, UnwindRow};
use super::stuck::Stuck;
use crate::registers::{Architecture, RegisterNumber, Registers};
use crate::stack_copy::StackCopy;

impl UnwindRow {
    /// The registers of the caller of the function at `registers`. `None` if this function is the thread's outermost
    /// function.
    pub(crate) fn step(&self, registers: &Registers, stack: &StackCopy<'_>) -> Result<Option<Registers>, Stuck> {
        let architecture = registers.architecture();
        let return_register = architecture.return_address();
        if self.is_outermost(architecture) {
            return Ok(None);
        }
        let frame = self.frame_address(registers, stack)?;
        let mut caller = if self.is_signal_frame { registers.clone() } else { registers.without_scratch() };
        caller.set(architecture.stack_pointer(), frame);
        for (register, rule) in &self.registers {
            match value(rule, *register, frame, (registers, stack)) {
                Ok(value) => caller.set(*register, value),
                Err(stuck) if *register == return_register => return Err(stuck),
                Err(_) => caller.forget(*register),
            }
        }
        if self.rule(return_register).is_none() {
            // 64-bit ARM: a function without calls keeps the return address in the link register.
            let link = registers.get(return_register).ok_or(Stuck::UnknownRegister)?;
            caller.set(return_register, link);
        }
        self.returned(caller, registers)
    }

    /// Returns to the caller, which continues after its call. If the frame is a signal frame, the caller continues
    /// where the signal interrupted it.
    fn returned(&self, mut caller: Registers, registers: &Registers) -> Result<Option<Registers>, Stuck> {
        let return_register = caller.architecture().return_address();
        let return_value = caller.get(return_register).ok_or(Stuck::UnknownRegister)?;
        if return_value == 0 {
            return Ok(None);
        }
        if !self.is_signal_frame {
            // The call overwrote this register.
            caller.forget(return_register);
        }
        caller.return_to(return_value);
        if !self.is_signal_frame {
            // A stack only shrinks on the way to the root, but a signal handler can have its own stack.
            let is_leaf_without_frame = caller.instruction() != registers.instruction();
            let grown = caller.stack_pointer().checked_sub(registers.stack_pointer()).ok_or(Stuck::Damaged)?;
            if grown == 0 && !is_leaf_without_frame {
                return Err(Stuck::Damaged);
            }
        }
        Ok(Some(caller))
    }

    /// True if the function has no caller according to the table.
    fn is_outermost(&self, architecture: Architecture) -> bool {
        match self.rule(architecture.return_address()) {
            Some(Rule::Undefined) => true,
            Some(_) => false,
            // On x86-64 a call always leaves the return address on the stack, and tables always have a rule for it.
            None => architecture == Architecture::X86_64,
        }
    }

    fn frame_address(&self, registers: &Registers, stack: &StackCopy<'_>) -> Result<u64, Stuck> {
        match &self.frame {
            FrameRule::Register(register, distance) => {
                let base = registers.get(*register).ok_or(Stuck::UnknownRegister)?;
                base.checked_add_signed(*distance).ok_or(Stuck::Damaged)
            }
            FrameRule::Expression(expression) => evaluate(expression, None, (registers, stack)),
        }
    }
}

/// The value of `register` in the caller, according to `rule`.
fn value(
    rule: &Rule,
    register: RegisterNumber,
    frame: u64,
    (registers, stack): (&Registers, &StackCopy<'_>),
) -> Result<u64, Stuck> {
    let at = |distance: i64| frame.checked_add_signed(distance).ok_or(Stuck::Damaged);
    let known = |register| registers.get(register).ok_or(Stuck::UnknownRegister);
    let result = |expression: &[u8]| evaluate(expression, Some(frame), (registers, stack));
    Ok(match rule {
        Rule::Undefined => return Err(Stuck::UnknownRegister),
        Rule::SameValue => known(register)?,
        Rule::SavedAt(distance) => stack.word(at(*distance)?)?,
        Rule::Value(distance) => at(*distance)?,
        Rule::InRegister(other) => known(*other)?,
        Rule::SavedAtExpression(expression) => stack.word(result(expression)?)?,
        Rule::ValueOfExpression(expression) => result(expression)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addresses::ProcessAddr;
    use crate::stack_copy::NotCopied;

    fn row(frame: FrameRule, registers: &[(RegisterNumber, Rule)]) -> UnwindRow {
        UnwindRow { range: 0..100, frame, registers: registers.into(), is_signal_frame: false }
    }

    fn words(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    fn caller(step: Result<Option<Registers>, Stuck>) -> Registers {
        step.unwrap().unwrap()
    }

    #[test]
    fn x86_64_takes_everything_from_the_stack() {
        let registers = Registers::of_test(Architecture::X86_64, [0x1000, 0x7000, 0x5555, 0]);
        let bytes = words(&[1, 2, 0x6666, 0x2000]);
        let saved = row(FrameRule::Register(7, 32), &[(16, Rule::SavedAt(-8)), (6, Rule::SavedAt(-16))]);
        let caller = caller(saved.step(&registers, &StackCopy::new(0x7000, &bytes)));
        assert_eq!(caller.instruction(), ProcessAddr(0x2000));
        assert_eq!([caller.stack_pointer(), caller.get(6).unwrap()], [0x7020, 0x6666]);
    }

    #[test]
    fn arm_uses_the_link_register_of_a_leaf_once() {
        let registers = Registers::of_test(Architecture::Aarch64, [0x1000, 0x7000, 0x7010, 0x2000]);
        let leaf = row(FrameRule::Register(31, 0), &[]);
        let stack = StackCopy::new(0x7000, &[]);
        let first = caller(leaf.step(&registers, &stack));
        assert_eq!([first.instruction().0, first.stack_pointer()], [0x2000, 0x7000]);
        assert_eq!(leaf.step(&first, &stack), Err(Stuck::UnknownRegister));
    }

    #[test]
    fn the_outermost_function_is_the_root() {
        let registers = Registers::of_test(Architecture::X86_64, [0x1000, 0x7000, 0, 0]);
        let stack = StackCopy::new(0x7000, &[0; 16]);
        let start = row(FrameRule::Register(7, 8), &[(16, Rule::Undefined)]);
        assert_eq!(start.step(&registers, &stack), Ok(None));
        let zero_return_address = row(FrameRule::Register(7, 8), &[(16, Rule::SavedAt(-8))]);
        assert_eq!(zero_return_address.step(&registers, &stack), Ok(None));
    }

    #[test]
    fn a_stack_that_does_not_shrink_is_not_followed() {
        let registers = Registers::of_test(Architecture::X86_64, [0x1000, 0x7000, 0x6000, 0]);
        let bytes = words(&[0x1000, 0x1000]);
        let stack = StackCopy::new(0x7000, &bytes);
        let backwards = row(FrameRule::Register(6, 0), &[(16, Rule::InRegister(7))]);
        assert_eq!(backwards.step(&registers, &stack), Err(Stuck::Damaged));
        let still = row(FrameRule::Register(7, 0), &[(16, Rule::SavedAt(0))]);
        assert_eq!(still.step(&registers, &stack), Err(Stuck::Damaged));
        let overflow = row(FrameRule::Register(7, i64::MIN), &[(16, Rule::SavedAt(i64::MAX))]);
        assert_eq!(overflow.step(&registers, &stack), Err(Stuck::Damaged));
    }

    #[test]
    fn what_was_not_copied_says_so() {
        let registers = Registers::of_test(Architecture::X86_64, [0x1000, 0x7000, 0x6000, 0]);
        let far = row(FrameRule::Register(7, 64), &[(16, Rule::SavedAt(-8))]);
        let not_copied = Stuck::NotCopied(NotCopied { is_beyond: true });
        assert_eq!(far.step(&registers, &StackCopy::new(0x7000, &[0; 16])), Err(not_copied));
    }
}
