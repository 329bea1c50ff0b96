//! Errors of collections.

use std::path::PathBuf;
use thiserror::Error;
use whittle_model::ExitStatus;

/// Why a collection could not start, or did not end well.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    #[error("no process has the id {pid}; `jcmd -l` or `pgrep -a java` lists the Java programs that run")]
    NoSuchProcess { pid: u32 },
    #[error(
        "process {pid} ({command}) is not a HotSpot JVM: whittle collects Java programs on OpenJDK and on JVMs based on OpenJDK"
    )]
    NotAJvm { pid: u32, command: String },
    #[error("process {pid} is an OpenJ9 JVM, and whittle collects only HotSpot JVMs, for example Eclipse Temurin")]
    OpenJ9 { pid: u32 },
    #[error("{launcher} starts an OpenJ9 JVM, and whittle collects only HotSpot JVMs, for example Eclipse Temurin")]
    OpenJ9Launcher { launcher: String },
    #[error(
        "process {pid} looks like a JVM, but {library} is not HotSpot's library, so whittle does not attach to the process"
    )]
    NotHotSpot { pid: u32, library: String },
    #[error("process {pid} is a 32-bit program, and whittle collects only 64-bit programs")]
    ThirtyTwoBit { pid: u32 },
    #[error(
        "process {pid} runs as user id {owner_uid}, but whittle runs as {own_uid}; run whittle as the process's user (sudo -u '#{owner_uid}') or {}",
        if *own_uid == 0 { "give root the capability CAP_SYS_PTRACE (in a container, add `--cap-add SYS_PTRACE`)" } else { "as root" }
    )]
    OtherUser { pid: u32, owner_uid: u32, own_uid: u32 },
    #[error("process {pid} was started with {flag}, so nothing can attach to it")]
    AttachDisabled { pid: u32, flag: &'static str },
    #[error("process {pid} does not handle SIGQUIT (a JVM that is still starting), and attaching would kill it")]
    AttachWouldKill { pid: u32 },
    #[error(
        "process {pid} is stopped (state {state}), so it cannot respond; continue the process (kill -CONT {pid}) and try again"
    )]
    Stopped { pid: u32, state: char },
    #[error(
        "process {pid} did not open its attach socket within {seconds} s; does the JVM hang, or is its /tmp not writable?"
    )]
    AttachTimeout { pid: u32, seconds: u64 },
    #[error("{} is mounted with noexec, so the JVM cannot load the profiler's library from it", folder.display())]
    NotExecutable { folder: PathBuf },
    #[error(
        "/tmp of process {pid} is mounted with noexec, and its JVM uses the C library musl; whittle can then collect it only with \
         CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE of the host; root in a container or in a user namespace usually has neither"
    )]
    NotExecutableForMusl { pid: u32 },
    #[error(
        "process {pid} cannot open its attach socket, because {} belongs to another user (id {owner})", path.display()
    )]
    AttachOccupied { pid: u32, path: PathBuf, owner: u32 },
    #[error("the attach socket {} of process {pid} belongs to another process: two containers share a /tmp", socket.display())]
    OtherJvmsSocket { pid: u32, socket: PathBuf },
    #[error("whittle's helper process for process {pid} {reason}")]
    HandLost { pid: u32, reason: String },
    #[error("process {pid} has another async-profiler loaded, {library}, and two async-profilers in one JVM conflict")]
    OtherProfiler { pid: u32, library: String },
    #[error(
        "process {pid} handles SIGPROF itself, and the profiler would replace its handler; stop the profiler in the program, or the library that handles SIGPROF, and try again"
    )]
    OwnSigprof { pid: u32 },
    #[error(
        "the option {option} in {origin} loads another async-profiler, and two async-profilers in one JVM conflict; remove the option"
    )]
    OtherProfilerAtStart { option: String, origin: String },
    #[error(
        "a library that the environment loads into every program handles SIGPROF (LD_PRELOAD={preloaded}), and the profiler would replace its handler; start the program without this library"
    )]
    PreloadedSigprof { preloaded: String },
    #[error(
        "the recorded data is written to the experiment, but the profiler in process {pid} could not be stopped ({reason}) and is still recording"
    )]
    NotStopped { pid: u32, reason: String },
    #[error("process {pid} refused the attach command `{command}`: {answer}")]
    AttachRefused { pid: u32, command: String, answer: String },
    #[error("async-profiler in process {pid} did not start: {answer}")]
    Profiler { pid: u32, answer: String },
    #[error("a profiler already records in process {pid}")]
    AlreadyProfiled { pid: u32 },
    #[error("{program}: cannot be started: {source}")]
    CannotLaunch { program: String, source: std::io::Error },
    #[error("the engine `{engine}` needs {needs}, and {reason}")]
    EngineUnavailable { engine: &'static str, needs: &'static str, reason: String },
    #[error("the engine `{engine}` collects only Java programs, and this is not a Java program")]
    EngineNeedsJava { engine: &'static str },
    #[error("only the engine `kernel` collects programs that are not JVMs; it needs BPF programs, and {reason}")]
    NativeNeedsKernel { reason: String },
    #[error("--instrument needs the engine `kernel`, which is not used here: {reason}")]
    InstrumentNeedsKernel { reason: String },
    #[error(transparent)]
    BadMetric(#[from] crate::program_output::BadPattern),
    #[error("numbers that a program prints can be read only if whittle starts the program")]
    MetricNeedsLaunch,
    #[error("the kernel side failed: {reason}")]
    Kernel { reason: String },
    #[error("{}: cannot {action}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Experiment(#[from] whittle_experiment::Error),
    #[error("{source}; {kept}")]
    NotAllWritten { source: whittle_experiment::Error, kept: String },
    #[error(
        "no sample was recorded: the program ended before its profiler was ready, or the program was not a JVM{reason}"
    )]
    NothingCollected { reason: String, exit: Option<ExitStatus> },
    #[error(
        "nothing was recorded in process {pid}: the process ended, or its /tmp was removed, before the first samples were written{reason}"
    )]
    NothingRecorded { pid: u32, reason: String },
}

/// Why the BPF programs could not be loaded or used.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub(crate) enum KernelError {
    #[error(
        "the kernel has no type information ({0}); use a kernel with CONFIG_DEBUG_INFO_BTF, which all large distributions provide"
    )]
    NoTypes(String),
    #[error("{what} was refused: {reason}")]
    Refused { what: String, reason: String },
}

impl From<KernelError> for Error {
    fn from(error: KernelError) -> Self {
        Self::Kernel { reason: error.to_string() }
    }
}

impl Error {
    /// Wraps the system's error in `action` on `path`, for `map_err`.
    pub(crate) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
