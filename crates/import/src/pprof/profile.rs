//! The messages of `profile.proto` that an import needs. Lists of messages are not parsed until they are used.

use crate::protobuf::Fields;
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// `message Profile`. Texts are indices into `strings`; index 0 is the empty text.
#[derive(Debug, Default)]
pub(super) struct Profile<'a> {
    /// Name and unit of each type.
    pub(super) sample_types: Vec<(u64, u64)>,
    pub(super) samples: Vec<&'a [u8]>,
    pub(super) strings: Vec<&'a [u8]>,
    pub(super) mappings: FxHashMap<u64, Mapping>,
    pub(super) locations: FxHashMap<u64, &'a [u8]>,
    functions: FxHashMap<u64, &'a [u8]>,
    pub(super) time_nanos: u64,
    pub(super) duration_nanos: u64,
    /// Name and unit.
    pub(super) period_type: (u64, u64),
    pub(super) period: u64,
    pub(super) default_sample_type: u64,
    /// Bytes at the end that are not a message.
    pub(super) unread_bytes: usize,
}

/// `message Mapping`.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Mapping {
    pub(super) start: u64,
    pub(super) file_offset: u64,
    pub(super) filename: u64,
}

impl<'a> Profile<'a> {
    /// Reads the readable part.
    pub(super) fn parse(bytes: &'a [u8]) -> Self {
        let mut profile = Self::default();
        let mut fields = Fields::new(bytes);
        for (field, value) in fields.by_ref() {
            match field {
                1 => profile.sample_types.push(pair(value.bytes())),
                2 => profile.samples.push(value.bytes()),
                3 => drop(profile.mappings.insert(id_of(value.bytes()), Mapping::parse(value.bytes()))),
                4 => drop(profile.locations.insert(id_of(value.bytes()), value.bytes())),
                5 => drop(profile.functions.insert(id_of(value.bytes()), value.bytes())),
                6 => profile.strings.push(value.bytes()),
                9 => profile.time_nanos = value.number(),
                10 => profile.duration_nanos = value.number(),
                11 => profile.period_type = pair(value.bytes()),
                12 => profile.period = value.number(),
                14 => profile.default_sample_type = value.number(),
                _ => {}
            }
        }
        profile.unread_bytes = fields.rest.len();
        profile
    }

    /// The text with an index; empty if it is missing.
    pub(super) fn text(&self, number: u64) -> Cow<'a, str> {
        let bytes = usize::try_from(number).ok().and_then(|number| self.strings.get(number));
        bytes.map_or(Cow::Borrowed(""), |bytes| String::from_utf8_lossy(bytes))
    }

    /// The function with an id.
    pub(super) fn function(&self, id: u64) -> Option<Function> {
        self.functions.get(&id).map(|message| Function::parse(message))
    }
}

fn id_of(message: &[u8]) -> u64 {
    Fields::new(message).find(|(field, _)| *field == 1).map_or(0, |(_, value)| value.number())
}

/// Fields 1 and 2 as numbers.
fn pair(message: &[u8]) -> (u64, u64) {
    Fields::new(message).fold((0, 0), |(first, second), (field, value)| match field {
        1 => (value.number(), second),
        2 => (first, value.number()),
        _ => (first, second),
    })
}

impl Mapping {
    fn parse(message: &[u8]) -> Self {
        let mut mapping = Self::default();
        for (field, value) in Fields::new(message) {
            match field {
                2 => mapping.start = value.number(),
                4 => mapping.file_offset = value.number(),
                5 => mapping.filename = value.number(),
                _ => {}
            }
        }
        mapping
    }
}

/// `message Sample`.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub(super) locations_leaf_first: Vec<u64>,
    pub(super) values: Vec<u64>,
    pub(super) labels: Vec<Label>,
}

/// `message Label`.
#[derive(Debug, Default)]
pub(super) struct Label {
    pub(super) key: u64,
    pub(super) text: u64,
    pub(super) number: u64,
}

impl Sample {
    pub(super) fn parse(message: &[u8]) -> Self {
        let mut sample = Self::default();
        for (field, value) in Fields::new(message) {
            match field {
                1 => sample.locations_leaf_first.extend(value.numbers()),
                2 => sample.values.extend(value.numbers()),
                3 => sample.labels.push(Label::parse(value.bytes())),
                _ => {}
            }
        }
        sample
    }
}

impl Label {
    fn parse(message: &[u8]) -> Self {
        let mut label = Self::default();
        for (field, value) in Fields::new(message) {
            match field {
                1 => label.key = value.number(),
                2 => label.text = value.number(),
                3 => label.number = value.number(),
                _ => {}
            }
        }
        label
    }
}

/// `message Location`.
#[derive(Debug, Default)]
pub(super) struct Location {
    pub(super) mapping: u64,
    pub(super) address: u64,
    /// Function id and line, the innermost inlined function first.
    pub(super) lines: Vec<(u64, u64)>,
}

impl Location {
    pub(super) fn parse(message: &[u8]) -> Self {
        let mut location = Self::default();
        for (field, value) in Fields::new(message) {
            match field {
                2 => location.mapping = value.number(),
                3 => location.address = value.number(),
                4 => location.lines.push(pair(value.bytes())),
                _ => {}
            }
        }
        location
    }
}

/// `message Function`.
#[derive(Debug, Default)]
pub(super) struct Function {
    pub(super) name: u64,
    pub(super) system_name: u64,
    pub(super) filename: u64,
    pub(super) start_line: u64,
}

impl Function {
    fn parse(message: &[u8]) -> Self {
        let mut function = Self::default();
        for (field, value) in Fields::new(message) {
            match field {
                2 => function.name = value.number(),
                3 => function.system_name = value.number(),
                4 => function.filename = value.number(),
                5 => function.start_line = value.number(),
                _ => {}
            }
        }
        function
    }
}
