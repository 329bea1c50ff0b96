//! Disassembles machine code for both processors that whittle runs on. Bytes that are not an instruction become
//! `(bad)`.

use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter};
use whittle_collect::Processor;
use whittle_views::source::MachineInstruction;
use yaxpeax_arch::{Decoder as _, U8Reader};
use yaxpeax_arm::armv8::a64::InstDecoder;

/// Bytes of an ARM instruction.
const ARM_BYTES: usize = 4;

/// The instructions of `bytes` at `address`, without source lines.
pub(super) fn disassemble(processor: Processor, address: u64, bytes: &[u8]) -> Vec<MachineInstruction> {
    match processor {
        Processor::X86_64 => disassemble_x86(address, bytes),
        Processor::Aarch64 => disassemble_arm(address, bytes),
    }
}

fn instruction(address: u64, text: String) -> MachineInstruction {
    MachineInstruction { address, text, source_file: None, line: None }
}

fn disassemble_x86(address: u64, bytes: &[u8]) -> Vec<MachineInstruction> {
    let mut formatter = IntelFormatter::new();
    let options = formatter.options_mut();
    options.set_hex_prefix("0x");
    options.set_hex_suffix("");
    options.set_uppercase_hex(false);
    options.set_space_after_operand_separator(true);
    options.set_branch_leading_zeros(false);
    options.set_show_branch_size(false);
    options.set_rip_relative_addresses(false);
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let mut decoded = Instruction::default();
    let mut instructions = Vec::new();
    while decoder.can_decode() {
        decoder.decode_out(&mut decoded);
        let mut text = String::new();
        formatter.format(&decoded, &mut text);
        instructions.push(instruction(decoded.ip(), text));
    }
    instructions
}

fn disassemble_arm(address: u64, bytes: &[u8]) -> Vec<MachineInstruction> {
    let decoder = InstDecoder::default();
    let words = bytes.chunks(ARM_BYTES).zip((address..).step_by(ARM_BYTES));
    let text = |word: &[u8]| match decoder.decode(&mut U8Reader::new(word)) {
        Ok(decoded) => decoded.to_string(),
        Err(_) => "(bad)".to_owned(),
    };
    words.map(|(word, address)| instruction(address, text(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(processor: Processor, address: u64, bytes: &[u8]) -> Vec<(u64, String)> {
        disassemble(processor, address, bytes).into_iter().map(|it| (it.address, it.text)).collect()
    }

    #[test]
    fn both_processors_are_known() {
        let x86 = texts(Processor::X86_64, 0x1000, &[0x48, 0x89, 0xf8, 0x75, 0xfb, 0xc3, 0x06]);
        let expected = [(0x1000, "mov rax, rdi"), (0x1003, "jne 0x1000"), (0x1005, "ret"), (0x1006, "(bad)")];
        assert_eq!(x86, expected.map(|(address, text)| (address, text.to_owned())));
        let arm = texts(Processor::Aarch64, 0x1000, &[0xe0, 0x03, 0x01, 0xaa, 0xc0, 0x03, 0x5f, 0xd6, 0, 0]);
        let arm: Vec<&str> = arm.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(arm, ["mov x0, x1", "ret", "(bad)"]);
    }
}
