//! `whittle completions`: a script that completes the command line in a shell.

use crate::terminal::output;
use clap::{Args, Command};
use clap_complete::Shell;
use whittle_terminal::Failure;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  whittle completions bash > /etc/bash_completion.d/whittle\n  \
    whittle completions zsh > ~/.zfunc/_whittle\n  \
    whittle completions fish > ~/.config/fish/completions/whittle.fish\n\n\
    Packages (.deb and .rpm) install the scripts for these three shells.")]
pub(crate) struct CompletionsArguments {
    /// The shell that reads the script
    shell: Shell,
}

/// Prints the script for the commands and options of `whittle`.
pub(crate) fn run(arguments: &CompletionsArguments, whittle: Command) -> Result<(), Failure> {
    output::print(script(arguments.shell, whittle))
}

fn script(shell: Shell, mut whittle: Command) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut whittle, "whittle", &mut script);
    script
}
