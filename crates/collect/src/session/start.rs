//! The first phase: a session begins.

use super::notices::Notices;
use super::store::Store;
use super::{Beginning, Session, Sources};
use crate::accounts::{Accounts, Ends};
use crate::class_archive::ClassArchiver;
use crate::counters::Counters;
use crate::gathered::Gathered;
use crate::host;
use crate::jvm_log::GrowingJvmLog;
use crate::options::CollectOptions;
use crate::process::Process;
use std::time::{Duration, Instant};
use whittle_experiment::ExperimentWriter;
use whittle_import::JfrOptions;
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
        mut sources: Sources,
        options: &'a CollectOptions,
    ) -> Self {
        let is_segment = writer.is_none();
        let counter_interval = if is_segment { SEGMENT_COUNTER_INTERVAL } else { COUNTER_INTERVAL };
        sources.set_import(process, options);
        if let Some(kernel) = &sources.kernel {
            set_start(&mut manifest, kernel.start_ns());
        }
        let monotonic_offset_ns = process.monotonic_offset_ns();
        let log_start_ns = manifest.start_monotonic_ns.unwrap_or_default().saturating_add_signed(monotonic_offset_ns);
        let kind = (sources.agent.is_some(), beginning == Beginning::Launched);
        let ends = if sources.kernel.is_some() { Ends::Reported } else { Ends::Unseen };
        Self {
            counters: Counters::new(process, kind, (counter_interval, sources.output)),
            process,
            jvm_log: sources.has_jvm_log.then(|| GrowingJvmLog::new(log_start_ns)),
            log_end_ns: None,
            end_note: None,
            monotonic_offset_ns,
            beginning,
            store: Store::new(writer),
            manifest,
            gathered: Gathered::new(Accounts::open(process, beginning == Beginning::Launched, ends)),
            archiver: (sources.agent.is_some() && !is_segment).then(|| ClassArchiver::new(process)),
            agent: sources.agent,
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
    /// Sets the sample properties that are not in the recording.
    fn set_import(&mut self, process: Process, options: &CollectOptions) {
        let Some(agent) = &mut self.agent else { return };
        // This weight is used if timers take the samples, because timers fire only at a tick of the kernel. Samples
        // that answer signals do not use this weight.
        let tick_ns = host::tick_ns().max(options.interval.as_nanos() as u64);
        let weight_per_sample_ns = self.kernel.is_none().then_some(tick_ns);
        agent.set_import(JfrOptions { weight_per_sample_ns, process_id: Some(process.0) });
    }
}

/// Sets the start of a part to `start_ns` of CLOCK_MONOTONIC.
pub(super) fn set_start(manifest: &mut Manifest, start_ns: u64) {
    let ago_ns = host::monotonic_ns().saturating_sub(start_ns);
    manifest.start_wall_ns = Some(host::wall_ns().saturating_sub(ago_ns));
    manifest.start_monotonic_ns = Some(start_ns);
}
