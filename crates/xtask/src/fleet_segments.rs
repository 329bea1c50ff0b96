//! The recorded segments of `whittle-fleet demo`: thirty JVMs of the message consumer, each with its own agent, as on
//! thirty hosts. During the recording, two waves of hosts change from `Slow`, version 1.0, to `Fixed`, version 1.1.
//!
//! ```text
//! minute   -2     0                    4      5                 10
//! 10 hosts  warm  1.0 ──────────────────────────────────────────┤
//! 10 hosts  up    1.0 ────────────────┤ 1.1 ────────────────────┤
//! 10 hosts        1.0 ───────────────────────┤ 1.1 ─────────────┤
//! ```
//!
//! Uses the programs in a folder (`target/release` by default). The command `java` must be a JDK 25, because hidden
//! classes of this JDK have other names in every run. Needs everything that `whittle agent` needs, and a core without
//! other programs.

use crate::Result;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const HOST_COUNT: u32 = 30;

/// The folder in which the programs run. Segments contain the paths of counted files, so the folder is always the same.
const FOLDER: &str = "/tmp/whittle-fleet-demo";

/// The archive, from the workspace's folder.
const ARCHIVE: &str = "crates/fleet/src/demo/segments.zst";

const JAR: &str = "java/workloads/target/whittle-workloads.jar";

/// Time between the starts of two JVMs. If all JVMs started at the same time, two cores would compile for an hour.
const STAGGER: Duration = Duration::from_millis(2500);

/// Seconds from the first JVM's start until agents start, until the waves change version, and until the end.
const AGENTS_S: u64 = 110;
const WAVES_S: [u64; 2] = [AGENTS_S + 240, AGENTS_S + 300];
const END_S: u64 = AGENTS_S + 600;

/// Samples per second on each CPU. The demo needs more than an agent's default of 20, because it shows minutes and not
/// a day.
const RATE_HZ: &str = "100";

/// The load of a host in orders per second. Hosts have different loads.
const LEAST_RATE: f64 = 4.0;
const RATE_STEP: f64 = 0.1;

/// Records the segments and packs them. `programs` is the folder of `whittle` and `whittle-fleet`.
pub(crate) fn record(root: &Path, programs: Option<String>) -> Result {
    let programs = programs.map_or_else(|| root.join("target/release"), PathBuf::from);
    let programs = fs::canonicalize(&programs).map_err(|error| format!("{}: {error}", programs.display()))?;
    let jar = root.join(JAR);
    prepare(&jar).map_err(|error| format!("{FOLDER}, {}: {error}; run: make test", jar.display()))?;
    let hosts: Vec<Host> = (1..=HOST_COUNT).map(Host::new).collect();
    run(&hosts, &programs.join("whittle")).map_err(|error| format!("recording: {error}"))?;
    let packed = Command::new(programs.join("whittle-fleet"))
        .args(["demo-pack", &format!("{FOLDER}/store")])
        .arg(root.join(ARCHIVE))
        .status();
    match packed {
        Ok(status) if status.success() => Ok(()),
        other => Err(format!("whittle-fleet demo-pack: {other:?}")),
    }
}

fn prepare(jar: &Path) -> std::io::Result<()> {
    if Path::new(FOLDER).exists() {
        fs::remove_dir_all(FOLDER)?;
    }
    fs::create_dir_all(FOLDER)?;
    fs::copy(jar, format!("{FOLDER}/orders.jar")).map(drop)
}

/// One host of the fleet.
struct Host {
    name: String,
    /// Seconds from the start until the fixed version replaces the host's first JVM. `None`: the first JVM is not
    /// replaced.
    upgrade_s: Option<u64>,
    orders_per_second: f64,
}

impl Host {
    fn new(number: u32) -> Self {
        let upgrade_s = WAVES_S.get((number % 3) as usize).copied();
        // Seven and the number of hosts have no common divisor, so each rate occurs once, in an order without a trend.
        let orders_per_second = LEAST_RATE + RATE_STEP * f64::from(number * 7 % HOST_COUNT);
        Self { name: format!("orders-{number:02}"), upgrade_s, orders_per_second }
    }

    /// A text that only this host's JVMs have in their command lines.
    fn mark(&self) -> String {
        format!("-Dhost={}", self.name)
    }

