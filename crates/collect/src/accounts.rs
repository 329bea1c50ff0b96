//! The kernel's accounts of a process. Whittle compares them with the samples.
//!
//! CPU time is exact and is from the scheduler. The user/system split is from the kernel's timer ticks, and is right
//! only on average. If a thread starts and ends between two polls, the process's total includes its CPU time, but the
//! thread has no row.

use crate::host;
use crate::process::{Process, Stat};
use crate::thread_times::{CpuTimes, EndedThread, Life, LiveThread, USER_TICK_NS, set_cpu, split};
use std::collections::{BTreeMap, HashMap};
use whittle_model::{ResourceUse, TableBuilder, ThreadClass, ThreadTable};

/// If a process has at most this many threads, every poll reads all threads. Otherwise, only one poll in
/// [`THREAD_POLL_DIVISOR`] reads all threads.
const THREADS_PER_POLL: usize = 200;
const THREAD_POLL_DIVISOR: u64 = 5;

/// Number of polls after which the name of a new thread is not read again.
const NAME_POLLS: u32 = 30;

/// Maximum length of a thread's name in the kernel. A name of this length can be the start of a longer name.
const KERNEL_NAME_BYTES: usize = 15;

/// First and last values of one thread.
#[derive(Debug, Clone)]
struct ThreadAccount {
    /// The id in the process's pid namespace, which recordings use.
    namespaced_id: u32,
    name: String,
    /// True if the JVM reported the name. The kernel's name has at most [`KERNEL_NAME_BYTES`].
    is_whole_name: bool,
    first_seen_ns: u64,
    last_seen_ns: u64,
    cpu_ns: Growth,
    /// User time from the kernel's ticks.
    user_ns: Growth,
    system_ns: Growth,
    /// Distinguishes a thread from a later thread with the same id.
    start_ticks: u64,
    is_alive: bool,
    poll_count: u32,
}

/// How whittle learns that threads have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Ends of threads are not reported. The last values of a thread are from the last poll.
    Unseen,
    /// The kernel side reports ends of threads, and also assigns rows to threads.
    Reported,
}

/// Maximum time until the end of a thread is reported. Later, no report can arrive.
const END_PATIENCE_NS: u64 = 30_000_000_000;

/// How much a value has grown since it was first read.
#[derive(Debug, Clone, Copy, Default)]
struct Growth {
    first: u64,
    last: u64,
    /// The growth of earlier threads with the same id.
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

/// The accounts of one process. They begin when they are opened.
#[derive(Debug)]
pub(crate) struct Accounts {
    process: Process,
    /// True if whittle launched the process. Then the process's values count from 0.
    is_own: bool,
    ends: Ends,
    /// Pairs of a time on CLOCK_MONOTONIC and the process's CPU time at that time.
    history: Vec<(u64, u64)>,
    first: Stat,
    last: Stat,
    threads: BTreeMap<u32, ThreadAccount>,
    /// Ended threads with ids that newer threads now have. The ends of these threads will still be reported.
    replaced: BTreeMap<u32, ThreadAccount>,
    live_thread_count: usize,
    poll_count: u64,
    /// Sum over all polls of resident pages × time since the previous poll, because polls are not equally far apart.
    resident_page_ns: u128,
    peak_resident_bytes: u64,
    is_namespaced: bool,
}

impl Accounts {
    /// Opens the accounts of a process that whittle has just launched (`is_own`) or attaches to.
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

