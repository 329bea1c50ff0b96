//! Checks every rule in the documentation of the columns.

mod exact;

use crate::{
    EventKind, FileIndex, FrameKind, LossReason, ObjectClassIndex, SampleTable, StackIndex, Table, Tables, WaitReason,
};
use thiserror::Error;

/// A stored table breaks a rule in its documentation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("table {table}, row {row} breaks a rule: {promise}")]
pub struct BrokenPromise {
    /// The table.
    pub table: &'static str,
    /// The first row that breaks the rule.
    pub row: usize,
    /// The rule, as a sentence.
    pub promise: &'static str,
}

impl Tables {
    /// Checks lengths, index ranges and order of all tables. Returns the first broken rule.
    ///
    /// # Errors
    /// [`BrokenPromise`] names table, row and rule.
    pub fn validate(&self) -> Result<(), BrokenPromise> {
        check_rectangular(&self.stacks)?;
        self.validate_for_views()?;
        self.check_depths()
    }

    /// Checks all rules, except the rules for a stack's depth and content hash. No view needs these two columns, so
    /// they can be empty.
    ///
    /// # Errors
    /// [`BrokenPromise`] names table, row and rule.
    pub fn validate_for_views(&self) -> Result<(), BrokenPromise> {
        check_rectangular(&self.binaries)?;
        check_rectangular(&self.functions)?;
        check_rectangular(&self.frames)?;
        let is_rectangular = self.stacks.parent.len() == self.stacks.frame.len();
        check("stacks", [is_rectangular].into_iter(), RECTANGULAR)?;
        check_rectangular(&self.threads)?;
        check_rectangular(&self.thread_states)?;
        check_rectangular(&self.samples)?;
        check_rectangular(&self.object_classes)?;
        check_rectangular(&self.files)?;
        check_rectangular(&self.syscalls)?;
        check_rectangular(&self.syscall_latencies)?;
        check_rectangular(&self.sampled_calls)?;
        check_rectangular(&self.calibration)?;
        check_rectangular(&self.counters)?;
        check_rectangular(&self.jvm_events)?;
        check_rectangular(&self.archive)?;
        self.check_first_rows()?;
        self.check_references()?;
        self.check_tree()?;
        self.check_values()?;
        self.check_files()?;
        self.check_system_calls()?;
        self.check_thread_states()?;
        self.check_calibration()?;
        check_rectangular(&self.requests)?;
        check_rectangular(&self.request_parts)?;
        self.check_requests()?;
        // Report files contain none.
        if cfg!(not(target_arch = "wasm32")) {
            check_rectangular(&self.wakes)?;
            self.check_wakes()?;
        }
        self.check_counters()?;
        self.check_jvm_events()
    }

    fn check_first_rows(&self) -> Result<(), BrokenPromise> {
        let first = |table, is_there: bool, promise| check(table, [is_there].into_iter(), promise);
        first("binaries", !self.binaries.is_empty(), "row 0 means \"no binary\"")?;
        first("functions", !self.functions.is_empty(), "row 0 is <Total>")?;
        first("frames", self.frames.function.first().is_some_and(|f| f.row() == 0), "row 0 is the frame of <Total>")?;
        let root = self.stacks.parent.first() == Some(&StackIndex::ROOT) && self.stacks.frame[0].row() == 0;
        first("stacks", root, "row 0 is the empty stack")?;
        let unknown = self.object_classes.name.first().is_some_and(String::is_empty);
        first("object_classes", unknown, "row 0 means \"unknown class\"")
    }

    fn check_references(&self) -> Result<(), BrokenPromise> {
        let rows = |count: usize| move |row: usize| row < count;
        let in_binaries = rows(self.binaries.len());
        let in_functions = rows(self.functions.len());
        let in_frames = rows(self.frames.len());
        let in_threads = rows(self.threads.len());
        let in_stacks = rows(self.stacks.len());
        let (functions, frames, samples) = (&self.functions, &self.frames, &self.samples);
        check("functions", functions.binary.iter().map(|i| in_binaries(i.row())), "binary is a row of binaries")?;
        check("frames", frames.function.iter().map(|i| in_functions(i.row())), "function is a row of functions")?;
        check("stacks", self.stacks.frame.iter().map(|i| in_frames(i.row())), "frame is a row of frames")?;
        check("samples", samples.thread.iter().map(|i| in_threads(i.row())), "thread is a row of threads")?;
        check("samples", samples.stack.iter().map(|i| in_stacks(i.row())), "stack is a row of stacks")?;
        let in_classes = rows(self.object_classes.len());
        let classes = samples.object_class.iter().map(|i| in_classes(i.row()));
        check("samples", classes, "object_class is a row of object_classes")
    }

    fn check_tree(&self) -> Result<(), BrokenPromise> {
        let nodes = self.stacks.parent.iter().enumerate().map(|(row, parent)| (row, parent.row()));
        check("stacks", nodes.map(|(row, parent)| row == 0 || parent < row), "the parent is an earlier row")
    }

    /// Checks the depths of stacks. All parents must already be checked, because an invalid parent would cause a panic.
    fn check_depths(&self) -> Result<(), BrokenPromise> {
        let (parents, depths) = (&self.stacks.parent, &self.stacks.depth);
        check("stacks", depths.first().iter().map(|depth| **depth == 0), "row 0 is the empty stack")?;
        let is_next = |row: usize| row == 0 || depths[parents[row].row()].checked_add(1) == Some(depths[row]);
        check("stacks", (0..depths.len()).map(is_next), "depth is the parent's depth plus 1")
    }

