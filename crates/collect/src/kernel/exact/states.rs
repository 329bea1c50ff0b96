//! The states of threads over time. This module makes rows of thread_states from the kernel side's sums.
//!
//! For each thread, the kernel side keeps the time in each state, and the start of the current state. The time between
//! two readings, a fraction of a second, is a time bin. Bins have no gaps between them. Successive bins are joined if
//! the thread was in a single state.

use crate::kernel::layout::{STATE_COUNT, STATE_ON_CPU, STATE_PREEMPTION, STATE_QUOTA, STATE_RUN_QUEUE, ThreadValue};
use rustc_hash::FxHashMap;
use whittle_model::{ThreadIndex, ThreadState, ThreadStateSpan, ThreadStateTable, WaitReason};

/// Maximum length of a joined row. Rows are written at least this often, so a killed collection loses little data.
const LONGEST_ROW_NS: u64 = 10_000_000_000;

/// Maximum error of a reading's sum. If the error is larger, the thread switched during the reading, so the reading is
/// not used.
const TOLERANCE_NS: u64 = 1_000_000;

/// Total time in each state up to a point in time. The index is a value of `enum state`.
type StateTimes = [u64; STATE_COUNT];

/// The states of all threads of a collection.
#[derive(Debug, Default)]
pub(crate) struct ThreadStates {
    /// CLOCK_MONOTONIC at the experiment's start. Times in rows count from this time.
    start_ns: u64,
    threads: FxHashMap<u32, Tracked>,
    rows: ThreadStateTable,
    /// Total time in each state, by row of the threads table.
    totals: FxHashMap<ThreadIndex, StateTimes>,
    /// For each row of the threads table, the end of its last span. Spans of another thread can follow in the same row.
    ends_ns: FxHashMap<ThreadIndex, u64>,
}

#[derive(Debug)]
struct Tracked {
    thread: ThreadIndex,
    /// End of the last bin.
    until_ns: u64,
    times: StateTimes,
    /// User and system CPU time so far, according to the ticks.
    ticks_ns: [u64; 2],
    /// User and system CPU time at the end of the last bin, according to the ticks.
    ticks_before_ns: [u64; 2],
    /// Bins with only one state, which are not written yet.
    joined: Option<ThreadStateSpan>,
}

impl ThreadStates {
    /// Creates the states of a collection that begins at `start_ns` of CLOCK_MONOTONIC.
    pub(crate) fn starting_at(start_ns: u64) -> Self {
        Self { start_ns, ..Self::default() }
    }

    /// Adds a tick that hit the thread in user mode or, if `is_kernel_mode`, in the kernel.
    pub(crate) fn add_tick(&mut self, thread_id: u32, is_kernel_mode: bool, weight_ns: u64) {
        if let Some(tracked) = self.threads.get_mut(&thread_id) {
            tracked.ticks_ns[usize::from(is_kernel_mode)] += weight_ns;
        }
    }

    /// Adds a reading of a live thread at `now_ns` of CLOCK_MONOTONIC.
    pub(crate) fn read(&mut self, thread: (u32, ThreadIndex), value: &ThreadValue, now_ns: u64) {
        self.add(thread, times_until(value, now_ns), now_ns);
    }

    /// Handles the end of a thread. `times` are its last times.
    pub(crate) fn end(&mut self, thread: (u32, ThreadIndex), times: StateTimes, now_ns: u64) {
        self.add(thread, times, now_ns);
        self.forget(thread.0);
    }

    /// Handles the end of a thread if its last times are unknown.
    pub(crate) fn forget(&mut self, thread_id: u32) {
        if let Some(joined) = self.threads.remove(&thread_id).and_then(|tracked| tracked.joined) {
            self.rows.push(joined);
        }
    }

    /// The rows since the last call. `is_last`: include the rows that are still being joined.
    pub(crate) fn take_rows(&mut self, is_last: bool) -> ThreadStateTable {
        if is_last {
            let open = self.threads.values_mut().filter_map(|tracked| tracked.joined.take());
            open.for_each(|row| self.rows.push(row));
        }
        std::mem::take(&mut self.rows)
    }

    /// Total time by thread and state.
    pub(crate) fn totals(&self) -> &FxHashMap<ThreadIndex, StateTimes> {
        &self.totals
    }

