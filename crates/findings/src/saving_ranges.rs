//! Ranges of savings, from the programs whose fixes were measured.
//!
//! A model gives the part of the program that a fix should remove, such as the share of the calls. Measured savings differ
//! from it: a fix also changes garbage, caches and the code around the calls, and sometimes the new code costs much. The
//! difference of the log-odds, `logit(measured) - logit(modelled)`, has a mean and a variance by pattern, estimated from
//! all measured programs ([`ShrunkenEffects`]). Patterns with few programs are drawn towards all others.
//!
//! `bench/findings/ledger.tsv` has the programs. `cargo xtask docs` writes `savings_table.rs`, and prints the coverage of programs
//! that are left out.

use crate::savings_table;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use whittle_statistics::{Observed, ShrunkenEffects, Spread};

/// The share of programs whose saving the range should contain.
pub const COVERED_RATIO: f64 = 0.9;
/// The smallest and largest share that has log-odds. The saving of larger shares is hardly measurable.
const LOGIT_LIMITS: [f64; 2] = [0.01, 0.995];
/// The width of a 95 % interval in standard deviations.
const STANDARD_DEVIATIONS_95: f64 = 3.92;
/// A program whose fix was measured. Shares are 0 to 1.
#[derive(Debug, Clone)]
pub struct MeasuredSaving {
    /// The detector's id.
    pub detector: String,
    /// The program. Both JDKs have the same name.
    pub program: String,
    /// The finding's share.
    pub share: f64,
    /// The saving according to the model, before the correction.
    pub modelled: f64,
    /// The measured saving.
    pub measured: f64,
}

/// The estimates that make ranges.
#[derive(Debug, Clone)]
pub struct SavingRanges {
    half_width: f64,
    unknown: Spread,
    by_detector: BTreeMap<String, Spread>,
}

/// How good ranges are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RangeQuality {
    /// Number of programs and JDKs.
    pub count: usize,
    /// Number of ranges that contain the measured saving.
    pub covered: usize,
    /// Median width of a range divided by the finding's share.
    pub median_width: f64,
    /// The sum of interval scores (Gneiting and Raftery 2007, equation 43), divided by that of the ranges from zero to the
    /// share. Smaller is better.
    pub score_ratio: f64,
}

/// The range for a detector, from the programs that this version knows. `modelled` is the saving according to the model, with
/// its 95 % interval.
pub(crate) fn range_of(detector: &str, modelled: f64, interval: [f64; 2]) -> [f64; 2] {
    let known = savings_table::BY_DETECTOR.iter().find(|(known, _)| *known == detector);
    range(savings_table::HALF_WIDTH, known.map_or(savings_table::UNKNOWN, |(_, spread)| *spread), modelled, interval)
}

fn range(half_width: f64, spread: Spread, modelled: f64, [low, high]: [f64; 2]) -> [f64; 2] {
    // Smaller shares than the smallest one with log-odds have its range, in proportion.
    let part = (modelled / LOGIT_LIMITS[0]).clamp(0.0, 1.0);
    if part == 0.0 {
        return [0.0; 2];
    }
    let [modelled, low, high] = [modelled, low, high].map(|ratio| ratio / part);
    let sampling = (logit(high) - logit(low)) / STANDARD_DEVIATIONS_95;
    let centre = logit(modelled) + spread.mean;
    let half = half_width * (spread.variance + sampling * sampling).sqrt();
    [odds_share(centre - half), odds_share(centre + half)].map(|ratio| ratio * part)
}

impl SavingRanges {
    /// Estimates ranges from measured programs. The half width covers [`COVERED_RATIO`] of the programs when each is left
    /// out: the jackknife (Barber and others 2021, *Predictive inference with the jackknife+*, section 1.2). `None`: too few
    /// programs.
    pub fn estimate(savings: &[MeasuredSaving]) -> Option<Self> {
        let effects = effects(savings)?;
        let half_width = half_width(savings)?;
        Some(Self { half_width, unknown: effects.unknown, by_detector: effects.by_group })
    }

