//! pprof profiles (`profile.proto`), compressed with gzip or not. Go and many other tools write this format.
//!
//! ```text
//! sample ─> locations, leaf first ─> lines, the innermost inlined function first ─> function
//!                                 └> mapping (binary)
//! ```
//!
//! Samples have no times, so all samples get time 0. A location without lines becomes a function `binary+0xoffset`.

mod profile;

use crate::foreign::{CodeName, ForeignImport, Meaning, Observation, Target, ValueType, ValueTypes};
use crate::protobuf::Fields;
use crate::{ImportError, OpenedFile};
use profile::{Label, Location, Profile, Sample};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use whittle_model::{FrameIndex, FrameKind, LossReason, StackIndex, TableBuilder, ThreadIndex};

/// Labels with a thread's name.
const THREAD_LABELS: [&str; 3] = ["thread", "thread_name", "thread name"];
/// Labels with a thread's id.
const THREAD_ID_LABELS: [&str; 3] = ["tid", "thread_id", "thread id"];
/// Labels with a process id.
const PROCESS_ID_LABELS: [&str; 2] = ["pid", "process_id"];

/// Maximum number of sample types that are read. Go's heap profiles have four, and whittle's exports about twenty.
const MAX_TYPES: usize = 100;
/// Maximum length of names and units of sample types.
const MAX_TYPE_LENGTH: usize = 100;

/// True if the uncompressed bytes look like a profile. They must contain sample types, and a table of texts that starts
/// with an empty text.
pub(crate) fn is_pprof(bytes: &[u8]) -> bool {
    let of_field = |wanted: u64| Fields::new(bytes).find(|(field, _)| *field == wanted);
    of_field(1).is_some() && of_field(6).is_some_and(|(_, first)| first.bytes().is_empty())
}

/// Reads a profile into `builder`.
///
/// # Errors
/// [`ImportError::NotPprof`] if it has no samples.
pub fn import_pprof(file: &OpenedFile<'_>, builder: &mut TableBuilder) -> Result<ForeignImport, ImportError> {
    let content = file.bytes();
    let profile = Profile::parse(content);
    if profile.sample_types.is_empty() || profile.samples.is_empty() {
        return Err(ImportError::NotPprof { byte_count: content.len() });
    }
    let mut target = Target::new(builder, content.len());
    if profile.unread_bytes > 0 || !file.is_complete() {
        target.losses.add_input_bytes(LossReason::DamagedInput, profile.unread_bytes as u64);
    }
    let types = value_types(&profile);
    Reader::new(&profile, &types, &mut target).add_samples();
    Ok(ForeignImport {
        producer: "pprof".to_owned(),
        metrics: types.metrics(),
        losses: target.losses,
        left_out: types.left_out,
        start_wall_ns: Some(profile.time_nanos).filter(|time| *time > 0),
        duration_ns: profile.duration_nanos,
        interval_ns: Some(profile.period).filter(|period| *period > 0 && is_time(&profile)),
        command: Vec::new(),
    })
}

fn is_time(profile: &Profile<'_>) -> bool {
    profile.text(profile.period_type.1) == "nanoseconds"
}

fn value_types(profile: &Profile<'_>) -> ValueTypes {
    let text = |number| profile.text(number).chars().take(MAX_TYPE_LENGTH).collect();
    let of_type = |(name, unit): &(u64, u64)| ValueType { name: text(*name), unit: text(*unit) };
    let types: Vec<ValueType> = profile.sample_types.iter().take(MAX_TYPES).map(of_type).collect();
    let main = types.iter().position(|known| known.name == text(profile.default_sample_type));
    ValueTypes::new(&types, main.unwrap_or(types.len().saturating_sub(1)))
}

struct Reader<'a, 'b, 't> {
    profile: &'a Profile<'a>,
    target: &'t mut Target<'b>,
    types: &'a ValueTypes,
    /// Places by location id.
    places: FxHashMap<u64, Place>,
    /// The key is a stack and the id of a location on top of this stack. The value is the stack with this location, and
    /// why a part of the stack is missing. Nearly all samples have a common root, so they need one step per location.
    steps: FxHashMap<(StackIndex, u64), (StackIndex, LossReason)>,
    label_keys: LabelKeys,
    /// Threads by the labels that describe them, with unresolved texts.
    threads: FxHashMap<ThreadLabels, ThreadIndex>,
}

