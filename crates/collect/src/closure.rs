//! Closure is the share of CPU time that samples with a rooted stack explain. The CPU time is from the kernel's
//! accounts.

use whittle_model::{EventKind, LossReason, Losses, SampleTable, StackIndex, StackTable, Tables};

/// Adds up the weights of samples when they arrive.
#[derive(Debug, Default)]
pub(crate) struct SampledCpu {
    /// Why frames are missing at a stack's root end, by row of the stacks table. `none`: the stack reaches the thread's
    /// root.
    missing: Vec<LossReason>,
    pub(crate) sampled_ns: u64,
    pub(crate) rooted_ns: u64,
    pub(crate) sample_count: u64,
    losses: Losses,
    allocated_bytes: u64,
    allocated_count: u64,
}

impl SampledCpu {
    /// Adds `samples`, with stacks in `tables`.
    pub(crate) fn add(&mut self, tables: &Tables, samples: &SampleTable) {
        self.extend_missing(&tables.stacks, |frame| tables.frames.reason[frame]);
        for (row, event) in samples.event.iter().enumerate() {
            let observations = if event.has_amount_in_count() { 1 } else { samples.count[row] };
            self.sample_count = self.sample_count.saturating_add(observations);
            let missing = self.missing[samples.stack[row].row()];
            match event {
                EventKind::Cpu => self.add_cpu(samples.duration_ns[row], missing),
                _ if missing != LossReason::None => self.losses.add_count(missing, 1),
                _ => {}
            }
            if *event == EventKind::Alloc {
                self.allocated_bytes = self.allocated_bytes.saturating_add(samples.bytes[row]);
                self.allocated_count = self.allocated_count.saturating_add(samples.count[row]);
            }
        }
    }

    /// The losses from samples with incomplete stacks, by reason.
    pub(crate) fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Bytes and objects that the samples of allocations represent. None: there are no samples of allocations.
    pub(crate) fn allocated(&self) -> Option<(u64, u64)> {
        (self.allocated_count > 0).then_some((self.allocated_bytes, self.allocated_count))
    }

    fn add_cpu(&mut self, duration_ns: u64, missing: LossReason) {
        self.sampled_ns = self.sampled_ns.saturating_add(duration_ns);
        match missing {
            LossReason::None => self.rooted_ns = self.rooted_ns.saturating_add(duration_ns),
            reason => self.losses.add_cpu(reason, duration_ns),
        }
    }

    /// Extends `missing` to all rows of `stacks`. A stack is rooted if its outermost frame does not represent missing
    /// frames.
    fn extend_missing(&mut self, stacks: &StackTable, reason_of_frame: impl Fn(usize) -> LossReason) {
        for row in self.missing.len()..stacks.parent.len() {
            let parent = stacks.parent[row];
            let missing = match (row, parent) {
                (0, _) => LossReason::NoFrames,
                (_, StackIndex::ROOT) => reason_of_frame(stacks.frame[row].row()),
                _ => self.missing[parent.row()],
            };
            self.missing.push(missing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{Sample, TableBuilder};

    #[test]
    fn only_stacks_that_reach_the_root_count_as_rooted() {
        let mut builder = TableBuilder::new();
        let (main, cut) = (builder.pseudo_frame("main"), builder.truncated_frame(LossReason::DepthLimit));
        let stacks = [builder.stack([main]), builder.stack([cut, main]), StackIndex::ROOT];
        let thread = builder.thread(None, Some(1), "main");
        let mut sampled = SampledCpu::default();
        for stack in stacks {
            builder.sample(Sample { duration_ns: 10, ..Sample::new(0, thread, stack, EventKind::Cpu) });
        }
        let samples = builder.take_samples();
        sampled.add(builder.tables(), &samples);
        assert_eq!((sampled.sampled_ns, sampled.rooted_ns, sampled.sample_count), (30, 10, 3));
        let losses: Vec<_> = sampled.losses().iter().map(|loss| (loss.reason, loss.cpu_ns)).collect();
        assert_eq!(losses, [(LossReason::DepthLimit, Some(10)), (LossReason::NoFrames, Some(10))]);
    }
}
