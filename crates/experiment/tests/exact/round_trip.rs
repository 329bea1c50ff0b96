//! Written experiments can be read, complete or corrupt.

use std::fs;
use std::path::Path;
use whittle_experiment::{Error, ExperimentWriter, NewRows, read, read_manifest};
use whittle_model::{
    ArchivedClass, BinaryIndex, BinaryKind, Calibration, ContentHash, CounterValue, CpuMode, EventKind, FileIdentity,
    FileKind, FrameKind, FunctionKind, LossReason, Manifest, Metric, MetricDefinition, NewFrame, NewFunction, Program,
    Sample, SampledCall, StackIndex, State, Syscall, SyscallIndex, SyscallLatency, Table, TableBuilder, Tables,
    ThreadState, ThreadStateSpan, WaitReason, cpu_metrics, off_cpu_metrics,
};

fn manifest() -> Manifest {
    let mut manifest = Manifest::new(Program { name: "whittle".to_owned(), version: "0.1.0".to_owned() });
    manifest.metrics = cpu_metrics(true);
    manifest
}

fn add_sample(builder: &mut TableBuilder, time_ns: u64, names_root_first: &[&str]) {
    let binary = builder.binary("/app/app.jar", BinaryKind::ClassOrigin);
    let frames: Vec<_> = names_root_first.iter().map(|name| frame(builder, name, binary)).collect();
    let stack = builder.stack(frames);
    let thread = builder.thread(Some(10), Some(11), "main");
    builder.sample(Sample {
        mode: CpuMode::System,
        duration_ns: 10_000_000,
        ..Sample::new(time_ns, thread, stack, EventKind::Cpu)
    });
}

fn frame(builder: &mut TableBuilder, name: &str, binary: BinaryIndex) -> whittle_model::FrameIndex {
    let kind = FunctionKind::Java;
    let function = builder.function(&NewFunction { display_name: name, internal_name: name, kind, binary });
    builder.frame(NewFrame { function, kind: FrameKind::Jit, line: Some(7), bytecode_index: Some(3), address: None })
}

/// Adds rows to the tables that a sample does not need. Every column has a value in at least one row. Every optional
/// column also has a row without a value.
fn add_exact_rows(builder: &mut TableBuilder, time_ns: u64) {
    let thread = builder.thread(Some(10), Some(11), "main");
    let identity = FileIdentity { device: 8 << 20 | 1, inode: 77 + time_ns, kind: FileKind::Regular };
    let file = builder.file(identity, "/var/log/app.log");
    let stack = StackIndex::from_row(1);
    let tables = builder.tables_mut();
    let (syscall, end_ns) = (SyscallIndex::from_row(tables.syscalls.len()), time_ns + 1);
    tables.syscalls.push(Syscall {
        thread,
        number: 1,
        name: "write".to_owned(),
        file,
        calls_count: 3,
        errors_count: 1,
        bytes: 10,
        duration_ns: 900,
        longest_ns: 500,
    });
    tables.syscall_latencies.push(SyscallLatency { syscall, bucket: 8, count: 3 });
    for error_number in [None, Some(11)] {
        let (bytes, latency_ns) = (5, 300);
        tables.sampled_calls.push(SampledCall {
            time_ns,
            thread,
            stack,
            syscall,
            count: 3,
            bytes,
            latency_ns,
            error_number,
        });
    }
    let (state, reason) = (ThreadState::Blocked, WaitReason::Socket);
    tables.thread_states.push(ThreadStateSpan { thread, start_ns: time_ns, end_ns, state, reason, duration_ns: 1 });
    let metric = || "syscalls".to_owned();
    for (sampled, factor) in [(2, Some(1.5)), (0, None)] {
        tables.calibration.push(Calibration { metric: metric(), thread, sampled, exact: 3, factor });
    }
    tables.counters.push(CounterValue { time_ns, counter: "rss_bytes".to_owned(), value: 0.1 + time_ns as f64 });
    let bytes: Option<Vec<u8>> = (time_ns > 0).then(|| vec![0xca, 0xfe, 0xba, 0xbe, 0]);
    let digest = bytes.as_deref().map(ContentHash::of);
    let (class_name, origin) = (format!("app/Main{time_ns}"), "/app/app.jar".to_owned());
    tables.archive.push(ArchivedClass { class_name, origin, digest, bytes });
}

