//! Experiments on disk: a manifest and Parquet tables, written in parts.
