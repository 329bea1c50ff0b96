//! Deviations of measured savings from the model, as log-odds.
//!
//! Written by `cargo xtask docs` from `bench/findings/ledger.tsv`. Do not edit.

use whittle_statistics::Spread;

/// Half the width of a range, in standard deviations.
pub(crate) const HALF_WIDTH: f64 = 1.5455;
/// Patterns without measured programs.
pub(crate) const UNKNOWN: Spread = Spread { mean: 0.5034, variance: 0.7517 };
/// Patterns with measured programs.
pub(crate) const BY_DETECTOR: &[(&str, Spread)] = &[
    ("boxing", Spread { mean: 0.5034, variance: 0.7517 }),
    ("busy-wait", Spread { mean: 0.5034, variance: 0.7517 }),
    ("char-at-a-time-decoding", Spread { mean: 0.5034, variance: 0.7517 }),
    ("collection-growth", Spread { mean: 0.5034, variance: 0.7517 }),
    ("deflate-cost", Spread { mean: 0.5034, variance: 0.7517 }),
    ("direct-buffer-churn", Spread { mean: 0.5034, variance: 0.7517 }),
    ("exception-control-flow", Spread { mean: 0.5034, variance: 0.7517 }),
    ("factory-lookup", Spread { mean: 0.5034, variance: 0.7517 }),
    ("format-per-call", Spread { mean: 0.5034, variance: 0.7517 }),
    ("hot-path", Spread { mean: 0.5034, variance: 0.7517 }),
    ("linear-scan", Spread { mean: 0.5034, variance: 0.7517 }),
    ("lock-contention", Spread { mean: 0.5034, variance: 0.7517 }),
    ("mapping-churn", Spread { mean: 0.5034, variance: 0.7517 }),
    ("poor-hash", Spread { mean: 0.5034, variance: 0.7517 }),
    ("procfs-walk", Spread { mean: 0.5034, variance: 0.7517 }),
    ("regex-compile-per-call", Spread { mean: 0.5034, variance: 0.7517 }),
    ("regex-over-large-text", Spread { mean: 0.5034, variance: 0.7517 }),
    ("small-socket-writes", Spread { mean: 0.5034, variance: 0.7517 }),
    ("stack-walk-per-call", Spread { mean: 0.5034, variance: 0.7517 }),
    ("string-copy-churn", Spread { mean: 0.5034, variance: 0.7517 }),
    ("sync-per-record", Spread { mean: 0.5034, variance: 0.7517 }),
    ("unbuffered-read", Spread { mean: 0.5034, variance: 0.7517 }),
    ("unbuffered-write", Spread { mean: 0.5034, variance: 0.7517 }),
];
