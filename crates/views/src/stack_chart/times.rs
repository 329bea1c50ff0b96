//! The times of a thread's samples, so that neighbours touch and waits cover nothing else.
//!
//! ```text
//! samples (their time is before them)     [--a--] [--a--]    [----wait----]  [--b--]
//! a short gap between samples is closed   [--a----a-----]    [----wait----]--b--]
//! ```

/// The time of a sample, or of several samples with the same stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SampledTime {
    pub(crate) start_ns: u64,
    /// End, not before the start.
    pub(crate) end_ns: u64,
    /// The node of the shown stack.
    pub(crate) node: u32,
    /// CPU time that the sample represents, at least 1. 0 if the time is no CPU time.
    pub(crate) cpu_ns: u64,
    /// Whether the thread waited.
    pub(crate) is_wait: bool,
    /// Whether the start is an estimate.
    pub(crate) is_estimate: bool,
}

/// Makes neighbours touch. The order of the times becomes the order of their ends.
///
/// The recorded start and end of a wait are exact. If the start is an estimate, the wait does not begin before the time before it
/// ends. A tick only says that the thread used CPU time since the tick before it,
/// with waits between. So a tick does not begin before the last wait ends. Ticks are not exactly periodic, so a gap that is
/// not longer than the tick's own time is no gap.
pub(crate) fn close_gaps(times: &mut [SampledTime]) {
    times.sort_by_key(|time| (time.end_ns, time.is_wait, time.node, time.start_ns));
    let (mut last_end, mut last_wait_end) = (None, 0);
    for time in times {
        if time.is_wait {
            if time.is_estimate {
                time.start_ns = time.start_ns.max(last_end.unwrap_or(0).min(time.end_ns));
            }
            last_wait_end = time.end_ns;
        } else {
            let tick_ns = time.end_ns - time.start_ns;
            time.start_ns = time.start_ns.max(last_wait_end.min(time.end_ns));
            time.start_ns = match last_end {
                Some(end) if end < time.start_ns && time.start_ns - end <= tick_ns => end,
                _ => time.start_ns,
            };
        }
        last_end = Some(time.end_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closed(times: &[(u64, u64, bool)]) -> Vec<(u64, u64)> {
        let time = |&(start_ns, end_ns, is_wait): &(u64, u64, bool)| SampledTime {
            start_ns,
            end_ns,
            node: 1,
            cpu_ns: u64::from(!is_wait),
            is_wait,
            is_estimate: false,
        };
        let mut times: Vec<SampledTime> = times.iter().map(time).collect();
        close_gaps(&mut times);
        times.iter().map(|time| (time.start_ns, time.end_ns)).collect()
    }

    #[test]
    fn short_gaps_between_ticks_are_closed() {
        assert_eq!(closed(&[(0, 10, false), (12, 22, false), (50, 60, false)]), [(0, 10), (10, 22), (50, 60)]);
    }

    #[test]
    fn ticks_do_not_cover_waits_and_waits_keep_their_times() {
        // The thread used 10 of 40 in pieces, and waited in between.
        assert_eq!(closed(&[(10, 25, true), (30, 40, false), (28, 38, true)]), [(10, 25), (28, 38), (38, 40)]);
        // The tick begins when the wait ends, and the wait begins later than the tick before it ends.
        assert_eq!(closed(&[(0, 10, false), (11, 20, true), (22, 32, false)]), [(0, 10), (11, 20), (20, 32)]);
    }
    #[test]
    fn a_wait_with_an_estimated_start_covers_nothing_else() {
        let wait = |start_ns, end_ns, is_estimate| SampledTime {
            start_ns,
            end_ns,
            node: 1,
            cpu_ns: 0,
            is_wait: true,
            is_estimate,
        };
        let mut times = [wait(0, 20, false), wait(5, 30, true), wait(25, 40, false), wait(60, 70, true)];
        close_gaps(&mut times);
        assert_eq!(times.map(|time| (time.start_ns, time.end_ns)), [(0, 20), (20, 30), (25, 40), (60, 70)]);
    }
}