    /// Time in the run queue and blocked, over all threads.
    pub(crate) fn waiting_ns(&self) -> (u64, u64) {
        self.totals.values().fold((0, 0), |(queued, blocked), times| {
            let in_queue = [STATE_RUN_QUEUE, STATE_PREEMPTION, STATE_QUOTA].map(|state| times[state as usize]);
            (queued + in_queue.iter().sum::<u64>(), blocked + blocked_ns(times))
        })
    }

    fn add(&mut self, (thread_id, thread): (u32, ThreadIndex), times: StateTimes, now_ns: u64) {
        let start_ns = self.start_ns;
        let total: u64 = times.iter().sum();
        let end_ns = self.ends_ns.entry(thread).or_insert(start_ns);
        let tracked = self.threads.entry(thread_id).or_insert_with(|| Tracked {
            thread,
            // The kernel side has counted `total` for this thread up to now.
            until_ns: now_ns.saturating_sub(total).max(*end_ns),
            times: StateTimes::default(),
            ticks_ns: [0; 2],
            ticks_before_ns: [0; 2],
            joined: None,
        });
        if now_ns <= tracked.until_ns {
            return;
        }
        let mut spent = StateTimes::default();
        for (spent, (now, before)) in spent.iter_mut().zip(times.iter().zip(tracked.times)) {
            *spent = now.saturating_sub(before);
        }
        // Until a stop by the quota ends, its time counts as waiting for a CPU. So this time was already counted in a bin.
        let counted_before = [STATE_RUN_QUEUE, STATE_PREEMPTION].map(usize::from);
        let counted_before: u64 =
            counted_before.iter().map(|state| tracked.times[*state].saturating_sub(times[*state])).sum();
        spent[usize::from(STATE_QUOTA)] = spent[usize::from(STATE_QUOTA)].saturating_sub(counted_before);
        let bin_ns = now_ns - tracked.until_ns;
        if spent.iter().sum::<u64>().abs_diff(bin_ns) > TOLERANCE_NS {
            return;
        }
        tracked.times = times;
        let totals = self.totals.entry(thread).or_default();
        totals.iter_mut().zip(spent).for_each(|(total, spent)| *total += spent);
        let bin = (tracked.until_ns.saturating_sub(start_ns), now_ns.saturating_sub(start_ns));
        (tracked.until_ns, *end_ns) = (now_ns, now_ns);
        tracked.add_bin(&spent, bin, &mut self.rows);
    }
}

impl Tracked {
    fn add_bin(&mut self, spent: &StateTimes, (from_ns, to_ns): (u64, u64), rows: &mut ThreadStateTable) {
        let mut parts = self.parts(spent);
        self.ticks_before_ns = self.ticks_ns;
        close_gap(&mut parts, to_ns - from_ns);
        let row = |(state, reason, duration_ns): (ThreadState, WaitReason, u64)| ThreadStateSpan {
            thread: self.thread,
            start_ns: from_ns,
            end_ns: to_ns,
            state,
            reason,
            duration_ns,
        };
        if let ([only], Some(joined)) = (parts.as_slice(), &mut self.joined)
            && (joined.state, joined.reason) == (only.0, only.1)
            && to_ns - joined.start_ns <= LONGEST_ROW_NS
        {
            joined.end_ns = to_ns;
            joined.duration_ns = to_ns - joined.start_ns;
            return;
        }
        self.joined.take().into_iter().for_each(|joined| rows.push(joined));
        match parts.as_slice() {
            [only] => self.joined = Some(row(*only)),
            _ => parts.iter().for_each(|part| rows.push(row(*part))),
        }
    }

    /// The states of a bin with their times. CPU time is split in the ratio of the bin's ticks. If the bin has no
    /// ticks, all ticks of the thread are used. If the thread has no ticks, all CPU time is user time.
    fn parts(&self, spent: &StateTimes) -> Vec<(ThreadState, WaitReason, u64)> {
        let in_bin = [0, 1].map(|mode| self.ticks_ns[mode] - self.ticks_before_ns[mode]);
        let ticks = if in_bin == [0, 0] { self.ticks_ns } else { in_bin };
        let on_cpu_ns = spent[STATE_ON_CPU as usize];
        let sum = u128::from(ticks[0]) + u128::from(ticks[1]);
        let system_ns = (u128::from(on_cpu_ns) * u128::from(ticks[1])).checked_div(sum).unwrap_or(0) as u64;
        let on_cpu = [(ThreadState::OnCpuUser, on_cpu_ns - system_ns), (ThreadState::OnCpuSystem, system_ns)];
        let on_cpu = on_cpu.map(|(state, time_ns)| (state, WaitReason::None, time_ns));
        let waits = (1..STATE_COUNT as u8).map(|state| {
            let (thread_state, reason) = waiting(state);
            (thread_state, reason, spent[state as usize])
        });
        on_cpu.into_iter().chain(waits).filter(|(_, _, time_ns)| *time_ns > 0).collect()
    }
}

