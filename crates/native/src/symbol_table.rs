//! The symbols of a file: the function at an address.
//!
//! Symbols are read from the full symbol table of the file or of its debug information. If there is no full table, they
//! are read from the dynamic symbol table. It contains only functions that other files can call. If an address has
//! several names, the chosen name depends on the search. To choose the same name as async-profiler, symbols are sorted
//! and searched as in async-profiler. If this search finds nothing, there is a second search.

use super::addresses::ElfAddr;
use super::elf::ElfFile;
use super::registers::Architecture;

/// Maximum size of a table of symbols or names. A program with 160 MB of code has a table of 60 MB.
const MAX_TABLE_BYTES: u64 = 512 << 20;
/// Maximum number of symbols before an address that the second search checks. It checks several because symbols can be
/// nested.
const MAX_NESTING: usize = 32;

const SYMBOL_BYTES: usize = 24;
const RELOCATION_BYTES: usize = 24;

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol<'a> {
    /// The linker's name.
    pub name: &'a [u8],
    /// Address of the first instruction.
    pub address: ElfAddr,
    /// Size in bytes; 0 if the table does not contain the size.
    pub size_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    start: u64,
    end: u64,
    /// The start of the name in `names`. The name ends with a zero byte.
    name: u32,
}

/// The symbols of a file.
#[derive(Debug, Default)]
pub struct SymbolTable {
    /// The symbols, sorted by start (ascending), then by end (descending), then by their order in the file.
    entries: Vec<Entry>,
    names: Vec<u8>,
}

impl SymbolTable {
    /// Reads the symbols of a file. `debug` is the file with its debug information.
    pub fn read(elf: &ElfFile, debug: Option<&ElfFile>) -> Self {
        let mut table = Self::default();
        let full = [Some(elf), debug].into_iter().flatten().find(|file| file.has_section(".symtab"));
        if let Some(file) = full {
            table.add_symbols(file, (".symtab", ".strtab"));
        }
        table.add_linkage_stubs(elf);
        if full.is_none() {
            table.add_symbols(elf, (".dynsym", ".dynstr"));
        }
        table.entries.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
        table.entries.shrink_to_fit();
        table
    }

    /// All symbols that have a name.
    pub fn all(&self) -> impl Iterator<Item = Symbol<'_>> {
        self.entries.iter().filter_map(|entry| self.symbol(*entry))
    }

    /// The symbol that covers `address`.
    pub fn find(&self, address: ElfAddr) -> Option<Symbol<'_>> {
        let row = self.find_as_async_profiler(address.0).or_else(|| self.find_nested(address.0))?;
        self.symbol(self.entries[row])
    }

    fn symbol(&self, entry: Entry) -> Option<Symbol<'_>> {
        let name = self.names.get(entry.name as usize..)?.split(|byte| *byte == 0).next()?;
        let symbol = Symbol { name, address: ElfAddr(entry.start), size_bytes: entry.end - entry.start };
        Some(symbol).filter(|symbol| !symbol.name.is_empty())
    }

    fn find_as_async_profiler(&self, address: u64) -> Option<usize> {
        let (mut low, mut high) = (0, self.entries.len());
        while low < high {
            // In async-profiler, the upper bound is inclusive. This changes the middle.
            let middle = (low + high - 1) / 2;
            if self.entries[middle].end <= address {
                low = middle + 1;
            } else if self.entries[middle].start > address {
                high = middle;
            } else {
                return Some(middle);
            }
        }
        // A symbol without a size, for example in assembly, ends at the next symbol.
        low.checked_sub(1).filter(|row| self.entries[*row].start == self.entries[*row].end)
    }

    /// A symbol that contains `address`, and also contains symbols that end before `address`.
    fn find_nested(&self, address: u64) -> Option<usize> {
        let next = self.entries.partition_point(|entry| entry.start <= address);
        (next.saturating_sub(MAX_NESTING)..next).rev().find(|row| self.entries[*row].end > address)
    }

    fn add_symbols(&mut self, file: &ElfFile, (symbols, names): (&str, &str)) {
        let (Some(symbols), Some(names)) =
            (file.section(symbols, MAX_TABLE_BYTES), file.section(names, MAX_TABLE_BYTES))
        else {
            return;
        };
        let Some(base) = self.add_names(&names.bytes) else { return };
        for symbol in symbols.bytes.as_chunks::<SYMBOL_BYTES>().0 {
            let Fields { name, info, value, size } = Fields::of(symbol);
            let first_letter = names.bytes.get(name as usize).copied().unwrap_or(0);
            // ARM marks the kinds of code with symbols such as `$x`.
            let is_mark = first_letter == b'$' && size == 0 && info == 0;
            if name != 0 && value != 0 && first_letter != 0 && !is_mark {
                let end = value.saturating_add(size);
                self.entries.push(Entry { start: value, end, name: base.saturating_add(name) });
            }
        }
    }

    /// Adds names for linkage stubs, which call functions of other files: `write@plt`.
    fn add_linkage_stubs(&mut self, elf: &ElfFile) {
        // How many bytes come before the first stub of `.plt`, and how many bytes a stub has.
        let (header_bytes, stub_bytes) = match elf.architecture() {
            Architecture::X86_64 => (16, 16),
            Architecture::Aarch64 => (32, 16),
        };
        let stubs = [(".plt", header_bytes), (".plt.sec", 0)];
        let stubs: Vec<_> =
            stubs.iter().filter_map(|(name, header)| Some((elf.section_range(name)?, *header))).collect();
        let section = |name| Some(elf.section(name, MAX_TABLE_BYTES)?.bytes);
        let tables = (section(".rela.plt"), section(".dynsym"), section(".dynstr"));
        let (Some(relocations), Some(symbols), Some(names)) = tables else { return };
        let symbols = symbols.as_chunks::<SYMBOL_BYTES>().0;
        for (row, relocation) in (0_u64..).zip(relocations.as_chunks::<RELOCATION_BYTES>().0) {
            let [.., a, b, c, d] = *relocation.first_chunk::<16>().unwrap_or(&[0; 16]);
            let symbol = symbols.get(u32::from_le_bytes([a, b, c, d]) as usize);
            let name = symbol.and_then(|symbol| names.get(Fields::of(symbol).name as usize..));
            let name = name.and_then(|name| name.split(|byte| *byte == 0).next()).unwrap_or_default();
            let Some(name) = self.add_names(&stub_name(name)) else { return };
            for (range, header) in &stubs {
                let start = range.start.saturating_add(header + row * stub_bytes);
                if range.contains(&start) {
                    self.entries.push(Entry { start, end: start.saturating_add(stub_bytes), name });
                }
            }
        }
    }

    /// Adds names that end with a zero byte. Returns the start of the first name.
    fn add_names(&mut self, names: &[u8]) -> Option<u32> {
        let start = u32::try_from(self.names.len()).ok()?;
        self.names.extend_from_slice(names);
        self.names.push(0);
        Some(start)
    }
}

