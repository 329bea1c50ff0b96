//! The detectors' files: their texts, and the existence of the functions that they name.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::process::Command;
use whittle_findings::{Condition, Detector, GainModel, SiteKind};
use whittle_testkit::{jdks, not_run, reference_folder};

/// Packages of the JDK that detectors name.
const JDK: &[&str] = &["java/", "javax/", "jdk/", "sun/", "com/sun/", "org/xml/sax/"];

/// Names that the tested JDKs do not have, each with the reason why it is allowed.
const ELSEWHERE: &[(&str, &str)] = &[
    ("sun/nio/cs/StreamDecoder.lockedRead0", "JDK 19 to 24"),
    ("java/io/PrintWriter.implFlush", "JDK 19 to 24"),
    ("java/io/BufferedOutputStream.implFlush", "JDK 19 to 24"),
    ("java/util/ArrayList.ensureExplicitCapacity", "JDK 8"),
    ("java/util/Vector.ensureCapacityHelper", "JDK 8"),
    ("java/util/ArrayDeque.doubleCapacity", "JDK 8 to 10"),
    ("java/io/ByteArrayOutputStream.grow", "JDK 8"),
    ("java/lang/Throwable.getStackTraceElement", "JDK 8"),
    ("java/lang/StringCoding.lookupCharset", "JDK 8 to 16"),
    ("sun/misc/Cleaner.create", "JDK 8"),
    ("java/lang/String$$StringConcat*", "made while the program runs, JDK 23 and later"),
    ("javax/xml/bind/JAXBContext.newInstance", "JDK 8, later a library"),
    ("javax/xml/bind/JAXB.*", "JDK 8, later a library"),
    ("javax/validation/Validation.*", "a library"),
    ("com/sun/mail/*", "a library"),
    ("javax/mail/*", "a library"),
    ("javax/json/bind/JsonbBuilder.create", "a library"),
    ("javax/servlet/http/HttpServlet.service", "a library"),
];

/// All names of functions in a detector.
fn names(detector: &Detector) -> BTreeSet<&str> {
    let of_condition = |condition: &'static Condition| condition.frames.iter().chain(&condition.unless);
    let detector = Detector::of_id(&detector.id).expect("the detector");
    let conditions = detector.conditions.iter().chain(&detector.gain.method_if).flat_map(of_condition);
    let patterns = detector.patterns.iter().flat_map(|pattern| {
        [
            &pattern.anchors,
            &pattern.between,
            &pattern.not_between,
            &pattern.below,
            &pattern.not_below,
            &pattern.scope,
            &pattern.not_scope,
        ]
    });
    patterns.flatten().chain(conditions).map(String::as_str).collect()
}

#[test]
fn numbers_and_ids_are_a_catalogue() {
    let all = Detector::all();
    let numbers: Vec<u32> = all.iter().map(|detector| detector.number).collect();
    assert_eq!(numbers, (1..=69).collect::<Vec<u32>>());
    let ids: HashSet<&str> = all.iter().map(|detector| detector.id.as_str()).collect();
    assert_eq!(ids.len(), all.len());
    for detector in all {
        let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
        assert!(detector.id.split('-').all(is_word), "{}", detector.id);
        assert!(detector.yields_to.iter().all(|other| ids.contains(other.as_str()) && *other != detector.id));
    }
}

/// Patterns of the whole program, without a line. No program judges them.
const WITHOUT_LINE: [&str; 5] =
    ["oversized-pools", "compiler-threads", "collector-falls-behind", "early-promotion", "repeated-deoptimization"];

/// Patterns that a measured test judges, with a program that waits in the ways of the pattern, and in other ways.
const OF_MEASURED_TESTS: [&str; 1] = ["pinned-virtual-thread"];

/// A pattern without a pair of a faulty and a fixed program was never tried.
#[test]
fn each_pattern_has_programs_that_judge_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let causes = |table: &str, column: usize| {
        let text = std::fs::read_to_string(root.join(table)).unwrap_or_else(|error| panic!("{table}: {error}"));
        text.lines().filter_map(|line| line.split('\t').nth(column).map(str::to_owned)).collect::<Vec<_>>()
    };
    // The ledger also contains the programs of `../shared/cases`.
    let mut known: HashSet<String> =
        causes("java/development/programs.tsv", 1).into_iter().chain(causes("bench/findings/ledger.tsv", 0)).collect();
    let of_services = causes("bench/services/expected.tsv", 2);
    known.extend(of_services.iter().flat_map(|causes| causes.split(',')).map(str::to_owned));
    known.extend(OF_MEASURED_TESTS.map(str::to_owned));
    let missing = Detector::all().iter().map(|detector| detector.id.as_str()).filter(|id| !known.contains(*id));
    assert_eq!(missing.collect::<BTreeSet<_>>(), WITHOUT_LINE.into());
}

