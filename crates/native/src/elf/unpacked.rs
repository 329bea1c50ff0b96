//! Unpacks sections that are compressed with zstd.
//!
//! The crate `object` unpacks such a section to its end before it compares the declared size. Half a megabyte can unpack
//! to four gigabytes.

use ruzstd::decoding::StreamingDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use std::io::Read;

/// The content, which must have exactly `size` bytes. `None` if it has another size or is corrupt.
pub(super) fn zstd(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    content.try_reserve_exact(size).ok()?;
    let mut rest = packed;
    while !rest.is_empty() {
        let frame = match StreamingDecoder::new(&mut rest) {
            Ok(frame) => frame,
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                rest = rest.get(length as usize..)?;
                continue;
            }
            Err(_) => return None,
        };
        // One byte more shows that the content is too long.
        let room = size - content.len() + 1;
        frame.take(room as u64).read_to_end(&mut content).ok()?;
        if content.len() > size {
            return None;
        }
    }
    (content.len() == size).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::{ElfBytes, ElfFile};
    use std::fs;
    use whittle_testkit::peak_memory_of;

    /// A zstd frame that repeats a zero byte. Each block of four bytes gives 128 KiB.
    fn zeros(block_count: usize) -> Vec<u8> {
        const BLOCK_BYTES: u32 = 128 << 10;
        // Magic, no checksum, no content size, and a window of 128 KiB.
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
        for block in 1..=block_count {
            let head = BLOCK_BYTES << 3 | 1 << 1 | u32::from(block == block_count);
            frame.extend(&head.to_le_bytes()[..3]);
            frame.push(0);
        }
        frame
    }

    #[test]
    fn the_declared_size_is_the_limit() {
        let frame = zeros(3);
        assert_eq!(zstd(&frame, 3 << 17).unwrap(), vec![0; 3 << 17]);
        assert_eq!(zstd(&[frame.clone(), frame.clone()].concat(), 6 << 17).unwrap().len(), 6 << 17);
        for wrong in [0, 1, (3 << 17) - 1, (3 << 17) + 1] {
            assert_eq!(zstd(&frame, wrong), None, "{wrong}");
        }
        assert_eq!(zstd(&frame[..frame.len() - 2], 3 << 17), None);
        assert_eq!(zstd(b"no frame", 8), None);
    }

    /// An ELF file with a section `.debug_info` that declares `full_size`.
    fn elf_with_section(full_size: u64, packed: &[u8]) -> Vec<u8> {
        const NAMES: &[u8] = b"\0.shstrtab\0.debug_info\0";
        let names_at = 64;
        let section_at = names_at + NAMES.len() as u64;
        let headers_at = section_at + 24 + packed.len() as u64;
        let mut file = b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
        file.extend([3_u16, 62].map(u16::to_le_bytes).concat());
        file.extend(1_u32.to_le_bytes());
        file.extend([0, 0, headers_at].map(u64::to_le_bytes).concat());
        file.extend(0_u32.to_le_bytes());
        file.extend([64_u16, 56, 0, 64, 3, 1].map(u16::to_le_bytes).concat());
        file.extend(NAMES);
        // The header of the compressed section: zstd, reserved, the full size, the alignment.
        file.extend([2_u32, 0].map(u32::to_le_bytes).concat());
        file.extend([full_size, 1].map(u64::to_le_bytes).concat());
        file.extend(packed);
        let section = |name: u32, kind: u32, flags: u64, offset: u64, size: u64| {
            let words = [flags, 0, offset, size, 0, 1, 0].map(u64::to_le_bytes).concat();
            [[name, kind].map(u32::to_le_bytes).concat(), words].concat()
        };
        file.extend(section(0, 0, 0, 0, 0));
        file.extend(section(1, 3, 0, names_at, NAMES.len() as u64));
        file.extend(section(11, 1, 0x800, section_at, 24 + packed.len() as u64));
        file
    }

    #[test]
    fn a_small_section_does_not_become_gigabytes() {
        let prepare = |folder: &std::path::Path| {
            // 40,000 blocks of 128 KiB: 5 GB.
            fs::write(folder.join("bomb"), elf_with_section(1 << 20, &zeros(40_000))).unwrap();
            fs::write(folder.join("honest"), elf_with_section(1 << 20, &zeros(8))).unwrap();
        };
        let peak =
            peak_memory_of("elf::unpacked::tests::a_small_section_does_not_become_gigabytes", prepare, |folder| {
                let open = |name| ElfFile::open(ElfBytes::Memory(fs::read(folder.join(name)).unwrap())).unwrap();
                assert_eq!(open("honest").section(".debug_info", 1 << 28).unwrap().bytes.len(), 1 << 20);
                assert!(open("bomb").section(".debug_info", 1 << 28).is_none());
            });
        assert!(peak < 64 << 20, "{peak}");
    }
}
