//! Findings of drawn experiments: hot paths, denied candidates, page faults.

use whittle_findings::{Figure, Finding, FindingsOptions, FindingsView, findings};
use whittle_model::{CounterValue, EventKind, ObjectClass, ObjectClassIndex, Table};
use whittle_profile::Profile;
use whittle_profile::query::Query;
use whittle_testkit::experiment_from_text;
use whittle_views::source::NoFiles;

/// Number of samples in each experiment.
const SAMPLES: usize = 20;

/// Equal samples: the number of them, the event, the weight if there is one, and the frames from the root.
pub(crate) type Stack<'a> = (usize, &'a str, Option<(&'a str, &'a str)>, &'a [&'a str]);

pub(crate) fn cpu<'a>(count: usize, frames: &'a [&'a str]) -> Stack<'a> {
    (count, "cpu", None, frames)
}

/// Draws one column for each sample.
pub(crate) fn drawing(stacks: &[Stack<'_>]) -> String {
    let columns: Vec<&Stack<'_>> = stacks.iter().flat_map(|stack| std::iter::repeat_n(stack, stack.0)).collect();
    let width = |stack: &Stack<'_>| 2 + stack.3.iter().map(|frame| frame.len()).max().unwrap_or(0).max(16);
    let row = |key: &str, cell: &dyn Fn(&Stack<'_>) -> String| {
        let cells: String = columns.iter().map(|stack| format!("{:<1$}", cell(stack), width(stack))).collect();
        format!("{key:<8}  {cells}\n")
    };
    let is_gc = |stack: &Stack<'_>| stack.3.last().is_some_and(|frame| frame.ends_with("[j]"));
    let mut text = row("@thread", &|stack| if is_gc(stack) { "GC [gc]" } else { "main" }.to_owned());
    text += &row("@event", &|stack| stack.1.to_owned());
    for key in ["@bytes", "@count", "@weight"] {
        let value = |stack: &Stack<'_>| stack.2.filter(|(name, _)| *name == key).map(|(_, value)| value.to_owned());
        if columns.iter().any(|stack| value(stack).is_some()) {
            text +=
                &row(key, &|stack| value(stack).unwrap_or_else(|| if key == "@bytes" { "0" } else { "1" }.to_owned()));
        }
    }
    let depth = stacks.iter().map(|stack| stack.3.len()).max().unwrap_or(0);
    for level in 0..depth {
        text += &row("", &|stack| stack.3.get(level).map_or_else(String::new, |frame| (*frame).to_owned()));
    }
    text
}

fn profile(stacks: &[Stack<'_>]) -> Profile {
    let (manifest, tables) = experiment_from_text(&drawing(stacks));
    Profile::load(manifest, tables).expect("drawn experiments are valid")
}

fn computed(profile: &Profile) -> FindingsView {
    let nobody = NoFiles { reason: "no files here" };
    findings(profile, &Query::default(), &FindingsOptions::default(), &nobody).expect("findings")
}

/// Twelve samples on lines that have too little for a hot path.
const OTHERS: [&[&str]; 12] = [
    &["app.Main.main:1", "app.A.a:1"],
    &["app.Main.main:1", "app.A.a:2"],
    &["app.Main.main:1", "app.A.a:3"],
    &["app.Main.main:1", "app.A.a:4"],
    &["app.Main.main:1", "app.A.a:5"],
    &["app.Main.main:1", "app.A.a:6"],
    &["app.Main.main:1", "app.A.a:7"],
    &["app.Main.main:1", "app.A.a:8"],
    &["app.Main.main:1", "app.A.a:9"],
    &["app.Main.main:1", "app.A.a:10"],
    &["app.Main.main:1", "app.A.a:11"],
    &["app.Main.main:1", "app.A.a:12"],
];

pub(crate) fn with_others<'a>(own: &[Stack<'a>]) -> Vec<Stack<'a>> {
    let count: usize = own.iter().filter(|stack| stack.1 == "cpu").map(|stack| stack.0).sum();
    own.iter().copied().chain(OTHERS.iter().take(SAMPLES - count).map(|frames| cpu(1, frames))).collect()
}

