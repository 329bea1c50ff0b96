//! Threads, and what each thread did over time: it executed, was able to execute, or was blocked for a reason.

use crate::{ThreadIndex, WaitReason};

codes! {
    /// What kind of work a thread does.
    pub enum ThreadClass {
        /// Unknown, for example because the recording contains only a name.
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
    /// True for the JVM's own threads. Their stacks without Java frames are shown as `<JVM-System>`.
    pub fn is_jvm(self) -> bool {
        matches!(self, Self::Gc | Self::JitCompiler | Self::JvmService)
    }
}

codes! {
    /// The source of a thread's user/system split.
    pub enum CpuSplitSource {
        /// There is no split.
        None = 0 "none",
        /// The kernel's timer ticks, scaled to the exact total: right on average only.
        KernelTicks = 1 "kernel_ticks",
    }
}

table! {
    /// One row per thread of a process. In a program with many short threads, a row can represent several threads with
    /// similar names that ran one after the other. Then the name includes their number, as in `task-# (1200 threads)`,
    /// and the values are sums.
    pub table ThreadTable of Thread named "threads" {
        /// Process id as the collector saw it. Missing: not in the input.
        process_id: Option<u32>,
        /// Operating system thread id. Missing: not in the input, or the row represents several threads.
        thread_id: Option<u32>,
        /// The Java thread's name, or the kernel's name if there is no Java name. Empty: unknown.
        name: String,
        /// Kind of work.
        class: ThreadClass,
        /// Time when the thread was first seen, in nanoseconds since the experiment's start. Missing: unknown.
        start_ns: Option<u64>,
        /// Time when the end of the thread was seen, in nanoseconds since the experiment's start. Missing: the thread
        /// was alive at the end, or unknown.
        end_ns: Option<u64>,
        /// Exact CPU time during the experiment, from the scheduler. Missing: not measured.
        cpu_ns: Option<u64>,
        /// CPU time in user mode; see `cpu_split`. Missing: not measured.
        user_cpu_ns: Option<u64>,
        /// CPU time in the kernel; see `cpu_split`. Missing: not measured.
        system_cpu_ns: Option<u64>,
        /// The source of the user/system split.
        cpu_split: CpuSplitSource,
    }
}

impl Thread {
    /// Creates a thread with these values. All other values are unknown.
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
    /// What a thread did.
    pub enum ThreadState {
        /// Executed its program's code.
        OnCpuUser = 0 "on_cpu_user",
        /// Executed in the kernel on behalf of its program.
        OnCpuSystem = 1 "on_cpu_system",
        /// Was able to execute, but no CPU was free.
        Runnable = 2 "runnable",
        /// Waited for something to happen.
        Blocked = 3 "blocked",
    }
}

table! {
    /// One row per thread, span, state and reason. The spans of a thread follow one another in the order of the rows.
    /// The rows of one span add up to its length. There is no gap from a thread's first span to its last, unless the
    /// row represents several threads.
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
        /// Why the thread did not execute; `none` if it did.
        reason: WaitReason,
        /// The time in this state for this reason, in nanoseconds.
        duration_ns: u64,
    }
}

impl ThreadState {
    /// True if the thread executed.
    pub fn is_on_cpu(self) -> bool {
        matches!(self, Self::OnCpuUser | Self::OnCpuSystem)
    }
}
