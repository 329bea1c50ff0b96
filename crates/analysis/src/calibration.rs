//! Samples against exact figures: how far they are apart, by metric.

use crate::Profile;
use serde::Serialize;
use whittle_model::Table;

/// One metric's samples against what the kernel counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationLine {
    /// The metric.
    pub metric: String,
    /// Sum of the samples of all threads.
    pub sampled: u64,
    /// What the kernel counted.
    pub exact: u64,
    /// `exact` divided by `sampled`. Missing: nothing was sampled.
    pub factor: Option<f64>,
    /// The thread whose factor is farthest from 1, among those with a part of `exact` worth a look. Missing: none
    /// has another factor.
    pub farthest_thread: Option<String>,
    /// Its factor. Missing: nothing of it was sampled, or there is no such thread.
    pub farthest_factor: Option<f64>,
}

/// Threads with less of a metric than this share have too few samples for a factor to mean anything.
const THREAD_RATIO: f64 = 0.01;

impl Profile {
    /// One line a metric that has both samples and exact figures, in the order of the table.
    pub(crate) fn calibration_lines(&self) -> Vec<CalibrationLine> {
        let table = &self.tables().calibration;
        let mut metrics: Vec<&str> = Vec::new();
        for metric in &table.metric {
            if !metrics.contains(&metric.as_str()) {
                metrics.push(metric);
            }
        }
        metrics.into_iter().map(|metric| self.calibration_line(metric)).collect()
    }

    fn calibration_line(&self, metric: &str) -> CalibrationLine {
        let table = &self.tables().calibration;
        let rows: Vec<usize> = (0..table.len()).filter(|row| table.metric[*row] == metric).collect();
        let sum = |column: &[u64]| rows.iter().fold(0_u64, |sum, row| sum.saturating_add(column[*row]));
        let (sampled, exact) = (sum(&table.sampled), sum(&table.exact));
        let worth_a_look = rows.iter().filter(|row| table.exact[**row] as f64 >= THREAD_RATIO * exact as f64);
        let distance = |row: &usize| table.factor[*row].map_or(f64::INFINITY, |factor| factor.ln().abs());
        let farthest =
            worth_a_look.max_by(|a, b| distance(a).total_cmp(&distance(b))).filter(|row| distance(row) > 0.0);
        CalibrationLine {
            metric: metric.to_owned(),
            sampled,
            exact,
            factor: (sampled > 0).then(|| exact as f64 / sampled as f64),
            farthest_thread: farthest.map(|row| self.tables().threads.name[table.thread[*row].row()].clone()),
            farthest_factor: farthest.and_then(|row| table.factor[*row]),
        }
    }
}
