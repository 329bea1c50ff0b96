//! Bounds that only distinguish two explanations of a measurement.
//!
//! Each constant names both hypotheses and the values that they predict. A bound is between these values, and far from
//! both, so neither chance nor another machine moves a value across the bound. A bound is no statement about accuracy:
//! tests of accuracy use `tolerance` and `goals`.

/// Samples of an event in a collection of 6 s. Whittle samples calls and waits at least 10 times per second if there are
/// so many, and CPU time 100 times per second: 60 or more. If whittle does not see the event: 0.
pub(crate) const SAMPLED_OR_NOT: usize = 20;
/// The same for page faults. A JVM that starts has about 30,000 faults, and whittle samples one of 500: 60, or 0.
pub(crate) const FAULTS_SAMPLED_OR_NOT: usize = 5;
/// The same for the waits of eight threads that wait 20 ms at a time for 4 s: hundreds, or 0.
pub(crate) const WAITS_SAMPLED_OR_NOT: usize = 50;
/// Observed waits of a program that works for 3 s or more and waits in several threads, at 1 ms: hundreds. If the signals do not
/// arrive: 0.
pub(crate) const OBSERVED_OR_NOT: f64 = 50.0;
/// The same for waits with a Java stack. The answering threads also wait.
pub(crate) const JAVA_WAITS_SAMPLED_OR_NOT: usize = 100;
/// Interrupted calls of a native thread that sleeps 5 ms at a time for 3 s or more, while all threads are observed once per
/// millisecond: hundreds. If the signals interrupt no calls: 0.
pub(crate) const INTERRUPTED_OR_NOT: f64 = 50.0;
/// Samples of a busy thread in a run of at least 3 s, at 10 ms: 300, and fewer if the thread hardly gets a CPU. If the
/// samples are lost: 0.
pub(crate) const RUN_SAMPLED_OR_NOT: usize = 50;
/// Java samples of a busy thread in a collection that was killed after 8 s, at 10 ms. Whittle keeps all finished parts of
/// the recording, the first 5 s: hundreds. It loses them: 0.
pub(crate) const PARTS_KEPT_OR_LOST: usize = 100;
/// Samples of a part of a program that is busy for 2 s, at 1 ms: up to 2000, and hundreds if the program hardly gets a
/// CPU. If whittle does not follow the program into this part: 0.
pub(crate) const BUSY_PART_SAMPLED_OR_NOT: usize = 100;
/// Share of a JVM's CPU time with Java frames, if a script starts the JVM and it computes for 3 s. The profiler is inside
/// some tenths of a second after the start: about 0.85. The profiler is never inside: 0.
pub(crate) const JAVA_FROM_THE_START_OR_NEVER: f64 = 0.5;
/// Samples per interval of CPU time: 1 if every tick takes a sample. If whittle stops sampling during the run, or if only
/// one of several threads is sampled: less than half.
pub(crate) const EACH_TICK_OR_LESS: f64 = 0.5;

/// CPU time of short threads, as a multiple of the time that they measured until their last line. Each thread also needs
/// time to end, less than for its task: 1 to 2. If whittle counts threads twice, for example all threads of a row: at
/// least 2.
pub(crate) const COUNTED_ONCE_OR_TWICE: f64 = 2.0;
/// Share of the CPU time below `main` if a program executes itself after half of the time. Stacks of both programs are
/// complete: nearly 1, without the loader. Only those of one program are complete: 0.5.
pub(crate) const BOTH_PROGRAMS_OR_ONE: f64 = 0.85;

/// Bounds for `AlternatingCallers`: two callers write alternately, and signals are lost on purpose.
pub(crate) mod callers {
    /// Share of unanswered signals if one of five signals is lost on purpose. The profiler answers the others: 0.2 and a
    /// little more. The profiler hardly answers: near 1.
    pub(crate) const ONE_OF_FIVE_LOST_OR_MOST: f64 = 0.40;
    /// Share of the calls that have their caller if no signal is lost on purpose. The profiler answers: near 1. Signals are
    /// lost as often as with `--drop-every 5`: 0.8.
    pub(crate) const ANSWERED_OR_ONE_OF_FIVE_LOST: f64 = 0.80;
    /// Share of the calls below their right caller if one of five signals is lost on purpose: 0.8. If the join leaves out
    /// more than it joins: less than half.
    pub(crate) const JOINED_OR_LEFT_OUT: f64 = 0.5;
    /// Share of the calls with the stack of another caller, if one of five signals is lost on purpose. The join uses epochs:
    /// 0. The join uses the next answer in time: 0.1, because a lost signal (0.2) gets the answer of a later call, and half
    /// of these calls have the other caller. The bound is ten times smaller.
    pub(crate) const JOINED_BY_EPOCH_OR_BY_TIME: f64 = 0.01;
}

/// Bounds for casebook case 1, one byte per write.
pub(crate) mod one_byte {
    /// System CPU per document of the fixed program, divided by the one of the slow program. 85 % of the one-byte writes
    /// come from the changed line. The change removes their cost: 0.15. The change has no effect: 1. The bound is a little
    /// below the geometric mean.
    pub(crate) const WRITES_GONE_OR_NOT: f64 = 1.0 / 3.0;
    /// Share of the thread's CPU time below the write. The stacks of the calls are complete: 0.97. Half of the stacks lack
    /// the write: less than half of 0.97.
    pub(crate) const WRITES_FOUND_OR_LOST: f64 = 0.5;
}

/// Bounds for casebook case 2, temporary direct buffers: shares of the CPU time below `SocketMuxer.write`. The predicted
/// values are those of another profiler, in the table of the workload's page.
pub(crate) mod buffers {
    use std::ops::Range;

