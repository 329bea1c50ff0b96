//! The reason why a request has no answer, in words and for programs.

use crate::definition::ViewError;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use thiserror::Error;
use whittle_profile::AnalysisError;

/// A request without an answer. As JSON: `{"error":{"message":"…","kind":"filter","position":12}}`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct EngineError {
    /// What was expected and what was found.
    pub message: String,
    /// The kind of error.
    pub kind: ErrorKind,
    /// Position of the error in the filter or the transform, in characters from 0. Missing if the error has no
    /// position.
    pub position: Option<usize>,
    /// The wrong transform or filter. Missing if the error is in another part of the request.
    pub text: Option<String>,
}

/// The wrong part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The text is not a request.
    Request,
    /// The filter is wrong.
    Filter,
    /// One of the transforms is wrong.
    Transform,
    /// The request names a function that does not occur.
    Function,
    /// The request names a function that the view mode hides.
    HiddenFunction,
    /// The request names a function that its transforms remove.
    TransformedFunction,
    /// The columns or the order are wrong.
    Metric,
    /// The experiment has no metric.
    NoMetrics,
    /// The experiment is damaged.
    Experiment,
}

impl EngineError {
    /// The error for a text that is not a request.
    pub(crate) fn request(message: String) -> Self {
        Self { message, kind: ErrorKind::Request, position: None, text: None }
    }

    /// The error for a request with the wrong form.
    pub(crate) fn malformed(error: &serde_json::Error) -> Self {
        Self::request(format!("not a request: {error}"))
    }
}

impl From<ViewError> for EngineError {
    fn from(error: ViewError) -> Self {
        match error {
            ViewError::Analysis(error) => error.into(),
            ViewError::Keys(_) | ViewError::Missing(_) => Self::request(error.to_string()),
        }
    }
}

impl From<AnalysisError> for EngineError {
    fn from(error: AnalysisError) -> Self {
        let kind = match &error {
            AnalysisError::DamagedTables(_) => ErrorKind::Experiment,
            AnalysisError::NoMetrics => ErrorKind::NoMetrics,
            AnalysisError::UnknownMetric { .. }
            | AnalysisError::MalformedMetric { .. }
            | AnalysisError::FixedColumns { .. }
            | AnalysisError::UnknownOrder { .. }
            | AnalysisError::UnfitMetric { .. } => ErrorKind::Metric,
            AnalysisError::UnknownFunction { .. } => ErrorKind::Function,
            AnalysisError::TransformedFunction { .. } => ErrorKind::TransformedFunction,
            AnalysisError::HiddenFunction { .. } => ErrorKind::HiddenFunction,
            AnalysisError::Filter(_) => ErrorKind::Filter,
            AnalysisError::Transform(_) => ErrorKind::Transform,
            _ => ErrorKind::Request,
        };
        let (position, text) = match &error {
            AnalysisError::Filter(error) => (Some(error.position), Some(error.text.clone())),
            AnalysisError::Transform(error) => (Some(error.position), Some(error.text.clone())),
            _ => (None, None),
        };
        Self { message: error.to_string(), kind, position, text }
    }
}

impl Serialize for EngineError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Fields<'a> {
            message: &'a str,
            kind: ErrorKind,
            position: Option<usize>,
            text: Option<&'a str>,
        }
        let Self { message, kind, position, text } = self;
        let mut map = serializer.serialize_map(Some(1))?;
        let fields = Fields { message, kind: *kind, position: *position, text: text.as_deref() };
        map.serialize_entry("error", &fields)?;
        map.end()
    }
}
