//! The values of some requests, from their rows. A row can stand for several requests of similar length.

use crate::requests::kinds::RequestKindTimes;
use serde::Serialize;
use whittle_model::{REQUEST_TIME_COUNT, RequestTable};
use whittle_profile::order::sort_by_key;
use whittle_profile::query::serialize_number;

/// Values of some requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestFigures {
    /// Number of requests.
    pub requests_count: u64,
    /// Requests per second of the time range. Missing: the range has no length.
    pub rate_per_second: Option<f64>,
    /// The sum of the requests' lengths. Requests overlap, so this can be longer than the time range.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// Mean length. Missing if there are no requests.
    pub mean_ns: Option<f64>,
    /// Half of the requests took at most this long. Missing if there are no requests.
    pub p50_ns: Option<u64>,
    /// 99 of 100 requests took at most this long. Missing if there are no requests.
    pub p99_ns: Option<u64>,
    /// Length of the longest request.
    pub longest_ns: u64,
    /// Requests with a status of at least 500: errors of the server.
    pub errors_count: u64,
    /// Requests with a status from 400 to 499: errors of the client.
    pub client_errors_count: u64,
    /// Mean bytes that the server read per request. Missing if there are no requests.
    pub read_bytes_per_request: Option<f64>,
    /// Mean bytes that the server wrote per request. Missing if there are no requests.
    pub written_bytes_per_request: Option<f64>,
    /// Requests with known times of their thread.
    pub timed_count: u64,
    /// Requests without times, because another thread answered.
    pub other_thread_count: u64,
    /// Requests without times, because their thread was not busy with them alone.
    pub interleaved_count: u64,
    /// Mean times per request with known times. Missing if there are no such requests.
    pub times: Option<RequestKindTimes>,
    /// Where the length of all requests goes.
    pub shares: RequestShares,
    /// The statements of JDBC that threads executed for these requests. Missing if statements are not seen for any of them.
    pub statements: Option<StatementFigures>,
}

/// The statements of JDBC that threads executed for some requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct StatementFigures {
    /// Number of statements.
    pub statements_count: u64,
    /// The sum of their lengths.
    #[serde(serialize_with = "serialize_number")]
    pub duration_ns: f64,
    /// Mean number of statements per request.
    pub per_request: f64,
    /// Mean length of a statement. Missing if there are no statements.
    pub mean_ns: Option<f64>,
}

impl StatementFigures {
    /// `requests_count`: the requests for which statements are seen.
    fn new(statements_count: u64, duration_ns: f64, requests_count: u64) -> Option<Self> {
        (requests_count > 0).then(|| Self {
            statements_count,
            duration_ns,
            per_request: statements_count as f64 / requests_count as f64,
            mean_ns: (statements_count > 0).then(|| duration_ns / statements_count as f64),
        })
    }

    /// Mean time per request.
    pub(crate) fn per_request_ns(&self) -> f64 {
        self.per_request * self.mean_ns.unwrap_or(0.0)
    }
}

/// The parts of the length of all requests. They add up to 1, or they are all 0 if the length is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RequestShares {
    /// The thread executed.
    pub on_cpu_ratio: f64,
    /// The thread was able to execute, but no CPU was free.
    pub runnable_ratio: f64,
    /// The thread waited for a lock, for a task, or for the end of a time limit.
    pub futex_ratio: f64,
    /// The thread waited for a socket.
    pub socket_ratio: f64,
    /// The thread waited for a disk.
    pub disk_ratio: f64,
    /// The thread slept.
    pub sleep_ratio: f64,
    /// The thread waited for something else.
    pub other_ratio: f64,
    /// No thread worked for the request.
    pub away_ratio: f64,
    /// Unknown: requests without times of their thread.
    pub unknown_ratio: f64,
}

impl RequestShares {
    /// The shares in the order of the fields.
    pub(crate) fn values(&self) -> [f64; REQUEST_TIME_COUNT + 1] {
        let Self { on_cpu_ratio, runnable_ratio, futex_ratio, socket_ratio, .. } = *self;
        let Self { disk_ratio, sleep_ratio, other_ratio, away_ratio, unknown_ratio, .. } = *self;
        let waits = [futex_ratio, socket_ratio, disk_ratio, sleep_ratio];
        let [futex, socket, disk, sleep] = waits;
        [on_cpu_ratio, runnable_ratio, futex, socket, disk, sleep, other_ratio, away_ratio, unknown_ratio]
    }

    /// `times`: the sum of all known times. `unknown_ns`: the length of the requests without times.
    pub(crate) fn new(times: &RequestKindTimes, unknown_ns: f64) -> Self {
        let known = times.values();
        let all_ns = known.iter().sum::<f64>() + unknown_ns;
        let ratio = |part_ns: f64| if all_ns > 0.0 { part_ns / all_ns } else { 0.0 };
        let [on_cpu, runnable, futex, socket, disk, sleep, other, away] = known.map(ratio);
        Self {
            on_cpu_ratio: on_cpu,
            runnable_ratio: runnable,
            futex_ratio: futex,
            socket_ratio: socket,
            disk_ratio: disk,
            sleep_ratio: sleep,
            other_ratio: other,
            away_ratio: away,
            unknown_ratio: ratio(unknown_ns),
        }
    }
}

