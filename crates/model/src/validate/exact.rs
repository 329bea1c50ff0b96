//! Checks of the tables with exact counts: files, system calls, thread states, counters, events of the JVM.

use super::{BrokenPromise, check};
use crate::{FileIndex, FileKind, RequestTable, StackIndex, Table, Tables, ThreadIndex, ThreadStateTable, WaitReason};

impl Tables {
    pub(super) fn check_files(&self) -> Result<(), BrokenPromise> {
        let is_none = |row: usize| self.files.kind.get(row) == Some(&FileKind::None);
        check("files", std::iter::once(is_none(FileIndex::NONE.row())), "row 0 means \"no file\"")?;
        let is_file = |file: &FileIndex| file.row() < self.files.len();
        check("samples", self.samples.file.iter().map(is_file), "file is a row of files")
    }

    pub(super) fn check_system_calls(&self) -> Result<(), BrokenPromise> {
        let (calls, latencies, sampled) = (&self.syscalls, &self.syscall_latencies, &self.sampled_calls);
        let in_threads = |row: usize| row < self.threads.len();
        let in_stacks = |row: usize| row < self.stacks.len();
        let in_files = |row: usize| row < self.files.len();
        let in_calls = |row: usize| row < calls.len();
        let (thread, stack, call) =
            ("thread is a row of threads", "stack is a row of stacks", "syscall is a row of syscalls");
        check("syscalls", calls.thread.iter().map(|i| in_threads(i.row())), thread)?;
        check("syscalls", calls.file.iter().map(|i| in_files(i.row())), "file is a row of files")?;
        check("syscall_latencies", latencies.syscall.iter().map(|i| in_calls(i.row())), call)?;
        check("syscall_latencies", latencies.bucket.iter().map(|bucket| *bucket < u64::BITS), "bucket is at most 63")?;
        check("syscall_latencies", latencies.count.iter().map(|count| *count >= 1), "count is at least 1")?;
        check("sampled_calls", sampled.thread.iter().map(|i| in_threads(i.row())), thread)?;
        check("sampled_calls", sampled.stack.iter().map(|i| in_stacks(i.row())), stack)?;
        check("sampled_calls", sampled.syscall.iter().map(|i| in_calls(i.row())), call)?;
        check("sampled_calls", sampled.count.iter().map(|count| *count >= 1), "count is at least 1")
    }

    pub(super) fn check_calibration(&self) -> Result<(), BrokenPromise> {
        let table = &self.calibration;
        let threads = table.thread.iter().map(|i| i.row() < self.threads.len());
        check("calibration", threads, "thread is a row of threads")?;
        let factors = table.factor.iter().zip(&table.sampled);
        let is_kept = |(factor, sampled): (&Option<f64>, &u64)| {
            factor.is_some() == (*sampled > 0) && factor.is_none_or(|factor| factor.is_finite() && factor >= 0.0)
        };
        check(
            "calibration",
            factors.map(is_kept),
            "factor is missing if sampled is 0, otherwise it is a number that is not negative",
        )
    }

    pub(super) fn check_counters(&self) -> Result<(), BrokenPromise> {
        check("counters", self.counters.value.iter().map(|value| value.is_finite()), "value is finite")
    }

    pub(super) fn check_jvm_events(&self) -> Result<(), BrokenPromise> {
        let events = &self.jvm_events;
        let lengths = || events.start_ns.iter().zip(&events.end_ns).map(|(start, end)| end.checked_sub(*start));
        check("jvm_events", lengths().map(|length| length.is_some()), "the end is not before the start")?;
        let reaching = lengths().zip(&events.reaching_ns);
        let is_part = |(length, reaching): (Option<u64>, &u64)| length.is_some_and(|length| *reaching <= length);
        check("jvm_events", reaching.map(is_part), "reaching_ns is at most the event's length")
    }

