//! Values of the whole collection: exact tables, and values for the manifest.

use super::KernelSide;
use crate::gathered::Gathered;
use crate::host;
use crate::kernel::exact::{ExactValues, calibration};
use whittle_model::{LossReason, Losses, MetricDefinition, StackCost, Table, TableBuilder};

impl KernelSide {
    /// The time until which events are settled. Later events still wait for the profiler's samples.
    pub(crate) fn settled_until_ns(&self) -> u64 {
        let now_ns = host::monotonic_ns();
        self.handlers.complete_until_ns().map_or(now_ns, |until_ns| until_ns.min(now_ns))
    }

    /// CPU time of the processes that the observed process started.
    pub(crate) fn followed_cpu_ns(&self) -> u64 {
        self.pipeline.events.lives.followed.cpu_ns()
    }

    /// Writes the accounts of the observed process's live threads.
    pub(crate) fn complete_threads(&mut self, gathered: &mut Gathered) {
        self.pipeline.events.lives.complete(gathered);
    }

    /// The number of threads that share rows of the threads table, and the number of these rows. None: every thread has
    /// a separate row.
    pub(crate) fn shared_rows(&self) -> Option<(u64, usize)> {
        self.pipeline.events.lives.shared_rows()
    }

    /// Number of parts of work items that are not in the table. `None`: all are there.
    pub(crate) fn left_out_parts(&self) -> Option<u64> {
        self.pipeline.events.requests.left_out_parts()
    }

    /// Updates the exact tables.
    pub(crate) fn write_tables(&mut self, builder: &mut TableBuilder, is_last: bool) {
        self.pipeline.events.lives.write_counts(builder);
        if self.is_segment {
            return;
        }
        let states = &mut self.pipeline.events.lives.states;
        let (syscalls, latencies) = self.pipeline.rows.calls.tables();
        let rows = states.take_rows(is_last);
        let exact = ExactValues { threads: &builder.tables().threads, syscalls: &syscalls, states };
        let calibration = calibration(&exact, self.pipeline.rows.sums(), &self.collected.kernel_events());
        let tables = builder.tables_mut();
        tables.thread_states.append(rows);
        tables.syscalls = syscalls;
        tables.syscall_latencies = latencies;
        tables.calibration = calibration;
    }

    /// Time in the run queue and blocked, over all threads.
    pub(crate) fn waiting_ns(&self) -> (u64, u64) {
        self.pipeline.events.lives.states.waiting_ns()
    }

    /// The metrics of this engine.
    pub(crate) fn metrics(&self) -> Vec<MetricDefinition> {
        self.pipeline.rows.metrics(&self.collected.kernel_events())
    }

    /// The profiler's work for stacks. `None`: it is only known for several programs together.
    pub(crate) fn stack_cost(&self) -> Option<StackCost> {
        self.listener.own_stack_cost().filter(|cost| cost.handlers_count > 0)
    }

    /// Losses on the way from the kernel. The waits of virtual threads that have no end yet are among them, until the end of the collection.
    pub(crate) fn losses(&self) -> Losses {
        let mut losses = self.pipeline.records.lost().losses();
        let half_waits = self.pipeline.rows.half_waits();
        if half_waits > 0 {
            losses.add_count(LossReason::HalfWaits, half_waits);
        }
        losses
    }
}
