//! The running processes, from which the user chooses. Each process has a name, a user, and a reason if it cannot be
//! collected. This module only reads `/proc`.

use crate::attach;
use crate::hand::World;
use crate::jdk_version::{MAX_RELEASE_BYTES, release_paths, version_in_release};
use crate::launchers::program_of_launcher;
use crate::process::Process;
use crate::process_memory::{command_line, mapped_libraries};
use crate::process_owner::accountable_user;
use std::fs;

/// JVM options with their value in the next word of the command line.
const OPTIONS_WITH_VALUE: &[&str] = &[
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--enable-native-access",
    "-d",
    "--describe-module",
    "--source",
];

/// Kinds of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessKind {
    /// A HotSpot JVM.
    Jvm,
    /// Any other program.
    Native,
}

/// A process that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningProcess {
    /// The process's id.
    pub process_id: u32,
    /// The kind of program.
    pub kind: ProcessKind,
    /// Main class, jar or program, without folders. Known launchers have the name of their program, such as `mvn shop`.
    pub name: String,
    /// The command line.
    pub command: Vec<String>,
    /// A number for who is accountable for the process. In a container with its own users, this is the user who started the
    /// container. For a container that root started with its own process ids, this is a number for the container.
    pub user_id: u32,
    /// Name of the process's user. If the user has no name here, this is the user id.
    pub user: String,
    /// Version of the JDK. Missing: the process is not a JVM, or the JDK's files do not contain the version.
    pub jdk: Option<String>,
    /// How long the process has run.
    pub uptime_ns: u64,
    /// Start of the process in clock ticks since the system's start. Together with the process id, this identifies the
    /// process.
    pub start_ticks: u64,
    /// Why the process cannot be collected. Missing: no obstacle is known.
    pub obstacle: Option<String>,
}

/// All processes except whittle's own process and kernel threads, newest first.
pub fn running_processes() -> Vec<RunningProcess> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let mut processes: Vec<RunningProcess> =
        other_processes().filter_map(|process| with_jdk(process, &users)).collect();
    processes.sort_by_key(|process| (process.uptime_ns, std::cmp::Reverse(process.process_id)));
    processes
}

/// The ids of all processes except whittle's own process.
pub fn other_process_ids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter(|id| *id != std::process::id())
}

/// All processes except whittle's own process.
pub(crate) fn other_processes() -> impl Iterator<Item = Process> {
    other_process_ids().map(Process)
}

/// The process with this id. `None`: the process does not exist, or is a kernel thread.
pub fn running_process(process_id: u32) -> Option<RunningProcess> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    with_jdk(Process(process_id), &users)
}

/// The same without the version of the JDK. To read the version, whittle must open a file of the process, and the process
/// can delay this.
pub fn running_process_without_jdk(process_id: u32) -> Option<RunningProcess> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    look_at(Process(process_id), &users)
}

fn with_jdk(process: Process, users: &str) -> Option<RunningProcess> {
    let found = look_at(process, users)?;
    let jdk = if found.kind == ProcessKind::Jvm { jdk_version(process) } else { None };
    Some(RunningProcess { jdk, ..found })
}

fn look_at(process: Process, users: &str) -> Option<RunningProcess> {
    let (stat, status) = (process.stat()?, process.status().ok()?);
    // Kernel threads, and processes that have ended, have no memory.
    status.peak_resident_bytes?;
    let libraries = mapped_libraries(process);
    let is_jvm = libraries.is_ok() && attach::is_jvm(process);
    // A program has no command line when it starts, or after it has erased its command line. A program with mapped
    // libraries has started, so the command line is read after the libraries.
    let command = command_line(process);
    let program = command.first().cloned().or_else(|| process.thread_name(process.0))?;
    let obstacle = match libraries {
        Ok(_) if is_jvm => attach::Jvm::find(process).err().map(|error| error.to_string()),
        Ok(_) => None,
        Err(_) => {
            Some(format!("runs as user {}; run whittle as this user or as root", user_name(status.user.uid, users)))
        }
    };
    let is_java = match &libraries {
        Ok(_) => is_jvm,
        Err(_) => file_name(&program) == "java",
    };
    Some(RunningProcess {
        process_id: process.0,
        kind: if is_java { ProcessKind::Jvm } else { ProcessKind::Native },
        name: if is_java && !command.is_empty() { name_of_java(&command) } else { file_name(&program).to_owned() },
        user_id: accountable_user(process, status.user.uid),
        user: user_name(status.user.uid, users),
        jdk: None,
        uptime_ns: uptime_ns(stat.start_ticks)?,
        start_ticks: stat.start_ticks,
        command,
        obstacle,
    })
}

/// The name of a `java` command line for users: the name of a known launcher's program, otherwise the main class or jar.
pub(crate) fn name_of_java(command: &[String]) -> String {
    let main = java_program(command);
    program_of_launcher(&main, command).unwrap_or(main)
}

/// The main class, module or jar of a `java` command line. If all of these are missing, the name is the launcher's.
pub(crate) fn java_program(command: &[String]) -> String {
    java_words(command).program.to_owned()
}

/// The options of a `java` launcher, which are before the main class, the jar or the module. Options with their value in the
/// next word are left out.
pub(crate) fn jvm_options(command: &[String]) -> Vec<&str> {
    java_words(command).options
}

/// The parts of a `java` command line.
struct JavaWords<'a> {
    /// The options before the program, without the options that have their value in the next word.
    options: Vec<&'a str>,
    /// Main class, module or jar, otherwise the launcher.
    program: &'a str,
}

