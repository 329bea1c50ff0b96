//! The program `whittle-fleet`.

mod command;

use clap::Parser;
use command::{Arguments, Command, Failure, output};
use rustix::fs::Mode;
use std::error::Error;
use std::process::ExitCode;
use whittle_server::ServerError;

fn main() -> ExitCode {
    // Profiles contain names of code, hosts and users. So other users cannot read the files that this program creates.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    whittle_terminal::give_hints(hint);
    let arguments = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let result = runtime.map_err(Failure::from).and_then(|runtime| runtime.block_on(run(arguments.command)));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            output::error(&failure.message);
            ExitCode::from(failure.exit_code)
        }
    }
}

/// What the user can do about an error of a library. Missing: the error's message is sufficient.
fn hint(error: &(dyn Error + 'static)) -> Option<String> {
    let view = || error.downcast_ref().and_then(whittle_terminal::hint_of_view);
    let is_taken = matches!(error.downcast_ref(), Some(ServerError::Listen { .. }));
    is_taken.then(|| "choose another port with --port".to_owned()).or_else(view)
}

async fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Intake(intake) => command::intake::run(&intake).await,
        Command::Receive(receive) => command::receive::run(&receive).await,
        Command::Whole(whole) => command::whole::run(&whole).await,
        Command::View(view) => command::views::run(view).await,
        Command::Compare(compare) => command::compare::run(&compare).await,
        Command::Regressions(regressions) => command::regressions::run(&regressions).await,
        Command::Saving(saving) => command::saving::run(&saving).await,
        Command::Export(export) => command::export::run(&export).await,
        Command::Serve(serve) => command::serve::run(&serve).await,
        Command::Demo(demo) => command::demo::run(&demo).await,
        Command::DemoHost(host) => command::demo::run_host(&host).await,
        Command::DemoPack(pack) => command::demo::run_pack(&pack),
    }
}
