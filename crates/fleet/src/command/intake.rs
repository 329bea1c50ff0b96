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
use whittle_fleet::retention::{Removed, RetentionError, RetentionOptions, retain};
use whittle_fleet::store_clock::StoreClock;

/// Time between two checks for old days and unused files. Each check lists the whole store, and reads its time.
const RETENTION: Duration = Duration::from_secs(3600);

/// Maximum difference between the clocks of this machine and of the store that is not reported, in seconds.
const SKEW_S: u64 = 120;

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
    /// At the first check for old days, remove them even if they are more than half of the tables
    #[arg(long)]
    yes: bool,
}

fn length(text: &str) -> Result<i64, String> {
    let length = parse_length(text).filter(|length| *length > 0);
    length.ok_or_else(|| format!("expected a length such as 15s, 10m or 48h; found \"{text}\""))
}

/// Loads segments once, or repeatedly until the user interrupts the program.
pub(crate) async fn run(arguments: &IntakeArguments) -> Result<(), Failure> {
    let catalogue = Catalogue::new(Arc::new(Store::open(&arguments.store)?));
    let options = IntakeOptions { late_s: arguments.late, ..IntakeOptions::default() };
    let retention =
        RetentionOptions { days: arguments.keep_days, is_confirmed: arguments.yes, ..RetentionOptions::default() };
    let mut rounds = Rounds { intake: Intake::new(catalogue.clone(), options), catalogue, retention, clock: None };
    loop {
        match rounds.next().await {
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

/// The rounds of an intake.
struct Rounds {
    intake: Intake,
    catalogue: Catalogue,
    retention: RetentionOptions,
    /// The store's time since the last check for old days. Missing: the next round checks for old days.
    clock: Option<StoreClock>,
}

impl Rounds {
    /// Loads segments and compacts the tables. Removes old days if the last check was long ago.
    async fn next(&mut self) -> Result<(), Failure> {
        if let Some(clock) = self.clock.filter(|clock| clock.age() < RETENTION) {
            return self.load(clock.now_s()).await;
        }
        let clock = StoreClock::read(self.catalogue.store()).await?;
        tell_skew(clock.now_s(), local_s());
        self.load(clock.now_s()).await?;
        let removed = retain(&self.catalogue, self.retention, clock.now_s()).await;
        // A missing confirmation is reported once per check. After other errors, the next round tries again.
        if matches!(removed, Ok(_) | Err(RetentionError::TooMuch(_))) {
            self.clock = Some(clock);
        }
        let Removed { expired_count, object_count } = removed?;
        if expired_count > 0 {
            let days = self.retention.days;
            output::note(&format!("removed {expired_count} files older than {days} days from the tables"));
        }
        if object_count > 0 {
            output::note(&format!("deleted {object_count} unused files"));
        }
        // The user has confirmed this removal, not later removals.
        self.retention.is_confirmed = false;
        Ok(())
    }

    async fn load(&mut self, now_s: i64) -> Result<(), Failure> {
        tell_taken(&self.intake.run(now_s).await?);
        let Compacted { old_count, new_count } = compact(&self.catalogue, now_s).await?;
        if new_count > 0 {
            output::note(&format!("merged {old_count} files into {new_count}"));
        }
        Ok(())
    }
}

/// Reports that the clocks of this machine and of the store differ.
fn tell_skew(store_s: i64, local_s: i64) {
    let difference_s = local_s.abs_diff(store_s);
    if difference_s > SKEW_S {
        let direction = if local_s > store_s { "ahead of" } else { "behind" };
        output::note(&format!(
            "the clock of this machine is {difference_s} s {direction} the store's clock; whittle uses the store's time"
        ));
    }
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

fn local_s() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
