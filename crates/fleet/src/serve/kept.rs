//! Keeps the latest answers as text for repeated queries. The number and the total size of answers are limited.

use std::collections::VecDeque;

/// Maximum number of answers.
const MOST_ANSWERS: usize = 128;
/// Maximum total length of all answers, bytes.
const MOST_BYTES: usize = 16 << 20;

/// Answers by query, the oldest first.
#[derive(Debug)]
pub(super) struct Kept<Q> {
    answers: VecDeque<(Q, String)>,
}

impl<Q> Default for Kept<Q> {
    fn default() -> Self {
        Self { answers: VecDeque::new() }
    }
}

impl<Q: PartialEq> Kept<Q> {
    /// The answer to a query.
    pub(super) fn get(&self, question: &Q) -> Option<String> {
        self.answers.iter().find(|(known, _)| known == question).map(|(_, answer)| answer.clone())
    }

    /// Stores an answer, unless it is longer than the limit. The oldest answers are removed to make space.
    pub(super) fn put(&mut self, question: Q, answer: String) {
        if answer.len() > MOST_BYTES / 4 {
            return;
        }
        self.answers.push_back((question, answer));
        let mut bytes: usize = self.answers.iter().map(|(_, answer)| answer.len()).sum();
        while bytes > MOST_BYTES || self.answers.len() > MOST_ANSWERS {
            let Some((_, gone)) = self.answers.pop_front() else { return };
            bytes -= gone.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(kept: &Kept<usize>) -> Vec<usize> {
        kept.answers.iter().map(|(question, _)| *question).collect()
    }

    #[test]
    fn the_oldest_answers_go() {
        let mut answers = Kept::default();
        (0..MOST_ANSWERS + 2).for_each(|question| answers.put(question, question.to_string()));
        assert_eq!((answers.get(&1), answers.get(&2).as_deref()), (None, Some("2")));
        (1000..1006).for_each(|question| answers.put(question, "x".repeat(MOST_BYTES / 4)));
        assert_eq!(kept(&answers), [1002, 1003, 1004, 1005], "only as much text as there is room for");
        answers.put(1006, "z".repeat(MOST_BYTES / 4 + 1));
        assert_eq!(kept(&answers), [1002, 1003, 1004, 1005], "an answer that is too long does not remove the others");
    }
}
