//! [`EventStage`] turns records into events of threads and into answers.

use super::lives::Lives;
use super::open_waits::{self, WaitingStacks};
use super::output::{EndedWait, EventRow, JoinInput, ThreadEvent};
use super::threads::NamespacedThread;
use super::virtual_threads::{self, PinnedWaits};
use crate::gathered::Gathered;
use crate::host;
use crate::kernel::file_names::FileNames;
use crate::kernel::layout::{
    Event, Head, HttpRequest, Item, MAX_REGISTERS, ProcessValue, RED_ZONE_BYTES, StatementSeen, ThreadLife,
    ThreadValue, VirtualWait, WakeRecord, kind,
};
use crate::kernel::pace::Pace;
use crate::kernel::records::Record;
use crate::kernel::requests::Requests;
use crate::process::Process;
use crate::program_files::ProcessFiles;
use std::collections::HashMap;
use whittle_model::{Metric, StackIndex, TableBuilder, WakerKind};
use whittle_native::{CopiedStack, NativeStacks, ProcessId, Registers};

/// If threads share rows, records younger than this time must wait.
const HOLD_NS: u64 = 20_000_000;

/// System calls with which a thread ends.
const ENDING: [libc::c_long; 2] = [libc::SYS_exit, libc::SYS_exit_group];

/// True if the thread is new, with a stack of its own, and returns from the system call that created it. The second argument is
/// the new stack (`clone`) or the size of a structure (`clone3`). A process after `fork` has the stack of its parent, and 0 here.
fn is_new(registers: &[u64]) -> bool {
    is_in(registers, [libc::SYS_clone, libc::SYS_clone3])
        && Registers::result(registers) == Some(0)
        && Registers::second_argument(registers) != Some(0)
}

/// True if the thread is in one of these system calls. Outside of system calls, the answer can be wrong.
fn is_in(registers: &[u64], calls: [libc::c_long; 2]) -> bool {
    let call = Registers::system_call(registers).and_then(|call| libc::c_long::try_from(call).ok());
    call.is_some_and(|call| calls.contains(&call))
}

/// True if the thread is ending and has given back its memory. It has no functions any more, so the kernel's frames are its
/// complete stack.
fn is_ending(registers: &[u64], stack: &[u8]) -> bool {
    stack.is_empty() && is_in(registers, ENDING)
}

/// Stage 2 of a collection.
pub(crate) struct EventStage {
    pub(crate) lives: Lives,
    pub(crate) files: FileNames,
    pub(crate) requests: Requests,
    /// Adapts the distance between events.
    pub(crate) pace: Pace,
    pinned: PinnedWaits,
    native: NativeStacks,
}

impl EventStage {
    /// Creates the stage. No thread is known yet.
    pub(crate) fn new(lives: Lives, pace: Pace) -> Self {
        let (files, requests) = (FileNames::default(), Requests::default());
        Self {
            lives,
            files,
            requests,
            pace,
            pinned: PinnedWaits::default(),
            native: NativeStacks::new(ProcessFiles::default()),
        }
    }

    /// A stage with the same threads and mapped files, for tables that start at `start_ns` of CLOCK_MONOTONIC.
    pub(crate) fn for_next_segment(&mut self, start_ns: u64, pace: Pace) -> Self {
        let next = Self::new(self.lives.for_next_segment(start_ns), pace);
        let native = std::mem::replace(&mut self.native, next.native).for_other_tables();
        Self { native, ..next }
    }

