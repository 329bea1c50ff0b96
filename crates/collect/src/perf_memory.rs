//! The layout of HotSpot's performance counters (hsperfdata). They are names and current numbers in a file that other
//! processes can read, such as `jstat`.
//!
//! ```text
//! prologue (32 bytes)  magic CA FE C0 C0 │ byte order, major, minor, accessible │ used │ overflow │ time (8)
//!                      │ offset of the first entry │ number of entries
//! entry (20 bytes)     length │ offset of the name │ length of a vector │ type, flags, unit, variability
//!                      │ offset of the value, then name and value
//! ```
//!
//! Offsets in an entry are relative to its start. Source: HotSpot's `perfMemory.hpp`, version 2.0, which is unchanged
//! since JDK 5. Only plain 64-bit numbers are returned, no texts. This module does no I/O: its input is bytes.

const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
/// The only known major version. A larger minor version is compatible.
const MAJOR_VERSION: u8 = 2;
const PROLOGUE_BYTES: usize = 32;
const ENTRY_BYTES: usize = 20;
/// A type of values, as in the JVM's descriptors.
const LONG: u8 = b'J';

#[cfg(target_endian = "little")]
const OUR_BYTE_ORDER: u8 = 1;
#[cfg(target_endian = "big")]
const OUR_BYTE_ORDER: u8 = 0;

/// The readable numbers in `bytes`, by name. `None`: the bytes are not the counters of a JVM on this machine, or the
/// JVM has not finished creating them.
pub(crate) fn parse_numbers(bytes: &[u8]) -> Option<impl Iterator<Item = (&str, u64)>> {
    let is_ready = bytes.get(..4)? == MAGIC
        && *bytes.get(4)? == OUR_BYTE_ORDER
        && *bytes.get(5)? == MAJOR_VERSION
        && *bytes.get(7)? != 0;
    let first = number(bytes, 24)?;
    if !is_ready || first < PROLOGUE_BYTES {
        return None;
    }
    let mut next = Some(first);
    let entries = std::iter::from_fn(move || {
        let entry = bytes.get(next?..)?;
        let length = number(entry, 0)?;
        // Entries follow each other. A length of 0 would make this loop endless.
        next = next.filter(|_| length >= ENTRY_BYTES).map(|start| start + length);
        next?;
        Some(entry.get(..length).and_then(parse_entry))
    });
    Some(entries.flatten())
}

/// Name and value of an entry that is a plain 64-bit number.
fn parse_entry(entry: &[u8]) -> Option<(&str, u64)> {
    let is_plain_long = entry.get(12) == Some(&LONG) && number(entry, 8)? == 0;
    let name = entry.get(number(entry, 4)?..)?;
    let name = name.split(|byte| *byte == 0).next()?;
    let value = number(entry, 16)?;
    let value = entry.get(value..value.checked_add(8)?)?.first_chunk()?;
    let name = str::from_utf8(name).ok()?;
    is_plain_long.then(|| (name, u64::from_ne_bytes(*value)))
}

fn number(bytes: &[u8], position: usize) -> Option<usize> {
    usize::try_from(u32::from_ne_bytes(*bytes.get(position..)?.first_chunk()?)).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A file with these numbers, and a text between them.
    pub(crate) fn performance_memory(numbers: &[(&str, u64)]) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[OUR_BYTE_ORDER, 2, 0, 1], &[0; 24]].concat();
        bytes[24..28].copy_from_slice(&32_u32.to_ne_bytes());
        add_entry(&mut bytes, "java.rt.vmVersion", (b'B', 8), *b"25+36\0\0\0");
        for (name, value) in numbers {
            add_entry(&mut bytes, name, (LONG, 0), value.to_ne_bytes());
        }
        bytes.resize(bytes.len().next_multiple_of(4096), 0);
        bytes
    }

    fn add_entry(bytes: &mut Vec<u8>, name: &str, (value_type, vector_length): (u8, u32), value: [u8; 8]) {
        let value_offset = (ENTRY_BYTES + name.len() + 1).next_multiple_of(8);
        let start = bytes.len();
        for field in [(value_offset + 8) as u32, ENTRY_BYTES as u32, vector_length] {
            bytes.extend(field.to_ne_bytes());
        }
        bytes.extend([value_type, 1, 1, 3]);
        bytes.extend((value_offset as u32).to_ne_bytes());
        bytes.extend(name.as_bytes());
        bytes.resize(start + value_offset, 0);
        bytes.extend(value);
    }

    fn numbers(bytes: &[u8]) -> Option<BTreeMap<&str, u64>> {
        parse_numbers(bytes).map(Iterator::collect)
    }

    #[test]
    fn numbers_are_found_by_name_and_texts_left_out() {
        let bytes = performance_memory(&[("java.threads.live", 7), ("sun.os.hrt.frequency", 1_000_000_000)]);
        let expected = BTreeMap::from([("java.threads.live", 7), ("sun.os.hrt.frequency", 1_000_000_000)]);
        assert_eq!(numbers(&bytes), Some(expected));
    }

    #[test]
    fn memory_of_another_machine_or_version_is_refused() {
        let good = performance_memory(&[("a", 1)]);
        for (position, byte) in [(0, 0), (4, 1 - OUR_BYTE_ORDER), (5, 1), (5, 3), (7, 0), (24, 31)] {
            let mut bytes = good.clone();
            bytes[position] = byte;
            assert_eq!(numbers(&bytes), None, "byte {position} = {byte}");
        }
        assert_eq!(numbers(&[]), None);
        assert_eq!(numbers(&good[..27]), None);
    }

    /// Reading ends for any bytes, and returns no more entries than the bytes can contain.
    #[test]
    fn no_damage_does_harm() {
        let good = performance_memory(&[("one", 1), ("two", 2), ("three", 3)]);
        let used = good.iter().rposition(|byte| *byte != 0).unwrap() + 8;
        for position in 0..used {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut bytes = good.clone();
                bytes[position] = byte;
                let count = parse_numbers(&bytes).map_or(0, Iterator::count);
                assert!(count <= 3, "byte {position} = {byte}: {count}");
            }
        }
        for length in 0..used {
            assert!(parse_numbers(&good[..length]).map_or(0, Iterator::count) <= 3);
        }
    }
}
