//! Comparisons of drawn experiments: every view with both sides.

use crate::support::{query, text};
use proptest::prelude::{ProptestConfig, proptest};
use whittle_engine::{Answer, answer};
use whittle_model::UnitOfWork;
use whittle_profile::compare::Run;
use whittle_profile::sides::Per;
use whittle_profile::{AnalysisError, Fragment, Profile, Query, ViewMode};
use whittle_testkit::{RandomSample, RandomShape, experiment_from_samples, experiment_from_text, random_samples};
use whittle_views::call_tree::TreeShape;
use whittle_views::flame_graph::FlameGraphShape;
use whittle_views::source::NoFiles;

/// A run with this many messages in 10 s.
fn run(name: &str, drawn: &str, messages: Option<f64>) -> Run {
    let (mut manifest, tables) = experiment_from_text(drawn);
    manifest.duration_ns = 10_000_000_000;
    let unit = |amount| UnitOfWork { name: "messages".to_owned(), amount, source: "drawn".to_owned() };
    manifest.units_of_work = messages.into_iter().map(unit).collect();
    Run { name: name.to_owned(), manifest, tables }
}

const BEFORE: &str = "
    main    main    main    main
    handle  handle  handle  handle
    write   write   parse   log
    ";
const AFTER: &str = "
    main    main    main
    handle  handle  handle
    parse   parse2  flush
    ";

fn comparison(messages: [Option<f64>; 2], per: Option<Per>) -> Profile {
    let (before, after) = (run("before", BEFORE, messages[0]), run("after", AFTER, messages[1]));
    whittle_profile::compare::compare(vec![before], vec![after], (per, &[])).expect("compares")
}

#[test]
fn functions_show_both_sides_per_unit_of_work() {
    let view = whittle_views::functions::functions(&comparison([Some(4.0), Some(6.0)], None), &query("e.cpu"))
        .expect("functions");
    assert_eq!(
        text(&view),
        "
Functions, user mode
Baseline before, candidate after
Values are per message (baseline 4, candidate 6); single runs: differences may be noise

exclusive CPU  exclusive CPU  exclusive CPU  exclusive CPU
   baseline s    candidate s      ▼ delta s          ratio  function
        1.000          0.500         -0.500          ×0.50  <Total>
        0.500          0.000         -0.500           gone  write
        0.250          0.000         -0.250           gone  log
        0.000          0.167         +0.167            new  flush
        0.000          0.167         +0.167            new  parse2
        0.250          0.167         -0.083          ×0.67  parse
"
    );
}

#[test]
fn work_that_is_not_known_leaves_seconds() {
    let profile = comparison([Some(4.0), None], None);
    let comparison = profile.comparison().expect("a comparison");
    assert_eq!(comparison.per.words, "per second of elapsed time");
    assert!(comparison.words.contains("Units of work are unknown"), "{}", comparison.words);
    let per = |per: &str| {
        let runs = [run("before", BEFORE, Some(4.0)), run("after", AFTER, None)];
        let [before, after] = runs;
        whittle_profile::compare::compare(vec![before], vec![after], (Some(per.parse().expect("known")), &[]))
    };
    let total = |per: &str| {
        let view = whittle_views::functions::functions(
            &self::comparison([None, None], Some(per.parse().expect("known"))),
            &query("cpu"),
        )
        .expect("functions");
        (view.total.numbers[0], view.total.numbers[1])
    };
    assert_eq!(total("run"), (4e9, 3e9));
    assert_eq!(total("cpu-second"), (1e9, 1e9));
    let error = per("messages").expect_err("the candidate knows none").to_string();
    assert_eq!(error, "no values per message for after: the run's number of units is unknown or 0");
}

const SHAPE: RandomShape = RandomShape { function_count: 3, depth: 8, sample_count: 12, thread_count: 4 };

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn sides_are_those_of_each_experiment_alone(before in random_samples(SHAPE), after in random_samples(SHAPE)) {
        check_sides([&before, &after]);
    }

    #[test]
    fn random_flame_graphs_have_both_sides(before in random_samples(SHAPE), after in random_samples(SHAPE)) {
        check_boxes([&before, &after]);
    }
}

