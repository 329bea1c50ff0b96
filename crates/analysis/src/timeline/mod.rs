//! What each thread did when: time in each state, by thread and bin.
//!
//! ```text
//!          bin 0           bin 1           bin 2
//! main     user 1.0        user 0.5        futex 1.0         seconds; a bin is a second long
//!                          socket 0.5
//! worker   futex 1.0       futex 1.0       system 1.0
//! ```
//!
//! The kernel's account of the threads is taken where it was collected and where it knows what the filter asks for; it
//! knows no stacks. Else samples are spread over the time that they stand for. A time range beside `and` in the filter
//! does not leave out samples: it is the stretch of time that is shown if no other is asked for.

mod bins;
mod counters;
mod range;
mod source;
mod states;

pub use counters::TimelineCounter;
pub(crate) use range::without_time;
pub use source::TimelineSource;
pub(crate) use source::{each_kept, stretch_of};

use crate::binary_answer::{Numbers, encode};
use crate::filter::Predicate;
use crate::functions::keep_largest;
use crate::metrics::SortTerm;
use crate::query::{Preamble, Query, TransformLine, serialize_number};
use crate::reduction::EntityKey;
use crate::{AnalysisError, Profile};
use bins::{MOST_BINS, MOST_CELLS, TimeBins};
use counters::{GC_TIME, counters_in};
use serde::{Deserialize, Deserializer, Serialize};
use source::Times;
use states::{STATES, StateGroup};
use whittle_model::{Table, ThreadClass};

/// Which time a timeline shows, and how finely.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TimelineShape {
    /// Start, nanoseconds since the experiment's start; missing: that of the filter's range, else 0.
    #[serde(deserialize_with = "whole_ns")]
    pub from_ns: Option<u64>,
    /// End; missing: that of the filter's range, else the experiment's.
    #[serde(deserialize_with = "whole_ns")]
    pub to_ns: Option<u64>,
    /// Number of bins; missing: 60.
    pub bins: Option<usize>,
}

/// A place on a screen need not be a whole nanosecond.
fn whole_ns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(Option::<f64>::deserialize(deserializer)?.map(|nanos| nanos as u64))
}

/// As many bins as fit on a line beside a thread's name.
const USUAL_BINS: usize = 60;

/// The answer of [`Profile::timeline`].
#[derive(Debug, Clone)]
pub struct TimelineView {
    /// All but the numbers.
    pub header: TimelineHeader,
    /// Nanoseconds by thread, state and bin: `ns[(thread * states + state) * bins + bin]`.
    pub ns: Vec<f32>,
    /// Values by counter and bin: `counters[counter * bins + bin]`. Not a number: none.
    pub counters: Vec<f32>,
}

/// What the numbers of a timeline stand for.
#[derive(Debug, Clone, Serialize)]
pub struct TimelineHeader {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// Start, nanoseconds since the experiment's start.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
    /// Length of a bin.
    #[serde(serialize_with = "serialize_number")]
    pub bin_ns: f64,
    /// Number of bins.
    pub bins: usize,
    /// Where the times are from.
    pub source: TimelineSource,
    /// Number of threads without a limit.
    pub thread_count: usize,
    /// The threads shown.
    pub threads: Vec<TimelineThread>,
    /// The states.
    pub states: Vec<TimelineState>,
    /// The counters.
    pub counters: Vec<TimelineCounter>,
    /// Position of the counter that tells how long garbage was collected. Missing: there is none.
    pub gc: Option<usize>,
}

/// A thread of a timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimelineThread {
    /// Row of threads.
    pub thread: usize,
    /// Name; empty: not known.
    pub name: String,
    /// True if it has a name and no other thread of the experiment has that: `thread = "main"` in a filter means it alone.
    pub has_own_name: bool,
    /// Kind of work.
    pub class: ThreadClass,
    /// Process id. Missing: not known.
    pub process_id: Option<u32>,
    /// Operating system thread id. Missing: not known.
    pub thread_id: Option<u32>,
    /// First seen alive. Missing: not known.
    pub start_ns: Option<u64>,
    /// Seen to have ended. Missing: alive at the end, or not known.
    pub end_ns: Option<u64>,
    /// Time in which it executed, of the time shown.
    #[serde(serialize_with = "serialize_number")]
    pub cpu_ns: f64,
    /// Time in which it was blocked, of the time shown.
    #[serde(serialize_with = "serialize_number")]
    pub blocked_ns: f64,
}

