//! The log in which the JVM reports its safepoints, garbage collections and compilations. It is in the session's folder.
//!
//! Unified logging costs the JVM one line per event. These events are some hundred per second, and for some seconds after the
//! start some thousand. JDK 8 does not have it. A program that whittle starts gets the option `-Xlog`. A running JVM gets the
//! diagnostic command `VM.log`, which adds one output and does not change the other outputs.

use crate::Error;
use crate::attach::Jvm;
use crate::hand::{Identity, TargetFile};
use crate::process::Process;
use crate::session_folder::{SessionFolder, owner_of_jvm_log};
use std::io;
use std::path::Path;
use whittle_import::{JVM_LOG_DECORATORS, JVM_LOG_WHAT, JvmLog};
use whittle_model::JvmEventTable;
use whittle_native::ReadAt;

/// The first JDK with unified logging.
const FIRST_RELEASE: u32 = 9;

/// The JVM renames the file at this size, and starts a new one. It keeps one renamed file. So the log of a JVM whose whittle
/// was killed has twice this size at most.
const MAX_LOG_BYTES: u64 = 16 << 20;

/// Maximum number of logs of killed whittle processes that are ended. A hostile program can answer with any number.
const MAX_ABANDONED: usize = 4;

/// Bytes that are read at once.
const PIECE_BYTES: u64 = 64 << 10;

/// The option of a launched JVM that writes its log to the session's folder. `None`: the JDK does not have this option, or its
/// release is unknown.
pub(crate) fn launch_option(release: Option<u32>, folder: &SessionFolder) -> Option<String> {
    let is_known = release.is_some_and(|release| release >= FIRST_RELEASE);
    let path = folder.jvm_log_path();
    is_known.then(|| format!("-Xlog:{JVM_LOG_WHAT}:file={}:{JVM_LOG_DECORATORS}:{}", path.display(), output_options()))
}

/// Lets a running JVM write its log to the session's folder.
pub(crate) fn start(jvm: &Jvm, folder: &SessionFolder, identity: Option<&Identity>) -> Result<(), Error> {
    stop_abandoned(jvm, identity)?;
    let path = folder.jvm_log_path();
    let command = format!(
        "VM.log output=\"file={}\" output_options={} what={JVM_LOG_WHAT} decorators={JVM_LOG_DECORATORS}",
        path.display(),
        output_options()
    );
    jvm.diagnostic_command(&command, identity).map(drop)
}

/// The text for the user if a JVM has no unified logging.
pub(crate) const NO_PAUSES: &str = "no pauses of the JVM: JDK 8 has no unified logging";

/// The answer of a JVM that does not know `VM.log`.
const UNKNOWN_COMMAND: &str = "Unknown diagnostic command";

/// The text for the user if the log could not be started.
pub(crate) fn not_started(error: &Error) -> String {
    match error {
        Error::AttachRefused { answer, .. } if answer.contains(UNKNOWN_COMMAND) => NO_PAUSES.to_owned(),
        error => format!("no pauses of the JVM: {error}"),
    }
}

/// True if JDKs of this release have no unified logging.
pub(crate) fn is_missing(release: u32) -> bool {
    release < FIRST_RELEASE
}

/// Ends the log of a JVM that continues. Returns a note for the user if this failed.
pub(crate) fn stop(process: Process, folder: &SessionFolder, identity: Option<&Identity>) -> Option<String> {
    let stopped = Jvm::find(process).and_then(|jvm| stop_output(&jvm, &folder.jvm_log_path(), identity));
    let error = stopped.err().filter(|_| process.is_alive())?;
    Some(format!(
        "the JVM still writes its log of pauses, {} MiB at most ({error}); the next `whittle collect` ends it",
        2 * (MAX_LOG_BYTES >> 20)
    ))
}

/// Ends the logs of whittle processes that were killed.
fn stop_abandoned(jvm: &Jvm, identity: Option<&Identity>) -> Result<(), Error> {
    let outputs = jvm.diagnostic_command("VM.log list", identity)?;
    let paths = outputs.split_whitespace().filter_map(|word| word.strip_prefix("file=")).map(Path::new);
    let is_abandoned = |path: &&Path| owner_of_jvm_log(path).is_some_and(|whittle| !Process(whittle).path("").exists());
    paths.filter(is_abandoned).take(MAX_ABANDONED).try_for_each(|path| stop_output(jvm, path, identity))
}

/// The JVM removes an output that logs nothing.
fn stop_output(jvm: &Jvm, path: &Path, identity: Option<&Identity>) -> Result<(), Error> {
    let command = format!("VM.log output=\"file={}\" what=all=off", path.display());
    jvm.diagnostic_command(&command, identity).map(drop)
}

fn output_options() -> String {
    format!("filecount=1,filesize={}M", MAX_LOG_BYTES >> 20)
}

/// A growing log, and what was read from it.
#[derive(Debug)]
pub(crate) struct GrowingJvmLog {
    file: Option<TargetFile>,
    position: u64,
    reader: JvmLog,
}

impl GrowingJvmLog {
    /// A log of which nothing was read. `start_ns` is the experiment's start on the JVM's CLOCK_MONOTONIC.
    pub(crate) fn new(start_ns: u64) -> Self {
        Self { file: None, position: 0, reader: JvmLog::new(start_ns) }
    }

    /// Reads what the JVM has written since the last call.
    pub(crate) fn read(&mut self, folder: &SessionFolder, events: &mut JvmEventTable) -> io::Result<()> {
        if self.file.is_none() {
            self.file = folder.open_jvm_log();
        }
        self.read_file(events)?;
        if self.position >= MAX_LOG_BYTES
            && let Some(next) = folder.open_jvm_log()
            && next.size()? < self.position
        {
            // The JVM has renamed the file. It can have written to the file since it was read.
            self.read_file(events)?;
            (self.file, self.position) = (Some(next), 0);
            self.read_file(events)?;
        }
        Ok(())
    }

    /// Reads the rest of the open file.
    fn read_file(&mut self, events: &mut JvmEventTable) -> io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let end = file.size()?.min(MAX_LOG_BYTES * 2);
        while self.position < end {
            let mut piece = vec![0; PIECE_BYTES.min(end - self.position) as usize];
            file.read_exact_at(&mut piece, self.position)?;
            self.position += piece.len() as u64;
            self.reader.push(&piece, events);
        }
        Ok(())
    }

    /// Reads the rest of a log that does not grow any more. Returns the number of events that were left out.
    pub(crate) fn finish(mut self, folder: &SessionFolder, events: &mut JvmEventTable) -> io::Result<u64> {
        let read = self.read(folder, events);
        self.reader.finish(events);
        read.map(|()| self.reader.left_out_count())
    }
}
