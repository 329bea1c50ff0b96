//! [`KernelSide`]: one collection's use of the kernel-driven engine, from loading the programs to the last table.

use super::calibration::{ExactFigures, calibration};
use super::call_accounts::CallAccounts;
use super::due::split_due;
use super::file_names::FileNames;
use super::join::Join;
use super::listener::{Listener, Lost, SharedPrograms};
use super::pace::Pace;
use super::plan::amounts;
use super::programs::KernelError;
use super::reader::PAUSE;
use super::records::{Head, RED_ZONE_BYTES, Record, STATE_PREEMPTION, STATE_RUN_QUEUE, ThreadLife, kind};
use super::rows::{EventRows, Making};
use super::states::ThreadStates;
use super::thread_rows::{CpuFigures, Life};
use super::threads::{Identity, Threads};
use super::threads_of_before::threads_of_before;
use crate::events::{Amount, Events};
use crate::host;
use crate::native::{CopiedStack, KernelSymbols, NativeStacks, Registers};
use crate::process::Process;
use std::time::{Duration, Instant};
use whittle_model::{EventKind, LossReason, Losses, MetricDefinition, SampleTable, StackIndex, Table, TableBuilder};

/// How often accounts and states are read.
const READ_INTERVAL: Duration = Duration::from_millis(200);

/// The same in a continuous collection, which needs them only to find threads whose end was not told.
const SEGMENT_READ_INTERVAL: Duration = Duration::from_secs(10);

/// Beyond this many threads, their states are read at every fifth reading only.
const THREADS_PER_READING: usize = 500;

/// With so many ended threads the accounts are read at once, since they fill up.
const MAX_ENDED_THREADS: usize = 1000;

/// A delivery without a sample is given up this long before the end of what the profiler has written.
const SAMPLE_PATIENCE_NS: u64 = 500_000_000;

/// Records younger than this wait where threads share rows.
const HOLD_NS: u64 = 20_000_000;

/// Whether signals go to the observed JVM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handler {
    /// Nobody has looked yet, or there is no profiler.
    Unconfirmed,
    Confirmed,
    /// Signals are not sent any more.
    Ended,
}

/// One collection's use of the kernel-driven engine.
pub(crate) struct KernelSide {
    listener: Listener,
    join: Join,
    accounts: CallAccounts,
    states: ThreadStates,
    files: FileNames,
    native: NativeStacks,
    symbols: Option<KernelSymbols>,
    threads: Threads,
    rows: EventRows,
    pace: Pace,
    events: Events,
    /// Whether the processes that an observed one starts are observed, too.
    follows: bool,
    handler: Handler,
    /// CLOCK_MONOTONIC when observation began.
    start_ns: u64,
    /// The profiler's samples are there until here.
    settled_until_ns: u64,
    last_reading: Instant,
    reading_count: u64,
    /// Processes that an observed one started, with their CPU time.
    followed: super::threads::Followed,
    lost: Lost,
    /// Records that were too young to be looked at.
    held: Vec<Record>,
    /// A part of a continuous collection has no exact tables but that of threads.
    is_segment: bool,
    /// Another one has taken over: no more records come.
    is_over: bool,
}

/// A thread of the observed process has ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EndedThread<'a> {
    /// The kernel's id.
    pub(crate) thread_id: u32,
    /// None: the record of its end was lost.
    pub(crate) life: Option<&'a ThreadLife>,
}

/// Takes a thread that has ended; the CPU time that it used in the collection.
pub(crate) type TakeEnded<'a> = dyn FnMut(EndedThread<'_>) -> CpuFigures + 'a;

/// A thread of the observed process as the accounts have it, with its CPU time in the collection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LiveThread<'a> {
    pub(crate) thread_id: u32,
    pub(crate) name: &'a str,
    pub(crate) life: Life,
}

/// What a collection of this engine needs to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KernelOptions {
    pub(crate) tick: Duration,
    pub(crate) events: Events,
    pub(crate) follows: bool,
    /// For tests: every so many signals is not sent; 0: all are.
    pub(crate) drop_every: u32,
}

