//! Makes rows of the tables from a sample's stack and attributes.
//!
//! async-profiler writes only names, with the suffixes and brackets of its collapsed stacks. Other profilers write the
//! binary, and the kind of code as an attribute of the location.

use super::attributes::Attribute;
use super::profile::OtlpLayout;
use super::profile::Sample;
use super::tables::{Dictionary, row};
use crate::collapsed::parse_thread;
use crate::foreign::{CodeName, Target};
use crate::frame_suffix::SUFFIXES;
use crate::java_names::looks_like_java;
use crate::jfr::pseudo_frames;
use crate::protobuf::Fields;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::rc::Rc;
use whittle_model::{FrameIndex, FrameKind, FunctionKind, LossReason, StackIndex, ThreadIndex};

/// Maximum length of thread names in characters. Linux has at most 15 characters, and the JVM has no limit.
const MAX_THREAD_NAME_LENGTH: usize = 256;

/// Maximum number of visited locations per byte of the input. A limit is needed because ranges can overlap. Real files
/// need less than ten.
const STEPS_PER_INPUT_BYTE: usize = 64;
/// Minimum number of visited locations, for short inputs.
const LEAST_STEPS: usize = 1 << 20;

/// The maximum number of visited locations for an input of this length.
pub(super) fn steps_for(input_bytes: usize) -> usize {
    input_bytes.saturating_mul(STEPS_PER_INPUT_BYTE).max(LEAST_STEPS)
}

/// Resolves stacks and threads of profiles that share a set of tables.
pub(super) struct CodeReader<'a, 'd> {
    dictionary: &'d Dictionary<'a>,
    layout: OtlpLayout,
    /// Places by row of the locations.
    places: FxHashMap<u64, Rc<Place>>,
    /// Stacks by the sample's reference to its stack.
    stacks: FxHashMap<(u64, u64), (StackIndex, LossReason)>,
    /// Roles by row of the attributes.
    roles: FxHashMap<u64, Role>,
    threads: FxHashMap<KnownThread, ThreadIndex>,
}

/// Process id, thread id, and the attribute with the thread's name.
type KnownThread = (Option<u32>, Option<u32>, Option<u64>);

/// The frames of a location, and why names or frames are missing.
struct Place {
    frames_root_first: Vec<FrameIndex>,
    reason: LossReason,
}

/// The content of an attribute, if whittle uses the attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Role {
    ThreadName(String),
    ThreadId(u32),
    ProcessId(u32),
    Code(FunctionKind),
    Other,
}

impl<'a, 'd> CodeReader<'a, 'd> {
    pub(super) fn new(dictionary: &'d Dictionary<'a>, layout: OtlpLayout) -> Self {
        Self {
            dictionary,
            layout,
            places: FxHashMap::default(),
            stacks: FxHashMap::default(),
            roles: FxHashMap::default(),
            threads: FxHashMap::default(),
        }
    }

    /// Removes state that is valid for one profile only.
    pub(super) fn begin_profile(&mut self) {
        // Ranges refer to the profile's own list; rows of stacks refer to the dictionary.
        if matches!(self.layout, OtlpLayout::Ranges | OtlpLayout::TablesInProfile) {
            self.stacks.clear();
        }
    }

    /// The stack of a sample, and why a part of the stack is missing. `None` if no `steps` are left.
    pub(super) fn stack(
        &mut self,
        target: &mut Target<'_>,
        (sample, location_numbers): (&Sample, &[u64]),
        steps: &mut usize,
    ) -> Option<(StackIndex, LossReason)> {
        if let Some(known) = self.stacks.get(&sample.stack) {
            return Some(*known);
        }
        let Some(locations) = self.locations(sample, location_numbers) else {
            let missing = target.missing(LossReason::MissingEntry);
            return Some((target.child(StackIndex::ROOT, missing.frame), missing.reason));
        };
        *steps = steps.checked_sub(locations.len())?;
        let (mut stack, mut reason) = (StackIndex::ROOT, LossReason::None);
        for location in locations.iter().rev() {
            let place = self.place(target, *location);
            for frame in &place.frames_root_first {
                *steps = steps.checked_sub(1)?;
                stack = target.child(stack, *frame);
            }
            reason = if reason == LossReason::None { place.reason } else { reason };
        }
        if stack == StackIndex::ROOT {
            (stack, reason) = (target.not_empty(stack), LossReason::NoFrames);
        }
        self.stacks.insert(sample.stack, (stack, reason));
        Some((stack, reason))
    }

