//! The pages of the user's guide about detectors, and their index, as Markdown. They are made from the detectors' files, so
//! the repository, the program and its reports have the same pages.

use crate::detector::{Condition, Detector, Endpoint, Figure, Gain, GainModel, Measure, Pattern};
use crate::guide_blocks::guide_blocks;
use crate::view::FindingsView;
use std::collections::BTreeSet;
use std::fmt::Write;
use whittle_profile::amounts::with_commas;

/// The first line below the title of a page in the repository.
const MARK: &str = "<!-- Written by `cargo xtask docs` from the detector's file. Do not edit. -->";

impl FindingsView {
    /// Adds the guide pages of the findings.
    #[must_use]
    pub fn with_guides(mut self) -> Self {
        let detectors = self.findings.iter().filter_map(|finding| Detector::of_id(&finding.detector));
        let guides = detectors.map(|detector| (detector.id.clone(), guide_blocks(&guide_page(detector))));
        self.guides = Some(guides.collect());
        self
    }
}

/// The list of all patterns, `README.md`.
pub fn guide_index() -> String {
    let mut text = format!(
        "# The patterns that whittle finds\n\n{MARK}\n\n\
         Each page explains a pattern: its meaning, how it looks, what whittle checks, the fix, and when not to \
         fix it. [Findings](../findings.md) explains the terms. A pattern with missing data is \"not checked\". The last \
         column names data that makes a finding more certain.\n\n| # | pattern | needs | more certain with |\n|---|---|---|---|\n"
    );
    for detector in Detector::all() {
        let more = more_certain_with(detector);
        let more = if more.is_empty() { "–".to_owned() } else { more.join(", ") };
        let (number, title, id) = (detector.number, &detector.title, &detector.id);
        add(&mut text, format_args!("| {number} | [{title}]({id}.md) | {} | {more} |\n", needs(detector).join(", ")));
    }
    text
}

/// The page about a detector.
pub fn guide_page(detector: &Detector) -> String {
    let text = &detector.text;
    let mut page = format!("# {}\n\n{MARK}\n\n", detector.title);
    let needs = needs(detector).join(", ");
    add(
        &mut page,
        format_args!(
            "Finding `{}`, number {} of [the patterns](README.md). Needs {needs}.",
            detector.id, detector.number
        ),
    );
    if let Some(jdk) = &detector.jdk {
        add(&mut page, format_args!(" JDK: {jdk}."));
    }
    if detector.weak && !is_note(detector) {
        page.push_str(" This pattern is a weak indicator, so findings are at most \"possible\".");
    }
    add(&mut page, format_args!("\n\n## What it means\n\n{}\n\n## How it looks\n\n{}\n", text.meaning, text.looks));
    for pattern in detector.patterns.iter().filter(|pattern| !pattern.anchors.is_empty() || !pattern.waits.is_empty()) {
        page.push_str(&pattern_words(pattern));
    }
    add(&mut page, format_args!("\n## What whittle checks\n\n{}", counters(detector)));
    add(&mut page, format_args!("\n## How to fix it\n\n{}\n", text.fix));
    if let (Some(before), Some(after)) = (&text.before, &text.after) {
        add(&mut page, format_args!("\nBefore:\n\n```java\n{before}\n```\n\nAfter:\n\n```java\n{after}\n```\n"));
    }
    if !is_note(detector) {
        add(&mut page, format_args!("\n## Expected saving\n\n{}", saving(&detector.gain)));
    }
    add(&mut page, format_args!("\n## Check first\n\n{}", bullets(&text.check_first)));
    add(&mut page, format_args!("\n## When not to\n\n{}", bullets(&text.when_not)));
    page
}

fn pattern_words(pattern: &Pattern) -> String {
    let mut words = match pattern.waits.as_slice() {
        [] => format!("\nFrames: {}.", names(&pattern.anchors)),
        waits => {
            let waits: Vec<String> = waits.iter().map(|wait| format!("`{}`", wait.name())).collect();
            format!("\nWaits ([meanings](../views.md#waits)): {}.", waits.join(", "))
        }
    };
    let mut more = |start: &str, list: &[String]| {
        if !list.is_empty() {
            add(&mut words, format_args!(" {start} {}.", names(list)));
        }
    };
    more("Between your code and these frames, one of the following is required:", &pattern.between);
    more("Between your code and these frames, none of the following is allowed:", &pattern.not_between);
    more("Above your code, one of the following is required:", &pattern.scope);
    more("Above your code, none of the following is allowed:", &pattern.not_scope);
    more("Below these frames, one of the following is required:", &pattern.below);
    more("Below these frames, none of the following is allowed:", &pattern.not_below);
    words.push('\n');
    words
}

