//! Gives waits of virtual threads for monitors their lengths.
//!
//! From JDK 24 on, such a thread leaves its carrier inside the JVM. The kernel side knows when it left and when it returned, but not its
//! stack. The profiler reports the end of each wait of a millisecond or more with its stack. But it measures from the last begin of a
//! wait on the same carrier, which can be that of another thread. So the length is the kernel side's:
//!
//! ```text
//! kernel side   carrier 1:   thread 31 returns at 50 ms, after 20 ms            thread 32 returns at 80 ms, …
//! profiler      carrier 1:   …, Checkout.pay: got its monitor at 50.1 ms, after 7 ms
//! wait                       …, Checkout.pay: 20 ms, until 50 ms
//! ```
//!
//! A report that begins after the last return to its carrier is that of a pinned thread, which has kept its carrier. The kernel side has
//! sampled the carrier's wait, and the report's length is right.
//!
//! A thread that returns and finds the monitor taken leaves again at once. All its waits until it gets the monitor are one wait. The profiler
//! reports nearly all waits of a millisecond or more, so a longer wait without a report goes on if the thread leaves again soon. Otherwise,
//! it is a wait without a stack.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use whittle_model::{Sample, ThreadIndex};

/// A thread that leaves its carrier within this time after its return did not get its monitor.
const RETRY_NS: u64 = 100_000;

/// It can also take this time on a busy machine, where the carrier waits for a CPU in between.
const MAX_RETRY_NS: u64 = 10_000_000;

/// The profiler reports waits that take at least this time: 1 ms, and the time in which the JVM continues the thread.
const REPORTED_NS: u64 = 1_100_000;

/// A report that ended this long before the newest return has its own return. Returns arrive in order, but for moments.
const DISORDER_NS: u64 = 1_000_000;

/// A report ends within this time after its return.
const REPORT_DELAY_NS: u64 = 1_000_000_000;

/// Maximum number of returns and of reports that wait for each other. More are forgotten.
const MAX_OPEN: usize = 1 << 18;

/// A virtual thread has returned to a carrier. Times are since the experiment's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Return {
    pub(crate) time_ns: u64,
    pub(crate) waited_ns: u64,
    pub(crate) process_id: u32,
    /// The number of the virtual thread in its process.
    pub(crate) id: u64,
    /// The row for virtual threads with its name.
    pub(crate) thread: ThreadIndex,
    /// Whether the thread had just returned when it left, and has not parked in between.
    pub(crate) is_again: bool,
}

impl Return {
    fn left_ns(&self) -> u64 {
        self.time_ns.saturating_sub(self.waited_ns)
    }

    /// The virtual thread: its process and its number.
    fn of(&self) -> (u32, u64) {
        (self.process_id, self.id)
    }
}

/// What is known of a wait for a monitor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MonitorWait {
    /// The report, and the return with the length of the whole wait.
    Away(Sample, Return),
    /// A pinned thread has reported the wait. It has kept its carrier.
    Pinned(Sample),
    /// The return of a report is unknown, so the length is, too.
    NoLength,
    /// No report has the stack.
    NoStack(Return),
}

/// The profiler's report of a wait for a monitor, and the row of the carrier.
#[derive(Debug, Clone, PartialEq)]
struct Report {
    sample: Sample,
    carrier: ThreadIndex,
}

impl Report {
    fn end_ns(&self) -> u64 {
        self.sample.time_ns + self.sample.duration_ns
    }
}

/// Returns and reports that wait for each other.
#[derive(Debug, Default)]
pub(crate) struct VirtualReturns {
    /// The returns to each carrier, in order of time.
    returns: FxHashMap<ThreadIndex, VecDeque<Return>>,
    /// The returns of each virtual thread that have no report yet.
    unreported: FxHashMap<(u32, u64), Vec<Return>>,
    newest_ns: u64,
    /// Number of returns since the last complete reports.
    returns_count: usize,
    reports: Vec<Report>,
    /// Returns and reports that had no room.
    forgotten: u64,
}