    fn range(&self, detector: &str, modelled: f64, interval: [f64; 2]) -> [f64; 2] {
        range(self.half_width, self.by_detector.get(detector).copied().unwrap_or(self.unknown), modelled, interval)
    }

    /// The quality of ranges for programs that are left out of the estimate, in turn. The half width is estimated without
    /// the program, too.
    pub fn quality_left_out(savings: &[MeasuredSaving]) -> Option<RangeQuality> {
        let by_program = left_out(savings, Self::estimate)?;
        let range = |saving: &MeasuredSaving| {
            by_program[saving.program.as_str()].range(&saving.detector, saving.modelled, [saving.modelled; 2])
        };
        let ranges: Vec<[f64; 2]> = savings.iter().map(range).collect();
        let pairs = || savings.iter().zip(&ranges);
        let mut widths: Vec<f64> = pairs().map(|(saving, [low, high])| (high - low) / saving.share).collect();
        widths.sort_by(f64::total_cmp);
        let scores: f64 = pairs().map(|(saving, range)| score(*range, saving.measured)).sum();
        let of_shares: f64 = savings.iter().map(|saving| score([0.0, saving.share], saving.measured)).sum();
        Some(RangeQuality {
            count: savings.len(),
            covered: pairs().filter(|(saving, [low, high])| (*low..=*high).contains(&saving.measured)).count(),
            median_width: widths[widths.len() / 2],
            score_ratio: scores / of_shares,
        })
    }

    /// The source of `savings_table.rs`.
    pub fn to_source(&self) -> String {
        let spread =
            |Spread { mean, variance }: &Spread| format!("Spread {{ mean: {mean:.4}, variance: {variance:.4} }}");
        let mut text =
            "//! Deviations of measured savings from the model, as log-odds.\n//!\n//! Written by `cargo xtask docs` \
                        from `bench/findings/ledger.tsv`. Do not edit.\n\nuse whittle_statistics::Spread;\n\n"
                .to_owned();
        let _ = writeln!(text, "/// Half the width of a range, in standard deviations.");
        let _ = writeln!(text, "pub(crate) const HALF_WIDTH: f64 = {:.4};", self.half_width);
        let _ = writeln!(text, "/// Patterns without measured programs.");
        let _ = writeln!(text, "pub(crate) const UNKNOWN: Spread = {};", spread(&self.unknown));
        let _ = writeln!(text, "/// Patterns with measured programs.");
        let _ = writeln!(text, "pub(crate) const BY_DETECTOR: &[(&str, Spread)] = &[");
        for (detector, of) in &self.by_detector {
            let _ = writeln!(text, "    (\"{detector}\", {}),", spread(of));
        }
        text + "];\n"
    }
}

impl MeasuredSaving {
    /// Reads the rows of `bench/findings/ledger.tsv` that have a range.
    pub fn read_ledger(text: &str) -> Vec<Self> {
        let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
        let heads = lines.next().unwrap_or_default();
        let column = |name: &str| heads.iter().position(|head| *head == name);
        let read = |row: &Vec<&str>| {
            let text = |name: &str| row.get(column(name)?).map(|cell| (*cell).to_owned());
            let ratio = |name: &str| text(name)?.parse::<f64>().ok().map(|percent| percent / 100.0);
            Some(Self {
                detector: text("detector")?,
                program: text("program")?,
                share: ratio("share_percent")?,
                modelled: ratio("modelled_percent")?,
                measured: ratio("measured_percent")?,
            })
        };
        lines.filter_map(|row| read(&row)).collect()
    }

    fn residual(&self) -> f64 {
        logit(self.measured) - logit(self.modelled)
    }
}

fn effects(savings: &[MeasuredSaving]) -> Option<ShrunkenEffects> {
    let observed: Vec<Observed<'_>> = savings
        .iter()
        .map(|saving| Observed { group: &saving.detector, family: &saving.program, value: saving.residual() })
        .collect();
    ShrunkenEffects::estimate(&observed)
}

