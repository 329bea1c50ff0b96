//! Tests of the table of requests.

use crate::support::text;
use whittle_model::{JvmEvent, JvmEventKind, Request, RequestKind, RequestTimes, ThreadIndex};
use whittle_profile::{AnalysisError, Profile, Query};
use whittle_render::{Format, Style, render};
use whittle_testkit::experiment_from_text;
use whittle_views::requests::{Asked, NamedStatements, RequestsView, Slowest};

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
    let times = RequestTimes { on_cpu_ns, runnable_ns, futex_ns, socket_ns, disk_ns, sleep_ns, other_ns, away_ns: 0 };
    let start_ns = start_ms * MILLISECOND;
    let ends = (start_ns, start_ns + times.values().iter().sum::<u64>());
    let request = Request::unknown(RequestKind::Http, name, ThreadIndex(thread), ends);
    let request = Request { port: 8080, status: Some(200), read_bytes: 100, written_bytes: 2_000, ..request };
    request.with_times(Some(times))
}

/// The same request without times, because another thread answered.
fn answered_by(request: Request, answering_thread: u32) -> Request {
    Request { answering_thread: ThreadIndex(answering_thread), ..untimed(request) }
}

fn untimed(request: Request) -> Request {
    request.with_times(None)
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

fn requests(profile: &Profile, query: &Query) -> Result<RequestsView, AnalysisError> {
    whittle_views::requests::requests(profile, query, &Asked::default())
}

fn slowest(profile: &Profile, slowest: &str, name: Option<&str>) -> Result<RequestsView, AnalysisError> {
    let asked = Asked { slowest: Some(slowest.parse()?), name: name.map(str::to_owned), port: None };
    whittle_views::requests::requests(profile, &Query::default(), &asked)
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

Note: the times of the thread are unknown for 2 of 100 requests (another thread answered: 1; the thread was not busy with this request alone: 1); mean times leave them out
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
            "duration_ns,ratio,requests_count,rate_per_second,mean_ns,p50_ns,p99_ns,longest_ns,errors_count,statements_per_request,\
             statement_mean_ns,on_cpu_ns,\
             runnable_ns,futex_ns,socket_ns,disk_ns,sleep_ns,other_ns,away_ns,timed_count,read_bytes_per_request,\
             written_bytes_per_request,client_errors_count,other_thread_count,interleaved_count,unknown_ratio,kind,port,name",
            "192000000,0.17582417582417584,96,48,2000000,2000000,2000000,2000000,0,,,1000000,0,0,1000000,0,0,0,0,96,100,\
             2000,0,0,0,0,request,8080,GET /fast",
        ]
    );
}

/// A statement of JDBC that a thread executed while it waited for a socket.
fn statement(name: &str, thread: u32, start_ms: u64, length_ms: u64) -> Request {
    let request = request(name, thread, start_ms, [0, 0, 0, length_ms, 0, 0, 0]);
    Request { kind: RequestKind::Statement, port: 0, status: None, read_bytes: 0, written_bytes: 0, ..request }
}

/// A request with statements of this number and of this length together.
fn with_statements(request: Request, statements_count: u64, length_ms: u64) -> Request {
    let kind = RequestKind::MarkedHttp;
    let statements_ns = Some(length_ms * MILLISECOND);
    Request { kind, statements_count: Some(statements_count), statements_ns, ..request }
}

/// The second request executes a query for each row of the first query's result.
fn requests_with_statements() -> Vec<Request> {
    let trace = Some("0af7651916cd43dd8448eb211c80319c".to_owned());
    let slow = with_statements(request("GET /list", 0, 100, [50, 0, 0, 150, 0, 0, 0]), 101, 104);
    vec![
        with_statements(request("GET /list", 0, 0, [5, 0, 0, 5, 0, 0, 0]), 1, 4),
        Request { trace, ..slow },
        request("GET /other", 1, 0, [5, 0, 0, 5, 0, 0, 0]),
        statement("select a from b where c=?", 0, 2, 4),
        statement("select a from b where c=?", 0, 110, 4),
        Request { requests_count: 100, ..statement("select d from e where f=?", 0, 120, 1) },
        statement("update g set h=?", 1, 500, 1),
    ]
}