fn only(view: &FindingsView) -> &Finding {
    let [finding] = view.findings.as_slice() else {
        panic!("{:?}", view.findings.iter().map(|finding| &finding.detector).collect::<Vec<_>>())
    };
    finding
}

fn value(finding: &Finding, figure: Figure) -> Option<f64> {
    finding.evidence.iter().find(|evidence| evidence.figure == figure).map(|evidence| evidence.value)
}

#[test]
fn a_hot_path_has_the_own_line_the_call_and_what_it_consists_of() {
    let shelf = |leaf| [vec!["app.Main.main:1", "app.Shop.list:31", "java/util/TreeMap.subMap"], leaf].concat();
    let (compare, copy) = (shelf(vec!["java/text/Collator.compare"]), shelf(vec!["java/lang/Object.clone"]));
    let profile = profile(&with_others(&[cpu(7, &compare), cpu(2, &copy)]));
    let view = computed(&profile);
    let finding = only(&view);
    assert_eq!((finding.detector.as_str(), finding.calling.line), ("hot-path", Some(31)));
    assert_eq!(
        (finding.calling.function.as_str(), finding.anchor.as_str()),
        ("app.Shop.list", "java/util/TreeMap.subMap")
    );
    assert_eq!(finding.spent.program_ratio, 9.0 / 20.0);
    let evidence = &finding.evidence[0];
    assert_eq!((evidence.figure, evidence.value), (Figure::LargestPart, 7.0 / 9.0));
    assert_eq!(
        evidence.text,
        "largest parts: the code of java/text/Collator.compare (78 %), java/lang/Object.clone (22 %)"
    );
    assert_eq!(value(finding, Figure::OwnCodeRatio), None);
}

#[test]
fn a_line_with_less_than_three_tenths_is_no_hot_path() {
    let frames = ["app.Main.main:1", "app.Shop.list:31", "java/util/TreeMap.subMap"];
    let view = computed(&profile(&with_others(&[cpu(5, &frames)])));
    // Twelve other lines and five samples of this one: 5 of 17.
    assert!(view.findings.is_empty());
    assert_eq!(view.largest_unexplained.map(|largest| largest.function), Some("app.A.a".to_owned()));
}

#[test]
fn own_code_of_a_line_is_a_hot_path_after_those_that_call_something() {
    let own = ["app.Main.main:1", "app.Rate.sum:12"];
    let call = ["app.Main.main:1", "app.Shop.list:31", "java/util/TreeMap.subMap"];
    let view = computed(&profile(&with_others(&[cpu(9, &own), cpu(8, &call)])));
    let lines: Vec<Option<u32>> = view.findings.iter().map(|finding| finding.calling.line).collect();
    assert_eq!(lines, [Some(31), Some(12)]);
    let finding = &view.findings[1];
    assert_eq!((value(finding, Figure::OwnCodeRatio), finding.anchor.as_str()), (Some(1.0), "app.Rate.sum"));
    assert!(finding.fix.contains("look at the lines near this one"), "{}", finding.fix);
    assert!(finding.filter.contains("leaf is \"app.Rate.sum\""), "{}", finding.filter);
}

/// The filter of a finding selects the finding's samples, also if the line's own code and its calls belong to it.
#[test]
fn the_filter_of_a_hot_path_selects_its_samples() {
    let own = ["app.Main.main:1", "app.Rate.sum:12"];
    let call = ["app.Main.main:1", "app.Rate.sum:12", "java/util/TreeMap.subMap"];
    let other = ["app.Main.main:1", "app.Rate.sum:13", "java/util/TreeMap.get"];
    let profile = profile(&with_others(&[cpu(5, &own), cpu(4, &call), cpu(1, &other)]));
    let view = computed(&profile);
    let finding = only(&view);
    let query = Query { filter: Some(finding.filter.parse().expect("a filter")), ..Query::default() };
    let filtered = findings(&profile, &query, &FindingsOptions::default(), &NoFiles { reason: "no files" });
    assert_eq!(filtered.expect("findings").work.samples_count, 9);
    assert_eq!(finding.spent.program_ratio, 9.0 / 20.0);
}

