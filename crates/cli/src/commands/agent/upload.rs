//! Sends what is in the spool to the store, one segment after the other, for as long as it takes.

use super::spool::Spool;
use crate::output;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use whittle_collect::Finish;
use whittle_experiment::Store;

/// A segment that is not taken within this time was refused: it is tried again.
const LAND_TIMEOUT: Duration = Duration::from_secs(60);

/// The pause after a refusal: the first one, and the longest. It doubles each time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How often the spool is looked at while there is nothing in it.
const IDLE: Duration = Duration::from_secs(5);

/// At the end, what is left is sent for so long; what remains then is sent by the next agent.
const LAST_PATIENCE: Duration = Duration::from_secs(10);

/// Sends segments until `finish` is requested and the spool is empty, or its patience at an end.
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
    /// Sends one segment; false: it has not landed.
    fn send(&mut self, spool: &Spool, (path, bytes): (String, Vec<u8>)) -> bool {
        let landed = self.land(&path, bytes);
        spool.sent(&path, landed.is_ok());
        let figures = spool.figures();
        match landed {
            Ok(()) if self.is_away => {
                output::note(&format!("agent: the store is back; {} segments wait", figures.waiting));
                (self.is_away, self.pause) = (false, FIRST_PAUSE);
            }
            Ok(()) => {}
            Err(reason) if !self.is_away => {
                self.is_away = true;
                output::note(&format!(
                    "agent: the store takes nothing ({reason}); {} segments wait in the spool, tried again from time to time",
                    figures.waiting
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
