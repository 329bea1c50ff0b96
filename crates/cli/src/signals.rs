//! Signals that request the end of the program.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use whittle_collect::{Stop, StopRequest};
use whittle_terminal::Failure;

/// Turns signals into requests to stop. A signal that was ignored when whittle started (`nohup`) remains ignored, for
/// whittle and for the launched program.
pub(crate) fn listen_for_signals(stop: &Stop) -> Result<(), Failure> {
    let mut signals = SignalsInfo::<WithOrigin>::new(ending_signals())?;
    let stop = stop.clone();
    std::thread::spawn(move || {
        for origin in signals.forever() {
            let is_from_terminal = origin.process.is_none();
            stop.request(StopRequest { signal: origin.signal, is_from_terminal });
        }
    });
    Ok(())
}

/// Turns the end of standard input into a request to stop. Standard input is a pipe from the analyzer. If the analyzer
/// is killed, the kernel closes the pipe.
pub(crate) fn stop_with_input(stop: &Stop) {
    let stop = stop.clone();
    std::thread::spawn(move || {
        // An error also means that the input has ended.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        stop.request(StopRequest { signal: SIGTERM, is_from_terminal: false });
    });
}

/// The signals that request the end, without the signals that were ignored when whittle started.
pub(crate) fn ending_signals() -> impl Iterator<Item = i32> {
    let ignored = ignored_signals();
    [SIGINT, SIGTERM, SIGHUP].into_iter().filter(move |signal| ignored & (1 << (signal - 1)) == 0)
}

/// Bit n-1 is set if signal n is ignored.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
