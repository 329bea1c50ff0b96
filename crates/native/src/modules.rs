//! The files with executed code. Each file is stored once, even if many processes map it.

use super::addresses::{ElfAddr, FileOffset};
use super::module::{CodeNames, FileId, Module, ModuleOrigin};
use super::unwind::{CallSite, UnwindRow};
use gimli::UnwindContext;
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{BinaryIndex, BinaryKind, TableBuilder};
use xxhash_rust::xxh3::xxh3_128;

/// Maximum size of debug information in memory, over all files. Above this limit, functions have names but no lines.
const MAX_DEBUG_BYTES: u64 = 512 << 20;
/// How many files are kept open although no process maps them. Programs are often started again.
const KEPT_UNUSED: usize = 64;

/// A row of the table of modules. It is never reused for another module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ModuleIndex(u32);

/// Identity of a module. While a file is open, no other file gets its inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ModuleKey {
    /// A file, and the trust of the files through which it was opened.
    File(FileId, u64),
    Image(u128),
}

#[derive(Debug)]
struct Row {
    key: ModuleKey,
    module: Module,
    binary: Option<BinaryIndex>,
}

/// All modules.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    /// The modules. `None` if the module is closed.
    rows: Vec<Option<Row>>,
    by_key: FxHashMap<ModuleKey, ModuleIndex>,
    /// Bytes of debug information in memory.
    debug_bytes: u64,
}

impl Modules {
    /// The module with this origin, opened if it is new.
    pub(crate) fn add(&mut self, origin: ModuleOrigin) -> ModuleIndex {
        let key = match &origin {
            ModuleOrigin::File { file, files, .. } => ModuleKey::File(*file, files.trust()),
            ModuleOrigin::Image(bytes) => ModuleKey::Image(xxh3_128(bytes)),
        };
        if let Some(index) = self.by_key.get(&key) {
            return *index;
        }
        let index = ModuleIndex(u32::try_from(self.rows.len()).unwrap_or(u32::MAX));
        self.rows.push(Some(Row { key, module: Module::open(origin), binary: None }));
        self.by_key.insert(key, index);
        index
    }

    /// Forgets the rows of binaries, because new tables start.
    pub(crate) fn forget_rows(&mut self) {
        self.rows.iter_mut().flatten().for_each(|row| row.binary = None);
    }

    /// Closes modules that are not in `used`, if there are many.
    pub(crate) fn close_unused(&mut self, used: &FxHashSet<ModuleIndex>) {
        let unused: Vec<_> = self.by_key.values().filter(|index| !used.contains(index)).copied().collect();
        if unused.len() <= KEPT_UNUSED {
            return;
        }
        for index in unused {
            if let Some(row) = self.rows.get_mut(index.0 as usize).and_then(Option::take) {
                self.debug_bytes = self.debug_bytes.saturating_sub(row.module.debug_byte_count());
                self.by_key.remove(&row.key);
            }
        }
    }

    /// The row of binaries for a module.
    pub(crate) fn binary(&mut self, index: ModuleIndex, builder: &mut TableBuilder) -> BinaryIndex {
        let Some(row) = self.row(index) else { return BinaryIndex::NONE };
        if let Some(binary) = row.binary {
            return binary;
        }
        let binary = builder.binary(row.module.name(), BinaryKind::Elf);
        if let Some(build_id) = row.module.build_id() {
            builder.describe_binary(binary, build_id);
        }
        row.binary = Some(binary);
        binary
    }

    /// The file name of a module, as in async-profiler.
    pub(crate) fn name(&self, index: ModuleIndex) -> &str {
        self.rows.get(index.0 as usize).and_then(Option::as_ref).map_or("", |row| row.module.name())
    }

    /// The address as in the file's headers. `None` if the file is unreadable or has no code there.
    pub(crate) fn address_of(&mut self, index: ModuleIndex, offset: FileOffset) -> Option<ElfAddr> {
        self.row(index)?.module.address_of(offset)
    }

    /// How to find the caller of the code at `address`. `None` if no table covers the code.
    pub(crate) fn unwind_row(
        &mut self,
        index: ModuleIndex,
        address: ElfAddr,
        context: &mut UnwindContext<usize>,
    ) -> Option<&UnwindRow> {
        self.row(index)?.module.unwind_row(address, context)
    }

    /// Checks for a call directly before `address`.
    pub(crate) fn call_site(&mut self, index: ModuleIndex, address: ElfAddr) -> CallSite {
        self.row(index).map_or(CallSite::None, |row| row.module.call_site(address))
    }

    /// Names and lines of the code at `address`.
    pub(crate) fn names(&mut self, index: ModuleIndex, address: ElfAddr) -> CodeNames<'_> {
        let budget_bytes = MAX_DEBUG_BYTES.saturating_sub(self.debug_bytes);
        let Some(Some(row)) = self.rows.get_mut(index.0 as usize) else { return CodeNames::default() };
        if row.module.debug_byte_count() == 0 {
            row.module.read_names(budget_bytes);
            self.debug_bytes += row.module.debug_byte_count();
        }
        row.module.names(address)
    }

    fn row(&mut self, index: ModuleIndex) -> Option<&mut Row> {
        self.rows.get_mut(index.0 as usize)?.as_mut()
    }
}
