//! For bad input, whittle prints a clear line on standard error and returns a non-zero exit status. The target is not
//! affected.

use crate::support::{self, Running, SLOW, Workspace, exists, stderr, whittle_program};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};
use whittle_testkit::{Jdk, any_jdk, native_workload, not_run, workloads_class_path};

/// The user `nobody` of every Linux.
const NOBODY: u32 = 65534;

/// Asserts that whittle failed with one line that contains all `parts`.
fn assert_refused(output: &Output, parts: &[&str]) {
    let text = stderr(output);
    assert!(!output.status.success(), "succeeded: {text}");
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("error:")).collect();
    assert_eq!(lines.len(), 1, "{text}");
    for part in parts {
        assert!(lines[0].contains(part), "no \"{part}\" in: {text}");
    }
}

pub(crate) fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    status.lines().any(|line| line.starts_with("Uid:\t0\t"))
}

/// A folder that every user can enter, with a whittle that every user can start.
fn open_to_everybody(workspace: &Workspace) -> std::path::PathBuf {
    let folder = workspace.path("");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let whittle = workspace.path("whittle");
    std::fs::copy(env!("CARGO_BIN_EXE_whittle"), &whittle).unwrap();
    std::fs::set_permissions(&whittle, std::fs::Permissions::from_mode(0o755)).unwrap();
    whittle
}

/// A copy of the workloads that every user can read.
fn nobodys_jvm(workspace: &Workspace, jdk: &Jdk) -> Running {
    let jar = workspace.path("workloads.jar");
    let class_path = workloads_class_path();
    std::fs::copy(class_path.split(':').next().unwrap(), &jar).unwrap();
    std::fs::set_permissions(&jar, std::fs::Permissions::from_mode(0o644)).unwrap();
    let mut command = Command::new(jdk.java());
    command.args(["-cp", jar.to_str().unwrap(), "whittle.workloads.truth.Spin", "--seconds", "60"]);
    command.uid(NOBODY).gid(NOBODY).current_dir("/");
    Running::java(command)
}

#[test]
fn what_is_no_jvm_is_refused_by_the_engines_inside_it() {
    let workspace = Workspace::new();
    let absent = workspace.whittle(&["collect", "-p", "4194000", "-o", "a.whittle"]);
    assert_refused(&absent, &["no process has the id 4194000", "jcmd"]);
    let mut sleep = Command::new("sleep").arg("60").spawn().unwrap();
    let pid = sleep.id().to_string();
    let no_jvm = workspace.whittle(&["collect", "-p", &pid, "--engine", "ctimer", "-o", "a.whittle"]);
    assert_refused(&no_jvm, &["not a HotSpot JVM", "sleep 60"]);
    assert!(sleep.try_wait().unwrap().is_none(), "the process that is no JVM goes on");
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    assert!(!exists(&workspace.path("a.whittle")), "nothing is left behind");
}

#[test]
fn a_jvm_that_forbids_attaching_is_refused_and_goes_on() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let mut program = Running::workload(&jdk, &["-XX:+DisableAttachMechanism"], &[SLOW, "--seconds", "60"]);
    let refused = workspace.whittle(&["collect", "-p", &program.pid(), "-o", "a.whittle"]);
    assert_refused(&refused, &["-XX:+DisableAttachMechanism", "whittle collect -- java"]);
    assert!(program.is_alive());
    assert!(!exists(&workspace.path("a.whittle")));
}

#[test]
fn a_stopped_jvm_is_refused_and_can_be_continued() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
    support::signal(&program.pid(), "STOP");
    std::thread::sleep(std::time::Duration::from_millis(100));
    let refused = workspace.whittle(&["collect", "-p", &program.pid(), "-o", "a.whittle"]);
    assert_refused(&refused, &["stopped", "kill -CONT"]);
    support::signal(&program.pid(), "CONT");
    workspace.text(&["collect", "-p", &program.pid(), "-d", "1s", "-o", "a.whittle"]);
    assert!(program.is_alive());
}

