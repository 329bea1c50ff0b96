//! Deviations of measured savings from the model, as log-odds.
//!
//! Written by `cargo xtask docs` from `bench/findings/ledger.tsv`. Do not edit.

use whittle_statistics::Spread;

/// Half the width of a range, in standard deviations.
pub(crate) const HALF_WIDTH: f64 = 1.5929;
/// Patterns without measured programs.
pub(crate) const UNKNOWN: Spread = Spread { mean: 0.2972, variance: 1.0199 };
/// Patterns with measured programs.
pub(crate) const BY_DETECTOR: &[(&str, Spread)] = &[
    ("big-number-arithmetic", Spread { mean: 0.2219, variance: 0.9455 }),
    ("boxing", Spread { mean: 0.6528, variance: 0.8621 }),
    ("busy-wait", Spread { mean: 0.3250, variance: 0.9050 }),
    ("char-at-a-time-decoding", Spread { mean: 0.1847, variance: 0.8796 }),
    ("class-loading-at-run-time", Spread { mean: 0.3687, variance: 0.9455 }),
    ("collection-growth", Spread { mean: 0.6206, variance: 0.8621 }),
    ("crypto-provider-lookup", Spread { mean: 0.4368, variance: 0.9455 }),
    ("deflate-cost", Spread { mean: 0.3853, variance: 0.8621 }),
    ("direct-buffer-churn", Spread { mean: 0.4391, variance: 0.8796 }),
    ("exception-control-flow", Spread { mean: 0.4054, variance: 0.8494 }),
    ("explicit-gc", Spread { mean: 0.5414, variance: 0.9455 }),
    ("factory-lookup", Spread { mean: 0.2678, variance: 0.8621 }),
    ("finalizers", Spread { mean: 0.4734, variance: 0.9455 }),
    ("flush-per-record", Spread { mean: 0.1992, variance: 0.9455 }),
    ("format-per-call", Spread { mean: 0.4244, variance: 0.8621 }),
    ("hot-path", Spread { mean: 0.0980, variance: 0.8026 }),
    ("interpreted-code", Spread { mean: 0.2260, variance: 0.9455 }),
    ("large-scratch-arrays", Spread { mean: 0.0386, variance: 0.9455 }),
    ("linear-scan", Spread { mean: 0.1404, variance: 0.8796 }),
    ("lock-contention", Spread { mean: 0.3873, variance: 0.8494 }),
    ("lock-inflation", Spread { mean: -0.7709, variance: 0.9455 }),
    ("logging-with-location", Spread { mean: 0.2283, variance: 0.9455 }),
    ("mapping-churn", Spread { mean: 0.7430, variance: 0.9050 }),
    ("name-lookup-per-call", Spread { mean: 0.1910, variance: 0.9455 }),
    ("poor-hash", Spread { mean: 0.2811, variance: 0.8796 }),
    ("procfs-walk", Spread { mean: 0.7721, variance: 0.8796 }),
    ("reflection-per-call", Spread { mean: 0.2965, variance: 0.9455 }),
    ("regex-backtracking", Spread { mean: -0.2109, variance: 0.9455 }),
    ("regex-compile-per-call", Spread { mean: 0.3024, variance: 0.8621 }),
    ("regex-over-large-text", Spread { mean: 0.6903, variance: 0.8796 }),
    ("serialization", Spread { mean: 0.3514, variance: 0.9455 }),
    ("small-socket-writes", Spread { mean: 0.2831, variance: 0.8621 }),
    ("stack-walk-per-call", Spread { mean: 0.3578, variance: 0.8796 }),
    ("string-copy-churn", Spread { mean: 0.5133, variance: 0.8796 }),
    ("string-format", Spread { mean: 0.3642, variance: 0.9455 }),
    ("sync-per-record", Spread { mean: 0.2787, variance: 0.9050 }),
    ("synchronized-legacy-class", Spread { mean: 0.5842, variance: 0.9455 }),
    ("unbuffered-read", Spread { mean: 0.3784, variance: 0.8494 }),
    ("unbuffered-write", Spread { mean: 0.1397, variance: 0.8494 }),
];
