//! An engine that runs the same SQL on a Trino cluster, through Trino's HTTP protocol. The cluster reads the same
//! files.
//!
//! ```text
//! POST /v1/statement   the text  ─> {"nextUri": …}
//! GET  nextUri                   ─> {"columns": […], "data": [[…], …], "nextUri": …}   until there is no nextUri
//! ```
//!
//! The fleet's tables are external tables over the store's folders. Missing tables are created in a schema with a name
//! that depends on the store's address. Each query selects the valid files by `"$path"`.

use crate::catalogue::DataFile;
use crate::engine::{Engine, EngineError, Rows, sql_text};
use crate::tables::{FLEET_TABLES, FleetTable, schema_of};
use datafusion::arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::datatypes::DataType;
use futures::future::BoxFuture;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use whittle_experiment::Store;
use whittle_model::ContentHash;

/// A cluster, and its access to the store.
#[derive(Debug, Clone)]
pub struct Trino {
    /// The coordinator, `http://host:port`.
    address: String,
    user: String,
    /// The Trino catalogue that reads the store's files.
    catalog: String,
    schema: String,
    /// The store's address in Trino.
    location: String,
    client: Client,
    /// Has a value as soon as the tables exist.
    tables: Arc<OnceCell<()>>,
}

/// The address of the cluster.
#[derive(Debug, Clone)]
pub struct TrinoPlace {
    /// The coordinator, `http://host:port`.
    pub address: String,
    /// The user name.
    pub user: String,
    /// The Trino catalogue that reads the store's files through the Hive connector.
    pub catalog: String,
    /// The store's address in Trino. Missing: `local://` with the directory, or the same bucket address as in whittle.
    pub location: Option<String>,
}

/// Maximum number of attempts for a request if the cluster is busy.
const TRIES: u32 = 20;
/// The pause before the second attempt. Each further pause is twice as long as the pause before, but at most one
/// second.
const PAUSE: Duration = Duration::from_millis(50);

/// One answer of the protocol.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    next_uri: Option<String>,
    #[serde(default)]
    columns: Vec<Column>,
    #[serde(default)]
    data: Vec<Vec<Value>>,
    error: Option<Refusal>,
}

#[derive(Debug, Clone, Deserialize)]
struct Column {
    name: String,
    r#type: String,
}

#[derive(Debug, Deserialize)]
struct Refusal {
    message: String,
}

impl Trino {
    /// A client of the cluster at `place` for the files of `store`. Creating the client sends no request.
    ///
    /// # Errors
    /// The client cannot be created.
    pub fn new(store: &Store, place: TrinoPlace) -> Result<Self, EngineError> {
        let client = Client::builder().build().map_err(|error| refused(error.to_string()))?;
        let location = place.location.unwrap_or_else(|| match store.location() {
            bucket if bucket.contains("://") => bucket.trim_end_matches('/').to_owned(),
            directory => format!("local://{directory}"),
        });
        let TrinoPlace { address, user, catalog, .. } = place;
        let address = address.trim_end_matches('/').to_owned();
        let schema = schema_name(&location);
        Ok(Self { address, user, catalog, schema, location, client, tables: Arc::default() })
    }

    /// Creates the tables unless they exist.
    async fn make_tables(&self) -> Result<(), EngineError> {
        self.statement(&format!("CREATE SCHEMA IF NOT EXISTS {}.{}", quoted(&self.catalog), quoted(&self.schema)))
            .await?;
        for table in FLEET_TABLES {
            let columns: Vec<String> = schema_of(table).fields().iter().map(|field| column_definition(field)).collect();
            let folder = sql_text(&format!("{}/tables/{}", self.location, table.name()));
            let sql = format!(
                "CREATE TABLE IF NOT EXISTS {} ({}) WITH (external_location = {folder}, format = 'PARQUET')",
                self.table(table),
                columns.join(", ")
            );
            self.statement(&sql).await?;
        }
        Ok(())
    }

    fn table(&self, table: FleetTable) -> String {
        format!("{}.{}.{}", quoted(&self.catalog), quoted(&self.schema), quoted(table.name()))
    }

