//! `whittle-fleet receive` accepts profiles that other agents push.

use crate::command::{Failure, output};
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::TcpListener;
use whittle_experiment::Store;
use whittle_push::{Access, PushOptions, Receiver, listen, read_tokens};

#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  whittle-fleet receive --store /var/lib/whittle --listen 0.0.0.0:4040 --tokens /etc/whittle/tokens\n\n\
    Each line of the --tokens file has an access token, then the services that its clients can push, then labels:\n  \
    s3cr3t-of-the-shop push:shop,shop-* region=eu\n\n\
    A * at the end of a name means all services that begin with this name. \
    Without push:, a token can push every service. The labels are added to pushes without these labels. \
    No other user can have access to the file (chmod 600).\n\n\
    Connections are not encrypted. If others can listen on the network, use a proxy that encrypts."
)]
pub(crate) struct ReceiveArguments {
    /// The store for pushed profiles: a directory, or s3://BUCKET/PREFIX
    #[arg(long, value_name = "STORE")]
    store: String,
    /// Address and port to listen on; port 0: any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:4040")]
    listen: SocketAddr,
    /// The file with the access tokens and their services
    #[arg(long, value_name = "FILE", required_unless_present = "anyone")]
    tokens: Option<PathBuf>,
    /// Accept profiles from every client that can reach the port, without access tokens
    #[arg(long, conflicts_with = "tokens")]
    anyone: bool,
}

/// Receives profiles until the user interrupts the program.
pub(crate) async fn run(arguments: &ReceiveArguments) -> Result<(), Failure> {
    let access = arguments.tokens.as_deref().map_or(Ok(Access::Anyone), read_tokens)?;
    let store = Arc::new(Store::open(&arguments.store)?);
    let receiver = Arc::new(Receiver::new(store, PushOptions { access, ..PushOptions::default() }));
    let cannot = |error| Failure { message: format!("cannot listen on {}: {error}", arguments.listen), exit_code: 1 };
    let listener = TcpListener::bind(arguments.listen).await.map_err(cannot)?;
    let address = listener.local_addr().map_err(cannot)?;
    output::note(&format!("accepting profiles at http://{address}; Ctrl-C ends the program"));
    match listen(listener, receiver).await {}
}