/// The bit of SIGPROF in the masks of `/proc/PID/status`.
const SIGPROF_BIT: u64 = 1 << 26;

#[test]
fn a_jvm_that_handles_sigprof_itself_keeps_its_handler() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let mut command = Command::new(jdk.java());
    command.args(["-cp", &workloads_class_path(), SLOW, "--seconds", "60"]);
    command.env("LD_PRELOAD", native_workload("libown_sigprof.so"));
    let mut program = Running::java(command);
    let refused = workspace.whittle(&["collect", "-p", &program.pid(), "-d", "1s", "-o", "a.whittle"]);
    assert_refused(&refused, &["handles SIGPROF itself"]);
    assert!(program.is_alive());
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
    assert!(u64::from_str_radix(caught, 16).unwrap() & SIGPROF_BIT != 0, "{status}");
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", program.pid())).unwrap();
    assert!(!maps.contains("asyncProfiler"), "the profiler's library is in the program");
}

#[test]
fn a_launched_jvm_whose_preloaded_library_handles_sigprof_is_not_started() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let java = jdk.java();
    let class_path = workloads_class_path();
    let launch = |options: &[&str], variable: (&str, &str)| {
        let program = [&[java.to_str().unwrap()], options, &["-cp", &class_path, SLOW, "--seconds", "1"]].concat();
        let arguments = [&["collect", "-o", "a.whittle", "--"], program.as_slice()].concat();
        support::whittle_command(&arguments)
            .env(variable.0, variable.1)
            .current_dir(workspace.path(""))
            .output()
            .unwrap()
    };
    let library = native_workload("libown_sigprof.so");
    let preloaded = launch(&[], ("LD_PRELOAD", library.to_str().unwrap()));
    let other = "-agentpath:/opt/libasyncProfiler.so";
    let by_option = launch(&[&format!("{other}=start")], ("WHITTLE_TEST", "1"));
    let by_variable = launch(&[], ("JAVA_TOOL_OPTIONS", other));
    assert_refused(&preloaded, &["LD_PRELOAD", "libown_sigprof.so", "handles SIGPROF"]);
    assert_refused(&by_option, &[other, "another async-profiler"]);
    assert_refused(&by_variable, &[other, "another async-profiler"]);
    for output in [preloaded, by_option, by_variable] {
        assert!(output.stdout.is_empty(), "the program was not started: {}", String::from_utf8_lossy(&output.stdout));
    }
    assert!(!exists(&workspace.path("a.whittle")));
}

/// After a collection, the profiler's handler can remain. It is not a handler of the program.
#[test]
fn a_jvm_can_be_collected_again() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
    for experiment in ["a.whittle", "b.whittle"] {
        workspace.text(&["collect", "-q", "-p", &program.pid(), "-d", "1s", "-o", experiment]);
    }
}

#[test]
fn another_users_jvm_needs_root() {
    let Some(jdk) = any_jdk() else { return };
    if !is_root() {
        return not_run("needs root");
    }
    let workspace = Workspace::new();
    let whittle = open_to_everybody(&workspace);
    let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
    let refused = Command::new(&whittle)
        .args(["collect", "-p", &program.pid(), "-o", "a.whittle"])
        .uid(NOBODY)
        .gid(NOBODY)
        .current_dir(workspace.path(""))
        .output()
        .unwrap();
    assert_refused(&refused, &["runs as user id 0", "as root"]);
    assert!(program.is_alive());
    // Root is allowed to collect. The user of the JVM writes the recording.
    let nobodys = nobodys_jvm(&workspace, &jdk);
    workspace.text(&["collect", "-p", &nobodys.pid(), "-d", "2s", "-o", "b.whittle"]);
    let overview = workspace.json(&["overview", "b.whittle"]);
    assert!(overview["samples_count"].as_u64().unwrap() > 20, "{}", overview["samples_count"]);
}

