//! Texts for detectors' conditions and for the values of counters.

use super::detector::{Condition, Figure};
use whittle_profile::amounts::{count, decimal, with_commas};

/// A condition in words, with its value. `calls`: the counted system calls in words, see
/// [`Calls::in_words`](super::sampled_calls::Calls::in_words).
pub(super) fn condition_words(condition: &Condition, value: Option<f64>, calls: Option<&str>) -> String {
    let bound = match (condition.at_least, condition.at_most) {
        (Some(least), Some(most)) => {
            format!("between {} and {}", bound(condition.figure, least), bound(condition.figure, most))
        }
        (Some(least), None) => format!("at least {}", bound(condition.figure, least)),
        (None, Some(most)) => format!("at most {}", bound(condition.figure, most)),
        (None, None) if !condition.none_of.is_empty() => {
            let values: Vec<String> = condition.none_of.iter().map(|value| bound(condition.figure, *value)).collect();
            format!("none of {}", values.join(", "))
        }
        (None, None) => "any".to_owned(),
    };
    match value {
        Some(value) => format!("{} (required: {bound})", figure_words(condition.figure, value, calls)),
        None => format!("{} (required: {bound}): unknown", unknown_words(condition.figure)),
    }
}

fn bound(figure: Figure, value: f64) -> String {
    match figure {
        Figure::KernelRatio
        | Figure::BlockedRatio
        | Figure::AllocRatio
        | Figure::SpentRatio
        | Figure::MethodRatio
        | Figure::FramesRatio
        | Figure::GcRatio
        | Figure::InterpretedRatio
        | Figure::LargestPart
        | Figure::OwnCodeRatio
        | Figure::InferredRatio
        | Figure::QueuedRatio
        | Figure::HeldRatio
        | Figure::RequestRatio
        | Figure::HolderRatio
        | Figure::KnownHolderRatio => format!("{} %", value * 100.0),
        _ => with_commas(&value.to_string()),
    }
}

fn unknown_words(figure: Figure) -> &'static str {
    match figure {
        Figure::CallsPerSecond => "system calls per second",
        Figure::BytesPerCall => "bytes per system call",
        Figure::CpuNanosPerCall => "CPU time per system call",
        Figure::KernelRatio => "kernel's share",
        Figure::BlockedRatio => "blocked share",
        Figure::AllocRatio => "share of all allocated bytes",
        Figure::SpentRatio => "share of the work threads' total",
        Figure::MethodRatio => "share of the calling method's CPU time",
        Figure::FaultsPerSecond => "page faults per second",
        Figure::FaultsPerNewPage => "page faults per page of growing memory",
        Figure::AnchorDepth => "recursion depth",
        Figure::FramesRatio => "share of stacks with the required frames",
        Figure::BytesPerObject => "bytes per object",
        Figure::AllocBytesPerSecond => "bytes allocated per second",
        Figure::ArgumentValue => "value that the line to edit passes",
        Figure::CallsPerSocketRead => "system calls per socket read",
        Figure::WritesPerCall => "writes per such call",
        Figure::WrittenBytesPerCall => "bytes written per such call",
        Figure::GcRatio => "garbage collector's CPU time",
        Figure::HumongousPauses => "pauses that large arrays started, per minute",
        Figure::InterpretedRatio => "share of interpreted code",
        Figure::LargestPart => "share of the largest part",
        Figure::OwnCodeRatio => "share of the method's own code",
        Figure::InferredRatio => "inferred share",
        Figure::QueuedRatio => "time in the queue of a pool",
        Figure::HeldRatio => "share of waits in the method of the lock",
        Figure::RequestRatio => "share of the time of requests",
        Figure::HolderRatio => "share of the method that probably holds the lock",
        Figure::KnownHolderRatio => "share of the holder of the lock",
    }
}

/// The value of a counter in words.
pub(super) fn figure_words(figure: Figure, value: f64, calls: Option<&str>) -> String {
    let percent = format!("{:.0} %", value * 100.0);
    match figure {
        Figure::CallsPerSecond => {
            format!("{} {} per second and thread", count(value), calls.unwrap_or("system calls"))
        }
        Figure::BytesPerCall => format!("{} bytes per call", decimal(value, 1)),
        Figure::CpuNanosPerCall => format!("{} µs of CPU time per call, user code included", decimal(value / 1e3, 1)),
        Figure::KernelRatio => format!("{percent} of its CPU time in the kernel"),
        Figure::BlockedRatio => format!("{percent} of its elapsed time blocked"),
        Figure::AllocRatio => format!("{percent} of all bytes allocated by the work threads"),
        Figure::SpentRatio => format!("{percent} of the work threads' total"),
        Figure::MethodRatio => format!("{percent} of the calling method's CPU time"),
        Figure::FaultsPerSecond => format!("{} page faults per second", count(value)),
        Figure::FaultsPerNewPage => {
            format!("{} page faults per page by which the process's memory grew", decimal(value, 1))
        }
        Figure::AnchorDepth => format!("{value:.0} frames deep"),
        Figure::FramesRatio => format!("{percent} of its CPU time on stacks with the required frames"),
        Figure::BytesPerObject => format!("{} bytes per object", count(value)),
        Figure::AllocBytesPerSecond => {
            format!("{} MB allocated per second of the method's CPU time", count(value / 1e6))
        }
        Figure::ArgumentValue => format!("the line to edit passes {value}"),
        Figure::CallsPerSocketRead => format!("{} system calls per socket read", decimal(value, 1)),
        Figure::WritesPerCall => format!("{} writes per such call", decimal(value, 1)),
        Figure::WrittenBytesPerCall => format!("{} bytes written per such call", count(value)),
        Figure::HumongousPauses => format!("{value:.0} garbage collections per minute that large arrays started"),
        Figure::GcRatio => format!("the garbage collector's CPU time is {percent} of the work threads' CPU time"),
        Figure::InterpretedRatio => format!("{percent} of its CPU time in interpreted code"),
        Figure::LargestPart => format!("{percent} of its CPU time in the code of one function"),
        Figure::HeldRatio => format!("{percent} of the time in the method of the lock waiting for one thing"),
        Figure::RequestRatio => format!("{percent} of the time of all requests"),
        Figure::HolderRatio => format!("{percent} of the time in the synchronized methods of the class in one of them"),
        Figure::KnownHolderRatio => format!("{percent} of the waiting time with the same holder of the lock"),
        Figure::QueuedRatio => {
            format!("in {percent} of its elapsed time, the task waited in the queue of a busy pool (estimated)")
        }
        Figure::OwnCodeRatio => format!("{percent} of its CPU time in the method's own code"),
        Figure::InferredRatio => format!(
            "{percent} of its CPU time is inferred: it is in code of the JVM without a caller on the stack, and this is the only line \
             that calls such code (the filter below does not select these samples)"
        ),
    }
}
