//! Turns a page of the user's guide into blocks of text, so that the analyzer's page needs no reader of Markdown.
//!
//! It reads only what [`guide_page`](crate::guide_page) writes: headings, paragraphs, lists of one level, and blocks of code.
//! Texts keep their code spans, as all texts of findings do. Links lose their target, because the targets are files of the
//! repository.

use serde::Serialize;

/// A part of a guide page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GuideBlock {
    /// What the texts are.
    pub kind: GuideBlockKind,
    /// The items of a list. Other blocks have one text.
    pub texts: Vec<String>,
}

/// The kind of a part of a guide page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum GuideBlockKind {
    /// A heading of a section.
    Heading,
    /// A paragraph.
    Paragraph,
    /// A list.
    List,
    /// Source code, with its line breaks.
    Code,
}

/// The blocks of a page, without its title and without comments.
pub(crate) fn guide_blocks(markdown: &str) -> Vec<GuideBlock> {
    let mut blocks: Vec<GuideBlock> = Vec::new();
    let mut is_open = false;
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let is_continued = std::mem::replace(&mut is_open, !line.is_empty());
        if line.starts_with("```") {
            let code: Vec<&str> = lines.by_ref().take_while(|line| !line.starts_with("```")).collect();
            blocks.push(block(GuideBlockKind::Code, code.join("\n")));
        } else if let Some(heading) = line.strip_prefix("## ") {
            blocks.push(block(GuideBlockKind::Heading, without_links(heading)));
        } else if let Some(item) = line.strip_prefix("- ") {
            match blocks.last_mut() {
                Some(list) if is_continued && list.kind == GuideBlockKind::List => list.texts.push(without_links(item)),
                _ => blocks.push(block(GuideBlockKind::List, without_links(item))),
            }
        } else if !line.is_empty() && !line.starts_with("# ") && !line.starts_with("<!--") {
            blocks.push(block(GuideBlockKind::Paragraph, without_links(line)));
        }
    }
    blocks
}

fn block(kind: GuideBlockKind, text: String) -> GuideBlock {
    GuideBlock { kind, texts: vec![text] }
}

/// The text with `[words](target)` replaced by the words. Code spans do not change.
fn without_links(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let parts: Vec<String> =
        parts.map(|(index, part)| if index % 2 == 0 { of_links(part) } else { part.into() }).collect();
    parts.join("`")
}

fn of_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, words, after)) = first_link(rest) {
        plain.push_str(before);
        plain.push_str(words);
        rest = after;
    }
    plain + rest
}

/// The text before the first link, the words of the link, and the text after it.
fn first_link(text: &str) -> Option<(&str, &str, &str)> {
    let (start, target) = text.split_once("](")?;
    let (before, words) = start.rsplit_once('[')?;
    let (_, after) = target.split_once(')')?;
    Some((before, words, after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Detector, guide_page};

    fn blocks(markdown: &str) -> Vec<(GuideBlockKind, Vec<String>)> {
        guide_blocks(markdown).into_iter().map(|block| (block.kind, block.texts)).collect()
    }

    #[test]
    fn headings_paragraphs_lists_and_code_become_blocks() {
        let page = "# Title\n\n<!-- Mark -->\n\nOne of [the patterns](README.md) with `a[0](b)`.\n\n## Fix\n\n- one\n- two\n\n\
                    - three\n\nBefore:\n\n```java\nint a;\n\n  # b\n```\n";
        let text = |text: &str| vec![text.to_owned()];
        assert_eq!(
            blocks(page),
            [
                (GuideBlockKind::Paragraph, text("One of the patterns with `a[0](b)`.")),
                (GuideBlockKind::Heading, text("Fix")),
                (GuideBlockKind::List, vec!["one".to_owned(), "two".to_owned()]),
                (GuideBlockKind::List, text("three")),
                (GuideBlockKind::Paragraph, text("Before:")),
                (GuideBlockKind::Code, text("int a;\n\n  # b")),
            ]
        );
    }

    /// No page has markup that the blocks would show as text.
    #[test]
    fn all_pages_are_understood() {
        for detector in Detector::all() {
            for block in guide_blocks(&guide_page(detector)).iter().filter(|block| block.kind != GuideBlockKind::Code) {
                for text in &block.texts {
                    let words = text.split('`').step_by(2).collect::<String>();
                    let is_plain = !["](", "**", "<", "| "].iter().any(|mark| words.contains(mark));
                    assert!(is_plain && text.matches('`').count() % 2 == 0, "{}: {text}", detector.id);
                }
            }
        }
    }
}
