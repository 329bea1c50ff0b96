//! Limits open connections. A connection is a stranger until one of its requests has a valid access token.
//!
//! ```text
//! accept ──> stranger ──(valid token)──> known
//!               │                          │
//!               └ too late, or too many    └ too many: the connection that was unused for the longest time is closed
//! ```
//!
//! Strangers never keep other clients out. If there are too many strangers, the address with the most strangers loses
//! its oldest stranger. A client that sends its request at once is a stranger only for a moment.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The limit for one address closes only strangers that are older than this. A younger connection keeps its place,
/// because its request might arrive soon. For example, all clients behind a proxy can connect at the same time. The
/// limit for all addresses does not depend on the age.
const GRACE: Duration = Duration::from_secs(1);

/// The limits of connections.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Maximum number of connections without a valid access token. Such a connection needs up to 256 KB of memory.
    pub strangers: usize,
    /// Maximum number of connections without a valid access token from one address that are older than a second. All
    /// IPv6 addresses with the same first 64 bits count as one address.
    pub strangers_per_address: usize,
    /// A connection must send a whole request header with a valid access token within this time.
    pub stranger_patience: Duration,
    /// Maximum number of connections with a valid access token.
    pub known: usize,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self { strangers: 256, strangers_per_address: 16, stranger_patience: Duration::from_secs(10), known: 1024 }
    }
}

/// All open connections.
#[derive(Debug)]
pub(super) struct Visitors {
    limits: ConnectionLimits,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    /// Number of the next event. Events are new connections and requests.
    next: u64,
    /// The connections by the number of their first event. So the oldest connection is first.
    all: BTreeMap<u64, Connection>,
}

#[derive(Debug)]
struct Connection {
    address: IpAddr,
    since: Instant,
    is_known: bool,
    /// Number of requests without a response so far.
    request_count: usize,
    /// Number of the connection's last event.
    used: u64,
    leave: Arc<Notify>,
}

/// One open connection. The place is free again when this value is dropped.
#[derive(Debug)]
pub(super) struct Visitor {
    visitors: Arc<Visitors>,
    number: u64,
    leave: Arc<Notify>,
}

/// A request of a connection, until its response is ready.
#[derive(Debug)]
pub(super) struct RunningRequest(Arc<Visitor>);

impl Visitors {
    pub(super) fn new(limits: ConnectionLimits) -> Arc<Self> {
        Arc::new(Self { limits, open: Mutex::default() })
    }

    /// Adds a connection from this address. If there are too many strangers, closes another connection.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr, now: Instant) -> Arc<Visitor> {
        let leave = Arc::new(Notify::new());
        let address = network(address);
        let mut open = self.open();
        let number = open.next();
        let connection = Connection {
            address,
            since: now,
            is_known: false,
            request_count: 0,
            used: number,
            leave: Arc::clone(&leave),
        };
        open.all.insert(number, connection);
        open.close_strangers(address, self.limits, now);
        Arc::new(Visitor { visitors: Arc::clone(self), number, leave })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn next(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The strangers, the oldest first.
    fn strangers(&self) -> impl Iterator<Item = (u64, &Connection)> {
        self.all.iter().filter(|(_, one)| !one.is_known).map(|(number, one)| (*number, one))
    }

    fn close_strangers(&mut self, address: IpAddr, limits: ConnectionLimits, now: Instant) {
        let of_address: Vec<u64> =
            self.strangers().filter(|(_, one)| one.address == address).map(|(number, _)| number).collect();
        let is_old = |number: u64| now.saturating_duration_since(self.all[&number].since) >= GRACE;
        let surplus = of_address.len().saturating_sub(limits.strangers_per_address);
        let old: Vec<u64> = of_address.into_iter().take(surplus).filter(|number| is_old(*number)).collect();
        old.into_iter().for_each(|number| self.close(number));
        while self.strangers().count() > limits.strangers.max(1) {
            let Some(number) = self.oldest_of_greediest() else { return };
            self.close(number);
        }
    }

    /// The oldest stranger of the address with the most strangers.
    fn oldest_of_greediest(&self) -> Option<u64> {
        let mut counts: BTreeMap<IpAddr, usize> = BTreeMap::new();
        self.strangers().for_each(|(_, one)| *counts.entry(one.address).or_default() += 1);
        let (address, _) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        self.strangers().find(|(_, one)| one.address == address).map(|(number, _)| number)
    }

    /// The known connection without requests that was unused for the longest time.
    fn longest_unused(&self) -> Option<u64> {
        let unused = self.all.iter().filter(|(_, one)| one.is_known && one.request_count == 0);
        unused.min_by_key(|(_, one)| one.used).map(|(number, _)| *number)
    }

    fn close(&mut self, number: u64) {
        if let Some(one) = self.all.remove(&number) {
            one.leave.notify_one();
        }
    }
}

impl Visitor {
    /// Marks the connection as known, because a request has a valid access token. Returns false if there are too many
    /// known connections and all these connections have running requests.
    pub(super) fn recognise(&self) -> bool {
        let mut open = self.visitors.open();
        // A connection without an entry is about to be closed.
        let Some(own) = open.all.get(&self.number) else { return true };
        if own.is_known {
            return true;
        }
        if open.all.values().filter(|one| one.is_known).count() >= self.visitors.limits.known {
            let Some(unused) = open.longest_unused() else { return false };
            open.close(unused);
        }
        if let Some(own) = open.all.get_mut(&self.number) {
            own.is_known = true;
        }
        true
    }

