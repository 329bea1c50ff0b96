//! A bar of letters: how something is divided into parts.

/// Width of a bar in characters.
const WIDTH: usize = 20;

/// A bar of parts with a letter and a share from 0 to 1. Each letter is the part in the middle of its piece of the bar.
pub(crate) fn letter_bar(parts: &[(char, f64)]) -> String {
    let letter_at = |place: f64| {
        let mut end = 0.0;
        parts.iter().find_map(|(letter, share)| {
            end += share;
            (place < end).then_some(*letter)
        })
    };
    (0..WIDTH).filter_map(|cell| letter_at((cell as f64 + 0.5) / WIDTH as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_each_part_in_proportion() {
        assert_eq!(letter_bar(&[('C', 0.25), ('S', 0.5), ('·', 0.25)]), "CCCCCSSSSSSSSSS·····");
        assert_eq!(letter_bar(&[('Z', 1.0)]), "Z".repeat(WIDTH));
        assert_eq!(letter_bar(&[]), "");
    }
}
