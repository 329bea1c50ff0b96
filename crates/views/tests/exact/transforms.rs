//! Tests of transforms: the effect of each transform on drawn stacks, and properties that are always true.

#![allow(clippy::unwrap_used, reason = "test code")]

use crate::support::{profile, text};
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_assume, proptest};
use proptest::sample::Index;
use std::collections::BTreeMap;
use whittle_profile::{Fragment, Profile, Query, ViewMode};
use whittle_testkit::{RandomSample, RandomShape, experiment_from_samples, random_samples};
use whittle_views::call_tree::{CallTreeView, TreeShape};
use whittle_views::flame_graph::{FlameGraphShape, FlameGraphView, flame_graph};
use whittle_views::shown_stacks::FrameworkFrames;
use whittle_views::tree_rows::{TreeRowsShape, tree_rows};

/// The stacks after some transforms, root first, with their seconds. The notes are below the stacks.
fn stacks_after(drawing: &str, transforms: &[&str]) -> String {
    let query = Query {
        mode: ViewMode::Machine,
        transforms: transforms.iter().map(|text| text.parse().unwrap()).collect(),
        metrics: Some("cpu".parse().unwrap()),
        ..Query::default()
    };
    let view = whittle_views::stacks::stacks(&profile(drawing), &query).unwrap();
    let mut lines: Vec<String> = view
        .rows
        .iter()
        .map(|row| {
            let frames: Vec<&str> = row.frames_leaf_first.iter().rev().map(String::as_str).collect();
            format!("{} {}", row.values.numbers[0] / 1e9, frames.join(" > "))
        })
        .collect();
    lines.sort();
    lines.extend(view.preamble.notes);
    lines.join("\n")
}

const RECURSION: &str = "
    main()  main()  main()  main()  other()
    a.F()   a.F()   a.F()   g()     g()
    a.F()   g()     g()     h()
    h()     a.F()   h()
            h()
";

#[test]
fn focus_shows_what_a_function_does_and_leaves_out_the_rest() {
    assert_eq!(
        stacks_after(RECURSION, &["focus \"a.F()\""]),
        "1 a.F() > a.F() > h()\n1 a.F() > g() > a.F() > h()\n1 a.F() > g() > h()\n\
         transforms leave out 2.000 s CPU (40.00 %)"
    );
}

#[test]
fn merge_gives_the_cost_to_the_caller() {
    assert_eq!(
        stacks_after(RECURSION, &["merge \"a.F()\"", "merge \"h()\""]),
        "1 main()\n1 other() > g()\n3 main() > g()"
    );
    // If a merged function has no caller, the root takes over its cost.
    assert_eq!(stacks_after("f()  f()\ng()\n", &["merge \"f()\""]), "1 \n1 g()");
}

#[test]
fn hide_leaves_out_stacks_that_hold_a_function() {
    assert_eq!(
        stacks_after(RECURSION, &["hide \"a.F()\""]),
        "1 main() > g() > h()\n1 other() > g()\ntransforms leave out 3.000 s CPU (60.00 %)"
    );
    assert_eq!(
        stacks_after(RECURSION, &["hide \"g()\"", "hide \"a.F()\""]),
        "the transforms leave no samples\ntransforms leave out 5.000 s CPU (100.00 %)"
    );
}

#[test]
fn recursion_becomes_one_frame() {
    assert_eq!(
        stacks_after(RECURSION, &["collapse recursion \"a.F()\""]),
        "1 main() > a.F() > g() > h()\n1 main() > g() > h()\n1 other() > g()\n2 main() > a.F() > h()"
    );
    assert_eq!(
        stacks_after(
            "f()  f()  f()\ng()  g()  g()\ng()  f()  h()\nf()  g()  h()\n     h()  f()\n",
            &["collapse recursion"]
        ),
        "1 f() > g() > h()\n2 f()"
    );
}

