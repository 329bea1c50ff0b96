//! Names of requests: `GET /orders/4711?user=a HTTP/1.1` is `GET /orders/{}`.
//!
//! The bytes come from clients of the server, so they can be anything. A name contains no query, no id and no control character,
//! and there are at most [`MAX_NODES`] different names.

use crate::kernel::layout::{Item, REQUEST_TEXT_BYTES, StatementSeen};
use rustc_hash::FxHashMap;

/// A part of a path that stands for a number or an id.
const ID: &str = "{}";

/// The end of a path that is too long or too deep.
const REST: &str = "…";

/// Maximum number of parts of a path.
const MAX_PARTS: usize = 8;

/// If a part of a path has more different values than this number, the later values are ids.
const MAX_CHILDREN: u16 = 30;

/// Maximum number of different starts of paths. Later ones are [`REST`].
const MAX_NODES: usize = 1000;

/// A longer part of a path is an id.
const MAX_PART_BYTES: usize = 40;

/// A part with this length that has digits and letters is an id, for example a part of a UUID.
const ID_BYTES: usize = 12;

/// A part with this length is an id if it has digits and letters of both cases, or many digits.
const SHORT_ID_BYTES: usize = 5;

/// A part with this length can be an id without digits.
const RANDOM_BYTES: usize = 8;

/// The kind of a request of HTTP in a mark.
const HTTP: u16 = 1;

/// The kind of an item that is the span of a server, as the mark has it.
pub(super) const SPAN: u16 = 6;

/// The names of work items are below this node.
const MARKED: u32 = u32::MAX;

/// The texts of statements are below this node. They have their own limit, so many statements do not take the place of other names.
const STATEMENTS: u32 = u32::MAX - 1;

/// Maximum number of different texts of statements. Later ones are [`REST`].
const MAX_STATEMENTS: u16 = 1000;

/// The methods that the kernel side knows. Their nodes come first.
const METHODS: [&str; 7] = ["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS"];

/// The known names, as a tree of the parts of paths.
#[derive(Debug)]
pub(crate) struct RequestNames {
    /// The node of each part below another node. The methods are below node 0.
    nodes: FxHashMap<(u32, String), u32>,
    /// The number of values below each node.
    child_counts: FxHashMap<u32, u16>,
}

impl Default for RequestNames {
    fn default() -> Self {
        let nodes = METHODS.iter().zip(1..).map(|(method, node)| ((0, (*method).to_owned()), node));
        Self { nodes: nodes.collect(), child_counts: FxHashMap::default() }
    }
}

impl RequestNames {
    /// The name of the request that begins with these bytes. `None`: they are no request of HTTP/1.x.
    pub(crate) fn name(&mut self, text: &[u8]) -> Option<String> {
        let (line, is_whole) = first_line(text);
        let mut words = line.splitn(3, |byte| *byte == b' ');
        let (method, target) = (words.next()?, words.next()?);
        let version = words.next();
        let is_http = version.is_none() && !is_whole || version.is_some_and(|version| is_version(version, is_whole));
        let mut name = METHODS.iter().find(|known| known.as_bytes() == method).filter(|_| is_http)?.to_string();
        // If the line was cut inside the target, the last part of the path is not known.
        let is_cut = version.is_none();
        let (path, has_end) = path_of(target);
        let mut node = *self.nodes.get(&(0, name.clone()))?;
        name.push(' ');
        if path.first() != Some(&b'/') {
            name.push_str(if path == b"*" { "*" } else { REST });
            return Some(name);
        }
        let is_path_cut = is_cut && !has_end;
        let parts: Vec<&[u8]> = path[1..].split(|byte| *byte == b'/').collect();
        let last = parts.len() - 1;
        for (position, part) in parts.into_iter().enumerate() {
            name.push('/');
            if position >= MAX_PARTS || position == last && is_path_cut {
                name.push_str(REST);
                break;
            }
            match self.child(node, part_name(part)) {
                Some((next, part)) => {
                    name.push_str(&part);
                    node = next;
                }
                None => {
                    name.push_str(REST);
                    break;
                }
            }
        }
        Some(name)
    }

    /// The name of a work item. The names of requests of HTTP become templates. Other names are those of classes, topics and methods of
    /// the program; later ones are [`REST`] if there are too many.
    pub(crate) fn marked(&mut self, item: &Item) -> String {
        let name = match item.kind {
            _ if item.is_named_by_span != 0 || item.kind == SPAN => self.span(item.text()),
            // The path of a method that is not known can contain ids.
            HTTP => self.name(&request_line(item.text())).unwrap_or_else(|| REST.to_owned()),
            _ => printable(item.text()),
        };
        match self.known_child(MARKED, &name) {
            Some(_) => name,
            None => REST.to_owned(),
        }
    }

