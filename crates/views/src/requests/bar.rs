//! A bar of letters: where the time goes.

use crate::letter_bar::letter_bar;
use crate::requests::figures::RequestShares;
use crate::requests::kinds::RequestTimeKind;

pub(super) const UNKNOWN_LETTER: char = '·';

/// A bar with one letter per kind.
pub(super) fn bar(shares: &RequestShares) -> String {
    let letters = RequestTimeKind::ALL.map(RequestTimeKind::letter).into_iter().chain([UNKNOWN_LETTER]);
    letter_bar(&letters.zip(shares.values()).collect::<Vec<_>>())
}
