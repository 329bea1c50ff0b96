//! The BPF programs in the kernel: loaded, attached, and their maps.
//!
//! Everything ends when [`Programs`] is dropped, or when the process dies: the kernel then detaches
//! the programs itself, so no signal is ever sent after us.

use super::perf_events::{Counted, SamplingEvent, online_cpus, possible_cpu_count};
use super::records::{
    AccountKey, AccountValue, COUNT_COUNT, MAX_CALLS, ProcessValue, SettingsValue, ThreadValue, kind,
};
use aya::maps::{Array, HashMap, Map, MapData, MapError, PerCpuArray, Queue, RingBuf};
use aya::programs::{BtfTracePoint, PerfEvent};
use aya::{Btf, Ebpf, EbpfLoader};
use std::os::fd::{AsFd, AsRawFd};
use thiserror::Error;

/// The compiled programs. `cargo xtask bpf` makes them from `crates/collect/bpf`.
#[cfg(target_arch = "x86_64")]
static OBJECT: &[u8] = aya::include_bytes_aligned!("../../bpf/whittle.x86_64.bpf.o");
#[cfg(target_arch = "aarch64")]
static OBJECT: &[u8] = aya::include_bytes_aligned!("../../bpf/whittle.aarch64.bpf.o");

/// The programs that see the whole life of threads: always attached.
const LIFE: [(&str, &str); 6] = [
    ("on_switch", "sched_switch"),
    ("on_wakeup", "sched_wakeup"),
    ("on_fork", "sched_process_fork"),
    ("on_exec", "sched_process_exec"),
    ("on_exit", "sched_process_exit"),
    ("on_signal", "signal_deliver"),
];

/// The programs that see system calls: they make every call of the machine a little dearer.
const CALLS: [(&str, &str); 2] = [("on_call_start", "sys_enter"), ("on_call_end", "sys_exit")];

/// Kinds of events that have an interval, in the order of [`SettingsValue::intervals`].
const INTERVALS: usize = 8;

/// No process has this id.
const NOBODY: u32 = u32::MAX;

/// Why the programs could not be loaded.
#[derive(Debug, Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub(crate) enum KernelError {
    #[error(
        "the kernel has no type information ({0}); it needs CONFIG_DEBUG_INFO_BTF, as all large distributions have"
    )]
    NoTypes(String),
    #[error("{what} was refused: {reason}")]
    Refused { what: String, reason: String },
}

/// What to observe and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// CPU time between two ticks on a CPU, in nanoseconds.
    pub(crate) tick_ns: u64,
    /// Page faults between two samples; 0: none.
    pub(crate) faults: u64,
    /// Mean distances by record kind; 0: none of that kind.
    pub(crate) intervals: [u64; INTERVALS],
    /// Whether exact accounts of system calls are kept.
    pub(crate) has_accounts: bool,
    /// Whether the processes that an observed one starts are observed, too.
    pub(crate) follows: bool,
    /// Facts about each system call.
    pub(crate) calls: [u8; MAX_CALLS],
    /// For tests: every so many signals is not sent; 0: all are.
    pub(crate) drop_every: u32,
}

impl Plan {
    /// Waits and accounts need to see where system calls begin and end.
    fn has_calls(&self) -> bool {
        let kinds = [kind::CALLS, kind::BYTES, kind::CALL_TIME, kind::BLOCKED];
        self.has_accounts || kinds.iter().any(|kind| self.intervals[usize::from(*kind)] > 0)
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
            intervals,
            calls: self.calls,
        }
    }
}

/// The programs and their maps.
pub(crate) struct Programs {
    /// Keeps the programs attached.
    _loaded: Ebpf,
    ticks: Vec<SamplingEvent>,
    _faults: Vec<SamplingEvent>,
    settings: Array<MapData, SettingsValue>,
    /// The settings as the kernel has them now.
    current: SettingsValue,
    processes: HashMap<MapData, u32, ProcessValue>,
    threads: HashMap<MapData, u32, ThreadValue>,
    accounts: Accounts,
    unlisted: PerCpuArray<MapData, AccountValue>,
    counts: PerCpuArray<MapData, u64>,
    tick_ns: u64,
}