#[test]
fn without_privilege_timers_take_over_and_say_what_is_lost() {
    let Some(jdk) = any_jdk() else { return };
    if !is_root() {
        return not_run("needs root");
    }
    let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
    if paranoid.trim().parse::<i32>().is_ok_and(|level| level <= 1) {
        return not_run("needs perf_event_paranoid above 1");
    }
    let workspace = Workspace::new();
    let whittle = open_to_everybody(&workspace);
    let nobodys = nobodys_jvm(&workspace, &jdk);
    let run = |options: &[&str]| {
        let pid = nobodys.pid();
        let arguments = [&["collect", "-p", &pid, "-d", "2s", "-o", "a.whittle", "-f"], options].concat();
        let mut command = Command::new(&whittle);
        command.args(arguments).uid(NOBODY).gid(NOBODY).current_dir(workspace.path("")).output().unwrap()
    };
    let refused = run(&["--engine", "cpu"]);
    assert_refused(&refused, &["perf_event_paranoid", "--engine"]);
    let collected = run(&[]);
    assert!(collected.status.success(), "{}", stderr(&collected));
    for part in ["engine ctimer: no exact amounts", "setcap cap_bpf", "no user/system split by method"] {
        assert!(stderr(&collected).contains(part), "{}", stderr(&collected));
    }
}

/// What `whittle doctor` says in new namespaces, by subject. None: this is not allowed here.
fn doctor_in_namespaces(options: &[&str]) -> Option<Vec<serde_json::Value>> {
    let mut command = Command::new("unshare");
    let output = command.args(options).arg(whittle_program()).args(["doctor", "--json"]).output().unwrap();
    if !output.status.success() {
        not_run("needs the right to unshare namespaces");
        return None;
    }
    let diagnosis: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    Some(diagnosis["checks"].as_array().unwrap().clone())
}

/// The remedy for a missing part. Empty: nothing is missing.
fn remedy<'a>(checks: &'a [serde_json::Value], subject: &str) -> &'a str {
    checks.iter().find(|check| check["subject"] == subject).unwrap()["remedy"].as_str().unwrap()
}

#[test]
fn doctor_in_a_container_promises_only_what_is_possible_there() {
    // As in a container of a user, whose root has all capabilities only in the container.
    if let Some(checks) = doctor_in_namespaces(&["--user", "--map-root-user"]) {
        assert!(remedy(&checks, "other processes").contains("root of the host"), "{checks:#?}");
        let paranoid = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
        let is_open = paranoid.trim().parse::<i32>().is_ok_and(|level| level <= 1);
        assert_eq!(remedy(&checks, "perf events").is_empty(), is_open, "{checks:#?}");
        assert!(!remedy(&checks, "kernel symbols").contains("as root,"), "{checks:#?}");
    }
    if !is_root() {
        return not_run("needs root");
    }
    if let Some(checks) = doctor_in_namespaces(&["--pid", "--fork", "--mount-proc"]) {
        assert!(remedy(&checks, "BPF programs").contains("--pid host"), "{checks:#?}");
        assert!(remedy(&checks, "other processes").contains("--pid host"), "{checks:#?}");
    }
}

#[test]
fn a_full_disk_loses_nothing_that_was_collected() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let small = workspace.path("small");
    std::fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=128k", "none"]).arg(&small).output();
    if !mounted.is_ok_and(|output| output.status.success()) {
        return not_run("needs the right to mount a tmpfs");
    }
    let _unmount = Unmount(&small);
    let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
    // The filler leaves space for the manifest and little more.
    std::fs::write(small.join("filler"), vec![1; 100 * 1024]).unwrap();
    // The data of the kernel side cannot be stored elsewhere, and whittle reports the error.
    let pid = program.pid();
    let failed = workspace.whittle(&["collect", "-p", &pid, "-d", "3s", "-o", "small/a.whittle"]);
    assert_refused(&failed, &["No space left on device"]);
    std::fs::remove_dir_all(small.join("a.whittle")).unwrap();
    // With `ctimer`, the profiler writes a recording, which is kept.
    let failed = workspace.whittle(&["collect", "-p", &pid, "-d", "3s", "-o", "small/a.whittle", "--engine", "ctimer"]);
    assert_refused(&failed, &["No space left on device", "whittle import"]);
    assert!(program.is_alive());
    let text = stderr(&failed);
    let kept = text.split('`').find_map(|part| part.strip_prefix("whittle import ")?.split(' ').next()).unwrap();
    workspace.text(&["import", kept, "-o", "whole.whittle"]);
    let overview = workspace.json(&["overview", "whole.whittle"]);
    assert!(overview["samples_count"].as_u64().unwrap() > 20, "{}", overview["samples_count"]);
    std::fs::remove_dir_all(Path::new(kept).parent().unwrap()).unwrap();
}

