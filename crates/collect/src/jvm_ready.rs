//! Waits until a starting JVM can load an agent.

use crate::Error;
use crate::jvm_counters::JvmCounters;
use crate::process::Process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A JVM that is not ready after this time is attached to nevertheless, so that the user gets the reason. A JVM with
/// `-XX:+AlwaysPreTouch` and a large heap needs tens of seconds.
const READY_PATIENCE: Duration = Duration::from_secs(30);

/// A JVM without counters (`-XX:-UsePerfData`) does not say when it is ready, and a JVM with `-Xrs` never handles SIGQUIT. They
/// get this time.
const READY_WITHOUT_SIGNS: Duration = Duration::from_secs(2);

/// How often a starting JVM is checked.
const READY_INTERVAL: Duration = Duration::from_millis(10);

/// Waits until a starting JVM runs Java code. Nothing must be loaded earlier.
///
/// # Errors
/// The JVM has ended, or the collection has ended (`has_ended`).
pub(crate) fn wait_until_ready(process: Process, has_ended: &AtomicBool) -> Result<(), Error> {
    let began = Instant::now();
    let program = process.stat().map(|stat| stat.identity());
    while began.elapsed() < READY_PATIENCE {
        let is_same = process.is_alive() && process.stat().map(|stat| stat.identity()) == program;
        if !is_same || has_ended.load(Ordering::Relaxed) {
            return Err(Error::NoSuchProcess { pid: process.0 });
        }
        // An earlier process with this id can have left its counters. The JVM replaces them.
        let is_late = began.elapsed() > READY_WITHOUT_SIGNS;
        let mut counters = JvmCounters::open(process);
        let is_started = counters.as_mut().map_or(is_late, JvmCounters::is_started);
        let handles_requests = process.status()?.catches_sigquit() || is_late && counters.is_some();
        if is_started && handles_requests {
            break;
        }
        thread::sleep(READY_INTERVAL);
    }
    Ok(())
}