/// Makes the sum of the parts equal to the length of the bin. The kernel side and whittle read the clock some
/// nanoseconds apart, and the largest part absorbs the difference. If the difference is larger than this part, the next
/// largest part absorbs the rest.
fn close_gap(parts: &mut Vec<(ThreadState, WaitReason, u64)>, bin_ns: u64) {
    let sum: u64 = parts.iter().map(|part| part.2).sum();
    let mut excess_ns = sum.saturating_sub(bin_ns);
    while let Some(largest) = parts.iter_mut().max_by_key(|part| part.2) {
        largest.2 += bin_ns.saturating_sub(sum);
        let less_ns = excess_ns.min(largest.2);
        largest.2 -= less_ns;
        excess_ns -= less_ns;
        if excess_ns == 0 || less_ns == 0 {
            break;
        }
    }
    parts.retain(|part| part.2 > 0);
}

/// State and wait reason for a value of `enum state` other than "on CPU".
fn waiting(state: u8) -> (ThreadState, WaitReason) {
    let reason = wait_reason(state);
    match state {
        STATE_RUN_QUEUE | STATE_PREEMPTION | STATE_QUOTA => (ThreadState::Runnable, reason),
        _ => (ThreadState::Blocked, reason),
    }
}

/// The wait reason for a value of `enum state`. The numbers are the same as in the model.
pub(crate) fn wait_reason(state: u8) -> WaitReason {
    WaitReason::ALL.get(state as usize).copied().unwrap_or(WaitReason::Other)
}

/// Time in which a thread was blocked: it did not execute and was not ready to execute.
pub(super) fn blocked_ns(times: &StateTimes) -> u64 {
    let is_blocked = |state: usize| waiting(state as u8).0 == ThreadState::Blocked;
    (1..STATE_COUNT).filter(|state| is_blocked(*state)).map(|state| times[state]).sum()
}