/// A state of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TimelineState {
    /// `user`, `system`, `cpu` (mode not known), `run_queue`, `preemption`, a reason of waiting, `lock` or `wall`.
    pub name: &'static str,
}

/// What a thread's states add up to.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    cpu_ns: f64,
    blocked_ns: f64,
    all_ns: f64,
}

/// The filter's time range, the times that the rest of the filter keeps, and what to say about them.
type TimelineTimes<'a> = (Option<(u64, u64)>, Times<'a>, Vec<String>);

impl Profile {
    /// What each thread did when. `Query::limit` and `Query::skip` are about threads; `Query::sort` is `cpu`, `blocked`,
    /// `start` or `name`.
    ///
    /// # Errors
    /// An order or a range that does not exist, metrics, or a filter that names what is not there.
    pub fn timeline(&self, query: &Query, shape: &TimelineShape) -> Result<TimelineView, AnalysisError> {
        let order = Order::new(query)?;
        let (range, times, notes) = self.timeline_times(query)?;
        let bins = self.time_bins(shape, range)?;
        let (sums, has_state) = self.thread_sums(&times, bins);
        let mut threads: Vec<usize> = (0..sums.len()).filter(|thread| sums[*thread].all_ns > 0.0).collect();
        let thread_count = threads.len();
        self.sort_threads(&mut threads, order, (query, &sums));
        threads.truncate((MOST_CELLS / (STATES.len() * bins.count)).max(1));
        let states: Vec<usize> = (0..STATES.len()).filter(|state| has_state[*state]).collect();
        let ns = self.thread_bins(&times, bins, (&threads, &states));
        let (counters, counter_values) = counters_in(bins, &self.tables().counters);
        let header = TimelineHeader {
            preamble: Preamble {
                view: "timeline",
                mode: query.mode,
                filter: query.filter.as_ref().map(ToString::to_string),
                transforms: TransformLine::all(query),
                comparison: self.comparison().cloned(),
                sorted_by: order.field().to_owned(),
                notes,
            },
            from_ns: bins.from_ns,
            to_ns: bins.to_ns,
            bin_ns: bins.bin_ns(),
            bins: bins.count,
            source: times.source(),
            thread_count,
            threads: threads.into_iter().map(|thread| self.timeline_thread(thread, sums[thread])).collect(),
            states: states.into_iter().map(|state| TimelineState { name: STATES[state].0 }).collect(),
            gc: counters.iter().position(|counter| counter.name == GC_TIME),
            counters,
        };
        Ok(TimelineView { header, ns, counters: counter_values })
    }

