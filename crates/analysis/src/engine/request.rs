//! Requests: the part that all views have in common, and what each view is asked besides.

use super::EngineError;
use crate::{
    AnalysisError, FlameGraphShape, Format, Moment, Query, SyscallKeys, TimelineShape, TreeRowsShape, TreeShape,
    ViewMode,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use whittle_model::EventKind;

/// A request that was understood, as far as that can be without the experiment.
pub(super) struct Request {
    pub(super) query: Query,
    pub(super) wanted: Wanted,
}

/// Keys of [`Common`].
const COMMON: [&str; 7] = ["mode", "filter", "transforms", "metrics", "sort", "limit", "skip"];

/// What every view can be asked with: the texts of [`Query`].
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

/// The view, and what it is asked besides.
pub(super) enum Wanted {
    Experiment(Nothing),
    Overview(Nothing),
    Functions(Nothing),
    CallersCallees(CallersCallees),
    CallTree(CallTree),
    TreeRows(TreeRowsShape),
    Lines(Nothing),
    Stacks(Nothing),
    Threads(Nothing),
    Syscalls(Syscalls),
    Function(Function),
    Source(Function),
    Findings(Findings),
    FlameGraph(FlameGraphShape),
    Timeline(TimelineShape),
    StackAt(StackAt),
    Suggest(Suggest),
    ExportText(ExportText),
}

/// The names of views. Apart from what views are asked, so that all is read by one and the same code: every report file
/// carries it.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Name {
    Experiment,
    Overview,
    Functions,
    CallersCallees,
    CallTree,
    TreeRows,
    Lines,
    Stacks,
    Threads,
    Syscalls,
    Function,
    Source,
    Findings,
    FlameGraph,
    Timeline,
    StackAt,
    Suggest,
    ExportText,
}

impl Wanted {
    /// Reads what is asked of the view `name`.
    fn new(name: Value, asked: Value) -> serde_json::Result<Self> {
        Ok(match Name::deserialize(name)? {
            Name::Experiment => Self::Experiment(Nothing::deserialize(asked)?),
            Name::Overview => Self::Overview(Nothing::deserialize(asked)?),
            Name::Functions => Self::Functions(Nothing::deserialize(asked)?),
            Name::CallersCallees => Self::CallersCallees(CallersCallees::deserialize(asked)?),
            Name::CallTree => Self::CallTree(CallTree::deserialize(asked)?),
            Name::TreeRows => Self::TreeRows(TreeRowsShape::deserialize(asked)?),
            Name::Lines => Self::Lines(Nothing::deserialize(asked)?),
            Name::Stacks => Self::Stacks(Nothing::deserialize(asked)?),
            Name::Threads => Self::Threads(Nothing::deserialize(asked)?),
            Name::Syscalls => Self::Syscalls(Syscalls::deserialize(asked)?),
            Name::Function => Self::Function(Function::deserialize(asked)?),
            Name::Source => Self::Source(Function::deserialize(asked)?),
            Name::Findings => Self::Findings(Findings::deserialize(asked)?),
            Name::FlameGraph => Self::FlameGraph(FlameGraphShape::deserialize(asked)?),
            Name::Timeline => Self::Timeline(TimelineShape::deserialize(asked)?),
            Name::StackAt => Self::StackAt(StackAt::deserialize(asked)?),
            Name::Suggest => Self::Suggest(Suggest::deserialize(asked)?),
            Name::ExportText => Self::ExportText(ExportText::deserialize(asked)?),
        })
    }
}

/// Nothing besides.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallersCallees {
    /// Names, outermost first; none: `<Total>`.
    #[serde(default)]
    pub(super) fragment: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallTree {
    root: Option<String>,
    min_percent: Option<f64>,
    depth: Option<usize>,
    percent_of: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Syscalls {
    by: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Function {
    pub(super) name: String,
}

/// Packages that decide whose code is whose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Findings {
    #[serde(default)]
    pub(super) own: Vec<String>,
    #[serde(default)]
    pub(super) third_party: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StackAt {
    pub(super) thread: usize,
    pub(super) time_ns: f64,
    pub(super) event: Option<EventKind>,
}

impl StackAt {
    pub(super) fn moment(self) -> Moment {
        // A pointer's place on the screen need not be a whole nanosecond.
        Moment { thread: self.thread, time_ns: self.time_ns as u64, event: self.event }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suggest {
    pub(super) text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExportText {
    /// `text` if missing, or `csv`.
    format: Option<String>,
    /// The request whose answer is exported.
    of: Value,
}

/// Branches below this share of the root are left out of a call tree, as the command line does.
const USUAL_MIN_PERCENT: f64 = 1.0;

impl Request {
    /// Reads a request.
    pub(super) fn new(request: Value) -> Result<Self, EngineError> {
        let Value::Object(mut request) = request else {
            return Err(EngineError::request("expected a JSON object with the key \"view\"".to_owned()));
        };
        request.retain(|_, value| !value.is_null());
        // Common keys are taken out first: what is left has to be the view's own.
        let common: Map<String, Value> = COMMON.iter().filter_map(|key| request.remove_entry(*key)).collect();
        let common = Common::deserialize(Value::Object(common)).map_err(|error| EngineError::malformed(&error))?;
        let view =
            request.remove("view").ok_or_else(|| EngineError::request("not a request: missing field `view`".into()))?;
        let wanted = Wanted::new(view, Value::Object(request)).map_err(|error| EngineError::malformed(&error))?;
        Ok(Self { query: common.query()?, wanted })
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

impl CallTree {
    pub(super) fn shape(self) -> Result<TreeShape, AnalysisError> {
        Ok(TreeShape {
            root: self.root,
            min_ratio: self.min_percent.unwrap_or(USUAL_MIN_PERCENT) / 100.0,
            max_depth: self.depth,
            percent_of: self.percent_of.map(|base| base.parse()).transpose()?.unwrap_or_default(),
        })
    }
}

impl Syscalls {
    pub(super) fn keys(&self) -> Result<SyscallKeys, AnalysisError> {
        self.by.as_deref().map_or(Ok(SyscallKeys::default()), |by| by.parse())
    }
}

impl ExportText {
    /// The request, and the language of the text.
    pub(super) fn parts(self) -> Result<(Value, Format), EngineError> {
        match self.format.as_deref() {
            None | Some("text") => Ok((self.of, Format::Text)),
            Some("csv") => Ok((self.of, Format::Csv)),
            Some(other) => {
                Err(EngineError::request(format!("text is exported as \"text\" or \"csv\", not \"{other}\"")))
            }
        }
    }
}
