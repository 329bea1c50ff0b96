//! The kernel's own accounting of a process: what the samples are checked against.
//!
//! CPU time is exact (the scheduler's). The user/system split is the kernel's timer ticks, right only
//! on average. A thread that lives shorter than the time between two polls is in the process's sum
//! but has no row of its own.

use crate::host;
use crate::kernel::{CpuFigures, EndedThread, Life, LiveThread};
use crate::process::{Process, Stat};
use std::collections::BTreeMap;
use whittle_model::{CpuSplitSource, ResourceUse, TableBuilder, ThreadClass, ThreadTable};

/// Up to this many threads every poll reads all of them; beyond, one poll in [`THREAD_POLL_DIVISOR`].
const THREADS_PER_POLL: usize = 200;
const THREAD_POLL_DIVISOR: u64 = 5;

/// What `/proc` counts CPU time in: USER_HZ, 100 on all architectures of today.
pub(crate) const USER_TICK_NS: u64 = 10_000_000;

/// A thread's name is read anew in this many of its first polls.
const NAME_POLLS: u32 = 30;

/// Figures of one thread, first and last seen.
#[derive(Debug, Clone)]
struct ThreadAccount {
    /// The id in the process's own pid namespace, which recordings use.
    namespaced_id: u32,
    name: String,
    first_seen_ns: u64,
    last_seen_ns: u64,
    cpu_ns: Growth,
    /// By the kernel's ticks.
    user_ns: Growth,
    system_ns: Growth,
    /// Tells a thread from a later one with the same id.
    start_ticks: u64,
    is_alive: bool,
    poll_count: u32,
}

/// Who tells of threads that end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Nobody: the figures are those of the last poll.
    Unseen,
    /// The kernel side, which also gives threads their rows.
    Told,
}

/// The end of a thread is told within this time, or never.
const END_PATIENCE_NS: u64 = 30_000_000_000;

/// How much a figure has grown since it was first read.
#[derive(Debug, Clone, Copy, Default)]
struct Growth {
    first: u64,
    last: u64,
    /// What earlier threads with the same id had grown.
    earlier: u64,
}

impl Growth {
    fn total(self) -> u64 {
        self.earlier + self.last.saturating_sub(self.first)
    }

    /// Counts from 0 again, for a new thread with the same id.
    fn restart(&mut self) {
        *self = Self { first: 0, last: 0, earlier: self.total() };
    }
}

/// The accounts of one process from now on.
#[derive(Debug)]
pub(crate) struct Accounts {
    process: Process,
    /// True if the process began with us, so that its figures count from 0.
    is_own: bool,
    ends: Ends,
    /// Process CPU time at moments of CLOCK_MONOTONIC.
    history: Vec<(u64, u64)>,
    first: Stat,
    last: Stat,
    threads: BTreeMap<u32, ThreadAccount>,
    /// Threads whose id another one has by now, and whose end is still to be told.
    replaced: BTreeMap<u32, ThreadAccount>,
    live_thread_count: usize,
    poll_count: u64,
    /// Resident pages times nanoseconds: polls are not equally far apart.
    resident_page_ns: u128,
    peak_resident_bytes: u64,
    is_namespaced: bool,
}

impl Accounts {
    /// Opens the accounts of a process that we launched just now (`is_own`) or attach to.
    pub(crate) fn open(process: Process, is_own: bool, ends: Ends) -> Self {
        let stat = process.stat().unwrap_or_default();
        let is_namespaced = process.status().is_ok_and(|status| status.namespaced_pid != process.0);
        let mut accounts = Self {
            process,
            is_own,
            ends,
            history: vec![(host::monotonic_ns(), if is_own { 0 } else { process.cpu_ns().unwrap_or(0) })],
            first: if is_own { Stat::default() } else { stat },
            last: stat,
            threads: BTreeMap::new(),
            replaced: BTreeMap::new(),
            live_thread_count: 0,
            poll_count: 0,
            resident_page_ns: 0,
            peak_resident_bytes: 0,
            is_namespaced,
        };
        accounts.poll();
        accounts
    }

    /// Accounts that count from the last poll on, of a process that goes on.
    pub(crate) fn for_next_segment(&self) -> Self {
        let of_next = |accounts: &BTreeMap<u32, ThreadAccount>| {
            accounts.iter().map(|(id, account)| (*id, account.for_next_segment())).collect()
        };
        Self {
            is_own: false,
            history: self.history.last().copied().into_iter().collect(),
            first: self.last,
            last: self.last,
            threads: of_next(&self.threads),
            replaced: of_next(&self.replaced),
            // The process's own largest figure is that of its whole life.
            peak_resident_bytes: 0,
            resident_page_ns: 0,
            ..*self
        }
    }

