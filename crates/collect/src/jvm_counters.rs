//! HotSpot's own counters: garbage collection, heap, safepoints, classes, compilation, threads.
//!
//! Whittle reads the counters from the same file as `jstat`, without a request to the JVM. The JVM updates heap sizes
//! during garbage collections. Only some collectors also update heap sizes at other times, so heap sizes can be old.
//! Collectors count pauses. ZGC counts its short pauses, and Shenandoah counts whole cycles. The file is missing if a
//! JVM has the flag `-XX:-UsePerfData` or cannot write to its `/tmp`.

use crate::hand::{TargetFile, World};
use crate::perf_memory;
use crate::process::Process;
use whittle_native::ReadAt;

/// The folder of the JVM's file: `/tmp/hsperfdata_USER/PID`.
const FOLDER_PREFIX: &str = "hsperfdata_";
/// Maximum size of the file. The JVM's default is 32 KiB (`-XX:PerfDataMemorySize`).
const MAX_BYTES: u64 = 1 << 20;

/// The counters of one JVM.
#[derive(Debug)]
pub(crate) struct JvmCounters {
    file: TargetFile,
    bytes: Vec<u8>,
}

/// The values at one time. Counts and times begin at 0 when the JVM starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct JvmFigures {
    /// Garbage collections of all collectors. Missing: the JVM does not report this value.
    pub(crate) gc_count: Option<u64>,
    /// Elapsed time of these collections. Missing: the JVM does not report this value.
    pub(crate) gc_ns: Option<u64>,
    /// CPU time of the garbage collector's threads. Missing: this collector, or JDK 21 and earlier, does not report the
    /// time.
    pub(crate) gc_cpu_ns: Option<u64>,
    /// Used heap after the last collection. Missing: the JVM does not report this value.
    pub(crate) heap_used_bytes: Option<u64>,
    /// Present size of the heap. Missing: the JVM does not report this value.
    pub(crate) heap_capacity_bytes: Option<u64>,
    /// How often all Java threads were stopped. Missing: the JVM does not report this value.
    pub(crate) safepoint_count: Option<u64>,
    /// Total time in which all Java threads were stopped. Missing: the JVM does not report this value.
    pub(crate) safepoint_ns: Option<u64>,
    /// Number of loaded classes. Missing: the JVM does not report this value.
    pub(crate) class_count: Option<u64>,
    /// Total time in which threads loaded classes. Missing: the JVM does not report this value.
    pub(crate) class_loading_ns: Option<u64>,
    /// Time that compiler threads spent on compiling. Missing: the JVM does not report this value.
    pub(crate) compilation_ns: Option<u64>,
    /// Present number of Java threads. Missing: the JVM does not report this value.
    pub(crate) thread_count: Option<u64>,
}

impl JvmCounters {
    /// Opens the counters of a JVM. None: the JVM has no counters, or has not created them yet.
    pub(crate) fn open(process: Process) -> Option<Self> {
        let pid = process.status().ok()?.namespaced_pid;
        let world = World::of(process).ok()?;
        let names = world.names_in("/tmp", FOLDER_PREFIX).into_iter();
        // An earlier process with this id may have left its file in another user's folder.
        let mut files = names.filter_map(|name| world.open(&format!("/tmp/{name}/{pid}")).ok());
        Some(Self { file: files.find(TargetFile::is_own)?, bytes: Vec::new() })
    }

    /// True if the JVM has started completely and runs Java code.
    pub(crate) fn is_started(&mut self) -> bool {
        self.read_bytes().and_then(|()| perf_memory::parse_numbers(&self.bytes)).is_some_and(|numbers| {
            numbers.into_iter().any(|(name, value)| name == "sun.rt.createVmEndTime" && value > 0)
        })
    }

    /// Reads the present values, or the last values if the JVM has ended. None: the values cannot be read.
    pub(crate) fn read(&mut self) -> Option<JvmFigures> {
        self.read_bytes()?;
        JvmFigures::parse(&self.bytes)
    }

    fn read_bytes(&mut self) -> Option<()> {
        let size = self.file.size().ok()?.min(MAX_BYTES);
        self.bytes.resize(usize::try_from(size).ok()?, 0);
        self.file.read_exact_at(&mut self.bytes, 0).ok()
    }
}

/// The raw values: times in the JVM's ticks, ticks per second, and classes that were unloaded.
#[derive(Debug, Default)]
struct Parts {
    ticks_per_second: Option<u64>,
    gc_ticks: Option<u64>,
    safepoint_ticks: Option<u64>,
    class_loading_ticks: Option<u64>,
    compilation_ticks: Option<u64>,
    unloaded_class_count: u64,
}

