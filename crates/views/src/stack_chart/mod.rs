//! What a thread executed when: its stacks over time.
//!
//! ```text
//! main            main                         time to the right, the stack down
//! parse    parse  write                        a box is a function for the time with the same frames
//! read            write0     write0            a gap: no sample
//! ```
//!
//! The times are those of samples with a duration: CPU time and waits. A wait has its own length, which is not its weight. If
//! a time range and the other conditions of the filter are joined by `and`, the time range does not remove data. It only
//! sets the shown time range, unless the request has another range, as in the timeline.

mod boxes;
mod runs;
mod times;

pub use boxes::ChartBoxes;

use crate::definition::{Answered, Answerer, ViewDefinition, keys};
use crate::fixed_order::preamble;
use crate::flame_graph::kinds_of_shown;
use crate::sample_times::SampleTimes;
use crate::shown_stacks::{FrameworkFrames, has_folded, with_folded};
use crate::stack_chart::boxes::boxes;
use crate::stack_chart::runs::runs;
use crate::stack_chart::times::{SampledTime, close_gaps};
use crate::timeline::bins::TimeBins;
use crate::timeline::{each_kept, states_of_kinds, time_bins, without_time};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use whittle_model::{Resource, Table};
use whittle_profile::entity_tree::ROOT;
use whittle_profile::filter::Predicate;
use whittle_profile::query::{Preamble, Query};
use whittle_profile::reduction::{EntityKey, Reduction};
use whittle_profile::samples::SampleKind;
use whittle_profile::{AnalysisError, Profile};
use whittle_render::binary_answer::{Numbers, encode};

/// The definition of this view. Its answer is [`StackChartView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "stack-chart",
        answer: |on, asked| {
            let shape: StackChartShape = keys(asked)?;
            Ok(Answered::Binary(stack_chart(on.profile, on.query, &shape)?.to_bytes(), None))
        },
    },
    not_compared: Some("times of different runs cannot be aligned"),
    command: None,
};

/// The thread, the time range and the bins of a stack chart.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StackChartShape {
    /// Row of the threads table.
    pub thread: usize,
    /// Start, in nanoseconds since the experiment's start. The default is the start of the filter's range, otherwise 0. A
    /// position on a screen can be a fraction of a nanosecond.
    pub from_ns: Option<f64>,
    /// End. The default is the end of the filter's range, otherwise the end of the experiment.
    pub to_ns: Option<f64>,
    /// Number of bins, such as the pixels of a screen. The stack with the most time in a bin is shown. The default is 1000.
    pub bins: Option<usize>,
    /// Whether the frames of frameworks are folded.
    pub frameworks: FrameworkFrames,
    /// Nodes of folded frames that are shown nevertheless.
    pub opened: Vec<u32>,
}

/// Number of bins that fit on a screen.
const USUAL_BINS: usize = 1000;

/// The answer of [`stack_chart`](stack_chart()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StackChartView {
    /// Mode, filter, transforms and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// Row of the threads table.
    pub thread: usize,
    /// The thread's name. Empty if unknown.
    pub thread_name: String,
    /// Start, in nanoseconds since the experiment's start.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
    /// Number of bins.
    pub bins: usize,
    /// Number of rows with boxes.
    pub row_count: u32,
    /// The function names of the boxes, by function number.
    pub names: BTreeMap<u32, String>,
    /// True if frames of frameworks are folded.
    pub has_folded: bool,
    /// The boxes.
    #[serde(skip)]
    pub boxes: ChartBoxes,
    /// How the code of each box executed.
    #[serde(skip)]
    pub kinds: Vec<u8>,
}

