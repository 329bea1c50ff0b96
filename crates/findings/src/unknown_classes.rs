//! Kinds of problems that findings cannot recognise.

/// Kinds of problems for which there is no pattern. A profile without findings says nothing about them.
pub(crate) const UNKNOWN_CLASSES: [&str; 12] = [
    "wrong algorithms other than linear scans and poor hashes",
    "work that is repeated or whose result is not used",
    "missing or useless caches of the program",
    "slow remote systems, time limits and attempts that are repeated after a pause",
    "deadlocks and locks in the wrong order",
    "tasks that start too late or in the wrong order",
    "memory that is never released",
    "choice and settings of the garbage collector",
    "memory access: cache misses, false sharing, remote memory nodes",
    "code that the JVM compiles badly",
    "slow starts",
    "other programs, the hypervisor and the hardware",
];
