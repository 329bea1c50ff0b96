//! The table of waits by what the threads waited for, and by file or peer. Idle threads have a row of their own, and no share: a pool that
//! is larger than its load would otherwise hide every lock.
//!
//! The kernel counts exactly how long each thread waited, by reason. Only sampled waits have a stack, and so a meaning.
//! [`groups`] explains how the time is distributed over meanings. Without the kernel's count, the sampled waits are the
//! estimate.

mod groups;
mod pinned_times;
mod text;

use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use crate::fixed_order::{preamble, sort_field};
use crate::waits::groups::{Groups, for_each_wait};
use serde::Serialize;
use std::collections::BTreeSet;
use whittle_model::{FileIndex, Metric, Table, WaitReason};
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::order::sort_by_key;
use whittle_profile::ordered_map::OrderedMap;
use whittle_profile::query::{Preamble, Query, serialize_number};
use whittle_profile::ranking::{keep_first, keep_largest};
use whittle_profile::waits::WaitMeaning;

/// The definition of this view. Its answer is [`WaitsView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "waits",
        answer: |on, asked| {
            keys::<NoKeys>(asked)?;
            Ok(Answered::view(waits(on.profile, on.query)?))
        },
    },
    not_compared: Some(
        "waits of two versions are not compared by meaning: compare them with a filter such as `wait is lock or wait is monitor`",
    ),
    command: Some(Command {
        orders: &["time", "samples", "threads", "name"],
        in_fleet: false,
        ..Command::table("What threads waited for: locks, queues, pools, other programs. Idle threads are separate")
    }),
};

/// The answer of [`waits`](waits()).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitsView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// Elapsed time of the experiment.
    pub experiment_duration_ns: u64,
    /// All selected waits, without those of idle threads.
    pub total: WaitFigures,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows.
    pub rows: Vec<WaitRow>,
}

/// Waits with the same meaning.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitRow {
    /// The meaning, as in the filter `wait is lock`.
    pub meaning: &'static str,
    /// What the threads waited for.
    pub words: &'static str,
    /// The file, or the peer of the socket, that the threads waited for. Empty: none or unknown.
    pub file: String,
    /// The share of all waits, without those of idle threads. Missing for idle threads.
    pub ratio: Option<f64>,
    /// The values.
    #[serde(flatten)]
    pub figures: WaitFigures,
}

/// Values of some waits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WaitFigures {
    /// Time that the threads waited: the kernel's count, distributed by the sampled waits, or an estimate if there is no count. The
    /// sum over all threads.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// Number of sampled waits.
    pub samples_count: u64,
    /// Number of threads with such waits. A thread without a sampled wait counts as idle if its pool is mostly idle, and otherwise
    /// only the kernel's reason is known.
    pub threads_count: usize,
}

/// The words that `--sort` accepts, each with the field that decides the order.
const SORTS: [(&str, &str); 3] = [("time", "duration_ns"), ("samples", "samples_count"), ("threads", "threads_count")];

const NO_WAITS: &str = "this experiment has no waits: the event off_cpu was not sampled. The engine kernel counts waits, and the \
                        engines cpu and ctimer estimate the waits of JVMs";

const ESTIMATED: &str = "the times are estimates: the profiler observed each thread at intervals, and nothing counted the waits. \
                         Short waits are rarely seen";

const DISTRIBUTED: &str = "the kernel counted how long each thread waited, by reason; the sampled waits of its pool tell for \
                           what";

/// The table of waits. `Query::sort` is one of `time`, `samples`, `threads`, `name`. `Query::metrics` must be missing.
///
/// # Errors
/// The order is unknown, columns are requested, or the filter contains an unknown name.
pub fn waits(profile: &Profile, query: &Query) -> Result<WaitsView, AnalysisError> {
    let sorted_by = sort_field(query, "waits", &SORTS)?;
    let by_meaning = by_meaning(profile, profile.selection(query)?.as_ref());
    let mut total = Sum::default();
    let is_idle = |meaning: &WaitMeaning| *meaning == WaitMeaning::Idle;
    by_meaning.iter().filter(|((meaning, _), _)| !is_idle(meaning)).for_each(|(_, sum)| total.add(sum));
    let total = total.figures();
    let row = |((meaning, file), sum): (Group<'_>, Sum)| {
        let figures = sum.figures();
        WaitRow {
            meaning: meaning.name(),
            words: if is_idle(&meaning) { "work (the thread is idle)" } else { meaning.words() },
            file: file.to_owned(),
            ratio: (!is_idle(&meaning) && total.duration_ns > 0.0).then(|| figures.duration_ns / total.duration_ns),
            figures,
        }
    };
    let mut rows: Vec<WaitRow> = by_meaning.into_iter().map(row).collect();
    let row_count = rows.len();
    let name = |row: &WaitRow| format!("{} {}", row.meaning, row.file);
    match sorted_by {
        Some(field) => keep_largest(&mut rows, query.window(), |row| row.figures.value(field), name),
        None => keep_first(&mut rows, query.window(), name),
    }
    // Idle threads usually have most of the time, but they are the least interesting.
    sort_by_key(&mut rows, |row| row.ratio.is_none());
    let mut notes = Vec::new();
    if profile.manifest().metric_index(Metric::OffCpu).is_none() {
        notes.push(NO_WAITS.to_owned());
    } else if row_count == 0 {
        notes.push("the filter leaves no waits".to_owned());
    } else if !profile.tables().thread_states.is_empty() {
        notes.push(DISTRIBUTED.to_owned());
    } else if profile.manifest().has_estimated_waits() {
        notes.push(ESTIMATED.to_owned());
    }
    Ok(WaitsView {
        preamble: Preamble { notes, ..preamble(profile, query, "waits", sorted_by) },
        experiment_duration_ns: profile.manifest().duration_ns,
        total,
        row_count,
        rows,
    })
}

