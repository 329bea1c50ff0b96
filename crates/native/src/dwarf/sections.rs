//! The DWARF sections that whittle uses, in memory.

use crate::elf::ElfFile;
use gimli::{Dwarf, EndianSlice, LittleEndian, SectionId};

/// The bytes of a section, in the form that decoding needs.
pub(super) type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// Maximum size of a file's debug information. Above this limit, functions have names but no lines.
const MAX_FILE_BYTES: u64 = 256 << 20;

const USED_SECTIONS: [SectionId; 9] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
];

/// The sections of one file, and of the supplementary file that it refers to.
#[derive(Debug)]
pub struct DebugSections {
    bytes: Vec<(SectionId, Vec<u8>)>,
    supplementary: Option<Box<DebugSections>>,
}

impl DebugSections {
    /// Reads a file's sections. `None` if the file has no debug information, or more than `budget_bytes`.
    pub fn read(elf: &ElfFile, supplementary: Option<&ElfFile>, budget_bytes: u64) -> Option<Self> {
        let files = [Some(elf), supplementary];
        let byte_count = files.into_iter().flatten().map(byte_count).fold(0_u64, u64::saturating_add);
        if !elf.has_section(SectionId::DebugInfo.name()) || byte_count > budget_bytes.min(MAX_FILE_BYTES) {
            return None;
        }
        let supplementary =
            supplementary.map(|file| Box::new(Self { bytes: read_sections(file), supplementary: None }));
        Some(Self { bytes: read_sections(elf), supplementary })
    }

    /// How much memory the sections take.
    pub fn byte_count(&self) -> u64 {
        let own: usize = self.bytes.iter().map(|(_, bytes)| bytes.len()).sum();
        own as u64 + self.supplementary.as_ref().map_or(0, |other| other.byte_count())
    }

    /// The sections, in the form that decoding needs.
    pub(super) fn dwarf(&self) -> Dwarf<Slice<'_>> {
        let mut dwarf = self.without_supplementary();
        if let Some(other) = &self.supplementary {
            dwarf.set_sup(other.without_supplementary());
        }
        dwarf
    }

    fn without_supplementary(&self) -> Dwarf<Slice<'_>> {
        let section = |id: SectionId| {
            let found = self.bytes.iter().find(|(section, _)| *section == id);
            EndianSlice::new(found.map_or(&[][..], |(_, bytes)| bytes), LittleEndian)
        };
        Dwarf::load(|id| Ok::<_, std::convert::Infallible>(section(id))).unwrap_or_default()
    }
}

fn byte_count(elf: &ElfFile) -> u64 {
    USED_SECTIONS.iter().map(|id| elf.section_byte_count(id.name())).fold(0, u64::saturating_add)
}

fn read_sections(elf: &ElfFile) -> Vec<(SectionId, Vec<u8>)> {
    let read = USED_SECTIONS.iter().filter_map(|id| Some((*id, elf.section(id.name(), MAX_FILE_BYTES)?.bytes)));
    read.collect()
}
