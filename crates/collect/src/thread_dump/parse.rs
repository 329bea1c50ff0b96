//! Parses the text of a thread dump, as `jstack` prints it. No I/O.
//!
//! ```text
//! "main" #1 prio=5 os_prio=0 cpu=33.40ms elapsed=2.35s tid=0x00007f16ec017eb0 nid=0x3f3 waiting on condition [...]
//!    java.lang.Thread.State: TIMED_WAITING (sleeping)
//!         at java.lang.Thread.sleep(java.base@17.0.15/Native Method)
//!         - locked <0x000000069ec02f40> (a java.lang.Object)
//!         at app.Main.main(Main.java:2)
//!
//! "worker" #15 prio=5 os_prio=0 cpu=1.10ms elapsed=2.20s tid=0x00007f16ec19a0f0 nid=0x40a waiting for monitor entry [...]
//!    java.lang.Thread.State: BLOCKED (on object monitor)
//!         at app.Main.work(Main.java:9)
//!         - waiting to lock <0x000000069ec02f40> (a java.lang.Object)
//! ```
//!
//! `nid` is the thread id of the operating system. The id is hexadecimal with `0x` until JDK 18, and decimal since
//! then. In JDK 21 and later, the id is also in brackets after the thread's number. If a thread carries a virtual
//! thread, the id is only in brackets. Then the frames of the virtual thread follow the frames of the carrier.

use std::collections::HashSet;

/// The class of `wait`.
const OBJECT: &str = "java.lang.Object";

/// A thread of the dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DumpedThread<'a> {
    /// The id in the JVM's pid namespace.
    pub(super) thread_id: u32,
    /// The whole name. Empty if the name contains the end of a line.
    pub(super) name: &'a str,
    /// Empty for threads without Java frames, such as the JVM's own threads.
    pub(super) frames_leaf_first: Vec<DumpedFrame<'a>>,
    /// The address of the object whose monitor the thread waits for.
    pub(super) waits_for: Option<u64>,
    /// The monitors that the thread holds.
    pub(super) holds: Vec<Held>,
}

/// A monitor that a thread holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Held {
    /// The object's address.
    pub(super) address: u64,
    /// The number of frames above that of the method that took the monitor.
    pub(super) frames_above: usize,
}

/// One frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DumpedFrame<'a> {
    /// The class name, with dots between packages. The number of a hidden class follows a `/`.
    pub(super) class: &'a str,
    pub(super) method: &'a str,
    /// The source file. Missing: the class file does not contain its name, or the method is native.
    pub(super) file: Option<&'a str>,
    pub(super) line: Option<u32>,
    pub(super) is_native: bool,
}

/// All threads with an id. Unknown lines are ignored.
pub(super) fn parse(text: &str) -> Vec<DumpedThread<'_>> {
    let mut threads: Vec<OpenThread<'_>> = Vec::new();
    for line in text.lines() {
        if line.starts_with('"') {
            let (name, behind_name) = name_and_rest(line);
            threads.push(OpenThread { name, thread_id: parse_thread_id(behind_name), ..OpenThread::default() });
            continue;
        }
        let Some(thread) = threads.last_mut() else { continue };
        let line = line.trim_start();
        if let Some(frame) = line.strip_prefix("at ").and_then(parse_frame) {
            thread.frames.push(frame);
        } else if line.starts_with("Mounted virtual thread") {
            thread.carrier_frames = std::mem::take(&mut thread.frames);
            // The numbers of their frames change. The JDK holds no monitor while a virtual thread executes.
            thread.locked.clear();
        } else if let Some(line) = line.strip_prefix("- ") {
            thread.add_monitor(line);
        } else if let Some(state) = line.strip_prefix("java.lang.Thread.State: ") {
            thread.is_blocked = state.starts_with("BLOCKED");
        }
    }
    threads.into_iter().filter_map(OpenThread::finish).collect()
}

#[derive(Debug, Default)]
struct OpenThread<'a> {
    name: &'a str,
    thread_id: Option<u32>,
    frames: Vec<DumpedFrame<'a>>,
    /// The frames of the carrier, if the thread carries a virtual thread. The frames of the carrier are below all other
    /// frames.
    carrier_frames: Vec<DumpedFrame<'a>>,
    /// The thread needs a monitor. JDK 11 also writes "waiting to re-lock" for threads that nobody has notified yet.
    is_blocked: bool,
    waits_for: Option<u64>,
    locked: Vec<Held>,
    /// Objects whose monitors `Object.wait` has given back. The dump also calls them locked.
    given_back: HashSet<u64>,
}

impl<'a> OpenThread<'a> {
    /// Takes a line about a monitor. The dash is already removed.
    fn add_monitor(&mut self, line: &str) {
        if let Some(address) = line.strip_prefix("locked <").and_then(parse_address) {
            self.locked.push(Held { address, frames_above: self.frames.len().saturating_sub(1) });
        } else if let Some(address) = line.strip_prefix("waiting on <").and_then(parse_address) {
            self.given_back.insert(address);
        } else if let Some(address) = line.strip_prefix("waiting to lock <").and_then(parse_address) {
            self.waits_for = Some(address).filter(|_| self.is_blocked);
        } else if let Some(address) = line.strip_prefix("waiting to re-lock in wait() <").and_then(parse_address) {
            self.waits_for = Some(address).filter(|_| self.is_blocked);
            self.given_back.insert(address);
        }
    }

