//! Hostile programs. Whittle survives them, names them, collects the other programs, and does nothing for them that they
//! could not do themselves.
//!
//! Each test says what an attack did before hands existed. `WHITTLE_TEST_PROGRAM` runs the tests with such an old version.
//! If root runs the tests, whittle runs as root and as an ordinary user, and the hostile programs belong to this user.
//! Otherwise everything belongs to the user who runs the tests.

mod agent;
mod places;
mod responses;

use crate::faults::is_root;
use crate::support::{Running, whittle_program};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use whittle_testkit::{Jdk, not_run, workloads_class_path};

/// The user `nobody` of every Linux. The hostile programs are programs of this user.
const NOBODY: u32 = 65_534;
/// A user with honest programs only.
const HONEST: u32 = 65_533;
/// A user with programs that hunt whittle's processes. They must not find an ordinary user's whittle of another test.
const HUNTER: u32 = 65_532;

/// The sum of all deadlines of a collection that gets no useful response. It does not hang.
const ALL_DEADLINES: Duration = Duration::from_secs(150);

/// Whittle's rights in a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rights {
    Root,
    /// The rights of the hostile program's user.
    User,
}

impl Rights {
    /// The rights that this machine can test.
    fn all() -> Vec<Self> {
        if is_root() {
            return vec![Self::Root, Self::User];
        }
        not_run("needs root, to run whittle as root");
        vec![Self::User]
    }

    /// Plays an attack with all rights at the same time, because most attacks consist of waiting.
    fn for_all(play: impl Fn(Self) + Sync) {
        std::thread::scope(|scope| {
            Self::all().into_iter().for_each(|rights| {
                let play = &play;
                scope.spawn(move || play(rights));
            });
        });
    }

    /// Only root can be harmed by these attacks, because the user's programs can harm the user's whittle anyway.
    fn root() -> Option<Self> {
        if is_root() {
            return Some(Self::Root);
        }
        not_run("needs root, which collects the programs of another user");
        None
    }

    /// The user of honest programs.
    fn honest_user(self) -> u32 {
        if self == Self::Root { HONEST } else { NOBODY }
    }
}

/// Sets the user of a program. Only root can do this.
fn as_user(command: &mut Command, user: u32) -> &mut Command {
    if is_root() { command.uid(user).gid(user) } else { command }
}

/// A folder that every user can read, with the hostile programs and a `work` folder for whittle. It is not in `/tmp`,
/// because some hostile programs hide this folder.
struct Lair {
    folder: tempfile::TempDir,
    rights: Rights,
}

/// What a command said, whether it was successful, and its largest memory.
struct Ended {
    said: String,
    is_success: bool,
    peak_bytes: u64,
}

impl Lair {
    fn new(rights: Rights) -> Self {
        let lair = Self { folder: tempfile::tempdir_in("/var/tmp").unwrap(), rights };
        open_to_everybody(lair.folder.path());
        let library: &[&str] = &["-shared", "-fPIC", "-DLIBRARY"];
        let outputs = [
            ("libjvm.so", "fake_jvm.c", library),
            ("fake_jvm", "fake_jvm.c", &["-ldl"]),
            ("namespaces", "namespaces.c", &[] as &[&str]),
        ];
        for (name, source, options) in outputs {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/measured/hostile").join(source);
            compile(&source, &lair.path(name), options);
        }
        std::fs::create_dir(lair.path("work")).unwrap();
        if lair.changes_user() {
            chown(lair.path("work"), Some(NOBODY), Some(NOBODY)).unwrap();
            // The user might not have access to the folder of the tested program.
            std::fs::copy(whittle_program(), lair.path("whittle")).unwrap();
        }
        lair
    }

