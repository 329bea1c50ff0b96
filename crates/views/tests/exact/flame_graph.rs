//! Flame graphs, drawn as rows of boxes. Each box has its start and width in percent, its function, and its inclusive
//! and exclusive values in seconds.

use crate::support::profile;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use whittle_model::FrameKind;
use whittle_profile::{Profile, Query, ViewMode};
use whittle_testkit::{RandomShape, experiment_from_samples, experiment_from_text, random_samples};
use whittle_views::call_tree::TreeShape;
use whittle_views::flame_graph::{Boxes, Direction, FlameGraphShape, FlameGraphView, SearchResult};
use whittle_views::shown_stacks::IdleWaits;

fn graph(profile: &Profile, shape: &FlameGraphShape) -> FlameGraphView {
    whittle_views::flame_graph::flame_graph(profile, &Query::default(), shape).expect("a flame graph")
}

/// The boxes of each row. `12 50 main 2/1` means a box that begins at 12 %, is 50 % wide, and has 2 s inclusive and 1 s
/// exclusive. `*` marks a match of the search, and `(3)` means 3 small boxes.
fn rows(view: &FlameGraphView) -> String {
    let boxes = &view.boxes;
    let mut text = String::new();
    for index in 0..boxes.len() {
        let is_first = index == 0 || boxes.row[index] != boxes.row[index - 1];
        text.push_str(if is_first { "\n" } else { " | " });
        let name = &view.names[&boxes.function[index]];
        let (x, width) = (boxes.x[index] * 100.0, boxes.width[index] * 100.0);
        let label = match boxes.flags[index] {
            2 => format!("({})", boxes.own[index]),
            flags => format!(
                "{name}{} {}/{}",
                if flags == 1 { "*" } else { "" },
                boxes.value[index] / 1e9,
                boxes.own[index] / 1e9
            ),
        };
        text.push_str(&format!("{x:.0} {width:.0} {label}"));
    }
    text + "\n"
}

const DRAWING: &str = "
    main   main   main    main   worker
    write  write  parse   parse  run
    flush         parse   write  write
                  intern
";

#[test]
fn siblings_stand_by_name_from_their_parents_left_edge() {
    let view = graph(&profile(DRAWING), &FlameGraphShape::default());
    assert_eq!(
        rows(&view),
        "
0 100 <Total> 5/0
0 80 main 4/0 | 80 20 worker 1/0
0 40 parse 2/0 | 40 40 write 2/1 | 80 20 run 1/0
0 20 parse 1/0 | 20 20 write 1/1 | 40 20 flush 1/1 | 80 20 write 1/1
0 20 intern 1/1
"
    );
    assert_eq!((view.row_count, view.total, view.shown_total, view.base_total), (5, 5e9, 5e9, 5e9));
    assert_eq!(view.boxes.parent[..6], [u32::MAX, 0, 0, 1, 1, 2]);
    assert_eq!((view.metric.as_str(), view.search), ("cpu", None));
}

#[test]
fn zooming_to_a_node_shows_it_at_full_width() {
    let profile = profile(DRAWING);
    let whole = graph(&profile, &FlameGraphShape::default());
    let zoom = vec![whole.boxes.node[3]];
    let view = graph(&profile, &FlameGraphShape { zoom, ..FlameGraphShape::default() });
    assert_eq!(
        rows(&view),
        "
0 100 parse 2/0
0 50 parse 1/0 | 50 50 write 1/1
0 50 intern 1/1
"
    );
    let path: Vec<&str> = view.zoom_path.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(path, ["<Total>", "main", "parse"]);
    assert_eq!((view.total, view.shown_total), (5e9, 2e9));
    let beyond = FlameGraphShape { zoom: vec![1000], ..FlameGraphShape::default() };
    let error =
        whittle_views::flame_graph::flame_graph(&profile, &Query::default(), &beyond).expect_err("no such node");
    assert_eq!(
        error.to_string(),
        "no node 1000: the tree of stacks has 11 nodes in this mode and with these transforms"
    );
}

