//! Hostile programs of another user. Whittle as root survives them, names them, and does nothing for them that they could
//! not do themselves.
//!
//! The test says for each attack what happened before hands existed.

use crate::faults::is_root;
use crate::support::{Running, Workspace, stderr};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use whittle_testkit::{any_jdk, not_run, workloads_class_path};

/// The user `nobody` of every Linux.
const NOBODY: u32 = 65_534;
/// A user without a name.
const HUNTER: u32 = 65_531;

/// The sum of all deadlines of a collection that gets no useful response. It does not hang.
const ALL_DEADLINES: Duration = Duration::from_secs(150);

/// A folder that every user can read, with the hostile program in it.
struct Lair(tempfile::TempDir);

impl Lair {
    /// None: this machine cannot run these tests.
    fn new() -> Option<Self> {
        if !is_root() {
            not_run("hostile programs need root, which collects them, and another user");
            return None;
        }
        let lair = Self(tempfile::tempdir().unwrap());
        open_to_everybody(lair.0.path());
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/measured/hostile/fake_jvm.c");
        let library: &[&str] = &["-shared", "-fPIC", "-DLIBRARY"];
        for (name, options) in [("libjvm.so", library), ("fake_jvm", &["-ldl"])] {
            let output = lair.0.path().join(name);
            let mut command = Command::new("cc");
            let compiled = command.arg("-o").arg(&output).arg(&source).args(options).status();
            assert!(compiled.is_ok_and(|status| status.success()), "cc {}", source.display());
        }
        Some(lair)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The hostile program in a mode, as another user. A program that hunts helper processes has a user of its own, because
    /// other tests run at the same time.
    fn start(&self, mode: &str) -> Running {
        let user = if ["killer", "freezer"].contains(&mode) { HUNTER } else { NOBODY };
        self.start_with(mode, |command| command.uid(user).gid(user))
    }

    fn start_with(&self, mode: &str, prepare: impl Fn(&mut Command) -> &mut Command) -> Running {
        let mut command = Command::new(self.path("fake_jvm"));
        command.arg(self.path("libjvm.so")).arg(mode).current_dir("/").stdin(Stdio::null()).stderr(Stdio::null());
        let child = prepare(&mut command).stdout(Stdio::piped()).spawn().unwrap();
        let mut running = Running(child);
        let mut ready = [0; 6];
        std::io::Read::read_exact(running.0.stdout.as_mut().unwrap(), &mut ready).unwrap();
        running
    }
}

fn open_to_everybody(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Collects a hostile program. Returns what whittle said, and whether it was successful.
fn collect(program: &Running, options: &[&str]) -> (String, bool) {
    let workspace = Workspace::new();
    let began = Instant::now();
    let pid = program.pid();
    let output = workspace.whittle(&[&["collect", "-p", &pid, "-d", "2s", "-o", "a.whittle"], options].concat());
    assert!(began.elapsed() < ALL_DEADLINES, "took {:?}", began.elapsed());
    (stderr(&output), output.status.success())
}

/// Before: a full queue blocked `connect` for ever; a byte now and then held whittle for days; endless bytes were read up
/// to 64 MB; a recording of one gigabyte needed this much memory.
#[test]
fn every_way_to_respond_ends_with_a_reason() {
    let Some(lair) = Lair::new() else { return };
    for (mode, reason) in [
        ("silent", "did not open its attach socket"),
        ("backlog", "connect to the attach socket"),
        ("mute", "talk to the JVM"),
        ("drip", "talk to the JVM"),
        ("flood", "refused the attach command"),
        ("liar", "nothing was recorded"),
        ("bomb", "nothing was recorded"),
        ("noise", "nothing was recorded"),
    ] {
        let mut program = lair.start(mode);
        let (said, is_success) = collect(&program, &["--engine", "ctimer"]);
        assert!(!is_success && said.contains(reason), "{mode}: {said}");
        assert!(program.is_alive(), "{mode}");
    }
}

/// Before: whittle took the user's ids in a thread, so this user could end or stop whittle itself.
#[test]
fn the_programs_user_can_only_harm_its_own_helper() {
    let Some(lair) = Lair::new() else { return };
    for (mode, reason) in [("killer", "helper process"), ("freezer", "helper process")] {
        let program = lair.start(mode);
        let (said, is_success) = collect(&program, &["--engine", "ctimer"]);
        assert!(!is_success && said.contains(reason), "{mode}: {said}");
    }
}

/// Before: whittle attached to each process that maps a file with the name `libjvm.so`.
#[test]
fn a_file_with_the_right_name_is_no_jvm() {
    let Some(lair) = Lair::new() else { return };
    let source = lair.path("plain.c");
    std::fs::write(&source, "int nothing;\n").unwrap();
    let library = lair.path("libjvm.so");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    assert!(compiled.unwrap().success());
    let program = lair.start("liar");
    let (said, is_success) = collect(&program, &["--engine", "ctimer"]);
    assert!(!is_success && said.contains("is not HotSpot's library"), "{said}");
}

/// Before: root created `.attach_pid…` in the target's working directory, and gave it to the target's user.
#[test]
fn nothing_is_created_in_the_working_directory() {
    let Some(lair) = Lair::new() else { return };
    // Only root can write to this folder.
    let folder = lair.path("of-root");
    std::fs::create_dir(&folder).unwrap();
    open_to_everybody(&folder);
    let before = std::fs::metadata(&folder).unwrap();
    let program = lair.start_with("silent", |command| command.current_dir(&folder).uid(NOBODY).gid(NOBODY));
    let (said, is_success) = collect(&program, &["--engine", "ctimer"]);
    assert!(!is_success, "{said}");
    let found = std::fs::metadata(&folder).unwrap();
    let state = |of: &std::fs::Metadata| (of.uid(), of.mode(), of.ctime(), of.ctime_nsec());
    assert_eq!(state(&found), state(&before), "nothing was created and removed");
}

/// Before: whittle sent SIGQUIT, waited for 10 s, and blamed the JVM.
#[test]
fn a_file_of_another_user_in_place_of_the_socket_is_named() {
    let (Some(jdk), true) = (any_jdk(), is_root()) else { return };
    let class_path = workloads_class_path();
    let mut command = Command::new(jdk.java());
    command.args(["-cp", &class_path, "whittle.workloads.truth.Spin", "--seconds", "60"]);
    let honest = Running::java({
        command.uid(NOBODY).gid(NOBODY);
        command
    });
    for name in [".attach_pid", ".java_pid"] {
        let path = PathBuf::from(format!("/tmp/{name}{}", honest.pid()));
        std::fs::write(&path, "").unwrap();
        std::os::unix::fs::chown(&path, Some(NOBODY - 1), None).unwrap();
        let (said, is_success) = collect(&honest, &[]);
        let remains = path.exists();
        // A file for the request can also be in the JVM's working directory, so only the socket is an obstacle.
        std::fs::remove_file(&path).unwrap();
        assert!(remains, "whittle removed a file of another user");
        assert!(!is_success && said.contains(path.to_str().unwrap()), "{said}");
        assert!(said.contains("belongs to another user"), "{said}");
    }
    let (said, is_success) = collect(&honest, &[]);
    assert!(is_success, "{said}");
}

/// An honest JVM of the same user, next to hostile programs, is collected completely.
#[test]
fn an_honest_jvm_next_to_hostile_programs_is_collected() {
    let (Some(jdk), Some(lair)) = (any_jdk(), Lair::new()) else { return };
    let _programs: Vec<Running> = ["killer", "backlog", "drip"].map(|mode| lair.start(mode)).into();
    let class_path = workloads_class_path();
    let mut command = Command::new(jdk.java());
    command.args(["-cp", &class_path, "whittle.workloads.truth.Spin", "--seconds", "60"]);
    let honest = Running::java(command);
    let workspace = Workspace::new();
    workspace.text(&["collect", "-p", &honest.pid(), "-d", "2s", "-o", "a.whittle"]);
    let overview = workspace.json(&["overview", "a.whittle"]);
    assert!(overview["closure_ratio"].as_f64().unwrap() > 0.9, "{}", overview["closure_ratio"]);
}
