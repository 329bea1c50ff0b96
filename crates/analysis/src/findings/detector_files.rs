//! The detectors' files, one line each.

/// Name and text of each file in `detectors/`.
pub(super) const FILES: &[(&str, &str)] = &[("unbuffered-write.toml", include_str!("detectors/unbuffered-write.toml"))];
