//! Splits a stream of bytes into lines and finds numbers in them. No I/O.

use super::pattern::MetricPattern;

/// Maximum length of a line. Longer lines are ignored, because they do not report a value.
const MAX_LINE_BYTES: usize = 16 << 10;

/// The incomplete last line.
#[derive(Debug)]
pub(crate) struct Lines {
    pattern: MetricPattern,
    open: Vec<u8>,
    is_too_long: bool,
}

impl Lines {
    pub(crate) fn new(pattern: MetricPattern) -> Self {
        Self { pattern, open: Vec::new(), is_too_long: false }
    }

    /// The counters in the lines that `bytes` complete. A line ends with a line feed or a carriage return, because some
    /// programs overwrite the same line again and again.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<(String, f64)> {
        let mut found = Vec::new();
        let mut pieces = bytes.split(|byte| matches!(byte, b'\n' | b'\r')).peekable();
        while let Some(piece) = pieces.next() {
            self.add(piece);
            if pieces.peek().is_some() {
                self.end_line(&mut found);
            }
        }
        found
    }

    /// The counters in the last line, which has no line end.
    pub(crate) fn finish(&mut self) -> Vec<(String, f64)> {
        let mut found = Vec::new();
        self.end_line(&mut found);
        found
    }

    fn add(&mut self, piece: &[u8]) {
        self.is_too_long |= self.open.len() + piece.len() > MAX_LINE_BYTES;
        if !self.is_too_long {
            self.open.extend(piece);
        }
    }

    fn end_line(&mut self, found: &mut Vec<(String, f64)>) {
        if !self.is_too_long && !self.open.is_empty() {
            self.pattern.find(&String::from_utf8_lossy(&self.open), found);
        }
        self.open.clear();
        self.is_too_long = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> Lines {
        Lines::new(MetricPattern::parse("(?<n>[0-9]+)!").unwrap())
    }

    fn values(found: Vec<(String, f64)>) -> Vec<f64> {
        found.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn lines_are_the_same_however_they_are_cut() {
        let text = b"1! and 2!\n\n3!\r4!\r\n no 5\n6\xff7!\n8!";
        for size in 1..=text.len() {
            let mut lines = lines();
            let mut found: Vec<f64> = text.chunks(size).flat_map(|piece| values(lines.take(piece))).collect();
            assert_eq!(found, [1.0, 2.0, 3.0, 4.0, 7.0], "pieces of {size} bytes");
            found.extend(values(lines.finish()));
            assert_eq!(found.last(), Some(&8.0));
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_the_next_one_is_not() {
        let mut lines = lines();
        let long = [b"1!".as_slice(), &[b'x'; MAX_LINE_BYTES], b"2!\n3!\n"].concat();
        let found: Vec<f64> = long.chunks(1000).flat_map(|piece| values(lines.take(piece))).collect();
        assert_eq!(found, [3.0]);
    }
}
