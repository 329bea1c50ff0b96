//! Compares samples with exact values, and computes a factor for each metric.

use serde::Serialize;
use whittle_model::Table;
use whittle_profile::Profile;

/// One metric's samples compared with the kernel's count.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CalibrationLine {
    /// The metric.
    pub metric: String,
    /// Sum of the samples of all threads.
    pub sampled: u64,
    /// The kernel's count.
    pub exact: u64,
    /// `exact` divided by `sampled`. Missing if nothing was sampled.
    pub factor: Option<f64>,
    /// The thread with the factor farthest from 1. Threads with less than 1 % of `exact` are ignored. Missing if all
    /// remaining threads have the factor 1.
    pub farthest_thread: Option<String>,
    /// The factor of `farthest_thread`. Missing if this thread has no samples, or if `farthest_thread` is missing.
    pub farthest_factor: Option<f64>,
}

/// Threads with less than this share of a metric have too few samples for a meaningful factor.
const THREAD_RATIO: f64 = 0.01;

/// One line per metric with both samples and exact values, in the order of the table.
pub(crate) fn calibration_lines(profile: &Profile) -> Vec<CalibrationLine> {
    let table = &profile.tables().calibration;
    let mut metrics: Vec<&str> = Vec::new();
    for metric in &table.metric {
        if !metrics.contains(&metric.as_str()) {
            metrics.push(metric);
        }
    }
    metrics.into_iter().map(|metric| calibration_line(profile, metric)).collect()
}

fn calibration_line(profile: &Profile, metric: &str) -> CalibrationLine {
    let table = &profile.tables().calibration;
    let rows: Vec<usize> = (0..table.len()).filter(|row| table.metric[*row] == metric).collect();
    let sum = |column: &[u64]| rows.iter().fold(0_u64, |sum, row| sum.saturating_add(column[*row]));
    let (sampled, exact) = (sum(&table.sampled), sum(&table.exact));
    let worth_a_look = rows.iter().filter(|row| table.exact[**row] as f64 >= THREAD_RATIO * exact as f64);
    // A factor and its reciprocal are equally far from 1.
    let distance = |row: &usize| table.factor[*row].map_or(f64::INFINITY, |factor| factor.max(1.0 / factor));
    let farthest = worth_a_look.max_by(|a, b| distance(a).total_cmp(&distance(b))).filter(|row| distance(row) > 1.0);
    CalibrationLine {
        metric: metric.to_owned(),
        sampled,
        exact,
        factor: (sampled > 0).then(|| exact as f64 / sampled as f64),
        farthest_thread: farthest.map(|row| profile.tables().threads.name[table.thread[*row].row()].clone()),
        farthest_factor: farthest.and_then(|row| table.factor[*row]),
    }
}
