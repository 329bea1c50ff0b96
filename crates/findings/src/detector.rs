//! Detectors: descriptions of patterns that a profile can show, one file each.
//!
//! A detector defines the pattern's frames (its anchors), the limits of counters, the saving of a fix, and the line to
//! edit. It can also require or forbid frames between the calling application frame and the anchors. The files are in
//! `detectors/`. A test reads all files, and the program reads each file once.

use serde::Deserialize;
use serde::de::Error as _;
use std::sync::OnceLock;
use whittle_bytecode::edit_site::SiteRule;
use whittle_profile::waits::WaitMeaning;

/// One detector, as read from its file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detector {
    /// The name in flags, JSON and page names: `unbuffered-write`.
    pub id: String,
    /// Number in the catalogue.
    pub number: u32,
    /// The problem in a few words: `Unbuffered write`.
    pub title: String,
    /// The quantity that is added up.
    pub measure: Measure,
    /// If several findings match a sample, the finding with the largest number gets the sample. If the numbers are
    /// equal, the finding with the anchor nearest to the root gets it. If a condition rejects a finding, the next
    /// finding gets its samples.
    #[serde(default)]
    pub specificity: i32,
    /// True if application code that the anchor calls belongs to the finding, such as `equals` below `indexOf`.
    #[serde(default)]
    pub callbacks: bool,
    /// Detectors that explain the cost better. If such a detector finds something in the same calling method, this
    /// detector reports nothing there.
    #[serde(default)]
    pub yields_to: Vec<String>,
    /// True if the detector does not know a cause. It describes cost that no pattern explains.
    #[serde(default)]
    pub unknown_cause: bool,
    /// True if frames alone are a weak indicator.
    #[serde(default)]
    pub weak: bool,
    /// Largest share of the time of the finding's threads. A thread that does hardly anything else does it on purpose.
    #[serde(default)]
    pub most_of_threads: Option<f64>,
    /// Smallest share of the time of the finding's threads.
    #[serde(default)]
    pub least_of_threads: Option<f64>,
    /// Java versions that have the pattern, in words. `None`: all versions.
    #[serde(default)]
    pub jdk: Option<String>,
    /// Alternative patterns. A stack matches if it matches one of them. Empty: `rule` decides.
    #[serde(default, rename = "pattern")]
    pub patterns: Vec<Pattern>,
    /// A function of `rules` that decides instead of, or in addition to, the patterns.
    #[serde(default)]
    pub rule: Option<String>,
    /// Limits that counters must meet.
    #[serde(default, rename = "condition")]
    pub conditions: Vec<Condition>,
    /// For rules about the code of a calling frame: one of these functions must be below it, towards the leaf.
    #[serde(default)]
    pub called: Vec<String>,
    /// The saving of a fix.
    pub gain: Gain,
    /// The place of the edit.
    pub site: SiteRule,
    /// The remedies that fit findings of this detector, the best first: ids of [`Remedy`](crate::Remedy).
    #[serde(default)]
    pub remedies: Vec<String>,
    /// Why no remedy fits: `the edit is in how the threads work together`. `None`: `remedies` has some. Patterns without a known cause
    /// have both, because a remedy fits some calls only.
    #[serde(default)]
    pub no_remedy: Option<String>,
    /// Texts for readers.
    pub text: Text,
}

/// The quantity that a detector adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// CPU time.
    Cpu,
    /// CPU time plus blocked time: the time that the code takes.
    Elapsed,
    /// Bytes allocated.
    AllocBytes,
}

/// Frames that form the pattern.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// Names of functions. The frame's function must be one of these functions. Empty: the anchor is the sample's leaf,
    /// and can be any function.
    ///
    /// `java/io/FileOutputStream.write` is a Java method with any parameters. The prefixes of `kernel:show_smap`,
    /// `native:fsync` and `jvm:ObjectMonitor::enter` select other kinds of code. A `*` at the end or at the start
    /// matches any text, as in `java/util/regex/*`. A name with parentheses also contains the parameters, as the JVM
    /// writes them. `java/io/InputStreamReader.read()` is the method without parameters.
    #[serde(default)]
    pub anchors: Vec<String>,
    /// One of these functions must be between the calling application frame and the anchor.
    #[serde(default)]
    pub between: Vec<String>,
    /// None of these functions is allowed between the calling application frame and the anchor.
    #[serde(default)]
    pub not_between: Vec<String>,
    /// Largest number of frames between the calling application frame and the anchor. `None`: any number.
    #[serde(default)]
    pub most_between: Option<usize>,
    /// One of these functions must be below the anchor, towards the leaf. Other samples do not match.
    #[serde(default)]
    pub below: Vec<String>,
    /// None of these functions is allowed below the anchor.
    #[serde(default)]
    pub not_below: Vec<String>,
    /// The thread waits for one of these, as in the filter `wait is …`. Such a pattern has no anchors: the anchor is the
    /// function that the calling frame calls, and the calling frame is the nearest frame of the program's own code.
    #[serde(default, deserialize_with = "wait_meanings")]
    pub waits: Vec<WaitMeaning>,
    /// For patterns of waits: one of these functions must be above the calling frame, towards the root.
    #[serde(default)]
    pub scope: Vec<String>,
    /// None of these functions is allowed as the calling frame or above it, towards the root.
    #[serde(default)]
    pub not_scope: Vec<String>,
    /// For patterns of waits: which frame of the program's own code is the calling frame.
    #[serde(default)]
    pub calling: Calling,
    /// For patterns of waits: true if these stacks only add to what another pattern of the detector has found in the same
    /// method. Alone, they can have another cause.
    #[serde(default)]
    pub supports: bool,
    /// True if constructors of the program directly above the anchor belong to the pattern, such as constructors of the
    /// program's own exceptions. The calling frame is then the application frame above these constructors.
    #[serde(default)]
    pub through_constructors: bool,
}

