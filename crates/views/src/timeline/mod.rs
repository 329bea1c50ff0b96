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

pub(crate) mod bins;
mod counters;
mod group_by;
#[cfg(not(target_arch = "wasm32"))]
mod groups;
mod idle;
mod idle_row;
mod jvm_lanes;
mod named;
mod order;
mod range;
#[cfg(not(target_arch = "wasm32"))]
mod row_threads;
mod source;
mod states;
mod sums;
mod text;

pub use counters::TimelineCounter;
pub use group_by::GroupBy;
pub use idle_row::IdleRows;
pub(crate) use range::without_time;
#[cfg(not(target_arch = "wasm32"))]
pub use row_threads::RowGroup;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use row_threads::{RowKeys, threads_of_row};
pub use source::TimelineSource;
pub(crate) use source::each_kept;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use source::states_of_kinds;

use crate::definition::{Answered, Answerer, Command, Parameter, ViewDefinition, keys, read_count};
use crate::pool_rows::{POOLS, PoolKeys, PoolRows, thread_lines};
use crate::timeline::bins::{MOST_BINS, MOST_CELLS, TimeBins};
use crate::timeline::counters::counters_in;
use crate::timeline::group_by::GROUP_BY;
#[cfg(not(target_arch = "wasm32"))]
use crate::timeline::groups::{Groups, with_groups};
use crate::timeline::idle::IdleShares;
use crate::timeline::idle_row::{Outer, TimelineLine, with_idle_row};
use crate::timeline::named::{NAMED, with_name};
use crate::timeline::order::{ORDERS, Order};
use crate::timeline::source::Times;
use crate::timeline::states::STATES;
use crate::timeline::sums::{Sums, thread_sums};
use serde::{Deserialize, Deserializer, Serialize};
use whittle_model::{Table, ThreadClass};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::pools::threads_count;
use whittle_profile::query::{Preamble, Query, TransformLine, serialize_number};
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
        parameters: &[
            Parameter {
                default: Some("60"),
                read: read_count,
                ..Parameter::text("bins", "", "Number of bins on the time axis")
            },
            POOLS,
            GROUP_BY,
            NAMED,
        ],
        orders: ORDERS,
        ..Command::table(
            "The states of threads over time, a line for each thread or pool: CPU time as height, waits as letters",
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
    /// Which rows the threads of pools have. `open` also opens the groups.
    pub pools: PoolRows,
    /// Threads, by their row in the threads table. The pools of these threads are open.
    pub open: Vec<usize>,
    /// What the rows of threads and pools are grouped by.
    pub group_by: GroupBy,
    /// The names of groups that are open.
    pub open_groups: Vec<String>,
    /// Only threads with a name, or in a pool with a name, that contains this text in upper or lower case. All idle threads
    /// then have their own rows.
    pub named: String,
    /// Which rows threads have that were idle all the time.
    pub idle: IdleRows,
}

/// Reads a time in whole nanoseconds. A position on a screen can be a fraction of a nanosecond.
pub(crate) fn whole_ns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.map(|nanos| nanos as u64))
}

/// Number of bins that fit on a line next to a thread's name.
const USUAL_BINS: usize = 60;

/// The answer of [`timeline`](timeline()).
#[derive(Debug, Clone)]
pub struct TimelineView {
    /// Everything except the numbers.
    pub header: TimelineHeader,
    /// Nanoseconds by row, state and bin: `ns[(row * states + state) * bins + bin]`. For a pool: the sum over its threads.
    pub ns: Vec<f32>,
    /// Nanoseconds by state and bin, the sum over all threads that match the filter, also those without a row:
    /// `activity[state * bins + bin]`.
    pub activity: Vec<f32>,
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
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows shown: threads and pools.
    pub threads: Vec<TimelineThread>,
    /// The states.
    pub states: Vec<TimelineState>,
    /// What the JVM reported about its pauses, then the counters.
    pub counters: Vec<TimelineCounter>,
}

