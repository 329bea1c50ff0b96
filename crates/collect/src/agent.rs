//! The profiler inside the observed JVM, with its library and its recording. This module also starts and stops the
//! profiler.

use crate::Error;
use crate::async_profiler::{self, Start};
use crate::attach::{Jvm, Library, library_in_memory};
use crate::engine::Engine;
use crate::hand::{Identity, Installed, World};
use crate::options::CollectOptions;
use crate::other_profilers;
use crate::process::Process;
use crate::recording::GrowingRecording;
use crate::session_folder::{self, SessionFolder};
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use whittle_import::JfrOptions;

/// A collection can take this much longer than its set duration. After this time, the profiler in the JVM assumes that
/// whittle is dead, and ends.
const TIMEOUT_SLACK: Duration = Duration::from_secs(60);

/// The text for the user if a JVM cannot report allocations.
pub(crate) const NO_ALLOCATIONS: &str = "no allocations: before JDK 11, they need the symbols of libjvm.so, which are missing \
     (install the JVM's debug symbols, or use JDK 11 or later)";

/// The profiler inside one JVM.
#[derive(Debug)]
pub(crate) struct Agent {
    library: Library,
    /// The process in which the library may be loaded. Missing: a program that whittle started.
    identity: Option<Identity>,
    /// The folder of the recording. It is removed when the last part of the collection that reads the recording is
    /// dropped.
    pub(crate) folder: Arc<SessionFolder>,
    pub(crate) recording: GrowingRecording,
    /// The time between two observations of a thread that finds its waits. Missing: waits are not observed.
    pub(crate) wall_interval_ns: Option<u64>,
}

impl Agent {
    /// The profiler for a program that whittle is about to start.
    pub(crate) fn for_launch(command: &[OsString]) -> Result<Self, Error> {
        other_profilers::check_launch(command)?;
        let world = World::own()?;
        let library = Library::File(world.install(Installed::Profiler)?);
        let folder = Arc::new(SessionFolder::create(world)?);
        let recording = GrowingRecording::new(JfrOptions::default());
        Ok(Self { library, identity: None, folder, recording, wall_interval_ns: None })
    }

    /// The profiler for a running JVM. It is not started yet.
    pub(crate) fn for_attach(jvm: &Jvm) -> Result<Self, Error> {
        let world = World::of(jvm.process)?;
        jvm.prove(&world)?;
        let library = match world.install(Installed::Profiler) {
            _ if library_in_memory(jvm.process).is_some() => Library::Memory,
            Err(Error::NotExecutable { .. }) => Library::Memory,
            installed => Library::File(installed?),
        };
        if library == Library::Memory {
            jvm.check_memory()?;
        }
        other_profilers::check_running(jvm.process, &library)?;
        let identity = world.identity().cloned();
        let folder = Arc::new(SessionFolder::create(world)?);
        let recording = GrowingRecording::new(JfrOptions::default());
        Ok(Self { library, identity, folder, recording, wall_interval_ns: None })
    }

    /// Checks again that no other profiler is in the JVM.
    pub(crate) fn check_others(&self, process: Process) -> Result<(), Error> {
        other_profilers::check_running(process, &self.library)
    }

    /// The same profiler and recording, for the next part of a continuous collection.
    pub(crate) fn for_next_segment(&self) -> Self {
        let recording = self.recording.for_next_segment();
        Self {
            library: self.library.clone(),
            identity: self.identity.clone(),
            folder: Arc::clone(&self.folder),
            recording,
            wall_interval_ns: self.wall_interval_ns,
        }
    }

    /// Sets the sample properties that are not in the recording.
    pub(crate) fn set_import(&mut self, options: JfrOptions) {
        self.recording.set_options(options);
    }

    /// The library's path for a program that whittle starts.
    pub(crate) fn library_path(&self) -> Option<&Path> {
        match &self.library {
            Library::File(path) => Some(path),
            Library::Memory => None,
        }
    }

    /// The option text that starts the recording.
    pub(crate) fn start_options(&self, options: &CollectOptions, engine: Engine) -> String {
        let start = Start {
            engine,
            interval_ns: options.interval.as_nanos() as u64,
            events: &options.events.java_distances(),
            wall_interval_ns: self.wall_interval_ns,
            recording: &self.folder.recording_path(),
            log: &self.folder.log_path(),
            timeout_seconds: options.duration.map(|duration| (duration + TIMEOUT_SLACK).as_secs()),
        };
        start.options()
    }

    /// Ends the recording that a killed whittle process left in the JVM.
    pub(crate) fn take_over(&self, jvm: &Jvm) -> Result<(), Error> {
        self.load(jvm, &self.stop_options())?;
        session_folder::remove_stale(&*World::of(jvm.process)?);
        Ok(())
    }

    /// Starts the recording in a running JVM. Returns what this JVM cannot report, as text for the user and the manifest.
    pub(crate) fn start(
        &self,
        jvm: &Jvm,
        options: &CollectOptions,
        engine: Engine,
    ) -> Result<Option<&'static str>, Error> {
        match self.try_start(jvm, options, engine) {
            Err(Error::Profiler { answer, .. }) if async_profiler::cannot_report_allocations(&answer) => {
                let events = options.events.without_allocations();
                self.try_start(jvm, &CollectOptions { events, ..options.clone() }, engine)?;
                Ok(Some(NO_ALLOCATIONS))
            }
            started => started.map(|()| None),
        }
    }

    fn try_start(&self, jvm: &Jvm, options: &CollectOptions, engine: Engine) -> Result<(), Error> {
        if self.load(jvm, &self.start_options(options, engine))? == 0 {
            return Ok(());
        }
        let pid = jvm.process.0;
        let answer = self.last_error().unwrap_or_else(|| "no reason given".to_owned());
        if async_profiler::is_already_started(&answer) {
            return Err(Error::AlreadyProfiled { pid });
        }
        Err(Error::Profiler { pid, answer })
    }

    /// Ends the recording in a JVM that continues. After an error, the JVM is still recording.
    pub(crate) fn stop(&self, process: Process) -> Result<(), Error> {
        let not_stopped = |reason: String| Error::NotStopped { pid: process.0, reason };
        match Jvm::find(process).and_then(|jvm| self.load(&jvm, &self.stop_options())) {
            Ok(0) => Ok(()),
            // The JVM has ended, so the recording has also ended.
            _ if !process.is_alive() => Ok(()),
            Ok(code) => match self.last_error() {
                // The recording ended at its time limit.
                Some(error) if async_profiler::is_not_started(&error) => Ok(()),
                error => Err(not_stopped(error.unwrap_or_else(|| format!("async-profiler returned {code}")))),
            },
            Err(error) => Err(not_stopped(error.to_string())),
        }
    }

    /// The last error in the profiler's log.
    pub(crate) fn last_error(&self) -> Option<String> {
        async_profiler::last_error(&self.folder.read_log())
    }

    /// Opens the recording as soon as the JVM has created it.
    pub(crate) fn open_recording(&mut self) {
        if !self.recording.is_open()
            && let Some(file) = self.folder.open_recording()
        {
            self.recording.open(file);
        }
    }

    /// The process in which the library may be loaded. Missing: a program that whittle started.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    fn load(&self, jvm: &Jvm, options: &str) -> Result<i32, Error> {
        jvm.load_agent(&self.library, options, self.identity())
    }

    fn stop_options(&self) -> String {
        async_profiler::stop_options(&self.folder.recording_path(), &self.folder.log_path())
    }
}
