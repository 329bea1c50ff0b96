//! Which versions are compared, and when each host changed from the old to the new version.
//!
//! ```text
//! period    0  1  2  3  4  5        O old, N new, B both, . not seen
//! web-1     O  O  N  N  N  N        upgraded, from 2 to 2
//! web-2     O  O  O  B  N  N        upgraded, from 3 to 4
//! web-3     O  O  O  O  O  O        one of the others
//! web-4     N  N  N  N  N  N        left out: no time before the change
//! web-5     O  O  N  O  O  O        left out: it returned to the old version
//! ```

use super::seen::Seen;
use super::{Change, RegressionsQuestion};
use crate::fleet::QueryError;
use serde::Serialize;
use whittle_verdict::regressions::Upgrade;

/// Minimum part of the time that must be before the change and after the change. The time range before the change ends
/// when the first host changes. The time range after the change begins when the last host has changed. A host that
/// changes too early or too late for this part is left out.
const LEAST_PART: f64 = 0.25;
/// Hosts are left out only if at least this number of upgraded hosts remains.
const FEWEST_UPGRADED: usize = 3;

/// The role of a host in the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The host changed version. If the date of the change is unknown, all included hosts have this role.
    Upgraded,
    /// The host stayed on the old version.
    Other,
    /// The host is left out of the comparison.
    LeftOut,
}

/// A host.
#[derive(Debug, Clone)]
pub(super) struct ChangedHost {
    pub(super) host: String,
    /// When the host changed. Missing: the host did not change, or is left out.
    pub(super) upgrade: Option<Upgrade>,
    /// Why the host is left out. Missing: the host is included.
    pub(super) left_out: Option<String>,
}

/// Which hosts changed version.
#[derive(Debug, Clone)]
pub(super) struct Changed {
    /// The old and the new version. Missing: the date of the change is unknown, and all versions are included.
    pub(super) versions: Option<[String; 2]>,
    /// The hosts by name. Hosts that ran neither version are not included.
    pub(super) hosts: Vec<ChangedHost>,
    /// Number of hosts that ran neither version.
    neither_count: usize,
}

/// Finds the hosts that changed between the requested versions.
pub(super) fn changed(seen: &Seen, asked: &RegressionsQuestion) -> Result<Changed, QueryError> {
    let Change::Version { from, to } = &asked.change else { return Ok(Changed::unknown(seen)) };
    let versions = versions(seen, (from.as_deref(), to.as_deref()), asked)?;
    let [old, new] = [0, 1].map(|index| versions[index].as_str());
    let mut changed = Changed { versions: None, hosts: Vec::new(), neither_count: 0 };
    for host in seen.hosts() {
        let ran = seen.ran(host, [old, new]);
        if ran.iter().all(|ran| *ran == [false; 2]) {
            changed.neither_count += 1;
            continue;
        }
        let (upgrade, left_out) = match upgrade(&ran, [old, new]) {
            Ok(upgrade) => (upgrade, None),
            Err(why) => (None, Some(why)),
        };
        changed.hosts.push(ChangedHost { host: host.to_owned(), upgrade, left_out });
    }
    let period_count = seen.hosts().next().map_or(0, |host| seen.ran(host, [old, new]).len());
    changed.leave_out_stragglers(period_count);
    changed.versions = Some(versions);
    Ok(changed)
}

