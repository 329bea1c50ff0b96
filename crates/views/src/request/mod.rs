//! Answers requests in JSON. It reads the keys that all views have in common, and calls the requested view.
//!
//! ```text
//! {"view":"functions","mode":"expert","filter":"thread = \"main\"","limit":100,"skip":200}
//! {"view":"callers-callees","fragment":["A.f","B.g"],"metrics":"a.cpu,a.cpu%"}
//! {"view":"export-text","format":"csv","of":{"view":"threads"}}
//! ```

mod error;

pub use error::{EngineError, ErrorKind};

use crate::code_source::CodeSource;
use crate::definition::{Answered, Answerer, Asking};
use serde::Deserialize;
use serde_json::{Map, Value};
use whittle_profile::query::Query;
use whittle_profile::{AnalysisError, Profile, ViewMode};
use whittle_render::{Format, Style};

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// An answer as one JSON object.
    Json(String),
    /// A header and arrays, for flame graphs and timelines.
    Binary(Vec<u8>),
}

/// Answers a request (a JSON object) with one of these views. `code` finds source text and class files that the
/// experiment does not contain.
///
/// # Errors
/// The text is not a request, or it names something that the experiment does not have.
pub fn answer<'v>(
    views: impl IntoIterator<Item = &'v Answerer>,
    profile: &Profile,
    request: &str,
    code: &dyn CodeSource,
) -> Result<Answer, EngineError> {
    let request: Value = serde_json::from_str(request).map_err(|error| EngineError::malformed(&error))?;
    let mut request = Request::new(request)?;
    let exported = match request.view.as_str() {
        EXPORT_TEXT => Some(ExportText::enter(&mut request)?),
        _ => None,
    };
    let view = views.into_iter().find(|view| view.name == request.view);
    let view = view.ok_or_else(|| EngineError::request(format!("there is no view \"{}\"", request.view)))?;
    let query = request.common.query()?;
    let answered = (view.answer)(&Asking { profile, query: &query, code }, request.keys)?;
    match (exported, answered) {
        (Some(format), Answered::View(view) | Answered::Binary(_, Some(view))) => {
            let text = view.render(format, Style::default());
            Ok(Answer::Json(serde_json::json!({ "text": text }).to_string()))
        }
        (Some(_), Answered::Json(_) | Answered::Binary(_, None)) => {
            Err(EngineError::request("this view cannot be exported as text".to_owned()))
        }
        (None, Answered::View(view)) => Ok(Answer::Json(view.render(Format::Json, Style::default()))),
        (None, Answered::Json(text)) => Ok(Answer::Json(text)),
        (None, Answered::Binary(bytes, _)) => Ok(Answer::Binary(bytes)),
    }
}

/// The name of a request that exports a view's answer as text. It is not a view's name. The key `of` contains the
/// view's request.
const EXPORT_TEXT: &str = "export-text";

/// A request with the right form.
struct Request {
    view: String,
    common: Common,
    /// The keys of the view.
    keys: Map<String, Value>,
}

/// Keys of [`Common`].
const COMMON: [&str; 7] = ["mode", "filter", "transforms", "metrics", "sort", "limit", "skip"];

/// The keys that every view has. They are the parts of a [`Query`] as texts.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Common {
    mode: Option<String>,
    filter: Option<String>,
    transforms: Option<Vec<String>>,
    metrics: Option<String>,
    sort: Option<String>,
    limit: Option<usize>,
    skip: Option<usize>,
}

impl Request {
    fn new(request: Value) -> Result<Self, EngineError> {
        let Value::Object(mut keys) = request else {
            return Err(EngineError::request("expected a JSON object with the key \"view\"".to_owned()));
        };
        keys.retain(|_, value| !value.is_null());
        // Common keys are removed first. The remaining keys must be keys of the view.
        let common: Map<String, Value> = COMMON.iter().filter_map(|key| keys.remove_entry(*key)).collect();
        let common = Common::deserialize(Value::Object(common)).map_err(|error| EngineError::malformed(&error))?;
        match keys.remove("view") {
            Some(Value::String(view)) => Ok(Self { view, common, keys }),
            Some(_) => Err(EngineError::request("not a request: `view` must be a text".to_owned())),
            None => Err(EngineError::request("not a request: missing field `view`".to_owned())),
        }
    }
}

impl Common {
    fn query(self) -> Result<Query, AnalysisError> {
        let transforms = self.transforms.unwrap_or_default();
        Ok(Query {
            mode: self.mode.map_or(Ok(ViewMode::default()), |mode| mode.parse())?,
            filter: self.filter.map(|filter| filter.parse()).transpose()?,
            transforms: transforms.iter().map(|transform| transform.parse()).collect::<Result<_, _>>()?,
            metrics: self.metrics.map(|metrics| metrics.parse()).transpose()?,
            sort: self.sort.map(|sort| sort.parse()).transpose()?,
            skip: self.skip.unwrap_or(0),
            limit: self.limit,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportText {
    /// `csv` or `text`. The default is `text`.
    format: Option<String>,
    /// The request for the exported answer.
    of: Value,
}

impl ExportText {
    /// Replaces the outer request with the inner one, and returns the format of the text.
    fn enter(request: &mut Request) -> Result<Format, EngineError> {
        let asked: Self = crate::definition::keys(std::mem::take(&mut request.keys))?;
        let format = match asked.format.as_deref() {
            None | Some("text") => Format::Text,
            Some("csv") => Format::Csv,
            Some(other) => {
                let problem = format!("text is exported as \"text\" or \"csv\", not \"{other}\"");
                return Err(EngineError::request(problem));
            }
        };
        *request = Request::new(asked.of)?;
        if request.view == EXPORT_TEXT {
            return Err(EngineError::request("an export cannot be exported".to_owned()));
        }
        Ok(format)
    }
}
