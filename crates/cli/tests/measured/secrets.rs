//! A collection stores the command line of a JVM without its secrets, whatever the source of the words is: the process,
//! or the JVM's own description in the recording.

use crate::support::Workspace;
use whittle_testkit::{any_jdk, workloads_class_path};

#[test]
fn no_secret_of_a_jvm_is_stored() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = Workspace::new();
    let (java, class_path) = (jdk.java().to_str().unwrap().to_owned(), workloads_class_path());
    let program =
        [&java, "-Ddb.password=hunter2", "-cp", &class_path, "whittle.workloads.truth.Spin", "--seconds", "2"];
    let words = [&["collect", "-o", "a.whittle", "--events", "cpu", "--"], &program[..]].concat();
    assert!(workspace.whittle(&words).status.success());
    let manifest = workspace.manifest("a.whittle");
    assert_eq!(manifest["command"][1], "-Ddb.password=<redacted>");
    let arguments = manifest["jvm"]["arguments"].as_str().unwrap();
    assert!(arguments.contains("-Ddb.password=<redacted>"), "{arguments}");
    assert!(!manifest.to_string().contains("hunter2"));
}
