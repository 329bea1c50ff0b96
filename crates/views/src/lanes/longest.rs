//! The bins of a lane: how much of each bin spans cover, and the longest span in each bin.
//!
//! ```text
//! spans    ├──a──┤ ├b┤        ├c┤
//! bins    │   │   │   │   │   │   │
//! covered  0.8 0.8 0.8 0   0.2 0.4
//! longest  a   a   b   -   c   c
//! ```

use crate::timeline::bins::{TimeBins, TimeRange};
use std::collections::BTreeMap;

/// In this bin is no stop, or no request.
pub const NOTHING: u32 = u32::MAX;

/// A stop, or some requests of the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start_ns: u64,
    /// End, not before the start.
    pub(super) end_ns: u64,
    /// Number of requests that the span represents, at least 1.
    pub(super) count: u64,
}

/// The bins of a lane.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LaneBins {
    /// How often spans cover each bin: the mean number of spans at a time.
    pub(super) amount: Vec<f32>,
    /// The longest span in each bin: a position in the list of the longest spans, or [`NOTHING`].
    pub(super) longest: Vec<u32>,
}

/// The bins of some spans, and the positions of the longest spans in the order of time.
pub(super) fn bins_of(bins: TimeBins, spans: &[Span]) -> (LaneBins, Vec<usize>) {
    let mut covered = vec![0.0; bins.count];
    let mut longest: Vec<Option<usize>> = vec![None; bins.count];
    let length_ns = |span: usize| spans[span].end_ns - spans[span].start_ns;
    for (index, span) in spans.iter().enumerate() {
        let spent_ns = length_ns(index) as f64 * span.count as f64;
        let range = TimeRange { start_ns: span.start_ns, end_ns: span.end_ns, spent_ns };
        bins.spread(range, |bin, spent_ns| {
            covered[bin] += spent_ns;
            if longest[bin].is_none_or(|other| length_ns(other) < length_ns(index)) {
                longest[bin] = Some(index);
            }
        });
    }
    let amount = covered.into_iter().map(|spent_ns| (spent_ns / bins.bin_ns()) as f32).collect();
    let (longest, listed) = numbered(&longest);
    (LaneBins { amount, longest }, listed)
}

/// Numbers the spans in the order of their first bins, and lists them in this order.
fn numbered(of_bins: &[Option<usize>]) -> (Vec<u32>, Vec<usize>) {
    let mut listed: Vec<usize> = Vec::new();
    let mut numbers = BTreeMap::new();
    let mut number = |span: usize| {
        *numbers.entry(span).or_insert_with(|| {
            listed.push(span);
            listed.len() as u32 - 1
        })
    };
    let of_bins = of_bins.iter().map(|span| span.map_or(NOTHING, &mut number)).collect();
    (of_bins, listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bin_has_its_longest_span() {
        let bins = TimeBins { from_ns: 0, to_ns: 60, count: 6 };
        let span = |start_ns, end_ns, count| Span { start_ns, end_ns, count };
        let spans = [span(48, 54, 1), span(2, 18, 1), span(21, 29, 1), span(24, 26, 2), span(90, 95, 1)];
        let (of_bins, listed) = bins_of(bins, &spans);
        assert_eq!(of_bins.longest, [0, 0, 1, NOTHING, 2, 2]);
        assert_eq!(listed, [1, 2, 0]);
        let amounts: Vec<String> = of_bins.amount.iter().map(|amount| format!("{amount:.1}")).collect();
        assert_eq!(amounts, ["0.8", "0.8", "1.2", "0.0", "0.2", "0.4"]);
    }

    #[test]
    fn a_span_without_a_length_is_in_its_bin() {
        let bins = TimeBins { from_ns: 0, to_ns: 20, count: 2 };
        let (of_bins, listed) = bins_of(bins, &[Span { start_ns: 12, end_ns: 12, count: 1 }]);
        assert_eq!((of_bins.amount, of_bins.longest, listed), (vec![0.0, 0.0], vec![NOTHING, 0], vec![0]));
    }
}