#[test]
fn towards_callers_stacks_are_turned_round() {
    let shape = FlameGraphShape { direction: Direction::Callers, ..FlameGraphShape::default() };
    let view = graph(&profile(DRAWING), &shape);
    assert_eq!(
        rows(&view),
        "
0 100 <Total> 5/0
0 20 flush 1/0 | 20 20 intern 1/0 | 40 60 write 3/0
0 20 write 1/0 | 20 20 parse 1/0 | 40 20 main 1/1 | 60 20 parse 1/0 | 80 20 run 1/0
0 20 main 1/1 | 20 20 parse 1/0 | 60 20 main 1/1 | 80 20 worker 1/1
20 20 main 1/1
"
    );
    let write = view.boxes.function[3];
    let zoomed = graph(&profile(DRAWING), &FlameGraphShape { zoom: vec![write], ..shape });
    assert_eq!(
        rows(&zoomed),
        "
0 100 write 3/0
0 33 main 1/1 | 33 33 parse 1/0 | 67 33 run 1/0
33 33 main 1/1 | 67 33 worker 1/1
"
    );
    let path: Vec<&str> = zoomed.zoom_path.iter().map(|step| step.name.as_str()).collect();
    assert_eq!((path.as_slice(), zoomed.shown_total), (["<Total>", "write"].as_slice(), 3e9));
}

#[test]
fn around_a_function_all_its_occurrences_are_merged() {
    let profile = profile(DRAWING);
    let below = FlameGraphShape { root: Some("write".to_owned()), ..FlameGraphShape::default() };
    assert_eq!(rows(&graph(&profile, &below)), "\n0 100 write 4/3\n0 25 flush 1/1\n");
    let above = FlameGraphShape { direction: Direction::Callers, ..below };
    assert_eq!(
        rows(&graph(&profile, &above)),
        "
0 100 write 4/0
0 50 main 2/2 | 50 25 parse 1/0 | 75 25 run 1/0
50 25 main 1/1 | 75 25 worker 1/1
"
    );
    // If a function calls itself, the outermost occurrence is used. Inner occurrences are ordinary boxes.
    let parse = FlameGraphShape { root: Some("parse".to_owned()), ..FlameGraphShape::default() };
    let view = graph(&profile, &parse);
    assert_eq!(rows(&view), "\n0 100 parse 2/0\n0 50 parse 1/0 | 50 50 write 1/1\n0 50 intern 1/1\n");
    let zoomed = graph(&profile, &FlameGraphShape { zoom: vec![view.boxes.node[1]], ..parse.clone() });
    assert_eq!(rows(&zoomed), "\n0 100 parse 1/0\n0 100 intern 1/1\n");
    let unknown = FlameGraphShape { root: Some("missing".to_owned()), ..parse };
    assert!(whittle_views::flame_graph::flame_graph(&profile, &Query::default(), &unknown).is_err());
}

#[test]
fn overloads_that_call_each_other_are_one_box() {
    let profile = profile(
        "
        main           main           main
        write(byte[])  write(byte[])  write(int)
        write(int)     write(int)
        flush          write(byte[])
        ",
    );
    let shape = FlameGraphShape { root: Some("write".to_owned()), ..FlameGraphShape::default() };
    let view = graph(&profile, &shape);
    assert_eq!((view.boxes.value[0], view.boxes.own[0], view.zoom_path[0].name.as_str()), (3e9, 2e9, "write"));
    assert_eq!(view.boxes.len(), 2);
    let zoomed =
        graph(&profile, &FlameGraphShape { zoom: vec![view.boxes.node[1]], search: Some("flush".into()), ..shape });
    assert_eq!(rows(&zoomed), "\n0 100 flush* 1/1\n");
    assert!(zoomed.preamble.notes[0].starts_with("write represents 2 merged functions"), "{:?}", zoomed.preamble.notes);
}

