//! A binary and its machine code: bytes, symbols, and the source line of each address.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use whittle_native::{
    Architecture, DebugFiles, DebugSections, ElfAddr, ElfBytes, ElfFile, FunctionNames, LocalFiles, SourceLines,
    SymbolTable, open_regular_file,
};

/// Limit for debug information. A JVM has 300 MB.
const MAX_DEBUG_BYTES: u64 = 1 << 30;

/// The processor that code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Processor {
    /// Intel and AMD, 64 bits.
    X86_64,
    /// ARM, 64 bits.
    Aarch64,
}

/// An ELF file with all information about its code. Addresses are as in the file's headers.
#[derive(Debug)]
pub struct BinaryFile {
    elf: ElfFile,
    debug: Option<ElfFile>,
    debug_files: DebugFiles,
    lines: Option<SourceLines>,
}

impl BinaryFile {
    /// Opens a binary. Whittle looks for debug information in the usual places of distributions.
    ///
    /// # Errors
    /// The file cannot be opened, or is not a 64-bit ELF file for a known processor.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = open_regular_file(path)?;
        let elf =
            ElfFile::open(ElfBytes::File(Box::new(file))).ok_or_else(|| io::Error::other("not a readable ELF file"))?;
        let debug_files = DebugFiles::new(Some(Arc::new(LocalFiles::own())), &path.to_string_lossy());
        Ok(Self { elf, debug: None, debug_files, lines: None })
    }

    /// GNU build id in lower-case hexadecimal. Missing: the file has no build id.
    pub fn build_id(&self) -> Option<&str> {
        self.elf.build_id()
    }

    /// The processor that the binary's code is for.
    pub fn processor(&self) -> Processor {
        match self.elf.architecture() {
            Architecture::X86_64 => Processor::X86_64,
            Architecture::Aarch64 => Processor::Aarch64,
        }
    }

    /// The address ranges of all functions with this demangled name, which has the form that experiments use. An empty
    /// range: the size is unknown.
    pub fn functions_called(&mut self, internal_name: &str) -> Vec<Range<u64>> {
        self.read_debug();
        let symbols = SymbolTable::read(&self.elf, self.debug.as_ref());
        let is_it = |name: &[u8]| FunctionNames::of_symbol(name).internal == internal_name;
        let mut found: Vec<Range<u64>> = Vec::new();
        for symbol in symbols.all().filter(|symbol| is_it(symbol.name)) {
            let range = symbol.address.0..symbol.address.0.saturating_add(symbol.size_bytes);
            if !found.contains(&range) {
                found.push(range);
            }
        }
        found
    }

    /// Returns `size_bytes` bytes of code. `None`: there are fewer bytes at this address.
    pub fn code(&self, address: u64, size_bytes: usize) -> Option<Vec<u8>> {
        let last = address.checked_add((size_bytes as u64).checked_sub(1)?)?;
        // No memory is allocated for bytes that do not exist.
        if !self.elf.has_code_at(ElfAddr(address)) || !self.elf.has_code_at(ElfAddr(last)) {
            return None;
        }
        let mut bytes = vec![0; size_bytes];
        self.elf.read_code(ElfAddr(address), &mut bytes).then_some(bytes)
    }

    /// Whether the file, or another one on this machine, has its debug information.
    pub fn has_debug_information(&self) -> bool {
        self.elf.has_section(".debug_info") || self.debug_files.find(&self.elf).is_some()
    }

    /// The source path and line of the code at an address, in the innermost inlined function.
    pub fn source_line(&mut self, address: u64) -> Option<(String, u32)> {
        self.read_debug();
        let elf = &self.elf;
        let frames = self.lines.as_mut()?.find(ElfAddr(address), |address| elf.has_code_at(address));
        let innermost = frames.into_iter().next()?;
        innermost.source_file.zip(innermost.line)
    }

    fn read_debug(&mut self) {
        if self.debug.is_some() || self.lines.is_some() {
            return;
        }
        self.debug = self.debug_files.find(&self.elf);
        let files = [Some(&self.elf), self.debug.as_ref()];
        let with_lines = files.into_iter().flatten().find(|file| file.has_section(".debug_info"));
        self.lines = with_lines.and_then(|file| {
            let supplementary = self.debug_files.find_supplementary(file);
            let sections = DebugSections::read(file, supplementary.as_ref(), MAX_DEBUG_BYTES)?;
            Some(SourceLines::new(sections, |address| self.elf.has_code_at(address)))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::native_workload;

    #[test]
    fn a_function_is_found_with_its_code_and_lines() {
        let mut binary = BinaryFile::open(&native_workload("spin_two_callers")).unwrap();
        assert_eq!(binary.build_id().unwrap().len(), 40);
        assert!(binary.has_debug_information());
        let [leaf] = binary.functions_called("leaf").try_into().unwrap();
        let size = (leaf.end - leaf.start) as usize;
        assert!((20..2000).contains(&size), "{size}");
        assert_eq!(binary.code(leaf.start, size).unwrap().len(), size);
        let places: Vec<_> = leaf.clone().filter_map(|address| binary.source_line(address)).collect();
        assert!(places.iter().any(|(file, _)| file.ends_with("clocks.h")), "{places:?}");
        assert!(places.iter().any(|(file, _)| file.ends_with("spin_two_callers.c")), "{places:?}");
        assert_eq!(binary.functions_called("no such function"), []);
    }

    #[test]
    fn code_that_is_not_there_is_not_made_up() {
        let binary = BinaryFile::open(&native_workload("spin_two_callers")).unwrap();
        assert_eq!(binary.code(0, 16), None);
        assert_eq!(binary.code(u64::MAX, 16), None);
        assert_eq!(binary.code(binary.elf.section_range(".text").unwrap().start, usize::MAX), None);
        assert!(BinaryFile::open(Path::new("/proc/self/maps")).is_err());
        assert!(BinaryFile::open(Path::new("/nothing")).is_err());
    }
}
