//! Parses forms that contain files (`multipart/form-data`). The parts are not copied.

use super::refusal::Refusal;

/// Maximum number of parts. No supported form has more parts.
const MAX_PARTS: usize = 16;

/// A part of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part<'b> {
    /// Name of the part. Empty: the part has no name.
    pub(super) name: &'b str,
    pub(super) bytes: &'b [u8],
}

/// The boundary in a content type. `None`: the content is not a form.
pub(super) fn boundary(content_type: &str) -> Option<&str> {
    let (kind, parameters) = content_type.split_once(';')?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return None;
    }
    parameter(parameters, "boundary").filter(|boundary| !boundary.is_empty() && boundary.len() <= 70)
}

/// The parts of a form.
pub(super) fn parts<'b>(body: &'b [u8], boundary: &str) -> Result<Vec<Part<'b>>, Refusal> {
    let bad = |what: &str| Refusal::Bad(format!("the form is damaged: {what}"));
    let delimiter = [b"--", boundary.as_bytes()].concat();
    let inner = [b"\r\n", delimiter.as_slice()].concat();
    let mut rest = match find(body, &delimiter) {
        Some(at) => &body[at + delimiter.len()..],
        None => return Err(bad("the boundary is missing")),
    };
    let mut parts = Vec::new();
    while !rest.starts_with(b"--") {
        if parts.len() == MAX_PARTS {
            return Err(bad("too many parts"));
        }
        let line_end = find(rest, b"\r\n").ok_or_else(|| bad("the form ends inside a boundary"))?;
        // This line end can also be the end of an empty header.
        let head_end = find(&rest[line_end..], b"\r\n\r\n").ok_or_else(|| bad("the header of a part has no end"))?;
        let head = rest.get(line_end + 2..line_end + head_end).unwrap_or_default();
        let content = &rest[line_end + head_end + 4..];
        let end = find(content, &inner).ok_or_else(|| bad("the end is missing"))?;
        parts.push(Part { name: name(head), bytes: &content[..end] });
        rest = &content[end + inner.len()..];
    }
    Ok(parts)
}

fn name(head: &[u8]) -> &str {
    let head = std::str::from_utf8(head).unwrap_or_default();
    let disposition = |line: &&str| {
        line.split_once(':').is_some_and(|(field, _)| field.trim().eq_ignore_ascii_case("content-disposition"))
    };
    head.split("\r\n").find(disposition).and_then(|line| parameter(line.split_once(';')?.1, "name")).unwrap_or_default()
}

/// The value of a parameter, with or without quotes.
fn parameter<'t>(parameters: &'t str, wanted: &str) -> Option<&'t str> {
    let pairs = parameters.split(';').filter_map(|pair| pair.split_once('='));
    let mut values = pairs.filter(|(key, _)| key.trim().eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim());
    values.next().map(|value| value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value))
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_the_java_agent() {
        let boundary = boundary("multipart/form-data; boundary=\"a-b\"").unwrap();
        let body =
            b"--a-b\r\nContent-Disposition: form-data; name=\"jfr\"; filename=\"jfr\"\r\n\r\nFLR\r\n--a\0\r\n--a-b\r\n\
            content-disposition: form-data; name=labels\r\nContent-Type: x\r\n\r\n\r\n--a-b--\r\n";
        let parts = parts(body, boundary).unwrap();
        assert_eq!(parts, [Part { name: "jfr", bytes: b"FLR\r\n--a\0" }, Part { name: "labels", bytes: b"" }]);
    }

    #[test]
    fn damaged_forms_are_refused() {
        let whole = b"--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--b--";
        assert_eq!(parts(whole, "b").unwrap().len(), 1);
        for end in 0..whole.len() - 1 {
            assert!(parts(&whole[..end], "b").is_err(), "{end}");
        }
        assert!(parts(&b"--b\r\n\r\nx\r\n".repeat(20), "b").is_err());
        assert_eq!(super::boundary("application/json"), None);
        assert_eq!(super::boundary("multipart/form-data"), None);
    }
}