#[test]
fn narrow_siblings_share_a_box_behind_the_others() {
    let profile = profile(
        "
        @weight  10  1  1  2  6
                 a   b  c  d  e
                     x
        ",
    );
    let shape = FlameGraphShape { width_px: 20.0, min_px: 2.5, ..FlameGraphShape::default() };
    let view = graph(&profile, &shape);
    assert_eq!(rows(&view), "\n0 100 <Total> 20/0\n0 50 a 10/10 | 50 30 e 6/6 | 80 20 (3)\n");
    // A joined box has the name of its largest part. Zooming to its node shows its parts.
    assert_eq!((view.names[&view.boxes.function[3]].as_str(), view.boxes.node[3]), ("d", view.boxes.node[0]));
}

#[test]
fn a_window_of_rows_can_be_requested() {
    let shape = FlameGraphShape { first_row: 2, row_count: Some(1), ..FlameGraphShape::default() };
    let view = graph(&profile(DRAWING), &shape);
    assert_eq!(rows(&view), "\n0 40 parse 2/0 | 40 40 write 2/1 | 80 20 run 1/0\n");
    assert_eq!((view.row_count, view.boxes.parent.as_slice()), (5, [u32::MAX; 3].as_slice()));
}

/// The values of a search: weight, share, shown weight, matches and functions.
fn figures(search: Option<&SearchResult>) -> (f64, f64, f64, usize, usize) {
    let search = search.expect("a search");
    let ratio = search.matched_ratio.expect("a total");
    (search.matched_weight / 1e9, ratio, search.shown_matched_weight / 1e9, search.match_count, search.function_count)
}

#[test]
fn a_stack_with_several_matches_counts_once() {
    let profile = profile(DRAWING);
    let shape = FlameGraphShape { search: Some("^(parse|write)$".to_owned()), ..FlameGraphShape::default() };
    let view = graph(&profile, &shape);
    assert_eq!(figures(view.search.as_ref()), (5.0, 1.0, 5.0, 3, 2));
    let heaviest: Vec<(&str, u32, f64)> = view
        .search
        .as_ref()
        .map(|search| {
            search.matches.iter().map(|found| (view.names[&found.function].as_str(), found.row, found.value / 1e9))
        })
        .expect("a search")
        .collect();
    assert_eq!(heaviest, [("write", 2, 2.0), ("parse", 2, 2.0), ("write", 3, 1.0)]);
    let zoomed = graph(
        &profile,
        &FlameGraphShape { zoom: vec![view.boxes.node[3]], search: Some("flush|intern".into()), ..shape.clone() },
    );
    assert_eq!(figures(zoomed.search.as_ref()), (2.0, 0.4, 1.0, 2, 2));
    // The same search towards callers, and around a function.
    let callers =
        FlameGraphShape { direction: Direction::Callers, search: Some("flush|intern".into()), ..shape.clone() };
    assert_eq!(figures(graph(&profile, &callers).search.as_ref()), (2.0, 0.4, 2.0, 2, 2));
    let main = FlameGraphShape { search: Some("main".into()), ..callers.clone() };
    assert_eq!(figures(graph(&profile, &main).search.as_ref()), (4.0, 0.8, 4.0, 4, 1));
    let below = FlameGraphShape { root: Some("write".into()), search: Some("flush".into()), ..shape.clone() };
    assert_eq!(figures(graph(&profile, &below).search.as_ref()), (1.0, 0.25, 1.0, 1, 1));
    let above = FlameGraphShape { root: Some("write".into()), search: Some("parse".into()), ..callers };
    assert_eq!(figures(graph(&profile, &above).search.as_ref()), (1.0, 0.25, 1.0, 1, 1));
    let wrong = FlameGraphShape { search: Some("(".into()), ..shape };
    let error = whittle_views::flame_graph::flame_graph(&profile, &Query::default(), &wrong)
        .expect_err("no expression")
        .to_string();
    assert_eq!(error, "\"(\" is not a regular expression: found open group without closing ')'");
}

