//! What call trees and flame graphs leave out or fold, unless the user asks for it: the frames of frameworks, and the waits of
//! idle threads.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::str::FromStr;
use whittle_model::EventKind;
use whittle_profile::query::Query;
use whittle_profile::reduction::Reduction;
use whittle_profile::transform::Transform;
use whittle_profile::{AnalysisError, Profile, ViewMode};

/// Whether the frames of frameworks are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FrameworkFrames {
    /// Frames of frameworks that lead to own code are one frame.
    #[default]
    Folded,
    /// All frames are shown.
    Shown,
}

impl FromStr for FrameworkFrames {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "folded" => Ok(Self::Folded),
            "shown" => Ok(Self::Shown),
            _ => Err(AnalysisError::UnknownFrameworkFrames(text.to_owned())),
        }
    }
}

/// The query with folded frames of frameworks, except for those with the numbers in `opened`. All frames are shown if
/// `shows_all` is true (below a chosen root, towards callers), after the user's own transforms, and in modes that show more
/// than own code.
pub(crate) fn with_folded<'q>(
    query: &'q Query,
    (frames, opened): (FrameworkFrames, &[u32]),
    shows_all: bool,
) -> Cow<'q, Query> {
    let has_transforms = !query.transforms.is_empty();
    if frames == FrameworkFrames::Shown || shows_all || has_transforms || query.mode != ViewMode::User {
        return Cow::Borrowed(query);
    }
    let mut query = query.clone();
    query.transforms.push(Transform::fold_frameworks(opened));
    Cow::Owned(query)
}

/// True if frames of frameworks are folded in these stacks.
pub(crate) fn has_folded(profile: &Profile, reduction: &Reduction) -> bool {
    let places = reduction.places.iter().zip(&reduction.occurs);
    places.into_iter().any(|(place, occurs)| *occurs && profile.names().is_folded(place.function))
}

/// Whether the waits of idle threads are part of a flame graph of blocked time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum IdleWaits {
    /// They are left out.
    #[default]
    LeftOut,
    /// They are shown.
    Shown,
}

/// The query without waits of idle threads, if the metric is blocked time and the filter does not select waits itself.
///
/// # Errors
/// The filter contains an unknown name.
pub(crate) fn without_idle<'q>(
    profile: &Profile,
    query: &'q Query,
    (metric, waits): (Option<&str>, IdleWaits),
) -> Result<Cow<'q, Query>, AnalysisError> {
    let metrics = &profile.manifest().metrics;
    let is_blocked = metric
        .is_some_and(|name| metrics.iter().any(|metric| metric.name == name && metric.event == EventKind::OffCpu));
    if let Some(filter) = &query.filter {
        // An error quotes the filter that the user wrote.
        profile.predicate(filter, query.mode)?;
    }
    let filter = query.filter.as_ref().map(ToString::to_string);
    let selects_waits = filter.as_ref().is_some_and(|filter| filter.contains("wait is "));
    if !is_blocked || selects_waits || waits == IdleWaits::Shown {
        return Ok(Cow::Borrowed(query));
    }
    let without = filter.map_or_else(|| NOT_IDLE.to_owned(), |filter| format!("({filter}) and {NOT_IDLE}"));
    Ok(Cow::Owned(Query { filter: Some(without.parse()?), ..query.clone() }))
}

const NOT_IDLE: &str = "not wait is idle";
