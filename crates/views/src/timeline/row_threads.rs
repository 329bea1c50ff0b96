//! The threads of a timeline's row, for other pictures of the same row.

use crate::timeline::bins::TimeBins;
use crate::timeline::group_by::GroupBy;
use crate::timeline::idle_row::{IdleRows, Outer};
use crate::timeline::named::with_name;
use crate::timeline::order::Order;
use crate::timeline::sums::thread_sums;
use crate::timeline::{TimelineShape, timeline_lines, timeline_times};
use serde::Deserialize;
use whittle_model::Table;
use whittle_profile::query::Query;
use whittle_profile::{AnalysisError, Profile};

/// The kind of row that a picture shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowGroup {
    /// The row of one thread.
    #[default]
    Thread,
    /// The row of a thread's pool.
    Pool,
    /// The row of all idle threads.
    Idle,
    /// The row of a group by process, state or package.
    Group,
    /// All rows.
    All,
}

/// A row of a timeline, or all rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowKeys<'a> {
    pub(crate) group: RowGroup,
    /// Row of the threads table. For a pool: one of its threads. Other groups do not use it.
    pub(crate) thread: usize,
    /// As in the request of the timeline. It does not change the row of idle threads.
    pub(crate) named: &'a str,
    /// As in the request of the timeline.
    pub(crate) group_by: GroupBy,
    /// The name of a group.
    pub(crate) group_name: &'a str,
}

/// The threads of a row, in ascending order: those that the timeline of the same query and time range counts.
pub(crate) fn threads_of_row(
    profile: &Profile,
    query: &Query,
    bins: TimeBins,
    keys: RowKeys<'_>,
) -> Result<Vec<usize>, AnalysisError> {
    if keys.group == RowGroup::Thread {
        return Ok(vec![keys.thread]);
    }
    let (_, times, _) = timeline_times(profile, query)?;
    let (sums, _) = thread_sums(profile.tables().threads.len(), &times, bins);
    if matches!(keys.group, RowGroup::Idle | RowGroup::Group) {
        let outer = if keys.group == RowGroup::Idle { Outer::Idle } else { Outer::Group(keys.group_name.to_owned()) };
        let named = if keys.group == RowGroup::Idle { "" } else { keys.named };
        let shape = TimelineShape {
            idle: IdleRows::Closed,
            group_by: keys.group_by,
            named: named.to_owned(),
            ..TimelineShape::default()
        };
        let rows = timeline_lines(profile, &shape, Order::Name, (&sums, &times, bins));
        let row = rows.into_iter().find(|row| row.outer.as_ref() == Some(&outer));
        let mut threads = row.map_or_else(Vec::new, |row| row.line.threads);
        threads.sort_unstable();
        return Ok(threads);
    }
    let pool_of = |thread: usize| profile.pools().group_of_thread(thread);
    let pool = (keys.group == RowGroup::Pool).then(|| pool_of(keys.thread));
    let is_in_row = |thread: &usize| sums[*thread].all_ns > 0.0 && pool.is_none_or(|pool| pool_of(*thread) == pool);
    Ok(with_name(profile, (0..sums.len()).filter(is_in_row), keys.named).collect())
}
