//! The units of debug information: roughly one per compiled source file.

use super::ranges::ranges_of;
use super::sections::Slice;
use gimli::{DebugInfoOffset, Dwarf, Unit};

/// Maximum number of address ranges of a file. The largest real programs have a tenth of this number.
const MAX_RANGES: usize = 1 << 22;
/// Maximum number of units that are searched for an address. There are several such units only if units overlap.
const MAX_CANDIDATES: usize = 16;

/// A range of code and its unit.
#[derive(Debug, Clone, Copy)]
struct UnitRange {
    start: u64,
    end: u64,
    /// The highest end of this range and all previous ranges.
    highest_end: u64,
    unit: usize,
}

/// The units of a file by offset and by address.
#[derive(Debug, Default)]
pub(super) struct Units {
    /// Offsets of the units' headers, ascending.
    headers: Vec<usize>,
    /// The units' address ranges, sorted by start.
    ranges: Vec<UnitRange>,
}

impl Units {
    /// Reads all headers, and the ranges that have code.
    pub(super) fn read(dwarf: &Dwarf<Slice<'_>>, is_code: impl Fn(u64) -> bool) -> Self {
        let mut units = Self::headers_only(dwarf);
        for number in 0..units.headers.len() {
            let Some(unit) = units.unit(dwarf, number) else { continue };
            let room = MAX_RANGES.saturating_sub(units.ranges.len());
            let ranges = ranges_of(dwarf, &unit, unit.header.root_offset()).filter(|(start, _)| is_code(*start));
            let ranges = ranges.map(|(start, end)| UnitRange { start, end, highest_end: 0, unit: number });
            units.ranges.extend(ranges.take(room));
        }
        units.ranges.sort_by_key(|range| range.start);
        let mut highest_end = 0;
        for range in &mut units.ranges {
            highest_end = highest_end.max(range.end);
            range.highest_end = highest_end;
        }
        units
    }

    /// Reads only the starts of units, to follow references to units.
    pub(super) fn headers_only(dwarf: &Dwarf<Slice<'_>>) -> Self {
        let mut headers = Vec::new();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            headers.extend(header.debug_info_offset().map(|offset| offset.0));
        }
        Self { headers, ranges: Vec::new() }
    }

    /// The unit with this number.
    pub(super) fn unit<'a>(&self, dwarf: &Dwarf<Slice<'a>>, number: usize) -> Option<Unit<Slice<'a>>> {
        let header = dwarf.unit_header(DebugInfoOffset(*self.headers.get(number)?)).ok()?;
        dwarf.unit(header).ok()
    }

    /// The unit that contains this offset of `.debug_info`.
    pub(super) fn unit_around<'a>(&self, dwarf: &Dwarf<Slice<'a>>, offset: usize) -> Option<Unit<Slice<'a>>> {
        let next = self.headers.partition_point(|start| *start <= offset);
        self.unit(dwarf, next.checked_sub(1)?)
    }

    /// Numbers of the units that may cover `address`.
    pub(super) fn covering(&self, address: u64) -> Vec<usize> {
        let next = self.ranges.partition_point(|range| range.start <= address);
        let before = self.ranges[..next].iter().rev().take_while(|range| range.highest_end > address);
        let covering = before.filter(|range| range.end > address).map(|range| range.unit);
        covering.take(MAX_CANDIDATES).collect()
    }
}
