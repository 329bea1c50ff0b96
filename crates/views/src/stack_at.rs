//! The sample of a thread that is nearest to a moment.

use crate::definition::{Answered, Answerer, ViewDefinition, keys};
use crate::sample_times::{SampleTime, SampleTimes};
use crate::timeline::{each_kept, without_time};
use serde::{Deserialize, Serialize};
use whittle_model::{CpuMode, EventKind, FrameIndex, FrameKind, Table, Unit, WaitReason};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::ViewMode;
use whittle_profile::entity_tree::ROOT;
use whittle_profile::query::{Query, TransformLine};
use whittle_profile::reduction::EntityKey;
use whittle_profile::samples::SampleKind;
use whittle_profile::shown_frames::{frames_leaf_first, usual_kind};

/// The definition of this view. Its answer is [`StackAtView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "stack-at",
        answer: |on, asked| {
            let Keys { thread, time_ns, event } = keys(asked)?;
            // A position on the screen can be a fraction of a nanosecond.
            let moment = Moment { thread, time_ns: time_ns as u64, event };
            Answered::data(&stack_at(on.profile, on.query, moment)?)
        },
    },
    not_compared: None,
    command: None,
};

/// The keys of a request for a stack.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    thread: usize,
    time_ns: f64,
    event: Option<EventKind>,
}

/// The requested moment.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    /// Row of the threads table.
    pub thread: usize,
    /// Nanoseconds since the experiment's start.
    pub time_ns: u64,
    /// The requested event, or any event if missing.
    pub event: Option<EventKind>,
}

/// The answer of [`stack_at`](stack_at()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackAtView {
    /// The view's name.
    pub view: &'static str,
    /// Which frames are shown.
    pub view_mode: ViewMode,
    /// The filter as written. Missing if all samples are used.
    pub filter: Option<String>,
    /// The transforms of the shown stacks, in order.
    pub transforms: Vec<TransformLine>,
    /// Row of the threads table.
    pub thread: usize,
    /// The thread's name. Empty if unknown.
    pub thread_name: String,
    /// End of the sampled wait, call or CPU time, nanoseconds since the experiment's start. If the start is missing: when the sample
    /// was taken.
    pub time_ns: u64,
    /// Its start. Missing: only the weight of the sample is known, which also represents other waits or calls.
    pub start_ns: Option<u64>,
    /// The observed event.
    pub event: EventKind,
    /// The processor's mode.
    pub mode: CpuMode,
    /// Why the thread was blocked.
    pub reason: WaitReason,
    /// The weight of the sample.
    pub weight: u64,
    /// The unit of the weight.
    pub unit: Unit,
    /// The shown frames, outermost first.
    pub frames: Vec<StackFrame>,
}

/// A frame of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackFrame {
    /// The function's name as shown.
    pub function: String,
    /// How the code was executing.
    pub kind: FrameKind,
    /// Source line. Missing if unknown.
    pub line: Option<u32>,
    /// Bytecode index. Missing if unknown, or if the frame is not Java.
    pub bytecode_index: Option<u32>,
}

/// Finds the thread's sample that is nearest to a moment, and returns its stack. If the moment is inside the time range
/// of a sample, the distance is 0. Otherwise, it is the distance to the nearer end of this range. If a time range and
/// the other conditions of the filter are joined by `and`, the time range is ignored, as in the timeline.
///
/// # Errors
/// The thread does not exist or has no matching sample, or the filter contains an unknown name.
pub fn stack_at(profile: &Profile, query: &Query, moment: Moment) -> Result<StackAtView, AnalysisError> {
    let threads = &profile.tables().threads;
    if moment.thread >= threads.len() {
        return Err(AnalysisError::UnknownThread { thread: moment.thread, thread_count: threads.len() });
    }
    let found = sample_at(profile, query, moment)?;
    let (sample, time) =
        found.ok_or_else(|| AnalysisError::NoSample { thread: threads.name[moment.thread].clone() })?;
    let kind = kind_of(profile, sample);
    let (weight, unit) = amount(profile, sample, kind);
    Ok(StackAtView {
        view: "stack-at",
        view_mode: query.mode,
        filter: query.filter.as_ref().map(ToString::to_string),
        transforms: TransformLine::all(query),
        thread: moment.thread,
        thread_name: threads.name[moment.thread].clone(),
        time_ns: time.end_ns,
        start_ns: (!time.is_estimate).then_some(time.start_ns),
        event: kind.event,
        mode: kind.mode,
        reason: kind.reason,
        weight,
        unit,
        frames: shown_frames(profile, query, sample)?,
    })
}