impl WaitFigures {
    fn value(&self, field: &str) -> f64 {
        match field {
            "samples_count" => self.samples_count as f64,
            "threads_count" => self.threads_count as f64,
            _ => self.duration_ns,
        }
    }
}

/// The waits with one meaning.
#[derive(Default)]
struct Sum {
    duration_ns: f64,
    samples_count: u64,
    threads: BTreeSet<usize>,
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.duration_ns += other.duration_ns;
        self.samples_count += other.samples_count;
        self.threads.extend(&other.threads);
    }

    fn figures(&self) -> WaitFigures {
        WaitFigures {
            duration_ns: self.duration_ns,
            samples_count: self.samples_count,
            threads_count: self.threads.len(),
        }
    }
}

/// A meaning, and the name of the file or peer.
type Group<'p> = (WaitMeaning, &'p str);

/// The selected waits by meaning and file. Groups without waits are left out. Waits of idle threads have no file.
fn by_meaning<'p>(profile: &'p Profile, predicate: Option<&Predicate>) -> Vec<(Group<'p>, Sum)> {
    let (threads, files) = (&profile.tables().threads, &profile.tables().files);
    // A filter that tests more than threads selects samples. The others select threads.
    let selected = predicate.map_or_else(|| Some(vec![true; threads.len()]), Predicate::threads_alone);
    let samples = if selected.is_some() { None } else { predicate };
    let kept = selected.as_deref();
    let is_kept = |thread: usize| kept.is_none_or(|kept| kept[thread]);
    let groups = Groups::new(profile, kept.unwrap_or(&vec![true; threads.len()]));
    let mut sums: OrderedMap<Group<'p>, Sum> = OrderedMap::default();
    let mut is_sampled = vec![[false; WaitReason::ALL.len()]; threads.len()];
    let mut idle_ns = vec![[0.0; WaitReason::ALL.len()]; groups.all.len()];
    for_each_wait(profile, samples, |wait| {
        let group = groups.of(wait.thread, wait.reason);
        // Without counted times, a wait only represents its own thread.
        let is_selected = |nanos: &f64| is_kept(wait.thread) || (group.counted_ns.is_some() && *nanos > 0.0);
        let Some(nanos) = group.part_ns(wait).filter(is_selected) else { return };
        let meaning = if groups.is_unused(wait.thread, wait.reason) { WaitMeaning::Idle } else { wait.meaning };
        let is_idle = meaning == WaitMeaning::Idle;
        let file = if is_idle { FileIndex::NONE } else { wait.file };
        let sum = sums.at((meaning, files.path[file.row()].as_str()), Sum::default);
        sum.duration_ns += nanos;
        idle_ns[groups.of_thread[wait.thread]][wait.reason as usize] += if is_idle { nanos } else { -nanos };
        if is_kept(wait.thread) {
            sum.samples_count += 1;
            sum.threads.insert(wait.thread);
            is_sampled[wait.thread][wait.reason as usize] = true;
        }
    });
    // Time without samples has no stack. A filter by stack or time leaves it out.
    let mut is_told = vec![[false; WaitReason::ALL.len()]; groups.all.len()];
    for thread in kept.iter().flat_map(|kept| (0..kept.len()).filter(|thread| kept[*thread])) {
        let Some(counted) = &groups.of_threads[thread] else { continue };
        let number = groups.of_thread[thread];
        for reason in WaitReason::ALL.iter().filter(|reason| counted.blocked_ns(**reason) > 0) {
            let (at, group) = (*reason as usize, groups.of(thread, *reason));
            let is_idle = threads.class[thread].is_jvm() || groups.is_unused(thread, *reason);
            let idle = is_idle.then_some(WaitMeaning::Idle);
            let Some(meaning) = idle.or_else(|| WaitMeaning::of_reason(*reason)) else { continue };
            if group.rest_ns() > 0.0 {
                let sum = sums.at((meaning, ""), Sum::default);
                sum.duration_ns +=
                    if std::mem::replace(&mut is_told[number][at], true) { 0.0 } else { group.rest_ns() };
                sum.threads.extend((!is_sampled[thread][at]).then_some(thread));
            } else if !is_sampled[thread][at] && idle_ns[number][at] > 0.0 {
                // The pool was mostly idle, so this thread is one of its idle threads.
                sums.at((WaitMeaning::Idle, ""), Sum::default).threads.insert(thread);
            }
        }
    }
    sums.into_pairs()
}
