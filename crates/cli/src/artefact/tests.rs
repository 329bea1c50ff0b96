#![allow(clippy::unwrap_used, reason = "test code")]
use super::named_files::{Word, named_files};
use super::*;

/// Makes a folder with files of these names and contents.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("artefact").tempdir_in("/var/tmp").unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn words(text: &str) -> Vec<OsString> {
    text.split(' ').map(OsString::from).collect()
}

/// The words of a command as text. Paths are in angle brackets and relative to the folder.
fn shown(command: &str, here: &Path) -> String {
    let named = named_files(&words(command), here).unwrap();
    let part = |part: &Word| match part {
        Word::Text(text) => text.clone(),
        Word::Path(path) => format!("<{}>", path.strip_prefix(here).unwrap_or(path).display()),
    };
    named.words.iter().map(|word| word.iter().map(part).collect::<String>()).collect::<Vec<_>>().join(" ")
}

#[test]
fn words_that_name_files_are_told_from_others() {
    let folder =
        folder(&[("app.jar", ""), ("lib/a.jar", ""), ("conf/app.xml", ""), ("data", ""), ("run.sh", "#!/bin/sh")]);
    let cases = [
        ("java -jar app.jar app.jar", "java -jar <app.jar> <app.jar>"),
        (
            "java -Xmx1g -cp app.jar:none.jar:lib/* a.Main data",
            "java -Xmx1g -cp <app.jar>:none.jar:<lib>/* a.Main data",
        ),
        ("java --class-path=lib a.Main -cp app.jar", "java --class-path=<lib> a.Main -cp <app.jar>"),
        (
            "java -javaagent:lib/a.jar=x=1 -Dc=conf/app.xml a.Main",
            "java -javaagent:<lib/a.jar>=x=1 -Dc=<conf/app.xml> a.Main",
        ),
        (
            "java --add-opens java.base/java.lang=ALL-UNNAMED --source 21 -cp lib a.Main",
            "java --add-opens java.base/java.lang=ALL-UNNAMED --source 21 -cp <lib> a.Main",
        ),
        ("java --patch-module m=lib -jar app.jar", "java --patch-module m=<lib> -jar <app.jar>"),
        ("java -p lib -m m/a.Main -cp lib", "java -p <lib> -m m/a.Main -cp lib"),
        ("taskset -c 1 java -cp app.jar:lib/* a.Main", "taskset -c 1 java -cp <app.jar>:<lib>/* a.Main"),
        ("/usr/bin/env ./run.sh --in=conf", "/usr/bin/env <run.sh> --in=conf"),
        ("./run.sh ./data /etc/passwd ..", "<run.sh> <data> /etc/passwd .."),
    ];
    for (command, expected) in cases {
        assert_eq!(shown(command, folder.path()), expected);
    }
}

#[test]
fn what_is_not_kept_is_said() {
    let folder = folder(&[("data", ""), ("run.sh", "#!/bin/sh")]);
    let left_out = |command: &str| named_files(&words(command), folder.path()).unwrap().left_out.join("; ");
    assert!(left_out("cat data").contains("write ./data"), "{}", left_out("cat data"));
    assert!(left_out("./run.sh").contains("the files that the script ./run.sh starts"));
    assert!(left_out("java -cp : a.Main").contains("the class path contains the working directory"));
    assert_eq!(left_out("sleep ./"), "./ is not kept, because it is the working directory or a folder above it");
    assert_eq!(left_out("/bin/cat /etc/passwd"), "");
    assert_eq!(left_out("java -XX:+UseZGC -Xlog:gc --add-opens a/b=C --source 21 -m m/a.Main"), "");
    let in_shell = ["sh", "-c", "java -cp app.jar:lib/* a.Main"].map(OsString::from);
    let left_out = named_files(&in_shell, folder.path()).unwrap().left_out.join("; ");
    assert!(left_out.starts_with("\"java -cp app.jar:lib/* a.Main\" is kept as text"), "{left_out}");
}

#[test]
fn a_kept_command_runs_from_its_copy_and_a_damaged_one_does_not() {
    let folder = folder(&[("say.sh", "#!/bin/sh\necho said $1"), ("more/x.txt", "x")]);
    fs::set_permissions(folder.path().join("say.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let experiment = folder.path().join("app.whittle");
    fs::create_dir(&experiment).unwrap();
    let script = folder.path().join("say.sh").into_os_string();
    let more = folder.path().join("more").into_os_string();
    let new = NewArtefact::keep(&[script, more, "it".into()], &experiment, 1 << 20).unwrap();
    assert_eq!(new.size(), (2, 23));
    new.move_into(&experiment).unwrap();
    fs::remove_file(folder.path().join("say.sh")).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "app.whittle and more");

    let artefact = Artefact::read(&experiment).unwrap();
    let copy = folder.path().join("copy");
    artefact.lay_out(&experiment, &copy).unwrap();
    let command = artefact.command(&copy);
    let output = std::process::Command::new(&command[0]).args(&command[1..]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with("said ") && printed.trim_end().ends_with("/more"), "{printed}");

    let kept = experiment.join(FOLDER).join(&artefact.files[0].path);
    fs::write(&kept, "another").unwrap();
    let error = artefact.lay_out(&experiment, &folder.path().join("again")).unwrap_err().message;
    assert!(error.contains("is damaged and is not run"), "{error}");
}

#[test]
fn too_much_is_refused_and_nothing_is_left() {
    let folder = folder(&[("big/a", &"a".repeat(700_000)), ("big/b", &"b".repeat(700_000))]);
    let command = ["/bin/cat".into(), folder.path().join("big").into_os_string()];
    let error = NewArtefact::keep(&command, &folder.path().join("app.whittle"), 1 << 20).err().unwrap().message;
    assert!(error.contains("more than 1 MiB") && error.contains("--artefact-limit 4m"), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn paths_that_lead_out_are_damage() {
    let folder = folder(&[]);
    let experiment = folder.path();
    fs::create_dir(experiment.join(FOLDER)).unwrap();
    for path in ["../x", "/etc/passwd", ""] {
        let text = format!(
            r#"{{"artefact_version":1,"command":[[{{"kept":"{path}"}}]],"working_directory":"/","files":[],"left_out":[]}}"#
        );
        fs::write(experiment.join(FOLDER).join(DESCRIPTION), text).unwrap();
        assert!(Artefact::read(experiment).unwrap_err().message.contains("points outside of the artefact"), "{path}");
    }
}
