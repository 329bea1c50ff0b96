//! The metadata event of a chunk: the types of events and constants, and their fields.
//!
//! The event contains a tree of named elements with text attributes. All texts are indices into one list:
//!
//! ```text
//! root > metadata > class name="jdk.ExecutionSample" id="101"
//!                     > field name="startTime" class="11"
//!                         > annotation class="204" value="TICKS"
//!                     > field name="stackTrace" class="26" constantPool="true"
//! ```

use super::bytes::{Cursor, Malformed, RawString};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Maximum depth of elements. Real elements nest six levels deep, and deeper trees are not metadata.
const MAX_DEPTH: usize = 32;

/// The unit of a number, from an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeUnit {
    /// Ticks of the chunk's clock.
    Ticks,
    /// A unit of this many nanoseconds.
    Nanos(u64),
}

impl TimeUnit {
    fn from_annotation(value: &str) -> Option<Self> {
        match value {
            "TICKS" => Some(Self::Ticks),
            "NANOSECONDS" => Some(Self::Nanos(1)),
            "MICROSECONDS" => Some(Self::Nanos(1_000)),
            "MILLISECONDS" => Some(Self::Nanos(1_000_000)),
            "SECONDS" => Some(Self::Nanos(1_000_000_000)),
            _ => None,
        }
    }
}

/// One field of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Field {
    /// Index of the name in the metadata's texts. A copy would be dangerous: a malicious file could use a long text
    /// many times.
    name: usize,
    /// Id of the field's type.
    pub(crate) type_id: u64,
    /// True if the value is a key of the constant pool of its type.
    pub(crate) is_constant: bool,
    /// True if the value is an array: a count, followed by that many values.
    pub(crate) is_array: bool,
    /// Unit of a point in time or a duration, from an annotation.
    pub(crate) unit: Option<TimeUnit>,
}

/// One type: an event, a constant, or a primitive type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) id: u64,
    name: usize,
    pub(crate) fields: Vec<Field>,
}

/// All types of a chunk.
#[derive(Debug, Default)]
pub(crate) struct Metadata<'a> {
    texts: Vec<Cow<'a, str>>,
    types: Vec<Type>,
    rows_by_id: FxHashMap<u64, usize>,
}

impl<'a> Metadata<'a> {
    /// The type with this id.
    pub(crate) fn by_id(&self, id: u64) -> Option<&Type> {
        self.rows_by_id.get(&id).map(|row| &self.types[*row])
    }

    /// The type with this name.
    pub(crate) fn by_name(&self, name: &str) -> Option<&Type> {
        self.types.iter().find(|candidate| self.type_name(candidate) == name)
    }

    /// True if a type's name begins with `prefix`.
    pub(crate) fn has_prefix(&self, prefix: &str) -> bool {
        self.types.iter().any(|candidate| self.type_name(candidate).starts_with(prefix))
    }

    /// The name of a type.
    pub(crate) fn type_name(&self, of: &Type) -> &str {
        text_at(&self.texts, of.name)
    }

    /// The name of a field.
    pub(crate) fn field_name(&self, field: &Field) -> &str {
        text_at(&self.texts, field.name)
    }

    /// Reads the body of a metadata event, after its size and type.
    pub(crate) fn parse(mut cursor: Cursor<'a>) -> Result<Self, Malformed> {
        for _ in ["start time", "duration", "metadata id"] {
            cursor.varint()?;
        }
        let texts = parse_texts(&mut cursor)?;
        let mut tree = TreeReader { cursor, texts: &texts, types: Vec::new() };
        tree.read()?;
        let types = tree.types;
        let rows_by_id = types.iter().enumerate().map(|(row, declared)| (declared.id, row)).collect();
        Ok(Self { texts, types, rows_by_id })
    }
}

fn text_at<'t>(texts: &'t [Cow<'_, str>], index: usize) -> &'t str {
    texts.get(index).map_or("", |text| text.as_ref())
}

fn parse_texts<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Cow<'a, str>>, Malformed> {
    let text_count = cursor.varint()?;
    let mut texts = Vec::new();
    // Every text takes at least one byte, so reading ends even if the count is wrong.
    for _ in 0..text_count {
        texts.push(match cursor.string()? {
            RawString::Text(text) => text,
            RawString::Null | RawString::PoolKey(_) => Cow::Borrowed(""),
        });
    }
    Ok(texts)
}

/// The needed attributes of an element, as indices of texts.
#[derive(Default)]
struct Attributes {
    name: Option<usize>,
    id: Option<usize>,
    class: Option<usize>,
    value: Option<usize>,
    dimension: Option<usize>,
    constant_pool: Option<usize>,
}

struct TreeReader<'a, 't> {
    cursor: Cursor<'a>,
    texts: &'t [Cow<'a, str>],
    types: Vec<Type>,
}

