//! The lane of requests: how many were in progress, and the longest one of each bin.

use crate::lanes::longest::{LaneBins, Span, bins_of};
use crate::pool_rows::has_own_name;
use crate::requests::kept_requests;
use crate::timeline::bins::TimeBins;
use serde::Serialize;
use whittle_model::Table;
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;

/// The requests of a time range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestsLane {
    /// Number of requests that overlap the time range.
    pub requests_count: u64,
    /// The longest request of each bin.
    pub longest: Vec<LaneRequest>,
}

/// A request, or several requests of the same name with similar lengths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LaneRequest {
    /// The method and the path, or the name of the task or message.
    pub name: String,
    /// When the server read the first bytes, in nanoseconds since the experiment's start.
    pub start_ns: u64,
    /// When the server had written the last bytes of the answer.
    pub end_ns: u64,
    /// Number of requests.
    pub requests_count: u64,
    /// Row of the threads table: the thread that read the first bytes.
    pub thread: usize,
    /// The thread's name. Empty if unknown.
    pub thread_name: String,
    /// True if no other thread of the experiment has this name.
    pub has_own_name: bool,
}

/// The lane, and its bins. `conditions` are those of the filter. The lane is missing if the experiment has no requests.
pub(super) fn requests_lane(
    bins: TimeBins,
    profile: &Profile,
    conditions: Option<&Predicate>,
) -> (Option<RequestsLane>, LaneBins) {
    let table = &profile.tables().requests;
    let is_kept = conditions.and_then(|conditions| kept_requests(conditions).0);
    let all: Vec<usize> = (0..table.len()).filter(|row| !table.is_statement(*row)).collect();
    if all.is_empty() {
        return (None, LaneBins::default());
    }
    let is_shown = |row: &usize| {
        is_kept.as_ref().is_none_or(|is_kept| is_kept[*row])
            && table.start_ns[*row] <= bins.to_ns
            && table.end_ns[*row] >= bins.from_ns
    };
    let rows: Vec<usize> = all.into_iter().filter(is_shown).collect();
    let span = |row: &usize| Span {
        start_ns: table.start_ns[*row],
        end_ns: table.end_ns[*row],
        count: table.requests_count[*row],
    };
    let spans: Vec<Span> = rows.iter().map(span).collect();
    let (of_bins, listed) = bins_of(bins, &spans);
    let request = |at: usize| {
        let (row, thread) = (rows[at], table.thread[rows[at]].row());
        LaneRequest {
            name: table.name[row].clone(),
            start_ns: table.start_ns[row],
            end_ns: table.end_ns[row],
            requests_count: table.requests_count[row],
            thread,
            thread_name: profile.tables().threads.name[thread].clone(),
            has_own_name: has_own_name(profile, thread),
        }
    };
    let requests_count = spans.iter().fold(0_u64, |sum, span| sum.saturating_add(span.count));
    (Some(RequestsLane { requests_count, longest: listed.into_iter().map(request).collect() }), of_bins)
}
