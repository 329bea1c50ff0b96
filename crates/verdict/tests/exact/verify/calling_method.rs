//! A calling method that was renamed, moved, inlined or split has a smaller cost, and nothing improved.

use crate::verify::drawn::{Callers, design, finding, runs, verified, with_callers};
use whittle_verdict::verify::{CallingMethod, Design, DoubtKind, EndpointView, VerificationView, Word};

const CALLING: [f64; 4] = [400.0, 410.0, 395.0, 405.0];
const NO: [f64; 4] = [0.0; 4];
/// Other callers of the pattern in both programs.
const OTHERS: [f64; 4] = [100.0, 103.0, 99.0, 101.0];

/// Verifies a program with an unchanged cost. The calling method of its finding changed.
fn refactored(baseline: Callers<'_>, candidate: Callers<'_>) -> VerificationView {
    let mut all = runs(&[100.0, 101.0, 99.0, 100.0, 100.5], &[100.2, 99.5, 100.0, 101.0, 99.0]);
    all.extend(with_callers(baseline, candidate));
    let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
    assert!(!matches!(view.verdict.word, Word::Improved | Word::Worse), "{:?}", view.sentences);
    view
}

fn of_finding(view: &VerificationView) -> &EndpointView {
    &view.endpoints[1]
}

fn warning(view: &VerificationView) -> &str {
    view.doubts.iter().find(|doubt| doubt.kind == DoubtKind::CallingMethod).map_or("", |doubt| &doubt.text)
}

/// The pattern's cost is below a method with another name, or with another class. Inlined by hand, it is below the
/// caller.
#[test]
fn the_cost_of_a_renamed_moved_or_inlined_method_is_found_below_other_callers() {
    let found = [398.0, 407.0, 402.0, 399.0];
    let with_others = [498.0, 507.0, 502.0, 499.0];
    for (before, after) in [(NO, found), (OTHERS, with_others)] {
        let view = refactored((Some(&CALLING), &before), (None, &after));
        let endpoint = of_finding(&view);
        assert_eq!(endpoint.calling, Some(CallingMethod::Moved));
        assert_eq!(endpoint.name, "The finding's cost per unit, below any caller");
        assert!((endpoint.ratio.expect("ratio") - 1.0).abs() < 0.02, "{endpoint:?}");
        assert!(!matches!(endpoint.verdict.word, Word::Improved | Word::Worse), "{endpoint:?}");
        assert!(warning(&view).starts_with("the finding's cost moved between app.Log.write(int) and other callers"));
    }
}

/// The method keeps a part of the pattern's cost. Another method took over the rest.
#[test]
fn the_cost_of_a_split_method_is_the_cost_of_its_parts() {
    let view =
        refactored((Some(&CALLING), &OTHERS), (Some(&[160.0, 166.0, 158.0, 161.0]), &[342.0, 347.0, 339.0, 344.0]));
    let endpoint = of_finding(&view);
    assert_eq!(endpoint.calling, Some(CallingMethod::Moved));
    assert!(!matches!(endpoint.verdict.word, Word::Improved | Word::Worse), "{endpoint:?}");
}

/// The calling method took over the work of another method.
#[test]
fn a_joined_method_is_not_worse() {
    let view = refactored((Some(&OTHERS), &CALLING), (Some(&[498.0, 507.0, 502.0, 499.0]), &NO));
    assert_eq!(of_finding(&view).calling, Some(CallingMethod::Moved));
}

#[test]
fn a_method_that_is_gone_without_a_trace_is_inconclusive() {
    let view = refactored((Some(&CALLING), &OTHERS), (None, &OTHERS));
    let endpoint = of_finding(&view);
    assert_eq!((endpoint.calling, endpoint.verdict.word), (Some(CallingMethod::Gone), Word::Inconclusive));
    assert!(
        endpoint.sentence.contains("inconclusive (the candidate does not have the calling method)"),
        "{endpoint:?}"
    );
    assert!(warning(&view).starts_with("no stack of the candidate has app.Log.write(int)"), "{}", warning(&view));
    // A small part of the cost does not account for the rest.
    let view = refactored((Some(&CALLING), &NO), (None, &[30.0, 31.0, 29.0, 30.0]));
    assert_eq!(of_finding(&view).calling, Some(CallingMethod::Gone));
}

/// The program's endpoint decides, also if the calling method is gone.
#[test]
fn a_program_improves_without_its_calling_method() {
    let mut all = runs(&[100.0, 101.0, 99.0, 100.0], &[50.0, 51.0, 49.0, 50.0]);
    all.extend(with_callers((Some(&CALLING), &NO), (None, &NO)));
    let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
    assert_eq!((of_finding(&view).verdict.word, view.verdict.word), (Word::Inconclusive, Word::Improved));
}

#[test]
fn a_fixed_finding_keeps_its_calling_method() {
    let mut all = runs(&[100.0, 101.0, 99.0, 100.0], &[50.0, 51.0, 49.0, 50.0]);
    all.extend(with_callers((Some(&CALLING), &OTHERS), (Some(&[5.0, 4.0, 6.0, 5.0]), &[104.0, 99.0, 105.0, 101.0])));
    let view = verified(&Design { finding: Some(finding()), ..design() }, &all);
    let endpoint = of_finding(&view);
    assert_eq!((endpoint.calling, endpoint.verdict.word), (Some(CallingMethod::Present), Word::Improved));
    assert_eq!(warning(&view), "");
}
