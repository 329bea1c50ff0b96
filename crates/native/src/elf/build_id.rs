//! Build ids: a hash that connects a file with its separate debug information.

/// Maximum length of a build id. A build id is a hash, usually 20 bytes long.
const MAX_BYTES: usize = 64;
/// Kind of the note that contains the build id.
const NOTE_KIND: u32 = 3;

/// Finds the build id in the bytes of notes. Each note is `name length, length, kind, name, content`. Name and content
/// are padded to 4 bytes.
pub(super) fn in_notes(mut bytes: &[u8]) -> Option<String> {
    loop {
        let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let (name_size, size, kind) = (number(0)? as usize, number(4)? as usize, number(8)?);
        let name_end = 12_usize.checked_add(name_size.checked_next_multiple_of(4)?)?;
        let content = bytes.get(name_end..)?;
        if kind == NOTE_KIND && bytes.get(12..12 + name_size)? == b"GNU\0" {
            return in_hexadecimal(content.get(..size)?);
        }
        bytes = content.get(size.checked_next_multiple_of(4)?..)?;
    }
}

/// Formats an id in lower-case hexadecimal. `None` if its length is unusual.
pub(super) fn in_hexadecimal(id: &[u8]) -> Option<String> {
    let is_usual = (2..=MAX_BYTES).contains(&id.len());
    is_usual.then(|| id.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(kind: u32, name: &[u8], content: &[u8]) -> Vec<u8> {
        let mut bytes = [name.len() as u32, content.len() as u32, kind].map(u32::to_le_bytes).concat();
        for part in [name, content] {
            bytes.extend(part);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        bytes
    }

    #[test]
    fn the_build_id_is_found_among_other_notes() {
        let mut notes = note(1, b"GNU\0", &[1; 16]);
        notes.extend(note(3, b"Go\0\0", b"text of another kind"));
        notes.extend(note(3, b"GNU\0", &[0xab, 0xcd, 0x01]));
        assert_eq!(in_notes(&notes).as_deref(), Some("abcd01"));
        for length in 0..notes.len() - 1 {
            assert_eq!(in_notes(&notes[..length]), None, "{length}");
        }
        assert_eq!(in_notes(&note(3, b"GNU\0", &[])), None);
        assert_eq!(in_notes(&[0xff; 64]), None);
    }
}