impl KernelSide {
    /// Loads the programs; nothing is observed yet.
    pub(crate) fn load(options: &KernelOptions) -> Result<Self, KernelError> {
        let listener = SharedPrograms::of(options, PAUSE)?.listen_to_all();
        Ok(Self::new(listener, KernelSymbols::read().ok(), options))
    }

    /// The first part of a continuous collection of `process`, which is not observed yet.
    pub(crate) fn first_segment(
        programs: &SharedPrograms,
        symbols: Option<&KernelSymbols>,
        (process, options): (Process, &KernelOptions),
    ) -> Self {
        let symbols = symbols.map(KernelSymbols::for_other_tables);
        Self { is_segment: true, ..Self::new(programs.listen_to(process), symbols, options) }
    }

    fn new(listener: Listener, symbols: Option<KernelSymbols>, options: &KernelOptions) -> Self {
        let events = options.events;
        let following = amounts(&events).into_iter().filter(|(_, amount)| *amount == Amount::Following);
        Self {
            listener,
            join: Join::default(),
            accounts: CallAccounts::default(),
            states: ThreadStates::default(),
            files: FileNames::default(),
            native: NativeStacks::new(),
            symbols,
            threads: Threads::default(),
            rows: EventRows::default(),
            pace: Pace::new(following.map(|(kind, _)| kind).collect()),
            events,
            follows: options.follows,
            handler: Handler::Unconfirmed,
            start_ns: 0,
            settled_until_ns: 0,
            last_reading: Instant::now(),
            reading_count: 0,
            followed: super::threads::Followed::default(),
            lost: Lost::default(),
            held: Vec::new(),
            is_segment: false,
            is_over: false,
        }
    }

    /// The next part of a continuous collection, from `at_ns` of CLOCK_MONOTONIC on; records until then have been taken
    /// ([`take_until`](Self::take_until)). This one still gets answers to the events that it has.
    pub(crate) fn next_segment(&mut self, at_ns: u64) -> Self {
        self.is_over = true;
        let deliveries = self.held.iter().filter_map(|record| match record {
            Record::Delivery(head) => Some(head),
            _ => None,
        });
        // The profiler's handler runs some microseconds after the event that it answers.
        deliveries.for_each(|head| self.join.add_delivery(head));
        let options = KernelOptions { tick: Duration::ZERO, events: self.events, follows: false, drop_every: 0 };
        let symbols = self.symbols.as_ref().map(KernelSymbols::for_other_tables);
        Self {
            native: std::mem::take(&mut self.native).for_other_tables(),
            threads: self.threads.for_next_segment(),
            handler: self.handler,
            start_ns: at_ns,
            settled_until_ns: at_ns,
            held: std::mem::take(&mut self.held),
            is_segment: true,
            ..Self::new(self.listener.again(), symbols, &options)
        }
    }

    /// Observes `process` from now on.
    pub(crate) fn observe(&mut self, process: Process) -> Result<(), KernelError> {
        self.start_ns = host::monotonic_ns();
        self.states = ThreadStates::starting_at(self.start_ns);
        self.threads.main = Some(process);
        self.listener.observe(process, &threads_of_before(process, self.start_ns))
    }

    /// CLOCK_MONOTONIC when observation began.
    pub(crate) fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// The processes that are observed.
    pub(crate) fn processes(&self) -> Vec<Process> {
        self.listener.processes().into_iter().map(|(id, _)| Process(id)).collect()
    }

    /// CPU time of the processes that the observed one started.
    pub(crate) fn followed_cpu_ns(&self) -> u64 {
        self.followed.cpu_ns()
    }

    /// Takes what the kernel side has; `ended` gets the observed process's threads that have ended.
    pub(crate) fn poll(&mut self, builder: &mut TableBuilder, ended: &mut TakeEnded<'_>) {
        self.take_until(u64::MAX, builder, ended);
        let since = self.last_reading.elapsed();
        let interval = if self.is_segment { SEGMENT_READ_INTERVAL } else { READ_INTERVAL };
        if since >= interval || self.accounts.ended_count() > MAX_ENDED_THREADS {
            self.read_maps(since, builder, ended);
        }
    }

