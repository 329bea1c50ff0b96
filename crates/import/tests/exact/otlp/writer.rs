//! Writes OpenTelemetry profiles in every layout of the format, from one description.

use whittle_import::OtlpLayout;

/// Samples of one service.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drawn {
    /// Attributes of the resource.
    pub(crate) resource: Vec<(String, String)>,
    /// Name and unit of the values.
    pub(crate) value_type: (String, String),
    /// Unit and distance of samples.
    pub(crate) period: (String, u64),
    pub(crate) start_ns: u64,
    pub(crate) samples: Vec<DrawnSample>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct DrawnSample {
    pub(crate) functions_leaf_first: Vec<String>,
    pub(crate) thread: Option<String>,
    pub(crate) values: Vec<u64>,
    pub(crate) times_ns: Vec<u64>,
}

/// A message under construction.
#[derive(Default, Clone)]
pub(crate) struct Message(pub(crate) Vec<u8>);

impl Message {
    pub(crate) fn number(mut self, field: u8, number: u64) -> Self {
        self.0.push(field << 3);
        self.0.extend(varint(number));
        self
    }

    pub(crate) fn fixed(mut self, field: u8, number: u64) -> Self {
        self.0.push(field << 3 | 1);
        self.0.extend(number.to_le_bytes());
        self
    }

