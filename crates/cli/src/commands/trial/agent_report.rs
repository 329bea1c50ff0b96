//! The report of the agent: what it changed, what it refused, and how often the changed places ran.
//!
//! A report is a text of lines with words that tabs separate. Each JVM writes its own file.

use std::collections::BTreeMap;

/// What the agents in all JVMs of one run report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct AgentReport {
    /// Number of JVMs that have read the plan.
    pub(super) jvms_count: usize,
    /// Changed methods. A class that several loaders load is in the list several times.
    pub(super) changed: Vec<Changed>,
    /// The reasons why places were refused, by the number of the place.
    pub(super) refused: BTreeMap<usize, String>,
    /// How often each place ran, by the number of the place.
    pub(super) runs: BTreeMap<usize, u64>,
    /// The largest capacity that an object of a place got, by the number of the place.
    pub(super) capacities: BTreeMap<usize, u64>,
    /// What a reader of the result must know.
    pub(super) notes: Vec<String>,
    /// What refutes the condition of the remedy, by the number of the place: the program's meaning can differ.
    broken: Vec<(usize, String)>,
    /// Why an agent failed. `None`: no agent failed.
    pub(super) failed: Option<String>,
}

/// A changed method.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Changed {
    /// Number of the place in the plan.
    pub(super) place: usize,
    /// The class, named as in the JVM.
    pub(super) class: String,
    /// Bytes of bytecode of the method.
    pub(super) bytes_before: u64,
    /// Bytes of bytecode of the changed method.
    pub(super) bytes_after: u64,
}

impl AgentReport {
    /// Adds the report of a JVM. A line that is not whole is ignored, because the JVM can end while it writes.
    pub(super) fn add(&mut self, text: &str) {
        for line in text.lines() {
            // `None`: the line is not whole.
            let _ = self.add_line(&line.split('\t').collect::<Vec<_>>());
        }
    }

    fn add_line(&mut self, words: &[&str]) -> Option<()> {
        match *words {
            ["ready"] => self.jvms_count += 1,
            ["changed", place, class, before, after] => self.changed.push(Changed {
                place: place.parse().ok()?,
                class: class.to_owned(),
                bytes_before: before.parse().ok()?,
                bytes_after: after.parse().ok()?,
            }),
            ["refused", place, _class, reason] => {
                self.refused.insert(place.parse().ok()?, reason.to_owned());
            }
            ["runs", place, count] => {
                *self.runs.entry(place.parse().ok()?).or_default() += count.parse::<u64>().ok()?
            }
            ["capacity", place, capacity] => {
                let largest = self.capacities.entry(place.parse().ok()?).or_default();
                *largest = (*largest).max(capacity.parse().ok()?);
            }
            ["note", _place, text] if !self.notes.iter().any(|note| note == text) => self.notes.push(text.to_owned()),
            ["broken", place, text] => self.broken.push((place.parse().ok()?, text.to_owned())),
            ["failed", reason] | ["failed", "-", reason] => self.failed = Some(reason.to_owned()),
            _ => {}
        }
        Some(())
    }

    /// The first sentence that refutes the condition of the remedy, at a place that ran.
    pub(super) fn broken_condition(&self) -> Option<&str> {
        let has_run = |place: &usize| self.runs.get(place).is_some_and(|count| *count > 0);
        self.broken.iter().find(|(place, _)| has_run(place)).map(|(_, text)| text.as_str())
    }

    /// How often all places ran.
    pub(super) fn runs_count(&self) -> u64 {
        self.runs.values().fold(0, |sum, count| sum.saturating_add(*count))
    }
}

/// Larger methods are not inlined by the JIT compiler if they are hot (`FreqInlineSize`).
const LARGEST_INLINED_BYTES: u64 = 325;
/// Larger methods are never compiled (`HugeMethodLimit`).
const LARGEST_COMPILED_BYTES: u64 = 8000;

impl Changed {
    /// What the new size means for the JIT compiler. `None`: nothing.
    pub(super) fn note(&self) -> Option<String> {
        let exceeds = |limit: u64| self.bytes_before <= limit && self.bytes_after > limit;
        let grows = format!(
            "a method of {} grows from {} to {} bytes",
            self.class.replace('/', "."),
            self.bytes_before,
            self.bytes_after
        );
        if exceeds(LARGEST_COMPILED_BYTES) {
            return Some(format!("{grows}, so the JVM does not compile it: the fix in the source can be faster"));
        }
        exceeds(LARGEST_INLINED_BYTES)
            .then(|| format!("{grows}, so the JVM does not inline it: the fix in the source can be faster"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_several_jvms_are_added_up() {
        let mut report = AgentReport::default();
        report.add("ready\nchanged\t1\ta/B\t10\t20\nruns\t1\t5\ncapacity\t1\t300\nnote\t1\tseen\n");
        report.add(
            "ready\nruns\t1\t7\ncapacity\t1\t200\nruns\t2\t1\nnote\t1\tseen\nrefused\t2\ta/C\tit is used as a FileOutputStream\nchan",
        );
        assert_eq!(report.capacities, BTreeMap::from([(1, 300)]));
        assert_eq!(
            (report.jvms_count, report.runs_count(), report.notes.as_slice()),
            (2, 13, &["seen".to_owned()][..])
        );
        assert_eq!(report.changed, [Changed { place: 1, class: "a/B".to_owned(), bytes_before: 10, bytes_after: 20 }]);
        assert_eq!(report.refused[&2], "it is used as a FileOutputStream");
        assert_eq!(report.failed, None);
        report.add("failed\tno plan");
        assert_eq!(report.failed.as_deref(), Some("no plan"));
    }

    #[test]
    fn damaged_lines_are_ignored() {
        let mut report = AgentReport::default();
        report.add("runs\tx\t5\nruns\t1\nchanged\t1\ta/B\t10\nruns\t1\t18446744073709551616\n\0\n");
        assert_eq!(report, AgentReport::default());
    }

    #[test]
    fn a_method_that_becomes_too_large_has_a_note() {
        let note = |before, after| {
            Changed { place: 1, class: "a/B".to_owned(), bytes_before: before, bytes_after: after }.note()
        };
        assert_eq!(note(300, 325), None);
        assert!(
            note(300, 326).unwrap().contains("a method of a.B grows from 300 to 326 bytes, so the JVM does not inline")
        );
        assert!(note(7000, 8001).unwrap().contains("does not compile"));
        assert_eq!(note(400, 500), None);
    }

    #[test]
    fn a_broken_condition_is_not_a_note() {
        let mut report = AgentReport::default();
        report.add("ready\nbroken\t1\ta stream was not closed\nbroken\t1\n");
        assert_eq!(report.broken_condition(), None, "the place did not run");
        report.add("runs\t2\t1\nruns\t1\t1\n");
        assert_eq!(report.broken_condition(), Some("a stream was not closed"));
        assert!(report.notes.is_empty());
    }
}
