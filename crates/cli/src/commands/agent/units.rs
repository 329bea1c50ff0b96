//! Counts the units of work of a process. The process writes a running total into a file. The increase of the total is
//! the number of units.

use super::rules::UnitRule;
use whittle_collect::ProcessFile;
use whittle_model::UnitOfWork;

/// Most bytes that are read from a file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// A unit of work, and the total that was read last.
#[derive(Debug)]
pub(crate) struct UnitCounter {
    rule: UnitRule,
    last: Option<f64>,
    file: ProcessFile,
}

impl UnitCounter {
    /// Makes a counter that starts to count now.
    pub(crate) fn new(rule: UnitRule, process_id: u32) -> Result<Self, whittle_collect::Error> {
        let file = ProcessFile::new(process_id, &rule.file)?;
        let mut counter = Self { rule, last: None, file };
        counter.last = counter.total();
        Ok(counter)
    }

    /// Returns the units of work since the last call. Missing: the file has no number. If the total is smaller than
    /// before, the program has restarted its count at 0.
    pub(crate) fn take(&mut self) -> Option<UnitOfWork> {
        let total = self.total()?;
        let before = self.last.replace(total)?;
        let amount = if total >= before { total - before } else { total };
        let source = format!("{}, a running total", self.rule.file.display());
        Some(UnitOfWork { name: self.rule.name.clone(), amount, source })
    }

    fn total(&mut self) -> Option<f64> {
        let text = String::from_utf8_lossy(&self.file.read(MAX_FILE_BYTES).ok()?).into_owned();
        let found = self.rule.pattern.captures(&text)?;
        let number: f64 = found.get(1).or(found.get(0))?.as_str().trim().parse().ok()?;
        (number.is_finite() && number >= 0.0).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use regex::Regex;

    #[test]
    fn work_is_the_growth_of_a_total() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let rule = UnitRule {
            name: "requests".to_owned(),
            file: file.path().to_owned(),
            pattern: Regex::new("total ([0-9.]+)").unwrap(),
        };
        let write = |text: &str| std::fs::write(file.path(), text).unwrap();
        let mut counter = UnitCounter::new(rule, std::process::id()).unwrap();
        let mut amounts = Vec::new();
        for text in ["", "errors 3\ntotal 10\n", "total 25.5", "gone", "total 30", "total 4"] {
            write(text);
            amounts.push(counter.take().map(|unit| unit.amount));
        }
        assert_eq!(amounts, [None, None, Some(15.5), None, Some(4.5), Some(4.0)]);
    }

    #[test]
    fn the_last_work_of_an_ended_process_counts() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let rule = UnitRule {
            name: "requests".to_owned(),
            file: file.path().to_owned(),
            pattern: Regex::new("[0-9]+").unwrap(),
        };
        std::fs::write(file.path(), "10").unwrap();
        let mut program = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let mut counter = UnitCounter::new(rule, program.id()).unwrap();
        std::fs::write(file.path(), "17").unwrap();
        program.kill().unwrap();
        program.wait().unwrap();
        assert_eq!(counter.take().map(|unit| unit.amount), Some(7.0));
    }
}