#[test]
fn a_box_has_the_frame_kind_with_most_weight() {
    let (manifest, mut tables) = experiment_from_text(
        "
        @weight  1       5       2       4
                 main    main    main    main
                 sum:1   sum:2   sum:3   read[n]
                                         vfs[k]
        ",
    );
    let kinds = [(1, FrameKind::C1), (2, FrameKind::Interpreted), (3, FrameKind::C1)];
    for (line, kind) in kinds {
        let row = tables.frames.line.iter().position(|known| *known == Some(line)).expect("a frame");
        tables.frames.kind[row] = kind;
    }
    let profile = Profile::load(manifest, tables).expect("valid");
    let query = Query { mode: ViewMode::Machine, ..Query::default() };
    let kind_of = |shape: FlameGraphShape, name: &str| {
        let view = whittle_views::flame_graph::flame_graph(&profile, &query, &shape).expect("a flame graph");
        let place = view.boxes.function.iter().position(|function| view.names[function] == name);
        view.boxes.kind[place.unwrap_or_else(|| panic!("no {name}"))]
    };
    for direction in [Direction::Callees, Direction::Callers] {
        let shape = || FlameGraphShape { direction, ..FlameGraphShape::default() };
        let found = ["<Total>", "main", "sum", "read", "vfs"].map(|name| kind_of(shape(), name));
        assert_eq!(found, [0, 1, 2, 6, 7]);
        assert_eq!(kind_of(FlameGraphShape { root: Some("sum".into()), ..shape() }, "sum"), 2);
    }
}

#[test]
fn a_filter_that_leaves_nothing_leaves_no_box() {
    let profile = profile(DRAWING);
    let query = Query { filter: Some("time in 100s..200s".parse().expect("a filter")), ..Query::default() };
    for direction in [Direction::Callees, Direction::Callers] {
        for root in [None, Some("write".to_owned())] {
            let shape = FlameGraphShape { direction, root, search: Some("m".into()), ..FlameGraphShape::default() };
            let view = whittle_views::flame_graph::flame_graph(&profile, &query, &shape).expect("a flame graph");
            assert_eq!((view.boxes.len(), view.row_count, view.total), (0, 0, 0.0));
            assert!(view.preamble.notes.contains(&"the filter leaves no samples".to_owned()));
        }
    }
}

/// Draws a stack of 20,000 frames. Most of these frames are of one function.
#[test]
fn recursion_may_be_as_deep_as_it_likes() {
    let mut drawing = "@weight  1  1\n".to_owned();
    for _ in 0..20_000 {
        drawing.push_str("         f  f\n");
    }
    drawing.push_str("         g\n");
    let profile = profile(&drawing);
    let shape = FlameGraphShape { search: Some("f".into()), ..FlameGraphShape::default() };
    let view = graph(&profile, &shape);
    assert_eq!((view.row_count, view.boxes.len()), (20_002, 20_002));
    assert_eq!(figures(view.search.as_ref()), (2.0, 1.0, 2.0, 1, 1));
    let callers = FlameGraphShape { direction: Direction::Callers, ..shape.clone() };
    assert_eq!(graph(&profile, &callers).row_count, 20_002);
    let below = FlameGraphShape { root: Some("f".into()), ..shape };
    let view = graph(&profile, &below);
    assert_eq!((view.row_count, view.boxes.value[0]), (20_001, 2e9));
    let deepest = *view.boxes.node.last().expect("boxes");
    assert_eq!(graph(&profile, &FlameGraphShape { zoom: vec![deepest], ..below }).zoom_path.len(), 20_001);
}

const SHAPE: RandomShape = RandomShape { function_count: 3, depth: 8, sample_count: 12, thread_count: 4 };