#[test]
fn packages_and_binaries_become_one_frame_where_they_are_adjacent() {
    const DRAWING: &str = "
        app.Main.run()                        app.Main.run()
        java.util.Map.get()                   java.util.Map.get()
        java.util.concurrent.Lock.lock()      app.Key.hash()
        __futex[n]                            java.util.Map.get()
        __kernel_part[n]
    ";
    assert_eq!(
        stacks_after(DRAWING, &["collapse package \"java.util\"", "collapse binary \"libc.so.6\""]),
        "1 app.Main.run() > java.util.* > app.Key.hash() > java.util.*\n1 app.Main.run() > java.util.* > libc.so.6"
    );
    // A collapsed package is also part of the package that contains it.
    assert_eq!(
        stacks_after(
            DRAWING,
            &["collapse package \"java.util.concurrent\"", "collapse package \"java\"", "merge \"app.Key.hash()\""]
        ),
        "1 app.Main.run() > java.* > __futex > __kernel_part\n1 app.Main.run() > java.* > java.*"
    );
    assert_eq!(
        stacks_after(DRAWING, &["merge package \"java\"", "hide binary \"/usr/lib/x86_64-linux-gnu/libc.so.6\""]),
        "1 app.Main.run() > app.Key.hash()\ntransforms leave out 1.000 s CPU (50.00 %)"
    );
    assert_eq!(
        stacks_after(DRAWING, &["focus package \"java.util.concurrent\""]),
        "1 java.util.concurrent.Lock.lock() > __futex > __kernel_part\ntransforms leave out 1.000 s CPU (50.00 %)"
    );
}

#[test]
fn a_collapsed_package_is_a_function_like_others() {
    let profile = profile("app.Main.run()\njava.util.Map.get()\njava.util.Set.has()\napp.Key.hash()\n");
    let query = Query {
        transforms: vec!["collapse package \"java.util\"".parse().unwrap()],
        metrics: Some("a.cpu".parse().unwrap()),
        ..Query::default()
    };
    let view =
        whittle_views::callers_callees::callers_callees(&profile, &query, &Fragment::center("java.util.*")).unwrap();
    assert_eq!(
        text(&view),
        "
Callers and callees of java.util.*, user mode
After: collapse package \"java.util\"

attributed
   ▼ CPU s   function
     1.000   app.Main.run()
     0.000  *java.util.*
     1.000   app.Key.hash()
"
    );
    let gone =
        whittle_views::callers_callees::callers_callees(&profile, &query, &Fragment::center("java.util.Map.get()"))
            .unwrap_err()
            .to_string();
    assert_eq!(gone, "\"java.util.Map.get()\" is on no stack after the transforms. Remove a transform");
    let lines = whittle_views::lines::lines(&profile, &Query { metrics: None, ..query.clone() }).unwrap();
    assert_eq!(lines.rows.len(), 3);
    let without =
        whittle_views::callers_callees::callers_callees(&profile, &Query::default(), &Fragment::center("java.util.*"))
            .unwrap_err();
    assert!(without.to_string().starts_with("no function \"java.util.*\""));
}

#[test]
fn transforms_that_name_nothing_say_so() {
    let profile = profile("app.Main.run()\n__write[n]\n");
    let asked = |text: &str| {
        let query = Query { transforms: vec![text.parse().unwrap()], ..Query::default() };
        whittle_views::functions::functions(&profile, &query)
            .map(|view| view.preamble.notes.join("; "))
            .map_err(|error| error.to_string())
    };
    for (transform, part) in [
        ("merge \"app.Main.walk\"", "character 7: no function \"app.Main.walk\""),
        ("hide package \"ap\"", "character 14: no function is in a package \"ap\""),
        ("collapse binary \"libz.so\"", "none of the 1 binaries is called \"libz.so\""),
        ("focus \"<Total>\"", "<Total> represents all stacks"),
        ("merge \"app.*\"", "no function \"app.*\""),
    ] {
        let problem = asked(transform).unwrap_err();
        assert!(problem.contains(part), "{transform}: {problem}");
    }
    assert_eq!(asked("merge \"__write\"").unwrap(), "`merge \"__write\"` has no effect in user mode");
}

