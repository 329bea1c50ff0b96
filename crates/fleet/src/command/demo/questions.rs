//! The queries of the demo.

use whittle_fleet::demo::{CAUSES, Expected, LAMBDA, Recording, SERVICE, VERSIONS};
use whittle_fleet::question::TimeRange;

/// A query of the demo. It has a description, a command without store and time range, and a time range.
pub(super) struct Question {
    pub(super) says: String,
    pub(super) words: Vec<String>,
    pub(super) time: TimeRange,
}

/// The queries, in the order in which an engineer would run them.
pub(super) fn questions(expected: &Expected, recording: &Recording) -> Vec<Question> {
    let question = |says: &str, words: &[&str]| Question {
        says: says.to_owned(),
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        time: recording.time(),
    };
    let [before, after] = recording.windows;
    let [before_since, before_until] = before.moments();
    let [slow, fixed] = VERSIONS;
    let [masking, call_log] = CAUSES;
    let example = expected.lambda_names.first().map_or("", String::as_str);
    let one_function = format!(
        "Each JVM names classes of lambdas differently. The classes of OrdersProgram have {} names in the segments, such as\n\
         {example}.\nOver all hosts, these names are one function:",
        expected.lambda_names.len()
    );
    vec![
        question("Which services are there, what do they cost, and how much CPU time is explained?", &["services"]),
        question("What costs most, over all hosts?", &["top", "--limit", "10"]),
        Question {
            time: after,
            ..question(
                "20 of the hosts changed from version 1.0 to 1.1. What did an order cost before the first change,\n\
                 and what did it cost after the last change?",
                &[
                    "compare",
                    "--service",
                    SERVICE,
                    "--baseline-version",
                    slow,
                    "--version",
                    fixed,
                    "--baseline-since",
                    &before_since,
                    "--baseline-until",
                    &before_until,
                    "--metrics",
                    "i.cpu",
                    "--limit",
                    "20",
                ],
            )
        },
        question(
            "Which functions changed with the version, compared with the machines that kept the old version?",
            &["regressions", "--service", SERVICE, "--every", "1m", "--flavour", "inclusive", "--limit", "12"],
        ),
        Question {
            time: after,
            ..question(
                "What does the fleet save, per order and in money?",
                &["saving", "--service", SERVICE, "--baseline-since", &before_since, "--baseline-until", &before_until],
            )
        },
        question(
            "Version 1.0 masks whole messages, although it keeps only small parts of them. The share per minute:",
            &["share", masking, "--service", SERVICE, "--every", "1m"],
        ),
        question(
            "Version 1.0 also takes a stack trace at every remote call, to write one log line:",
            &["share", call_log, "--service", SERVICE, "--by", "version"],
        ),
        question(
            "The list of top functions does not show this cost, because many functions make these calls.",
            &[
                "callers-callees",
                "--service",
                SERVICE,
                "--version",
                slow,
                "--fragment",
                "whittle.workloads.orders.RemoteServices.ask",
                "--metrics",
                "a.cpu,a.cpu%",
                "--limit",
                "8",
            ],
        ),
        question(
            &one_function,
            &[
                "callers-callees",
                "--service",
                SERVICE,
                "--fragment",
                LAMBDA,
                "--metrics",
                "a.cpu,a.cpu%",
                "--limit",
                "3",
            ],
        ),
    ]
}