/// What a thread executed when.
///
/// # Errors
/// The thread does not exist, the time range or the number of bins is invalid, or the filter contains an unknown name.
pub fn stack_chart(
    profile: &Profile,
    asked_for: &Query,
    shape: &StackChartShape,
) -> Result<StackChartView, AnalysisError> {
    let threads = &profile.tables().threads;
    if shape.thread >= threads.len() {
        return Err(AnalysisError::UnknownThread { thread: shape.thread, thread_count: threads.len() });
    }
    let predicate = asked_for.filter.as_ref().map(|filter| profile.predicate(filter, asked_for.mode)).transpose()?;
    let (range, predicate) = predicate.map_or((None, None), without_time);
    let bins = bins_of(profile, shape, range)?;
    let query = &*with_folded(asked_for, (shape.frameworks, &shape.opened), false);
    let reduction = profile.shown(query, EntityKey::Function)?;
    let mut times = times_of(profile, (shape.thread, predicate.as_ref()), &reduction, bins);
    close_gaps(&mut times);
    let (mut boxes, is_cut) = boxes(&runs(&times, bins), &reduction.tree);
    let kinds = kinds_of_shown(profile, query, &reduction);
    let kinds = boxes.node.iter().map(|node| kinds[*node as usize]).collect();
    boxes.node.iter_mut().for_each(|node| *node = reduction.id_of(*node));
    Ok(StackChartView {
        preamble: Preamble {
            notes: notes(times.is_empty(), is_cut),
            ..preamble(profile, asked_for, "stack-chart", Some("time_ns"))
        },
        thread: shape.thread,
        thread_name: threads.name[shape.thread].clone(),
        from_ns: bins.from_ns,
        to_ns: bins.to_ns,
        bins: bins.count,
        row_count: boxes.row.last().map_or(0, |row| row + 1),
        names: names(profile, &reduction, &boxes),
        has_folded: has_folded(profile, &reduction),
        boxes,
        kinds,
    })
}

fn bins_of(profile: &Profile, shape: &StackChartShape, range: Option<(u64, u64)>) -> Result<TimeBins, AnalysisError> {
    let nanos = |asked: Option<f64>| asked.map(|nanos| nanos as u64);
    let asked = (nanos(shape.from_ns), nanos(shape.to_ns), shape.bins.unwrap_or(USUAL_BINS));
    let TimeBins { from_ns, to_ns, count } = time_bins(profile, asked, range)?;
    // A bin is at least a nanosecond long.
    let count = count.min(usize::try_from(to_ns - from_ns).unwrap_or(count));
    Ok(TimeBins { from_ns, to_ns, count })
}

/// The times of the thread's samples that overlap the bins.
fn times_of(
    profile: &Profile,
    (thread, predicate): (usize, Option<&Predicate>),
    reduction: &Reduction,
    bins: TimeBins,
) -> Vec<SampledTime> {
    let samples = profile.samples();
    let sample_times = SampleTimes::new(profile, Some(thread));
    let states = states_of_kinds(samples);
    let mut times = Vec::new();
    each_kept(samples, predicate, bins.from_ns, |sample| {
        let kind = usize::from(samples.kind[sample]);
        if samples.thread[sample].row() != thread || states[kind].is_none() {
            return;
        }
        let time = sample_times.of(sample);
        let is_inside = time.start_ns < bins.to_ns && time.end_ns >= bins.from_ns;
        let node = reduction.node_of_stack(samples.observed[sample] as usize).filter(|node| *node != ROOT);
        if let Some(node) = node.filter(|_| is_inside) {
            let resource = SampleKind::of_index(kind).event.resource();
            let is_wait = matches!(resource, Resource::BlockedTime | Resource::LockTime);
            let is_estimate = time.is_estimate;
            times.push(SampledTime { start_ns: time.start_ns, end_ns: time.end_ns, node, is_wait, is_estimate });
        }
    });
    times
}

fn names(profile: &Profile, reduction: &Reduction, boxes: &ChartBoxes) -> BTreeMap<u32, String> {
    let mut names = BTreeMap::new();
    for entity in &boxes.function {
        let name = || profile.names().display_name(reduction.places[*entity as usize].function).to_owned();
        names.entry(*entity).or_insert_with(name);
    }
    names
}

fn notes(is_empty: bool, is_cut: bool) -> Vec<String> {
    let nothing = "no sample with a duration is left of this thread in this time range";
    let cut = "deeper rows are left out, because there are too many boxes: zoom to a shorter time range";
    let all = [(is_empty, nothing), (is_cut, cut)];
    all.into_iter().filter(|(applies, _)| *applies).map(|(_, note)| note.to_owned()).collect()
}

impl StackChartView {
    /// The answer in bytes: a header, then the arrays of the boxes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let boxes = &self.boxes;
        let floats = |numbers: &[u64]| numbers.iter().map(|number| *number as f64).collect::<Vec<_>>();
        let arrays = [
            ("node", Numbers::U32(&boxes.node)),
            ("function", Numbers::U32(&boxes.function)),
            ("row", Numbers::U32(&boxes.row)),
            ("start_ns", Numbers::F64(&floats(&boxes.start_ns))),
            ("end_ns", Numbers::F64(&floats(&boxes.end_ns))),
            ("kind", Numbers::U8(&self.kinds)),
            ("flags", Numbers::U8(&boxes.flags)),
        ];
        encode(self, &arrays)
    }
}
