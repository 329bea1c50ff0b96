//! Detects the format of a file from its content. The file is decompressed and parsed once, within a memory limit.

use crate::foreign::{Json, inflate, is_gzip, parse_json, parsed_bytes};
use crate::opened_file::{FileFormat, OpenedFile};
use crate::{ChunkExtent, ImportError, chunk_extent, firefox, otlp, perf_data, pprof, speedscope};
use std::borrow::Cow;

/// Maximum memory per byte of a protobuf message, including the message: a list entry takes 16 bytes for an item of two
/// bytes.
const BYTES_PER_MESSAGE_BYTE: usize = 9;

/// The content of a gzip file can have this size, however small the file is: 32 MiB.
const LEAST_UNPACKED_BYTES: usize = 32 << 20;
/// Additional content per byte of a gzip file. gzip's maximum is 1032, and only repetitions reach this.
const UNPACKED_PER_PACKED_BYTE: usize = 200;

impl<'a> OpenedFile<'a> {
    /// Opens a whole file, compressed or not. A file of unknown format is treated as text. `max_bytes` limits the size
    /// after decompression and parsing. The size that a compressed file declares is not used.
    ///
    /// # Errors
    /// [`ImportError::TooLarge`].
    pub fn open(bytes: &'a [u8], max_bytes: usize) -> Result<Self, ImportError> {
        let is_packed = is_gzip(bytes);
        let (bytes, is_complete) = if is_packed { unpacked(bytes, max_bytes)? } else { (Cow::Borrowed(bytes), true) };
        // An OpenTelemetry message can also start with a line feed and a brace, like JSON.
        let is_short = bytes.len() <= max_bytes / BYTES_PER_MESSAGE_BYTE;
        if !is_short && (otlp::has_fields(&bytes) || pprof::is_pprof(&bytes)) {
            let needed = Some(bytes.len().saturating_mul(BYTES_PER_MESSAGE_BYTE));
            return Err(ImportError::TooLarge { max_bytes, needed });
        }
        let is_otlp = is_short && otlp::is_otlp(&bytes);
        let is_object = !is_otlp && bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
        let needed = parsed_bytes(&bytes);
        if is_object && needed > max_bytes {
            return Err(ImportError::TooLarge { max_bytes, needed: Some(needed) });
        }
        let json = is_object.then(|| parse_json(&bytes));
        // pprof profiles are usually compressed, so a compressed file is more likely a corrupt profile than text.
        let format = match format_of_content(&bytes, json.as_ref()) {
            FileFormat::Collapsed | FileFormat::Pprof if is_otlp => FileFormat::Otlp,
            FileFormat::Collapsed if is_packed && std::str::from_utf8(&bytes).is_err() => FileFormat::Pprof,
            format => format,
        };
        Ok(Self { bytes, is_complete, json, format })
    }
}

fn unpacked(bytes: &[u8], max_bytes: usize) -> Result<(Cow<'static, [u8]>, bool), ImportError> {
    let plausible = bytes.len().saturating_mul(UNPACKED_PER_PACKED_BYTE).saturating_add(LEAST_UNPACKED_BYTES);
    let content = inflate(bytes, plausible.min(max_bytes));
    if content.is_too_long && plausible < max_bytes {
        return Err(ImportError::OnlyRepetitions { max_bytes: plausible });
    }
    if content.is_too_long {
        return Err(ImportError::TooLarge { max_bytes, needed: None });
    }
    Ok((Cow::Owned(content.bytes), content.is_complete))
}

fn format_of_content(bytes: &[u8], json: Option<&Result<(Json, bool), String>>) -> FileFormat {
    if matches!(chunk_extent(bytes), ChunkExtent::Finished(_) | ChunkExtent::Unfinished) {
        FileFormat::Jfr
    } else if perf_data::is_perf_data(bytes) {
        FileFormat::PerfData
    } else if let Some(json) = json {
        json.as_ref().map_or(FileFormat::Collapsed, |(file, _)| format_of_json(file))
    } else if pprof::is_pprof(bytes) {
        FileFormat::Pprof
    } else {
        FileFormat::Collapsed
    }
}

fn format_of_json(file: &Json) -> FileFormat {
    if speedscope::is_speedscope(file) {
        FileFormat::Speedscope
    } else if firefox::is_firefox(file) {
        FileFormat::Firefox
    } else {
        FileFormat::Collapsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_their_content() {
        let cases: [(&[u8], FileFormat); 6] = [
            (b"main;work 42\n", FileFormat::Collapsed),
            (b"", FileFormat::Collapsed),
            (b"PERFILE2________", FileFormat::PerfData),
            (br#"{"meta": {"preprocessedProfileVersion": 55}, "threads": []}"#, FileFormat::Firefox),
            (br#"{"shared": {"frames": []}, "profiles": []}"#, FileFormat::Speedscope),
            (b"\x0a\x04\x08\x01\x10\x02\x32\x00", FileFormat::Pprof),
        ];
        for (bytes, format) in cases {
            assert_eq!(OpenedFile::open(bytes, 100_000).unwrap().format(), format);
        }
    }
}
