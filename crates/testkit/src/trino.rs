//! A Trino cluster for tests: a coordinator and workers, each a JVM, on the loopback interface.
//!
//! The cluster has one catalogue, [`Trino::CATALOGUE`], with Parquet files in folders (`local://` and an absolute path)
//! and, if a store is given, in S3 (`s3://BUCKET/PREFIX`). Tables are defined over existing files:
//!
//! ```sql
//! CREATE SCHEMA files.fleet;
//! CREATE TABLE files.fleet.samples (service VARCHAR, stack BIGINT, count BIGINT)
//! WITH (external_location = 'local:///tmp/x/tables/samples', format = 'PARQUET');
//! ```
//!
//! A table includes all subfolders of its folder, and nothing is cached between queries. Columns are matched by name.
//! `WHERE "$path" IN ('local:///tmp/x/tables/samples/a.parquet')` reads only these files.
//!
//! Three JVMs need 1.4 GB of memory, and 24 s of CPU time to start. Therefore the tests of a file share one cluster in
//! a `static` `OnceLock`. The cluster ends with the test's process.

use crate::test_server::{
    ServerProcess, StartError, http, java_command, server_folder, servers_folder, start_on_free_port, wait_until_ready,
};
use crate::{Jdk, S3Server, jdk_of_version};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// The JDK that this version of Trino needs. Trino does not start on older JDKs. Newer JDKs are not tested.
const TRINO_JDK: u32 = 25;

/// The version that the server reports. The version has no effect.
const TRINO_VERSION: &str = "test";

/// Far more time than the server needs, even on a busy machine.
const START_LIMIT: Duration = Duration::from_secs(300);

/// The parameters of a cluster.
#[derive(Debug, Clone)]
pub struct TrinoSetup {
    /// Number of worker processes that read files, in addition to the coordinator. If there are workers, the
    /// coordinator does not read files.
    pub workers: usize,
    /// Memory of each process. Trino does not start with less than 700.
    pub heap_megabytes: u32,
    /// The tuning of the processes.
    pub tuning: TrinoTuning,
}

/// The tuning of a cluster's processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrinoTuning {
    /// A fast start, for tests.
    Start,
    /// Fast queries after warm-up, for measurements.
    Queries,
}

impl Default for TrinoSetup {
    fn default() -> Self {
        Self { workers: 2, heap_megabytes: 1024, tuning: TrinoTuning::Start }
    }
}

/// A running cluster. It is stopped when this value is dropped.
#[derive(Debug)]
pub struct Trino {
    processes: Vec<ServerProcess>,
    port: u16,
    /// The folder with the cluster's settings and table definitions.
    _folder: TempDir,
}

/// The result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct TrinoAnswer {
    /// Each row is an array of values in the order of the columns.
    pub rows: Vec<Value>,
    /// Bytes read from files.
    pub physical_input_bytes: u64,
    /// Rows read from files, before any filter.
    pub processed_rows: u64,
}

impl Trino {
    /// The catalogue of files.
    pub const CATALOGUE: &'static str = "files";

    /// Starts a coordinator and two workers. If the server is missing, this is reported as not run.
    ///
    /// # Panics
    /// The cluster does not start. The message contains its logs.
    pub fn start(store: Option<&S3Server>) -> Option<Self> {
        Self::start_with(&TrinoSetup::default(), store)
    }

    /// Starts a cluster. If the server is missing, this is reported as not run.
    ///
    /// # Panics
    /// The cluster does not start. The message contains its logs.
    pub fn start_with(setup: &TrinoSetup, store: Option<&S3Server>) -> Option<Self> {
        let servers = servers_folder()?;
        let jdk = jdk_of_version(TRINO_JDK)?;
        Some(start_on_free_port(|port| Nodes { setup, store, servers: &servers, jdk: &jdk, port }.start()))
    }

    /// The coordinator's address, with `http://` and the port.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The process ids of the workers, for tests that stop a worker.
    pub fn process_ids(&self) -> Vec<u32> {
        self.processes.iter().map(ServerProcess::id).collect()
    }

    /// Runs one statement, without semicolon, and waits for its end.
    ///
    /// # Errors
    /// The server's message.
    pub fn query(&self, sql: &str) -> Result<TrinoAnswer, String> {
        query(self.port, sql)
    }
}

/// A cluster that is starting.
struct Nodes<'a> {
    setup: &'a TrinoSetup,
    store: Option<&'a S3Server>,
    servers: &'a Path,
    jdk: &'a Jdk,
    /// The coordinator's port. Workers choose their ports.
    port: u16,
}