/// Which frame of the program's own code is the calling frame of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Calling {
    /// The frame nearest to the wait. It is below the scope.
    #[default]
    NearestToWait,
    /// The frame nearest to the scope, below it.
    BelowScope,
    /// The frame nearest to the scope, above it.
    AboveScope,
}

fn wait_meanings<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<WaitMeaning>, D::Error> {
    let names = Vec::<String>::deserialize(deserializer)?;
    let meaning =
        |name: &String| WaitMeaning::from_name(name).ok_or_else(|| D::Error::custom(format!("no wait {name}")));
    names.iter().map(meaning).collect()
}

/// A limit for a counter. If the value is outside the limit, there is no finding. If the value is unknown, the finding
/// is less certain.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The counter.
    pub figure: Figure,
    /// For counters of system calls: the names of the counted system calls.
    #[serde(default)]
    pub calls: Vec<String>,
    /// For `frames_ratio`: the counted functions, written like anchors. For other counters: the condition applies only
    /// if at least half of the finding's CPU samples have one of these functions.
    #[serde(default)]
    pub frames: Vec<String>,
    /// The condition does not apply if at least half of the finding's CPU samples have one of these functions.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Smallest allowed value.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// Largest allowed value.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// Forbidden values.
    #[serde(default)]
    pub none_of: Vec<f64>,
    /// True if the value is required: if it is unknown, there is no finding.
    #[serde(default)]
    pub required: bool,
}

/// A value that a condition can limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// System calls below the anchor, per second and per thread that makes such calls.
    CallsPerSecond,
    /// Bytes per such system call, on average.
    BytesPerCall,
    /// The finding's CPU time per such system call, nanoseconds.
    CpuNanosPerCall,
    /// Share of the finding's CPU time in the kernel.
    KernelRatio,
    /// The blocked share of the finding's elapsed time.
    BlockedRatio,
    /// The finding's share of all allocated bytes.
    AllocRatio,
    /// The finding's share of the total over all work threads, in the finding's measure.
    SpentRatio,
    /// The finding's share of the CPU time of the calling method.
    MethodRatio,
    /// Page faults in the calling method per second of elapsed time.
    FaultsPerSecond,
    /// Page faults of the work threads, per page by which the process's resident memory grew. About 1: the pages are
    /// touched for the first time. Memory that does not grow counts as one page.
    FaultsPerNewPage,
    /// Average number of frames from the anchor to the leaf, weighted by CPU time: the depth of the anchor's recursion.
    AnchorDepth,
    /// Share of the finding's samples with one of `frames` at the anchor or below it.
    FramesRatio,
    /// Bytes per object that the finding allocates, on average.
    BytesPerObject,
    /// Bytes that the finding allocates, per second of the calling method's CPU time.
    AllocBytesPerSecond,
    /// The constant that the line to edit passes. The detector's site rule names the argument.
    ArgumentValue,
    /// System calls below the anchor, per socket read of the same threads. Without socket reads: the number of calls.
    CallsPerSocketRead,
    /// Writes (`write`, `pwrite64`, `writev`, `pwritev`) per system call in `calls`. Only writes to the same files are
    /// counted. Both numbers are the kernel's exact counts.
    WritesPerCall,
    /// Bytes of these writes, per system call in `calls`.
    WrittenBytesPerCall,
    /// CPU time of the garbage collector's threads, divided by the work threads' CPU time.
    GcRatio,
    /// Pauses per minute that large arrays started: those with the cause `G1 Humongous Allocation`.
    HumongousPauses,
    /// Share of the finding's CPU time in which the deepest Java frame is interpreted.
    InterpretedRatio,
    /// Share of a hot path's CPU time in the code of one function: the function with the largest share.
    LargestPart,
    /// Share of a hot path's CPU time in the own code of the line's method.
    OwnCodeRatio,
    /// Share of a hot path's CPU time in stubs of the JVM without a caller on the stack.
    InferredRatio,
    /// Share of the finding's time in which the tasks that it waits for were in the queue of a pool without a free thread.
    QueuedRatio,
    /// For locks: the share of the time in the same method, without waits for locks, in which threads wait for one thing.
    HeldRatio,
    /// The finding's share of the time of all requests. See `answered`.
    RequestRatio,
    /// For locks of synchronized methods: the share of one other synchronized method in the time inside all synchronized methods of
    /// the class, without waits for locks.
    HolderRatio,
    /// For locks: the share of the waiting time in which one thread held the lock in one method, as the kernel's wakes tell.
    KnownHolderRatio,
}