    /// `IOUtil.write`. Stacks are complete: 0.99. The JVM's stub that copies messages loses its callers: 0.75, because
    /// copying has a quarter of the time.
    pub(crate) const COPIES_HAVE_CALLERS_OR_NOT: f64 = 0.9;
    /// `writev`. The system call has its Java callers: 0.58 to 0.74. It lacks them: 0. All other work lacks them: 1.
    pub(crate) const CALL_AND_COPIES_OR_ONLY_ONE: Range<f64> = 0.4..0.95;
    /// `getTemporaryDirectBuffer` in the slow program. Its allocations are found: 0.035 (JDK 25) and 0.137 (JDK 17). They
    /// are not found: 0.
    pub(crate) const TAKES_FOUND_OR_NOT: f64 = 0.015;
    /// The same function in the fixed program, divided by its share in the slow program. The fixed program keeps buffers:
    /// 0.12 (JDK 17), less than 0.43 (JDK 25). It does not keep them: 1.
    pub(crate) const BUFFERS_KEPT_OR_NOT: f64 = 0.75;
    /// `allocateMemory`, `freeMemory`, at least. The program allocates for each write: 0.017 to 0.02. It keeps its buffers:
    /// 0.
    pub(crate) const MEMORY_FOR_EACH_WRITE: f64 = 0.005;
    /// `allocateMemory`, `freeMemory`, at most. The program keeps its buffers: 0. It allocates for each write: 0.017 to
    /// 0.02.
    pub(crate) const MEMORY_KEPT: f64 = 0.003;
    /// `DirectByteBuffer.<init>` in the slow program. The JDK clears and counts temporary buffers: 0.13 (JDK 17). It does
    /// not: 0 (JDK 25).
    pub(crate) const JDK_CLEARS_OR_NOT: f64 = 0.04;
    /// `DirectByteBuffer.<init>` in the fixed program. The program keeps its buffers: 0. It does not: 0.13 (JDK 17).
    pub(crate) const CLEARED_ONCE: f64 = 0.01;
}

/// Bounds for casebook case 4, the message consumer: shares of the CPU time.
pub(crate) mod orders {
    use std::ops::RangeInclusive;

    /// The sampling library. Each sample counts once: 0.03 to 0.05 (in the casebook 0.03 to 0.04), and less if the machine
    /// gives the consumers more CPU. The samples are lost: 0. Samples count twice: 0.08 or more. Another assertion compares
    /// the share with the exact time of the library's thread.
    pub(crate) const SAMPLING_ONCE: RangeInclusive<f64> = 0.010..=0.080;
    /// Masking of whole messages. Each sample has its callers: 0.08 to 0.19, depending on the JVM (in the casebook 0.09). Half of
    /// the samples lack their callers: less than half of 0.09. There is no upper bound, because twice the smallest share is
    /// below the largest; the tests of closure show that no sample counts twice.
    pub(crate) const MASKING_HAS_CALLERS: RangeInclusive<f64> = 0.045..=1.0;
    /// The call log. Each sample counts once: 0.06 to 0.07 (in the casebook 0.06). Half of the samples lack their callers:
    /// about half of 0.06. Samples count twice: more than twice 0.06.
    pub(crate) const CALL_LOG_ONCE: RangeInclusive<f64> = 0.025..=0.120;
    /// Masking in the fixed program, divided by the slow program. The fixed program masks 800 of 13,000 characters: 1/16.
    /// It masks the whole message: 1. The bound is the geometric mean. For the call log, the fixed program needs no stack
    /// trace, and its value is smaller.
    pub(crate) const CHANGED_OR_NOT: f64 = 0.25;
    /// The largest node of the stack traces in the call tree, divided by all stack traces. The calls are at 32 places: 1/32,
    /// and more for the first call of a message, which finds cold caches. The calls are at one place: 1. The bound is the
    /// mean.
    pub(crate) const MANY_PLACES_OR_ONE: f64 = 0.5;
    /// The method that makes the most remote calls, by CPU time: the same hypotheses. The calls are equal, and only the
    /// first one of a message finds cold caches.
    pub(crate) const MANY_CALLERS_OR_ONE: f64 = 0.35;
    /// CPU of the sampling library with four times the traffic, divided by the CPU of the consumers with four times the
    /// traffic, each relative to the simple traffic. Sampling does not depend on the traffic: 1/4, and more if the
    /// consumers need less CPU for each message after more warm-up. It grows with the traffic: 1.
    pub(crate) const SAMPLING_IS_CONSTANT_OR_GROWS: f64 = 0.6;
    /// CPU per second of the sampling library with four times the traffic, divided by its CPU with the simple traffic. It
    /// does not depend on the traffic: 1. It grows with it: 4. It falls, because the library gets no CPU: 1/4. The upper
    /// bound is the geometric mean of 1 and 4.
    pub(crate) const SAMPLING_STAYS: std::ops::Range<f64> = 0.3..2.0;
}

/// Bounds for casebook case 5, the slow process lister.
pub(crate) mod lister {
    /// Share of the system CPU time in which the kernel walks over mappings. The kernel's stacks are complete: nearly 1 in
    /// the native lister. The JVM's start and the counting of calls also use system CPU: at least half in the Java lister.
    /// The kernel's stacks are missing: 0.
    pub(crate) const WALKS_OR_NO_KERNEL_STACKS: f64 = 0.4;
    /// Time per process of the slow lister, divided by the fast lister. One walks over 30,000 mappings, the other one reads
    /// two numbers: 12,000 to 19,000. Both do the same: 1.
    pub(crate) const WALKS_OR_READS: f64 = 200.0;
}
