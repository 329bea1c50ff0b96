//! The report that the agent writes in the JVM's session folder. The observed program can write any text to this file.

/// Maximum size of a report that is read. A place takes about 100 bytes.
pub(super) const MAX_BYTES: u64 = 256 << 10;

/// Maximum number of kinds of places, and of failures, in a note.
const MAX_KINDS: usize = 8;
const MAX_FAILURES: usize = 3;
/// Maximum length of one word of the report in a note.
const MAX_CHARACTERS: usize = 120;

/// What the agent counts if it could not record something: the name in the report, and the words after the number.
const LOSSES: [(&str, &str); 6] = [
    ("failed-calls", "calls of the agent failed, so items or parts of items can be missing"),
    ("evicted-tasks", "tasks lost the item that submitted them, because too many tasks waited for a thread"),
    ("evicted-statements", "prepared statements lost their SQL, because the program keeps too many of them"),
    ("evicted-spans", "spans of OpenTelemetry lost their item, because too many of them are open"),
    ("threads-without-place", "times, a thread's work belongs to no item, because too many threads had items"),
    ("shared-tasks", "runs belong to no item, because the same object was submitted several times for different items"),
];

/// The agent's own virtual thread got no carrier while the classes changed.
const CUT_STACKS: &str = "stacks of virtual threads that ran when the agent came can begin after VirtualThread.run, because all \
                          carriers were busy";

/// What the agent has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// The kinds of places, with the number of places, in the order of the report.
    kinds: Vec<(String, u64)>,
    /// Places of further kinds.
    other_count: u64,
    /// The first failures: class and reason.
    failures: Vec<String>,
    failure_count: u64,
    /// Numbers of what the agent could not record, in the order of [`LOSSES`].
    lost_counts: [u64; LOSSES.len()],
    /// True if virtual threads could be inside changed methods without a method id.
    has_cut_stacks: bool,
    /// True if all classes that were loaded at the start are changed.
    pub(super) is_ready: bool,
}

impl Report {
    pub(super) fn parse(text: &str) -> Self {
        let mut report = Self::default();
        for line in text.lines() {
            let mut words = line.split('\t');
            match (words.next(), words.next(), words.next(), words.next()) {
                (Some("ready"), None, ..) => report.is_ready = true,
                (Some("lost"), Some(name), Some(count), None) => report.add_loss(name, count),
                (Some("cut"), Some(_), None, None) => report.has_cut_stacks = true,
                (Some("failed"), Some(class), Some(reason), None) => report.add_failure(class, reason),
                (Some(what), Some(_), Some(_), None) => report.add_place(what),
                // The last line can be cut.
                _ => {}
            }
        }
        report
    }

    fn add_failure(&mut self, class: &str, reason: &str) {
        self.failure_count += 1;
        if self.failures.len() < MAX_FAILURES {
            self.failures.push(format!("{}: {}", printable(class), printable(reason)));
        }
    }

    fn add_loss(&mut self, name: &str, count: &str) {
        if let Some(position) = LOSSES.iter().position(|(known, _)| *known == name) {
            self.lost_counts[position] = count.parse().unwrap_or(0);
        }
    }

    fn add_place(&mut self, what: &str) {
        let what = printable(what);
        if let Some((_, count)) = self.kinds.iter_mut().find(|(known, _)| *known == what) {
            *count += 1;
        } else if self.kinds.len() < MAX_KINDS {
            self.kinds.push((what, 1));
        } else {
            self.other_count += 1;
        }
    }

    /// The changed places, for the user.
    pub(super) fn places(&self) -> String {
        let mut words: Vec<String> = self.kinds.iter().map(|(what, count)| format!("{what} ({count})")).collect();
        if self.other_count > 0 {
            words.push(format!("others ({})", self.other_count));
        }
        if words.is_empty() { "no places yet".to_owned() } else { words.join(", ") }
    }

    /// What the agent could not record, one sentence each.
    pub(super) fn losses(&self) -> impl Iterator<Item = String> {
        let counted = LOSSES.iter().zip(self.lost_counts).filter(|(_, count)| *count > 0);
        let counted = counted.map(|((_, sentence), count)| format!("{count} {sentence}"));
        counted.chain(self.has_cut_stacks.then(|| CUT_STACKS.to_owned()))
    }

    /// The classes that could not be changed, for the user. `None`: there is no failure.
    pub(super) fn failures(&self) -> Option<String> {
        let more = self.failure_count - self.failures.len() as u64;
        let more = if more > 0 { format!("; {more} more") } else { String::new() };
        (self.failure_count > 0).then(|| format!("{}{more}", self.failures.join("; ")))
    }
}

fn printable(text: &str) -> String {
    let plain = text.chars().map(|character| if character.is_control() { ' ' } else { character });
    plain.take(MAX_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_by_kind() {
        let report = Report::parse("ready\nexecutor\tA\trun\nrequest\tB\tservice\nexecutor\tC\texecute\n");
        assert!(report.is_ready);
        assert_eq!((report.places().as_str(), report.failures()), ("executor (2), request (1)", None));
        let report = Report::parse("failed\t-\tno space\n");
        assert!(!report.is_ready);
        assert_eq!((report.places().as_str(), report.failures().as_deref()), ("no places yet", Some("-: no space")));
    }

    #[test]
    fn losses_are_sentences_with_numbers() {
        let report = Report::parse(
            "ready\nlost\tshared-tasks\t12\nlost\tother\t3\nlost\tfailed-calls\tx\ncut\tvirtual threads\n",
        );
        let losses: Vec<String> = report.losses().collect();
        assert_eq!(losses.len(), 2, "{losses:?}");
        assert!(losses[0].starts_with("12 runs belong to no item, "), "{losses:?}");
        assert_eq!((losses[1].as_str(), report.places().as_str()), (CUT_STACKS, "no places yet"));
        assert_eq!(Report::parse("ready\n").losses().count(), 0);
    }

    #[test]
    fn a_hostile_report_gives_short_notes_without_control_characters() {
        let long = "x".repeat(10_000);
        let mut text = format!("ready\textra\n\x1b[2J\tA\tb\nfailed\tA\t{long}\n\t\t\t\t\n{long}\tA\tb\n");
        for number in 0..1000 {
            text.push_str(&format!("kind{number}\tA\tb\nfailed\tclass{number}\treason\n"));
        }
        let report = Report::parse(&text);
        assert!(!report.is_ready);
        let (places, failures) = (report.places(), report.failures().unwrap());
        assert!(!places.contains('\x1b') && places.len() < 400 && places.ends_with("others (994)"), "{places}");
        assert!(failures.len() < 400 && failures.ends_with("998 more"), "{failures}");
    }
}
