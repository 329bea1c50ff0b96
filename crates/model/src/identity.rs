//! Identity across experiments and hosts.
//!
//! The JVM adds numbers to the names of generated code. For example, `Main$$Lambda/0x00007f2648000c30.run()` is the
//! same code in every run, but with another number. [`normalized_name`] removes such numbers. A stack's [`ContentHash`]
//! is computed from its normalised frames, from the root to the leaf.

use crate::{Cell, CellType, ColumnValues, PhysicalType, WrongCells};
use std::borrow::Cow;
use xxhash_rust::xxh3::xxh3_128;

/// A 128-bit identity. For a stack, it is XXH3-128 over the parent's hash and the frame's identity. For everything
/// else, it is XXH3-128 over the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ContentHash(pub u128);

impl ContentHash {
    /// The hash of the empty stack.
    pub const ROOT: Self = Self(0);

    /// The hash of `bytes` alone.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxh3_128(bytes))
    }

    /// The hash of the stack that has `frame` on top of this stack.
    pub fn then(self, frame: Self) -> Self {
        let mut bytes = [0; 32];
        bytes[..16].copy_from_slice(&self.0.to_le_bytes());
        bytes[16..].copy_from_slice(&frame.0.to_le_bytes());
        Self(xxh3_128(&bytes))
    }
}

impl Cell for ContentHash {
    const TYPE: CellType = CellType::required(PhysicalType::Hash128);
    fn gather(cells: &[Self]) -> ColumnValues {
        ColumnValues::Hash128(cells.iter().map(|cell| cell.0).collect())
    }
    fn scatter(values: ColumnValues) -> Result<Vec<Self>, WrongCells> {
        match values {
            ColumnValues::Hash128(hashes) => Ok(hashes.into_iter().map(Self).collect()),
            _ => Err(WrongCells),
        }
    }
}

impl Cell for Option<ContentHash> {
    const TYPE: CellType = CellType::optional(PhysicalType::Hash128);
    fn gather(cells: &[Self]) -> ColumnValues {
        ColumnValues::OptionalHash128(cells.iter().map(|cell| cell.map(|hash| hash.0)).collect())
    }
    fn scatter(values: ColumnValues) -> Result<Vec<Self>, WrongCells> {
        match values {
            ColumnValues::OptionalHash128(hashes) => Ok(hashes.into_iter().map(|hash| hash.map(ContentHash)).collect()),
            _ => Err(WrongCells),
        }
    }
}

/// Parts of names after which the JVM adds a number.
const NUMBERED_PARTS: &[&str] = &["$$Lambda$", "$Proxy", "GeneratedMethodAccessor", "GeneratedConstructorAccessor"];

/// `internal_name` without addresses (`/0x00007f26…`, `.0x…`, `+0x…`) and without the JVM's counters in the names of
/// generated classes.
///
/// ```
/// use whittle_model::normalized_name;
/// assert_eq!(normalized_name("A$$Lambda/0x00007f2648000c30.run()V"), "A$$Lambda.run()V");
/// assert_eq!(normalized_name("A$$Lambda$14.0x00007f2648000c30.run()V"), "A$$Lambda$.run()V");
/// assert_eq!(normalized_name("java/lang/String.length()I"), "java/lang/String.length()I");
/// ```
pub fn normalized_name(internal_name: &str) -> Cow<'_, str> {
    let numbered = NUMBERED_PARTS.iter().any(|part| internal_name.contains(part));
    if !numbered && !internal_name.contains("0x") {
        return Cow::Borrowed(internal_name);
    }
    let mut result = String::with_capacity(internal_name.len());
    let mut rest = internal_name;
    while let Some(first) = rest.chars().next() {
        if let Some(length) = address_length(rest) {
            rest = &rest[length..];
        } else if let Some(part) = NUMBERED_PARTS.iter().find(|part| rest.starts_with(**part)) {
            result.push_str(part);
            rest = rest[part.len()..].trim_start_matches(|c: char| c.is_ascii_digit());
        } else {
            result.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    Cow::Owned(result)
}

/// Length of an address with its separator at the start of `text`, such as `/0x00007f26`.
fn address_length(text: &str) -> Option<usize> {
    let digits = text.strip_prefix(['/', '.', '+'])?.strip_prefix("0x")?;
    let length = digits.bytes().take_while(u8::is_ascii_hexdigit).count();
    (length > 0).then_some(length + 3)
}
