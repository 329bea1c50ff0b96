//! How much of the CPU time that the kernel accounted is explained by samples with a rooted stack.

use whittle_model::{EventKind, FrameKind, SampleTable, StackIndex, StackTable, Tables};

/// Adds up sample weights as they come.
#[derive(Debug, Default)]
pub(crate) struct SampledCpu {
    /// By row of stacks: true if the stack reaches the thread's root.
    is_rooted: Vec<bool>,
    pub(crate) sampled_ns: u64,
    pub(crate) rooted_ns: u64,
    pub(crate) sample_count: u64,
}

impl SampledCpu {
    /// Adds `samples`, whose stacks are in `tables`.
    pub(crate) fn add(&mut self, tables: &Tables, samples: &SampleTable) {
        self.extend_rooted(&tables.stacks, |frame| tables.frames.kind[frame] == FrameKind::Truncated);
        for (row, event) in samples.event.iter().enumerate() {
            let observations = if event.has_amount_in_count() { 1 } else { samples.count[row] };
            self.sample_count = self.sample_count.saturating_add(observations);
            if *event == EventKind::Cpu {
                self.sampled_ns = self.sampled_ns.saturating_add(samples.duration_ns[row]);
                if self.is_rooted[samples.stack[row].row()] {
                    self.rooted_ns = self.rooted_ns.saturating_add(samples.duration_ns[row]);
                }
            }
        }
    }

    /// A stack is rooted if its outermost frame is not one that stands for missing frames.
    fn extend_rooted(&mut self, stacks: &StackTable, is_truncated: impl Fn(usize) -> bool) {
        for row in self.is_rooted.len()..stacks.parent.len() {
            let parent = stacks.parent[row];
            let is_rooted = match (row, parent) {
                (0, _) => false,
                (_, StackIndex::ROOT) => !is_truncated(stacks.frame[row].row()),
                _ => self.is_rooted[parent.row()],
            };
            self.is_rooted.push(is_rooted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{LossReason, Sample, TableBuilder};

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
    }
}