    fn finish(mut self) -> Option<DumpedThread<'a>> {
        self.frames.append(&mut self.carrier_frames);
        // `Object.wait` has given one monitor back. If the dump does not say which one, no monitor of the thread is known to be held.
        let is_waiting =
            self.frames.first().is_some_and(|leaf| leaf.class == OBJECT && leaf.method.starts_with("wait"));
        if is_waiting && self.given_back.is_empty() {
            self.locked.clear();
        }
        let Self { waits_for, given_back, .. } = &self;
        let is_held = |held: &Held| *waits_for != Some(held.address) && !given_back.contains(&held.address);
        Some(DumpedThread {
            thread_id: self.thread_id?,
            name: self.name,
            waits_for: self.waits_for,
            holds: self.locked.iter().copied().filter(is_held).collect(),
            frames_leaf_first: self.frames,
        })
    }
}

/// Parses `0x000000069ec02f40> (a java.lang.Object)`.
fn parse_address(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?.split('>').next()?, 16).ok()
}

/// The name and the other text in the first line of a thread. The name is in quotes and can contain any text, also
/// quotes.
fn name_and_rest(line: &str) -> (&str, &str) {
    line.strip_prefix('"').and_then(|line| line.rsplit_once('"')).unwrap_or_default()
}

/// The thread id in the text behind a thread's name.
fn parse_thread_id(behind_name: &str) -> Option<u32> {
    let mut words = behind_name.split_whitespace();
    let native_id = words.clone().find_map(|word| word.strip_prefix("nid="));
    if let Some(id) = native_id {
        return id.strip_prefix("0x").map_or_else(|| id.parse(), |id| u32::from_str_radix(id, 16)).ok();
    }
    // The stack's address is also in brackets, but is not a number.
    words.find_map(|word| word.strip_prefix('[')?.strip_suffix(']')?.parse().ok())
}