#[test]
fn a_transform_counts_in_every_view() {
    let profile = profile(
        "
        @thread  main     main     worker
        @weight  1        2        4
                 run()    run()    run()
                 keep()   drop()   drop()
        ",
    );
    let query = Query { transforms: vec!["hide \"drop()\"".parse().unwrap()], ..Query::default() };
    assert_eq!(whittle_views::functions::functions(&profile, &query).unwrap().total.numbers[0], 1e9);
    assert_eq!(whittle_views::lines::lines(&profile, &query).unwrap().total.numbers[0], 1e9);
    assert_eq!(
        whittle_views::threads::threads(&profile, &query, &whittle_views::threads::ThreadsShape::default())
            .unwrap()
            .rows
            .len(),
        1
    );
    assert_eq!(whittle_views::overview::overview(&profile, &query).unwrap().samples_count, 1);
    assert_eq!(
        whittle_views::call_tree::call_tree(&profile, &query, &TreeShape::default()).unwrap().rows[0].values.numbers[0],
        1e9
    );
    assert_eq!(whittle_views::function::function_details(&profile, &query, "run()").unwrap().values.numbers[0], 0.0);
    // A filter always tests the stacks as recorded, and not the stacks after transforms.
    let filter = Some("stack has \"drop()\" and thread = \"main\"".parse().unwrap());
    let merged = vec!["merge \"drop()\"".parse().unwrap()];
    let view =
        whittle_views::stacks::stacks(&profile, &Query { filter, transforms: merged, ..Query::default() }).unwrap();
    assert_eq!(
        (view.rows[0].frames_leaf_first.as_slice(), view.total.numbers[0]),
        (["run()".to_owned()].as_slice(), 2e9)
    );
}

const SHAPE: RandomShape = RandomShape { function_count: 3, depth: 8, sample_count: 12, thread_count: 4 };

fn random_profile(samples: &[RandomSample]) -> Profile {
    let (manifest, tables) = experiment_from_samples(samples);
    Profile::load(manifest, tables).unwrap()
}

fn query(mode: ViewMode, transforms: &[String]) -> Query {
    Query {
        mode,
        transforms: transforms.iter().map(|text| text.parse().unwrap()).collect(),
        metrics: Some("e.cpu,i.cpu".parse().unwrap()),
        ..Query::default()
    }
}

/// Exclusive and inclusive CPU by name.
fn by_name(profile: &Profile, query: &Query) -> BTreeMap<String, (f64, f64)> {
    let rows = whittle_views::functions::functions(profile, query).unwrap().rows.into_iter();
    rows.map(|row| (row.function, (row.values.numbers[0], row.values.numbers[1]))).collect()
}

/// The total, and the part of the total for stacks without frames.
fn total(profile: &Profile, query: &Query) -> (f64, f64) {
    let root = whittle_views::call_tree::call_tree(
        profile,
        &Query { metrics: Some("i.cpu,e.cpu".parse().unwrap()), ..query.clone() },
        &TreeShape::default(),
    );
    let root = root.unwrap().rows.remove(0).values.numbers;
    (root[0], root[1])
}

/// One of the functions that a mode shows.
fn pick(profile: &Profile, mode: ViewMode, index: Index) -> Option<String> {
    let names: Vec<String> = by_name(profile, &query(mode, &[])).into_keys().collect();
    (!names.is_empty()).then(|| index.get(&names).clone())
}

fn mode() -> impl Strategy<Value = ViewMode> {
    proptest::sample::select(ViewMode::ALL.to_vec())
}

fn transform(verb: usize, function: &str) -> String {
    match verb {
        0 => format!("focus \"{function}\""),
        1 => format!("merge \"{function}\""),
        2 => format!("hide \"{function}\""),
        3 => format!("collapse recursion \"{function}\""),
        4 => "collapse recursion".to_owned(),
        5 => "collapse binary \"libc.so.6\"".to_owned(),
        _ => "merge binary \"libapplication.so\"".to_owned(),
    }
}

