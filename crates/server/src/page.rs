//! The analyzer's page and its content security policy.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The analyzer: one HTML file with its script and style inside.
pub const ANALYZER_HTML: &str = include_str!(env!("ANALYZER_HTML"));

/// The same page for reports, without its script and style. It contains a short script that unpacks and starts
/// [`REPORT_SCRIPT_LZMA`]. Empty: the page was not built.
pub const REPORT_HTML: &str = include_str!(env!("REPORT_HTML"));

/// The script of the page for reports, which contains the style, compressed as an LZMA file. Empty: the page was not
/// built.
pub const REPORT_SCRIPT_LZMA: &[u8] = include_bytes!(env!("REPORT_SCRIPT_LZMA"));

/// The engine as WebAssembly for reports, compressed as an LZMA file. Empty: the engine was not built.
pub const ENGINE_LZMA: &[u8] = include_bytes!(env!("ENGINE_LZMA"));

/// The content security policy for `page`. It allows the page's own inline scripts and styles, requests to this server,
/// and pictures that the page creates.
pub(crate) fn content_security_policy(page: &str) -> String {
    let (scripts, styles) = (hashes(page, "script"), hashes(page, "style"));
    format!(
        "default-src 'none'; script-src {scripts}; style-src {styles}; connect-src 'self'; img-src data: blob:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
}

/// The hashes of all inline elements with this tag, in the syntax of a content security policy. Data elements are left
/// out. The result is `'none'` if there are no such elements.
pub fn hashes(page: &str, tag: &str) -> String {
    let hashes: Vec<String> = contents(page, tag)
        .map(|content| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(content.as_bytes()))))
        .collect();
    if hashes.is_empty() { "'none'".to_owned() } else { hashes.join(" ") }
}

/// Start of the type attribute of data elements. Browsers do not execute such elements.
const DATA_TYPE: &str = "type=\"application/";

/// The contents of all elements with this tag. All tags are in lower case, because this project built the page.
fn contents<'a>(page: &'a str, tag: &str) -> impl Iterator<Item = &'a str> {
    let (start, end) = (format!("<{tag}"), format!("</{tag}>"));
    let mut rest = page;
    std::iter::from_fn(move || {
        loop {
            let behind_name = &rest[rest.find(&start)? + start.len()..];
            rest = behind_name;
            // An element such as <styled-thing> has another tag.
            if !behind_name.starts_with(['>', ' ', '\n', '\t']) {
                continue;
            }
            let (attributes, content) = behind_name.split_once('>')?;
            if attributes.contains(DATA_TYPE) {
                continue;
            }
            let length = content.find(&end)?;
            rest = &content[length + end.len()..];
            return Some(&content[..length]);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_of_elements_are_found() {
        let page = "<head><style>a{}</style><stylesheet><script type=\"module\" crossorigin>f('<style>x')</script>\
                    <script type=\"application/gzip;base64\">H4sI</script><script>\ng()</script></head>";
        assert_eq!(contents(page, "script").collect::<Vec<_>>(), ["f('<style>x')", "\ng()"]);
        assert_eq!(contents("<style >b</style><style\nid=x>c</style><style", "style").collect::<Vec<_>>(), ["b", "c"]);
    }

    /// Uses the hash of "abc" from FIPS 180-2.
    #[test]
    fn the_policy_names_each_script_by_its_hash() {
        let policy = content_security_policy("<script>abc</script>");
        assert!(policy.contains("script-src 'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=';"), "{policy}");
        assert!(policy.contains("style-src 'none';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}
