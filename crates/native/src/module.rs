//! One file with executed code. The file is opened immediately. It is read piece by piece, when needed.

use super::addresses::{ElfAddr, FileOffset};
use super::dwarf::{DebugSections, SourceFrame, SourceLines};
use super::elf::{DebugFiles, ElfBytes, ElfFile};
use super::registers::Architecture;
use super::symbol_table::{Symbol, SymbolTable};
use super::unwind::{CallSite, UnwindRow, UnwindTables};
use crate::process_id::ProcessId;
use crate::program_files::ProgramFiles;
use crate::read_at::ReadAt;
use gimli::UnwindContext;
use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The suffix that the kernel adds to a deleted file's path.
const DELETED: &str = " (deleted)";
/// The name of the vDSO's image in async-profiler.
const VDSO: &str = "vdso";

/// A file, identified as in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct FileId {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// The origin of a mapping's code.
#[derive(Debug)]
pub(crate) enum ModuleOrigin {
    /// A file.
    File { process: ProcessId, mapping: Range<u64>, file: FileId, path: String, files: Arc<dyn ProgramFiles> },
    /// The bytes of the vDSO, which the kernel maps into every process.
    Image(Vec<u8>),
}

/// A file, or its known part.
#[derive(Debug)]
pub(crate) struct Module {
    /// File name without its folder, as in async-profiler.
    name: String,
    debug_files: DebugFiles,
    content: Content,
}

/// How much of a file was read.
#[derive(Debug)]
enum Content {
    /// The file is open, but was not read.
    Unread(ElfBytes),
    /// The parts of the file that unwinding needs were read. Names and lines are read when needed.
    Read(Box<ReadContent>),
    /// The file could not be opened, or is not an ELF file.
    Unusable,
}

#[derive(Debug)]
struct ReadContent {
    elf: ElfFile,
    /// The file with its debug information.
    debug: Option<ElfFile>,
    unwind: UnwindTables,
    names: Option<Names>,
}

/// Symbols and lines of a file.
#[derive(Debug)]
struct Names {
    symbols: SymbolTable,
    lines: Option<SourceLines>,
}

/// The known properties of an address.
#[derive(Debug, Default)]
pub(crate) struct CodeNames<'a> {
    pub(crate) symbol: Option<Symbol<'a>>,
    /// The functions at the address, the innermost inlined function first.
    pub(crate) source: Vec<SourceFrame>,
}

impl Module {
    /// Opens a module's file.
    pub(crate) fn open(origin: ModuleOrigin) -> Self {
        let (path, files, bytes) = match origin {
            ModuleOrigin::Image(bytes) => (VDSO.to_owned(), None, Ok(ElfBytes::Memory(bytes))),
            ModuleOrigin::File { process, mapping, path, files, .. } => {
                let (path, is_deleted) = path.strip_suffix(DELETED).map_or((path.as_str(), false), |path| (path, true));
                let file = open(&*files, (process, &mapping), (!is_deleted).then_some(Path::new(path)));
                (path.to_owned(), Some(files), file.map(ElfBytes::File))
            }
        };
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let content = bytes.map_or(Content::Unusable, Content::Unread);
        Self { name, debug_files: DebugFiles::new(files, &path), content }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Build id in lower-case hexadecimal.
    pub(crate) fn build_id(&mut self) -> Option<&str> {
        self.read()?.elf.build_id()
    }

    /// The address as in the file's headers. `None` if the file is unreadable or has no code at `offset`.
    pub(crate) fn address_of(&mut self, offset: FileOffset) -> Option<ElfAddr> {
        self.read()?.elf.address_of(offset)
    }

    /// How to find the caller of the code at `address`. `None` if no table covers the code.
    pub(crate) fn unwind_row(&mut self, address: ElfAddr, context: &mut UnwindContext<usize>) -> Option<&UnwindRow> {
        let content = self.read().filter(|content| content.elf.architecture() == Architecture::HOST)?;
        content.unwind.row(address, context)
    }

    /// Checks for a call directly before `address`.
    pub(crate) fn call_site(&mut self, address: ElfAddr) -> CallSite {
        let mut code = [0; 8];
        let is_call = self.read().zip(address.0.checked_sub(8)).is_some_and(|(content, start)| {
            let elf = &content.elf;
            elf.read_code(ElfAddr(start), &mut code) && elf.architecture().ends_with_call(&code)
        });
        if is_call { CallSite::Certain } else { CallSite::None }
    }

    /// Reads symbols, unless they were read before. Also reads lines if they need at most `budget_bytes`.
    pub(crate) fn read_names(&mut self, budget_bytes: u64) {
        self.read();
        let Content::Read(content) = &mut self.content else { return };
        let ReadContent { elf, debug, names, .. } = &mut **content;
        names.get_or_insert_with(|| Names::read(elf, debug.as_ref(), (&self.debug_files, budget_bytes)));
    }

    /// Names and lines of the code at `address`. Call `read_names` first.
    pub(crate) fn names(&mut self, address: ElfAddr) -> CodeNames<'_> {
        let Content::Read(content) = &mut self.content else { return CodeNames::default() };
        let ReadContent { elf, names: Some(names), .. } = &mut **content else { return CodeNames::default() };
        let source = names.lines.as_mut().map(|lines| lines.find(address, |address| elf.has_code_at(address)));
        CodeNames { symbol: names.symbols.find(address), source: source.unwrap_or_default() }
    }

    /// Bytes of debug information in memory.
    pub(crate) fn debug_byte_count(&self) -> u64 {
        let Content::Read(content) = &self.content else { return 0 };
        content.names.as_ref().and_then(|names| names.lines.as_ref()).map_or(0, SourceLines::byte_count)
    }

    fn read(&mut self) -> Option<&mut ReadContent> {
        if let Content::Unread(_) = self.content {
            let Content::Unread(bytes) = std::mem::replace(&mut self.content, Content::Unusable) else { return None };
            if let Some(elf) = ElfFile::open(bytes) {
                let debug = self.debug_files.find(&elf);
                let unwind = UnwindTables::read(&elf, debug.as_ref());
                self.content = Content::Read(Box::new(ReadContent { elf, debug, unwind, names: None }));
            }
        }
        match &mut self.content {
            Content::Read(content) => Some(content),
            Content::Unread(_) | Content::Unusable => None,
        }
    }
}

impl Names {
    fn read(elf: &ElfFile, debug: Option<&ElfFile>, (debug_files, budget_bytes): (&DebugFiles, u64)) -> Self {
        let symbols = SymbolTable::read(elf, debug);
        let with_lines = [Some(elf), debug].into_iter().flatten().find(|file| file.has_section(".debug_info"));
        let lines = with_lines.and_then(|file| {
            let supplementary = debug_files.find_supplementary(file);
            let sections = DebugSections::read(file, supplementary.as_ref(), budget_bytes)?;
            Some(SourceLines::new(sections, |address| elf.has_code_at(address)))
        });
        Self { symbols, lines }
    }
}

/// Opens the file of a mapping. If that is not allowed, the file with this path is opened, which needs no privilege.
fn open(
    files: &dyn ProgramFiles,
    (process, mapping): (ProcessId, &Range<u64>),
    path: Option<&Path>,
) -> io::Result<Box<dyn ReadAt>> {
    // After a deletion, another file can have the same path.
    files.open_mapped(process, mapping).or_else(|error| path.map_or(Err(error), |path| files.open(path)))
}