#[test]
fn the_bytes_and_waits_of_a_hot_path_decide_what_to_try() {
    let line = ["app.Main.main:1", "app.Shop.list:31", "java/util/TreeMap.subMap"];
    let bytes: Stack<'_> = (3, "alloc", Some(("@bytes", "1000")), &line);
    let view = computed(&profile(&with_others(&[cpu(8, &line), bytes])));
    let finding = view.findings.iter().find(|finding| finding.detector == "hot-path").expect("a hot path");
    assert_eq!(value(finding, Figure::AllocRatio), Some(1.0));
    assert!(finding.fix.contains("The line allocates most of the bytes"), "{}", finding.fix);
    let view = computed(&profile(&with_others(&[cpu(8, &line), (20, "off_cpu:socket", None, &line)])));
    let finding = only(&view);
    assert_eq!(value(finding, Figure::BlockedRatio), Some(20.0 / 28.0));
    assert!(finding.fix.contains("The threads wait most of this time"), "{}", finding.fix);
}

/// The class of most bytes is named, but only if it is known.
#[test]
fn the_bytes_of_a_line_are_mostly_of_one_class() {
    let line = ["app.Main.main:1", "app.Shop.list:31", "java/util/TreeMap.subMap"];
    let bytes: Stack<'_> = (4, "alloc", Some(("@bytes", "1000")), &line);
    let text = |classes: [u32; 4]| {
        let (manifest, mut tables) = experiment_from_text(&drawing(&with_others(&[cpu(8, &line), bytes])));
        for name in ["byte[]", "a.Order"] {
            tables.object_classes.push(ObjectClass { name: name.to_owned() });
        }
        let allocations = (0..tables.samples.len()).filter(|row| tables.samples.event[*row] == EventKind::Alloc);
        for (row, class) in allocations.collect::<Vec<_>>().into_iter().zip(classes) {
            tables.samples.object_class[row] = ObjectClassIndex(class);
        }
        let view = computed(&Profile::load(manifest, tables).expect("valid"));
        let finding = view.findings.iter().find(|finding| finding.detector == "hot-path").expect("a hot path");
        let allocated = finding.evidence.iter().find(|evidence| evidence.figure == Figure::AllocRatio);
        allocated.expect("allocated bytes").text.clone()
    };
    let of_all = "100 % of all bytes allocated by the work threads";
    assert_eq!(text([1, 1, 2, 1]), format!("{of_all}, mostly `byte[]` (75 % of these bytes)"));
    assert_eq!(text([1, 1, 2, 0]), of_all, "half of the bytes are not most of them");
    assert_eq!(text([0, 0, 0, 2]), of_all, "the class of most bytes is unknown");
}

#[test]
fn a_stub_has_the_name_of_the_method_that_it_implements() {
    let line = ["app.Main.main:1", "app.Tone.figure:45", "libmCos[s]"];
    let view = computed(&profile(&with_others(&[cpu(9, &line)])));
    let finding = only(&view);
    assert_eq!(finding.anchor, "java.lang.Math.cos");
    assert_eq!(finding.evidence[0].text, "largest parts: the code of java.lang.Math.cos (100 %)");
    assert!(finding.filter.contains("stack has \"libmCos\""), "{}", finding.filter);
    let view = computed(&profile(&with_others(&[cpu(9, &["sha512_implCompressMB[s]"])])));
    let largest = view.largest_unplaced.expect("a part without a line");
    assert_eq!(largest.function, "sha512_implCompressMB, which implements java.security.MessageDigest.update");
}

