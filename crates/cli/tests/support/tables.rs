//! The tables of an experiment for tests: samples with their stacks, and sums of samples.

use super::Workspace;
use std::collections::BTreeMap;
use whittle_experiment::Experiment;
use whittle_model::thread_name::several_of_name;
use whittle_model::{EventKind, FunctionKind, LossReason, Manifest, StackIndex, Tables, ThreadClass, ThreadIndex};
use whittle_testkit::not_run;

/// An experiment without unreadable data.
pub(crate) struct Collected {
    pub(crate) manifest: Manifest,
    pub(crate) tables: Tables,
}

impl Collected {
    /// Reads an experiment, which must be undamaged.
    pub(crate) fn read(workspace: &Workspace, experiment: &str) -> Self {
        let Experiment { manifest, tables, damage } =
            whittle_experiment::read(&workspace.path(experiment)).unwrap_or_else(|error| panic!("{error}"));
        assert!(damage.is_empty(), "{damage:?}");
        let collector = manifest.collectors.first().expect("a collector");
        assert_eq!(collector.engine, "kernel", "{}", collector.reason);
        Self { manifest, tables }
    }

    /// The length of the kernel's timer tick in nanoseconds: 4 ms with CONFIG_HZ=250.
    pub(crate) fn tick_ns(&self) -> f64 {
        1e9 / f64::from(self.manifest.host.as_ref().and_then(|host| host.tick_hz).expect("the engine records the tick"))
    }

    /// CPU time that samples with a complete stack explain, as a ratio of the scheduler's count.
    pub(crate) fn closure_ratio(&self) -> f64 {
        self.manifest.closure.as_ref().and_then(|closure| closure.ratio()).expect("the program used CPU time")
    }

    /// Number of samples of CPU time.
    pub(crate) fn cpu_samples_count(&self) -> f64 {
        self.samples(EventKind::Cpu).count() as f64
    }

    /// The functions of a stack, leaf first.
    pub(crate) fn names(&self, stack: StackIndex) -> Vec<&str> {
        self.frames(stack).map(|frame| self.function_of(frame).0).collect()
    }

    fn frames(&self, mut stack: StackIndex) -> impl Iterator<Item = usize> + '_ {
        std::iter::from_fn(move || {
            (stack != StackIndex::ROOT).then(|| {
                let frame = self.tables.stacks.frame[stack.row()].row();
                stack = self.tables.stacks.parent[stack.row()];
                frame
            })
        })
    }

    fn function_of(&self, frame: usize) -> (&str, FunctionKind) {
        let function = self.tables.frames.function[frame].row();
        (&self.tables.functions.display_name[function], self.tables.functions.kind[function])
    }

    /// Why the root of a stack is missing; `none` if the stack has its root.
    pub(crate) fn missing(&self, stack: StackIndex) -> LossReason {
        self.frames(stack).last().map_or(LossReason::NoFrames, |frame| self.tables.frames.reason[frame])
    }

    /// True if a stack is complete.
    pub(crate) fn is_rooted(&self, stack: StackIndex) -> bool {
        self.missing(stack) == LossReason::None
    }

    /// True if a stack is complete and contains Java code.
    pub(crate) fn has_java(&self, stack: StackIndex) -> bool {
        self.is_rooted(stack) && self.frames(stack).any(|frame| self.function_of(frame).1 == FunctionKind::Java)
    }

    /// The rows of samples of an event.
    pub(crate) fn samples(&self, event: EventKind) -> impl Iterator<Item = usize> + '_ {
        let events = self.tables.samples.event.iter().enumerate();
        events.filter(move |(_, found)| **found == event).map(|(row, _)| row)
    }

    /// The thread with this name.
    pub(crate) fn thread(&self, name: &str) -> ThreadIndex {
        let row = self.tables.threads.name.iter().position(|found| found == name);
        ThreadIndex::from_row(row.unwrap_or_else(|| panic!("no thread {name} in {:?}", self.tables.threads.name)))
    }

    /// How many threads a row of the table represents, from the row's name: `task-# (1200 threads)`.
    pub(crate) fn threads_in(&self, row: usize) -> u64 {
        several_of_name(&self.tables.threads.name[row]).map_or(1, |(_, count)| count)
    }

    pub(crate) fn thread_name(&self, thread: ThreadIndex) -> &str {
        &self.tables.threads.name[thread.row()]
    }

    /// Total weight of an event's samples with a stack that `is_wanted` selects.
    pub(crate) fn weight(&self, event: EventKind, is_wanted: impl Fn(StackIndex) -> bool) -> f64 {
        let samples = &self.tables.samples;
        let of_row = |row: usize| match event {
            EventKind::Syscall | EventKind::PageFault => samples.count[row],
            EventKind::SyscallBytes | EventKind::Alloc => samples.bytes[row],
            _ => samples.duration_ns[row],
        };
        let rows = self.samples(event).filter(|row| is_wanted(samples.stack[*row]));
        rows.map(|row| of_row(row) as f64).sum()
    }

    /// True if a thread executes the program's code, and is not one of the JVM's own threads.
    pub(crate) fn is_of_work(&self, thread: ThreadIndex) -> bool {
        self.tables.threads.class[thread.row()] == ThreadClass::Work
    }

    /// The exact CPU time of the threads that execute the program's code, in nanoseconds. The JVM's own threads are left out.
    pub(crate) fn work_cpu_ns(&self) -> f64 {
        let threads = &self.tables.threads;
        let rows = (0..threads.class.len()).filter(|row| self.is_of_work(ThreadIndex::from_row(*row)));
        let times = rows.filter_map(|row| threads.cpu_ns[row]);
        times.map(|cpu_ns| cpu_ns as f64).sum()
    }

    /// Number of incomplete stacks by reason, and number of all samples.
    pub(crate) fn missing_by_reason(&self) -> (BTreeMap<LossReason, u64>, u64) {
        let mut missing = BTreeMap::new();
        for stack in &self.tables.samples.stack {
            *missing.entry(self.missing(*stack)).or_default() += 1;
        }
        missing.remove(&LossReason::None);
        (missing, self.tables.samples.stack.len() as u64)
    }

    /// Blocked time of a thread by reason.
    pub(crate) fn blocked_ns(&self, thread: ThreadIndex) -> BTreeMap<&'static str, f64> {
        let states = &self.tables.thread_states;
        let mut blocked = BTreeMap::new();
        for row in (0..states.thread.len()).filter(|row| states.thread[*row] == thread) {
            if states.state[row] == whittle_model::ThreadState::Blocked {
                *blocked.entry(states.reason[row].name()).or_default() += states.duration_ns[row] as f64;
            }
        }
        blocked
    }
}

/// True if whittle is allowed to load BPF programs here. Otherwise, the test is reported as not run.
pub(crate) fn may_use_kernel_engine() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let capabilities = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap_or("0").trim();
    let capabilities = u64::from_str_radix(capabilities, 16).unwrap_or(0);
    const PERFMON_AND_BPF: u64 = 1 << 38 | 1 << 39;
    let is_allowed =
        capabilities & PERFMON_AND_BPF == PERFMON_AND_BPF && std::path::Path::new("/sys/kernel/btf/vmlinux").exists();
    if !is_allowed {
        not_run("needs the right to load BPF programs (root, or CAP_BPF and CAP_PERFMON), and a kernel with BTF");
    }
    is_allowed
}

/// The JDKs for a test of the engine `kernel`. Empty if the engine is not allowed here.
pub(crate) fn kernel_jdks() -> Vec<whittle_testkit::Jdk> {
    if may_use_kernel_engine() { whittle_testkit::jdks() } else { Vec::new() }
}
