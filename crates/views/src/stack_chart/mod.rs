//! What a thread or a group of threads executed when: stacks over time.
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
//!
//! A group is a row of the timeline with several threads, or all of its rows. In each bin, the stack with the most CPU time of its
//! threads is shown. Waits are only shown where no thread used a CPU.

mod boxes;
mod group_runs;
mod runs;
mod times;

pub use boxes::ChartBoxes;

use crate::definition::{Answered, Answerer, ViewDefinition, keys};
use crate::fixed_order::preamble;
use crate::flame_graph::kinds_of_shown;
use crate::sample_times::SampleTimes;
use crate::shown_stacks::{FrameworkFrames, has_folded, with_folded};
use crate::stack_chart::boxes::boxes;
use crate::stack_chart::group_runs::group_runs;
use crate::stack_chart::runs::runs;
use crate::stack_chart::times::{SampledTime, close_gaps};
use crate::timeline::bins::TimeBins;
use crate::timeline::{
    GroupBy, RowGroup, RowKeys, each_kept, states_of_kinds, threads_of_row, time_bins, without_time,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use whittle_model::{Resource, Table};
use whittle_profile::entity_tree::ROOT;
use whittle_profile::filter::Predicate;
use whittle_profile::pools::threads_count;
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

/// The threads, the time range and the bins of a stack chart.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StackChartShape {
    /// Row of the threads table. For a pool: one of its threads.
    pub thread: usize,
    /// Which row of the timeline is shown. The default is the row of the thread.
    pub group: RowGroup,
    /// Only threads with a name, or in a pool with a name, that contains this text, as in the timeline. For `pool` and `all`.
    pub named: String,
    /// What the rows are grouped by, as in the timeline. For `group`.
    pub group_by: GroupBy,
    /// The name of the group. For `group`.
    pub group_name: String,
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
    /// The name of the thread or the group. Empty if unknown.
    pub name: String,
    /// Number of threads that the chart shows.
    pub threads_count: u64,
    /// True if the chart shows several rows of the threads table. It then shows waits only where no thread used a CPU.
    pub is_group: bool,
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

/// What a thread or a group of threads executed when.
///
/// # Errors
/// The thread does not exist, the time range or the number of bins is invalid, or the filter contains an unknown name.
pub fn stack_chart(
    profile: &Profile,
    asked_for: &Query,
    shape: &StackChartShape,
) -> Result<StackChartView, AnalysisError> {
    let threads = &profile.tables().threads;
    if matches!(shape.group, RowGroup::Thread | RowGroup::Pool) && shape.thread >= threads.len() {
        return Err(AnalysisError::UnknownThread { thread: shape.thread, thread_count: threads.len() });
    }
    let predicate = asked_for.filter.as_ref().map(|filter| profile.predicate(filter, asked_for.mode)).transpose()?;
    let (range, predicate) = predicate.map_or((None, None), without_time);
    let bins = bins_of(profile, shape, range)?;
    let keys = RowKeys {
        group: shape.group,
        thread: shape.thread,
        named: &shape.named,
        group_by: shape.group_by,
        group_name: &shape.group_name,
    };
    let shown = threads_of_row(profile, asked_for, bins, keys)?;
    let query = &*with_folded(asked_for, (shape.frameworks, &shape.opened), false);
    let reduction = profile.shown(query, EntityKey::Function)?;
    let mut times = times_of(profile, (&shown, predicate.as_ref()), &reduction, bins);
    times.iter_mut().for_each(|times| close_gaps(times));
    let runs = if let [times] = times.as_slice() { runs(times, bins) } else { group_runs(&times, bins) };
    let (mut boxes, is_cut) = boxes(&runs, &reduction.tree);
    let kinds = kinds_of_shown(profile, query, &reduction);
    let kinds = boxes.node.iter().map(|node| kinds[*node as usize]).collect();
    boxes.node.iter_mut().for_each(|node| *node = reduction.id_of(*node));
    Ok(StackChartView {
        preamble: Preamble {
            notes: notes(runs.is_empty(), is_cut),
            ..preamble(profile, asked_for, "stack-chart", Some("time_ns"))
        },
        name: name_of(profile, shape, &shown),
        threads_count: threads_count(threads, &shown),
        is_group: shown.len() > 1,
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

/// The name of the shown threads. A group with one thread has the name of this thread, as in the timeline.
fn name_of(profile: &Profile, shape: &StackChartShape, shown: &[usize]) -> String {
    if let [thread] = shown {
        return profile.tables().threads.name[*thread].clone();
    }
    match shape.group {
        RowGroup::Thread | RowGroup::Pool => {
            profile.pools().of_thread(shape.thread).map_or_else(String::new, |pool| pool.name.clone())
        }
        RowGroup::Idle => "idle threads".to_owned(),
        RowGroup::Group => shape.group_name.clone(),
        RowGroup::All if shape.named.is_empty() => "all threads".to_owned(),
        RowGroup::All => format!("threads named \"{}\"", shape.named),
    }
}

/// The times of each thread's samples that overlap the bins.
fn times_of(
    profile: &Profile,
    (threads, predicate): (&[usize], Option<&Predicate>),
    reduction: &Reduction,
    bins: TimeBins,
) -> Vec<Vec<SampledTime>> {
    let samples = profile.samples();
    let only = if let [thread] = threads { Some(*thread) } else { None };
    let sample_times = SampleTimes::new(profile, only);
    let states = states_of_kinds(samples);
    let mut times = vec![Vec::new(); threads.len()];
    let mut place_of_thread = vec![None; profile.tables().threads.len()];
    threads.iter().enumerate().for_each(|(place, thread)| place_of_thread[*thread] = Some(place));
    each_kept(samples, predicate, bins.from_ns, |sample| {
        let kind = usize::from(samples.kind[sample]);
        let place = place_of_thread[samples.thread[sample].row()].filter(|_| states[kind].is_some());
        let Some(place) = place else { return };
        let time = sample_times.of(sample);
        let is_inside = time.start_ns < bins.to_ns && time.end_ns >= bins.from_ns;
        let node = reduction.node_of_stack(samples.observed[sample] as usize).filter(|node| *node != ROOT);
        if let Some(node) = node.filter(|_| is_inside) {
            let resource = SampleKind::of_index(kind).event.resource();
            let is_wait = matches!(resource, Resource::BlockedTime | Resource::LockTime);
            let cpu_ns = if resource == Resource::CpuTime { time.length_ns.max(1) } else { 0 };
            let (start_ns, end_ns, is_estimate) = (time.start_ns, time.end_ns, time.is_estimate);
            times[place].push(SampledTime { start_ns, end_ns, node, cpu_ns, is_wait, is_estimate });
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
    let nothing = "no sample with a duration is left in this time range";
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
