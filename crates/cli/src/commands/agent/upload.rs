//! Sends the spool's segments to the store, one after the other.

use super::spool::Spool;
use crate::terminal::output;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use whittle_collect::Finish;
use whittle_experiment::Store;

/// If the store does not accept a segment within this time, the agent sends the segment again later.
const LAND_TIMEOUT: Duration = Duration::from_secs(60);

/// The first and the longest pause after a failure. The pause doubles after each failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How often an empty spool is checked.
const IDLE: Duration = Duration::from_secs(5);

/// When the agent ends, it sends the remaining segments for up to this time. The next agent sends the rest.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// Sends segments until `finish` is requested, and then until the spool is empty or `LAST_PATIENCE` has passed.
pub(crate) fn send_all(spool: &Spool, place: &str, runtime: &Runtime, finish: &Finish) {
    let mut sender = Sender { place, runtime, store: None, pause: FIRST_PAUSE, is_away: false };
    while !finish.wait(Duration::ZERO) {
        let Some(segment) = spool.next(IDLE) else { continue };
        if !sender.send(spool, segment) {
            finish.wait(sender.next_pause());
        }
    }
    let deadline = Instant::now() + LAST_PATIENCE;
    while Instant::now() < deadline
        && let Some(segment) = spool.next(Duration::ZERO)
    {
        if !sender.send(spool, segment) {
            std::thread::sleep(FIRST_PAUSE);
        }
    }
}

struct Sender<'a> {
    place: &'a str,
    runtime: &'a Runtime,
    store: Option<Store>,
    pause: Duration,
    is_away: bool,
}

impl Sender<'_> {
    /// Sends one segment. False: the segment is not in the store.
    fn send(&mut self, spool: &Spool, (path, bytes): (String, Vec<u8>)) -> bool {
        let landed = self.land(&path, bytes);
        spool.sent(&path, landed.is_ok());
        let waiting = spool.counts().waiting;
        match landed {
            Ok(()) if self.is_away => {
                output::note(&format!("agent: the store is available again; {waiting} segments wait in the spool"));
                (self.is_away, self.pause) = (false, FIRST_PAUSE);
            }
            Ok(()) => {}
            Err(reason) if !self.is_away => {
                self.is_away = true;
                output::note(&format!(
                    "agent: the store does not accept segments ({reason}); {waiting} segments wait in the spool, the agent tries \
                     again from time to time"
                ));
            }
            Err(_) => {}
        }
        !self.is_away
    }

    fn land(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), String> {
        let store = match &self.store {
            Some(store) => store,
            None => self.store.insert(Store::open(self.place).map_err(|error| error.to_string())?),
        };
        let landed =
            self.runtime.block_on(async { tokio::time::timeout(LAND_TIMEOUT, store.land_bytes(path, bytes)).await });
        match landed {
            Ok(landed) => landed.map_err(|error| error.to_string()),
            Err(_) => Err(format!("no answer within {} s", LAND_TIMEOUT.as_secs())),
        }
    }

    fn next_pause(&mut self) -> Duration {
        let pause = self.pause;
        self.pause = (pause * 2).min(LONGEST_PAUSE);
        pause
    }
}
