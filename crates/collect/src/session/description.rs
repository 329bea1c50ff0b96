//! The manifest of a session so far, and the values in the threads table.

use super::Session;
use super::profiled_jvm::Recorded;
use crate::accounts::set_classes;
use crate::chosen_engine::REQUESTED;
use crate::engine::Engine;
use crate::kernel::MOST_PARTS_PER_SECOND;
use whittle_import::Recording;
use whittle_model::{Collector, CollectorStatus, EventKind, Jvm as JvmFacts, Manifest, UnitOfWork};

/// async-profiler's name for its engine with perf events, in its settings.
const PERF_ENGINE: &str = "perf_events";

/// The reason of the engine if the JVM was not allowed to use perf events.
const REFUSED: &str = "no user/system split by method: perf events were refused inside the JVM (a container's seccomp profile \
                       or user namespace does this), so async-profiler used timers";

/// The name of the collector that changes classes.
const AGENT: &str = "whittle's agent in the JVM";

/// The name in `not_counted` if parts of work items are left out.
const LEFT_OUT_PARTS: &str = "parts of work items";

/// The name in `not_counted` if threads share rows.
const SINGLE_THREADS: &str = "single threads";

/// Adds to the manifest what a JVM cannot report. At the end, the user reads this text with the engine's name.
pub(crate) fn leave_out(manifest: &mut Manifest, what: &str) {
    let Some(collector) = manifest.collectors.first_mut() else { return };
    if !collector.reason.contains(what) {
        collector.reason.push_str("; ");
        collector.reason.push_str(what);
    }
}

/// Adds what the agent has changed in a JVM.
pub(super) fn add_agent(manifest: &mut Manifest, places: &str) {
    if let Some(agent) = manifest.collectors.iter_mut().find(|collector| collector.engine == Collector::INSTRUMENT) {
        agent.reason.push_str("; ");
        agent.reason.push_str(places);
        return;
    }
    manifest.collectors.push(Collector {
        name: AGENT.to_owned(),
        engine: Collector::INSTRUMENT.to_owned(),
        interval_ns: None,
        status: CollectorStatus::Used,
        reason: places.to_owned(),
    });
}

