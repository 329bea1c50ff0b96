//! Compares imports of real recordings with the results of other tools.

use std::collections::BTreeMap;
use whittle_import::{
    CHUNK_HEADER_BYTES, ChunkExtent, CollapsedOptions, JfrImport, JfrImporter, JfrOptions, LeftOut, Producer,
    chunk_extent, import_collapsed, import_jfr,
};
use whittle_model::{CpuMode, EventKind, FrameKind, FunctionKind, LossReason, Table, TableBuilder, Tables};

const CPU: &[u8] = include_bytes!("../fixtures/async-profiler-cpu-jdk25.jfr");
const CTIMER: &[u8] = include_bytes!("../fixtures/async-profiler-ctimer-jdk17.jfr");
const ALLOC_LOCK_WALL: &[u8] = include_bytes!("../fixtures/async-profiler-alloc-lock-wall-jdk25.jfr");
const KILLED: &[u8] = include_bytes!("../fixtures/async-profiler-killed-jdk25.jfr");
const JDK_17: &[u8] = include_bytes!("../fixtures/jdk17.jfr");
const JDK_25: &[u8] = include_bytes!("../fixtures/jdk25.jfr");
const COLLAPSED: &str = include_str!("../fixtures/async-profiler-cpu-jdk25.collapsed");

fn import(bytes: &[u8]) -> (Tables, JfrImport) {
    let (tables, import) = import_jfr(bytes, JfrOptions::default()).expect("the fixture is a recording");
    tables.validate().expect("imported tables are valid");
    (tables, import)
}

