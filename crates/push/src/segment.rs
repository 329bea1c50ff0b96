//! Makes segments from decoded profiles. A repeated push gets the same identity as before.

use super::refusal::Refusal;
use super::services::AllowedServices;
use super::{host_of, labels};
use crate::segment_cost::SegmentCost;
use hyper::header::HeaderMap;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};
use whittle_experiment::{segment_path, write_segment};
use whittle_import::{ForeignImport, JfrImport};
use whittle_model::{Collector, CollectorStatus, Manifest, Program, SegmentId, State, StreamId, Tables};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// Number of landed pushes to remember. A forgotten push is stored again under the same identity.
const REMEMBERED: usize = 10_000;

/// If a profile starts further in the future than this time, the clock of its host is wrong.
const MOST_AHEAD_NS: u64 = 24 * 3_600_000_000_000;

/// Information about a push, without its body.
#[derive(Debug, Clone)]
pub(super) struct Pushed {
    pub(super) query: String,
    /// Headers that describe the body.
    pub(super) headers: HeaderMap,
    pub(super) peer: Option<IpAddr>,
    /// Labels of the token.
    pub(super) token_labels: BTreeMap<String, String>,
    /// The services that the token allows.
    pub(super) services: AllowedServices,
    /// The position of the token.
    pub(super) token: usize,
    /// Maximum length of the unpacked content.
    pub(super) max_bytes: usize,
}

/// The content of a body, unpacked.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) profile: Vec<u8>,
    /// Labels of single samples. Only recordings have such labels. Empty: there are no labels.
    pub(super) contexts: Vec<u8>,
    pub(super) format: Format,
}

/// The format of a profile.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// The usual format of the protocol.
    #[default]
    Usual,
    Jfr,
    Pprof,
}

impl Content {
    pub(super) fn of(profile: Cow<'_, [u8]>) -> Self {
        Self { profile: profile.into_owned(), ..Self::default() }
    }
}

impl Pushed {
    /// Computes the identity of a push from its unpacked content. So a repeated push has the same identity.
    pub(super) fn hash(&self, content: &Content) -> u128 {
        let mut hash = Xxh3::new();
        for part in [self.query.as_bytes(), &content.profile, &content.contexts] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.update(format!("{:?} {:?}", content.format, self.token_labels).as_bytes());
        hash.digest128()
    }

    /// The identity of a push for [`Recent`]. Different tokens have different identities, because another token might
    /// not allow the service.
    pub(super) fn recent_hash(&self, hash: u128) -> u128 {
        xxh3_128(format!("{hash:032x} {}", self.token).as_bytes())
    }

    /// The labels of a segment. `said` contains the profile's labels. If the token does not allow the service, the push
    /// is refused.
    pub(super) fn labels(
        &self,
        said: impl IntoIterator<Item = (String, String)>,
        service: &str,
    ) -> Result<BTreeMap<String, String>, Refusal> {
        let service = if service.is_empty() { "unknown_service" } else { service };
        let labels = labels::known_labels(said, &self.token_labels, (service, &host_of(self.peer)));
        let service = &labels["service"];
        if self.services.includes(service) { Ok(labels) } else { Err(Refusal::NotAllowed(service.clone())) }
    }
}

/// The result of a push.
#[derive(Debug, Default)]
pub(super) struct Landed {
    pub(super) segment_count: u64,
    /// Describes the data that is not in the segments. Empty: no data is missing.
    pub(super) warnings: String,
    /// True if the same push has landed before.
    pub(super) is_repeated: bool,
}

/// Segments that are ready to land.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    pub(super) segments: Vec<NewSegment>,
    pub(super) warnings: String,
}

/// A segment that is ready to land.
#[derive(Debug)]
pub(super) struct NewSegment {
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
}

/// A decoded profile.
pub(super) struct Profile {
    pub(super) manifest: Manifest,
    pub(super) tables: Tables,
}

impl Profile {
    /// A profile of a recording.
    pub(super) fn of_recording(import: JfrImport, tables: Tables) -> Self {
        let mut manifest = new_manifest();
        import.describe(&mut manifest);
        manifest.start_wall_ns = manifest.start_wall_ns.filter(|start| *start > 0);
        manifest.collectors.iter_mut().for_each(|collector| collector.reason = PUSHED.to_owned());
        Self { manifest, tables }
    }

