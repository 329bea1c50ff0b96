//! Loads and attaches the BPF programs in the kernel, and gives access to their maps.
//!
//! When [`Programs`] is dropped or the process dies, the kernel detaches the programs. After that, no signals are sent.

use super::batch;
use super::call_tracepoints::{self, CallTracepoints, skipped_runs};
use super::layout::{AccountKey, AccountValue, COUNT_COUNT, HttpRequest, ItemKey, MAX_CALLS, ProcessValue};
use super::layout::{SettingsValue, ThreadValue, VirtualThreadValue, kind};
use super::peers::listening_ports;
use super::perf_events::{ClassicTracepoint, Counted, SamplingEvent};
use super::unpreempted::Unpreempted;
use crate::cpus::{online_cpus, possible_cpu_count};
use crate::error::KernelError;
use crate::process::Process;
use aya::maps::{Array, HashMap, Map, MapData, MapError, PerCpuArray, Queue, RingBuf};
use aya::programs::{BtfTracePoint, PerfEvent, Program, ProgramError, TracePoint};
use aya::{Btf, Ebpf, EbpfLoader};
use std::os::fd::{AsFd, AsRawFd};

/// The compiled programs. `cargo xtask bpf` compiles them from `crates/collect/bpf`.
#[cfg(target_arch = "x86_64")]
static OBJECT: &[u8] = aya::include_bytes_aligned!("../../bpf/whittle.x86_64.bpf.o");
#[cfg(target_arch = "aarch64")]
static OBJECT: &[u8] = aya::include_bytes_aligned!("../../bpf/whittle.aarch64.bpf.o");

/// The maps that only marks need. The kernel allocates all their entries at once.
const MARK_MAPS: [&str; 3] = ["items", "statements", "virtual_threads"];

/// The number of entries of a map that is not used.
const LEAST_ENTRIES: u32 = 1;

/// The programs that observe the whole life of threads. They are always attached.
const LIFE: [(&str, &str); 6] = [
    ("on_switch", "sched_switch"),
    ("on_wakeup", "sched_wakeup"),
    ("on_fork", "sched_process_fork"),
    ("on_exec", "sched_process_exec"),
    ("on_exit", "sched_process_exit"),
    ("on_signal", "signal_deliver"),
];

/// The programs that find out who ends a wait, if waits are sampled.
/// Each needs the ones before it.
const WAKES: [(&str, &str); 5] = [
    ("on_precise_timer_end", "hrtimer_expire_exit"),
    ("on_precise_timer", "hrtimer_expire_entry"),
    ("on_timer_end", "timer_expire_exit"),
    ("on_timer", "timer_expire_entry"),
    ("on_waking", "sched_waking"),
];

/// The programs that observe system calls: at their ends and at their starts. They make every call on the machine slightly slower.
/// The ends are always observed, because a signal that waits for the end interrupts no call.
const CALLS: [(&str, &str); 2] = [("on_call_end", "sys_exit"), ("on_call_start", "sys_enter")];
const CLASSIC_CALLS: [(&str, &str); 2] = [("on_classic_end", "sys_exit"), ("on_classic_start", "sys_enter")];

/// Number of kinds of events with an interval, in the order of [`SettingsValue::intervals`].
const INTERVALS: usize = 8;

/// A flag of the kernel: the map must have the key. The process can have ended.
const BPF_EXIST: u64 = 2;

/// An id that no process has.
const NOBODY: u32 = u32::MAX;

/// The observed events and their settings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// CPU time between two ticks on a CPU, in nanoseconds.
    pub(crate) tick_ns: u64,
    /// Number of page faults between two samples; 0: page faults are not sampled.
    pub(crate) faults: u64,
    /// Mean distances between samples by record kind; 0: this kind is not sampled.
    pub(crate) intervals: [u64; INTERVALS],
    /// The record kinds whose events are sampled by place, as a set of bits.
    pub(crate) by_place: u32,
    /// Whether exact accounts of system calls are kept.
    pub(crate) has_accounts: bool,
    /// Whether processes that an observed process starts are also observed.
    pub(crate) follows: bool,
    /// Facts about each system call.
    pub(crate) calls: [u8; MAX_CALLS],
    /// Whether the marks of the code inside a program are observed.
    pub(crate) has_marks: bool,
    /// For tests: one in this many signals is not sent; 0: all signals are sent.
    pub(crate) drop_every: u32,
}