    pub(super) fn check_requests(&self) -> Result<(), BrokenPromise> {
        let table = &self.requests;
        let threads = table.thread.iter().zip(&table.answering_thread);
        let in_threads = |thread: &ThreadIndex| thread.row() < self.threads.len();
        check(
            "requests",
            threads.map(|(first, last)| in_threads(first) && in_threads(last)),
            "threads are rows of threads",
        )?;
        let ends = table.start_ns.iter().zip(&table.end_ns);
        check("requests", ends.map(|(start, end)| start <= end), "the end is not before the start")?;
        check(
            "requests",
            table.requests_count.iter().map(|count| *count >= 1),
            "a row stands for at least one request",
        )?;
        check("requests", (0..table.len()).map(|row| has_all_or_none(table, row)), "a row has all times or none")?;
        let parts = &self.request_parts;
        check("request_parts", parts.thread.iter().map(in_threads), "threads are rows of threads")?;
        let ends = parts.start_ns.iter().zip(&parts.end_ns);
        check("request_parts", ends.map(|(start, end)| start <= end), "the end is not before the start")
    }

    pub(super) fn check_wakes(&self) -> Result<(), BrokenPromise> {
        let table = &self.wakes;
        let in_threads = |thread: &ThreadIndex| thread.row() < self.threads.len();
        let threads = table.thread.iter().zip(&table.waker);
        let are_in_threads = threads.map(|(thread, waker)| in_threads(thread) && waker.iter().all(in_threads));
        check("wakes", are_in_threads, "threads are rows of threads")?;
        let in_stacks = table.stack.iter().map(|stack| stack.row() < self.stacks.len());
        check("wakes", in_stacks, "stack is a row of stacks")?;
        check("wakes", table.reason.iter().map(|reason| *reason != WaitReason::None), "a wait has a reason")?;
        let wakers = table.kind.iter().zip(&table.waker).zip(&table.stack);
        let has_waker = wakers.map(|((kind, waker), stack)| match kind.is_thread() {
            true => waker.is_some(),
            false => waker.is_none() && *stack == StackIndex::ROOT,
        });
        check("wakes", has_waker, "a waker and its stack belong to the kinds `thread` and `holder`")
    }

    pub(super) fn check_thread_states(&self) -> Result<(), BrokenPromise> {
        let table = &self.thread_states;
        check(
            "thread_states",
            table.thread.iter().map(|i| i.row() < self.threads.len()),
            "thread is a row of threads",
        )?;
        let spans = table.start_ns.iter().zip(&table.end_ns);
        check("thread_states", spans.map(|(start, end)| start <= end), "the end is not before the start")?;
        let reasons = table.state.iter().zip(&table.reason);
        let has_none =
            |(state, reason): (&crate::ThreadState, &WaitReason)| !state.is_on_cpu() || *reason == WaitReason::None;
        check("thread_states", reasons.map(has_none), "the reason is none if the thread executes")?;
        check_spans(table, self.threads.len())
    }
}

fn has_all_or_none(table: &RequestTable, row: usize) -> bool {
    let columns = [
        &table.on_cpu_ns,
        &table.runnable_ns,
        &table.futex_ns,
        &table.socket_ns,
        &table.disk_ns,
        &table.sleep_ns,
        &table.other_ns,
        &table.away_ns,
    ];
    let count = columns.iter().filter(|column| column[row].is_some()).count();
    count == 0 || count == columns.len()
}

/// The current span of a thread.
#[derive(Debug, Clone, Copy)]
struct OpenSpan {
    first_row: usize,
    start_ns: u64,
    end_ns: u64,
    /// Saturates, because corrupt tables can contain any duration.
    added_ns: u64,
}

impl OpenSpan {
    fn is_full(&self) -> bool {
        self.added_ns == self.end_ns - self.start_ns
    }
}

/// Checks that each thread's spans follow one another, and that the rows of a span add up to its length.
fn check_spans(table: &ThreadStateTable, thread_count: usize) -> Result<(), BrokenPromise> {
    let broken = |row, promise| Err(BrokenPromise { table: ThreadStateTable::NAME, row, promise });
    let adds_up = "the rows of a span add up to its length";
    let mut open: Vec<Option<OpenSpan>> = vec![None; thread_count];
    for row in 0..table.len() {
        let (start_ns, end_ns) = (table.start_ns[row], table.end_ns[row]);
        let slot = &mut open[table.thread[row].row()];
        let span = match *slot {
            Some(span) if (span.start_ns, span.end_ns) == (start_ns, end_ns) => span,
            Some(span) if !span.is_full() => return broken(span.first_row, adds_up),
            // A gap is allowed, because another thread can get the same id after this thread has ended.
            Some(span) if span.end_ns > start_ns => return broken(row, "a thread's spans follow one another"),
            _ => OpenSpan { first_row: row, start_ns, end_ns, added_ns: 0 },
        };
        *slot = Some(OpenSpan { added_ns: span.added_ns.saturating_add(table.duration_ns[row]), ..span });
    }
    let unfilled = open.iter().flatten().filter(|span| !span.is_full()).map(|span| span.first_row).min();
    unfilled.map_or(Ok(()), |row| broken(row, adds_up))
}

