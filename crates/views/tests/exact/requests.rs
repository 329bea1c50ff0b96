//! Tests of the table of requests.

use crate::support::text;
use whittle_model::{Request, RequestKind, RequestTimes, ThreadIndex};
use whittle_profile::{Profile, Query};
use whittle_render::{Format, Style, render};
use whittle_testkit::experiment_from_text;
use whittle_views::requests::requests;

const MILLISECOND: u64 = 1_000_000;

/// Two threads without requests.
const SAMPLES: &str = "
    @thread  http-1    http-2
             app.serve app.serve
";

/// A request that its own thread answered with status 200. It begins at `start_ms`, and its length is the sum of the times.
fn request(name: &str, thread: u32, start_ms: u64, times_ms: [u64; 7]) -> Request {
    let [on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns] =
        times_ms.map(|time| time * MILLISECOND);
    let times = RequestTimes { on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns };
    let start_ns = start_ms * MILLISECOND;
    Request {
        kind: RequestKind::Http,
        name: name.to_owned(),
        port: 8080,
        status: Some(200),
        start_ns,
        end_ns: start_ns + times.values().iter().sum::<u64>(),
        thread: ThreadIndex(thread),
        answering_thread: ThreadIndex(thread),
        read_bytes: 100,
        written_bytes: 2_000,
        requests_count: 1,
        on_cpu_ns: Some(on_cpu_ns),
        runnable_ns: Some(runnable_ns),
        futex_ns: Some(futex_ns),
        socket_ns: Some(socket_ns),
        disk_ns: Some(disk_ns),
        sleep_ns: Some(sleep_ns),
        other_ns: Some(other_ns),
    }
}

/// The same request without times, because another thread answered.
fn answered_by(request: Request, answering_thread: u32) -> Request {
    Request { answering_thread: ThreadIndex(answering_thread), ..untimed(request) }
}

fn untimed(request: Request) -> Request {
    Request {
        on_cpu_ns: None,
        runnable_ns: None,
        futex_ns: None,
        socket_ns: None,
        disk_ns: None,
        sleep_ns: None,
        other_ns: None,
        ..request
    }
}

/// Five rows for 100 requests: most are equal and fast.
fn some_requests() -> Vec<Request> {
    let fast = request("GET /fast", 0, 0, [1, 0, 0, 1, 0, 0, 0]);
    vec![
        Request { requests_count: 96, ..fast },
        request("GET /slow", 1, 100, [100, 20, 80, 200, 0, 0, 0]),
        Request { status: Some(503), ..answered_by(request("GET /slow", 1, 600, [300, 0, 0, 100, 0, 0, 0]), 0) },
        Request { status: Some(404), ..untimed(request("POST /orders/{}", 1, 1_200, [0, 0, 0, 0, 40, 10, 0])) },
        Request { status: None, ..request("POST /orders/{}", 1, 1_300, [0, 0, 0, 0, 40, 8, 2]) },
    ]
}

/// A profile of 2 s.
fn profile(requests: Vec<Request>) -> Profile {
    let (mut manifest, mut tables) = experiment_from_text(SAMPLES);
    manifest.duration_ns = 2_000_000_000;
    requests.into_iter().for_each(|request| tables.requests.push(request));
    Profile::load(manifest, tables).expect("valid")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() }
}

fn sorted(by: &str) -> Query {
    Query { sort: Some(by.parse().expect("an order")), ..Query::default() }
}