    /// The filter's time range, the times that the rest of the filter keeps, and what to say about them.
    fn timeline_times(&self, query: &Query) -> Result<TimelineTimes<'_>, AnalysisError> {
        let predicate = query.filter.as_ref().map(|filter| self.predicate(filter, query.mode)).transpose()?;
        let (range, predicate) = predicate.map_or((None, None), without_time);
        let reduction = self.shown(query, EntityKey::Function)?;
        let is_shown: Vec<bool> =
            (0..self.observed_stacks().len()).map(|stack| reduction.node_of_stack(stack).is_some()).collect();
        let table = &self.tables().thread_states;
        let threads = predicate.as_ref().map(Predicate::threads_alone);
        let is_known = !table.is_empty();
        if is_known && is_shown.iter().all(|is_shown| *is_shown) && !matches!(threads, Some(None)) {
            return Ok((range, Times::States { table, is_kept: threads.flatten() }, Vec::new()));
        }
        let note = if is_known { ONLY_SAMPLES } else { NO_STATES };
        let times = Times::Samples { samples: self.samples(), predicate, is_shown };
        Ok((range, times, vec![note.to_owned()]))
    }

    fn time_bins(&self, shape: &TimelineShape, range: Option<(u64, u64)>) -> Result<TimeBins, AnalysisError> {
        let end_ns = self.end_ns();
        let (range_from, range_to) = range.unwrap_or((0, end_ns));
        let from_ns = shape.from_ns.unwrap_or(range_from);
        let to_ns = shape.to_ns.unwrap_or(range_to.min(end_ns));
        let count = shape.bins.unwrap_or(USUAL_BINS);
        if from_ns >= to_ns || !(1..=MOST_BINS).contains(&count) {
            return Err(AnalysisError::UnfitRange { from_ns, to_ns, bins: count, most_bins: MOST_BINS });
        }
        Ok(TimeBins { from_ns, to_ns, count })
    }

    /// The end of all that was observed, at least 1 ns after the start.
    pub(crate) fn end_ns(&self) -> u64 {
        let tables = self.tables();
        let last = |times: &[u64]| times.iter().copied().max().unwrap_or(0);
        let ends = [self.manifest().duration_ns, last(&tables.thread_states.end_ns), last(&self.samples().time_ns)];
        ends.into_iter().fold(1, u64::max)
    }

    /// What each thread's states add up to inside the bins, and which states there are at all.
    fn thread_sums(&self, times: &Times<'_>, bins: TimeBins) -> (Vec<Sums>, [bool; STATES.len()]) {
        let mut sums = vec![Sums::default(); self.tables().threads.len()];
        let mut has_state = [false; STATES.len()];
        times.each(0, |found| {
            has_state[found.state] |= found.stretch.spent_ns > 0.0;
            let inside = bins.spent_inside(found.stretch);
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

    fn sort_threads(&self, threads: &mut Vec<usize>, order: Order, (query, sums): (&Query, &[Sums])) {
        let table = &self.tables().threads;
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
    fn thread_bins(&self, times: &Times<'_>, bins: TimeBins, (threads, states): (&[usize], &[usize])) -> Vec<f32> {
        const NOT_SHOWN: usize = usize::MAX;
        let mut position = vec![NOT_SHOWN; self.tables().threads.len()];
        threads.iter().enumerate().for_each(|(index, thread)| position[*thread] = index);
        let mut column = [0; STATES.len()];
        states.iter().enumerate().for_each(|(index, state)| column[*state] = index);
        let mut ns = vec![0.0_f64; threads.len() * states.len() * bins.count];
        times.each(bins.from_ns, |found| {
            if position[found.thread] != NOT_SHOWN && found.stretch.spent_ns > 0.0 {
                let start = (position[found.thread] * states.len() + column[found.state]) * bins.count;
                bins.spread(found.stretch, |bin, spent| ns[start + bin] += spent);
            }
        });
        ns.into_iter().map(|ns| ns as f32).collect()
    }

    fn timeline_thread(&self, thread: usize, sums: Sums) -> TimelineThread {
        let table = &self.tables().threads;
        TimelineThread {
            thread,
            name: table.name[thread].clone(),
            has_own_name: self.has_own_name(thread),
            class: table.class[thread],
            process_id: table.process_id[thread],
            thread_id: table.thread_id[thread],
            start_ns: table.start_ns[thread],
            end_ns: table.end_ns[thread],
            cpu_ns: sums.cpu_ns,
            blocked_ns: sums.blocked_ns,
        }
    }
}

const NO_STATES: &str = "made of samples, so times are estimates: this experiment does not say what threads did when; the \
                         engine kernel collects that";
const ONLY_SAMPLES: &str = "made of samples, so times are estimates: the kernel's account of the threads knows no stacks \
                            and no events, and the filter or a transform asks for these";

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

    /// Nanoseconds of a shown thread in a state, one number a bin.
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

/// How long a thread was in a state in a bin.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct TimelineRow<'a> {
    /// Row of threads.
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
