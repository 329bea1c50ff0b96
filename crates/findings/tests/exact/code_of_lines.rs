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