fn java_words(command: &[String]) -> JavaWords<'_> {
    let mut options = Vec::new();
    let mut words = command.iter().skip(1);
    while let Some(word) = words.next() {
        let program = match word.as_str() {
            "-jar" => words.next().map_or("-jar", |jar| file_name(jar)),
            "-m" | "--module" => words.next().map_or("-m", String::as_str),
            option if OPTIONS_WITH_VALUE.contains(&option) => {
                words.next();
                continue;
            }
            option if option.starts_with('-') || option.starts_with('@') => {
                options.push(option);
                continue;
            }
            main_class => main_class,
        };
        return JavaWords { options, program };
    }
    JavaWords { options, program: command.first().map_or("", |launcher| file_name(launcher)) }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The name of a user ID in the text of `/etc/passwd`.
fn user_name(uid: u32, users: &str) -> String {
    let number = uid.to_string();
    let line = users.lines().map(|line| line.split(':')).find(|fields| fields.clone().nth(2) == Some(&number));
    line.and_then(|mut fields| fields.next()).unwrap_or(&number).to_owned()
}

fn uptime_ns(start_ticks: u64) -> Option<u64> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let now_ns = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
    let start_ns = u128::from(start_ticks) * 1_000_000_000 / u128::from(rustix::param::clock_ticks_per_second().max(1));
    Some(now_ns.saturating_sub(u64::try_from(start_ns).ok()?))
}

/// `JAVA_VERSION` in the file `release` of the mapped JDK. The file is read in the process's file system.
fn jdk_version(process: Process) -> Option<String> {
    let libraries = mapped_libraries(process).ok()?;
    let library = libraries.iter().find(|path| path.ends_with("/server/libjvm.so"))?;
    let world = World::of(process).ok()?;
    let release = release_paths(library).iter().find_map(|path| world.open(path).ok())?;
    let bytes = release.read_start(MAX_RELEASE_BYTES).ok()?;
    version_in_release(&String::from_utf8_lossy(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    fn program(command: &str) -> String {
        java_program(&command.split(' ').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn the_program_stands_behind_the_jvms_options() {
        assert_eq!(program("java -Xmx1g -cp a.jar:b.jar app.Main --port 80"), "app.Main");
        assert_eq!(
            program("/usr/bin/java --add-opens java.base/java.lang=ALL-UNNAMED -jar /srv/app.jar -x"),
            "app.jar"
        );
        assert_eq!(program("java -p mods --add-modules x -m app/app.Main"), "app/app.Main");
        assert_eq!(program("java @options app.Main"), "app.Main");
        assert_eq!(program("/opt/jdk/bin/jshell"), "jshell");
        assert_eq!(program("java -jar"), "-jar");
    }

    #[test]
    fn users_have_names_or_numbers() {
        let users = "root:x:0:0:root:/root:/bin/sh\ncr:x:10:10::/:\nbroken\n";
        assert_eq!(user_name(0, users), "root");
        assert_eq!(user_name(10, users), "cr");
        assert_eq!(user_name(1, users), "1");
    }

    #[test]
    fn a_native_program_is_listed_with_its_age_and_the_own_process_is_not() {
        let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let processes = running_processes();
        let found = processes.iter().find(|process| process.process_id == sleeper.id()).unwrap();
        assert_eq!((found.kind, found.name.as_str(), found.jdk.as_deref()), (ProcessKind::Native, "sleep", None));
        assert_eq!(found.obstacle, None);
        assert!(found.uptime_ns < 20_000_000_000, "{}", found.uptime_ns);
        assert!(processes.iter().all(|process| process.process_id != std::process::id()));
        assert!(processes.is_sorted_by_key(|process| process.uptime_ns));
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert_eq!(running_process(sleeper.id()), None);
    }

    #[test]
    fn a_program_is_there_from_its_first_instant() {
        for _ in 0..300 {
            let mut sleeper = Command::new("sleep").arg("60").spawn().unwrap();
            let found = running_process(sleeper.id());
            sleeper.kill().unwrap();
            sleeper.wait().unwrap();
            assert!(found.is_some_and(|process| !process.name.is_empty()));
        }
    }

    #[test]
    fn the_kernels_threads_are_no_programs() {
        if Process(2).thread_name(2).as_deref() != Some("kthreadd") {
            return whittle_testkit::not_run("the kernel's threads are not visible here");
        }
        assert_eq!(running_process(2), None);
    }

    #[test]
    fn a_jvm_is_listed_with_its_main_class_and_jdk() {
        for jdk in whittle_testkit::jdks() {
            let mut command = Command::new(jdk.java());
            command.args([
                "-cp",
                &whittle_testkit::workloads_class_path(),
                "whittle.workloads.crc.Slow",
                "--seconds",
                "60",
            ]);
            let mut java = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let deadline = Instant::now() + Duration::from_secs(20);
            let found = loop {
                let found = running_process(java.id()).filter(|process| process.kind == ProcessKind::Jvm);
                if found.is_some() || Instant::now() > deadline {
                    break found;
                }
                std::thread::sleep(Duration::from_millis(50));
            };
            java.kill().unwrap();
            java.wait().unwrap();
            let found = found.unwrap();
            assert_eq!(found.name, "whittle.workloads.crc.Slow");
            assert!(found.jdk.unwrap().starts_with(&jdk.version.to_string()));
        }
    }
}
