//! Pushes of OpenTelemetry's clients. Each set of labels in a request becomes a segment.

use super::pyroscope::labels_of_query;
use super::refusal::Refusal;
use super::segment::{Content, Decoded, Profile, Pushed};
use std::collections::{BTreeMap, BTreeSet};
use whittle_import::{OtlpProfiles, OtlpResource};
use whittle_model::TableBuilder;

/// Maximum number of label sets in one request. A collector on a host sends one set for each process or container.
const MAX_SEGMENTS: usize = 1_000;

/// The segments of a request.
pub(super) fn segments(pushed: &Pushed, hash: u128, content: &Content) -> Result<Decoded, Refusal> {
    if content.profile.is_empty() {
        return Ok(Decoded::default());
    }
    let profiles = OtlpProfiles::parse(&content.profile).map_err(|error| Refusal::Bad(error.to_string()))?;
    let of_query = labels_of_query(&pushed.query);
    let of_resource: Vec<BTreeMap<String, String>> =
        profiles.resources().iter().map(|resource| labels(pushed, &of_query, resource)).collect::<Result<_, _>>()?;
    let sets: BTreeSet<&BTreeMap<String, String>> = of_resource.iter().collect();
    if sets.len() > MAX_SEGMENTS {
        return Err(Refusal::Bad(format!("more than {MAX_SEGMENTS} services and hosts in one request")));
    }
    let mut decoded = Decoded::default();
    let mut warnings = BTreeSet::new();
    for set in sets {
        let mut builder = TableBuilder::new();
        let import = profiles.import(|position| of_resource[position] == *set, &mut builder);
        warnings.extend(import.left_out.clone());
        let profile = Profile::of_foreign(import, "otlp", builder.into_tables());
        if !profile.is_empty() {
            decoded.segments.push(profile.into_segment(set.clone(), hash)?);
        }
    }
    decoded.warnings = warnings.into_iter().collect::<Vec<_>>().join("; ");
    Ok(decoded)
}

/// The labels of a resource. If several sources have the same label, the value of the resource is used first, then the
/// query, then the token.
fn labels(
    pushed: &Pushed,
    of_query: &BTreeMap<String, String>,
    resource: &OtlpResource<'_>,
) -> Result<BTreeMap<String, String>, Refusal> {
    let mut said = of_query.clone();
    said.extend(resource.labels.clone());
    pushed.labels(said, "")
}