/// Stubs of cryptography have no caller on their stacks. If one line calls the class, it is the caller.
#[test]
fn a_stub_without_a_caller_belongs_to_the_only_line_that_calls_its_class() {
    let stub = ["sha512_implCompressMB[s]"];
    let line = |number: &'static str| ["app.Main.main:1", number, "java.security.MessageDigest.digest"];
    let (one, other) = (line("app.Block.digest:25"), line("app.Block.check:30"));
    let view = computed(&profile(&with_others(&[cpu(8, &stub), cpu(1, &one)])));
    let finding = only(&view);
    assert_eq!((finding.calling.line, finding.spent.program_ratio), (Some(25), 9.0 / 20.0));
    assert_eq!(value(finding, Figure::InferredRatio), Some(8.0 / 9.0));
    assert_eq!((view.union_ratio, view.unplaced_ratio), (9.0 / 20.0, 0.0));
    // With two callers, nobody knows which of them it was.
    let view = computed(&profile(&with_others(&[cpu(8, &stub), cpu(1, &one), cpu(1, &other)])));
    assert!(view.findings.is_empty());
    assert_eq!(view.unplaced_ratio, 8.0 / 20.0);
}

/// Garbage collection is in no line of the program, so it does not explain the CPU time of the line.
#[test]
fn a_line_with_garbage_remains_a_hot_path() {
    let line = ["app.Main.main:1", "app.Shop.list:31", "java/util/TreeMap.subMap"];
    let bytes: Stack<'_> = (9, "alloc", Some(("@bytes", "1000")), &line);
    let mut stacks = with_others(&[cpu(8, &line), bytes]);
    stacks.push(cpu(8, &["GCTaskThread::run[j]"]));
    let view = computed(&profile(&stacks));
    let detectors: Vec<&str> = view.findings.iter().map(|finding| finding.detector.as_str()).collect();
    assert!(detectors.contains(&"gc-pressure") && detectors.contains(&"hot-path"), "{detectors:?}");
    assert_eq!(view.union_ratio, 8.0 / 20.0);
}

#[test]
fn a_pattern_that_a_condition_denies_is_reported_with_the_reason() {
    let get = [
        "app.Main.main:1",
        "app.Desk.user:7",
        "java/lang/ThreadLocal.get",
        "java/lang/ThreadLocal$ThreadLocalMap.getEntry",
    ];
    let view = computed(&profile(&with_others(&[cpu(4, &get)])));
    assert!(view.findings.is_empty());
    let [denied] = view.denied.as_slice() else { panic!("{:?}", view.denied.len()) };
    assert_eq!((denied.detector.as_str(), denied.line), ("thread-local-churn", Some(7)));
    assert_eq!(denied.reason, "0 % of its CPU time on stacks with the required frames (required: at least 10 %)");
    // A variable that is created each time is the pattern.
    let new =
        ["app.Main.main:1", "app.Desk.user:7", "java/lang/ThreadLocal.get", "java/lang/ThreadLocal.setInitialValue"];
    let view = computed(&profile(&with_others(&[cpu(3, &get), cpu(5, &new)])));
    assert_eq!((only(&view).detector.as_str(), view.denied.len()), ("thread-local-churn", 0));
    assert_eq!(only(&view).spent.program_ratio, 8.0 / 20.0);
}

/// The stack of a page fault ends with the program's line. It has no frames of the kernel, other than the stacks of CPU samples.
#[test]
fn page_faults_count_for_the_line_that_touches_the_memory() {
    let line = ["app.Main.main:1", "app.Panel.paint:95", "asm_exc_page_fault[k]"];
    let touched = ["app.Main.main:1", "app.Panel.paint:95"];
    let faults: Stack<'_> = (4, "page_fault", Some(("@count", "200000")), &touched);
    let view = computed(&profile(&with_others(&[cpu(8, &line), faults])));
    let finding = view.findings.iter().find(|finding| finding.detector == "page-faults").expect("page faults");
    assert_eq!(finding.calling.line, Some(95));
    assert!(value(finding, Figure::FaultsPerSecond).is_some_and(|faults| faults >= 5000.0));
    let few: Stack<'_> = (4, "page_fault", Some(("@count", "2")), &touched);
    let view = computed(&profile(&with_others(&[cpu(8, &line), few])));
    assert!(!view.findings.iter().any(|finding| finding.detector == "page-faults"));
}

