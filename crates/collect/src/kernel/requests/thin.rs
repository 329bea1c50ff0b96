//! Fewer rows for servers with very many requests.

use whittle_model::{Request, RequestKind, RequestTimes};

/// Maximum number of rows per second. A minute of such rows needs about 16 MB.
pub(crate) const MOST_PER_SECOND: usize = 10_000;

/// One in this many requests of a name is slow: the slowest ones keep their rows.
const SLOW_ONE_IN: usize = 50;

/// Maximum number of rows for this time.
pub(super) fn most_rows(seconds: f64) -> usize {
    (MOST_PER_SECOND as f64 * seconds.max(1.0)) as usize
}

/// Joins rows if there are more than [`MOST_PER_SECOND`]. Requests of the same name, port and status whose lengths are neighbours
/// become one row: the time and the thread of the row in their middle, the sum of their numbers, and the means of their lengths, times
/// and bytes. So numbers are exact, sums are exact but for rounding, and percentiles differ by the width of such a group.
pub(super) fn thin(mut rows: Vec<Request>, seconds: f64) -> Vec<Request> {
    let most = most_rows(seconds);
    if rows.len() <= most {
        return rows;
    }
    rows.sort_by(|one, other| kind(one).cmp(&kind(other)).then(length_ns(one).cmp(&length_ns(other))));
    let at_once = rows.len().div_ceil(most);
    let kinds = rows.chunk_by(|one, other| kind(one) == kind(other));
    kinds.flat_map(|rows| thin_kind(rows, at_once)).collect()
}

/// The rows of one kind, sorted by their lengths.
fn thin_kind(rows: &[Request], at_once: usize) -> impl Iterator<Item = Request> + '_ {
    let (usual, slow) = rows.split_at(rows.len() - rows.len() / SLOW_ONE_IN);
    usual.chunks(at_once).map(join).chain(slow.iter().cloned())
}

fn join(rows: &[Request]) -> Request {
    let middle = &rows[rows.len() / 2];
    let count = rows.len() as u64;
    let mean = |of: fn(&Request) -> u64| rows.iter().fold(0_u64, |sum, row| sum.saturating_add(of(row))) / count;
    let sum = |of: fn(&Request) -> Option<u64>| {
        rows.iter().map(of).try_fold(0_u64, |sum, value| Some(sum.saturating_add(value?)))
    };
    let times: Option<Vec<RequestTimes>> = rows.iter().map(Request::times).collect();
    let times = times.map(|times| mean_times(&times));
    // The times of a row add up to its length.
    let length_ns = times.map_or_else(|| mean(length_ns), |times| times.values().iter().sum());
    let joined = Request {
        requests_count: rows.iter().map(|row| row.requests_count).sum(),
        end_ns: middle.start_ns + length_ns,
        read_bytes: mean(|row| row.read_bytes),
        written_bytes: mean(|row| row.written_bytes),
        statements_count: sum(|row| row.statements_count),
        statements_ns: sum(|row| row.statements_ns),
        trace: middle.trace.clone().filter(|_| rows.len() == 1),
        ..middle.clone()
    };
    joined.with_times(times)
}

fn mean_times(rows: &[RequestTimes]) -> RequestTimes {
    let mean =
        |kind: usize| rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.values()[kind])) / rows.len() as u64;
    RequestTimes::from_values(std::array::from_fn(mean))
}

/// Requests that can be one row.
fn kind(row: &Request) -> (RequestKind, &str, u32, Option<u32>, [bool; 3]) {
    let is_alone = row.thread == row.answering_thread;
    (row.kind, &row.name, row.port, row.status, [row.on_cpu_ns.is_some(), is_alone, row.number.is_some()])
}

fn length_ns(row: &Request) -> u64 {
    row.end_ns - row.start_ns
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::ThreadIndex;

    fn request(name: &str, length_ns: u64) -> Request {
        let request = Request::unknown(RequestKind::Http, name, ThreadIndex(0), (7, 7 + length_ns));
        Request { status: Some(200), read_bytes: 1, written_bytes: 1, ..request }
    }

    #[test]
    fn numbers_are_exact_and_the_slowest_stay() {
        let lengths = (0..30_000_u64).map(|number| (number * 7919) % 30_000);
        let mut rows: Vec<Request> = lengths.map(|length| request("GET /a", length)).collect();
        rows.extend((0..10).map(|length| request("GET /b", length)));
        let thinned = thin(rows, 1.0);
        assert!(thinned.len() <= MOST_PER_SECOND + 30_000 / SLOW_ONE_IN + 10, "{}", thinned.len());
        let of = |name: &str| thinned.iter().filter(|row| row.name == name).map(|row| row.requests_count).sum::<u64>();
        assert_eq!((of("GET /a"), of("GET /b")), (30_000, 10));
        let slowest = thinned.iter().filter(|row| length_ns(row) >= 29_400);
        assert_eq!(slowest.filter(|row| row.requests_count == 1).count(), 600);
        // The middle of all requests, by the rows' numbers.
        let mut seen = 0;
        let middle = thinned.iter().filter(|row| row.name == "GET /a").find(|row| {
            seen += row.requests_count;
            seen >= 15_000
        });
        assert!(length_ns(middle.unwrap()).abs_diff(15_000) <= 8, "{middle:?}");
    }

    #[test]
    fn a_row_for_several_requests_has_their_means() {
        let timed = |length_ns: u64, on_cpu_ns: u64, read_bytes: u64| {
            let times = RequestTimes { on_cpu_ns, futex_ns: length_ns - on_cpu_ns, ..RequestTimes::default() };
            Request { read_bytes, ..request("GET /a", length_ns) }.with_times(Some(times))
        };
        let row = join(&[timed(10, 2, 100), timed(11, 9, 1), timed(15, 1, 1)]);
        assert_eq!((row.requests_count, row.on_cpu_ns, row.futex_ns, row.read_bytes), (3, Some(4), Some(8), 34));
        assert_eq!(length_ns(&row), 12);
        assert_eq!(length_ns(&join(&[request("GET /a", 10), request("GET /a", 20)])), 15);
    }

    #[test]
    fn a_row_for_several_requests_has_all_their_statements() {
        let with = |count: Option<u64>| {
            let trace = Some("0af7651916cd43dd8448eb211c80319c".to_owned());
            Request { statements_count: count, statements_ns: count, trace, ..request("GET /a", 10) }
        };
        let row = join(&[with(Some(1)), with(Some(2)), with(Some(0))]);
        assert_eq!((row.statements_count, row.statements_ns, row.trace), (Some(3), Some(3), None));
        assert_eq!(join(&[with(Some(1)), with(None)]).statements_count, None);
        assert!(join(&[with(Some(1))]).trace.is_some());
    }

    #[test]
    fn few_requests_stay_as_they_are() {
        let rows: Vec<Request> = (0..2000).map(|length| request("GET /a", length)).collect();
        assert_eq!(thin(rows.clone(), 0.1), rows);
    }
}