struct Unmount<'a>(&'a Path);

impl Drop for Unmount<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// A JVM in new namespaces, with a `/tmp` that is mounted with these options, and with a library that is loaded before the C
/// library. None: this is not allowed here.
fn jvm_in_namespaces(tmp_options: &str, preloaded: Option<&str>) -> Option<(Running, String)> {
    let jdk = any_jdk()?;
    let class_path = workloads_class_path();
    let mut command = Command::new("unshare");
    command.args(["--pid", "--net", "--ipc", "--mount", "--fork", "--kill-child", "--mount-proc", "sh", "-c"]);
    // The jar can be below /tmp, so it is opened before the mount covers /tmp.
    command.arg(format!(
        "exec 3<\"$1\" && mount -t tmpfs -o {tmp_options} none /tmp && cat <&3 >/tmp/w.jar && \
         LD_PRELOAD=\"$3\" exec \"$0\" -cp /tmp/w.jar \"$2\" --seconds 60"
    ));
    command.arg(jdk.java()).arg(class_path.split(':').next().unwrap()).arg("whittle.workloads.truth.Spin");
    command.arg(preloaded.map_or_else(Default::default, native_workload));
    let allowed =
        Command::new("unshare").args(["--pid", "--net", "--mount", "--fork", "--mount-proc", "true"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        not_run("needs the right to unshare namespaces");
        return None;
    }
    let outer = Running::plain(command);
    let pid = outer.wait_for_child_jvm();
    Some((outer, pid))
}

#[test]
fn a_jvm_in_namespaces_of_its_own_is_collected() {
    let Some((_outer, pid)) = jvm_in_namespaces("mode=1777", None) else { return };
    let workspace = Workspace::new();
    workspace.text(&["collect", "-p", &pid, "-d", "2s", "-o", "a.whittle"]);
    let overview = workspace.json(&["overview", "a.whittle"]);
    assert!(overview["samples_count"].as_u64().unwrap() > 20, "{}", overview["samples_count"]);
    assert!(overview["closure_ratio"].as_f64().unwrap() > 0.9, "{}", overview["closure_ratio"]);
}

/// `docker run --tmpfs /tmp` mounts with noexec. The JVM then loads the profiler's library from memory, and only once.
#[test]
fn a_jvm_whose_tmp_allows_no_executable_files_is_collected() {
    collected_twice_from_memory(None);
}

/// A JVM with musl, as in Alpine Linux, opens the library's file each time. The file must be the same one.
#[test]
fn a_jvm_that_opens_loaded_libraries_again_is_collected() {
    if !is_root() {
        return not_run("needs root, which can open what a JVM has mapped");
    }
    collected_twice_from_memory(Some("libopen_first.so"));
}

fn collected_twice_from_memory(preloaded: Option<&str>) {
    let Some((_outer, pid)) = jvm_in_namespaces("mode=1777,noexec", preloaded) else { return };
    let workspace = Workspace::new();
    for name in ["a.whittle", "b.whittle"] {
        workspace.text(&["collect", "-p", &pid, "-d", "2s", "-o", name]);
        let overview = workspace.json(&["overview", name]);
        assert!(overview["closure_ratio"].as_f64().unwrap() > 0.9, "{}", overview["closure_ratio"]);
    }
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let code = maps.lines().filter(|line| line.contains("libasyncProfiler") && line.contains("r-xp"));
    assert_eq!(code.count(), 1, "the JVM loaded the library several times");
}

#[test]
fn a_program_that_is_not_java_needs_the_kernel_driven_engine() {
    let workspace = Workspace::new();
    let refused = workspace.whittle(&["collect", "--engine", "cpu", "-o", "a.whittle", "--", "touch", "started"]);
    assert_refused(&refused, &["cpu", "only Java programs", "--engine"]);
    assert!(!exists(&workspace.path("started")) && !exists(&workspace.path("a.whittle")));
    let absent = workspace.whittle(&["collect", "-o", "a.whittle", "--", "/no/such/java"]);
    assert_refused(&absent, &["/no/such/java", "cannot be started"]);
    assert!(!exists(&workspace.path("a.whittle")));
    let nothing = workspace.whittle(&["collect", "-o", "a.whittle"]);
    assert_refused(&nothing, &["-p PID", "-- java"]);
}

#[test]
fn a_program_that_ends_before_the_profiler_is_ready_keeps_its_status() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let java = jdk.java();
    let failed = workspace.whittle(&["collect", "-o", "a.whittle", "--", java.to_str().unwrap(), "-XX:NoSuchFlag"]);
    assert_refused(&failed, &["no sample was recorded"]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(!exists(&workspace.path("a.whittle")));
}

#[test]
fn what_is_no_experiment_or_no_recording_is_refused() {
    let workspace = Workspace::new();
    assert_refused(&workspace.whittle(&["overview", "nothing.whittle"]), &["does not exist"]);
    std::fs::create_dir(workspace.path("empty")).unwrap();
    assert_refused(&workspace.whittle(&["overview", "empty"]), &["not an experiment", "manifest.json"]);
    std::fs::write(workspace.path("empty/manifest.json"), "{\"format_version\": 1,").unwrap();
    assert_refused(&workspace.whittle(&["overview", "empty"]), &["manifest is damaged"]);
    std::fs::write(workspace.path("empty/manifest.json"), "{\"format_version\": 77}").unwrap();
    assert_refused(&workspace.whittle(&["overview", "empty"]), &["format version 77", "newer"]);
    std::fs::write(workspace.path("noise.jfr"), "no recording").unwrap();
    assert_refused(&workspace.whittle(&["import", "noise.jfr", "-o", "a.whittle"]), &["JFR", "none"]);
    assert_refused(&workspace.whittle(&["import", "absent.jfr", "-o", "a.whittle"]), &["absent.jfr", "No such file"]);
    assert!(!exists(&workspace.path("a.whittle")));
}

#[test]
fn a_failed_start_gives_back_the_experiment_that_it_would_have_replaced() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    workspace.collect_launched(&["-o", "a.whittle"], &jdk, &["whittle.workloads.truth.Spin", "--seconds", "1"]);
    let before = workspace.text(&["functions", "a.whittle"]);
    let java = jdk.java();
    for command in [&["--", "/no/such/java"][..], &["--", java.to_str().unwrap(), "-XX:NoSuchFlag"], &["-p", "4194000"]]
    {
        let failed = workspace.whittle(&[&["collect", "-f", "-o", "a.whittle"], command].concat());
        assert!(!failed.status.success(), "{command:?}");
        assert_eq!(workspace.text(&["functions", "a.whittle"]), before, "{command:?}");
    }
    let names = std::fs::read_dir(workspace.path("")).unwrap().count();
    assert_eq!(names, 1, "nothing else is left");
}

