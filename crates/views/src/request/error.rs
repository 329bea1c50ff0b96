//! Why a request has no answer, in words and for programs.

use crate::AnalysisError;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use thiserror::Error;

/// A request without an answer. As JSON: `{"error":{"message":"…","kind":"filter","position":12}}`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct EngineError {
    /// What was expected and what was found.
    pub message: String,
    /// What is wrong.
    pub kind: ErrorKind,
    /// Where the filter or the transform is wrong, in characters counted from 0. Missing: the error has no place.
    pub position: Option<usize>,
    /// The transform or the filter that is wrong. Missing: neither is.
    pub text: Option<String>,
}

/// What a request has wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// It is not a request.
    Request,
    /// Its filter.
    Filter,
    /// One of its transforms.
    Transform,
    /// It names a function that does not occur.
    Function,
    /// It names a function that the view mode hides.
    HiddenFunction,
    /// It names a function that its transforms take out.
    TransformedFunction,
    /// Its columns or its order.
    Metric,
    /// The experiment has no metric at all.
    NoMetrics,
    /// The experiment is damaged.
    Experiment,
}

impl EngineError {
    /// A request that is not one.
    pub(crate) fn request(message: String) -> Self {
        Self { message, kind: ErrorKind::Request, position: None, text: None }
    }

    /// A request that does not have the form of one.
    pub(crate) fn malformed(error: &serde_json::Error) -> Self {
        Self::request(format!("not a request: {error}"))
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
