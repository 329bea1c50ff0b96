//! What a caller has to say because the recording does not.

/// What the recording does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JfrOptions {
    /// CPU time that a sample of async-profiler's engines `ctimer` and `itimer` stands for. Without
    /// it their samples are only counted: they come at the kernel's tick, whatever interval was set.
    pub weight_per_sample_ns: Option<u64>,
    /// Process id to put into the threads table.
    pub process_id: Option<u32>,
}
