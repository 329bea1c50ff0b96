//! Writes answers that are mostly arrays. A JSON header comes first. The arrays follow in the layout of a browser's
//! typed arrays.
//!
//! ```text
//! offset 0        u32, little endian: length of the header
//!        4        header, UTF-8 JSON, then spaces until 4 + length is a multiple of 8
//!        4+length the arrays in the order of the header's `arrays`, little endian, each padded to 8 bytes
//! ```
//!
//! The header lists the arrays: `"arrays": [{"name": "x", "type": "f32", "length": 17}, …]`. Every array starts at a
//! multiple of 8, so a browser can use the buffer as a typed array without a copy.

use serde::Serialize;

/// Arrays and their padding start at multiples of this number.
const ALIGNMENT: usize = 8;

/// The numbers of one array.
#[derive(Debug, Clone, Copy)]
pub enum Numbers<'a> {
    /// Bytes.
    U8(&'a [u8]),
    /// Unsigned integers.
    U32(&'a [u32]),
    /// Numbers with 24 significant bits.
    F32(&'a [f32]),
    /// Numbers with 53 significant bits.
    F64(&'a [f64]),
}

impl Numbers<'_> {
    fn type_name(self) -> &'static str {
        match self {
            Self::U8(_) => "u8",
            Self::U32(_) => "u32",
            Self::F32(_) => "f32",
            Self::F64(_) => "f64",
        }
    }

    fn len(self) -> usize {
        match self {
            Self::U8(numbers) => numbers.len(),
            Self::U32(numbers) => numbers.len(),
            Self::F32(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
        }
    }

    fn write(self, bytes: &mut Vec<u8>) {
        match self {
            Self::U8(numbers) => bytes.extend_from_slice(numbers),
            Self::U32(numbers) => numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes())),
            Self::F32(numbers) => numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes())),
            Self::F64(numbers) => numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes())),
        }
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
    }
}

#[derive(Serialize)]
struct ArrayHead {
    name: &'static str,
    #[serde(rename = "type")]
    type_name: &'static str,
    length: usize,
}

#[derive(Serialize)]
struct WithArrays<'a, H> {
    #[serde(flatten)]
    header: &'a H,
    arrays: Vec<ArrayHead>,
}

/// The bytes of an answer.
pub fn encode(header: &impl Serialize, arrays: &[(&'static str, Numbers<'_>)]) -> Vec<u8> {
    let heads =
        arrays.iter().map(|(name, numbers)| ArrayHead { name, type_name: numbers.type_name(), length: numbers.len() });
    let header = serde_json::to_vec(&WithArrays { header, arrays: heads.collect() });
    let mut header = header.expect("headers have text keys only, which always make JSON");
    header.resize((4 + header.len()).next_multiple_of(ALIGNMENT) - 4, b' ');
    let mut bytes =
        Vec::with_capacity(4 + header.len() + arrays.iter().map(|(_, array)| 8 + 8 * array.len()).sum::<usize>());
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header);
    arrays.iter().for_each(|(_, numbers)| numbers.write(&mut bytes));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Header {
        view: &'static str,
    }

    #[test]
    fn arrays_stand_at_multiples_of_eight_behind_the_header() {
        let arrays = [("kind", Numbers::U8(&[1, 2, 3])), ("x", Numbers::F32(&[0.5])), ("value", Numbers::F64(&[7.0]))];
        let bytes = encode(&Header { view: "test" }, &arrays);
        let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
        assert_eq!((4 + length) % 8, 0);
        let header: serde_json::Value = serde_json::from_slice(&bytes[4..4 + length]).expect("JSON");
        assert_eq!(header["view"], "test");
        assert_eq!(header["arrays"][1], serde_json::json!({ "name": "x", "type": "f32", "length": 1 }));
        let arrays = &bytes[4 + length..];
        assert_eq!(arrays.len(), 24);
        assert_eq!(arrays[..4], [1, 2, 3, 0]);
        assert_eq!(arrays[8..12], 0.5_f32.to_le_bytes());
        assert_eq!(arrays[16..], 7.0_f64.to_le_bytes());
    }
}
