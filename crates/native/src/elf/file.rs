//! An open ELF file: its headers and the bytes of its sections.

use super::build_id;
use super::bytes::{BoundedReads, ElfBytes, Reader};
use super::headers::{Headers, Section};
use super::unpacked;
use crate::addresses::{ElfAddr, FileOffset};
use crate::registers::Architecture;
use object::read::{CompressedData, CompressionFormat, ReadCache};
use std::ops::Range;

/// Maximum size of a note.
const MAX_NOTE_BYTES: u64 = 1 << 16;
/// Unit of a mapping: the smallest page size of the supported processors.
const PAGE_BYTES: u64 = 4096;

/// A section's bytes and their address in memory.
#[derive(Debug, Clone)]
pub struct SectionBytes {
    pub address: ElfAddr,
    pub bytes: Vec<u8>,
}

/// The name of another file with debug information, and its checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebugLink {
    /// File name or path, as in the link.
    pub name: String,
    /// CRC-32 of the other file (`.gnu_debuglink`).
    pub checksum: Option<u32>,
    /// Build id of the other file in hexadecimal (`.gnu_debugaltlink`).
    pub build_id: Option<String>,
}

/// An ELF file.
#[derive(Debug)]
pub struct ElfFile {
    source: ElfBytes,
    headers: Headers,
    build_id: Option<String>,
}

impl ElfFile {
    /// Reads the headers. `None` if the file is not a 64-bit program for a known processor.
    pub fn open(source: ElfBytes) -> Option<Self> {
        let headers = Headers::read(BoundedReads(&ReadCache::new(Reader::new(&source))))?;
        let mut file = Self { source, headers, build_id: None };
        file.build_id = file.find_build_id();
        Some(file)
    }

    /// The processor that the code is for.
    pub fn architecture(&self) -> Architecture {
        self.headers.architecture
    }

    /// GNU build id in lower-case hexadecimal.
    pub fn build_id(&self) -> Option<&str> {
        self.build_id.as_deref()
    }

    /// The address of the code at `offset` of the file, as in the file's headers.
    pub fn address_of(&self, offset: FileOffset) -> Option<ElfAddr> {
        let segment = self.headers.code.iter().find(|segment| {
            // A mapping starts and ends at page boundaries, so it is slightly larger than its segment.
            let start = segment.offset - segment.offset % PAGE_BYTES;
            let end = segment.offset.saturating_add(segment.size).checked_next_multiple_of(PAGE_BYTES);
            (start..end.unwrap_or(u64::MAX)).contains(&offset.0)
        })?;
        Some(ElfAddr(offset.0.wrapping_sub(segment.offset).wrapping_add(segment.address)))
    }

    /// True if the headers contain code at this address.
    pub fn has_code_at(&self, address: ElfAddr) -> bool {
        self.offset_of(address).is_some()
    }

    /// Reads code. False if there are too few bytes.
    pub fn read_code(&self, address: ElfAddr, buffer: &mut [u8]) -> bool {
        self.offset_of(address).is_some_and(|offset| self.source.read_exact_at(offset, buffer))
    }

    fn offset_of(&self, address: ElfAddr) -> Option<FileOffset> {
        let code = self.headers.code.iter();
        let mut inside =
            code.filter(|segment| address.0 >= segment.address && address.0 - segment.address < segment.size);
        let segment = inside.next()?;
        Some(FileOffset((address.0 - segment.address).checked_add(segment.offset)?))
    }

    /// True if there is a section with this name.
    pub fn has_section(&self, name: &str) -> bool {
        self.find_section(name).is_some()
    }

    /// Addresses of the section in memory.
    pub fn section_range(&self, name: &str) -> Option<Range<u64>> {
        let section = self.find_section(name)?;
        Some(section.address.0..section.address.0.checked_add(section.full_size)?)
    }

    /// Bytes of the section after reading and decompressing; 0 if the section is missing.
    pub fn section_byte_count(&self, name: &str) -> u64 {
        self.find_section(name).map_or(0, |section| section.full_size)
    }

    /// The section's bytes. `None` if it is missing, corrupt or larger than `limit` bytes.
    pub fn section(&self, name: &str, limit: u64) -> Option<SectionBytes> {
        let section = self.find_section(name)?;
        if section.full_size > limit {
            return None;
        }
        let bytes = self.source.read(section.offset, section.size, limit)?;
        let bytes = match section.format {
            CompressionFormat::None => bytes,
            CompressionFormat::Zstandard => unpacked::zstd(&bytes, usize::try_from(section.full_size).ok()?)?,
            // The library unpacks at most the declared size.
            format => {
                let packed = CompressedData { format, data: &bytes, uncompressed_size: section.full_size };
                packed.decompress().ok()?.into_owned()
            }
        };
        Some(SectionBytes { address: section.address, bytes })
    }

    /// The link to the file with this file's debug information (`.gnu_debuglink`).
    pub fn debug_link(&self) -> Option<DebugLink> {
        let (name, rest) = self.link(".gnu_debuglink")?;
        // The checksum is at the next multiple of four, counted from the section's start.
        let checksum = rest.get((name.len() + 1).next_multiple_of(4) - (name.len() + 1)..)?.first_chunk()?;
        Some(DebugLink { name, checksum: Some(u32::from_le_bytes(*checksum)), build_id: None })
    }

    /// The link to the file with debug information that this file shares with other files (`.gnu_debugaltlink`).
    pub fn supplementary_link(&self) -> Option<DebugLink> {
        let (name, rest) = self.link(".gnu_debugaltlink")?;
        Some(DebugLink { name, checksum: None, build_id: Some(build_id::in_hexadecimal(&rest)?) })
    }

    /// True if `link` refers to this file.
    pub fn is_named_by(&self, link: &DebugLink) -> bool {
        match (&link.build_id, link.checksum) {
            (Some(build_id), _) => self.build_id() == Some(build_id),
            (None, Some(checksum)) => self.source.checksum() == Some(checksum),
            (None, None) => false,
        }
    }

    /// A section's text up to its first zero byte, and the bytes after it.
    fn link(&self, section: &str) -> Option<(String, Vec<u8>)> {
        let bytes = self.section(section, MAX_NOTE_BYTES)?.bytes;
        let length = bytes.iter().position(|byte| *byte == 0)?;
        Some((String::from_utf8(bytes[..length].to_vec()).ok()?, bytes[length + 1..].to_vec()))
    }

    fn find_section(&self, name: &str) -> Option<&Section> {
        self.headers.sections.iter().find(|section| section.name == name.as_bytes())
    }

    /// The build id from its section. If that section is missing, the build id from the segments with notes.
    fn find_build_id(&self) -> Option<String> {
        let section = self.section(".note.gnu.build-id", MAX_NOTE_BYTES);
        let from_section = section.and_then(|section| build_id::in_notes(&section.bytes));
        let notes = self.headers.notes.iter();
        let mut notes = notes.filter_map(|(offset, size)| self.source.read(*offset, *size, MAX_NOTE_BYTES));
        from_section.or_else(|| notes.find_map(|bytes| build_id::in_notes(&bytes)))
    }
}
