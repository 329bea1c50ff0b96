//! Readers of other tools' formats. Bytes in, tables out, no I/O.
//!
//! [`JfrImporter`] reads recordings of async-profiler and of the JDK's flight recorder, chunk by chunk
//! while they grow if need be; [`import_jfr`] reads a whole one. [`import_collapsed`] reads collapsed
//! stacks, one line a stack. [`import_pprof`], [`import_perf_data`], [`import_firefox`] and
//! [`import_speedscope`] read what these tools write, [`import_otlp`] profiles of OpenTelemetry; [`OpenedFile`] tells
//! which of all it is. [`OtlpProfiles`] reads a request with profiles of several services.
//!
//! Input is never trusted: damaged bytes lead to less data and to counted losses, not to panics, and
//! memory stays within a multiple of the input.
mod collapsed;
mod error;
mod file_format;
mod firefox;
mod foreign;
mod java_names;
mod jfr;
mod otlp;
mod perf_data;
mod pprof;
pub mod protobuf;
mod speedscope;
pub use collapsed::{CollapsedImport, CollapsedOptions, import_collapsed};
pub use error::ImportError;
pub use file_format::{FileFormat, OpenedFile};
pub use firefox::import_firefox;
pub use foreign::ForeignImport;
pub use jfr::{
    CHUNK_HEADER_BYTES, ChunkExtent, Damage, JfrImport, JfrImporter, JfrOptions, JvmInformation, KERNEL_BINARY,
    LeftOut, PathList, Producer, Recording, Settings, SystemProperties, chunk_extent, import_jfr,
};
pub use otlp::{OtlpLayout, OtlpProfiles, OtlpResource, import_otlp};
pub use perf_data::{NoSymbols, PerfMap, Symbols, UnnamedCode, import_perf_data};
pub use pprof::import_pprof;
pub use speedscope::import_speedscope;
