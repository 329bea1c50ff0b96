//! Tests of the call tree, on experiments drawn as text.

use crate::support::{profile, query, text};
use whittle_profile::{Profile, Query};
use whittle_views::call_tree::{PercentOf, TreeShape};

fn sample() -> Profile {
    profile(
        "
        main    main    main    main   main    other
        fill    fill    fill    drain  drain
        put     put     grow    put
        resize
        ",
    )
}

#[test]
fn branches_are_sorted_and_percent_is_of_the_root() {
    let view = whittle_views::call_tree::call_tree(&sample(), &query("cpu,cpu%,e.cpu"), &TreeShape::default())
        .expect("call tree");
    assert_eq!(
        text(&view),
        "
Call tree, user mode
Percent of 6.000 s CPU of the root

inclusive  inclusive  exclusive
  ▼ CPU s      CPU %      CPU s  function
    6.000     100.00      0.000  <Total>
    5.000      83.33      0.000  ├─ main
    3.000      50.00      0.000  │  ├─ fill
    2.000      33.33      1.000  │  │  ├─ put
    1.000      16.67      1.000  │  │  │  └─ resize
    1.000      16.67      1.000  │  │  └─ grow
    2.000      33.33      1.000  │  └─ drain
    1.000      16.67      1.000  │     └─ put
    1.000      16.67      1.000  └─ other
"
    );
}

#[test]
fn rooted_at_a_function_all_its_occurrences_are_merged() {
    let shape = TreeShape { root: Some("put".to_owned()), percent_of: PercentOf::Parent, ..TreeShape::default() };
    let view = whittle_views::call_tree::call_tree(&sample(), &query("cpu,cpu%,e.cpu"), &shape).expect("call tree");
    assert_eq!(
        text(&view),
        "
Call tree, user mode
Percent of the parent's inclusive value

inclusive  inclusive  exclusive
  ▼ CPU s      CPU %      CPU s  function
    3.000     100.00      2.000  put
    1.000      33.33      1.000  └─ resize
"
    );
}

#[test]
fn the_outermost_occurrence_is_the_root_under_recursion() {
    let profile = profile(
        "
        main  main  main
        fib   fib   warm
        fib   add   fib
        fib
        ",
    );
    let shape = TreeShape { root: Some("fib".to_owned()), ..TreeShape::default() };
    let view = whittle_views::call_tree::call_tree(&profile, &query("cpu,e.cpu"), &shape).expect("call tree");
    let rows: Vec<(usize, &str, &[f64])> =
        view.rows.iter().map(|row| (row.depth, row.function.as_str(), row.values.numbers.as_slice())).collect();
    assert_eq!(
        rows,
        [(0, "fib", [3e9, 1e9].as_slice()), (1, "add", &[1e9, 1e9]), (1, "fib", &[1e9, 0.0]), (2, "fib", &[1e9, 1e9]),]
    );
}

#[test]
fn overloads_at_the_root_are_one_node() {
    let profile = profile(
        "
        main              main        main
        write(int)        write(int)  write(byte)
        write(int, long)  check       check
        check
        ",
    );
    let shape = TreeShape { root: Some("write".to_owned()), ..TreeShape::default() };
    let view = whittle_views::call_tree::call_tree(&profile, &query("cpu,e.cpu"), &shape).expect("call tree");
    let rows: Vec<_> = view.rows.iter().map(|row| (row.depth, row.function.as_str(), row.values.numbers[0])).collect();
    assert_eq!(rows, [(0, "write", 3e9), (1, "check", 3e9)]);
    assert_eq!(view.preamble.notes.len(), 1);
}

#[test]
fn left_out_nodes_are_reported() {
    let shape = TreeShape { min_ratio: 0.3, ..TreeShape::default() };
    let small = whittle_views::call_tree::call_tree(&sample(), &query("cpu"), &shape).expect("call tree");
    assert!(
        text(&small).ends_with("└─ drain\n\n4 subtrees are not shown (too small or too deep)\n"),
        "{}",
        text(&small)
    );
    let shape = TreeShape { max_depth: Some(1), ..TreeShape::default() };
    let flat = whittle_views::call_tree::call_tree(&sample(), &query("cpu"), &shape).expect("call tree");
    assert_eq!((flat.rows.len(), flat.pruned_count), (3, 2));
    let query = Query { limit: Some(3), ..query("cpu") };
    let few = whittle_views::call_tree::call_tree(&sample(), &query, &TreeShape::default()).expect("call tree");
    let shown: Vec<&str> = few.rows.iter().map(|row| row.function.as_str()).collect();
    assert_eq!(shown, ["<Total>", "main", "fill"]);
    assert_eq!(few.limited_count, 4);
}
