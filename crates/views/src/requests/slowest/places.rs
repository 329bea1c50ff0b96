//! Places in code, by their mean time per request: the exact times, distributed by the samples that belong to requests.

use crate::calling_frame::calling_frames;
use crate::requests::kinds::{RequestKindTimes, RequestTimeKind};
use crate::requests::slowest::executes::{Executes, PageFaults};
#[cfg(not(target_arch = "wasm32"))]
use crate::requests::slowest::holder::holder;
use crate::requests::slowest::{Split, TimeDifference};
use serde::Serialize;
use whittle_model::{EventKind, FileIndex, FrameIndex, FunctionIndex, Table, WeightColumn};
use whittle_profile::Profile;
use whittle_profile::order::sort_by;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::samples::SampleKind;
use whittle_profile::waits::{WaitMeaning, meaning};

/// The mean time per request at a place. The place is the calling code: the deepest method outside the JDK.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlaceDifference {
    /// What the thread did there.
    pub kind: RequestTimeKind,
    /// What the thread waited for, as in the filter `wait is lock`. Missing if it did not wait, or waited for a CPU.
    pub wait: Option<&'static str>,
    /// How the thread executed: `user`, `kernel`, or `page_fault`. Missing if it did not execute, or if there are no samples.
    pub executes: Option<&'static str>,
    /// The function. Missing if the stack contains no function of the program, or if there are no samples.
    pub function: Option<String>,
    /// Name of the source file. Missing: unknown.
    pub source_file: Option<String>,
    /// Source line. Missing: unknown.
    pub line: Option<u32>,
    /// The file, or the peer of the socket, that the thread waited for. Empty: none or unknown.
    pub file: String,
    /// Who held the lock in the slowest requests, and what this thread did meanwhile: `held by b in app.Cache.load(), while waiting for data
    /// from a socket`. Missing: this is no lock, or no holder is known. Only places with much of the difference have it.
    pub holder: Option<String>,
    /// The times.
    #[serde(flatten)]
    pub times: TimeDifference,
    /// Number of samples in the slowest requests.
    pub slowest_samples_count: u64,
    /// Number of samples in the other requests.
    pub others_samples_count: u64,
}

/// What happened at a place, with rows of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    kind: RequestTimeKind,
    /// What was waited for.
    wait: Option<WaitMeaning>,
    executes: Option<Executes>,
    /// A function, and a line of it.
    line: Option<(FunctionIndex, Option<u32>)>,
    /// A file or a peer.
    file: FileIndex,
}

/// Only the first places have the holder of their lock: the search takes time, and the sentence needs no other.
const WITH_HOLDER: usize = 5;

/// The sums of the samples at a place: of the slowest requests, and of the others.
#[derive(Default)]
struct Sums {
    time_ns: [f64; 2],
    samples_count: [u64; 2],
}

/// All places, the largest difference first. `times`: the exact mean times of the slowest and of the others.
///
/// The exact time of a kind is distributed over its places by their samples. So the places of a kind add up to the exact time,
/// also if there are few samples. Time of a kind without samples is a place without a function.
pub(super) fn places(profile: &Profile, split: &Split, times: [RequestKindTimes; 2]) -> Vec<PlaceDifference> {
    let table = &profile.tables().requests;
    let side_of_row = split.side_of_row(table.len());
    let calling_frames = calling_frames(profile.tables());
    let sums = sums(profile, &calling_frames, &side_of_row).into_pairs();
    let mut sampled_ns = [[0.0_f64; 2]; RequestTimeKind::ALL.len()];
    for (Place { kind, .. }, sum) in &sums {
        sum.time_ns.iter().enumerate().for_each(|(side, time_ns)| sampled_ns[*kind as usize][side] += time_ns);
    }
    let part = |kind: RequestTimeKind, side: usize, time_ns: f64| {
        let all_ns = sampled_ns[kind as usize][side];
        if all_ns > 0.0 { times[side].of(kind) * time_ns / all_ns } else { 0.0 }
    };
    let mut places: Vec<(Place, TimeDifference, [u64; 2])> = Vec::with_capacity(sums.len());
    for (place, sum) in sums {
        let [slowest_ns, others_ns] = [0, 1].map(|side| part(place.kind, side, sum.time_ns[side]));
        places.push((place, TimeDifference::new(slowest_ns, others_ns), sum.samples_count));
    }
    for kind in RequestTimeKind::ALL {
        let is_sampled = |side: usize| sampled_ns[kind as usize][side] > 0.0;
        let rest = [0, 1].map(|side| if is_sampled(side) { 0.0 } else { times[side].of(kind) });
        if rest.iter().any(|time_ns| *time_ns > 0.0) {
            let place = Place { kind, wait: None, executes: None, line: None, file: FileIndex::NONE };
            places.push((place, TimeDifference::new(rest[0], rest[1]), [0, 0]));
        }
    }
    sort_by(&mut places, |(_, a, _), (_, b, _)| b.difference_ns.total_cmp(&a.difference_ns));
    let with_holder = |(number, (place, times, counts)): (usize, (Place, TimeDifference, [u64; 2]))| {
        let is_searched = number < WITH_HOLDER && counts[0] > 0 && times.difference_ns > 0.0;
        let holder = if is_searched { holder(profile, (place.wait, place.line), split, &calling_frames) } else { None };
        PlaceDifference { holder, ..difference(profile, place, times, counts) }
    };
    places.into_iter().enumerate().map(with_holder).collect()
}

