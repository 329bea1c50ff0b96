//! The embedded engine. DataFusion runs in this process and reads only the snapshot's files.
//!
//! The catalogue provides paths and sizes, and the table provides columns. So the engine does not list folders or infer
//! schemas. Footers stay in memory between queries, because files never change.

use crate::catalogue::DataFile;
use crate::engine::{Engine, EngineError, Rows};
use crate::tables::{FLEET_TABLES, FleetTable, schema_of};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{MemoryCatalogProviderList, Session, TableProvider};
use datafusion::common::DataFusionError;
use datafusion::config::TableParquetOptions;
use datafusion::datasource::TableType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::CachedParquetFileReaderFactory;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::memory_pool::{FairSpillPool, MemoryPool};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::future::BoxFuture;
use object_store::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;
use whittle_experiment::Store;

/// Limits of the engine.
#[derive(Debug, Clone, Copy)]
pub struct EngineLimits {
    /// Maximum memory for grouping and sorting. A query that needs more memory fails or uses the disk.
    pub memory_bytes: usize,
    /// Memory for footers of files.
    pub footer_bytes: usize,
    /// Threads of one query.
    pub threads: usize,
}

impl Default for EngineLimits {
    fn default() -> Self {
        let threads = available_parallelism().map_or(1, usize::from);
        Self { memory_bytes: 2 << 30, footer_bytes: 256 << 20, threads }
    }
}

/// The URL of the store inside the engine.
const STORE: &str = "fleet://store";

/// DataFusion over one store.
pub struct DataFusion {
    state: SessionState,
    store: ObjectStoreUrl,
}

impl DataFusion {
    /// An engine over the files of `store`.
    ///
    /// # Errors
    /// The engine cannot be set up.
    pub fn new(store: &Store, limits: EngineLimits) -> Result<Self, EngineError> {
        let pool: Arc<dyn MemoryPool> = Arc::new(FairSpillPool::new(limits.memory_bytes));
        let runtime = RuntimeEnvBuilder::new()
            .with_memory_pool(pool)
            .with_metadata_cache_limit(limits.footer_bytes)
            .build_arc()
            .map_err(refused)?;
        let url = ObjectStoreUrl::parse(STORE).map_err(refused)?;
        runtime.register_object_store(url.as_ref(), Arc::clone(store.objects()));
        Ok(Self { state: session(runtime, limits.threads), store: url })
    }

    /// Runs a query and returns its rows.
    async fn answer(&self, sql: &str, files: &[DataFile]) -> Result<Rows, DataFusionError> {
        // Each query has separate tables. All queries share functions and footers.
        let catalogs = Arc::new(MemoryCatalogProviderList::new());
        let builder = SessionStateBuilder::new_from_existing(self.state.clone())
            .with_catalog_list(catalogs)
            // Without this line the state would have no catalogue to register tables in.
            .with_config(self.state.config().clone());
        let context = SessionContext::new_with_state(builder.build());
        for table in FLEET_TABLES {
            let files = files.iter().filter(|file| file.table == table);
            context.register_table(table.name(), Arc::new(SnapshotTable::new(table, files, &self.store)?))?;
        }
        let batches: Vec<RecordBatch> = context.sql(sql).await?.collect().await?;
        Ok(Rows(batches))
    }
}

fn session(runtime: Arc<RuntimeEnv>, threads: usize) -> SessionState {
    let mut config = SessionConfig::new().with_target_partitions(threads);
    let options = config.options_mut();
    options.execution.parquet.pushdown_filters = true;
    // Group keys are short texts. Texts of a few bytes fit into Arrow's string views.
    options.execution.parquet.schema_force_view_types = true;
    SessionStateBuilder::new().with_config(config).with_runtime_env(runtime).with_default_features().build()
}

fn refused(error: DataFusionError) -> EngineError {
    EngineError::Refused { engine: "datafusion", reason: error.strip_backtrace() }
}

impl Engine for DataFusion {
    fn name(&self) -> &'static str {
        "datafusion"
    }

    fn rows<'a>(&'a self, sql: &'a str, files: &'a [DataFile]) -> BoxFuture<'a, Result<Rows, EngineError>> {
        Box::pin(async move { self.answer(sql, files).await.map_err(refused) })
    }
}

/// The valid files of one table.
#[derive(Debug)]
struct SnapshotTable {
    schema: SchemaRef,
    files: Vec<PartitionedFile>,
    store: ObjectStoreUrl,
}

impl SnapshotTable {
    fn new<'a>(
        table: FleetTable,
        files: impl Iterator<Item = &'a DataFile>,
        store: &ObjectStoreUrl,
    ) -> Result<Self, DataFusionError> {
        let files = files.map(partitioned_file).collect::<Result<_, _>>()?;
        Ok(Self { schema: with_views(schema_of(table)), files, store: store.clone() })
    }

    /// Divides the files into at most `count` groups of similar size, one group per thread.
    fn groups(&self, count: usize) -> Vec<FileGroup> {
        let mut files = self.files.clone();
        files.sort_by_key(|file| std::cmp::Reverse(file.object_meta.size));
        let mut groups: Vec<(u64, Vec<PartitionedFile>)> = vec![(0, Vec::new()); count.max(1).min(files.len())];
        for file in files {
            if let Some(smallest) = groups.iter_mut().min_by_key(|group| group.0) {
                smallest.0 += file.object_meta.size;
                smallest.1.push(file);
            }
        }
        groups.into_iter().map(|(_, files)| FileGroup::new(files)).collect()
    }
}

/// A file in DataFusion's form. The path is used unchanged, because it is already escaped.
fn partitioned_file(file: &DataFile) -> Result<PartitionedFile, DataFusionError> {
    let path = Path::parse(&file.path).map_err(|error| DataFusionError::External(Box::new(error)))?;
    let mut partitioned = PartitionedFile::new("", file.bytes);
    partitioned.object_meta.location = path;
    Ok(partitioned)
}

/// The schema with string views for text columns. Parquet's reader reads string views fastest.
fn with_views(schema: &SchemaRef) -> SchemaRef {
    let view = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 => field.as_ref().clone().with_data_type(DataType::Utf8View),
        _ => field.as_ref().clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(view).collect::<Vec<_>>()))
}

#[async_trait::async_trait]
impl TableProvider for SnapshotTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>, DataFusionError> {
        if self.files.is_empty() {
            let schema = datafusion::physical_plan::project_schema(&self.schema, projection)?;
            return Ok(Arc::new(EmptyExec::new(schema)));
        }
        let mut options = TableParquetOptions::new();
        options.global = state.config_options().execution.parquet.clone();
        let runtime = state.runtime_env();
        let footers = runtime.cache_manager.get_file_metadata_cache();
        let reader = CachedParquetFileReaderFactory::new(runtime.object_store(&self.store)?, footers);
        let source = ParquetSource::new(Arc::clone(&self.schema))
            .with_table_parquet_options(options)
            .with_parquet_file_reader_factory(Arc::new(reader));
        let scan = FileScanConfigBuilder::new(self.store.clone(), Arc::new(source))
            .with_file_groups(self.groups(state.config().target_partitions()))
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(scan))
    }

    /// Reports all filters as inexact. Statistics exclude files, indexes exclude pages, and the engine filters the
    /// remaining rows.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>, DataFusionError> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }
}