    /// CLOCK_MONOTONIC of the last poll.
    pub(crate) fn polled_ns(&self) -> u64 {
        self.history.last().map_or(0, |last| last.0)
    }

    /// Reads all figures of all threads, however many they are, once more.
    pub(crate) fn poll_all(&mut self) {
        self.poll_process();
        self.poll_threads();
    }

    /// Reads all figures once more.
    pub(crate) fn poll(&mut self) {
        self.poll_process();
        if self.live_thread_count <= THREADS_PER_POLL || self.poll_count.is_multiple_of(THREAD_POLL_DIVISOR) {
            self.poll_threads();
        }
        self.poll_count += 1;
    }

    /// Reads the figures of the process as a whole; also right between its end and its burial.
    pub(crate) fn poll_process(&mut self) {
        let now_ns = host::monotonic_ns();
        let previous_ns = self.history.last().map_or(now_ns, |last| last.0);
        if let Some(cpu_ns) = self.process.cpu_ns() {
            self.history.push((now_ns, cpu_ns));
        }
        let Some(stat) = self.process.stat() else { return };
        // A process that has ended and is not buried yet has no memory any more.
        let resident_pages = if stat.resident_pages > 0 { stat.resident_pages } else { self.last.resident_pages };
        self.last = Stat { resident_pages, ..stat };
        self.resident_page_ns += u128::from(resident_pages) * u128::from(now_ns - previous_ns);
        let peak = self.process.status().ok().and_then(|status| status.peak_resident_bytes);
        self.peak_resident_bytes = self.peak_resident_bytes.max(peak.unwrap_or(0));
    }

    fn poll_threads(&mut self) {
        let now_ns = host::monotonic_ns();
        for account in self.threads.values_mut() {
            account.is_alive = false;
        }
        let is_first_poll = self.poll_count == 0;
        let ids = self.process.thread_ids();
        self.live_thread_count = ids.len();
        for id in ids {
            let Some(cpu_ns) = self.process.thread_cpu_ns(id) else { continue };
            let stat = self.process.thread_stat(id).unwrap_or_default();
            if let Some(account) = self.threads.get_mut(&id) {
                if self.ends == Ends::Told && account.is_of_another(&stat) {
                    self.replaced.extend(self.threads.remove(&id).map(|account| (id, account)));
                } else {
                    account.update(now_ns, cpu_ns, stat);
                    // A thread is born with its parent's name and gets its own a moment later.
                    if account.poll_count <= NAME_POLLS {
                        account.name = self.process.thread_name(id).unwrap_or_default();
                    }
                    continue;
                }
            }
            // A thread that is there when we attach has a past; one that comes later has none.
            let has_past = is_first_poll && !self.is_own;
            let Some(account) = self.new_thread(id, now_ns, (has_past, cpu_ns, stat)) else { continue };
            self.threads.insert(id, account);
        }
        if self.ends == Ends::Told {
            let is_awaited = |_: &u32, account: &mut ThreadAccount| account.last_seen_ns + END_PATIENCE_NS > now_ns;
            self.replaced.retain(is_awaited);
            self.threads.retain(|id, account| account.is_alive || is_awaited(id, account));
        }
    }

    fn new_thread(&self, id: u32, now_ns: u64, (has_past, cpu_ns, stat): (bool, u64, Stat)) -> Option<ThreadAccount> {
        let namespaced_id = if self.is_namespaced { self.process.namespaced_thread_id(id)? } else { id };
        let first = |value: u64| Growth { first: if has_past { value } else { 0 }, last: value, earlier: 0 };
        Some(ThreadAccount {
            namespaced_id,
            name: self.process.thread_name(id).unwrap_or_default(),
            first_seen_ns: now_ns,
            last_seen_ns: now_ns,
            cpu_ns: first(cpu_ns),
            user_ns: first(stat.user_ticks * USER_TICK_NS),
            system_ns: first(stat.system_ticks * USER_TICK_NS),
            start_ticks: stat.start_ticks,
            is_alive: true,
            poll_count: 1,
        })
    }