impl Plan {
    /// True if the starts of system calls are observed, too. Waits, accounts and marks need them.
    fn has_calls(&self) -> bool {
        let kinds = [kind::CALLS, kind::BYTES, kind::CALL_TIME, kind::BLOCKED];
        self.has_accounts || self.has_marks || kinds.iter().any(|kind| self.intervals[usize::from(*kind)] > 0)
    }

    fn settings(&self) -> SettingsValue {
        let mut intervals = self.intervals;
        intervals[usize::from(kind::TICK)] = self.tick_ns;
        intervals[usize::from(kind::FAULTS)] = self.faults;
        SettingsValue {
            only_process: 0,
            follows: self.follows.into(),
            has_accounts: self.has_accounts.into(),
            has_calls: self.has_calls().into(),
            drop_every: self.drop_every,
            generation: 0,
            has_pressure: measures_pressure().into(),
            by_place: self.by_place,
            has_marks: self.has_marks.into(),
            reserved: 0,
            intervals,
            calls: self.calls,
        }
    }
}

/// Whether the kernel measures pressure (PSI). If it is off, the file is missing or cannot be read.
fn measures_pressure() -> bool {
    std::fs::read("/proc/pressure/memory").is_ok()
}

/// The programs and their maps.
pub(crate) struct Programs {
    /// Keeps the programs attached.
    loaded: Ebpf,
    /// The tracepoints of system calls, if they are classic tracepoints.
    classic: Vec<ClassicTracepoint>,
    ticks: Vec<SamplingEvent>,
    _faults: Vec<SamplingEvent>,
    settings: Array<MapData, SettingsValue>,
    /// The settings that the kernel uses at present.
    current: SettingsValue,
    processes: HashMap<MapData, u32, ProcessValue>,
    threads: HashMap<MapData, u32, ThreadValue>,
    accounts: Accounts,
    /// One bit for each port of TCP on which a program listens, in the networks of the observed processes.
    listening_ports: Array<MapData, u64>,
    unlisted: PerCpuArray<MapData, AccountValue>,
    /// The last request of each connection, by the connection's address in the kernel.
    http_requests: HashMap<MapData, u64, HttpRequest>,
    virtual_threads: HashMap<MapData, ItemKey, VirtualThreadValue>,
    counts: PerCpuArray<MapData, u64>,
    tick_ns: u64,
}

/// The accounts of system calls.
struct Accounts {
    /// The row of each account.
    keys: HashMap<MapData, AccountKey, u32>,
    rows: Array<MapData, AccountValue>,
    free_rows: Queue<MapData, u32>,
}

impl Accounts {
    fn take(loaded: &mut Ebpf) -> Result<Self, KernelError> {
        let keys = typed(take(loaded, "accounts")?)?;
        let rows = typed(take(loaded, "account_rows")?)?;
        Ok(Self { keys, rows, free_rows: typed(take(loaded, "free_rows")?)? })
    }

    fn read(&self) -> Vec<(AccountKey, AccountValue)> {
        let keys = batch::entries(&self.keys);
        let row_count = keys.iter().map(|(_, row)| *row as usize + 1).max().unwrap_or_default();
        let rows = batch::first_values(&self.rows, row_count);
        keys.into_iter().filter_map(|(key, row)| Some((key, *rows.get(row as usize)?))).collect()
    }