/// The expected effect of a transform, computed for one stack, frame by frame.
fn transformed(stack: &[String], transform: &str) -> Option<Vec<String>> {
    let (verb, name) =
        transform.split_once(" \"").map_or((transform, ""), |(verb, rest)| (verb, rest.trim_end_matches('"')));
    let is_it = |frame: &String| match verb {
        "collapse binary" | "merge binary" => {
            let number = frame.strip_prefix("native_").and_then(|number| number.parse::<u32>().ok());
            number.is_some_and(|number| number.is_multiple_of(2) == (name == "libc.so.6")) || frame == name
        }
        _ => frame == name,
    };
    let first = stack.iter().position(is_it);
    match verb {
        "focus" => Some(stack[first?..].to_vec()),
        "hide" if first.is_some() => None,
        "hide" => Some(stack.to_vec()),
        "merge" | "merge binary" => Some(stack.iter().filter(|frame| !is_it(frame)).cloned().collect()),
        "collapse recursion" if name.is_empty() => {
            let mut shown: Vec<String> = Vec::new();
            for frame in stack {
                shown.truncate(shown.iter().position(|other| other == frame).unwrap_or(shown.len()));
                shown.push(frame.clone());
            }
            Some(shown)
        }
        "collapse recursion" => {
            let (Some(first), Some(last)) = (first, stack.iter().rposition(is_it)) else { return Some(stack.to_vec()) };
            Some([&stack[..first], &stack[last..]].concat())
        }
        "collapse binary" => {
            let mut shown: Vec<String> = Vec::new();
            let mut is_inside = false;
            for frame in stack {
                if !is_it(frame) {
                    shown.push(frame.clone());
                } else if !is_inside {
                    shown.push(name.to_owned());
                }
                is_inside = is_it(frame);
            }
            Some(shown)
        }
        other => panic!("{other}"),
    }
}

