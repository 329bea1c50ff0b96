//! The unwind tables of one file.
//!
//! `.eh_frame` is part of nearly every program. `.debug_frame` has the same content for debuggers, in the program's
//! file or in a separate file. Rows are decoded when an address first needs them, and cached.

use super::fde_index::FdeIndex;
use super::row::UnwindRow;
use crate::addresses::ElfAddr;
use crate::elf::{ElfFile, SectionBytes};
use crate::registers::Architecture;
use gimli::{BaseAddresses, DebugFrame, EhFrame, EndianSlice, LittleEndian, UnwindContext, UnwindSection, Vendor};
use std::collections::BTreeMap;

/// Maximum size of a table. A program with 160 MB of code has a table of 25 MB.
const MAX_TABLE_BYTES: u64 = 256 << 20;
/// Maximum size of a function's entry. Real entries have less than 64 KiB.
const MAX_ENTRY_BYTES: usize = 1 << 20;
/// Maximum number of cached rows. At the limit, all rows are dropped, and decoded again when needed. A row takes about
/// 200 bytes.
const MAX_ROWS: usize = 1 << 18;

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// The format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    EhFrame,
    DebugFrame,
}

/// One table.
#[derive(Debug)]
struct Table {
    format: Format,
    vendor: Vendor,
    bytes: Vec<u8>,
    bases: BaseAddresses,
    index: FdeIndex,
}

/// The tables of a file, and the decoded rows.
#[derive(Debug, Default)]
pub(crate) struct UnwindTables {
    tables: Vec<Table>,
    /// The decoded rows, by their first address.
    rows: BTreeMap<u64, UnwindRow>,
}

impl UnwindTables {
    /// Reads the tables of a file, and of the file with its debug information.
    pub(crate) fn read(elf: &ElfFile, debug: Option<&ElfFile>) -> Self {
        let in_debug_file = || debug.and_then(Table::debug_frame);
        let tables = Table::eh_frame(elf).into_iter().chain(Table::debug_frame(elf).or_else(in_debug_file));
        Self { tables: tables.collect(), rows: BTreeMap::new() }
    }

    /// The row for the code at `address`. `None` if no table covers the code.
    pub(crate) fn row(&mut self, address: ElfAddr, context: &mut UnwindContext<usize>) -> Option<&UnwindRow> {
        let known = self.rows.range(..=address.0).next_back().filter(|(_, row)| row.range.contains(&address.0));
        let start = match known {
            Some((start, _)) => *start,
            None => {
                let row = self.tables.iter().find_map(|table| table.row(address.0, context))?;
                if self.rows.len() >= MAX_ROWS {
                    self.rows.clear();
                }
                let start = row.range.start;
                self.rows.insert(start, row);
                start
            }
        };
        self.rows.get(&start)
    }
}

impl Table {
    fn eh_frame(elf: &ElfFile) -> Option<Self> {
        let SectionBytes { address, bytes } = elf.section(".eh_frame", MAX_TABLE_BYTES)?;
        let text = elf.section_range(".text").map_or(0, |range| range.start);
        let bases = BaseAddresses::default().set_eh_frame(address.0).set_text(text);
        let linker_index = elf.section(".eh_frame_hdr", MAX_TABLE_BYTES);
        let index = linker_index.and_then(|index| FdeIndex::of_linker(index, address.0));
        let vendor = vendor(elf.architecture());
        let index = index.unwrap_or_else(|| FdeIndex::of_table(&eh_frame(&bytes, vendor), &bases));
        Some(Self { format: Format::EhFrame, vendor, bytes, bases, index })
    }

    fn debug_frame(elf: &ElfFile) -> Option<Self> {
        let SectionBytes { bytes, .. } = elf.section(".debug_frame", MAX_TABLE_BYTES)?;
        let (bases, vendor) = (BaseAddresses::default(), vendor(elf.architecture()));
        let index = FdeIndex::of_table(&debug_frame(&bytes, vendor), &bases);
        Some(Self { format: Format::DebugFrame, vendor, bytes, bases, index })
    }

    fn row(&self, address: u64, context: &mut UnwindContext<usize>) -> Option<UnwindRow> {
        match self.format {
            Format::EhFrame => self.decode(&eh_frame(&self.bytes, self.vendor), address, context),
            Format::DebugFrame => self.decode(&debug_frame(&self.bytes, self.vendor), address, context),
        }
    }

    fn decode<'a, S>(&self, table: &S, address: u64, context: &mut UnwindContext<usize>) -> Option<UnwindRow>
    where
        S: UnwindSection<Slice<'a>>,
    {
        let offset = self.index.find(address).filter(|offset| *offset < self.bytes.len())?;
        let entry = table.fde_from_offset(&self.bases, offset.into(), S::cie_from_offset).ok()?;
        if !entry.contains(address) || entry.entry_len() > MAX_ENTRY_BYTES {
            return None;
        }
        let row = entry.unwind_info_for_address(table, &self.bases, context, address).ok()?;
        UnwindRow::new(row, &self.bytes, entry.is_signal_trampoline())
    }
}

fn eh_frame(bytes: &[u8], vendor: Vendor) -> EhFrame<Slice<'_>> {
    let mut table = EhFrame::new(bytes, LittleEndian);
    table.set_address_size(8);
    table.set_vendor(vendor);
    table
}

fn debug_frame(bytes: &[u8], vendor: Vendor) -> DebugFrame<Slice<'_>> {
    let mut table = DebugFrame::new(bytes, LittleEndian);
    table.set_address_size(8);
    table.set_vendor(vendor);
    table
}

/// The vendor of additional call frame instructions. ARM has such instructions for signed return addresses.
fn vendor(architecture: Architecture) -> Vendor {
    match architecture {
        Architecture::X86_64 => Vendor::Default,
        Architecture::Aarch64 => Vendor::AArch64,
    }
}