/// The frames of a location, and why names or frames are missing.
struct Place {
    frames_root_first: Vec<FrameIndex>,
    reason: LossReason,
}

/// Text indices of the label keys that describe the thread.
struct LabelKeys {
    process_id: FxHashSet<u64>,
    thread_id: FxHashSet<u64>,
    thread: FxHashSet<u64>,
}

impl LabelKeys {
    fn new(profile: &Profile<'_>) -> Self {
        let numbers_of = |keys: &[&str]| {
            let is_key = |text: &&[u8]| keys.iter().any(|key| key.as_bytes() == *text);
            (0..).zip(&profile.strings).filter(|(_, text)| is_key(text)).map(|(number, _)| number).collect()
        };
        Self {
            process_id: numbers_of(&PROCESS_ID_LABELS),
            thread_id: numbers_of(&THREAD_ID_LABELS),
            thread: numbers_of(&THREAD_LABELS),
        }
    }
}

/// Text and number of the labels for process id, thread id and name.
type ThreadLabels = [Option<(u64, u64)>; 3];

impl<'a, 'b, 't> Reader<'a, 'b, 't> {
    fn new(profile: &'a Profile<'a>, types: &'a ValueTypes, target: &'t mut Target<'b>) -> Self {
        let (places, steps, threads) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Self { profile, target, types, places, steps, label_keys: LabelKeys::new(profile), threads }
    }

    fn add_samples(&mut self) {
        for message in &self.profile.samples {
            let sample = Sample::parse(message);
            let is_complete = sample.values.len() == self.profile.sample_types.len();
            match self.values(&sample).filter(|_| is_complete) {
                Some(values) => self.add(&sample, &values),
                None => self.target.losses.add_input_bytes(LossReason::DamagedInput, message.len() as u64),
            }
        }
    }

    /// The values in the units of their metrics. Missing if a used value is negative, as in the comparison of two
    /// profiles.
    fn values(&self, sample: &Sample) -> Option<Vec<u64>> {
        let in_unit = |(value, meaning): (&u64, &Option<Meaning>)| {
            let Some(meaning) = meaning else { return Some(0) };
            i64::try_from(*value).ok().map(|value| value.unsigned_abs().saturating_mul(meaning.factor))
        };
        sample.values.iter().zip(&self.types.meanings).map(in_unit).collect()
    }

    fn add(&mut self, sample: &Sample, values: &[u64]) {
        let (mut stack, mut reason) = (StackIndex::ROOT, LossReason::None);
        for location in sample.locations_leaf_first.iter().rev() {
            let (with_location, missing) = self.step(stack, *location);
            stack = with_location;
            reason = if reason == LossReason::None { missing } else { reason };
        }
        if sample.locations_leaf_first.is_empty() {
            stack = self.target.not_empty(stack);
            reason = LossReason::NoFrames;
        }
        let thread = self.thread(&sample.labels);
        let rows = self.types.rows(values, Observation { time_ns: 0, thread, stack });
        if !rows.is_empty() {
            self.target.count(reason);
        }
        rows.into_iter().for_each(|row| self.target.sample(row));
    }

    /// The stack that has a location on top of `stack`.
    fn step(&mut self, stack: StackIndex, location: u64) -> (StackIndex, LossReason) {
        if let Some(known) = self.steps.get(&(stack, location)) {
            return *known;
        }
        let place = self.place(location);
        let mut with_location = stack;
        for frame in &place.frames_root_first {
            if !self.target.has_room() {
                break;
            }
            with_location = self.target.child(with_location, *frame);
        }
        self.steps.insert((stack, location), (with_location, place.reason));
        // The place was removed from the map, because adding frames to the stack needs the whole reader. Here it is
        // added again.
        let reason = place.reason;
        self.places.insert(location, place);
        (with_location, reason)
    }

