//! The first phase: a session begins.

use super::jvm_search::JvmSearch;
use super::notices::Notices;
use super::profiled_jvm::{JvmParts, ProfiledJvm, Recorded};
use super::store::Store;
use super::{Beginning, Session, Sources};
use crate::accounts::{Accounts, Ends};
use crate::counters::Counters;
use crate::gathered::Gathered;
use crate::host;
use crate::options::CollectOptions;
use crate::process::Process;
use std::time::{Duration, Instant};
use whittle_experiment::ExperimentWriter;
use whittle_model::Manifest;

/// How often counters are read.
const COUNTER_INTERVAL: Duration = Duration::from_secs(1);

/// How often counters are read in a continuous collection.
const SEGMENT_COUNTER_INTERVAL: Duration = Duration::from_secs(15);

impl<'a> Session<'a> {
    /// A session that starts now. The kernel side is already observing.
    pub(crate) fn new(
        (process, beginning): (Process, Beginning),
        (writer, mut manifest): (Option<ExperimentWriter>, Manifest),
        sources: Sources,
        options: &'a CollectOptions,
    ) -> Self {
        let is_segment = writer.is_none();
        let counter_interval = if is_segment { SEGMENT_COUNTER_INTERVAL } else { COUNTER_INTERVAL };
        if let Some(kernel) = &sources.kernel {
            set_start(&mut manifest, kernel.start_ns());
        }
        let parts = JvmParts {
            weight_per_sample_ns: sources.weight_per_sample_ns(options),
            start_ns: manifest.start_monotonic_ns.unwrap_or_default(),
            has_log: sources.has_jvm_log,
            has_classes: !is_segment,
            instrument: options.instrument,
        };
        let has_profiler = sources.agent.is_some();
        // A launched or attached native program can become a JVM later.
        let searches = sources.kernel.is_some() && !is_segment && (options.follows || !has_profiler);
        let kind = (sources.agent.is_some(), beginning == Beginning::Launched);
        let ends = if sources.kernel.is_some() { Ends::Reported } else { Ends::Unseen };
        Self {
            counters: Counters::new(process, kind, (counter_interval, sources.output)),
            process,
            jvms: sources.agent.map(|agent| ProfiledJvm::new(process, agent, parts)).into_iter().collect(),
            has_unwritten_chunks: false,
            ended_recordings: Recorded::default(),
            jvm_search: searches.then(|| JvmSearch::new(process, has_profiler, options)),
            needs_recording: has_profiler,
            log_end_ns: None,
            end_notes: Vec::new(),
            beginning,
            store: Store::new(writer),
            manifest,
            gathered: Gathered::new(Accounts::open(process, beginning == Beginning::Launched, ends)),
            kernel: sources.kernel,
            notices: Notices::default(),
            started: Instant::now(),
            last_look: Instant::now(),
            work: Vec::new(),
            end_ns: None,
            options,
        }
    }
}

impl Sources {
    /// The weight of a CPU sample if timers take the samples, because timers fire only at a tick of the kernel. Samples
    /// that answer signals do not use this weight.
    fn weight_per_sample_ns(&self, options: &CollectOptions) -> Option<u64> {
        let tick_ns = host::tick_ns().max(options.interval.as_nanos() as u64);
        self.kernel.is_none().then_some(tick_ns)
    }
}

/// Sets the start of a part to `start_ns` of CLOCK_MONOTONIC.
pub(super) fn set_start(manifest: &mut Manifest, start_ns: u64) {
    let ago_ns = host::monotonic_ns().saturating_sub(start_ns);
    manifest.start_wall_ns = Some(host::wall_ns().saturating_sub(ago_ns));
    manifest.start_monotonic_ns = Some(start_ns);
}