    pub(crate) fn bytes(mut self, field: u8, bytes: &[u8]) -> Self {
        // Field numbers above 15 take two bytes.
        self.0.extend(varint(u64::from(field) << 3 | 2));
        self.0.extend(varint(bytes.len() as u64));
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn message(self, field: u8, message: &Message) -> Self {
        self.bytes(field, &message.0)
    }

    fn list(self, field: u8, numbers: &[u64], is_packed: bool) -> Self {
        match is_packed {
            _ if numbers.is_empty() => self,
            true => self.bytes(field, &numbers.iter().flat_map(|number| varint(*number)).collect::<Vec<_>>()),
            false => numbers.iter().fold(self, |message, number| message.number(field, *number)),
        }
    }
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7f {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// Rows of a table, numbered by their text.
struct Interned(Vec<String>);

impl Interned {
    fn number(&mut self, text: &str) -> u64 {
        let known = self.0.iter().position(|known| known == text);
        known.unwrap_or_else(|| {
            self.0.push(text.to_owned());
            self.0.len() - 1
        }) as u64
    }
}

/// Writes the bytes of a request in a layout. If `is_packed`, lists of numbers are packed, as in nearly all programs.
pub(crate) fn write(drawn: &Drawn, layout: OtlpLayout, is_packed: bool) -> Vec<u8> {
    Writer {
        layout,
        is_packed,
        texts: Interned(vec![String::new()]),
        functions: Interned(vec![String::new()]),
        threads: Interned(vec![String::new()]),
        stacks: vec![Vec::new()],
        location_numbers: Vec::new(),
    }
    .write(drawn)
}

struct Writer {
    layout: OtlpLayout,
    is_packed: bool,
    texts: Interned,
    /// Each function has one location with the same number.
    functions: Interned,
    /// Each thread is an attribute with the same number.
    threads: Interned,
    stacks: Vec<Vec<u64>>,
    location_numbers: Vec<u64>,
}

impl Writer {
    fn write(mut self, drawn: &Drawn) -> Vec<u8> {
        let samples: Vec<Message> = drawn.samples.iter().map(|sample| self.sample(sample)).collect();
        let value_type = self.value_type(&drawn.value_type.0, &drawn.value_type.1);
        let period_type = self.value_type("cpu", &drawn.period.0);
        let profile = Message::default().message(1, &value_type);
        let profile = samples.iter().fold(profile, |profile, sample| profile.message(2, sample));
        let profile = match self.layout {
            OtlpLayout::TablesInProfile => profile
                .list(5, &self.location_numbers, self.is_packed)
                .number(11, drawn.start_ns)
                .number(12, 1_000)
                .message(13, &period_type)
                .number(14, drawn.period.1),
            OtlpLayout::Ranges => profile
                .list(3, &self.location_numbers, self.is_packed)
                .number(4, drawn.start_ns)
                .number(5, 1_000)
                .message(6, &period_type)
                .number(7, drawn.period.1),
            OtlpLayout::ValuesSecond | OtlpLayout::ValuesFourth => {
                profile.fixed(3, drawn.start_ns).number(4, 1_000).message(5, &period_type).number(6, drawn.period.1)
            }
        };
        let numbers: [u8; 7] =
            if self.layout == OtlpLayout::TablesInProfile { [3, 4, 6, 9, 10, 7, 0] } else { [1, 2, 3, 4, 5, 6, 7] };
        let is_own = self.layout == OtlpLayout::TablesInProfile;
        let (profile, dictionary) = if is_own {
            (self.tables(profile, numbers), Message::default())
        } else {
            (profile, self.tables(Message::default(), numbers))
        };
        let attributes = drawn.resource.iter().fold(Message::default(), |resource, (key, value)| {
            let value = Message::default().bytes(1, value.as_bytes());
            resource.message(1, &Message::default().bytes(1, key.as_bytes()).message(2, &value))
        });
        let scope = Message::default().message(2, &profile);
        let resource = Message::default().message(1, &attributes).message(2, &scope);
        let request = Message::default().message(1, &resource);
        if is_own { request.0 } else { request.message(2, &dictionary).0 }
    }

    fn value_type(&mut self, name: &str, unit: &str) -> Message {
        Message::default().number(1, self.texts.number(name)).number(2, self.texts.number(unit))
    }

    fn sample(&mut self, sample: &DrawnSample) -> Message {
        let locations: Vec<u64> =
            sample.functions_leaf_first.iter().map(|function| self.functions.number(function)).collect();
        let attributes: Vec<u64> = sample.thread.iter().map(|thread| self.threads.number(thread)).collect();
        let packed = self.is_packed;
        match self.layout {
            OtlpLayout::TablesInProfile | OtlpLayout::Ranges => {
                let start = self.location_numbers.len() as u64;
                self.location_numbers.extend(&locations);
                let message = Message::default().number(1, start).number(2, locations.len() as u64);
                let message = message.list(3, &sample.values, packed).list(4, &attributes, packed);
                message.list(6, &sample.times_ns, packed)
            }
            OtlpLayout::ValuesSecond => {
                let stack = self.stack(locations);
                let message = Message::default().number(1, stack).list(2, &sample.values, packed);
                times(message.list(3, &attributes, packed), &sample.times_ns)
            }
            OtlpLayout::ValuesFourth => {
                let stack = self.stack(locations);
                let message = Message::default().number(1, stack).list(2, &attributes, packed);
                times(message.list(4, &sample.values, packed), &sample.times_ns)
            }
        }
    }

    fn stack(&mut self, locations: Vec<u64>) -> u64 {
        let known = self.stacks.iter().position(|known| *known == locations);
        known.unwrap_or_else(|| {
            self.stacks.push(locations);
            self.stacks.len() - 1
        }) as u64
    }

    fn tables(&mut self, message: Message, numbers: [u8; 7]) -> Message {
        let [mapping, location, function, link, text, attribute, stack] = numbers;
        let has_unit = matches!(self.layout, OtlpLayout::ValuesSecond | OtlpLayout::ValuesFourth);
        let mut message = message.message(mapping, &Message::default());
        for number in 0..self.functions.0.len() as u64 {
            let line = Message::default().number(1, number).number(2, 7);
            message = message.message(location, &Message::default().message(3, &line));
        }
        for name in self.functions.0.clone() {
            message = message.message(function, &Message::default().number(1, self.texts.number(&name)));
        }
        message = message.message(link, &Message::default());
        for (number, thread) in self.threads.0.clone().iter().enumerate() {
            let value = Message::default().bytes(1, thread.as_bytes());
            let key = if has_unit {
                Message::default().number(1, self.texts.number("thread.name"))
            } else {
                Message::default().bytes(1, b"thread.name")
            };
            let row = if number == 0 { Message::default() } else { key.message(2, &value) };
            message = message.message(attribute, &row);
        }
        if stack != 0 && has_unit {
            for locations in &self.stacks {
                message = message.message(stack, &Message::default().list(1, locations, self.is_packed));
            }
        }
        self.texts.0.iter().fold(message, |message, name| message.bytes(text, name.as_bytes()))
    }
}

fn times(message: Message, times_ns: &[u64]) -> Message {
    let packed: Vec<u8> = times_ns.iter().flat_map(|time| time.to_le_bytes()).collect();
    if packed.is_empty() { message } else { message.bytes(5, &packed) }
}
