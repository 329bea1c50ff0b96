//! An S3 store for tests: S3Proxy over a temporary folder, on the loopback interface.
//!
//! The store handles concurrent writes correctly: with `If-None-Match: *`, exactly one write succeeds. It checks
//! signatures, lists objects in pages and accepts uploads in parts. The store is ready when its port answers. The start
//! takes about 2 s, and the store needs 190 MB of memory.

use crate::test_server::{
    ServerProcess, StartError, http, java_command, server_folder, servers_folder, start_on_free_port, wait_until_ready,
};
use crate::{Jdk, any_jdk};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Far more time than the server needs, even on a busy machine.
const START_LIMIT: Duration = Duration::from_secs(120);

/// A running store. When this value is dropped, the store is stopped and its content is removed.
#[derive(Debug)]
pub struct S3Server {
    jdk: Jdk,
    servers: PathBuf,
    /// `None`: the store is stopped.
    process: Option<ServerProcess>,
    folder: TempDir,
    port: u16,
}

impl S3Server {
    /// The name of the only key.
    pub const ACCESS_KEY: &'static str = "whittle-test";
    /// The secret of the key.
    pub const SECRET_KEY: &'static str = "whittle-test-secret";
    /// The region that clients must name.
    pub const REGION: &'static str = "us-east-1";

    /// Starts an empty store with these buckets. If the server is missing, the test is reported as not run.
    ///
    /// # Panics
    /// The store does not start. The message contains its log.
    pub fn start(buckets: &[&str]) -> Option<Self> {
        let servers = servers_folder()?;
        let jdk = any_jdk()?;
        let folder = server_folder();
        let mut server = Self { jdk, servers, process: None, folder, port: 0 };
        buckets.iter().for_each(|bucket| server.create_bucket(bucket));
        let (port, process) = start_on_free_port(|port| Ok((port, server.start_process(port)?)));
        (server.port, server.process) = (port, Some(process));
        Some(server)
    }

    /// The store's address, with `http://` and the port. Clients must name the bucket in the path, not in the host's
    /// name.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The environment variables for a program that uses this store.
    pub fn environment(&self) -> [(&'static str, String); 5] {
        [
            ("AWS_ENDPOINT", self.endpoint()),
            ("AWS_REGION", Self::REGION.to_owned()),
            ("AWS_ACCESS_KEY_ID", Self::ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", Self::SECRET_KEY.to_owned()),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
        ]
    }

    /// Adds a bucket.
    ///
    /// # Panics
    /// The name is not allowed. S3 requires 3 to 63 lower-case letters, digits and hyphens.
    pub fn create_bucket(&self, bucket: &str) {
        let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        assert!(
            (3..=63).contains(&bucket.len()) && bucket.bytes().all(is_allowed),
            "not a valid bucket name: {bucket}"
        );
        fs::create_dir_all(self.bucket_folder(bucket)).expect("the test's folder can be written");
    }

    /// The folder with a bucket's objects as files. A file that a test adds is an object too.
    pub fn bucket_folder(&self, bucket: &str) -> PathBuf {
        self.folder.path().join("buckets").join(bucket)
    }

    /// Stops the store. Connections are then refused, and the content is kept.
    pub fn stop(&mut self) {
        self.process = None;
    }

    /// Starts a stopped store again, at the same address.
    ///
    /// # Panics
    /// The store does not start. The message contains its log.
    pub fn start_again(&mut self) {
        self.process = None;
        self.process = Some(self.start_process(self.port).unwrap_or_else(|error| match error {
            StartError::PortTaken => panic!("another program took port {} in the meantime", self.port),
            StartError::Failed(reason) => panic!("{reason}"),
        }));
    }

    fn start_process(&self, port: u16) -> Result<ServerProcess, StartError> {
        let settings = self.folder.path().join("s3proxy.properties");
        fs::write(&settings, settings_text(port, &self.folder.path().join("buckets")))
            .expect("the test's folder can be written");
        let folder = format!("-Dtest.folder={}", self.folder.path().display());
        let options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", &folder].map(str::to_owned);
        let mut command = java_command(&self.jdk.java(), &options, &self.servers.join("s3"));
        command.arg("org.gaul.s3proxy.Main").arg("--properties").arg(settings);
        let mut processes = [ServerProcess::start(command, self.folder.path().join("s3proxy.log"))];
        // The server refuses a request without a signature, but any response shows that it is running.
        wait_until_ready(&mut processes, START_LIMIT, || http(port, "GET / HTTP/1.0", "").is_ok())?;
        let [process] = processes;
        Ok(process)
    }
}

fn settings_text(port: u16, buckets: &Path) -> String {
    let (key, secret, buckets) = (S3Server::ACCESS_KEY, S3Server::SECRET_KEY, buckets.display());
    format!(
        "s3proxy.endpoint=http://127.0.0.1:{port}
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity={key}
s3proxy.credential={secret}
# Newer clients, Trino among them, send headers that it does not know and that change nothing here.
s3proxy.ignore-unknown-headers=true
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir={buckets}
"
    )
}
