//! Files with code: class files, binaries, and the map of a process.

use whittle_bytecode::class_file::{ClassFile, SourceMap};

/// Reads a class file, and calls all functions of the result.
pub(crate) fn class_file(bytes: &[u8]) {
    let Ok(class) = ClassFile::parse(bytes) else { return };
    for code in class.methods.iter().filter_map(|method| method.code.as_ref()) {
        for instruction in code.instructions().flatten() {
            let _ = (class.operand_words(&instruction), instruction.mnemonic(), instruction.constant());
            let _ = class.kotlin_lines.as_ref().and_then(|lines| lines.line(instruction.bytecode_index));
            let _ = (code.line_at(instruction.bytecode_index), code.variable_at(1, instruction.bytecode_index));
        }
    }
}

/// Reads the text that translates lines of a class file to lines of source files.
pub(crate) fn source_map(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Some(map) = SourceMap::parse(&text) else { return };
    for stratum in ["Kotlin", "KotlinDebug", "JSP"] {
        for line in (0..100).chain([65_535, u32::MAX]) {
            let place = map.place(stratum, line);
            assert!(place.is_none_or(|place| map.files(stratum).any(|file| file == place.file)), "{place:?}");
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
