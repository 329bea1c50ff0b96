//! A row of an unwind table: the positions of the caller's registers, for a range of code.

use crate::registers::{Architecture, RegisterNumber};
use gimli::{CfaRule, RegisterRule, UnwindExpression, UnwindTableRow};
use std::ops::Range;

/// Maximum size of a stored expression. Real expressions have fewer than 40 bytes.
const MAX_EXPRESSION_BYTES: usize = 1024;

/// How the caller's stack pointer before the call is computed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FrameRule {
    /// A register's value plus a distance.
    Register(RegisterNumber, i64),
    /// A DWARF expression.
    Expression(Box<[u8]>),
}

/// How a register of the caller is computed. `frame` is the result of the [`FrameRule`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The register's value is lost. If this is the return address, there is no caller.
    Undefined,
    /// The register is unchanged.
    SameValue,
    /// The register was saved at `frame` plus this distance.
    SavedAt(i64),
    /// The value is `frame` plus this distance.
    Value(i64),
    /// The value is in another register.
    InRegister(RegisterNumber),
    /// The register was saved at the address that a DWARF expression computes.
    SavedAtExpression(Box<[u8]>),
    /// The value is the result of a DWARF expression.
    ValueOfExpression(Box<[u8]>),
}

/// The rules for a range of addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnwindRow {
    /// Addresses as in the ELF file's headers.
    pub(crate) range: Range<u64>,
    pub(crate) frame: FrameRule,
    /// The registers with a rule. Other registers keep their value if the calling convention requires this.
    pub(crate) registers: Box<[(RegisterNumber, Rule)]>,
    /// True for the code that ends a signal handler. The signal interrupted the caller at any instruction, not at a
    /// call.
    pub(crate) is_signal_frame: bool,
}

impl UnwindRow {
    /// Copies a row from `section`, the bytes of its table.
    pub(super) fn new(row: &UnwindTableRow<usize>, section: &[u8], is_signal_frame: bool) -> Option<Self> {
        let frame = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => FrameRule::Register(register.0, *offset),
            CfaRule::Expression(expression) => FrameRule::Expression(bytes_of(expression, section)?),
        };
        let known = row.registers().filter(|(register, _)| register.0 <= Architecture::LAST_REGISTER);
        let rules = known.map(|(register, rule)| (register.0, convert(rule, section)));
        let range = row.start_address()..row.end_address();
        Some(Self { range, frame, registers: rules.collect(), is_signal_frame })
    }

    /// The rule for a register, if the row has one.
    pub(crate) fn rule(&self, register: RegisterNumber) -> Option<&Rule> {
        self.registers.iter().find(|(number, _)| *number == register).map(|(_, rule)| rule)
    }
}

/// Converts a rule. If the rule is unsupported, the register is unknown.
fn convert(rule: &RegisterRule<usize>, section: &[u8]) -> Rule {
    match rule {
        RegisterRule::SameValue => Rule::SameValue,
        RegisterRule::Offset(offset) => Rule::SavedAt(*offset),
        RegisterRule::ValOffset(offset) => Rule::Value(*offset),
        RegisterRule::Register(register) => Rule::InRegister(register.0),
        RegisterRule::Expression(expression) => {
            bytes_of(expression, section).map_or(Rule::Undefined, Rule::SavedAtExpression)
        }
        RegisterRule::ValExpression(expression) => {
            bytes_of(expression, section).map_or(Rule::Undefined, Rule::ValueOfExpression)
        }
        RegisterRule::Undefined | RegisterRule::Architectural | RegisterRule::Constant(_) => Rule::Undefined,
    }
}

fn bytes_of(expression: &UnwindExpression<usize>, section: &[u8]) -> Option<Box<[u8]>> {
    let bytes = section.get(expression.offset..)?.get(..expression.length)?;
    (bytes.len() <= MAX_EXPRESSION_BYTES).then(|| bytes.into())
}
