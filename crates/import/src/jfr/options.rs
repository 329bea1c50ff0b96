//! Values that the caller must provide because they are not in the recording.

/// Values that are not in the recording.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JfrOptions {
    /// CPU time of a sample of async-profiler's engines `ctimer` and `itimer`. If missing, samples are only counted,
    /// because the time between them is the kernel's tick, not the requested interval.
    pub weight_per_sample_ns: Option<u64>,
    /// Process id to put into the threads table.
    pub process_id: Option<u32>,
    /// True: async-profiler's wall clock samples of sleeping threads are waits, and its other wall clock samples are left
    /// out. Set it if CPU samples show the executing threads.
    pub sleeping_is_waiting: bool,
}