fn stacks(profile: &Profile, query: &Query) -> BTreeMap<Vec<String>, f64> {
    let view =
        whittle_views::stacks::stacks(profile, &Query { metrics: Some("cpu".parse().unwrap()), ..query.clone() })
            .unwrap();
    let rows =
        view.rows.into_iter().map(|row| (row.frames_leaf_first.into_iter().rev().collect(), row.values.numbers[0]));
    rows.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Compares the effect of several transforms with the expected effect on each separate stack.
    #[test]
    fn stacks_are_those_of_the_plain_reading(
        samples in random_samples(SHAPE),
        mode in mode(),
        verbs in proptest::collection::vec((0..7_usize, any::<Index>()), 1..4),
    ) {
        let profile = random_profile(&samples);
        let mut transforms = Vec::new();
        for (verb, index) in verbs {
            let function = pick(&profile, mode, index);
            prop_assume!(function.is_some());
            transforms.push(transform(verb, &function.unwrap()));
        }
        let query_after = query(mode, &transforms);
        // libc or the application's library might not occur.
        prop_assume!(whittle_views::stacks::stacks(&profile, &query_after).is_ok());
        let mut expected: BTreeMap<Vec<String>, f64> = BTreeMap::new();
        for (stack, weight) in stacks(&profile, &query(mode, &[])) {
            let after = transforms.iter().try_fold(stack, |stack, transform| transformed(&stack, transform));
            if let Some(after) = after {
                *expected.entry(after).or_default() += weight;
            }
        }
        expected.retain(|_, weight| *weight > 0.0);
        prop_assert_eq!(stacks(&profile, &query_after), expected);
    }

    #[test]
    fn what_is_left_adds_up(samples in random_samples(SHAPE), mode in mode(), verb in 0..5_usize, index in any::<Index>()) {
        let profile = random_profile(&samples);
        let function = pick(&profile, mode, index);
        prop_assume!(function.is_some());
        let function = function.unwrap();
        let (before, after) = (query(mode, &[]), query(mode, &[transform(verb, &function)]));
        let (old, new) = (by_name(&profile, &before), by_name(&profile, &after));
        let ((all, _), (left, rootless)) = (total(&profile, &before), total(&profile, &after));
        // Exclusive values add up to the remaining cost, and this cost is the total of every view.
        prop_assert_eq!(new.values().map(|value| value.0).sum::<f64>() + rootless, left);
        prop_assert_eq!(whittle_views::functions::functions(&profile, &after).unwrap().total.numbers[0], left);
        let by_thread: f64 = whittle_views::threads::threads(&profile, &query(mode, &[transform(verb, &function)]), &whittle_views::threads::ThreadsShape::default()).unwrap().rows.iter().map(|row| row.values.numbers[0]).sum();
        prop_assert_eq!(by_thread, left);
        let inclusive = old[&function].1;
        match verb {
            0 => {
                prop_assert_eq!(left, inclusive);
                prop_assert_eq!(new.get(&function).map_or(0.0, |value| value.1), inclusive);
            }
            1 => {
                prop_assert_eq!(left, all);
                prop_assert!(!new.contains_key(&function));
                for (name, (_, inclusive)) in &new {
                    prop_assert_eq!(*inclusive, old[name].1);
                }
            }
            2 => prop_assert_eq!(left, all - inclusive),
            _ => {
                prop_assert_eq!(left, all);
                for (name, (exclusive, inclusive)) in &old {
                    let (new_exclusive, new_inclusive) = new.get(name).copied().unwrap_or_default();
                    prop_assert_eq!(*exclusive, new_exclusive);
                    prop_assert!(new_inclusive <= *inclusive);
                    prop_assert!(*name != function || new_inclusive == *inclusive || verb == 4);
                }
            }
        }
        // The exclusive values of lines also add up to the remaining cost.
        let lines = whittle_views::lines::lines(&profile, &after).unwrap();
        let exclusive: f64 = lines.rows.iter().map(|row| row.values.numbers[0]).sum();
        prop_assert_eq!(exclusive + rootless, left);
    }

    #[test]
    fn attributed_sums_hold_after_transforms(
        samples in random_samples(SHAPE), mode in mode(), verb in 0..7_usize, picks in any::<(Index, Index)>(),
    ) {
        let profile = random_profile(&samples);
        let function = pick(&profile, mode, picks.0);
        prop_assume!(function.is_some());
        let after = query(mode, &[transform(verb, &function.unwrap())]);
        prop_assume!(whittle_views::functions::functions(&profile, &after).is_ok());
        let shown = by_name(&profile, &after);
        prop_assume!(!shown.is_empty());
        let (centre, (own, inclusive)) = shown.iter().nth(picks.1.index(shown.len())).unwrap();
        let attributed = Query { metrics: Some("a.cpu".parse().unwrap()), ..after };
        let view = whittle_views::callers_callees::callers_callees(&profile, &attributed, &Fragment::center(centre.as_str())).unwrap();
        let sum = |rows: &[whittle_views::functions::FunctionRow]| rows.iter().map(|row| row.values.numbers[0]).sum::<f64>();
        prop_assert_eq!(view.inclusive.numbers[0], *inclusive);
        prop_assert_eq!(view.own.numbers[0], *own);
        prop_assert_eq!(sum(&view.callers), *inclusive);
        prop_assert_eq!(sum(&view.callees) + own, *inclusive);
    }

    /// The values with a filter and the values with its negation add up to all values after a transform.
    #[test]
    fn filters_and_transforms_commute(
        samples in random_samples(SHAPE), mode in mode(), verb in 0..7_usize, index in any::<Index>(), filter in 0..4_usize,
    ) {
        let profile = random_profile(&samples);
        let function = pick(&profile, mode, index);
        prop_assume!(function.is_some());
        let after = query(mode, &[transform(verb, &function.unwrap())]);
        prop_assume!(whittle_views::functions::functions(&profile, &after).is_ok());
        let text = ["thread ~ \"[02]\"", "time in 20ns..60ns", "mode is system", "thread ~ \"1\" or time in ..30ns"][filter];
        let sums = |filter: String| by_name(&profile, &Query { filter: Some(filter.parse().unwrap()), ..after.clone() });
        let (kept, rest, all) = (sums(text.to_owned()), sums(format!("not ({text})")), by_name(&profile, &after));
        for (name, (exclusive, inclusive)) in all {
            let (kept, rest) = (kept.get(&name).copied().unwrap_or_default(), rest.get(&name).copied().unwrap_or_default());
            prop_assert_eq!((kept.0 + rest.0, kept.1 + rest.1), (exclusive, inclusive));
        }
    }
}