    /// Reads the coming records in advance. Returns the time on CLOCK_MONOTONIC until which records can be handled now.
    /// If threads share rows, the latest records wait. So a short-lived thread has ended, and its name is known, before
    /// its first event is handled.
    pub(crate) fn look_ahead<'a>(&mut self, coming: impl Iterator<Item = &'a Record>) -> u64 {
        let threads = &mut self.lives.threads;
        threads.look_ahead(coming);
        let is_holding = threads.rows.is_sharing() && !threads.is_last_reading;
        if is_holding { host::monotonic_ns().saturating_sub(HOLD_NS) } else { u64::MAX }
    }

    /// Returns the record's input for the join. `None`: the join does not need the record.
    pub(crate) fn take(&mut self, record: Record, gathered: &mut Gathered) -> Option<JoinInput> {
        let builder = &mut gathered.builder;
        match record {
            Record::Event { event, sampled, kernel_frames } => {
                Some(JoinInput::Event(self.event(event, (sampled, kernel_frames), builder)))
            }
            Record::Wake(wake) => Some(JoinInput::Event(self.wake(&wake, builder))),
            Record::VirtualWait(wait) => Some(JoinInput::Event(self.virtual_wait(&wait, builder))),
            Record::Delivery(head) => Some(JoinInput::Delivery(head)),
            Record::UserStack { head, registers, stack } => {
                let stack = self.copied_stack(Process(head.process_id), (&registers, &stack), builder);
                Some(JoinInput::Copy { head, stack })
            }
            Record::ThreadStart(life) => {
                self.begin(&life);
                None
            }
            Record::ThreadEnd(life) => Some(JoinInput::End(self.lives.end(&life, gathered))),
            Record::Exec(head) => {
                self.open_again(Process(head.process_id));
                None
            }
            Record::File(seen) => {
                self.files.add(&seen, builder);
                None
            }
            Record::Http(request) => {
                self.add_request(&request, builder);
                None
            }
            Record::Item(item) => {
                self.add_item(&item, builder);
                None
            }
            Record::Pinned(wait) => {
                self.pinned.add(&wait);
                None
            }
            Record::Part(part) => {
                let Head { process_id, thread_id, time_ns, .. } = part.head;
                let thread = self.lives.row_at((thread_id, process_id), time_ns, builder);
                self.requests.add_part(&part, thread, self.lives.start_ns);
                None
            }
            Record::Statement(statement) => {
                self.add_statement(&statement, builder);
                None
            }
        }
    }

    /// Adds a request to a server. A request without an answer is left out.
    pub(crate) fn add_request(&mut self, request: &HttpRequest, builder: &mut TableBuilder) {
        if request.end_ns == 0 {
            return;
        }
        let Head { process_id, thread_id, .. } = request.head;
        let lives = &mut self.lives;
        let mut row = |thread_id, time_ns| lives.row_at((thread_id, process_id), time_ns, builder);
        let threads = (row(thread_id, request.start_ns), row(request.answering_thread_id, request.end_ns));
        self.requests.add(request, threads, self.lives.start_ns);
    }

    fn add_item(&mut self, item: &Item, builder: &mut TableBuilder) {
        let Head { process_id, thread_id, .. } = item.head;
        let lives = &mut self.lives;
        let mut row = |thread_id, time_ns| lives.row_at((thread_id, process_id), time_ns, builder);
        let threads = (row(thread_id, item.start_ns), row(item.ending_thread_id, item.end_ns));
        self.requests.add_item(item, threads, self.lives.start_ns);
    }

    fn add_statement(&mut self, statement: &StatementSeen, builder: &mut TableBuilder) {
        let Head { process_id, thread_id, time_ns, .. } = statement.head;
        let lives = &mut self.lives;
        let mut row = |thread_id, time_ns| lives.row_at((thread_id, process_id), time_ns, builder);
        let threads = (row(statement.beginning_thread_id, statement.start_ns), row(thread_id, time_ns));
        self.requests.add_statement(statement, threads, self.lives.start_ns);
    }

    fn event(
        &mut self,
        event: Event,
        (sampled, kernel_frames): (Metric, Box<[u64]>),
        builder: &mut TableBuilder,
    ) -> ThreadEvent {
        let Head { thread_id, process_id, time_ns, kind, is_kernel_mode, .. } = event.head;
        self.pace.add(kind, event.weight);
        if sampled == Metric::Cpu {
            self.lives.states.add_tick(thread_id, is_kernel_mode != 0, event.weight);
        }
        let thread = self.lives.threads.row((thread_id, process_id), time_ns, builder);
        let of = EventRow::Sample(sampled);
        match self.pinned.waiter(&event) {
            Some(name) => {
                let waiter = self.lives.threads.rows.named(Some(process_id), &name, builder);
                ThreadEvent { event, of, thread: waiter, carrier: Some(thread), kernel_frames }
            }
            None => ThreadEvent { event, of, thread, carrier: None, kernel_frames },
        }
    }

    /// The end of a sampled wait.
    fn wake(&mut self, wake: &WakeRecord, builder: &mut TableBuilder) -> ThreadEvent {
        let Head { thread_id, process_id, time_ns, .. } = wake.event.head;
        let threads = &mut self.lives.threads;
        let ended = EndedWait {
            thread: threads.row((wake.thread_id, wake.process_id), time_ns, builder),
            waker: WakerKind::ALL.get(wake.waker as usize).copied().unwrap_or(WakerKind::Device),
            waited_ns: wake.waited_ns,
        };
        let thread = threads.row((thread_id, process_id), time_ns, builder);
        ThreadEvent {
            event: wake.event,
            of: EventRow::Wake(ended),
            thread,
            carrier: None,
            kernel_frames: Box::default(),
        }
    }

    /// The begin or the end of a wait of a virtual thread, or a whole one. Virtual threads have no row each, because there can be millions.
    pub(crate) fn virtual_wait(&mut self, wait: &VirtualWait, builder: &mut TableBuilder) -> ThreadEvent {
        let Head { kind, process_id, thread_id, time_ns, .. } = wait.event.head;
        let (of, carrier) = match kind {
            kind::VIRTUAL_PARKED => (EventRow::Parked(wait.wait), None),
            kind::VIRTUAL_RETURNED => {
                let carrier = self.lives.threads.row((thread_id, process_id), time_ns, builder);
                (EventRow::Returned(wait.wait), Some(carrier))
            }
            _ => (EventRow::Resumed(wait.wait), None),
        };
        let name = virtual_threads::name(&wait.name());
        let thread = self.lives.threads.rows.named(Some(process_id), &name, builder);
        ThreadEvent { event: wait.event, of, thread, carrier, kernel_frames: Box::default() }
    }

    fn copied_stack(
        &mut self,
        process: Process,
        (registers, bytes): (&[u64; MAX_REGISTERS], &[u8]),
        builder: &mut TableBuilder,
    ) -> StackIndex {
        if is_ending(registers, bytes) {
            return StackIndex::ROOT;
        }
        let is_new = is_new(registers);
        let Some(registers) = Registers::from_pt_regs(registers) else { return StackIndex::ROOT };
        let start = registers.stack_pointer().saturating_sub(RED_ZONE_BYTES);
        let copied = CopiedStack { registers: &registers, start, bytes, is_new };
        self.native.stack(process.id(), &copied, builder).0
    }

    fn begin(&mut self, life: &ThreadLife) {
        self.lives.threads.start(life);
        if life.parent_process_id != 0 {
            self.native.inherit(ProcessId(life.parent_process_id), ProcessId(life.head.process_id));
        }
    }

    /// Call this when the process executes a new program. The process's mapped files are read now, because they cannot
    /// be read after the process's end.
    pub(crate) fn open_again(&mut self, process: Process) {
        self.native.forget(process.id());
        self.native.open(process.id());
    }

    /// Polls the processes that the main process started. Returns the processes that have ended.
    pub(crate) fn poll_followed(&mut self, processes: impl Iterator<Item = (Process, ProcessValue)>) -> Vec<Process> {
        let Self { lives, native, .. } = self;
        let others = processes.filter(|(process, _)| !lives.threads.is_main(process.0));
        let has_ended =
            |(process, value): &(Process, ProcessValue)| !lives.followed.poll(*process, value.thread_count > 0);
        let ended: Vec<Process> = others.filter(has_ended).map(|(process, _)| process).collect();
        ended.iter().for_each(|process| native.forget(process.id()));
        lives.followed.forget_ended();
        ended
    }

    /// The events of waits that are still open.
    pub(crate) fn open_waits(&mut self, values: &[(u32, ThreadValue)], builder: &mut TableBuilder) -> Vec<JoinInput> {
        let now_ns = self.lives.until_ns();
        let of_thread = |(thread_id, value): &(u32, ThreadValue)| {
            let event = open_waits::open_wait(*thread_id, value, now_ns)?;
            let thread = self.lives.threads.row((*thread_id, value.process_id), now_ns, builder);
            let kernel_frames = Box::default();
            let of = EventRow::Sample(Metric::OffCpu);
            Some(JoinInput::Event(ThreadEvent { event, of, thread, carrier: None, kernel_frames }))
        };
        values.iter().filter_map(of_thread).collect()
    }

    /// The threads that hold the monitors of waits that are still open, as the wakers of these waits, with their stacks.
    pub(crate) fn holders(
        &mut self,
        values: &[(u32, ThreadValue)],
        waiting: &WaitingStacks,
        builder: &mut TableBuilder,
    ) -> Vec<(ThreadEvent, StackIndex)> {
        let now_ns = self.lives.until_ns();
        let namespaced = |id: u32, process_id: u32, lives: &Lives| lives.threads.namespaced(id, process_id);
        let ids: HashMap<NamespacedThread, u32> =
            values.iter().map(|(id, value)| (namespaced(*id, value.process_id, &self.lives), *id)).collect();
        let of_thread = |(thread_id, value): &(u32, ThreadValue)| {
            let wait = open_waits::open_wait(*thread_id, value, now_ns)?;
            let process_id = value.process_id;
            let (holder, stack) =
                waiting.holder_for(namespaced(*thread_id, process_id, &self.lives), value.state_since_ns)?;
            let holder_id = *ids.get(&holder)?;
            let threads = &mut self.lives.threads;
            let thread = threads.row((*thread_id, process_id), now_ns, builder);
            let holder = threads.row((holder_id, process_id), now_ns, builder);
            let event = Event { head: Head { thread_id: holder_id, ..wait.head }, ..wait };
            let of = EventRow::Wake(EndedWait { thread, waker: WakerKind::Holder, waited_ns: wait.weight });
            let kernel_frames = Box::default();
            Some((ThreadEvent { event, of, thread: holder, carrier: None, kernel_frames }, stack))
        };
        values.iter().filter_map(of_thread).collect()
    }

    /// The stack of a thread that remains in its wait. The stack is from the JVM's dump, or is read from outside.
    pub(crate) fn waiting_stack(
        &mut self,
        event: &Event,
        java: &WaitingStacks,
        builder: &mut TableBuilder,
    ) -> Option<StackIndex> {
        let Head { thread_id, process_id, .. } = event.head;
        // The weight of a wait is its duration.
        let began_ns = event.head.time_ns.saturating_sub(event.weight);
        let java = java.of(self.lives.threads.namespaced(thread_id, process_id), began_ns);
        java.or_else(|| open_waits::native_stack((Process(process_id), thread_id), &mut self.native, builder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::{Accounts, Ends};
    use crate::kernel::layout::kind;
    use whittle_model::{EventKind, Sample, Table, Thread, ThreadIndex};

    /// The kernel never gives this id to a thread.
    const THREAD: u32 = 4_000_000_001;

    fn started() -> (EventStage, Gathered) {
        let own = Process(std::process::id());
        let mut stage = EventStage::new(Lives::new(), Pace::new(Vec::new()));
        stage.lives.observe(own, 1_000);
        (stage, Gathered::new(Accounts::open(own, false, Ends::Reported)))
    }

    fn head(kind: u16, time_ns: u64) -> Head {
        Head { time_ns, process_id: std::process::id(), thread_id: THREAD, epoch: 1, kind, ..Head::default() }
    }

    fn life(kind: u16, time_ns: u64) -> ThreadLife {
        let name = *b"worker\0\0\0\0\0\0\0\0\0\0";
        ThreadLife {
            head: head(kind, time_ns),
            namespaced_id: 7,
            cpu_ns: 90,
            start_ns: 2_000,
            name,
            ..Default::default()
        }
    }

    fn tick(time_ns: u64) -> Record {
        let event = Event { head: head(kind::TICK, time_ns), weight: 10, ..Event::default() };
        Record::Event { event, sampled: Metric::Cpu, kernel_frames: Box::default() }
    }

    /// The row of the record's thread.
    fn row_of(stage: &mut EventStage, record: Record, gathered: &mut Gathered) -> ThreadIndex {
        match stage.take(record, gathered) {
            Some(JoinInput::Event(event)) => event.thread,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_thread_has_its_row_from_its_first_event_to_its_end() {
        let (mut stage, mut gathered) = started();
        assert!(stage.take(Record::ThreadStart(Box::new(life(kind::THREAD_START, 2_000))), &mut gathered).is_none());
        let row = row_of(&mut stage, tick(2_500), &mut gathered);
        assert_eq!(row_of(&mut stage, tick(2_600), &mut gathered), row);
        let end = stage.take(Record::ThreadEnd(Box::new(life(kind::THREAD_END, 3_000))), &mut gathered);
        let Some(JoinInput::End(ended)) = end else { panic!("{end:?}") };
        assert_eq!((ended.thread_id, ended.row), (THREAD, row));
        let threads = &gathered.builder.tables().threads;
        let values = (threads.start_ns[row.row()], threads.end_ns[row.row()], threads.cpu_ns[row.row()]);
        assert_eq!(values, (Some(1_000), Some(2_000), Some(90)));
        assert_eq!((threads.name[row.row()].as_str(), threads.thread_id[row.row()]), ("worker", Some(7)));
        // From now on, another thread has this id.
        assert_ne!(row_of(&mut stage, tick(4_000), &mut gathered), row);
    }

    #[test]
    fn answers_keep_their_head() {
        let (mut stage, mut gathered) = started();
        let delivery = stage.take(Record::Delivery(head(kind::DELIVERY, 2_000)), &mut gathered);
        assert!(matches!(delivery, Some(JoinInput::Delivery(head)) if head.epoch == 1));
        let copy = Record::UserStack {
            head: head(kind::SPARE_STACK, 2_000),
            registers: Box::new([0; MAX_REGISTERS]),
            stack: Box::default(),
        };
        let copy = stage.take(copy, &mut gathered);
        assert!(matches!(copy, Some(JoinInput::Copy { head, .. }) if head.kind == kind::SPARE_STACK));
    }

    /// The input for a sample of a recording. The recording's times start at 5,000.
    fn answered(stage: &mut EventStage, gathered: &mut Gathered, sample: (u64, EventKind)) -> Option<JoinInput> {
        let builder = &mut gathered.builder;
        let thread = builder.add_thread(Thread::unknown(Some(std::process::id()), Some(7), "Worker 1"));
        let recorded = stage.lives.take_recorded(Process(std::process::id()), 5_000, builder);
        let (time_ns, event) = sample;
        stage.lives.answer(Sample::new(time_ns, thread, StackIndex::ROOT, event), &recorded, builder)
    }

    #[test]
    fn samples_of_the_profiler_find_the_thread_of_their_time() {
        let (mut stage, mut gathered) = started();
        stage.take(Record::ThreadStart(Box::new(life(kind::THREAD_START, 2_000))), &mut gathered);
        let row = row_of(&mut stage, tick(2_500), &mut gathered);
        stage.take(Record::ThreadEnd(Box::new(life(kind::THREAD_END, 6_000))), &mut gathered);
        let answer = answered(&mut stage, &mut gathered, (500, EventKind::Cpu));
        let Some(JoinInput::Sample { thread_id, time_ns, .. }) = answer else { panic!("{answer:?}") };
        assert_eq!((thread_id, time_ns), (THREAD, 5_500));
        assert_eq!(gathered.builder.tables().threads.name[row.row()], "Worker 1");
        assert!(answered(&mut stage, &mut gathered, (600, EventKind::Alloc)).is_none());
        let samples = &gathered.builder.tables().samples;
        assert_eq!((samples.time_ns.as_slice(), samples.thread.as_slice()), ([4_600].as_slice(), [row].as_slice()));
    }

    /// A JVM of another user can write any thread id into its recording.
    #[test]
    fn a_recording_has_no_influence_on_threads_of_other_processes() {
        let (mut stage, mut gathered) = started();
        stage.take(Record::ThreadStart(Box::new(life(kind::THREAD_START, 2_000))), &mut gathered);
        let row = row_of(&mut stage, tick(2_500), &mut gathered);
        let builder = &mut gathered.builder;
        for (thread_id, event) in [(THREAD, EventKind::Cpu), (7, EventKind::Cpu), (THREAD, EventKind::Alloc)] {
            let thread = builder.add_thread(Thread::unknown(Some(1), Some(thread_id), "forged"));
            let recorded = stage.lives.take_recorded(Process(1), 2_000, builder);
            let sample = Sample::new(600, thread, StackIndex::ROOT, event);
            assert!(stage.lives.answer(sample, &recorded, builder).is_none());
        }
        let tables = gathered.builder.tables();
        assert_ne!(tables.threads.name[row.row()], "forged");
        assert_eq!((tables.samples.len(), tables.samples.thread[0] == row), (1, false));
    }

    #[test]
    fn a_sample_from_before_the_start_is_left_out() {
        let (mut stage, mut gathered) = started();
        stage.lives.observe(Process(std::process::id()), 9_000);
        assert!(answered(&mut stage, &mut gathered, (500, EventKind::Alloc)).is_none());
        assert!(gathered.builder.tables().samples.time_ns.is_empty());
    }

    /// Between the end and the last reading, a busy machine takes a tenth of a second.
    #[test]
    fn an_open_wait_ends_with_the_collection() {
        let (mut stage, mut gathered) = started();
        let value =
            ThreadValue { process_id: std::process::id(), state: 1, state_since_ns: 3_000, ..ThreadValue::default() };
        stage.lives.expect_last_reading(5_000);
        let waits = stage.open_waits(&[(THREAD, value)], &mut gathered.builder);
        let [JoinInput::Event(wait)] = waits.as_slice() else { panic!("{waits:?}") };
        assert_eq!((wait.event.head.time_ns, wait.event.weight), (5_000, 2_000));
    }

    #[test]
    fn a_new_thread_is_in_the_call_that_created_it_and_has_its_result() {
        let registers = |call: libc::c_long, result: u64| {
            let mut registers = [7; MAX_REGISTERS];
            let (at_call, at_result) = if cfg!(target_arch = "aarch64") { (8, 0) } else { (15, 10) };
            (registers[at_call], registers[at_result]) = (call as u64, result);
            registers
        };
        let mut forked = registers(libc::SYS_clone, 0);
        forked[if cfg!(target_arch = "aarch64") { 1 } else { 13 }] = 0;
        assert!(!is_new(&forked), "it has the functions of its parent");
        assert!(is_new(&registers(libc::SYS_clone3, 0)) && is_new(&registers(libc::SYS_clone, 0)));
        // The creator, before and at the end of the call.
        assert!(!is_new(&registers(libc::SYS_clone3, -38_i64 as u64)) && !is_new(&registers(libc::SYS_clone3, 4711)));
        assert!(!is_new(&registers(libc::SYS_read, 0)));
    }

    #[test]
    fn only_a_thread_that_ends_and_has_no_memory_is_complete_without_functions() {
        let in_call = |call: libc::c_long| {
            let mut registers = [0; MAX_REGISTERS];
            registers[if cfg!(target_arch = "aarch64") { 8 } else { 15 }] = call as u64;
            registers
        };
        assert!(is_ending(&in_call(libc::SYS_exit), &[]) && is_ending(&in_call(libc::SYS_exit_group), &[]));
        assert!(!is_ending(&in_call(libc::SYS_exit), &[0; 8]), "its memory is still there");
        assert!(!is_ending(&in_call(libc::SYS_read), &[]) && !is_ending(&in_call(-1), &[]));
    }
}
