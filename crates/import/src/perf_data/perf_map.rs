//! The text file in which runtimes list compiled code for perf: `START SIZE NAME` per line, numbers in hexadecimal.

/// Names by address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PerfMap {
    /// Start, end and name of each entry, ordered by start.
    entries: Vec<(u64, u64, String)>,
}

impl PerfMap {
    /// Reads all valid lines.
    pub fn parse(text: &str) -> Self {
        let mut entries: Vec<(u64, u64, String)> = text.lines().filter_map(parse_line).collect();
        // If code has replaced other code, the last line is valid.
        entries.reverse();
        entries.sort_by_key(|(start, ..)| *start);
        entries.dedup_by_key(|(start, ..)| *start);
        Self { entries }
    }

    /// The name of the code at an address.
    pub fn name(&self, address: u64) -> Option<&str> {
        let behind = self.entries.partition_point(|(start, ..)| *start <= address);
        let (_, end, name) = self.entries.get(behind.checked_sub(1)?)?;
        (address < *end).then_some(name)
    }
}

fn parse_line(line: &str) -> Option<(u64, u64, String)> {
    let mut words = line.splitn(3, ' ');
    let mut number = || u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok();
    let (start, size) = (number()?, number()?);
    let name = words.next()?.trim();
    (!name.is_empty()).then(|| (start, start.saturating_add(size), name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_place_counts() {
        let map = PerfMap::parse("7f10 20 A.old()\nno line\n7f40 0x10 B.m(int, long)\n7f10 18 A.new()\n");
        let names = [0x7f0f, 0x7f10, 0x7f27, 0x7f28, 0x7f40, 0x7f50].map(|address| map.name(address));
        assert_eq!(names, [None, Some("A.new()"), Some("A.new()"), None, Some("B.m(int, long)"), None]);
    }
}
