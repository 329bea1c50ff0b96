//! Rows of wakers as sentences.

use crate::wait_words::waited_for;
use crate::wakers::lock::{LOCKS, Lock};
use crate::wakers::row::{WakerRole, WakerRow};
use whittle_model::{FunctionIndex, FunctionTable, ThreadIndex, WakerKind};
use whittle_profile::Profile;
use whittle_profile::waits::WaitMeaning;

/// The class of a lock: `ReentrantLock`, `monitor`, or `monitor of java.util.Hashtable.get`. `function`: the calling code.
pub(crate) fn of_lock(functions: &FunctionTable, lock: &Lock, function: Option<FunctionIndex>) -> String {
    let Some(taken_in) = lock.taken_in else {
        return if lock.meaning == WaitMeaning::Monitor { "monitor" } else { "lock" }.to_owned();
    };
    if lock.meaning == WaitMeaning::Monitor {
        let is_own = Some(taken_in) == function;
        return if is_own {
            "monitor".to_owned()
        } else {
            format!("monitor of {}", short(&functions.display_name[taken_in.row()]))
        };
    }
    let name = functions.internal_name[taken_in.row()].strip_prefix(LOCKS).unwrap_or_default();
    name.split('.').next().unwrap_or_default().replace('$', ".")
}

/// The name of the thread's pool, or of the thread.
pub(crate) fn thread_name(profile: &Profile, thread: ThreadIndex) -> String {
    let name = &profile.tables().threads.name[thread.row()];
    let name = profile.pools().of_thread(thread.row()).map_or(name, |pool| &pool.name);
    if name.is_empty() { "a thread without a name".to_owned() } else { name.clone() }
}

/// The sentence of a row. It continues the sentence of the row above.
pub(crate) fn of_row(row: &WakerRow) -> String {
    let place = place(row.function.as_deref());
    match row.role {
        WakerRole::Waiter => format!("{} waits for {}{place}", row.thread, waited_for(row.meaning, &row.file)),
        WakerRole::Waker => match row.waker_kind.and_then(|kind| WakerKind::from_name(kind).ok()) {
            Some(kind) => of_waker(kind, &row.thread, &place),
            None => "the kernel did not report who woke it".to_owned(),
        },
        WakerRole::Lock => {
            let line = row.line.map_or_else(String::new, |line| format!(":{line}"));
            format!("{}{place}{line}", row.lock)
        }
        WakerRole::Holder if row.waker_kind == Some(WakerKind::Holder.name()) => {
            format!("held until the end by {}{place}", row.thread)
        }
        WakerRole::Holder if row.waker_kind.is_some() => format!("held by {}{place}", row.thread),
        WakerRole::Holder => "the holder is not known".to_owned(),
        WakerRole::Waits => format!("which waited for {}{place}", waited_for(row.meaning, &row.file)),
        WakerRole::Executes => match &row.function {
            Some(function) => format!("which executed {}", short(function)),
            None => "which executed unknown code".to_owned(),
        },
        WakerRole::Runnable => "which waited for a CPU".to_owned(),
    }
}

fn of_waker(kind: WakerKind, thread: &str, place: &str) -> String {
    match kind {
        WakerKind::Thread => format!("woken by {thread}{place}"),
        WakerKind::Timer => "woken by a timer".to_owned(),
        WakerKind::Network => "probably woken by the network".to_owned(),
        WakerKind::Device => "woken by a device or by the kernel".to_owned(),
        WakerKind::OtherProcess => "woken by a process that is not observed".to_owned(),
        WakerKind::Holder => format!("not woken: {thread} held the lock at the end{place}"),
    }
}

/// ` in app.Shop.order`, or nothing.
fn place(function: Option<&str>) -> String {
    function.map_or_else(String::new, |function| format!(" in {}", short(function)))
}

/// The name without parameters, because the sentences are long.
fn short(function: &str) -> &str {
    function.split('(').next().unwrap_or(function)
}