    /// Removes the account and frees its row.
    fn remove(&mut self, key: &AccountKey) {
        // Only whittle removes accounts. If the account is missing, there is nothing to do.
        let Ok(row) = self.keys.get(key, 0) else { return };
        let is_empty = self.keys.remove(key).is_ok() && self.rows.set(row, AccountValue::NOTHING, 0).is_ok();
        if is_empty {
            // If this fails, one row is lost.
            let _ = self.free_rows.push(row, 0);
        }
    }
}

impl Programs {
    /// Loads and attaches the programs, which observe no process yet. The programs write records to the ring buffer.
    pub(crate) fn load(plan: &Plan) -> Result<(Self, RingBuf<MapData>), KernelError> {
        let types = Btf::from_sys_fs().map_err(|error| KernelError::NoTypes(error.to_string()))?;
        let mut loader = EbpfLoader::new();
        if !plan.has_marks {
            for map in MARK_MAPS {
                loader.map_max_entries(map, LEAST_ENTRIES);
            }
        }
        let mut loaded = loader
            .btf(Some(&types))
            .map_max_entries("stacks", possible_cpu_count() * 2)
            // One map has task storage. The library cannot read this map, and whittle does not need its content.
            .allow_unsupported_maps()
            .load(OBJECT)
            .map_err(refused("loading the programs"))?;
        let current = plan.settings();
        let mut settings: Array<MapData, SettingsValue> = typed(take(&mut loaded, "settings")?)?;
        settings.set(0, current, 0).map_err(refused("writing the settings"))?;
        let records = typed(take(&mut loaded, "records")?)?;
        let maps = (
            typed(take(&mut loaded, "processes")?)?,
            typed(take(&mut loaded, "threads")?)?,
            Accounts::take(&mut loaded)?,
        );
        let listening_ports = typed(take(&mut loaded, "listening_ports")?)?;
        let unlisted = typed(take(&mut loaded, "unlisted")?)?;
        let http_requests = typed(take(&mut loaded, "http_requests")?)?;
        let virtual_threads = typed(take(&mut loaded, "virtual_threads")?)?;
        let counts = typed(take(&mut loaded, "counts")?)?;
        for life in LIFE {
            attach(&mut loaded, life, &types)?;
        }
        let has_waits = plan.intervals[usize::from(kind::BLOCKED)] != 0;
        if has_waits {
            // Without one of these tracepoints, waits have no wakers, and everything else is the same.
            let _ = WAKES.iter().try_for_each(|of_wakes| attach(&mut loaded, *of_wakes, &types));
        }
        let classic = observe_calls(&mut loaded, &types, plan.has_calls())?;
        let ticks = sample(&mut loaded, "on_tick", (Counted::CpuTime, plan.tick_ns))?;
        let faults = sample(&mut loaded, "on_fault", (Counted::PageFaults, plan.faults))?;
        let (processes, threads, accounts) = maps;
        let tick_ns = plan.tick_ns;
        let programs = Self {
            loaded,
            classic,
            ticks,
            _faults: faults,
            settings,
            current,
            processes,
            threads,
            accounts,
            listening_ports,
            unlisted,
            http_requests,
            virtual_threads,
            counts,
            tick_ns,
        };
        Ok((programs, records))
    }

    /// Starts to observe a process and its existing threads. Only the present state of these threads is known.
    pub(crate) fn observe(&mut self, process_id: u32, threads: &[(u32, ThreadValue)]) -> Result<(), KernelError> {
        // The tables of sockets can be long, so they are read first.
        let ports = if self.current.has_calls != 0 { listening_ports(Process(process_id)) } else { Vec::new() };
        let _unpreempted = self.unpreempted();
        for (thread_id, value) in threads {
            if self.threads.insert(thread_id, value, 0).is_err() {
                // The table is full. The remaining threads are added, or counted as unknown, when they become active.
                break;
            }
        }
        self.processes.insert(process_id, ProcessValue::default(), 0).map_err(refused("noting the process"))?;
        self.note_listening(&ports);
        self.write_observed()
    }

