//! Notices for the user, each shown once.

use crate::options::Observer;

/// The last notice.
#[derive(Debug, Default)]
pub(super) struct Notices {
    last: Option<String>,
}

impl Notices {
    /// Shows a notice, unless it is the same as the last notice, because a problem usually occurs again at every poll.
    pub(super) fn once(&mut self, text: String, observer: &mut dyn Observer) {
        if self.last.as_ref() != Some(&text) {
            observer.note(&text);
            self.last = Some(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Progress;

    #[derive(Default)]
    struct Heard(Vec<String>);

    impl Observer for Heard {
        fn progress(&mut self, _: &Progress) {}

        fn note(&mut self, note: &str) {
            self.0.push(note.to_owned());
        }
    }

    #[test]
    fn a_notice_that_is_repeated_is_shown_once() {
        let (mut notices, mut heard) = (Notices::default(), Heard::default());
        for text in ["a", "a", "b", "b", "a"] {
            notices.once(text.to_owned(), &mut heard);
        }
        assert_eq!(heard.0, ["a", "b", "a"]);
    }
}