/// How far a sample is from a moment: the nanoseconds between its time and the moment, whether its time is an estimate, and the nanoseconds
/// from the moment to its end.
type Distance = (u64, bool, u64);

/// The nearest sample and its time. Of two samples whose times contain the moment, one whose time is known is nearer.
fn sample_at(profile: &Profile, query: &Query, moment: Moment) -> Result<Option<(usize, SampleTime)>, AnalysisError> {
    let predicate = query.filter.as_ref().map(|filter| profile.predicate(filter, query.mode)).transpose()?;
    let predicate = predicate.and_then(|predicate| without_time(predicate).1);
    let (samples, reduction) = (profile.samples(), profile.shown(query, EntityKey::Function)?);
    let times = SampleTimes::new(profile, Some(moment.thread));
    let mut nearest: Option<(Distance, (usize, SampleTime))> = None;
    each_kept(samples, predicate.as_ref(), 0, |sample| {
        let is_wanted = samples.thread[sample].row() == moment.thread
            && moment.event.is_none_or(|event| kind_of(profile, sample).event == event)
            && reduction.node_of_stack(samples.observed[sample] as usize).is_some();
        if is_wanted {
            let time = times.of(sample);
            let before = time.start_ns.saturating_sub(moment.time_ns);
            let behind = moment.time_ns.saturating_sub(time.end_ns);
            let distance = (before.max(behind), time.is_estimate, time.end_ns.abs_diff(moment.time_ns));
            if nearest.is_none_or(|(known, _)| distance < known) {
                nearest = Some((distance, (sample, time)));
            }
        }
    });
    Ok(nearest.map(|(_, found)| found))
}

fn kind_of(profile: &Profile, sample: usize) -> SampleKind {
    SampleKind::of_index(usize::from(profile.samples().kind[sample]))
}

/// The weight of a sample, in the unit of its event.
fn amount(profile: &Profile, sample: usize, kind: SampleKind) -> (u64, Unit) {
    let column = kind.event.weight();
    (profile.samples().column(column)[sample], column.unit())
}

fn shown_frames(profile: &Profile, query: &Query, sample: usize) -> Result<Vec<StackFrame>, AnalysisError> {
    let reduction = profile.shown(query, EntityKey::Function)?;
    let observed = profile.samples().observed[sample] as usize;
    let (stack, node) = (profile.observed_stacks()[observed], reduction.node_of_stack(observed).unwrap_or(ROOT));
    let frames = frames_leaf_first((profile.tables(), &reduction.tree), stack, node);
    let frame = |(node, frame): &(u32, Option<FrameIndex>)| {
        let function = reduction.places[reduction.tree.entity[*node as usize] as usize].function;
        let frames = &profile.tables().frames;
        let row = frame.map(FrameIndex::row);
        StackFrame {
            function: profile.names().display_name(function).to_owned(),
            kind: row.map_or_else(|| usual_kind(profile.names().kind(function)), |row| frames.kind[row]),
            line: row.and_then(|row| frames.line[row]),
            bytecode_index: row.and_then(|row| frames.bytecode_index[row]),
        }
    };
    Ok(frames.iter().rev().map(frame).collect())
}
