//! Limits the memory that the tables of one experiment or segment need after decompression.
//!
//! A Parquet file of some hundred kilobytes can contain billions of rows: a run of equal values takes a few bytes, and
//! zstd packs repetitions 20,000 times. So the size of the files does not limit the memory. The budget counts what the
//! readers really produce.

use parquet::errors::ParquetError;
use thiserror::Error;

/// Memory that every experiment is allowed, however small its files are: 256 MiB.
const BASE_BYTES: u64 = 256 << 20;
/// Additional memory per byte of the files. A row of samples takes about 100 bytes of memory, and its time takes at least
/// some bits in the file.
const BYTES_PER_FILE_BYTE: u64 = 256;

/// Maximum memory for the tables of an experiment: 8 GiB, which is about 80 million samples.
pub(crate) const MAX_EXPERIMENT_BYTES: u64 = 8 << 30;
/// Maximum memory for the tables of a segment: 1 GiB. A segment contains 10 to 60 s.
pub(crate) const MAX_SEGMENT_BYTES: u64 = 1 << 30;
/// Maximum size of a page after decompression. Pages have about 1 MB. Pages of the class archive can be larger, but the
/// whole archive has at most 64 MB.
const MAX_PAGE_BYTES: u64 = 256 << 20;

/// The memory that is still allowed.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    allowed_bytes: u64,
    used_bytes: u64,
    max_bytes: u64,
}

/// The tables need more memory than the budget allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the unpacked tables need more than {allowed_bytes} bytes of memory, the limit for files of this size")]
pub(crate) struct OverBudget {
    /// The limit in bytes.
    pub(crate) allowed_bytes: u64,
}

impl Budget {
    /// A budget that never exceeds `max_bytes`.
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self { allowed_bytes: BASE_BYTES.min(max_bytes), used_bytes: 0, max_bytes }
    }

    /// Increases the budget for a file of this size.
    pub(crate) fn add_file(&mut self, file_bytes: u64) {
        let more = file_bytes.saturating_mul(BYTES_PER_FILE_BYTE);
        self.allowed_bytes = self.allowed_bytes.saturating_add(more).min(self.max_bytes);
    }

    /// Uses a part of the budget.
    pub(crate) fn take(&mut self, byte_count: u64) -> Result<(), ParquetError> {
        self.used_bytes = self.used_bytes.saturating_add(byte_count);
        if self.used_bytes > self.allowed_bytes { Err(self.exceeded().into()) } else { Ok(()) }
    }

    /// Maximum size of the next page. A page is dropped after its values were read.
    pub(crate) fn page_bytes(&self) -> u64 {
        (self.allowed_bytes - self.used_bytes.min(self.allowed_bytes)).min(MAX_PAGE_BYTES)
    }

    pub(crate) fn exceeded(&self) -> OverBudget {
        OverBudget { allowed_bytes: self.allowed_bytes }
    }
}

impl From<OverBudget> for ParquetError {
    fn from(error: OverBudget) -> Self {
        Self::External(Box::new(error))
    }
}

impl OverBudget {
    /// Finds this error inside an error of the Parquet library.
    pub(crate) fn of(error: &ParquetError) -> Option<Self> {
        match error {
            ParquetError::External(source) => source.downcast_ref().copied(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_files_may_need_more_memory_up_to_the_maximum() {
        let mut budget = Budget::new(MAX_EXPERIMENT_BYTES);
        assert_eq!(budget.page_bytes(), MAX_PAGE_BYTES);
        budget.add_file(1 << 20);
        budget.take(512 << 20).unwrap();
        let error = budget.take(1).unwrap_err();
        assert_eq!(OverBudget::of(&error), Some(OverBudget { allowed_bytes: 512 << 20 }));
        assert_eq!(budget.page_bytes(), 0);
        budget.add_file(u64::MAX);
        assert_eq!(budget.exceeded().allowed_bytes, MAX_EXPERIMENT_BYTES);
    }
}
