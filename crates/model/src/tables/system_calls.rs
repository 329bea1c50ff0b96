//! System calls as the kernel counted them, their files, and samples compared with exact counts.

use crate::{FileIndex, SyscallIndex, ThreadIndex};

codes! {
    /// What a descriptor refers to.
    pub enum FileKind {
        /// No file, or an unknown file.
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
        /// A kernel object without a name: epoll, eventfd, timerfd.
        Anonymous = 7 "anonymous",
    }
}

table! {
    /// One row per file, socket or other object that a descriptor refers to. The kernel reuses descriptors. It does not
    /// reuse the combination of device, inode and kind while the file exists. Row 0 means "none".
    ///
    /// All sockets of TCP or UDP with the same peer are one row, so a server's connections to a database are one row, and the
    /// connections of all clients to a port are one row.
    pub table FileTable of File named "files" {
        /// Device number in the kernel's form: the major number shifted left by 20 bits, plus the minor number. For TCP and
        /// UDP: 0x7ff00000, plus flags and a port.
        device: u64,
        /// Inode number. For TCP and UDP: a number that stands for the peer's address.
        inode: u64,
        /// Kind of file.
        kind: FileKind,
        /// Path, or the peer of a socket, such as `tcp 10.0.0.7:5432` or `tcp clients of port 8080`; empty: unknown.
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
        /// The system call's name, for example `write`.
        name: String,
        /// Row of files: the file that the descriptor argument referred to; 0: no descriptor, or unknown.
        file: FileIndex,
        /// Number of calls that returned.
        calls_count: u64,
        /// Number of these calls that returned an error.
        errors_count: u64,
        /// Bytes that the calls moved, according to their return values; 0 for calls that move no bytes.
        bytes: u64,
        /// Elapsed time in the calls, in nanoseconds: executing and waiting.
        duration_ns: u64,
        /// The longest call, in nanoseconds.
        longest_ns: u64,
    }
}

table! {
    /// One row for each row of syscalls and each range of latencies. Ranges without calls have no row.
    pub table SyscallLatencyTable of SyscallLatency named "syscall_latencies" {
        /// Row of syscalls.
        syscall: SyscallIndex,
        /// Bucket k contains the calls that took from 2^k to below 2^(k+1) ns; bucket 0 also contains the calls that
        /// took 0 ns. The largest bucket number is 63.
        bucket: u32,
        /// Number of calls, at least 1.
        count: u64,
    }
}

table! {
    /// One row per metric and thread: the sum of the samples and the kernel's count. Samples are stored unchanged and
    /// are not scaled by these factors.
    pub table CalibrationTable of Calibration named "calibration" {
        /// Name of a metric of the manifest.
        metric: String,
        /// Row of threads.
        thread: ThreadIndex,
        /// Sum of the samples, in the metric's unit.
        sampled: u64,
        /// The kernel's count, in the metric's unit.
        exact: u64,
        /// `exact` divided by `sampled`. Missing: `sampled` is 0.
        factor: Option<f64>,
    }
}
