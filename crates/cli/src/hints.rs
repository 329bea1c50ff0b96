//! Hints for errors of libraries. A hint names options and commands, which the libraries do not know.

use std::error::Error;
use std::path::Path;
use whittle_import::ImportError;
use whittle_server::ServerError;

/// A hint for the user about an error. Missing: the error needs no hint.
pub(crate) fn hint(error: &(dyn Error + 'static)) -> Option<String> {
    let analysis = error.downcast_ref().and_then(whittle_terminal::hint_of_view);
    let collection = || error.downcast_ref().and_then(of_collection);
    let experiment = || error.downcast_ref().and_then(of_experiment).map(str::to_owned);
    let import = || error.downcast_ref().and_then(of_import).map(str::to_owned);
    let server = || error.downcast_ref().and_then(of_server).map(str::to_owned);
    analysis.or_else(collection).or_else(experiment).or_else(import).or_else(server)
}

fn of_collection(error: &whittle_collect::Error) -> Option<String> {
    use whittle_collect::Error as Problem;
    let hint = match error {
        Problem::AttachDisabled { .. } => {
            "restart the JVM without the flag, or start it with `whittle collect -- java …`"
        }
        Problem::AttachWouldKill { .. } => {
            "try again in a second, or start the program with `whittle collect -- java …`"
        }
        Problem::OtherJvmsSocket { .. } => {
            "give each JVM a separate /tmp, or start the program with `whittle collect -- java …`"
        }
        Problem::NotExecutable { .. } => {
            "start the program without whittle and collect it with `whittle collect -p PID`, which loads the profiler from memory"
        }
        Problem::NotExecutableForMusl { .. } => {
            "run whittle as root on the host, or mount /tmp with exec, for example with `--tmpfs /tmp:exec` for a container"
        }
        Problem::AttachOccupied { path, .. } => {
            return Some(format!("remove {} if no JVM uses it, and find out who created it", path.display()));
        }
        Problem::OtherProfiler { .. } | Problem::OtherProfilerAtStart { .. } => {
            "record with the other profiler and read its file with `whittle import`, or restart the program without the other profiler"
        }
        Problem::Io { path, source, .. } if path == Path::new("/tmp") && is_read_only(source) => {
            "a JVM needs a writable /tmp so that programs can attach to it: mount one, for example with `--tmpfs /tmp` for a container"
        }
        Problem::Io { path, source, .. } if is_other_container(path, source) => {
            "to attach to a JVM in another container, root needs CAP_SYS_PTRACE and CAP_SYS_ADMIN: run whittle on the host, or in a \
             container with `--pid host --privileged`"
        }
        Problem::NotStopped { pid, .. } => {
            return Some(format!("stop it with `whittle collect -p {pid} -d 1s --take-over -o NAME.whittle`"));
        }
        Problem::AlreadyProfiled { .. } => {
            "end the other collection first with Ctrl-C; if the other whittle was killed, add --take-over"
        }
        Problem::EngineUnavailable { .. } => "leave out --engine to use an engine that is allowed here",
        Problem::EngineNeedsJava { .. } => "leave out --engine to use the engine `kernel`",
        Problem::InstrumentNeedsKernel { .. } => {
            "leave out --engine, and run `whittle doctor` to see what the engine `kernel` needs; or leave out --instrument"
        }
        Problem::BadMetric(_) => "see --metric in the help",
        Problem::MetricNeedsLaunch => "start the program with `whittle collect --metric … -- PROGRAM …`",
        Problem::Experiment(error) | Problem::NotAllWritten { source: error, .. } => of_experiment(error)?,
        _ => return None,
    };
    Some(hint.to_owned())
}

/// True if the namespaces of a process are closed to whittle.
fn is_other_container(path: &Path, error: &std::io::Error) -> bool {
    let text = error.to_string();
    let is_namespace = path.parent().is_some_and(|folder| folder.ends_with("ns"));
    is_namespace && text.contains("Permission denied")
        || text.contains("cannot enter the mount namespace: Operation not permitted")
}

/// The error can come from a helper process, which sends only the text.
fn is_read_only(error: &std::io::Error) -> bool {
    error.to_string().contains("Read-only file system")
}

fn of_experiment(error: &whittle_experiment::Error) -> Option<&'static str> {
    match error {
        whittle_experiment::Error::NotAnExperiment { .. } => {
            Some("give the directory that `whittle collect` or `whittle import` wrote (NAME.whittle)")
        }
        whittle_experiment::Error::Exists { .. } => {
            Some("choose another name, or add --force to replace the experiment")
        }
        _ => None,
    }
}

