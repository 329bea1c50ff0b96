//! `whittle-fleet receive` accepts profiles that other agents push.

use crate::command::{Failure, output};
use clap::Args;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::net::TcpListener;
use whittle_experiment::Store;
use whittle_fleet::push::{Access, PushOptions, PushToken, Receiver, listen};

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  whittle-fleet receive --store /var/lib/whittle --listen 0.0.0.0:4040 --tokens /etc/whittle/tokens\n\n\
    Each line of the --tokens file has an access token, then labels. The labels are added to pushes without these labels:\n  \
    s3cr3t-of-the-shop service=shop region=eu\n\n\
    Connections are not encrypted. If others can listen on the network, use a proxy that encrypts."
)]
pub(crate) struct ReceiveArguments {
    /// The store for pushed profiles: a directory, or s3://BUCKET/PREFIX
    #[arg(long, value_name = "STORE")]
    store: String,
    /// Address and port to listen on; port 0: any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4040")]
    listen: SocketAddr,
    /// The file with the access tokens
    #[arg(long, value_name = "FILE", required_unless_present = "anyone")]
    tokens: Option<PathBuf>,
    /// Accept profiles from every client that can reach the port, without access tokens
    #[arg(long, conflicts_with = "tokens")]
    anyone: bool,
}

/// Receives profiles until the user interrupts the program.
pub(crate) async fn run(arguments: &ReceiveArguments) -> Result<(), Failure> {
    let access = arguments.tokens.as_deref().map_or(Ok(Access::Anyone), tokens)?;
    let store = Arc::new(Store::open(&arguments.store)?);
    let receiver = Arc::new(Receiver::new(store, PushOptions { access, ..PushOptions::default() }));
    let cannot = |error| Failure { message: format!("cannot listen on {}: {error}", arguments.listen), exit_code: 1 };
    let listener = TcpListener::bind(arguments.listen).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    output::note(&format!("accepting profiles at http://{address}; Ctrl-C ends the program"));
    match listen(listener, receiver).await {}
}

/// Reads the file of access tokens.
fn tokens(path: &Path) -> Result<Access, Failure> {
    let failure = |why: String| Failure { message: format!("{}: {why}", path.display()), exit_code: 1 };
    let text = std::fs::read_to_string(path).map_err(|error| failure(error.to_string()))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
    let tokens = lines.map(|(number, line)| token(line).map_err(|why| failure(format!("line {}: {why}", number + 1))));
    let tokens: Vec<PushToken> = tokens.collect::<Result<_, _>>()?;
    if tokens.is_empty() {
        return Err(failure("the file has no access token; write one access token per line".to_owned()));
    }
    Ok(Access::Tokens(tokens))
}

fn token(line: &str) -> Result<PushToken, String> {
    let mut words = line.split_whitespace();
    let secret = words.next().unwrap_or_default().to_owned();
    let label = |word: &str| match word.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("expected TOKEN NAME=VALUE …; found \"{word}\" after the token")),
    };
    Ok(PushToken { secret, labels: words.map(label).collect::<Result<BTreeMap<_, _>, _>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_may_have_labels() {
        let read = token("s3cr3t service=shop region=eu").expect("a token");
        assert_eq!((read.secret.as_str(), read.labels["region"].as_str()), ("s3cr3t", "eu"));
        assert!(token("s3cr3t shop").is_err());
    }
}
