//! Finds data that a detector needs but that is missing in an experiment. The detector is then "not checked", which
//! does not mean "no problem".

use crate::detector::{Detector, Figure, Measure};
use crate::rules;
use whittle_model::{EventKind, FrameKind, FunctionKind, Metric, Table, Tables};
use whittle_profile::Profile;
use whittle_profile::name_patterns::kind_of_name;

/// The missing data. The words continue the sentence "needs ".
pub(crate) fn missing(profile: &Profile, detector: &Detector) -> Option<&'static str> {
    let required = || {
        let required = detector.conditions.iter().filter(|condition| condition.required);
        required.filter_map(|condition| missing_figure(profile, condition.figure)).next()
    };
    missing_measure(profile, detector.measure)
        .or_else(|| missing_kind(profile.tables(), detector))
        .or_else(required)
        .or_else(|| rules::missing(detector, profile))
}

/// True if the experiment has a metric of an event.
pub(crate) fn has(profile: &Profile, event: EventKind) -> bool {
    profile.manifest().metrics.iter().any(|metric| metric.event == event)
}

/// The missing stacks, if the experiment has no code of the kinds that the detector's anchors need.
fn missing_kind(tables: &Tables, detector: &Detector) -> Option<&'static str> {
    let anchors = || detector.patterns.iter().flat_map(|pattern| &pattern.anchors).map(|name| kind_of_name(name));
    let is_seen = |kind: FunctionKind| kind == FunctionKind::Java || tables.functions.kind.contains(&kind);
    // Row 0 is not a function.
    let is_missing = anchors().next().is_some() && !anchors().any(is_seen) && tables.functions.len() > 1;
    is_missing.then_some("stacks of native code and the kernel (engine kernel or cpu)")
}

fn missing_measure(profile: &Profile, measure: Measure) -> Option<&'static str> {
    let (event, words) = match measure {
        Measure::Cpu => (EventKind::Cpu, "CPU samples"),
        Measure::Elapsed => (EventKind::OffCpu, "samples of blocked threads (event off_cpu)"),
        Measure::AllocBytes => (EventKind::Alloc, "allocations (event alloc)"),
    };
    (!has(profile, event)).then_some(words)
}

fn missing_figure(profile: &Profile, figure: Figure) -> Option<&'static str> {
    let tables = profile.tables();
    let (is_missing, words) = match figure {
        Figure::CallsPerSecond | Figure::BytesPerCall | Figure::CpuNanosPerCall | Figure::CallsPerSocketRead => {
            (tables.sampled_calls.is_empty(), "system calls with stacks (engine kernel, event syscalls)")
        }
        Figure::WritesPerCall | Figure::WrittenBytesPerCall => {
            (tables.syscalls.is_empty(), "counted system calls (engine kernel)")
        }
        Figure::BlockedRatio | Figure::QueuedRatio => return missing_measure(profile, Measure::Elapsed),
        Figure::AllocRatio | Figure::BytesPerObject | Figure::AllocBytesPerSecond => {
            return missing_measure(profile, Measure::AllocBytes);
        }
        Figure::FaultsPerSecond | Figure::FaultsPerNewPage => {
            (!has(profile, EventKind::PageFault), "page faults (engine kernel)")
        }
        Figure::KernelRatio => (
            profile.manifest().metric(Metric::SystemCpu).is_none(),
            "CPU samples with user and system time separated (engine kernel or cpu)",
        ),
        Figure::ArgumentValue => (tables.archive.is_empty(), "class files in the experiment"),
        Figure::HumongousPauses => (tables.jvm_events.is_empty(), "the JVM's log (JDK 9 and later)"),
        Figure::GcRatio => (!has(profile, EventKind::Cpu), "CPU samples of the garbage collector's threads"),
        Figure::InterpretedRatio => {
            (!tables.frames.kind.contains(&FrameKind::Jit), "frame kinds, which this source does not report")
        }
        Figure::SpentRatio
        | Figure::MethodRatio
        | Figure::AnchorDepth
        | Figure::FramesRatio
        | Figure::LargestPart
        | Figure::OwnCodeRatio
        | Figure::InferredRatio
        | Figure::HeldRatio
        | Figure::RequestRatio
        | Figure::HolderRatio
        | Figure::KnownHolderRatio => {
            return None;
        }
    };
    is_missing.then_some(words)
}