    /// New accounts of the same process for the next segment. They begin at the last poll.
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
            // The kernel's maximum is for the whole life of the process.
            peak_resident_bytes: 0,
            resident_page_ns: 0,
            ..*self
        }
    }

    /// Time of the last poll on CLOCK_MONOTONIC.
    pub(crate) fn polled_ns(&self) -> u64 {
        self.history.last().map_or(0, |last| last.0)
    }

    /// Reads all values of all threads again, even if there are many threads.
    pub(crate) fn poll_all(&mut self) {
        self.poll_process();
        self.poll_threads();
    }

    /// Reads all values again.
    pub(crate) fn poll(&mut self) {
        self.poll_process();
        if self.live_thread_count <= THREADS_PER_POLL || self.poll_count.is_multiple_of(THREAD_POLL_DIVISOR) {
            self.poll_threads();
        }
        self.poll_count += 1;
    }

    /// Reads the values of the whole process. The values can be read until the exit status is taken, even after the
    /// process has ended.
    pub(crate) fn poll_process(&mut self) {
        let now_ns = host::monotonic_ns();
        let (previous_ns, previous_cpu_ns) = self.history.last().map_or((now_ns, 0), |last| *last);
        // A smaller value belongs to a new process with the same id.
        if let Some(cpu_ns) = self.process.cpu_ns().filter(|cpu_ns| *cpu_ns >= previous_cpu_ns) {
            self.history.push((now_ns, cpu_ns));
        }
        let Some(stat) = self.process.stat() else { return };
        // A process that has ended has no memory, even before its exit status is taken.
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
                if self.ends == Ends::Reported && account.is_of_another(&stat) {
                    self.replaced.extend(self.threads.remove(&id).map(|account| (id, account)));
                } else {
                    account.update(now_ns, cpu_ns, stat);
                    // At first, a new thread has its parent's name. It gets a separate name a moment later.
                    if account.poll_count <= NAME_POLLS && !account.is_whole_name {
                        account.name = self.process.thread_name(id).unwrap_or_default();
                    }
                    continue;
                }
            }
            // If a thread already exists when whittle attaches, its earlier values do not count. A thread that starts
            // later has no earlier values.
            let has_past = is_first_poll && !self.is_own;
            let Some(account) = self.new_thread(id, now_ns, (has_past, cpu_ns, stat)) else { continue };
            self.threads.insert(id, account);
        }
        if self.ends == Ends::Reported {
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
            is_whole_name: false,
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

    /// Removes a thread that has ended. Returns its CPU time in the collection, even if no poll has seen the thread.
    pub(crate) fn end_thread(&mut self, ended: EndedThread) -> CpuTimes {
        let end_ns = ended.report.map_or(u64::MAX, |report| report.end_ns);
        let account = self.replaced.remove(&ended.thread_id).or_else(|| {
            // A thread that was first seen after this end is another thread with the same id.
            let is_it = |account: &&ThreadAccount| account.first_seen_ns <= end_ns;
            self.threads.get(&ended.thread_id).filter(is_it)?;
            self.threads.remove(&ended.thread_id)
        });
        match (account, ended.report) {
            (None, None) => CpuTimes::default(),
            // If a thread lived only between two polls, only the report contains its values. The thread's ticks are not
            // scaled.
            (None, Some(report)) => report.cpu,
            (Some(mut account), report) => {
                account.cpu_ns.last = report.map_or(account.cpu_ns.last, |report| report.cpu[0]);
                account.figures()
            }
        }
    }

    /// The threads that were alive at the last poll, or have no reported end yet. Their times count from
    /// `start_monotonic_ns`.
    pub(crate) fn live_threads(&self, start_monotonic_ns: u64) -> impl Iterator<Item = LiveThread<'_>> {
        self.threads.iter().map(move |(thread_id, account)| LiveThread {
            thread_id: *thread_id,
            name: (&account.name, account.is_whole_name),
            life: account.life(start_monotonic_ns),
        })
    }

    /// True if the kernel may have cut the name of a thread. The names of the JVM's own threads are known.
    pub(crate) fn has_cut_name(&self) -> bool {
        let is_cut = |account: &ThreadAccount| !account.is_whole_name && account.name.len() >= KERNEL_NAME_BYTES;
        let is_jvm = |account: &ThreadAccount| ThreadClass::of_java_thread(&account.name).is_jvm();
        self.threads.values().any(|account| is_cut(account) && !is_jvm(account))
    }

    /// Sets the names that the JVM reported, by the thread's id in the process's pid namespace.
    pub(crate) fn set_names(&mut self, names: &HashMap<u32, String>) {
        for account in self.threads.values_mut().filter(|account| account.is_alive) {
            if let Some(name) = names.get(&account.namespaced_id) {
                account.name.clone_from(name);
                account.is_whole_name = true;
            }
        }
    }

    /// Resident memory at the last poll.
    pub(crate) fn resident_bytes(&self) -> u64 {
        self.last.resident_pages * rustix::param::page_size() as u64
    }

    /// CPU time since the accounts were opened.
    pub(crate) fn cpu_ns(&self) -> u64 {
        self.history.last().map_or(0, |last| last.1) - self.history.first().map_or(0, |first| first.1)
    }

    /// CPU time from the opening of the accounts to `monotonic_ns`, interpolated between polls.
    pub(crate) fn cpu_ns_until(&self, monotonic_ns: u64) -> u64 {
        let first = self.history.first().map_or(0, |first| first.1);
        interpolate(&self.history, monotonic_ns).saturating_sub(first)
    }

    /// User and system part of `cpu_ns`. The kernel's ticks are scaled to this exact total.
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

    /// Adds each thread's exact CPU time, user/system split and life span to the threads table, also for threads
    /// without samples. This method is not used if the kernel side completes the table.
    pub(crate) fn complete_threads(&self, builder: &mut TableBuilder, start_monotonic_ns: u64) {
        for account in self.threads.values() {
            let thread = builder.thread(Some(self.process.0), Some(account.namespaced_id), "");
            match account.is_whole_name {
                true => builder.name_thread(thread, &account.name),
                false => builder.name_thread_for_now(thread, &account.name),
            }
            let (row, life) = (thread.row(), account.life(start_monotonic_ns));
            let threads = builder.threads_mut();
            threads.start_ns[row] = Some(life.start_ns);
            threads.end_ns[row] = life.end_ns;
            set_cpu(threads, row, life.cpu);
        }
    }
}

