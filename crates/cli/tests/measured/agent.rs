//! `whittle agent` with JVMs that measure themselves. The CPU time in landed segments equals the JVMs' own measurement,
//! even if the store or the agent fails for some time.
//!
//! Each test marks its own JVMs with a system property, and collects only the marked JVMs.

use crate::goals::{GOAL_AGENT_ERROR, GOAL_ATTACH_NS, GOAL_CLOSURE};
use crate::support::tables::kernel_jdks;
use crate::support::{self, Workspace, assert_near, printed, signal, whittle_command};
use crate::tolerance;
use bytes::Bytes;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use whittle_experiment::{Segment, SegmentName, read_segment};
use whittle_model::{EventKind, MergedRuns, StackIndex, Table, Tables};
use whittle_testkit::{Jdk, workloads_class_path};

const SPIN: &str = "whittle.workloads.truth.Spin";

/// A running agent. It is killed when the test ends.
pub(crate) struct Agent {
    child: Child,
    said: Arc<Mutex<String>>,
}

/// The directories of a test's agent and JVMs.
pub(crate) struct Host {
    pub(crate) workspace: Workspace,
    /// A word that only the JVMs of this test have in their command lines.
    pub(crate) mark: String,
}

impl Host {
    pub(crate) fn new(name: &str) -> Self {
        let workspace = Workspace::new();
        let mark = format!("-Dagent.test={name}-{}", std::process::id());
        std::fs::write(workspace.path("rules.toml"), format!("only = ['{mark} ']\n")).unwrap();
        Self { workspace, mark }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.workspace.path(name)
    }

