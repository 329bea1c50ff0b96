//! `--metric`: whittle passes on the output of a launched program unchanged, and numbers in the output become counters.
//!
//! ```text
//! program ──stdout──> pipe ──> thread ──as it comes──> our stdout
//!                                 └── lines ──> pattern ──> values
//! program ──stderr──> the same, to our stderr
//! ```
//!
//! Bytes are passed on first and examined later. If whittle's output is slow, the program waits after 64 KiB, as with
//! any pipe. The two streams are passed on independently, so their relative order can differ from the program's order.
//! The program sees a pipe as its output and not a terminal. So output is captured only if there is a pattern. The
//! program's input is unchanged.

pub(crate) mod lines;
mod pattern;

pub use pattern::BadPattern;
pub(crate) use pattern::MetricPattern;

use crate::host;
use lines::Lines;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::BTreeMap;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::os::fd::AsFd;
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use whittle_model::UnitOfWork;

/// Size of the kernel's pipes in bytes.
const BUFFER_BYTES: usize = 64 << 10;
/// How long the output remains open after the program's end. A limit is needed, because a child process of the program
/// can hold the pipe forever. All output of the program itself is passed on without a time limit.
const PATIENCE: Duration = Duration::from_secs(1);
/// Maximum number of values that wait in memory. Further values are dropped and counted.
const MAX_VALUES: usize = 1 << 20;

/// The pattern that finds numbers in a program's output.
#[derive(Debug, Clone)]
pub struct PrintedNumbers(MetricPattern);

impl PrintedNumbers {
    /// Reads the regular expression of `--metric`.
    ///
    /// # Errors
    /// The text is not a regular expression, or has no named group.
    pub fn new(pattern: &str) -> Result<Self, BadPattern> {
        MetricPattern::parse(pattern).map(Self)
    }

    /// Names of the groups, in the order of the pattern.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.names()
    }

    /// Pairs of a group's name and its number, in the order of the lines.
    pub fn find(&self, text: &str) -> Vec<(String, f64)> {
        let mut lines = Lines::new(self.0.clone());
        let mut found = lines.take(text.as_bytes());
        found.extend(lines.finish());
        found
    }
}

/// A number that the program printed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PrintedValue {
    /// Time on CLOCK_MONOTONIC when the value's line was complete.
    pub(crate) monotonic_ns: u64,
    /// Name of the group in the pattern.
    pub(crate) counter: String,
    pub(crate) value: f64,
}

/// The output of a launched program, which passes through whittle. After this value is dropped, output is still passed
/// on until whittle ends.
#[derive(Debug)]
pub(crate) struct CapturedOutput {
    /// One thread per stream. Closing the pipe informs the thread that the program has ended.
    streams: Vec<(PipeWriter, JoinHandle<()>)>,
    values: Arc<Mutex<Values>>,
}

/// The values that were found so far.
#[derive(Debug, Default)]
struct Values {
    new: Vec<PrintedValue>,
    last: BTreeMap<String, f64>,
    dropped_count: u64,
}

impl CapturedOutput {
    /// Sets up `launcher` so that its program's output goes to whittle.
    pub(crate) fn start(pattern: &MetricPattern, launcher: &mut Command) -> io::Result<Self> {
        let values = Arc::default();
        let mut captured = Self { streams: Vec::new(), values };
        launcher.stdout(captured.add_stream(pattern, io::stdout())?);
        launcher.stderr(captured.add_stream(pattern, io::stderr())?);
        Ok(captured)
    }

    /// Starts the thread that passes one stream on to `sink`. Returns the program's end of the pipe.
    fn add_stream(&mut self, pattern: &MetricPattern, sink: impl AsFd + Send + 'static) -> io::Result<PipeWriter> {
        let (source, of_program) = io::pipe()?;
        let (stop, keep_going) = io::pipe()?;
        let values = Arc::clone(&self.values);
        let lines = Lines::new(pattern.clone());
        let mut stream = Stream { source, sink, stop, lines, values, passed_bytes: 0 };
        let thread = std::thread::Builder::new().name("program output".to_owned()).spawn(move || stream.pass_on())?;
        self.streams.push((keep_going, thread));
        Ok(of_program)
    }

    /// The values since the last call, in the order of their lines within each stream.
    pub(crate) fn take_values(&self) -> Vec<PrintedValue> {
        std::mem::take(&mut self.values().new)
    }