/// Sets the class of all threads in the table according to their names.
pub(crate) fn set_classes(threads: &mut ThreadTable) {
    for (class, name) in threads.class.iter_mut().zip(&threads.name) {
        *class = ThreadClass::of_java_thread(name);
    }
}

impl ThreadAccount {
    /// True if another thread has this id now.
    fn is_of_another(&self, stat: &Stat) -> bool {
        self.start_ticks != stat.start_ticks && stat.start_ticks > 0
    }

    fn for_next_segment(&self) -> Self {
        let [cpu_ns, user_ns, system_ns] = [self.cpu_ns, self.user_ns, self.system_ns]
            .map(|Growth { last, .. }| Growth { first: last, last, earlier: 0 });
        Self { cpu_ns, user_ns, system_ns, name: self.name.clone(), ..*self }
    }

    fn figures(&self) -> CpuTimes {
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

/// The interpolated value at `time`. `points` contains pairs of time and value, in the order of time.
pub(crate) fn interpolate(points: &[(u64, u64)], time: u64) -> u64 {
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
    fn values_between_polls_are_interpolated() {
        let points = [(10, 100), (20, 200), (40, 200)];
        for (time, expected) in [(0, 100), (10, 100), (15, 150), (20, 200), (30, 200), (99, 200)] {
            assert_eq!(interpolate(&points, time), expected, "at {time}");
        }
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
    fn a_reused_process_id_does_not_make_the_cpu_time_smaller() {
        let mut accounts = Accounts::open(Process(std::process::id()), false, Ends::Unseen);
        let earlier = (host::monotonic_ns(), u64::MAX / 2);
        accounts.history.push(earlier);
        accounts.poll_process();
        assert_eq!(accounts.history.last(), Some(&earlier));
    }

    #[test]
    fn a_reused_thread_id_keeps_what_the_earlier_thread_had() {
        let mut growth = Growth { first: 100, last: 150, earlier: 0 };
        growth.restart();
        growth.last = 7;
        assert_eq!(growth.total(), 57);
    }
}
