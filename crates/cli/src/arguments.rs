//! The command line: words, help texts, defaults.

use crate::agent::AgentArguments;
use crate::byte_size::parse_byte_size;
use crate::compare::CompareArguments;
use crate::duration::parse_duration;
use crate::findings::FindingsArguments;
use crate::lab::LabArguments;
use crate::report::ReportArguments;
use crate::verify::VerifyArguments;
use crate::view::AnalyzerArguments;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use whittle_analysis::compare::{Per, Rename};
use whittle_analysis::{
    ExportFormat, Filter, Fragment, MetricTerms, PercentOf, SortTerm, SyscallKeys, Transform, ViewMode,
};
use whittle_collect::{EngineChoice, Events};

/// Profiler and performance analyzer for Java programs on Linux and the native and kernel code beneath them.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 110)]
#[command(
    after_help = "Start with:\n  whittle stat -- java -jar app.jar\n  whittle collect -o first.whittle -- java -jar app.jar\n  whittle overview first.whittle"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// What a program uses, on one screen: time, memory, system calls, waits, and what to look at next
    Stat(StatArguments),
    /// Collect a program into an experiment: launch it, or attach to it
    Collect(CollectArguments),
    /// Collect all JVMs of this host at a low rate, for as long as they run, into a store for many hosts
    Agent(AgentArguments),
    /// What this machine allows, what each lack costs, and how to get it
    Doctor(DoctorArguments),
    /// Turn another tool's file (JFR, pprof, OTLP, perf.data, Firefox Profiler, speedscope, collapsed) into an experiment
    Import(ImportArguments),
    /// Turn an experiment into a file of another viewer: pprof, collapsed stacks, Firefox Profiler, speedscope
    Export(ExportArguments),
    /// Show experiments in the browser, and collect programs that run
    #[command(name = "view")]
    Analyzer(AnalyzerArguments),
    /// Write an experiment with the analyzer as one HTML file that opens without a network
    Report(ReportArguments),
    /// Measured experiments with programs that whittle brings along
    Lab(LabArguments),
    /// Causes with the calling line, the line to edit, and what a fix is expected to save
    Findings(FindingsArguments),
    /// Whether a changed program is better, by how much, and how sure: runs both in turns and gives a verdict
    Verify(Box<VerifyArguments>),
    /// Two versions of a program side by side: what costs more, what less, per unit of work
    Compare(CompareArguments),
    #[command(flatten)]
    View(ViewCommand),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle collect -o app.whittle -- java -jar app.jar\n  whittle collect -o app.whittle -p 4711 -d 30s\n  \
    whittle collect -o lister.whittle --follow -- ./nightly.sh\n\n\
    A JVM gets the profiler inside; any other program is collected from outside (which needs the engine kernel). \
    Ctrl-C, the end of the program and the end of the duration all leave a complete experiment. \
    The exit status is the program's (128 + signal number if a signal ended it)."
)]
pub(crate) struct CollectArguments {
    /// Where the experiment goes, usually NAME.whittle
    #[arg(short, long, value_name = "EXPERIMENT")]
    pub(crate) output: PathBuf,
    /// Attach to the process with this id, a JVM or not
    #[arg(short, long, value_name = "PID", conflicts_with = "command")]
    pub(crate) pid: Option<u32>,
    /// End after this time (30s, 2m, 500ms); a launched program goes on
    #[arg(short, long, value_parser = parse_duration)]
    pub(crate) duration: Option<Duration>,
    /// CPU time between two samples of a thread, at least 1ms
    #[arg(long, value_parser = parse_interval, default_value = "10ms")]
    pub(crate) interval: Duration,
    /// auto, kernel (BPF programs: everything), cpu (perf events: no amounts, system calls or waits) or ctimer
    /// (timers: no user/system split by method either)
    #[arg(long, default_value = "auto")]
    pub(crate) engine: EngineChoice,
    /// What is sampled besides CPU time: off_cpu, syscalls, syscall_time, io_bytes, page_faults, alloc, lock;
    /// each with an amount if wanted (syscalls=1000,off_cpu=10ms,alloc=512k); cpu: nothing besides [default: all]
    #[arg(long, value_name = "EVENT,…")]
    pub(crate) events: Option<Events>,
    /// Collect the processes that the program starts as well
    #[arg(long)]
    pub(crate) follow: bool,
    /// Read numbers from what the program prints: named groups are counters, those ending in _count units of work.
    /// For example '(?<messages_per_second>[0-9.]+) messages/s'
    #[arg(long, value_name = "REGEX", conflicts_with = "pid")]
    pub(crate) metric: Option<String>,
    /// How many units of work the program does, where it does not print it
    #[arg(long, value_name = "NUMBER", value_parser = parse_unit_count)]
    pub(crate) unit_count: Option<f64>,
    /// What --unit-count counts, for example requests
    #[arg(long, value_name = "NAME", default_value = "units", requires = "unit_count")]
    pub(crate) unit: String,
    /// Keep the files that the command line names (jars, class path, programs outside of system folders) in the experiment,
    /// so that whittle verify --against can run it again
    #[arg(long, conflicts_with = "pid")]
    pub(crate) keep_artefact: bool,
    /// Most that --keep-artefact copies
    #[arg(long, value_name = "BYTES", value_parser = parse_byte_size, default_value = "512m", requires = "keep_artefact")]
    pub(crate) artefact_limit: u64,
    /// For tests: lose every so many signals
    #[arg(long, hide = true, default_value_t = 0)]
    pub(crate) drop_every: u32,
    /// Do not add the JVM flags that make line numbers exact (DebugNonSafepoints)
    #[arg(long)]
    pub(crate) no_jvm_flags: bool,
    /// End a recording that a killed whittle left in the JVM, and begin anew
    #[arg(long, requires = "pid")]
    pub(crate) take_over: bool,
    /// Replace the experiment if there is one
    #[arg(short, long)]
    pub(crate) force: bool,
    /// Text to keep with the experiment
    #[arg(long, default_value = "")]
    pub(crate) comment: String,
    /// Print nothing but errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// For programs that start whittle: end when standard input ends
    #[arg(long, hide = true, requires = "pid")]
    pub(crate) stop_with_input: bool,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM …")]
    pub(crate) command: Vec<OsString>,
}