fn of_import(error: &ImportError) -> Option<&'static str> {
    let has_limit = matches!(error, ImportError::TooLarge { .. } | ImportError::ChunkTooLarge { .. });
    has_limit.then_some("if you trust the file, raise the limit with --max-memory")
}

fn of_server(error: &ServerError) -> Option<&'static str> {
    matches!(error, ServerError::Listen { .. }).then_some("choose another port with --port, or leave out --port")
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_profile::{AnalysisError, ViewMode};
    use whittle_terminal::Failure;

    #[test]
    fn a_jvm_without_a_writable_tmp_gets_advice() {
        let problem = |path: &str, text: &str| whittle_collect::Error::Io {
            action: "put a file for the JVM into this folder",
            path: path.into(),
            source: std::io::Error::other(text.to_owned()),
        };
        let found = |path, text| hint(&problem(path, text));
        let read_only = "cannot open the folder: Read-only file system (os error 30)";
        assert!(found("/tmp", read_only).unwrap().contains("--tmpfs /tmp"));
        assert_eq!((found("/srv", read_only), found("/tmp", "Permission denied (os error 13)")), (None, None));
    }

    #[test]
    fn root_without_the_rights_to_enter_another_container_gets_advice() {
        let advice = |path: &str, text: &str| {
            let source = std::io::Error::other(text.to_owned());
            hint(&whittle_collect::Error::Io { action: "read", path: path.into(), source })
        };
        let refused = "cannot enter the mount namespace: Operation not permitted (os error 1)";
        for (path, text) in [("/proc/7/ns/mnt", "Permission denied (os error 13)"), ("/proc/7/root", refused)] {
            assert!(advice(path, text).unwrap().contains("--privileged"), "{path}");
        }
        assert_eq!(advice("/proc/7/maps", "Permission denied (os error 13)"), None);
    }

    #[test]
    fn errors_of_each_library_have_hints() {
        let function =
            AnalysisError::HiddenFunction { name: "f".to_owned(), mode: ViewMode::User, shown_in: ViewMode::Machine };
        assert_eq!(hint(&function).as_deref(), Some("add --mode machine"));
        assert_eq!(hint(&AnalysisError::NothingToCompare), None);
        let exists = || whittle_experiment::Error::Exists { path: "a.whittle".into() };
        assert!(hint(&exists()).is_some_and(|hint| hint.contains("--force")));
        assert_eq!(hint(&whittle_collect::Error::Experiment(exists())), hint(&exists()));
        let too_large = ImportError::TooLarge { max_bytes: 1, needed: None };
        assert!(hint(&too_large).is_some_and(|hint| hint.contains("--max-memory")));
        let source = std::io::ErrorKind::AddrInUse.into();
        assert!(hint(&ServerError::Listen { port: 1, source }).is_some_and(|hint| hint.contains("--port")));
        assert_eq!(hint(&std::fmt::Error), None);
    }

    #[test]
    fn a_message_has_its_hint_once() {
        whittle_terminal::give_hints(hint);
        let message = Failure::from(AnalysisError::FixedColumns { view: "threads" }).message;
        assert_eq!(message.matches("leave out --metrics").count(), 1, "{message}");
    }
}