/// Whittle's session folders in the host's /tmp.
fn session_folders() -> Vec<String> {
    let names = std::fs::read_dir("/tmp").unwrap().flatten();
    names.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| name.starts_with("whittle-")).collect()
}

#[test]
fn nothing_is_left_in_tmp_when_an_attached_program_ends() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let program = Running::workload(&jdk, &[], &["whittle.workloads.truth.Spin", "--seconds", "4"]);
    let before = session_folders();
    workspace.text(&["collect", "-p", &program.pid(), "-o", "a.whittle"]);
    let left: Vec<String> = session_folders().into_iter().filter(|name| !before.contains(name)).collect();
    assert!(left.is_empty(), "{left:?}");
    let overview = workspace.json(&["overview", "a.whittle"]);
    assert!(overview["samples_count"].as_u64().unwrap() > 20, "{}", overview["samples_count"]);
}

#[test]
fn a_second_profiler_in_one_jvm_is_refused() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "60"]);
    workspace.text(&["collect", "-p", &program.pid(), "-d", "1s", "-o", "a.whittle"]);
    // A copy of the library at another path is another profiler.
    let maps = std::fs::read_to_string(format!("/proc/{}/maps", program.pid())).unwrap();
    let library =
        maps.lines().find_map(|line| line.find('/').map(|at| &line[at..]).filter(|path| path.contains("Profiler")));
    let other = workspace.path("libasyncProfiler.so");
    std::fs::copy(library.unwrap(), &other).unwrap();
    let agent = format!("-agentpath:{}=start,event=cpu,file={}", other.display(), workspace.path("x.jfr").display());
    let mut profiled = Running::workload(&jdk, &[&agent], &[SLOW, "--seconds", "60"]);
    let refused = workspace.whittle(&["collect", "-p", &profiled.pid(), "-d", "1s", "-o", "b.whittle"]);
    assert_refused(&refused, &["another async-profiler", other.to_str().unwrap()]);
    assert!(profiled.is_alive() && program.is_alive());
    // A profiler that whittle loaded earlier is not another profiler.
    workspace.text(&["collect", "-p", &program.pid(), "-d", "1s", "-o", "c.whittle"]);
}