/// Below 1 ms perf events lose 15 to 25 % of the CPU time and slow the program down.
pub(crate) fn parse_interval(text: &str) -> Result<Duration, String> {
    let interval = parse_duration(text)?;
    let range = Duration::from_millis(1)..=Duration::from_secs(10);
    if range.contains(&interval) { Ok(interval) } else { Err("wanted 1ms to 10s".to_owned()) }
}

/// A number of units of work: above 0.
pub(crate) fn parse_unit_count(text: &str) -> Result<f64, String> {
    let number = text.replace('_', "").parse::<f64>().ok().filter(|number| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| format!("wanted a number above 0, for example 1000; found \"{text}\""))
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  whittle stat -- java -jar app.jar\n  whittle stat -p 4711 -d 10s\n  \
    whittle stat --metric '(?<messages_per_second>[0-9.]+) messages/s' -- java -jar app.jar\n\n\
    The exit status is the program's. With -o the experiment is kept, and every view can show it.")]
pub(crate) struct StatArguments {
    /// Attach to the process with this id, a JVM or not
    #[arg(short, long, value_name = "PID", conflicts_with = "command")]
    pub(crate) pid: Option<u32>,
    /// End after this time (30s, 2m, 500ms); a launched program goes on
    #[arg(short, long, value_parser = parse_duration)]
    pub(crate) duration: Option<Duration>,
    /// CPU time between two samples of a thread, at least 1ms
    #[arg(long, value_parser = parse_interval, default_value = "10ms")]
    pub(crate) interval: Duration,
    /// What is sampled besides CPU time, as for whittle collect [default: all]
    #[arg(long, value_name = "EVENT,…")]
    pub(crate) events: Option<Events>,
    /// Count the processes that the program starts as well
    #[arg(long)]
    pub(crate) follow: bool,
    /// Read numbers from what the program prints, as for whittle collect
    #[arg(long, value_name = "REGEX", conflicts_with = "pid")]
    pub(crate) metric: Option<String>,
    /// Keep the experiment here
    #[arg(short, long, value_name = "EXPERIMENT")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the experiment if there is one
    #[arg(short, long, requires = "output")]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Whether to colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
    /// Print no progress and no notes
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// The program and its arguments
    #[arg(last = true, value_name = "PROGRAM …")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// A recording of async-profiler or the JDK (.jfr), a profile of pprof, OpenTelemetry, perf.data, the Firefox
    /// Profiler or speedscope, or collapsed stacks; which one it is, its content tells
    pub(crate) file: PathBuf,
    /// Where the experiment goes, usually NAME.whittle
    #[arg(short, long, value_name = "EXPERIMENT")]
    pub(crate) output: PathBuf,
    /// CPU time that a sample of async-profiler's timer engines stands for: their files do not tell
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) sample_weight: Option<Duration>,
    /// Memory that a file may take, unpacked and parsed: 500m, 8g. Recordings are read in pieces and need no limit
    #[arg(long, value_name = "SIZE", value_parser = parse_byte_size, default_value = "2g")]
    pub(crate) max_memory: u64,
    /// Replace the experiment if there is one
    #[arg(short, long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  whittle export app.whittle -o app.pb.gz\n  whittle export app.whittle -o app.collapsed --mode machine\n  \
    whittle export app.whittle -o app.json --format firefox --metric off_cpu --filter 'time in 10s..20s'\n  \
    whittle export app.whittle -o - --format collapsed | flamegraph.pl > app.svg\n\n\
    Written is what the views show: the frames of the mode after transforms, the samples of the filter. Open pprof \
    files with `go tool pprof -http : FILE`, firefox ones in profiler.firefox.com, speedscope ones in speedscope.app."
)]
pub(crate) struct ExportArguments {
    /// The experiment's directory
    pub(crate) experiment: PathBuf,
    /// Where the file goes; -: to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// pprof, collapsed, firefox or speedscope [default: by FILE's name: .pb.gz and .pprof, or .collapsed, .folded
    /// and .txt]
    #[arg(long)]
    pub(crate) format: Option<ExportFormat>,
    /// The metric, by default cpu; pprof takes several (cpu,alloc_bytes), by default all
    #[arg(long)]
    pub(crate) metric: Option<MetricTerms>,
    /// user (Java as written), expert (and the native code below), machine (everything, JVM and kernel too)
    #[arg(short, long, default_value = "user")]
    pub(crate) mode: ViewMode,
    /// Samples that count, for example: thread ~ "worker" and time in 10s..20s
    #[arg(long)]
    pub(crate) filter: Option<Filter>,
    /// What is done to the stacks, in this order, as for the views
    #[arg(long, value_name = "TRANSFORM")]
    pub(crate) transform: Vec<Transform>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ViewCommand {
    /// What the experiment holds: totals, closure, losses, top functions
    Overview(ViewArguments),
    /// Functions with exclusive and inclusive values
    Functions(ViewArguments),
    /// Who calls a function and what it calls, with attributed values
    CallersCallees {
        /// The centre: `A.f`, or several frames from caller to callee: `A.f > B.g`; left out, <Total>
        #[arg(long, value_name = "FUNCTION [> FUNCTION …]")]
        fragment: Option<Fragment>,
        #[command(flatten)]
        view: ViewArguments,
    },
    /// The tree of calls, from the root or from one function
    CallTree {
        /// Root the tree at this function, which is then 100 %
        #[arg(long, value_name = "FUNCTION")]
        root: Option<String>,
        /// Leave out nodes below this share, in percent
        #[arg(long, value_name = "PERCENT", default_value_t = 1.0)]
        min_percent: f64,
        /// Deepest level shown
        #[arg(long)]
        depth: Option<usize>,
        /// Whether percentages are of the root or of the parent
        #[arg(long, default_value = "root")]
        percent_of: PercentOf,
        #[command(flatten)]
        view: ViewArguments,
    },
    /// The most common stacks
    Stacks(ViewArguments),
    /// Source lines with exclusive and inclusive values
    Lines(ViewArguments),
    /// Threads with their CPU time, and what they waited for
    Threads(ViewArguments),
    /// What each thread did when, one line a thread: CPU time by height, waits by letter
    #[command(
        after_help = "A time range in the filter (time in 10s..20s) is the stretch of time shown. Rows are sorted by CPU; \
                      --sort takes cpu, blocked, start or name. --json and --csv have a row for each thread, bin and state."
    )]
    Timeline {
        /// Number of parts that the time is cut into
        #[arg(long, default_value_t = 60)]
        bins: usize,
        #[command(flatten)]
        view: ViewArguments,
    },
    /// System calls: how many, how many bytes each, how long, on which file, called by which function
    #[command(
        after_help = "Rows are sorted by calls; --sort takes calls, errors, bytes, bytes_per_call, time, p99 or name."
    )]
    Syscalls {
        /// What rows are told apart by: any of call, file, caller
        #[arg(long, default_value = "call,file,caller")]
        by: SyscallKeys,
        #[command(flatten)]
        view: ViewArguments,
    },
    /// The code of a function with the cost of each line: source, bytecode or disassembly
    #[command(
        after_help = "Examples:\n  whittle source app.whittle 'com.example.Log.flush()' --source-path src/main/java\n  \
        whittle source app.whittle java.util.HashMap.put --limit 0\n\n\
        Sources are looked for in --source-path, then beside the jar or folder that a class was loaded from (NAME-sources.jar, \
        src/main/java), then in the JDK's src.zip; without source the bytecode is shown. Native functions show their source file \
        and their machine code. Text shows the lines around costs; --limit 0 shows all."
    )]
    Source {
        #[command(flatten)]
        view: ViewArguments,
        /// Name as shown; without a signature all overloads
        name: String,
        /// Where sources are: folders, jars, zip files; binaries and class files too. Several: separated by colons, or
        /// given again
        #[arg(long, value_name = "DIR|JAR", value_delimiter = ':')]
        source_path: Vec<PathBuf>,
    },
    /// Everything about one function
    Function {
        #[command(flatten)]
        view: ViewArguments,
        /// Name as shown; without a signature all overloads
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ViewArguments {
    /// The experiment's directory
    pub(crate) experiment: PathBuf,
    #[command(flatten)]
    pub(crate) against: AgainstArguments,
    /// user (Java as written), expert (and the native code below), machine (everything, JVM and kernel too)
    #[arg(short, long, default_value = "user")]
    pub(crate) mode: ViewMode,
    /// Columns: e. exclusive, i. inclusive, a. attributed; %: percent. For example e.system_cpu,e.system_cpu%,i.cpu
    #[arg(long)]
    pub(crate) metrics: Option<MetricTerms>,
    /// Column to sort by, or name
    #[arg(long)]
    pub(crate) sort: Option<SortTerm>,
    /// Samples that count, for example: thread ~ "worker" and time in 10s..20s
    #[arg(long)]
    pub(crate) filter: Option<Filter>,
    /// What is done to the stacks, in this order, for example: merge "A.f", hide "B.g", collapse package "java.util",
    /// focus "C.h", collapse recursion
    #[arg(long, value_name = "TRANSFORM")]
    pub(crate) transform: Vec<Transform>,
    /// Rows shown at most [default: 30, overview 5]; 0: all
    #[arg(short, long)]
    pub(crate) limit: Option<usize>,
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print comma-separated values
    #[arg(long)]
    pub(crate) csv: bool,
    /// Whether to colour the text
    #[arg(long, value_enum, default_value_t = Colour::Auto)]
    pub(crate) color: Colour,
}

/// What the experiment is compared with.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct AgainstArguments {
    /// Compare: show beside it what this one has, the program as it was; may be given again for more runs of that
    #[arg(long, value_name = "EXPERIMENT")]
    pub(crate) baseline: Vec<PathBuf>,
    /// In a comparison: another run of the same program as the experiment; may be given again
    #[arg(long, value_name = "EXPERIMENT", requires = "baseline")]
    pub(crate) and: Vec<PathBuf>,
    /// In a comparison: what values are per: a unit of work that both know, second, cpu-second or run [default: the first
    /// such unit, else second]
    #[arg(long, value_name = "UNIT", requires = "baseline")]
    pub(crate) per: Option<Per>,
    /// In a comparison: a class or package that the candidate calls differently; may be given again
    #[arg(long, value_name = "OLD=NEW", requires = "baseline")]
    pub(crate) rename: Vec<Rename>,
}

/// Whether output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}