impl Session<'_> {
    pub(super) fn describe_so_far(&mut self) {
        self.describe(&self.recorded_so_far());
    }

    /// Updates the manifest and the threads table. Some values are from the recordings.
    pub(super) fn describe(&mut self, recorded: &Recorded) {
        self.manifest.jvm = recorded.recording.jvm.as_ref().map(JvmFacts::from);
        let has_others = recorded.jvms.iter().any(|jvm| jvm.process_id != self.process.0);
        self.manifest.jvm_processes = if has_others { recorded.jvms.clone() } else { Vec::new() };
        self.options.command_line.limit_jvms(&mut self.manifest);
        match &self.kernel {
            Some(_) => self.describe_joined(recorded),
            None if self.is_segment() => self.describe_segment(recorded),
            None => self.describe_recording(recorded),
        }
        let start_ns = self.start_ns();
        self.complete_threads(start_ns);
        self.manifest.closure = Some(self.closure_so_far());
        self.describe_resources();
    }

    /// Describes the kernel side's values, and the recordings' values of other events.
    fn describe_joined(&mut self, recorded: &Recorded) {
        let Some(kernel) = &self.kernel else { return };
        let others = recorded.metrics.iter().filter(|metric| metric.event != EventKind::Cpu).cloned();
        self.manifest.metrics = kernel.metrics().into_iter().chain(others).collect();
        self.manifest.stack_cost = kernel.stack_cost();
        self.manifest.losses = kernel.losses();
        self.manifest.losses.merge(self.store.sampled.losses());
        self.manifest.losses.merge(&recorded.losses_of_input());
        self.manifest.duration_ns = self.end_ns() - self.start_ns();
    }

    /// Describes only the part of the recording that is in this segment.
    fn describe_segment(&mut self, recorded: &Recorded) {
        self.manifest.metrics.clone_from(&recorded.metrics);
        self.manifest.losses = self.store.sampled.losses().clone();
        self.manifest.losses.merge(&recorded.losses_of_input());
        self.manifest.duration_ns = self.end_ns().saturating_sub(self.start_ns());
        self.describe_engine(&recorded.recording);
    }

    /// Describes the whole recording.
    fn describe_recording(&mut self, Recorded { recording, metrics, losses, .. }: &Recorded) {
        let start_ns = self.jvms.first().and_then(|jvm| jvm.start_of(recording));
        if let Some(start_ns) = start_ns {
            self.manifest.start_wall_ns = Some(recording.start_wall_ns);
            self.manifest.start_monotonic_ns = Some(start_ns);
        }
        self.manifest.duration_ns = recording.duration_ns;
        self.manifest.metrics.clone_from(metrics);
        self.manifest.losses = losses.clone();
        self.describe_engine(recording);
    }

    fn complete_threads(&mut self, start_ns: u64) {
        let Self { gathered, kernel, manifest, .. } = self;
        match kernel {
            Some(kernel) => {
                kernel.complete_threads(gathered);
                manifest
                    .not_counted
                    .retain(|text| !text.starts_with(SINGLE_THREADS) && !text.starts_with(LEFT_OUT_PARTS));
                manifest.not_counted.extend(kernel.left_out_parts().map(|count| {
                    format!(
                        "{LEFT_OUT_PARTS}: {count} times a thread's work for an item has no row, because there were more than \
                         {MOST_PARTS_PER_SECOND} per second; the items' own times are complete"
                    )
                }));
                manifest.not_counted.extend(kernel.shared_rows().map(|(threads, rows)| {
                    format!("{SINGLE_THREADS}: {threads} short-lived threads share {rows} rows, grouped by name; the sums are exact")
                }));
            }
            None => gathered.accounts.complete_threads(&mut gathered.builder, start_ns),
        }
        set_classes(gathered.builder.threads_mut());
    }

    fn describe_resources(&mut self) {
        let mut resources = self.gathered.accounts.resources();
        if let Some(kernel) = self.kernel.as_ref().filter(|_| !self.is_segment()) {
            let (queued_ns, blocked_ns) = kernel.waiting_ns();
            resources.run_queue_ns = Some(queued_ns);
            resources.blocked_ns = Some(blocked_ns);
        }
        (resources.gc_count, resources.gc_ns) = self.counters.garbage_collections();
        self.manifest.units_of_work = self.units_of_work();
        resources.allocated_bytes = self.store.sampled.allocated().map(|allocated| allocated.0);
        resources.allocated_objects_count = self.store.sampled.allocated().map(|allocated| allocated.1);
        self.manifest.resources = Some(resources);
    }

    /// The units of work that the user counted, and printed units with other names.
    fn units_of_work(&self) -> Vec<UnitOfWork> {
        let given = &self.options.units_of_work;
        let printed = self.counters.units_of_work().into_iter();
        let only_printed = printed.filter(|unit| given.iter().all(|given| given.name != unit.name));
        given.iter().chain(&self.work).cloned().chain(only_printed).collect()
    }

    /// Describes the engine that was used. If perf events are refused, async-profiler uses timers without a message.
    fn describe_engine(&mut self, recording: &Recording) {
        let Some(used) = recording.settings.get("jdk.ActiveRecording", "engine") else { return };
        name_used_engine(&mut self.manifest, used);
    }
}

/// Replaces the engine `cpu` if async-profiler used another one. Everything else in the reason stays.
fn name_used_engine(manifest: &mut Manifest, used: &str) {
    let Some(collector) = manifest.collectors.first_mut() else { return };
    if collector.engine != Engine::Cpu.name() || used == PERF_ENGINE {
        return;
    }
    used.clone_into(&mut collector.engine);
    match collector.reason.strip_prefix(REQUESTED) {
        Some(rest) => collector.reason = format!("{REFUSED}{rest}"),
        None => leave_out(manifest, REFUSED),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::Program;

    fn reason_with(used: &str, reason: &str) -> (String, String) {
        let mut manifest = Manifest::new(Program { name: String::new(), version: String::new() });
        manifest.collectors.push(Collector {
            name: String::new(),
            engine: Engine::Cpu.name().to_owned(),
            interval_ns: None,
            status: CollectorStatus::Used,
            reason: reason.to_owned(),
        });
        name_used_engine(&mut manifest, used);
        name_used_engine(&mut manifest, used);
        let collector = manifest.collectors.remove(0);
        (collector.engine, collector.reason)
    }

    #[test]
    fn refused_perf_events_replace_only_the_engines_part_of_the_reason() {
        let (engine, requested) = reason_with("ctimer", "requested; waits are estimates; no pauses");
        assert_eq!((engine.as_str(), requested), ("ctimer", format!("{REFUSED}; waits are estimates; no pauses")));
        let (_, chosen) = reason_with("ctimer", "no exact amounts: no BPF; waits are estimates");
        assert_eq!(chosen, format!("no exact amounts: no BPF; waits are estimates; {REFUSED}"));
        let as_wanted = reason_with(PERF_ENGINE, "requested; waits are estimates");
        assert_eq!(as_wanted, ("cpu".to_owned(), "requested; waits are estimates".to_owned()));
    }
}
