//! speedscope files: profiles that share a list of frames. Each profile is sampled or evented.
//!
//! ```text
//! sampled   samples: [[0, 1], [0, 2]], weights: [3, 4]      stacks root first, and their weights
//! evented   open 0 at 0, open 1 at 2, close 1 at 5 …        a stack's weight is the time until the next event
//! ```
//!
//! Each profile becomes a thread. Weights in a unit of time are wall-clock time, unless whittle wrote the file. Files
//! of whittle contain the name of the metric.

use crate::foreign::{
    CodeName, ForeignImport, Json, Observation, Target, ValueType, ValueTypes, cell_index, cell_number, nanoseconds_in,
    split_thread_label, whole,
};
use crate::{ImportError, OpenedFile};
use whittle_model::{FrameIndex, LossReason, Metric, StackIndex, TableBuilder, ThreadIndex};

/// A part of the schema's address.
const SCHEMA: &str = "speedscope.app/file-format-schema";

/// True if this is a file of speedscope.
pub(crate) fn is_speedscope(file: &Json) -> bool {
    let has_schema = file["$schema"].as_str().is_some_and(|schema| schema.contains(SCHEMA));
    has_schema || (file["shared"]["frames"].is_array() && file["profiles"].is_array())
}

/// Reads a file into `builder`.
///
/// # Errors
/// [`ImportError::NotJson`], and [`ImportError::NotSpeedscope`] without profiles.
pub fn import_speedscope(opened: &OpenedFile<'_>, builder: &mut TableBuilder) -> Result<ForeignImport, ImportError> {
    let (file, is_complete) = opened.json()?;
    let byte_count = opened.bytes().len();
    let profiles = file["profiles"].as_array().filter(|profiles| !profiles.is_empty());
    let Some(profiles) = profiles.filter(|_| is_speedscope(file)) else {
        return Err(ImportError::NotSpeedscope { byte_count });
    };
    let mut target = Target::new(builder, byte_count);
    if !is_complete {
        target.losses.add_input_bytes(LossReason::DamagedInput, 0);
    }
    let frames = read_frames(&mut target, &file["shared"]["frames"]);
    let exporter = file["exporter"].as_str().unwrap_or_default();
    let types = value_types(exporter, profiles.iter().map(|profile| unit(profile).0));
    let mut duration_ns = 0;
    for profile in profiles {
        let mut reader = Reader::new(&mut target, (&frames, &types), profile);
        reader.read(profile);
        duration_ns = duration_ns.max(reader.end_ns);
    }
    let producer = exporter.split(", metric ").next().unwrap_or_default();
    Ok(ForeignImport {
        producer: if producer.is_empty() { "speedscope".to_owned() } else { producer.to_owned() },
        metrics: types.metrics(),
        losses: target.losses,
        left_out: types.left_out,
        duration_ns,
        ..ForeignImport::default()
    })
}

fn read_frames(target: &mut Target<'_>, frames: &Json) -> Vec<(FrameIndex, LossReason)> {
    let frame = |frame: &Json| {
        let name = frame["name"].as_str().unwrap_or("[unknown]");
        let file = frame["file"].as_str().unwrap_or_default();
        let line = frame["line"].as_u64().and_then(|line| u32::try_from(line).ok());
        // If the source file is unknown, whittle and other tools write the binary in its place.
        let is_binary = file.starts_with('[') || file.contains(".so");
        let (file, binary) = if is_binary { ("", file) } else { (file, "") };
        let known = target.frame(&CodeName { name, file, line, binary, ..CodeName::default() });
        (known.frame, known.reason)
    };
    frames.as_array().map(|frames| frames.iter().map(frame).collect()).unwrap_or_default()
}

/// The unit of a profile's values, and their factor.
fn unit(profile: &Json) -> (&str, f64) {
    let unit = profile["unit"].as_str().unwrap_or("none");
    nanoseconds_in(unit).map_or((unit, 1.0), |factor| ("nanoseconds", factor as f64))
}

/// One kind of value per unit. Whittle's files contain the name of the metric.
fn value_types<'a>(exporter: &str, units: impl Iterator<Item = &'a str>) -> ValueTypes {
    let metric = exporter.strip_prefix("whittle ").and_then(|rest| rest.split_once(", metric ")).map(|(_, name)| name);
    let mut types: Vec<ValueType> = Vec::new();
    for unit in units {
        let usual = match unit {
            "bytes" => Metric::AllocBytes,
            "none" => Metric::Samples,
            _ => Metric::Wall,
        };
        if !types.iter().any(|known| known.unit == unit) {
            types.push(ValueType { name: metric.unwrap_or(usual.name()).to_owned(), unit: unit.to_owned() });
        }
    }
    ValueTypes::new(&types, 0)
}

struct Reader<'a, 'b, 't> {
    target: &'t mut Target<'b>,
    frames: &'a [(FrameIndex, LossReason)],
    types: &'a ValueTypes,
    /// The position of the kind of value that this profile has.
    value_type: Option<usize>,
    thread: ThreadIndex,
    end_ns: u64,
}

