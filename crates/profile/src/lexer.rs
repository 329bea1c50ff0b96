//! The words of the filter language and of the transform language, and reading them one after another.
//!
//! Words, texts in quotes (a quote inside is doubled) and the signs `( ) ~ =`. A reader says what it expects; what it finds instead becomes an
//! error with its position.

/// A quoted text and where it stands in its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Quoted {
    pub(crate) text: String,
    pub(crate) position: usize,
}

/// Where a text is not of its language, in characters counted from 0, and what was expected and found there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misread {
    pub(crate) position: usize,
    pub(crate) problem: String,
}

/// Characters shown before and after the place of an error.
const SHOWN_AROUND: usize = 40;

/// The part of `text` around the character at `position`, on one line, with a mark below it.
pub(crate) fn pointed_at(text: &str, position: usize) -> String {
    let first = position.saturating_sub(SHOWN_AROUND);
    let around = text.chars().skip(first).take(2 * SHOWN_AROUND);
    let line: String = around.map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("  {line}\n  {}^", " ".repeat(position - first))
}

/// A word, and of which kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lexeme {
    Word(String),
    Quoted(String),
    Sign(char),
}

/// A word and where it starts, in characters.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) lexeme: Lexeme,
    pub(crate) position: usize,
}

/// The words of a text.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, Misread> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(c) = chars.get(position) {
        let start = position;
        position += 1;
        let lexeme = match c {
            c if c.is_whitespace() => continue,
            '(' | ')' | '~' | '=' => Lexeme::Sign(*c),
            '"' => {
                let Some(length) = quoted_length(&chars[position..]) else {
                    let problem = "a text starts here and has no closing quote".to_owned();
                    return Err(Misread { position: start, problem });
                };
                position += length + 1;
                let text: String = chars[start + 1..position - 1].iter().collect();
                Lexeme::Quoted(text.replace("\"\"", "\""))
            }
            _ => {
                let is_inside = |c: &&char| !c.is_whitespace() && !"()~=\"".contains(**c);
                position += chars[position..].iter().take_while(is_inside).count();
                Lexeme::Word(chars[start..position].iter().collect())
            }
        };
        tokens.push(Token { lexeme, position: start });
    }
    Ok(tokens)
}

/// The number of characters up to the closing quote; a doubled quote closes nothing.
fn quoted_length(chars: &[char]) -> Option<usize> {
    let mut position = 0;
    while let Some(c) = chars.get(position) {
        let is_doubled = chars.get(position + 1) == Some(&'"');
        match c {
            '"' if is_doubled => position += 2,
            '"' => return Some(position),
            _ => position += 1,
        }
    }
    None
}

/// A text in quotes, as the languages read it.
pub(crate) fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The words that are left to read.
#[derive(Debug)]
pub(crate) struct Words<'a> {
    tokens: &'a [Token],
    text_length: usize,
}

impl<'a> Words<'a> {
    /// All words of a text.
    pub(crate) fn new(text: &str, tokens: &'a [Token]) -> Self {
        Self { tokens, text_length: text.chars().count() }
    }

    /// An error unless all words were read.
    pub(crate) fn end(&self, expected: &str) -> Result<(), Misread> {
        if self.tokens.is_empty() { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// A code by its name.
    pub(crate) fn code<T>(&mut self, expected: &str, from_name: impl Fn(&str) -> Option<T>) -> Result<T, Misread> {
        let code = match self.peek() {
            Some(Token { lexeme: Lexeme::Word(word), .. }) => from_name(word),
            _ => None,
        };
        let code = code.ok_or_else(|| self.unexpected(expected))?;
        self.advance();
        Ok(code)
    }

    /// A quoted text.
    pub(crate) fn quoted(&mut self, expected: &str) -> Result<Quoted, Misread> {
        let Some(Token { lexeme: Lexeme::Quoted(text), position }) = self.peek() else {
            return Err(self.unexpected(expected));
        };
        let quoted = Quoted { text: text.clone(), position: *position };
        self.advance();
        Ok(quoted)
    }

    /// A word that has to stand here.
    pub(crate) fn keyword(&mut self, word: &str) -> Result<(), Misread> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// True if the next word is this one, which is then passed.
    pub(crate) fn take_word(&mut self, word: &str) -> bool {
        let is_there = matches!(self.peek(), Some(Token { lexeme: Lexeme::Word(found), .. }) if found == word);
        self.take_if(is_there)
    }

    /// True if the next sign is this one, which is then passed.
    pub(crate) fn take_sign(&mut self, sign: char) -> bool {
        let is_there = matches!(self.peek(), Some(Token { lexeme: Lexeme::Sign(found), .. }) if *found == sign);
        self.take_if(is_there)
    }

    fn take_if(&mut self, is_there: bool) -> bool {
        if is_there {
            self.advance();
        }
        is_there
    }

    /// The next word.
    pub(crate) fn peek(&self) -> Option<&Token> {
        self.tokens.first()
    }

    /// Passes a word.
    pub(crate) fn advance(&mut self) {
        self.tokens = self.tokens.get(1..).unwrap_or_default();
    }

    /// An error at the next word.
    pub(crate) fn unexpected(&self, expected: &str) -> Misread {
        let found = match self.peek().map(|token| &token.lexeme) {
            None => "the end".to_owned(),
            Some(Lexeme::Word(word)) => format!("`{word}`"),
            Some(Lexeme::Quoted(text)) => format!("\"{text}\""),
            Some(Lexeme::Sign(sign)) => format!("`{sign}`"),
        };
        self.error(format!("expected {expected}, found {found}"))
    }

    /// An error at the next word, in words.
    pub(crate) fn error(&self, problem: String) -> Misread {
        let position = self.peek().map_or(self.text_length, |token| token.position);
        Misread { position, problem }
    }
}

/// Names as an error lists them.
pub(crate) fn backquoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