    /// Notes the ports on which the process listens already. The programs note only ports that they see.
    fn note_listening(&mut self, ports: &[u16]) {
        for port in ports {
            let index = u32::from(*port) / u64::BITS;
            let known = self.listening_ports.get(&index, 0).unwrap_or_default();
            // Without the bit, connections of clients have the clients' addresses as peers.
            let _ = self.listening_ports.set(index, known | 1 << (u32::from(*port) % u64::BITS), 0);
        }
    }

    /// Stops observing one process. Other processes are still observed.
    pub(crate) fn stop_observing(&mut self, process_id: u32) -> Result<(), KernelError> {
        let _unpreempted = self.unpreempted();
        self.forget(process_id);
        for (thread_id, value) in self.threads() {
            if value.process_id == process_id {
                // If the entry is already missing, there is nothing to remove.
                let _ = self.threads.remove(&thread_id);
            }
        }
        self.write_observed()
    }

    /// Informs the programs that the set of observed processes has changed. If only one process is observed, the
    /// programs get its id, because comparing ids is cheaper than a lookup in a map.
    fn write_observed(&mut self) -> Result<(), KernelError> {
        let mut processes = self.processes.keys().flatten();
        self.current.only_process = match (self.current.follows, processes.next(), processes.next()) {
            (0, None, _) => NOBODY,
            (0, Some(only), None) => only,
            _ => 0,
        };
        self.current.generation += 1;
        self.write_settings()
    }

    /// Stops observing all processes.
    pub(crate) fn observe_nothing(&mut self) -> Result<(), KernelError> {
        self.current.only_process = NOBODY;
        self.current.generation += 1;
        self.write_settings()
    }

    /// Forgets a process that has ended.
    pub(crate) fn forget(&mut self, process_id: u32) {
        let _unpreempted = self.unpreempted();
        // If the entry is already missing, there is nothing to remove.
        let _ = self.processes.remove(&process_id);
    }

    /// The observed processes.
    pub(crate) fn processes(&self) -> Vec<(u32, ProcessValue)> {
        let _unpreempted = self.unpreempted();
        self.processes.iter().flatten().collect()
    }

    /// Allows signals to the process while the process has this handler. 0: no more signals are sent.
    pub(crate) fn confirm_handler(&mut self, process_id: u32, handler: u64) -> Result<(), KernelError> {
        let _unpreempted = self.unpreempted();
        // The programs remove a process only if they count its threads. From now on, whittle removes it, because the count
        // could change between reading and writing.
        let value = ProcessValue { handler, seen_handler: handler, thread_count: 0 };
        self.processes.insert(process_id, value, BPF_EXIST).map_err(refused("confirming the signal handler"))
    }

    /// The live threads.
    pub(crate) fn threads(&self) -> Vec<(u32, ThreadValue)> {
        let _unpreempted = self.unpreempted();
        batch::entries(&self.threads)
    }

    /// All accounts that have not been removed.
    pub(crate) fn accounts(&self) -> Vec<(AccountKey, AccountValue)> {
        let _unpreempted = self.unpreempted();
        self.accounts.read()
    }

    /// Removes accounts of threads that have ended.
    pub(crate) fn remove_accounts(&mut self, keys: &[AccountKey]) {
        if keys.is_empty() {
            return;
        }
        let _unpreempted = self.unpreempted();
        keys.iter().for_each(|key| self.accounts.remove(key));
    }

    /// The calls that had no room in the accounts, by number and summed over all CPUs.
    pub(crate) fn unlisted(&self) -> Vec<(u32, AccountValue)> {
        let _unpreempted = self.unpreempted();
        (0..MAX_CALLS as u32).filter_map(|call| Some((call, self.unlisted_of(call)?))).collect()
    }

    /// The last request of each connection.
    pub(crate) fn last_requests(&self) -> Vec<HttpRequest> {
        let _unpreempted = self.unpreempted();
        batch::entries(&self.http_requests).into_iter().map(|(_, request)| request).collect()
    }

