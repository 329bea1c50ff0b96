//! Files with code: class files, binaries, and the map of a process.

use whittle_bytecode::class_file::ClassFile;

/// Reads a class file, and calls all functions of the result.
pub(crate) fn class_file(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else { return };
    for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        for instruction in code.instructions().flatten() {
            let _ = (class.operand_words(&instruction), instruction.mnemonic(), instruction.constant());
            let _ = (code.line_at(instruction.bytecode_index), code.variable_at(1, instruction.bytecode_index));
        }
    }
}

/// Reads headers, symbols, debug information and unwind tables of an ELF file.
pub(crate) fn elf(bytes: &[u8]) {
    whittle_native::fuzzing::read_binary(bytes);
}

/// Reads the text of `/proc/PID/maps`.
pub(crate) fn process_map(bytes: &[u8]) {
    whittle_native::fuzzing::read_process_map(bytes);
}
