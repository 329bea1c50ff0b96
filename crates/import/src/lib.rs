//! Readers of other tools' formats. Bytes in, tables out, no I/O.
//!
//! [`JfrImporter`] reads recordings of async-profiler and of the JDK's flight recorder, chunk by chunk
//! while they grow if need be; [`import_jfr`] reads a whole one. [`import_collapsed`] reads collapsed
//! stacks, one line a stack.
//!
//! Input is never trusted: damaged bytes lead to less data and to counted losses, not to panics, and
//! memory stays within a multiple of the input.
mod collapsed;
mod error;
mod java_names;
mod jfr;
pub use collapsed::{CollapsedImport, CollapsedOptions, import_collapsed};
pub use error::ImportError;
pub use jfr::{
    CHUNK_HEADER_BYTES, ChunkExtent, Damage, JfrImport, JfrImporter, JfrOptions, JvmInformation, KERNEL_BINARY,
    LeftOut, PathList, Producer, Recording, Settings, SystemProperties, chunk_extent, import_jfr,
};
