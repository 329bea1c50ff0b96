//! What a JVM reported about itself: when it stopped all threads, when it collected garbage, and which code it gave up.

codes! {
    /// What a JVM did.
    pub enum JvmEventKind {
        /// All Java threads were stopped. The time includes the time until the last thread had stopped.
        Safepoint = 0 "safepoint",
        /// The collector worked while all Java threads were stopped. A pause is inside a safepoint.
        GcPause = 1 "gc_pause",
        /// A part of a pause of the collector. The JVM reports only how long each part took. The parts are placed one
        /// after the other.
        GcPhase = 2 "gc_phase",
        /// The collector worked while Java threads continued.
        GcConcurrent = 3 "gc_concurrent",
        /// A thread waited for memory that a concurrent collector had to free.
        AllocationStall = 4 "allocation_stall",
        /// A message about the memory for compiled code, for example that it is full.
        CodeCache = 5 "code_cache",
        /// The optimising compiler's code for a method was given up, usually because an assumption about the program was wrong.
        /// The method is executed by slower code until it is compiled again. Start and end are equal.
        Deoptimization = 6 "deoptimization",
    }
}

table! {
    /// One row per event that a JVM reported, in any order. The table is empty if the JVM did not report events, for
    /// example before JDK 9.
    pub table JvmEventTable of JvmEvent named "jvm_events" {
        /// Start in nanoseconds since the experiment's start.
        start_ns: u64,
        /// End in nanoseconds since the experiment's start; at least `start_ns`.
        end_ns: u64,
        /// What the JVM did.
        kind: JvmEventKind,
        /// The JVM's name of it, for example `G1CollectForAllocation`, or `Pause Young (Normal) (G1 Evacuation Pause)`
        /// with the collector's reason in the last parentheses. For an allocation stall, the thread's name. For the code
        /// cache, the message. For a deoptimization the method, `app.Shop.price`, and the JVM's reason in parentheses if the
        /// JVM tells it.
        name: String,
        /// For a safepoint: the time until the last thread had stopped. It is part of the safepoint. Otherwise 0.
        reaching_ns: u64,
        /// For a collection: the used part of the heap before it. Missing: the JVM did not report it.
        heap_before_bytes: Option<u64>,
        /// For a collection: the used part of the heap after it. Missing: the JVM did not report it.
        heap_after_bytes: Option<u64>,
    }
}