/// Writes two parts. The first part has one stack. Both parts together have three stacks.
fn write_two_parts(directory: &Path) -> Tables {
    let mut writer = ExperimentWriter::create(directory, &manifest(), false).unwrap();
    let mut builder = TableBuilder::new();
    let mut all_rows = NewRows::default();
    for (part, stacks) in (0..).zip([&[["main", "write"]][..], &[["main", "parse"], ["main", "flush"]][..]]) {
        for (time_ns, stack) in (0..).zip(stacks) {
            add_sample(&mut builder, time_ns, stack);
        }
        add_exact_rows(&mut builder, part);
        let rows = builder.take_new_rows();
        writer.append(builder.tables(), &rows).unwrap();
        all_rows.append(rows);
    }
    writer.write_manifest(&Manifest { state: State::Complete, ..manifest() }).unwrap();
    let NewRows { samples, sampled_calls, thread_states, requests, request_parts, wakes, counters } = all_rows;
    Tables { samples, sampled_calls, thread_states, requests, request_parts, wakes, counters, ..builder.into_tables() }
}

#[test]
fn parts_read_back_as_one_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    let written = write_two_parts(&directory);
    let experiment = read(&directory).unwrap();
    assert_eq!(experiment.tables, written);
    assert_eq!(experiment.manifest.state, State::Complete);
    assert_eq!(experiment.damage, []);
}

#[test]
fn an_experiment_is_readable_after_its_first_part() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    let mut writer = ExperimentWriter::create(&directory, &manifest(), false).unwrap();
    let error = read(&directory).unwrap_err().to_string();
    assert!(error.contains("before it wrote samples"), "{error}");
    let mut builder = TableBuilder::new();
    add_sample(&mut builder, 5, &["main"]);
    let rows = builder.take_new_rows();
    writer.append(builder.tables(), &rows).unwrap();
    fs::write(directory.join("stacks-000002.parquet.tmp"), "half").unwrap();
    let experiment = read(&directory).unwrap();
    assert_eq!(experiment.manifest.state, State::Incomplete);
    assert_eq!(experiment.tables.samples.time_ns, [5]);
}

#[test]
fn a_damaged_part_costs_only_what_depends_on_it() {
    for (file, samples_left) in [
        ("samples-000002.parquet", 1),
        ("stacks-000002.parquet", 1),
        ("frames-000002.parquet", 1),
        ("functions-000002.parquet", 1),
        ("samples-000001.parquet", 0),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("a.whittle");
        write_two_parts(&directory);
        let bytes = fs::read(directory.join(file)).unwrap();
        fs::write(directory.join(file), &bytes[..bytes.len() / 2]).unwrap();
        let experiment = read(&directory).unwrap();
        assert_eq!(experiment.tables.samples.time_ns.len(), samples_left, "{file}");
        assert_eq!(experiment.damage.len(), 1, "{file}");
        assert!(experiment.damage[0].reason.contains(file), "{:?}", experiment.damage);
        let is_sample_file = file.starts_with("samples");
        let lost = experiment.manifest.losses.count(LossReason::DamagedInput);
        assert_eq!(lost, if is_sample_file { 0 } else { 2 }, "{file}: samples whose stack is gone are counted");
        assert_eq!(experiment.tables.sampled_calls.time_ns.len(), 4, "{file}: their stack is in the first part");
    }
}

#[test]
fn samples_survive_the_loss_of_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    let written = write_two_parts(&directory);
    let path = directory.join("threads.parquet");
    for bytes in [None, Some("noise")] {
        fs::remove_file(&path).unwrap();
        if let Some(bytes) = bytes {
            fs::write(&path, bytes).unwrap();
        }
        let experiment = read(&directory).unwrap();
        assert_eq!(experiment.tables.samples, written.samples);
        assert!(
            experiment.damage.iter().any(|damage| damage.reason.contains("not readable")),
            "{:?}",
            experiment.damage
        );
        fs::write(&path, "").unwrap();
    }
}