    /// Takes a thread out that has ended, of which a poll may have seen nothing; its CPU time in the collection.
    pub(crate) fn end_thread(&mut self, ended: EndedThread<'_>) -> CpuFigures {
        let end_ns = ended.life.map_or(u64::MAX, |life| life.head.time_ns);
        let account = self.replaced.remove(&ended.thread_id).or_else(|| {
            // One that was first seen later is another thread, with the same id.
            let is_it = |account: &&ThreadAccount| account.first_seen_ns <= end_ns;
            self.threads.get(&ended.thread_id).filter(is_it)?;
            self.threads.remove(&ended.thread_id)
        });
        match (account, ended.life) {
            (None, None) => CpuFigures::default(),
            // The raw ticks: the only figures of a thread that lived between two polls.
            (None, Some(life)) => [life.cpu_ns, life.user_ns, life.system_ns],
            (Some(mut account), life) => {
                account.cpu_ns.last = life.map_or(account.cpu_ns.last, |life| life.cpu_ns);
                account.figures()
            }
        }
    }

    /// The threads that were there at the last poll, or whose end is still to be told. Their times count from
    /// `start_monotonic_ns`.
    pub(crate) fn live_threads(&self, start_monotonic_ns: u64) -> impl Iterator<Item = LiveThread<'_>> {
        self.threads.iter().map(move |(thread_id, account)| LiveThread {
            thread_id: *thread_id,
            name: &account.name,
            life: account.life(start_monotonic_ns),
        })
    }

    /// Resident memory as last read.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.last.resident_pages * rustix::param::page_size() as u64
    }

    /// CPU time since the accounts were opened.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.history.last().map_or(0, |last| last.1) - self.history.first().map_or(0, |first| first.1)
    }

    /// CPU time from the opening to `monotonic_ns`, interpolated between polls.
    pub(crate) fn cpu_ns_until(&self, monotonic_ns: u64) -> u64 {
        let first = self.history.first().map_or(0, |first| first.1);
        interpolate(&self.history, monotonic_ns).saturating_sub(first)
    }

    /// User and system part of `cpu_ns`: the kernel's ticks, scaled to that exact total.
    pub(crate) fn user_system_ns(&self, cpu_ns: u64) -> Option<(u64, u64)> {
        let user = self.last.user_ticks.saturating_sub(self.first.user_ticks);
        let system = self.last.system_ticks.saturating_sub(self.first.system_ticks);
        split(cpu_ns, user, system)
    }

    /// Resources that the process used since the accounts were opened.
    pub(crate) fn resources(&self) -> ResourceUse {
        let (user_ns, system_ns) = self.user_system_ns(self.cpu_ns()).unwrap_or((self.cpu_ns(), 0));
        let page_bytes = rustix::param::page_size() as u64;
        let first_ns = self.history.first().map_or(0, |first| first.0);
        let real_ns = self.history.last().map_or(0, |last| last.0) - first_ns;
        let mean_pages = (real_ns > 0).then(|| (self.resident_page_ns / u128::from(real_ns)) as u64);
        ResourceUse {
            real_ns,
            user_ns,
            system_ns,
            peak_rss_bytes: Some(self.peak_resident_bytes),
            mean_rss_bytes: mean_pages.map(|pages| pages * page_bytes),
            voluntary_switches: None,
            involuntary_switches: None,
            minor_faults: Some(self.last.minor_faults.saturating_sub(self.first.minor_faults)),
            major_faults: Some(self.last.major_faults.saturating_sub(self.first.major_faults)),
            ..ResourceUse::default()
        }
    }

    /// Completes the threads table where nobody else gives threads their rows: exact CPU time, split, life span;
    /// threads without samples too.
    pub(crate) fn complete_threads(&self, builder: &mut TableBuilder, start_monotonic_ns: u64) {
        for account in self.threads.values() {
            let thread = builder.thread(Some(self.process.0), Some(account.namespaced_id), "");
            builder.name_thread_for_now(thread, &account.name);
            let (row, life) = (thread.row(), account.life(start_monotonic_ns));
            let threads = builder.threads_mut();
            threads.start_ns[row] = Some(life.start_ns);
            threads.end_ns[row] = life.end_ns;
            set_cpu(threads, row, life.cpu);
        }
    }
}

/// Sets the class of all threads of the table by their names.
pub(crate) fn set_classes(threads: &mut ThreadTable) {
    for (class, name) in threads.class.iter_mut().zip(&threads.name) {
        *class = ThreadClass::of_java_thread(name);
    }
}

impl ThreadAccount {
    /// True if the id belongs to another thread now.
    fn is_of_another(&self, stat: &Stat) -> bool {
        self.start_ticks != stat.start_ticks && stat.start_ticks > 0
    }