/// A server's thread calls own code through a framework, and own code calls own code through a proxy.
const FRAMEWORKS: &str = "
    java/lang/Thread.run                        java/lang/Thread.run                        java/lang/Thread.run                    java/lang/Thread.run
    org/apache/tomcat/net/Endpoint.doRun        org/apache/tomcat/net/Endpoint.doRun        org/apache/tomcat/net/Endpoint.doRun    app.Job.run
    org/apache/coyote/Processor.service         org/apache/coyote/Processor.service         org/apache/coyote/Processor.service     org/springframework/A.a
    org/apache/catalina/Valve.invoke            org/apache/catalina/Valve.invoke            org/apache/coyote/Headers.parse         org/springframework/A.b
    org/springframework/web/Dispatcher.service  org/springframework/web/Dispatcher.service  java/lang/String.hashCode               app.Job.last
    java/lang/reflect/Method.invoke             java/lang/reflect/Method.invoke
    app.Orders.list                             app.Orders.list
    org/springframework/aop/Proxy.call          com/fasterxml/jackson/Mapper.write
    org/springframework/aop/A.a                 com/fasterxml/jackson/Mapper.a
    java/lang/reflect/Method.invoke             com/fasterxml/jackson/Mapper.b
    org/springframework/aop/A.b
    org/springframework/aop/A.c
    app.Order.read
";

#[test]
fn frames_of_frameworks_that_lead_to_own_code_are_folded() {
    assert_eq!(
        stacks_after(FRAMEWORKS, &["fold frameworks"]),
        "1 java/lang/Thread.run > <5 framework frames> > app.Orders.list > com/fasterxml/jackson/Mapper.write > \
         com/fasterxml/jackson/Mapper.a > com/fasterxml/jackson/Mapper.b\n\
         1 java/lang/Thread.run > <5 framework frames> > app.Orders.list > org/springframework/aop/Proxy.call > \
         <4 framework frames> > app.Order.read\n\
         1 java/lang/Thread.run > <5 framework frames> > org/apache/coyote/Headers.parse > java/lang/String.hashCode\n\
         1 java/lang/Thread.run > app.Job.run > org/springframework/A.a > org/springframework/A.b > app.Job.last"
    );
}

#[test]
fn call_trees_fold_frameworks_unless_all_frames_are_requested() {
    let profile = profile(FRAMEWORKS);
    let tree = |frameworks: FrameworkFrames, root: Option<&str>| {
        let shape = TreeShape { frameworks, root: root.map(str::to_owned), ..TreeShape::default() };
        whittle_views::call_tree::call_tree(&profile, &Query::default(), &shape).unwrap()
    };
    let has_folded = |view: &CallTreeView| view.rows.iter().any(|row| row.function == "<5 framework frames>");
    let folded = tree(FrameworkFrames::Folded, None);
    assert!(has_folded(&folded) && folded.preamble.notes[0].contains("--frameworks shown"));
    assert!(folded.preamble.transforms.is_empty(), "the user did not ask for a transform");
    for view in [tree(FrameworkFrames::Shown, None), tree(FrameworkFrames::Folded, Some("app.Orders.list"))] {
        assert!(!has_folded(&view) && view.preamble.notes.is_empty(), "{:?}", view.preamble.notes);
    }
    assert_eq!(folded.rows[0].values, tree(FrameworkFrames::Shown, None).rows[0].values);
}

/// Own code calls own code through a framework, in two ways that the folded frames do not distinguish.
const OPENED: &str = "
    java/lang/Thread.run                        java/lang/Thread.run                        java/lang/Thread.run
    org/apache/coyote/Processor.service         org/apache/coyote/Upgrade.service           org/apache/coyote/Processor.service
    org/apache/catalina/Valve.invoke            org/apache/catalina/Valve.upgrade           org/apache/catalina/Valve.invoke
    org/springframework/web/Dispatcher.service  org/springframework/web/Sockets.service     org/springframework/web/Dispatcher.service
    org/springframework/web/Handler.handle      org/springframework/web/Handler.handle      org/springframework/web/Handler.handle
    app.Orders.list                             app.Orders.list                             app.Orders.add
    org/springframework/aop/A.a                 org/springframework/aop/A.a
    org/springframework/aop/A.b                 org/springframework/aop/A.b
    org/springframework/aop/A.c                 org/springframework/aop/A.c
    org/springframework/aop/A.d                 org/springframework/aop/A.d
    org/springframework/aop/A.e                 org/springframework/aop/A.e
    app.Order.read                              app.Order.read