    /// Counts a request until the returned value is dropped.
    pub(super) fn request(self: &Arc<Self>) -> RunningRequest {
        let mut open = self.visitors.open();
        let used = open.next();
        if let Some(own) = open.all.get_mut(&self.number) {
            own.request_count += 1;
            own.used = used;
        }
        RunningRequest(Arc::clone(self))
    }

    /// Waits until the connection must be closed.
    pub(super) async fn leave(&self) {
        let patience = self.visitors.limits.stranger_patience;
        if tokio::time::timeout(patience, self.leave.notified()).await.is_err() && self.is_known() {
            self.leave.notified().await;
        }
    }

    fn is_known(&self) -> bool {
        self.visitors.open().all.get(&self.number).is_some_and(|own| own.is_known)
    }
}

impl Drop for Visitor {
    fn drop(&mut self) {
        self.visitors.open().all.remove(&self.number);
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        if let Some(own) = self.0.visitors.open().all.get_mut(&self.0.number) {
            own.request_count -= 1;
        }
    }
}

/// The part of an address that identifies a network's user. A user of IPv6 usually has a network of 64 bits.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: ConnectionLimits = ConnectionLimits {
        strangers: 5,
        strangers_per_address: 2,
        stranger_patience: Duration::from_secs(10),
        known: 2,
    };

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    /// For each visitor, whether its connection is open.
    fn open(visitors: &[Arc<Visitor>]) -> Vec<bool> {
        visitors.iter().map(|one| one.visitors.open().all.contains_key(&one.number)).collect()
    }

    #[test]
    fn the_greediest_address_loses_its_oldest_stranger() {
        let (visitors, now) = (Visitors::new(LIMITS), Instant::now());
        let honest = visitors.enter(address(1), now);
        let silent: Vec<_> = (0..7).map(|_| visitors.enter(address(2), now)).collect();
        assert_eq!(open(&silent), [false, false, false, true, true, true, true]);
        assert_eq!(open(&[honest]), [true]);
    }

    #[test]
    fn an_address_has_few_strangers_that_are_older_than_a_second() {
        let (visitors, now) = (Visitors::new(LIMITS), Instant::now());
        let at_once: Vec<_> = (0..4).map(|_| visitors.enter(address(1), now)).collect();
        assert_eq!(open(&at_once), [true; 4], "requests may be under way");
        let later = visitors.enter(address(1), now + GRACE);
        assert_eq!(open(&at_once), [false, false, false, true]);
        drop(later);
        assert_eq!(visitors.open().all.len(), 1, "a closed connection has no place");
    }

    #[test]
    fn known_connections_are_not_strangers_and_only_unused_ones_are_closed() {
        let (visitors, now) = (Visitors::new(LIMITS), Instant::now());
        let known: Vec<_> = (0..2).map(|_| visitors.enter(address(1), now)).collect();
        assert!(known.iter().all(|one| one.recognise()));
        let silent: Vec<_> = (0..20).map(|_| visitors.enter(address(1), now)).collect();
        assert_eq!(open(&known), [true, true]);
        let running: Vec<_> = known.iter().map(|one| one.request()).collect();
        assert!(!silent[19].recognise(), "all known connections are busy");
        drop(running);
        assert!(silent[19].recognise());
        assert_eq!(open(&known), [false, true]);
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let parsed = |text: &str| network(text.parse().unwrap());
        assert_eq!(parsed("2001:db8:1:2:3::4"), parsed("2001:db8:1:2:5::6"));
        assert_ne!(parsed("2001:db8:1:2::"), parsed("2001:db8:1:3::"));
        assert_eq!(parsed("::ffff:10.0.0.1"), address(1));
    }
}
