//! A snapshot of the catalogue that somebody else wrote. The command ends with an error that names the snapshot, and
//! removes nothing.

use super::{NOON_S, intake, land, paths, segment, some_segments, store};
use futures::executor::block_on;
use object_store::ObjectStoreExt;
use object_store::path::Path;
use std::sync::Arc;
use whittle_fleet::catalogue::Catalogue;
use whittle_fleet::retention::{RetentionOptions, retain};
use whittle_testkit::experiment_from_text;

/// The errors of the intake and of retention with this newest snapshot.
fn errors_with(path: &str, text: &str) -> [String; 2] {
    let (objects, store) = store();
    some_segments().iter().for_each(|segment| drop(land(&store, segment)));
    block_on(intake(&store).run(NOON_S + 900)).unwrap();
    land(&store, &segment((9, 0), "late", NOON_S + 60, experiment_from_text("main")));
    let before = paths(&objects, "");
    block_on(objects.put(&Path::parse(path).unwrap(), text.to_owned().into())).unwrap();
    let catalogue = Catalogue::new(Arc::clone(&store));
    let loaded = block_on(intake(&store).run(NOON_S + 900)).unwrap_err().to_string();
    let options = RetentionOptions { days: 1, refused_days: 1, is_confirmed: true };
    let retained = block_on(retain(&catalogue, options, NOON_S + 900)).unwrap_err().to_string();
    let mut after = paths(&objects, "");
    after.retain(|one| one != path);
    assert_eq!(after, before);
    [loaded, retained]
}

#[test]
fn a_wrong_snapshot_is_named_and_nothing_is_removed() {
    let last = "catalogue/18446744073709551615.json";
    let outside = r#"{"version":9,"files":[{"table":"counters","path":"segments/a","service":"","first_s":0,"last_s":0,
        "level":"hour","row_count":1,"bytes":1}],"streams":{}}"#;
    for (path, text, reason) in [
        (last, r#"{"version":18446744073709551615,"files":[],"streams":{}}"#, "the commit's number"),
        ("catalogue/00000000000000000009.json", r#"{"version":1,"files":[],"streams":{}}"#, "it has the number 1"),
        ("catalogue/00000000000000000009.json", outside, "the file is not in tables/counters/"),
    ] {
        for error in errors_with(path, text) {
            assert!(error.contains(path) && error.contains(reason), "{error}");
        }
    }
}
