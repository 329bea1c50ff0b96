//! The functions of a binary by the position of their code in the file.

use std::io;
use std::path::Path;
use std::sync::Arc;
use whittle_native::{
    DebugFiles, ElfBytes, ElfFile, FileOffset, FunctionNames, LocalFiles, SymbolTable, open_regular_file,
};

/// The symbols of an ELF file, including its separate debug information.
#[derive(Debug)]
pub struct FileSymbols {
    elf: ElfFile,
    symbols: SymbolTable,
}

impl FileSymbols {
    /// Opens a binary with this build id, in lower-case hexadecimal. Whittle looks for debug information in the usual
    /// places of distributions.
    ///
    /// # Errors
    /// The file cannot be opened, is not an ELF file, or has another build id.
    pub fn open(path: &Path, build_id: &str) -> io::Result<Self> {
        let file = open_regular_file(path)?;
        let elf = ElfFile::open(ElfBytes::File(Box::new(file))).filter(|elf| elf.build_id() == Some(build_id));
        let elf = elf.ok_or_else(|| io::Error::other("no ELF file with this build id"))?;
        let debug = DebugFiles::new(Some(Arc::new(LocalFiles::own())), &path.to_string_lossy()).find(&elf);
        Ok(Self { symbols: SymbolTable::read(&elf, debug.as_ref()), elf })
    }

    /// The demangled name of the function at this position in the file.
    pub fn function_at(&self, file_offset: u64) -> Option<String> {
        let address = self.elf.address_of(FileOffset(file_offset))?;
        let symbol = self.symbols.find(address)?;
        Some(FunctionNames::of_symbol(symbol.name).internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BinaryFile;
    use whittle_testkit::native_workload;

    #[test]
    fn a_function_is_found_by_its_place_in_the_file() {
        let path = native_workload("spin_two_callers");
        let mut binary = BinaryFile::open(&path).unwrap();
        let build_id = binary.build_id().unwrap().to_owned();
        let symbols = FileSymbols::open(&path, &build_id).unwrap();
        let [leaf] = binary.functions_called("leaf").try_into().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let code = binary.code(leaf.start, 16).unwrap();
        let offset = bytes.windows(16).position(|window| window == code).unwrap() as u64;
        assert_eq!(symbols.function_at(offset).as_deref(), Some("leaf"));
        assert_eq!(symbols.function_at(u64::MAX), None);
        assert!(FileSymbols::open(&path, "00").is_err());
    }
}
