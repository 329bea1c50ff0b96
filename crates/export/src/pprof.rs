//! Writes a pprof profile (`profile.proto`). Each metric is a sample type.
//!
//! ```text
//! sample ─> locations, leaf first ─> function and line
//!                                 └> mapping (binary)
//! ```
//!
//! The format has no times, so samples with the same stack and thread are added up. The thread is a label.

use crate::protobuf::Message;
use crate::shown::{ShownFunction, ShownSamples};
use rustc_hash::FxHashMap;
use whittle_model::{CollectorStatus, MetricDefinition, Unit};

/// Field numbers of `message Profile`.
mod field {
    pub(super) const SAMPLE_TYPE: u32 = 1;
    pub(super) const SAMPLE: u32 = 2;
    pub(super) const MAPPING: u32 = 3;
    pub(super) const LOCATION: u32 = 4;
    pub(super) const FUNCTION: u32 = 5;
    pub(super) const STRING_TABLE: u32 = 6;
    pub(super) const TIME_NANOS: u32 = 9;
    pub(super) const DURATION_NANOS: u32 = 10;
    pub(super) const PERIOD_TYPE: u32 = 11;
    pub(super) const PERIOD: u32 = 12;
    pub(super) const DEFAULT_SAMPLE_TYPE: u32 = 14;
}

/// Writes the profile without compression.
pub(crate) fn write(shown: &ShownSamples<'_>) -> Vec<u8> {
    let mut writer = Writer::new(shown);
    for metric in &shown.metrics {
        let value_type = writer.value_type(metric.definition);
        writer.profile.message(field::SAMPLE_TYPE, &value_type);
    }
    writer.add_samples();
    writer.finish()
}

struct Writer<'a, 'p> {
    shown: &'a ShownSamples<'p>,
    profile: Message,
    /// Whether each entity's location is already written. A location id is the entity's number plus one.
    has_location: Vec<bool>,
    functions: FxHashMap<u32, u64>,
    mappings: FxHashMap<usize, u64>,
    strings: FxHashMap<String, u64>,
    /// The texts. A text's number is its position.
    string_table: Vec<String>,
}

impl<'a, 'p> Writer<'a, 'p> {
    fn new(shown: &'a ShownSamples<'p>) -> Self {
        let mut writer = Self {
            shown,
            profile: Message::default(),
            has_location: vec![false; shown.reduction.places.len()],
            functions: FxHashMap::default(),
            mappings: FxHashMap::default(),
            strings: FxHashMap::default(),
            string_table: Vec::new(),
        };
        writer.string("");
        writer
    }

    fn string(&mut self, text: &str) -> u64 {
        if let Some(number) = self.strings.get(text) {
            return *number;
        }
        let number = self.string_table.len() as u64;
        self.string_table.push(text.to_owned());
        self.strings.insert(text.to_owned(), number);
        number
    }

    fn value_type(&mut self, metric: &MetricDefinition) -> Message {
        let unit = match metric.unit {
            Unit::Nanoseconds => "nanoseconds",
            Unit::Bytes => "bytes",
            Unit::Count => "count",
        };
        let (name, unit) = (self.string(&metric.name), self.string(unit));
        let mut message = Message::default();
        message.number(1, name).number(2, unit);
        message
    }

    fn add_samples(&mut self) {
        let shown = self.shown;
        let mut numbers: FxHashMap<(usize, u32), usize> = FxHashMap::default();
        let mut sums: Vec<((usize, u32), Vec<u64>)> = Vec::new();
        for row in &shown.rows {
            let key = (shown.thread(*row), shown.node(*row));
            let number = *numbers.entry(key).or_insert(sums.len());
            if number == sums.len() {
                sums.push((key, vec![0; shown.metrics.len()]));
            }
            for (sum, metric) in sums[number].1.iter_mut().zip(&shown.metrics) {
                *sum = sum.saturating_add(shown.weight(*row, metric)).min(i64::MAX as u64);
            }
        }
        sums.retain(|(_, values)| values.iter().any(|value| *value > 0));
        sums.iter().for_each(|(key, values)| self.add_sample(*key, values));
    }

