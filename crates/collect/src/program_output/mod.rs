//! `--metric`: what a launched program prints passes through us unchanged, and numbers in it become counters.
//!
//! ```text
//! program ──stdout──> pipe ──> thread ──as it comes──> our stdout
//!                                 └── lines ──> pattern ──> values
//! program ──stderr──> the same, to our stderr
//! ```
//!
//! Bytes are passed on first and looked at then. Where our own output is slow, the program waits as at any pipe,
//! after 64 KiB. The two streams are passed on independently: their order towards each other is that of a pipe, not
//! exactly the program's. For the program its output is a pipe and no terminal, so nothing is captured unless a
//! pattern is given. Input is not touched.

mod lines;
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

/// What the kernel's pipes hold.
const BUFFER_BYTES: usize = 64 << 10;
/// How long the output stays open after the program's end: a process that it started can hold the pipe for ever.
/// What the program itself had printed is passed on however long that takes.
const PATIENCE: Duration = Duration::from_secs(1);
/// Values that wait to be taken; more are dropped and counted.
const MAX_VALUES: usize = 1 << 20;

/// The numbers in what a program has printed, found as in a collection.
#[derive(Debug, Clone)]
pub struct PrintedNumbers(MetricPattern);

impl PrintedNumbers {
    /// Reads the regular expression of `--metric`.
    ///
    /// # Errors
    /// It is none, or has no named group.
    pub fn new(pattern: &str) -> Result<Self, BadPattern> {
        MetricPattern::parse(pattern).map(Self)
    }

    /// Names of the groups, in the order of the pattern.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.names()
    }

    /// Names of groups and their numbers, in the order of the lines.
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
    /// When its line was complete, on CLOCK_MONOTONIC.
    pub(crate) monotonic_ns: u64,
    /// Name of the group in the pattern.
    pub(crate) counter: String,
    pub(crate) value: f64,
}

/// The output of a launched program, passing through. Dropped, it goes on passing until our own end.
#[derive(Debug)]
pub(crate) struct CapturedOutput {
    /// One for each stream; closing the pipe tells the thread that the program has ended.
    streams: Vec<(PipeWriter, JoinHandle<()>)>,
    values: Arc<Mutex<Values>>,
}

/// What was found so far.
#[derive(Debug, Default)]
struct Values {
    new: Vec<PrintedValue>,
    last: BTreeMap<String, f64>,
    dropped_count: u64,
}

impl CapturedOutput {
    /// Makes `launcher` start its program with its output going through us.
    pub(crate) fn start(pattern: &MetricPattern, launcher: &mut Command) -> io::Result<Self> {
        let values = Arc::default();
        let mut captured = Self { streams: Vec::new(), values };
        launcher.stdout(captured.add_stream(pattern, io::stdout())?);
        launcher.stderr(captured.add_stream(pattern, io::stderr())?);
        Ok(captured)
    }

    /// Starts the thread that passes one stream on to `sink`; what the program writes to.
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

    /// Work that the program said it did: the last value of every counter whose name ends in `_count`.
    pub(crate) fn units_of_work(&self) -> Vec<UnitOfWork> {
        let unit = |(counter, amount): (&String, &f64)| {
            let name = counter.strip_suffix("_count")?.to_owned();
            Some(UnitOfWork { name, amount: *amount, source: "printed by the program".to_owned() })
        };
        self.values().last.iter().filter_map(unit).collect()
    }

    /// Values that were not kept because nobody took them in time.
    pub(crate) fn dropped_count(&self) -> u64 {
        self.values().dropped_count
    }

    /// To be called when the program has ended: passes on the rest of its output. Returns a second later at most,
    /// unless our own output takes longer.
    pub(crate) fn finish(&mut self) {
        let streams = std::mem::take(&mut self.streams);
        let (keep_going, threads): (Vec<_>, Vec<_>) = streams.into_iter().unzip();
        drop(keep_going);
        for thread in threads {
            // A panic there was printed; what was found before is still there.
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

/// One stream of the program on its way.
#[derive(Debug)]
struct Stream<S> {
    source: PipeReader,
    sink: S,
    /// At its end when the program has ended.
    stop: PipeReader,
    lines: Lines,
    values: Arc<Mutex<Values>>,
    passed_bytes: u64,
}

/// What remains after the program's end.
#[derive(Debug, Clone, Copy)]
struct Rest {
    /// What it had printed is on its way when this many bytes have been passed on.
    own_bytes: u64,
    deadline: Instant,
}

impl<S: AsFd> Stream<S> {
    /// Until the end of the stream. If our own output is closed, the program's is closed as well, and it learns it
    /// as it would without us.
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

    /// Waits for more output or for the program's end; none: there is nothing more to wait for.
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

/// Writes everything, also to an output that somebody set to return at once when it is full.
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
