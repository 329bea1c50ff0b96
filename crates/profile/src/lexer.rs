//! Splits filters and transforms into tokens, and reads the tokens.
//!
//! The tokens are words, quoted texts and the signs `( ) ~ = >`. In a quoted text, quotes are doubled. A caller of the
//! reader states which token it expects. If the next token is different, the error contains its position.

/// A quoted text and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// The text without its quotes.
    pub text: String,
    /// The position of the opening quote, in characters counted from 0.
    pub position: usize,
}

/// A syntax error: its position in characters counted from 0, and what was expected and found there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// The position of the error.
    pub position: usize,
    /// Describes what was expected and what was found.
    pub problem: String,
}

/// Words that join conditions. A missing name must not be read as one of these words.
const SYNTAX_WORDS: [&str; 3] = ["and", "or", "not"];

/// Number of characters that an error shows before and after its position.
const SHOWN_AROUND: usize = 40;

/// The part of `text` around the character at `position`, on one line, with a mark below it.
pub fn pointed_at(text: &str, position: usize) -> String {
    let first = position.saturating_sub(SHOWN_AROUND);
    let around = text.chars().skip(first).take(2 * SHOWN_AROUND);
    let line: String = around.map(|c| if c.is_control() { ' ' } else { c }).collect();
    format!("  {line}\n  {}^", " ".repeat(position - first))
}

/// A token and its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lexeme {
    /// A word without quotes.
    Word(String),
    /// A text in quotes.
    Quoted(String),
    /// A sign such as a parenthesis.
    Sign(char),
}

/// A token and the position of its first character.
#[derive(Debug, Clone)]
pub struct Token {
    /// The token.
    pub lexeme: Lexeme,
    /// The position of the first character, counted from 0.
    pub position: usize,
}

/// Splits a text into tokens.
pub fn tokens(text: &str) -> Result<Vec<Token>, Misread> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(c) = chars.get(position) {
        let start = position;
        position += 1;
        let lexeme = match c {
            c if c.is_whitespace() => continue,
            '(' | ')' | '~' | '=' | '>' => Lexeme::Sign(*c),
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
                let is_inside = |c: &&char| !c.is_whitespace() && !"()~=>\"".contains(**c);
                position += chars[position..].iter().take_while(is_inside).count();
                Lexeme::Word(chars[start..position].iter().collect())
            }
        };
        tokens.push(Token { lexeme, position: start });
    }
    Ok(tokens)
}

/// The number of characters up to the closing quote. A doubled quote does not close the text.
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

/// A text in quotes, in the syntax of filters and transforms.
pub fn in_quotes(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The unread tokens.
#[derive(Debug)]
pub struct Words<'a> {
    text: &'a str,
    tokens: &'a [Token],
}

impl<'a> Words<'a> {
    /// A reader for all tokens of a text.
    pub fn new(text: &'a str, tokens: &'a [Token]) -> Self {
        Self { text, tokens }
    }

    /// Returns an error unless all tokens were read.
    pub fn end(&self, expected: &str) -> Result<(), Misread> {
        if self.tokens.is_empty() { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Reads a word that is the name of a value, such as an event.
    pub fn code<T>(&mut self, expected: &str, from_name: impl Fn(&str) -> Option<T>) -> Result<T, Misread> {
        let code = match self.peek() {
            Some(Token { lexeme: Lexeme::Word(word), .. }) => from_name(word),
            _ => None,
        };
        let code = code.ok_or_else(|| self.unexpected(expected))?;
        self.advance();
        Ok(code)
    }

    /// Reads a quoted text.
    pub fn quoted(&mut self, expected: &str) -> Result<Quoted, Misread> {
        let Some(Token { lexeme: Lexeme::Quoted(text), position }) = self.peek() else {
            return Err(self.unexpected(expected));
        };
        let quoted = Quoted { text: text.clone(), position: *position };
        self.advance();
        Ok(quoted)
    }

    /// Reads a name: a quoted text, or one word without quotes. Words of the syntax, and words such as `#12`, need quotes.
    pub fn name(&mut self, expected: &str) -> Result<Quoted, Misread> {
        let Some(Token { lexeme: Lexeme::Word(word), position }) = self.peek() else { return self.quoted(expected) };
        if SYNTAX_WORDS.contains(&word.as_str()) || word.starts_with('#') {
            return Err(self.unexpected(expected));
        }
        let name = Quoted { text: word.clone(), position: *position };
        self.advance();
        Ok(name)
    }

    /// Reads the name of a function: as [`name`](Self::name), and a word can be followed by a signature: `a.B.f(int, long)`.
    pub fn function_name(&mut self, expected: &str) -> Result<Quoted, Misread> {
        let is_word = matches!(self.peek(), Some(Token { lexeme: Lexeme::Word(_), .. }));
        let name = self.name(expected)?;
        let end = name.position + name.text.chars().count();
        let opens = |token: &Token| token.lexeme == Lexeme::Sign('(') && token.position == end;
        if !is_word || !self.peek().is_some_and(opens) {
            return Ok(name);
        }
        let closing = self.tokens.iter().position(|token| token.lexeme == Lexeme::Sign(')'));
        let Some(closing) = closing else { return Err(self.error("the signature has no `)`".to_owned())) };
        let length = self.tokens[closing].position + 1 - name.position;
        self.tokens = &self.tokens[closing + 1..];
        Ok(Quoted { text: self.text.chars().skip(name.position).take(length).collect(), ..name })
    }

    /// Reads a required word.
    pub fn keyword(&mut self, word: &str) -> Result<(), Misread> {
        if self.take_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"))) }
    }

    /// If the next word is `word`, skips it and returns true.
    pub fn take_word(&mut self, word: &str) -> bool {
        let is_there = matches!(self.peek(), Some(Token { lexeme: Lexeme::Word(found), .. }) if found == word);
        self.take_if(is_there)
    }

    /// If the next sign is `sign`, skips it and returns true.
    pub fn take_sign(&mut self, sign: char) -> bool {
        let is_there = matches!(self.peek(), Some(Token { lexeme: Lexeme::Sign(found), .. }) if *found == sign);
        self.take_if(is_there)
    }

    fn take_if(&mut self, is_there: bool) -> bool {
        if is_there {
            self.advance();
        }
        is_there
    }

    /// The next token.
    pub fn peek(&self) -> Option<&Token> {
        self.tokens.first()
    }

    /// Skips a token.
    pub fn advance(&mut self) {
        self.tokens = self.tokens.get(1..).unwrap_or_default();
    }

    /// An error at the next token.
    pub fn unexpected(&self, expected: &str) -> Misread {
        let found = match self.peek().map(|token| &token.lexeme) {
            None => "the end".to_owned(),
            Some(Lexeme::Word(word)) => format!("`{word}`"),
            Some(Lexeme::Quoted(text)) => format!("\"{text}\""),
            Some(Lexeme::Sign(sign)) => format!("`{sign}`"),
        };
        self.error(format!("expected {expected}, found {found}"))
    }

    /// An error with a message at the next token.
    pub fn error(&self, problem: String) -> Misread {
        let position = self.peek().map_or_else(|| self.text.chars().count(), |token| token.position);
        Misread { position, problem }
    }
}

/// Formats names as a list for error messages.
pub fn backquoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
