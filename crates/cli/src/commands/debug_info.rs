//! `whittle debug-info`: downloads debug information from debuginfod servers. No other command downloads anything.
//!
//! The files go into the cache of debuginfod clients. Collections and views look there (`whittle_native`), and recognise the
//! files by build id.

use crate::experiments;
use crate::terminal::output;
use clap::Args;
use debuginfod::{BuildId, Client, HttpClient, HttpClientError, Readable};
use reqwest::blocking::Client as Http;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;
use whittle_collect::{BinaryFile, debug_info_cache, is_own_cache};
use whittle_model::{BinaryKind, Table, Tables};
use whittle_terminal::Failure;

/// The debug information of a browser has 3 GB; of a JVM, 0.3 GB.
const MAX_FILE_BYTES: u64 = 8 << 30;
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// For one file, with its download.
const FILE_TIME: Duration = Duration::from_secs(600);

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  whittle debug-info app.whittle --server https://debuginfod.debian.net\n\n\
    The servers learn the build ids of the libraries, which tell what is installed. whittle sends nothing else, and no other \
    command asks these servers. The files stay in $DEBUGINFOD_CACHE_PATH, or else in ~/.cache/debuginfod_client, and other \
    tools use them as well. Collect again to get the names.")]
pub(crate) struct DebugInfoArguments {
    /// The experiment's directory
    experiment: PathBuf,
    /// Address of a debuginfod server; can be repeated. The servers are queried in this order
    #[arg(long = "server", value_name = "URL", env = "DEBUGINFOD_URLS", required = true)]
    servers: Vec<String>,
}

/// Downloads what is missing, and prints a line for each binary.
pub(crate) fn run(arguments: &DebugInfoArguments) -> Result<(), Failure> {
    let experiment = experiments::read(&arguments.experiment)?;
    let wanted = binaries(&experiment.tables);
    if wanted.is_empty() {
        return Err(Failure::new(
            "no binary in this experiment has a build id, so no server can find its debug information",
        ));
    }
    let client = client(&arguments.servers)?;
    let cache = debug_info_cache()
        .ok_or_else(|| Failure::new("no folder for the files: set DEBUGINFOD_CACHE_PATH to an absolute path"))?;
    fs::create_dir_all(&cache).map_err(|error| Failure::new(format!("{}: {error}", cache.display())))?;
    if !is_own_cache(&cache) {
        let reason = "other users can write there, so collections do not use it: set DEBUGINFOD_CACHE_PATH";
        return Err(Failure::new(format!("{}: {reason}", cache.display())));
    }
    let mut failed = 0;
    for (build_id, path) in wanted {
        let kept = cache.join(&build_id).join("debuginfo");
        let found = if is_kept(&kept) || is_present(&path, &build_id) {
            "already on this machine".to_owned()
        } else {
            output::note(&format!("asking for {path}"));
            download(&client, &build_id, &kept).unwrap_or_else(|error| {
                failed += 1;
                format!("failed: {error}")
            })
        };
        output::print(format!("{path}  {build_id}: {found}\n"))?;
    }
    match failed {
        0 => Ok(()),
        failed => Err(Failure::new(format!("{failed} files could not be downloaded"))),
    }
}

/// The binaries with a build id, by build id. Each has one of its paths.
fn binaries(tables: &Tables) -> BTreeMap<String, String> {
    let binaries = &tables.binaries;
    let with_id = (0..binaries.len()).filter(|row| binaries.kind[*row] == BinaryKind::Elf);
    with_id
        .filter_map(|row| Some((binaries.build_id[row].clone()?, binaries.path[row].clone())))
        .filter(|(build_id, _)| is_build_id(build_id))
        .collect()
}

/// An experiment can be from somebody else, and the build id becomes part of a path.
fn is_build_id(text: &str) -> bool {
    text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Downloads a file to the path `kept`, and says how large it is, or that no server has it.
fn download(client: &Client, build_id: &str, kept: &Path) -> Result<String, String> {
    let answer = client.fetch_debug_info(&BuildId::formatted(build_id)).map_err(|error| format!("{error:#}"))?;
    let Some(mut answer) = answer else { return Ok("not on these servers".to_owned()) };
    let folder = kept.parent().unwrap_or(Path::new("."));
    let mut keep = || -> io::Result<u64> {
        fs::create_dir_all(folder)?;
        // Other programs must not see half a file.
        let mut file = NamedTempFile::new_in(folder)?;
        let size_bytes = io::copy(&mut answer.data, &mut file)?;
        file.persist(kept)?;
        Ok(size_bytes)
    };
    let size_bytes = keep().map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(format!("downloaded, {:.1} MB", size_bytes as f64 / 1e6))
}

/// Other clients write an empty file if no server has the file.
fn is_kept(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() > 0)
}

/// Whether this machine has the binary and its debug information.
fn is_present(path: &str, build_id: &str) -> bool {
    BinaryFile::open(Path::new(path))
        .is_ok_and(|binary| binary.build_id() == Some(build_id) && binary.has_debug_information())
}

fn client(servers: &[String]) -> Result<Client, Failure> {
    let http = Http::builder().connect_timeout(CONNECT_TIME).timeout(FILE_TIME).build()?;
    // The variable of the distributions separates servers by spaces, and has other words such as `ima:enforcing`.
    let words = servers.iter().flat_map(|servers| servers.split_whitespace());
    let addresses = words.filter(|word| word.starts_with("http://") || word.starts_with("https://"));
    let client = Client::builder().http_client(Limited(http)).build(addresses);
    let client = client.map_err(|error| Failure::usage(format!("{error:#}")))?;
    client.ok_or_else(|| Failure::usage("expected the address of a server, for example https://debuginfod.debian.net"))
}

/// An HTTP client that ends with an error if a server sends too much.
#[derive(Debug)]
struct Limited(Http);

impl HttpClient for Limited {
    fn get(&self, url: &str) -> Result<Box<dyn Readable>, HttpClientError> {
        let other = |error: reqwest::Error| HttpClientError::Other(Box::new(error));
        let response = self.0.get(url).send().map_err(other)?;
        match response.status() {
            status if status.is_success() => Ok(Box::new(AtMost { response, left_bytes: MAX_FILE_BYTES })),
            status => Err(HttpClientError::StatusCode(status)),
        }
    }
}

#[derive(Debug)]
struct AtMost<R> {
    response: R,
    left_bytes: u64,
}

impl<R: Read> Read for AtMost<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.response.read(buffer)?;
        self.left_bytes = self
            .left_bytes
            .checked_sub(count as u64)
            .ok_or_else(|| io::Error::other("the server sends more than debug information has"))?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_id_leaves_no_folder() {
        assert!(is_build_id("ab12cd34ef"));
        for text in ["", "..", "../../etc", "/etc/passwd", "ab12/../..", "ab1g"] {
            assert!(!is_build_id(text), "{text}");
        }
    }

    #[test]
    fn more_bytes_than_the_limit_are_an_error() {
        let read = |left_bytes| {
            let mut bytes = Vec::new();
            AtMost { response: &[7u8; 100][..], left_bytes }.read_to_end(&mut bytes).map(|_| bytes.len())
        };
        assert_eq!(read(100).unwrap(), 100);
        assert!(read(99).is_err());
    }
}
