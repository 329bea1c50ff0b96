//! Hands of real processes: their rights, and what happens if a hand does not respond.

use super::messages::{Installed, Request, Response};
use super::world::World;
use super::{AttachHand, Connected, HANDS, Hand, HandError};
use crate::process::Process;
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use whittle_native::ReadAt;

/// A user without rights.
const NOBODY: u32 = 65_534;

/// A process that is killed at the end of a test.
struct Sleeper(Child);

impl Sleeper {
    fn start(command: &mut Command) -> Self {
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }

    fn process(&self) -> Process {
        Process(self.0.id())
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn of_nobody() -> Option<Sleeper> {
    if !rustix::process::geteuid().is_root() {
        whittle_testkit::not_run("becoming another user needs root");
        return None;
    }
    Some(Sleeper::start(Command::new("sleep").arg("60").uid(NOBODY).gid(NOBODY)))
}

fn pid_of(hand: &Hand) -> Pid {
    hand.lock().worker.pid().unwrap()
}

fn status_of(hand: &Hand) -> String {
    std::fs::read_to_string(format!("/proc/{}/status", pid_of(hand).as_raw_nonzero())).unwrap()
}

fn field<'s>(status: &'s str, name: &str) -> &'s str {
    status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).unwrap().trim()
}

#[test]
fn files_are_read_as_the_user_of_the_process() {
    let Some(sleeper) = of_nobody() else { return };
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let [open, closed] = ["open", "closed"].map(|name| folder.path().join(name).display().to_string());
    std::fs::write(&open, "0123456789").unwrap();
    std::fs::write(&closed, "secret").unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o644)).unwrap();
    let world = World::of(sleeper.process()).unwrap();
    let file = world.open(&open).unwrap();
    let mut bytes = [0; 4];
    file.read_exact_at(&mut bytes, 3).unwrap();
    assert_eq!((&bytes, file.size().unwrap(), file.is_own()), (b"3456", 10, false));
    assert_eq!(file.read_at(&mut bytes, 8).unwrap(), 2);
    assert_eq!(world.open(&closed).unwrap_err().kind(), std::io::ErrorKind::PermissionDenied);
    assert_eq!(world.names_in(folder.path().to_str().unwrap(), ""), ["closed", "open"]);
    assert_eq!(world.names_in(folder.path().to_str().unwrap(), "op"), ["open"]);
}

#[test]
fn a_hand_has_the_users_ids_and_no_capabilities() {
    let Some(sleeper) = of_nobody() else { return };
    let world = World::of(sleeper.process()).unwrap();
    let status = status_of(&world.hand);
    let id = NOBODY.to_string();
    for name in ["Uid", "Gid"] {
        assert!(field(&status, name).split_whitespace().all(|found| found == id), "{status}");
    }
    assert_eq!(field(&status, "Groups"), "", "{status}");
    for name in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
        assert_eq!(field(&status, name), "0000000000000000", "{name}");
    }
    assert_eq!(field(&status, "NoNewPrivs"), "1");
    assert_eq!(field(&status, "Threads"), "1");
}

#[test]
fn folders_and_the_library_belong_to_the_user_of_the_process() {
    let Some(sleeper) = of_nobody() else { return };
    let world = World::of(sleeper.process()).unwrap();
    let name = format!("whittle-test-{}", std::process::id());
    world.create_folder(&name).unwrap();
    let found = std::fs::metadata(format!("/tmp/{name}")).unwrap();
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o777), (NOBODY, NOBODY, 0o700));
    world.remove_folder(&name, &[]).unwrap();
    let library = world.install(Installed::Profiler).unwrap();
    assert_eq!(std::fs::metadata(&library).unwrap().uid(), NOBODY);
    let inode = std::fs::metadata(&library).unwrap().ino();
    assert_eq!(world.install(Installed::Profiler).unwrap(), library);
    assert_eq!(std::fs::metadata(&library).unwrap().ino(), inode, "installed once");
    for name in ["../x", "a/b", ".x", ""] {
        assert!(world.create_folder(name).is_err(), "{name}");
    }
}

