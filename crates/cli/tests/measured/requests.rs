//! Compares the requests that whittle saw with the log of a server.

use crate::goals::GOAL_MEDIAN_LENGTH_ERROR;
use crate::support::tables::{Collected, kernel_jdks};
use crate::support::{Workspace, number, printed};
use whittle_model::{LossReason, RequestTimes, Table};

const PROGRAM: &str = "whittle.workloads.truth.HttpRequests";
const SLOW_PROGRAM: &str = "whittle.workloads.truth.SlowRequests";
type TimeOf = fn(&RequestTimes) -> u64;

/// The requests of the program, as its log names them.
const NAMES: [&str; 4] = ["GET /burn/{}", "GET /lock", "GET /park/{}/items", "GET /remote/{}"];

fn rows(collected: &Collected, name: &str) -> Vec<usize> {
    let requests = &collected.tables.requests;
    (0..requests.len()).filter(|row| requests.name[*row] == name).collect()
}

/// The length in the middle of the rows, with each row as often as its number of requests.
fn median_ns(collected: &Collected, rows: &[usize]) -> u64 {
    let requests = &collected.tables.requests;
    let mut lengths: Vec<(u64, u64)> =
        rows.iter().map(|row| (requests.length_ns(*row), requests.requests_count[*row])).collect();
    lengths.sort_unstable();
    let half = lengths.iter().map(|(_, count)| count).sum::<u64>().div_ceil(2);
    let mut seen = 0;
    let middle = lengths.into_iter().find(|(_, count)| {
        seen += count;
        seen >= half
    });
    middle.unwrap().0
}

#[test]
fn requests_are_those_of_the_servers_log() {
    for jdk in kernel_jdks() {
        for (server, connections) in [("threads", "16"), ("threads", "200"), ("jdk", "16")] {
            let workspace = Workspace::new();
            let program = [PROGRAM, "--server", server, "--connections", connections, "--seconds", "2"];
            let output = workspace.collect_launched(&["-q", "-o", "a.whittle"], &jdk, &program);
            let collected = Collected::read(&workspace, "a.whittle");
            let requests = &collected.tables.requests;
            let what = format!("JDK {}, {server}, {connections} connections", jdk.version);
            assert_eq!(collected.manifest.losses.count(LossReason::UnseenRequests), 0, "{what}");
            for name in NAMES {
                let rows = rows(&collected, name);
                let line = format!("request={} ", name.replace(' ', "_"));
                let count: u64 = rows.iter().map(|row| requests.requests_count[*row]).sum();
                assert_eq!(count, printed(&output, &line, "count") as u64, "{what}, {name}");
                let (seen_ns, logged) = (median_ns(&collected, &rows), |key| printed(&output, &line, key));
                let [least_ns, most_ns] = [logged("least_p50_ns"), logged("p50_ns")];
                eprintln!("{what}, {name}: {count} requests, {seen_ns} ns, in the log {least_ns} to {most_ns} ns");
                // The JDK's server reads the request before the program's code runs. The client wakes when the answer is written, and
                // can take the CPU before the server reads its clock. So the request has ended between two readings.
                if server == "threads" {
                    let most_ns = most_ns * (1.0 + GOAL_MEDIAN_LENGTH_ERROR);
                    assert!((least_ns..most_ns).contains(&(seen_ns as f64)), "{what}, {name}");
                }
            }
            assert_eq!(requests.len(), NAMES.iter().map(|name| rows(&collected, name).len()).sum::<usize>(), "{what}");
            assert!(requests.status.iter().all(|status| *status == Some(200)), "{what}");
            // One thread handles each request from its start to its end, and each moment of the thread is in one of its times.
            for row in 0..requests.len() {
                let times = requests.times(row).unwrap_or_else(|| panic!("{what}: {:?}", requests.row(row)));
                let sum: u64 = times.values().iter().sum();
                assert_eq!(sum, requests.length_ns(row), "{what}: {:?}", requests.row(row));
            }
        }
    }
}

