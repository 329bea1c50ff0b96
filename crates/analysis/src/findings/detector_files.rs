//! The detectors' files, one line each.

/// Name and text of each file in `detectors/`.
#[rustfmt::skip] // one file a line
pub(super) const FILES: &[(&str, &str)] = &[
    ("boxing.toml", include_str!("detectors/boxing.toml")),
    ("busy-wait.toml", include_str!("detectors/busy-wait.toml")),
    ("char-at-a-time-decoding.toml", include_str!("detectors/char-at-a-time-decoding.toml")),
    ("collection-growth.toml", include_str!("detectors/collection-growth.toml")),
    ("deflate-cost.toml", include_str!("detectors/deflate-cost.toml")),
    ("direct-buffer-churn.toml", include_str!("detectors/direct-buffer-churn.toml")),
    ("exception-control-flow.toml", include_str!("detectors/exception-control-flow.toml")),
    ("factory-lookup.toml", include_str!("detectors/factory-lookup.toml")),
    ("format-per-call.toml", include_str!("detectors/format-per-call.toml")),
    ("linear-scan.toml", include_str!("detectors/linear-scan.toml")),
    ("lock-contention.toml", include_str!("detectors/lock-contention.toml")),
    ("mapping-churn.toml", include_str!("detectors/mapping-churn.toml")),
    ("poor-hash.toml", include_str!("detectors/poor-hash.toml")),
    ("procfs-walk.toml", include_str!("detectors/procfs-walk.toml")),
    ("regex-compile-per-call.toml", include_str!("detectors/regex-compile-per-call.toml")),
    ("regex-over-large-text.toml", include_str!("detectors/regex-over-large-text.toml")),
    ("small-socket-writes.toml", include_str!("detectors/small-socket-writes.toml")),
    ("stack-walk-per-call.toml", include_str!("detectors/stack-walk-per-call.toml")),
    ("string-copy-churn.toml", include_str!("detectors/string-copy-churn.toml")),
    ("sync-per-record.toml", include_str!("detectors/sync-per-record.toml")),
    ("unbuffered-read.toml", include_str!("detectors/unbuffered-read.toml")),
    ("unbuffered-write.toml", include_str!("detectors/unbuffered-write.toml")),
];
