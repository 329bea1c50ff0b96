//! The tables that samples refer to. Rows are not parsed until they are used.

use crate::protobuf::{Fields, Value};
use std::borrow::Cow;

/// Tables by row number. All except the texts are messages.
#[derive(Debug, Default)]
pub(super) struct Dictionary<'a> {
    pub(super) mappings: Vec<&'a [u8]>,
    pub(super) locations: Vec<&'a [u8]>,
    pub(super) functions: Vec<&'a [u8]>,
    pub(super) link_count: usize,
    pub(super) texts: Vec<&'a [u8]>,
    pub(super) attributes: Vec<&'a [u8]>,
    /// Stacks. In the layout with ranges, this field contains the units of attributes.
    pub(super) stacks: Vec<&'a [u8]>,
}

impl<'a> Dictionary<'a> {
    /// Adds the rows of a dictionary that all profiles share. Returns the number of bytes that are not a message.
    pub(super) fn add_shared(&mut self, message: &'a [u8]) -> u64 {
        let mut fields = Fields::new(message);
        for (field, value) in fields.by_ref() {
            let Value::Bytes(row) = value else { continue };
            match field {
                1 => self.mappings.push(row),
                2 => self.locations.push(row),
                3 => self.functions.push(row),
                4 => self.link_count += 1,
                5 => self.texts.push(row),
                6 => self.attributes.push(row),
                7 => self.stacks.push(row),
                _ => {}
            }
        }
        fields.rest.len() as u64
    }

    /// The tables inside a profile of the oldest layout.
    pub(super) fn of_profile(message: &'a [u8]) -> Self {
        let mut tables = Self::default();
        for (field, value) in Fields::new(message) {
            let Value::Bytes(row) = value else { continue };
            match field {
                3 => tables.mappings.push(row),
                4 => tables.locations.push(row),
                6 => tables.functions.push(row),
                7 => tables.attributes.push(row),
                9 => tables.link_count += 1,
                10 => tables.texts.push(row),
                _ => {}
            }
        }
        tables
    }

    /// The text with an index; empty if it is missing.
    pub(super) fn text(&self, number: u64) -> Cow<'a, str> {
        row(&self.texts, number).map_or(Cow::Borrowed(""), text_of)
    }
}

/// The row with an index.
pub(super) fn row<'a>(rows: &[&'a [u8]], number: u64) -> Option<&'a [u8]> {
    usize::try_from(number).ok().and_then(|number| rows.get(number)).copied()
}

pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