/// When a host changed, computed from the versions in each period. Missing: the host did not change.
fn upgrade(ran: &[[bool; 2]], [old, new]: [&str; 2]) -> Result<Option<Upgrade>, String> {
    let first_new = ran.iter().position(|ran| ran[1]);
    let last_old = ran.iter().rposition(|ran| ran[0]);
    let (Some(first_new), Some(last_old)) = (first_new, last_old) else {
        return if first_new.is_none() { Ok(None) } else { Err(format!("ran {new} all the time")) };
    };
    let is_old = |ran: &[bool; 2]| *ran == [true, false];
    let first_pure_new = ran.iter().position(|ran| *ran == [false, true]);
    if !ran[last_old..].contains(&[false, true]) {
        let last = ran[last_old];
        return Err(if is_old(&last) {
            format!("returned to {old}")
        } else {
            "ran both versions to the end".to_owned()
        });
    }
    if !ran[..first_new].iter().any(is_old) {
        return Err("ran both versions from the start".to_owned());
    }
    if first_pure_new.is_some_and(|first| ran[first..].iter().any(is_old)) {
        return Err("changed more than once".to_owned());
    }
    // There may be periods without observations between the old and the new version.
    let (from, to) = (first_new.min(last_old + 1), first_new.max(last_old + 1));
    Ok(Some(Upgrade { from, to }))
}

/// The old and the new version.
fn versions(
    seen: &Seen,
    (from, to): (Option<&str>, Option<&str>),
    asked: &RegressionsQuestion,
) -> Result<[String; 2], QueryError> {
    let known = &seen.versions;
    let position = |version: &str| known.iter().position(|known| known == version);
    let fail = |reason: String| QueryError::Versions {
        whose: asked.whose.words(),
        time: asked.time.to_string(),
        reason,
        known: some_of(known),
    };
    if let Some(unknown) = [from, to].into_iter().flatten().find(|version| position(version).is_none()) {
        return Err(fail(format!("version \"{unknown}\" was not observed")));
    }
    if from.is_some() && from == to {
        return Err(fail("--from-version and --to-version are the same".to_owned()));
    }
    if known.len() < 2 {
        return Err(fail("two versions are needed; use --unknown-date for a change at an unknown date".to_owned()));
    }
    let lonely = |version: Option<&str>, order: &str, option: &str| {
        let version = version.unwrap_or_default();
        fail(format!("no version appeared {order} \"{version}\"; choose the version to compare with ({option})"))
    };
    let newest = known.len() - 1;
    match (from.and_then(position), to.and_then(position)) {
        (Some(from), Some(to)) => Ok([from, to]),
        (Some(old), None) if old == newest => Err(lonely(from, "after", "--to-version")),
        (Some(from), None) => Ok([from, newest]),
        (None, Some(0)) => Err(lonely(to, "before", "--from-version")),
        (None, to) => Ok([to.unwrap_or(newest) - 1, to.unwrap_or(newest)]),
    }
    .map(|versions| versions.map(|position| known[position].clone()))
}

fn some_of(versions: &[String]) -> String {
    if versions.is_empty() { "there are none".to_owned() } else { format!("there are {}", versions.join(", ")) }
}

impl Changed {
    fn unknown(seen: &Seen) -> Self {
        let host = |host: &str| ChangedHost { host: host.to_owned(), upgrade: None, left_out: None };
        Self { versions: None, hosts: seen.hosts().map(host).collect(), neither_count: 0 }
    }

    /// The versions to query. Empty: all versions.
    pub(super) fn versions_asked(&self) -> Vec<String> {
        self.versions.iter().flatten().cloned().collect()
    }

    /// Whether a version is compared.
    pub(super) fn compares(&self, version: &str) -> bool {
        self.versions.as_ref().is_none_or(|versions| versions.iter().any(|own| own == version))
    }

    /// The included hosts, each with its change.
    pub(super) fn counted(&self) -> impl Iterator<Item = (&str, Option<Upgrade>)> {
        let counted = self.hosts.iter().filter(|host| host.left_out.is_none());
        counted.map(|host| (host.host.as_str(), host.upgrade))
    }

    fn upgrades(&self) -> impl Iterator<Item = (usize, Upgrade)> {
        let hosts = self.hosts.iter().enumerate();
        hosts.filter_map(|(position, host)| host.upgrade.map(|upgrade| (position, upgrade)))
    }

