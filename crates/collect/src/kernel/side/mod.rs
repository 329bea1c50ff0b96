//! [`KernelSide`]: one collection's use of the kernel-driven engine, from loading the programs to the last table.
//!
//! It owns the pipeline of the four stages. It also reads the kernel's maps directly, without records.
//!
//! ```text
//! load, observe (here) ──> poll (here)   records and samples through the pipeline
//!                          readings      the kernel's maps, every 200 ms or every second
//!                          summary       exact tables, values for the manifest
//!                     ──> end            events that are still open
//! ```

mod end;
mod handler;
mod readings;
mod summary;

use self::handler::Handlers;
use self::readings::Readings;
use super::events::{Lives, threads_of_before};
use super::pace::Pace;
use super::pipeline::{Pipeline, RecordedPart};
use super::plan::{KernelOptions, amounts};
use super::records::{Listener, PAUSE, SharedPrograms};
use super::virtual_returns::Complete;
use crate::error::KernelError;
use crate::events::{Amount, Events};
use crate::gathered::Gathered;
use crate::host;
use crate::process::Process;
use std::time::Duration;
use whittle_model::{SampleTable, TableBuilder};
use whittle_native::KernelSymbols;

/// If the recording contains no sample within this time after a delivery, the delivery has no sample.
const SAMPLE_PATIENCE_NS: u64 = 500_000_000;

/// One collection's use of the kernel-driven engine.
pub(crate) struct KernelSide {
    /// This collection's use of the programs and their maps.
    listener: Listener,
    pipeline: Pipeline,
    readings: Readings,
    handlers: Handlers,
    /// The collected events.
    collected: Events,
    /// Whether processes that an observed process starts are observed, too.
    follows: bool,
    /// CLOCK_MONOTONIC when observation began.
    start_ns: u64,
    /// True for a part of a continuous collection. Such a part has only one exact table, threads.
    is_segment: bool,
    /// True if the next part has taken over. No more records arrive in this part.
    is_over: bool,
}

impl KernelSide {
    /// Loads the programs, which observe nothing yet.
    pub(crate) fn load(options: &KernelOptions) -> Result<Self, KernelError> {
        let listener = SharedPrograms::of(options, PAUSE)?.listen_to_all();
        let lives = (Lives::new(), pace_of(&options.events));
        let pipeline = Pipeline::new(listener.again(), lives, KernelSymbols::read().ok());
        Ok(Self::new(listener, pipeline, options))
    }

    /// The first part of a continuous collection of `process`, which is not observed yet.
    pub(crate) fn first_segment(
        programs: &SharedPrograms,
        symbols: Option<&KernelSymbols>,
        (process, options): (Process, &KernelOptions),
    ) -> Self {
        let listener = programs.listen_to(process);
        let lives = (Lives::of_segment(), pace_of(&options.events));
        let pipeline = Pipeline::new(listener.again(), lives, symbols.map(KernelSymbols::for_other_tables));
        Self { is_segment: true, ..Self::new(listener, pipeline, options) }
    }

    fn new(listener: Listener, pipeline: Pipeline, options: &KernelOptions) -> Self {
        Self {
            listener,
            pipeline,
            readings: Readings::default(),
            handlers: Handlers::default(),
            collected: options.events,
            follows: options.follows,
            start_ns: 0,
            is_segment: false,
            is_over: false,
        }
    }

    /// The next part of a continuous collection, from `at_ns` of CLOCK_MONOTONIC on. The records until then have been
    /// taken ([`take_until`](Self::take_until)). The current part still gets answers to its events.
    pub(crate) fn next_segment(&mut self, at_ns: u64) -> Self {
        self.is_over = true;
        self.pipeline.records.count_lost();
        let pipeline = self.pipeline.for_next_segment(at_ns, pace_of(&self.collected));
        let options = KernelOptions {
            tick: Duration::ZERO,
            events: self.collected,
            follows: false,
            has_marks: false,
            drop_every: 0,
        };
        Self {
            handlers: self.handlers.for_next_segment(at_ns),
            start_ns: at_ns,
            is_segment: true,
            ..Self::new(self.listener.again(), pipeline, &options)
        }
    }

    /// Observes `process` from now on.
    pub(crate) fn observe(&mut self, process: Process) -> Result<(), KernelError> {
        self.start_ns = host::monotonic_ns();
        self.pipeline.observe(process, self.start_ns);
        self.listener.observe(process, &threads_of_before(process, self.start_ns))
    }

    /// Takes all records, and reads the maps if their interval is over.
    pub(crate) fn poll(&mut self, gathered: &mut Gathered) {
        self.take_until(u64::MAX, gathered);
        self.read_maps_if_due(gathered);
    }

    /// Takes the records until `until_ns` of CLOCK_MONOTONIC. Later records wait.
    pub(crate) fn take_until(&mut self, until_ns: u64, gathered: &mut Gathered) {
        if !self.is_over {
            self.pipeline.take_until(until_ns, gathered);
        }
    }

    /// Takes the samples of a recording.
    pub(crate) fn add_samples(&mut self, part: RecordedPart, samples: &SampleTable, builder: &mut TableBuilder) {
        self.pipeline.take_samples(part, samples, builder);
        let complete_until_ns = part.until_ns.saturating_sub(SAMPLE_PATIENCE_NS);
        self.handlers.set_complete(part.process, complete_until_ns);
        self.settle(part.process, complete_until_ns, builder);
        let complete = Complete { process_id: part.process.0, until_ns: complete_until_ns };
        self.pipeline.rows.settle_monitor_waits(Some(complete), builder);
    }

    /// Call this when no more samples of `process` can arrive, because the process has ended.
    pub(crate) fn end_samples(&mut self, process: Process, builder: &mut TableBuilder) {
        self.handlers.forget(process);
        self.settle(process, u64::MAX, builder);
    }

    fn settle(&mut self, process: Process, until_ns: u64, builder: &mut TableBuilder) {
        self.pipeline.joined.settle_until(process, until_ns);
        self.pipeline.write_joined(builder);
    }

    /// CLOCK_MONOTONIC when observation began.
    pub(crate) fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// The processes that are observed.
    pub(crate) fn processes(&self) -> Vec<Process> {
        self.listener.processes().into_iter().map(|(id, _)| Process(id)).collect()
    }
}

/// Creates the pace. Distances that the user did not set adapt to the program.
fn pace_of(events: &Events) -> Pace {
    let following = amounts(events).filter(|(_, amount)| *amount == Amount::Following);
    Pace::new(following.map(|(kind, _)| kind).collect())
}
