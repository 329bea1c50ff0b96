//! Any numbers give an answer in valid JSON, never a panic.

use crate::verify::drawn::{design, finding, function_runs, run};
use proptest::prelude::*;
use whittle_profile::Side;
use whittle_render::{Format, Style, render};
use whittle_verdict::verify::{
    Design, FindingCost, Measured, Order, PatternCost, PlannedRuns, PrimaryEndpoint, PrintedMetric, Run,
    VerificationView, forecast, markdown, verify,
};

/// Extreme numbers and usual numbers.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        prop::sample::select(vec![
            0.0,
            -1.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MIN_POSITIVE,
            f64::MAX,
            1e-300
        ]),
        1e-3..1e6_f64,
    ]
}

fn any_run() -> impl Strategy<Value = Run> {
    let nanos = prop_oneof![Just(0), Just(u64::MAX), 1..10_000_000_000_u64];
    let finding = prop::option::of((number(), number()));
    (any::<bool>(), prop::option::of(0..4_u32), any::<bool>(), nanos, prop::option::of(number()), number(), finding)
        .prop_map(|(is_baseline, pair, is_profiled, nanos, units, metric, finding)| Run {
            pair,
            is_profiled,
            elapsed_ns: nanos,
            user_cpu_ns: nanos,
            system_cpu_ns: nanos / 2,
            units,
            metrics: vec![PrintedMetric { name: "rate_per_second".to_owned(), value: metric }],
            finding: finding.map(|(cpu_ns, samples)| FindingCost {
                cpu_ns,
                samples,
                has_calling: is_profiled,
                pattern: pair.map(|_| PatternCost { cpu_ns: metric, samples }),
            }),
            ..run(if is_baseline { Side::Baseline } else { Side::Candidate }, 0, 1.0)
        })
}

fn any_design() -> impl Strategy<Value = Design> {
    let endpoint = prop::sample::select(vec![
        PrimaryEndpoint::Cpu,
        PrimaryEndpoint::Elapsed,
        PrimaryEndpoint::Metric("rate_per_second".to_owned()),
        PrimaryEndpoint::Metric("never_printed".to_owned()),
    ]);
    (endpoint, any::<bool>(), any::<bool>()).prop_map(|(endpoint, is_sequential, has_finding)| Design {
        endpoint,
        order: if is_sequential { Order::Sequential } else { Order::Interleaved },
        finding: has_finding.then(finding),
        ..design()
    })
}

proptest! {
    #[test]
    fn any_runs_have_an_answer(runs in prop::collection::vec(any_run(), 0..14), design in any_design(), samples in prop::collection::vec(number(), 6)) {
        let functions = function_runs(&[("app.A.a()", &samples), ("app.B.b()", &[200.0; 6])]);
        let view = verify(&design, Measured { runs: &runs, functions: Some(&functions), doubts: &[] });
        prop_assert!([0, 4, 5].contains(&view.exit_status));
        for endpoint in &view.endpoints {
            if let (Some(low), Some(ratio), Some(high)) = (endpoint.low_ratio, endpoint.ratio, endpoint.high_ratio) {
                prop_assert!(low <= ratio && ratio <= high, "{endpoint:?}");
            }
        }
        let _ = forecast(&design, PlannedRuns { runs: runs.len(), primary_count: 2 }, &runs).words();
        for format in [Format::Text, Format::Csv, Format::Json] {
            prop_assert!(!render(&view, format, Style::default()).contains("NaN"));
        }
        prop_assert!(!markdown(&view).contains("NaN"));
    }

    /// JSON contains the whole answer.
    #[test]
    fn json_is_read_back(ms in prop::collection::vec(10.0..20.0_f64, 6)) {
        let runs = crate::verify::drawn::runs(&ms[..3], &ms[3..]);
        let view = crate::verify::drawn::verified(&design(), &runs);
        let text = render(&view, Format::Json, Style::default());
        let read: VerificationView = serde_json::from_str(&text).expect("our JSON");
        prop_assert_eq!(read.sentences, view.sentences);
        prop_assert_eq!(read.runs, view.runs);
    }

    /// The ratio is symmetric: swapped sides give the inverse ratio.
    #[test]
    fn swapped_sides_give_the_inverse(ms in prop::collection::vec(10.0..20.0_f64, 8)) {
        let there = crate::verify::drawn::verified(&design(), &crate::verify::drawn::runs(&ms[..4], &ms[4..]));
        let back = crate::verify::drawn::verified(&design(), &crate::verify::drawn::runs(&ms[4..], &ms[..4]));
        let (there, back) = (&there.endpoints[0], &back.endpoints[0]);
        prop_assert!((there.ratio.expect("ratio") * back.ratio.expect("ratio") - 1.0).abs() < 1e-9);
        prop_assert!((there.p.expect("p") - back.p.expect("p")).abs() < 1e-9);
    }
}