    fn region(&self) -> &'static str {
        if self.name.ends_with(['0', '2', '4', '6', '8']) { "north" } else { "south" }
    }

    fn write_rules(&self) -> std::io::Result<()> {
        let (mark, name, region) = (self.mark(), &self.name, self.region());
        let rules = format!(
            "only = ['{mark} ']\n[[rule]]\nmatch = '{mark} '\nlabels = {{ host = \"{name}\", region = \"{region}\" }}\n\
             units = [{{ name = \"orders\", file = \"{FOLDER}/{name}.txt\", pattern = '(?s).*consumed=(\\d+)' }}]\n"
        );
        fs::write(format!("{FOLDER}/{name}.toml"), rules)
    }

    /// The consumer, with the class of a version.
    fn consumer(&self, version: &str, class: &str, seconds: u64) -> std::io::Result<Guarded> {
        let mut output = File::create(format!("{FOLDER}/{}.txt", self.name))?;
        // An agent counts from the first total that it reads.
        writeln!(output, "consumed=0")?;
        let flags = ["-Xmx32m", "-XX:+UseSerialGC", "-XX:+UnlockDiagnosticVMOptions", "-XX:+DebugNonSafepoints"];
        Command::new("java")
            .arg(self.mark())
            .args(flags)
            .args(["-cp", "orders.jar", &format!("whittle.workloads.orders.{class}")])
            .args(["--seconds", &seconds.to_string(), "--rate", &format!("{:.2}", self.orders_per_second)])
            .args(["--sample-ms", "900", "--threads", "2", "--idle-threads", "20"])
            .envs([("WHITTLE_SERVICE", "orders"), ("WHITTLE_VERSION", version)])
            .current_dir(FOLDER)
            .stdin(Stdio::null())
            .stdout(output)
            .spawn()
            .map(Guarded)
    }

    fn agent(&self, whittle: &Path) -> std::io::Result<Guarded> {
        let in_folder = |kind: &str| format!("{FOLDER}/{}.{kind}", self.name);
        Command::new(whittle)
            .args(["agent", "--segment", "60s", "--rate", RATE_HZ, "--store", &format!("{FOLDER}/store")])
            .args(["--spool", &in_folder("spool"), "--rules", &in_folder("toml")])
            .stdin(Stdio::null())
            .stderr(File::create(in_folder("agent"))?)
            .spawn()
            .map(Guarded)
    }
}

/// A program that ends with the recording, even if the recording fails.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // A program that has ended cannot be killed.
        let _is_killed = self.0.kill();
        let _is_reaped = self.0.wait();
    }
}

/// Runs the fleet from start to end.
fn run(hosts: &[Host], whittle: &Path) -> std::io::Result<()> {
    let start = Instant::now();
    let until = |moment_s: u64| {
        let moment = Duration::from_secs(moment_s);
        std::thread::sleep(moment.saturating_sub(start.elapsed()));
    };
    let mut consumers = Vec::new();
    for host in hosts {
        host.write_rules()?;
        let lasts_s = host.upgrade_s.unwrap_or(END_S + 60) - start.elapsed().as_secs();
        consumers.push(host.consumer("1.0", "Slow", lasts_s)?);
        std::thread::sleep(STAGGER);
    }
    println!("{} JVMs run", consumers.len());
    until(AGENTS_S);
    let mut agents = hosts.iter().map(|host| host.agent(whittle)).collect::<std::io::Result<Vec<_>>>()?;
    for wave_s in WAVES_S {
        until(wave_s);
        for (host, consumer) in hosts.iter().zip(&mut consumers).filter(|(host, _)| host.upgrade_s == Some(wave_s)) {
            consumer.0.wait()?;
            *consumer = host.consumer("1.1", "Fixed", END_S + 60 - wave_s)?;
        }
        println!("a wave runs version 1.1");
    }
    until(END_S);
    let end = |programs: &mut [Guarded]| {
        let ids: Vec<String> = programs.iter().map(|program| program.0.id().to_string()).collect();
        let signalled = Command::new("kill").arg("-TERM").args(&ids).status().map(drop);
        signalled.and_then(|()| programs.iter_mut().try_for_each(|program| program.0.wait().map(drop)))
    };
    end(&mut agents)?;
    end(&mut consumers)?;
    println!("the agents' segments are in {FOLDER}/store");
    Ok(())
}