    /// The virtual threads that were seen and have not ended, with the ids of their processes.
    pub(crate) fn virtual_threads(&self) -> Vec<(u32, VirtualThreadValue)> {
        let _unpreempted = self.unpreempted();
        batch::entries(&self.virtual_threads).into_iter().map(|(key, value)| (key.process_id, value)).collect()
    }

    fn unlisted_of(&self, call: u32) -> Option<AccountValue> {
        let values = self.unlisted.get(&call, 0).ok()?;
        let add = |mut sum: AccountValue, value: &AccountValue| {
            sum.calls += value.calls;
            sum.errors += value.errors;
            sum.bytes += value.bytes;
            sum.duration_ns += value.duration_ns;
            sum.longest_ns = sum.longest_ns.max(value.longest_ns);
            sum.latencies.iter_mut().zip(value.latencies).for_each(|(sum, count)| *sum += count);
            sum
        };
        values.iter().copied().reduce(|sum, value| add(sum, &value)).filter(|sum| sum.calls > 0)
    }

    /// The counters of the kernel side, summed over all CPUs.
    pub(crate) fn counts(&self) -> [u64; COUNT_COUNT as usize] {
        let _unpreempted = self.unpreempted();
        std::array::from_fn(|index| self.count_of(index as u32))
    }

    /// One of the kernel side's counters, summed over all CPUs.
    pub(crate) fn count(&self, index: u32) -> u64 {
        let _unpreempted = self.unpreempted();
        self.count_of(index)
    }

    fn count_of(&self, index: u32) -> u64 {
        self.counts.get(&index, 0).map_or(0, |values| values.iter().sum())
    }

    /// How often the kernel skipped a program because the program was already active on the CPU. A skipped run can
    /// belong to any process of the machine.
    pub(crate) fn skipped_runs(&self) -> u64 {
        let loaded = self.loaded.programs().filter_map(|(_, program)| program.fd().ok());
        loaded.filter_map(|descriptor| skipped_runs(descriptor.as_fd())).sum()
    }

    /// Changes the mean distance between two events of a kind.
    pub(crate) fn set_interval(&mut self, kind: u16, interval: u64) -> Result<(), KernelError> {
        self.current.intervals[usize::from(kind)] = interval;
        self.write_settings()
    }

    /// The mean distance between two events of a kind.
    pub(crate) fn interval(&self, kind: u16) -> u64 {
        self.current.intervals[usize::from(kind)]
    }

    /// CPU time between two ticks on a CPU.
    pub(crate) fn tick_ns(&self) -> u64 {
        self.tick_ns
    }

    /// Shifts the ticks slightly, so that they do not follow a rhythm of the program. `share` is from 0 to 1.
    pub(crate) fn shift_ticks(&self, share: f64) {
        // The shift is up to a tenth of the period in both directions. The weight of a tick is the time since the
        // previous tick, so the mean does not change.
        let period = (self.tick_ns as f64 * (0.9 + 0.2 * share)) as u64;
        for tick in &self.ticks {
            // A CPU that went offline has no ticks.
            let _ = tick.set_period(period);
        }
    }

    fn unpreempted(&self) -> Unpreempted {
        Unpreempted::begin(!self.classic.is_empty())
    }

    fn write_settings(&mut self) -> Result<(), KernelError> {
        let _unpreempted = self.unpreempted();
        self.settings.set(0, self.current, 0).map_err(refused("writing the settings"))
    }
}

fn take(loaded: &mut Ebpf, name: &str) -> Result<Map, KernelError> {
    let absent = || KernelError::Refused {
        what: format!("the map {name}"),
        reason: "the object does not contain it".to_owned(),
    };
    loaded.take_map(name).ok_or_else(absent)
}

fn typed<T: TryFrom<Map, Error = MapError>>(map: Map) -> Result<T, KernelError> {
    T::try_from(map).map_err(refused("a map"))
}

