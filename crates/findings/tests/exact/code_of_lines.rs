//! Findings that need the bytecode of the program's own lines, in drawn experiments with class files.

use crate::waits::{Stack, found, of};
use whittle_findings::{EditSite, Finding, SiteAnswer, TrialAnswer};

const WORK: (usize, &str, &str, &[&str]) = (20, "worker 1", "cpu", &["app/Main.run:1", "app/Main.work:5"]);

fn site(finding: &Finding) -> &EditSite {
    match &finding.site {
        SiteAnswer::Found(site) => site,
        other => panic!("{other:?}"),
    }
}

/// The remedy of the finding's trial, and the lines that it changes.
fn trial(finding: &Finding) -> Option<(&str, Vec<Option<u32>>)> {
    match &finding.trial {
        TrialAnswer::Possible(trial) => {
            Some((trial.remedy.as_str(), trial.places.iter().map(|place| place.line).collect()))
        }
        TrialAnswer::Impossible { .. } => None,
    }
}

#[test]
fn a_loop_that_only_waits_is_found_without_a_frame_of_its_test() {
    let test = ["app/Main.run:1", "app/Spins.finish:13"];
    let pause = ["app/Main.run:1", "app/Spins.finish:14"];
    let called = ["app/Main.run:1", "app/Spins.finish:13", "java/util/concurrent/FutureTask.isDone"];
    let stacks: [Stack<'_>; 4] =
        [(10, "worker 1", "cpu", &test), (6, "worker 1", "cpu", &pause), (4, "worker 1", "cpu", &called), WORK];
    let view = found(&stacks);
    let finding = of(&view, "busy-wait").expect("a finding");
    // All samples of the loop are one finding, whatever is on their stacks.
    assert_eq!((finding.spent.ratio, finding.calling.line), (0.5, Some(13)));
    assert_eq!(view.findings.iter().filter(|finding| finding.detector == "busy-wait").count(), 1);
    assert_eq!((site(finding).line, site(finding).method.as_str()), (Some(13), "finish"));
    assert_eq!(site(finding).what, "the loop that only waits, with java.lang.Thread.onSpinWait()");
    assert_eq!(trial(finding), Some(("sleep-in-spin", vec![Some(13)])));
    assert!(view.findings.iter().all(|finding| finding.calling.line != Some(13) || finding.detector == "busy-wait"));
}

#[test]
fn a_loop_without_a_pause_is_found_too_but_cannot_be_tried() {
    let view = found(&[(20, "worker 1", "cpu", &["app/Main.run:1", "app/Spins.start:19"]), WORK]);
    let finding = of(&view, "busy-wait").expect("a finding");
    assert_eq!((finding.calling.line, site(finding).line, trial(finding)), (Some(19), Some(19), None));
}

#[test]
fn a_loop_that_searches_an_array_does_not_wait() {
    for line in ["app/Spins.find:25", "app/Spins.find:26"] {
        let view = found(&[(20, "worker 1", "cpu", &["app/Main.run:1", line]), WORK]);
        assert!(of(&view, "busy-wait").is_none());
        assert!(of(&view, "hot-path").is_some());
    }
}

#[test]
fn a_level_that_a_subclass_sets_is_found_in_the_subclass() {
    let deflate = |own| {
        let calls = ["java/io/FilterOutputStream.write", "java/util/zip/DeflaterOutputStream.write"];
        [
            "app/Main.run:1",
            own,
            calls[0],
            calls[1],
            "java/util/zip/DeflaterOutputStream.deflate",
            "java/util/zip/Deflater.deflateBytesBytes",
        ]
    };
    let view = found(&[(20, "worker 1", "cpu", &deflate("app/Spins.pack:39")), WORK]);
    let finding = of(&view, "deflate-cost").expect("a finding");
    assert_eq!((site(finding).class.as_str(), site(finding).line), ("app/Spins$Packed", Some(33)));
    assert_eq!(trial(finding), Some(("fastest-level", vec![Some(33)])));
    // Nothing sets a level, so the stream has the default level.
    let view = found(&[(20, "worker 1", "cpu", &deflate("app/Spins.packQuickly:44")), WORK]);
    assert!(of(&view, "deflate-cost").is_none());
}
