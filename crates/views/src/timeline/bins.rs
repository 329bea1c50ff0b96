//! A time range in bins of equal length.

/// The largest number of bins. A screen has fewer pixels.
pub(crate) const MOST_BINS: usize = 10_000;

/// Largest number of time values in one answer (threads × states × bins), which need 128 MB. Further threads are left
/// out.
pub(crate) const MOST_CELLS: usize = 16_000_000;

/// A time range in bins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TimeBins {
    /// Start of the time range.
    pub(crate) from_ns: u64,
    /// End of the time range, after the start.
    pub(crate) to_ns: u64,
    /// Number of bins, at least 1.
    pub(crate) count: usize,
}

/// An amount of time that was spent between two moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TimeRange {
    pub(crate) start_ns: u64,
    /// End, not before the start. If the end equals the start, the range is a moment.
    pub(crate) end_ns: u64,
    /// The amount of time, distributed evenly from start to end.
    pub(crate) spent_ns: f64,
}

impl TimeBins {
    /// Length of a bin.
    pub(crate) fn bin_ns(self) -> f64 {
        (self.to_ns - self.from_ns) as f64 / self.count as f64
    }

    /// The part of the amount that is inside the bins.
    pub(crate) fn spent_inside(self, range: TimeRange) -> f64 {
        let (start, end) = (range.start_ns.max(self.from_ns), range.end_ns.min(self.to_ns));
        if start > end {
            0.0
        } else if range.start_ns == range.end_ns {
            range.spent_ns
        } else {
            range.spent_ns * (end - start) as f64 / (range.end_ns - range.start_ns) as f64
        }
    }

    /// Calls `add` with each bin that the range overlaps, and with the amount of time in this bin.
    pub(crate) fn spread(self, range: TimeRange, mut add: impl FnMut(usize, f64)) {
        let (start, end) = (range.start_ns.max(self.from_ns), range.end_ns.min(self.to_ns));
        if start > end {
            return;
        }
        let first = self.bin_of(start);
        if range.start_ns == range.end_ns {
            return add(first, range.spent_ns);
        }
        let spent_per_ns = range.spent_ns / (range.end_ns - range.start_ns) as f64;
        let (start, end) = ((start - self.from_ns) as f64, (end - self.from_ns) as f64);
        for bin in first..self.count {
            let (bin_start, bin_end) = (self.edge(bin), self.edge(bin + 1));
            if bin_start >= end {
                break;
            }
            let inside = bin_end.min(end) - bin_start.max(start);
            if inside > 0.0 {
                add(bin, inside * spent_per_ns);
            }
        }
    }

    /// The bin that contains a moment. The moment must be in the time range, including its start and end.
    pub(crate) fn bin_of(self, time_ns: u64) -> usize {
        let bin = (time_ns - self.from_ns) as f64 / self.bin_ns();
        (bin as usize).min(self.count - 1)
    }

    /// Start of a bin, relative to the start of the first bin.
    fn edge(self, bin: usize) -> f64 {
        (self.to_ns - self.from_ns) as f64 * bin as f64 / self.count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(bins: TimeBins, (start_ns, end_ns, spent_ns): (u64, u64, f64)) -> Vec<f64> {
        let mut sums = vec![0.0; bins.count];
        bins.spread(TimeRange { start_ns, end_ns, spent_ns }, |bin, spent| sums[bin] += spent);
        sums
    }

    #[test]
    fn what_was_spent_is_spread_evenly_and_cut_at_the_ends() {
        let bins = TimeBins { from_ns: 100, to_ns: 140, count: 4 };
        assert_eq!(spread(bins, (105, 125, 20.0)), [5.0, 10.0, 5.0, 0.0]);
        assert_eq!(spread(bins, (90, 110, 10.0)), [5.0, 0.0, 0.0, 0.0]);
        assert_eq!(spread(bins, (0, 1000, 100.0)), [1.0, 1.0, 1.0, 1.0]);
        assert_eq!(spread(bins, (130, 130, 7.0)), [0.0, 0.0, 0.0, 7.0]);
        assert_eq!(spread(bins, (140, 140, 7.0)), [0.0, 0.0, 0.0, 7.0]);
        assert_eq!(spread(bins, (141, 150, 7.0)), [0.0; 4]);
        assert_eq!(bins.spent_inside(TimeRange { start_ns: 90, end_ns: 110, spent_ns: 10.0 }), 5.0);
    }
}
