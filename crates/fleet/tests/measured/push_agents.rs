//! Tests profiles that real clients push. The clients are Pyroscope's Java agent, with both of its formats, and a
//! client that uses the official gRPC library.

use crate::support::loopback::{Loopback, landed, start};
use crate::support::pushed::{EXPORT, OTLP_4_4, OTLP_4_6, cpu_ns, of_resource};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use whittle_experiment::Segment;
use whittle_model::{EventKind, StackIndex, Table};
use whittle_push::{Access, AllowedServices, PushOptions, PushToken};
use whittle_testkit::{Jdk, jdks, not_run, workloads_class_path};

/// The secret of the agents.
const SECRET: &str = "of-the-agents";
/// How long `Spin` runs, in seconds.
const RUN_SECONDS: u32 = 10;
/// Interval of the agent's pushes. The agent sends only at multiples of this time. It does not send when the program
/// ends.
const SEND_SECONDS: u32 = 3;

/// Runs `Spin`, and keeps the program alive until the agent has sent everything.
const LINGER: &str = "
public class Linger {
    public static void main(String[] arguments) throws Exception {
        whittle.workloads.truth.Spin.main(arguments);
        System.out.flush();
        Thread.sleep(2 * 1000 * Integer.getInteger(\"linger.seconds\"));
    }
}
";

/// A file or folder that `scripts/setup.sh test` downloads.
fn fetched(path: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache").join(path);
    if !path.exists() {
        not_run(&format!("needs .cache/{}, which scripts/setup.sh test fetches", path.file_name()?.to_str()?));
        return None;
    }
    Some(path)
}

fn with_token() -> PushOptions {
    let token = PushToken { secret: SECRET.to_owned(), labels: BTreeMap::new(), services: AllowedServices::All };
    PushOptions { access: Access::Tokens(vec![token]), ..PushOptions::default() }
}

/// How an agent samples and sends.
struct Run<'j> {
    jdk: &'j Jdk,
    format: &'static str,
    event: &'static str,
    service: String,
    /// Minimum part of the program's CPU time that the segments must contain.
    least: f64,
}

impl<'j> Run<'j> {
    /// The agent's default, `itimer`, fires only at ticks of the kernel's clock. On a machine with more work than CPUs,
    /// a program that runs for less than a tick at a time is sampled too rarely. `cpu` is exact.
    fn new(jdk: &'j Jdk, format: &'static str, event: &'static str) -> Self {
        let service = format!("spin-{format}-{event}-{}", jdk.version);
        Self { jdk, format, event, service, least: if event == "cpu" { 0.85 } else { 0.3 } }
    }
}

/// Runs `Spin` with the agent and waits until `Spin` ends. Returns the CPU time that the thread of `Spin` reports.
fn run_agent(loopback: &Loopback, agent: &Path, run: &Run<'_>) -> f64 {
    let Run { jdk, format, service, .. } = run;
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("Linger.java");
    std::fs::write(&source, LINGER).unwrap();
    // This agent's OTLP does not name the service, so the query names it.
    let query = if *format == "otlp" { format!("?service={service}") } else { String::new() };
    let output = Command::new(jdk.java())
        .arg(format!("-javaagent:{}", agent.display()))
        .arg(format!("-Dlinger.seconds={SEND_SECONDS}"))
        .args(["-cp", &workloads_class_path()])
        .arg(&source)
        .args(["--seconds", &RUN_SECONDS.to_string(), "--heavy-ratio", "0.75"])
        .env("PYROSCOPE_APPLICATION_NAME", service)
        .env("PYROSCOPE_LABELS", "hostname=web-1,version=2")
        .env("PYROSCOPE_SERVER_ADDRESS", format!("http://{}/{query}", loopback.address))
        .env("PYROSCOPE_UPLOAD_INTERVAL", format!("{SEND_SECONDS}s"))
        .env("PYROSCOPE_FORMAT", format)
        .env("PYROSCOPE_PROFILER_EVENT", run.event)
        .env("PYROSCOPE_AUTH_TOKEN", SECRET)
        .env("PYROSCOPE_LOG_LEVEL", "warn")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with("total cpu_ms"));
    let line = line.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)));
    line.split(' ').nth(2).unwrap().parse::<f64>().unwrap() * 1e6
}

/// CPU time of samples with a function that has this ending of the name.
fn cpu_ns_below(segment: &Segment, function: &str) -> u64 {
    let tables = &segment.tables;
    let has = |mut stack: StackIndex| {
        while stack != StackIndex::ROOT {
            let row = tables.frames.function[tables.stacks.frame[stack.row()].row()].row();
            let name = tables.functions.display_name[row].split('(').next().unwrap();
            if name.ends_with(function) {
                return true;
            }
            stack = tables.stacks.parent[stack.row()];
        }
        false
    };
    let samples = &tables.samples;
    let rows = (0..samples.len()).filter(|row| samples.event[*row] == EventKind::Cpu && has(samples.stack[*row]));
    rows.map(|row| samples.duration_ns[row]).sum()
}

/// CPU time by the function at the top of the stack.
fn leaf_sums(segments: &[&Segment]) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for Segment { tables, .. } in segments {
        let samples = &tables.samples;
        for row in (0..samples.len()).filter(|row| samples.event[*row] == EventKind::Cpu) {
            let frame = tables.stacks.frame[samples.stack[row].row()];
            let function = tables.frames.function[frame.row()];
            *sums.entry(tables.functions.display_name[function.row()].clone()).or_default() += samples.duration_ns[row];
        }
    }
    sums
}