/// Short names, such as `FileOutputStream.write`. Packages are named only if a pattern means a whole package.
fn names(list: &[String]) -> String {
    let mut shown: Vec<String> = list.iter().map(|name| format!("`{}`", short(name))).collect();
    let mut known = BTreeSet::new();
    shown.retain(|name| known.insert(name.clone()));
    shown.join(", ")
}

fn short(name: &str) -> String {
    let (name, parameters) = name.split_once('(').map_or((name, ""), |(name, rest)| (name, rest));
    let parameters = match parameters {
        "" => "",
        ")" => "()",
        _ => "(…)",
    };
    let is_code_below = ["kernel:", "jvm:", "native:", "stub:"].iter().any(|kind| name.starts_with(kind));
    if is_code_below || !name.contains('.') {
        return format!("{}{parameters}", if is_code_below { name.to_owned() } else { name.replace('/', ".") });
    }
    format!("{}{parameters}", name.rsplit('/').next().unwrap_or(name).replace('$', "."))
}

/// Rules about what the JVM reported.
const OF_JVM_LOG: [&str; 3] = ["collector-falls-behind", "early-promotion", "repeated-deoptimization"];

fn is_of_jvm_log(detector: &Detector) -> bool {
    detector.rule.as_deref().is_some_and(|rule| OF_JVM_LOG.contains(&rule))
}

/// Whether the detector's rule makes a note before the findings.
fn is_note(detector: &Detector) -> bool {
    is_of_jvm_log(detector) || matches!(detector.rule.as_deref(), Some("compiler-threads" | "oversized-pools"))
}

fn counters(detector: &Detector) -> String {
    let measure = match detector.measure {
        Measure::Cpu => "CPU time of the program's work threads, after warm-up",
        Measure::Elapsed => "CPU time and blocked time of the program's work threads, after warm-up",
        Measure::AllocBytes => "bytes that work threads allocate, after warm-up",
    };
    let least = match detector.measure {
        Measure::Elapsed => {
            "A finding has at least 3 %, of all work threads or of the threads that do most of the work."
        }
        _ => "A finding has at least 3 %.",
    };
    let mut words = match is_note(detector) {
        true => vec!["It is a note about the whole program, without a line, a share or an expected saving.".to_owned()],
        false => vec![format!("Measure: {measure}. {least}")],
    };
    words.extend(detector.conditions.iter().map(condition_words));
    let of_threads =
        |limit: &str, ratio: f64| format!("Share of the threads' time: at {limit} {:.0} %.", ratio * 100.0);
    words.extend(detector.least_of_threads.map(|ratio| of_threads("least", ratio)));
    words.extend(detector.most_of_threads.map(|ratio| of_threads("most", ratio)));
    words.extend(
        detector
            .rule
            .iter()
            .map(|rule| {
                match rule.as_str() {
                    "repeated-call" => "It reads the bytecode of the program's own lines: a loop repeats the call after an exception, without a pause.",
                    "serial-remote-calls" => "It reads the bytecode of the program's own lines: a loop makes the call for each element, and continues after it without a pause. A client library is below the call.",
                    "unused-log-text" => "It reads the bytecode of the program's own lines: the line passes a text to a logger, and the method does not check the level. The logger takes less than 2 % of the time of the text.",
                    "waiting-loop" => "It also reads the bytecode of the program's own lines, if the experiment has it: the line is in a loop that only tests what other threads change. The loop can also call `Thread.onSpinWait` or `Thread.yield`. It writes nothing, and no round uses a result of an earlier round. A loop that counts its rounds must call `onSpinWait` or `yield`.",
                    "hot-path" => "It examines the samples that belong to no other finding. One line of the program's own code has at least 30 % of the work threads' CPU time.",
                    "collector-falls-behind" => "It examines the pauses that the JVM reported. Full collections because of a lack of memory, failed evacuations, and threads that wait for memory have at least 3 % of the time.",
                    "early-promotion" => "It examines the heap before and after each collection, as the JVM reported it. At least 10 % of the allocated bytes outlived the young generation and were freed by collections of the old generation later. The pauses have at least 3 % of the time, or the collector's threads at least a tenth of the work threads' CPU time.",
                    "repeated-deoptimization" => "It examines the messages of the compiler. After the warm-up, the optimised code of methods with one name was given up at least five times, and at least once per minute.",
                    _ => "It examines pools of threads, as `whittle threads` shows them. It does not examine stacks.",
                }.to_owned()
            }),
    );
    let better = |id: &String| {
        format!("Not reported if [{id}]({id}.md) is found in the same method, because it explains the cost better.")
    };
    words.extend(detector.yields_to.iter().map(better));
    bullets(&words)
}