/// If the tables that samples do not need are unreadable, all other tables are read and valid.
#[test]
fn damaged_exact_tables_cost_only_themselves() {
    type IsWhole = fn(&Tables, &Tables) -> bool;
    let cases: [(&str, IsWhole); 7] = [
        ("object_classes.parquet", |tables, whole| tables.object_classes.name == [""] && tables.files == whole.files),
        ("files.parquet", |tables, _| tables.files.len() == 1 && tables.syscalls.file.iter().all(|file| file.0 == 0)),
        ("syscalls.parquet", |tables, _| tables.sampled_calls.is_empty() && tables.syscall_latencies.is_empty()),
        ("syscall_latencies.parquet", |tables, whole| tables.syscalls == whole.syscalls),
        ("sampled_calls-000001.parquet", |tables, whole| tables.syscalls == whole.syscalls),
        ("thread_states-000002.parquet", |tables, _| tables.thread_states.len() == 1),
        ("archive.parquet", |tables, whole| tables.calibration == whole.calibration),
    ];
    for (file, is_whole) in cases {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("a.whittle");
        let written = write_two_parts(&directory);
        let bytes = fs::read(directory.join(file)).unwrap();
        fs::write(directory.join(file), &bytes[..bytes.len() / 2]).unwrap();
        let experiment = read(&directory).unwrap();
        assert_eq!(experiment.tables.samples, written.samples, "{file}");
        assert_eq!(experiment.damage.len(), 1, "{file}: {:?}", experiment.damage);
        assert!(is_whole(&experiment.tables, &written), "{file}: {:?}", experiment.tables);
    }
}

/// Without the table of classes, all classes are unknown, but the samples are read.
#[test]
fn classes_of_objects_are_kept_and_samples_survive_their_loss() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    let mut writer = ExperimentWriter::create(&directory, &manifest(), false).unwrap();
    let mut builder = TableBuilder::new();
    for (time_ns, class) in (0..).zip(["byte[]", "", "java.lang.String", "byte[]"]) {
        add_sample(&mut builder, time_ns, &["main"]);
        let object_class = builder.object_class(class);
        let thread = builder.thread(Some(10), Some(11), "main");
        let sample = Sample::new(time_ns, thread, StackIndex::from_row(1), EventKind::Alloc);
        builder.sample(Sample { object_class, bytes: 24, ..sample });
    }
    let rows = builder.take_new_rows();
    writer.append(builder.tables(), &rows).unwrap();
    let classes = |tables: &Tables| -> Vec<String> {
        let allocations = tables.samples.object_class.iter().skip(1).step_by(2);
        allocations.map(|class| tables.object_classes.name[class.row()].clone()).collect()
    };
    let whole = read(&directory).unwrap();
    assert_eq!(
        (whole.damage, classes(&whole.tables)),
        (Vec::new(), ["byte[]", "", "java.lang.String", "byte[]"].map(str::to_owned).into())
    );
    fs::remove_file(directory.join("object_classes.parquet")).unwrap();
    let tables = read(&directory).unwrap().tables;
    assert_eq!((tables.samples.len(), classes(&tables)), (8, vec![String::new(); 4]));
}

/// A table that contradicts itself is left out, but the samples are read.
#[test]
fn a_broken_promise_of_an_exact_table_costs_that_table() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    let mut writer = ExperimentWriter::create(&directory, &manifest(), false).unwrap();
    let mut builder = TableBuilder::new();
    add_sample(&mut builder, 5, &["main"]);
    add_exact_rows(&mut builder, 5);
    builder.tables_mut().thread_states.duration_ns[0] = 99;
    let rows = builder.take_new_rows();
    writer.append(builder.tables(), &rows).unwrap();
    let experiment = read(&directory).unwrap();
    assert!(experiment.tables.thread_states.is_empty());
    assert_eq!(experiment.tables.sampled_calls, rows.sampled_calls);
    assert!(experiment.damage[0].reason.contains("the rows of a span add up"), "{:?}", experiment.damage);
}