impl JvmFigures {
    /// Reads the bytes of the file. None: the bytes are not the counters of a JVM on this machine.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let (mut figures, mut parts) = (Self::default(), Parts::default());
        for (name, value) in perf_memory::parse_numbers(bytes)? {
            figures.take(name, value, &mut parts);
        }
        let ns = |ticks: Option<u64>| to_ns(ticks?, parts.ticks_per_second?);
        Some(Self {
            gc_ns: ns(parts.gc_ticks),
            safepoint_ns: ns(parts.safepoint_ticks),
            class_loading_ns: ns(parts.class_loading_ticks),
            compilation_ns: ns(parts.compilation_ticks),
            class_count: figures.class_count.map(|loaded| loaded.saturating_sub(parts.unloaded_class_count)),
            ..figures
        })
    }

    fn take(&mut self, name: &str, value: u64, parts: &mut Parts) {
        let sum = |total: &mut Option<u64>| *total = Some(total.unwrap_or(0).saturating_add(value));
        match name {
            "sun.os.hrt.frequency" => parts.ticks_per_second = Some(value).filter(|ticks| *ticks > 0),
            "sun.rt.safepoints" => self.safepoint_count = Some(value),
            "sun.rt.safepointTime" => parts.safepoint_ticks = Some(value),
            "sun.cls.time" => parts.class_loading_ticks = Some(value),
            "java.ci.totalTime" => parts.compilation_ticks = Some(value),
            "java.threads.live" => self.thread_count = Some(value),
            // The value is already in nanoseconds. Collectors without this counter leave its value at 0.
            "sun.threads.total_gc_cpu_time" => self.gc_cpu_ns = Some(value).filter(|value| *value > 0),
            "java.cls.loadedClasses" | "java.cls.sharedLoadedClasses" => sum(&mut self.class_count),
            "java.cls.unloadedClasses" | "java.cls.sharedUnloadedClasses" => {
                parts.unloaded_class_count = parts.unloaded_class_count.saturating_add(value);
            }
            _ => match GcCounter::of(name) {
                Some(GcCounter::Invocations) => sum(&mut self.gc_count),
                Some(GcCounter::Time) => sum(&mut parts.gc_ticks),
                Some(GcCounter::SpaceUsed) => sum(&mut self.heap_used_bytes),
                Some(GcCounter::SpaceCapacity) => sum(&mut self.heap_capacity_bytes),
                None => {}
            },
        }
    }

    /// Name and value of each known counter, for the counters table. Times are in nanoseconds.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let figures = [
            ("gc_count", self.gc_count),
            ("gc_ns", self.gc_ns),
            ("gc_cpu_ns", self.gc_cpu_ns),
            ("heap_used_bytes", self.heap_used_bytes),
            ("heap_capacity_bytes", self.heap_capacity_bytes),
            ("safepoint_count", self.safepoint_count),
            ("safepoint_ns", self.safepoint_ns),
            ("class_count", self.class_count),
            ("class_loading_ns", self.class_loading_ns),
            ("compilation_ns", self.compilation_ns),
            ("thread_count", self.thread_count),
        ];
        figures.into_iter().filter_map(|(name, value)| Some((name, value? as f64)))
    }

    /// Number and elapsed time of garbage collections since `first`.
    pub(crate) fn gc_since(&self, first: &Self) -> (Option<u64>, Option<u64>) {
        let growth = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then.unwrap_or(0)));
        (growth(self.gc_count, first.gc_count), growth(self.gc_ns, first.gc_ns))
    }
}

fn to_ns(ticks: u64, per_second: u64) -> Option<u64> {
    u64::try_from(u128::from(ticks) * 1_000_000_000 / u128::from(per_second)).ok()
}

/// The meaning of a counter for a collector or a heap space.
enum GcCounter {
    Invocations,
    Time,
    SpaceUsed,
    SpaceCapacity,
}