/// A user can put root's directories under any name of a mount namespace. The hand must not change them.
#[test]
fn a_bind_mount_gives_no_rights() {
    if !rustix::process::geteuid().is_root() {
        return whittle_testkit::not_run("needs root");
    }
    // The program hides /tmp.
    let victim = tempfile::tempdir_in("/var/tmp").unwrap();
    std::fs::set_permissions(victim.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    // The program is root in its user namespace. It mounts the victim in the place of the library's folder.
    let script = format!(
        "mount -t tmpfs none /tmp && mkdir -p /tmp/.whittle-0 /tmp/.whittle-{NOBODY} && \
         mount --bind {0} /tmp/.whittle-0 && mount --bind {0} /tmp/.whittle-{NOBODY} && exec sleep 60",
        victim.path().display()
    );
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--pid", "--fork", "sh", "-c", &script]);
    let mut unshare = Sleeper::start(command.uid(NOBODY).gid(NOBODY));
    let child = loop {
        if unshare.0.try_wait().unwrap().is_some() {
            return whittle_testkit::not_run("user namespaces are not allowed here");
        }
        let children = format!("/proc/{0}/task/{0}/children", unshare.0.id());
        let child: u32 = std::fs::read_to_string(children).unwrap().trim().parse().unwrap_or(0);
        let name = std::fs::read_to_string(format!("/proc/{child}/comm"));
        if name.is_ok_and(|name| name.trim() == "sleep") {
            break child;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let world = World::of(Process(child)).unwrap();
    let error = world.install(Installed::Profiler).unwrap_err().to_string();
    let found = std::fs::metadata(victim.path()).unwrap();
    assert_eq!((found.uid(), found.mode() & 0o7777), (0, 0o755), "{error}");
    assert_eq!(std::fs::read_dir(victim.path()).unwrap().count(), 0);
    kill_process(Pid::from_raw(child as i32).unwrap(), Signal::KILL).unwrap();
}

#[test]
fn a_hand_that_does_not_respond_is_given_up() {
    let hand = Hand::start(std::process::id(), None, None, &[]).unwrap();
    let pid = pid_of(&hand);
    assert!(HANDS.lock().unwrap().contains(&pid));
    kill_process(pid, Signal::STOP).unwrap();
    let began = Instant::now();
    let request = Request::Kind { path: "/".to_owned() };
    let error = hand.call(&request, Duration::from_millis(300)).unwrap_err();
    assert!(matches!(&error, HandError::Lost(reason) if reason.contains("in time")), "{error:?}");
    assert_eq!(hand.call(&request, Duration::from_secs(60)).unwrap_err(), error, "lost for ever");
    assert!(!HANDS.lock().unwrap().contains(&pid) || !super::UNFINISHED.lock().unwrap().is_empty());
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_killed_hand_is_noticed() {
    let hand = Hand::start(std::process::id(), None, None, &[]).unwrap();
    assert!(matches!(
        hand.call(&Request::Kind { path: "/".to_owned() }, Duration::from_secs(60)),
        Ok(Response::Kind(_))
    ));
    kill_process(pid_of(&hand), Signal::KILL).unwrap();
    let error = hand.call(&Request::Kind { path: "/".to_owned() }, Duration::from_secs(60)).unwrap_err();
    assert!(matches!(error, HandError::Lost(_)), "{error:?}");
}

/// A hand in another pid namespace continues in a new process. Whittle must first receive the id of this process.
#[test]
fn a_hand_enters_a_pid_namespace() {
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--kill-child", "sleep", "60"]);
    let mut unshare = Sleeper::start(&mut command);
    let child = loop {
        if unshare.0.try_wait().unwrap().is_some() {
            return whittle_testkit::not_run("needs the right to unshare a pid namespace");
        }
        let children = format!("/proc/{0}/task/{0}/children", unshare.0.id());
        if let Ok(child) = std::fs::read_to_string(children).unwrap().trim().parse() {
            break Process(child);
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    for _ in 0..20 {
        let hand = AttachHand::new(child, 1, None).unwrap();
        assert_eq!(hand.connect().unwrap(), Connected::NoSocket);
        // With a second request, a late message of the first process would be mistaken for the response.
        assert_eq!(hand.connect().unwrap(), Connected::NoSocket);
    }
}

/// The library of the earlier user must not be loaded into a JVM of the later user.
#[test]
fn a_process_that_executes_a_program_of_another_user_is_another_process() {
    if !rustix::process::geteuid().is_root() {
        return whittle_testkit::not_run("needs root, to start a program as another user");
    }
    let mut command = Command::new("sh");
    command.args(["-c", "read line; exec setpriv --reuid 65534 --regid 65534 --clear-groups sleep 60"]);
    let mut program = Sleeper::start(command.stdin(std::process::Stdio::piped()));
    let process = Process(program.0.id());
    let world = World::of(process).unwrap();
    let identity = world.identity();
    AttachHand::new(process, process.0, identity).unwrap();
    drop(program.0.stdin.take());
    while process.status().unwrap().user.uid == 0 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let error = AttachHand::new(process, process.0, identity).unwrap_err().to_string();
    assert!(error.contains("the process is another one than before"), "{error}");
    AttachHand::new(process, process.0, World::of(process).unwrap().identity()).unwrap();
}

#[test]
fn a_hand_with_a_request_does_not_delay_a_look_at_it() {
    let hand = Hand::start(std::process::id(), None, None, &[]).unwrap();
    let request = hand.lock();
    assert!(!hand.is_lost());
    drop(request);
    hand.lock().lose("for this test".to_owned());
    assert!(hand.is_lost());
}
