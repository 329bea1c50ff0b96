//! Checks that the servers behave as tests expect.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use whittle_testkit::{S3Server, Trino};

/// 561 samples of one event, in whittle's format: zstd and dictionaries.
fn samples_file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiment/tests/fixtures/version-1.whittle/samples-000001.parquet")
}

/// Writes the samples to the file `name` below `folder`.
fn put_samples(folder: &Path, name: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::copy(samples_file(), path).unwrap();
}

/// The cluster of this file's tests, and its store.
fn servers() -> Option<&'static (Trino, S3Server)> {
    static SERVERS: OnceLock<Option<(Trino, S3Server)>> = OnceLock::new();
    let servers = SERVERS.get_or_init(|| {
        let store = S3Server::start(&["fleet"])?;
        Some((Trino::start(Some(&store))?, store))
    });
    servers.as_ref()
}

/// Defines a table of samples over the files at `location`.
fn create_samples(trino: &Trino, table: &str, location: &str) {
    trino.query("CREATE SCHEMA IF NOT EXISTS files.test").unwrap();
    let columns = "event VARCHAR, mode VARCHAR, count BIGINT";
    let sql = format!("CREATE TABLE {table} ({columns}) WITH (external_location = '{location}', format = 'PARQUET')");
    trino.query(&sql).unwrap();
}

/// The rows as text.
fn rows(trino: &Trino, sql: &str) -> String {
    let rows = trino.query(sql).unwrap_or_else(|error| panic!("{sql}: {error}")).rows;
    rows.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn trino_reads_the_files_of_a_folder_that_grows() {
    let Some((trino, _)) = servers() else { return };
    let folder = tempfile::tempdir().unwrap();
    let location = format!("local://{}", folder.path().display());
    put_samples(folder.path(), "service=shop/day=2026-11-20/a.parquet");
    create_samples(trino, "files.test.folder", &location);
    assert_eq!(
        rows(trino, "SELECT count(*), count(DISTINCT event), sum(length(mode)) > 0, sum(count) FROM files.test.folder"),
        "[561,1,true,561]"
    );

    put_samples(folder.path(), "service=a%2Fb c/day=2026-11-21/b.parquet");
    assert_eq!(rows(trino, "SELECT count(*) FROM files.test.folder"), "[1122]");

    let path = format!("{location}/service=a%2Fb c/day=2026-11-21/b.parquet");
    let one = trino.query(&format!("SELECT sum(count) FROM files.test.folder WHERE \"$path\" IN ('{path}')")).unwrap();
    assert_eq!((one.rows[0].to_string().as_str(), one.processed_rows), ("[561]", 561), "the other file is not read");
}

#[test]
fn trino_reads_objects_in_s3() {
    let Some((trino, store)) = servers() else { return };
    put_samples(&store.bucket_folder("fleet"), "x/tables/samples/service=shop/day=2026-11-20/a.parquet");
    put_samples(&store.bucket_folder("fleet"), "x/tables/samples/service=a%2Fb c/day=2026-11-20/b.parquet");
    create_samples(trino, "files.test.objects", "s3://fleet/x/tables/samples");
    assert_eq!(rows(trino, "SELECT count(*), sum(count) FROM files.test.objects"), "[1122,1122]");

    let path = "s3://fleet/x/tables/samples/service=a%2Fb c/day=2026-11-20/b.parquet";
    let one = trino.query(&format!("SELECT sum(count) FROM files.test.objects WHERE \"$path\" IN ('{path}')")).unwrap();
    assert_eq!((one.rows[0].to_string().as_str(), one.processed_rows), ("[561]", 561), "the other file is not read");
}

#[test]
fn two_workers_do_the_reading() {
    let Some((trino, _)) = servers() else { return };
    let sql = "SELECT coordinator, count(*) FROM system.runtime.nodes GROUP BY 1 ORDER BY 1";
    assert_eq!(rows(trino, sql), "[false,2] [true,1]");
}

#[test]
fn a_wrong_statement_is_an_error_with_the_servers_words() {
    let Some((trino, _)) = servers() else { return };
    let error = trino.query("SELECT count(*) FROM files.test.nothing").unwrap_err();
    assert!(error.contains("does not exist"), "{error}");
}

#[test]
fn a_store_that_was_away_comes_back_with_what_it_held() {
    let Some(mut store) = S3Server::start(&["kept"]) else { return };
    let address = store.endpoint();
    let is_there = || std::net::TcpStream::connect(address.trim_start_matches("http://")).is_ok();
    put_samples(&store.bucket_folder("kept"), "a.parquet");
    assert!(is_there());
    store.stop();
    assert!(!is_there());
    store.start_again();
    assert!(is_there());
    assert_eq!(store.endpoint(), address);
    assert!(store.bucket_folder("kept").join("a.parquet").exists());
}