/// Rows and sums of the weight columns for each event.
fn sums(tables: &Tables) -> String {
    let mut sums: BTreeMap<EventKind, [u64; 4]> = BTreeMap::new();
    let samples = &tables.samples;
    for row in 0..samples.len() {
        let [rows, count, duration_ns, bytes] = sums.entry(samples.event[row]).or_default();
        *rows += 1;
        *count += samples.count[row];
        *duration_ns += samples.duration_ns[row];
        *bytes += samples.bytes[row];
    }
    let line = |(event, [rows, count, ns, bytes]): (&EventKind, &[u64; 4])| {
        format!("{event}: {rows} rows, count {count}, {ns} ns, {bytes} bytes")
    };
    sums.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The most frequent leaf functions with their kind, as `rows kind name`.
fn top_leaf_functions(tables: &Tables, limit: usize) -> Vec<String> {
    let mut rows: BTreeMap<usize, u64> = BTreeMap::new();
    for stack in &tables.samples.stack {
        let frame = tables.stacks.frame[stack.row()];
        *rows.entry(tables.frames.function[frame.row()].row()).or_default() += 1;
    }
    let mut sorted: Vec<(usize, u64)> = rows.into_iter().collect();
    sorted.sort_by_key(|(function, rows)| (u64::MAX - rows, tables.functions.display_name[*function].clone()));
    let line = |(function, rows): &(usize, u64)| {
        format!("{rows} {} {}", tables.functions.kind[*function], tables.functions.display_name[*function])
    };
    sorted.iter().take(limit).map(line).collect()
}

/// The display name and the frame kind of each frame of the sample in `row`, leaf first.
fn frames_leaf_first(tables: &Tables, row: usize) -> Vec<(String, FrameKind)> {
    let mut stack = tables.samples.stack[row];
    let mut frames = Vec::new();
    while stack.row() > 0 {
        let frame = tables.stacks.frame[stack.row()].row();
        let function = tables.frames.function[frame].row();
        frames.push((tables.functions.display_name[function].clone(), tables.frames.kind[frame]));
        stack = tables.stacks.parent[stack.row()];
    }
    frames
}

fn metric_names(import: &JfrImport) -> Vec<&str> {
    import.metrics.iter().map(|metric| metric.name.as_str()).collect()
}

#[test]
fn async_profiler_cpu() {
    let (tables, import) = import(CPU);
    assert_eq!(sums(&tables), "cpu: 561 rows, count 561, 1122000000 ns, 0 bytes");
    assert_eq!(metric_names(&import), ["cpu", "user_cpu", "system_cpu"]);
    // jfrconv adds up Java frames of both kinds: 68 crunch, 18 + 15 fibonacci.
    let expected = [
        "121 native __vdso_clock_gettime",
        "68 java Workload.crunch()",
        "51 java Workload.contend()",
        "43 native __memset_evex_unaligned_erms",
        "33 java Workload.fibonacci(int)",
        "24 native __GI_write",
        "20 kernel clear_page_erms",
        "17 kernel exc_page_fault",
        "15 kernel do_syscall_64",
        "14 jvm jni_GetObjectField",
        "12 jvm os::javaTimeNanos",
        "9 kernel vfs_write",
        "7 stub updateBytesCRC32",
    ];
    assert_eq!(top_leaf_functions(&tables, expected.len()), expected);
}

#[test]
fn user_and_system_mode_follow_from_the_leaf() {
    let (tables, _) = import(CPU);
    let mut system_rows = 0;
    for row in 0..tables.samples.len() {
        let has_kernel_leaf = frames_leaf_first(&tables, row)[0].1 == FrameKind::Kernel;
        assert_eq!(tables.samples.mode[row], if has_kernel_leaf { CpuMode::System } else { CpuMode::User });
        system_rows += usize::from(has_kernel_leaf);
    }
    assert!((100..300).contains(&system_rows), "{system_rows}");
}

#[test]
fn a_stack_from_the_kernel_to_the_start_of_the_thread() {
    let (tables, _) = import(CPU);
    let write = "java.io.FileOutputStream.write(int, boolean)";
    let row = (0..tables.samples.len())
        .find(|row| {
            let frames = frames_leaf_first(&tables, *row);
            frames[0].1 == FrameKind::Kernel && frames.iter().any(|(name, _)| name == write)
        })
        .expect("the writer was seen in the kernel");
    let frames = frames_leaf_first(&tables, row);
    let position = |name: &str| frames.iter().position(|frame| frame.0 == name).expect(name);
    let order = [
        position("entry_SYSCALL_64_after_hwframe"),
        position("__GI_write"),
        position(write),
        position("Workload.write()"),
        position("java.lang.Thread.run()"),
        position("call_stub"),
        position("JavaCalls::call_helper"),
        position("start_thread"),
    ];
    assert!(order.is_sorted(), "{frames:?}");
    assert_eq!(frames.last().map(|frame| frame.0.as_str()), Some("clone3"));
    let thread = tables.samples.thread[row].row();
    assert_eq!(tables.threads.name[thread], "writer");

    let kind = |name: &str| {
        let row = tables.functions.display_name.iter().position(|known| known == name).expect(name);
        (tables.functions.kind[row], tables.binaries.path[tables.functions.binary[row].row()].as_str())
    };
    assert_eq!(kind(write), (FunctionKind::Java, ""));
    assert_eq!(kind("__GI_write"), (FunctionKind::Native, "libc.so.6"));
    assert_eq!(kind("JavaCalls::call_helper"), (FunctionKind::Jvm, "libjvm.so"));
    assert_eq!(kind("do_syscall_64"), (FunctionKind::Kernel, "[kernel]"));
    assert_eq!(kind("call_stub"), (FunctionKind::Stub, ""));
}

#[test]
fn the_recording_describes_itself() {
    let recording = import(CPU).1.recording;
    assert_eq!(recording.producer, Some(Producer::AsyncProfiler));
    assert_eq!(recording.settings.get("jdk.ActiveRecording", "engine"), Some("perf_events"));
    assert_eq!(recording.settings.get("jdk.ExecutionSample", "interval"), Some("2000000"));
    let jvm = recording.jvm.expect("the JVM is described");
    assert_eq!(jvm.version, "25.0.3+9-LTS");
    assert_eq!(jvm.java_arguments, "Workload 1");
    assert!(recording.start_clock_ns.is_some(), "the clock is CLOCK_MONOTONIC");
    assert!((1_000_000_000..2_000_000_000).contains(&recording.duration_ns));
    let properties = &recording.system_properties;
    assert_eq!(properties.paths("java.class.path").entries, ["/tmp/tmp.p3CIyyjmhK"]);
    assert_eq!(properties.get("java.home"), Some("/usr/lib/jvm/temurin-25-jdk-amd64"));
    assert_eq!(properties.java_version(), Some(25));
    assert_eq!(properties.get("java.library.path"), None, "others are not kept");
    assert!(recording.operating_system.is_some_and(|system| system.contains("Linux")));
}

#[test]
fn timer_samples_have_the_weight_that_the_caller_knows() {
    let (tables, import) = import(CTIMER);
    assert_eq!(sums(&tables), "cpu: 94 rows, count 94, 0 ns, 0 bytes");
    assert_eq!(metric_names(&import), ["cpu_samples"]);
    assert!(tables.samples.mode.iter().all(|mode| *mode == CpuMode::Unknown));

    let options = JfrOptions { weight_per_sample_ns: Some(10_000_000), process_id: Some(7), ..JfrOptions::default() };
    let (tables, import) = import_jfr(CTIMER, options).unwrap();
    assert_eq!(sums(&tables), "cpu: 94 rows, count 94, 940000000 ns, 0 bytes");
    assert_eq!(metric_names(&import), ["cpu"]);
    assert!(tables.threads.process_id.iter().all(|id| *id == Some(7)));
}

#[test]
fn allocations_locks_and_wall_clock() {
    let (tables, import) = import(ALLOC_LOCK_WALL);
    let expected = [
        "wall: 444 rows, count 1378, 27560000000 ns, 0 bytes",
        "alloc: 426 rows, count 426, 0 ns, 681606816 bytes",
        "lock: 37 rows, count 37, 133715745 ns, 0 bytes",
    ];
    assert_eq!(sums(&tables), expected.join("\n"));
    assert_eq!(metric_names(&import), ["wall", "alloc_bytes", "alloc_count", "lock_wait"]);
}

/// `jfr print --events profiler.WallClockSample` shows 190 samples of sleeping threads, which represent 1124 observations at
/// intervals of 20 ms, and 254 samples of other threads. All sleeping threads are in a futex.
#[test]
fn observations_of_sleeping_threads_can_be_waits() {
    let options = JfrOptions { sleeping_is_waiting: true, ..JfrOptions::default() };
    let (tables, import) = import_jfr(ALLOC_LOCK_WALL, options).expect("the fixture is a recording");
    tables.validate().expect("imported tables are valid");
    let expected = [
        "alloc: 426 rows, count 426, 0 ns, 681606816 bytes",
        "lock: 37 rows, count 37, 133715745 ns, 0 bytes",
        "off_cpu: 190 rows, count 190, 22480000000 ns, 0 bytes",
    ];
    assert_eq!(sums(&tables), expected.join("\n"));
    assert_eq!(metric_names(&import), ["alloc_bytes", "alloc_count", "lock_wait", "off_cpu", "off_cpu_futex"]);
    assert_eq!(import.recording.left_out, BTreeMap::from([(LeftOut::NotSleeping, 254)]));
    // A thread that slept all the time has few samples. Each sample ends with its last observation, so it overlaps the
    // sample before it only if an observation was late.
    let samples = &tables.samples;
    let mut ends: BTreeMap<usize, u64> = BTreeMap::new();
    for row in (0..samples.len()).filter(|row| samples.event[*row] == EventKind::OffCpu) {
        let (end_ns, duration_ns) = (samples.time_ns[row], samples.duration_ns[row]);
        let start_ns = end_ns.saturating_sub(duration_ns);
        let before_ns = ends.insert(samples.thread[row].row(), end_ns).unwrap_or(0);
        assert!(start_ns + 40_000_000 >= before_ns, "{start_ns} after {before_ns}");
    }
}

/// The allocated bytes of each class, the largest first. `jfr print --events jdk.ObjectAllocation*` gives the same sums.
fn bytes_by_class(tables: &Tables) -> Vec<(&str, u64, u64)> {
    let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for row in (0..tables.samples.len()).filter(|row| tables.samples.event[*row] == EventKind::Alloc) {
        let class = &tables.object_classes.name[tables.samples.object_class[row].row()];
        let (rows, bytes) = sums.entry(class.as_str()).or_default();
        (*rows, *bytes) = (*rows + 1, *bytes + tables.samples.bytes[row]);
    }
    let mut sorted: Vec<_> = sums.into_iter().map(|(class, (rows, bytes))| (class, rows, bytes)).collect();
    sorted.sort_by_key(|(_, _, bytes)| u64::MAX - bytes);
    sorted
}

#[test]
fn allocations_have_the_class_of_their_object() {
    assert_eq!(bytes_by_class(&import(ALLOC_LOCK_WALL).0), [("long[]", 426, 681_606_816)]);
    let (tables, _) = import(JDK_17);
    assert_eq!(
        bytes_by_class(&tables)[..4],
        [
            ("long[]", 87, 252_817_648),
            ("java.lang.invoke.MethodHandles$Lookup", 1, 17_463_192),
            ("java.lang.String", 2, 110_480),
            ("java.util.zip.CRC32", 3, 33_600),
        ]
    );
    let (tables, _) = import(JDK_25);
    assert_eq!(bytes_by_class(&tables)[1], ("int[]", 2, 12_722_032));
    assert_eq!(bytes_by_class(&tables).len(), 9);
    let cpu = import(CPU).0;
    assert_eq!((cpu.object_classes.name, bytes_by_class(&import(CPU).0)), (vec![String::new()], Vec::new()));
}

#[test]
fn a_killed_program_leaves_its_finished_chunks() {
    let (tables, import) = import(KILLED);
    assert_eq!(sums(&tables), "cpu: 1470 rows, count 1470, 5880000000 ns, 0 bytes");
    assert_eq!(import.recording.chunk_count, 2);
    assert_eq!(import.losses.count(LossReason::UnfinishedChunk), 1);
}

#[test]
fn jdk_execution_samples_are_no_cpu_time() {
    let (tables, import) = import(JDK_17);
    let samples = &tables.samples;
    let rows = |event| samples.event.iter().filter(|seen| **seen == event).count();
    assert_eq!(rows(EventKind::JavaSample), 21 + 21);
    assert_eq!(rows(EventKind::Alloc), 98);
    assert_eq!(rows(EventKind::Lock), 20);
    assert_eq!(import.recording.left_out, BTreeMap::from([(LeftOut::ParkedNotOnLock, 148)]));
    assert_eq!(import.recording.producer, Some(Producer::Jdk));
    assert_eq!(metric_names(&import), ["java_samples", "alloc_bytes", "lock_wait"]);
    let mut kinds = tables.functions.kind.iter().filter(|kind| **kind != FunctionKind::Pseudo);
    assert!(kinds.all(|kind| *kind == FunctionKind::Java));
}

#[test]
fn jdk_cpu_time_samples_are_weighted_by_their_period() {
    let (tables, import) = import(JDK_25);
    let lines = sums(&tables);
    let expected = [
        "cpu: 113 rows, count 113, 630000000 ns, 0 bytes",
        "java_sample: 62 rows, count 62, 0 ns, 0 bytes",
        "alloc: 144 rows, count 144, 0 ns, 412300280 bytes",
        "lock: 56 rows, count 56, 187760126 ns, 0 bytes",
    ];
    assert_eq!(lines.split('\n').collect::<Vec<_>>(), expected);
    assert_eq!(import.recording.biased_sample_count, 73);
    assert_eq!(import.losses.count(LossReason::ProfilerBusy), 28);
    assert_eq!(metric_names(&import), ["cpu", "java_samples", "alloc_bytes", "lock_wait"]);
}

#[test]
fn pieces_lead_to_the_same_tables_as_the_whole() {
    let joined = [CPU, KILLED, JDK_17, CTIMER].concat();
    let (whole, expected) = import(&joined);
    for piece_bytes in [1_000, 70_000, 200_000] {
        let mut importer = JfrImporter::new(JfrOptions::default());
        let mut builder = TableBuilder::new();
        let (mut start, mut end) = (0, 0);
        while end < joined.len() {
            end = (end + piece_bytes).min(joined.len());
            start += importer.push(&joined[start..end], &mut builder);
        }
        let import = importer.finish(&joined[start..], &mut builder).unwrap();
        assert!(builder.into_tables() == whole, "pieces of {piece_bytes} bytes");
        assert_eq!(import, expected);
    }
}

#[test]
fn chunks_are_found_by_their_headers() {
    let two = [CPU, JDK_17].concat();
    let ChunkExtent::Finished(first) = chunk_extent(&two[..CHUNK_HEADER_BYTES]) else { panic!("a finished chunk") };
    assert_eq!(first, CPU.len() as u64);
    assert_eq!(chunk_extent(&two[CPU.len()..]), ChunkExtent::Finished(JDK_17.len() as u64));
}

#[test]
fn samples_of_an_unfinished_chunk_have_the_stacks_of_the_chunks_before() {
    // The bytes are as if the profiler was killed after writing the same events again, but before writing their pools.
    let mut bytes = CPU.to_vec();
    let pools = u64::from_be_bytes(CPU[16..24].try_into().unwrap()) as usize;
    let mut unfinished = CPU[..pools].to_vec();
    unfinished[8..32].fill(0);
    bytes.extend(unfinished);
    let (tables, import) = import(&bytes);
    // The settings before the events show that a new recording starts. The new recording can have other keys.
    assert_eq!(tables.samples.len(), 2 * 561);
    assert_eq!(import.losses.count(LossReason::MissingEntry), 561);
    let (settings_start, settings_end) = settings_range(&bytes[CPU.len()..]);
    bytes.drain(CPU.len() + settings_start..CPU.len() + settings_end);
    let (tables, import) = self::import(&bytes);
    assert_eq!(sums(&tables), "cpu: 1122 rows, count 1122, 2244000000 ns, 0 bytes");
    assert_eq!(import.losses.count(LossReason::MissingEntry), 0);
}

/// The position of the settings in a chunk of async-profiler: consecutive events of type 108.
fn settings_range(chunk: &[u8]) -> (usize, usize) {
    let varint = |position: usize| {
        let mut value = 0;
        for index in 0..9 {
            value |= u64::from(chunk[position + index] & 0x7f) << (7 * index);
            if chunk[position + index] < 0x80 {
                return (value, position + index + 1);
            }
        }
        panic!("a long integer")
    };
    let (mut position, mut range) = (CHUNK_HEADER_BYTES, None);
    while position < chunk.len() {
        let (size, after_size) = varint(position);
        let end = position + size as usize;
        if varint(after_size).0 == 108 {
            range = Some((range.map_or(position, |(start, _)| start), end));
        }
        position = end;
    }
    range.expect("settings")
}

#[test]
fn other_files_are_refused() {
    for bytes in [&b""[..], b"PK\x03\x04 a jar", &CPU[..60], b"FLR\0"] {
        let error = import_jfr(bytes, JfrOptions::default()).unwrap_err();
        assert!(error.to_string().contains(&format!("found none in {} bytes", bytes.len())), "{error}");
    }
}

#[test]
fn collapsed_stacks_of_async_profiler() {
    let mut builder = TableBuilder::new();
    let import = import_collapsed(COLLAPSED, CollapsedOptions::default(), &mut builder).unwrap();
    let tables = builder.into_tables();
    tables.validate().unwrap();
    let expected: u64 = COLLAPSED.lines().map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum();
    assert_eq!(tables.samples.count.iter().sum::<u64>(), expected);
    assert_eq!(import.stack_line_count, COLLAPSED.lines().count() as u64);
    assert!(tables.threads.name.iter().any(|name| name == "cruncher"));
    let java: Vec<&str> = tables
        .functions
        .display_name
        .iter()
        .zip(&tables.functions.kind)
        .filter_map(|(name, kind)| (*kind == FunctionKind::Java).then_some(name.as_str()))
        .collect();
    assert!(java.contains(&"java.io.FileOutputStream.write(int, boolean)"), "{java:?}");
    assert!(java.contains(&"java.lang.Thread.runWith(java.lang.Object, java.lang.Runnable)"), "{java:?}");
}