    /// Takes the records until `until_ns` of CLOCK_MONOTONIC; later ones wait.
    pub(crate) fn take_until(&mut self, until_ns: u64, builder: &mut TableBuilder, ended: &mut TakeEnded<'_>) {
        if self.is_over {
            return;
        }
        let records = self.listener.take();
        self.lost.add(self.listener.take_lost());
        let due = self.due(records, until_ns);
        for record in due {
            self.add(record, builder, ended);
        }
        self.write_settled(builder);
    }

    /// The records that are to be looked at now: where threads share rows, all but the latest, so that threads that live
    /// for a moment have ended, and have a name, when the first event of them is looked at.
    fn due(&mut self, records: Vec<Record>, until_ns: u64) -> impl Iterator<Item = Record> + use<> {
        let held = std::mem::take(&mut self.held);
        self.threads.look_ahead(held.iter().chain(&records));
        let is_holding = self.threads.rows.is_sharing() && !self.threads.is_last_reading;
        let old_ns = if is_holding { host::monotonic_ns().saturating_sub(HOLD_NS) } else { u64::MAX };
        let (due, held) = split_due((held, records), old_ns.min(until_ns));
        self.held = held;
        due
    }

    fn add(&mut self, record: Record, builder: &mut TableBuilder, ended: &mut TakeEnded<'_>) {
        match record {
            Record::Event(event, kernel_frames) => {
                self.pace.add(event.head.kind);
                if event.head.kind == kind::TICK {
                    self.states.add_tick(event.head.thread_id, event.head.is_kernel_mode != 0, event.weight);
                }
                let Head { thread_id, process_id, time_ns, .. } = event.head;
                let thread = self.threads.row((thread_id, process_id), time_ns, builder);
                self.join.add_event(event, thread, kernel_frames);
            }
            Record::Delivery(head) => self.join.add_delivery(&head),
            Record::UserStack { head, registers, stack } => {
                let stack = self.copied_stack(Process(head.process_id), (registers.as_slice(), &stack), builder);
                if head.kind == kind::SPARE_STACK {
                    self.join.add_spare_copy(&head, stack);
                } else {
                    self.join.add_copy(&head, stack);
                }
            }
            Record::ThreadStart(life) => {
                self.threads.start(&life);
                if life.parent_process_id != 0 {
                    self.native.inherit(Process(life.parent_process_id), Process(life.head.process_id));
                }
            }
            Record::ThreadEnd(life) => self.end_thread(&life, builder, ended),
            Record::Exec(head) => {
                self.native.forget(Process(head.process_id));
                self.native.open(Process(head.process_id));
            }
            Record::File(seen) => self.files.add(&seen, builder),
        }
    }

    fn copied_stack(
        &mut self,
        process: Process,
        (registers, bytes): (&[u64], &[u8]),
        builder: &mut TableBuilder,
    ) -> StackIndex {
        let Some(registers) = Registers::from_pt_regs(registers) else { return StackIndex::ROOT };
        let start = registers.stack_pointer().saturating_sub(RED_ZONE_BYTES);
        let copied = CopiedStack { registers: &registers, start, bytes };
        self.native.stack(process, &copied, builder).0
    }

    fn end_thread(&mut self, life: &ThreadLife, builder: &mut TableBuilder, ended: &mut TakeEnded<'_>) {
        let Head { thread_id, process_id, time_ns, .. } = life.head;
        let row = self.threads.of_life(life, builder);
        self.states.end((thread_id, row), life.state_ns, time_ns);
        self.forget_events(Identity { thread_id, row }, builder);
        let is_main = self.threads.is_main(process_id);
        let cpu =
            if is_main { ended(EndedThread { thread_id, life: Some(life) }) } else { self.followed.end_thread(life) };
        let since_start = |monotonic_ns: u64| monotonic_ns.saturating_sub(self.start_ns);
        let life = Life { start_ns: since_start(life.start_ns), end_ns: Some(since_start(time_ns)), cpu };
        self.threads.end(Identity { thread_id, row }, (Some(&life), time_ns), builder);
    }