    fn place(&mut self, id: u64) -> Place {
        if let Some(known) = self.places.remove(&id) {
            return known;
        }
        let Some(location) = self.profile.locations.get(&id).map(|message| Location::parse(message)) else {
            return self.missing();
        };
        if location.lines.is_empty() {
            return self.unsymbolised(&location);
        }
        let mut place = Place { frames_root_first: Vec::new(), reason: LossReason::None };
        for (position, (function, line)) in location.lines.iter().enumerate().rev() {
            let is_inlined = position + 1 < location.lines.len();
            let known = self.frame(&location, (*function, *line), is_inlined);
            place.frames_root_first.push(known.0);
            if known.1 != LossReason::None {
                place.reason = known.1;
            }
        }
        place
    }

    fn missing(&mut self) -> Place {
        let known = self.target.missing(LossReason::MissingEntry);
        Place { frames_root_first: vec![known.frame], reason: known.reason }
    }

    fn frame(&mut self, location: &Location, (id, line): (u64, u64), is_inlined: bool) -> (FrameIndex, LossReason) {
        let Some(function) = self.profile.function(id).filter(|_| self.target.has_room()) else {
            let known = self.target.missing(LossReason::MissingEntry);
            return (known.frame, known.reason);
        };
        let (name, system_name) = (self.profile.text(function.name), self.profile.text(function.system_name));
        let (file, binary) = (self.profile.text(function.filename), self.binary(location.mapping));
        let shown = [&*name, &*system_name, UNKNOWN].into_iter().find(|name| !name.is_empty());
        let known = self.target.frame(&CodeName {
            name: shown.unwrap_or(UNKNOWN),
            internal_name: &system_name,
            file: &file,
            line: u32::try_from(line).ok(),
            first_line: u32::try_from(function.start_line).ok(),
            binary: &binary,
            address: Some(location.address).filter(|address| *address > 0),
            kind: is_inlined.then_some(FrameKind::Inlined),
            is_unsymbolised: shown.is_none_or(|name| name == UNKNOWN),
            ..CodeName::default()
        });
        (known.frame, known.reason)
    }

    fn unsymbolised(&mut self, location: &Location) -> Place {
        let mapping = self.profile.mappings.get(&location.mapping).copied().unwrap_or_default();
        let binary = self.binary(location.mapping);
        let offset = location.address.wrapping_sub(mapping.start).wrapping_add(mapping.file_offset);
        let name = format!("{}+{offset:#x}", binary.rsplit('/').next().unwrap_or_default());
        let address = Some(location.address);
        let code = CodeName { name: &name, binary: &binary, address, is_unsymbolised: true, ..CodeName::default() };
        let known = self.target.frame(&code);
        Place { frames_root_first: vec![known.frame], reason: known.reason }
    }

    fn binary(&self, mapping: u64) -> Cow<'a, str> {
        self.profile.mappings.get(&mapping).map(|mapping| self.profile.text(mapping.filename)).unwrap_or_default()
    }

    fn thread(&mut self, labels: &[Label]) -> ThreadIndex {
        let of_key = |keys: &FxHashSet<u64>| labels.iter().find(|label| keys.contains(&label.key));
        let LabelKeys { process_id, thread_id, thread } = &self.label_keys;
        let found = [process_id, thread_id, thread].map(|keys| of_key(keys).map(|label| (label.text, label.number)));
        if let Some(known) = self.threads.get(&found) {
            return *known;
        }
        let number = |label: Option<(u64, u64)>| {
            let (text, number) = label?;
            // Some tools write numbers as texts.
            let text = self.profile.text(text);
            if text.is_empty() { u32::try_from(number).ok() } else { text.parse().ok() }
        };
        let name = self.profile.text(found[2].map_or(0, |(text, _)| text));
        let thread = self.target.thread(number(found[0]), number(found[1]), &name);
        self.threads.insert(found, thread);
        thread
    }
}

/// The name of a function with an unknown name.
const UNKNOWN: &str = "[unknown]";
