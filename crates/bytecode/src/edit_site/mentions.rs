//! Searches for classes that mention a name. Only their constants are read.

use std::hash::{Hash, Hasher};

/// True if the constants of a class file contain all of `texts`. Only the constants are read.
pub(super) fn mentions_all(bytes: &[u8], texts: &[&str]) -> bool {
    let mut missing: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
    for text in ConstantTexts::new(bytes) {
        missing.retain(|wanted| *wanted != text);
        if missing.is_empty() {
            return true;
        }
    }
    false
}

/// The texts in a class file's constants.
pub(super) struct ConstantTexts<'b> {
    rest: &'b [u8],
    count_left: u16,
}

impl<'b> ConstantTexts<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        // The number of constants comes after the magic number and the version.
        let count = bytes.get(8..10).map_or(0, |count| u16::from_be_bytes([count[0], count[1]]));
        Self { rest: bytes.get(10..).unwrap_or_default(), count_left: count.saturating_sub(1) }
    }
}

impl<'b> Iterator for ConstantTexts<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        while self.count_left > 0 {
            self.count_left -= 1;
            let (kind, rest) = self.rest.split_first()?;
            let length = match kind {
                1 => {
                    let length = usize::from(u16::from_be_bytes([*rest.first()?, *rest.get(1)?]));
                    let text = rest.get(2..2 + length)?;
                    self.rest = &rest[2 + length..];
                    return Some(text);
                }
                3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => 4,
                5 | 6 => {
                    self.count_left = self.count_left.saturating_sub(1);
                    8
                }
                7 | 8 | 16 | 19 | 20 => 2,
                15 => 3,
                _ => return None,
            };
            self.rest = rest.get(length..)?;
        }
        None
    }
}

/// An index of many classes by hashes of their texts. It can find too many classes, but never misses a class.
pub struct TextIndex {
    /// Sorted pairs: a text's hash, and the row of a class that contains the text.
    rows: Vec<(u32, u32)>,
}

impl TextIndex {
    /// Creates the index of class files. A row is the position of a file, counted from 0.
    pub fn of<'b>(classes: impl Iterator<Item = &'b [u8]>) -> Self {
        let texts = (0..)
            .zip(classes)
            .flat_map(|(class, bytes)| ConstantTexts::new(bytes).map(move |text| (hash(text), class)));
        let mut rows: Vec<(u32, u32)> = texts.collect();
        rows.sort_unstable();
        rows.dedup();
        Self { rows }
    }

    /// Rows of classes with all of `texts`.
    pub fn holding(&self, texts: &[&str]) -> Vec<u32> {
        let mut found: Option<Vec<u32>> = None;
        for text in texts {
            let hash = hash(text.as_bytes());
            let start = self.rows.partition_point(|(known, _)| *known < hash);
            let rows = self.rows[start..].iter().take_while(|(known, _)| *known == hash).map(|(_, class)| *class);
            found = Some(match found {
                None => rows.collect(),
                Some(before) => rows.filter(|class| before.binary_search(class).is_ok()).collect(),
            });
        }
        found.unwrap_or_default()
    }
}

fn hash(text: &[u8]) -> u32 {
    let mut hasher = rustc_hash::FxHasher::default();
    text.hash(&mut hasher);
    (hasher.finish() >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(texts: &[&str]) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
        bytes.extend((texts.len() as u16 + 1).to_be_bytes());
        for text in texts {
            bytes.push(1);
            bytes.extend((text.len() as u16).to_be_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes
    }

    #[test]
    fn the_index_and_a_scan_of_all_classes_find_the_same() {
        let classes = [class(&["write", "(I)V", "a/B"]), class(&["write", "()V"]), class(&["(I)V"]), Vec::new()];
        let index = TextIndex::of(classes.iter().map(Vec::as_slice));
        for texts in [&["write"][..], &["write", "(I)V"], &["absent"], &["write", "absent"]] {
            let all = (0..).zip(&classes).filter(|(_, bytes)| mentions_all(bytes, texts));
            let expected: Vec<u32> = all.map(|(row, _)| row).collect();
            assert_eq!(index.holding(texts), expected, "{texts:?}");
        }
    }
}
