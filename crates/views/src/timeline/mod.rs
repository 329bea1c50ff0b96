//! The states of threads over time: time in each state, by thread and bin.
//!
//! ```text
//!          bin 0           bin 1           bin 2
//! main     user 1.0        user 0.5        futex 1.0         seconds; a bin is a second long
//!                          socket 0.5
//! worker   futex 1.0       futex 1.0       system 1.0
//! ```
//!
//! The source is the kernel's record of thread states, if this record was collected and the filter can be applied to
//! it. The filter cannot always be applied, because the record has no stacks. Without a usable record, the samples are
//! the source: each sample is spread over the time that it represents. If a time range and the other conditions of the
//! filter are joined by `and`, the time range does not remove data. It only sets the shown time range, unless the
//! request has another range.

mod bins;
mod counters;
mod jvm_lanes;
mod range;
mod source;
mod states;
mod text;

pub use counters::TimelineCounter;
pub(crate) use range::without_time;
pub use source::TimelineSource;
pub(crate) use source::{each_kept, range_of};

use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys, read_count};
use crate::threads::has_own_name;
use crate::timeline::bins::{MOST_BINS, MOST_CELLS, TimeBins};
use crate::timeline::counters::counters_in;
use crate::timeline::source::Times;
use crate::timeline::states::{STATES, StateGroup};
use serde::{Deserialize, Deserializer, Serialize};
use whittle_model::{Table, ThreadClass};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::metrics::SortTerm;
use whittle_profile::query::{Preamble, Query, TransformLine, serialize_number};
use whittle_profile::ranking::keep_largest;
use whittle_profile::reduction::EntityKey;
use whittle_render::binary_answer::{Numbers, encode};

/// The definition of this view. Its answer is [`TimelineView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "timeline",
        answer: |on, asked| {
            let shape: TimelineShape = keys(asked)?;
            let timeline = timeline(on.profile, on.query, &shape)?;
            Ok(Answered::Binary(timeline.to_bytes(), Some(Box::new(timeline))))
        },
    },
    not_compared: Some("times of different runs cannot be aligned"),
    command: Some(Command {
        parameters: &[Parameter {
            default: Some("60"),
            read: read_count,
            ..Parameter::text("bins", "", "Number of bins on the time axis")
        }],
        orders: &["cpu", "blocked", "start", "name"],
        ..Command::table(
            "The states of each thread over time, one line per thread: CPU time as height, waits as letters",
        )
    }),
};

/// The time range and the bins of a timeline.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimelineShape {
    /// Start, in nanoseconds since the experiment's start. The default is the start of the filter's range, otherwise 0.
    #[serde(deserialize_with = "whole_ns")]
    pub from_ns: Option<u64>,
    /// End. The default is the end of the filter's range, otherwise the end of the experiment.
    #[serde(deserialize_with = "whole_ns")]
    pub to_ns: Option<u64>,
    /// Number of bins. The default is 60.
    pub bins: Option<usize>,
}

/// Reads a time in whole nanoseconds. A position on a screen can be a fraction of a nanosecond.
fn whole_ns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.map(|nanos| nanos as u64))
}

/// Number of bins that fit on a line next to a thread's name.
const USUAL_BINS: usize = 60;

/// The answer of [`timeline`](timeline()).
#[derive(Debug, Clone)]
pub struct TimelineView {
    /// Everything except the numbers.
    pub header: TimelineHeader,
    /// Nanoseconds by thread, state and bin: `ns[(thread * states + state) * bins + bin]`.
    pub ns: Vec<f32>,
    /// Values by counter and bin: `counters[counter * bins + bin]`. NaN if there is no value.
    pub counters: Vec<f32>,
}

/// The meaning of the numbers of a timeline.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineHeader {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// Start, in nanoseconds since the experiment's start.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
    /// Length of a bin.
    #[serde(serialize_with = "serialize_number")]
    pub bin_ns: f64,
    /// Number of bins.
    pub bins: usize,
    /// The source of the times.
    pub source: TimelineSource,
    /// Number of threads before the limit is applied.
    pub thread_count: usize,
    /// The threads shown.
    pub threads: Vec<TimelineThread>,
    /// The states.
    pub states: Vec<TimelineState>,
    /// What the JVM reported about its pauses, then the counters.
    pub counters: Vec<TimelineCounter>,
}

