//! Threads, and what each of them did when: executing, able to execute, blocked and why.

use crate::ThreadIndex;

codes! {
    /// What kind of work a thread does.
    pub enum ThreadClass {
        /// Not known, for example because the recording holds only a name.
        Unknown = 0 "unknown",
        /// Runs the program's code.
        Work = 1 "work",
        /// Collects garbage.
        Gc = 2 "gc",
        /// Compiles Java methods.
        JitCompiler = 3 "jit_compiler",
        /// Any other thread of the JVM itself.
        JvmService = 4 "jvm_service",
    }
}

impl ThreadClass {
    /// True for the JVM's own threads, whose stacks without Java frames show as `<JVM-System>`.
    pub fn is_jvm(self) -> bool {
        matches!(self, Self::Gc | Self::JitCompiler | Self::JvmService)
    }
}

codes! {
    /// Where a thread's user/system split comes from.
    pub enum CpuSplitSource {
        /// There is no split.
        None = 0 "none",
        /// The kernel's timer ticks, scaled to the exact total: right on average only.
        KernelTicks = 1 "kernel_ticks",
    }
}

table! {
    /// One row per thread of a process. In a program of many short threads a row can stand for several that had like
    /// names and lived one after the other: its name then says how many, as in `task-# (1200 threads)`, and its
    /// figures are their sums.
    pub table ThreadTable of Thread named "threads" {
        /// Process id as the collector saw it. Missing: the input does not tell.
        process_id: Option<u32>,
        /// Operating system thread id. Missing: the input does not tell, or the row stands for several threads.
        thread_id: Option<u32>,
        /// The Java thread name, else the kernel's name; empty: not known.
        name: String,
        /// Kind of work.
        class: ThreadClass,
        /// First seen alive, nanoseconds since the experiment's start. Missing: not known.
        start_ns: Option<u64>,
        /// Seen to have ended, nanoseconds since the experiment's start. Missing: alive at the end, or not known.
        end_ns: Option<u64>,
        /// Exact CPU time during the experiment, from the scheduler. Missing: not measured.
        cpu_ns: Option<u64>,
        /// CPU time in user mode; see `cpu_split`. Missing: not measured.
        user_cpu_ns: Option<u64>,
        /// CPU time in the kernel; see `cpu_split`. Missing: not measured.
        system_cpu_ns: Option<u64>,
        /// Where the user/system split comes from.
        cpu_split: CpuSplitSource,
    }
}

impl Thread {
    /// A thread of which only this is known.
    pub fn unknown(process_id: Option<u32>, thread_id: Option<u32>, name: &str) -> Self {
        Self {
            process_id,
            thread_id,
            name: name.to_owned(),
            class: ThreadClass::Unknown,
            start_ns: None,
            end_ns: None,
            cpu_ns: None,
            user_cpu_ns: None,
            system_cpu_ns: None,
            cpu_split: CpuSplitSource::None,
        }
    }
}

codes! {
    /// Why a thread did not execute.
    pub enum WaitReason {
        /// It executed, or why not is not known.
        None = 0 "none",
        /// It waited for another thread: a lock, a condition, a parked thread.
        Futex = 1 "futex",
        /// It waited for a socket: to read, to write, to accept, to connect.
        Socket = 2 "socket",
        /// It waited for a file or a disk: read, write, fsync, open.
        File = 3 "file",
        /// It slept for a time of its choice.
        Sleep = 4 "sleep",
        /// It waited for any of several descriptors: poll, select, epoll_wait.
        Poll = 5 "poll",
        /// It was able to execute after a wait, and no CPU was free.
        RunQueue = 6 "run_queue",
        /// It waited for a page to come from a file or from swap space.
        PageFault = 7 "page_fault",
        /// Another thread took its CPU away.
        Preemption = 8 "preemption",
        /// It waited for something else.
        Other = 9 "other",
        /// It waited for a pipe.
        Pipe = 10 "pipe",
    }
}

codes! {
    /// What a thread did.
    pub enum ThreadState {
        /// Executed its program's code.
        OnCpuUser = 0 "on_cpu_user",
        /// Executed in the kernel on behalf of its program.
        OnCpuSystem = 1 "on_cpu_system",
        /// Was able to execute, and no CPU was free.
        Runnable = 2 "runnable",
        /// Waited for something to happen.
        Blocked = 3 "blocked",
    }
}

table! {
    /// One row per thread, span of time, state and reason. A thread's spans follow one another in the order of the
    /// rows, and the rows of one span add up to its length. There is no gap from a thread's first span to its last,
    /// unless the row stands for several threads.
    ///
    /// ```text
    /// thread  start_ns  end_ns  state        reason     duration_ns
    ///      1         0     200  on_cpu_user  none               150
    ///      1         0     200  blocked      socket              50
    ///      1       200     900  blocked      socket             700
    /// ```
    pub table ThreadStateTable of ThreadStateSpan named "thread_states" {
        /// Row of threads.
        thread: ThreadIndex,
        /// Start of the span, nanoseconds since the experiment's start.
        start_ns: u64,
        /// End of the span, nanoseconds since the experiment's start; at least `start_ns`.
        end_ns: u64,
        /// What the thread did.
        state: ThreadState,
        /// Why it did not execute; `none` if it did.
        reason: WaitReason,
        /// How much of the span it was in this state for this reason, in nanoseconds.
        duration_ns: u64,
    }
}

impl WaitReason {
    /// In words for a column's head: `run queue`.
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }
}

impl ThreadState {
    /// True if the thread executed.
    pub fn is_on_cpu(self) -> bool {
        matches!(self, Self::OnCpuUser | Self::OnCpuSystem)
    }
}
