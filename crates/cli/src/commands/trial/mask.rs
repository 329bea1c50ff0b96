//! Masks parts of a program's output that differ from run to run: times, ids, and names of temporary files.

use regex::{Captures, Regex};
use std::sync::LazyLock;

/// Times, dates, durations, rates and process ids. A program can also compute them, so a line that is the same in all
/// baseline runs is compared without this mask.
static TIMES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    compiled(&[
        (r"\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T_]+\d{1,2}:\d{2}(:\d{2})?([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?", "<time>"),
        (r"\b\d{1,2}:\d{2}:\d{2}([.,]\d+)?(Z|[+-]\d{2}:?\d{2})?", "<time>"),
        (
            r"\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? +(\d{1,2} +)?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*( +\d{1,2}\b)?",
            "<time>",
        ),
        (
            r"\b\d+(:\d{2})?([.,]\d+)* ?(ns|us|µs|μs|ms|s|sec|secs|seconds?|milliseconds?|millis|microseconds?|micros|nanoseconds?|nanos|min|mins|minutes?|hours?)\b",
            "<duration>",
        ),
        (r"\b\d+([.,]\d+)* ?[\w-]*(/s|/sec|/second| per second| a second)\b", "<rate>"),
        (r"(?i)\b((took|takes|elapsed|duration|time|rate)\b[ :=]*)\d+([.,]\d+)*", "$1<duration>"),
        (r"(?i)\b((pid|process)[ :=#]*)\d+", "$1<pid>"),
    ])
});

/// Ids, and names of temporary files. They can also be results, such as checksums.
static IDS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    compiled(&[
        (r"/(var/)?tmp/[^\s:;,'\x22]+", "<temporary>"),
        (r"\b[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<id>"),
        (r"\b0x[0-9a-fA-F]+\b", "<id>"),
        (r"@[0-9a-f]{4,}\b", "@<id>"),
    ])
});

/// Ids without a prefix. A number has no letter.
static HEXADECIMAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[0-9a-f]{8,}\b"));
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| pattern(r"\d+([.,]\d+)*"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap_or_else(|error| unreachable!("{text}, which a test compiles: {error}"))
}

fn compiled(rules: &[(&str, &'static str)]) -> Vec<(Regex, &'static str)> {
    rules.iter().map(|(text, mask)| (pattern(text), *mask)).collect()
}

fn replaced(line: &str, rules: &[(Regex, &str)]) -> String {
    let replace = |line: String, (rule, mask): &(Regex, &str)| rule.replace_all(&line, *mask).into_owned();
    rules.iter().fold(line.to_owned(), replace)
}

/// The line without times, durations, rates and process ids.
pub(super) fn without_times(line: &str) -> String {
    replaced(line.trim_end(), &TIMES)
}

/// The line also without ids and names of temporary files.
pub(super) fn without_ids(line: &str) -> String {
    let line = replaced(&without_times(line), &IDS);
    let mask = |found: &Captures<'_>| match found[0].contains(|c: char| c.is_ascii_alphabetic()) {
        true => "<id>".to_owned(),
        false => found[0].to_owned(),
    };
    HEXADECIMAL.replace_all(&line, mask).into_owned()
}

/// The line also without numbers: what kind of line it is.
pub(super) fn shape(line: &str) -> String {
    // An id can consist of digits by chance.
    NUMBERS.replace_all(&without_ids(line), "#").replace("<id>", "#")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_mask() {
        for (line, masked) in [
            ("2026-11-29T05:34:02.123Z INFO ready", "<time> INFO ready"),
            ("05:34:02,5 ready", "<time> ready"),
            ("Sun Nov 29 05:34:02 UTC 2026", "<time> <time> UTC 2026"),
            ("done in 1.25 s, 3ms each", "done in <duration>, <duration> each"),
            ("rate 41.4 documents/s", "rate <rate>"),
            ("took 1234", "took <duration>"),
            ("[pid 4711] start", "[pid <pid>] start"),
            ("12 documents, sum 55", "12 documents, sum 55"),
            ("crc 0x1f2e3d4c", "crc 0x1f2e3d4c"),
        ] {
            assert_eq!(without_times(line), masked, "{line}");
        }
    }

    #[test]
    fn ids_and_temporary_files_have_a_mask() {
        for (line, masked) in [
            ("Foo@1b2c3d4e at /tmp/app-8123/x.log", "Foo@<id> at <temporary>"),
            ("id 123e4567-e89b-12d3-a456-426614174000", "id <id>"),
            ("crc 1f2e3d4c", "crc <id>"),
        ] {
            assert_eq!(without_ids(line), masked, "{line}");
        }
        assert_eq!(without_ids("calls 123456789"), "calls 123456789");
        assert_eq!(shape("12 documents, sum 5.5"), "# documents, sum #");
        assert_eq!(shape("sum 1f2e3d4c"), shape("sum 12345678"));
    }
}
