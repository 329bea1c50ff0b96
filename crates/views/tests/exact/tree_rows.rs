//! Tests of the call tree that opens on demand. Its rows must agree with other views.

#![allow(clippy::unwrap_used, reason = "test code")]

use crate::support::profile;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_assume, proptest};
use proptest::sample::Index;
use std::collections::BTreeMap;
use whittle_profile::{Profile, Query, ViewMode};
use whittle_testkit::{RandomShape, experiment_from_samples, random_samples};
use whittle_views::call_tree::TreeShape;
use whittle_views::flame_graph::Direction;
use whittle_views::tree_rows::{TreeRowsShape, TreeRowsView, TreeWindowRow};

const DRAWING: &str = "
    @weight  4       2       1       3
             main()  main()  main()  other()
             f()     f()     g()     g()
             g()     h()             f()
";

fn drawn(view: &TreeRowsView) -> String {
    let row = |row: &TreeWindowRow| {
        let sign = match (row.is_expanded, row.child_count) {
            (true, _) => "-",
            (_, 0) => " ",
            _ => "+",
        };
        format!("{}{sign} {} {}", "  ".repeat(row.depth), row.values.numbers[0] / 1e9, row.function)
    };
    view.rows.iter().map(row).collect::<Vec<_>>().join("\n")
}

fn query() -> Query {
    Query { metrics: Some("i.cpu,e.cpu".parse().unwrap()), ..Query::default() }
}

fn numbers(view: &TreeRowsView) -> Vec<u64> {
    view.rows.iter().map(|row| row.node).collect()
}

#[test]
fn only_what_is_expanded_is_visible() {
    let profile = profile(DRAWING);
    let asked = |shape: TreeRowsShape| whittle_views::tree_rows::tree_rows(&profile, &query(), &shape).unwrap();
    let closed = asked(TreeRowsShape::default());
    assert_eq!(drawn(&closed), "- 10 <Total>\n  + 7 main()\n  + 3 other()");
    let main = closed.rows[1].node;
    let open = asked(TreeRowsShape { expanded: vec![main], ..TreeRowsShape::default() });
    assert_eq!(drawn(&open), "- 10 <Total>\n  - 7 main()\n    + 6 f()\n      1 g()\n  + 3 other()");
    let hot = asked(TreeRowsShape { hot: true, ..TreeRowsShape::default() });
    assert_eq!(
        drawn(&hot),
        "- 10 <Total>\n  - 7 main()\n    - 6 f()\n        4 g()\n        2 h()\n      1 g()\n  + 3 other()"
    );
    assert_eq!((hot.hot_row, hot.hot_path.len()), (Some(3), 4));
    let other = closed.rows[2].node;
    let below =
        asked(TreeRowsShape { hot: true, hot_from: Some(other), collapsed: vec![main], ..TreeRowsShape::default() });
    assert_eq!(drawn(&below), "- 10 <Total>\n  + 7 main()\n  - 3 other()\n    - 3 g()\n        3 f()");
    assert_eq!(drawn(&asked(TreeRowsShape { collapsed: vec![0], ..TreeRowsShape::default() })), "+ 10 <Total>");
}

#[test]
fn callers_lead_outward() {
    let profile = profile(DRAWING);
    let shape = TreeRowsShape { direction: Direction::Callers, ..TreeRowsShape::default() };
    let closed = whittle_views::tree_rows::tree_rows(&profile, &query(), &shape).unwrap();
    assert_eq!(drawn(&closed), "- 10 <Total>\n  + 5 g()\n  + 3 f()\n  + 2 h()");
    let shape = TreeRowsShape { expanded: vec![closed.rows[1].node], ..shape };
    let open = whittle_views::tree_rows::tree_rows(&profile, &query(), &shape).unwrap();
    assert_eq!(
        drawn(&open),
        "- 10 <Total>\n  - 5 g()\n    + 4 f()\n    + 1 main()\n  + 3 f()\n  + 2 h()"
            .replace("    + 1 main()", "      1 main()")
    );
    let shape = TreeRowsShape {
        direction: Direction::Callers,
        root: Some("f()".to_owned()),
        hot: true,
        ..TreeRowsShape::default()
    };
    let around = whittle_views::tree_rows::tree_rows(&profile, &query(), &shape).unwrap();
    assert_eq!(drawn(&around), "- 9 f()\n    6 main()\n  + 3 g()");
    assert_eq!(around.rows[0].values.numbers[1], 3e9);
}

