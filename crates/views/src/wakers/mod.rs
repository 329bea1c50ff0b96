//! Who made threads wait: a tree of the waiters, the threads and devices that ended their waits, and what these threads did
//! meanwhile. If such a thread itself waited for another one, the chain goes on.
//!
//! All values are estimates from the sampled waits. [`sampled_waits`] explains how a wait gets its waker, and [`tree`] how time is
//! distributed.

mod critical_path;
mod holding;
pub(crate) mod lock;
mod row;
mod rows;
pub(crate) mod sampled_waits;
mod text;
pub(crate) mod tree;
pub(crate) mod words;

use crate::definition::{Answered, Answerer, Command, NoKeys, ViewDefinition, keys};
use crate::fixed_order::{preamble, sort_field};
use crate::wakers::critical_path::critical_path;
use crate::wakers::sampled_waits::{SampledWait, SampledWaits};
use crate::wakers::tree::Tree;
use crate::wakes_missing::no_wakers;
use serde::Serialize;
use whittle_profile::query::{Preamble, Query};
use whittle_profile::waits::WaitMeaning;
use whittle_profile::{AnalysisError, Profile};

pub use critical_path::{PathKind, PathPart};
pub use row::{WakerFigures, WakerRole, WakerRow};
pub(crate) use rows::shown_rows;

/// The definition of this view. Its answer is [`WakersView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "wakers",
        answer: |on, asked| {
            keys::<NoKeys>(asked)?;
            Ok(Answered::view(wakers(on.profile, on.query)?))
        },
    },
    not_compared: Some("wakers of two versions are not compared: look at the wakers of each version"),
    command: Some(Command {
        orders: &["time", "waits", "longest", "name"],
        in_fleet: false,
        ..Command::table("Who made threads wait: the threads that ended waits, and what these did meanwhile")
    }),
};

/// The answer of [`wakers`](wakers()) and of [`locks`](crate::locks::locks).
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WakersView {
    /// Mode, filter, order and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// All selected waits. Of locks, only the waits for locks. Waits of idle threads are left out, unless the filter selects only these.
    pub total: WakerFigures,
    /// The share of the waiting time for which the kernel reported who ended the wait. Of locks, the share for which the holder
    /// is known. Missing: there are no waits.
    pub known_ratio: Option<f64>,
    /// Where the time of the selected threads goes, if each wait for a thread is replaced by what that thread did meanwhile. Empty for
    /// locks.
    pub critical_path: Vec<PathPart>,
    /// Number of rows before the limit is applied.
    pub row_count: usize,
    /// The rows. Each row is followed by the rows below it.
    pub rows: Vec<WakerRow>,
}

/// The words that `--sort` accepts, each with the field that decides the order.
pub(crate) const SORTS: [(&str, &str); 3] =
    [("time", "duration_ns"), ("waits", "samples_count"), ("longest", "longest_ns")];

const MEANWHILE: &str = "what a thread did meanwhile is told by the waits in which it was sampled (column samples), for all waits of the \
                         row above";

const IDLE_LEFT_OUT: &str = "waits of idle threads are left out; --filter 'wait is idle' shows who gave them work";

/// The tree of wakers. `Query::sort` is one of `time`, `waits`, `longest`, `name`. `Query::metrics` must be missing.
///
/// # Errors
/// The order is unknown, columns are requested, or the filter contains an unknown name.
pub fn wakers(profile: &Profile, query: &Query) -> Result<WakersView, AnalysisError> {
    let sorted_by = sort_field(query, "wakers", &SORTS)?;
    let waits = SampledWaits::new(profile);
    let selection = profile.selection(query)?;
    let (numbers, are_idle_left_out) = without_idle(&waits, waits.kept(selection.as_ref()));
    let tree = Tree::of_waiters(&waits, &numbers);
    let critical_path = critical_path(&tree, waits.executing_and_runnable_ns(selection.as_ref()));
    let (rows, row_count) = shown_rows(profile, &tree, sorted_by, query.window());
    let known_ratio = known_ratio(&waits, &numbers);
    let mut preamble = preamble(profile, query, "wakers", sorted_by);
    preamble.notes = notes(profile, "The kernel reported who ended the wait", known_ratio);
    preamble.notes.extend(are_idle_left_out.then(|| IDLE_LEFT_OUT.to_owned()));
    let total = WakerFigures::new(&tree.total(), true);
    Ok(WakersView { preamble, total, known_ratio, critical_path, row_count, rows })
}

/// The share of the waiting time for which the kernel reported who ended the wait. Missing: there are no waits.
fn known_ratio(waits: &SampledWaits<'_>, numbers: &[usize]) -> Option<f64> {
    let sum = |is_of: fn(&SampledWait) -> bool| -> u64 {
        let kept = numbers.iter().map(|number| waits.wait(*number)).filter(|wait| is_of(wait));
        kept.map(|wait| wait.weight_ns).sum()
    };
    let all_ns = sum(|_| true);
    (all_ns > 0).then(|| sum(|wait| wait.wake.is_some()) as f64 / all_ns as f64)
}

/// The waits without those of idle threads, and whether some were left out. If all threads are idle, all waits.
fn without_idle(waits: &SampledWaits<'_>, numbers: Vec<usize>) -> (Vec<usize>, bool) {
    let is_idle = |number: &usize| waits.wait(*number).meaning == WaitMeaning::Idle;
    let others: Vec<usize> = numbers.iter().copied().filter(|number| !is_idle(number)).collect();
    let are_left_out = !others.is_empty() && others.len() < numbers.len();
    (if others.is_empty() { numbers } else { others }, are_left_out)
}

/// The notes that say what is not known. `what` is known for a share of the time, `known_ratio`. The share is missing if the filter leaves no waits.
pub(crate) fn notes(profile: &Profile, what: &str, known_ratio: Option<f64>) -> Vec<String> {
    if let Some(why) = no_wakers(profile) {
        return vec![why.to_owned()];
    }
    let sampled = |ratio: f64| {
        let percent = (ratio * 100.0).floor();
        format!("all values are estimates from the sampled waits. {what} for {percent:.0} % of this time")
    };
    match known_ratio {
        None => vec!["the filter leaves no waits".to_owned()],
        Some(ratio) => vec![sampled(ratio), MEANWHILE.to_owned()],
    }
}
