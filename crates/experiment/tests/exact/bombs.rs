//! Small files that would become very large in memory. Whittle refuses them by name, and needs little memory for this.

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use whittle_experiment::{Error, SegmentError, read, read_segment, write_segment};
use whittle_model::{SegmentId, StreamId};
use whittle_testkit::{experiment_from_text, peak_memory_of};

/// Memory that reading a bomb may need: the base of the budget, and room for growing vectors and the program itself.
const MOST_BYTES: u64 = 640 << 20;

/// A batch of rows that is written repeatedly.
const BATCH_ROWS: usize = 1 << 20;

/// The file of the counters. Its table has only three columns.
const COUNTERS: &str = "counters-000001.parquet";

/// Writes an experiment with one stack and these counters.
fn write_experiment(directory: &Path, write_counters: impl FnOnce(&Path)) {
    fs::create_dir(directory).unwrap();
    tar::Archive::new(segment().as_slice()).unpack(directory).unwrap();
    write_counters(&directory.join(COUNTERS));
}

/// A segment with one stack. Its files are an experiment.
fn segment() -> Vec<u8> {
    let (mut manifest, tables) = experiment_from_text("main > parse > read");
    manifest.start_wall_ns = Some(1_763_769_600_000_000_000);
    manifest.labels = [("service".to_owned(), "checkout".to_owned())].into();
    manifest.segment = Some(SegmentId { stream: StreamId(1), sequence: 0 });
    write_segment(&manifest, &tables).unwrap()
}

fn counters_schema() -> Arc<Type> {
    let column = |name, physical, logical| {
        let column = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
        Arc::new(column.with_logical_type(logical).build().unwrap())
    };
    let columns = vec![
        column("time_ns", Physical::INT64, Some(LogicalType::integer(64, false))),
        column("counter", Physical::BYTE_ARRAY, Some(LogicalType::String)),
        column("value", Physical::DOUBLE, None),
    ];
    Arc::new(Type::group_type_builder("counters").with_fields(columns).build().unwrap())
}

fn packed() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::try_new(3).unwrap()))
}

/// Writes `batches` × `rows` equal rows.
fn write_counters(path: &Path, properties: WriterPropertiesBuilder, (batches, rows): (usize, usize), counter: &str) {
    let output = File::create(path).unwrap();
    let mut file = SerializedFileWriter::new(output, counters_schema(), Arc::new(properties.build())).unwrap();
    let mut group = file.next_row_group().unwrap();
    write_column::<Int64Type>(&mut group, batches, &vec![7; rows]);
    write_column::<ByteArrayType>(&mut group, batches, &vec![ByteArray::from(counter.as_bytes().to_vec()); rows]);
    write_column::<DoubleType>(&mut group, batches, &vec![0.5; rows]);
    group.close().unwrap();
    file.close().unwrap();
}

fn write_column<T: DataType>(group: &mut SerializedRowGroupWriter<'_, File>, batches: usize, values: &[T::T]) {
    let mut column = group.next_column().unwrap().unwrap();
    for _ in 0..batches {
        column.typed::<T>().write_batch(values, None, None).unwrap();
    }
    column.close().unwrap();
}

/// Reads the bomb in another process, and checks the error and the peak memory.
fn refused(test: &str, write_counters: impl FnOnce(&Path)) {
    let mut file_bytes = 0;
    let prepare = |folder: &Path| {
        write_experiment(&folder.join("bomb.whittle"), write_counters);
        file_bytes = fs::metadata(folder.join("bomb.whittle").join(COUNTERS)).unwrap().len();
    };
    let peak = peak_memory_of(test, prepare, |folder| {
        let error = read(&folder.join("bomb.whittle")).unwrap_err();
        assert!(matches!(&error, Error::TooLarge { path, .. } if path.ends_with(COUNTERS)), "{error}");
    });
    assert!(file_bytes < 1 << 20, "{file_bytes}");
    assert!(peak < MOST_BYTES, "{file_bytes} bytes on disk took {peak} bytes of memory");
}

#[test]
fn millions_of_equal_rows_are_refused() {
    refused("bombs::millions_of_equal_rows_are_refused", |path| {
        write_counters(path, packed(), (48, BATCH_ROWS), "rss")
    });
}

#[test]
fn a_long_text_in_every_row_is_refused() {
    let text = "x".repeat(500_000);
    refused("bombs::a_long_text_in_every_row_is_refused", |path| write_counters(path, packed(), (1, 20_000), &text));
}

/// The page has 320 MiB. zstd makes 30 KB of it.
#[test]
fn a_page_that_unpacks_to_hundreds_of_megabytes_is_refused() {
    let whole = packed().set_dictionary_enabled(false).set_data_page_size_limit(usize::MAX);
    let whole = whole.set_data_page_row_count_limit(usize::MAX);
    refused("bombs::a_page_that_unpacks_to_hundreds_of_megabytes_is_refused", |path| {
        write_counters(path, whole, (40, BATCH_ROWS), "");
    });
}

#[test]
fn a_segment_is_refused_in_the_same_way() {
    let folder = tempfile::tempdir().unwrap();
    let counters = folder.path().join(COUNTERS);
    write_counters(&counters, packed(), (1, 20_000), &"x".repeat(500_000));
    let bytes = with_file(&segment(), &counters);
    assert!(matches!(read_segment(&bytes.into()), Err(SegmentError::TooLarge { .. })));
}

/// The tar file with one more file.
fn with_file(segment: &[u8], path: &Path) -> Vec<u8> {
    let mut archive = tar::Archive::new(segment);
    let mut builder = tar::Builder::new(Vec::new());
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let header = entry.header().clone();
        builder.append(&header, &mut entry).unwrap();
    }
    builder.append_path_with_name(path, COUNTERS).unwrap();
    builder.into_inner().unwrap()
}

/// A number of row groups that the file cannot contain. The Parquet library would allocate memory for them.
#[test]
fn a_wrong_number_of_row_groups_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    write_experiment(&folder.path().join("bomb.whittle"), |path| {
        // Field 2: the table and three columns, all empty. Field 4: a list of 2^31 - 1 row groups.
        let mut footer = vec![0x29, 0x4c, 0, 0, 0, 0, 0x29, 0xfc];
        footer.extend([0xff, 0xff, 0xff, 0xff, 0x07, 0]);
        let length = (footer.len() as u32).to_le_bytes();
        fs::write(path, [b"PAR1", footer.as_slice(), &length, b"PAR1"].concat()).unwrap();
    });
    let experiment = read(&folder.path().join("bomb.whittle")).unwrap();
    assert!(experiment.damage.iter().any(|damage| damage.path.ends_with(COUNTERS)), "{:?}", experiment.damage);
}

#[test]
fn a_manifest_of_gigabytes_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("bomb.whittle");
    fs::create_dir(&directory).unwrap();
    File::create(directory.join("manifest.json")).unwrap().set_len(1 << 40).unwrap();
    assert!(matches!(read(&directory), Err(Error::Io { .. })));
    assert!(!whittle_experiment::is_experiment(&directory));
}