/// The program with this name. `what`: the step that needs the program, for the error.
fn program_of<'a, P>(loaded: &'a mut Ebpf, name: &str, what: &str) -> Result<&'a mut P, KernelError>
where
    &'a mut P: TryFrom<&'a mut Program, Error = ProgramError>,
{
    let absent = || KernelError::Refused { what: what.to_owned(), reason: "no such program".to_owned() };
    loaded.program_mut(name).ok_or_else(absent)?.try_into().map_err(refused(what))
}

fn attach(loaded: &mut Ebpf, (program, tracepoint): (&str, &str), types: &Btf) -> Result<(), KernelError> {
    let what = format!("attaching to {tracepoint}");
    let program: &mut BtfTracePoint = program_of(loaded, program, &what)?;
    program.load(tracepoint, types).map_err(refused(&what))?;
    program.attach().map_err(refused(&what)).map(drop)
}

/// Attaches the programs that observe system calls. If the kernel refuses classic tracepoints, raw tracepoints are used,
/// and the runs that the kernel skips are counted as a loss.
fn observe_calls(loaded: &mut Ebpf, types: &Btf, has_starts: bool) -> Result<Vec<ClassicTracepoint>, KernelError> {
    let count = if has_starts { CALLS.len() } else { 1 };
    if CallTracepoints::of_this_kernel() == CallTracepoints::Classic {
        let classic = CLASSIC_CALLS.iter().take(count).map(|call| attach_classic(loaded, *call)).collect();
        if let Ok(classic) = classic {
            return Ok(classic);
        }
    }
    CALLS.iter().take(count).try_for_each(|call| attach(loaded, *call, types))?;
    Ok(Vec::new())
}

fn attach_classic(loaded: &mut Ebpf, (program, tracepoint): (&str, &str)) -> Result<ClassicTracepoint, KernelError> {
    let what = format!("attaching to raw_syscalls:{tracepoint}");
    let program: &mut TracePoint = program_of(loaded, program, &what)?;
    program.load().map_err(refused(&what))?;
    let descriptor = program.fd().map_err(refused(&what))?.as_fd();
    call_tracepoints::attach("raw_syscalls", tracepoint, descriptor).map_err(refused(&what))
}

/// Runs `program` once per `period` on every CPU. If `period` is 0, the program does not run.
fn sample(
    loaded: &mut Ebpf,
    program: &str,
    (counted, period): (Counted, u64),
) -> Result<Vec<SamplingEvent>, KernelError> {
    if period == 0 {
        return Ok(Vec::new());
    }
    let what = format!("sampling by {program}");
    let program: &mut PerfEvent = program_of(loaded, program, &what)?;
    program.load().map_err(refused(&what))?;
    let descriptor = program.fd().map_err(refused(&what))?.as_fd().as_raw_fd();
    let open = |cpu| SamplingEvent::open(counted, cpu, period, descriptor).map_err(refused(&what));
    online_cpus().into_iter().map(open).collect()
}

/// Wraps an error of the kernel, with all its causes, for `map_err`.
fn refused<E: std::error::Error>(what: &str) -> impl Fn(E) -> KernelError {
    move |error| {
        let mut reason = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            // The last cause is the verifier's log, which has many pages. So only its first line is used.
            let text = cause.to_string();
            let line = text.lines().next().unwrap_or_default();
            if !reason.contains(line) {
                reason = format!("{reason}: {line}");
            }
            source = cause.source();
        }
        KernelError::Refused { what: what.to_owned(), reason }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    /// Compiles and runs a test in C, which exits with status 1 if it fails.
    fn run(source: &str) {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("test");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf").join(source);
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(source).arg("-lm");
        assert!(compiler.status().expect("a C compiler").success());
        let output = Command::new(&program).output().expect("an executable program");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }

    /// Simulates a CPU with steals, lost ticks and unseen switches.
    #[test]
    fn weights_of_ticks_add_up_to_the_schedulers_cpu_time() {
        run("tick_weight_test.c");
    }

    /// Simulates events of different sizes and rates.
    #[test]
    fn weights_of_samples_by_place_add_up_to_the_amounts() {
        run("place_test.c");
    }
}