fn expanded_all(profile: &Profile, query: &Query, shape: &TreeRowsShape) -> TreeRowsView {
    let mut shape = shape.clone();
    loop {
        let view = whittle_views::tree_rows::tree_rows(profile, query, &shape).unwrap();
        let closed = view.rows.iter().filter(|row| row.child_count > 0 && !row.is_expanded);
        let closed: Vec<u64> = closed.map(|row| row.node).collect();
        if closed.is_empty() {
            return view;
        }
        shape.expanded.extend(closed);
    }
}

const SHAPE: RandomShape = RandomShape { function_count: 3, depth: 8, sample_count: 12, thread_count: 4 };

fn mode() -> impl Strategy<Value = ViewMode> {
    proptest::sample::select(ViewMode::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn expanded_to_the_end_it_is_the_call_tree(
        samples in random_samples(SHAPE), mode in mode(), root in any::<Option<Index>>(), window in (0..30_usize, 0..30_usize),
    ) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let profile = Profile::load(manifest, tables).unwrap();
        let query = Query { mode, ..query() };
        let functions = whittle_views::functions::functions(&profile, &query).unwrap().rows;
        prop_assume!(!functions.is_empty());
        let root = root.map(|index| index.get(&functions).function.clone());
        let tree = whittle_views::call_tree::call_tree(&profile, &query, &TreeShape { root: root.clone(), ..TreeShape::default() }).unwrap();
        let shape = TreeRowsShape { root, ..TreeRowsShape::default() };
        let view = expanded_all(&profile, &query, &shape);
        let expected: Vec<_> = tree.rows.iter().map(|row| (row.depth, row.function.clone(), row.values.numbers.clone())).collect();
        let found: Vec<_> = view.rows.iter().map(|row| (row.depth, row.function.clone(), row.values.numbers.clone())).collect();
        prop_assert_eq!(found, expected);
        let mut unique = numbers(&view);
        unique.sort_unstable();
        unique.dedup();
        prop_assert_eq!(unique.len(), view.row_count);
        // Any window is a part of all rows.
        let (skip, limit) = window;
        let expanded = numbers(&view);
        let part = whittle_views::tree_rows::tree_rows(&profile, &Query { skip, limit: Some(limit), ..query }, &TreeRowsShape { expanded, ..shape }).unwrap();
        prop_assert_eq!(numbers(&part), numbers(&view).into_iter().skip(skip).take(limit).collect::<Vec<_>>());
        prop_assert_eq!(part.row_count, view.row_count);
    }

    #[test]
    fn outward_it_holds_what_functions_and_callers_hold(samples in random_samples(SHAPE), mode in mode(), index in any::<Index>()) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let profile = Profile::load(manifest, tables).unwrap();
        let query = Query { mode, ..query() };
        let functions = whittle_views::functions::functions(&profile, &query).unwrap().rows;
        prop_assume!(!functions.is_empty());
        let shape = TreeRowsShape { direction: Direction::Callers, ..TreeRowsShape::default() };
        let view = expanded_all(&profile, &query, &shape);
        let first: BTreeMap<&str, f64> =
            view.rows.iter().filter(|row| row.depth == 1).map(|row| (row.function.as_str(), row.values.numbers[0])).collect();
        let exclusive = functions.iter().filter(|row| row.values.numbers[1] > 0.0);
        let exclusive: BTreeMap<&str, f64> = exclusive.map(|row| (row.function.as_str(), row.values.numbers[1])).collect();
        prop_assert_eq!(first, exclusive);
        check_children(&view)?;
        let mut unique = numbers(&view);
        unique.sort_unstable();
        unique.dedup();
        prop_assert_eq!(unique.len(), view.row_count);

        let function = index.get(&functions);
        let shape = TreeRowsShape { root: Some(function.function.clone()), ..shape };
        let around = expanded_all(&profile, &query, &shape);
        prop_assert_eq!(&around.rows[0].values.numbers, &function.values.numbers);
        check_children(&around)?;
    }
}

/// The values of callers add up to at most the value of their callee.
fn check_children(view: &TreeRowsView) -> Result<(), proptest::test_runner::TestCaseError> {
    for (index, node) in view.rows.iter().enumerate() {
        let below = view.rows[index + 1..].iter().take_while(|row| row.depth > node.depth);
        let sum: f64 = below.filter(|row| row.depth == node.depth + 1).map(|row| row.values.numbers[0]).sum();
        prop_assert!(sum <= node.values.numbers[0]);
    }
    Ok(())
}