impl GcCounter {
    /// The meaning of a counter with a name such as `sun.gc.collector.0.time` or `sun.gc.generation.1.space.0.used`.
    fn of(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.strip_prefix("sun.gc.")?.split('.').collect();
        match parts[..] {
            ["collector", _, "invocations"] => Some(Self::Invocations),
            ["collector", _, "time"] => Some(Self::Time),
            ["generation", _, "space", _, "used"] => Some(Self::SpaceUsed),
            ["generation", _, "space", _, "capacity"] => Some(Self::SpaceCapacity),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf_memory::tests::performance_memory;
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};

    #[test]
    fn every_figure_is_known_as_a_counter_of_ours() {
        let all = Some(1);
        let figures = JvmFigures {
            gc_count: all,
            gc_ns: all,
            gc_cpu_ns: all,
            heap_used_bytes: all,
            heap_capacity_bytes: all,
            safepoint_count: all,
            safepoint_ns: all,
            class_count: all,
            class_loading_ns: all,
            compilation_ns: all,
            thread_count: all,
        };
        for (name, _) in figures.named() {
            assert!(whittle_model::SYSTEM_COUNTERS.contains(&name), "{name}");
        }
    }

    #[test]
    fn figures_are_added_up_over_collectors_and_spaces() {
        let bytes = performance_memory(&[
            ("sun.gc.collector.0.invocations", 10),
            ("sun.gc.collector.1.invocations", 2),
            ("sun.gc.collector.0.time", 3000),
            ("sun.gc.collector.1.time", 500),
            ("sun.os.hrt.frequency", 1_000_000),
            ("sun.gc.generation.0.space.0.used", 100),
            ("sun.gc.generation.1.space.0.used", 20),
            ("sun.gc.generation.1.space.0.maxCapacity", 999),
            ("sun.gc.generation.1.space.0.capacity", 400),
            ("java.cls.unloadedClasses", 7),
            ("java.cls.loadedClasses", 50),
            ("java.cls.sharedLoadedClasses", 30),
            ("java.threads.live", 5),
            ("sun.threads.total_gc_cpu_time", 0),
        ]);
        let figures = JvmFigures::parse(&bytes).unwrap();
        let expected = JvmFigures {
            gc_count: Some(12),
            gc_ns: Some(3_500_000),
            heap_used_bytes: Some(120),
            heap_capacity_bytes: Some(400),
            class_count: Some(73),
            thread_count: Some(5),
            ..JvmFigures::default()
        };
        assert_eq!(figures, expected);
        let first = JvmFigures { gc_count: Some(2), ..JvmFigures::default() };
        assert_eq!(figures.gc_since(&first), (Some(10), Some(3_500_000)));
        let names: Vec<_> = figures.named().map(|(name, _)| name).collect();
        assert_eq!(names.len(), 6, "{names:?}");
    }

    const PROGRAM: &str = "import java.lang.management.*;
        public class Garbage {
            static volatile Object sink;
            public static void main(String[] arguments) throws Exception {
                for (int i = 0; i < 300_000; i++) sink = new byte[2000];
                System.gc();
                long count = 0, millis = 0;
                for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
                    count += bean.getCollectionCount(); millis += bean.getCollectionTime();
                }
                System.out.println(count + \" \" + millis + \" \" + ManagementFactory.getThreadMXBean().getThreadCount()
                    + \" \" + ManagementFactory.getClassLoadingMXBean().getLoadedClassCount());
                System.in.read();
            }
        }";

    struct Program {
        child: Child,
        _folder: tempfile::TempDir,
    }

    impl Drop for Program {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    /// Starts the program. Returns its output.
    fn start(java: &std::path::Path, flags: &[&str]) -> (Program, Vec<u64>) {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Garbage.java"), PROGRAM).unwrap();
        let mut command = Command::new(java);
        command.arg("-Xmx64m").args(flags).arg("Garbage.java").current_dir(folder.path());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let figures = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        (Program { child, _folder: folder }, figures)
    }

    #[test]
    fn figures_are_those_that_java_sees_itself() {
        for jdk in whittle_testkit::jdks() {
            for collector in ["-XX:+UseG1GC", "-XX:+UseSerialGC", "-XX:+UseParallelGC"] {
                let (mut program, own) = start(&jdk.java(), &[collector]);
                let mut counters = JvmCounters::open(Process(program.child.id())).expect("figures");
                let figures = counters.read().expect("readable figures");
                let [gc_count, gc_ms, threads, classes] = own[..] else { panic!("{own:?}") };
                let case = format!("JDK {} {collector}: {figures:?}, Java: {own:?}", jdk.version);
                assert_eq!(figures.gc_count, Some(gc_count), "{case}");
                // Java adds up whole milliseconds, and starts to measure a little later.
                let gc_ns = figures.gc_ns.unwrap();
                assert!(gc_ns.abs_diff(gc_ms * 1_000_000) < 2_000_000 * gc_count + 20_000_000, "{case}");
                assert_eq!(figures.thread_count, Some(threads), "{case}");
                assert!(figures.class_count.unwrap().abs_diff(classes) < 100, "{case}");
                assert!((1 << 20..=64 << 20).contains(&figures.heap_capacity_bytes.unwrap()), "{case}");
                assert!(figures.heap_used_bytes.unwrap() <= figures.heap_capacity_bytes.unwrap(), "{case}");
                assert!(figures.safepoint_ns.unwrap() >= gc_ns / 2, "{case}");
                // The last values remain readable after the program and its file are gone.
                program.child.kill().unwrap();
                program.child.wait().unwrap();
                assert_eq!(counters.read().unwrap().gc_count, Some(gc_count));
            }
        }
    }

    #[test]
    fn other_collectors_fill_what_they_can() {
        for jdk in whittle_testkit::jdks() {
            let (program, _) = start(&jdk.java(), &["-XX:+UseZGC"]);
            let figures =
                JvmCounters::open(Process(program.child.id())).and_then(|mut counters| counters.read()).unwrap();
            assert!(figures.gc_count > Some(0) && figures.gc_ns > Some(0), "JDK {}: {figures:?}", jdk.version);
            assert!(figures.heap_capacity_bytes > Some(0), "JDK {}: {figures:?}", jdk.version);
        }
    }

    #[test]
    fn a_jvm_without_performance_memory_has_no_figures() {
        let Some(jdk) = whittle_testkit::any_jdk() else { return };
        let (program, _) = start(&jdk.java(), &["-XX:-UsePerfData"]);
        assert!(JvmCounters::open(Process(program.child.id())).is_none());
        assert!(JvmCounters::open(Process(0x3fff_ffff)).is_none());
    }
}
