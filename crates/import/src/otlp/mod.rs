//! OpenTelemetry profiles (OTLP, `profiles/v1development`): a file, or the body of an export request.
//!
//! ```text
//! request ┬ resource (service, host, process) ─ scope ─ profile (what was measured) ─ sample ─> stack, attributes
//!         └ dictionary: texts, functions, locations, mappings, stacks, attributes (thread.name …)
//! ```
//!
//! The format has changed its field numbers without a version number. So the same bytes mean different numbers in
//! different [`OtlpLayout`]s. The layout is detected from the content. If that is impossible, the result is
//! [`ImportError::AmbiguousOtlp`]. See `layout` for the rules.

mod attributes;
mod code;
mod columns;
mod layout;
mod profile;
mod reader;
mod request;
mod tables;

use crate::foreign::ForeignImport;
use crate::{ImportError, OpenedFile};
pub use profile::OtlpLayout;
pub use request::OtlpResource;
use request::Request;
use whittle_model::TableBuilder;

/// A request or a file with a known layout. Samples are not parsed until they are imported.
#[derive(Debug)]
pub struct OtlpProfiles<'a> {
    request: Request<'a>,
    layout: OtlpLayout,
}

impl<'a> OtlpProfiles<'a> {
    /// Reads the readable part of uncompressed bytes.
    ///
    /// # Errors
    /// [`ImportError::NotOtlp`] without a profile, [`ImportError::AmbiguousOtlp`] if more than one layout fits.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ImportError> {
        let request = Request::parse(bytes);
        let not_otlp = |found| ImportError::NotOtlp { found, byte_count: bytes.len() };
        if request.profile_count() == 0 {
            return Err(not_otlp("no profile"));
        }
        let layout = layout::tell(&request).map_err(|unclear| match unclear {
            layout::Unclear::NothingFits => not_otlp("samples of an unknown layout"),
            layout::Unclear::TwoFit => ImportError::AmbiguousOtlp { byte_count: bytes.len() },
        })?;
        Ok(Self { request, layout })
    }

    /// The layout of the request's messages.
    pub fn layout(&self) -> OtlpLayout {
        self.layout
    }

    /// The profiled resources, in the order of the request. Two resources can have the same labels.
    pub fn resources(&self) -> &[OtlpResource<'a>] {
        &self.request.resources
    }

    /// Adds the samples of the resources at the `wanted` positions to `builder`. Times are relative to
    /// [`ForeignImport::start_wall_ns`].
    pub fn import(&self, wanted: impl Fn(usize) -> bool, builder: &mut TableBuilder) -> ForeignImport {
        reader::import(&self.request, self.layout, wanted, builder)
    }
}

/// True if the uncompressed bytes look like a request or a file. They must contain only resources and a dictionary, at
/// least one profile, and a table of texts that starts with an empty text.
pub(crate) fn is_otlp(bytes: &[u8]) -> bool {
    Request::has_outline(bytes)
}

/// True if the uncompressed bytes consist of the fields of a request. A request can be much larger when it is parsed.
pub(crate) fn has_fields(bytes: &[u8]) -> bool {
    Request::has_fields(bytes)
}

/// Reads all resources of a file into `builder`.
///
/// # Errors
/// The errors of [`OtlpProfiles::parse`], and [`ImportError::NotOtlp`] if no sample is readable.
pub fn import_otlp(file: &OpenedFile<'_>, builder: &mut TableBuilder) -> Result<ForeignImport, ImportError> {
    let bytes = file.bytes();
    let row_count = builder.tables().samples.time_ns.len();
    let mut import = OtlpProfiles::parse(bytes)?.import(|_| true, builder);
    if builder.tables().samples.time_ns.len() == row_count {
        return Err(ImportError::NotOtlp { found: "no samples", byte_count: bytes.len() });
    }
    if !file.is_complete() {
        import.losses.add_input_bytes(whittle_model::LossReason::DamagedInput, 0);
    }
    Ok(import)
}