/// A thread of a timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineThread {
    /// Row of the threads table.
    pub thread: usize,
    /// The thread's name. Empty if unknown.
    pub name: String,
    /// True if no other thread of the experiment has this name. A filter such as `thread = "main"` then selects only
    /// this thread.
    pub has_own_name: bool,
    /// Kind of work.
    pub class: ThreadClass,
    /// Process id. Missing if unknown.
    pub process_id: Option<u32>,
    /// Operating system thread id. Missing if unknown.
    pub thread_id: Option<u32>,
    /// When the thread was first seen alive. Missing if unknown.
    pub start_ns: Option<u64>,
    /// When the end of the thread was seen. Missing if the thread was alive at the end, or if the time is unknown.
    pub end_ns: Option<u64>,
    /// Time in which the thread executed, in the shown range.
    #[serde(serialize_with = "serialize_number")]
    pub cpu_ns: f64,
    /// Time in which the thread was blocked, in the shown range.
    #[serde(serialize_with = "serialize_number")]
    pub blocked_ns: f64,
}

/// A state of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineState {
    /// `user`, `system`, `cpu` (unknown mode), `run_queue`, `preemption`, a waiting reason, `lock` or `wall`.
    pub name: &'static str,
}

/// The sums of a thread's states.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    cpu_ns: f64,
    blocked_ns: f64,
    all_ns: f64,
}

/// The time range of the filter, the times that match the filter's other conditions, and notes for the user.
type TimelineTimes<'a> = (Option<(u64, u64)>, Times<'a>, Vec<String>);

/// The states of threads over time. `Query::limit` and `Query::skip` count threads. `Query::sort` is `cpu`, `blocked`,
/// `start` or `name`.
///
/// # Errors
/// The order is unknown, the range is invalid, metrics are requested, or the filter contains an unknown name.
pub fn timeline(profile: &Profile, query: &Query, shape: &TimelineShape) -> Result<TimelineView, AnalysisError> {
    let order = Order::new(query)?;
    let (range, times, notes) = timeline_times(profile, query)?;
    let bins = time_bins(profile, shape, range)?;
    let (sums, has_state) = thread_sums(profile, &times, bins);
    let mut threads: Vec<usize> = (0..sums.len()).filter(|thread| sums[*thread].all_ns > 0.0).collect();
    let thread_count = threads.len();
    sort_threads(profile, &mut threads, order, (query, &sums));
    threads.truncate((MOST_CELLS / (STATES.len() * bins.count)).max(1));
    let states: Vec<usize> = (0..STATES.len()).filter(|state| has_state[*state]).collect();
    let ns = thread_bins(profile, &times, bins, (&threads, &states));
    let (mut counters, mut counter_values) = jvm_lanes::lanes_in(bins, &profile.tables().jvm_events);
    let (read, values) = counters_in(bins, &profile.tables().counters);
    counters.extend(read);
    counter_values.extend(values);
    let header = TimelineHeader {
        preamble: Preamble {
            view: "timeline",
            mode: query.mode,
            filter: query.filter.as_ref().map(ToString::to_string),
            transforms: TransformLine::all(query),
            comparison: profile.comparison().cloned(),
            sorted_by: order.field().to_owned(),
            notes,
        },
        from_ns: bins.from_ns,
        to_ns: bins.to_ns,
        bin_ns: bins.bin_ns(),
        bins: bins.count,
        source: times.source(),
        thread_count,
        threads: threads.into_iter().map(|thread| timeline_thread(profile, thread, sums[thread])).collect(),
        states: states.into_iter().map(|state| TimelineState { name: STATES[state].0 }).collect(),
        counters,
    };
    Ok(TimelineView { header, ns, counters: counter_values })
}

/// Returns the time range of the filter, the times that match the filter's other conditions, and notes for the user.
fn timeline_times<'a>(profile: &'a Profile, query: &Query) -> Result<TimelineTimes<'a>, AnalysisError> {
    let predicate = query.filter.as_ref().map(|filter| profile.predicate(filter, query.mode)).transpose()?;
    let (range, predicate) = predicate.map_or((None, None), without_time);
    let reduction = profile.shown(query, EntityKey::Function)?;
    let is_shown: Vec<bool> =
        (0..profile.observed_stacks().len()).map(|stack| reduction.node_of_stack(stack).is_some()).collect();
    let table = &profile.tables().thread_states;
    let threads = predicate.as_ref().map(Predicate::threads_alone);
    let is_known = !table.is_empty();
    if is_known && is_shown.iter().all(|is_shown| *is_shown) && !matches!(threads, Some(None)) {
        return Ok((range, Times::States { table, is_kept: threads.flatten() }, Vec::new()));
    }
    let note = if is_known { ONLY_SAMPLES } else { NO_STATES };
    let times = Times::Samples { samples: profile.samples(), predicate, is_shown };
    Ok((range, times, vec![note.to_owned()]))
}