#[test]
fn all_say_what_a_person_needs() {
    for detector in Detector::all() {
        let (id, text) = (&detector.id, &detector.text);
        assert!(!text.check_first.is_empty() && !text.when_not.is_empty(), "{id}");
        assert!([&text.meaning, &text.looks, &text.fix].iter().all(|text| text.ends_with('.')), "{id}");
        assert!(text.check_first.iter().chain(&text.when_not).all(|text| text.ends_with(['.', '?'])), "{id}");
        assert_eq!(text.before.is_some(), text.after.is_some(), "{id}");
        assert!(!detector.gain.assumption.is_empty() && !detector.gain.assumption.ends_with('.'), "{id}");
        for promise in ["guarantee", "upper bound", "will be", "false sharing", "cache misses are"] {
            assert!(!format!("{text:?}").to_lowercase().contains(promise), "{id}: {promise}");
        }
    }
}

#[test]
fn rules_can_be_followed() {
    for detector in Detector::all() {
        let (id, gain) = (&detector.id, &detector.gain);
        assert!(!detector.patterns.is_empty() || detector.rule.is_some(), "{id}");
        assert!((0.0..1.0).contains(&gain.remains), "{id}");
        assert!(gain.method_if.is_none() || gain.model == GainModel::Method, "{id}");
        for condition in &detector.conditions {
            let has_bound =
                condition.at_least.is_some() || condition.at_most.is_some() || !condition.none_of.is_empty();
            assert!(has_bound, "{id}: {:?}", condition.figure);
        }
        // Only code of the JDK, of the JVM and of the kernel is between the calling frame and an anchor.
        let with_anchors = detector.patterns.iter().filter(|pattern| !pattern.anchors.is_empty());
        for name in with_anchors.flat_map(|pattern| pattern.between.iter().chain(&pattern.not_between)) {
            let is_of_system = name.contains(':') || JDK.iter().any(|package| name.starts_with(package));
            assert!(is_of_system || name.starts_with('*'), "{id}: {name}");
        }
        let needs_classes = matches!(detector.site.kind, SiteKind::Receiver);
        assert!(!needs_classes || !detector.site.classes.is_empty(), "{id}");
        for name in names(detector) {
            let inside = name.strip_prefix('*').unwrap_or(name);
            assert!(!inside.strip_suffix('*').unwrap_or(inside).contains('*'), "{id}: {name}");
        }
    }
}

#[test]
fn each_cause_of_the_reference_programs_has_a_detector() {
    let Some(folder) = reference_folder("cases") else { return };
    let table = std::fs::read_to_string(folder.join("cases.tsv")).unwrap();
    for line in table.lines().skip(1) {
        let cause = line.split('\t').nth(1).unwrap();
        assert!(Detector::all().iter().any(|detector| detector.id == cause), "{cause}");
    }
}

#[test]
fn each_has_a_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/user/findings");
    for detector in Detector::all() {
        let page = folder.join(format!("{}.md", detector.id));
        assert!(page.exists(), "{} is missing; run: cargo xtask docs", page.display());
    }
}

#[test]
fn functions_of_the_jdk_exist() {
    let jdks = jdks();
    if jdks.len() < 2 {
        return not_run("needs two JDKs: names differ between them");
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/ListMethods.java");
    let lists: Vec<String> = jdks
        .iter()
        .map(|jdk| {
            let output = Command::new(jdk.java()).arg(&source).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap()
        })
        .collect();
    let whole: HashSet<&str> = lists.iter().flat_map(|list| list.lines()).collect();
    let plain: BTreeSet<&str> = whole.iter().map(|method| method.split('(').next().unwrap()).collect();
    let exists = |name: &str| match (name.strip_prefix('*'), name.strip_suffix('*')) {
        (Some(end), _) => plain.iter().any(|method| method.ends_with(end)),
        (_, Some(start)) => plain.range(start..).next().is_some_and(|method| method.starts_with(start)),
        _ if name.contains('(') => whole.iter().any(|method| method.starts_with(name)),
        _ => plain.contains(name),
    };
    let wanted: BTreeSet<&str> = Detector::all().iter().flat_map(names).collect();
    let is_jdk = |name: &&&str| JDK.iter().any(|package| name.starts_with(package));
    let known = |name: &str| ELSEWHERE.iter().any(|(other, _)| *other == name);
    let missing: Vec<&&str> = wanted.iter().filter(is_jdk).filter(|name| !exists(name) && !known(name)).collect();
    assert!(missing.is_empty(), "no JDK has {missing:?}");
    let needless: Vec<&str> =
        ELSEWHERE.iter().map(|(name, _)| *name).filter(|name| exists(name) || !wanted.contains(name)).collect();
    assert!(needless.is_empty(), "no exceptions needed: {needless:?}");
}
