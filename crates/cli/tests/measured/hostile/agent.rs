//! `whittle agent` on a host with hostile programs.
//!
//! Each test marks its own programs with a word, and its agent collects only the marked programs.

use super::{Lair, NOBODY, Rights, as_user, wait_for_end};
use crate::agent::files_below;
use crate::faults::is_root;
use crate::support::{Running, signal};
use bytes::Bytes;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use whittle_experiment::{Segment, read_segment};
use whittle_testkit::{any_jdk, not_run};

/// The agent's limit for the processes of one user, and the threads that it has for itself and one honest program.
const MAX_THREADS: u64 = 100 + 20;
/// More programs than this limit, as an old version has a thread for each.
const MANY: usize = 150;

/// An agent that is killed at the end of the test.
struct Agent<'l> {
    child: Child,
    lair: &'l Lair,
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The word that marks the programs of a test with these rights.
fn mark_of(test: &str, rights: Rights) -> String {
    format!("-Dhostile.test={test}-{rights:?}-{}", std::process::id())
}

impl<'l> Agent<'l> {
    /// Starts an agent that collects the programs with the word `mark`. `rules` is the rest of its rules.
    fn start(lair: &'l Lair, mark: &str, rules: &str) -> Self {
        std::fs::write(lair.path("rules.toml"), format!("only = ['{mark}']\n{rules}")).unwrap();
        let rules = lair.path("rules.toml").display().to_string();
        let options = ["agent", "--store", "store", "--spool", "spool", "--segment", "5s", "--rules", &rules];
        let child = lair.whittle(&[], &options).spawn().unwrap();
        let agent = Self { child, lair };
        agent.wait_for("the agent", |agent| agent.lair.said().contains("samples per second"));
        agent
    }