fn time_bins(profile: &Profile, shape: &TimelineShape, range: Option<(u64, u64)>) -> Result<TimeBins, AnalysisError> {
    let end_ns = end_ns(profile);
    let (range_from, range_to) = range.unwrap_or((0, end_ns));
    let from_ns = shape.from_ns.unwrap_or(range_from);
    let to_ns = shape.to_ns.unwrap_or(range_to.min(end_ns));
    let count = shape.bins.unwrap_or(USUAL_BINS);
    if from_ns >= to_ns || !(1..=MOST_BINS).contains(&count) {
        return Err(AnalysisError::UnfitRange { from_ns, to_ns, bins: count, most_bins: MOST_BINS });
    }
    Ok(TimeBins { from_ns, to_ns, count })
}

/// The end of all observations, at least 1 ns after the start.
pub fn end_ns(profile: &Profile) -> u64 {
    let tables = profile.tables();
    let last = |times: &[u64]| times.iter().copied().max().unwrap_or(0);
    let ends = [profile.manifest().duration_ns, last(&tables.thread_states.end_ns), last(&profile.samples().time_ns)];
    ends.into_iter().fold(1, u64::max)
}

/// Adds up each thread's states inside the bins. Also returns which states occur.
fn thread_sums(profile: &Profile, times: &Times<'_>, bins: TimeBins) -> (Vec<Sums>, [bool; STATES.len()]) {
    let mut sums = vec![Sums::default(); profile.tables().threads.len()];
    let mut has_state = [false; STATES.len()];
    times.each(0, |found| {
        has_state[found.state] |= found.range.spent_ns > 0.0;
        let inside = bins.spent_inside(found.range);
        let sums = &mut sums[found.thread];
        sums.all_ns += inside;
        match STATES[found.state].1 {
            StateGroup::Cpu => sums.cpu_ns += inside,
            StateGroup::Blocked => sums.blocked_ns += inside,
            StateGroup::Other => {}
        }
    });
    (sums, has_state)
}

fn sort_threads(profile: &Profile, threads: &mut Vec<usize>, order: Order, (query, sums): (&Query, &[Sums])) {
    let table = &profile.tables().threads;
    let name = |thread: &usize| (table.name[*thread].as_str(), *thread);
    let start = |thread: usize| table.start_ns[thread].unwrap_or(0);
    match order {
        Order::Cpu => keep_largest(threads, query.window(), |thread| sums[*thread].cpu_ns, name),
        Order::Blocked => keep_largest(threads, query.window(), |thread| sums[*thread].blocked_ns, name),
        Order::Start => keep_largest(threads, query.window(), |thread| -(start(*thread) as f64), name),
        Order::Name => keep_largest(threads, query.window(), |_| 0.0, name),
    }
}

/// Nanoseconds by thread, state and bin.
fn thread_bins(
    profile: &Profile,
    times: &Times<'_>,
    bins: TimeBins,
    (threads, states): (&[usize], &[usize]),
) -> Vec<f32> {
    const NOT_SHOWN: usize = usize::MAX;
    let mut position = vec![NOT_SHOWN; profile.tables().threads.len()];
    threads.iter().enumerate().for_each(|(index, thread)| position[*thread] = index);
    let mut column = [0; STATES.len()];
    states.iter().enumerate().for_each(|(index, state)| column[*state] = index);
    let mut ns = vec![0.0_f64; threads.len() * states.len() * bins.count];
    times.each(bins.from_ns, |found| {
        if position[found.thread] != NOT_SHOWN && found.range.spent_ns > 0.0 {
            let start = (position[found.thread] * states.len() + column[found.state]) * bins.count;
            bins.spread(found.range, |bin, spent| ns[start + bin] += spent);
        }
    });
    ns.into_iter().map(|ns| ns as f32).collect()
}