/// For each program, the estimate from the savings of all other programs. `None`: too few programs.
fn left_out<T>(
    savings: &[MeasuredSaving],
    estimate: impl Fn(&[MeasuredSaving]) -> Option<T>,
) -> Option<BTreeMap<&str, T>> {
    let programs: BTreeSet<&str> = savings.iter().map(|saving| saving.program.as_str()).collect();
    let without = |program: &str| -> Vec<MeasuredSaving> {
        savings.iter().filter(|saving| saving.program != program).cloned().collect()
    };
    programs.into_iter().map(|program| Some((program, estimate(&without(program))?))).collect()
}

/// The number of standard deviations that covers [`COVERED_RATIO`] of the programs when each is left out.
fn half_width(savings: &[MeasuredSaving]) -> Option<f64> {
    let by_program = left_out(savings, effects)?;
    let distance = |saving: &MeasuredSaving| {
        let spread = by_program[saving.program.as_str()].of(&saving.detector);
        (saving.residual() - spread.mean).abs() / spread.variance.sqrt()
    };
    let mut distances: Vec<f64> = savings.iter().map(distance).collect();
    distances.sort_by(f64::total_cmp);
    let rank = (COVERED_RATIO * (distances.len() as f64 + 1.0)).ceil() as usize;
    distances.get(rank.saturating_sub(1)).copied()
}

fn logit(ratio: f64) -> f64 {
    let ratio = ratio.clamp(LOGIT_LIMITS[0], LOGIT_LIMITS[1]);
    (ratio / (1.0 - ratio)).ln()
}

/// The share that has these log-odds.
fn odds_share(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

fn score([low, high]: [f64; 2], value: f64) -> f64 {
    high - low + 2.0 / (1.0 - COVERED_RATIO) * ((low - value).max(0.0) + (value - high).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::{MeasuredSaving, SavingRanges};

    fn saving(detector: &str, program: usize, modelled: f64, measured: f64) -> MeasuredSaving {
        MeasuredSaving {
            detector: detector.to_owned(),
            program: program.to_string(),
            share: modelled,
            modelled,
            measured,
        }
    }

    fn savings() -> Vec<MeasuredSaving> {
        (0..20)
            .map(|program| {
                let modelled = 0.2 + 0.03 * program as f64;
                let more = [0.0, 0.05, 0.1, -0.05][program % 4];
                saving(["a", "b"][program % 2], program, modelled, modelled + more)
            })
            .collect()
    }

    #[test]
    fn ranges_cover_the_programs_that_are_left_out() {
        let quality = SavingRanges::quality_left_out(&savings()).unwrap();
        assert!(quality.covered * 10 >= quality.count * 9, "{quality:?}");
        assert!(quality.score_ratio < 1.0, "{quality:?}");
    }

    #[test]
    fn a_pattern_without_programs_has_a_wider_range_and_uncertain_shares_too() {
        let ranges = SavingRanges::estimate(&savings()).unwrap();
        let width = |detector: &str, interval| {
            let [low, high] = ranges.range(detector, 0.5, interval);
            assert!(0.0 < low && low < high && high < 1.0);
            high - low
        };
        assert!(width("c", [0.5, 0.5]) >= width("a", [0.5, 0.5]));
        assert!(width("a", [0.4, 0.6]) > width("a", [0.5, 0.5]));
    }

    #[test]
    fn a_share_below_the_smallest_has_a_range_in_proportion() {
        let ranges = SavingRanges::estimate(&savings()).unwrap();
        let [low, high] = ranges.range("a", 0.01, [0.008, 0.012]);
        let [small_low, small_high] = ranges.range("a", 0.001, [0.0008, 0.0012]);
        assert!((small_low * 10.0 - low).abs() < 1e-12 && (small_high * 10.0 - high).abs() < 1e-12);
        assert_eq!(ranges.range("a", 0.0, [0.0, 0.0]), [0.0, 0.0]);
    }

    #[test]
    fn the_source_has_the_estimates() {
        let source = SavingRanges::estimate(&savings()).unwrap().to_source();
        assert!(
            source.contains("pub(crate) const HALF_WIDTH") && source.contains("(\"a\", Spread { mean: "),
            "{source}"
        );
    }
}
