//! Frames that are not code. Their names are async-profiler's reasons for incomplete stacks.
//!
//! In JFR, these frames look like native functions without a library. In collapsed stacks, their names are in brackets,
//! for example `[break_interpreted]`.

use whittle_model::LossReason;

/// Name of a frame with an address outside of all symbols. The stack continues above and below the frame.
pub(crate) const UNKNOWN_CODE: &str = "unknown";
/// Name of a frame with a Java class that was unloaded before its name was written.
pub(crate) const UNLOADED_METHOD: &str = "stale_jmethodID";

/// Why frames are missing at a frame with this name. `None` if the name is the name of code.
pub(crate) fn reason_of(name: &str) -> Option<LossReason> {
    Some(match name {
        "truncated" => LossReason::DepthLimit,
        "no_Java_frame" => LossReason::NoFrames,
        "storage_overflow" => LossReason::StorageLimit,
        "GC_active" => LossReason::GcActive,
        "break_deopt" | "deoptimization" => LossReason::Deoptimization,
        "skipped" => LossReason::ProfilerBusy,
        "not_walkable_not_Java" => LossReason::UnwalkableNative,
        "unknown_Java" | "not_walkable_Java" | "unknown_nmethod" | "safepoint" | "unknown_state"
        | "unexpected_state" => LossReason::UnwalkableJava,
        _ if name.starts_with("break_") => LossReason::UnwalkableJava,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_code_are_no_reasons() {
        assert_eq!(reason_of("break_compiled"), Some(LossReason::UnwalkableJava));
        assert_eq!(reason_of("call_stub"), None);
        assert_eq!(reason_of(UNKNOWN_CODE), None);
        assert_eq!(reason_of(UNLOADED_METHOD), None);
    }
}
