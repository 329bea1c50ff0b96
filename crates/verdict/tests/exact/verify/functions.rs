//! Functions that changed, and cost that moved.

use crate::verify::drawn::{design, function_runs, runs, verified_functions};
use whittle_render::{Format, Style, render};
use whittle_verdict::verify::{Design, FunctionRuns, FunctionsComparison, Measured, Order, markdown, verify};

fn compared(functions: &FunctionRuns) -> Option<FunctionsComparison> {
    verified_functions(&runs(&[100.0, 101.0, 99.0], &[100.0, 101.0, 99.0]), functions).functions
}

/// Twelve unchanged functions.
const STEADY: [(&str, [f64; 6]); 12] = [
    ("app.A.a()", [1000.0, 1010.0, 985.0, 1005.0, 990.0, 1002.0]),
    ("app.B.b()", [800.0, 830.0, 790.0, 805.0, 821.0, 797.0]),
    ("app.C.c()", [600.0, 580.0, 612.0, 590.0, 606.0, 597.0]),
    ("app.D.d()", [400.0, 420.0, 391.0, 405.0, 398.0, 411.0]),
    ("app.E.e()", [300.0, 285.0, 310.0, 305.0, 291.0, 298.0]),
    ("app.F.f()", [250.0, 262.0, 243.0, 247.0, 259.0, 251.0]),
    ("app.G.g()", [200.0, 190.0, 211.0, 204.0, 197.0, 206.0]),
    ("app.H.h()", [180.0, 171.0, 185.0, 176.0, 188.0, 179.0]),
    ("app.I.i()", [160.0, 172.0, 155.0, 166.0, 158.0, 161.0]),
    ("app.J.j()", [140.0, 133.0, 149.0, 144.0, 138.0, 136.0]),
    ("app.K.k()", [120.0, 131.0, 112.0, 126.0, 118.0, 121.0]),
    ("app.L.l()", [110.0, 102.0, 117.0, 108.0, 114.0, 105.0]),
];