#[test]
fn each_name_is_a_row() {
    assert_eq!(
        text(&requests(&profile(some_requests()), &Query::default()).expect("requests")),
        "
Requests that the server answered

▼ time s  % of time  count  per s  mean ms   p50 ms   p99 ms  longest ms  errors  name
   1.092     100.00    100   50.0   10.920    2.000  400.000     400.000       1  <Total>
   0.800      73.26      2    1.0  400.000  400.000  400.000     400.000       1  GET /slow
   0.192      17.58     96   48.0    2.000    2.000    2.000       2.000       0  GET /fast
   0.100       9.16      2    1.0   50.000   50.000   50.000      50.000       0  POST /orders/{}

Mean times and bytes per request
Bar: C CPU, R runnable, F futex, S socket, D disk, Z sleep, O other, · unknown

 CPU ms  runnable ms  futex ms  socket ms  disk ms  sleep ms  other ms  with times  read KB  written KB  where the time goes   name
  2.000        0.204     0.816      3.020    0.408     0.082     0.020          98     0.10        2.00  CCCCFSSSSSSD········  <Total>
100.000       20.000    80.000    200.000    0.000     0.000     0.000           1     0.10        2.00  CCRFFSSSSS··········  GET /slow
  1.000        0.000     0.000      1.000    0.000     0.000     0.000          96     0.10        2.00  CCCCCCCCCCSSSSSSSSSS  GET /fast
  0.000        0.000     0.000      0.000   40.000     8.000     2.000           1     0.10        2.00  DDDDDDDDZZ··········  POST /orders/{}

Note: the times of the thread are unknown for 2 of 100 requests (another thread answered: 1; the thread began another request in the meantime: 1); mean times leave them out
"
    );
}

#[test]
fn csv_has_all_values_in_one_table() {
    let view = requests(&profile(some_requests()), &sorted("name")).expect("requests");
    let csv = render(&view, Format::Csv, Style::default());
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 4, "{csv}");
    assert_eq!(
        lines[..2],
        [
            "duration_ns,ratio,requests_count,rate_per_second,mean_ns,p50_ns,p99_ns,longest_ns,errors_count,on_cpu_ns,\
             runnable_ns,futex_ns,socket_ns,disk_ns,sleep_ns,other_ns,timed_count,read_bytes_per_request,\
             written_bytes_per_request,client_errors_count,other_thread_count,interleaved_count,unknown_ratio,port,name",
            "192000000,0.17582417582417584,96,48,2000000,2000000,2000000,2000000,0,1000000,0,0,1000000,0,0,0,96,100,\
             2000,0,0,0,0,8080,GET /fast",
        ]
    );
}

#[test]
fn requests_are_in_the_time_range_in_which_they_began() {
    let profile = profile(some_requests());
    let count = |filter: &str| requests(&profile, &filtered(filter)).expect("requests").total.requests_count;
    assert_eq!((count("time in ..600ms"), count("time in 600ms.."), count("time in 650ms..1s")), (97, 3, 0));
    let view = requests(&profile, &filtered("time in ..500ms and thread = \"http-1\"")).expect("requests");
    assert_eq!((view.range_ns, view.total.rate_per_second), (500_000_000, Some(194.0)));
    assert!(view.preamble.notes[0].contains("only the conditions on time"), "{:?}", view.preamble.notes);
    let none = requests(&profile, &filtered("time in 650ms..1s")).expect("requests");
    assert_eq!(none.preamble.notes, ["the filter leaves no requests"]);
}

#[test]
fn conditions_on_requests_select_rows() {
    let profile = profile(some_requests());
    let selected = |filter: &str| {
        let view = requests(&profile, &filtered(filter)).expect("requests");
        (view.total.requests_count, view.preamble.notes.iter().any(|note| note.contains("only the conditions")))
    };
    assert_eq!(selected("request is \"GET /slow\""), (2, false));
    assert_eq!(selected("not request contains \"GET\""), (2, false));
    assert_eq!(selected("request_time > 2ms and not request is \"GET /slow\""), (2, false));
    assert_eq!(selected("time in ..1s and request_time > 1ms and thread = \"http-1\""), (98, true));
    assert_eq!(selected("request is \"GET /slow\" or thread = \"http-1\""), (100, true));
    let wrong = requests(&profile, &filtered("request is \"GET /slo\"")).expect_err("unknown").to_string();
    assert!(wrong.contains("character 12: no request has the name"), "{wrong}");
}

/// The first request is answered from 1 s to 2 s, the second from 2.5 s to 2.6 s.
const SAMPLES_OF_REQUESTS: &str = "
    @thread  http-1    http-1     http-1          http-1          http-1      http-2
    @time    0.5       1.5        2               2               2.55        1.5
    @event   cpu       cpu        off_cpu:socket  cpu             cpu         cpu
             app.poll  app.price  app.call        app.poll        app.stock   app.other
