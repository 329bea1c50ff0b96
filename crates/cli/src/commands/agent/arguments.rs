//! The arguments of `whittle agent`.

use super::pods::KubeletOptions;
use crate::arguments::byte_size::parse_byte_size;
use crate::arguments::duration::parse_duration;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use whittle_collect::EngineChoice;
use whittle_model::CommandLineDetail;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  whittle agent --store /var/lib/whittle/fleet\n  \
    AWS_ENDPOINT=https://s3.example whittle agent --store s3://profiles/fleet --rules /etc/whittle/agent.toml\n\n\
    The agent finds all JVMs of the host as they start and stop. It collects them in segments and writes each segment to the \
    store. If the store is not available, segments wait in the spool. SIGTERM and Ctrl-C end the agent; the JVMs continue.\n\
    A label comes from the first of these that has it: a rule; WHITTLE_SERVICE, WHITTLE_VERSION, WHITTLE_REGION, \
    OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES in the environment of the process; --label; its pod (--kubelet); its main \
    class or jar, and the name of the host.")]
pub(crate) struct AgentArguments {
    /// Write segments to this store: a directory, or s3://BUCKET/PREFIX with address and key in AWS_ENDPOINT,
    /// AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
    #[arg(long, value_name = "DIR|s3://…")]
    pub(crate) store: String,
    /// Keep segments that are not in the store yet in this directory, so that they survive a restart
    #[arg(long, value_name = "DIR", default_value = "/var/spool/whittle")]
    pub(crate) spool: PathBuf,
    /// Largest size of the spool (500m, 1g). If it is full, the oldest segments are dropped and counted
    #[arg(long, value_name = "SIZE", value_parser = parse_byte_size, default_value = "1g")]
    pub(crate) spool_limit: u64,
    /// Collect at most this many processes of each user
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=2000), default_value_t = 100)]
    pub(crate) processes_per_user: u32,
    /// Samples per second on each busy CPU, 1 to 1000
    #[arg(long, value_name = "HZ", value_parser = clap::value_parser!(u32).range(1..=1000), default_value_t = 20)]
    pub(crate) rate: u32,
    /// Length of a segment, 5s to 10m
    #[arg(long, value_parser = parse_segment, default_value = "60s")]
    pub(crate) segment: Duration,
    /// Set a label on all processes that have no other label with this name; can be repeated
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = parse_label)]
    pub(crate) labels: Vec<(String, String)>,
    /// Get names of pods from this node's kubelet, as labels: https://NODE:10250, or without a token
    /// http://NODE:10255
    #[arg(long, value_name = "URL")]
    pub(crate) kubelet: Option<String>,
    /// The file with the token for the kubelet, only for a URL with https. Without this option: the token of the pod's service
    /// account
    #[arg(long, value_name = "FILE", requires = "kubelet")]
    pub(crate) kubelet_token: Option<PathBuf>,
    /// A file with the certificates that sign the kubelet's certificate. Without this option: the file of the pod's
    /// service account
    #[arg(long, value_name = "FILE", requires = "kubelet")]
    pub(crate) kubelet_ca: Option<PathBuf>,
    /// A TOML file with rules: processes to ignore, labels, and files with counts of units of work
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Also collect programs without a JVM if their command line matches this regular expression; needs the engine
    /// kernel
    #[arg(long, value_name = "REGEX")]
    pub(crate) native: Vec<String>,
    /// Store command lines and JVM arguments: redacted (without values that look like secrets), full or none
    #[arg(long, value_name = "DETAIL", default_value_t)]
    pub(crate) command_line: CommandLineDetail,
    /// Sample with this engine: auto, kernel (BPF programs), cpu (perf events) or ctimer (timers), as in whittle
    /// collect
    #[arg(long, default_value = "auto")]
    pub(crate) engine: EngineChoice,
}

impl AgentArguments {
    /// CPU time between two samples on a CPU.
    pub(crate) fn interval(&self) -> Duration {
        Duration::from_secs(1) / self.rate.max(1)
    }

    /// The kubelet to ask. `None`: labels of pods are off.
    pub(crate) fn kubelet(&self) -> Option<KubeletOptions> {
        let (token, authority) = (self.kubelet_token.clone(), self.kubelet_ca.clone());
        self.kubelet.clone().map(|address| KubeletOptions { address, token, authority })
    }
}

fn parse_segment(text: &str) -> Result<Duration, String> {
    let segment = parse_duration(text)?;
    let range = Duration::from_secs(5)..=Duration::from_secs(600);
    if range.contains(&segment) { Ok(segment) } else { Err("wanted 5s to 10m".to_owned()) }
}

fn parse_label(text: &str) -> Result<(String, String), String> {
    let wanted = || format!("wanted NAME=VALUE, for example region=eu-west; found \"{text}\"");
    let (name, value) = text.split_once('=').ok_or_else(wanted)?;
    if name.is_empty() || value.is_empty() { Err(wanted()) } else { Ok((name.to_owned(), value.to_owned())) }
}