#[test]
fn a_profiler_that_cannot_be_stopped_is_an_error_that_says_how_to_stop_it() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let mut program = Running::workload(&jdk, &[], &[SLOW, "--seconds", "90"]);
    let mut whittle = support::whittle_command(&["collect", "-q", "-p", &program.pid(), "-o", "a.whittle"]);
    let whittle = whittle.current_dir(workspace.path("")).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_secs(7));
    support::signal(&program.pid(), "STOP");
    std::thread::sleep(std::time::Duration::from_millis(200));
    support::signal(&whittle.id().to_string(), "INT");
    let output = whittle.wait_with_output().unwrap();
    assert_refused(&output, &["could not be stopped", "--take-over"]);
    support::signal(&program.pid(), "CONT");
    assert!(workspace.text(&["overview", "a.whittle"]).contains("Samples:"));
    workspace.text(&["collect", "-p", &program.pid(), "-d", "1s", "--take-over", "-o", "b.whittle"]);
    assert!(program.is_alive());
}

#[test]
fn refused_perf_events_inside_the_jvm_are_noticed() {
    let Some(jdk) = any_jdk() else { return };
    // In a new user namespace, a process has all capabilities, but the kernel does not accept these capabilities for
    // perf events.
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--fork", "--kill-child", "--"]);
    command.arg(jdk.java()).args(["-cp", &workloads_class_path(), "whittle.workloads.truth.Spin", "--seconds", "60"]);
    let allowed = Command::new("unshare").args(["--user", "--map-root-user", "true"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        return not_run("needs the right to unshare a user namespace");
    }
    let outer = Running::plain(command);
    let pid = outer.wait_for_child_jvm();
    let workspace = Workspace::new();
    workspace.text(&["collect", "-p", &pid, "-d", "3s", "-o", "a.whittle"]);
    let overview = workspace.json(&["overview", "a.whittle"]);
    assert!(overview["closure_ratio"].as_f64().unwrap() > 0.9, "{}", overview["closure_ratio"]);
    let collector = &overview["collectors"][0];
    let has_split = overview["totals"]["system_cpu_ns"].is_number();
    assert_eq!(has_split, collector["engine"] != "ctimer", "{collector}");
}
