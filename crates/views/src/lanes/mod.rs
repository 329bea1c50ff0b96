//! Lanes above the threads of a timeline: when the JVM stopped all threads, and how many requests were in progress.
//!
//! ```text
//! stops       ▌      █            the share of each bin in which all threads were stopped
//! requests  ▂▂▃▃▃▂▂▂▆▇▃▂▂         the mean number of requests in progress
//! ```
//!
//! Each bin also has its longest stop and its longest request, for a pointer at the bin. A condition on requests selects requests. A
//! time range of the filter only sets the shown time range, as in the timeline. Other conditions have no effect: a stop stops all
//! threads, and several threads can work for a request.

mod longest;
mod requests;
mod stops;

use crate::definition::{Answered, Answerer, ViewDefinition, keys};
use crate::fixed_order::preamble;
use crate::lanes::requests::requests_lane;
use crate::lanes::stops::stops_lane;
use crate::timeline::{time_bins, whole_ns, without_time};
use serde::{Deserialize, Serialize};
use whittle_profile::query::{Preamble, Query, serialize_number};
use whittle_profile::{AnalysisError, Profile};
use whittle_render::binary_answer::{Numbers, encode};

pub use longest::NOTHING;
pub use requests::{LaneRequest, RequestsLane};
pub use stops::{LaneStop, StopsLane};

/// The definition of this view. Its answer is [`LanesView`].
pub const VIEW: ViewDefinition = ViewDefinition {
    answerer: Answerer {
        name: "lanes",
        answer: |on, asked| {
            let shape: LanesShape = keys(asked)?;
            Ok(Answered::Binary(lanes(on.profile, on.query, &shape)?.to_bytes(), None))
        },
    },
    not_compared: Some("times of different runs cannot be aligned"),
    command: None,
};

/// The time range and the bins of lanes.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LanesShape {
    /// Start, in nanoseconds since the experiment's start. The default is the start of the filter's range, otherwise 0.
    #[serde(deserialize_with = "whole_ns")]
    pub from_ns: Option<u64>,
    /// End. The default is the end of the filter's range, otherwise the end of the experiment.
    #[serde(deserialize_with = "whole_ns")]
    pub to_ns: Option<u64>,
    /// Number of bins. The default is 1000.
    pub bins: Option<usize>,
}

/// Number of bins that fit on a screen.
const USUAL_BINS: usize = 1000;

/// The answer of [`lanes`](lanes()).
#[derive(Debug, Clone)]
pub struct LanesView {
    /// Everything except the numbers.
    pub header: LanesHeader,
    /// The share of each bin in which all threads were stopped, 0 to 1.
    pub stopped: Vec<f32>,
    /// The longest stop in each bin: a position in `header.stops.longest`, or [`NOTHING`].
    pub longest_stop: Vec<u32>,
    /// The mean number of requests in progress in each bin.
    pub in_progress: Vec<f32>,
    /// The longest request in each bin: a position in `header.requests.longest`, or [`NOTHING`].
    pub longest_request: Vec<u32>,
}

/// The meaning of the numbers of lanes.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LanesHeader {
    /// Mode, filter and notes.
    #[serde(flatten)]
    pub preamble: Preamble,
    /// Start, in nanoseconds since the experiment's start.
    pub from_ns: u64,
    /// End.
    pub to_ns: u64,
    /// Length of a bin.
    #[serde(serialize_with = "serialize_number")]
    pub bin_ns: f64,
    /// Number of bins.
    pub bins: usize,
    /// The stops. Missing: the JVM reported no stop in the whole experiment.
    pub stops: Option<StopsLane>,
    /// The requests. Missing: the experiment has no requests.
    pub requests: Option<RequestsLane>,
}

/// The lanes of a time range.
///
/// # Errors
/// The time range or the number of bins is invalid, or the filter contains an unknown name.
pub fn lanes(profile: &Profile, query: &Query, shape: &LanesShape) -> Result<LanesView, AnalysisError> {
    let predicate = query.filter.as_ref().map(|filter| profile.predicate(filter, query.mode)).transpose()?;
    let (range, rest) = predicate.map_or((None, None), without_time);
    let asked = (shape.from_ns, shape.to_ns, shape.bins.unwrap_or(USUAL_BINS));
    let bins = time_bins(profile, asked, range)?;
    let (stops, stopped) = stops_lane(bins, &profile.tables().jvm_events);
    let (requests, in_progress) = requests_lane(bins, profile, rest.as_ref());
    let header = LanesHeader {
        preamble: preamble(profile, query, "lanes", Some("time_ns")),
        from_ns: bins.from_ns,
        to_ns: bins.to_ns,
        bin_ns: bins.bin_ns(),
        bins: bins.count,
        stops,
        requests,
    };
    Ok(LanesView {
        header,
        stopped: stopped.amount,
        longest_stop: stopped.longest,
        in_progress: in_progress.amount,
        longest_request: in_progress.longest,
    })
}

impl LanesView {
    /// The answer in bytes: the header, then the numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let arrays = [
            ("stopped", Numbers::F32(&self.stopped)),
            ("longest_stop", Numbers::U32(&self.longest_stop)),
            ("in_progress", Numbers::F32(&self.in_progress)),
            ("longest_request", Numbers::U32(&self.longest_request)),
        ];
        encode(&self.header, &arrays)
    }
}
