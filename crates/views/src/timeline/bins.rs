//! A stretch of time cut into bins of equal length.

/// The largest number of bins: more than a screen has pixels.
pub(crate) const MOST_BINS: usize = 10_000;

/// Most times that are answered at once, in threads × states × bins: 128 MB. With more threads fewer of them come.
pub(crate) const MOST_CELLS: usize = 16_000_000;

/// A stretch of time in bins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TimeBins {
    /// Start.
    pub(crate) from_ns: u64,
    /// End; after the start.
    pub(crate) to_ns: u64,
    /// Number of bins, at least 1.
    pub(crate) count: usize,
}

/// A time that was spent somewhere between two moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stretch {
    pub(crate) start_ns: u64,
    /// At least the start. Equal to it: a moment.
    pub(crate) end_ns: u64,
    /// How much time was spent, spread evenly from start to end.
    pub(crate) spent_ns: f64,
}

impl TimeBins {
    /// Length of a bin.
    pub(crate) fn bin_ns(self) -> f64 {
        (self.to_ns - self.from_ns) as f64 / self.count as f64
    }

    /// The part of what was spent that lies in the bins.
    pub(crate) fn spent_inside(self, stretch: Stretch) -> f64 {
        let (start, end) = (stretch.start_ns.max(self.from_ns), stretch.end_ns.min(self.to_ns));
        if start > end {
            0.0
        } else if stretch.start_ns == stretch.end_ns {
            stretch.spent_ns
        } else {
            stretch.spent_ns * (end - start) as f64 / (stretch.end_ns - stretch.start_ns) as f64
        }
    }

    /// Calls `add` with each bin that the stretch touches and what was spent there.
    pub(crate) fn spread(self, stretch: Stretch, mut add: impl FnMut(usize, f64)) {
        let (start, end) = (stretch.start_ns.max(self.from_ns), stretch.end_ns.min(self.to_ns));
        if start > end {
            return;
        }
        let first = self.bin_of(start);
        if stretch.start_ns == stretch.end_ns {
            return add(first, stretch.spent_ns);
        }
        let spent_per_ns = stretch.spent_ns / (stretch.end_ns - stretch.start_ns) as f64;
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

    /// The bin of a moment from the start to the end, both included.
    pub(crate) fn bin_of(self, time_ns: u64) -> usize {
        let bin = (time_ns - self.from_ns) as f64 / self.bin_ns();
        (bin as usize).min(self.count - 1)
    }

    /// Start of a bin, from the start of all.
    fn edge(self, bin: usize) -> f64 {
        (self.to_ns - self.from_ns) as f64 * bin as f64 / self.count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(bins: TimeBins, (start_ns, end_ns, spent_ns): (u64, u64, f64)) -> Vec<f64> {
        let mut sums = vec![0.0; bins.count];
        bins.spread(Stretch { start_ns, end_ns, spent_ns }, |bin, spent| sums[bin] += spent);
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
        assert_eq!(bins.spent_inside(Stretch { start_ns: 90, end_ns: 110, spent_ns: 10.0 }), 5.0);
    }
}
