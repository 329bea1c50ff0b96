//! Keeps only the rows that the samples of a segment refer to.
//!
//! The first chunk of a segment's recording also contains stacks of the previous segment. Some copied stacks answer no
//! event.

use rustc_hash::FxHashSet;
use whittle_model::{
    BinaryIndex, File, FileIdentity, FileIndex, FrameIndex, FrameKind, NewFrame, NewFunction, ObjectClassIndex, Sample,
    StackIndex, Table, TableBuilder, Tables, ThreadIndex,
};

/// The tables with only the rows that samples refer to, the threads that used CPU time, and the counters. Other exact
/// tables must be empty.
pub(crate) fn only_reached(tables: &Tables) -> Tables {
    let mut copy = Copying { tables, builder: TableBuilder::new(), stacks: vec![None; tables.stacks.len()] };
    let threads = copy.threads();
    for row in 0..tables.samples.len() {
        let sample = tables.samples.row(row);
        let Some(thread) = threads[sample.thread.row()] else { continue };
        let stack = copy.stack(sample.stack);
        let object_class = copy.object_class(sample.object_class);
        let file = copy.file(sample.file);
        copy.builder.sample(Sample { thread, stack, object_class, file, ..sample });
    }
    copy.builder.tables_mut().counters = tables.counters.clone();
    copy.builder.into_tables()
}

struct Copying<'a> {
    tables: &'a Tables,
    builder: TableBuilder,
    /// The position of each stack in the new tables, by old row.
    stacks: Vec<Option<StackIndex>>,
}

impl Copying<'_> {
    fn threads(&mut self) -> Vec<Option<ThreadIndex>> {
        let (threads, samples) = (&self.tables.threads, &self.tables.samples);
        let sampled: FxHashSet<usize> = samples.thread.iter().map(|thread| thread.row()).collect();
        let is_kept = |row: usize| sampled.contains(&row) || threads.cpu_ns[row].is_some_and(|cpu_ns| cpu_ns > 0);
        let mut keep = |row: usize| is_kept(row).then(|| self.builder.add_thread(threads.row(row)));
        (0..threads.len()).map(&mut keep).collect()
    }

    fn object_class(&mut self, class: ObjectClassIndex) -> ObjectClassIndex {
        self.builder.object_class(&self.tables.object_classes.name[class.row()])
    }

    fn file(&mut self, file: FileIndex) -> FileIndex {
        if file == FileIndex::NONE {
            return file;
        }
        let File { device, inode, kind, path } = self.tables.files.row(file.row());
        self.builder.file(FileIdentity { device, inode, kind }, &path)
    }

    fn stack(&mut self, stack: StackIndex) -> StackIndex {
        // Stacks can be thousands of frames deep. So this code is not recursive. It goes down to the first known frame,
        // and then up again.
        let stacks = &self.tables.stacks;
        let (mut missing, mut at) = (Vec::new(), stack);
        let mut found = loop {
            match self.stacks[at.row()] {
                Some(found) => break found,
                None if at == StackIndex::ROOT => break StackIndex::ROOT,
                None => {
                    missing.push(at);
                    at = stacks.parent[at.row()];
                }
            }
        };
        for at in missing.into_iter().rev() {
            let frame = self.frame(stacks.frame[at.row()]);
            found = self.builder.child(found, frame);
            self.stacks[at.row()] = Some(found);
        }
        found
    }

    fn frame(&mut self, frame: FrameIndex) -> FrameIndex {
        let frame = self.tables.frames.row(frame.row());
        let function = self.tables.functions.row(frame.function.row());
        match frame.kind {
            FrameKind::Truncated => return self.builder.truncated_frame(frame.reason),
            FrameKind::Pseudo => return self.builder.pseudo_frame(&function.display_name),
            _ => {}
        }
        let binary = self.binary(function.binary);
        let index = self.builder.function(&NewFunction {
            display_name: &function.display_name,
            internal_name: &function.internal_name,
            kind: function.kind,
            binary,
        });
        self.builder.describe_function(index, function.source_file.as_deref(), function.first_line);
        if let Some(address) = function.address {
            self.builder.locate_function(index, address, function.size_bytes);
        }
        let (line, bytecode_index, address) = (frame.line, frame.bytecode_index, frame.address);
        self.builder.frame(NewFrame { function: index, kind: frame.kind, line, bytecode_index, address })
    }

    fn binary(&mut self, binary: BinaryIndex) -> BinaryIndex {
        let of = self.tables.binaries.row(binary.row());
        let index = self.builder.binary(&of.path, of.kind);
        if let Some(build_id) = &of.build_id {
            self.builder.describe_binary(index, build_id);
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{CounterValue, EventKind, LossReason, Thread};

    #[test]
    fn what_no_sample_reaches_is_left_out() {
        let mut builder = TableBuilder::new();
        let frames = ["main", "read", "parse"].map(|name| builder.pseudo_frame(name));
        let cut = builder.truncated_frame(LossReason::DepthLimit);
        let stacks = [vec![frames[0], frames[1]], vec![frames[0], frames[2]], vec![cut, frames[2]]];
        let stacks = stacks.map(|frames| builder.stack(frames));
        let threads = ["busy", "idle", "unseen"].map(|name| builder.add_thread(Thread::unknown(Some(1), None, name)));
        builder.threads_mut().cpu_ns[threads[2].row()] = Some(7);
        for stack in [stacks[1], StackIndex::ROOT, stacks[2], stacks[1]] {
            builder.sample(Sample { duration_ns: 5, ..Sample::new(1, threads[0], stack, EventKind::Cpu) });
        }
        for name in ["of no sample", "byte[]"] {
            builder.object_class(name);
        }
        let object_class = builder.object_class("byte[]");
        builder.sample(Sample { object_class, ..Sample::new(2, threads[0], stacks[1], EventKind::Alloc) });
        let counter = CounterValue { time_ns: 3, counter: "rss_bytes".to_owned(), value: 1.0 };
        builder.tables_mut().counters.push(counter);
        let reached = only_reached(&builder.into_tables());
        reached.validate().expect("the remaining tables are valid");
        assert_eq!(reached.threads.name, ["busy", "unseen"]);
        assert_eq!(reached.functions.display_name, ["<Total>", "main", "parse", "<truncated: depth_limit>"]);
        assert_eq!((reached.stacks.len(), reached.samples.len(), reached.counters.len()), (5, 5, 1));
        assert_eq!(reached.object_classes.name, ["", "byte[]"]);
        assert_eq!(reached.samples.object_class[4], ObjectClassIndex(1));
        assert_eq!(reached.samples.stack[0], reached.samples.stack[3]);
        assert_eq!(reached.samples.stack[1], StackIndex::ROOT);
    }
}
