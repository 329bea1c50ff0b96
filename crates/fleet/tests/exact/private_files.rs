//! Tests that other users cannot read what the program writes, and how the program reports refused segments and days.

use crate::support::Landed;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{SystemTime, UNIX_EPOCH};
use whittle_experiment::Store;

const DAY_S: i64 = 86_400;

/// Runs one round of the intake.
fn intake(store: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_whittle-fleet"));
    command.args(["intake", "--once", "--late", "100d", "--store"]).arg(store);
    command.args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All files and folders below `folder`, each with its permissions.
fn permissions(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let (path, metadata) = (entry.path(), entry.metadata().unwrap());
        if metadata.is_dir() {
            found.extend(permissions(&path));
        }
        found.push((path, metadata.permissions().mode() & 0o777));
    }
    found
}

async fn land(store: &Path, start_s: i64) {
    let landed = Landed::new("checkout", "host-1", "1.0", start_s);
    let store = Store::open(store.to_str().unwrap()).unwrap();
    store.land(&landed.manifest, &landed.tables).await.unwrap();
}

#[test]
fn the_store_is_for_its_owner_only() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("fleet");
    assert!(intake(&store, &[]).status.success(), "the program creates the store");
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(land(&store, now_s - 60));
    std::fs::remove_dir_all(store.join("clock")).unwrap();
    assert!(intake(&store, &[]).status.success());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&store), 0o700);
    for name in ["tables", "catalogue"] {
        assert_eq!(mode(&store.join(name)), 0o700, "{name}");
        for (path, mode) in permissions(&store.join(name)) {
            assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
        }
    }
}

#[test]
fn the_program_asks_before_it_removes_most_days() {
    let folder = tempfile::tempdir().unwrap();
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    (0..5).for_each(|day| runtime.block_on(land(folder.path(), now_s - 60 - day * DAY_S)));
    let loaded = intake(folder.path(), &[]);
    assert!(said(&loaded).contains("loaded 5 segments"), "{}", said(&loaded));
    let refused = intake(folder.path(), &["--keep-days", "1"]);
    let text = said(&refused);
    assert_eq!(refused.status.code(), Some(1), "{text}");
    assert!(text.contains("removed nothing") && text.contains("--once --yes"), "{text}");
    let confirmed = intake(folder.path(), &["--keep-days", "1", "--yes"]);
    assert!(confirmed.status.success() && said(&confirmed).contains("older than 1 days"), "{}", said(&confirmed));
}

#[test]
fn a_refused_segment_is_named_once() {
    let folder = tempfile::tempdir().unwrap();
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(land(folder.path(), now_s - 60));
    runtime.block_on(land(folder.path(), now_s - 120));
    let landed = permissions(&folder.path().join("segments"));
    let damaged = landed.iter().map(|(path, _)| path).find(|path| path.is_file()).unwrap();
    std::fs::write(damaged, "not a segment").unwrap();
    let name = damaged.file_name().unwrap().to_str().unwrap();
    let first = intake(folder.path(), &[]);
    let text = said(&first);
    assert!(first.status.success() && text.contains("loaded 1 segments"), "{text}");
    assert!(text.contains(&format!("it is now refused/damaged/{name}")), "{text}");
    let second = intake(folder.path(), &[]);
    assert!(second.status.success() && !said(&second).contains("refused"), "{}", said(&second));
}
