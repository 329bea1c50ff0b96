//! The output: text and Markdown.

use crate::verify::drawn::{design, finding, function_runs, profiled, runs, with_metric};
use whittle_render::{Format, Style, render};
use whittle_verdict::verify::{Design, Doubt, DoubtKind, Measured, VerificationView, markdown, verify};

fn example() -> VerificationView {
    let rates = [1000.0, 990.0, 1010.0, 1005.0, 995.0, 1980.0, 2010.0, 2000.0, 1990.0, 2020.0];
    let mut all = runs(&[1200.0, 1215.0, 1190.0, 1205.0, 1198.0], &[590.0, 601.0, 598.0, 605.0, 593.0]);
    all = with_metric(all, "messages_per_second", &rates);
    all.extend(profiled(&[640.0, 655.0, 630.0, 645.0, 651.0], &[10.0, 12.0, 9.0, 8.0, 11.0]));
    all.iter_mut().for_each(|run| run.units = Some(100_000.0));
    let functions: Vec<(String, Vec<f64>)> = (0_u32..14)
        .map(|index| {
            let base = 900.0 / f64::from(index + 1);
            let fixed = if index == 2 { 0.1 } else { 1.0 };
            let wobble = |run: u32| 1.0 + 0.03 * f64::from((run * 7 + index * 5) % 5) - 0.06;
            let samples = (0..10).map(|run| (base * wobble(run) * if run < 5 { 1.0 } else { fixed }).round()).collect();
            (format!("app.Step{index}.run(java.util.List<String>)"), samples)
        })
        .collect();
    let named: Vec<(&str, &[f64])> = functions.iter().map(|(name, samples)| (name.as_str(), &samples[..])).collect();
    let mut functions = function_runs(&named);
    functions.units.iter_mut().for_each(|units| *units = Some(100_000.0));
    let design = Design { unit: Some("message".to_owned()), finding: Some(finding()), ..design() };
    let doubts = [Doubt { kind: DoubtKind::OutputsDiffer, text: "the outputs differ: `sum 1` and `sum 2`".to_owned() }];
    verify(&design, Measured { runs: &all, functions: Some(&functions), doubts: &doubts })
}

#[test]
fn text_has_verdict_interval_bars_and_points() {
    let text = render(&example(), Format::Text, Style::default());
    assert!(text.starts_with("Verification: ✔ improved\n"), "{text}");
    for wanted in
        ["CPU time per message*", "├", "●", "95 % interval", "messages_per_second", "app.Step2.run", "Warnings:"]
    {
        assert!(text.contains(wanted), "no {wanted} in\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 160), "{text}");
}

#[test]
fn markdown_is_a_table_and_no_name_is_markup() {
    let markdown = markdown(&example());
    assert!(markdown.starts_with("## Verification: ✔ improved\n"), "{markdown}");
    assert!(markdown.contains("| **CPU time per message** | 12.0 µs | 5.97 µs | −50 % |"), "{markdown}");
    assert!(markdown.contains("`app.Step2.run(java.util.List<String>)`"), "{markdown}");
    assert!(markdown.contains(r"the outputs differ: \`sum 1\` and"), "{markdown}");
}

#[test]
fn csv_has_a_row_an_endpoint() {
    let view = example();
    let csv = render(&view, Format::Csv, Style::default());
    assert_eq!(csv.lines().count(), 1 + view.endpoints.len());
    assert!(csv.starts_with("name,unit,is_primary,verdict,"), "{csv}");
}