#[test]
fn statements_are_parts_of_requests() {
    let profile = profile(requests_with_statements());
    let view = requests(&profile, &Query::default()).expect("requests");
    assert_eq!((view.total.requests_count, view.total.duration_ns), (3, 220e6));
    let of_list = view.rows[0].figures.statements.expect("statements");
    assert_eq!((view.rows[0].name.as_str(), of_list.statements_count, of_list.per_request), ("GET /list", 102, 51.0));
    assert_eq!(of_list.mean_ns, Some(108e6 / 102.0));
    assert_eq!(view.rows[1].figures.statements, None);
    let rows =
        view.statements.iter().map(|row| (row.name.as_str(), row.figures.requests_count, row.figures.duration_ns));
    let expected = [
        ("select d from e where f=?", 100, 100e6),
        ("select a from b where c=?", 2, 8e6),
        ("update g set h=?", 1, 1e6),
    ];
    assert_eq!(rows.collect::<Vec<_>>(), expected);
    let text = text(&view);
    assert!(text.contains("errors  statements  ms each  name"), "{text}");
    assert!(text.contains("Statements of JDBC, which are parts of the requests"), "{text}");
    assert!(text.contains("1.000  SSSSSSSSSSSSSSSSSSSS  update g set h=?"), "{text}");
    let of_list = requests(&profile, &filtered("request is \"GET /list\" and time in 50ms..")).expect("requests");
    assert_eq!((of_list.total.requests_count, of_list.statement_total.requests_count), (1, 101));
    let csv = render(&view, Format::Csv, Style::default());
    assert!(csv.lines().last().is_some_and(|line| line.ends_with("statement,0,update g set h=?")), "{csv}");
}

