//! What is written can be read, whole or damaged.

#![allow(clippy::unwrap_used, reason = "test code")]

use std::fs;
use std::path::Path;
use whittle_experiment::{Error, ExperimentWriter, read};
use whittle_model::{
    BinaryIndex, BinaryKind, CpuMode, EventKind, FrameKind, FunctionKind, LossReason, Manifest, NewFrame, NewFunction,
    Program, Sample, State, TableBuilder, Tables, cpu_metrics,
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
        time_ns,
        thread,
        stack,
        event: EventKind::Cpu,
        mode: CpuMode::System,
        count: 1,
        duration_ns: 10_000_000,
        bytes: 0,
    });
}

fn frame(builder: &mut TableBuilder, name: &str, binary: BinaryIndex) -> whittle_model::FrameIndex {
    let kind = FunctionKind::Java;
    let function = builder.function(&NewFunction { display_name: name, internal_name: name, kind, binary });
    builder.frame(NewFrame { function, kind: FrameKind::Jit, line: Some(7), bytecode_index: Some(3), address: None })
}

/// Two parts: after the first, one stack; after the second, three.
fn write_two_parts(directory: &Path) -> Tables {
    let mut writer = ExperimentWriter::create(directory, &manifest(), false).unwrap();
    let mut builder = TableBuilder::new();
    let mut all_samples = whittle_model::SampleTable::default();
    for stacks in [&[["main", "write"]][..], &[["main", "parse"], ["main", "flush"]][..]] {
        for (time_ns, stack) in (0..).zip(stacks) {
            add_sample(&mut builder, time_ns, stack);
        }
        let samples = builder.take_samples();
        writer.append(builder.tables(), &samples).unwrap();
        whittle_model::Table::append(&mut all_samples, samples);
    }
    writer.write_manifest(&Manifest { state: State::Complete, ..manifest() }).unwrap();
    Tables { samples: all_samples, ..builder.into_tables() }
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
    assert!(error.contains("before its first samples were written"), "{error}");
    let mut builder = TableBuilder::new();
    add_sample(&mut builder, 5, &["main"]);
    let samples = builder.take_samples();
    writer.append(builder.tables(), &samples).unwrap();
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

/// A part that is being added while the experiment is read: its stacks are not there yet.
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
    let samples = builder.take_samples();
    writer.append(builder.tables(), &samples).unwrap();
    assert_eq!(read(&directory).unwrap().tables.samples.time_ns, [77]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the old one is gone");
}

#[test]
fn any_flipped_byte_or_truncation_is_survived() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("a.whittle");
    write_two_parts(&directory);
    for file in ["stacks-000001.parquet", "samples-000001.parquet", "functions-000001.parquet"] {
        let path = directory.join(file);
        let whole = fs::read(&path).unwrap();
        for position in (0..whole.len()).step_by(7) {
            let mut bytes = whole.clone();
            bytes[position] ^= 0xa5;
            fs::write(&path, &bytes).unwrap();
            // Whole, with damage, or a clear error: anything but a panic.
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
    let newer = text.replace("\"format_version\": 1", "\"format_version\": 2").replace("0.1.0", "9.9.9");
    fs::write(&path, newer).unwrap();
    let error = read(&directory).unwrap_err();
    assert!(matches!(error, Error::NewerFormat { found: 2, .. }), "{error}");
    assert!(error.to_string().contains("9.9.9"), "{error}");
}

#[test]
fn what_is_not_an_experiment_is_never_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("letter.txt"), "dear").unwrap();
    // Browser extensions and web programs have a manifest.json, too.
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

/// Figures of the fixture, read from the recording that it was made of.
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
}