impl Figure {
    /// True if the counter uses more data than the stacks of CPU samples. If such counters agree, a finding is certain.
    pub(crate) fn is_counter(self) -> bool {
        match self {
            Self::CallsPerSecond
            | Self::BytesPerCall
            | Self::CpuNanosPerCall
            | Self::CallsPerSocketRead
            | Self::WritesPerCall
            | Self::WrittenBytesPerCall
            | Self::FaultsPerSecond
            | Self::FaultsPerNewPage
            | Self::KernelRatio
            | Self::BlockedRatio
            | Self::AllocRatio
            | Self::BytesPerObject
            | Self::AllocBytesPerSecond
            | Self::QueuedRatio => true,
            Self::SpentRatio
            | Self::HumongousPauses
            | Self::MethodRatio
            | Self::AnchorDepth
            | Self::FramesRatio
            | Self::ArgumentValue
            | Self::GcRatio
            | Self::InterpretedRatio
            | Self::LargestPart
            | Self::OwnCodeRatio
            | Self::InferredRatio
            | Self::HeldRatio
            | Self::RequestRatio
            | Self::HolderRatio
            | Self::KnownHolderRatio => false,
        }
    }
}

/// The saving of a fix.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gain {
    /// The model of the prediction.
    pub model: GainModel,
    /// The share of the cost that usually remains after the fix, 0 to 1: an assumption. The range of the saving
    /// ([`SavingRanges`](crate::SavingRanges)) adds how much measured programs differ from it.
    #[serde(default)]
    pub remains: f64,
    /// A condition for the model `method`. If the condition is not met, or its value is unknown, the prediction is the
    /// share of the anchored calls.
    #[serde(default)]
    pub method_if: Option<Condition>,
    /// The kind of time that is saved.
    #[serde(default)]
    pub endpoint: Endpoint,
    /// The assumption of the prediction, one sentence.
    pub assumption: String,
}

/// How a saving is predicted. Shares refer to the time of `endpoint`, even if the detector's measure is another
/// quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum GainModel {
    /// The anchored calls disappear. The saving is the calls' share.
    Call,
    /// The algorithm of the calling method changes. The saving is the method's whole share.
    Method,
    /// The garbage collector has less work. The saving is the collector's CPU time divided by the work threads' CPU
    /// time, multiplied by the finding's share of all allocated bytes.
    Collector,
    /// The profile cannot show how much a fix saves: the range begins at zero.
    None,
}

/// The kind of time that is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// CPU time.
    #[default]
    Cpu,
    /// Elapsed time of the threads that execute the pattern.
    Elapsed,
}

/// Texts for readers, paragraphs of Markdown.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// What happens and why it is slow.
    pub meaning: String,
    /// How the pattern looks in a profile.
    pub looks: String,
    /// The fix, one or two sentences in the imperative.
    pub fix: String,
    /// Java code before and after. `None`: no example.
    #[serde(default)]
    pub before: Option<String>,
    /// The code after the change, see `before`.
    #[serde(default)]
    pub after: Option<String>,
    /// Facts that a profile cannot show and that a person must check before the change.
    pub check_first: Vec<String>,
    /// Cases in which the code should stay unchanged.
    pub when_not: Vec<String>,
}

/// The rule of the detector that has no pattern: it describes paths that no pattern explains.
const HOT_PATH: &str = "hot-path";

impl Detector {
    /// Whether this is the hot path, which is reported where no pattern explains the cost.
    pub fn is_hot_path(&self) -> bool {
        self.rule.as_deref() == Some(HOT_PATH)
    }

    /// Whether the detector has a pattern without anchors and waits, which matches all stacks that no other pattern matches.
    pub(crate) fn takes_all(&self) -> bool {
        self.patterns.iter().any(|pattern| pattern.anchors.is_empty() && pattern.waits.is_empty())
    }

    /// Whether the detector describes waits.
    pub fn has_waits(&self) -> bool {
        self.patterns.iter().any(|pattern| !pattern.waits.is_empty())
    }

    /// Whether the detector knows a cause.
    pub fn is_pattern(&self) -> bool {
        !self.unknown_cause
    }

    /// The detector with an id.
    pub fn of_id(id: &str) -> Option<&'static Self> {
        Self::all().iter().find(|detector| detector.id == id)
    }

    /// All detectors in the order of the catalogue.
    pub fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<Detector>> = OnceLock::new();
        ALL.get_or_init(|| {
            let parsed = crate::detector_files::FILES.iter().map(|(name, text)| {
                toml::from_str(text).unwrap_or_else(|error| unreachable!("{name}, which a test reads: {error}"))
            });
            let mut all: Vec<Self> = parsed.collect();
            all.sort_by_key(|detector| detector.number);
            all
        })
    }
}
