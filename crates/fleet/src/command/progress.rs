//! What is said while something takes long.

use crate::command::output;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

/// Work that takes longer says something.
const SILENCE: Duration = Duration::from_secs(2);

/// Does the work, and says the text if it takes long.
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
