//! Names of functions in debug information.
//!
//! An inlined or out-of-line copy of a function has no name. Its entry refers to the entry of the function. That entry
//! can refer to the function's declaration, which can be in another unit or even in another file.

use super::sections::Slice;
use super::units::Units;
use gimli::{AttributeValue, Dwarf, Unit, UnitOffset, constants};

/// Maximum number of followed references, because references can form a cycle. Usually there are two.
const MAX_REFERENCES: usize = 16;

/// The known properties of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Declaration {
    /// The linker's name. If it is missing, the name in the source.
    pub(super) name: Option<Vec<u8>>,
    /// Line where the function is declared.
    pub(super) line: Option<u32>,
}

/// The possible targets of references.
pub(super) struct References<'r, 'a> {
    pub(super) dwarf: &'r Dwarf<Slice<'a>>,
    pub(super) units: &'r Units,
    pub(super) supplementary_units: &'r Units,
}

impl<'a> References<'_, 'a> {
    /// Name and line of the function with this entry.
    pub(super) fn declaration(&self, unit: &Unit<Slice<'a>>, entry: UnitOffset<usize>) -> Declaration {
        let mut found = Declaration::default();
        let (mut other, mut is_supplementary): (Option<Unit<Slice<'a>>>, bool) = (None, false);
        let (mut entry, mut has_linker_name) = (entry, false);
        for _ in 0..MAX_REFERENCES {
            let dwarf = if is_supplementary { self.dwarf.sup() } else { Some(self.dwarf) };
            let (Some(dwarf), current) = (dwarf, other.as_ref().unwrap_or(unit)) else { break };
            let Some(step) = read_step(dwarf, current, entry) else { break };
            found.line = found.line.or(step.line);
            if !has_linker_name && (step.linker_name.is_some() || found.name.is_none()) {
                has_linker_name = step.linker_name.is_some();
                found.name = step.linker_name.or(step.source_name);
            }
            if has_linker_name && found.line.is_some() {
                break;
            }
            match step.reference {
                Some(AttributeValue::UnitRef(offset)) => entry = offset,
                Some(AttributeValue::DebugInfoRef(offset)) => {
                    let units = if is_supplementary { self.supplementary_units } else { self.units };
                    let Some((unit, offset)) = enter(units, dwarf, offset) else { break };
                    (other, entry) = (Some(unit), offset);
                }
                Some(AttributeValue::DebugInfoRefSup(offset)) => {
                    let Some(dwarf) = dwarf.sup() else { break };
                    let Some((unit, offset)) = enter(self.supplementary_units, dwarf, offset) else { break };
                    (other, entry, is_supplementary) = (Some(unit), offset, true);
                }
                _ => break,
            }
        }
        found
    }
}

/// The content of one entry, and the entry that it refers to.
struct EntryStep<'a> {
    linker_name: Option<Vec<u8>>,
    source_name: Option<Vec<u8>>,
    line: Option<u32>,
    reference: Option<AttributeValue<Slice<'a>>>,
}

fn read_step<'a>(dwarf: &Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>, entry: UnitOffset<usize>) -> Option<EntryStep<'a>> {
    let entry = unit.entry(entry).ok()?;
    let text = |value| Some(dwarf.attr_string(unit, value).ok()?.slice().to_vec());
    let first = |names: [constants::DwAt; 2]| names.into_iter().find_map(|name| entry.attr_value(name));
    let line = entry.attr_value(constants::DW_AT_decl_line);
    Some(EntryStep {
        linker_name: first([constants::DW_AT_linkage_name, constants::DW_AT_MIPS_linkage_name]).and_then(text),
        source_name: entry.attr_value(constants::DW_AT_name).and_then(text),
        line: line.as_ref().and_then(AttributeValue::udata_value).and_then(|line| line.try_into().ok()),
        reference: first([constants::DW_AT_abstract_origin, constants::DW_AT_specification]),
    })
}

/// The unit that contains an offset of `.debug_info`, and the offset within this unit.
fn enter<'a>(
    units: &Units,
    dwarf: &Dwarf<Slice<'a>>,
    offset: gimli::DebugInfoOffset<usize>,
) -> Option<(Unit<Slice<'a>>, UnitOffset<usize>)> {
    let unit = units.unit_around(dwarf, offset.0)?;
    let within = offset.to_unit_offset(&unit.header)?;
    Some((unit, within))
}
