//! Functions of a unit by address, and the functions that were inlined into them.

use super::ranges::ranges_of;
use super::sections::Slice;
use gimli::{AttributeValue, Dwarf, Unit, UnitOffset, constants};

/// Maximum number of address ranges of a unit or a function. Real functions have fewer than 10 000.
const MAX_RANGES: usize = 1 << 20;

/// A function's code and its entry in the debug information.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FunctionRange {
    start: u64,
    end: u64,
    entry: UnitOffset<usize>,
}

/// The functions of a unit.
#[derive(Debug)]
pub(super) struct Functions {
    /// The functions, sorted by start. They do not overlap.
    ranges: Vec<FunctionRange>,
}

/// A function that was inlined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Inlined {
    start: u64,
    end: u64,
    /// How deep the function's entry is nested.
    depth: isize,
    pub(super) entry: UnitOffset<usize>,
    /// File and line of the replaced call, in the surrounding function.
    pub(super) call: CallPlace,
}

/// A place in the source. The file is an index into the unit's line table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct CallPlace {
    pub(super) file: Option<u32>,
    pub(super) line: Option<u32>,
}

impl Functions {
    /// Reads those functions of a unit that have code.
    pub(super) fn read(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>, is_code: impl Fn(u64) -> bool) -> Self {
        let mut ranges = Vec::new();
        let _damaged_end = Self::read_into(&mut ranges, dwarf, unit);
        ranges.retain(|range| is_code(range.start));
        ranges.sort_by_key(|range| range.start);
        Self { ranges }
    }

    fn read_into(
        functions: &mut Vec<FunctionRange>,
        dwarf: &Dwarf<Slice<'_>>,
        unit: &Unit<Slice<'_>>,
    ) -> gimli::Result<()> {
        let mut entries = unit.entries_raw(None)?;
        while !entries.is_empty() {
            let entry = entries.next_offset();
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };
            entries.skip_attributes(abbreviation.attributes())?;
            if abbreviation.tag() == constants::DW_TAG_subprogram {
                let ranges = ranges_of(dwarf, unit, entry).take(MAX_RANGES.saturating_sub(functions.len()));
                functions.extend(ranges.map(|(start, end)| FunctionRange { start, end, entry }));
            }
        }
        Ok(())
    }

    /// The entry of the function at `address`.
    pub(super) fn find(&self, address: u64) -> Option<UnitOffset<usize>> {
        let next = self.ranges.partition_point(|range| range.start <= address);
        self.ranges[..next].last().filter(|range| range.end > address).map(|range| range.entry)
    }
}

/// All functions that were inlined into the function with this entry, in the order of the file. A function comes before
/// the functions that were inlined into it.
pub(super) fn inlined_into(
    dwarf: &Dwarf<Slice<'_>>,
    unit: &Unit<Slice<'_>>,
    function: UnitOffset<usize>,
) -> Vec<Inlined> {
    let mut inlined = Vec::new();
    let _damaged_end = read_inlined(&mut inlined, dwarf, (unit, function));
    inlined
}

fn read_inlined(
    inlined: &mut Vec<Inlined>,
    dwarf: &Dwarf<Slice<'_>>,
    (unit, function): (&Unit<Slice<'_>>, UnitOffset<usize>),
) -> gimli::Result<()> {
    let mut entries = unit.entries_raw(Some(function))?;
    let own_depth = entries.next_depth();
    let Some(abbreviation) = entries.read_abbreviation()? else { return Ok(()) };
    entries.skip_attributes(abbreviation.attributes())?;
    // Entries inside a nested function are part of that function.
    let mut foreign_below = isize::MAX;
    while !entries.is_empty() && entries.next_depth() > own_depth {
        let (entry, depth) = (entries.next_offset(), entries.next_depth());
        let Some(abbreviation) = entries.read_abbreviation()? else { continue };
        entries.skip_attributes(abbreviation.attributes())?;
        if depth <= foreign_below {
            let is_function = abbreviation.tag() == constants::DW_TAG_subprogram;
            foreign_below = if is_function { depth } else { isize::MAX };
        }
        if depth <= foreign_below && abbreviation.tag() == constants::DW_TAG_inlined_subroutine {
            let call = call_place(unit, entry);
            let ranges = ranges_of(dwarf, unit, entry).take(MAX_RANGES.saturating_sub(inlined.len()));
            inlined.extend(ranges.map(|(start, end)| Inlined { start, end, depth, entry, call }));
        }
    }
    Ok(())
}

/// The functions of `inlined` that contain `address`, outermost first.
pub(super) fn chain_at(inlined: &[Inlined], address: u64) -> Vec<Inlined> {
    let mut chain: Vec<Inlined> = Vec::new();
    for function in inlined.iter().filter(|function| (function.start..function.end).contains(&address)) {
        // If a function is not inside the last function, it starts a new branch.
        while chain.last().is_some_and(|last| last.depth >= function.depth) {
            chain.pop();
        }
        chain.push(*function);
    }
    chain
}

fn call_place(unit: &Unit<Slice<'_>>, entry: UnitOffset<usize>) -> CallPlace {
    let Ok(entry) = unit.entry(entry) else { return CallPlace::default() };
    let number = |name| match entry.attr_value(name)? {
        AttributeValue::FileIndex(file) => u32::try_from(file).ok(),
        value => value.udata_value()?.try_into().ok(),
    };
    // Before DWARF 5, file 0 means no file.
    let has_file = |file: &u32| *file > 0 || unit.header.version() >= 5;
    CallPlace {
        file: number(constants::DW_AT_call_file).filter(has_file),
        line: number(constants::DW_AT_call_line).filter(|line| *line > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_branch_around_an_address_is_the_chain() {
        let inlined = |start, end, depth, line| Inlined {
            start,
            end,
            depth,
            entry: UnitOffset(0),
            call: CallPlace { file: None, line: Some(line) },
        };
        // a(b(c) d) e
        let all = [
            inlined(0, 100, 2, 1),
            inlined(10, 50, 3, 2),
            inlined(20, 30, 5, 3),
            inlined(60, 70, 3, 4),
            inlined(100, 120, 2, 5),
        ];
        let lines = |address| chain_at(&all, address).iter().map(|f| f.call.line.unwrap()).collect::<Vec<_>>();
        assert_eq!(lines(25), [1, 2, 3]);
        assert_eq!(lines(65), [1, 4]);
        assert_eq!(lines(99), [1]);
        assert_eq!(lines(110), [5]);
        assert!(lines(120).is_empty());
    }
}
