//! The functions and source lines that an address was compiled from.

use super::functions::{CallPlace, Functions, Inlined, chain_at, inlined_into};
use super::lines::Lines;
use super::names::References;
use super::sections::{DebugSections, Slice};
use super::units::Units;
use crate::addresses::ElfAddr;
use gimli::{Dwarf, Unit, UnitOffset};
use rustc_hash::FxHashMap;

/// Maximum number of rows in all line tables of a file. At the limit, all rows are dropped. They are read again when
/// needed.
const MAX_LINE_ROWS: usize = 1 << 23;

/// A function of the source that contains an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceFrame {
    /// The linker's name. If it is missing, the name in the source. `None` if both are unknown.
    pub name: Option<Vec<u8>>,
    /// Path of the source file, as the compiler recorded it.
    pub source_file: Option<String>,
    /// Line where the function is declared.
    pub first_line: Option<u32>,
    /// Line of the address, or of the call to the next inner function.
    pub line: Option<u32>,
}

/// The debug information of a file.
#[derive(Debug)]
pub struct SourceLines {
    sections: DebugSections,
    units: Units,
    supplementary_units: Units,
    read: FxHashMap<usize, ReadUnit>,
    line_row_count: usize,
}

/// The data of a unit that was read.
#[derive(Debug)]
struct ReadUnit {
    functions: Functions,
    inlined: FxHashMap<UnitOffset<usize>, Vec<Inlined>>,
    lines: Lines,
}

impl SourceLines {
    /// Prepares a file's debug information. `is_code` returns true if there is code at an address.
    pub fn new(sections: DebugSections, is_code: impl Fn(ElfAddr) -> bool) -> Self {
        let dwarf = sections.dwarf();
        let units = Units::read(&dwarf, |address| is_code(ElfAddr(address)));
        let supplementary_units = dwarf.sup().map(Units::headers_only).unwrap_or_default();
        drop(dwarf);
        Self { sections, units, supplementary_units, read: FxHashMap::default(), line_row_count: 0 }
    }

    /// Bytes of debug information that are in memory.
    pub fn byte_count(&self) -> u64 {
        self.sections.byte_count()
    }

    /// The functions that contain the code at `address`, the innermost inlined function first. Empty if unknown.
    pub fn find(&mut self, address: ElfAddr, is_code: impl Fn(ElfAddr) -> bool) -> Vec<SourceFrame> {
        let is_code = |address| is_code(ElfAddr(address));
        let Self { sections, units, supplementary_units, read, line_row_count } = self;
        if *line_row_count > MAX_LINE_ROWS {
            read.clear();
            *line_row_count = 0;
        }
        let dwarf = sections.dwarf();
        let references = References { dwarf: &dwarf, units, supplementary_units };
        let mut best = Vec::new();
        for number in units.covering(address.0) {
            let Some(unit) = units.unit(&dwarf, number) else { continue };
            let known = read.entry(number).or_insert_with(|| {
                let unit = ReadUnit::new(&dwarf, &unit, is_code);
                *line_row_count += unit.lines.row_count();
                unit
            });
            let frames = known.find(address.0, &unit, &references);
            // A unit with the function is better than a unit with only a line.
            let has_name = frames.iter().any(|frame| frame.name.is_some());
            if has_name || best.is_empty() {
                best = frames;
            }
            if has_name {
                break;
            }
        }
        best
    }
}

impl ReadUnit {
    fn new(dwarf: &Dwarf<Slice<'_>>, unit: &Unit<Slice<'_>>, is_code: impl Fn(u64) -> bool) -> Self {
        let functions = Functions::read(dwarf, unit, &is_code);
        Self { functions, inlined: FxHashMap::default(), lines: Lines::read(unit, is_code) }
    }

    fn find<'a>(&mut self, address: u64, unit: &Unit<Slice<'a>>, references: &References<'_, 'a>) -> Vec<SourceFrame> {
        let dwarf = references.dwarf;
        let place = self.lines.find(address).map_or_else(CallPlace::default, |(file, line)| CallPlace {
            file: Some(file),
            line: Some(line).filter(|line| *line > 0),
        });
        let function = self.functions.find(address);
        let chain = function.map_or_else(Vec::new, |function| {
            let inlined = self.inlined.entry(function).or_insert_with(|| inlined_into(dwarf, unit, function));
            chain_at(inlined, address)
        });
        // Each outer function executes at the place where it calls the next inner function.
        let places = std::iter::once(place).chain(chain.iter().rev().map(|inlined| inlined.call));
        let entries = chain.iter().rev().map(|inlined| Some(inlined.entry)).chain([function]);
        let frames = entries.zip(places).map(|(entry, place)| {
            let declaration = entry.map(|entry| references.declaration(unit, entry)).unwrap_or_default();
            SourceFrame {
                name: declaration.name,
                source_file: place.file.and_then(|file| self.lines.path(dwarf, unit, file)),
                first_line: declaration.line,
                line: place.line,
            }
        });
        frames.filter(|frame| frame.name.is_some() || frame.line.is_some()).collect()
    }
}