/// A row of a timeline: a thread or a pool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineThread {
    /// Row of the threads table. For a pool: the row of its first thread, as in the filter `pool is #12`.
    pub thread: usize,
    /// The name of the thread or the pool. Empty if unknown.
    pub name: String,
    /// True if no other thread or pool of the experiment has this name. A filter such as `thread = "main"` or
    /// `pool is "exec-#"` then selects only this row.
    pub has_own_name: bool,
    /// True if the row represents a pool. Its values are sums over its threads.
    pub is_pool: bool,
    /// True if the row represents all threads that were idle all the time.
    pub is_idle_row: bool,
    /// True if the row represents a group by process, state or package. Its name is that of the group.
    pub is_group: bool,
    /// Number of rows that this row is a part of: its pool, and its group or the row of idle threads.
    pub depth: usize,
    /// Number of threads that the row represents.
    pub threads_count: u64,
    /// Number of rows of the threads table that the row represents. The mean state of a pool is its sum divided by this
    /// number.
    pub lanes_count: usize,
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
    /// Time in which the threads executed, in the shown range.
    #[serde(serialize_with = "serialize_number")]
    pub cpu_ns: f64,
    /// Time in which the threads were blocked, in the shown range.
    #[serde(serialize_with = "serialize_number")]
    pub blocked_ns: f64,
}

/// A state of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TimelineState {
    /// `user`, `system`, `cpu` (unknown mode), `run_queue`, `preemption`, a waiting reason, `lock`, `wall` or `idle`.
    pub name: &'static str,
}

/// The time range of the filter, the times that match the filter's other conditions, and notes for the user.
type TimelineTimes<'a> = (Option<(u64, u64)>, Times<'a>, Vec<String>);

/// The states of threads over time. `Query::limit` and `Query::skip` count rows. `Query::sort` is `work`, `cpu`,
/// `blocked`, `start` or `name`.
///
/// # Errors
/// The order is unknown, the range is invalid, metrics are requested, or the filter contains an unknown name.
pub fn timeline(profile: &Profile, query: &Query, shape: &TimelineShape) -> Result<TimelineView, AnalysisError> {
    let order = Order::new(query)?;
    let (range, times, mut notes) = timeline_times(profile, query)?;
    let bins = time_bins(profile, (shape.from_ns, shape.to_ns, shape.bins.unwrap_or(USUAL_BINS)), range)?;
    let (sums, has_state) = thread_sums(profile.tables().threads.len(), &times, bins);
    let mut lines = timeline_lines(profile, shape, order, (&sums, &times, bins));
    if lines.is_empty() && !shape.named.is_empty() {
        notes.push(format!("no thread has a name that contains \"{}\"", shape.named));
    }
    #[cfg(not(target_arch = "wasm32"))]
    if shape.group_by == GroupBy::Process && lines.iter().any(|of| of.outer.is_none() && of.line.depth == 0) {
        notes.push(ONE_PROCESS.to_owned());
    }
    let row_count = lines.len();
    query.window().cut(&mut lines);
    lines.truncate((MOST_CELLS / (STATES.len() * bins.count)).max(1));
    let states: Vec<usize> = (0..STATES.len()).filter(|state| has_state[*state]).collect();
    let (ns, activity) = thread_bins(profile, &times, bins, (&lines, &states));
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
        row_count,
        threads: lines.iter().map(|line| timeline_thread(profile, line, &sums)).collect(),
        states: states.into_iter().map(|state| TimelineState { name: STATES[state].0 }).collect(),
        counters,
    };
    Ok(TimelineView { header, ns, activity, counters: counter_values })
}

