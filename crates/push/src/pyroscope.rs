//! Pushes of Pyroscope's clients. `/ingest` receives recordings of the Java agent and pprof profiles. The newer service
//! receives pprof profiles.
//!
//! ```text
//! POST /ingest?name=app{version=1.2,region=eu}&from=SECONDS&until=SECONDS&sampleRate=100&format=jfr
//!   jfr      a recording, compressed or not; without a form, the whole body is the recording
//!   labels   the labels of a context number in the recording; samples of experiments have no labels
//! ```

use super::body::unpacked;
use super::labels::{parse_query, parse_series};
use super::multipart;
use super::refusal::Refusal;
use super::segment::{Content, Decoded, Format, Profile, Pushed};
use std::collections::BTreeMap;
use whittle_import::protobuf::Fields;
use whittle_import::{FileFormat, ImportError, JfrOptions, OpenedFile, import_jfr, import_pprof};
use whittle_model::TableBuilder;

/// Maximum number of profiles in one request to the newer service. Real requests have one to ten profiles.
const MAX_PROFILES: usize = 1_000;

/// Maximum memory per byte of an unpacked profile, as in `whittle import`. The limit of pushes is the unpacked size.
const BYTES_PER_MESSAGE_BYTE: usize = 9;

/// The query of `/ingest`.
struct Ingest {
    series: String,
    format: String,
    from_ns: Option<u64>,
    until_ns: Option<u64>,
    /// Number of samples per second of CPU time.
    sample_rate: Option<u64>,
}

impl Ingest {
    fn parse(query: &str) -> Self {
        let pairs = parse_query(query);
        let text = |wanted: &str| pairs.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.as_str());
        let number = |wanted: &str| text(wanted).and_then(|text| text.parse().ok());
        Self {
            series: text("name").unwrap_or_default().to_owned(),
            format: text("format").unwrap_or_default().to_owned(),
            from_ns: number("from").and_then(wall_ns),
            until_ns: number("until").and_then(wall_ns),
            sample_rate: number("sampleRate").filter(|rate| *rate > 0),
        }
    }
}

/// Converts a time since 1970 to nanoseconds. The unit is seconds, milliseconds, microseconds or nanoseconds. The
/// magnitude of the number determines the unit.
fn wall_ns(number: u64) -> Option<u64> {
    let factor = match number {
        0 => return None,
        1..100_000_000_000 => 1_000_000_000,
        100_000_000_000..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000,
        _ => 1,
    };
    number.checked_mul(factor)
}

/// The parts of a body that whittle needs.
pub(super) fn unpack(pushed: &Pushed, content_type: &str, body: &[u8]) -> Result<Content, Refusal> {
    let format = match Ingest::parse(&pushed.query).format.as_str() {
        "jfr" => Format::Jfr,
        "pprof" => Format::Pprof,
        other => return Err(Refusal::Unsupported(format!("format \"{other}\" is not supported; send jfr or pprof"))),
    };
    let Some(boundary) = multipart::boundary(content_type) else {
        let profile = unpacked(body, pushed.max_bytes)?.into_owned();
        return Ok(Content { profile, format, ..Content::default() });
    };
    let body = unpacked(body, pushed.max_bytes)?;
    let parts = multipart::parts(&body, boundary)?;
    let part = |wanted: &str| parts.iter().find(|part| part.name == wanted).map(|part| part.bytes);
    let name = if format == Format::Jfr { "jfr" } else { "profile" };
    let profile = part(name).ok_or_else(|| Refusal::Bad(format!("the form has no part \"{name}\"")))?;
    if part("prev_profile").is_some() || part("sample_type_config").is_some_and(has_cumulative) {
        let message =
            "totals since the program's start are not supported: push differences, as pyroscope-go 1.0 and newer do";
        return Err(Refusal::Unsupported(message.to_owned()));
    }
    let profile = unpacked(profile, pushed.max_bytes)?.into_owned();
    let contexts = unpacked(part("labels").unwrap_or_default(), pushed.max_bytes)?.into_owned();
    Ok(Content { profile, contexts, format })
}

/// True if a value type is a total since the program's start.
fn has_cumulative(config: &[u8]) -> bool {
    let config: serde_json::Value = serde_json::from_slice(config).unwrap_or_default();
    let is_cumulative = |kind: &serde_json::Value| kind["cumulative"].as_bool() == Some(true);
    config.as_object().is_some_and(|kinds| kinds.values().any(is_cumulative))
}