    /// A thread has ended of which no record told.
    fn end_untold(
        &mut self,
        (thread, is_main): (Identity, bool),
        builder: &mut TableBuilder,
        ended: &mut TakeEnded<'_>,
    ) {
        self.states.forget(thread.thread_id);
        self.forget_events(thread, builder);
        let now_ns = host::monotonic_ns();
        let life = is_main.then(|| {
            let cpu = ended(EndedThread { thread_id: thread.thread_id, life: None });
            let end_ns = now_ns.saturating_sub(self.start_ns);
            Life { start_ns: end_ns, end_ns: Some(end_ns), cpu }
        });
        self.threads.end(thread, (life.as_ref(), now_ns), builder);
    }

    /// The thread's last events are settled while its id still means this thread.
    fn forget_events(&mut self, thread: Identity, builder: &mut TableBuilder) {
        self.join.end_thread(thread.thread_id);
        self.write_settled(builder);
        self.accounts.thread_ended(thread.thread_id, thread.row);
    }

    fn write_settled(&mut self, builder: &mut TableBuilder) {
        for settled in self.join.take_settled() {
            let Self { accounts, symbols, start_ns, rows, .. } = self;
            rows.add(&settled, &mut Making { builder, accounts, symbols, start_ns: *start_ns });
        }
    }

    fn read_maps(&mut self, since: Duration, builder: &mut TableBuilder, ended: &mut TakeEnded<'_>) {
        if self.is_over {
            return;
        }
        self.last_reading = Instant::now();
        self.reading_count += 1;
        self.files.retry(builder);
        self.read_accounts(builder);
        if self.threads.len() <= THREADS_PER_READING || self.reading_count.is_multiple_of(5) {
            self.read_states(builder, ended);
        }
        let now_ns = host::monotonic_ns();
        let settled_until_ns = if self.is_handler_confirmed() { self.settled_until_ns } else { 0 };
        self.threads.forget_past(settled_until_ns, now_ns);
        for (kind, interval) in self.pace.next(since.as_secs_f64(), |kind| self.listener.interval(kind)) {
            // A distance that cannot be changed stays as it is.
            let _ = self.listener.set_interval(kind, interval);
        }
        self.listener.shift_ticks();
        self.poll_processes(builder);
    }

    fn read_accounts(&mut self, builder: &mut TableBuilder) {
        if !self.events.has_accounts() {
            return;
        }
        let Self { accounts, listener, threads, lost, .. } = self;
        let main = threads.main.map(|process| process.0);
        threads.begin_reading_accounts();
        listener.with_accounts(|programs| {
            accounts.read(programs, builder, |thread_id, builder| threads.row_of_accounts(thread_id, builder));
        });
        if lost.calls > 0 {
            let thread = threads.rows.named(main, "<account table full>", builder);
            listener.with_accounts(|programs| accounts.read_unlisted(programs, thread));
        }
    }

    fn read_states(&mut self, builder: &mut TableBuilder, ended: &mut TakeEnded<'_>) {
        let values = self.listener.threads();
        let now_ns = host::monotonic_ns();
        for (thread_id, value) in values {
            self.threads.note(thread_id, &value, now_ns);
            if !self.is_segment
                && let Some(thread) = self.threads.row_if_alive((thread_id, value.process_id), now_ns, builder)
            {
                self.states.read((thread_id, thread), &value, now_ns);
            }
        }
        // Their ends were told in records that found no room.
        for (thread, is_main) in self.threads.take_missing(builder) {
            self.end_untold((thread, is_main), builder, ended);
        }
        self.write_settled(builder);
    }

    fn poll_processes(&mut self, builder: &mut TableBuilder) {
        if !self.follows {
            return;
        }
        let processes = self.listener.processes();
        let others = processes.iter().map(|(id, _)| Process(*id)).filter(|process| !self.threads.is_main(process.0));
        for process in others {
            if self.followed.poll(process) {
                continue;
            }
            self.listener.forget(process.0);
            self.native.forget(process);
        }
        self.followed.forget_ended();
        self.followed.complete_live(&self.threads, self.start_ns, builder);
    }