/// If a call fails, its rows are passed again with more rows, and are stored once.
#[test]
fn rows_that_could_not_be_written_are_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    let mut writer = ExperimentWriter::create(&directory, &manifest(), false).unwrap();
    let mut builder = TableBuilder::new();
    add_sample(&mut builder, 5, &["main"]);
    add_exact_rows(&mut builder, 5);
    let mut rows = builder.take_new_rows();
    // A folder has the name of the temporary file for counters. So samples can be written, but counters cannot.
    let obstacle = directory.join("counters-000001.parquet.tmp");
    fs::create_dir(&obstacle).unwrap();
    writer.append(builder.tables(), &rows).unwrap_err();
    fs::remove_dir(&obstacle).unwrap();
    add_sample(&mut builder, 6, &["main"]);
    rows.append(builder.take_new_rows());
    writer.append(builder.tables(), &rows).unwrap();
    let tables = read(&directory).unwrap().tables;
    assert_eq!(tables.samples.time_ns, [5, 6]);
    assert_eq!((tables.sampled_calls, tables.counters), (rows.sampled_calls, rows.counters));
}

/// A part is added while the experiment is read. The stacks of this part are missing.
#[test]
fn a_part_that_is_only_half_there_does_not_hide_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    write_two_parts(&directory);
    fs::remove_file(directory.join("stacks-000002.parquet")).unwrap();
    let experiment = read(&directory).unwrap();
    assert_eq!(experiment.tables.samples.time_ns.len(), 1);
    assert_eq!(experiment.manifest.losses.count(LossReason::DamagedInput), 2);
}

#[test]
fn a_replaced_experiment_gives_way_only_to_one_that_holds_something() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    let written = write_two_parts(&directory);
    ExperimentWriter::create(&directory, &manifest(), true).unwrap().abandon().unwrap();
    assert_eq!(read(&directory).unwrap().tables, written);
    let mut writer = ExperimentWriter::create(&directory, &manifest(), true).unwrap();
    let mut builder = TableBuilder::new();
    add_sample(&mut builder, 77, &["main"]);
    let rows = builder.take_new_rows();
    writer.append(builder.tables(), &rows).unwrap();
    assert_eq!(read(&directory).unwrap().tables.samples.time_ns, [77]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the old one is gone");
}

#[test]
fn any_flipped_byte_or_truncation_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    write_two_parts(&directory);
    for (file, step) in [
        ("stacks-000001.parquet", 7),
        ("samples-000001.parquet", 7),
        ("functions-000001.parquet", 7),
        ("syscalls.parquet", 29),
        ("thread_states-000001.parquet", 29),
        ("calibration.parquet", 29),
        ("archive.parquet", 29),
    ] {
        let path = directory.join(file);
        let whole = fs::read(&path).unwrap();
        for position in (0..whole.len()).step_by(step) {
            let mut bytes = whole.clone();
            bytes[position] ^= 0xa5;
            fs::write(&path, &bytes).unwrap();
            // The result is a complete experiment, an experiment with unreadable parts, or a clear error. Reading never
            // panics.
            if let Ok(experiment) = read(&directory) {
                experiment.tables.validate().unwrap();
            }
            fs::write(&path, &whole[..position]).unwrap();
            if let Ok(experiment) = read(&directory) {
                assert_eq!(experiment.damage.len(), 1, "{file} cut at {position}");
            }
        }
        fs::write(&path, &whole).unwrap();
    }
}

#[test]
fn a_newer_format_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    write_two_parts(&directory);
    let path = directory.join("manifest.json");
    let text = fs::read_to_string(&path).unwrap();
    let newer = text.replace("\"format_version\": 2", "\"format_version\": 3").replace("0.1.0", "9.9.9");
    fs::write(&path, newer).unwrap();
    let error = read(&directory).unwrap_err();
    assert!(matches!(error, Error::NewerFormat { found: 3, .. }), "{error}");
    assert!(error.to_string().contains("9.9.9"), "{error}");
}

