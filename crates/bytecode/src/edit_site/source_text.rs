//! Facts from the source that class files do not contain: the line on which a field is declared.

use super::site::EditSite;

/// Maximum number of lines that are searched per statement.
const MAX_STATEMENT_LINES: usize = 12;

/// The word with which blocks and methods lock, in the source and in the texts of locks.
const SYNCHRONIZED: &str = "synchronized";

/// The line on which a class declares a field, counted from 1. `None` if the declaration was not found.
///
/// The text is searched word by word, without comments and quoted texts. Only places directly inside the class's braces
/// are possible. The declaration is the first place with the name after a type and before `=`, `,`, `;` or `[`.
pub(super) fn declaration_line(source: &str, class_simple_name: &str, field_name: &str) -> Option<u32> {
    let words = words(source);
    let body = class_body(&words, class_simple_name)?;
    let mut depth = 0_i32;
    for (row, (line, word)) in words.iter().enumerate().skip(body) {
        match *word {
            "{" | "(" => depth += 1,
            "}" | ")" => depth -= 1,
            _ if *word == field_name && depth == 1 && is_declared(&words, row) => return Some(*line),
            _ => {}
        }
        if depth == 0 {
            return None;
        }
    }
    None
}

/// Adds facts from the source: the text of the line, and the line of the field's declaration. If the line to edit uses a
/// constant by its name, the line of the constant's declaration becomes the line to edit.
pub fn refine_with_source(site: &mut EditSite, source: &str) {
    let text_of = |line: Option<u32>| {
        let text = source.lines().nth(usize::try_from(line?).ok()?.checked_sub(1)?)?;
        Some(text.trim().to_owned())
    };
    site.line = site.line.map(|line| match site.what.starts_with(SYNCHRONIZED) {
        true => line_of_locking(source, line),
        false => line_of_making(&site.what, source, line),
    });
    site.text = text_of(site.line);
    let Some(field) = &mut site.field else { return };
    let Some((class, name)) = field.field.rsplit_once('.') else { return };
    // If the field's class is in another file, its declaration is not in this source.
    let outermost = |class: &str| class.split('$').next().unwrap_or_default().replace('/', ".");
    if outermost(class) != outermost(&site.class) {
        return;
    }
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    field.line = declaration_line(source, simple, name);
    let is_constant = site.what.contains("the value of constant");
    let is_named_there = site.text.as_deref().is_some_and(|text| words(text).iter().any(|(_, word)| *word == name));
    if is_constant && is_named_there && field.line.is_some() && field.line != site.line {
        site.steps.push(format!("the constant is declared in line {}", field.line.unwrap_or(0)));
        site.line = field.line;
        site.text = text_of(site.line);
    }
}

/// The line of a statement that contains the code. Compilers give all code of a multi-line statement the number of the
/// statement's first line.
fn line_of_making(what: &str, source: &str, line: u32) -> u32 {
    let name = what.split('(').next().unwrap_or_default();
    let name = name.rsplit(['.', '$', ' ']).next().unwrap_or_default();
    let is_there = |text: &str| words(text).iter().any(|(_, word)| *word == name);
    for (number, text) in (1..).zip(source.lines()).skip(line.saturating_sub(1) as usize).take(MAX_STATEMENT_LINES) {
        if is_there(text) {
            return number;
        }
        if text.contains(';') {
            break;
        }
    }
    line
}

/// The line with the word `synchronized`, for code in the block's or the method's header or in the method's first line.
/// Compilers give the instruction that locks the line of the last call in the header.
fn line_of_locking(source: &str, line: u32) -> u32 {
    let is_there = |text: &str| words(text).iter().any(|(_, word)| *word == SYNCHRONIZED);
    let lines: Vec<&str> = source.lines().take(line as usize).collect();
    for (row, text) in lines.iter().enumerate().rev().take(MAX_STATEMENT_LINES) {
        let number = row as u32 + 1;
        if is_there(text) {
            return number;
        }
        if number < line && text.contains([';', '}']) {
            break;
        }
    }
    line
}

/// The words and signs of a Java source with their lines, without comments and quoted texts.
fn words(source: &str) -> Vec<(u32, &str)> {
    let mut words = Vec::new();
    let (mut line, mut rest) = (1, source);
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest, first);
        let (token, after) = rest.split_at(length);
        let is_word = is_name_part(first);
        let is_sign = !first.is_whitespace() && !is_word && length == first.len_utf8();
        if is_word || is_sign {
            words.push((line, token));
        }
        line += token.matches('\n').count() as u32;
        rest = after;
    }
    words
}

/// The length of the comment, quoted text, name or single sign at the beginning of a text.
fn token_length(rest: &str, first: char) -> usize {
    let until = |from: usize, end: &str| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return until(2, "*/");
    }
    if rest.starts_with("\"\"\"") {
        return until(3, "\"\"\"");
    }
    if first == '"' || first == '\'' {
        return quoted_length(rest, first);
    }
    if is_name_part(first) {
        return rest.find(|c| !is_name_part(c)).unwrap_or(rest.len());
    }
    first.len_utf8()
}

fn quoted_length(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return at,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The row of the brace that opens the class.
fn class_body(words: &[(u32, &str)], name: &str) -> Option<usize> {
    let is_kind = |word: &str| matches!(word, "class" | "interface" | "enum" | "record");
    let head = words.windows(2).position(|pair| is_kind(pair[0].1) && pair[1].1 == name)?;
    let brace = words.get(head..)?.iter().position(|(_, word)| *word == "{")?;
    Some(head + brace)
}

/// True if the name in a row is a declaration: it comes after a type or a comma, and before `=`, `,`, `;` or `[`.
fn is_declared(words: &[(u32, &str)], row: usize) -> bool {
    let before = row.checked_sub(1).and_then(|row| words.get(row)).map_or("", |(_, word)| *word);
    let after = words.get(row + 1).map_or("", |(_, word)| *word);
    let is_behind_type = before.starts_with(is_name_part) || matches!(before, ">" | "]" | ",");
    is_behind_type && before != "return" && matches!(after, "=" | "," | ";" | "[")
}