impl RequestFigures {
    /// The values of the rows in a time range of `range_ns`.
    pub(crate) fn of_rows(table: &RequestTable, rows: &[usize], range_ns: u64) -> Self {
        let mut figures = Self::default();
        let (mut times, mut unknown_ns, mut bytes) = (RequestKindTimes::default(), 0.0, [0.0; 2]);
        let (mut statements_count, mut statements_ns, mut with_statements) = (0_u64, 0.0, 0_u64);
        let mut lengths: Vec<(u64, u64)> = Vec::with_capacity(rows.len());
        let add = |sum: &mut u64, count: u64| *sum = sum.saturating_add(count);
        for row in rows.iter().copied() {
            let (count, length_ns) = (table.requests_count[row], table.length_ns(row));
            lengths.push((length_ns, count));
            add(&mut figures.requests_count, count);
            figures.duration_ns += length_ns as f64 * count as f64;
            bytes[0] += table.read_bytes[row] as f64 * count as f64;
            bytes[1] += table.written_bytes[row] as f64 * count as f64;
            if let Some(known) = table.statements_count[row] {
                add(&mut statements_count, known);
                add(&mut with_statements, count);
                statements_ns += table.statements_ns[row].unwrap_or(0) as f64;
            }
            match table.status[row] {
                Some(500..) => add(&mut figures.errors_count, count),
                Some(400..) => add(&mut figures.client_errors_count, count),
                _ => {}
            }
            match table.times(row) {
                Some(known) => {
                    add(&mut figures.timed_count, count);
                    times.add(&RequestKindTimes::of_row(&known, count));
                }
                None => {
                    unknown_ns += length_ns as f64 * count as f64;
                    let is_other_thread = table.thread[row] != table.answering_thread[row];
                    let reason =
                        if is_other_thread { &mut figures.other_thread_count } else { &mut figures.interleaved_count };
                    add(reason, count);
                }
            }
        }
        sort_by_key(&mut lengths, |(length_ns, _)| *length_ns);
        let per_request = |sum: f64| (!rows.is_empty()).then(|| sum / figures.requests_count as f64);
        let per_timed =
            |sum: &RequestKindTimes| (figures.timed_count > 0).then(|| sum.divided(figures.timed_count as f64));
        Self {
            rate_per_second: (range_ns > 0).then(|| figures.requests_count as f64 * 1e9 / range_ns as f64),
            mean_ns: per_request(figures.duration_ns),
            p50_ns: percentile_ns(&lengths, 50),
            p99_ns: percentile_ns(&lengths, 99),
            longest_ns: lengths.last().map_or(0, |(length_ns, _)| *length_ns),
            read_bytes_per_request: per_request(bytes[0]),
            written_bytes_per_request: per_request(bytes[1]),
            times: per_timed(&times),
            shares: RequestShares::new(&times, unknown_ns),
            statements: StatementFigures::new(statements_count, statements_ns, with_statements),
            ..figures
        }
    }

    /// The value that rows are sorted by.
    pub(crate) fn value(&self, field: &str) -> f64 {
        match field {
            "requests_count" => self.requests_count as f64,
            "mean_ns" => self.mean_ns.unwrap_or(0.0),
            "p50_ns" => self.p50_ns.unwrap_or(0) as f64,
            "p99_ns" => self.p99_ns.unwrap_or(0) as f64,
            "longest_ns" => self.longest_ns as f64,
            "on_cpu_ns" => self.times.map_or(0.0, |times| times.on_cpu_ns),
            "errors_count" => self.errors_count as f64,
            _ => self.duration_ns,
        }
    }
}

/// The length that `percent` of the requests do not exceed, by nearest rank. `lengths`: length and number of requests, shortest
/// first. Missing if there are no requests.
fn percentile_ns(lengths: &[(u64, u64)], percent: u32) -> Option<u64> {
    let all: u128 = lengths.iter().map(|(_, count)| u128::from(*count)).sum();
    let rank = (all * u128::from(percent)).div_ceil(100).max(1);
    let mut before = 0;
    lengths.iter().find_map(|(length_ns, count)| {
        before += u128::from(*count);
        (before >= rank).then_some(*length_ns)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn percentiles_are_those_of_all_requests_in_a_row(
            mut lengths in proptest::collection::vec((0_u64..50, 1_u64..20), 0..40),
            percent in 1_u32..=100,
        ) {
            lengths.sort_by_key(|(length_ns, _)| *length_ns);
            let expanded: Vec<u64> =
                lengths.iter().flat_map(|(length_ns, count)| vec![*length_ns; *count as usize]).collect();
            let rank = (expanded.len() * percent as usize).div_ceil(100);
            let expected = rank.checked_sub(1).map(|place| expanded[place]);
            prop_assert_eq!(percentile_ns(&lengths, percent), expected);
        }
    }

    #[test]
    fn the_nearest_rank_is_a_length_that_occurred() {
        assert_eq!(percentile_ns(&[(10, 98), (70, 2)], 50), Some(10));
        assert_eq!(percentile_ns(&[(10, 98), (70, 2)], 99), Some(70));
        assert_eq!(percentile_ns(&[(10, u64::MAX), (70, u64::MAX)], 50), Some(10));
        assert_eq!(percentile_ns(&[], 50), None);
    }
}