/// The reports of a process until a time are complete.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Complete {
    pub(crate) process_id: u32,
    pub(crate) until_ns: u64,
}

impl VirtualReturns {
    /// A virtual thread returns to a carrier.
    pub(crate) fn add_return(&mut self, carrier: ThreadIndex, returned: Return) {
        self.newest_ns = self.newest_ns.max(returned.time_ns);
        if self.returns_count == MAX_OPEN {
            self.forgotten += 1;
            return;
        }
        self.returns.entry(carrier).or_default().push_back(returned);
        self.returns_count += 1;
        self.unreported.entry(returned.of()).or_default().push(returned);
    }

    /// The profiler reports a wait of the virtual thread on this carrier.
    pub(crate) fn add_report(&mut self, sample: Sample, carrier: ThreadIndex) {
        match self.reports.len() < MAX_OPEN {
            true => self.reports.push(Report { sample, carrier }),
            false => self.forgotten += 1,
        }
    }

    /// Takes the waits that are known, reported ones in order of time. `complete`: the reports that have arrived. `None`: no more returns and
    /// reports follow.
    pub(crate) fn settle(&mut self, complete: Option<Complete>) -> Vec<MonitorWait> {
        let known_until_ns = complete.map_or(u64::MAX, |_| self.newest_ns.saturating_sub(DISORDER_NS));
        let mut reports = std::mem::take(&mut self.reports);
        reports.sort_by_key(Report::end_ns);
        let open = reports.partition_point(|report| report.end_ns() <= known_until_ns);
        self.reports = reports.split_off(open);
        let mut waits = Vec::new();
        for report in reports {
            let wait = self.wait_of(report, &mut waits);
            waits.push(wait);
        }
        self.give_up(complete, known_until_ns, &mut waits);
        waits
    }

    /// The wait of a report. Earlier waits of its thread had none, and are added to `waits`.
    fn wait_of(&mut self, report: Report, waits: &mut Vec<MonitorWait>) -> MonitorWait {
        let Some(returns) = self.returns.get_mut(&report.carrier) else { return MonitorWait::NoLength };
        let until_end = returns.partition_point(|returned| returned.time_ns <= report.end_ns());
        let Some(last) = until_end.checked_sub(1).map(|last| returns[last]) else { return MonitorWait::NoLength };
        // The last return stays: it tells that later reports are those of pinned threads.
        returns.drain(..until_end - 1);
        if last.time_ns <= report.sample.time_ns {
            return MonitorWait::Pinned(report.sample);
        }
        let unreported = self.unreported.remove(&last.of()).unwrap_or_default();
        let (until_last, later) = unreported.split_at(unreported.partition_point(|each| each.time_ns <= last.time_ns));
        if !later.is_empty() {
            self.unreported.insert(last.of(), later.to_vec());
        }
        let mut whole = whole_waits(until_last);
        // The last return has ended another wait already, so the return of this report was lost.
        let Some(reported) = whole.pop() else { return MonitorWait::NoLength };
        waits.extend(whole.into_iter().filter(is_reported_usually).map(MonitorWait::NoStack));
        MonitorWait::Away(report.sample, reported)
    }

    /// The returns that get no report any more are those of waits without a stack.
    fn give_up(&mut self, complete: Option<Complete>, known_until_ns: u64, waits: &mut Vec<MonitorWait>) {
        let is_over = |returned: &Return| {
            complete.is_none_or(|Complete { process_id, until_ns }| {
                let over_until_ns = until_ns.min(known_until_ns).saturating_sub(REPORT_DELAY_NS);
                returned.process_id == process_id && returned.time_ns <= over_until_ns
            })
        };
        self.unreported.retain(|_, returns| {
            let over = returns.iter().take_while(|returned| is_over(returned)).count();
            let whole = whole_waits(&returns[..over]);
            waits.extend(whole.into_iter().filter(is_reported_usually).map(MonitorWait::NoStack));
            returns.drain(..over);
            !returns.is_empty()
        });
        for returns in self.returns.values_mut() {
            let over = returns.iter().take_while(|returned| is_over(returned)).count();
            returns.drain(..over.saturating_sub(1));
        }
        self.returns_count = self.returns.values().map(VecDeque::len).sum();
    }

