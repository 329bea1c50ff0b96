//! `whittle try -p` on a program that compiles a regular expression in each call, and that runs all the time.

use crate::support::{Workspace, stderr, whittle_command};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};
use whittle_testkit::{Jdk, any_jdk};

const SERVICE: &str = "
import java.util.regex.Pattern;

public class Service {
    static boolean handle(int number) {
        return Pattern.compile(\"(a|b)+[0-9]{1,3}x?\").matcher(\"ab\" + number).matches();
    }

    public static void main(String[] words) {
        long end = System.nanoTime() + Long.parseLong(words[0]) * 1_000_000_000L;
        int count = 0;
        for (int number = 0; System.nanoTime() < end; number++) {
            count += handle(number) ? 1 : 0;
        }
        System.out.println(count > 0);
    }
}
";

/// Longer than the test. The test ends the program.
const SECONDS: &str = "600";

/// The program, which ends with the test.
struct Service(Child);

impl Service {
    fn start(workspace: &Workspace, jdk: &Jdk) -> Self {
        let mut command = Command::new(jdk.java());
        command.args(["-cp", "classes", "Service", SECONDS]).current_dir(workspace.path(""));
        Self(command.spawn().unwrap())
    }

    fn id(&self) -> String {
        self.0.id().to_string()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn workspace(jdk: &Jdk) -> Workspace {
    let workspace = Workspace::new();
    fs::write(workspace.path("Service.java"), SERVICE).unwrap();
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    let compiled = javac.args(["-g", "-d", "classes", "Service.java"]).current_dir(workspace.path("")).status();
    assert!(compiled.unwrap().success());
    let java = jdk.java();
    let program = [java.to_str().unwrap(), "-cp", "classes", "Service", "4"];
    workspace.text(&[&["collect", "-o", "service.whittle", "--quiet", "--"][..], &program].concat());
    workspace
}

/// The report of the agent in the folder of a whittle process, as soon as it has this line.
fn awaited_report(whittle: u32, start: &str) -> String {
    let prefix = format!("whittle-{whittle}-");
    let begin = Instant::now();
    loop {
        let folders = fs::read_dir("/tmp").unwrap().flatten().map(|entry| entry.path());
        let ours = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().starts_with(&prefix);
        let reports = folders.filter(ours).map(|folder| fs::read_to_string(folder.join("agent.report")));
        let reports: Vec<String> = reports.flatten().collect();
        if let Some(report) = reports.iter().find(|report| report.lines().any(|line| line.starts_with(start))) {
            return report.clone();
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "no line {start} in {reports:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn old_and_new_code_in_turns_have_a_verdict_and_leave_nothing_behind() {
    let Some(jdk) = any_jdk() else { return };
    let workspace = workspace(&jdk);
    wrong_words_are_refused(&workspace);
    let service = Service::start(&workspace, &jdk);
    let id = service.id();
    let words = ["try", "service.whittle", "regex-compile-per-call", "-p", &id, "--turn", "200ms"];

    let output = workspace.whittle(&[&words[..], &["--for", "6s", "--json"]].concat());
    let view: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let text = format!("{}\n{view:#}", stderr(&output));
    assert_eq!((output.status.code(), &view["result"]), (Some(0), &Value::from("improved")), "{text}");
    assert_eq!((&view["classes_count"], &view["trial"]["remedy"]), (&1.into(), &"compile-once".into()), "{text}");
    // On a busy machine, turns and the compilation before them take longer.
    assert!(view["turns"]["turns_count"].as_u64().unwrap() >= 8, "{text}");
    assert!(view["notes"].to_string().contains("each run is a turn of 0.2 s"), "{text}");
    let found = workspace.text(&["findings", "service.whittle"]);
    assert!(found.contains("Tried:") && found.contains("turns per side"), "{found}");

    // Whittle is killed in a turn. The agent notices it.
    let mut command = whittle_command(&words);
    let mut killed = command.current_dir(workspace.path("")).spawn().unwrap();
    let whittle = killed.id();
    awaited_report(whittle, "turn\t1\tnew\t");
    killed.kill().unwrap();
    killed.wait().unwrap();
    let report = awaited_report(whittle, "removed");
    assert!(report.contains("changed\t1\tService\t"), "{report}");
}

fn wrong_words_are_refused(workspace: &Workspace) {
    let refused = |words: &[&str], expected: &str| {
        let output = workspace.whittle(&[&["try", "service.whittle", "regex-compile-per-call"], words].concat());
        assert!(!output.status.success() && stderr(&output).contains(expected), "{}", stderr(&output));
    };
    refused(&["-p", "1", "--", "java"], "cannot be used with");
    refused(&["-p", "1", "--turn", "1ms"], "wanted 100ms to 5m");
    refused(&["--turn", "1s", "--", "java"], "cannot be used with");
    refused(&["--turn", "1s"], "--pid");
    refused(&["-p", "1073741823"], "no process has the id");
    refused(&["--ready", "https://localhost/", "--load", "true", "--", "java"], "wanted http://");
}