";

#[test]
fn views_of_samples_show_those_of_requests() {
    let (mut manifest, mut tables) = experiment_from_text(SAMPLES_OF_REQUESTS);
    manifest.duration_ns = 3_000_000_000;
    tables.requests.push(request("GET /price/{}", 0, 1_000, [400, 0, 0, 600, 0, 0, 0]));
    tables.requests.push(request("GET /stock", 0, 2_500, [100, 0, 0, 0, 0, 0, 0]));
    tables.requests.push(answered_by(request("GET /other", 1, 1_000, [600, 0, 0, 0, 0, 0, 0]), 0));
    let profile = Profile::load(manifest, tables).expect("valid");
    let functions = |filter: &str| {
        let query = Query { metrics: Some("e.cpu,e.off_cpu".parse().expect("metrics")), ..filtered(filter) };
        let view = whittle_views::functions::functions(&profile, &query).expect("functions");
        let mut names: Vec<String> = view.rows.iter().map(|row| row.function.clone()).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(functions("request contains \"/price\""), "app.call app.price");
    assert_eq!(functions("request is \"GET /stock\" or request is \"GET /price/{}\""), "app.call app.price app.stock");
    assert_eq!(functions("request_time > 500ms and event is cpu"), "app.price");
    assert_eq!(functions("not request_time > 0ns"), "app.other app.poll");
    assert_eq!(functions("request is \"GET /other\""), "", "another thread answered");
}

#[test]
fn rows_have_the_requested_order() {
    let profile = profile(some_requests());
    let first = |by: &str| requests(&profile, &sorted(by)).expect("requests").rows[0].name.clone();
    assert_eq!(
        (first("count"), first("p50"), first("errors")),
        ("GET /fast".into(), "GET /slow".into(), "GET /slow".into())
    );
    assert_eq!((first("cpu"), first("name")), ("GET /slow".into(), "GET /fast".into()));
    assert!(requests(&profile, &sorted("bytes")).is_err());
    let limited = requests(&profile, &Query { limit: Some(1), ..Query::default() }).expect("requests");
    assert_eq!((limited.rows.len(), limited.row_count), (1, 3));
}

#[test]
fn several_ports_are_several_rows() {
    let other = Request { port: 9090, ..request("GET /fast", 0, 50, [3, 0, 0, 0, 0, 0, 0]) };
    let view =
        requests(&profile(some_requests().into_iter().chain([other]).collect()), &sorted("name")).expect("requests");
    let rows: Vec<(&str, u32, u64)> =
        view.rows.iter().map(|row| (row.name.as_str(), row.port, row.figures.requests_count)).collect();
    assert_eq!(rows[..2], [("GET /fast", 8080, 96), ("GET /fast", 9090, 1)]);
    assert!(text(&view).contains("  9090  GET /fast"), "{}", text(&view));
}

#[test]
fn without_requests_the_reason_is_told() {
    let view = requests(&profile(Vec::new()), &Query::default()).expect("requests");
    assert!(view.rows.is_empty() && view.preamble.notes[0].contains("--engine kernel"), "{:?}", view.preamble.notes);
    assert!(text(&view).contains("TLS, HTTP/2"), "{}", text(&view));
}

/// Another user's program can send any requests, and a file can contain any numbers.
#[test]
fn sums_of_impossible_numbers_are_no_failure() {
    let huge = |name: &str| Request {
        requests_count: u64::MAX,
        end_ns: u64::MAX,
        read_bytes: u64::MAX,
        on_cpu_ns: Some(u64::MAX),
        ..request(name, 0, 0, [1, 0, 0, 0, 0, 0, 0])
    };
    let view = requests(&profile(vec![huge("a"), huge("a"), huge("\u{1b}[2J")]), &Query::default()).expect("requests");
    assert_eq!(view.total.requests_count, u64::MAX);
    assert!(!text(&view).contains('\u{1b}'));
    assert!(render(&view, Format::Json, Style::default()).contains("\"requests_count\""));
}
