//! The address ranges of an entry: a unit, a function or an inlined function.

use super::sections::Slice;
use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, RngListIter, Unit, UnitOffset, constants};

/// The non-empty ranges of the entry at this offset. They end at the first unreadable range.
pub(super) fn ranges_of<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    entry: UnitOffset<usize>,
) -> impl Iterator<Item = (u64, u64)> + use<'a> {
    let entry = unit.entry(entry).ok();
    let list = entry.as_ref().and_then(|entry| list_of(dwarf, unit, entry));
    // gimli's function for this purpose adds without an overflow check.
    let single = if list.is_none() { entry.and_then(|entry| single_range(dwarf, unit, &entry)) } else { None };
    let listed = list.into_iter().flat_map(|mut list| std::iter::from_fn(move || list.next().ok()?));
    let listed = listed.map(|range| (range.begin, range.end));
    single.into_iter().chain(listed).filter(|(start, end)| start < end)
}

fn list_of<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    entry: &DebuggingInformationEntry<Slice<'a>>,
) -> Option<RngListIter<Slice<'a>>> {
    dwarf.attr_ranges(unit, entry.attr_value(constants::DW_AT_ranges)?).ok()?
}

/// A range from two attributes. The first attribute is the start address. The second attribute is the end address or
/// the size.
fn single_range<'a>(
    dwarf: &Dwarf<Slice<'a>>,
    unit: &Unit<Slice<'a>>,
    entry: &DebuggingInformationEntry<Slice<'a>>,
) -> Option<(u64, u64)> {
    let address = |value| dwarf.attr_address(unit, value).ok()?;
    let start = address(entry.attr_value(constants::DW_AT_low_pc)?)?;
    let end = match entry.attr_value(constants::DW_AT_high_pc)? {
        AttributeValue::Udata(size) => start.checked_add(size)?,
        value => address(value)?,
    };
    Some((start, end))
}