    /// The name of a span. Some programs take the path, or the whole URL, as the name: then it becomes a template without the query.
    fn span(&mut self, text: &[u8]) -> String {
        let text = printable(text);
        let text = text.split(['?', '#', ';']).next().unwrap_or_default().trim();
        let is_path = text.starts_with('/');
        let line = if is_path { format!("GET {text}") } else { text.to_owned() };
        match self.name(&request_line(line.as_bytes())) {
            Some(name) if is_path => name.trim_start_matches("GET ").to_owned(),
            Some(name) => name,
            None => text.to_owned(),
        }
    }

    /// The text of a statement. The program has left out its literals.
    pub(crate) fn statement(&mut self, statement: &StatementSeen) -> String {
        let text = printable(statement.text());
        let count = self.child_counts.get(&STATEMENTS).copied().unwrap_or(0);
        if self.nodes.contains_key(&(STATEMENTS, text.clone())) {
            return text;
        }
        if count >= MAX_STATEMENTS {
            return REST.to_owned();
        }
        self.insert(STATEMENTS, &text);
        text
    }

    /// The node of a part below `node`, and the part as it is shown. `None`: there are too many nodes.
    fn child(&mut self, node: u32, part: String) -> Option<(u32, String)> {
        if let Some(known) = self.nodes.get(&(node, part.clone())) {
            return Some((*known, part));
        }
        let is_wide = self.child_counts.get(&node).is_some_and(|count| *count >= MAX_CHILDREN);
        let part = if is_wide { ID.to_owned() } else { part };
        self.known_child(node, &part).map(|known| (known, part))
    }

    fn known_child(&mut self, node: u32, part: &str) -> Option<u32> {
        if let Some(known) = self.nodes.get(&(node, part.to_owned())) {
            return Some(*known);
        }
        let statements = usize::from(self.child_counts.get(&STATEMENTS).copied().unwrap_or(0));
        (self.nodes.len() - statements < MAX_NODES).then(|| self.insert(node, part))
    }

    fn insert(&mut self, node: u32, part: &str) -> u32 {
        let new = self.nodes.len() as u32 + 1;
        self.nodes.insert((node, part.to_owned()), new);
        *self.child_counts.entry(node).or_default() += 1;
        new
    }
}

/// The first line of the request with this method and path. A path that fills its space was cut, and so is the line.
fn request_line(text: &[u8]) -> Vec<u8> {
    let rest: &[u8] = if text.len() < REQUEST_TEXT_BYTES { b" HTTP/1.1\r\n" } else { b"" };
    [text, rest].concat()
}

/// The text without control characters.
fn printable(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    text.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// The first line without its end, and whether its end is there.
fn first_line(text: &[u8]) -> (&[u8], bool) {
    match text.iter().position(|byte| *byte == b'\n') {
        Some(end) => (text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]), true),
        None => (text, false),
    }
}

/// `HTTP/1.0` and `HTTP/1.1`, or the start of it if the line is cut.
fn is_version(version: &[u8], is_whole: bool) -> bool {
    let versions = [&b"HTTP/1.1"[..], b"HTTP/1.0"];
    versions.iter().any(|known| *known == version || !is_whole && known.starts_with(version))
}

/// The path of a target, without the query, and whether a query or a fragment follows it. A request to a proxy has the scheme and the
/// host before the path.
fn path_of(target: &[u8]) -> (&[u8], bool) {
    let end = target.iter().position(|byte| *byte == b'?' || *byte == b'#');
    let (target, has_end) = (&target[..end.unwrap_or(target.len())], end.is_some());
    let Some(scheme) = target.windows(3).position(|bytes| bytes == b"://").filter(|_| target[0] != b'/') else {
        return (target, has_end);
    };
    let rest = &target[scheme + 3..];
    (rest.iter().position(|byte| *byte == b'/').map_or(b"/", |at| &rest[at..]), has_end)
}

/// A part of a path as it is shown. What follows `;` are parameters, such as the id of a session.
fn part_name(part: &[u8]) -> String {
    let part = part.split(|byte| *byte == b';').next().unwrap_or_default();
    if part.starts_with(b"{") && part.ends_with(b"}") && part.len() <= MAX_PART_BYTES {
        return printable(part);
    }
    let is_plain = part.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~:+,!$'()*".contains(byte));
    if !is_plain || is_id(part) { ID.to_owned() } else { String::from_utf8_lossy(part).into_owned() }
}

