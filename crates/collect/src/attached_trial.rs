//! A trial in a running JVM: the agent makes the changes of a plan, and its methods execute their old and their new code in turns.
//!
//! ```text
//! lock file, plan, class files, jar in the JVM's /tmp      the hand of the folder has the lock
//!     └ load the jar: try ── turns ── end-try ── report
//! ```
//!
//! If whittle ends in any other way, the kernel releases the lock, and the agent restores the classes itself.

use crate::Error;
use crate::attach::Jvm;
use crate::cpu_timeline::CpuTimeline;
use crate::hand::{Installed, World};
use crate::process::Process;
use crate::session_folder::SessionFolder;
use std::path::PathBuf;
use std::sync::Arc;

/// A longer report is cut. A turn has about 80 bytes.
const MAX_REPORT_BYTES: u64 = 4 << 20;

/// The paths of a trial's files, as the JVM sees them.
#[derive(Debug, Clone)]
pub struct TrialPaths {
    /// The report that the agent writes.
    pub report: PathBuf,
    /// The class files, in the order in which the caller gave them.
    pub class_files: Vec<PathBuf>,
}

/// A trial in a running JVM. When this is dropped, the agent restores the classes.
#[derive(Debug)]
pub struct AttachedTrial {
    jvm: Jvm,
    /// The JVM's clock minus that of this machine.
    clock_offset_ns: i64,
    folder: SessionFolder,
    world: Arc<World>,
    jar: PathBuf,
    lock: PathBuf,
    cpu: CpuTimeline,
    is_ended: bool,
}

impl AttachedTrial {
    /// Starts a trial. `plan` makes the text of the plan from the paths of its files. The agent has answered when this returns, and
    /// the report says whether it has made the changes.
    ///
    /// # Errors
    /// The process is no JVM, or whittle cannot attach to it.
    pub fn start(
        process_id: u32,
        class_files: &[&[u8]],
        plan: impl FnOnce(&TrialPaths) -> String,
    ) -> Result<Self, Error> {
        let process = Process(process_id);
        let jvm = Jvm::find(process)?;
        let world = World::of(process)?;
        jvm.prove(&world)?;
        let folder = SessionFolder::create(world.clone())?;
        let jar = folder.install(Installed::AgentJar)?;
        let lock = folder.create_lock()?;
        let paths = (1..).zip(class_files).map(|(number, bytes)| folder.write_class(number, bytes));
        let class_files = paths.collect::<Result<_, _>>()?;
        folder.write_plan(&plan(&TrialPaths { report: folder.report_path(), class_files }))?;
        let (clock_offset_ns, cpu) = (process.monotonic_offset_ns(), CpuTimeline::new(process));
        // From now on, the drop of the trial restores the classes, also after an error.
        let trial = Self { jvm, clock_offset_ns, folder, world, jar, lock, cpu, is_ended: false };
        trial.command("try")?;
        Ok(trial)
    }

    /// Reads the CPU time of the process. Call this often. False: the process has ended.
    pub fn poll(&mut self) -> bool {
        self.cpu.poll()
    }

    /// The agent's report so far. `None`: there is none.
    pub fn report(&self) -> Option<String> {
        self.folder.read_report(MAX_REPORT_BYTES)
    }

    /// CPU time of the process in user mode and in the kernel, in nanoseconds, between two moments of the JVM's clock
    /// (`System.nanoTime`). `None`: the process was not polled then.
    pub fn cpu_between(&self, begin_ns: i64, end_ns: i64) -> Option<(u64, u64)> {
        let of_machine = |jvm_ns: i64| u64::try_from(jvm_ns.checked_sub(self.clock_offset_ns)?).ok();
        self.cpu.between(of_machine(begin_ns)?, of_machine(end_ns)?)
    }

    /// The command line of the process.
    pub fn command_line(&self) -> Vec<String> {
        crate::process_memory::command_line(self.jvm.process)
    }

    /// Restores the classes, and waits for it.
    ///
    /// # Errors
    /// The JVM does not answer. If it executes the agent's thread, the agent restores the classes after whittle's end.
    pub fn end(&mut self) -> Result<(), Error> {
        self.is_ended = true;
        self.command("end-try")
    }

    fn command(&self, word: &str) -> Result<(), Error> {
        self.jvm.load_java_agent(&self.jar, &format!("{word}:{}", self.lock.display()), self.world.identity())
    }
}

impl Drop for AttachedTrial {
    fn drop(&mut self) {
        if !self.is_ended {
            // If this fails, the agent ends the trial itself, because the lock is free.
            let _ = self.end();
        }
    }
}