    /// The start of the SQL text, with definitions of the table names for this query.
    fn prelude(&self, files: &[DataFile]) -> String {
        let table = |table: FleetTable| {
            let paths = files.iter().filter(|file| file.table == table);
            let paths: Vec<String> = paths.map(|file| sql_text(&format!("{}/{}", self.location, file.path))).collect();
            let which =
                if paths.is_empty() { "false".to_owned() } else { format!("\"$path\" IN ({})", paths.join(", ")) };
            format!("{} AS (SELECT * FROM {} WHERE {which})", quoted(table.name()), self.table(table))
        };
        format!("WITH {}", FLEET_TABLES.map(table).join(",\n"))
    }

    /// Runs one statement until Trino has sent all rows.
    async fn statement(&self, sql: &str) -> Result<Rows, EngineError> {
        let start = || self.client.post(format!("{}/v1/statement", self.address)).body(sql.to_owned());
        let mut page = self.page(start).await?;
        let (mut columns, mut batches) = (Vec::new(), Vec::new());
        loop {
            if let Some(error) = page.error {
                return Err(refused(error.message));
            }
            if !page.columns.is_empty() {
                columns = page.columns;
            }
            if !page.data.is_empty() {
                batches.push(to_batch(&columns, &page.data)?);
            }
            let Some(next) = page.next_uri else { return Ok(Rows(batches)) };
            page = self.page(|| self.client.get(&next)).await?;
        }
    }

    /// Requests one page of an answer. While the cluster is busy, the request is repeated.
    async fn page(&self, request: impl Fn() -> RequestBuilder) -> Result<Page, EngineError> {
        let mut pause = PAUSE;
        for _ in 0..TRIES {
            let request = request().header("X-Trino-User", &self.user).header("X-Trino-Source", "whittle-fleet");
            let unreachable = |error: reqwest::Error| {
                refused(format!("{}: {error}; is this the coordinator's address (--trino)?", self.address))
            };
            let response = request.send().await.map_err(unreachable)?;
            match response.status() {
                StatusCode::OK => {
                    let bytes = response.bytes().await.map_err(unreachable)?;
                    return serde_json::from_slice(&bytes)
                        .map_err(|error| refused(format!("cannot read the answer: {error}")));
                }
                StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT
                | StatusCode::TOO_MANY_REQUESTS => {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(Duration::from_secs(1));
                }
                status => {
                    let text = response.text().await.unwrap_or_default();
                    return Err(refused(format!("{}: status {status}: {}", self.address, text.trim())));
                }
            }
        }
        Err(refused(format!("{} is busy; try again later", self.address)))
    }
}

impl Engine for Trino {
    fn name(&self) -> &'static str {
        "trino"
    }

    fn rows<'a>(&'a self, sql: &'a str, files: &'a [DataFile]) -> BoxFuture<'a, Result<Rows, EngineError>> {
        Box::pin(async move {
            self.tables.get_or_try_init(|| self.make_tables()).await?;
            self.statement(&format!("{}\n{sql}", self.prelude(files))).await
        })
    }
}

fn refused(reason: String) -> EngineError {
    EngineError::Refused { engine: "trino", reason }
}

/// The name of a schema. Each store and each set of columns has a different name.
fn schema_name(location: &str) -> String {
    let columns: Vec<String> = FLEET_TABLES
        .iter()
        .flat_map(|table| schema_of(*table).fields().iter().map(|field| column_definition(field)))
        .collect();
    let identity = format!("{location}\0{}", columns.join(","));
    format!("whittle_{:016x}", ContentHash::of(identity.as_bytes()).0 as u64)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn column_definition(field: &datafusion::arrow::datatypes::Field) -> String {
    let sql_type = match field.data_type() {
        DataType::Int64 => "BIGINT",
        DataType::Float64 => "DOUBLE",
        _ => "VARCHAR",
    };
    format!("{} {sql_type}", quoted(field.name()))
}

/// Converts rows of JSON to columns.
fn to_batch(columns: &[Column], data: &[Vec<Value>]) -> Result<RecordBatch, EngineError> {
    let arrays = columns.iter().enumerate().map(|(index, column)| {
        let cells = data.iter().map(|row| row.get(index).unwrap_or(&Value::Null));
        let array: ArrayRef = match column.r#type.as_str() {
            "bigint" | "integer" => Arc::new(cells.map(Value::as_i64).collect::<Int64Array>()),
            "double" => Arc::new(cells.map(Value::as_f64).collect::<Float64Array>()),
            _ => Arc::new(cells.map(Value::as_str).collect::<StringArray>()),
        };
        (column.name.as_str(), array, true)
    });
    RecordBatch::try_from_iter_with_nullable(arrays).map_err(|error| refused(error.to_string()))
}