/// The rows, before the limit is applied.
fn timeline_lines(
    profile: &Profile,
    shape: &TimelineShape,
    order: Order,
    (sums, times, bins): (&[Sums], &Times<'_>, TimeBins),
) -> Vec<TimelineLine> {
    let threads = (0..sums.len()).filter(|thread| sums[*thread].all_ns > 0.0);
    let threads = with_name(profile, threads, &shape.named);
    let pools = if shape.group_by == GroupBy::None { PoolRows::None } else { shape.pools };
    let keys = PoolKeys { rows: pools, open: &shape.open };
    let lines = thread_lines(profile, threads, keys, |lines| order.sort(profile, lines, sums));
    let idle = if shape.named.is_empty() { shape.idle } else { IdleRows::None };
    let lines = with_idle_row(lines, idle, |line| line.threads.iter().all(|thread| sums[*thread].is_idle()));
    #[cfg(not(target_arch = "wasm32"))]
    if let Some(groups) = Groups::new(profile, shape.group_by, (times, bins)) {
        let is_open = |name: &str| pools == PoolRows::Open || shape.open_groups.iter().any(|open| open == name);
        return with_groups(lines, (&groups, is_open), (order, profile, sums));
    }
    #[cfg(target_arch = "wasm32")]
    let _ = (times, bins);
    lines
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
        let idle = IdleShares::new(profile);
        return Ok((range, Times::States { table, is_kept: threads.flatten(), idle }, Vec::new()));
    }
    let note = if is_known { ONLY_SAMPLES } else { NO_STATES };
    let meanings = profile.wait_meanings();
    let times = Times::Samples { samples: profile.samples(), predicate, is_shown, meanings };
    Ok((range, times, vec![note.to_owned()]))
}

