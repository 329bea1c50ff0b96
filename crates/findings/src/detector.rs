//! Detectors: descriptions of what a profile can recognise, one file each.
//!
//! A detector says which frames are the pattern (its anchors), what may and may not stand between them and the
//! calling application frame, which counters have to agree, what a fix saves, and where the edit goes. The files are
//! in `detectors/`; they are read once, and a test reads them all.

use serde::Deserialize;
use std::sync::OnceLock;

/// One detector, as its file says it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detector {
    /// The word for it in flags, JSON and page names: `unbuffered-write`.
    pub id: String,
    /// Place in the catalogue.
    pub number: u32,
    /// What is wrong, in a few words: `Unbuffered write`.
    pub title: String,
    /// What is added up.
    pub measure: Measure,
    /// Of several findings that a sample fits, the one with the largest number owns it; among equals the one whose
    /// anchor is nearest to the root. A finding that a condition denies owns nothing: the next one gets its samples.
    #[serde(default)]
    pub specificity: i32,
    /// True if application code that the anchor calls belongs to the finding, such as `equals` below `indexOf`.
    #[serde(default)]
    pub callbacks: bool,
    /// Detectors that explain the cost better where both find something in the same calling method: this one then says
    /// nothing there.
    #[serde(default)]
    pub yields_to: Vec<String>,
    /// True if frames alone are a weak hint.
    #[serde(default)]
    pub weak: bool,
    /// Java versions that have the pattern, in words. Missing: all.
    #[serde(default)]
    pub jdk: Option<String>,
    /// Any of these is the pattern. Empty: `rule` says it.
    #[serde(default, rename = "pattern")]
    pub patterns: Vec<Pattern>,
    /// A function of `rules` that decides instead of, or besides, the patterns.
    #[serde(default)]
    pub rule: Option<String>,
    /// What counters have to say.
    #[serde(default, rename = "condition")]
    pub conditions: Vec<Condition>,
    /// What a fix saves.
    pub gain: Gain,
    /// Where the edit goes.
    pub site: SiteRule,
    /// Words for people.
    pub text: Text,
}

/// What a detector adds up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// CPU time.
    Cpu,
    /// CPU time and the time blocked: what the thread's caller waits for.
    Elapsed,
    /// Time waited for Java locks, of the elapsed time.
    LockWait,
    /// Bytes allocated.
    AllocBytes,
}

/// Frames that are the pattern.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pattern {
    /// Functions; any one. Empty: the sample's leaf, whatever it is.
    ///
    /// `java/io/FileOutputStream.write` is a Java method with any parameters; `kernel:show_smap`, `native:fsync` and
    /// `jvm:ObjectMonitor::enter` are code of those kinds. A `*` at the end fits any rest, `java/util/regex/*` too; so does
    /// one at the start. A name with a parenthesis says the parameters, too, as the JVM writes them:
    /// `java/io/InputStreamReader.read()` is the one without any.
    #[serde(default)]
    pub anchors: Vec<String>,
    /// One of these has to stand between the calling application frame and the anchor.
    #[serde(default)]
    pub between: Vec<String>,
    /// None of these may stand there.
    #[serde(default)]
    pub not_between: Vec<String>,
    /// Number of frames that may stand there at most. Missing: any.
    #[serde(default)]
    pub most_between: Option<usize>,
    /// One of these has to stand below the anchor, towards the leaf; samples without it do not count.
    #[serde(default)]
    pub below: Vec<String>,
    /// None of these may stand below the anchor.
    #[serde(default)]
    pub not_below: Vec<String>,
    /// True if constructors of the program right above the anchor belong to the pattern, as those of its own exceptions
    /// do: the calling frame is the application frame above them.
    #[serde(default)]
    pub through_constructors: bool,
}

/// What a counter has to say. If it says otherwise there is no finding; if it is not known the finding is less certain.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// What is counted.
    pub figure: Figure,
    /// Names of the system calls that count, for figures of calls.
    #[serde(default)]
    pub calls: Vec<String>,
    /// Functions that count, for `frames_ratio`; written as anchors are. With another figure: the condition is asked only if
    /// half of the finding's CPU samples have one of these.
    #[serde(default)]
    pub frames: Vec<String>,
    /// The condition is not asked if half of the finding's CPU samples have one of these.
    #[serde(default)]
    pub unless: Vec<String>,
    /// It has to be at least this.
    #[serde(default)]
    pub at_least: Option<f64>,
    /// It has to be at most this.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// It must not be one of these.
    #[serde(default)]
    pub none_of: Vec<f64>,
    /// True if there is no finding without the figure.
    #[serde(default)]
    pub required: bool,
}