    fn wait_for(&self, what: &str, is_done: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + Duration::from_secs(120);
        while !is_done(self) {
            assert!(Instant::now() < deadline, "{:?}: waited for {what}: {}", self.lair.rights, self.lair.said());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// The landed segments of a service.
    fn landed(&self, service: &str) -> Vec<Segment> {
        let segments = files_below(&self.lair.path("work/store")).into_iter().filter_map(|path| {
            // The agent can be about to rename a file.
            read_segment(&Bytes::from(std::fs::read(path).ok()?)).ok()
        });
        segments.filter(|segment| segment.manifest.label("service") == service).collect()
    }

    fn wait_for_segments(&self, service: &str) {
        self.wait_for(&format!("two segments of {service}"), |agent| agent.landed(service).len() >= 2);
    }

    /// Ends the agent with SIGTERM.
    fn end(mut self) {
        signal(&self.child.id().to_string(), "TERM");
        let ended = wait_for_end(&mut self.child, Duration::from_secs(60));
        assert!(ended.is_some_and(|(is_success, _)| is_success), "SIGTERM had no effect: {}", self.lair.said());
        assert!(!self.lair.said().contains("panicked"), "{}", self.lair.said());
    }
}

/// An honest JVM with a name for its service.
fn honest(lair: &Lair, java: &Path, mark: &str, service: &str) -> Running {
    let user = lair.rights.honest_user();
    lair.java(java, &[mark], |command| as_user(command.env("WHITTLE_SERVICE", service), user))
}

/// Before: SIGTERM had no effect, because the agent waited for a program with a full queue. Everybody could read the
/// segments.
#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn others_are_collected_and_the_agent_can_be_ended() {
    let Some(jdk) = any_jdk() else { return };
    Rights::for_all(|rights| {
        let lair = Lair::new(rights);
        let mark = mark_of("others", rights);
        let silent = ["silent", "backlog", "mute", "drip", "flood"];
        let wrong = ["liar", "bomb", "noise"];
        let hunters: &[&str] = if is_root() { &["killer", "freezer"] } else { &[] };
        let start = |mode: &&str| {
            let user = if hunters.contains(mode) { super::HUNTER } else { NOBODY };
            lair.start_with(&[mode, &mark], |command| as_user(command, user))
        };
        let named: Vec<Running> = silent.iter().map(start).collect();
        let _others: Vec<Running> = wrong.iter().chain(hunters).map(start).collect();
        let _honest = honest(&lair, &jdk.java(), &mark, "honest");
        let agent = Agent::start(&lair, &mark, "");
        agent.wait_for_segments("honest");
        for (mode, program) in silent.iter().zip(&named) {
            let pid = format!("process {} ", program.pid());
            agent.wait_for(&format!("a message about {mode}"), |agent| agent.lair.said().contains(&pid));
        }
        for path in files_below(&lair.path("work/store")).iter().chain(&files_below(&lair.path("work/spool"))) {
            let Ok(found) = std::fs::metadata(path) else { continue };
            assert_eq!(found.mode() & 0o077, 0, "{rights:?}: others can use {}", path.display());
        }
        agent.end();
    });
}

/// Before: opening a pipe blocked for ever, and SIGTERM had no effect. Root followed an absolute link out of the program's
/// file system, and stored a number from a file of root.
#[test]
fn a_file_with_units_of_work_is_read_with_the_programs_rights() {
    let Some(jdk) = any_jdk() else { return };
    Rights::for_all(|rights| {
        let lair = Lair::new(rights);
        let secret = lair.path("secret");
        std::fs::write(&secret, "total 4711").unwrap();
        if is_root() {
            std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        symlink(&secret, lair.path("link")).unwrap();
        std::fs::write(lair.path("plain"), "total 4711").unwrap();
        let fifo = Command::new("mkfifo").args(["-m", "666"]).arg(lair.path("pipe")).status().unwrap();
        assert!(fifo.success());
        let mark = mark_of("units", rights);
        let unit = |name: &str| {
            let file = lair.path(name);
            format!("{{ name = '{name}', file = '{}', pattern = 'total (\\d+)' }}", file.display())
        };
        let rule = |files: &[&str]| {
            let units: Vec<String> = files.iter().map(|name| unit(name)).collect();
            format!("[[rule]]\nmatch = 'units.of={}'\nunits = [{}]\n", files[0], units.join(", "))
        };
        let rules = format!("{}{}", rule(&["pipe"]), rule(&["plain", "link"]));
        let start = |file: &str| {
            let word = format!("-Dunits.of={file}");
            let user = rights.honest_user();
            lair.java(&jdk.java(), &[&mark, &word], |command| as_user(command.env("WHITTLE_SERVICE", file), user))
        };
        let _programs = [start("plain"), start("pipe")];
        let agent = Agent::start(&lair, &mark, &rules);
        agent.wait_for_segments("plain");
        agent.wait_for_segments("pipe");
        let units = |service: &str| -> Vec<String> {
            let segments = agent.landed(service).into_iter();
            segments.flat_map(|one| one.manifest.units_of_work).map(|unit| unit.name).collect()
        };
        assert!(units("plain").contains(&"plain".to_owned()), "{rights:?}: {:?}", units("plain"));
        // Without root, the file is not secret from the program.
        assert!(!is_root() || !units("plain").contains(&"link".to_owned()), "{rights:?}: {:?}", units("plain"));
        assert_eq!(units("pipe"), [""; 0], "{rights:?}");
        agent.end();
    });
}

/// Before: after ten looks, the agent did not look at a process again.
#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn a_jvm_that_a_script_executes_late_is_collected() {
    let Some(jdk) = any_jdk() else { return };
    Rights::for_all(|rights| {
        let lair = Lair::new(rights);
        let mark = mark_of("late", rights);
        let java = lair.java_command(&jdk.java(), &[&mark], |command| command);
        let mut script = Command::new("sh");
        script.args(["-c", "read line; exec \"$@\"", "sh"]).arg(java.get_program()).args(java.get_args());
        script.current_dir("/").env("WHITTLE_SERVICE", "late");
        as_user(&mut script, rights.honest_user()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut late = Running(script.spawn().unwrap());
        let agent = Agent::start(&lair, &mark, "");
        // One look per second.
        std::thread::sleep(Duration::from_secs(15));
        std::io::Write::write_all(late.0.stdin.as_mut().unwrap(), b"\n").unwrap();
        agent.wait_for_segments("late");
        agent.end();
    });
}

/// Before: the agent knew a process by its id. A JVM with the id of a process that had just ended was never collected.
#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn a_jvm_with_the_id_of_an_ended_process_is_collected() {
    let Some(jdk) = any_jdk() else { return };
    // Only root can choose a process id.
    let Some(rights) = Rights::root() else { return };
    let lair = Lair::new(rights);
    let mark = mark_of("again", rights);
    let first = honest(&lair, &jdk.java(), &mark, "first");
    let agent = Agent::start(&lair, &mark, "");
    agent.wait_for_segments("first");
    let id = first.0.id();
    drop(first);
    let user = rights.honest_user();
    let java = |command: &mut Command| {
        as_user(command, user).env("WHITTLE_SERVICE", "second").stdin(Stdio::null()).stdout(Stdio::null());
    };
    let mut command = lair.java_command(&jdk.java(), &[&mark], |command| {
        java(command);
        command
    });
    let Some(_second) = start_with_id(&mut command, id) else {
        return not_run("needs the right to choose process ids, and no program that is faster");
    };
    agent.wait_for_segments("second");
    agent.end();
}

/// Starts a program with this process id.
fn start_with_id(command: &mut Command, id: u32) -> Option<Running> {
    for _ in 0..100 {
        std::fs::write("/proc/sys/kernel/ns_last_pid", (id - 1).to_string()).ok()?;
        let running = Running(command.stderr(Stdio::null()).spawn().unwrap());
        if running.0.id() == id {
            return Some(running);
        }
    }
    None
}

/// Before: the agent had a thread for each program that looks like a JVM, without limit.
#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn many_programs_of_a_user_do_not_need_many_threads() {
    let Some(jdk) = any_jdk() else { return };
    Rights::for_all(|rights| {
        let lair = Lair::new(rights);
        let mark = mark_of("many", rights);
        let _honest = honest(&lair, &jdk.java(), &mark, "honest");
        let agent = Agent::start(&lair, &mark, "");
        agent.wait_for("the honest JVM", |agent| !agent.landed("honest").is_empty());
        let _programs: Vec<Running> =
            (0..MANY).map(|_| lair.start_with(&["silent", &mark], |command| as_user(command, NOBODY))).collect();
        let before = agent.landed("honest").len();
        let mut most = 0;
        let refused = |agent: &Agent<'_>| agent.lair.said().contains("has more than 100 processes");
        for _ in 0..30 {
            let status = std::fs::read_to_string(format!("/proc/{}/status", agent.child.id())).unwrap();
            let threads = status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap();
            most = most.max(threads.trim().parse::<u64>().unwrap());
            std::thread::sleep(Duration::from_secs(1));
        }
        assert!(most < MAX_THREADS, "{rights:?}: {most} threads");
        assert!(refused(&agent), "{rights:?}: {}", agent.lair.said());
        agent.wait_for("more of the honest JVM", |agent| agent.landed("honest").len() >= before + 2);
        agent.end();
    });
}

/// Before: the agent read up to 256 MiB of each unfinished recording, whatever the limit of a segment was. Eight programs
/// made it use 2.1 GB.
#[test]
fn unfinished_recordings_of_many_programs_need_little_memory() {
    let Some(jdk) = any_jdk() else { return };
    Rights::for_all(|rights| {
        let lair = Lair::new(rights);
        let mark = mark_of("rest", rights);
        let _programs: Vec<Running> =
            (0..8).map(|_| lair.start_with(&["rest", &mark], |command| as_user(command, NOBODY))).collect();
        let _honest = honest(&lair, &jdk.java(), &mark, "honest");
        let agent = Agent::start(&lair, &mark, "");
        agent.wait_for_segments("honest");
        let status = std::fs::read_to_string(format!("/proc/{}/status", agent.child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let peak_kib: u64 = peak.trim_end_matches("kB").trim().parse().unwrap();
        // The limit for one user, and what the agent needs otherwise.
        assert!(peak_kib >> 10 < 256 + 256, "{rights:?}: {peak}");
        agent.end();
    });
}
