//! Finds the entry of an unwind table for an address.
//!
//! Linkers write a sorted index, `.eh_frame_hdr`, in one format:
//!
//! ```text
//! byte 0   version 1, then the encodings of the fields below: 1b 03 3b
//!      4   distance to .eh_frame
//!      8   number of rows
//!     12   rows: code address, entry address; both as distances from the index's own address
//! ```
//!
//! If the index is missing or has another format, whittle creates an index from the table.

use crate::elf::SectionBytes;
use gimli::{BaseAddresses, CieOrFde, EndianSlice, LittleEndian, UnwindSection};

const KNOWN_FORMAT: [u8; 4] = [1, 0x1b, 0x03, 0x3b];
const ROWS_START: usize = 12;
const ROW_BYTES: usize = 8;

/// An index of a table's entries.
#[derive(Debug)]
pub(super) enum FdeIndex {
    /// The linker's index.
    Linker { index: SectionBytes, table_address: u64 },
    /// Created by whittle: code addresses and offsets of entries, sorted.
    Own(Vec<(u64, usize)>),
}

impl FdeIndex {
    /// The linker's index, if it has the known format.
    pub(super) fn of_linker(index: SectionBytes, table_address: u64) -> Option<Self> {
        let rows = index.bytes.get(ROWS_START..)?;
        let is_known = index.bytes.starts_with(&KNOWN_FORMAT) && rows.len() >= ROW_BYTES;
        is_known.then_some(Self::Linker { index, table_address })
    }

    /// Creates an index by reading the whole table. The index does not contain entries after an unreadable entry.
    pub(super) fn of_table<'a, S>(table: &S, bases: &BaseAddresses) -> Self
    where
        S: UnwindSection<EndianSlice<'a, LittleEndian>>,
    {
        let mut rows = Vec::new();
        let mut entries = table.entries(bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(entry) = entry else { continue };
            if let Ok(entry) = entry.parse(S::cie_from_offset) {
                rows.push((entry.initial_address(), entry.offset()));
            }
        }
        rows.sort_unstable();
        Self::Own(rows)
    }

    /// The offset of the entry that may cover `address`.
    pub(super) fn find(&self, address: u64) -> Option<usize> {
        match self {
            Self::Linker { index, table_address } => {
                let distance = i64::try_from(i128::from(address) - i128::from(index.address.0)).ok()?;
                let (rows, _) = index.bytes.get(ROWS_START..)?.as_chunks::<ROW_BYTES>();
                let count = u32::from_le_bytes(*index.bytes.get(8..)?.first_chunk()?) as usize;
                let rows = &rows[..count.min(rows.len())];
                let next = rows.partition_point(|row| i64::from(half(row, 0)) <= distance);
                let entry = index.address.0.checked_add_signed(half(&rows[next.checked_sub(1)?], 4).into())?;
                usize::try_from(entry.checked_sub(*table_address)?).ok()
            }
            Self::Own(rows) => {
                let next = rows.partition_point(|(start, _)| *start <= address);
                Some(rows[next.checked_sub(1)?].1)
            }
        }
    }
}

fn half(row: &[u8; ROW_BYTES], at: usize) -> i32 {
    i32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addresses::ElfAddr;

    #[test]
    fn the_linkers_index_is_searched() {
        let mut bytes = KNOWN_FORMAT.to_vec();
        for number in [0x100_i32, 2, 0x1000, 0x200, 0x2000, 0x240] {
            bytes.extend(number.to_le_bytes());
        }
        let index = SectionBytes { address: ElfAddr(0x5000), bytes: bytes.clone() };
        let index = FdeIndex::of_linker(index, 0x5100).unwrap();
        assert_eq!(index.find(0x5fff), None);
        assert_eq!(index.find(0x6000), Some(0x100));
        assert_eq!(index.find(0x6fff), Some(0x100));
        assert_eq!(index.find(0x7000), Some(0x140));
        assert_eq!(index.find(u64::MAX), None);
        bytes[1] = 0xff;
        assert!(FdeIndex::of_linker(SectionBytes { address: ElfAddr(0), bytes }, 0).is_none());
    }
}
