#![doc = include_str!("../README.md")]

mod collapsed;
mod error;
mod file_format;
mod firefox;
mod foreign;
mod frame_suffix;
mod imported;
mod java_names;
mod jfr;
mod jvm_log;
mod opened_file;
mod otlp;
mod perf_data;
mod pprof;
pub mod protobuf;
mod speedscope;

pub use collapsed::{CollapsedImport, CollapsedOptions, import_collapsed};
pub use error::ImportError;
pub use firefox::import_firefox;
pub use foreign::ForeignImport;
pub use imported::{ImportOptions, Imported, import};
pub use jfr::{
    CHUNK_HEADER_BYTES, ChunkExtent, Damage, JfrImport, JfrImporter, JfrOptions, JvmInformation, LeftOut,
    MAX_CHUNK_BYTES, PathList, Producer, Recording, RecordingError, Settings, SystemProperties, chunk_extent,
    import_jfr,
};
pub use jvm_log::{JVM_LOG_DECORATORS, JVM_LOG_WHAT, JvmLog};
pub use opened_file::{FileFormat, OpenedFile};
pub use otlp::{OtlpLayout, OtlpProfiles, OtlpResource, import_otlp};
pub use perf_data::{NoSymbols, PerfMap, Symbols, UnnamedCode, import_perf_data};
pub use pprof::import_pprof;
pub use speedscope::import_speedscope;
