//! Secrets inside a word: user information in addresses, and pairs of a name and a value.

use super::REDACTED;
use super::secret_names::is_secret_name;

/// Drivers with `USER/PASSWORD@` in their addresses.
const ORACLE_DRIVERS: [&str; 2] = ["jdbc:oracle:thin:", "jdbc:oracle:oci:"];

/// Schemes in which user information without a password is usually an access token.
const TOKEN_SCHEMES: [&str; 2] = ["http", "https"];

/// Characters that start a name inside a word. Also whitespace and the start of the word.
const INTRODUCERS: [char; 11] = ['?', '&', ';', ',', '{', '(', '[', '=', ':', '"', '\''];

/// Quotation marks, also as they are written inside of quoted text.
const QUOTES: [&str; 4] = ["\\\"", "\\'", "\"", "'"];

/// True if the text consists of characters of a name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_character)
}

fn is_name_character(character: char) -> bool {
    character.is_alphanumeric() || ['_', '.', '-'].contains(&character)
}

/// Replaces the passwords in `scheme://user:password@host`.
pub(super) fn redact_user_info(word: &str) -> String {
    let (mut redacted, mut rest) = (String::new(), word);
    while let Some((before, after)) = rest.split_once("://") {
        let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '+').next().unwrap_or_default();
        let end = user_info_length(after);
        redacted += before;
        redacted += "://";
        redacted += &user_info(scheme, &after[..end]);
        rest = &after[end..];
    }
    redacted += rest;
    redact_oracle(redacted)
}

/// Length of the user information at the start of an address; 0: there is none. Some passwords contain a slash or a
/// question mark, although an address cannot contain these characters.
fn user_info_length(address: &str) -> usize {
    let address = address.split([' ', '\t', '\n', '"', '\'']).next().unwrap_or_default();
    let authority = address.split(['/', '?', '#']).next().unwrap_or_default();
    let after_colon = authority.rsplit_once(':').map(|(_, text)| text);
    let has_port = after_colon.is_some_and(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    match authority.rfind('@') {
        Some(end) => end,
        None if after_colon.is_some() && !has_port => address.rfind('@').unwrap_or(0),
        None => 0,
    }
}

fn user_info(scheme: &str, text: &str) -> String {
    match text.split_once(':') {
        Some((_, "")) => text.to_owned(),
        Some((user, _)) => format!("{user}:{REDACTED}"),
        None if !text.is_empty() && TOKEN_SCHEMES.contains(&scheme) => REDACTED.to_owned(),
        None => text.to_owned(),
    }
}

/// Replaces the password in `jdbc:oracle:thin:USER/PASSWORD@HOST`.
fn redact_oracle(word: String) -> String {
    let Some((start, driver)) = ORACLE_DRIVERS.iter().find_map(|driver| Some((word.find(driver)?, driver))) else {
        return word;
    };
    let (before, address) = word.split_at(start + driver.len());
    match address.rsplit_once('@').and_then(|(login, host)| Some((login.split_once('/')?.0, host))) {
        Some((user, host)) => format!("{before}{user}/{REDACTED}@{host}"),
        None => word,
    }
}

/// Replaces the values of secret names in pairs: `?token=t`, `;password=p`, `{"password": "p"}`, `--password p`.
pub(super) fn redact_pairs(word: &str) -> String {
    let (mut redacted, mut rest) = (String::new(), word);
    // The character before `rest`. At the start of the word it is a space, which also starts a name.
    let mut introducer = ' ';
    while let Some(first) = rest.chars().next() {
        let is_start = introducer.is_whitespace() || INTRODUCERS.contains(&introducer);
        let found = if is_start { Pair::parse(rest, introducer) } else { None };
        let length = match found {
            Some(pair) => {
                redacted += &rest[..pair.value_start];
                redacted += REDACTED;
                rest = &rest[pair.value_end..];
                introducer = 'v';
                continue;
            }
            None => first.len_utf8(),
        };
        redacted += &rest[..length];
        rest = &rest[length..];
        introducer = first;
    }
    redacted
}

/// Where the value of a pair with a secret name is.
struct Pair {
    value_start: usize,
    value_end: usize,
}

impl Pair {
    /// Finds a pair with a secret name at the start of the text.
    fn parse(text: &str, introducer: char) -> Option<Self> {
        let opening = quote(text);
        let name = &text[opening.len()..];
        let name = &name[..name.find(|c| !is_name_character(c)).unwrap_or(name.len())];
        let after = &text[opening.len() + name.len()..];
        let after_name = after.strip_prefix(opening)?;
        let separator = separator_length(after_name, (name, opening, introducer))?;
        if !is_secret_name(name) {
            return None;
        }
        let value = &after_name[separator..];
        let start = text.len() - value.len();
        let mark = quote(value);
        let (value_start, length) = match mark {
            "" => (start, value.find(|c| ends_value(c, introducer)).unwrap_or(value.len())),
            mark => (start + mark.len(), quoted_length(&value[mark.len()..], mark)),
        };
        (length > 0).then_some(Self { value_start, value_end: value_start + length })
    }
}

/// The quotation mark at the start of the text; empty: there is none.
fn quote(text: &str) -> &'static str {
    QUOTES.into_iter().find(|mark| text.starts_with(mark)).unwrap_or_default()
}

/// Length of the text up to its closing quotation mark. A mark after a backslash closes only text that a mark after a
/// backslash opened.
fn quoted_length(text: &str, mark: &str) -> usize {
    let closes = |&(position, _): &(usize, &str)| mark.len() > 1 || !text[..position].ends_with('\\');
    text.match_indices(mark).find(closes).map_or(text.len(), |(position, _)| position)
}

/// Length of the separator and the spaces around it. Missing: no value follows.
fn separator_length(text: &str, (name, opening, introducer): (&str, &str, char)) -> Option<usize> {
    let trimmed = text.trim_start();
    let after = match trimmed.chars().next()? {
        '=' => &trimmed[1..],
        ':' if !opening.is_empty() || ['{', ','].contains(&introducer) || trimmed[1..].starts_with(' ') => {
            &trimmed[1..]
        }
        '-' => return None,
        _ if trimmed.len() < text.len() && name.starts_with('-') && !name.starts_with("-D") => trimmed,
        _ => return None,
    };
    Some(text.len() - after.trim_start().len())
}

/// True if the character ends a value without quotation marks. The character before the name shows how a list
/// separates its pairs.
fn ends_value(character: char, introducer: char) -> bool {
    match introducer {
        '?' | '&' => character.is_whitespace() || ['&', '#', '"', '\''].contains(&character),
        ';' => character == ';',
        '{' | '(' | '[' => [',', '}', ')', ']'].contains(&character),
        '"' | '\'' => character == introducer,
        _ if introducer.is_whitespace() => character.is_whitespace(),
        _ => character == ',',
    }
}
