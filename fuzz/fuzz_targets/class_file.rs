//! Reads any bytes as a class file, and calls all functions of the result.
//!
//! Seeds: the class files in `crates/bytecode/tests/fixtures`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use whittle_bytecode::class_file::ClassFile;

fuzz_target!(|bytes: &[u8]| {
    let Ok(class) = ClassFile::parse(bytes) else { return };
    for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        for instruction in code.instructions().flatten() {
            let _ = (class.operand_words(&instruction), instruction.mnemonic(), instruction.constant());
            let _ = (code.line_at(instruction.bytecode_index), code.variable_at(1, instruction.bytecode_index));
        }
    }
});