    /// Leaves out hosts that changed much earlier or later than the other hosts. If these hosts were included, almost
    /// no time before or after the change would remain.
    fn leave_out_stragglers(&mut self, period_count: usize) {
        let Some(first) = self.upgrades().map(|(_, upgrade)| upgrade.from).min() else { return };
        let wanted = LEAST_PART * (period_count - first) as f64;
        self.leave_out(|upgrade| ((period_count - upgrade.to) as f64) < wanted, "changed too late");
        let Some(last) = self.upgrades().map(|(_, upgrade)| upgrade.to).max() else { return };
        let wanted = LEAST_PART * last as f64;
        self.leave_out(|upgrade| (upgrade.from as f64) < wanted, "changed too early");
    }

    /// Leaves out the hosts for which `is_straggler` is true, if enough other hosts changed.
    fn leave_out(&mut self, is_straggler: impl Fn(Upgrade) -> bool, why: &str) {
        let all: Vec<(usize, Upgrade)> = self.upgrades().collect();
        let stragglers: Vec<usize> = all.iter().filter(|it| is_straggler(it.1)).map(|it| it.0).collect();
        if all.len() - stragglers.len() >= FEWEST_UPGRADED {
            for position in stragglers {
                let host = &mut self.hosts[position];
                (host.upgrade, host.left_out) = (None, Some(why.to_owned()));
            }
        }
    }

    /// Notes for the reader.
    pub(super) fn notes(&self) -> Vec<String> {
        let Some([old, new]) = &self.versions else { return Vec::new() };
        let mut notes = Vec::new();
        if self.neither_count > 0 {
            notes.push(format!("Hosts that ran neither {old} nor {new}: {}", self.neither_count));
        }
        if self.upgrades().next().is_none() {
            notes.push(format!(
                "No host changed from {old} to {new} in this time range. Choose a time range with changes (--since, --until), or search \
                 for a change at an unknown date (--unknown-date)"
            ));
        }
        notes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a course of versions: `O` old, `N` new, `B` both, `.` not seen.
    fn of(course: &str) -> Result<Option<(usize, usize)>, String> {
        let ran: Vec<[bool; 2]> = course.chars().map(|it| ["OB", "NB"].map(|any| any.contains(it))).collect();
        upgrade(&ran, ["1", "2"]).map(|upgrade| upgrade.map(|it| (it.from, it.to)))
    }

    #[test]
    fn hosts_change_once_and_for_good() {
        assert_eq!(of("OOOO"), Ok(None));
        assert_eq!(of("OONN"), Ok(Some((2, 2))));
        assert_eq!(of("OOBN"), Ok(Some((2, 3))));
        assert_eq!(of("O..NN"), Ok(Some((1, 3))), "the date between them is unknown");
        assert_eq!(of("O.BBN."), Ok(Some((2, 4))));
        let refused = |course: &str| of(course).expect_err("no change");
        assert_eq!(refused("NN.N"), "ran 2 all the time");
        assert_eq!(refused("ONNO"), "returned to 1");
        assert_eq!(refused("OOBB"), "ran both versions to the end");
        assert_eq!(refused("BBNN"), "ran both versions from the start");
        assert_eq!(refused("OONON"), "changed more than once");
    }

    #[test]
    fn stragglers_do_not_cut_the_times_that_are_compared() {
        let host = |name: &str, at: usize| ChangedHost {
            host: name.to_owned(),
            upgrade: Some(Upgrade { from: at, to: at }),
            left_out: None,
        };
        let hosts = vec![host("a", 8), host("b", 9), host("c", 10), host("d", 23), host("e", 1)];
        let mut changed = Changed { versions: None, hosts, neither_count: 0 };
        changed.leave_out_stragglers(24);
        assert_eq!(changed.hosts[3].left_out.as_deref(), Some("changed too late"));
        assert_eq!(changed.hosts[4].left_out.as_deref(), Some("changed too early"));
        assert_eq!(changed.counted().count(), 3);
        let mut few = Changed { hosts: vec![host("a", 8), host("b", 9), host("d", 23)], ..changed };
        few.leave_out_stragglers(24);
        assert_eq!(few.counted().filter(|(_, upgrade)| upgrade.is_some()).count(), 3, "two would be too few");
    }
}