/// A figure of the finding's own samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// System calls below the anchor, a second of elapsed time of a thread that makes them, on average.
    CallsPerSecond,
    /// Bytes that such a call moves, on average.
    BytesPerCall,
    /// Share of the finding's CPU time that is spent in the kernel.
    KernelRatio,
    /// Share of the finding's elapsed time that is blocked.
    BlockedRatio,
    /// Share of all allocated bytes that the finding's stacks allocate.
    AllocRatio,
    /// The finding's share of the measure, of the work threads.
    SpentRatio,
    /// Share of the CPU time of the calling method that the finding's samples are.
    MethodRatio,
    /// Page faults below the anchor, a second of elapsed time.
    FaultsPerSecond,
    /// Frames from the anchor to the leaf, on average over CPU time: how deep it recurses.
    AnchorDepth,
    /// Share of the finding's samples that have one of `frames` at the anchor or below it.
    FramesRatio,
    /// Size of an object that the finding's stacks allocate, on average.
    BytesPerObject,
    /// Bytes that the finding's stacks allocate, a second of the calling method's CPU time.
    AllocBytesPerSecond,
    /// The number that the edit site passes as the argument which its rule names, where it is a constant.
    ArgumentValue,
    /// System calls below the anchor, for each system call that reads from a socket in the same threads; where none does,
    /// all of them.
    CallsPerSocketRead,
    /// System calls that write (`write`, `pwrite64`, `writev`, `pwritev`) to the files that `calls` name, for each of these
    /// calls, by the exact counts.
    WritesPerCall,
    /// Bytes that such writes move, for each of these calls.
    WrittenBytesPerCall,
    /// CPU time of the garbage collector's threads for each second of the work threads'.
    GcRatio,
    /// Share of the finding's CPU time whose deepest Java frame was interpreted.
    InterpretedRatio,
}

impl Figure {
    /// True if something other than the stacks of CPU samples says it: where such figures agree, a finding is certain.
    pub(crate) fn is_counter(self) -> bool {
        match self {
            Self::CallsPerSecond
            | Self::BytesPerCall
            | Self::CallsPerSocketRead
            | Self::WritesPerCall
            | Self::WrittenBytesPerCall
            | Self::FaultsPerSecond
            | Self::KernelRatio
            | Self::BlockedRatio
            | Self::AllocRatio
            | Self::BytesPerObject
            | Self::AllocBytesPerSecond => true,
            Self::SpentRatio
            | Self::MethodRatio
            | Self::AnchorDepth
            | Self::FramesRatio
            | Self::ArgumentValue
            | Self::GcRatio
            | Self::InterpretedRatio => false,
        }
    }
}

/// What a fix saves.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gain {
    /// How it is predicted.
    pub model: GainModel,
    /// Share of the cost that remains, 0 to 1.
    #[serde(default)]
    pub residual: f64,
    /// What goes besides, as a share of the cost: garbage and cold caches that it left to the rest of the calling method.
    /// The saving is never more than the method's whole share.
    #[serde(default)]
    pub besides: f64,
    /// With the model `method`: unless this is known to hold, the anchored calls' share is predicted instead.
    #[serde(default)]
    pub method_if: Option<Condition>,
    /// Which time gets less.
    #[serde(default)]
    pub endpoint: Endpoint,
    /// The prediction's assumption, one sentence.
    pub assumption: String,
    /// True if the rest of the program usually gets faster, too: the saving is "at least" this.
    #[serde(default)]
    pub at_least: bool,
}

/// How a saving is predicted. Shares are of the time of `endpoint`, whatever the detector measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GainModel {
    /// The anchored calls go away: their share.
    Call,
    /// The algorithm of the calling method changes: the method's whole share.
    Method,
    /// The garbage collector has less to do: its CPU time, compared with that of the work threads, times the finding's share of
    /// all allocated bytes.
    Collector,
    /// Not predicted: has to be measured.
    None,
}

/// The time that a saving is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// CPU time.
    #[default]
    Cpu,
    /// Elapsed time of the threads that do it.
    Elapsed,
}

/// Where the edit goes.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteRule {
    /// What is looked for.
    pub kind: SiteKind,
    /// Classes whose construction is looked for, as the JVM names them; a `*` at the end fits any rest.
    #[serde(default)]
    pub classes: Vec<String>,
    /// Number of the argument that matters, counted from 0.
    #[serde(default)]
    pub argument: Option<u8>,
    /// Classes whose objects nothing can be wrapped around, as the JVM names them: for calls of them the calling line is the
    /// site.
    #[serde(default)]
    pub unwrappable: Vec<String>,
}

impl SiteRule {
    /// The rule for a call of a class.
    pub(crate) fn of_call(&self, class: &str) -> Self {
        let kind = if self.unwrappable.iter().any(|other| other == class) { SiteKind::Call } else { self.kind };
        Self { kind, ..self.clone() }
    }
}

/// What the edit site is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SiteKind {
    /// The calling line itself.
    Call,
    /// Where the object is made on which the call is made (or which the made object wraps).
    Receiver,
    /// Where an argument of the call comes from.
    Argument,
    /// `hashCode` of the class of the keys.
    HashCode,
    /// The object that is locked.
    Lock,
    /// There is no line to edit, for example where an option of the JVM is the fix.
    None,
}

/// Words for people; paragraphs of Markdown.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// What happens and why it costs.
    pub meaning: String,
    /// How it looks in a profile.
    pub looks: String,
    /// What to do, one or two sentences in the imperative.
    pub fix: String,
    /// Code before and after, Java. Missing: none.
    #[serde(default)]
    pub before: Option<String>,
    /// See `before`.
    #[serde(default)]
    pub after: Option<String>,
    /// What a profile cannot see and a person has to check before the change.
    pub check_first: Vec<String>,
    /// When the code is right as it is.
    pub when_not: Vec<String>,
}

impl Detector {
    /// All detectors in the order of the catalogue.
    pub fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<Detector>> = OnceLock::new();
        ALL.get_or_init(|| {
            let parsed = super::detector_files::FILES.iter().map(|(name, text)| {
                toml::from_str(text).unwrap_or_else(|error| unreachable!("{name}, which a test reads: {error}"))
            });
            let mut all: Vec<Self> = parsed.collect();
            all.sort_by_key(|detector| detector.number);
            all
        })
    }
}
