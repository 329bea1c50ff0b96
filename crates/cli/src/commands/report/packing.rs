//! Packs the experiment so that it fits into the size limit. If full detail is too large, details are left out step by
//! step.

use super::page::Page;
use crate::terminal::long_work::SILENCE;
use crate::terminal::output;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Instant;
use whittle_model::{Manifest, Tables};
use whittle_packed::{PackOptions, Packed, encode};
use whittle_terminal::Failure;

/// An experiment that fits into the file.
pub(super) struct Fitted {
    /// The packed experiment in base64.
    pub(super) experiment: String,
    pub(super) notes: Vec<String>,
    /// Source files in the report.
    pub(super) source_paths: BTreeSet<String>,
}

/// Packs the experiment with as much detail as fits into the size limit.
pub(super) fn fit(
    page: &Page,
    (manifest, tables): (&Manifest, &Tables),
    options: PackOptions,
    (limit_bytes, start): (u64, Instant),
) -> Result<Fitted, Failure> {
    let mut smallest = 0;
    for options in steps(options) {
        if start.elapsed() > SILENCE {
            output::note("packing the experiment …");
        }
        let Packed { bytes, notes, .. } = encode(manifest, tables, &options);
        let experiment = STANDARD.encode(gzip(&bytes)?);
        smallest = page.len() + experiment.len() as u64;
        if smallest <= limit_bytes {
            let source_paths = options.sources.into_iter().map(|source| source.path).collect();
            return Ok(Fitted { experiment, notes, source_paths });
        }
    }
    let message = format!(
        "the report needs at least {}, but --limit-size allows only {}; whittle view shows the experiment without a report",
        megabytes(smallest),
        megabytes(limit_bytes)
    );
    Err(Failure::new(message))
}

/// Options with less and less detail, from everything to only the largest stacks. Each step includes all earlier steps.
fn steps(options: PackOptions) -> impl Iterator<Item = PackOptions> {
    let coarser = [options.most_samples, 100_000, 20_000, 0].into_iter().scan(options, |options, most_rows| {
        options.most_samples = options.most_samples.min(most_rows);
        options.most_thread_states = options.most_thread_states.min(most_rows.max(1_000));
        Some(options.clone())
    });
    let mut steps: Vec<PackOptions> = coarser.collect();
    let coarsest = steps.last().cloned().unwrap_or_default();
    let without_calls = PackOptions { keeps_sampled_calls: false, ..coarsest };
    steps.push(without_calls.clone());
    for smallest_stack_ratio in [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
        let (sources, class_files) = if smallest_stack_ratio > 1e-5 {
            (Vec::new(), BTreeSet::new())
        } else {
            (without_calls.sources.clone(), without_calls.class_files.clone())
        };
        steps.push(PackOptions { smallest_stack_ratio, sources, class_files, ..without_calls.clone() });
    }
    steps.into_iter()
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each step leaves out at least all details that the previous step leaves out.
    #[test]
    fn steps_go_down() {
        let steps: Vec<PackOptions> = steps(PackOptions::default()).collect();
        for pair in steps.windows(2) {
            assert!(pair[1].most_samples <= pair[0].most_samples);
            assert!(pair[1].keeps_sampled_calls <= pair[0].keeps_sampled_calls);
            assert!(pair[1].smallest_stack_ratio >= pair[0].smallest_stack_ratio);
        }
        assert_eq!(steps.len(), 10);
    }
}
