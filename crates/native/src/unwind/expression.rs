//! Evaluates the DWARF expressions of unwind tables.
//!
//! Hand-written assembly uses expressions if the stack pointer was aligned (`frame = *(rsp + 152) + 8`). Signal frames
//! use expressions for every register. The expressions only read registers and the copied stack.

use super::stuck::Stuck;
use crate::registers::Registers;
use crate::stack_copy::StackCopy;
use gimli::{Encoding, EndianSlice, Evaluation, EvaluationResult, Format, LittleEndian, Location, Value};

/// Maximum number of operations per evaluation, because an expression can contain loops. Real expressions have fewer
/// than ten operations.
const MAX_OPERATIONS: u32 = 1000;

/// The encoding of expressions. Expressions of unwind tables do not depend on the version.
const ENCODING: Encoding = Encoding { format: Format::Dwarf32, version: 5, address_size: 8 };

/// The result of `expression`. At the start, `initial` is on the stack of the expression.
pub(super) fn evaluate(
    expression: &[u8],
    initial: Option<u64>,
    (registers, stack): (&Registers, &StackCopy<'_>),
) -> Result<u64, Stuck> {
    let mut evaluation = Evaluation::new(EndianSlice::new(expression, LittleEndian), ENCODING);
    evaluation.set_max_iterations(MAX_OPERATIONS);
    if let Some(value) = initial {
        evaluation.set_initial_value(value);
    }
    let mut result = evaluation.evaluate();
    loop {
        result = match result.map_err(|_| Stuck::Damaged)? {
            EvaluationResult::Complete => break,
            EvaluationResult::RequiresRegister { register, .. } => {
                let value = registers.get(register.0).ok_or(Stuck::UnknownRegister)?;
                evaluation.resume_with_register(Value::Generic(value))
            }
            EvaluationResult::RequiresMemory { address, size, space: None, .. } => {
                evaluation.resume_with_memory(Value::Generic(stack.read(address, size)?))
            }
            _ => return Err(Stuck::Damaged),
        };
    }
    match evaluation.as_result().last().map(|piece| &piece.location) {
        Some(Location::Address { address }) => Ok(*address),
        _ => Err(Stuck::Damaged),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::Architecture;
    use crate::stack_copy::NotCopied;

    fn evaluated(expression: &[u8]) -> Result<u64, Stuck> {
        let registers = Registers::of_test(Architecture::X86_64, [0x1000, 0x7000, 0x7010, 0]);
        let mut bytes = vec![0; 16];
        bytes[8..].copy_from_slice(&0x1234_u64.to_le_bytes());
        evaluate(expression, None, (&registers, &StackCopy::new(0x7000, &bytes)))
    }

    #[test]
    fn registers_and_stack_are_read() {
        // breg7 +8; deref; plus_uconst 8: an expression of OpenSSL's assembly.
        assert_eq!(evaluated(&[0x77, 8, 0x06, 0x23, 8]), Ok(0x123c));
        assert_eq!(evaluated(&[0x77, 16, 0x06]), Err(Stuck::NotCopied(NotCopied { is_beyond: true })));
        assert_eq!(evaluated(&[0x73, 0]), Err(Stuck::UnknownRegister));
    }

    #[test]
    fn nonsense_ends() {
        assert_eq!(evaluated(&[]), Err(Stuck::Damaged));
        // skip -3: an endless loop.
        assert_eq!(evaluated(&[0x2f, 0xfd, 0xff]), Err(Stuck::Damaged));
        assert_eq!(evaluated(&[0x06]), Err(Stuck::Damaged));
        // For example the program counter of another thread.
        assert_eq!(evaluated(&[0x9c]), Err(Stuck::Damaged));
        for operation in 0..=255 {
            let _any_result = evaluated(&[0x77, 0, operation, 0, 0, 0, 0, 0, 0, 0, 0]);
        }
    }
}