/// A time range in bins: start, end and number of bins. A missing start or end is that of the filter's range, otherwise that of the
/// experiment.
///
/// # Errors
/// The range is empty, or the number of bins is 0 or too large.
pub(crate) fn time_bins(
    profile: &Profile,
    (from_ns, to_ns, count): (Option<u64>, Option<u64>, usize),
    range: Option<(u64, u64)>,
) -> Result<TimeBins, AnalysisError> {
    let end_ns = end_ns(profile);
    let (range_from, range_to) = range.unwrap_or((0, end_ns));
    let from_ns = from_ns.unwrap_or(range_from);
    let to_ns = to_ns.unwrap_or(range_to.min(end_ns));
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

/// Nanoseconds by row, state and bin, and their sums over all threads by state and bin.
fn thread_bins(
    profile: &Profile,
    times: &Times<'_>,
    bins: TimeBins,
    (lines, states): (&[TimelineLine], &[usize]),
) -> (Vec<f32>, Vec<f32>) {
    // A thread of an open pool has two rows: that of its pool and its own. It can also be part of the idle row or of a group.
    let mut rows_of_thread = vec![[None; 3]; profile.tables().threads.len()];
    for (row, TimelineLine { line, .. }) in lines.iter().enumerate() {
        line.threads.iter().for_each(|thread| rows_of_thread[*thread][line.depth] = Some(row));
    }
    let mut column = [0; STATES.len()];
    states.iter().enumerate().for_each(|(index, state)| column[*state] = index);
    let mut ns = vec![0.0_f64; lines.len() * states.len() * bins.count];
    let mut activity = vec![0.0_f64; states.len() * bins.count];
    times.each(bins.from_ns, |found| {
        if found.range.spent_ns <= 0.0 {
            return;
        }
        let rows = rows_of_thread[found.thread];
        bins.spread(found.range, |bin, spent| {
            let place = column[found.state] * bins.count + bin;
            activity[place] += spent;
            rows.iter().flatten().for_each(|row| ns[row * states.len() * bins.count + place] += spent);
        });
    });
    let floats = |ns: Vec<f64>| ns.into_iter().map(|ns| ns as f32).collect();
    (floats(ns), floats(activity))
}

fn timeline_thread(profile: &Profile, of: &TimelineLine, sums: &[Sums]) -> TimelineThread {
    let TimelineLine { line, outer } = of;
    let (table, first) = (&profile.tables().threads, line.threads[0]);
    let is_pool = outer.is_none() && line.pool(profile).is_some();
    let name = match outer {
        Some(Outer::Idle) => IDLE_THREADS,
        Some(Outer::Group(name)) => name,
        None => line.name(profile),
    };
    let sums = Sums::of(&line.threads, sums);
    let ends = line.threads.iter().map(|thread| table.end_ns[*thread]);
    TimelineThread {
        thread: if outer.is_some() { first } else { line.index(profile) },
        name: name.to_owned(),
        has_own_name: outer.is_none() && line.has_own_name(profile),
        is_pool,
        is_idle_row: *outer == Some(Outer::Idle),
        is_group: matches!(outer, Some(Outer::Group(_))),
        depth: line.depth,
        threads_count: threads_count(table, &line.threads),
        lanes_count: line.threads.len(),
        class: table.class[first],
        process_id: table.process_id[first],
        thread_id: table.thread_id[first].filter(|_| line.threads.len() == 1),
        start_ns: line.threads.iter().filter_map(|thread| table.start_ns[*thread]).min(),
        // A thread without an end was alive at the end.
        end_ns: ends.collect::<Option<Vec<u64>>>().and_then(|ends| ends.into_iter().max()),
        cpu_ns: sums.cpu_ns,
        blocked_ns: sums.blocked_ns,
    }
}

/// The name of the row of idle threads.
const IDLE_THREADS: &str = "idle threads";

#[cfg(not(target_arch = "wasm32"))]
const ONE_PROCESS: &str = "there are no groups by process, because all threads are of one process";

const NO_STATES: &str = "times are estimates from samples: this experiment has no record of the threads' states; the \
                         engine kernel collects this record";
const ONLY_SAMPLES: &str = "times are estimates from samples: the kernel's record of the threads' states has no \
                            stacks and no events, and the filter or a transform needs them";

impl TimelineView {
    /// The answer in bytes: the header, then the numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let arrays = [("ns", &self.ns), ("activity", &self.activity), ("counters", &self.counters)];
        encode(&self.header, &arrays.map(|(name, numbers)| (name, Numbers::F32(numbers))))
    }

    /// Nanoseconds in which all threads were stopped, one number per bin. `None`: the JVM did not report it.
    fn stopped_bins(&self) -> Option<&[f32]> {
        let lane = self.header.counters.iter().position(|counter| counter.name == jvm_lanes::STOPPED)?;
        Some(&self.counters[lane * self.header.bins..(lane + 1) * self.header.bins])
    }

    /// Nanoseconds of a shown row in a state, one number per bin.
    pub fn bins_of(&self, row: usize, state: usize) -> &[f32] {
        let start = (row * self.header.states.len() + state) * self.header.bins;
        &self.ns[start..start + self.header.bins]
    }

    /// All times that are not 0.
    pub(crate) fn rows(&self) -> impl Iterator<Item = TimelineRow<'_>> {
        let states = self.header.states.len();
        (0..self.header.threads.len() * states).flat_map(move |position| {
            let (row, state) = (position / states, position % states);
            let bins = self.bins_of(row, state).iter().enumerate().filter(|(_, ns)| **ns > 0.0);
            let line = &self.header.threads[row];
            let state = self.header.states[state].name;
            bins.map(move |(bin, ns)| TimelineRow {
                thread: line.thread,
                is_pool: line.is_pool,
                is_group: line.is_group,
                name: &line.name,
                bin,
                state,
                ns: *ns,
            })
        })
    }
}

/// The time that a thread spent in a state during a bin.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct TimelineRow<'a> {
    /// Row of the threads table. For a pool or a group: the row of its first thread.
    pub(crate) thread: usize,
    pub(crate) is_pool: bool,
    pub(crate) is_group: bool,
    #[serde(skip)]
    pub(crate) name: &'a str,
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

/// The header, and the numbers as rows: thread or pool, bin, state, nanoseconds.
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