/// The accounts of system calls.
struct Accounts {
    /// Which row is whose.
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
        let rows = self.keys.iter().flatten();
        rows.filter_map(|(key, row)| Some((key, self.rows.get(&row, 0).ok()?))).collect()
    }

    /// Gives the account's row back.
    fn remove(&mut self, key: &AccountKey) {
        // Nobody else removes accounts; if it is gone there is nothing to do.
        let Ok(row) = self.keys.get(key, 0) else { return };
        let is_empty = self.keys.remove(key).is_ok() && self.rows.set(row, AccountValue::NOTHING, 0).is_ok();
        if is_empty {
            // A row that is not given back is one row less.
            let _ = self.free_rows.push(row, 0);
        }
    }
}

impl Programs {
    /// Loads and attaches the programs, which observe nothing yet; the records go into the ring buffer.
    pub(crate) fn load(plan: &Plan) -> Result<(Self, RingBuf<MapData>), KernelError> {
        let types = Btf::from_sys_fs().map_err(|error| KernelError::NoTypes(error.to_string()))?;
        let mut loaded = EbpfLoader::new()
            .btf(Some(&types))
            .map_max_entries("stacks", possible_cpu_count() * 2)
            // Task storage: the library has no way to read it, and we have no need to.
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
        let unlisted = typed(take(&mut loaded, "unlisted")?)?;
        let counts = typed(take(&mut loaded, "counts")?)?;
        for (program, tracepoint) in LIFE.iter().chain(if plan.has_calls() { CALLS.iter() } else { [].iter() }) {
            attach(&mut loaded, (program, tracepoint), &types)?;
        }
        let ticks = sample(&mut loaded, "on_tick", (Counted::CpuTime, plan.tick_ns))?;
        let faults = sample(&mut loaded, "on_fault", (Counted::PageFaults, plan.faults))?;
        let (processes, threads, accounts) = maps;
        let tick_ns = plan.tick_ns;
        let programs = Self {
            _loaded: loaded,
            ticks,
            _faults: faults,
            settings,
            current,
            processes,
            threads,
            accounts,
            unlisted,
            counts,
            tick_ns,
        };
        Ok((programs, records))
    }

    /// Observes a process from now on, and its threads of today, of which only the state is known.
    pub(crate) fn observe(&mut self, process_id: u32, threads: &[(u32, ThreadValue)]) -> Result<(), KernelError> {
        for (thread_id, value) in threads {
            if self.threads.insert(thread_id, value, 0).is_err() {
                // The table is full: the others are seen, or counted as unknown, when they do something.
                break;
            }
        }
        self.processes.insert(process_id, ProcessValue::default(), 0).map_err(refused("noting the process"))?;
        self.write_observed()
    }

    /// Observes a process no longer; others go on.
    pub(crate) fn stop_observing(&mut self, process_id: u32) -> Result<(), KernelError> {
        self.forget(process_id);
        for (thread_id, value) in self.threads() {
            if value.process_id == process_id {
                // It may be gone already, which is as good.
                let _ = self.threads.remove(&thread_id);
            }
        }
        self.write_observed()
    }

    /// Tells the programs that the processes have changed. Comparing one number is cheaper for everybody else than
    /// looking into a map.
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

    /// Observes nothing from now on.
    pub(crate) fn observe_nothing(&mut self) -> Result<(), KernelError> {
        self.current.only_process = NOBODY;
        self.current.generation += 1;
        self.write_settings()
    }

    /// Forgets a process that has ended.
    pub(crate) fn forget(&mut self, process_id: u32) {
        // It may be gone already, which is as good.
        let _ = self.processes.remove(&process_id);
    }

    /// The processes that are observed.
    pub(crate) fn processes(&self) -> Vec<(u32, ProcessValue)> {
        self.processes.iter().flatten().collect()
    }

    /// Lets signals go to the process while it has this handler; 0: no more signals.
    pub(crate) fn confirm_handler(&mut self, process_id: u32, handler: u64) -> Result<(), KernelError> {
        let value = ProcessValue { handler, seen_handler: handler, thread_count: 0 };
        self.processes.insert(process_id, value, 0).map_err(refused("confirming the signal handler"))
    }