    /// Rows of the locations, leaf first. `None` if the tables do not contain them.
    fn locations<'n>(&self, sample: &Sample, location_numbers: &'n [u64]) -> Option<Cow<'n, [u64]>> {
        let (first, length) = sample.stack;
        if matches!(self.layout, OtlpLayout::Ranges | OtlpLayout::TablesInProfile) {
            let (first, length) = (usize::try_from(first).ok()?, usize::try_from(length).ok()?);
            return Some(Cow::Borrowed(location_numbers.get(first..first.checked_add(length)?)?));
        }
        let message = row(&self.dictionary.stacks, first)?;
        let lists = Fields::new(message).filter(|(field, _)| *field == 1);
        Some(Cow::Owned(lists.flat_map(|(_, value)| value.numbers()).collect()))
    }

    fn place(&mut self, target: &mut Target<'_>, number: u64) -> Rc<Place> {
        if let Some(known) = self.places.get(&number) {
            return Rc::clone(known);
        }
        let place = row(&self.dictionary.locations, number).map(|message| self.read_place(target, message));
        let place = Rc::new(place.unwrap_or_else(|| {
            let missing = target.missing(LossReason::MissingEntry);
            Place { frames_root_first: vec![missing.frame], reason: missing.reason }
        }));
        self.places.insert(number, Rc::clone(&place));
        place
    }

    fn read_place(&mut self, target: &mut Target<'_>, message: &'a [u8]) -> Place {
        let location = self.location(message);
        let mut place = Place { frames_root_first: Vec::new(), reason: LossReason::None };
        let mut add = |(frame, reason): (FrameIndex, LossReason)| {
            place.frames_root_first.push(frame);
            place.reason = if reason == LossReason::None { place.reason } else { reason };
        };
        if location.lines.is_empty() {
            add(self.unsymbolised(target, &location));
        }
        for position in (0..location.lines.len()).rev() {
            add(self.frame(target, &location, position));
        }
        place
    }

    fn location(&mut self, message: &'a [u8]) -> Location<'a> {
        let mut location = Location::default();
        let attributes_field = match self.layout {
            OtlpLayout::TablesInProfile | OtlpLayout::Ranges => 5,
            OtlpLayout::ValuesSecond | OtlpLayout::ValuesFourth => 4,
        };
        for (field, value) in Fields::new(message) {
            match field {
                1 => location.mapping = Mapping::parse(row(&self.dictionary.mappings, value.number()), self.dictionary),
                2 => location.address = value.number(),
                3 => location.lines.push(pair(value.bytes())),
                _ if field == attributes_field => {
                    for attribute in value.numbers() {
                        if let Role::Code(kind) = self.role(attribute) {
                            location.code = Some(*kind);
                        }
                    }
                }
                _ => {}
            }
        }
        location
    }

    /// The frame for one of a location's lines.
    fn frame(&self, target: &mut Target<'_>, location: &Location<'a>, position: usize) -> (FrameIndex, LossReason) {
        let (function, line) = location.lines[position];
        let is_inlined = position + 1 < location.lines.len();
        let Some(function) = row(&self.dictionary.functions, function).filter(|_| target.has_room()) else {
            let missing = target.missing(LossReason::MissingEntry);
            return (missing.frame, missing.reason);
        };
        let [name, system_name, file, first_line] = fields_1_to_4(function);
        let text = |number| self.dictionary.text(number);
        let (name, system_name, file) = (text(name), text(system_name), text(file));
        let shown = [&*name, &*system_name].into_iter().find(|name| !name.is_empty()).unwrap_or(UNKNOWN);
        if let Some(pseudo) = bracketed(target, shown) {
            return pseudo;
        }
        let (shown, by_name) = kind_by_name(shown, location);
        let known = target.frame(&CodeName {
            name: shown,
            internal_name: &system_name,
            file: &file,
            line: u32::try_from(line).ok().filter(|line| *line > 0),
            first_line: u32::try_from(first_line).ok(),
            binary: &location.mapping.file,
            address: Some(location.address).filter(|address| *address > 0),
            kind: if is_inlined { Some(FrameKind::Inlined) } else { by_name.0 },
            function_kind: location.code.or(by_name.1),
            is_unsymbolised: shown == UNKNOWN,
        });
        (known.frame, known.reason)
    }

    fn unsymbolised(&self, target: &mut Target<'_>, location: &Location<'a>) -> (FrameIndex, LossReason) {
        let Mapping { start, file_offset, file } = &location.mapping;
        let offset = location.address.wrapping_sub(*start).wrapping_add(*file_offset);
        let name = format!("{}+{offset:#x}", file.rsplit('/').next().unwrap_or_default());
        let known = target.frame(&CodeName {
            name: &name,
            binary: file,
            address: Some(location.address),
            function_kind: location.code.filter(|kind| *kind != FunctionKind::Java),
            is_unsymbolised: true,
            ..CodeName::default()
        });
        (known.frame, known.reason)
    }

    /// The thread of a sample.
    pub(super) fn thread(&mut self, target: &mut Target<'_>, sample: &Sample, process_id: Option<u32>) -> ThreadIndex {
        let mut found = (process_id, None, None);
        for attribute in &sample.attributes {
            match self.role(*attribute) {
                Role::ProcessId(id) => found.0 = Some(*id),
                Role::ThreadId(id) => found.1 = Some(*id),
                Role::ThreadName(_) => found.2 = Some(*attribute),
                Role::Code(_) | Role::Other => {}
            }
        }
        if let Some(known) = self.threads.get(&found) {
            return *known;
        }
        let name = found.2.and_then(|attribute| self.roles.get(&attribute));
        let name = if let Some(Role::ThreadName(name)) = name { name.as_str() } else { "" };
        let thread = match parse_thread(name) {
            Some(thread) => target.thread(found.0, found.1.or(thread.thread_id), thread.name),
            None => target.thread(found.0, found.1, name),
        };
        self.threads.insert(found, thread);
        thread
    }

    fn role(&mut self, attribute: u64) -> &Role {
        let dictionary = self.dictionary;
        self.roles.entry(attribute).or_insert_with(|| Role::of(row(&dictionary.attributes, attribute), dictionary))
    }
}

