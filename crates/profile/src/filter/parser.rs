//! Parses the text of a filter.

use crate::code_owner::{CodeOwner, CodeOwners};
use crate::decimal::Decimal;
use crate::fragment::Fragment;
use crate::lexer::{Lexeme, Misread, Quoted, Token, Words, backquoted, pointed_at, tokens};
use crate::pattern::Pattern;
use crate::sides::Side;
use crate::target::Target;
use crate::waits::WaitMeaning;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;
use whittle_model::{CpuMode, EventKind, WaitReason};

/// A valid filter.
#[derive(Debug, Clone)]
pub struct Filter {
    text: String,
    /// The parsed filter.
    pub expression: Expression,
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// A condition on samples.
#[derive(Debug, Clone)]
pub enum Expression {
    All(Vec<Expression>),
    Any(Vec<Expression>),
    Not(Box<Expression>),
    ThreadMatches(Pattern),
    ThreadIs(Quoted),
    /// Row in the threads table, and position of the condition in the filter.
    ThreadIsRow(usize, usize),
    /// The pools with this name.
    PoolIs(Quoted),
    /// The pool of the thread with this row, and position of the condition in the filter.
    PoolIsOfRow(usize, usize),
    /// Id of a process, and position of the condition in the filter.
    ProcessIs(usize, usize),
    /// A time range in nanoseconds. It includes the first time and excludes the second time.
    Time(u64, u64),
    StackHas(Target),
    /// Functions that call each other directly.
    StackHasFragment(Fragment, Quoted),
    LeafIs(Target),
    Mode(CpuMode),
    Event(EventKind),
    Reason(WaitReason),
    Wait(WaitMeaning),
    /// Whose code was executed.
    Code(CodeOwner),
    /// Name of the class of allocated objects.
    Class(Quoted),
    /// Path of the file, or name of the peer, that was waited for or used.
    File(Quoted),
    /// Name of the request that the thread answered.
    RequestIs(Quoted),
    /// A part of the name of the request that the thread answered.
    RequestContains(Quoted),
    /// The thread answered a request that took longer, in nanoseconds. Also the position of the condition in the filter.
    RequestLongerThan(u64, usize),
    /// A side of a comparison, and position of the condition in the filter.
    Side(Side, usize),
}

/// A filter with a syntax error or an unknown name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the filter is wrong at character {}: {problem}\n{}\nexample: {EXAMPLE}", position + 1, pointed_at(text, *position))]
pub struct FilterError {
    /// The text of the filter.
    pub text: String,
    /// The position of the error, in characters counted from 0.
    pub position: usize,
    /// Describes what was expected and what was found.
    pub problem: String,
    /// True if the filter selects a side, but nothing is compared.
    pub needs_comparison: bool,
}

const EXAMPLE: &str = "thread ~ \"worker\" and time in 10s..20s and not stack has \"java.util.HashMap.put\"";

/// Maximum nesting depth of parentheses and `not`. No real filter needs more. The limit prevents a stack overflow.
const NESTING_LIMIT: usize = 64;

impl Filter {
    /// The filter for one side of a comparison. If `filter` is missing, the result keeps all of the side's samples.
    pub fn of_side(side: Side, filter: Option<&Self>) -> Self {
        let expression = Expression::Side(side, 0);
        let text = format!("side is {}", side.name());
        match filter {
            None => Self { text, expression },
            Some(filter) => Self {
                text: format!("{text} and ({filter})"),
                expression: Expression::All(vec![expression, filter.expression.clone()]),
            },
        }
    }

    /// An error about the part of the filter that starts at `position`.
    pub fn error(&self, position: usize, problem: String) -> FilterError {
        FilterError { text: self.text.clone(), position, problem, needs_comparison: false }
    }
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let misread = |Misread { position, problem }| FilterError {
            text: text.to_owned(),
            position,
            problem,
            needs_comparison: false,
        };
        Ok(Self { text: text.to_owned(), expression: expression(text).map_err(misread)? })
    }
}