fn condition_words(condition: &Condition) -> String {
    let percent = |value: f64| format!("{} %", (value * 1000.0).round() / 10.0);
    let plain = |value: f64| with_commas(&value.to_string());
    let calls = || condition.calls.iter().map(|call| format!("`{call}`")).collect::<Vec<_>>().join(", ");
    let (what, number): (String, &dyn Fn(f64) -> String) = match condition.figure {
        Figure::CallsPerSecond => (format!("System calls ({}) per second and thread", calls()), &plain),
        Figure::BytesPerCall => (format!("Bytes per system call ({}), on average", calls()), &plain),
        Figure::CpuNanosPerCall => ("Nanoseconds of CPU time per system call".to_owned(), &plain),
        Figure::KernelRatio => ("Share in the kernel".to_owned(), &percent),
        Figure::BlockedRatio => ("Share of blocked time".to_owned(), &percent),
        Figure::AllocRatio => ("Share of all allocated bytes".to_owned(), &percent),
        Figure::SpentRatio => ("Share of the work threads' total".to_owned(), &percent),
        Figure::MethodRatio => ("Share of the calling method's CPU time".to_owned(), &percent),
        Figure::FaultsPerNewPage => ("Page faults per page by which the process's memory grew".to_owned(), &plain),
        Figure::FaultsPerSecond => ("Page faults per second".to_owned(), &plain),
        Figure::AnchorDepth => ("Frames below the pattern, on average".to_owned(), &plain),
        Figure::FramesRatio => (format!("Share of stacks with one of {}", names(&condition.frames)), &percent),
        Figure::BytesPerObject => ("Bytes per allocated object, on average".to_owned(), &plain),
        Figure::AllocBytesPerSecond => {
            ("Bytes allocated per second of the calling method's CPU time".to_owned(), &plain)
        }
        Figure::ArgumentValue => ("The number that the line to edit passes".to_owned(), &plain),
        Figure::CallsPerSocketRead => ("System calls per socket read of the same threads".to_owned(), &plain),
        Figure::WritesPerCall => (format!("Writes to the same file per {}", calls()), &plain),
        Figure::WrittenBytesPerCall => (format!("Bytes written to the same file per {}", calls()), &plain),
        Figure::GcRatio => {
            ("The garbage collector's CPU time, divided by the work threads' CPU time".to_owned(), &percent)
        }
        Figure::HumongousPauses => ("Pauses per minute with the cause `G1 Humongous Allocation`".to_owned(), &plain),
        Figure::LargestPart => ("Share of the largest part".to_owned(), &percent),
        Figure::InferredRatio => ("Inferred share".to_owned(), &percent),
        Figure::QueuedRatio => ("Share of the time in which the task was in the queue of a pool".to_owned(), &percent),
        Figure::HeldRatio => ("Share of waits in the method of the lock".to_owned(), &percent),
        Figure::RequestRatio => ("Share of the time of all requests".to_owned(), &percent),
        Figure::HolderRatio => ("Share of the method that probably holds the lock".to_owned(), &percent),
        Figure::KnownHolderRatio => ("Share of the holder of the lock".to_owned(), &percent),
        Figure::OwnCodeRatio => ("Share of the method's own code".to_owned(), &percent),
        Figure::InterpretedRatio => ("Share in which the deepest Java frame is interpreted".to_owned(), &percent),
    };
    let least = condition.at_least.map(|value| format!("at least {}", number(value)));
    let most = condition.at_most.map(|value| format!("at most {}", number(value)));
    let none: Vec<String> = condition.none_of.iter().map(|value| number(*value)).collect();
    let none = (!none.is_empty()).then(|| format!("none of {}", none.join(", ")));
    let bounds: Vec<String> = [least, most, none].into_iter().flatten().collect();
    let required = if condition.required { " Without this value, there is no finding." } else { "" };
    let (frames, unless) = (names(&condition.frames), names(&condition.unless));
    let asked = match (condition.figure, condition.frames.is_empty(), condition.unless.is_empty()) {
        (Figure::FramesRatio, ..) | (_, true, true) => String::new(),
        (_, false, _) => format!(" Checked if most of the samples have {frames}."),
        (_, true, false) => format!(" Not checked if most of the samples have {unless}."),
    };
    format!("{what}: {}.{asked}{required}", bounds.join(" and "))
}