    /// Lets signals go to the observed process once its handler is in the library whose file name this is.
    /// True as soon as it is confirmed.
    pub(crate) fn confirm_handler(&mut self, library: &str) -> bool {
        let (Handler::Unconfirmed, Some(process)) = (self.handler, self.threads.main) else {
            return self.is_handler_confirmed();
        };
        let seen = self.listener.processes().into_iter().find(|(id, _)| *id == process.0);
        let Some(address) = seen.map(|(_, value)| value.seen_handler).filter(|address| *address > 1) else {
            return false;
        };
        let path = process.mapped_file_at(address);
        let is_ours = path.is_some_and(|path| path.rsplit('/').next() == Some(library));
        if is_ours && self.listener.confirm_handler(process.0, address).is_ok() {
            self.handler = Handler::Confirmed;
            // The libraries of the JVM are loaded by now; once it has ended it cannot be asked any more.
            self.native.forget(process);
            self.native.open(process);
        }
        is_ours
    }

    /// True if signals go to the observed process.
    pub(crate) fn is_handler_confirmed(&self) -> bool {
        self.handler == Handler::Confirmed
    }

    /// Observes nothing from now on and sends no more signals; those on their way are still answered.
    pub(crate) fn stop(&mut self) -> Result<(), KernelError> {
        self.handler = Handler::Ended;
        self.listener.stop()
    }

    /// Takes what the profiler sampled: answers to signals leave `samples`, which keeps the rest (allocations,
    /// locks). Times count from `recording_start_ns`; everything until `recorded_until_ns` is there.
    pub(crate) fn add_samples(
        &mut self,
        samples: SampleTable,
        (recording_start_ns, recorded_until_ns): (u64, u64),
        builder: &mut TableBuilder,
    ) {
        // What the profiler's recording says of threads has its place in our rows.
        let first_row = self.threads.rows.len();
        let recorded = builder.take_threads(first_row);
        for row in 0..samples.len() {
            let mut sample = samples.row(row);
            let Some(thread) = recorded.get(sample.thread.row().wrapping_sub(first_row)) else { continue };
            let time_ns = recording_start_ns + sample.time_ns;
            if time_ns < self.start_ns {
                // It answers nothing of here: the part before this one has it.
                continue;
            }
            let Some(namespaced_id) = thread.thread_id else {
                sample.thread = self.threads.rows.named(thread.process_id, &thread.name, builder);
                builder.sample(sample);
                continue;
            };
            let found = self.threads.at(namespaced_id, time_ns, builder);
            self.threads.rows.name(found.row, (&thread.name, true), builder);
            if sample.event == EventKind::Cpu {
                self.join.add_sample(found.thread_id, time_ns, sample.stack);
            } else {
                sample.time_ns = time_ns.saturating_sub(self.start_ns);
                sample.thread = found.row;
                builder.sample(sample);
            }
        }
        self.settled_until_ns = recorded_until_ns.saturating_sub(SAMPLE_PATIENCE_NS);
        self.join.settle_until(self.settled_until_ns);
        self.write_settled(builder);
    }

    /// True if threads wait inside a system call now.
    pub(crate) fn has_waiting_threads(&self) -> bool {
        self.listener.threads().iter().any(|(_, value)| value.is_in_call != 0)
    }

    /// Until when events are settled: what comes later still waits for the profiler's samples.
    pub(crate) fn settled_until_ns(&self) -> u64 {
        if self.is_handler_confirmed() { self.settled_until_ns } else { host::monotonic_ns() }
    }

