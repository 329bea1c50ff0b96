//! Defines views. A definition has the keys of requests, the answer, and the command in both programs.
//!
//! Each view is defined once, as `VIEW` in its folder. The command line, the server and the engine of report files read
//! lists of these definitions. A new view therefore needs only its definition.

use crate::code_source::CodeSource;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use thiserror::Error;
use whittle_profile::{AnalysisError, Profile, Query};
use whittle_render::{Format, Style, View, render};

/// The definition of a view.
#[derive(Debug, Clone, Copy)]
pub struct ViewDefinition {
    /// Answers requests for the view.
    pub answerer: Answerer,
    /// Why the view cannot compare two sides, as the end of a sentence. Missing if the view can compare two sides.
    pub not_compared: Option<&'static str>,
    /// The view's command. Missing if only the analyzer has the view.
    pub command: Option<Command>,
}

impl ViewDefinition {
    /// The view's name.
    pub const fn name(&self) -> &'static str {
        self.answerer.name
    }
}

/// The part of a definition that answers requests. The engine of report files has only this part, because help texts
/// need space.
#[derive(Debug, Clone, Copy)]
pub struct Answerer {
    /// The name in requests, on the command line and in answers.
    pub name: &'static str,
    /// Answers a request. All keys of the request must be keys of the view.
    pub answer: AnswerFunction,
}

/// Answers a request. `asked` contains the view's keys.
pub type AnswerFunction = fn(on: &Asking<'_>, asked: Map<String, Value>) -> Result<Answered, ViewError>;

/// The input of a view.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// The experiment, or both sides of a comparison.
    pub profile: &'a Profile,
    /// Mode, filter, transforms, columns, order and rows.
    pub query: &'a Query,
    /// Finds source text and class files that the experiment does not contain.
    pub code: &'a dyn CodeSource,
}

/// The reason why a view has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ViewError {
    /// The query or a key names something that the experiment does not have, or that the view cannot show.
    #[error(transparent)]
    Analysis(#[from] AnalysisError),
    /// A key is unknown to the view, or its value has the wrong type.
    #[error("not a request: {0}")]
    Keys(String),
    /// The view cannot answer here. The text is a sentence.
    #[error("{0}")]
    Missing(&'static str),
}

/// The answer of a view.
pub enum Answered {
    /// The answer exists as text, CSV and JSON.
    View(Box<dyn Rendered>),
    /// The answer exists only as JSON.
    Json(String),
    /// The first part contains bytes for programs. The second part is optional and exists as text, CSV and JSON.
    Binary(Vec<u8>, Option<Box<dyn Rendered>>),
}

impl Answered {
    /// An answer with text, CSV and JSON.
    pub fn view(view: impl View + 'static) -> Self {
        Self::View(Box::new(view))
    }

    /// An answer that exists only as JSON.
    ///
    /// # Errors
    /// The answer cannot be JSON, because some of its keys are not text.
    pub fn data(data: &impl serde::Serialize) -> Result<Self, ViewError> {
        serde_json::to_string(data).map(Self::Json).map_err(|error| ViewError::Keys(error.to_string()))
    }
}

/// A [`View`] of any type.
pub trait Rendered {
    /// Writes the view in a format, see [`render`].
    fn render(&self, format: Format, style: Style) -> String;
}

impl<V: View> Rendered for V {
    fn render(&self, format: Format, style: Style) -> String {
        render(self, format, style)
    }
}

/// Reads the keys of a view.
///
/// # Errors
/// A key is unknown, or a value has the wrong type.
pub fn keys<K: DeserializeOwned>(asked: Map<String, Value>) -> Result<K, ViewError> {
    K::deserialize(Value::Object(asked)).map_err(|error| ViewError::Keys(error.to_string()))
}

/// The keys of views without keys.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoKeys {}

/// A view as a command of `whittle` and `whittle-fleet`.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// What the view shows, without a full stop at the end.
    pub about: &'static str,
    /// The keys of requests as options and arguments.
    pub parameters: &'static [Parameter],
    /// The words that `--sort` accepts, if the view does not sort by its columns.
    pub orders: &'static [&'static str],
    /// Default number of rows on the command line. Missing if the view sets its default itself.
    pub rows: Option<usize>,
    /// Whether the view reads sources or class files.
    pub reads_code: bool,
    /// Whether the tables of a fleet contain the data of this view.
    pub in_fleet: bool,
}

/// Default number of table rows on the command line, about one screen.
pub const SCREEN_ROWS: usize = 30;

impl Command {
    /// The command of a table without keys. Both programs have this command.
    pub const fn table(about: &'static str) -> Self {
        Self { about, parameters: &[], orders: &[], rows: Some(SCREEN_ROWS), reads_code: false, in_fleet: true }
    }
}

/// One key of a view's requests.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// The key. The option has `-` instead of `_`.
    pub key: &'static str,
    /// The value's name in the help, in capitals. If this name is empty, the help shows the key in capitals.
    pub value_name: &'static str,
    /// The description in the help.
    pub help: &'static str,
    /// The default value.
    pub default: Option<&'static str>,
    /// Whether the key is a required argument instead of an option.
    pub is_required: bool,
    /// Reads the value, or returns an error message.
    pub read: fn(&str) -> Result<Value, String>,
}

impl Parameter {
    /// An option with any text as its value.
    pub const fn text(key: &'static str, value_name: &'static str, help: &'static str) -> Self {
        Self { key, value_name, help, default: None, is_required: false, read: |text| Ok(Value::from(text)) }
    }

    /// The argument with the name of a function.
    pub const FUNCTION: Self = Self {
        is_required: true,
        ..Self::text(
            "name",
            "NAME",
            "Name of the function as views show it. A name without a signature means all overloads",
        )
    };
}

/// Reads a word that a key of a request accepts. `known` lists the words for the error.
pub(crate) fn read_word<T: DeserializeOwned>(text: &str, known: &str) -> Result<Value, String> {
    let word = Value::from(text);
    T::deserialize(&word).map_err(|_| format!("expected {known}"))?;
    Ok(word)
}

/// Reads a whole number.
pub fn read_count(text: &str) -> Result<Value, String> {
    text.parse::<usize>().map(Value::from).map_err(|error| error.to_string())
}

/// Reads a finite number.
pub fn read_number(text: &str) -> Result<Value, String> {
    let number: f64 = text.parse().map_err(|error: std::num::ParseFloatError| error.to_string())?;
    if number.is_finite() { Ok(number.into()) } else { Err(format!("expected a finite number, found {text}")) }
}
