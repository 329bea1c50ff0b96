//! The one engine behind all front ends: a request in JSON in, an answer out.
//!
//! ```text
//! {"view":"functions","mode":"expert","filter":"thread = \"main\"","limit":100,"skip":200}
//! {"view":"callers-callees","fragment":["A.f","B.g"],"metrics":"a.cpu,a.cpu%"}
//! ```
//!
//! Findings are the one thing that is not computed everywhere: a report file has them as they were when it was written,
//! so that its engine does without detectors ([`answer_in_report`]).
//!
//! The answer to a view that the command line has is the JSON that it prints with `--json`. Keys that are missing or
//! null mean the usual; a key or view that is not known is an error, so that nothing is ignored silently. Pictures
//! are answered in bytes, everything else in JSON.

mod error;
mod experiment;
mod request;

pub use error::{EngineError, ErrorKind};
use request::{Request, Wanted};

use crate::findings::FindingsOptions;
use crate::fragment::Fragment;
use crate::render::{Format, Style, View, render};
use crate::{CodeSource, Profile, Query};
use serde::Serialize;

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// One JSON object.
    Json(String),
    /// A header and arrays, for pictures.
    Binary(Vec<u8>),
}

/// Answers a request, a JSON object. `code` finds source text and class files that the experiment does not hold.
///
/// # Errors
/// A request that is not one, or that names something that the experiment does not have.
pub fn answer(profile: &Profile, request: &str, code: &dyn CodeSource) -> Result<Answer, EngineError> {
    let request: serde_json::Value = serde_json::from_str(request).map_err(|error| EngineError::malformed(&error))?;
    let (findings, comparison): (FindFindings, Option<Compare>) = (compute_findings, Some(compare));
    Answering { profile, code, findings, comparison, format: Format::Json }.answer(request)
}

/// The same in a report file: findings are those that it holds, of the whole experiment, and nothing is compared.
///
/// # Errors
/// As those of [`answer`].
pub fn answer_in_report(profile: &Profile, request: &str, code: &dyn CodeSource) -> Result<Answer, EngineError> {
    let request: serde_json::Value = serde_json::from_str(request).map_err(|error| EngineError::malformed(&error))?;
    Answering { profile, code, findings: stored_findings, comparison: None, format: Format::Json }.answer(request)
}

/// Gives findings in a language.
type FindFindings = fn(&Answering<'_>, &Query, request::Findings) -> Result<Answer, EngineError>;

fn compute_findings(of: &Answering<'_>, query: &Query, asked: request::Findings) -> Result<Answer, EngineError> {
    let options = FindingsOptions { own: asked.own, third_party: asked.third_party };
    of.view(of.profile.findings(query, &options, of.code))
}

fn stored_findings(of: &Answering<'_>, _query: &Query, _asked: request::Findings) -> Result<Answer, EngineError> {
    let stored = of.profile.stored_findings().filter(|_| of.format == Format::Json);
    let why = "this report holds no findings of that kind; whittle view and whittle findings show them";
    stored.map(|json| Answer::Json(json.to_owned())).ok_or_else(|| EngineError::request(why.to_owned()))
}

/// Answers what is answered otherwise where two sides are compared.
type Compare = fn(&Answering<'_>, &Query, &Wanted) -> Option<Result<Answer, EngineError>>;

fn compare(of: &Answering<'_>, query: &Query, wanted: &Wanted) -> Option<Result<Answer, EngineError>> {
    match wanted {
        Wanted::Overview(_) => Some(of.view(of.profile.comparison_overview(query))),
        Wanted::Syscalls(asked) => Some(match asked.keys() {
            Ok(keys) => of.view(of.profile.compared_syscalls(query, &keys)),
            Err(error) => Err(error.into()),
        }),
        _ => None,
    }
}

/// How a request is being answered.
struct Answering<'a> {
    profile: &'a Profile,
    code: &'a dyn CodeSource,
    findings: FindFindings,
    /// Missing: nothing is ever compared.
    comparison: Option<Compare>,
    /// JSON, unless text is to be exported.
    format: Format,
}

impl Answering<'_> {
    fn answer(&self, request: serde_json::Value) -> Result<Answer, EngineError> {
        let Request { query, wanted } = Request::new(request)?;
        let profile = self.profile;
        if let Some(compare) = self.comparison.filter(|_| profile.comparison().is_some())
            && let Some(answer) = compare(self, &query, &wanted)
        {
            return answer;
        }
        match wanted {
            Wanted::Experiment(_) => self.data(&profile.experiment()),
            Wanted::Overview(_) => self.view(profile.overview(&query)),
            Wanted::Functions(_) => self.view(profile.functions(&query)),
            Wanted::CallersCallees(asked) => self.view(profile.callers_callees(&query, &asked.fragment())),
            Wanted::CallTree(asked) => self.view(profile.call_tree(&query, &asked.shape()?)),
            Wanted::TreeRows(shape) => self.data(&profile.tree_rows(&query, &shape)?),
            Wanted::Lines(_) => self.view(profile.lines(&query)),
            Wanted::Stacks(_) => self.view(profile.stacks(&query)),
            Wanted::Threads(_) => self.view(profile.threads(&query)),
            Wanted::Syscalls(asked) => self.view(profile.syscalls(&query, &asked.keys()?)),
            Wanted::Function(asked) => self.view(profile.function_details(&query, &asked.name)),
            Wanted::Source(asked) => self.view(profile.source(&query, &asked.name, self.code)),
            Wanted::Findings(asked) => (self.findings)(self, &query, asked),
            Wanted::FlameGraph(shape) => Ok(Answer::Binary(profile.flame_graph(&query, &shape)?.to_bytes())),
            Wanted::Timeline(shape) if self.format == Format::Json => {
                Ok(Answer::Binary(profile.timeline(&query, &shape)?.to_bytes()))
            }
            Wanted::Timeline(shape) => self.view(profile.timeline(&query, &shape)),
            Wanted::StackAt(asked) => self.data(&profile.stack_at(&query, asked.moment())?),
            Wanted::Suggest(asked) => self.data(&profile.suggest(&query, &asked.text)?),
            Wanted::ExportText(asked) => self.exported(asked),
        }
    }

    /// A view that the command line has, too.
    fn view<V: View>(&self, view: Result<V, crate::AnalysisError>) -> Result<Answer, EngineError> {
        Ok(Answer::Json(render(&view?, self.format, Style::default())))
    }

    /// An answer that exists as JSON only.
    fn data(&self, data: &impl Serialize) -> Result<Answer, EngineError> {
        if self.format != Format::Json {
            return Err(EngineError::request("this view cannot be exported as text".to_owned()));
        }
        serde_json::to_string(data).map(Answer::Json).map_err(|error| EngineError::malformed(&error))
    }

    /// A view as text, in a JSON object.
    fn exported(&self, asked: request::ExportText) -> Result<Answer, EngineError> {
        if self.format != Format::Json {
            return Err(EngineError::request("an export cannot be exported".to_owned()));
        }
        let (of, format) = asked.parts()?;
        match (Self { format, ..*self }).answer(of)? {
            Answer::Json(text) => self.data(&serde_json::json!({ "text": text })),
            Answer::Binary(_) => Err(EngineError::request("this view cannot be exported as text".to_owned())),
        }
    }
}

impl request::CallersCallees {
    fn fragment(self) -> Fragment {
        let mut names = self.fragment.into_iter();
        let first = names.next().map_or_else(Fragment::total, Fragment::center);
        names.fold(first, Fragment::append)
    }
}
