//! Separates the time range of a filter from its other conditions. A timeline also shows the time outside the range
//! that the user selected in it.

use whittle_profile::filter::Predicate;

/// Removes the conditions on time from a filter, if they are joined by `and`. Returns the time range in which all
/// removed conditions are true, and the other conditions.
pub(crate) fn without_time(predicate: Predicate) -> (Option<(u64, u64)>, Option<Predicate>) {
    match predicate {
        Predicate::Time(from_ns, to_ns) => (Some((from_ns, to_ns)), None),
        Predicate::All(parts) => {
            let (mut range, mut rest) = (None::<(u64, u64)>, Vec::new());
            for part in parts {
                let (time, part) = without_time(part);
                if let Some((from, to)) = time {
                    let (known_from, known_to) = range.unwrap_or((0, u64::MAX));
                    range = Some((known_from.max(from), known_to.min(to)));
                }
                rest.extend(part);
            }
            (range, if rest.is_empty() { None } else { Some(Predicate::All(rest)) })
        }
        other => (None, Some(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_beside_and_are_taken_out() {
        let threads = || Predicate::Threads(vec![true, false]);
        let (range, rest) = without_time(Predicate::All(vec![
            Predicate::Time(10, 30),
            threads(),
            Predicate::All(vec![Predicate::Time(20, 50)]),
        ]));
        assert_eq!(range, Some((20, 30)));
        assert_eq!(rest, Some(Predicate::All(vec![threads()])));
        let either = Predicate::Any(vec![Predicate::Time(1, 2), threads()]);
        assert_eq!(without_time(either.clone()), (None, Some(either)));
        assert_eq!(without_time(Predicate::Time(1, 2)), (Some((1, 2)), None));
    }
}