#[test]
fn what_is_not_an_experiment_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("letter.txt"), "dear").unwrap();
    // Browser extensions and web programs also have a file `manifest.json`.
    fs::write(precious.join("manifest.json"), "{\"manifest_version\": 3}").unwrap();
    for replaces in [false, true] {
        let error = ExperimentWriter::create(&precious, &manifest(), replaces).unwrap_err();
        assert!(matches!(error, Error::ExistsOther { .. }), "{error}");
    }
    assert!(matches!(read(&precious).unwrap_err(), Error::BadManifest { .. }));
    assert!(matches!(read(&folder.path().join("nothing")).unwrap_err(), Error::Absent { .. }));
    let directory = folder.path().join("a.whittle");
    write_two_parts(&directory);
    assert!(matches!(ExperimentWriter::create(&directory, &manifest(), false).unwrap_err(), Error::Exists { .. }));
    ExperimentWriter::create(&directory, &manifest(), true).unwrap();
}

/// Checks values of the fixture against the recording from which it was made.
#[test]
fn the_fixture_of_version_1_is_still_read() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-1.whittle");
    let experiment = read(&directory).unwrap();
    assert_eq!(experiment.damage, []);
    assert_eq!(experiment.manifest.written_by.version, "0.1.0");
    let metrics: Vec<&str> = experiment.manifest.metrics.iter().map(|metric| metric.name.as_str()).collect();
    assert_eq!(metrics, ["cpu", "user_cpu", "system_cpu"]);
    let cpu_ns: u64 = experiment.tables.samples.duration_ns.iter().sum();
    assert_eq!(cpu_ns, 561 * 2_000_000);
    assert!(experiment.tables.functions.display_name.iter().any(|name| name == "java.lang.Thread.run()"));
    assert_eq!(experiment.manifest.format_version, 2, "it has the newest version after reading");
    assert!(experiment.tables.samples.reason.iter().all(|reason| *reason == WaitReason::None));
    assert_eq!(experiment.tables.samples.reason.len(), experiment.tables.samples.time_ns.len());
}

/// Version 2 renamed the metric of version 1, to match the names of similar metrics.
#[test]
fn the_lock_metric_of_version_1_has_its_new_name() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    let lock = MetricDefinition { name: "lock".to_owned(), ..Metric::LockWait.definition() };
    let manifest = Manifest { format_version: 1, metrics: vec![lock], ..manifest() };
    ExperimentWriter::create(&directory, &manifest, false).unwrap();
    assert_eq!(read_manifest(&directory).unwrap().metrics, [Metric::LockWait.definition()]);
}

/// Checks values that the fixture had when it was made.
#[test]
fn the_fixture_of_version_2_is_read() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-2.whittle");
    let experiment = read(&directory).unwrap();
    assert_eq!(experiment.damage, []);
    let folder = tempfile::tempdir().unwrap();
    let written = write_version_2(&folder.path().join("a.whittle"));
    assert_eq!(experiment.tables, written);
    let text = String::from_utf8_lossy(&fs::read(directory.join("samples-000001.parquet")).unwrap()).into_owned();
    assert!(!text.contains("object_class"), "the fixture is older than this column: without it, classes are unknown");
    assert_eq!(experiment.manifest.not_counted, ["io_uring: its operations are no system calls"]);
    assert_eq!(experiment.manifest.metrics.last().and_then(|metric| metric.reason), Some(WaitReason::Socket));
}

/// Writes the content of the fixture of version 2.
fn write_version_2(directory: &Path) -> Tables {
    let tables = write_two_parts(directory);
    let mut manifest = Manifest { state: State::Complete, ..manifest() };
    manifest.not_counted.push("io_uring: its operations are no system calls".to_owned());
    manifest.metrics.push(Metric::Samples.definition());
    manifest.metrics.extend(off_cpu_metrics([WaitReason::Socket]));
    let text = serde_json::to_string_pretty(&manifest).unwrap();
    fs::write(directory.join("manifest.json"), text).unwrap();
    tables
}

/// Creates the fixture of version 2 again, with all columns. Run this only while version 2 is the newest version.
#[test]
#[ignore = "writes into the repository"]
fn make_the_fixture_of_version_2() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/version-2.whittle");
    fs::remove_dir_all(&directory).ok();
    write_version_2(&directory);
}
