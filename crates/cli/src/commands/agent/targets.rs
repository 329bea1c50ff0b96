//! Limits for the processes of each user. Any user of the host can start programs that look like JVMs, as many and as
//! often as the system allows.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use whittle_collect::Finish;

/// Limit for all users together. Each process has a thread and a helper process.
const MAX_TOTAL: usize = 2000;
/// How many processes of a user whittle attaches to at the same time. A hostile process delays an attach for up to a
/// minute; an honest one takes some 50 ms.
const MAX_ATTACHING: usize = 16;
/// Maximum number of a user's refused processes that are tried again.
const MAX_REFUSED: usize = 200;
/// So many attaches of a user can follow each other directly. Then one attach per [`ATTACH_INTERVAL`] is possible.
const ATTACH_BURST: f64 = 100.0;
const ATTACH_INTERVAL: Duration = Duration::from_secs(1);
/// A user's segments can have so many bytes at once, and on average so many bytes per second.
const BYTES_BURST: f64 = 256e6;
const BYTES_PER_SECOND: f64 = 1e6;
/// How often the same limit is reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(600);
/// Pause between two looks for a free turn.
const TURN_PAUSE: Duration = Duration::from_millis(200);

/// The followed processes, by user.
#[derive(Debug)]
pub(crate) struct Targets {
    per_user: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    followed: BTreeSet<u32>,
    users: BTreeMap<u32, OfUser>,
    collected_count: usize,
    /// How often the log says that all users together have too many processes.
    full_reports: Budget,
}

/// What one user uses.
#[derive(Debug)]
struct OfUser {
    followed: usize,
    attaching: usize,
    attaches: Budget,
    bytes: Budget,
    /// How often the log says that this user has too many processes.
    reports: Budget,
}

/// An amount that grows with time, up to a limit.
#[derive(Debug)]
struct Budget {
    amount: f64,
    limit: f64,
    per_second: f64,
    counted: Instant,
}

/// A process that may be followed. It counts until this value is dropped.
#[derive(Debug)]
pub(crate) struct Admission<'t> {
    targets: &'t Targets,
    process_id: u32,
    user_id: u32,
}

/// Why a process is not followed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The process is followed already, perhaps because it has just executed another program.
    Known,
    /// The user has too many processes. `is_first`: this was not reported in the last minutes.
    TooMany { limit: usize, is_first: bool },
    /// All users together have too many processes.
    Full { limit: usize, is_first: bool },
}

/// The right to attach to a process. It ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'t>(&'t Targets, u32);

/// A process that is being collected. It counts until this value is dropped.
#[derive(Debug)]
pub(crate) struct Collected<'t>(&'t Targets);

impl Targets {
    /// Limits for at most `per_user` processes of each user.
    pub(crate) fn new(per_user: usize) -> Self {
        Self { per_user, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Counts a process of a user.
    pub(crate) fn admit(&self, process_id: u32, user_id: u32) -> Result<Admission<'_>, Refusal> {
        let mut state = self.state();
        if state.followed.contains(&process_id) {
            return Err(Refusal::Known);
        }
        if state.followed.len() >= MAX_TOTAL {
            return Err(Refusal::Full { limit: MAX_TOTAL, is_first: state.full_reports.take(1.0) });
        }
        let user = state.user(user_id);
        if user.followed >= self.per_user {
            return Err(Refusal::TooMany { limit: self.per_user, is_first: user.reports.take(1.0) });
        }
        user.followed += 1;
        state.followed.insert(process_id);
        Ok(Admission { targets: self, process_id, user_id })
    }

    /// Waits until no process is followed, but at most until `deadline`. Returns the number of processes that are left.
    pub(crate) fn wait_until_empty(&self, deadline: Instant) -> usize {
        let rest = deadline.saturating_duration_since(Instant::now());
        let state = self.changed.wait_timeout_while(self.state(), rest, |state| !state.followed.is_empty());
        state.unwrap_or_else(PoisonError::into_inner).0.followed.len()
    }

    /// The number of processes that are being collected.
    pub(crate) fn collected_count(&self) -> usize {
        self.state().collected_count
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Processes that could not be followed and must be tried again.
#[derive(Debug, Default)]
pub(crate) struct Refused(BTreeMap<u32, Vec<u32>>);

impl Refused {
    /// Notes a process of a user. If the user has many such processes, it is forgotten.
    pub(crate) fn note(&mut self, process_id: u32, user_id: u32) {
        let processes = self.0.entry(user_id).or_default();
        if processes.len() < MAX_REFUSED {
            processes.push(process_id);
        }
    }

    /// Takes all processes.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = u32> + use<> {
        std::mem::take(&mut self.0).into_values().flatten()
    }
}

impl<'t> Admission<'t> {
    /// Waits for the right to attach. None: `finish` was requested.
    pub(crate) fn turn(&self, finish: &Finish) -> Option<Turn<'t>> {
        loop {
            if self.targets.state().user(self.user_id).begin_attach() {
                return Some(Turn(self.targets, self.user_id));
            }
            if finish.wait(TURN_PAUSE) {
                return None;
            }
        }
    }

    /// Counts a segment. False: the user's segments have too many bytes.
    pub(crate) fn take_bytes(&self, bytes: usize) -> bool {
        self.targets.state().user(self.user_id).bytes.take(bytes as f64)
    }

    /// Counts the process as collected.
    pub(crate) fn collected(&self) -> Collected<'t> {
        self.targets.state().collected_count += 1;
        Collected(self.targets)
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        let mut state = self.targets.state();
        state.followed.remove(&self.process_id);
        state.user(self.user_id).followed -= 1;
        self.targets.changed.notify_all();
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.state().user(self.1).attaching -= 1;
    }
}