    /// Work that the program printed: the last value of every counter with a name that ends in `_count`.
    pub(crate) fn units_of_work(&self) -> Vec<UnitOfWork> {
        let unit = |(counter, amount): (&String, &f64)| {
            let name = counter.strip_suffix("_count")?.to_owned();
            Some(UnitOfWork { name, amount: *amount, source: "printed by the program".to_owned() })
        };
        self.values().last.iter().filter_map(unit).collect()
    }

    /// Number of values that were dropped because they were not taken in time.
    pub(crate) fn dropped_count(&self) -> u64 {
        self.values().dropped_count
    }

    /// Passes on the rest of the program's output. Call this after the program's end. Returns after at most a second,
    /// unless whittle's output takes longer.
    pub(crate) fn finish(&mut self) {
        let streams = std::mem::take(&mut self.streams);
        let (keep_going, threads): (Vec<_>, Vec<_>) = streams.into_iter().unzip();
        drop(keep_going);
        for thread in threads {
            // A panic of the thread was already printed. Earlier values are still available.
            let _ = thread.join();
        }
    }

    fn values(&self) -> MutexGuard<'_, Values> {
        self.values.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Values {
    fn add(&mut self, value: PrintedValue) {
        self.last.insert(value.counter.clone(), value.value);
        if self.new.len() < MAX_VALUES {
            self.new.push(value);
        } else {
            self.dropped_count += 1;
        }
    }
}

/// One stream of the program, on its way through whittle.
#[derive(Debug)]
struct Stream<S> {
    source: PipeReader,
    sink: S,
    /// Closed when the program has ended.
    stop: PipeReader,
    lines: Lines,
    values: Arc<Mutex<Values>>,
    passed_bytes: u64,
}

/// The remaining output after the program's end.
#[derive(Debug, Clone, Copy)]
struct Rest {
    /// Number of bytes after which all output of the program itself has been passed on.
    own_bytes: u64,
    deadline: Instant,
}

impl<S: AsFd> Stream<S> {
    /// Passes on output until the end of the stream. If whittle's output is closed, the program's output is also
    /// closed. So the program gets the same error as without whittle.
    fn pass_on(&mut self) {
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut rest = None;
        while let Some(is_readable) = self.wait(&mut rest) {
            if !is_readable {
                continue;
            }
            let count = match self.source.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            let monotonic_ns = host::monotonic_ns();
            if write_all(&self.sink, &buffer[..count]).is_err() {
                break;
            }
            self.passed_bytes += count as u64;
            self.look_at(&buffer[..count], monotonic_ns);
        }
        let found = self.lines.finish();
        self.add(found, host::monotonic_ns());
    }

    /// Waits for more output or for the program's end. None: no more output can arrive.
    fn wait(&self, rest: &mut Option<Rest>) -> Option<bool> {
        let timeout = match *rest {
            None => None,
            Some(rest) => {
                let left = rest.deadline.saturating_duration_since(Instant::now());
                if left.is_zero() && self.passed_bytes >= rest.own_bytes {
                    return None;
                }
                Some(left)
            }
        };
        let mut sources = [PollFd::new(&self.source, PollFlags::IN), PollFd::new(&self.stop, PollFlags::IN)];
        let waits_for_end = rest.is_none();
        let watched = if waits_for_end { &mut sources[..] } else { &mut sources[..1] };
        let timeout = timeout.and_then(|left| Timespec::try_from(left).ok());
        if poll(watched, timeout.as_ref()).is_err() {
            return Some(false);
        }
        let [source, stop] = sources.map(|source| !source.revents().is_empty());
        if waits_for_end && stop {
            let in_pipe = rustix::io::ioctl_fionread(&self.source).unwrap_or(0);
            *rest = Some(Rest { own_bytes: self.passed_bytes + in_pipe, deadline: Instant::now() + PATIENCE });
        }
        Some(source)
    }

    fn look_at(&mut self, bytes: &[u8], monotonic_ns: u64) {
        let found = self.lines.take(bytes);
        self.add(found, monotonic_ns);
    }

    fn add(&self, found: Vec<(String, f64)>, monotonic_ns: u64) {
        if found.is_empty() {
            return;
        }
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        for (counter, value) in found {
            values.add(PrintedValue { monotonic_ns, counter, value });
        }
    }
}

/// Writes all bytes, even if the output is non-blocking.
fn write_all(sink: &impl AsFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(sink, bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => bytes = &bytes[count..],
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                let _ = poll(&mut [PollFd::new(sink, PollFlags::OUT)], None);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
