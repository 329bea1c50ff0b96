//! Whether requests wait longer for a CPU because they execute longer.
//!
//! A thread waits for a CPU only when it has something to execute. So on a busy machine, a request that executes longer also waits
//! longer for a CPU, and this wait is no reason of its own.

use crate::requests::kinds::RequestTimeKind;
use crate::requests::slowest::KindDifference;
use whittle_profile::order::sort_by;

/// If the slowest requests wait longer for a CPU because they execute longer, returns how much longer both are together, in nanoseconds.
///
/// The others tell how long a request waits for a CPU per time that it executes. This must explain at least half of the difference.
pub(super) fn longer_demand_ns(kinds: &[KindDifference]) -> Option<f64> {
    let of = |wanted: RequestTimeKind| kinds.iter().find(|kind| kind.kind == wanted).map(|kind| kind.times);
    let (executing, waiting) = of(RequestTimeKind::OnCpu).zip(of(RequestTimeKind::Runnable))?;
    let expected_ns = executing.difference_ns * waiting.others_ns / executing.others_ns;
    let is_demand = waiting.difference_ns > 0.0 && expected_ns * 2.0 >= waiting.difference_ns;
    is_demand.then_some(executing.difference_ns + waiting.difference_ns)
}

/// Sorts kinds by their difference, the largest first. If requests wait for a CPU because they execute longer, both are one difference,
/// and executing comes first.
pub(super) fn sort(kinds: &mut [KindDifference]) {
    let demand_ns = longer_demand_ns(kinds);
    let key = |kind: &KindDifference| match (kind.kind, demand_ns) {
        (RequestTimeKind::OnCpu | RequestTimeKind::Runnable, Some(demand_ns)) => demand_ns,
        _ => kind.times.difference_ns,
    };
    // The order of equal kinds stays: executing is the first of all kinds.
    sort_by(kinds, |a, b| key(b).total_cmp(&key(a)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::requests::slowest::TimeDifference;

    /// The order of kinds, from the times of the slowest and of the others: executing, waiting for a CPU, and for a socket.
    fn order(times: [(f64, f64); 3]) -> Vec<RequestTimeKind> {
        let kinds = [RequestTimeKind::OnCpu, RequestTimeKind::Runnable, RequestTimeKind::Socket];
        let mut differences: Vec<KindDifference> = kinds
            .into_iter()
            .zip(times)
            .map(|(kind, (slowest, others))| KindDifference { kind, times: TimeDifference::new(slowest, others) })
            .collect();
        sort(&mut differences);
        differences.iter().map(|difference| difference.kind).collect()
    }

    #[test]
    fn a_wait_for_a_cpu_in_proportion_comes_after_executing() {
        use RequestTimeKind::{OnCpu, Runnable, Socket};
        assert_eq!(order([(16.0, 1.0), (88.0, 5.0), (20.0, 2.0)]), [OnCpu, Runnable, Socket], "busy machine");
        assert_eq!(order([(1.5, 1.0), (88.0, 5.0), (20.0, 2.0)]), [Runnable, Socket, OnCpu], "no longer execution");
        assert_eq!(order([(16.0, 1.0), (88.0, 5.0), (200.0, 2.0)]), [Socket, OnCpu, Runnable], "a longer wait");
        assert_eq!(order([(16.0, 0.0), (88.0, 0.0), (20.0, 2.0)]), [Runnable, Socket, OnCpu], "no proportion");
    }
}