/// A query in machine mode. User mode depends on whether an experiment has Java, and one side might have no Java.
fn machine(metrics: &str) -> Query {
    Query { mode: ViewMode::Machine, ..query(metrics) }
}

fn check_sides(samples: [&[RandomSample]; 2]) {
    let [before, after] = samples.map(experiment_from_samples);
    let alone = [&before, &after].map(|(manifest, tables)| {
        let profile = Profile::load(manifest.clone(), tables.clone()).expect("loads");
        whittle_views::functions::functions(&profile, &machine("e.cpu,i.cpu")).expect("functions")
    });
    let run = |name: &str, (manifest, tables)| Run { name: name.to_owned(), manifest, tables };
    let per = Some(Per::Run);
    let both =
        whittle_profile::compare::compare(vec![run("a", before)], vec![run("b", after)], (per, &[])).expect("compares");
    let view = whittle_views::functions::functions(&both, &machine("e.cpu,i.cpu")).expect("functions");
    for row in &view.rows {
        for (side, alone) in alone.iter().enumerate() {
            // A comparison changes names that contain numbers of the JVM. Several such names can become one name.
            let same: Vec<_> = alone.rows.iter().filter(|other| other.function == row.function).collect();
            if let [same] = same.as_slice() {
                for flavour in 0..2 {
                    let (value, expected) = (row.values.numbers[flavour * 4 + side], same.values.numbers[flavour]);
                    assert!(
                        (value - expected).abs() <= 1e-9 * expected.max(1.0),
                        "{}: {value} {expected}",
                        row.function
                    );
                }
            }
        }
        assert_eq!(row.values.numbers[1] - row.values.numbers[0], row.values.numbers[2], "{}", row.function);
    }
    for (side, alone) in alone.iter().enumerate() {
        let (value, expected) = (view.total.numbers[side], alone.total.numbers[0]);
        assert!((value - expected).abs() <= 1e-9 * expected.max(1.0), "{value} {expected}");
    }
}

#[test]
fn callers_callees_and_call_tree_show_what_is_gone_and_what_is_new() {
    let profile = comparison([None, None], Some(Per::Run));
    let around =
        whittle_views::callers_callees::callers_callees(&profile, &query("a.cpu"), &Fragment::center("handle"))
            .expect("callers");
    let callees: Vec<_> =
        around.callees.iter().map(|row| (row.function.as_str(), row.values.numbers[2] / 1e9)).collect();
    assert_eq!(callees, [("write", -2.0), ("flush", 1.0), ("log", -1.0), ("parse2", 1.0), ("parse", 0.0)]);
    let tree = whittle_views::call_tree::call_tree(&profile, &query("i.cpu"), &TreeShape::default()).expect("tree");
    let rows: Vec<_> = tree
        .rows
        .iter()
        .map(|row| (row.function.as_str(), row.values.numbers[0] / 1e9, row.values.numbers[1] / 1e9))
        .collect();
    assert_eq!(rows[..4], [("<Total>", 4.0, 3.0), ("main", 4.0, 3.0), ("handle", 4.0, 3.0), ("write", 2.0, 0.0)]);
    assert_eq!(rows.len(), 8);
}

#[test]
fn the_overview_and_the_details_of_a_function_show_all_parts_of_a_metric() {
    let profile = comparison([None, None], Some(Per::Run));
    let only_after = Query { filter: Some("side is candidate".parse().expect("a filter")), ..query("cpu") };
    let overview = text(&whittle_views::comparison::comparison_overview(&profile, &only_after).expect("overview"));
    let cpu = overview.lines().find(|line| line.ends_with("s CPU")).expect("the CPU time");
    assert_eq!(cpu.split_whitespace().collect::<Vec<_>>(), ["0.000", "3.000", "+3.000", "new", "s", "CPU"]);
    let details = text(&whittle_views::function::function_details(&profile, &query("cpu"), "write").expect("details"));
    let cpu = details.lines().find(|line| line.ends_with("s inclusive CPU")).expect("the inclusive CPU time");
    assert_eq!(cpu.split_whitespace().collect::<Vec<_>>()[..4], ["2.000", "0.000", "-2.000", "gone"]);
    assert!(!details.contains("NaN"), "{details}");
}

