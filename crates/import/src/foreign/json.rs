//! Reads JSON that can be truncated: all values before the end of the bytes are read.

pub(crate) use serde_json::Value as Json;
use std::borrow::Cow;

/// Limit of nesting. No known format nests more deeply, and serde_json has the same limit.
const MAX_DEPTH: usize = 128;

/// Maximum memory per value of the parsed text, rounded up, without the text itself. A value needs a list cell with
/// spare capacity. A list or an object also needs its initial capacity. An object is a `BTreeMap` with eleven entries
/// per node, and its further nodes are at least half full.
const CELL_BYTES: usize = 2 * size_of::<Json>();
const LIST_BYTES: usize = 4 * size_of::<Json>();
const OBJECT_BYTES: usize = 640;
const ENTRY_BYTES: usize = 128;

/// The maximum memory that the parsed text needs, including the text. A few bytes of JSON can need much memory.
pub(crate) fn parsed_bytes(text: &[u8]) -> usize {
    // The sum includes the texts. It also includes one copy of the whole text, which is made if the JSON is truncated.
    let of_byte = |byte: &u8| match byte {
        b',' => CELL_BYTES,
        b'[' => LIST_BYTES,
        b'{' => OBJECT_BYTES,
        b':' => ENTRY_BYTES,
        _ => 0,
    };
    text.iter().fold(text.len().saturating_mul(3), |sum, byte| sum.saturating_add(of_byte(byte)))
}

/// Parses `bytes`, or the complete part of `bytes`. The second value is false if the end is missing. The error is the
/// parser's message.
pub(crate) fn parse_json(bytes: &[u8]) -> Result<(Json, bool), String> {
    let text: Cow<'_, str> = String::from_utf8_lossy(bytes);
    match serde_json::from_str(&text) {
        Ok(value) => Ok((value, true)),
        Err(error) if error.is_eof() => {
            let closed = close(&text).ok_or_else(|| error.to_string())?;
            serde_json::from_str(&closed).map(|value| (value, false)).map_err(|_| error.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// The text up to its last complete value, with its brackets closed.
fn close(text: &str) -> Option<String> {
    let mut open: Vec<u8> = Vec::new();
    let (mut cut, mut open_at_cut) = (0, Vec::new());
    let (mut is_in_string, mut is_escaped) = (false, false);
    for (position, byte) in text.bytes().enumerate() {
        if is_in_string {
            is_in_string = is_escaped || byte != b'"';
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            b'"' => is_in_string = true,
            b'[' | b'{' if open.len() == MAX_DEPTH => return None,
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            b']' | b'}' => drop(open.pop()),
            b',' => {}
            _ => continue,
        }
        if !is_in_string {
            cut = if byte == b',' { position } else { position + 1 };
            open_at_cut.clone_from(&open);
        }
    }
    let closing = open_at_cut.iter().rev().map(|byte| char::from(*byte));
    Some(text[..cut].chars().chain(closing).collect())
}

/// The value of a list cell as a position. Missing if the cell does not exist, or if the value is not a position.
pub(crate) fn cell_index(column: &Json, row: usize) -> Option<usize> {
    column.get(row)?.as_u64().and_then(|index| usize::try_from(index).ok())
}

/// The value of a list cell as a finite number.
pub(crate) fn cell_number(column: &Json, row: usize) -> Option<f64> {
    column.get(row)?.as_f64().filter(|number| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_text_gives_what_is_complete() {
        let whole = r#"{"a": [1, 2, {"b": "x,]\"y"}], "c": "d", "e": 5}"#;
        let text = |end: usize| parse_json(&whole.as_bytes()[..end]).map(|(value, _)| value.to_string());
        assert_eq!(text(whole.len()), Ok(r#"{"a":[1,2,{"b":"x,]\"y"}],"c":"d","e":5}"#.to_owned()));
        assert_eq!(text(whole.len() - 1), Ok(r#"{"a":[1,2,{"b":"x,]\"y"}],"c":"d"}"#.to_owned()));
        assert_eq!(text(22), Ok(r#"{"a":[1,2,{}]}"#.to_owned()));
        assert_eq!(text(11), Ok(r#"{"a":[1]}"#.to_owned()));
        for end in 1..whole.len() {
            assert!(!parse_json(&whole.as_bytes()[..end]).unwrap().1, "{end}");
        }
        assert!(parse_json(b"").is_err());
        assert!(parse_json(b"no JSON").is_err());
        assert!(parse_json("[".repeat(100_000).as_bytes()).is_err());
    }
}
