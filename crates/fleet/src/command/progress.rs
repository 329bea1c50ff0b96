//! Prints a message if a task takes a long time.

use crate::command::output;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

/// A message is printed if the work takes longer than this time.
const SILENCE: Duration = Duration::from_secs(2);

/// Runs `work`, and prints the text if `work` takes a long time.
pub(crate) async fn say_if_long<T>(text: &str, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    match tokio::time::timeout(SILENCE, &mut work).await {
        Ok(done) => done,
        Err(_) => {
            output::note(text);
            work.await
        }
    }
}