#[test]
fn cost_that_moved_is_told() {
    let after = BEFORE.replace("write", "send ");
    let runs = [run("before", BEFORE, None), run("after", &after, None)];
    let [before, after] = runs;
    let profile =
        whittle_profile::compare::compare(vec![before], vec![after], (Some(Per::Run), &[])).expect("compares");
    let view = whittle_views::comparison::comparison_overview(&profile, &Query::default()).expect("overview");
    let moved = view.moved.iter().find(|moved| moved.under == "handle").expect("moved below handle");
    assert_eq!(
        (moved.from.as_slice(), moved.to.as_slice(), moved.value),
        (&["write".to_owned()][..], &["send".to_owned()][..], 2e9)
    );
    // Cost that disappeared is not moved cost.
    let view =
        whittle_views::comparison::comparison_overview(&comparison([None, None], Some(Per::Run)), &Query::default())
            .expect("overview");
    assert_eq!(view.moved, []);
}

#[test]
fn a_filter_can_keep_one_side() {
    let profile = comparison([None, None], Some(Per::Run));
    let only = |filter: &str| {
        let query = Query { filter: Some(filter.parse().expect("a filter")), ..query("cpu") };
        whittle_views::functions::functions(&profile, &query).map(|view| view.total.numbers[..2].to_vec())
    };
    assert_eq!(only("side is baseline").expect("functions"), [4e9, 0.0]);
    assert_eq!(only("not side is baseline").expect("functions"), [0.0, 3e9]);
    let part = Query { filter: Some("time in 0s..1s".parse().expect("a filter")), ..query("cpu") };
    let notes = whittle_views::functions::functions(&profile, &part).expect("functions").preamble.notes;
    assert!(notes.iter().any(|note| note.contains("a part of the time")), "{notes:?}");
    let (manifest, tables) = experiment_from_text(BEFORE);
    let alone = Profile::load(manifest, tables).expect("loads");
    let query = Query { filter: Some("side is baseline".parse().expect("a filter")), ..Query::default() };
    let error = whittle_views::functions::functions(&alone, &query).expect_err("no sides").to_string();
    assert!(error.contains("nothing is compared here"), "{error}");
    let error = whittle_views::functions::functions(&alone, &self::query("e.cpu:delta")).expect_err("no sides");
    assert!(matches!(error, AnalysisError::NothingCompared { .. }));
}