#[test]
fn more_statements_of_the_slowest_requests_are_shown_with_their_trace() {
    let view = slowest(&profile(requests_with_statements()), "1", Some("GET /list")).expect("requests");
    let found = view.slowest.as_ref().expect("slowest").statements.as_ref().expect("statements");
    let of = |row: &NamedStatements| (row.slowest_per_request, row.others_per_request, row.times.difference_ns);
    assert_eq!((of(&found.all), found.known_count, found.statements_count), ((101.0, 1.0, 100e6), 102, 102));
    let names: Vec<_> = found.by_name.iter().map(|row| (row.name.as_str(), of(row))).collect();
    let expected = [("select d from e where f=?", (100.0, 0.0, 100e6)), ("select a from b where c=?", (1.0, 1.0, 0.0))];
    assert_eq!(names, expected);
    let text = text(&view);
    let sentence = "Statements: 101.0 of 1.0 ms per slow request, 1.0 of 4.0 ms per other request, so 100 ms more";
    assert!(text.contains(sentence), "{text}");
    assert!(text.contains("Traces of the slowest requests"), "{text}");
    assert!(text.contains("200.000       0.100  0af7651916cd43dd8448eb211c80319c"), "{text}");
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

/// Three requests of 10 ms, and one of 510 ms that begins at 1 s.
const SAMPLES_OF_A_SLOW_REQUEST: &str = "
    @thread  http-1            http-1              http-1            http-1            http-2
    @time    0.005             1.41                1.5               1.505             1.2
    @event   cpu               off_cpu:socket      off_cpu:futex     cpu               cpu
    @weight  0.012             0.400               0.090             0.015             0.01
             app.Main.serve:3  app.Client.call:10  app.Main.serve:4  app.Main.serve:3  app.Main.other
                               java.Net.read       java.Lock.lock
";

fn slow_profile(change: impl Fn(usize, Request) -> Request) -> Profile {
    stopped_profile((1_020, 1_070), change)
}

/// The same with another stop of the JVM during the slow request.
fn stopped_profile(stop_ms: (u64, u64), change: impl Fn(usize, Request) -> Request) -> Profile {
    let (mut manifest, mut tables) = experiment_from_text(SAMPLES_OF_A_SLOW_REQUEST);
    manifest.duration_ns = 2_000_000_000;
    let fast = |start_ms| request("GET /slow", 0, start_ms, [4, 0, 1, 5, 0, 0, 0]);
    let slow = request("GET /slow", 0, 1_000, [10, 5, 91, 404, 0, 0, 0]);
    let all = [fast(0), fast(100), fast(200), slow, request("GET /other", 1, 1_100, [200, 0, 0, 0, 0, 0, 0])];
    all.into_iter().enumerate().for_each(|(row, request)| tables.requests.push(change(row, request)));
    let mut add = |kind: JvmEventKind, name: &str, (start_ms, end_ms): (u64, u64)| {
        tables.jvm_events.push(JvmEvent {
            start_ns: start_ms * MILLISECOND,
            end_ns: end_ms * MILLISECOND,
            kind,
            name: name.to_owned(),
            reaching_ns: 0,
            heap_before_bytes: None,
            heap_after_bytes: None,
        });
    };
    add(JvmEventKind::Safepoint, "Collect", (205, 206));
    add(JvmEventKind::Safepoint, "Collect", stop_ms);
    add(JvmEventKind::GcPause, "Pause Full", (stop_ms.0 + 1, stop_ms.1));
    Profile::load(manifest, tables).expect("valid")
}

#[test]
fn the_slowest_requests_are_compared_with_the_others() {
    assert_eq!(
        text(&slowest(&slow_profile(|_, request| request), "25%", None).expect("requests")),
        "
Slowest requests of GET /slow on port 8080
The slowest 25 % (1 of 4) took 500 ms more on average: 399 ms of it waiting for a socket, most in app.Client.call (line 10), according to 1 sample

           slowest  others   slowest    others
▼ more ms       ms      ms  requests  requests  the thread
  500.000  510.000  10.000         1         3  <Whole length>
  399.000  404.000   5.000         1         3  waiting for a socket
   90.000   91.000   1.000         1         3  waiting for a lock, a task or a time limit
    6.000   10.000   4.000         1         3  executing
    5.000    5.000   0.000         1         3  waiting for a CPU

Mean time in which the JVM stopped all threads: slowest 50.0 ms (in 1 of 1), others 0.3 ms (in 1 of 3)

Places in code: the samples of these requests distribute the times above

           slowest  others  slowest   others
▼ more ms       ms      ms  samples  samples  the thread                                                 file or peer  in
  404.000  404.000   0.000        1        0  waiting for a socket (socket)                                            app.Client.call (line 10)
   91.000   91.000   0.000        1        0  waiting for a lock, a task or a time limit (other_thread)                app.Main.serve (line 4)
    6.000   10.000   4.000        1        1  executing                                                                app.Main.serve (line 3)
    5.000    5.000   0.000        0        0  waiting for a CPU                                                        <not sampled>
   -1.000    0.000   1.000        0        0  waiting for a lock, a task or a time limit                               <not sampled>
   -5.000    0.000   5.000        0        0  waiting for a socket                                                     <not sampled>
"
    );
}

#[test]
fn the_places_of_a_kind_add_up_to_its_time() {
    let view = slowest(&slow_profile(|_, request| request), "2", None).expect("requests").slowest.expect("others");
    for kind in &view.kinds {
        let of_kind = || view.places.iter().filter(|place| place.kind == kind.kind);
        let slowest_ns: f64 = of_kind().map(|place| place.times.slowest_ns).sum();
        let others_ns: f64 = of_kind().map(|place| place.times.others_ns).sum();
        assert!((slowest_ns - kind.times.slowest_ns).abs() < 1.0, "{kind:?}: {slowest_ns}");
        assert!((others_ns - kind.times.others_ns).abs() < 1.0, "{kind:?}: {others_ns}");
    }
}

#[test]
fn csv_of_the_slowest_has_a_row_for_each_difference() {
    let view = slowest(&slow_profile(|_, request| request), "1", Some("GET /slow")).expect("requests");
    let csv = render(&view, Format::Csv, Style::default());
    let rows: Vec<&str> =
        csv.lines().filter(|line| line.contains(",length,") || line.contains(",place,socket")).collect();
    assert_eq!(
        rows,
        [
            "500000000,510000000,10000000,1,3,length,,,,,,,,",
            "404000000,404000000,0,1,0,place,socket,socket,app.Client.call,,10,,,",
            "-5000000,0,5000000,0,0,place,socket,,,,,,,",
        ],
        "{csv}"
    );
}

/// A row for several requests counts as several, with its samples.
#[test]
fn rows_of_several_requests_are_weighted() {
    let many = |row, request| Request { requests_count: if row == 0 { 97 } else { 1 }, ..request };
    let view = slowest(&slow_profile(many), "1%", None).expect("requests").slowest.expect("others");
    assert_eq!((view.slowest.requests_count, view.others.requests_count), (1, 99));
    let place = view.places.iter().find(|place| place.others_samples_count == 1).expect("a place");
    assert!((place.times.others_ns - 4e6).abs() < 1e-3, "{place:?}");
    let stops = view.stops.expect("stops");
    assert_eq!((stops.slowest_requests_count, stops.others_requests_count, stops.times.slowest_ns), (1, 1, 50e6));
}

#[test]
fn the_slowest_without_times_have_a_note() {
    let without = |row, request| if row == 3 { answered_by(request, 1) } else { request };
    let view = slowest(&slow_profile(without), "1", None).expect("requests");
    let shown = text(&view);
    assert!(shown.contains("whittle does not know the times of their threads"), "{shown}");
    assert!(shown.contains("of the slowest requests, the times of the thread are unknown for 1 of 1"), "{shown}");
}

#[test]
fn the_slowest_of_a_port_are_those_of_its_row() {
    let of_port = |port: u32, start_ms: u64, on_cpu_ms: u64| Request {
        port,
        ..request("GET /slow", 0, start_ms, [on_cpu_ms, 0, 0, 0, 0, 0, 0])
    };
    let profile = profile(vec![of_port(80, 0, 10), of_port(80, 50, 20), of_port(81, 100, 1), of_port(81, 110, 3)]);
    let slowest = |name: Option<&str>, port| {
        let asked = Asked { slowest: Some(Slowest::Count(1)), name: name.map(str::to_owned), port };
        whittle_views::requests::requests(&profile, &Query::default(), &asked)
    };
    for (port, wanted, mean_ns) in [(None, 80, 20e6), (Some(80), 80, 20e6), (Some(81), 81, 3e6)] {
        let found = slowest(Some("GET /slow"), port).expect("requests").slowest.expect("others");
        assert_eq!((found.port, found.slowest.mean_ns), (wanted, Some(mean_ns)));
    }
    let error = |name, port| slowest(name, port).expect_err("no such requests").to_string();
    assert!(error(None, Some(82)).starts_with("no request has the port 82;"), "{}", error(None, Some(82)));
    let both = error(Some("GET /slow"), Some(82));
    assert!(both.starts_with("no request has the name \"GET /slow\" and the port 82;"), "{both}");
}

#[test]
fn the_slowest_need_others_and_a_known_name() {
    let profile = slow_profile(|_, request| request);
    let view = slowest(&profile, "4", Some("GET /slow")).expect("requests");
    assert!(view.slowest.is_none() && view.preamble.notes[0].contains("no others"), "{:?}", view.preamble.notes);
    assert!(slowest(&profile, "1", Some("GET /slo")).is_err_and(|error| error.to_string().contains("lists all")));
    for text in ["0", "0%", "100%", "x", "-1", "NaN%"] {
        assert!(text.parse::<Slowest>().is_err(), "{text}");
    }
    assert_eq!("0.1%".parse::<Slowest>().expect("a share").to_string(), "0.1 %");
}

/// A stop of 300 ms explains more than half of 500 ms, so no other reason can be larger.
#[test]
fn stops_of_the_jvm_come_first_if_they_explain_most() {
    let view = slowest(&stopped_profile((1_100, 1_400), |_, request| request), "1", None).expect("requests");
    let shown = text(&view);
    let sentence = "took 500 ms more on average: 300 ms of it while the JVM had stopped all threads (in 1 of 1 requests), most for \
                    Pause Full\n";
    assert!(shown.contains(sentence), "{shown}");
    let rows: Vec<&str> = shown.lines().skip_while(|line| !line.contains("<Whole length>")).skip(1).take(2).collect();
    assert!(rows[0].contains("the JVM had stopped all threads (Pause Full); also part of the rows below"), "{shown}");
    assert!(rows[1].contains("waiting for a socket"), "{shown}");
    let stops = view.slowest.and_then(|slowest| slowest.stops).expect("stops");
    assert!(stops.is_main_reason && stops.slowest_requests_count == 1);
}

#[test]
fn shorter_stops_are_no_main_reason() {
    let view = slowest(&stopped_profile((1_100, 1_340), |_, request| request), "1", None).expect("requests");
    assert!(!view.slowest.and_then(|slowest| slowest.stops).expect("stops").is_main_reason);
}

/// Without the times of their threads, the stops of the JVM are still known.
#[test]
fn stops_need_no_times_of_threads() {
    let view = slowest(&stopped_profile((1_100, 1_400), |_, request| untimed(request)), "1", None).expect("requests");
    assert!(text(&view).contains("300 ms of it while the JVM had stopped all threads"), "{}", text(&view));
}

#[test]
fn the_sentence_names_page_faults() {
    let drawn = "
        @thread  http-1                 http-1            http-1
        @time    0.1                    0.15              0.5
        @weight  0.08                   0.02              0.01
                 app.Main.touch:7       app.Main.touch:7  app.Main.serve:3
                 asm_exc_page_fault[k]  handle[k]
    ";
    let (mut manifest, mut tables) = experiment_from_text(drawn);
    manifest.duration_ns = 1_000_000_000;
    tables.requests.push(request("GET /", 0, 0, [200, 100, 0, 0, 0, 0, 0]));
    tables.requests.push(request("GET /", 0, 495, [10, 5, 0, 0, 0, 0, 0]));
    let profile = Profile::load(manifest, tables).expect("valid");
    let slowest = slowest(&profile, "1", None).expect("requests").slowest.expect("others");
    let sentence = "285 ms of it executing (190 ms) or waiting for a CPU, most in the kernel: page faults in app.Main.touch (line \
                    7), according to 1 sample";
    assert!(slowest.summary.contains(sentence), "{}", slowest.summary);
    let executes: Vec<Option<&str>> = slowest.places.iter().map(|place| place.executes).collect();
    assert_eq!(executes, [Some("page_fault"), None, Some("kernel"), Some("user")], "{:?}", slowest.places);
}

#[test]
fn a_lock_has_its_holder() {
    let (mut manifest, mut tables) = experiment_from_text(crate::wakers::CHAIN);
    manifest.duration_ns = 15_000_000_000;
    let web = tables.threads.name.iter().position(|name| name == "web").expect("a thread") as u32;
    tables.requests.push(request("GET /order", web, 0, [10, 0, 10_000, 0, 0, 0, 0]));
    tables.requests.push(request("GET /order", web, 14_500, [10, 0, 0, 0, 0, 0, 0]));
    let profile = Profile::load(manifest, tables).expect("valid");
    let slowest = slowest(&profile, "1", None).expect("requests").slowest.expect("others");
    let sentence = "most for a lock in app.Shop.order(), according to 1 sample; held by loader in app.Cache.refresh() in 100 % of this \
                    time, while waiting for a socket (tcp 10.0.0.7:5432), according to 1 sample";
    assert!(slowest.summary.contains(sentence), "{}", slowest.summary);
}

/// A filter and a controller of a server whose requests are not seen. The pool's last thread is idle.
const SERVER: &str = "
    @thread  http-1                                                                   http-1                                                                   http-2                                                    http-3
    @event   cpu                                                                      off_cpu:socket                                                           cpu                                                       off_cpu:futex
    @weight  0.3                                                                      0.5                                                                      0.2                                                       5
             org/apache/catalina/core/ApplicationFilterChain.doFilter                 org/apache/catalina/core/ApplicationFilterChain.doFilter                 org/apache/catalina/core/ApplicationFilterChain.doFilter  java/util/concurrent/ThreadPoolExecutor.getTask
             app/AuthFilter.doFilter                                                  app/AuthFilter.doFilter                                                  app/AuthFilter.doFilter
             org/springframework/web/method/support/InvocableHandlerMethod.doInvoke   org/springframework/web/method/support/InvocableHandlerMethod.doInvoke
             app/Orders.get                                                           app/Orders.get
             app/Dao.find                                                             java/net/Socket.read
";

#[test]
fn without_requests_the_time_by_endpoint_is_told_by_samples() {
    let (manifest, tables) = experiment_from_text(SERVER);
    let profile = Profile::load(manifest, tables).expect("valid");
    let view = requests(&profile, &Query::default()).expect("requests");
    let shown = text(&view);
    let table: Vec<&str> = shown.lines().skip_while(|line| !line.starts_with("Time of threads")).take(7).collect();
    assert_eq!(
        table,
        [
            "Time of threads by endpoint, according to samples",
            "Bar: C CPU, R runnable, F futex, S socket, D disk, Z sleep, O other",
            "",
            "▼ time s  % of time  samples  count  mean ms  p50 ms  p99 ms  CPU s  where the time goes   framework   endpoint",
            "   1.000     100.00        3      -        -       -       -  0.500  CCCCCCCCCCSSSSSSSSSS              <Total>",
            "   0.800      80.00        2      -        -       -       -  0.300  CCCCCCCSSSSSSSSSSSSS  Spring MVC  app/Orders.get",
            "   0.200      20.00        1      -        -       -       -  0.200  CCCCCCCCCCCCCCCCCCCC  Tomcat      app/AuthFilter.doFilter",
        ],
        "{shown}"
    );
    assert!(
        view.preamble.notes.iter().any(|note| note.contains("do not tell the number")),
        "{:?}",
        view.preamble.notes
    );
    let waits = requests(&profile, &filtered("event is off_cpu")).expect("requests").endpoints.expect("endpoints");
    assert_eq!((waits.row_count, waits.total.samples_count, waits.total.times.socket_ns), (1, 1, 5e8));
    let csv = render(&view, Format::Csv, Style::default());
    assert_eq!(csv.lines().count(), 3, "{csv}");
}

/// If a request has known times, samples are not needed. Without times, the table of endpoints is shown in addition.
#[test]
fn endpoints_are_shown_if_no_request_has_times() {
    let with = |change: fn(Request) -> Request| {
        let (manifest, mut tables) = experiment_from_text(SERVER);
        tables.requests.push(change(request("GET /orders/{}", 0, 0, [10, 0, 0, 0, 0, 0, 0])));
        requests(&Profile::load(manifest, tables).expect("valid"), &Query::default()).expect("requests")
    };
    assert!(with(|request| request).endpoints.is_none());
    let untimed = text(&with(untimed));
    let place = |title: &str| untimed.find(title).unwrap_or_else(|| panic!("no {title} in {untimed}"));
    assert!(place("Requests that the server answered") < place("Time of threads by endpoint"));
    assert!(place("Time of threads by endpoint") < place("Note: "), "notes are at the end: {untimed}");
}
