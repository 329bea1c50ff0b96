//! Experiments and stores can contain secrets, so only their owner can read them. The umask of the tests is the usual
//! 022, or the test does not show the difference.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use whittle_experiment::{ExperimentWriter, Store, create_private_file};
use whittle_model::{Manifest, NewRows, Program, SegmentId, StreamId};
use whittle_testkit::experiment_from_text;

fn manifest() -> Manifest {
    Manifest::new(Program { name: "test".to_owned(), version: "1".to_owned() })
}

/// All files and folders below a folder, and the folder itself.
fn all(path: &Path) -> Vec<PathBuf> {
    let mut found = vec![path.to_owned()];
    if path.is_dir() {
        found.extend(fs::read_dir(path).unwrap().flat_map(|entry| all(&entry.unwrap().path())));
    }
    found
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn assert_private(path: &Path) -> usize {
    let all = all(path);
    for path in &all {
        assert_eq!(mode(path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
    all.len()
}

#[test]
fn only_the_owner_reads_an_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b.whittle");
    let mut writer = ExperimentWriter::create(&path, &manifest(), false).unwrap();
    let (_, tables) = experiment_from_text("main > write");
    writer.append(&tables, &NewRows::default()).unwrap();
    writer.write_manifest(&manifest()).unwrap();
    assert!(assert_private(&folder.path().join("a")) > 4);
}

#[test]
fn only_the_owner_reads_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store");
    let store = Store::open(place.to_str().unwrap()).unwrap();
    let (_, tables) = experiment_from_text("main > write");
    let segment = Some(SegmentId { stream: StreamId(7), sequence: 0 });
    let labels = [("service".to_owned(), "shop".to_owned())].into();
    let manifest = Manifest { segment, labels, start_wall_ns: Some(1), ..manifest() };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(store.land(&manifest, &tables)).unwrap();
    assert!(runtime.block_on(store.create(&"marks/one".into(), b"x".to_vec())).unwrap());
    assert!(assert_private(&place) > 6);
}

#[test]
fn a_file_that_exists_is_replaced_and_not_written_into() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "kept").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    create_private_file(&link).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    assert!(!link.is_symlink());
}