fn timeline_thread(profile: &Profile, thread: usize, sums: Sums) -> TimelineThread {
    let table = &profile.tables().threads;
    TimelineThread {
        thread,
        name: table.name[thread].clone(),
        has_own_name: has_own_name(profile, thread),
        class: table.class[thread],
        process_id: table.process_id[thread],
        thread_id: table.thread_id[thread],
        start_ns: table.start_ns[thread],
        end_ns: table.end_ns[thread],
        cpu_ns: sums.cpu_ns,
        blocked_ns: sums.blocked_ns,
    }
}

const NO_STATES: &str = "times are estimates from samples: this experiment has no record of the threads' states; the \
                         engine kernel collects this record";
const ONLY_SAMPLES: &str = "times are estimates from samples: the kernel's record of the threads' states has no \
                            stacks and no events, and the filter or a transform needs them";

/// The order of the threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Cpu,
    Blocked,
    Start,
    Name,
}

impl Order {
    fn new(query: &Query) -> Result<Self, AnalysisError> {
        if query.metrics.is_some() {
            return Err(AnalysisError::FixedColumns { view: "timeline" });
        }
        let text = match &query.sort {
            None => return Ok(Self::Cpu),
            Some(SortTerm::Name) => return Ok(Self::Name),
            Some(SortTerm::Metric(term)) => term.to_string(),
        };
        match text.as_str() {
            "cpu" => Ok(Self::Cpu),
            "blocked" => Ok(Self::Blocked),
            "start" => Ok(Self::Start),
            _ => Err(AnalysisError::UnknownOrder { text, known: vec!["cpu", "blocked", "start", "name"] }),
        }
    }

    /// The field that rows are sorted by.
    fn field(self) -> &'static str {
        match self {
            Self::Cpu => "cpu_ns",
            Self::Blocked => "blocked_ns",
            Self::Start => "start_ns",
            Self::Name => "name",
        }
    }
}

impl TimelineView {
    /// The answer in bytes: the header, then the numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        encode(&self.header, &[("ns", Numbers::F32(&self.ns)), ("counters", Numbers::F32(&self.counters))])
    }

    /// Nanoseconds in which all threads were stopped, one number per bin. `None`: the JVM did not report it.
    fn stopped_bins(&self) -> Option<&[f32]> {
        let lane = self.header.counters.iter().position(|counter| counter.name == jvm_lanes::STOPPED)?;
        Some(&self.counters[lane * self.header.bins..(lane + 1) * self.header.bins])
    }

    /// Nanoseconds of a shown thread in a state, one number per bin.
    pub fn bins_of(&self, thread: usize, state: usize) -> &[f32] {
        let start = (thread * self.header.states.len() + state) * self.header.bins;
        &self.ns[start..start + self.header.bins]
    }

    /// All times that are not 0.
    pub(crate) fn rows(&self) -> impl Iterator<Item = TimelineRow<'_>> {
        let states = self.header.states.len();
        (0..self.header.threads.len() * states).flat_map(move |position| {
            let (thread, state) = (position / states, position % states);
            let bins = self.bins_of(thread, state).iter().enumerate().filter(|(_, ns)| **ns > 0.0);
            let thread = &self.header.threads[thread];
            let state = self.header.states[state].name;
            bins.map(move |(bin, ns)| TimelineRow { thread: thread.thread, bin, state, ns: *ns })
        })
    }
}

/// The time that a thread spent in a state during a bin.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct TimelineRow<'a> {
    /// Row of the threads table.
    pub(crate) thread: usize,
    pub(crate) bin: usize,
    pub(crate) state: &'a str,
    pub(crate) ns: f32,
}

/// A value of a counter.
#[derive(Debug, Clone, Copy, Serialize)]
struct CounterRow<'a> {
    counter: &'a str,
    bin: usize,
    value: f32,
}

/// The header, and the numbers as rows: thread, bin, state, nanoseconds.
impl Serialize for TimelineView {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            #[serde(flatten)]
            header: &'a TimelineHeader,
            rows: Vec<TimelineRow<'a>>,
            counter_rows: Vec<CounterRow<'a>>,
        }
        let bins = self.header.bins;
        let values = self.counters.iter().enumerate().filter(|(_, value)| !value.is_nan());
        let counter_rows = values.map(|(index, value)| {
            let counter = self.header.counters[index / bins].name.as_str();
            CounterRow { counter, bin: index % bins, value: *value }
        });
        let fields = Fields { header: &self.header, rows: self.rows().collect(), counter_rows: counter_rows.collect() };
        fields.serialize(serializer)
    }
}
