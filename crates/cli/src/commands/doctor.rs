//! `whittle doctor`: checks what this machine allows.

use crate::terminal::output;
use clap::Args;
use whittle_collect::{Check, Diagnosis, diagnose};
use whittle_terminal::Failure;

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Prints what this machine allows, which data is missing without a permission, and how to get the permission.
pub(crate) fn run(arguments: &DoctorArguments) -> Result<(), Failure> {
    let diagnosis = diagnose();
    if arguments.json {
        return output::print(format!("{}\n", serde_json::to_string_pretty(&diagnosis)?));
    }
    output::print(text(&diagnosis))
}

fn text(diagnosis: &Diagnosis) -> String {
    let checks: String = diagnosis.checks.iter().map(check_text).collect();
    let lacks = diagnosis.checks.iter().filter(|check| !check.is_fine).count();
    let end = match lacks {
        0 => "nothing is missing".to_owned(),
        1 => "1 part is missing, see above".to_owned(),
        lacks => format!("{lacks} parts are missing, see above"),
    };
    format!("{checks}\nwhittle collect will use the engine {}; {end}\n", diagnosis.engine)
}

fn check_text(check: &Check) -> String {
    let mark = if check.is_fine { "ok     " } else { "missing" };
    let mut text = format!("{mark}  {:<16} {}\n", check.subject, check.found);
    if !check.is_fine {
        text += &format!("{:26}costs: {}\n{:26}to get it: {}\n", "", check.cost, "", check.remedy);
    }
    text
}
