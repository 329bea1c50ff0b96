//! The arguments for a program that is a server, and does not end by itself.

use clap::Args;
use std::ffi::OsString;
use whittle_collect::{ServerAddress, ServerLoad};

#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// The program is a server. It is ready when this address answers: http://HOST:PORT/PATH or tcp://HOST:PORT
    #[arg(long, value_name = "ADDRESS", requires = "load")]
    ready: Option<ServerAddress>,
    /// Run this command line in a shell when the server is ready. When the command ends, the run ends. Costs are those of
    /// the server while the command runs, and --metric also reads the output of the command
    #[arg(long, value_name = "COMMAND", requires = "ready")]
    load: Option<OsString>,
}

impl ServerArguments {
    /// The load of the server. `None`: the program is no server.
    pub(crate) fn load(&self) -> Option<ServerLoad> {
        let (ready, command) = self.ready.clone().zip(self.load.clone())?;
        Some(ServerLoad { ready, command })
    }
}