    fn add_sample(&mut self, (thread, node): (usize, u32), values: &[u64]) {
        let entities = self.shown.entities_leaf_first(node);
        entities.iter().for_each(|entity| self.add_location(*entity));
        let mut sample = Message::default();
        sample.numbers(1, entities.iter().map(|entity| u64::from(*entity) + 1)).numbers(2, values.iter().copied());
        let threads = self.shown.threads();
        let name = self.string(&threads.name[thread]);
        let numbers = [("tid", threads.thread_id[thread]), ("pid", threads.process_id[thread])];
        if name != 0 {
            let mut label = Message::default();
            label.number(1, self.string("thread")).number(2, name);
            sample.message(3, &label);
        }
        for (key, number) in numbers {
            if let Some(number) = number {
                let mut label = Message::default();
                label.number(1, self.string(key)).number(3, u64::from(number));
                sample.message(3, &label);
            }
        }
        self.profile.message(field::SAMPLE, &sample);
    }

    fn add_location(&mut self, entity: u32) {
        if std::mem::replace(&mut self.has_location[entity as usize], true) {
            return;
        }
        let function = self.shown.function(entity);
        let mut line = Message::default();
        line.number(1, self.function(&function));
        line.number(2, u64::from(self.shown.place(entity).line.unwrap_or(0)));
        let mut location = Message::default();
        location.number(1, u64::from(entity) + 1).number(2, self.mapping(&function)).message(4, &line);
        self.profile.message(field::LOCATION, &location);
    }

    fn function(&mut self, function: &ShownFunction<'_>) -> u64 {
        if let Some(id) = self.functions.get(&function.number) {
            return *id;
        }
        let id = u64::from(function.number) + 1;
        // pprof treats text between < and > as C++ template arguments and removes it.
        let pseudo = function.name.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
        let name = pseudo.map_or_else(|| function.name.to_owned(), |name| format!("[{name}]"));
        let mut message = Message::default();
        message.number(1, id).number(2, self.string(&name)).number(3, self.string(function.internal_name));
        message.number(4, self.string(function.source_file)).number(5, u64::from(function.first_line.unwrap_or(0)));
        self.profile.message(field::FUNCTION, &message);
        self.functions.insert(function.number, id);
        id
    }

    /// The mapping of a function's binary, or 0 if the function has no binary. The mapping declares that names and
    /// lines are known, so viewers do not search for the file.
    fn mapping(&mut self, function: &ShownFunction<'_>) -> u64 {
        if function.binary_path.is_empty() {
            return 0;
        }
        let next = self.mappings.len() as u64 + 1;
        let id = *self.mappings.entry(function.binary).or_insert(next);
        if id == next {
            let build_id = self.shown.profile.tables().binaries.build_id[function.binary].clone();
            let mut message = Message::default();
            message.number(1, id).number(5, self.string(function.binary_path));
            message.number(6, self.string(&build_id.unwrap_or_default()));
            for has in 7..=10 {
                message.number(has, 1);
            }
            self.profile.message(field::MAPPING, &message);
        }
        id
    }

    fn finish(mut self) -> Vec<u8> {
        let manifest = self.shown.profile.manifest();
        let first = self.shown.metrics[0].definition;
        let period_type = self.value_type(first);
        let used = manifest.collectors.iter().filter(|collector| collector.status == CollectorStatus::Used);
        let interval_ns = used.filter_map(|collector| collector.interval_ns).next();
        let default_type = self.string(&first.name);
        let profile = &mut self.profile;
        profile.number(field::TIME_NANOS, manifest.start_wall_ns.unwrap_or(0));
        profile.number(field::DURATION_NANOS, manifest.duration_ns);
        if let Some(interval_ns) = interval_ns.filter(|_| first.unit == Unit::Nanoseconds) {
            profile.message(field::PERIOD_TYPE, &period_type).number(field::PERIOD, interval_ns);
        }
        profile.number(field::DEFAULT_SAMPLE_TYPE, default_type);
        for text in &self.string_table {
            profile.bytes(field::STRING_TABLE, text.as_bytes());
        }
        self.profile.into_bytes()
    }
}
