//! Arguments that all queries share: the store, the engine, the filters and the time range.

use crate::command::Failure;
use clap::{Args, ValueEnum};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use whittle_experiment::Store;
use whittle_fleet::engine::{DataFusion, Engine, EngineLimits, Trino, TrinoPlace};
use whittle_fleet::fleet::Fleet;
use whittle_fleet::question::{LabelFilter, Question, Split, TimeRange, Whose};
use whittle_fleet::tables::HOUR_S;

/// Where the fleet's tables are, and which engine reads them.
#[derive(Debug, Clone, Args)]
pub(crate) struct StoreArguments {
    /// Where the segments and tables are: a directory, or s3://BUCKET/PREFIX with AWS_ENDPOINT, AWS_REGION,
    /// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment
    #[arg(long, value_name = "STORE")]
    pub(crate) store: String,
    /// The engine that reads the tables: datafusion in this process, or a Trino cluster
    #[arg(long, value_enum, default_value_t = EngineChoice::Datafusion)]
    pub(crate) engine: EngineChoice,
    /// The coordinator of the Trino cluster
    #[arg(long, value_name = "URL", required_if_eq("engine", "trino"))]
    pub(crate) trino: Option<String>,
    /// Trino catalogue (Hive connector) that reads the files in the store
    #[arg(long, value_name = "NAME", default_value = "files")]
    pub(crate) trino_catalog: String,
    /// User name for Trino
    #[arg(long, value_name = "NAME", default_value = "whittle")]
    pub(crate) trino_user: String,
    /// The store's address in Trino [default: the same s3:// address, or local:// with the directory]
    #[arg(long, value_name = "URL")]
    pub(crate) trino_location: Option<String>,
    /// Limit of memory for grouping and sorting in this process, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 2048)]
    pub(crate) memory: usize,
}

/// The engine that reads the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineChoice {
    /// In this process
    Datafusion,
    /// A Trino cluster
    Trino,
}

/// Which observations count, and in which time range.
#[derive(Debug, Clone, Args)]
pub(crate) struct WhoseArguments {
    /// The service; several: separated by commas, or repeat the option [default: all]
    #[arg(short, long, value_delimiter = ',', value_name = "NAME")]
    pub(crate) service: Vec<String>,
    #[command(flatten)]
    pub(crate) part: PartArguments,
}

/// Which observations of the services count.
#[derive(Debug, Clone, Args)]
pub(crate) struct PartArguments {
    /// Only these versions of the program
    #[arg(long, value_delimiter = ',', value_name = "VERSION")]
    pub(crate) version: Vec<String>,
    #[command(flatten)]
    pub(crate) place: PlaceArguments,
    /// Start: how long ago (30m, 24h, 7d), or a time in UTC (2026-11-22, 2026-11-22T14:30) [default: 1h before --until]
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// End, in the same form [default: now]
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
}

/// Which machines count.
#[derive(Debug, Clone, Args)]
pub(crate) struct PlaceArguments {
    /// Only these machines
    #[arg(long, value_delimiter = ',', value_name = "HOST")]
    pub(crate) host: Vec<String>,
    /// Only machines in these regions
    #[arg(long, value_delimiter = ',', value_name = "REGION")]
    pub(crate) region: Vec<String>,
    /// Only observations with this value of another label; can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) label: Vec<LabelFilter>,
}

/// How the baseline of a comparison differs from the candidate.
#[derive(Debug, Clone, Args)]
pub(crate) struct BaselineArguments {
    /// The baseline's versions
    #[arg(long, value_delimiter = ',', value_name = "VERSION")]
    baseline_version: Vec<String>,
    /// The baseline's machines
    #[arg(long, value_delimiter = ',', value_name = "HOST")]
    baseline_host: Vec<String>,
    /// The baseline's start
    #[arg(long, value_name = "TIME")]
    baseline_since: Option<String>,
    /// The baseline's end
    #[arg(long, value_name = "TIME")]
    baseline_until: Option<String>,
}

/// How rows are grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SplitChoice {
    /// By service
    Service,
    /// By machine
    Host,
    /// By version
    Version,
    /// By region
    Region,
    /// By name of the thread; reads more data
    Thread,
}

impl From<SplitChoice> for Split {
    fn from(choice: SplitChoice) -> Self {
        match choice {
            SplitChoice::Service => Self::Service,
            SplitChoice::Host => Self::Host,
            SplitChoice::Version => Self::Version,
            SplitChoice::Region => Self::Region,
            SplitChoice::Thread => Self::Thread,
        }
    }
}

