//! JDK Flight Recorder files, written by async-profiler and the JDK.
//!
//! A recording is a sequence of self-contained chunks:
//!
//! ```text
//! header │ event │ event │ … │ checkpoint (constant pools) │ metadata
//! ```
//!
//! A checkpoint contains the values that events refer to by key: threads, stack traces, methods, names. The metadata
//! describes the fields of each event type, in their order. Checkpoints and metadata are events, and can be anywhere in
//! the chunk.
//!
//! From bytes to tables:
//!
//! ```text
//! bytes ─> chunk_header ─> event_index ─> metadata ─> layout ─┬─> pools ─> functions, frames, stacks ─┐
//!                                                             └─> events ─────────────────────────────┴─> chunk ─> tables
//! ```

mod blocks;
mod bytes;
mod chunk;
mod chunk_header;
mod clock;
mod event_index;
mod events;
mod frames;
mod functions;
mod importer;
mod known_stack;
mod layout;
mod metadata;
mod options;
mod pools;
pub(crate) mod pseudo_frames;
mod recording;
mod recording_reader;
mod row_index;
mod stacks;
mod system_properties;
mod wait_reasons;
mod weights;

pub use chunk_header::{CHUNK_HEADER_BYTES, ChunkExtent, chunk_extent};
pub use importer::{Damage, JfrImport, JfrImporter, import_jfr};
pub use options::JfrOptions;
pub use recording::{JvmInformation, LeftOut, Producer, Recording, Settings};
pub use recording_reader::{MAX_CHUNK_BYTES, RecordingError};
pub use system_properties::{PathList, SystemProperties};
