//! All endpoints of a verification in their order.

use crate::verify::finding_values::finding;
use crate::verify::values::{Endpoint, Per, program_endpoints};
use crate::verify::{Design, EndpointKind, Run};

/// All endpoints, the primary ones first.
pub(super) fn endpoints(design: &Design, runs: &[Run], per: &Per) -> Vec<Endpoint> {
    let mut all = program_endpoints(design, runs, per);
    if design.finding.is_some() {
        all.push(finding(runs, per));
    }
    // The finding is second, because it was also fixed before the first run.
    all.sort_by_key(|endpoint| (!endpoint.is_primary, endpoint.is_primary && endpoint.kind == EndpointKind::Finding));
    all
}
