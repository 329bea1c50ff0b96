//! Arguments that several commands take, and the parsers of their values.

pub(crate) mod answer;
pub(crate) mod at;
pub(crate) mod byte_size;
pub(crate) mod comparison;
pub(crate) mod duration;
pub(crate) mod endpoint;
pub(crate) mod program;
pub(crate) mod server;
pub(crate) mod source_path;
pub(crate) mod unit_count;
