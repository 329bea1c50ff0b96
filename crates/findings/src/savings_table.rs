//! Deviations of measured savings from the model, as log-odds.
//!
//! Written by `cargo xtask docs` from `bench/findings/ledger.tsv`. Do not edit.

use whittle_statistics::Spread;

/// Half the width of a range, in standard deviations.
pub(crate) const HALF_WIDTH: f64 = 1.6015;
/// Patterns without measured programs.
pub(crate) const UNKNOWN: Spread = Spread { mean: 0.4014, variance: 1.1337 };
/// Patterns with measured programs.
pub(crate) const BY_DETECTOR: &[(&str, Spread)] = &[
    ("big-number-arithmetic", Spread { mean: 0.3047, variance: 1.0586 }),
    ("boxing", Spread { mean: 0.6563, variance: 0.9675 }),
    ("busy-wait", Spread { mean: 0.3928, variance: 1.0153 }),
    ("char-at-a-time-decoding", Spread { mean: 0.1861, variance: 0.9872 }),
    ("class-loading-at-run-time", Spread { mean: 0.4385, variance: 1.0586 }),
    ("collection-growth", Spread { mean: 0.7834, variance: 0.9675 }),
    ("crypto-provider-lookup", Spread { mean: 0.5006, variance: 1.0586 }),
    ("deflate-cost", Spread { mean: 0.4249, variance: 0.9675 }),
    ("direct-buffer-churn", Spread { mean: 0.2570, variance: 0.9872 }),
    ("exception-control-flow", Spread { mean: 0.4652, variance: 0.9529 }),
    ("explicit-gc", Spread { mean: 0.5960, variance: 1.0586 }),
    ("factory-lookup", Spread { mean: 0.5589, variance: 0.9675 }),
    ("finalizers", Spread { mean: 0.5340, variance: 1.0586 }),
    ("flush-per-record", Spread { mean: 0.2840, variance: 1.0586 }),
    ("format-per-call", Spread { mean: 0.7153, variance: 0.9675 }),
    ("hot-path", Spread { mean: -0.5484, variance: 0.8896 }),
    ("interpreted-code", Spread { mean: 0.3085, variance: 1.0586 }),
    ("large-scratch-arrays", Spread { mean: 0.1376, variance: 1.0586 }),
    ("linear-scan", Spread { mean: 0.1573, variance: 0.9675 }),
    ("lock-contention", Spread { mean: 0.3323, variance: 0.9529 }),
    ("lock-inflation", Spread { mean: -0.6005, variance: 1.0586 }),
    ("logging-with-location", Spread { mean: 0.3106, variance: 1.0586 }),
    ("mapping-churn", Spread { mean: 0.7024, variance: 1.0153 }),
    ("name-lookup-per-call", Spread { mean: 0.2765, variance: 1.0586 }),
    ("page-faults", Spread { mean: 0.5990, variance: 1.0586 }),
    ("poor-hash", Spread { mean: 0.3206, variance: 0.9872 }),
    ("procfs-walk", Spread { mean: 0.8254, variance: 0.9872 }),
    ("reflection-per-call", Spread { mean: 0.3727, variance: 1.0586 }),
    ("regex-backtracking", Spread { mean: -0.0899, variance: 1.0586 }),
    ("regex-compile-per-call", Spread { mean: 0.3837, variance: 0.9675 }),
    ("regex-over-large-text", Spread { mean: 0.7527, variance: 0.9872 }),
    ("serialization", Spread { mean: 0.4227, variance: 1.0586 }),
    ("small-socket-writes", Spread { mean: 0.2482, variance: 0.9675 }),
    ("stack-walk-per-call", Spread { mean: 0.4017, variance: 0.9872 }),
    ("string-copy-churn", Spread { mean: 0.7112, variance: 0.9675 }),
    ("string-format", Spread { mean: 0.4345, variance: 1.0586 }),
    ("sync-per-record", Spread { mean: 0.8631, variance: 1.0153 }),
    ("synchronized-legacy-class", Spread { mean: 0.6350, variance: 1.0586 }),
    ("thread-hand-offs", Spread { mean: 0.5702, variance: 1.0586 }),
    ("thread-local-churn", Spread { mean: 0.8697, variance: 1.0586 }),
    ("unbuffered-read", Spread { mean: 0.3820, variance: 0.9529 }),
    ("unbuffered-write", Spread { mean: 0.1861, variance: 0.9529 }),
];
