//! A bar of letters: where the time goes.

use crate::requests::figures::RequestShares;
use crate::requests::kinds::RequestTimeKind;

/// Width of a bar in characters.
const BAR_WIDTH: usize = 20;

pub(super) const UNKNOWN_LETTER: char = '·';

/// A bar with one letter per kind. Each letter is the kind in the middle of its part of the bar.
pub(super) fn bar(shares: &RequestShares) -> String {
    let letters = RequestTimeKind::ALL.map(RequestTimeKind::letter).into_iter().chain([UNKNOWN_LETTER]);
    let parts: Vec<(char, f64)> = letters.zip(shares.values()).collect();
    let letter_at = |place: f64| {
        let mut end = 0.0;
        parts.iter().find_map(|(letter, share)| {
            end += share;
            (place < end).then_some(*letter)
        })
    };
    (0..BAR_WIDTH).filter_map(|cell| letter_at((cell as f64 + 0.5) / BAR_WIDTH as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_each_kind_in_proportion() {
        let shares = RequestShares { on_cpu_ratio: 0.25, socket_ratio: 0.5, ..RequestShares::default() };
        assert_eq!(bar(&RequestShares { unknown_ratio: 0.25, ..shares }), "CCCCCSSSSSSSSSS·····");
        assert_eq!(bar(&RequestShares { sleep_ratio: 1.0, ..RequestShares::default() }), "Z".repeat(20));
        assert_eq!(bar(&RequestShares::default()), "");
    }
}
