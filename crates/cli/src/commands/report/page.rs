//! The page of a report: title, content security policy, and the places of script, engine and experiment.

use super::dense_text::dense_text;
use crate::arguments::at::PageState;
use whittle_server::{ENGINE_LZMA, REPORT_HTML, REPORT_SCRIPT_LZMA};
use whittle_terminal::Failure;

/// The line of the page that is replaced by the data.
const DATA_MARKER: &str = "<!--whittle:data-->";
/// The start of the served page's policy, which allows requests to the server.
const POLICY_START: &str = "<meta http-equiv=\"Content-Security-Policy\"";
/// The licences of other authors' software in the page and the engine.
const THIRD_PARTY: &str = include_str!("third_party.txt");

/// The page and the engine, without an experiment. The experiment comes last, so the page and the engine start before
/// the experiment is read.
pub(super) struct Page {
    before: String,
    after: String,
}

impl Page {
    /// The page of an experiment. It opens with the view `at`, or with the overview.
    pub(super) fn new(experiment_name: &str, at: Option<&PageState>) -> Result<Self, Failure> {
        let mut page = Self::of(REPORT_HTML, REPORT_SCRIPT_LZMA, ENGINE_LZMA, experiment_name)?;
        if let Some(at) = at {
            page.before.push_str(&data_element("whittle-at", "application/x-whittle-state", at.text()));
        }
        Ok(page)
    }

    fn of(html: &str, script: &[u8], engine: &[u8], experiment_name: &str) -> Result<Self, Failure> {
        let is_built = !script.is_empty() && !engine.is_empty();
        let (before, after) = html.split_once(DATA_MARKER).filter(|_| is_built).ok_or_else(|| {
            Failure::new("this whittle was built without the analyzer's page or its engine: build it with `make build`")
        })?;
        let before = with_policy(&with_title(before, experiment_name), html);
        let (script, engine) = (packed_element("whittle-script", script), packed_element("whittle-engine", engine));
        let (starter, end) = after.rfind("</body>").map_or((after, ""), |end| after.split_at(end));
        Ok(Self {
            before: format!("{before}{script}{engine}{starter}"),
            after: format!("<!--\n{THIRD_PARTY}-->\n{end}"),
        })
    }

    /// Bytes of the file without the experiment.
    pub(super) fn len(&self) -> u64 {
        (self.before.len() + self.after.len() + experiment_element("").len()) as u64
    }

    pub(super) fn with(&self, experiment: &str) -> String {
        [&self.before, experiment_element(experiment).as_str(), &self.after].concat()
    }
}

/// The element with the experiment in base64. Browsers decode base64 fast, and an experiment can be large. Script and
/// engine have a denser encoding.
fn experiment_element(base64: &str) -> String {
    data_element("whittle-experiment", "application/gzip;base64", base64)
}

/// An element with a part of the page that the build packed with LZMA.
fn packed_element(id: &str, lzma: &[u8]) -> String {
    data_element(id, "application/x-lzma;dense", &dense_text(lzma))
}

/// An element with data. Base64, dense text and a state of the page cannot contain `</script>` or other markup.
fn data_element(id: &str, media_type: &str, text: &str) -> String {
    format!("<script type=\"{media_type}\" id=\"{id}\">{text}</script>\n")
}

/// The page's head with a title that names the experiment.
fn with_title(head: &str, experiment_name: &str) -> String {
    let Some((before, rest)) = head.split_once("<title>") else { return head.to_owned() };
    let Some((_, after)) = rest.split_once("</title>") else { return head.to_owned() };
    let name = experiment_name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    format!("{before}<title>{name} - whittle</title>{after}")
}

/// The page's head with the policy of a report. The policy allows the page's scripts and styles, unpacked parts
/// (`blob:`), the engine, workers, and pictures that the page makes. It forbids all network requests.
fn with_policy(head: &str, html: &str) -> String {
    let (scripts, styles) = (whittle_server::hashes(html, "script"), whittle_server::hashes(html, "style"));
    let policy = format!(
        "{POLICY_START} content=\"default-src 'none'; script-src {scripts} 'wasm-unsafe-eval' blob:; style-src {styles}; \
         connect-src 'none'; worker-src blob:; img-src data: blob:; base-uri 'none'; form-action 'none'\">"
    );
    if let Some((before, rest)) = head.split_once(POLICY_START) {
        let after = rest.split_once('>').map_or("", |(_, after)| after);
        return format!("{before}{policy}{after}");
    }
    head.replacen("<head>", &format!("<head>\n{policy}"), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HTML: &str = "<!doctype html><html><head><title>whittle</title><meta http-equiv=\"Content-Security-Policy\" \
        content=\"connect-src 'self'\"><style>a{}</style></head><body><!--whittle:data-->\n<script type=\"module\">f()</script></body></html>";

    #[test]
    fn data_is_in_the_page_and_the_policy_forbids_the_network() {
        let page = Page::of(HTML, b"\0asm", b"\0asm", "<img src=x>&.whittle").expect("a page with a marker");
        let report = page.with("QUJD");
        assert!(report.contains("<title>&lt;img src=x&gt;&amp;.whittle - whittle</title>"), "{report}");
        assert!(report.contains("id=\"whittle-experiment\">QUJD</script>"), "{report}");
        for id in ["whittle-script", "whittle-engine"] {
            assert!(report.contains(&format!("id=\"{id}\">QknQ7")), "{report}");
        }
        let places = ["whittle-script", "whittle-engine", "f()</script>", "whittle-experiment", "</body></html>"]
            .map(|part| report.find(part));
        assert!(places.is_sorted() && !places.contains(&None), "{places:?} in {report}");
        assert!(report.contains("connect-src 'none'") && !report.contains("'self'"), "{report}");
        assert_eq!(report.matches("sha256-").count(), 2, "{report}");
        assert_eq!(report.len() as u64, page.len() + 4);
    }

    #[test]
    fn a_page_without_a_place_for_data_is_refused() {
        assert!(Page::of("<p>", b"\0asm", b"\0asm", "x").is_err());
        assert!(Page::of(HTML, b"", b"\0asm", "x").is_err());
        assert!(Page::of(HTML, b"\0asm", b"", "x").is_err());
    }
}