impl StoreArguments {
    /// Opens the fleet.
    pub(crate) fn open(&self) -> Result<Fleet, Failure> {
        // Opening a store creates its directories. If the user mistypes the path, a query must not create a directory.
        if !self.store.contains("://") && !Path::new(&self.store).is_dir() {
            let message = format!(
                "{}: the directory does not exist; --store must be the directory that agents write to",
                self.store
            );
            return Err(Failure { message, exit_code: 2 });
        }
        let store = Store::open(&self.store)?;
        let engine: Box<dyn Engine> = match (self.engine, &self.trino) {
            (EngineChoice::Trino, Some(address)) => Box::new(Trino::new(
                &store,
                TrinoPlace {
                    address: address.clone(),
                    user: self.trino_user.clone(),
                    catalog: self.trino_catalog.clone(),
                    location: self.trino_location.clone(),
                },
            )?),
            _ => {
                let memory_bytes = self.memory.saturating_mul(1 << 20);
                Box::new(DataFusion::new(&store, EngineLimits { memory_bytes, ..EngineLimits::default() })?)
            }
        };
        Ok(Fleet::new(Arc::new(store), engine))
    }
}

impl WhoseArguments {
    /// The arguments as a query, grouped by `split`.
    pub(crate) fn question(&self, split: Vec<Split>) -> Result<Question, Failure> {
        self.part.question(&self.service, split)
    }
}

impl PartArguments {
    /// The arguments as a query about some services.
    pub(crate) fn question(&self, services: &[String], split: Vec<Split>) -> Result<Question, Failure> {
        let whose = Whose { versions: self.version.clone(), ..self.place.whose(services) };
        Ok(Question { whose, time: self.time()?, split })
    }

    /// The requested time range.
    pub(crate) fn time(&self) -> Result<TimeRange, Failure> {
        time((&self.since, &self.until), HOUR_S)
    }
}

impl PlaceArguments {
    /// The observations of some services on the selected machines, with all versions.
    pub(crate) fn whose(&self, services: &[String]) -> Whose {
        Whose {
            services: services.to_vec(),
            versions: Vec::new(),
            hosts: self.host.clone(),
            regions: self.region.clone(),
            labels: self.label.clone(),
        }
    }
}

impl BaselineArguments {
    /// The queries of baseline and candidate. It is an error if they are the same.
    pub(crate) fn questions(&self, services: &[String], candidate: &PartArguments) -> Result<[Question; 2], Failure> {
        let of_baseline = |own: &[String], other: &[String]| if own.is_empty() { other.to_vec() } else { own.to_vec() };
        let baseline = PartArguments {
            version: of_baseline(&self.baseline_version, &candidate.version),
            place: PlaceArguments {
                host: of_baseline(&self.baseline_host, &candidate.place.host),
                ..candidate.place.clone()
            },
            since: self.baseline_since.clone().or_else(|| candidate.since.clone()),
            until: self.baseline_until.clone().or_else(|| candidate.until.clone()),
        };
        let questions = [baseline.question(services, Vec::new())?, candidate.question(services, Vec::new())?];
        if questions[0] == questions[1] {
            let message = "baseline and candidate are equal; set --baseline-version, --baseline-host or \
                           --baseline-since";
            return Err(Failure { message: message.to_owned(), exit_code: 2 });
        }
        Ok(questions)
    }
}

/// Parses two times of the command line and returns the time range between these times. If the start is missing, the
/// range is `length_s` long.
pub(crate) fn time((since, until): (&Option<String>, &Option<String>), length_s: i64) -> Result<TimeRange, Failure> {
    let wrong = |error: whittle_fleet::question::TimeError| Failure { message: error.to_string(), exit_code: 2 };
    TimeRange::parse((since.as_deref(), until.as_deref()), length_s, now_s()).map_err(wrong)
}

/// Parses a length such as `5m`, `1h` or `1d`. Returns seconds.
pub(crate) fn parse_length(text: &str) -> Result<i64, String> {
    let wrong = || format!("expected a length such as 30s, 5m, 1h or 1d; found \"{text}\"");
    let length_s = whittle_fleet::question::parse_length(text).ok_or_else(wrong)?;
    if length_s > 0 { Ok(length_s) } else { Err(wrong()) }
}

/// The current time in seconds since 1970-01-01 UTC.
pub(crate) fn now_s() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}
