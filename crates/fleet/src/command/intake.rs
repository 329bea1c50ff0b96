//! `whittle-fleet intake` loads landed segments into the tables, merges small files and removes old days.

use crate::command::{Failure, output};
use clap::Args;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use whittle_experiment::Store;
use whittle_fleet::catalogue::Catalogue;
use whittle_fleet::compaction::{Compacted, compact};
use whittle_fleet::intake::{Intake, IntakeOptions, RefusedSegment, Taken};
use whittle_fleet::question::parse_length;
use whittle_fleet::retention::{Removed, RetentionOptions, retain};

/// Seconds between two checks for old days and unused files. Each check lists the whole store.
const RETENTION_S: i64 = 3600;

/// Maximum number of refused segments that are named after each round.
const MAX_NAMED: usize = 10;

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle-fleet intake --store /var/lib/whittle            until it is interrupted\n  \
    whittle-fleet intake --store s3://profiles/fleet --once   loads the segments that have landed, then stops\n\n\
    Run only one intake per store. You can stop the intake at any time; the next intake completes unfinished work."
)]
pub(crate) struct IntakeArguments {
    /// Where segments and tables are: a directory, or s3://BUCKET/PREFIX with AWS_ENDPOINT, AWS_REGION, AWS_ACCESS_KEY_ID and
    /// AWS_SECRET_ACCESS_KEY in the environment
    #[arg(long, value_name = "STORE")]
    store: String,
    /// Load the segments that have landed, then stop
    #[arg(long)]
    once: bool,
    /// How often to look for new segments
    #[arg(long, value_name = "LENGTH", default_value = "15s", value_parser = length)]
    every: i64,
    /// Maximum age of segments; older segments are refused. Use at least the time that an agent's spool waits for the store
    #[arg(long, value_name = "LENGTH", default_value = "48h", value_parser = length)]
    late: i64,
    /// Number of days to keep in the tables
    #[arg(long, value_name = "DAYS", default_value_t = RetentionOptions::default().days)]
    keep_days: u32,
}

fn length(text: &str) -> Result<i64, String> {
    let length = parse_length(text).filter(|length| *length > 0);
    length.ok_or_else(|| format!("expected a length such as 15s, 10m or 48h; found \"{text}\""))
}

/// Loads segments once, or repeatedly until the user interrupts the program.
pub(crate) async fn run(arguments: &IntakeArguments) -> Result<(), Failure> {
    let catalogue = Catalogue::new(Arc::new(Store::open(&arguments.store)?));
    let options = IntakeOptions { late_s: arguments.late, ..IntakeOptions::default() };
    let mut intake = Intake::new(catalogue.clone(), options);
    let retention = RetentionOptions { days: arguments.keep_days, ..RetentionOptions::default() };
    let mut next_retention_s = i64::MIN;
    loop {
        let now_s = now_s();
        let retention = (now_s >= next_retention_s).then_some(retention);
        match round((&mut intake, &catalogue), retention, now_s).await {
            Ok(()) if retention.is_some() => next_retention_s = now_s + RETENTION_S,
            Ok(()) => {}
            Err(failure) if arguments.once => return Err(failure),
            // The segments are still in the store, so the next round can load them.
            Err(failure) => output::error(&format!("{}; whittle will try again", failure.message)),
        }
        if arguments.once {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_secs(arguments.every.unsigned_abs())).await;
    }
}

/// Loads segments and compacts the tables. Removes old days if the last removal was long ago.
async fn round(
    (intake, catalogue): (&mut Intake, &Catalogue),
    retention: Option<RetentionOptions>,
    now_s: i64,
) -> Result<(), Failure> {
    tell_taken(&intake.run(now_s).await?);
    let Compacted { old_count, new_count } = compact(catalogue, now_s).await?;
    if new_count > 0 {
        output::note(&format!("merged {old_count} files into {new_count}"));
    }
    if let Some(options) = retention {
        let Removed { expired_count, object_count } = retain(catalogue, options, now_s).await?;
        if object_count > 0 {
            output::note(&format!(
                "removed {object_count} files, {expired_count} of them older than {} days",
                options.days
            ));
        }
    }
    Ok(())
}

fn tell_taken(taken: &Taken) {
    let Taken { segment_count, known_count, ref refused, sample_count, ahead_count, collision_count } = *taken;
    if segment_count > 0 {
        output::note(&format!("loaded {segment_count} segments with {sample_count} samples"));
    }
    if known_count > 0 {
        output::note(&format!("skipped {known_count} segments that were already in the tables"));
    }
    tell_refused(refused);
    if ahead_count > 0 {
        output::note(&format!(
            "{ahead_count} segments are from hosts with clocks that are ahead; their end was set to their time of arrival"
        ));
    }
    if collision_count > 0 {
        output::note(&format!(
            "{collision_count} samples are counted at the caller of their stack, because another stack has the same short id"
        ));
    }
}

/// Names the refused segments. A refused segment is no longer in the landing, so it is named once.
fn tell_refused(refused: &[RefusedSegment]) {
    for RefusedSegment { path, reason, .. } in refused.iter().take(MAX_NAMED) {
        output::note(&format!("refused a segment: {}; it is now {}", one_line(reason), one_line(path)));
    }
    let more = refused.len().saturating_sub(MAX_NAMED);
    if more > 0 {
        output::note(&format!("refused {more} more segments; see the folder refused of the store"));
    }
}

/// Text from a segment, without control characters, for a terminal or a log.
fn one_line(text: &str) -> String {
    text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

fn now_s() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