/// Time in each state up to `now_ns`, including the current state.
fn times_until(value: &ThreadValue, now_ns: u64) -> StateTimes {
    let mut times = value.state_ns;
    let since_ns = value.state_since_ns;
    let state = value.state as usize;
    if state >= STATE_COUNT || now_ns <= since_ns {
        return times;
    }
    let is_waiting = value.state != STATE_ON_CPU && value.state != STATE_PREEMPTION;
    let woken_ns = value.woken_ns;
    if is_waiting && (since_ns..=now_ns).contains(&woken_ns) {
        times[state] += woken_ns - since_ns;
        times[STATE_RUN_QUEUE as usize] += now_ns - woken_ns;
    } else {
        times[state] += now_ns - since_ns;
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUTEX: usize = 1;
    const THREAD: (u32, ThreadIndex) = (5, ThreadIndex(1));

    fn waiting_since(since_ns: u64, on_cpu_ns: u64, futex_ns: u64) -> ThreadValue {
        let mut value = ThreadValue { state: FUTEX as u8, state_since_ns: since_ns, ..ThreadValue::default() };
        value.state_ns[0] = on_cpu_ns;
        value.state_ns[FUTEX] = futex_ns;
        value
    }

    fn rows(states: &mut ThreadStates) -> Vec<(u64, u64, &'static str, u64)> {
        let rows = states.take_rows(true);
        let names = rows.state.iter().map(|state| state.name());
        let times = rows.start_ns.iter().zip(&rows.end_ns).zip(&rows.duration_ns);
        names.zip(times).map(|(name, ((start, end), duration))| (*start, *end, name, *duration)).collect()
    }

    #[test]
    fn bins_have_no_gap_and_equal_ones_are_joined() {
        let mut states = ThreadStates::default();
        let ms = 1_000_000;
        // The thread executed for 30 ms before 100 ms, and has waited since then.
        let value = waiting_since(100 * ms, 30 * ms, 70 * ms);
        states.read(THREAD, &value, 200 * ms);
        states.add_tick(5, true, 1);
        states.read(THREAD, &value, 400 * ms);
        states.read(THREAD, &value, 600 * ms);
        let expected = [
            (0, 200 * ms, "on_cpu_user", 30 * ms),
            (0, 200 * ms, "blocked", 170 * ms),
            (200 * ms, 600 * ms, "blocked", 400 * ms),
        ];
        assert_eq!(rows(&mut states), expected);
    }

    #[test]
    fn ticks_split_the_time_on_the_cpu() {
        let mut states = ThreadStates::default();
        let ms = 1_000_000;
        states.read(THREAD, &waiting_since(10 * ms, 0, 10 * ms), 10 * ms);
        states.add_tick(5, true, 10);
        states.add_tick(5, false, 30);
        states.read(THREAD, &waiting_since(50 * ms, 40 * ms, 10 * ms), 50 * ms);
        let expected = [
            (0, 10 * ms, "blocked", 10 * ms),
            (10 * ms, 50 * ms, "on_cpu_user", 30 * ms),
            (10 * ms, 50 * ms, "on_cpu_system", 10 * ms),
        ];
        assert_eq!(rows(&mut states), expected);
    }

    /// At the first reading, the thread is stopped by the quota. The kernel side knows this only when the stop has ended.
    #[test]
    fn a_stop_by_the_quota_that_is_open_at_a_reading_counts_once() {
        const PREEMPTED: usize = STATE_PREEMPTION as usize;
        let mut states = ThreadStates::default();
        let stopped = ThreadValue { state: STATE_PREEMPTION, state_since_ns: 0, ..ThreadValue::default() };
        states.read(THREAD, &stopped, 30_000_000);
        let mut executing = ThreadValue { state: STATE_ON_CPU, state_since_ns: 50_000_000, ..ThreadValue::default() };
        executing.state_ns[STATE_QUOTA as usize] = 50_000_000;
        states.read(THREAD, &executing, 70_000_000);
        let totals = states.totals()[&THREAD.1];
        assert_eq!((totals[PREEMPTED], totals[STATE_QUOTA as usize], totals[0]), (30_000_000, 20_000_000, 20_000_000));
    }

    #[test]
    fn the_time_from_waking_to_running_is_the_run_queue() {
        let mut value = waiting_since(100, 0, 0);
        value.woken_ns = 150;
        let times = times_until(&value, 180);
        assert_eq!((times[FUTEX], times[STATE_RUN_QUEUE as usize]), (50, 30));
        // The thread was woken before this wait began, so the waking ended another wait.
        value.woken_ns = 90;
        assert_eq!(times_until(&value, 180)[FUTEX], 80);
    }

    #[test]
    fn the_parts_of_a_bin_add_up_to_its_length() {
        for (given, bin_ns, expected) in
            [(vec![30, 30, 30], 10, vec![10]), (vec![5, 50], 60, vec![5, 55]), (vec![5, 50], 7, vec![5, 2])]
        {
            let part = |time_ns: &u64| (ThreadState::Blocked, WaitReason::Futex, *time_ns);
            let mut parts: Vec<_> = given.iter().map(part).collect();
            close_gap(&mut parts, bin_ns);
            assert_eq!(parts.iter().map(|part| part.2).collect::<Vec<_>>(), expected, "{given:?}");
        }
    }

    #[test]
    fn the_next_thread_of_a_row_begins_where_the_one_before_ended() {
        let mut states = ThreadStates::default();
        let of = |on_cpu_ns| {
            let mut times = StateTimes::default();
            times[0] = on_cpu_ns;
            times
        };
        states.end(THREAD, of(100), 1000);
        // The thread's time begins a few nanoseconds before the end of the previous span.
        states.end((6, THREAD.1), of(150), 1100);
        assert_eq!(rows(&mut states), [(900, 1000, "on_cpu_user", 100), (1000, 1100, "on_cpu_user", 100)]);
    }

    #[test]
    fn a_torn_reading_is_left_out() {
        let mut states = ThreadStates::default();
        let ms = 1_000_000;
        states.read(THREAD, &waiting_since(10 * ms, 0, 0), 100 * ms);
        // The sum already contains the wait, but the current state is still the state before the wait.
        states.read(THREAD, &waiting_since(10 * ms, 0, 150 * ms), 200 * ms);
        states.read(THREAD, &waiting_since(210 * ms, 0, 200 * ms), 300 * ms);
        assert_eq!(rows(&mut states), [(10 * ms, 300 * ms, "blocked", 290 * ms)]);
    }
}