/// Compares the segments of a service with the values of the program.
fn check(segments: &[(String, Segment)], run: &Run<'_>, expected_ns: f64) {
    let service = run.service.as_str();
    let own: Vec<&Segment> = segments
        .iter()
        .map(|(_, segment)| segment)
        .filter(|segment| segment.manifest.label("service") == service)
        .collect();
    assert!(own.len() >= 3, "{service}: {} segments of {RUN_SECONDS} s", own.len());
    let sum = |of: &dyn Fn(&Segment) -> u64| own.iter().map(|segment| of(segment)).sum::<u64>() as f64;
    let spin_ns = sum(&|segment| cpu_ns_below(segment, "Spin$SpinThread.spin"));
    let heavy_ns = sum(&|segment| cpu_ns_below(segment, "Spin$SpinThread.heavy") + cpu_ns_below(segment, "Spin.heavy"));
    let (ratio, heavy) = (spin_ns / expected_ns, heavy_ns / spin_ns);
    println!(
        "{service}: {} segments; {:.2} s CPU, {ratio:.3} of the truth; heavy {heavy:.3}",
        own.len(),
        spin_ns / 1e9
    );
    assert!((run.least..1.15).contains(&ratio), "{service}: {spin_ns} of {expected_ns}");
    assert!((0.6..0.9).contains(&heavy), "{service}: heavy is {heavy}");
    let top = leaf_sums(&own).into_iter().max_by_key(|(_, sum)| *sum).unwrap();
    assert!(top.0.contains("Spin") && top.0.contains("heavy"), "{service}: {top:?} is not the method that dominates");
}

#[test]
fn the_java_agent_of_pyroscope_pushes_what_the_program_used() {
    let Some(agent) = fetched("pyroscope-agent-2.9.2.jar") else { return };
    let (folder, loopback) = start(with_token());
    let jdks = jdks();
    let mut runs: Vec<Run<'_>> =
        jdks.iter().flat_map(|jdk| [Run::new(jdk, "jfr", "cpu"), Run::new(jdk, "otlp", "cpu")]).collect();
    runs.extend(jdks.last().map(|jdk| Run::new(jdk, "jfr", "itimer")));
    // All programs run at the same time. Each service is compared with the CPU time that its program received.
    let truths: Vec<f64> = std::thread::scope(|scope| {
        let (loopback, agent) = (&loopback, &agent);
        let started: Vec<_> = runs.iter().map(|run| scope.spawn(move || run_agent(loopback, agent, run))).collect();
        started.into_iter().map(|run| run.join().unwrap()).collect()
    });
    let segments = landed(folder.path());
    for (run, truth) in runs.iter().zip(&truths) {
        check(&segments, run, *truth);
        let own = segments.iter().find(|(_, segment)| segment.manifest.label("service") == run.service).unwrap();
        let host = if run.format == "jfr" { "web-1" } else { "127.0.0.1" };
        assert_eq!(own.1.manifest.label("host"), host);
    }
    assert_eq!(loopback.receiver.counts().refused, 0);
}

/// A client without generated code. Its messages are bytes.
const GRPC_CLIENT: &str = "
import grpc, sys
address, path, token, profile, compression = sys.argv[1:]
channel = grpc.insecure_channel(address, compression=getattr(grpc.Compression, compression))
export = channel.unary_unary(path, request_serializer=None, response_deserializer=None)
try:
    answer = export(open(profile, 'rb').read(), metadata=[('authorization', 'Bearer ' + token)], timeout=20)
    print('OK', len(answer))
except grpc.RpcError as error:
    print(error.code().name, error.details())
";

#[test]
fn a_client_of_the_makers_of_grpc() {
    let Some(python) = fetched("venv/bin/python") else { return };
    let has_grpc = Command::new(&python).args(["-c", "import grpc"]).stderr(Stdio::null()).status().unwrap().success();
    if !has_grpc {
        not_run("needs grpcio in .cache/venv, which scripts/setup.sh test installs");
        return;
    }
    let (folder, loopback) = start(with_token());
    let files = tempfile::tempdir().unwrap();
    let call = |profile: &[u8], token: &str, compression: &str| {
        let file = files.path().join("profile");
        std::fs::write(&file, profile).unwrap();
        let arguments = [&loopback.address.to_string(), EXPORT, token, file.to_str().unwrap(), compression];
        let output = Command::new(&python).args(["-c", GRPC_CLIENT]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let of = |profiles, host| of_resource(profiles, &[("service.name", "shop"), ("host.name", host)]);
    assert_eq!(call(&of(OTLP_4_4, "a"), SECRET, "NoCompression"), "OK 0");
    assert_eq!(call(&of(OTLP_4_6, "b"), SECRET, "Gzip"), "OK 0");
    assert!(call(&of(OTLP_4_6, "c"), "wrong", "Gzip").starts_with("UNAUTHENTICATED an access token is required"));
    assert!(call(b"nothing", SECRET, "Gzip").starts_with("INVALID_ARGUMENT expected OpenTelemetry profiles"));
    let landed = landed(folder.path());
    let sums: Vec<u64> = landed.iter().map(|(_, segment)| cpu_ns(segment)).collect();
    assert_eq!(sums, [471_349_516, 851_637_332]);
}