impl Drop for Collected<'_> {
    fn drop(&mut self) {
        self.0.state().collected_count -= 1;
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            followed: BTreeSet::new(),
            users: BTreeMap::new(),
            collected_count: 0,
            full_reports: Budget::of_reports(),
        }
    }
}

impl State {
    fn user(&mut self, user_id: u32) -> &mut OfUser {
        self.users.entry(user_id).or_default()
    }
}

impl Default for OfUser {
    fn default() -> Self {
        Self {
            followed: 0,
            attaching: 0,
            attaches: Budget::new(ATTACH_BURST, 1.0 / ATTACH_INTERVAL.as_secs_f64()),
            bytes: Budget::new(BYTES_BURST, BYTES_PER_SECOND),
            reports: Budget::of_reports(),
        }
    }
}

impl OfUser {
    fn begin_attach(&mut self) -> bool {
        let may_begin = self.attaching < MAX_ATTACHING && self.attaches.take(1.0);
        self.attaching += usize::from(may_begin);
        may_begin
    }
}

impl Budget {
    fn new(limit: f64, per_second: f64) -> Self {
        Self { amount: limit, limit, per_second, counted: Instant::now() }
    }

    /// One report, and one more after [`REPORT_INTERVAL`].
    fn of_reports() -> Self {
        Self::new(1.0, 1.0 / REPORT_INTERVAL.as_secs_f64())
    }

    /// Takes an amount if it is there.
    fn take(&mut self, amount: f64) -> bool {
        let now = Instant::now();
        let grown = now.duration_since(self.counted).as_secs_f64() * self.per_second;
        self.counted = now;
        self.amount = (self.amount + grown).min(self.limit);
        let is_there = self.amount >= amount;
        if is_there {
            self.amount -= amount;
        }
        is_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_has_a_limit_that_is_rarely_reported() {
        let targets = Targets::new(2);
        let first = targets.admit(1, 7).unwrap();
        let second = targets.admit(2, 7).unwrap();
        assert_eq!(targets.admit(2, 7).unwrap_err(), Refusal::Known);
        assert_eq!(targets.admit(3, 7).unwrap_err(), Refusal::TooMany { limit: 2, is_first: true });
        assert_eq!(targets.admit(4, 7).unwrap_err(), Refusal::TooMany { limit: 2, is_first: false });
        drop(targets.admit(5, 8).unwrap());
        assert_eq!(targets.wait_until_empty(Instant::now()), 2);
        drop(second);
        let third = targets.admit(3, 7).unwrap();
        assert_eq!(targets.admit(4, 7).unwrap_err(), Refusal::TooMany { limit: 2, is_first: false });
        drop(third);
        drop(first);
        assert_eq!(targets.wait_until_empty(Instant::now() + Duration::from_secs(60)), 0);
    }

    #[test]
    fn refused_processes_of_one_user_do_not_displace_others() {
        let mut refused = Refused::default();
        (1000..5000).for_each(|process_id| refused.note(process_id, 7));
        refused.note(1, 8);
        let again: Vec<u32> = refused.take().collect();
        assert_eq!((again.len(), again.last()), (MAX_REFUSED + 1, Some(&1)));
        assert_eq!(refused.take().count(), 0);
    }

    #[test]
    fn attaches_have_turns() {
        let targets = Targets::new(100);
        let admissions: Vec<_> = (0..=MAX_ATTACHING as u32).map(|id| targets.admit(id, 7).unwrap()).collect();
        let finish = Finish::default();
        let mut turns: Vec<_> =
            admissions[..MAX_ATTACHING].iter().map(|admission| admission.turn(&finish).unwrap()).collect();
        finish.request();
        assert!(admissions[MAX_ATTACHING].turn(&finish).is_none());
        turns.pop();
        assert!(admissions[MAX_ATTACHING].turn(&finish).is_some());
    }

    #[test]
    fn a_budget_is_used_up() {
        let mut budget = Budget::new(3.0, 0.0);
        assert_eq!([2.0, 2.0, 1.0, 1.0].map(|amount| budget.take(amount)), [true, false, true, false]);
        let mut growing = Budget { counted: Instant::now() - Duration::from_secs(2), ..Budget::new(3.0, 1.0) };
        growing.amount = 0.0;
        assert!(growing.take(2.0));
    }

    #[test]
    fn collected_processes_are_counted() {
        let targets = Targets::new(1);
        let admission = targets.admit(1, 1).unwrap();
        let collected = admission.collected();
        assert_eq!(targets.collected_count(), 1);
        drop(collected);
        assert_eq!(targets.collected_count(), 0);
        assert!(admission.take_bytes(1000) && !admission.take_bytes(usize::MAX));
    }
}
