//! Stored command lines have no secrets, and only the user can read the files that whittle writes.

use crate::support::Workspace;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const PROFILE: &str = include_str!("../../../import/tests/fixtures/foreign/firefox-fxprof.json");

/// A folder with a profile. Its command line has secrets.
fn workspace() -> Workspace {
    let workspace = Workspace::new();
    let mut profile: serde_json::Value = serde_json::from_str(PROFILE).unwrap();
    profile["meta"]["arguments"] = "shop --api-key hunter2 -Ddb.password=hunter2 --port 80".into();
    fs::write(workspace.path("app.json"), profile.to_string()).unwrap();
    workspace
}

#[test]
fn the_option_decides_how_much_of_a_command_line_is_stored() {
    let workspace = workspace();
    let stored = |options: &[&str]| {
        let words = [&["import", "app.json", "-o", "app.whittle", "--force"], options].concat();
        assert!(workspace.whittle(&words).status.success());
        workspace.manifest("app.whittle")["command"].to_string()
    };
    let redacted = r#"["shop","--api-key","<redacted>","-Ddb.password=<redacted>","--port","80"]"#;
    assert_eq!(stored(&[]), redacted);
    assert_eq!(stored(&["--command-line", "redacted"]), redacted);
    assert!(stored(&["--command-line", "full"]).contains("hunter2"));
    assert_eq!(stored(&["--command-line", "none"]), "[]");
}

#[test]
fn only_the_user_reads_what_whittle_writes() {
    let workspace = workspace();
    let commands: [&[&str]; 3] = [
        &["import", "app.json", "-o", "app.whittle"],
        &["report", "app.whittle", "-o", "app.html"],
        &["export", "app.whittle", "-o", "app.collapsed"],
    ];
    for command in commands {
        assert!(workspace.whittle(command).status.success(), "{command:?}");
        let mode = fs::metadata(workspace.path(command[3])).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, if command[0] == "import" { 0o700 } else { 0o600 }, "{command:?}");
    }
}