    pub(crate) fn agent(&self, options: &[&str]) -> Agent {
        let mut command = whittle_command(&["agent"]);
        command.arg("--store").arg(self.path("store")).arg("--spool").arg(self.path("spool"));
        command.arg("--rules").arg(self.path("rules.toml")).args(options);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let messages = BufReader::new(child.stderr.take().unwrap());
        let said = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&said);
        std::thread::spawn(move || {
            for line in messages.lines().map_while(Result::ok) {
                eprintln!("{line}");
                *heard.lock().unwrap() += &(line + "\n");
            }
        });
        Agent { child, said }
    }

    /// Starts a workload that prints what it used.
    fn java(&self, jdk: &Jdk, variables: &[(&str, &str)], program: &[&str]) -> Child {
        let mut command = Command::new(jdk.java());
        command.arg(&self.mark).args(["-cp", &workloads_class_path()]).args(program).envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// The landed segments by their labels `service` and stream, in the order of their numbers.
    pub(crate) fn landed(&self) -> BTreeMap<(String, u128), Vec<Segment>> {
        let mut streams: BTreeMap<_, Vec<Segment>> = BTreeMap::new();
        for path in files_below(&self.path("store")) {
            let name = SegmentName::parse(path.to_str().unwrap()).unwrap_or_else(|| panic!("{}", path.display()));
            let bytes = Bytes::from(std::fs::read(&path).unwrap());
            assert_eq!(whittle_model::ContentHash::of(&bytes), name.content, "{}", path.display());
            let segment = read_segment(&bytes).unwrap();
            assert_eq!(segment.manifest.segment, Some(name.id));
            let service = segment.manifest.label("service").to_owned();
            streams.entry((service, name.id.stream.0)).or_default().push(segment);
        }
        streams.values_mut().for_each(|segments| segments.sort_by_key(|one| one.manifest.segment.unwrap().sequence));
        streams
    }

    pub(crate) fn wait_for(&self, what: &str, is_done: impl Fn() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !is_done() {
            assert!(Instant::now() < deadline, "waited for: {what}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub(crate) fn landed_count(&self) -> usize {
        files_below(&self.path("store")).len()
    }

    fn spooled_count(&self) -> usize {
        files_below(&self.path("spool")).iter().filter(|path| path.extension().is_some_and(|end| end == "tar")).count()
    }
}

impl Agent {
    fn said(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    pub(crate) fn end(mut self, name: &str) -> String {
        signal(&self.child.id().to_string(), name);
        self.child.wait().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        self.said()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

/// Waits until a program ends. Returns its output.
fn output(child: Child) -> String {
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// The CPU time of all samples, and the CPU time of samples with a function of this name on the stack.
fn cpu_ns(segments: &[Segment], name: &str) -> (f64, f64) {
    let of = |segment: &Segment| {
        let (tables, mut all, mut inside) = (&segment.tables, 0.0, 0.0);
        for row in 0..tables.samples.len() {
            assert_eq!(tables.samples.event[row], EventKind::Cpu);
            let weight = tables.samples.duration_ns[row] as f64;
            all += weight;
            inside += if has_function(tables, tables.samples.stack[row], name) { weight } else { 0.0 };
        }
        (all, inside)
    };
    segments.iter().map(of).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

fn has_function(tables: &Tables, mut stack: StackIndex, name: &str) -> bool {
    while stack != StackIndex::ROOT {
        let function = tables.frames.function[tables.stacks.frame[stack.row()].row()].row();
        if tables.functions.display_name[function].contains(name) {
            return true;
        }
        stack = tables.stacks.parent[stack.row()];
    }
    false
}

/// Checks that segments have no gaps, and that their values agree.
fn assert_whole(segments: &[Segment]) {
    for (segment, next) in segments.iter().zip(&segments[1..]) {
        let end = |segment: &Segment| segment.manifest.start_monotonic_ns.unwrap() + segment.manifest.duration_ns;
        assert_eq!(Some(end(segment)), next.manifest.start_monotonic_ns);
    }
    for (segment, expected) in segments.iter().zip(0..) {
        assert_eq!(segment.manifest.segment.unwrap().sequence, expected);
        let times = &segment.tables.samples.time_ns;
        assert!(times.iter().all(|time| *time <= segment.manifest.duration_ns), "samples outside");
    }
}

/// The interval between two samples of an agent with `--rate 100`.
const INTERVAL_NS: f64 = 1e7;

#[test]
fn landed_segments_have_the_cpu_time_of_the_programs() {
    let Some(jdk) = kernel_jdks().into_iter().next_back() else { return };
    let host = Host::new("truth");
    let first =
        host.java(&jdk, &[("WHITTLE_SERVICE", "early"), ("WHITTLE_VERSION", "1.5")], &[SPIN, "--seconds", "40"]);
    std::thread::sleep(Duration::from_secs(1));
    let agent = host.agent(&["--segment", "10s", "--label", "team=a", "--label", "region=eu", "--rate", "100"]);
    std::thread::sleep(Duration::from_secs(12));
    let attributes = "service.version=7,cloud.region=us";
    let variables = [("OTEL_SERVICE_NAME", "late"), ("OTEL_RESOURCE_ATTRIBUTES", attributes)];
    let second = host.java(&jdk, &variables, &[SPIN, "--seconds", "20", "--heavy-ratio", "0.5"]);
    let second = output(second);
    let first = output(first);
    std::thread::sleep(Duration::from_secs(3));
    agent.end("TERM");
    let landed = host.landed();
    let services: Vec<&str> = landed.keys().map(|(service, _)| service.as_str()).collect();
    assert_eq!(services, ["early", "late"]);
    let mut sums = (0.0, 0.0);
    for ((service, _), segments) in &landed {
        let (printed_by, heavy_ratio, version, region) =
            if service == "early" { (&first, 0.75, "1.5", "eu") } else { (&second, 0.5, "7", "us") };
        assert_whole(segments);
        let labels = &segments[0].manifest.labels;
        assert_eq!(
            (labels["version"].as_str(), labels["region"].as_str(), labels["team"].as_str()),
            (version, region, "a")
        );
        assert!(labels.contains_key("host"));
        let exact: u64 = segments.iter().map(|one| one.manifest.closure.as_ref().unwrap().exact_cpu_ns).sum();
        let rooted: u64 = segments.iter().map(|one| one.manifest.closure.as_ref().unwrap().rooted_ns).sum();
        let threads: u64 = segments.iter().flat_map(|one| one.tables.threads.cpu_ns.iter().flatten()).sum();
        let (all, heavy) = cpu_ns(segments, ".Spin.heavy(");
        let (_, light) = cpu_ns(segments, ".Spin.light(");
        let spin = printed(printed_by, "total", "cpu_ms") * 1e6;
        eprintln!(
            "{service}: {} segments, exact {:.2} s, threads {:.2} s, samples {:.2} s, rooted {:.2} s, heavy {:.3}; printed {:.2} s",
            segments.len(),
            exact as f64 / 1e9,
            threads as f64 / 1e9,
            all / 1e9,
            rooted as f64 / 1e9,
            heavy / (heavy + light),
            spin / 1e9
        );
        (sums.0, sums.1) = (sums.0 + all, sums.1 + exact as f64);
        let chance = tolerance::time_of_shared_ticks(exact as f64, INTERVAL_NS);
        assert_near("samples against exact CPU", all, exact as f64, chance);
        assert_near("threads against exact CPU", threads as f64, exact as f64, GOAL_AGENT_ERROR);
        // The agent sees a process before its profiler is ready.
        let least = tolerance::least(GOAL_CLOSURE, all / INTERVAL_NS) - GOAL_ATTACH_NS / all;
        assert!(
            rooted as f64 > least * all,
            "{service}: less than {least:.4} of the samples have their root: {:?}",
            segments.iter().map(|one| &one.manifest.losses).collect::<Vec<_>>()
        );
        let found = heavy / (heavy + light);
        // The standard deviation of a share is at most half of that of a sum: √(p (1 - p)) is at most 1/2.
        assert!((found - heavy_ratio).abs() < chance * 0.5, "{service}: {found}");
        // The agent found both programs late. One program had already run for a second. The other program ran until the
        // agent searched again.
        assert!((0.75..1.15).contains(&(exact as f64 / spin)), "{exact} of {spin}");
    }
    assert_near("samples of all processes against their exact CPU", sums.0, sums.1, GOAL_AGENT_ERROR);
    let mut merged = MergedRuns::default();
    for segment in landed.into_values().flatten() {
        merged.add(segment.tables);
    }
    merged.into_tables().validate().unwrap();
}

#[test]
fn nothing_is_lost_while_the_store_is_away_and_after_a_kill() {
    let Some(jdk) = kernel_jdks().into_iter().next_back() else { return };
    let host = Host::new("away");
    let mut java = host.java(&jdk, &[("WHITTLE_SERVICE", "s")], &[SPIN, "--seconds", "120"]);
    let agent = host.agent(&["--segment", "5s"]);
    host.wait_for("a segment", || host.landed_count() >= 1);
    // The store's path is now a file.
    std::fs::rename(host.path("store"), host.path("elsewhere")).unwrap();
    std::fs::write(host.path("store"), "").unwrap();
    host.wait_for("segments in the spool", || host.spooled_count() >= 2);
    assert!(agent.said().contains("the store does not accept segments"), "{}", agent.said());
    agent.end("KILL");
    let waiting = host.spooled_count();
    std::fs::remove_file(host.path("store")).unwrap();
    std::fs::rename(host.path("elsewhere"), host.path("store")).unwrap();
    let before = host.landed_count();
    let agent = host.agent(&["--segment", "5s"]);
    host.wait_for("what was in the spool", || host.landed_count() >= before + waiting + 2);
    assert!(java.try_wait().unwrap().is_none(), "the JVM lives");
    java.kill().unwrap();
    java.wait().unwrap();
    let said = agent.end("TERM");
    assert!(said.contains(" 0 wait"), "{said}");
    let landed = host.landed();
    let sequences: Vec<BTreeSet<u64>> = landed
        .values()
        .map(|segments| segments.iter().map(|one| one.manifest.segment.unwrap().sequence).collect())
        .collect();
    eprintln!("sequences: {sequences:?}");
    // Two agents made two streams. Both streams are without gaps, because a killed agent loses only its unfinished
    // segment.
    assert_eq!(landed.len(), 2);
    landed.values().for_each(|segments| assert_whole(segments));
}

/// The value of a counter in a segment. Missing: the segment does not have it.
fn counter(segment: &Segment, name: &str) -> Option<f64> {
    let counters = &segment.tables.counters;
    let values = (0..counters.len()).map(|row| counters.row(row)).filter(|value| value.counter == name);
    values.map(|value| value.value).reduce(|sum, value| sum + value)
}

fn units(segments: &[Segment]) -> f64 {
    segments.iter().flat_map(|one| &one.manifest.units_of_work).map(|unit| unit.amount).sum()
}

/// The units of work in the segments of a spool or a store.
fn units_below(folder: &Path) -> f64 {
    let files = files_below(folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "tar"));
    // The agent can have sent and removed a file of the spool.
    let segments = files.filter_map(|path| read_segment(&Bytes::from(std::fs::read(path).ok()?)).ok());
    units(&segments.collect::<Vec<_>>())
}

/// Two agents, one after the other. The first one ends with this signal while the store is away. Each phase has another number
/// of units of work, and the test waits until the agent has counted them.
fn upgrade(name: &str, is_unit_lost: bool) {
    let Some(jdk) = kernel_jdks().into_iter().next_back() else { return };
    let host = Host::new(&format!("upgrade-{name}"));
    let units_file = host.path("units");
    let rules = format!(
        "only = ['{mark} ']\n[[rule]]\nmatch = '{mark}'\nunits = [{{ name = 'jobs', file = '{}' }}]\n",
        units_file.display(),
        mark = host.mark
    );
    std::fs::write(host.path("rules.toml"), rules).unwrap();
    let work = |total: u32| std::fs::write(&units_file, total.to_string()).unwrap();
    work(3);
    // The store's path is a file.
    std::fs::write(host.path("store"), "").unwrap();
    let mut java = host.java(&jdk, &[("WHITTLE_SERVICE", "s")], &[SPIN, "--seconds", "120"]);
    let old = host.agent(&["--segment", "5s"]);
    host.wait_for("a segment in the spool", || host.spooled_count() >= 1);
    work(103);
    host.wait_for("the first units", || units_below(&host.path("spool")) == 100.0);
    // The units of the last, unfinished segment.
    work(113);
    old.end(name);
    let waiting = host.spooled_count();
    work(120);
    std::thread::sleep(Duration::from_secs(2));
    std::fs::remove_file(host.path("store")).unwrap();
    let new = host.agent(&["--segment", "5s"]);
    host.wait_for("the segments of both agents", || host.landed_count() > waiting);
    let before = units_below(&host.path("store"));
    work(150);
    host.wait_for("the last units", || units_below(&host.path("store")) >= before + 30.0);
    let said = new.end("TERM");
    assert!(java.try_wait().unwrap().is_none(), "the JVM lives");
    java.kill().unwrap();
    java.wait().unwrap();
    let mut streams: Vec<Vec<Segment>> = host.landed().into_values().collect();
    streams.sort_by_key(|segments| segments[0].manifest.start_monotonic_ns);
    let [before, after] = &streams[..] else { panic!("{} streams", streams.len()) };
    streams.iter().for_each(|segments| assert_whole(segments));
    assert_eq!(before.len(), waiting, "the new agent sends everything that the old agent left");
    let end = |segment: &Segment| segment.manifest.start_monotonic_ns.unwrap() + segment.manifest.duration_ns;
    let gap_ns = after[0].manifest.start_monotonic_ns.unwrap() - end(before.last().unwrap());
    assert_eq!(counter(&after[0], "gap_before_ns"), Some(gap_ns as f64), "{said}");
    let in_words = format!("the {:.3} s before this segment: no agent collected", gap_ns as f64 / 1e9);
    assert!(after[0].manifest.not_counted.iter().any(|text| text.starts_with(&in_words)));
    let others = before.iter().chain(&after[1..]);
    assert!(others.into_iter().all(|one| counter(one, "gap_before_ns").is_none()));
    let in_log = format!("the segments of 1 processes have a gap of up to {:.1} s", gap_ns as f64 / 1e9);
    assert!(said.contains(&in_log), "{in_log}: {said}");
    eprintln!("{name}: gap {:.3} s, units {} and {}", gap_ns as f64 / 1e9, units(before), units(after));
    // 3 units were before the old agent, and 7 were in the gap.
    let lost = if is_unit_lost { 10.0 } else { 0.0 };
    assert_eq!((units(before), units(after)), (110.0 - lost, 30.0));
}

#[test]
fn an_upgrade_of_the_agent_loses_only_the_stated_gap() {
    upgrade("TERM", false);
}

/// The killed agent loses its unfinished segment, and the gap contains this segment.
#[test]
fn a_killed_agent_loses_only_the_stated_gap() {
    upgrade("KILL", true);
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn a_full_spool_drops_the_oldest_and_says_how_many() {
    let Some(jdk) = kernel_jdks().into_iter().next_back() else { return };
    let host = Host::new("full");
    let mut java = host.java(&jdk, &[("WHITTLE_SERVICE", "s")], &[SPIN, "--seconds", "120"]);
    std::fs::write(host.path("store"), "").unwrap();
    let agent = host.agent(&["--segment", "5s", "--spool-limit", "60k"]);
    host.wait_for("dropped segments", || agent.said().contains("oldest segments were dropped"));
    std::fs::remove_file(host.path("store")).unwrap();
    host.wait_for("the store to be back", || host.landed_count() >= 1);
    let said = agent.end("TERM");
    java.kill().unwrap();
    java.wait().unwrap();
    let dropped: f64 =
        said.lines().last().unwrap().split(", ").last().unwrap().split(' ').next().unwrap().parse().unwrap();
    let landed = host.landed();
    let segments = landed.values().next().unwrap();
    let told: f64 = segments.iter().filter_map(|one| counter(one, "dropped_segments_count")).sum();
    let sequences: Vec<u64> = segments.iter().map(|one| one.manifest.segment.unwrap().sequence).collect();
    let absent = (sequences.last().unwrap() + 1) as f64 - sequences.len() as f64;
    eprintln!("dropped {dropped}, told {told}, absent {absent}");
    assert_eq!((dropped, told), (absent, absent));
}

#[test]
fn wrong_arguments_are_named() {
    let host = Host::new("wrong");
    let refused = |arguments: &[&str]| {
        let output = whittle_command(&[&["agent"], arguments].concat()).output().unwrap();
        assert!(!output.status.success());
        support::stderr(&output)
    };
    let (store, spool) = (host.path("store"), host.path("rules.toml/spool"));
    let (store, spool) = (store.to_str().unwrap(), spool.to_str().unwrap());
    assert!(refused(&["--store", "ftp://x", "--spool", spool]).contains("unknown kind of store"));
    assert!(refused(&["--store", store, "--spool", spool]).contains("choose another directory with --spool"));
    assert!(refused(&["--store", store, "--label", "x"]).contains("NAME=VALUE"));
    std::fs::write(host.path("bad.toml"), "[[rule]]\nlabels = 3\n").unwrap();
    let bad = host.path("bad.toml");
    assert!(refused(&["--store", store, "--rules", bad.to_str().unwrap()]).contains("bad.toml: "));
}