impl<'a, 'b, 't> Reader<'a, 'b, 't> {
    fn new(
        target: &'t mut Target<'b>,
        (frames, types): (&'a [(FrameIndex, LossReason)], &'a ValueTypes),
        profile: &Json,
    ) -> Self {
        let (name, thread_id) = split_thread_label(profile["name"].as_str().unwrap_or_default());
        let thread = target.thread(None, thread_id, name);
        Self { target, frames, value_type: types.of_unit(unit(profile).0), types, thread, end_ns: 0 }
    }

    fn read(&mut self, profile: &Json) {
        let factor = unit(profile).1;
        let start = profile["startValue"].as_f64().unwrap_or(0.0);
        match profile["type"].as_str() {
            Some("sampled") => self.read_sampled(profile, factor),
            Some("evented") => self.read_evented(profile, (start, factor)),
            _ => self.target.losses.add_count(LossReason::DamagedInput, 1),
        }
    }

    fn read_sampled(&mut self, profile: &Json, factor: f64) {
        let count = profile["samples"].as_array().map_or(0, Vec::len);
        let weight_count = profile["weights"].as_array().map_or(0, Vec::len);
        self.target.losses_of(LossReason::DamagedInput, count.abs_diff(weight_count) as u64);
        let mut at = 0.0;
        for row in 0..count.min(weight_count) {
            let (weights, frames) = (&profile["weights"], &profile["samples"][row]);
            let Some(weight) = cell_number(weights, row).and_then(|weight| whole(weight * factor)) else {
                self.target.losses.add_count(LossReason::DamagedInput, 1);
                continue;
            };
            let mut stack = StackIndex::ROOT;
            let mut reason = LossReason::None;
            for position in 0..frames.as_array().map_or(0, Vec::len) {
                let (frame, missing) = self.frame(cell_index(frames, position));
                stack = self.target.child(stack, frame);
                reason = if reason == LossReason::None { missing } else { reason };
            }
            self.add(stack, reason, (at, weight));
            at += weight as f64;
        }
    }

    fn read_evented(&mut self, profile: &Json, (start, factor): (f64, f64)) {
        let mut open: Vec<(usize, StackIndex)> = Vec::new();
        let mut last = start;
        let stack_of = |open: &Vec<(usize, StackIndex)>| open.last().map_or(StackIndex::ROOT, |(_, stack)| *stack);
        for event in profile["events"].as_array().map_or(&[][..], Vec::as_slice) {
            let (at, frame) = (event["at"].as_f64(), event["frame"].as_u64().map(|frame| frame as usize));
            let (Some(at), Some(frame)) = (at.filter(|at| at.is_finite() && *at >= last), frame) else {
                self.target.losses.add_count(LossReason::DamagedInput, 1);
                continue;
            };
            if !open.is_empty()
                && let Some(weight) = whole((at - last) * factor)
            {
                self.add(stack_of(&open), LossReason::None, ((last - start) * factor, weight));
            }
            last = at;
            match event["type"].as_str() {
                Some("O") => {
                    let (index, reason) = self.frame(Some(frame));
                    self.target.count(reason);
                    let stack = self.target.child(stack_of(&open), index);
                    open.push((frame, stack));
                }
                // A closed frame must be the innermost frame. Otherwise the event is unreadable.
                Some("C") if open.last().is_some_and(|(innermost, _)| *innermost == frame) => drop(open.pop()),
                _ => self.target.losses.add_count(LossReason::DamagedInput, 1),
            }
        }
        self.target.losses_of(LossReason::DamagedInput, open.len() as u64);
    }

    fn frame(&mut self, index: Option<usize>) -> (FrameIndex, LossReason) {
        index.and_then(|index| self.frames.get(index).copied()).unwrap_or_else(|| {
            let known = self.target.missing(LossReason::MissingEntry);
            (known.frame, known.reason)
        })
    }

    fn add(&mut self, stack: StackIndex, reason: LossReason, (at, weight): (f64, u64)) {
        let Some(value_type) = self.value_type else { return };
        if weight == 0 {
            return;
        }
        let reason =
            if stack == StackIndex::ROOT && reason == LossReason::None { LossReason::NoFrames } else { reason };
        let stack = self.target.not_empty(stack);
        self.target.count(reason);
        // Bytes and counts are not times.
        let is_time = self.types.is_time(value_type);
        let time_ns = if is_time { whole(at).unwrap_or(0) } else { 0 };
        let mut values = vec![0; self.types.meanings.len()];
        values[value_type] = weight;
        let rows = self.types.rows(&values, Observation { time_ns, thread: self.thread, stack });
        rows.into_iter().for_each(|row| self.target.sample(row));
        self.end_ns = self.end_ns.max(if is_time { time_ns.saturating_add(weight) } else { 0 });
    }
}
