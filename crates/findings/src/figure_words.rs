//! Conditions of detectors, and the values of counters, in words.

use super::detector::{Condition, Figure};

/// A condition in words, with its value.
pub(super) fn condition_words(condition: &Condition, value: Option<f64>, name: Option<&str>) -> String {
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
        Some(value) => format!("{} (required: {bound})", figure_words(condition.figure, value, name)),
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
        | Figure::InterpretedRatio => format!("{} %", value * 100.0),
        _ => value.to_string(),
    }
}

fn unknown_words(figure: Figure) -> &'static str {
    match figure {
        Figure::CallsPerSecond => "system calls a second",
        Figure::BytesPerCall => "bytes a system call",
        Figure::KernelRatio => "share of the kernel",
        Figure::BlockedRatio => "share of blocked time",
        Figure::AllocRatio => "share of the allocated bytes",
        Figure::SpentRatio => "share of the work threads",
        Figure::MethodRatio => "share of the calling method",
        Figure::FaultsPerSecond => "page faults a second",
        Figure::AnchorDepth => "depth of the recursion",
        Figure::FramesRatio => "share of the frames of the condition",
        Figure::BytesPerObject => "bytes an object",
        Figure::AllocBytesPerSecond => "bytes allocated a second",
        Figure::ArgumentValue => "value passed at the line to edit",
        Figure::CallsPerSocketRead => "system calls for each read from a socket",
        Figure::WritesPerCall => "writes for each such call",
        Figure::WrittenBytesPerCall => "bytes written for each such call",
        Figure::GcRatio => "CPU time of the garbage collector",
        Figure::InterpretedRatio => "share of interpreted code",
    }
}

/// The value of a counter in words.
pub(super) fn figure_words(figure: Figure, value: f64, name: Option<&str>) -> String {
    let percent = format!("{:.0} %", value * 100.0);
    match figure {
        Figure::CallsPerSecond => {
            let name = name.map_or_else(|| "system".to_owned(), |name| format!("`{name}`"));
            format!("{} {name} calls a second per thread", thousands(value))
        }
        Figure::BytesPerCall => format!("{value:.1} bytes a call"),
        Figure::KernelRatio => format!("{percent} of it in the kernel"),
        Figure::BlockedRatio => format!("{percent} of it blocked"),
        Figure::AllocRatio => format!("{percent} of all bytes that the work threads allocate"),
        Figure::SpentRatio => format!("{percent} of the work threads"),
        Figure::MethodRatio => format!("{percent} of the calling method's CPU time"),
        Figure::FaultsPerSecond => format!("{} page faults a second", thousands(value)),
        Figure::AnchorDepth => format!("{value:.0} frames deep"),
        Figure::FramesRatio => format!("{percent} of it in the frames of the condition"),
        Figure::BytesPerObject => format!("{} bytes an object", thousands(value)),
        Figure::AllocBytesPerSecond => {
            format!("{} MB allocated a second of the method's CPU time", thousands(value / 1e6))
        }
        Figure::ArgumentValue => format!("the line to edit passes {value}"),
        Figure::CallsPerSocketRead => format!("{value:.1} system calls for each read from a socket"),
        Figure::WritesPerCall => format!("{value:.1} writes for each such call"),
        Figure::WrittenBytesPerCall => format!("{} bytes written for each such call", thousands(value)),
        Figure::GcRatio => format!("CPU time of the garbage collector: {percent} of the work threads' CPU time"),
        Figure::InterpretedRatio => format!("{percent} of it in interpreted code"),
    }
}

/// A whole number with separators: `754,662`.
pub(crate) fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.max(0.0));
    let mut out = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