/// For any direction, root and zoom, every box has the same values as the views of functions or trees.
#[test]
fn boxes_of_flame_graphs_have_both_sides() {
    let profile = comparison([None, None], Some(Per::Run));
    let sides = |shape: FlameGraphShape| {
        let view = whittle_views::flame_graph::flame_graph(&profile, &Query::default(), &shape).expect("a graph");
        let [before, after] = view.sides.clone().expect("sides");
        let boxes = 0..view.boxes.len();
        boxes
            .map(|index| {
                let mean = f64::midpoint(before[index], after[index]);
                assert!((mean - view.boxes.value[index]).abs() < 1.0, "{:?}", view.names[&view.boxes.function[index]]);
                (view.names[&view.boxes.function[index]].clone(), before[index] / 1e9, after[index] / 1e9)
            })
            .collect::<Vec<_>>()
    };
    let shape = |text: &str| -> FlameGraphShape { serde_json::from_str(text).expect("a shape") };
    let all = sides(shape("{}"));
    assert_eq!(
        all[..3],
        [("<Total>".to_owned(), 4.0, 3.0), ("main".to_owned(), 4.0, 3.0), ("handle".to_owned(), 4.0, 3.0)]
    );
    assert!(all.contains(&("write".to_owned(), 2.0, 0.0)) && all.contains(&("flush".to_owned(), 0.0, 1.0)), "{all:?}");
    assert_eq!(sides(shape(r#"{"root":"handle"}"#))[0], ("handle".to_owned(), 4.0, 3.0));
    let callers = sides(shape(r#"{"direction":"callers"}"#));
    assert!(callers.contains(&("parse".to_owned(), 1.0, 1.0)) && callers.len() == 1 + 5 * 3, "{callers:?}");
    assert_eq!(sides(shape(r#"{"direction":"callers","root":"parse"}"#)).len(), 3);
    let narrow = sides(shape(r#"{"width_px":10,"min_px":5}"#));
    assert_eq!(narrow.len(), 4, "{narrow:?}");
}

fn check_boxes(samples: [&[RandomSample]; 2]) {
    let run = |name: &str, samples| {
        let (manifest, tables) = experiment_from_samples(samples);
        Run { name: name.to_owned(), manifest, tables }
    };
    let sides = (vec![run("a", samples[0])], vec![run("b", samples[1])]);
    let profile = whittle_profile::compare::compare(sides.0, sides.1, (Some(Per::Run), &[])).expect("compares");
    let names: Vec<String> = whittle_views::functions::functions(&profile, &query("i.cpu"))
        .expect("functions")
        .rows
        .iter()
        .take(3)
        .map(|row| row.function.clone())
        .collect();
    for direction in ["callees", "callers"] {
        for root in names.iter().map(Some).chain([None]) {
            let shape = serde_json::json!({"direction": direction, "root": root, "width_px": 60});
            let shape = serde_json::from_value(shape).expect("a shape");
            let query = Query { mode: ViewMode::Machine, ..Query::default() };
            let Ok(view) = whittle_views::flame_graph::flame_graph(&profile, &query, &shape) else { continue };
            let [before, after] = view.sides.as_ref().expect("sides");
            for index in 0..view.boxes.len() {
                let (mean, value) = (f64::midpoint(before[index], after[index]), view.boxes.value[index]);
                assert!((mean - value).abs() <= 1e-6 * value.max(1.0), "{direction} {root:?} {index}: {mean} {value}");
            }
        }
    }
}

#[test]
fn functions_of_runs_add_up_to_the_sides() {
    let runs = |name: &str, drawn: &[&str]| drawn.iter().map(|drawn| run(name, drawn, Some(2.0))).collect::<Vec<_>>();
    let profile =
        whittle_profile::compare::compare(runs("a", &[BEFORE, BEFORE]), runs("b", &[AFTER, BEFORE]), (None, &[]))
            .expect("compares");
    let by_run =
        whittle_verdict::verify::function_runs(&profile, &Query::default()).expect("runs").expect("a comparison");
    let write = by_run.functions.iter().find(|function| function.name == "write").expect("write");
    assert_eq!(write.cost_ns, [2e9, 2e9, 0.0, 2e9]);
    assert_eq!(by_run.units, [Some(2.0); 4]);
    let parse = by_run.functions.iter().find(|function| function.name == "parse").expect("parse");
    assert_eq!(parse.samples, [1.0, 1.0, 1.0, 1.0]);
}

#[test]
fn the_engine_says_what_is_compared() {
    let profile = comparison([Some(4.0), Some(6.0)], None);
    let json = |request: &str| match answer(&profile, request, &NoFiles { reason: "" }).expect("an answer") {
        Answer::Json(text) => serde_json::from_str::<serde_json::Value>(&text).expect("JSON"),
        Answer::Binary(_) => panic!("asked for JSON"),
    };
    let experiment = json(r#"{"view":"experiment"}"#);
    assert_eq!(
        experiment["comparison"]["per"],
        serde_json::json!({"kind": "unit", "unit": "messages", "words": "per message"})
    );
    assert_eq!(experiment["metrics"][0]["name"], "cpu");
    assert!(
        experiment["metrics"].as_array().is_some_and(|metrics| metrics
            .iter()
            .filter(|one| one["name"] == "cpu")
            .count()
            == 1)
    );
    let functions = json(r#"{"view":"functions","metrics":"e.cpu","sort":"e.cpu:ratio","limit":1}"#);
    assert_eq!(functions["sorted_by"], "exclusive_cpu_ratio");
    assert_eq!(functions["total"]["exclusive_cpu_delta"], -500_000_000);
    assert!(
        functions["rows"][0]["exclusive_cpu_ratio"].is_number()
            || functions["rows"][0]["exclusive_cpu_ratio"].is_null()
    );
    assert_eq!(json(r#"{"view":"overview"}"#)["counters"][0]["title"], "elapsed time per message");
    assert_eq!(json(r#"{"view":"syscalls"}"#)["rows"], serde_json::json!([]));
}