    fn changes_user(&self) -> bool {
        self.rights == Rights::User && is_root()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A hostile program in a mode.
    fn start(&self, mode: &str) -> Running {
        let user = if ["killer", "freezer"].contains(&mode) { HUNTER } else { NOBODY };
        self.start_with(&[mode], |command| as_user(command, user))
    }

    fn start_with(&self, words: &[&str], prepare: impl Fn(&mut Command) -> &mut Command) -> Running {
        let mut command = Command::new(self.path("fake_jvm"));
        command.arg(self.path("libjvm.so")).args(words);
        start_ready(prepare(&mut command)).unwrap()
    }

    /// An honest JVM, which uses CPU time.
    fn java(&self, java: &Path, words: &[&str], prepare: impl Fn(&mut Command) -> &mut Command) -> Running {
        Running::java(self.java_command(java, words, prepare))
    }

    fn java_command(&self, java: &Path, words: &[&str], prepare: impl Fn(&mut Command) -> &mut Command) -> Command {
        let jar = self.path("workloads.jar");
        std::fs::copy(workloads_class_path().split(':').next().unwrap(), &jar).unwrap();
        let mut command = Command::new(java);
        command.arg("-Xmx64m").args(words).arg("-cp").arg(jar);
        command.args(["whittle.workloads.truth.Spin", "--seconds", "600"]).current_dir("/");
        prepare(&mut command);
        command
    }

    fn honest(&self, jdk: &Jdk, words: &[&str]) -> Running {
        self.java(&jdk.java(), words, |command| as_user(command, self.rights.honest_user()))
    }

    /// A command of whittle with this test's rights, in the folder `work`. Its messages go to the file `messages`. The
    /// program `launcher` starts whittle, if there is one.
    fn whittle(&self, launcher: &[&str], arguments: &[&str]) -> Command {
        let messages = std::fs::File::create(self.path("messages")).unwrap();
        let program = if self.changes_user() { self.path("whittle") } else { whittle_program() };
        let mut command = Command::new("env");
        command.arg("--default-signal=INT,HUP").args(launcher).arg(program).args(arguments);
        if self.changes_user() {
            as_user(&mut command, NOBODY).env("HOME", self.path("work")).env_remove("TMPDIR");
        }
        command.current_dir(self.path("work")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(messages);
        command
    }

    fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.path("messages")).unwrap()).into_owned()
    }

    /// Collects a program. Whittle must not hang.
    fn collect(&self, program: &Running, options: &[&str]) -> Ended {
        self.collect_with(&[], program, options)
    }

    fn collect_with(&self, launcher: &[&str], program: &Running, options: &[&str]) -> Ended {
        let pid = program.pid();
        let words = [&["collect", "-p", &pid, "-d", "2s", "-o", "a.whittle", "--force"], options].concat();
        let mut child = self.whittle(launcher, &words).spawn().unwrap();
        let (is_success, peak_bytes) = wait_for_end(&mut child, ALL_DEADLINES).unwrap_or_else(|| {
            panic!("whittle {words:?} hangs: {}", self.said());
        });
        Ended { said: self.said(), is_success, peak_bytes }
    }

    fn manifest(&self) -> serde_json::Value {
        let text = std::fs::read_to_string(self.path("work/a.whittle/manifest.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

fn compile(source: &Path, output: &Path, options: &[&str]) {
    let compiled = Command::new("cc").arg("-o").arg(output).arg(source).args(options).status();
    assert!(compiled.is_ok_and(|status| status.success()), "cc {}", source.display());
}

/// Starts a hostile program, and waits until it is ready. None: it has ended, because the machine does not allow what it
/// does.
fn start_ready(command: &mut Command) -> Option<Running> {
    if command.get_current_dir().is_none() {
        command.current_dir("/");
    }
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut running = Running(child);
    let mut ready = [0; 6];
    std::io::Read::read_exact(running.0.stdout.as_mut().unwrap(), &mut ready).ok()?;
    Some(running)
}

fn open_to_everybody(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Waits for the end of a process. Returns whether it was successful, and its largest memory. None: the process did not
/// end in time. It is killed.
fn wait_for_end(child: &mut Child, at_most: Duration) -> Option<(bool, u64)> {
    let began = Instant::now();
    let mut peak_bytes = 0;
    loop {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
        peak_bytes = peak.map_or(peak_bytes, |kib| kib.parse::<u64>().unwrap() << 10);
        if let Some(status) = child.try_wait().unwrap() {
            return Some((status.success(), peak_bytes));
        }
        if began.elapsed() > at_most {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