/// The name of the stub for a function, as async-profiler writes it.
fn stub_name(name: &[u8]) -> Vec<u8> {
    let separator: &[u8] = if name.starts_with(b"_Z") { b".plt" } else { b"@plt" };
    [name, separator].concat()
}

/// A symbol's entry.
struct Fields {
    name: u32,
    info: u8,
    value: u64,
    size: u64,
}

impl Fields {
    fn of(bytes: &[u8; SYMBOL_BYTES]) -> Self {
        let [n0, n1, n2, n3, info, _, _, _, rest @ ..] = *bytes;
        let (words, _) = rest.as_chunks::<8>();
        let word = |index: usize| words.get(index).map_or(0, |word| u64::from_le_bytes(*word));
        Self { name: u32::from_le_bytes([n0, n1, n2, n3]), info, value: word(0), size: word(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(symbols: &[(&str, u64, u64)]) -> SymbolTable {
        let mut table = SymbolTable::default();
        for (name, start, size) in symbols {
            let name = table.add_names(name.as_bytes()).unwrap();
            table.entries.push(Entry { start: *start, end: start + size, name });
        }
        table.entries.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
        table
    }

    fn found(table: &SymbolTable, address: u64) -> Option<&str> {
        table.find(ElfAddr(address)).map(|symbol| std::str::from_utf8(symbol.name).unwrap())
    }

    #[test]
    fn an_address_belongs_to_the_symbol_that_covers_it() {
        let table = table(&[("b", 0x200, 0x10), ("a", 0x100, 0x80), ("label", 0x300, 0), ("inner", 0x120, 8)]);
        for (address, name) in [
            (0xff, None),
            (0x100, Some("a")),
            (0x122, Some("inner")),
            (0x150, Some("a")),
            (0x180, None),
            (0x20f, Some("b")),
            (0x210, None),
            (0x300, Some("label")),
            (0x3ff, Some("label")),
        ] {
            assert_eq!(found(&table, address), name, "{address:x}");
        }
        let symbol = table.find(ElfAddr(0x17f)).unwrap();
        assert_eq!((symbol.address, symbol.size_bytes), (ElfAddr(0x100), 0x80));
        assert_eq!(SymbolTable::default().find(ElfAddr(1)), None);
    }

    #[test]
    fn of_several_names_the_search_decides() {
        let table = table(&[("write", 0x100, 0x10), ("__write", 0x100, 0x10), ("__GI_write", 0x100, 0x10)]);
        assert_eq!(found(&table, 0x108), Some("__write"));
    }
}
