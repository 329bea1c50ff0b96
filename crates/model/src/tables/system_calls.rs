//! System calls as the kernel counted them, the files they worked on, and how samples compare with exact figures.

use crate::{FileIndex, SyscallIndex, ThreadIndex};

codes! {
    /// What kind of thing a descriptor stands for.
    pub enum FileKind {
        /// No file, or not known which.
        None = 0 "none",
        /// A regular file.
        Regular = 1 "regular",
        /// A directory.
        Directory = 2 "directory",
        /// A socket.
        Socket = 3 "socket",
        /// A pipe, named or not.
        Pipe = 4 "pipe",
        /// A character device such as a terminal or `/dev/null`.
        CharDevice = 5 "char_device",
        /// A block device.
        BlockDevice = 6 "block_device",
        /// An object of the kernel without a name: epoll, eventfd, timerfd.
        Anonymous = 7 "anonymous",
    }
}

table! {
    /// One row per file, socket or other thing behind a descriptor. Descriptors are reused; device, inode and
    /// kind together are not, as long as the file exists. Row 0 stands for "none".
    pub table FileTable of File named "files" {
        /// Device number, as the kernel packs it: major number shifted left by 20 bits, or-ed with the minor one.
        device: u64,
        /// Inode number.
        inode: u64,
        /// What kind of file it is.
        kind: FileKind,
        /// Path, or the two ends of a socket such as `tcp 127.0.0.1:8080->127.0.0.1:4711`; empty: not known.
        path: String,
    }
}

table! {
    /// One row per thread, system call and file. Exact: the kernel counted every call.
    pub table SyscallTable of Syscall named "syscalls" {
        /// Row of threads.
        thread: ThreadIndex,
        /// The system call's number on this architecture.
        number: u32,
        /// Its name, for example `write`.
        name: String,
        /// Row of files: what the descriptor argument stood for; 0: no descriptor, or not known.
        file: FileIndex,
        /// Number of calls that returned.
        calls_count: u64,
        /// Calls among them that returned an error.
        errors_count: u64,
        /// Bytes that the calls moved, as they returned; 0 for calls that move none.
        bytes: u64,
        /// Elapsed time in the calls, in nanoseconds: executing and waiting.
        duration_ns: u64,
        /// The longest call, in nanoseconds.
        longest_ns: u64,
    }
}

table! {
    /// One row per row of syscalls and range of latencies in which there were calls.
    pub table SyscallLatencyTable of SyscallLatency named "syscall_latencies" {
        /// Row of syscalls.
        syscall: SyscallIndex,
        /// Bucket k holds the calls that took 2^k to below 2^(k+1) ns; 0 also holds those of 0 ns. At most 63.
        bucket: u32,
        /// Number of calls, at least 1.
        count: u64,
    }
}

table! {
    /// One row per metric and thread: what the samples say against what the kernel counted. Samples are
    /// stored as they were taken; nothing is scaled by these factors.
    pub table CalibrationTable of Calibration named "calibration" {
        /// Name of a metric of the manifest.
        metric: String,
        /// Row of threads.
        thread: ThreadIndex,
        /// Sum of the samples, in the metric's unit.
        sampled: u64,
        /// What the kernel counted, in the metric's unit.
        exact: u64,
        /// `exact` divided by `sampled`. Missing: `sampled` is 0.
        factor: Option<f64>,
    }
}
