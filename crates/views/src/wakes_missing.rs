//! Why an experiment does not tell who ended waits.

use whittle_model::{Metric, WakerKind};
use whittle_profile::Profile;

const NO_WAITS: &str = "this experiment has no waits: the event off_cpu was not sampled. Only the engine kernel tells who ended waits \
                        (`whittle collect --engine kernel`)";

const NO_WAKES: &str = "this experiment does not tell who ended waits. Only the engine kernel tells it \
                        (`whittle collect --engine kernel`), if the kernel has the tracepoints for it";

/// Why an experiment does not tell who ended waits. Missing if it tells it.
pub(crate) fn no_wakers(profile: &Profile) -> Option<&'static str> {
    match profile.manifest().metric_index(Metric::OffCpu) {
        None => Some(NO_WAITS),
        // Holders are from a thread dump.
        Some(_) => profile.tables().wakes.kind.iter().all(|kind| *kind == WakerKind::Holder).then_some(NO_WAKES),
    }
}