fn expression(text: &str) -> Result<Expression, Misread> {
    let tokens = tokens(text)?;
    let mut parser = Parser { words: Words::new(text, &tokens), depth: 0 };
    let expression = parser.any()?;
    parser.words.end("`and`, `or` or the end")?;
    Ok(expression)
}

struct Parser<'a> {
    words: Words<'a>,
    depth: usize,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Expression, Misread> {
        let mut parts = vec![self.all()?];
        while self.words.take_word("or") {
            parts.push(self.all()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Any(parts) })
    }

    fn all(&mut self) -> Result<Expression, Misread> {
        let mut parts = vec![self.one()?];
        while self.words.take_word("and") {
            parts.push(self.one()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::All(parts) })
    }

    fn one(&mut self) -> Result<Expression, Misread> {
        if self.depth == NESTING_LIMIT {
            return Err(self.words.error(format!("more than {NESTING_LIMIT} nested parentheses and `not`")));
        }
        self.depth += 1;
        let expression = if self.words.take_word("not") {
            Expression::Not(Box::new(self.one()?))
        } else if self.words.take_sign('(') {
            let inner = self.any()?;
            if !self.words.take_sign(')') {
                return Err(self.words.unexpected("`and`, `or` or `)`"));
            }
            inner
        } else {
            self.test()?
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn test(&mut self) -> Result<Expression, Misread> {
        if self.words.take_word("thread") {
            self.thread_test()
        } else if self.words.take_word("pool") {
            self.words.keyword("is")?;
            self.pool()
        } else if self.words.take_word("process") {
            self.words.keyword("is")?;
            self.process()
        } else if self.words.take_word("time") {
            self.words.keyword("in")?;
            self.time_range()
        } else if self.words.take_word("stack") {
            self.words.keyword("has")?;
            if self.words.take_word("fragment") { self.fragment() } else { self.code().map(Expression::StackHas) }
        } else if self.words.take_word("leaf") {
            self.words.keyword("is")?;
            self.code().map(Expression::LeafIs)
        } else if self.words.take_word("mode") {
            self.words.keyword("is")?;
            self.words.code("`user` or `system`", |name| CpuMode::from_name(name).ok()).map(Expression::Mode)
        } else if self.words.take_word("event") {
            self.words.keyword("is")?;
            self.words
                .code(&backquoted(EventKind::NAMES), |name| EventKind::from_name(name).ok())
                .map(Expression::Event)
        } else if self.words.take_word("reason") {
            self.words.keyword("is")?;
            self.words
                .code(&backquoted(WaitReason::NAMES), |name| WaitReason::from_name(name).ok())
                .map(Expression::Reason)
        } else if self.words.take_word("wait") {
            self.words.keyword("is")?;
            self.words.code(&backquoted(WaitMeaning::NAMES), WaitMeaning::from_name).map(Expression::Wait)
        } else if CodeOwners::ARE_KNOWN && self.words.take_word("code") {
            self.words.keyword("is")?;
            self.words.code(&backquoted(CodeOwner::NAMES), CodeOwner::from_name).map(Expression::Code)
        } else if self.words.take_word("class") {
            self.words.keyword("is")?;
            self.words.name("a class, such as \"byte[]\"").map(Expression::Class)
        } else if self.words.take_word("file") {
            self.words.keyword("is")?;
            self.words.name("a file or peer, such as \"tcp 10.0.0.7:5432\"").map(Expression::File)
        } else if self.words.take_word("request") {
            self.request()
        } else if self.words.take_word("request_time") {
            self.request_time()
        } else if self.words.take_word("side") {
            self.words.keyword("is")?;
            let position = self.words.peek().map_or(0, |token| token.position);
            let side = self.words.code("`baseline` or `candidate`", Side::from_name)?;
            Ok(Expression::Side(side, position))
        } else {
            Err(self.words.unexpected(
                "`thread`, `pool`, `process`, `time`, `stack`, `leaf`, `mode`, `event`, `reason`, `wait`, `code`, `class`, `file`, `request`, `request_time`, `side`, `not` or `(`",
            ))
        }
    }

    fn code(&mut self) -> Result<Target, Misread> {
        Target::read(&mut self.words)
    }

    fn fragment(&mut self) -> Result<Expression, Misread> {
        let quoted = self.words.quoted("functions in quotes, such as \"A.f > B.g\"")?;
        let fragment: Result<Fragment, _> = quoted.text.parse();
        let fragment = fragment.map_err(|error| Misread { position: quoted.position, problem: error.to_string() })?;
        Ok(Expression::StackHasFragment(fragment, quoted))
    }

    /// The number of a thread, such as `#12`, and its position.
    fn thread_row(&mut self) -> Option<(usize, usize)> {
        self.number("#")
    }

    /// A number after `prefix`, and its position.
    fn number(&mut self, prefix: &str) -> Option<(usize, usize)> {
        let Some(Token { lexeme: Lexeme::Word(word), position }) = self.words.peek() else { return None };
        let (number, position) = (word.strip_prefix(prefix)?.parse().ok()?, *position);
        self.words.advance();
        Some((number, position))
    }

    fn pool(&mut self) -> Result<Expression, Misread> {
        match self.thread_row() {
            Some((row, position)) => Ok(Expression::PoolIsOfRow(row, position)),
            None => {
                let expected = "the pool's name, or `#` and the number of one of its threads";
                self.words.name(expected).map(Expression::PoolIs)
            }
        }
    }

    fn process(&mut self) -> Result<Expression, Misread> {
        match self.number("") {
            Some((id, position)) => Ok(Expression::ProcessIs(id, position)),
            None => Err(self.words.unexpected("the id of a process")),
        }
    }

    fn request(&mut self) -> Result<Expression, Misread> {
        let expected = "the name of a request, such as \"GET /orders/{}\"";
        if self.words.take_word("is") {
            self.words.name(expected).map(Expression::RequestIs)
        } else if self.words.take_word("contains") {
            self.words.name("a part of the name, such as \"/orders\"").map(Expression::RequestContains)
        } else {
            Err(self.words.unexpected("`is` (exact name) or `contains` (part of the name)"))
        }
    }

    fn request_time(&mut self) -> Result<Expression, Misread> {
        if !self.words.take_sign('>') {
            return Err(self.words.unexpected("`>`"));
        }
        let position = self.words.peek().map_or(0, |token| token.position);
        let length_ns = self.words.code("a time with a unit (ns, us, ms, s, m) such as `500ms`", parse_duration_ns)?;
        Ok(Expression::RequestLongerThan(length_ns, position))
    }

    fn thread_test(&mut self) -> Result<Expression, Misread> {
        if self.words.take_sign('=') || self.words.take_word("is") {
            if let Some((row, position)) = self.thread_row() {
                return Ok(Expression::ThreadIsRow(row, position));
            }
            return self.words.name("the thread's name, or `#` and its number").map(Expression::ThreadIs);
        }
        if !self.words.take_sign('~') {
            return Err(self.words.unexpected("`~` (regular expression), or `=` or `is` (exact name)"));
        }
        let pattern = self.words.name("a regular expression")?;
        Pattern::new(&pattern.text).map(Expression::ThreadMatches).map_err(|problem| Misread {
            position: pattern.position,
            problem: format!("not a regular expression: {problem}"),
        })
    }

    fn time_range(&mut self) -> Result<Expression, Misread> {
        let expected = "a range such as `10s..20s`, `..500ms` or `2m..`";
        let Some(Token { lexeme: Lexeme::Word(word), .. }) = self.words.peek() else {
            return Err(self.words.unexpected(expected));
        };
        let Some((from, to)) = word.split_once("..") else {
            return Err(self.words.unexpected(expected));
        };
        let end = |text: &str, open: u64| if text.is_empty() { Some(open) } else { parse_duration_ns(text) };
        let (Some(from), Some(to)) = (end(from, 0), end(to, u64::MAX)) else {
            return Err(self.words.unexpected("numbers with a unit (ns, us, ms, s, m) such as `1.5s..2m`"));
        };
        if from >= to {
            return Err(self.words.error("the range is empty: its end is not after its start".to_owned()));
        }
        self.words.advance();
        Ok(Expression::Time(from, to))
    }
}

/// Parses durations such as `1.5s`. `None` if the text is not a number with a unit.
fn parse_duration_ns(text: &str) -> Option<u64> {
    let unit_start = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit_start);
    let unit_ns = match unit {
        "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        _ => return None,
    };
    Some(Decimal::parse(number)?.times(unit_ns))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        text.parse::<Filter>().expect_err("broken filter").to_string()
    }

    #[test]
    fn well_formed_filters_are_understood() {
        for text in [
            "thread ~ \"worker-[0-9]+\"",
            "thread=\"main\" and time in 10s..20s",
            "time in ..500ms or time in 2m.. or time in 1.5us..9ns999",
        ] {
            let result = text.parse::<Filter>();
            assert_eq!(result.is_ok(), !text.contains("999"), "{text}");
        }
        assert!(
            "not (stack has \"A.b\" or leaf is \"C.d\") and mode is system and event is cpu or reason is futex"
                .parse::<Filter>()
                .is_ok()
        );
        for text in ["request is \"GET /a\" and request_time>1.5s", "request contains \"/a\" or request_time > 500ms"] {
            assert!(text.parse::<Filter>().is_ok(), "{text}");
        }
        for text in
            ["thread=worker", "thread ~ http-.* or pool is main", "class is byte[]", "not request contains /orders"]
        {
            assert!(text.parse::<Filter>().is_ok(), "{text}");
        }
        for text in [
            "stack has a.B.f",
            "not (leaf is a.B.f(int, long) or stack has package java.util)",
            "leaf is binary libc.so.6",
        ] {
            assert!(text.parse::<Filter>().is_ok(), "{text}");
        }
        assert_eq!(parse_duration_ns("1.5s"), Some(1_500_000_000));
        assert_eq!(parse_duration_ns("2m"), Some(120_000_000_000));
    }

    #[test]
    fn broken_filters_say_where_what_was_expected_and_an_example() {
        assert_eq!(
            problem("thread in \"x\""),
            "the filter is wrong at character 8: expected `~` (regular expression), or `=` or `is` (exact name), found `in`\n  \
             thread in \"x\"\n         ^\nexample: thread ~ \"worker\" and time in 10s..20s and not stack has \
             \"java.util.HashMap.put\""
        );
        for (text, part) in [
            ("", "character 1: expected `thread`, `pool`, `process`, `time`"),
            ("pool = \"x\"", "character 6: expected `is`, found `=`"),
            ("pool is #x", "character 9: expected the pool's name, or `#` and the number"),
            (
                "thread = and mode is user",
                "character 10: expected the thread's name, or `#` and its number, found `and`",
            ),
            ("thread ~ \"a\" thread", "character 14: expected `and`, `or` or the end, found `thread`"),
            ("thread ~ \"(\"", "character 10: not a regular expression"),
            ("thread ~ \"abc", "character 10: a text starts here and has no closing quote"),
            ("time in 10..20", "expected numbers with a unit"),
            ("time in 20s..10s", "the range is empty"),
            ("(mode is user", "expected `and`, `or` or `)`, found the end"),
            ("mode is fast", "expected `user` or `system`, found `fast`"),
            ("event is thing", "expected `cpu`, `java_sample`"),
            ("wait is lazy", "expected `idle`, `sleep`, `timed_park`"),
            ("code is mine", "expected `own`, `library`, `jdk`, `native`"),
            ("event is off_cpu and reason is lazy", "expected `none`, `futex`, `socket`, `file`, `sleep`, `poll`"),
            ("class is", "expected a class, such as \"byte[]\", found the end"),
            ("request = \"x\"", "character 9: expected `is` (exact name) or `contains`"),
            ("request is (", "expected the name of a request, such as \"GET /orders/{}\", found `(`"),
            ("request_time is 1s", "character 14: expected `>`, found `is`"),
            ("request_time > 500", "expected a time with a unit (ns, us, ms, s, m) such as `500ms`, found `500`"),
            ("reason futex", "character 8: expected `is`, found `futex`"),
        ] {
            let found = problem(text);
            assert!(found.contains(part), "{text}: {found}");
        }
        assert!(problem(&"(".repeat(1000)).contains("more than 64"));
    }
}