/// Report files contain no wakes.
#[cfg(target_arch = "wasm32")]
fn holder(
    _: &Profile,
    _: (Option<WaitMeaning>, Option<(FunctionIndex, Option<u32>)>),
    _: &Split,
    _: &[Option<FrameIndex>],
) -> Option<String> {
    None
}

/// Adds up the samples of requests by place. A row for several requests adds its samples for each of them. Rows without times have
/// no samples.
fn sums(
    profile: &Profile,
    calling_frames: &[Option<FrameIndex>],
    side_of_row: &[Option<usize>],
) -> OrderedMap<Place, Sums> {
    let (samples, tables, index) = (profile.samples(), profile.tables(), profile.request_index());
    let faults = PageFaults::new(tables);
    let kinds: Vec<SampleKind> = SampleKind::all().collect();
    let meanings = profile.wait_meanings();
    let mut sums: OrderedMap<Place, Sums> = OrderedMap::default();
    for sample in 0..samples.len() {
        let SampleKind { event, mode, reason, .. } = kinds[usize::from(samples.kind[sample])];
        let Some(kind) = RequestTimeKind::of_sample(event, reason) else { continue };
        let Some(row) = index.of_sample(samples, sample) else { continue };
        let Some(side) = side_of_row[row] else { continue };
        let observed = samples.observed[sample] as usize;
        let wait = meaning(meanings[observed], reason).filter(|_| event == EventKind::OffCpu);
        let stack = profile.observed_stacks()[observed];
        let executes = faults.executes(stack, mode).filter(|_| event == EventKind::Cpu);
        let frame = calling_frames[stack.row()];
        let line = frame.map(|frame| (tables.frames.function[frame.row()], tables.frames.line[frame.row()]));
        let file = samples.files().map_or(FileIndex::NONE, |files| files[sample]);
        let sum = sums.at(Place { kind, wait, executes, line, file }, Sums::default);
        let time_ns = samples.column(WeightColumn::DurationNs)[sample] as f64;
        sum.time_ns[side] += time_ns * tables.requests.requests_count[row] as f64;
        sum.samples_count[side] += 1;
    }
    sums
}

fn difference(
    profile: &Profile,
    Place { kind, wait, executes, line, file }: Place,
    times: TimeDifference,
    [slowest_samples_count, others_samples_count]: [u64; 2],
) -> PlaceDifference {
    let functions = &profile.tables().functions;
    let function = line.map(|(function, _)| function.row());
    PlaceDifference {
        kind,
        wait: wait.map(WaitMeaning::name),
        executes: executes.map(Executes::name),
        function: function.map(|function| functions.display_name[function].clone()),
        source_file: function.and_then(|function| functions.source_file[function].clone()),
        line: line.and_then(|(_, line)| line),
        file: profile.tables().files.path[file.row()].clone(),
        holder: None,
        times,
        slowest_samples_count,
        others_samples_count,
    }
}
