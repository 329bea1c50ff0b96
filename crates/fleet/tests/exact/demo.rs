//! Runs `whittle-fleet demo` as a user would run it. The answers match the recording.
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;
use tempfile::TempDir;
use whittle_experiment::Segment;
use whittle_fleet::demo::{CAUSES, LAMBDA, recorded};
use whittle_model::{StackIndex, Tables, normalized_name};

fn fleet(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_whittle-fleet")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// A store with the data of the demo.
struct Demo {
    store: TempDir,
    printed: String,
}

impl Demo {
    fn run() -> Self {
        let store = TempDir::new().unwrap();
        let began = Instant::now();
        let output = fleet(&["demo", "--no-open", "--store", store.path().to_str().unwrap()]);
        eprintln!("{}demo: {:.1} s", String::from_utf8_lossy(&output.stderr), began.elapsed().as_secs_f64());
        Self { store, printed: String::from_utf8(output.stdout).unwrap() }
    }

    fn json(&self, question: &[&str]) -> Value {
        let whose = ["--store", self.store.path().to_str().unwrap(), "--since", "1h", "--json"];
        serde_json::from_slice(&fleet(&[question, &whose].concat()).stdout).unwrap()
    }

    fn services(&self) -> Value {
        let services = self.json(&["services"]);
        assert_eq!(services["rows"].as_array().unwrap().len(), 1);
        services["rows"][0].clone()
    }

    /// Inclusive CPU time by function, in nanoseconds.
    fn functions(&self, version: &str) -> BTreeMap<String, u64> {
        let question = ["functions", "--service", "orders", "--version", version, "--limit", "0"];
        let view = self.json(&[&question[..], &["--metrics", "i.cpu"]].concat());
        let rows = view["rows"].as_array().unwrap().iter();
        let row = |row: &Value| {
            (row["function"].as_str().unwrap().to_owned(), row["inclusive_cpu_ns"].as_f64().unwrap() as u64)
        };
        rows.map(row).collect()
    }
}

/// Whether a stack has a function with this name. Numbers that the JVM adds to names are ignored.
fn has(tables: &Tables, mut stack: StackIndex, name: &str) -> bool {
    while stack != StackIndex::ROOT {
        let function = tables.frames.function[tables.stacks.frame[stack.row()].row()].row();
        if normalized_name(&tables.functions.display_name[function]) == name {
            return true;
        }
        stack = tables.stacks.parent[stack.row()];
    }
    false
}

/// CPU time of all samples with this function, over all segments with this version.
fn cpu_ns(segments: &[Segment], version: &str, name: &str) -> u64 {
    let of_version = segments.iter().filter(|segment| segment.manifest.label("version") == version);
    let of_segment = |segment: &Segment| {
        let (tables, samples) = (&segment.tables, &segment.tables.samples);
        let rows = (0..samples.time_ns.len()).filter(|row| has(tables, samples.stack[*row], name));
        rows.map(|row| samples.duration_ns[row]).sum::<u64>()
    };
    of_version.map(of_segment).sum()
}

#[test]
fn the_demo_shows_what_was_recorded() {
    let segments = recorded().unwrap();
    let demo = Demo::run();
    assert!(!demo.printed.contains("WRONG"), "{}", demo.printed);
    assert_thirty_hosts_with_names_of_their_own(&segments);

    let service = demo.services();
    assert_eq!(service["hosts"].as_array().unwrap().len(), 30);
    assert_eq!(service["versions"], serde_json::json!(["1.0", "1.1"]));
    assert_eq!(service["segment_count"], segments.len());
    let exact: u64 = segments.iter().flat_map(|one| one.tables.threads.cpu_ns.iter().flatten()).sum();
    assert_eq!(service["exact_cpu_ns"], exact);
    let sampled: u64 = segments.iter().flat_map(|one| &one.tables.samples.duration_ns).sum();
    assert_eq!(service["sampled_cpu_ns"], sampled);

    let [slow, fixed] = ["1.0", "1.1"].map(|version| demo.functions(version));
    for (version, functions) in [("1.0", &slow), ("1.1", &fixed)] {
        let numbered: Vec<&String> = functions.keys().filter(|name| name.contains("0x")).collect();
        assert!(numbered.is_empty(), "{version}: {numbered:?}");
        assert_eq!(functions[LAMBDA], cpu_ns(&segments, version, LAMBDA), "{version}");
    }
    for cause in CAUSES {
        let [before, after] = [&slow, &fixed].map(|functions| functions.keys().find(|name| name.starts_with(cause)));
        assert!(before.is_some() && after.is_none(), "{cause}: {before:?}, {after:?}");
        assert!(demo.printed.contains(cause), "{cause}");
    }
    assert_nothing_counts_twice(&demo, &service);
}

/// One function of the fleet has different names and numbers on each host.
fn assert_thirty_hosts_with_names_of_their_own(segments: &[Segment]) {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut numbers = BTreeSet::new();
    for Segment { manifest, tables } in segments {
        for (row, name) in tables.functions.display_name.iter().enumerate() {
            if normalized_name(name) == LAMBDA {
                names.entry(name).or_default().insert(manifest.label("host"));
                numbers.insert(row);
            }
        }
    }
    let hosts: BTreeSet<&str> = names.values().flatten().copied().collect();
    assert_eq!(hosts.len(), 30);
    let shared = names.values().filter(|hosts| hosts.len() > 1).count();
    eprintln!("{} names on 30 hosts, {shared} of them on several; {} row numbers", names.len(), numbers.len());
    assert!(names.len() >= 30 && shared * 10 < names.len(), "{names:?}");
    assert!(numbers.len() >= 10, "{numbers:?}");
}

/// If a host sends all segments again, nothing changes.
fn assert_nothing_counts_twice(demo: &Demo, service: &Value) {
    let store = demo.store.path().to_str().unwrap();
    assert_eq!(files_below(&demo.store.path().join("segments")), 0);
    assert!(!demo.store.path().join("refused").exists());
    let now_ns = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as i64;
    let moved_ns = now_ns - recorded().unwrap()[0].manifest.start_wall_ns.unwrap() as i64 - 3_600_000_000_000;
    fleet(&["demo-host", "orders-07", "--store", store, "--moved-ns", &moved_ns.to_string()]);
    assert!(files_below(&demo.store.path().join("segments")) >= 8);
    let said = fleet(&["intake", "--once", "--store", store]).stderr;
    let said = String::from_utf8(said).unwrap();
    assert!(said.contains("segments that were already in the tables") && !said.contains("loaded"), "{said}");
    let again = demo.services();
    for field in ["segment_count", "exact_cpu_ns", "sampled_cpu_ns", "sample_count", "units_of_work"] {
        assert_eq!(again[field], service[field], "{field}");
    }
}

fn files_below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.map(|path| if path.is_dir() { files_below(&path) } else { 1 }).sum()
}

#[test]
fn a_store_with_something_in_it_is_left_alone() {
    let store = TempDir::new().unwrap();
    std::fs::write(store.path().join("mine"), "").unwrap();
    let arguments = ["demo", "--no-open", "--store", store.path().to_str().unwrap()];
    let output = Command::new(env!("CARGO_BIN_EXE_whittle-fleet")).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("choose a new directory"));
    assert_eq!(std::fs::read_dir(store.path()).unwrap().count(), 1);
}