    /// A profile in any other format.
    pub(super) fn of_foreign(import: ForeignImport, engine: &str, tables: Tables) -> Self {
        let mut manifest = new_manifest();
        manifest.collectors = vec![collector(&import.producer, engine, import.interval_ns)];
        import.describe(&mut manifest);
        Self { manifest, tables }
    }

    /// True if the profile has no observations and no losses.
    pub(super) fn is_empty(&self) -> bool {
        self.tables.samples.time_ns.is_empty() && self.manifest.losses.is_empty()
    }

    /// Sets a missing start and a missing end of the profile, in nanoseconds since 1970-01-01 UTC.
    pub(super) fn between(mut self, from: Option<u64>, until: Option<u64>) -> Self {
        self.manifest.start_wall_ns = self.manifest.start_wall_ns.or(from);
        if self.manifest.duration_ns == 0 {
            self.manifest.duration_ns = until.zip(from).map_or(0, |(until, from)| until.saturating_sub(from));
        }
        self
    }

    /// Makes the segment of the push with this hash.
    pub(super) fn into_segment(self, labels: BTreeMap<String, String>, hash: u128) -> Result<NewSegment, Refusal> {
        let Self { mut manifest, tables } = self;
        let now_ns = now_ns();
        let start = manifest.start_wall_ns.unwrap_or_else(|| now_ns.saturating_sub(manifest.duration_ns));
        if start > now_ns.saturating_add(MOST_AHEAD_NS) {
            return Err(Refusal::Bad("the profile starts more than a day from now; is the clock right?".to_owned()));
        }
        manifest.start_wall_ns = Some(start);
        let cost = SegmentCost::of(&tables, start).check();
        cost.map_err(|costly| Refusal::TooCostly(format!("the profile is too costly: {costly}; push more often")))?;
        // Several services can push the same profile. With the hash alone, these pushes would become the same segment.
        let stream = xxh3_128(format!("{hash:032x} {labels:?}").as_bytes());
        manifest.segment = Some(SegmentId { stream: StreamId(stream), sequence: 0 });
        manifest.labels = labels;
        let unwritable = |error: whittle_experiment::SegmentError| Refusal::Bad(error.to_string());
        let bytes = write_segment(&manifest, &tables).map_err(unwritable)?;
        let path = segment_path(&manifest, &bytes).map_err(unwritable)?;
        Ok(NewSegment { path, bytes })
    }
}

/// The reason for the choice of the collector in segments of pushed profiles.
const PUSHED: &str = "pushed";

fn new_manifest() -> Manifest {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    let mut manifest = Manifest::new(Program { name: "whittle-fleet".to_owned(), version });
    manifest.state = State::Complete;
    manifest
}

fn collector(name: &str, engine: &str, interval_ns: Option<u64>) -> Collector {
    Collector {
        name: name.to_owned(),
        engine: engine.to_owned(),
        interval_ns,
        status: CollectorStatus::Used,
        reason: PUSHED.to_owned(),
    }
}

fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// The latest landed pushes.
#[derive(Debug, Clone, Default)]
pub(super) struct Recent(Arc<Mutex<(HashSet<u128>, VecDeque<u128>)>>);

impl Recent {
    /// True if a push with this hash has landed.
    pub(super) fn has(&self, hash: u128) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.contains(&hash)
    }

    /// Remembers a push that has landed.
    pub(super) fn remember(&self, hash: u128) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (hashes, order) = &mut *known;
        if hashes.insert(hash) {
            order.push_back(hash);
        }
        if order.len() > REMEMBERED
            && let Some(oldest) = order.pop_front()
        {
            hashes.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_push_is_forgotten() {
        let recent = Recent::default();
        for hash in 0..REMEMBERED as u128 + 1 {
            recent.remember(hash);
            recent.remember(hash);
        }
        assert_eq!((recent.has(0), recent.has(1), recent.has(REMEMBERED as u128)), (false, true, true));
    }
}