#[cfg(test)]
mod tests {
    use crate::{
        Calibration, CounterValue, EventKind, FileIdentity, FileIndex, FileKind, JvmEvent, JvmEventKind, Request,
        RequestKind, RequestPart, Sample, SampledCall, StackIndex, Syscall, SyscallIndex, SyscallLatency, TableBuilder,
        Tables, ThreadIndex, ThreadState, ThreadStateSpan, WaitReason, Wake, WakerKind,
    };

    fn span(thread: u32, (start_ns, end_ns): (u64, u64), state: ThreadState, duration_ns: u64) -> ThreadStateSpan {
        let reason = if state.is_on_cpu() { WaitReason::None } else { WaitReason::Socket };
        ThreadStateSpan { thread: ThreadIndex(thread), start_ns, end_ns, state, reason, duration_ns }
    }

    fn whole() -> Tables {
        let mut builder = TableBuilder::new();
        let threads = [1, 2].map(|id| builder.thread(None, Some(id), ""));
        let identity = FileIdentity { device: 8, inode: 77, kind: FileKind::Socket };
        let file = builder.file(identity, "");
        assert_eq!(builder.file(identity, "tcp 1.2.3.4:5->6.7.8.9:10"), file);
        builder.sample(Sample {
            reason: WaitReason::Socket,
            ..Sample::new(0, threads[0], StackIndex::ROOT, EventKind::OffCpu)
        });
        let tables = builder.tables_mut();
        tables.syscalls.push(Syscall {
            thread: threads[1],
            number: 0,
            name: "read".to_owned(),
            file,
            calls_count: 3,
            errors_count: 1,
            bytes: 10,
            duration_ns: 900,
            longest_ns: 500,
        });
        tables.syscall_latencies.push(SyscallLatency { syscall: SyscallIndex(0), bucket: 8, count: 3 });
        tables.sampled_calls.push(SampledCall {
            time_ns: 0,
            thread: threads[1],
            stack: StackIndex::ROOT,
            syscall: SyscallIndex(0),
            count: 3,
            bytes: 5,
            latency_ns: 300,
            error_number: None,
        });
        for row in [
            span(0, (0, 100), ThreadState::OnCpuUser, 60),
            span(1, (50, 100), ThreadState::Blocked, 50),
            span(0, (0, 100), ThreadState::Blocked, 40),
            span(0, (100, 300), ThreadState::Blocked, 200),
        ] {
            tables.thread_states.push(row);
        }
        let metric = "syscalls".to_owned();
        tables.calibration.push(Calibration { metric, thread: threads[0], sampled: 2, exact: 3, factor: Some(1.5) });
        let request = Request::unknown(RequestKind::Http, "GET /orders/{}", threads[0], (5, 95));
        tables.requests.push(Request { answering_thread: threads[1], number: Some(7), ..request });
        tables.request_parts.push(RequestPart { number: 7, thread: threads[1], start_ns: 5, end_ns: 60 });
        for (kind, waker) in [(WakerKind::Thread, Some(threads[1])), (WakerKind::Timer, None)] {
            tables.wakes.push(Wake {
                time_ns: 70,
                thread: threads[0],
                reason: WaitReason::Futex,
                kind,
                waker,
                stack: StackIndex::ROOT,
                duration_ns: 20,
                weight_ns: 40,
            });
        }
        tables.counters.push(CounterValue { time_ns: 0, counter: "rss_bytes".to_owned(), value: 1.0 });
        tables.jvm_events.push(JvmEvent {
            start_ns: 5,
            end_ns: 10,
            kind: JvmEventKind::Safepoint,
            name: "Cleanup".to_owned(),
            reaching_ns: 5,
            heap_before_bytes: None,
            heap_after_bytes: None,
        });
        builder.into_tables()
    }