";

#[test]
fn folded_frames_are_opened_one_by_one_and_nodes_keep_their_numbers() {
    let profile = profile(OPENED);
    let rows = |opened: &[u32]| {
        let expanded = (0..30).collect();
        let shape = TreeRowsShape { opened: opened.to_vec(), expanded, ..TreeRowsShape::default() };
        let rows = tree_rows(&profile, &Query::default(), &shape).unwrap().rows;
        rows.into_iter().map(|row| (row.function, row.node)).collect::<Vec<_>>()
    };
    let nodes = |rows: &[(String, u64)], name: &str| -> Vec<u64> {
        rows.iter().filter(|(function, _)| function == name).map(|(_, node)| *node).collect()
    };
    let folded = rows(&[]);
    let names: Vec<&str> = folded.iter().map(|(function, _)| function.as_str()).collect();
    let expected = [
        "<Total>",
        "java/lang/Thread.run",
        "<4 framework frames>",
        "app.Orders.list",
        "org/springframework/aop/A.a",
        "<4 framework frames>",
        "app.Order.read",
        "app.Orders.add",
    ];
    assert_eq!(names, expected);
    let runs = nodes(&folded, "<4 framework frames>");
    // The inner run opens in place. No other node changes.
    let inner = rows(&[runs[1] as u32]);
    assert_eq!(nodes(&inner, "<4 framework frames>"), [runs[0]]);
    assert_eq!(nodes(&inner, "org/springframework/aop/A.b"), [runs[1]]);
    for name in ["app.Orders.list", "app.Order.read", "app.Orders.add"] {
        assert_eq!(nodes(&inner, name), nodes(&folded, name), "{name}");
    }
    // The outer run shows two ways, each with own code and folded frames below it.
    let outer = rows(&[runs[0] as u32]);
    assert_eq!(nodes(&outer, "org/apache/coyote/Processor.service"), [runs[0]]);
    assert_eq!(nodes(&outer, "<4 framework frames>").len(), 2);
    assert!(nodes(&outer, "app.Orders.list").starts_with(&nodes(&folded, "app.Orders.list")));
    // All nodes have the numbers of the tree without folded frames.
    let shape =
        TreeRowsShape { frameworks: FrameworkFrames::Shown, expanded: (0..30).collect(), ..TreeRowsShape::default() };
    let shown = tree_rows(&profile, &Query::default(), &shape).unwrap().rows;
    let all = rows(&runs.iter().map(|run| *run as u32).collect::<Vec<_>>());
    assert_eq!(all, shown.into_iter().map(|row| (row.function, row.node)).collect::<Vec<_>>());
    assert_eq!(rows(&[999]), folded, "an unknown number opens nothing");
}

#[test]
fn a_zoom_stays_when_folded_frames_are_opened() {
    let profile = profile(OPENED);
    let graph = |opened: Vec<u32>, zoom: Vec<u32>| {
        let shape = FlameGraphShape { opened, zoom, metric: Some("cpu".to_owned()), ..FlameGraphShape::default() };
        flame_graph(&profile, &Query::default(), &shape).unwrap()
    };
    let node_of = |view: &FlameGraphView, name: &str| {
        let at = (0..view.boxes.len()).find(|at| view.names[&view.boxes.function[*at]] == name).unwrap();
        view.boxes.node[at]
    };
    let folded = graph(vec![], vec![]);
    let (add, run) = (node_of(&folded, "app.Orders.add"), node_of(&folded, "<4 framework frames>"));
    for (opened, above) in [(vec![], "<4 framework frames>"), (vec![run], "org/springframework/web/Handler.handle")] {
        let zoomed = graph(opened, vec![add]);
        let path: Vec<&str> = zoomed.zoom_path.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(path[path.len() - 2..], [above, "app.Orders.add"]);
        assert_eq!(zoomed.zoom_path.last().unwrap().node, add);
    }
    // A zoom to a frame of the run shows the folded frames once they are folded again.
    let inner = node_of(&graph(vec![run], vec![]), "org/springframework/web/Handler.handle");
    let again = graph(vec![], vec![inner]);
    assert_eq!(again.zoom_path.last().map(|step| step.node), Some(run));
}