/// The first access to each page of a growing heap costs a fault only once.
#[test]
fn memory_that_is_touched_for_the_first_time_is_no_trouble() {
    let line = ["app.Main.main:1", "app.Panel.paint:95", "asm_exc_page_fault[k]"];
    let touched = ["app.Main.main:1", "app.Panel.paint:95"];
    let faults: Stack<'_> = (4, "page_fault", Some(("@count", "200000")), &touched);
    let stacks = with_others(&[cpu(8, &line), faults]);
    let count_with_growth = |pages: f64| {
        let (manifest, mut tables) = experiment_from_text(&drawing(&stacks));
        for (time_ns, value) in [(0, 1e9), (1_000_000_000, 1e9 + pages * 4096.0)] {
            tables.counters.push(CounterValue { time_ns, counter: "rss_bytes".to_owned(), value });
        }
        let view = computed(&Profile::load(manifest, tables).expect("loads"));
        let finding = view.findings.iter().find(|finding| finding.detector == "page-faults");
        finding.map(|finding| value(finding, Figure::FaultsPerNewPage))
    };
    // The experiment has 800,000 faults.
    assert_eq!(count_with_growth(800_000.0), None);
    assert_eq!(count_with_growth(100_000.0), Some(Some(8.0)));
    assert_eq!(count_with_growth(0.0), Some(Some(800_000.0)));
}

/// A look-up of what does not change costs more than it looks, but not if the JDK makes it for something else.
#[test]
fn a_look_up_of_what_does_not_change_is_found_at_its_line() {
    let bundle = |call: &'static str| {
        vec!["app.Main.main:1", call, "java/util/ResourceBundle.getBundle", "java/util/ResourceBundle.getBundleImpl"]
    };
    let name = ["app.Main.main:1", "app.Card.bytes:40", "java/lang/String.getBytes", "java/lang/String.lookupCharset"];
    let resource = [
        "app.Main.main:1",
        "app.Card.logo:41",
        "java/lang/Class.getResourceAsStream",
        "java/lang/ClassLoader.getResource",
    ];
    let zone = ["app.Main.main:1", "app.Card.time:42", "java/time/ZoneId.of"];
    let bundle_at_line = bundle("app.Card.word:37");
    let stacks: [(&[&str], u32); 4] = [(&bundle_at_line, 37), (&name, 40), (&resource, 41), (&zone, 42)];
    for (stack, line) in stacks {
        let view = computed(&profile(&with_others(&[cpu(9, stack)])));
        let finding = only(&view);
        assert_eq!((finding.detector.as_str(), finding.calling.line), ("factory-lookup", Some(line)));
    }
    // The formatter looks up its symbols.
    let format = [
        "app.Main.main:1",
        "app.Card.date:50",
        "java/text/SimpleDateFormat.<init>",
        "java/util/ResourceBundle.getBundle",
    ];
    let view = computed(&profile(&with_others(&[cpu(9, &format)])));
    assert_eq!(only(&view).detector, "format-per-call");
    // Encoding is no look-up.
    let encode = ["app.Main.main:1", "app.Card.bytes:40", "java/lang/String.getBytes", "java/lang/String.encode"];
    let view = computed(&profile(&with_others(&[cpu(9, &encode)])));
    assert_eq!(only(&view).detector, "hot-path");
}

/// With a warm cache, a look-up is cheap.
#[test]
fn a_look_up_with_a_small_share_is_no_finding() {
    let bundle = ["app.Main.main:1", "app.Card.word:37", "java/util/ResourceBundle.getBundle"];
    let work = ["app.Main.main:1", "app.Card.sort:60", "java/util/TreeMap.get"];
    let detectors = |looks: usize| -> Vec<String> {
        let view = computed(&profile(&[cpu(looks, &bundle), cpu(200 - looks, &work)]));
        view.findings.into_iter().map(|finding| finding.detector).collect()
    };
    assert!(!detectors(8).contains(&"factory-lookup".to_owned()));
    assert!(detectors(20).contains(&"factory-lookup".to_owned()));
}
