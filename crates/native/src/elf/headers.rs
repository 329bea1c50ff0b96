//! An ELF file's headers: the positions of its sections and its code.

use super::bytes::BoundedReads;
use crate::addresses::ElfAddr;
use crate::registers::Architecture;
use object::LittleEndian;
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, SectionTable};
use object::read::{CompressionFormat, Result};

/// The sections that are read, in addition to the sections of DWARF.
const WANTED_SECTIONS: &[&str] = &[
    ".eh_frame",
    ".eh_frame_hdr",
    ".symtab",
    ".strtab",
    ".dynsym",
    ".dynstr",
    ".plt",
    ".plt.sec",
    ".rela.plt",
    ".text",
    ".note.gnu.build-id",
    ".gnu_debuglink",
    ".gnu_debugaltlink",
];

/// A section's position in the file.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) name: Vec<u8>,
    pub(super) address: ElfAddr,
    pub(super) offset: u64,
    /// Size in the file, in bytes.
    pub(super) size: u64,
    pub(super) format: CompressionFormat,
    /// Size after decompression.
    pub(super) full_size: u64,
}

/// A part of the file that is mapped as code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CodeSegment {
    pub(super) offset: u64,
    pub(super) address: u64,
    pub(super) size: u64,
}

/// The content of the headers.
#[derive(Debug)]
pub(super) struct Headers {
    pub(super) architecture: Architecture,
    pub(super) sections: Vec<Section>,
    pub(super) code: Vec<CodeSegment>,
    /// Offset and size of the segments with notes.
    pub(super) notes: Vec<(u64, u64)>,
}

impl Headers {
    /// Reads the headers. `None` if the file is not a 64-bit program for a known processor.
    pub(super) fn read(bytes: BoundedReads<'_>) -> Option<Self> {
        let header = FileHeader64::<LittleEndian>::parse(bytes).ok()?;
        let endian = header.endian().ok()?;
        let architecture = match header.e_machine(endian) {
            elf::EM_X86_64 => Architecture::X86_64,
            elf::EM_AARCH64 => Architecture::Aarch64,
            _ => return None,
        };
        // A file without section headers still has its segments.
        let sections = header.sections(endian, bytes).map_or_else(|_| Vec::new(), |table| wanted(&table, bytes));
        let (mut code, mut notes) = (Vec::new(), Vec::new());
        for segment in header.program_headers(endian, bytes).unwrap_or_default() {
            let (offset, size) = (segment.p_offset(endian), segment.p_filesz(endian));
            match segment.p_type(endian) {
                elf::PT_LOAD if segment.p_flags(endian) & elf::PF_X != 0 => {
                    code.push(CodeSegment { offset, address: segment.p_vaddr(endian), size });
                }
                elf::PT_NOTE => notes.push((offset, size)),
                _ => {}
            }
        }
        Some(Self { architecture, sections, code, notes })
    }
}

fn wanted<'data>(
    table: &SectionTable<'data, FileHeader64<LittleEndian>, BoundedReads<'data>>,
    bytes: BoundedReads<'data>,
) -> Vec<Section> {
    let is_wanted =
        |name: &[u8]| name.starts_with(b".debug_") || WANTED_SECTIONS.iter().any(|wanted| wanted.as_bytes() == name);
    let named = table.iter().filter_map(|section| Some((section, table.section_name(LittleEndian, section).ok()?)));
    let wanted = named.filter(|(_, name)| is_wanted(name));
    wanted.filter_map(|(header, name)| read_section(header, name, bytes).ok()?).collect()
}

/// Reads a section's header. `None` if the section has no bytes in the file. For example, a file with debug information
/// has no bytes for the code section.
fn read_section(
    header: &elf::SectionHeader64<LittleEndian>,
    name: &[u8],
    bytes: BoundedReads<'_>,
) -> Result<Option<Section>> {
    let endian = LittleEndian;
    let Some((offset, size)) = header.file_range(endian) else { return Ok(None) };
    let address = ElfAddr(header.sh_addr(endian));
    let plain =
        Section { name: name.to_vec(), address, offset, size, format: CompressionFormat::None, full_size: size };
    let Some((packing, offset, size)) = header.compression(endian, bytes)? else { return Ok(Some(plain)) };
    let format = match packing.ch_type.get(endian) {
        elf::ELFCOMPRESS_ZLIB => CompressionFormat::Zlib,
        elf::ELFCOMPRESS_ZSTD => CompressionFormat::Zstandard,
        _ => CompressionFormat::Unknown,
    };
    Ok(Some(Section { offset, size, format, full_size: packing.ch_size.get(endian), ..plain }))
}