fn with_steady(more: &[(&'static str, [f64; 6])]) -> FunctionRuns {
    let all: Vec<(&str, &[f64])> = STEADY.iter().chain(more).map(|(name, samples)| (*name, &samples[..])).collect();
    function_runs(&all)
}

#[test]
fn nothing_is_named_where_nothing_changed() {
    let functions = compared(&with_steady(&[])).expect("functions");
    assert_eq!((functions.tested_count, functions.changed.len()), (12, 0));
}

#[test]
fn what_changed_is_named_and_small_functions_are_one_row() {
    let functions = compared(&with_steady(&[
        ("lib.Slow.run()", [900.0, 920.0, 890.0, 300.0, 310.0, 295.0]),
        ("lib.Tiny.run()", [10.0, 12.0, 9.0, 3.0, 2.0, 4.0]),
    ]))
    .expect("functions");
    assert_eq!(functions.tested_count, 13);
    let names: Vec<&str> = functions.changed.iter().map(|change| change.name.as_str()).collect();
    assert_eq!(names, ["lib.Slow.run()"]);
    let slow = &functions.changed[0];
    assert!((slow.ratio.expect("ratio") - 0.334).abs() < 0.01 && slow.adjusted_p < Some(0.001), "{slow:?}");
    assert!((slow.baseline_ns / 903.3e6 - 1.0).abs() < 1e-3, "{slow:?}");
    assert!((functions.other.expect("others").samples - 10.333).abs() < 0.01);
}

#[test]
fn new_and_removed_functions_have_ratios_as_well() {
    let functions = compared(&with_steady(&[
        ("old.Gone.run()", [900.0, 920.0, 890.0, 0.0, 0.0, 0.0]),
        ("neu.Here.run()", [0.0, 0.0, 0.0, 400.0, 410.0, 395.0]),
    ]))
    .expect("functions");
    let ratios: Vec<f64> = functions.changed.iter().filter_map(|change| change.ratio).collect();
    assert!(ratios.len() == 2 && ratios[0] < 0.01 && ratios[1] > 100.0, "{ratios:?}");
}

#[test]
fn cost_that_moved_within_a_class_is_told() {
    let functions = compared(&with_steady(&[
        ("app.Log.write()", [900.0, 920.0, 890.0, 300.0, 310.0, 295.0]),
        ("app.Log.flush()", [200.0, 205.0, 195.0, 800.0, 790.0, 815.0]),
    ]))
    .expect("functions");
    let moved: Vec<&str> = functions.moved.iter().map(|moved| moved.sentence.as_str()).collect();
    assert_eq!(moved.len(), 1, "{moved:?}");
    assert!(moved[0].starts_with("Cost moved from app.Log.write() to app.Log.flush(): 60"), "{moved:?}");
}

const WRITE: (&str, [f64; 6]) = ("app.Log.write()", [900.0, 920.0, 890.0, 300.0, 310.0, 295.0]);
const FLUSH: (&str, [f64; 6]) = ("app.Log.flush()", [200.0, 205.0, 195.0, 800.0, 790.0, 815.0]);

/// A third function of the class is so noisy that the class could cost much less, or much more.
#[test]
fn cost_may_have_moved_if_the_total_is_uncertain() {
    let noisy = ("app.Log.format()", [2000.0, 900.0, 3100.0, 1500.0, 3200.0, 1300.0]);
    let functions = compared(&with_steady(&[WRITE, FLUSH, noisy])).expect("functions");
    let moved = functions.moved.iter().find(|moved| moved.within == "app.Log").expect("moved cost");
    assert!(moved.low_ratio < 0.6 && moved.high_ratio > 1.5, "{moved:?}");
    assert!(moved.sentence.starts_with("Cost may have moved from app.Log.write() to app.Log.flush(): "), "{moved:?}");
}

/// A change of the machine between the sides can also look like moved cost.
#[test]
fn cost_of_sides_one_after_the_other_may_have_moved() {
    let sequential = Design { order: Order::Sequential, ..design() };
    let (runs, functions) = (runs(&[100.0, 101.0, 99.0], &[100.0, 101.0, 99.0]), with_steady(&[WRITE, FLUSH]));
    let view = verify(&sequential, Measured { runs: &runs, functions: Some(&functions), doubts: &[] });
    let moved = view.functions.expect("functions").moved;
    assert!(moved[0].sentence.starts_with("Cost may have moved from app.Log.write() "), "{moved:?}");
}

/// The row of small functions was not selected, so its interval has another confidence than the listed functions.
#[test]
fn notes_name_the_confidence_of_each_interval() {
    let runs = runs(&[100.0, 101.0, 99.0], &[100.0, 101.0, 99.0]);
    let tiny = ("lib.Tiny.run()", [10.0, 12.0, 9.0, 3.0, 2.0, 4.0]);
    let selected = "Intervals of the listed functions have ";
    let other = "The interval of \"all with fewer samples\" has 95 % confidence";
    for (more, expected) in
        [(&[WRITE, tiny][..], [true, true]), (&[tiny][..], [false, true]), (&[WRITE][..], [true, false])]
    {
        let view = verified_functions(&runs, &with_steady(more));
        let text = render(&view, Format::Text, Style::default());
        assert_eq!([selected, other].map(|note| text.contains(note)), expected, "{text}");
    }
    assert!(markdown(&verified_functions(&runs, &with_steady(&[WRITE, tiny]))).contains(other));
}

#[test]
fn saved_cost_has_not_moved() {
    let functions = compared(&with_steady(&[
        ("app.Log.write()", [900.0, 920.0, 890.0, 300.0, 310.0, 295.0]),
        ("app.Log.flush()", [200.0, 205.0, 195.0, 300.0, 290.0, 315.0]),
    ]))
    .expect("functions");
    assert!(functions.moved.is_empty(), "{:?}", functions.moved);
}

#[test]
fn one_profiled_run_a_side_says_nothing_of_functions() {
    let functions = function_runs(&[("app.A.a()", &[100.0, 900.0])]);
    assert_eq!(compared(&functions), None);
}

#[test]
fn damaged_functions_are_left_out() {
    let mut functions = with_steady(&[]);
    functions.functions[0].cost_ns.pop();
    functions.functions[1].samples[2] = f64::NAN;
    functions.functions[2].cost_ns[0] = -1.0;
    assert_eq!(compared(&functions).expect("functions").tested_count, 9);
    functions.units.clear();
    assert_eq!(compared(&functions), None);
}
