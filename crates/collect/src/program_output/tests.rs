//! Tests with programs that print. Their output passes through to a pipe, which replaces whittle's output.

use super::*;
use std::io::Write;
use std::process::{Child, Stdio};

/// A running program. Its output goes to `ours` instead of the output of this process.
struct Run {
    captured: CapturedOutput,
    child: Child,
}

fn start(script: &str, pattern: &str) -> (Run, PipeReader) {
    let pattern = MetricPattern::parse(pattern).unwrap();
    let (ours, sink) = io::pipe().unwrap();
    let mut captured = CapturedOutput { streams: Vec::new(), values: Arc::default() };
    let mut command = Command::new("bash");
    command.args(["-c", script]).stdin(Stdio::null());
    command.stdout(captured.add_stream(&pattern, sink).unwrap());
    let child = command.spawn().unwrap();
    (Run { captured, child }, ours)
}

impl Run {
    /// Waits for the program, then for its output. Returns the time between the two ends.
    fn finish(&mut self) -> Duration {
        self.child.wait().unwrap();
        let ended = Instant::now();
        self.captured.finish();
        ended.elapsed()
    }
}

fn read_all(mut ours: PipeReader) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        ours.read_to_end(&mut bytes).unwrap();
        bytes
    })
}

#[test]
fn every_byte_passes_and_numbers_are_found() {
    let script =
        r"printf 'rate 1,000.5/s\n\xff\x00binary'; head -c 3000000 /dev/zero; printf '\ndone 12 documents\nrate 7/s'";
    let before_ns = host::monotonic_ns();
    let (mut run, ours) = start(script, r"rate (?<rate>[\d.,]+)/s|(?<documents_count>\d+) documents");
    let bytes = read_all(ours);
    assert!(run.finish() < PATIENCE);
    let expected = [b"rate 1,000.5/s\n\xff\0binary".as_slice(), &[0; 3_000_000], b"\ndone 12 documents\nrate 7/s"];
    assert!(bytes.join().unwrap() == expected.concat());
    let values = run.captured.take_values();
    let found: Vec<_> = values.iter().map(|value| (value.counter.as_str(), value.value)).collect();
    assert_eq!(found, [("rate", 1000.5), ("documents_count", 12.0), ("rate", 7.0)]);
    assert!(values.iter().all(|value| (before_ns..host::monotonic_ns()).contains(&value.monotonic_ns)));
    assert!(values.is_sorted_by_key(|value| value.monotonic_ns));
    assert!(run.captured.take_values().is_empty());
    let units = run.captured.units_of_work();
    assert_eq!(units.iter().map(|unit| (unit.name.as_str(), unit.amount)).collect::<Vec<_>>(), [("documents", 12.0)]);
}

#[test]
fn output_passes_as_it_comes_not_in_blocks() {
    let (mut run, mut ours) = start("printf a; sleep 0.5; printf b; exec sleep 30", "(?<n>x)");
    let mut byte = [0];
    let started = Instant::now();
    ours.read_exact(&mut byte).unwrap();
    ours.read_exact(&mut byte).unwrap();
    assert_eq!(&byte, b"b");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    run.child.kill().unwrap();
    run.finish();
}

#[test]
fn a_process_that_holds_the_pipe_does_not_hold_us() {
    let (mut run, ours) = start("sleep 60 & echo $! last", r"(?<pid>\d+) last");
    let bytes = read_all(ours);
    let took = run.finish();
    assert!((PATIENCE..PATIENCE * 5).contains(&took), "{took:?}");
    let pid = run.captured.take_values()[0].value;
    assert_eq!(bytes.join().unwrap(), format!("{pid} last\n").into_bytes());
    let status = Command::new("kill").arg(pid.to_string()).status().unwrap();
    assert!(status.success());
}

/// The output that is still in the pipe at the program's end is passed on, even to a slow reader.
#[test]
fn the_last_output_is_not_lost_on_a_slow_reader() {
    let (mut run, mut ours) = start("head -c 100000 /dev/zero; echo last 1; sleep 60 & echo $! pid", r"(?<n>\d+) pid");
    let reader = std::thread::spawn(move || {
        std::thread::sleep(PATIENCE * 2);
        let mut bytes = Vec::new();
        ours.read_to_end(&mut bytes).unwrap();
        bytes
    });
    run.finish();
    let values = run.captured.take_values();
    let pid = values[0].value.to_string();
    Command::new("kill").arg(&pid).status().unwrap();
    let bytes = reader.join().unwrap();
    assert_eq!(bytes.len(), 100_000 + format!("last 1\n{pid} pid\n").len());
}

#[test]
fn a_program_whose_output_nobody_reads_any_more_learns_it() {
    let (mut run, ours) = start("trap '' PIPE; while echo y; do :; done 2>/dev/null; exit 7", "(?<n>x)");
    drop(ours);
    assert_eq!(run.child.wait().unwrap().code(), Some(7));
    run.captured.finish();
}

#[test]
fn values_that_nobody_takes_do_not_fill_the_memory() {
    let mut values = Values::default();
    for number in 0..MAX_VALUES as u64 + 5 {
        let (counter, value) = ("n".to_owned(), number as f64);
        values.add(PrintedValue { monotonic_ns: number, counter, value });
    }
    assert_eq!((values.new.len(), values.dropped_count), (MAX_VALUES, 5));
    assert_eq!(values.last["n"], MAX_VALUES as f64 + 4.0);
}

#[test]
fn an_output_that_is_full_and_returns_at_once_gets_everything() {
    let (ours, sink) = io::pipe().unwrap();
    rustix::io::ioctl_fionbio(&sink, true).unwrap();
    let bytes = read_all(ours);
    let text = vec![b'x'; 1_000_000];
    write_all(&sink, &text).unwrap();
    drop(sink);
    assert!(bytes.join().unwrap() == text);
    let (ours, mut sink) = io::pipe().unwrap();
    drop(ours);
    assert!(sink.write(b"x").is_err() && write_all(&sink, b"x").is_err());
}