/// Values of all boxes by their path from the root.
fn by_path(view: &FlameGraphView) -> Vec<(Vec<&str>, f64, f64)> {
    let boxes = &view.boxes;
    let mut paths: Vec<(Vec<&str>, f64, f64)> = Vec::new();
    for index in 0..boxes.len() {
        let mut path = paths.get(boxes.parent[index] as usize).map_or_else(Vec::new, |above| above.0.clone());
        path.push(&view.names[&boxes.function[index]]);
        paths.push((path, boxes.value[index], boxes.own[index]));
    }
    paths.sort_by(|a, b| a.0.cmp(&b.0));
    paths
}

/// The widths of a box's children and the width of its exclusive value add up to the box's width.
fn check_widths(boxes: &Boxes, is_outward: bool) -> Result<(), proptest::test_runner::TestCaseError> {
    for parent in 0..boxes.len() {
        if boxes.flags[parent] & 2 != 0 {
            continue;
        }
        let children: Vec<usize> = (0..boxes.len()).filter(|child| boxes.parent[*child] as usize == parent).collect();
        let sum: f64 = children.iter().map(|child| boxes.value[*child]).sum();
        prop_assert_eq!(sum + boxes.own[parent], boxes.value[parent]);
        let mut x = boxes.x[parent];
        for child in children {
            prop_assert!((boxes.x[child] - x).abs() < 1e-5, "no gap between siblings");
            prop_assert_eq!(boxes.row[child], boxes.row[parent] + 1);
            x = boxes.x[child] + boxes.width[child];
        }
        prop_assert!(is_outward || x <= boxes.x[parent] + boxes.width[parent] + 1e-5);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn boxes_are_the_nodes_of_the_call_tree(samples in random_samples(SHAPE), mode in 0..3_usize) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let profile = Profile::load(manifest, tables).expect("valid tables");
        let query = Query {
            mode: ViewMode::ALL[mode],
            metrics: Some("i.cpu,e.cpu".parse().expect("metrics")),
            ..Query::default()
        };
        let functions = whittle_views::functions::functions(&profile, &query).expect("functions");
        let roots = functions.rows.iter().map(|row| Some(row.function.clone())).chain([None]);
        for root in roots {
            let shape = FlameGraphShape { root: root.clone(), min_px: 0.0, ..FlameGraphShape::default() };
            let view = whittle_views::flame_graph::flame_graph(&profile, &query, &shape).expect("a flame graph");
            check_widths(&view.boxes, false)?;
            let tree = whittle_views::call_tree::call_tree(&profile, &query, &TreeShape { root: root.clone(), ..TreeShape::default() }).expect("tree");
            let mut path: Vec<&str> = Vec::new();
            let mut expected: Vec<(Vec<&str>, f64, f64)> = Vec::new();
            for row in &tree.rows {
                path.truncate(row.depth);
                path.push(&row.function);
                if row.values.numbers[0] > 0.0 {
                    expected.push((path.clone(), row.values.numbers[0], row.values.numbers[1]));
                }
            }
            expected.sort_by(|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(by_path(&view), expected);
            // In the outward tree, the weight around the same function is the same.
            let outward = FlameGraphShape { direction: Direction::Callers, ..shape };
            let callers = whittle_views::flame_graph::flame_graph(&profile, &query, &outward).expect("callers");
            check_widths(&callers.boxes, true)?;
            prop_assert_eq!(callers.total, view.total);
        }
    }

    #[test]
    fn joined_boxes_lose_nothing(samples in random_samples(SHAPE), width in 1.0..40.0_f64, is_outward: bool) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let profile = Profile::load(manifest, tables).expect("valid tables");
        let direction = if is_outward { Direction::Callers } else { Direction::Callees };
        let shape = FlameGraphShape { direction, width_px: width, min_px: 3.0, ..FlameGraphShape::default() };
        let view = whittle_views::flame_graph::flame_graph(&profile, &Query::default(), &shape).expect("a flame graph");
        check_widths(&view.boxes, is_outward)?;
    }

    /// Compares the matched weight with the direct definition. A stack matches if one of its functions matches.
    #[test]
    fn matched_weight_is_that_of_the_stacks_with_a_match(
        samples in random_samples(SHAPE), pattern in "(java|native|kernel|jvm)_[012]", mode in 0..3_usize,
    ) {
        let (manifest, tables) = experiment_from_samples(&samples);
        let profile = Profile::load(manifest, tables).expect("valid tables");
        let query = Query { mode: ViewMode::ALL[mode], metrics: Some("cpu".parse().expect("metrics")), ..Query::default() };
        let stacks = whittle_views::stacks::stacks(&profile, &query).expect("stacks").rows;
        let matching = stacks.iter().filter(|row| row.frames_leaf_first.iter().any(|frame| frame.contains(&pattern)));
        let expected: f64 = matching.map(|row| row.values.numbers[0]).sum();
        let functions = whittle_views::functions::functions(&profile, &query).expect("functions").rows;
        for direction in [Direction::Callees, Direction::Callers] {
            let shape = FlameGraphShape { direction, search: Some(pattern.clone()), min_px: 0.0, ..FlameGraphShape::default() };
            let whole = whittle_views::flame_graph::flame_graph(&profile, &query, &shape).expect("a flame graph");
            prop_assert_eq!(whole.search.as_ref().expect("a search").matched_weight, expected);
            // If the graph is zoomed to each box of the first row, the shown weights add up to the total.
            let first: Vec<usize> = (0..whole.boxes.len()).filter(|index| whole.boxes.row[*index] == 1).collect();
            let mut sum = 0.0;
            for index in first {
                let outward = direction == Direction::Callers;
                let zoom = vec![if outward { whole.boxes.function[index] } else { whole.boxes.node[index] }];
                let zoomed = whittle_views::flame_graph::flame_graph(&profile, &query, &FlameGraphShape { zoom, ..shape.clone() }).expect("zoomed");
                sum += zoomed.search.as_ref().expect("a search").shown_matched_weight;
            }
            prop_assert_eq!(sum, expected);
            for row in &functions {
                let rooted = FlameGraphShape { root: Some(row.function.clone()), ..shape.clone() };
                let view = whittle_views::flame_graph::flame_graph(&profile, &query, &rooted).expect("rooted");
                let found = view.search.as_ref().expect("a search").matched_weight;
                prop_assert!(found <= view.total && (!row.function.contains(&pattern) || found == view.total));
            }
        }
    }
}