fn saving(gain: &Gain) -> String {
    let time = match gain.endpoint {
        Endpoint::Cpu => "CPU time",
        Endpoint::Elapsed => "elapsed time",
    };
    let assumption = &gain.assumption;
    let less = match gain.remains {
        0.0 => String::new(),
        remains => format!(", minus the {:.0} % of it that usually remain", remains * 100.0),
    };
    let otherwise = if gain.method_if.is_some() {
        " If the method also does much other work, only the share of the calls is counted."
    } else {
        ""
    };
    let model = match gain.model {
        GainModel::Call => format!("The {time} of the calls{less}."),
        GainModel::Method => {
            format!(
                "The {time} of the whole calling method{less}, because the method does its work in another way.{otherwise}"
            )
        }
        GainModel::Collector => {
            format!("The garbage collector's CPU time, in proportion to the allocated bytes{less}.")
        }
        GainModel::None => {
            return format!(
                "The profile cannot show how much a fix saves, so the range begins at zero. The reason: {assumption}. Measure the saving with `whittle verify`.\n"
            );
        }
    };
    format!(
        "{model} The finding shows a range around it: how far measured fixes of programs were from this model, and the 95 % \
         interval of the measured share.\n\n\
         Assumed: {assumption}.\n"
    )
}

/// The data that a detector requires.
/// What samples of elapsed time need.
const BLOCKED: &str = "CPU samples and samples of blocked threads (event `off_cpu`)";

fn needs(detector: &Detector) -> Vec<&'static str> {
    let mut needs = vec![match detector.measure {
        _ if is_of_jvm_log(detector) => "the JVM's log",
        Measure::Cpu => "CPU samples",
        Measure::Elapsed => BLOCKED,
        Measure::AllocBytes => "allocations (events `alloc`)",
    }];
    match detector.rule.as_deref() {
        Some("repeated-call" | "serial-remote-calls" | "unused-log-text") => needs.push("class files"),
        Some("oversized-pools") => needs.push("states of threads (engine `kernel`)"),
        Some("compiler-threads") => needs.push("two minutes or more of a running program"),
        _ => {}
    }
    let anchors = || detector.patterns.iter().flat_map(|pattern| &pattern.anchors);
    if anchors().next().is_some() && anchors().all(|anchor| anchor.starts_with("kernel:")) {
        needs.push("stacks of the kernel (engines `kernel`, `cpu`)");
    }
    let required = detector.conditions.iter().filter(|condition| condition.required);
    add_once(&mut needs, required.filter_map(|condition| data_of(condition.figure)));
    needs
}

/// Data that makes a finding more certain.
fn more_certain_with(detector: &Detector) -> Vec<&'static str> {
    let needs = needs(detector);
    let mut more = Vec::new();
    add_once(&mut more, detector.conditions.iter().filter_map(|condition| data_of(condition.figure)));
    more.retain(|data| !needs.contains(data));
    more
}

fn add_once(list: &mut Vec<&'static str>, more: impl Iterator<Item = &'static str>) {
    for data in more {
        if !list.contains(&data) {
            list.push(data);
        }
    }
}

fn data_of(figure: Figure) -> Option<&'static str> {
    match figure {
        Figure::CallsPerSecond
        | Figure::BytesPerCall
        | Figure::CpuNanosPerCall
        | Figure::CallsPerSocketRead
        | Figure::WritesPerCall
        | Figure::WrittenBytesPerCall => Some("system calls (engine `kernel`)"),
        Figure::KernelRatio => Some("CPU samples with user and system time separated"),
        Figure::BlockedRatio | Figure::QueuedRatio => Some(BLOCKED),
        Figure::AllocRatio | Figure::BytesPerObject | Figure::AllocBytesPerSecond => {
            Some("allocations (events `alloc`)")
        }
        Figure::FaultsPerSecond | Figure::FaultsPerNewPage => Some("page faults (engine `kernel`)"),
        Figure::ArgumentValue => Some("class files"),
        Figure::HumongousPauses => Some("the JVM's pauses"),
        Figure::SpentRatio
        | Figure::MethodRatio
        | Figure::AnchorDepth
        | Figure::FramesRatio
        | Figure::GcRatio
        | Figure::InterpretedRatio
        | Figure::LargestPart
        | Figure::OwnCodeRatio
        | Figure::InferredRatio
        | Figure::HeldRatio
        | Figure::RequestRatio
        | Figure::HolderRatio
        | Figure::KnownHolderRatio => None,
    }
}

fn bullets<T: AsRef<str>>(lines: &[T]) -> String {
    lines.iter().map(|line| format!("- {}\n", line.as_ref())).collect()
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("writing to a String cannot fail");
}