/// Parses `java.lang.Thread.sleep(java.base@17.0.15/Native Method)`. The `at` is already removed.
fn parse_frame(text: &str) -> Option<DumpedFrame<'_>> {
    let (name, place) = text.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let (class, method) = name.rsplit_once('.')?;
    // The module comes before a slash, and file names have no slash.
    let place = place.rsplit('/').next()?;
    let (file, line) = match place.rsplit_once(':') {
        Some((file, line)) => (Some(file), line.parse().ok()),
        None if matches!(place, "Native Method" | "Unknown Source" | "Redefined") => (None, None),
        None => (Some(place), None),
    };
    let is_frame = !class.is_empty() && !method.is_empty();
    is_frame.then_some(DumpedFrame { class, method, file, line, is_native: place == "Native Method" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str) -> String {
        let mut lines = Vec::new();
        for thread in parse(text) {
            lines.push(format!("{} {}:", thread.thread_id, thread.name));
            for frame in thread.frames_leaf_first {
                let native = if frame.is_native { " native" } else { "" };
                let (file, line) =
                    (frame.file.unwrap_or("-"), frame.line.map_or("-".to_owned(), |line| line.to_string()));
                lines.push(format!("{} {} {file} {line}{native}", frame.class, frame.method));
            }
        }
        lines.join("\n")
    }

    #[test]
    fn jdk_17() {
        let text = "2026-11-21 13:20:58
Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6-Debian-1deb12u1 mixed mode, sharing):

_java_thread_list=0x00007f165c001f70, length=14, elements={
0x00007f16ec017eb0
}

\"main\" #1 prio=5 os_prio=0 cpu=33.40ms elapsed=2.35s tid=0x00007f16ec017eb0 nid=0x3f3 waiting on condition  [0x00007f16f43fe000]
   java.lang.Thread.State: TIMED_WAITING (sleeping)
\tat java.lang.Thread.sleep(java.base@17.0.15/Native Method)
\t- locked <0x000000069ec02f40> (a java.lang.Object)
\tat V$$Lambda$14/0x0000000800c03000.run(Unknown Source)
\tat app.Main.<init>(app@1.0/Main.java)
\tat app.Main.main(app/Main.java:2)

\"wait \"er\" nid=0x99 #1\" #12 daemon tid=0x00007f16ec0f83a0 nid=0xfFA runnable  [0x00007f16f0f7a000]
   java.lang.Thread.State: RUNNABLE
\tat V.over(V.java:4)

\"C2 CompilerThread0\" #7 daemon prio=9 os_prio=0 cpu=2.91ms tid=0x00007f16ec105380 nid=0x3ff waiting on condition  [0x0000000000000000]
   java.lang.Thread.State: RUNNABLE
   No compile task

JNI global refs: 7, weak refs: 0
";
        let expected = "1011 main:
java.lang.Thread sleep - - native
V$$Lambda$14/0x0000000800c03000 run - -
app.Main <init> Main.java -
app.Main main Main.java 2
4090 wait \"er\" nid=0x99 #1:
V over V.java 4
1023 C2 CompilerThread0:";
        assert_eq!(drawn(text), expected);
    }

    #[test]
    fn jdk_25_with_a_virtual_thread_on_its_carrier() {
        let text = "
\"locker\" #25 [1115] prio=5 os_prio=0 cpu=0.24ms elapsed=2.23s tid=0x00007f02640eb190 nid=1115 waiting on condition  [0x00007f020bffe000]
   java.lang.Thread.State: WAITING (parking)
\tat jdk.internal.misc.Unsafe.park(java.base@25.0.3/Native Method)

\"ForkJoinPool-1-worker-1\" #24 [1114] daemon prio=5 os_prio=0 cpu=0.79ms elapsed=2.24s tid=0x00007f02640e9c80  [0x00007f02440fd000]
   Carrying virtual thread #23
\tat jdk.internal.vm.Continuation.run(java.base@25.0.3/Continuation.java:251)
\tat java.util.concurrent.ForkJoinWorkerThread.run(java.base@25.0.3/ForkJoinWorkerThread.java:187)
   Mounted virtual thread #23
\tat java.io.FileInputStream.readBytes(java.base@25.0.3/Native Method)
\tat jdk.internal.vm.Continuation.enter(java.base@25.0.3/Continuation.java:316)
";
        let expected = "1115 locker:
jdk.internal.misc.Unsafe park - - native
1114 ForkJoinPool-1-worker-1:
java.io.FileInputStream readBytes - - native
jdk.internal.vm.Continuation enter Continuation.java 316
jdk.internal.vm.Continuation run Continuation.java 251
java.util.concurrent.ForkJoinWorkerThread run ForkJoinWorkerThread.java 187";
        assert_eq!(drawn(text), expected);
    }

    /// `relocking` was notified, and needs the monitor again. `waiting`, `unknown` and `unnotified` have given their monitors back,
    /// although the dump says "locked"; of `unknown`, it does not say which one.
    #[test]
    fn monitors_have_one_holder() {
        let text = "
\"holding\" #9 nid=9 waiting on condition
\tat java.lang.Thread.sleep(java.base@17.0.15/Native Method)
\tat a.B.slow(B.java:2)
\t- locked <0x00000000f0000010> (a java.lang.Object)
\t- locked <0x00000000f0000020> (a a.C)
\"blocked\" #10 nid=10 waiting for monitor entry
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat a.B.fast(B.java:3)
\t- waiting to lock <0x00000000f0000010> (a java.lang.Object)
\t- locked <0x00000000f0000030> (a a.D)
\"waiting\" #11 nid=11 in Object.wait()
\tat java.lang.Object.wait(java.base@17.0.15/Native Method)
\t- waiting on <0x00000000f0000040> (a a.E)
\tat a.B.idle(B.java:4)
\t- locked <0x00000000f0000040> (a a.E)
\"relocking\" #12 nid=12 waiting for monitor entry
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat java.lang.Object.wait(java.base@17.0.15/Native Method)
\t- waiting on <no object reference available>
\tat a.B.idle(B.java:4)
\t- waiting to re-lock in wait() <0x00000000f0000020> (a a.C)
\t- locked <0x00000000f0000020> (a a.C)
\"unknown\" #13 nid=13 in Object.wait()
   java.lang.Thread.State: TIMED_WAITING (on object monitor)
\tat java.lang.Object.wait0(java.base@21.0.2/Native Method)
\t- waiting on <no object reference available>
\tat a.B.idle(B.java:4)
\t- locked <0x00000000f0000050> (a a.F)
\"unnotified\" #14 nid=14 in Object.wait()
   java.lang.Thread.State: WAITING (on object monitor)
\tat java.lang.Object.wait(java.base@11.0.20/Native Method)
\t- waiting on <no object reference available>
\tat a.B.idle(B.java:4)
\t- waiting to re-lock in wait() <0x00000000f0000060> (a a.G)
";
        let monitors: Vec<_> = parse(text).into_iter().map(|thread| (thread.waits_for, thread.holds)).collect();
        let held = |address, frames_above| Held { address, frames_above };
        let expected = [
            (None, vec![held(0xf000_0010, 1), held(0xf000_0020, 1)]),
            (Some(0xf000_0010), vec![held(0xf000_0030, 0)]),
            (None, vec![]),
            (Some(0xf000_0020), vec![]),
            (None, vec![]),
            (None, vec![]),
        ];
        assert_eq!(monitors, expected);
    }

    #[test]
    fn text_that_is_no_dump_gives_no_frames() {
        for text in [
            "",
            "\"",
            "\"x",
            "at a.b(c)",
            "\"x\" nid=zz\n\tat a.b(c.java:1)",
            "\"x\" nid=1\n\tat (",
            "\"x\" nid=1\n\tat .b()",
        ] {
            assert!(parse(text).iter().all(|thread| thread.frames_leaf_first.is_empty()), "{text:?}");
        }
    }
}