impl Role {
    fn of(message: Option<&[u8]>, dictionary: &Dictionary<'_>) -> Self {
        let Some(attribute) = message.map(Attribute::parse) else { return Self::Other };
        let value = || attribute.value_text(Some(dictionary)).unwrap_or_default();
        match &*attribute.key(Some(dictionary)) {
            "thread.name" => Self::ThreadName(value().chars().take(MAX_THREAD_NAME_LENGTH).collect()),
            "thread.id" => value().parse().map_or(Self::Other, Self::ThreadId),
            "process.pid" => value().parse().map_or(Self::Other, Self::ProcessId),
            "profile.frame.type" => match &*value() {
                "jvm" => Self::Code(FunctionKind::Java),
                "kernel" => Self::Code(FunctionKind::Kernel),
                _ => Self::Code(FunctionKind::Native),
            },
            _ => Self::Other,
        }
    }
}

/// A location with a resolved mapping.
#[derive(Debug, Default)]
struct Location<'a> {
    mapping: Mapping<'a>,
    address: u64,
    /// Row of the function and line number of each frame, the innermost inlined function first.
    lines: Vec<(u64, u64)>,
    /// The kind of code, if an attribute contains it.
    code: Option<FunctionKind>,
}

#[derive(Debug, Default)]
struct Mapping<'a> {
    start: u64,
    file_offset: u64,
    file: Cow<'a, str>,
}

impl<'a> Mapping<'a> {
    fn parse(message: Option<&'a [u8]>, dictionary: &Dictionary<'a>) -> Self {
        let [start, _, file_offset, file] = fields_1_to_4(message.unwrap_or_default());
        Self { start, file_offset, file: dictionary.text(file) }
    }
}

/// Returns the name without async-profiler's suffix, and the kinds of the frame and the function. The suffix and the
/// form of the name determine the kinds.
fn kind_by_name<'n>(name: &'n str, location: &Location<'_>) -> (&'n str, (Option<FrameKind>, Option<FunctionKind>)) {
    if location.code.is_some() || !location.mapping.file.is_empty() {
        return (name, (None, None));
    }
    let suffix = SUFFIXES.iter().find_map(|(suffix, kind)| Some((name.strip_suffix(suffix)?, *kind)));
    match suffix {
        Some((name, FrameKind::Kernel)) => (name, (None, Some(FunctionKind::Kernel))),
        Some((name, kind)) => (name, (Some(kind), Some(FunctionKind::Java))),
        None if looks_like_java(name) => (name, (None, Some(FunctionKind::Java))),
        // This is a guess: C++ code in a Java program nearly always belongs to the JVM.
        None if name.contains("::") => (name, (None, Some(FunctionKind::Jvm))),
        None => (name, (None, None)),
    }
}

/// The frame of a name in brackets, if the name is not code or is unknown code.
fn bracketed(target: &mut Target<'_>, name: &str) -> Option<(FrameIndex, LossReason)> {
    let inner = name.strip_prefix('[')?.strip_suffix(']')?;
    if let Some(reason) = pseudo_frames::reason_of(inner) {
        let known = target.missing(reason);
        return Some((known.frame, known.reason));
    }
    if inner == pseudo_frames::UNKNOWN_CODE {
        let known = target.frame(&CodeName { name: UNKNOWN, is_unsymbolised: true, ..CodeName::default() });
        return Some((known.frame, known.reason));
    }
    None
}

fn pair(message: &[u8]) -> (u64, u64) {
    let [first, second, ..] = fields_1_to_4(message);
    (first, second)
}

/// The numbers in the first four fields.
fn fields_1_to_4(message: &[u8]) -> [u64; 4] {
    let mut numbers = [0; 4];
    for (field, value) in Fields::new(message) {
        let position = usize::try_from(field).ok().and_then(|field| field.checked_sub(1));
        if let Some(number) = position.and_then(|position| numbers.get_mut(position)) {
            *number = value.number();
        }
    }
    numbers
}

/// The name of a function with an unknown name.
const UNKNOWN: &str = "[unknown]";