    fn for_next_segment(&self) -> Self {
        let [cpu_ns, user_ns, system_ns] = [self.cpu_ns, self.user_ns, self.system_ns]
            .map(|Growth { last, .. }| Growth { first: last, last, earlier: 0 });
        Self { cpu_ns, user_ns, system_ns, name: self.name.clone(), ..*self }
    }

    fn figures(&self) -> CpuFigures {
        [self.cpu_ns, self.user_ns, self.system_ns].map(Growth::total)
    }

    fn life(&self, start_monotonic_ns: u64) -> Life {
        let since_start = |monotonic_ns: u64| monotonic_ns.saturating_sub(start_monotonic_ns);
        let end_ns = (!self.is_alive).then(|| since_start(self.last_seen_ns));
        Life { start_ns: since_start(self.first_seen_ns), end_ns, cpu: self.figures() }
    }

    fn update(&mut self, now_ns: u64, cpu_ns: u64, stat: Stat) {
        if self.is_of_another(&stat) {
            self.start_ticks = stat.start_ticks;
            self.poll_count = 0;
            [&mut self.cpu_ns, &mut self.user_ns, &mut self.system_ns].into_iter().for_each(Growth::restart);
        }
        self.last_seen_ns = now_ns;
        self.cpu_ns.last = cpu_ns;
        self.user_ns.last = stat.user_ticks * USER_TICK_NS;
        self.system_ns.last = stat.system_ticks * USER_TICK_NS;
        self.is_alive = true;
        self.poll_count += 1;
    }
}

/// Sets a thread's exact CPU time and its split in the ratio of the kernel's user and system ticks.
pub(crate) fn set_cpu(threads: &mut ThreadTable, row: usize, [cpu_ns, user, system]: CpuFigures) {
    let parts = split(cpu_ns, user, system);
    threads.cpu_ns[row] = Some(cpu_ns);
    threads.user_cpu_ns[row] = parts.map(|parts| parts.0);
    threads.system_cpu_ns[row] = parts.map(|parts| parts.1);
    threads.cpu_split[row] = if parts.is_some() { CpuSplitSource::KernelTicks } else { CpuSplitSource::None };
}

/// Divides an exact total in the ratio of ticks; none without ticks.
fn split(cpu_ns: u64, user_ticks: u64, system_ticks: u64) -> Option<(u64, u64)> {
    let ticks = user_ticks + system_ticks;
    let system_ns = u128::from(cpu_ns) * u128::from(system_ticks) / u128::from(ticks.max(1));
    (ticks > 0).then(|| (cpu_ns - system_ns as u64, system_ns as u64))
}

/// The value at `time` of a figure that was read at the times of `points`, in order.
fn interpolate(points: &[(u64, u64)], time: u64) -> u64 {
    let after = points.partition_point(|point| point.0 <= time);
    let (Some(from), to) = (points.get(after.wrapping_sub(1)), points.get(after)) else {
        return points.first().map_or(0, |point| point.1);
    };
    let Some(to) = to else { return from.1 };
    let share = (time - from.0) as f64 / (to.0 - from.0) as f64;
    from.1 + ((to.1 - from.1) as f64 * share) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_between_polls_are_interpolated() {
        let points = [(10, 100), (20, 200), (40, 200)];
        for (time, expected) in [(0, 100), (10, 100), (15, 150), (20, 200), (30, 200), (99, 200)] {
            assert_eq!(interpolate(&points, time), expected, "at {time}");
        }
    }

    #[test]
    fn a_split_adds_up_to_the_exact_total() {
        assert_eq!(split(1000, 3, 1), Some((750, 250)));
        assert_eq!(split(1001, 1, 2), Some((334, 667)));
        assert_eq!(split(1000, 0, 0), None);
    }

    #[test]
    fn the_own_process_has_accounts_with_threads() {
        let mut accounts = Accounts::open(Process(std::process::id()), false, Ends::Unseen);
        while accounts.cpu_ns() < 20_000_000 {
            accounts.poll();
        }
        assert!(!accounts.threads.is_empty());
        assert_eq!(accounts.cpu_ns_until(u64::MAX), accounts.cpu_ns());
        assert!(accounts.resources().mean_rss_bytes.unwrap() <= accounts.resources().peak_rss_bytes.unwrap());
    }

    #[test]
    fn a_reused_thread_id_keeps_what_the_earlier_thread_had() {
        let mut growth = Growth { first: 100, last: 150, earlier: 0 };
        growth.restart();
        growth.last = 7;
        assert_eq!(growth.total(), 57);
    }
}
