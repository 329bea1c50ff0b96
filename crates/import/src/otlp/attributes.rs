//! Attributes. An attribute has a key, and a value of one of several types. Texts are in the attribute or in a table.

use super::tables::{Dictionary, text_of};
use crate::protobuf::{Fields, Value};
use std::borrow::Cow;

/// A `KeyValue` or a `KeyValueAndUnit`. They differ only in the type of the key.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Attribute<'a> {
    key: Key<'a>,
    value: &'a [u8],
}

#[derive(Debug, Clone, Copy, Default)]
enum Key<'a> {
    #[default]
    None,
    Text(&'a [u8]),
    Number(u64),
}

impl<'a> Attribute<'a> {
    pub(super) fn parse(message: &'a [u8]) -> Self {
        let mut attribute = Self::default();
        for field in Fields::new(message) {
            match field {
                (1, Value::Bytes(text)) => attribute.key = Key::Text(text),
                (1, Value::Number(number)) => attribute.key = Key::Number(number),
                (2, Value::Bytes(value)) => attribute.value = value,
                // Field 3 is the index of the unit if the key was an index. Otherwise it is the index of the key.
                (3, Value::Number(number)) if matches!(attribute.key, Key::None) => {
                    attribute.key = Key::Number(number);
                }
                _ => {}
            }
        }
        attribute
    }

    /// The key; empty if it is missing.
    pub(super) fn key(&self, texts: Option<&Dictionary<'a>>) -> Cow<'a, str> {
        match self.key {
            Key::None => Cow::Borrowed(""),
            Key::Text(text) => text_of(text),
            Key::Number(number) => texts.map(|texts| texts.text(number)).unwrap_or_default(),
        }
    }

    /// The value as text, if it is a text, a number or a boolean.
    pub(super) fn value_text(&self, texts: Option<&Dictionary<'a>>) -> Option<Cow<'a, str>> {
        Fields::new(self.value).find_map(|field| match field {
            (1, Value::Bytes(text)) => Some(text_of(text)),
            (2, Value::Number(flag)) => Some(Cow::Borrowed(if flag == 0 { "false" } else { "true" })),
            (3, Value::Number(number)) => Some(Cow::Owned(number.cast_signed().to_string())),
            (4, Value::Fixed(bits)) => Some(Cow::Owned(f64::from_bits(bits).to_string())),
            (8, Value::Number(number)) => texts.map(|texts| texts.text(number)),
            _ => None,
        })
    }
}