#[test]
fn waits_of_idle_threads_are_left_out_of_blocked_time_unless_requested() {
    let drawn = profile(
        "
        @event   off_cpu:futex                                    off_cpu:futex  cpu
        @weight  5                                                2              1
                 java/util/concurrent/ThreadPoolExecutor.getTask  app.Shop.list  app.Shop.list
                 java/util/concurrent/LinkedBlockingQueue.take    lock[j]
        ",
    );
    let of = |metric: &str, idle: IdleWaits, filter: Option<&str>| {
        let query = Query { filter: filter.map(|text| text.parse().expect("a filter")), ..Query::default() };
        let shape = FlameGraphShape { metric: Some(metric.to_owned()), idle, ..FlameGraphShape::default() };
        let view = whittle_views::flame_graph::flame_graph(&drawn, &query, &shape).expect("a flame graph");
        assert_eq!(view.preamble.filter.as_deref(), filter, "the view shows the user's filter");
        (view.total / 1e9, view.leaves_out_idle)
    };
    assert_eq!(of("off_cpu", IdleWaits::LeftOut, None), (2.0, true));
    assert_eq!(of("off_cpu", IdleWaits::Shown, None), (7.0, false));
    assert_eq!(of("off_cpu", IdleWaits::LeftOut, Some("wait is idle")), (5.0, false));
    assert_eq!(of("off_cpu", IdleWaits::LeftOut, Some("stack has \"app.Shop.list\"")), (2.0, true));
    assert_eq!(of("cpu", IdleWaits::LeftOut, None), (1.0, false));
}