    /// Breaks each rule once, and expects the error to name table and row.
    #[test]
    fn every_broken_promise_is_found() {
        type Break = fn(&mut Tables);
        let breaks: &[(&str, usize, Break)] = &[
            ("files", 0, |t| t.files = Default::default()),
            ("files", 0, |t| t.files.kind[0] = FileKind::Pipe),
            ("files", 0, |t| t.files.path.clear()),
            ("syscalls", 0, |t| t.syscalls.file[0] = FileIndex(2)),
            ("syscalls", 0, |t| t.syscalls.thread[0] = ThreadIndex(2)),
            ("syscall_latencies", 0, |t| t.syscall_latencies.syscall[0] = SyscallIndex(1)),
            ("syscall_latencies", 0, |t| t.syscall_latencies.bucket[0] = 64),
            ("syscall_latencies", 0, |t| t.syscall_latencies.count[0] = 0),
            ("sampled_calls", 0, |t| t.sampled_calls.syscall[0] = SyscallIndex(1)),
            ("sampled_calls", 0, |t| t.sampled_calls.stack[0] = StackIndex(1)),
            ("sampled_calls", 0, |t| t.sampled_calls.thread[0] = ThreadIndex(2)),
            ("sampled_calls", 0, |t| t.sampled_calls.count[0] = 0),
            ("requests", 0, |t| t.requests.answering_thread[0] = ThreadIndex(2)),
            ("requests", 0, |t| t.requests.end_ns[0] = 4),
            ("requests", 0, |t| t.requests.requests_count[0] = 0),
            ("requests", 0, |t| t.requests.sleep_ns[0] = Some(1)),
            ("requests", 0, |t| t.requests.port.clear()),
            ("request_parts", 0, |t| t.request_parts.thread[0] = ThreadIndex(2)),
            ("request_parts", 0, |t| t.request_parts.end_ns[0] = 4),
            ("wakes", 1, |t| t.wakes.thread[1] = ThreadIndex(2)),
            ("wakes", 0, |t| t.wakes.waker[0] = Some(ThreadIndex(2))),
            ("wakes", 0, |t| t.wakes.waker[0] = None),
            ("wakes", 1, |t| t.wakes.waker[1] = Some(ThreadIndex(0))),
            ("wakes", 0, |t| t.wakes.stack[0] = StackIndex(1)),
            ("wakes", 0, |t| t.wakes.reason[0] = WaitReason::None),
            ("thread_states", 1, |t| t.thread_states.thread[1] = ThreadIndex(2)),
            ("thread_states", 1, |t| t.thread_states.end_ns[1] = 49),
            ("thread_states", 0, |t| t.thread_states.duration_ns[2] = 41),
            ("thread_states", 3, |t| t.thread_states.duration_ns[3] = 199),
            ("thread_states", 3, |t| t.thread_states.duration_ns[3] = u64::MAX),
            ("thread_states", 3, |t| t.thread_states.start_ns[3] = 101),
            ("thread_states", 0, |t| t.thread_states.reason[0] = WaitReason::Sleep),
            ("thread_states", 0, |t| t.thread_states.reason.clear()),
            ("calibration", 0, |t| t.calibration.factor[0] = None),
            ("calibration", 0, |t| t.calibration.factor[0] = Some(f64::NAN)),
            ("calibration", 0, |t| t.calibration.sampled[0] = 0),
            ("calibration", 0, |t| t.calibration.thread[0] = ThreadIndex(9)),
            ("counters", 0, |t| t.counters.value[0] = f64::INFINITY),
            ("jvm_events", 0, |t| t.jvm_events.end_ns[0] = 4),
            ("jvm_events", 0, |t| t.jvm_events.reaching_ns[0] = 6),
            ("samples", 0, |t| t.samples.event[0] = EventKind::Cpu),
        ];
        whole().validate().expect("the tables are whole");
        for (number, (table, row, break_it)) in breaks.iter().enumerate() {
            let mut tables = whole();
            break_it(&mut tables);
            let broken = tables.validate().expect_err("a promise was broken");
            assert_eq!((broken.table, broken.row), (*table, *row), "break {number}: {broken}");
        }
        assert_eq!(whole().files.path, ["", "tcp 1.2.3.4:5->6.7.8.9:10"]);
    }
}
