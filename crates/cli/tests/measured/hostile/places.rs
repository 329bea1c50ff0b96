//! Programs that lead whittle to files and folders of other users, or have names that are not text.

use super::{Ended, HONEST, Lair, NOBODY, Rights, as_user, compile, open_to_everybody, start_ready};
use crate::faults::is_root;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;
use whittle_testkit::{any_jdk, not_run};

/// A user without programs.
const STRANGER: u32 = 65_530;

/// How often a program tries to mount a folder at the right moment. In the tests' setup, old versions lose the first time.
const ATTEMPTS: u32 = 3;

/// Before: whittle attached to each process that maps a file with the name `libjvm.so`.
#[test]
fn a_file_with_the_right_name_is_no_jvm() {
    for rights in Rights::all() {
        let lair = Lair::new(rights);
        let source = lair.path("plain.c");
        std::fs::write(&source, "int nothing;\n").unwrap();
        compile(&source, &lair.path("libjvm.so"), &["-shared", "-fPIC"]);
        let program = lair.start("liar");
        let ended = lair.collect(&program, &["--engine", "ctimer"]);
        let is_refused = !ended.is_success && ended.said.contains("is not HotSpot's library");
        assert!(is_refused, "{rights:?}: {}", ended.said);
    }
}

/// Before: root created `.attach_pid…` in the target's working directory, and gave it to the target's user.
#[test]
fn nothing_is_created_in_the_working_directory() {
    for rights in Rights::all().into_iter().filter(|_| is_root()) {
        let lair = Lair::new(rights);
        // Only root can write to this folder.
        let folder = lair.path("of-root");
        std::fs::create_dir(&folder).unwrap();
        open_to_everybody(&folder);
        let before = state(&folder);
        let program = lair.start_with(&["silent"], |command| as_user(command.current_dir(&folder), NOBODY));
        let ended = lair.collect(&program, &["--engine", "ctimer"]);
        assert!(!ended.is_success, "{rights:?}: {}", ended.said);
        assert_eq!(state(&folder), before, "{rights:?}: nothing was created and removed");
    }
}

/// Owner, rights, time of the last change and names of a folder.
fn state(folder: &Path) -> impl PartialEq + std::fmt::Debug {
    let found = std::fs::metadata(folder).unwrap();
    let names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    (found.uid(), found.gid(), found.mode(), found.ctime(), found.ctime_nsec(), names)
}

/// Collects a program that mounts a folder of root in its `/tmp`, in this mode of `namespaces`. Fails if the folder has
/// changed.
fn collect_with_victim(mode: &str, attempts: u32) {
    for rights in Rights::all() {
        if !is_root() {
            return not_run("needs root, because the folder must belong to another user");
        }
        let lair = Lair::new(rights);
        let victim = lair.path("victim");
        std::fs::create_dir(&victim).unwrap();
        std::fs::write(victim.join("key"), "secret").unwrap();
        std::fs::set_permissions(&victim, std::fs::Permissions::from_mode(0o700)).unwrap();
        let before = state(&victim);
        let temporary = lair.path("tmp");
        std::fs::create_dir(&temporary).unwrap();
        std::fs::set_permissions(&temporary, std::fs::Permissions::from_mode(0o1777)).unwrap();
        let cpu = first_cpu();
        let mut command = Command::new("taskset");
        command.args(["-c", &cpu]).arg(lair.path("namespaces")).arg(mode).args([&victim, &temporary]);
        command.arg(lair.path("fake_jvm")).arg(lair.path("libjvm.so")).arg("liar");
        let Some(program) = start_ready(as_user(&mut command, NOBODY)) else {
            return not_run("needs the right to unshare a user namespace");
        };
        for _ in 0..attempts {
            // Whittle has the lowest priority on the program's CPU. So the program runs at once when whittle does what it
            // waits for.
            let launcher = ["chrt", "--idle", "0", "taskset", "-c", &cpu];
            let Ended { said, is_success, .. } = lair.collect_with(&launcher, &program, &["--engine", "ctimer"]);
            println!("{rights:?} {mode}: {said}");
            assert_eq!(state(&victim), before, "{rights:?} {mode}: {said}");
            assert!(!is_success, "{rights:?} {mode}: {said}");
        }
    }
}

fn first_cpu() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    list.trim().split([',', '-']).next().unwrap().to_owned()
}

/// Before: root gave the new folder of a recording to the program's user, by name. A program that mounted another folder
/// over this name in time got the other folder.
#[test]
fn a_folder_mounted_over_a_new_folder_keeps_its_owner() {
    collect_with_victim("swap", ATTEMPTS);
}

/// Before: root trusted the folder `/tmp/.whittle-0` of the program's namespace because root owned it. It opened the
/// folder to all users, and wrote the profiler's library into it.
#[test]
fn a_folder_mounted_over_the_librarys_folder_is_unchanged() {
    collect_with_victim("cover", 1);
}

/// Before: whittle read the files in `/proc` as UTF-8. So a process had ended for whittle if the name of its first thread
/// or of a mapped file was no text.
#[test]
fn a_jvm_with_names_that_are_not_text_is_collected() {
    let Some(jdk) = any_jdk() else { return };
    for rights in Rights::all() {
        let lair = Lair::new(rights);
        let java = lair.folder.path().join(OsStr::from_bytes(b"java-\xff"));
        symlink(jdk.java(), &java).unwrap();
        let library = lair.folder.path().join(OsStr::from_bytes(b"lib\xff.so"));
        let source = lair.path("plain.c");
        std::fs::write(&source, "int nothing;\n").unwrap();
        compile(&source, &library, &["-shared", "-fPIC"]);
        let user = if rights == Rights::Root { HONEST } else { NOBODY };
        let honest = lair.java(&java, &[], |command| as_user(command.env("LD_PRELOAD", &library), user));
        let mapped = std::fs::read(format!("/proc/{}/maps", honest.pid())).unwrap();
        assert!(mapped.windows(7).any(|bytes| bytes == b"lib\xff.so"), "the library is mapped");
        let ended = lair.collect(&honest, &[]);
        assert!(ended.is_success, "{rights:?}: {}", ended.said);
    }
}

/// Before: whittle sent SIGQUIT, waited for ten seconds, and blamed the JVM.
#[test]
fn a_file_of_another_user_in_place_of_the_socket_is_named() {
    let Some(jdk) = any_jdk() else { return };
    for rights in Rights::all().into_iter().filter(|_| is_root()) {
        let lair = Lair::new(rights);
        let honest = lair.honest(&jdk, &[]);
        for name in [".attach_pid", ".java_pid"] {
            let path = Path::new("/tmp").join(format!("{name}{}", honest.pid()));
            std::fs::write(&path, "").unwrap();
            chown(&path, Some(STRANGER), None).unwrap();
            let ended = lair.collect(&honest, &[]);
            let remains = path.exists();
            std::fs::remove_file(&path).unwrap();
            assert!(remains, "{rights:?}: whittle removed a file of another user");
            let is_named = ended.said.contains(path.to_str().unwrap()) && ended.said.contains("another user");
            assert!(!ended.is_success && is_named, "{rights:?}: {}", ended.said);
        }
        let ended = lair.collect(&honest, &[]);
        assert!(ended.is_success, "{rights:?}: {}", ended.said);
    }
}