impl<'t> TreeReader<'_, 't> {
    /// Visits the elements in document order. `open` has the number of unread children on each level, so that nesting
    /// needs no recursion.
    fn read(&mut self) -> Result<(), Malformed> {
        let mut open = vec![1];
        while let Some(children_left) = open.last_mut() {
            if *children_left == 0 {
                open.pop();
                continue;
            }
            *children_left -= 1;
            if open.len() > MAX_DEPTH {
                return Err(Malformed { position: self.cursor.position(), wanted: "less deeply nested metadata" });
            }
            let child_count = self.read_element()?;
            open.push(child_count);
        }
        Ok(())
    }

    /// Reads one element without its children, and returns their number.
    fn read_element(&mut self) -> Result<u64, Malformed> {
        let element = self.text_index()?;
        let attribute_count = self.cursor.varint()?;
        let mut attributes = Attributes::default();
        for _ in 0..attribute_count {
            let (key, value) = (self.text_index()?, Some(self.text_index()?));
            match text_at(self.texts, key) {
                "name" => attributes.name = value,
                "id" => attributes.id = value,
                "class" => attributes.class = value,
                "value" => attributes.value = value,
                "dimension" => attributes.dimension = value,
                "constantPool" => attributes.constant_pool = value,
                _ => {}
            }
        }
        let child_count = self.cursor.varint()?;
        self.add(text_at(self.texts, element), &attributes);
        Ok(child_count)
    }

    fn text_index(&mut self) -> Result<usize, Malformed> {
        Ok(usize::try_from(self.cursor.varint()?).unwrap_or(usize::MAX))
    }

    fn add(&mut self, element: &str, attributes: &Attributes) {
        let texts: &'t [Cow<'_, str>] = self.texts;
        let text = |index: Option<usize>| index.map_or("", |index| text_at(texts, index));
        let name = attributes.name.unwrap_or(usize::MAX);
        match element {
            "class" => {
                if let Ok(id) = text(attributes.id).parse() {
                    self.types.push(Type { id, name, fields: Vec::new() });
                }
            }
            "field" => {
                if let (Some(owner), Ok(type_id)) = (self.types.last_mut(), text(attributes.class).parse()) {
                    owner.fields.push(Field {
                        name,
                        type_id,
                        is_constant: text(attributes.constant_pool) == "true",
                        is_array: !matches!(text(attributes.dimension), "" | "0"),
                        unit: None,
                    });
                }
            }
            "annotation" => {
                let field = self.types.last_mut().and_then(|owner| owner.fields.last_mut());
                if let (Some(field), Some(unit)) = (field, TimeUnit::from_annotation(text(attributes.value))) {
                    field.unit = Some(unit);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Name, attributes and number of children. Texts are given by their index.
    type TestElement<'t> = (u8, &'t [(u8, u8)], u8);

    fn metadata_bytes(texts: &[&str], elements: &[TestElement<'_>]) -> Vec<u8> {
        let mut bytes = vec![0, 0, 0, texts.len() as u8];
        for text in texts {
            bytes.extend([3, text.len() as u8]);
            bytes.extend(text.as_bytes());
        }
        for (name, attributes, child_count) in elements {
            bytes.extend([*name, attributes.len() as u8]);
            bytes.extend(attributes.iter().flat_map(|(key, value)| [*key, *value]));
            bytes.push(*child_count);
        }
        bytes
    }

    const TEXTS: &[&str] =
        &["root", "class", "field", "annotation", "name", "id", "value", "a.Type", "7", "startTime", "TICKS"];

    #[test]
    fn types_fields_and_units() {
        let bytes = metadata_bytes(
            TEXTS,
            &[(0, &[], 1), (1, &[(4, 7), (5, 8)], 1), (2, &[(4, 9), (1, 8)], 1), (3, &[(1, 8), (6, 10)], 0)],
        );
        let metadata = Metadata::parse(Cursor::at(&bytes, 0)).unwrap();
        let declared = metadata.by_name("a.Type").unwrap();
        assert_eq!((declared.id, declared.fields.len()), (7, 1));
        assert_eq!(metadata.field_name(&declared.fields[0]), "startTime");
        assert_eq!(declared.fields[0].unit, Some(TimeUnit::Ticks));
        assert_eq!(declared.fields[0].type_id, 7);
        assert!(metadata.has_prefix("a.") && !metadata.has_prefix("profiler."));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let elements: Vec<TestElement<'_>> = vec![(0, &[], 1); 100_000];
        let bytes = metadata_bytes(TEXTS, &elements);
        let result = Metadata::parse(Cursor::at(&bytes, 0));
        assert_eq!(result.unwrap_err().wanted, "less deeply nested metadata");
    }

    #[test]
    fn counts_beyond_the_bytes_end_with_the_bytes() {
        for bytes in [vec![0, 0, 0, 0xff, 0xff, 0xff, 0x7f], vec![0, 0, 0, 0, 0, 0, 0xff, 0xff, 0x7f]] {
            assert!(Metadata::parse(Cursor::at(&bytes, 0)).is_err());
        }
    }
}
