//! The messages `Profile` and `Sample`. Their field numbers depend on the layout.

use crate::protobuf::Fields;

/// A numbering of fields. Its name describes the difference from other numberings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtlpLayout {
    /// Versions 1.4 and 1.5 of the format: each profile has its own tables.
    TablesInProfile,
    /// Version 1.7: a dictionary; stacks are ranges of a profile's list of locations.
    Ranges,
    /// Versions 1.8 and 1.9: a table of stacks; a sample's values are field 2. async-profiler 4.4 writes this layout.
    ValuesSecond,
    /// Version 1.10 and newer: a sample's values are field 4. async-profiler 4.6 writes this layout.
    ValuesFourth,
}

/// A profile. Indices of texts are resolved later.
#[derive(Debug, Default)]
pub(super) struct Profile<'a> {
    /// Text indices of name and unit, for each position in a sample's values. Newer layouts have one entry.
    pub(super) types: Vec<(u64, u64)>,
    pub(super) samples: Vec<&'a [u8]>,
    /// The list that ranges refer to. Only older layouts have this list.
    pub(super) location_numbers: Vec<u64>,
    /// Nanoseconds since 1970-01-01 UTC; 0: unknown.
    pub(super) time_ns: u64,
    pub(super) duration_ns: u64,
    pub(super) period_type: (u64, u64),
    pub(super) period: u64,
    /// True if the profile contains a copy of itself in another format.
    pub(super) has_original: bool,
    /// Bytes at the end that are not a message.
    pub(super) unread_bytes: u64,
}

/// Field numbers of a profile.
struct ProfileFields {
    location_numbers: u64,
    time: u64,
    duration: u64,
    period_type: u64,
    period: u64,
    original: u64,
}

impl ProfileFields {
    /// No message has this field.
    const NONE: u64 = 0;

    fn of(layout: OtlpLayout) -> Self {
        let [location_numbers, time, duration, period_type, period, original] = match layout {
            OtlpLayout::TablesInProfile => [5, 11, 12, 13, 14, 21],
            OtlpLayout::Ranges => [3, 4, 5, 6, 7, 13],
            OtlpLayout::ValuesSecond | OtlpLayout::ValuesFourth => [Self::NONE, 3, 4, 5, 6, 10],
        };
        Self { location_numbers, time, duration, period_type, period, original }
    }
}

impl<'a> Profile<'a> {
    pub(super) fn parse(message: &'a [u8], layout: OtlpLayout) -> Self {
        let numbers = ProfileFields::of(layout);
        let mut profile = Self::default();
        let mut fields = Fields::new(message);
        for (field, value) in fields.by_ref() {
            match field {
                1 => profile.types.push(value_type(value.bytes())),
                2 => profile.samples.push(value.bytes()),
                _ if field == numbers.location_numbers => profile.location_numbers.extend(value.numbers()),
                _ if field == numbers.time => profile.time_ns = value.number(),
                _ if field == numbers.duration => profile.duration_ns = value.number(),
                _ if field == numbers.period_type => profile.period_type = value_type(value.bytes()),
                _ if field == numbers.period => profile.period = value.number(),
                _ if field == numbers.original => profile.has_original = !value.bytes().is_empty(),
                _ => {}
            }
        }
        profile.unread_bytes = fields.rest.len() as u64;
        profile
    }
}

/// Name and unit of a `ValueType`.
fn value_type(message: &[u8]) -> (u64, u64) {
    Fields::new(message).fold((0, 0), |(name, unit), (field, value)| match field {
        1 => (value.number(), unit),
        2 => (name, value.number()),
        _ => (name, unit),
    })
}

/// A sample.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// Row of the stacks. In older layouts, start and length in the profile's `location_numbers`.
    pub(super) stack: (u64, u64),
    pub(super) values: Vec<u64>,
    pub(super) attributes: Vec<u64>,
    /// Nanoseconds since 1970-01-01 UTC.
    pub(super) times_ns: Vec<u64>,
    /// True if the sample can be read to its end.
    pub(super) is_complete: bool,
}

/// Field numbers of a sample. Field 1 is always the stack, or the start of the stack's range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SampleFields {
    /// The length of a range, if stacks are ranges.
    pub(super) length: Option<u64>,
    pub(super) values: u64,
    pub(super) attributes: u64,
    pub(super) link: u64,
    pub(super) times: u64,
}

impl SampleFields {
    pub(super) fn of(layout: OtlpLayout) -> Self {
        match layout {
            OtlpLayout::TablesInProfile | OtlpLayout::Ranges => {
                Self { length: Some(2), values: 3, attributes: 4, link: 5, times: 6 }
            }
            OtlpLayout::ValuesSecond => Self { length: None, values: 2, attributes: 3, link: 4, times: 5 },
            OtlpLayout::ValuesFourth => Self { length: None, values: 4, attributes: 2, link: 3, times: 5 },
        }
    }
}

impl Sample {
    pub(super) fn parse(message: &[u8], numbers: SampleFields) -> Self {
        let mut sample = Self::default();
        let mut fields = Fields::new(message);
        for (field, value) in fields.by_ref() {
            match field {
                1 => sample.stack.0 = value.number(),
                _ if Some(field) == numbers.length => sample.stack.1 = value.number(),
                _ if field == numbers.values => sample.values.extend(value.numbers()),
                _ if field == numbers.attributes => sample.attributes.extend(value.numbers()),
                // In older layouts, times are numbers of variable length.
                _ if field == numbers.times && numbers.length.is_some() => sample.times_ns.extend(value.numbers()),
                _ if field == numbers.times => sample.times_ns.extend(value.fixed_numbers()),
                _ => {}
            }
        }
        sample.is_complete = fields.rest.is_empty();
        sample
    }
}
