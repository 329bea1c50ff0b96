//! Goals of whittle. A test fails if whittle misses one of these goals. A goal is not derived from a measurement, so it
//! cannot become less strict if a machine or a run is worse. Each constant names the page that states the goal.

/// CPU time of an ordinary program that samples with a complete stack explain (closure). Stated in "Goals" of the page
/// about the engine `kernel`.
pub(crate) const GOAL_CLOSURE: f64 = 0.99;

/// The same for a program that starts a thread for each task of less than 1 ms. All samples together (coverage) explain at
/// least as much. Stated in "Goals" of the page about the engine `kernel`.
pub(crate) const GOAL_CLOSURE_OF_SHORT_THREADS: f64 = 0.95;

/// Largest difference between the CPU time of all samples and the scheduler's count, as a ratio. Stated in "Goals" of the
/// page about the engine `kernel`.
pub(crate) const GOAL_COVERAGE_ERROR: f64 = 0.01;

/// Samples of all events with a complete stack. Stated in "Goals" of the page about the engine `kernel`.
pub(crate) const GOAL_ROOTED: f64 = 0.97;

/// Largest difference between a thread's blocked time with the right reason and the scheduler's count, as a ratio. Stated
/// in "Goals" of the page about the engine `kernel`.
pub(crate) const GOAL_REASON_ERROR: f64 = 0.02;

/// Largest difference between the time with the right meaning and the program's own measurement, for a thread that waits
/// for one purpose, as a ratio. Stated in "Goals" of the page about the engine `kernel`.
pub(crate) const GOAL_MEANING_ERROR: f64 = 0.03;

/// Sampled waits that a thread or a timer ended, with the right waker and the method that ended the wait. Stated in "Goals" of
/// the page about the engine `kernel`.
pub(crate) const GOAL_WAKERS: f64 = 0.95;

/// After this time, whittle knows the state of each thread of a process to which it attaches, in nanoseconds. Stated in
/// "Goals" of the page about the engine `kernel`.
pub(crate) const GOAL_STATES_KNOWN_NS: f64 = 1e8;

/// After this time, whittle has read the state of each thread and can report an open wait as one sample, in nanoseconds.
/// Stated in "Goals" of the page about the engine `kernel`.
pub(crate) const GOAL_STATES_READ_NS: f64 = 2e8;

/// Time from attaching to the first sample in nanoseconds: the budget in the page of the benchmark `kernel`.
pub(crate) const GOAL_ATTACH_NS: f64 = 5e8;

/// Largest part of a program's CPU time that has no samples with the engines `cpu` and `ctimer`, at the default interval
/// and while the profiler is ready. Stated in "How much is explained?" of the page about collecting.
pub(crate) const GOAL_GAP_OF_CLOCKS: f64 = 0.02;

/// The same for one busy thread, also at an interval of 1 ms. Stated in "How much is explained?" of the page about
/// collecting.
pub(crate) const GOAL_GAP_OF_THREAD_CLOCK: f64 = 0.06;

/// The same for a whole program at an interval of 1 ms, and for stacks of thousands of frames. Stated in "How much is
/// explained?" of the page about collecting.
pub(crate) const GOAL_GAP_OF_DENSE_CLOCKS: f64 = 0.10;

/// Largest difference between an agent's CPU times of a process, of its threads and of its samples, as a ratio. Stated in
/// the page about the agent.
pub(crate) const GOAL_AGENT_ERROR: f64 = 0.03;

/// The largest part of a program's CPU time without samples that the goals allow for the engine of an experiment.
/// `of_clocks` is the goal for the engines `cpu` and `ctimer`, which tests use without the rights for the engine `kernel`.
pub(crate) fn gap(engine: &str, of_clocks: f64) -> f64 {
    if engine == "kernel" { GOAL_COVERAGE_ERROR } else { of_clocks }
}

/// Largest difference between the waiting time of virtual threads and the program's own measurement, as a ratio, besides the error of the
/// samples. Stated in "Goals" of the page about the engine `kernel`.
pub(crate) const GOAL_VIRTUAL_WAIT_ERROR: f64 = 0.05;

/// Smallest part of the waits of virtual threads for monitors, from JDK 24 on, whose stacks have the waiting method. The JVM has often restored
/// only one frame when the profiler walks the stack. Stated in "Goals" of the page about the engine `kernel`.
pub(crate) const GOAL_NAMED_MONITOR_WAITS: f64 = 0.7;

/// Largest difference between the median length of requests and the server's own log, as a ratio. Stated in "Goals" of the page
/// about the engine `kernel`.
pub(crate) const GOAL_MEDIAN_LENGTH_ERROR: f64 = 0.05;
