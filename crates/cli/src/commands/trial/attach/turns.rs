//! The turns of a trial in a running JVM, as the agent reports them, and the runs that the verdict compares.

use whittle_profile::Side;
use whittle_verdict::verify::Run;

/// The first turns do not count: the JVM compiles the changed methods, and both codes must have run before.
const UNCOUNTED: usize = 4;
/// A turn in which a larger share of the executions had the code of the other side is no turn of its side.
const MAX_WRONG_RATIO: f64 = 0.05;

/// A whole turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) side: Side,
    /// Begin and end on the clock of the JVM.
    pub(super) begin_ns: i64,
    pub(super) end_ns: i64,
    /// The executions with the code of this side.
    pub(super) right_count: u64,
    /// The executions with the code of the other side: by calls of the method that began in an earlier turn.
    pub(super) wrong_count: u64,
}

/// The turns in the agent's report, in their order. A line that is not whole ends them.
pub(super) fn parse_turns(report: &str) -> Vec<Turn> {
    let lines = report.lines().filter(|line| line.starts_with("turn\t"));
    lines.zip(0_usize..).map_while(|(line, number)| Turn::parse(line, number)).collect()
}

/// Whether the agent has restored all classes. `None`: it has not ended the trial yet.
pub(super) fn is_restored(report: &str) -> Option<bool> {
    report.lines().find_map(|line| match line {
        "removed" => Some(true),
        "remains" => Some(false),
        _ => None,
    })
}

impl Turn {
    /// `turn NUMBER old|new BEGIN END OLD_COUNT NEW_COUNT`
    fn parse(line: &str, expected: usize) -> Option<Self> {
        let words: Vec<&str> = line.split('\t').collect();
        let [_, number, side, begin, end, old, new] = words[..] else { return None };
        let (old, new): (u64, u64) = (old.parse().ok()?, new.parse().ok()?);
        let (begin_ns, end_ns) = (begin.parse().ok()?, end.parse().ok()?);
        let (side, right_count, wrong_count) = match side {
            "old" => (Side::Baseline, old, new),
            "new" => (Side::Candidate, new, old),
            _ => return None,
        };
        let is_right = number.parse() == Ok(expected) && begin_ns < end_ns;
        is_right.then_some(Self { side, begin_ns, end_ns, right_count, wrong_count })
    }

    pub(super) fn count(&self) -> u64 {
        self.right_count.saturating_add(self.wrong_count)
    }

    /// The run of this turn. `None`: its CPU time is unknown.
    fn run(&self, number: usize, cpu: Option<(u64, u64)>) -> Option<Run> {
        let (user_cpu_ns, system_cpu_ns) = cpu?;
        let number = u32::try_from(number).ok()?;
        Some(Run {
            side: self.side,
            pair: Some(number / 2),
            order: number,
            is_profiled: false,
            elapsed_ns: u64::try_from(self.end_ns.checked_sub(self.begin_ns)?).ok()?,
            user_cpu_ns,
            system_cpu_ns,
            units: Some(self.count() as f64),
            metrics: Vec::new(),
            finding: None,
        })
    }
}

/// The turns that count: whole pairs.
pub(super) fn counted(turns: &[Turn]) -> &[Turn] {
    let counted = turns.get(UNCOUNTED..).unwrap_or_default();
    &counted[..counted.len() - counted.len() % 2]
}

/// The runs of the turns that count. `cpu`: CPU time of the process between two moments of the JVM's clock.
pub(super) fn runs(turns: &[Turn], cpu: impl Fn(&Turn) -> Option<(u64, u64)>) -> Vec<Run> {
    let numbered = counted(turns).iter().enumerate();
    numbered.filter_map(|(number, turn)| turn.run(number, cpu(turn))).collect()
}

/// The share of executions with the code of the other side, if it is too large for a comparison.
pub(super) fn too_many_wrong(turns: &[Turn]) -> Option<f64> {
    let sum = |count: fn(&Turn) -> u64| turns.iter().map(count).fold(0, u64::saturating_add) as f64;
    let ratio = sum(|turn| turn.wrong_count) / sum(Turn::count).max(1.0);
    (ratio > MAX_WRONG_RATIO).then_some(ratio)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    fn report(turns: usize) -> String {
        let side = |turn: usize| if matches!(turn % 4, 1 | 2) { "new" } else { "old" };
        let line = |turn: usize| {
            let (old, new) = if side(turn) == "old" { (10 + turn, 0) } else { (1, 20 + turn) };
            format!("turn\t{turn}\t{}\t{}\t{}\t{old}\t{new}\n", side(turn), turn * 100, turn * 100 + 90)
        };
        format!("ready\n{}runs\t1\t7\n", (0..turns).map(line).collect::<String>())
    }

    #[test]
    fn turns_are_read_until_a_line_is_not_whole() {
        let turns = parse_turns(&report(3));
        assert_eq!(turns.len(), 3);
        let second = Turn { side: Side::Candidate, begin_ns: 100, end_ns: 190, right_count: 21, wrong_count: 1 };
        assert_eq!(turns[1], second);
        for wrong in [
            "turn\t1\tnew\t100\t190\t1",
            "turn\t2\tnew\t1\t2\t1\t1",
            "turn\t1\tother\t1\t2\t1\t1",
            "turn\t1\tnew\t2\t2\t1\t1",
        ] {
            assert_eq!(parse_turns(&format!("{}{wrong}\n", report(1))).len(), 1, "{wrong}");
        }
        assert_eq!(
            (is_restored("ready"), is_restored("ready\nremoved"), is_restored("remains\n")),
            (None, Some(true), Some(false))
        );
    }

    #[test]
    fn the_first_turns_and_an_incomplete_pair_do_not_count() {
        let runs = |turns: usize| runs(&parse_turns(&report(turns)), |turn| Some((turn.begin_ns as u64, 1)));
        assert!(runs(5).is_empty());
        let four = runs(9);
        let sides: Vec<Side> = four.iter().map(|run| run.side).collect();
        assert_eq!(sides, [Side::Baseline, Side::Candidate, Side::Candidate, Side::Baseline]);
        assert_eq!(four.iter().map(|run| run.pair.unwrap()).collect::<Vec<_>>(), [0, 0, 1, 1]);
        assert_eq!((four[1].units, four[1].user_cpu_ns, four[1].elapsed_ns), (Some(26.0), 500, 90));
    }

    #[test]
    fn executions_with_the_code_of_the_other_side_are_counted() {
        let turn =
            |right_count, wrong_count| Turn { side: Side::Baseline, begin_ns: 0, end_ns: 1, right_count, wrong_count };
        assert_eq!(too_many_wrong(&[turn(95, 5)]), None);
        assert_eq!(too_many_wrong(&[turn(0, 10), turn(10, 0)]), Some(0.5));
        assert_eq!(too_many_wrong(&[]), None);
    }
}