    /// The number of returns and reports that had no room.
    pub(crate) fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

/// Whether the profiler usually reports a wait of this length.
fn is_reported_usually(returned: &Return) -> bool {
    returned.waited_ns >= REPORTED_NS
}

/// The waits that these returns of one thread end. Each has the length from its begin to its last return.
fn whole_waits(returns: &[Return]) -> Vec<Return> {
    let mut whole: Vec<Return> = Vec::new();
    for returned in returns {
        match whole.last_mut().filter(|before| goes_on(before, returned)) {
            Some(before) => *before = Return { waited_ns: returned.time_ns - before.left_ns(), ..*returned },
            None => whole.push(*returned),
        }
    }
    whole
}

/// Whether the thread did not get its monitor at the first return.
fn goes_on(before: &Return, returned: &Return) -> bool {
    let retry_ns = if is_reported_usually(before) { MAX_RETRY_NS } else { RETRY_NS };
    returned.is_again && returned.left_ns().saturating_sub(before.time_ns) < retry_ns
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{EventKind, StackIndex};

    const CARRIER: ThreadIndex = ThreadIndex(1);
    const VIRTUAL: ThreadIndex = ThreadIndex(7);

    const NOT_YET: Option<Complete> = Some(Complete { process_id: 4, until_ns: 0 });

    fn returned(id: u64, time_ns: u64, waited_ns: u64) -> Return {
        Return { process_id: 4, time_ns, waited_ns, id, thread: VIRTUAL, is_again: true }
    }

    /// A report that ends at this time. It has a length of 7 ms.
    fn report(end_ns: u64) -> Sample {
        let duration_ns = 7_000_000;
        Sample { duration_ns, ..Sample::new(end_ns - duration_ns, CARRIER, StackIndex(3), EventKind::Lock) }
    }

    /// The lengths of waits, and whether they have a stack.
    fn lengths(waits: &[MonitorWait]) -> Vec<(u64, bool)> {
        let length = |wait: &MonitorWait| match wait {
            MonitorWait::Away(_, returned) => (returned.waited_ns, true),
            MonitorWait::NoStack(returned) => (returned.waited_ns, false),
            MonitorWait::Pinned(_) | MonitorWait::NoLength => (0, true),
        };
        waits.iter().map(length).collect()
    }

    #[test]
    fn a_report_has_the_length_of_the_last_return_to_its_carrier() {
        let mut waits = VirtualReturns::default();
        waits.add_return(CARRIER, returned(31, 40_000_000, 1_000_000));
        waits.add_return(CARRIER, returned(32, 50_000_000, 20_000_000));
        waits.add_return(ThreadIndex(2), returned(33, 50_050_000, 900_000));
        waits.add_report(report(50_100_000), CARRIER);
        // A return before the end of the report can still arrive.
        assert!(waits.settle(NOT_YET).is_empty());
        waits.add_return(ThreadIndex(2), returned(34, 80_000_000, 5_000_000));
        assert_eq!(lengths(&waits.settle(NOT_YET)), [(20_000_000, true)]);
        waits.add_report(report(80_200_000), ThreadIndex(2));
        assert_eq!(lengths(&waits.settle(None)), [(5_000_000, true)]);
    }

    #[test]
    fn a_pinned_thread_keeps_its_carrier() {
        let mut waits = VirtualReturns::default();
        waits.add_report(report(40_000_000), CARRIER);
        waits.add_return(CARRIER, returned(31, 50_000_000, 900_000));
        waits.add_report(report(60_000_000), CARRIER);
        assert_eq!(waits.settle(None), [MonitorWait::NoLength, MonitorWait::Pinned(report(60_000_000))]);
    }

    #[test]
    fn a_return_ends_one_wait() {
        let mut waits = VirtualReturns::default();
        waits.add_return(CARRIER, returned(31, 50_000_000, 20_000_000));
        waits.add_report(report(50_100_000), CARRIER);
        // The return of this wait was lost.
        waits.add_report(report(56_000_000), CARRIER);
        let waits = waits.settle(None);
        assert_eq!((lengths(&waits)[0], &waits[1..]), ((20_000_000, true), &[MonitorWait::NoLength][..]));
    }

    #[test]
    fn the_order_of_arrival_has_no_effect() {
        let mut waits = VirtualReturns::default();
        waits.add_report(report(80_200_000), CARRIER);
        waits.add_report(report(50_100_000), CARRIER);
        waits.add_return(CARRIER, returned(31, 50_000_000, 20_000_000));
        waits.add_return(CARRIER, returned(34, 80_000_000, 5_000_000));
        assert_eq!(lengths(&waits.settle(None)), [(20_000_000, true), (5_000_000, true)]);
    }

    #[test]
    fn a_thread_that_finds_the_monitor_taken_still_waits() {
        let mut waits = VirtualReturns::default();
        // A short wait that ended with the monitor.
        waits.add_return(CARRIER, returned(31, 20_000_000, 300_000));
        waits.add_return(ThreadIndex(2), returned(31, 50_000_000, 20_000_000));
        // It left 2 milliseconds after its return, because the carrier waited for a CPU.
        waits.add_return(CARRIER, returned(31, 52_200_000, 200_000));
        waits.add_return(CARRIER, returned(31, 55_220_000, 3_000_000));
        waits.add_report(report(55_300_000), CARRIER);
        assert_eq!(lengths(&waits.settle(None)), [(25_220_000, true)]);
    }

    #[test]
    fn waits_without_a_report_have_no_stack() {
        let mut waits = VirtualReturns::default();
        waits.add_return(CARRIER, returned(31, 60_000_000, 3_000_000));
        // The thread has parked before the second wait, and has executed for long before the third one.
        waits.add_return(CARRIER, Return { is_again: false, ..returned(31, 63_000_000, 2_000_000) });
        waits.add_return(CARRIER, returned(31, 90_000_000, 4_000_000));
        waits.add_report(report(90_100_000), CARRIER);
        waits.add_return(CARRIER, returned(32, 95_000_000, 6_000_000));
        let expected = [(3_000_000, false), (2_000_000, false), (4_000_000, true), (6_000_000, false)];
        assert_eq!(lengths(&waits.settle(None)), expected);
    }

    #[test]
    fn returns_are_given_up_when_the_reports_are_complete() {
        let mut waits = VirtualReturns::default();
        waits.add_return(CARRIER, returned(31, 60_000_000, 3_000_000));
        waits.add_return(CARRIER, returned(32, 9_000_000_000, 4_000_000));
        let until = |process_id, until_ns| Some(Complete { process_id, until_ns });
        assert!(waits.settle(until(4, 900_000_000)).is_empty());
        assert!(waits.settle(until(5, 8_000_000_000)).is_empty());
        assert_eq!(lengths(&waits.settle(until(4, 8_000_000_000))), [(3_000_000, false)]);
        assert_eq!(lengths(&waits.settle(None)), [(4_000_000, false)]);
    }

    #[test]
    fn what_has_no_room_is_counted() {
        let mut waits = VirtualReturns::default();
        for number in 0..=MAX_OPEN as u64 {
            waits.add_return(CARRIER, returned(31, number, 0));
        }
        assert_eq!(waits.forgotten(), 1);
    }
}