    /// The last reading of the kernel side. Open waits become events, with the stacks that `waiting_stack`
    /// knows by thread id of the process's own namespace and the wait's beginning.
    pub(crate) fn finish_events(
        &mut self,
        builder: &mut TableBuilder,
        waiting_stack: &dyn Fn(u32, u64) -> Option<StackIndex>,
        ended: &mut TakeEnded<'_>,
    ) {
        self.threads.is_last_reading = true;
        self.read_states(builder, ended);
        self.listener.finish();
        self.poll(builder, ended);
        self.add_open_waits(builder);
        self.read_accounts(builder);
        let Self { threads, native, join, .. } = self;
        join.settle_waiting(|event| {
            let (thread_id, process) = (event.head.thread_id, Process(event.head.process_id));
            // A wait weighs its own length.
            let began_ns = event.head.time_ns.saturating_sub(event.weight);
            let java = waiting_stack(threads.namespaced_id(thread_id), began_ns);
            java.or_else(|| super::open_waits::native_stack((process, thread_id), native, builder))
        });
        self.write_settled(builder);
    }

    /// The last samples of the profiler were added: what has no answer by now gets none.
    pub(crate) fn finish_join(&mut self, builder: &mut TableBuilder) {
        self.join.finish();
        self.write_settled(builder);
    }

    /// A wait that is still open has no end that would have made it an event.
    fn add_open_waits(&mut self, builder: &mut TableBuilder) {
        if self.listener.interval(kind::BLOCKED) == 0 {
            return;
        }
        let now_ns = host::monotonic_ns();
        for (thread_id, value) in self.listener.threads() {
            if let Some(event) = super::threads::open_wait(thread_id, &value, now_ns) {
                let thread = self.threads.row((thread_id, value.process_id), now_ns, builder);
                self.join.add_event(event, thread, Box::default());
            }
        }
    }

    /// Writes what the accounts have of a live thread of the observed process.
    pub(crate) fn complete_thread(&mut self, live: &LiveThread<'_>, builder: &mut TableBuilder) {
        let process_id = self.threads.main.map_or(0, |main| main.0);
        let start_ns = self.start_ns + live.life.start_ns;
        let Some(row) = self.threads.row_if_alive((live.thread_id, process_id), start_ns, builder) else { return };
        self.threads.rows.name(row, (live.name, false), builder);
        self.threads.rows.complete(row, &live.life, builder);
    }

    /// How many threads share rows of the threads table, and how many rows; none if every thread has its own.
    pub(crate) fn shared_rows(&self) -> Option<(u64, usize)> {
        self.threads.rows.shared()
    }

    /// Brings the exact tables up to date.
    pub(crate) fn write_tables(&mut self, builder: &mut TableBuilder, is_last: bool) {
        self.threads.rows.write_counts(builder);
        if self.is_segment {
            return;
        }
        let (syscalls, latencies) = self.accounts.tables();
        let rows = self.states.take_rows(is_last);
        let exact = ExactFigures { threads: &builder.tables().threads, syscalls: &syscalls, states: &self.states };
        let calibration = calibration(&exact, self.rows.sums(), &self.events.kernel_events());
        let tables = builder.tables_mut();
        tables.thread_states.append(rows);
        tables.syscalls = syscalls;
        tables.syscall_latencies = latencies;
        tables.calibration = calibration;
    }

    /// Time in the run queue and blocked, over all threads.
    pub(crate) fn waiting_ns(&self) -> (u64, u64) {
        let totals = self.states.totals().values();
        totals.fold((0, 0), |(queued, blocked), times| {
            let in_queue = times[STATE_RUN_QUEUE as usize] + times[STATE_PREEMPTION as usize];
            (queued + in_queue, blocked + super::states::blocked_ns(times))
        })
    }

    /// The metrics of this engine.
    pub(crate) fn metrics(&self) -> Vec<MetricDefinition> {
        self.rows.metrics(&self.events.kernel_events())
    }

    /// What the kernel side could not keep.
    pub(crate) fn losses(&self) -> Losses {
        let mut losses = Losses::default();
        let Lost { records, tick_ns, threads, calls } = self.lost;
        if records > 0 {
            losses.add_cpu(LossReason::EventsOverflow, tick_ns);
            losses.add_count(LossReason::EventsOverflow, records - 1);
        }
        // A thread that is already leaving cannot be given anything any more.
        for (reason, count) in [(LossReason::ThreadEnded, threads), (LossReason::FileTableFull, calls)] {
            if count > 0 {
                losses.add_count(reason, count);
            }
        }
        losses
    }
}