#[test]
fn a_request_has_the_waits_of_its_thread() {
    for jdk in kernel_jdks() {
        let workspace = Workspace::new();
        let program = [PROGRAM, "--connections", "4", "--seconds", "3"];
        workspace.collect_launched(&["-q", "-o", "a.whittle"], &jdk, &program);
        let collected = Collected::read(&workspace, "a.whittle");
        let requests = &collected.tables.requests;
        // A thread that is able to execute is kept from it by other programs of the machine, so this time does not count.
        let most: [(&str, TimeOf); 4] = [
            ("GET /burn/{}", |times| times.on_cpu_ns),
            ("GET /lock", |times| times.futex_ns),
            ("GET /park/{}/items", |times| times.futex_ns),
            ("GET /remote/{}", |times| times.socket_ns + times.futex_ns),
        ];
        for (name, time) in most {
            let (mut part, mut whole) = (0, 0);
            for times in rows(&collected, name).into_iter().filter_map(|row| requests.times(row)) {
                part += time(&times);
                whole += times.values().iter().sum::<u64>() - times.runnable_ns;
            }
            assert!(part * 10 > whole * 8, "JDK {}, {name}: {part} of {whole} ns", jdk.version);
        }
    }
}

/// A query and an id can be a secret.
#[test]
fn queries_and_ids_are_not_stored() {
    for jdk in kernel_jdks().into_iter().take(1) {
        let workspace = Workspace::new();
        let program = [PROGRAM, "--connections", "2", "--seconds", "1"];
        workspace.collect_launched(&["-q", "-o", "a.whittle"], &jdk, &program);
        let names = Collected::read(&workspace, "a.whittle").tables.requests.name;
        assert!(!names.is_empty() && names.iter().all(|name| NAMES.contains(&name.as_str())), "{names:?}");
    }
}

/// What `--slowest 1%` must name first for a cause of the program.
struct Planted {
    cause: &'static str,
    sentence: &'static [&'static str],
    row: &'static str,
}

const PLANTED: [Planted; 4] = [
    Planted {
        cause: "lock",
        sentence: &[
            "waiting for a lock",
            "SlowRequests.readPrice(",
            "held by price-refresher in ",
            "SlowRequests.refresh(",
        ],
        row: "futex",
    },
    Planted { cause: "gc", sentence: &["while the JVM had stopped all threads", "most for Pause "], row: "stops" },
    Planted {
        cause: "remote",
        sentence: &["waiting for a socket", "data from a socket (tcp 127.0.0.1:", "SlowRequests.askPeer("],
        row: "socket",
    },
    Planted {
        cause: "fault",
        sentence: &["executing", "in the kernel: page faults in ", "SlowRequests.touch("],
        row: "on_cpu",
    },
];

/// Nearly all waits are sampled, so that the run can be short. Only with system calls, requests are seen.
#[test]
fn the_cause_of_the_slowest_requests_is_named_first() {
    for jdk in kernel_jdks().into_iter().take(1) {
        for Planted { cause, sentence, row } in PLANTED {
            let workspace = Workspace::new();
            let options = ["-q", "-o", "a.whittle", "--events", "off_cpu=1ms,syscalls"];
            let output =
                workspace.collect_launched(&options, &jdk, &[SLOW_PROGRAM, "--cause", cause, "--seconds", "3"]);
            let view = workspace.json(&["requests", "a.whittle", "--slowest", "1%"]);
            let slowest = &view["slowest"];
            let summary = slowest["summary"].as_str().expect("a sentence");
            let logged = printed(&output, "cause=", "cause_longer_ns") / printed(&output, "cause=", "longer_ns");
            eprintln!("JDK {}, {cause}, {logged:.3} of the time by the log: {summary}", jdk.version);
            assert!(logged > 0.5, "the program's own log must show that the cause is the main one: {output}");
            for words in sentence {
                assert!(summary.contains(words), "{cause}: no {words}: {summary}");
            }
            let first =
                if slowest["stops"]["is_main_reason"] == true { "stops" } else { kind_of(&slowest["kinds"][0]) };
            assert_eq!(first, row, "{cause}: {summary}");
            assert_eq!(number(&slowest["slowest"]["requests_count"]), printed(&output, "cause=", "slowest"), "{cause}");
        }
    }
}

fn kind_of(row: &serde_json::Value) -> &str {
    row["kind"].as_str().expect("a kind")
}