    /// The threads that live.
    pub(crate) fn threads(&self) -> Vec<(u32, ThreadValue)> {
        self.threads.iter().flatten().collect()
    }

    /// The accounts of all threads that have not been removed.
    pub(crate) fn accounts(&self) -> Vec<(AccountKey, AccountValue)> {
        self.accounts.read()
    }

    /// Removes an account whose thread has ended.
    pub(crate) fn remove_account(&mut self, key: &AccountKey) {
        self.accounts.remove(key);
    }

    /// What the calls of one number that found no room in the accounts come to, over all CPUs.
    pub(crate) fn unlisted(&self, call: u32) -> Option<AccountValue> {
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

    /// A count of the kernel side, over all CPUs.
    pub(crate) fn count(&self, index: u32) -> u64 {
        debug_assert!(index < COUNT_COUNT);
        self.counts.get(&index, 0).map_or(0, |values| values.iter().sum())
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

    /// Moves the ticks by a little, so that they keep step with no rhythm of the program. `share`: 0 to 1.
    pub(crate) fn shift_ticks(&self, share: f64) {
        // A tenth to both sides. A tick weighs the time since the one before, so the mean stays.
        let period = (self.tick_ns as f64 * (0.9 + 0.2 * share)) as u64;
        for tick in &self.ticks {
            // A CPU that went offline has no ticks.
            let _ = tick.set_period(period);
        }
    }

    fn write_settings(&mut self) -> Result<(), KernelError> {
        self.settings.set(0, self.current, 0).map_err(refused("writing the settings"))
    }
}

fn take(loaded: &mut Ebpf, name: &str) -> Result<Map, KernelError> {
    let absent =
        || KernelError::Refused { what: format!("the map {name}"), reason: "it is not in the object".to_owned() };
    loaded.take_map(name).ok_or_else(absent)
}

fn typed<T: TryFrom<Map, Error = MapError>>(map: Map) -> Result<T, KernelError> {
    T::try_from(map).map_err(refused("a map"))
}

fn attach(loaded: &mut Ebpf, (program, tracepoint): (&str, &str), types: &Btf) -> Result<(), KernelError> {
    let what = format!("attaching to {tracepoint}");
    let found = loaded.program_mut(program);
    let found =
        found.ok_or_else(|| KernelError::Refused { what: what.clone(), reason: "no such program".to_owned() })?;
    let program: &mut BtfTracePoint = found.try_into().map_err(refused(&what))?;
    program.load(tracepoint, types).map_err(refused(&what))?;
    program.attach().map_err(refused(&what)).map(drop)
}

/// Runs `program` once every `period` on every CPU; not at all if that is 0.
fn sample(
    loaded: &mut Ebpf,
    program: &str,
    (counted, period): (Counted, u64),
) -> Result<Vec<SamplingEvent>, KernelError> {
    if period == 0 {
        return Ok(Vec::new());
    }
    let what = format!("sampling by {program}");
    let found = loaded.program_mut(program);
    let found =
        found.ok_or_else(|| KernelError::Refused { what: what.clone(), reason: "no such program".to_owned() })?;
    let program: &mut PerfEvent = found.try_into().map_err(refused(&what))?;
    program.load().map_err(refused(&what))?;
    let descriptor = program.fd().map_err(refused(&what))?.as_fd().as_raw_fd();
    let open = |cpu| SamplingEvent::open(counted, cpu, period, descriptor).map_err(refused(&what));
    online_cpus().into_iter().map(open).collect()
}

/// Wraps an answer of the kernel, for `map_err`: the error with all its causes.
fn refused<E: std::error::Error>(what: &str) -> impl Fn(E) -> KernelError {
    move |error| {
        let mut reason = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            // The verifier's log comes as the last cause and fills pages: its first line has to do.
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

    /// A CPU played through with steals, lost ticks and unseen switches.
    #[test]
    fn weights_of_ticks_add_up_to_the_schedulers_cpu_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("tick_weight_test");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf/tick_weight_test.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-O1", "-std=gnu11", "-Wall", "-Wextra", "-o"]).arg(&program).arg(source);
        assert!(compiler.status().expect("a C compiler").success());
        let output = Command::new(&program).output().expect("an executable program");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}