/// True if the part is a number, a date, a UUID, or another text that a program has made.
fn is_id(part: &[u8]) -> bool {
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = part.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let is_hexadecimal = part.len() >= 8 && part.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let is_short_id = part.len() >= SHORT_ID_BYTES && (has_both_cases(part) || digits * 3 > part.len());
    digits > 0 && (letters == 0 || is_hexadecimal || is_short_id || part.len() >= ID_BYTES)
        || part.len() > MAX_PART_BYTES
        || looks_random(part)
}

fn has_both_cases(part: &[u8]) -> bool {
    part.iter().any(u8::is_ascii_uppercase) && part.iter().any(u8::is_ascii_lowercase)
}

/// True for letters that no name in a program has: many changes between upper and lower case, or many letters without a vowel.
fn looks_random(part: &[u8]) -> bool {
    let changes = part.windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count();
    let has_vowel = part.iter().any(|byte| b"aeiouyAEIOUY".contains(byte));
    part.len() >= RANDOM_BYTES && (changes * 4 >= part.len() || !has_vowel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn name(text: &str) -> Option<String> {
        RequestNames::default().name(text.as_bytes())
    }

    #[test]
    fn ids_and_queries_are_left_out() {
        for (target, expected) in [
            ("/", "GET /"),
            ("/orders/4711/items/12?token=secret", "GET /orders/{}/items/{}"),
            ("/orders/4711;jsessionid=ABC", "GET /orders/{}"),
            ("/cart;jsessionid=ABC/items", "GET /cart/items"),
            ("/api/v1/users", "GET /api/v1/users"),
            ("/days/2026-11-28", "GET /days/{}"),
            ("/o/550e8400-e29b-41d4-a716-446655440000", "GET /o/{}"),
            ("/reset/hG7dK2mQ9xWz", "GET /reset/{}"),
            ("/mail/a@example.com", "GET /mail/{}"),
            ("/invite/Xk3pQ9", "GET /invite/{}"),
            ("/r/a7b93d", "GET /r/{}"),
            ("/reset/QxWzhGdKmPqR", "GET /reset/{}"),
            ("/api/getUserOrders", "GET /api/getUserOrders"),
            ("/oauth2/token", "GET /oauth2/token"),
            ("/actuator/prometheus", "GET /actuator/prometheus"),
            ("/caf%C3%A9", "GET /{}"),
            ("/static/app.js", "GET /static/app.js"),
            ("http://shop.example/a/1?x", "GET /a/{}"),
            ("/redirect?to=http://other/b", "GET /redirect"),
            ("*", "GET *"),
            ("/1/2/3/4/5/6/7/8/9/10", "GET /{}/{}/{}/{}/{}/{}/{}/{}/…"),
        ] {
            assert_eq!(name(&format!("GET {target} HTTP/1.1\r\nHost: a\r\n")).as_deref(), Some(expected), "{target}");
        }
    }

    #[test]
    fn a_line_that_is_cut_has_a_name_as_far_as_it_is_known() {
        assert_eq!(name("GET /orders/47").as_deref(), Some("GET /orders/…"));
        assert_eq!(name("GET /orders?from=47").as_deref(), Some("GET /orders"));
        assert_eq!(name("GET /orders HTT").as_deref(), Some("GET /orders"));
        assert_eq!(name("GET http://shop/reset/hG").as_deref(), Some("GET /reset/…"));
        assert_eq!(name("GET http://shop/reset?a=hG").as_deref(), Some("GET /reset"));
    }

    #[test]
    fn other_bytes_are_no_request() {
        for text in [
            "",
            "GET",
            "GET key\r\n",
            "get /a HTTP/1.1\r\n",
            "POSTX /a HTTP/1.1\r\n",
            "GET /a HTTP/2.0\r\n",
            "PRI * HTTP/2.0\r\n",
            " / HTTP/1.1\n",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn there_are_few_names() {
        let mut names = RequestNames::default();
        let mut seen = BTreeSet::new();
        for first in 0..200 {
            for second in 0..200 {
                let text = format!("GET /u{first}/x{second} HTTP/1.1\r\n");
                seen.insert(names.name(text.as_bytes()).unwrap());
            }
        }
        assert!(seen.contains("GET /u0/{}") && seen.contains("GET /{}/x0"), "{seen:?}");
        assert!(seen.len() <= MAX_NODES, "{}", seen.len());
        assert_eq!(names.name(b"GET /u0/x0 HTTP/1.1\r\n").as_deref(), Some("GET /u0/x0"));
        for number in 0..2000 {
            names.name(format!("GET /u{}/x{}/{} HTTP/1.1\r\n", number % 30, number / 30 % 30, number).as_bytes());
        }
        assert!(names.name(b"PUT /a HTTP/1.1\r\n").is_some_and(|name| name.starts_with("PUT /")));
    }
}