    fn check_values(&self) -> Result<(), BrokenPromise> {
        let reasons = (0..self.frames.len()).map(|row| {
            (self.frames.kind[row] == FrameKind::Truncated) == (self.frames.reason[row] != LossReason::None)
        });
        check("frames", reasons, "a frame has a reason if, and only if, its kind is truncated")?;
        check("frames", self.frames.line.iter().map(|line| *line != Some(0)), "lines are counted from 1")?;
        check("samples", self.samples.count.iter().map(|count| *count >= 1), "count is at least 1")?;
        let reasons = self.samples.event.iter().zip(&self.samples.reason);
        let has_none =
            |(event, reason): (&EventKind, &WaitReason)| *event == EventKind::OffCpu || *reason == WaitReason::None;
        check("samples", reasons.map(has_none), "reason is none unless event is off_cpu")?;
        let classes = samples_with_classes(&self.samples);
        check("samples", classes, "object_class is 0 unless event is alloc")?;
        let files = samples_with_files(&self.samples);
        check("samples", files, "file is 0 unless event is off_cpu")?;
        let names = self.object_classes.name.iter().enumerate();
        check("object_classes", names.map(|(row, name)| row == 0 || !name.is_empty()), "a class has a name")
    }
}

/// For each sample, whether it may have its class of objects.
fn samples_with_classes(samples: &SampleTable) -> impl Iterator<Item = bool> {
    let may_have = |(event, class): (&EventKind, &ObjectClassIndex)| {
        *event == EventKind::Alloc || *class == ObjectClassIndex::UNKNOWN
    };
    samples.event.iter().zip(&samples.object_class).map(may_have)
}

fn samples_with_files(samples: &SampleTable) -> impl Iterator<Item = bool> {
    let may_have = |(event, file): (&EventKind, &FileIndex)| *event == EventKind::OffCpu || *file == FileIndex::NONE;
    samples.event.iter().zip(&samples.file).map(may_have)
}

const RECTANGULAR: &str = "all columns have the same number of rows";

fn check_rectangular<T: Table>(table: &T) -> Result<(), BrokenPromise> {
    check(T::NAME, [table.is_rectangular()].into_iter(), RECTANGULAR)
}

fn check(
    table: &'static str,
    mut kept: impl Iterator<Item = bool>,
    promise: &'static str,
) -> Result<(), BrokenPromise> {
    match kept.position(|is_kept| !is_kept) {
        Some(row) => Err(BrokenPromise { table, row, promise }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BinaryIndex, FileIdentity, FileKind, FrameIndex, FunctionIndex, Sample, TableBuilder, ThreadIndex};

    fn whole() -> Tables {
        let mut builder = TableBuilder::new();
        let (main, write) = (builder.pseudo_frame("main"), builder.pseudo_frame("write"));
        let stack = builder.stack([main, write]);
        let thread = builder.thread(None, Some(1), "main");
        builder.sample(Sample { duration_ns: 1, ..Sample::new(0, thread, stack, EventKind::Cpu) });
        let object_class = builder.object_class("byte[]");
        builder.sample(Sample { object_class, bytes: 8, ..Sample::new(1, thread, stack, EventKind::Alloc) });
        let file = builder.file(FileIdentity { device: 1, inode: 2, kind: FileKind::Socket }, "tcp 10.0.0.7:5432");
        builder.sample(Sample { file, duration_ns: 1, ..Sample::new(2, thread, stack, EventKind::OffCpu) });
        builder.into_tables()
    }

    /// Breaks each rule once, and expects the error to name table and row.
    #[test]
    fn every_broken_promise_is_found() {
        type Break = fn(&mut Tables);
        let breaks: &[(&str, usize, Break)] = &[
            ("binaries", 0, |t| t.binaries.path.clear()),
            ("functions", 0, |t| t.functions.kind.truncate(1)),
            ("functions", 1, |t| t.functions.binary[1] = BinaryIndex(9)),
            ("frames", 2, |t| t.frames.function[2] = FunctionIndex(99)),
            ("frames", 1, |t| t.frames.kind[1] = FrameKind::Truncated),
            ("frames", 1, |t| t.frames.reason[1] = LossReason::GcActive),
            ("frames", 1, |t| t.frames.line[1] = Some(0)),
            ("stacks", 0, |t| t.stacks.depth[0] = 1),
            ("stacks", 2, |t| t.stacks.parent[2] = StackIndex(2)),
            ("stacks", 2, |t| t.stacks.depth[2] = 7),
            ("stacks", 1, |t| t.stacks.frame[1] = FrameIndex(99)),
            ("samples", 0, |t| t.samples.stack[0] = StackIndex(3)),
            ("samples", 0, |t| t.samples.thread[0] = ThreadIndex(1)),
            ("samples", 0, |t| t.samples.count[0] = 0),
            ("samples", 0, |t| t.samples.bytes.clear()),
            ("samples", 0, |t| t.samples.object_class.clear()),
            ("samples", 0, |t| t.samples.object_class[0] = ObjectClassIndex(2)),
            ("samples", 0, |t| t.samples.object_class[0] = ObjectClassIndex(1)),
            ("samples", 0, |t| t.samples.file.clear()),
            ("samples", 0, |t| t.samples.file[0] = FileIndex(2)),
            ("samples", 0, |t| t.samples.file[0] = FileIndex(1)),
            ("object_classes", 0, |t| t.object_classes.name.clear()),
            ("object_classes", 0, |t| t.object_classes.name[0] = "byte[]".to_owned()),
            ("object_classes", 1, |t| t.object_classes.name[1].clear()),
        ];
        whole().validate().expect("the tables are whole");
        for (number, (table, row, break_it)) in breaks.iter().enumerate() {
            let mut tables = whole();
            break_it(&mut tables);
            let broken = tables.validate().expect_err("a promise was broken");
            assert_eq!((broken.table, broken.row), (*table, *row), "break {number}: {broken}");
        }
    }
}