/// The segment of a push to `/ingest`.
pub(super) fn segments(pushed: &Pushed, hash: u128, content: &Content) -> Result<Decoded, Refusal> {
    let ingest = Ingest::parse(&pushed.query);
    let (name, said) = parse_series(&ingest.series);
    let labels = pushed.labels(said, name)?;
    let profile = match content.format {
        Format::Jfr => Some(recording(content, ingest.sample_rate)?),
        Format::Pprof | Format::Usual => pprof(&content.profile, pushed.max_bytes)?,
    };
    let Some(profile) = profile.filter(|profile| !profile.is_empty()) else { return Ok(Decoded::default()) };
    let segment = profile.between(ingest.from_ns, ingest.until_ns).into_segment(labels, hash)?;
    Ok(Decoded { segments: vec![segment], ..Decoded::default() })
}

fn recording(content: &Content, sample_rate: Option<u64>) -> Result<Profile, Refusal> {
    // The recording does not contain the interval of the kernel's timers. Instead, the agent reports the rate.
    let weight_per_sample_ns = sample_rate.map(|rate| 1_000_000_000 / rate);
    let options = JfrOptions { weight_per_sample_ns, ..JfrOptions::default() };
    let (tables, import) = import_jfr(&content.profile, options).map_err(bad)?;
    let mut profile = Profile::of_recording(import, tables);
    let context_count = Fields::new(&content.contexts).filter(|(field, _)| *field == 1).count();
    if context_count > 0 {
        let sentence =
            format!("labels of {context_count} contexts were dropped, because samples of experiments have no labels");
        profile.manifest.not_counted.push(sentence);
    }
    Ok(profile)
}

/// A pprof profile. `None`: the profile has no samples, for example because the program slept.
fn pprof(bytes: &[u8], max_bytes: usize) -> Result<Option<Profile>, Refusal> {
    let file = OpenedFile::open(bytes, max_bytes.saturating_mul(BYTES_PER_MESSAGE_BYTE)).map_err(bad)?;
    let mut builder = TableBuilder::new();
    match import_pprof(&file, &mut builder) {
        Ok(import) => Ok(Some(Profile::of_foreign(import, "pprof", builder.into_tables()))),
        Err(ImportError::NotPprof { .. }) if file.format() == FileFormat::Pprof => Ok(None),
        Err(error) => Err(bad(error)),
    }
}

fn bad(error: ImportError) -> Refusal {
    Refusal::Bad(error.to_string())
}

/// The segments of a push to the newer service. Each profile becomes a segment.
///
/// ```text
/// PushRequest: 1 series: 1 labels (1 name, 2 value), 2 samples (1 profile of pprof, packed)
/// ```
pub(super) fn pusher_segments(pushed: &Pushed, hash: u128, content: &Content) -> Result<Decoded, Refusal> {
    let mut decoded = Decoded::default();
    let (mut position, mut left) = (0_u128, pushed.max_bytes);
    for series in of_field(&content.profile, 1) {
        let said = of_field(series, 1).map(pair);
        let labels = pushed.labels(said, "")?;
        for sample in of_field(series, 2) {
            if decoded.segments.len() == MAX_PROFILES {
                return Err(Refusal::Bad(format!("more than {MAX_PROFILES} profiles in one request")));
            }
            let bytes = unpacked(of_field(sample, 1).next().unwrap_or_default(), left)?;
            // The limit applies to all profiles of a request together.
            left = left.checked_sub(bytes.len()).ok_or(Refusal::TooLong(pushed.max_bytes))?;
            position += 1;
            let Some(profile) = pprof(&bytes, pushed.max_bytes)?.filter(|profile| !profile.is_empty()) else {
                continue;
            };
            decoded.segments.push(profile.into_segment(labels.clone(), hash.wrapping_add(position))?);
        }
    }
    Ok(decoded)
}

fn of_field(message: &[u8], wanted: u64) -> impl Iterator<Item = &[u8]> {
    Fields::new(message).filter(move |(field, _)| *field == wanted).map(|(_, value)| value.bytes())
}

fn pair(message: &[u8]) -> (String, String) {
    let text = |field| {
        let bytes = of_field(message, field).next().unwrap_or_default();
        String::from_utf8_lossy(bytes).into_owned()
    };
    (text(1), text(2))
}

/// The labels in a query string. A label is used only if the profile does not have this label.
pub(super) fn labels_of_query(query: &str) -> BTreeMap<String, String> {
    parse_query(query).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_any_unit() {
        for number in [1_795_315_266, 1_795_315_266_000, 1_795_315_266_000_000, 1_795_315_266_000_000_000] {
            assert_eq!(wall_ns(number), Some(1_795_315_266_000_000_000), "{number}");
        }
        assert_eq!(wall_ns(0), None);
    }

    #[test]
    fn sums_since_the_start_are_told() {
        assert!(has_cumulative(br#"{"inuse_space": {}, "alloc_space": {"units": "bytes", "cumulative": true}}"#));
        assert!(!has_cumulative(br#"{"samples": {"units": "samples", "cumulative": false}}"#));
        assert!(!has_cumulative(b"no JSON"));
    }
}
