//! Why threads wait.

codes! {
    /// Why a thread did not execute.
    pub enum WaitReason {
        /// It executed, or the reason is unknown.
        None = 0 "none",
        /// It waited for another thread: a lock, a condition, a parked thread.
        Futex = 1 "futex",
        /// It waited for a socket: to read, to write, to accept, to connect.
        Socket = 2 "socket",
        /// It waited for a file or a disk: read, write, fsync, open.
        File = 3 "file",
        /// It slept for a time that it chose.
        Sleep = 4 "sleep",
        /// It waited for any of several descriptors: poll, select, epoll_wait.
        Poll = 5 "poll",
        /// It was able to execute after a wait, and no CPU was free.
        RunQueue = 6 "run_queue",
        /// It waited for a page to come from a file or from swap space, outside of a system call.
        PageFault = 7 "page_fault",
        /// Another thread took its CPU away.
        Preemption = 8 "preemption",
        /// It waited for something else.
        Other = 9 "other",
        /// It waited for a pipe.
        Pipe = 10 "pipe",
        /// A signal, a debugger or the freezer of a control group stopped it.
        Stopped = 11 "stopped",
        /// The kernel delayed it, because its control group used more memory than `memory.high`.
        MemoryLimit = 12 "memory_limit",
        /// It was able to execute, but the CPU quota of its control group was used up.
        Quota = 13 "quota",
    }
}

impl WaitReason {
    /// The text in a column's header: `run queue`.
    pub fn words(self) -> String {
        self.name().replace('_', " ")
    }
}
