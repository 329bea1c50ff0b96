//! The command line of the program: from the arguments, or from the experiment after a confirmation.

use super::arguments::TryArguments;
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::ffi::OsString;
use std::io::{self, BufRead, IsTerminal, Write};
use whittle_model::REDACTED;
use whittle_profile::Profile;
use whittle_render::harmless;
use whittle_terminal::Failure;

/// The words of the program's command line.
pub(super) fn command(arguments: &TryArguments, profile: &Profile) -> Result<Vec<OsString>, Failure> {
    if !arguments.command.is_empty() {
        return Ok(arguments.command.clone());
    }
    let recorded = &profile.manifest().command;
    let what = arguments.finding.as_deref().unwrap_or("--all");
    let how = format!("add it: whittle try {} {what} -- java …", arguments.experiment.display());
    if recorded.is_empty() {
        return Err(Failure::new(format!("the experiment does not contain the command line of the program; {how}")));
    }
    let has_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
    if recorded.iter().any(|word| word.contains(REDACTED)) && !has_terminal {
        return Err(Failure::new(format!("the command line in the experiment has redacted values; {how}")));
    }
    if !arguments.yes {
        confirm(recorded, has_terminal, &how)?;
    }
    let words = recorded.iter().map(|word| with_values(word, &mut |number| read_value(word, number)));
    words.map(|word| Ok(OsString::from(word?))).collect()
}

/// Shows the recorded command line and waits for the user's answer.
fn confirm(recorded: &[String], has_terminal: bool, how: &str) -> Result<(), Failure> {
    let words: Vec<&str> = recorded.iter().map(String::as_str).collect();
    let shown = shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "));
    if !has_terminal {
        return Err(Failure::usage(format!(
            "the experiment contains the command line {shown}; to run it, add --yes; for another command line, {how}"
        )));
    }
    let answer = ask(&format!("{shown}\nRun this command line several times? [y/N] "))?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::new(format!("nothing was run; for another command line, {how}"))),
    }
}

/// The word with a value for each redacted part. `value` gets the number of the part, from 1.
fn with_values(word: &str, value: &mut dyn FnMut(usize) -> io::Result<String>) -> io::Result<String> {
    let mut parts = word.split(REDACTED);
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for (number, part) in (1..).zip(parts) {
        whole += &value(number)?;
        whole += part;
    }
    Ok(whole)
}

/// Asks for a value that the experiment does not contain. The terminal does not show it.
fn read_value(word: &str, number: usize) -> io::Result<String> {
    let terminal = io::stdin();
    let before = tcgetattr(&terminal)?;
    let mut hidden = before.clone();
    hidden.local_modes.remove(LocalModes::ECHO);
    // The terminal still shows the line break that the user types.
    hidden.local_modes.insert(LocalModes::ECHONL);
    tcsetattr(&terminal, OptionalActions::Now, &hidden)?;
    let value = ask(&format!("{word}\nValue {number} of {REDACTED} in this word (hidden): "));
    tcsetattr(&terminal, OptionalActions::Now, &before)?;
    Ok(value?.trim_end_matches(['\n', '\r']).to_owned())
}

/// A line of the user.
fn ask(question: &str) -> io::Result<String> {
    let mut error = io::stderr().lock();
    write!(error, "{}", harmless(question))?;
    error.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "test code")]
    use super::*;

    #[test]
    fn each_redacted_part_gets_its_value() {
        let word = format!("-Durl=jdbc:x?password={REDACTED}&key={REDACTED}&ssl=true");
        let whole = with_values(&word, &mut |number| Ok(format!("p{number}")));
        assert_eq!(whole.unwrap(), "-Durl=jdbc:x?password=p1&key=p2&ssl=true");
        let none = with_values("-jar", &mut |_| unreachable!("nothing is redacted"));
        assert_eq!(none.unwrap(), "-jar");
    }
}