impl Nodes<'_> {
    fn start(&self) -> Result<Trino, StartError> {
        let folder = server_folder();
        let nodes = 0..=self.setup.workers;
        let mut processes: Vec<_> = nodes.map(|node| self.start_node(node, folder.path())).collect();
        wait_until_ready(&mut processes, START_LIMIT, || self.are_all_active())?;
        Ok(Trino { processes, port: self.port, _folder: folder })
    }

    fn start_node(&self, node: usize, cluster: &Path) -> ServerProcess {
        let folder = cluster.join(format!("node-{node}"));
        let settings = [
            ("config.properties", self.server_settings(node, &folder)),
            ("catalog/files.properties", self.catalogue_settings(cluster)),
        ];
        for (name, text) in settings {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("the test's folder can be written");
            fs::write(path, text).expect("the test's folder can be written");
        }
        let mut options = self.java_options(&folder);
        if node == 0 {
            options.push(format!("-Dtest.folder={}", cluster.display()));
        }
        let mut command = java_command(&self.jdk.java(), &options, &self.servers.join("trino"));
        command.args(["trino", TRINO_VERSION]).current_dir(&folder);
        ServerProcess::start(command, folder.join("trino.log"))
    }

    /// The JVM options that Trino's manual recommends, and the tuning.
    fn java_options(&self, folder: &Path) -> Vec<String> {
        let tuning: &[&str] = match self.setup.tuning {
            TrinoTuning::Start => &["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"],
            TrinoTuning::Queries => &["-XX:+UseG1GC"],
        };
        let needed = [
            "--add-modules=jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+ExitOnOutOfMemoryError",
            "-Djdk.attach.allowAttachSelf=true",
            "-Dfile.encoding=UTF-8",
        ];
        let mut options: Vec<String> = tuning.iter().chain(&needed).map(|option| (*option).to_owned()).collect();
        // The JVM ignores an archive that does not match its version.
        options.push(format!("-XX:SharedArchiveFile={}", self.servers.join("trino.jsa").display()));
        options.push(format!("-Xmx{}m", self.setup.heap_megabytes));
        options.push(format!("-Dconfig={}/config.properties", folder.display()));
        options
    }

    fn server_settings(&self, node: usize, folder: &Path) -> String {
        let is_coordinator = node == 0;
        let port = if is_coordinator { self.port } else { 0 };
        let does_coordinator_read = self.setup.workers == 0;
        let scheduling = format!("node-scheduler.include-coordinator={does_coordinator_read}\n");
        format!(
            "coordinator={is_coordinator}
{}http-server.http.port={port}
discovery.uri=http://127.0.0.1:{}
node.environment=test
node.id=node-{node}
node.bind-ip=127.0.0.1
node.internal-address=127.0.0.1
plugin.dir={}
catalog.config-dir={folder}/catalog
",
            if is_coordinator { &scheduling } else { "" },
            self.port,
            self.servers.join("plugin").display(),
            folder = folder.display(),
        )
    }

    /// The connector uses the root of the file system, so `local://` followed by an absolute path means this path.
    fn catalogue_settings(&self, cluster: &Path) -> String {
        let files = format!(
            "connector.name=hive
hive.metastore=file
hive.metastore.catalog.dir=local://{}/tables
hive.security=allow-all
hive.non-managed-table-writes-enabled=true
hive.recursive-directories=true
hive.parquet.use-column-names=true
fs.local.enabled=true
local.location=/
",
            cluster.display()
        );
        files + &self.store.map_or_else(String::new, store_settings)
    }

    fn are_all_active(&self) -> bool {
        let sql = "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'";
        // Before the server has started, it refuses requests in several ways.
        query(self.port, sql).is_ok_and(|answer| answer.rows == [serde_json::json!([self.setup.workers + 1])])
    }
}

fn store_settings(store: &S3Server) -> String {
    let (endpoint, region) = (store.endpoint(), S3Server::REGION);
    let (key, secret) = (S3Server::ACCESS_KEY, S3Server::SECRET_KEY);
    format!(
        "fs.s3.enabled=true
s3.endpoint={endpoint}
s3.region={region}
s3.path-style-access=true
s3.aws-access-key={key}
s3.aws-secret-key={secret}
"
    )
}

/// Runs a statement by Trino's protocol. Each response except the last contains the address of the next response.
fn query(port: u16, sql: &str) -> Result<TrinoAnswer, String> {
    let mut page = answer(port, "POST /v1/statement HTTP/1.0\r\nX-Trino-User: test", sql)?;
    let mut rows = Vec::new();
    loop {
        if let Some(error) = page.pointer("/error/message") {
            return Err(error.to_string());
        }
        rows.extend(page["data"].as_array().cloned().unwrap_or_default());
        let Some(next) = page["nextUri"].as_str() else { break };
        let path = next.splitn(4, '/').nth(3).ok_or("nextUri is not a URL")?;
        page = answer(port, &format!("GET /{path} HTTP/1.0\r\nX-Trino-User: test"), "")?;
    }
    let amount = |name: &str| page["stats"][name].as_u64().unwrap_or_default();
    Ok(TrinoAnswer {
        rows,
        physical_input_bytes: amount("physicalInputBytes"),
        processed_rows: amount("processedRows"),
    })
}

fn answer(port: u16, request: &str, body: &str) -> Result<Value, String> {
    let (status, text) = http(port, request, body)?;
    if status != 200 {
        return Err(format!("status {status}: {text}"));
    }
    serde_json::from_str(&text).map_err(|error| error.to_string())
}
