//! Programs that would mean something else with a remedy (`java/wrong`), as whole trials: from the collection to the answer. A remedy
//! must be refused with a reason, or the answer is "different results". If the remedy notices by itself where it does not fit, the
//! program gives the same answers.

use crate::support::{Workspace, stderr};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use whittle_testkit::{Jdk, any_jdk, jdks};

/// How long a group of programs is collected: the start of the JVM, and each program, which needs some samples.
const START_MS: usize = 1500;
const PROGRAM_MS: usize = 400;
/// A program that had too few samples in its group is collected alone. Others used the machine.
const ALONE_MS: usize = 6000;

/// What the trial must answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// The agent refused the place with this reason.
    Refused(&'static str),
    /// The program did something else, in these words.
    Different(&'static str),
    /// The program did the same, and the place ran.
    Same,
}

/// A wrong program.
struct Wrong {
    /// Its name in `java/wrong`.
    case: &'static str,
    /// Its class there, which the finding names.
    class: &'static str,
    remedy: &'static str,
    expected: Expected,
}

use Expected::{Different, Refused, Same};

const fn wrong(remedy: &'static str, case: &'static str, class: &'static str, expected: Expected) -> Wrong {
    Wrong { case, class, remedy, expected }
}

const OTHER_USES: &str = "the method uses the stack in another way";
const LOST_BYTES: &str = "5 streams were not closed, and the bytes in their buffers are lost";

/// Programs in one group are collected together, so no program must take most of the time or of the memory.
const OF_CALLS: &[Wrong] = &[
    wrong("reuse", "buffer-kept-by-a-channel", "Buffers$KeptByChannel", Different("\"the oldest message is 4\"")),
    wrong("reuse", "buffer-in-a-field", "Buffers$InField", Refused("the buffer leaves the method")),
    wrong("mix-hash", "hash-of-a-looser-subclass", "Hashes$Looser", Different("\"600 cells, 20 rows\"")),
    wrong("mix-hash", "hash-order-is-printed", "Hashes$Order", Different("line 1")),
    wrong("mix-hash", "hash-that-counts", "Hashes$Counting", Different("\"600 keys, 0 hash codes\"")),
    wrong("fewer-frames", "stack-depth", "Stacks$Depth", Refused(OTHER_USES)),
    wrong("fewer-frames", "stack-searched", "Stacks$Searched", Refused(OTHER_USES)),
    wrong("first-walk", "walk-of-two-callers", "Stacks$TwoCallers", Different("\"first first\"")),
    wrong("plain-format", "format-of-another-language", "Texts$OtherLanguage", Refused("need a Formatter")),
    wrong("plain-format", "format-when-the-language-changes", "Texts$ChangingLanguage", Same),
    wrong("text-if-logged", "log-text-with-an-effect", "Texts$Effect", Different("\"last number: 0\"")),
    wrong("text-if-logged", "log-level-that-changes", "Texts$ChangingLevel", Same),
    wrong("buffer-socket", "socket-closed-without-a-flush", "Sockets$Closed", Different(LOST_BYTES)),
    wrong("buffer-socket", "socket-with-an-ended-output", "Sockets$EndedOutput", Different(LOST_BYTES)),
    wrong(
        "address-once",
        "address-that-moves",
        "Sockets$MovingAddress",
        Different("\"127.0.0.2\" became \"127.0.0.1\""),
    ),
];

const OF_TEXTS: &[Wrong] = &[
    wrong("one-builder", "text-is-a-parameter", "Texts$Parameter", Refused("also a parameter")),
    // The samples find one of two places in the line. Each is refused, with a reason of its own about the variable of the text.
    wrong("one-builder", "text-grows-twice-in-a-line", "Texts$TwiceInLine", Refused("the text")),
];

const OF_OBJECTS: &[Wrong] = &[
    wrong("member-once", "member-made-accessible", "LookUps$Accessible", Different("everybody can read secret")),
    wrong("one-for-all", "random-numbers-from-a-seed", "LookUps$Seeded", Different("line 1: \"sum ")),
    wrong("one-per-thread", "two-uses-at-a-time", "LookUps$TwoUses", Different("line 1")),
    wrong("fixed-part-first", "text-changes-before-the-search", "Texts$ChangedText", Refused("the text is no String")),
    wrong("keep-mapping", "mapping-that-must-end", "Files$EndedMapping", Different("still mapped: true")),
];

/// A hot path has a large part of the time of its group.
const OF_RESULTS: &[Wrong] = &[
    wrong("result-once", "results-compared", "LookUps$ComparedResults", Different("\"1000 objects\" became")),
    wrong("no-stack", "stack-of-a-parsed-text-is-read", "Stacks$Parsed", Different("such an exception was read")),
];

const OF_LISTS: &[Wrong] = &[
    wrong("index-list", "list-that-changes-in-its-middle", "Lists$ChangingMiddle", Different("\"1 found\"")),
    wrong("index-list", "list-with-elements-that-change", "Lists$ChangingElements", Different("line 1: \"sum ")),
];

const OF_BOXES: &[Wrong] = &[
    wrong(
        "cache-boxes",
        "boxes-compared-elsewhere",
        "Numbers$ComparedElsewhere",
        Different("\"10000 equal neighbours"),
    ),
    wrong("cache-boxes", "boxes-compared-at-once", "Numbers$ComparedAtOnce", Refused("asks which object the box is")),
];

const OF_FILES_IN_PROC: &[Wrong] =
    &[wrong("proc-copy", "proc-file-that-changes", "Files$ChangingProc", Different("\"more threads: false\""))];

const OF_STREAMS: &[Wrong] = &[
    wrong("compile-once", "patterns-compared", "Calls$ComparedPatterns", Different("\"1 patterns\"")),
    wrong("no-gc", "references-must-be-cleared", "Calls$Cleared", Different("\"cleared: false\"")),
    wrong("no-stack", "stack-of-an-exception-is-read", "Stacks$Read", Different("stack of such an exception was read")),
    wrong("no-stack", "stack-of-an-exception-is-printed", "Stacks$Printed", Different("such an exception was read")),
    wrong(
        "buffer-input",
        "file-that-changes-while-read",
        "Streams$ChangedFile",
        Different("\"sum 9\" became \"sum 0\""),
    ),
    wrong("buffer-output", "file-that-others-read", "Streams$ReadByOthers", Different("became \"0 bytes\"")),
    wrong(
        "buffer-reader",
        "text-file-that-changes-while-read",
        "Streams$ChangedTextFile",
        Different("\"0 other characters\""),
    ),
    wrong("rarer-flush", "flush-that-others-wait-for", "Streams$Flushed", Different("\"1800 bytes\" became")),
];

const OF_SETTINGS: &[Wrong] = &[
    wrong("look-up-once", "provider-that-is-removed", "Calls$RemovedProvider", Different("line 2: \"first byte 0\"")),
    wrong("look-up-once", "message-when-the-language-changes", "LookUps$ChangingMessage", Same),
    wrong("look-up-once", "factory-that-a-property-names", "LookUps$NamedFactory", Different("\"OwnPaths\" became")),
    wrong("fastest-level", "compressed-size-is-printed", "Calls$CompressedSize", Different("bytes\" became")),
    wrong("rarer-force", "force-of-a-closed-file", "Calls$ClosedFile", Different("\"still open\"")),
    wrong("presize", "map-order-is-printed", "Lists$MapOrder", Different("line 1")),
];

const OF_CLASSES: &[Wrong] = &[
    wrong(
        "unsynchronized",
        "buffer-that-is-asked-for-its-class",
        "Calls$AskedBuffer",
        Refused("the StringBuffer leaves the method"),
    ),
    wrong("array-list", "linked-list-for-others", "Lists$ForOthers", Refused("leaves the method")),
];

const OF_WAITS: &[Wrong] = &[
    wrong("sleep-in-spin", "state-of-a-spinning-thread", "Waits$WatchedSpin", Different("\"seen asleep: true\"")),
    wrong("sleep-in-spin", "permit-before-a-spin", "Waits$PermitBefore", Same),
    wrong("sleep-in-spin", "short-and-long-pauses", "Waits$Pauses", Same),
];

/// A group of each kind: refused by the bytecode, by a condition while the program runs, or by what it prints.
const SOME: &[&[Wrong]] = &[OF_CALLS, OF_OBJECTS, OF_RESULTS];
const OTHERS: &[&[Wrong]] = &[OF_TEXTS, OF_LISTS, OF_BOXES, OF_STREAMS, OF_SETTINGS, OF_CLASSES, OF_WAITS];

#[test]
fn a_remedy_never_passes_in_a_program_that_it_changes() {
    let Some(jdk) = any_jdk() else { return };
    judge(&jdk, SOME);
}

/// Whittle sees the kernel's functions only with some settings of the machine.
#[test]
fn a_copy_of_a_file_in_proc_never_passes_if_the_file_must_be_new() {
    let Some(jdk) = any_jdk() else { return };
    judge(&jdk, &[OF_FILES_IN_PROC]);
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn the_other_remedies_never_pass_in_programs_that_they_change() {
    let Some(jdk) = any_jdk() else { return };
    judge(&jdk, OTHERS);
}

#[test]
#[ignore = "takes long; run: make nightly PARTS=long"]
fn no_remedy_passes_in_wrong_programs_on_all_jdks() {
    for jdk in jdks() {
        judge(&jdk, &[SOME, OTHERS].concat());
    }
}

/// Collects each group, and tries each of its programs.
fn judge(jdk: &Jdk, groups: &[&[Wrong]]) {
    let workspace = compiled(jdk);
    let mut problems = String::new();
    for group in groups {
        collect(&workspace, jdk, group, START_MS + PROGRAM_MS * group.len());
        let ranks: Vec<Option<String>> = group.iter().map(|wrong| rank(&workspace, wrong)).collect();
        let found = group.iter().zip(&ranks).filter_map(|(wrong, rank)| Some((wrong, rank.as_ref()?)));
        found.for_each(|(wrong, rank)| problems.push_str(&problem(&workspace, jdk, wrong, rank)));
        for (wrong, _) in group.iter().zip(&ranks).filter(|(_, rank)| rank.is_none()) {
            collect(&workspace, jdk, std::slice::from_ref(wrong), ALONE_MS);
            let problem = rank(&workspace, wrong).map(|rank| problem(&workspace, jdk, wrong, &rank));
            problems.push_str(&problem.unwrap_or_else(|| format!("no finding of {}\n", wrong.case)));
        }
    }
    assert!(problems.is_empty(), "{problems}");
}

fn compiled(jdk: &Jdk) -> Workspace {
    let workspace = Workspace::new();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../java/wrong/src");
    let mut javac = Command::new(jdk.home.join("bin/javac"));
    javac.args(["-g", "-d", "classes", "-sourcepath"]).arg(&sources).arg(sources.join("wrong/Wrong.java"));
    assert!(javac.current_dir(workspace.path("")).status().unwrap().success());
    workspace
}

/// Collects a group of programs, which run alternately.
fn collect(workspace: &Workspace, jdk: &Jdk, group: &[Wrong], milliseconds: usize) {
    let (java, milliseconds) = (jdk.java(), milliseconds.to_string());
    let start = ["collect", "-f", "-o", "wrong.whittle", "--quiet", "--", java.to_str().unwrap(), "-cp", "classes"];
    let words =
        start.into_iter().chain(["wrong.Wrong", "for", &milliseconds]).chain(group.iter().map(|wrong| wrong.case));
    workspace.text(&words.collect::<Vec<_>>());
}

/// The number of the finding in the program's class that its remedy fits.
fn rank(workspace: &Workspace, wrong: &Wrong) -> Option<String> {
    let view: Value = serde_json::from_str(&workspace.text(&["findings", "wrong.whittle", "--json"])).unwrap();
    let place = format!("wrong.{}.", wrong.class);
    let is_wanted = |finding: &&Value| {
        finding["trial"]["remedy"] == wrong.remedy
            && finding["calling"]["function"].as_str().unwrap().starts_with(&place)
    };
    Some(view["findings"].as_array().unwrap().iter().find(is_wanted)?["rank"].to_string())
}

/// Tries the remedy. The text is empty if the answer is right.
fn problem(workspace: &Workspace, jdk: &Jdk, wrong: &Wrong, rank: &str) -> String {
    let view = tried(workspace, jdk, wrong, rank);
    let (result, words) = (view["result"].as_str().unwrap(), view["words"].as_str().unwrap());
    let is_right = match wrong.expected {
        Refused(reason) => result == "not_tried" && words.contains(reason),
        Different(difference) => result == "different_results" && words.contains(difference),
        // Two runs prove no saving, but a program that does something else has another answer.
        Same => ["improved", "no_relevant_change", "worse", "inconclusive"].contains(&result),
    };
    let is_same = is_printed_the_same(&workspace.path("tried/runs"));
    if is_right && (is_same || result == "different_results") {
        return String::new();
    }
    format!(
        "JDK {}, {} with {}: expected {:?}, found {result}, the same output: {is_same}: {words}\n",
        jdk.version, wrong.case, wrong.remedy, wrong.expected
    )
}

fn tried(workspace: &Workspace, jdk: &Jdk, wrong: &Wrong, rank: &str) -> Value {
    let options = ["--runs", "2", "--discard", "0", "--json", "-f", "-o", "tried", "--"];
    let java = jdk.java();
    let program =
        [java.to_str().unwrap(), "-XX:TieredStopAtLevel=1", "-cp", "classes", "wrong.Wrong", "answers", wrong.case];
    let output = workspace.whittle(&[&["try", "wrong.whittle", rank], &options[..], &program].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}: {}", wrong.case, stderr(&output)))
}

/// Compares what the runs printed, without whittle's rules for lines that may differ.
fn is_printed_the_same(runs: &Path) -> bool {
    let folders = fs::read_dir(runs).unwrap().map(|run| run.unwrap().path());
    let printed: Vec<String> = folders.map(|run| fs::read_to_string(run.join("stdout")).unwrap()).collect();
    printed.windows(2).all(|pair| pair[0] == pair[1])
}
