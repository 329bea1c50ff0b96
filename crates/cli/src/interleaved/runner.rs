//! Runs both sides interleaved.

use super::evidence::Evidence;
use super::finding::{self, Chosen, Wanted};
use super::folder::{Folder, RunFiles};
use super::plan::{Counts, Purpose, Step, plan};
use super::printed_values::{PrintedValues, Reader};
use super::run_of_experiment;
use super::watchdog::Watchdog;
use crate::signals::listen_for_signals;
use crate::terminal::output;
use crate::terminal::run_progress::{INTERRUPTED_EXIT_CODE, RunProgress, minutes};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use whittle_collect::{MeasuredRun, ServerLoad, Stop, run_measured_into, run_server_into};
use whittle_profile::Side;
use whittle_profile::compare::Rename;
use whittle_terminal::Failure;
use whittle_verdict::verify::{Design, PlannedRuns, PrimaryEndpoint, Run, forecast};

/// Number of lines that are shown of a failed run's output.
const SHOWN_LINES: usize = 10;
/// A candidate's run is ended after this many times the time of the baseline, and the time below in addition.
const LIMIT_OF_TIMES: u32 = 10;
const LIMIT_AT_LEAST: Duration = Duration::from_secs(30);
/// The forecast needs this many timed runs: the block A B B A.
const BLOCK_RUNS: usize = 4;

/// The numbers of runs, and what happens around them.
pub(crate) struct Settings<'a> {
    pub(crate) counts: Counts,
    pub(crate) profiled: ProfiledRuns<'a>,
    /// The finding that is the second primary endpoint.
    pub(crate) finding: Wanted,
    pub(crate) renames: &'a [Rename],
    /// No run begins after this time. `None`: no limit.
    pub(crate) time_box: Option<Duration>,
    /// If the runs end early, they have an answer if at least this many pairs of timed runs are complete. `None`: no
    /// answer.
    pub(crate) fewest_pairs: Option<usize>,
    /// Whether a candidate's run is ended if it takes much longer than the baseline's runs.
    pub(crate) ends_slow_candidate: bool,
    /// The program is a server. `None`: it ends by itself.
    pub(crate) server: Option<&'a ServerLoad>,
    pub(crate) is_quiet: bool,
}

/// Options of the profiled runs.
pub(crate) struct ProfiledRuns<'a> {
    pub(crate) engine: &'a str,
    pub(crate) interval: Duration,
    pub(crate) metric: Option<&'a str>,
}

/// A finished run, before its exit status is checked.
pub(crate) struct Finished<'a> {
    pub(crate) measured: &'a MeasuredRun,
    /// The time after which whittle ended the run. `None`: the run ended earlier.
    pub(crate) limit: Option<Duration>,
}

/// The caller's look at a finished run. `Break`: no further run is needed.
pub(crate) type AfterRun<'a> = dyn FnMut(&Step, &Finished<'_>) -> Result<ControlFlow<()>, Failure> + 'a;

/// The command line of a side.
#[derive(Debug, Default)]
pub(crate) struct SideCommand {
    pub(crate) words: Vec<OsString>,
    /// Variables of the environment, in addition to whittle's own environment.
    pub(crate) environment: Vec<(&'static str, OsString)>,
}

impl From<Vec<OsString>> for SideCommand {
    fn from(words: Vec<OsString>) -> Self {
        Self { words, environment: Vec::new() }
    }
}

/// Command lines of the two sides.
pub(crate) struct Commands {
    pub(crate) baseline: SideCommand,
    pub(crate) candidate: SideCommand,
}

impl Commands {
    fn of(&self, side: Side) -> &SideCommand {
        match side {
            Side::Baseline => &self.baseline,
            Side::Candidate => &self.candidate,
        }
    }
}

/// A finished run.
struct Done {
    step: Step,
    printed: PrintedValues,
    run: Run,
    experiment: Option<PathBuf>,
}

/// Why the runs ended.
enum Ended {
    /// All runs of the plan are finished.
    Whole,
    /// The runs ended early. The pairs that are complete have an answer.
    Early(String),
    /// The caller needs no further run.
    Enough,
}

/// Why no further run begins.
enum Stopped {
    Failed(Failure),
    TimeBox(Duration),
}

pub(crate) struct Runner<'a> {
    settings: Settings<'a>,
    commands: &'a Commands,
    folder: &'a Folder,
    reader: &'a Reader,
    stop: Stop,
    progress: RunProgress,
    design: Design,
    chosen: Option<Chosen>,
    done: Vec<Done>,
    /// Time of the last run, by side and whether it is profiled.
    times: BTreeMap<(Side, bool), Duration>,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(
        settings: Settings<'a>,
        (commands, design): (&'a Commands, Design),
        (folder, reader): (&'a Folder, &'a Reader),
    ) -> Result<Self, Failure> {
        let (stop, progress) = (Stop::default(), RunProgress::new(settings.is_quiet)?);
        listen_for_signals(&stop)?;
        let (chosen, done, times) = (None, Vec::new(), BTreeMap::new());
        Ok(Self { settings, commands, folder, reader, stop, progress, design, chosen, done, times })
    }

    /// Collects only the candidate, if the baseline cannot be run again; returns its experiments.
    pub(crate) fn collect_candidate(mut self) -> Result<Vec<(Side, PathBuf)>, Failure> {
        let counts = Counts { timed: 0, profiled: self.settings.counts.profiled.max(1), ..self.settings.counts };
        let steps: Vec<Step> = plan(counts).into_iter().filter(|step| step.side == Side::Candidate).collect();
        self.run_all(&steps, &mut |_, _| Ok(ControlFlow::Continue(())))?;
        let experiments = self.counted().filter_map(|done| Some((done.step.side, done.experiment.clone()?)));
        Ok(experiments.collect())
    }

    /// Runs all steps, and returns the evidence. `None`: the caller needed no further run.
    pub(crate) fn run(mut self, after_run: &mut AfterRun<'_>) -> Result<Option<Evidence>, Failure> {
        let counts = self.settings.counts;
        self.announce(counts);
        match self.run_all(&plan(counts), after_run)? {
            Ended::Whole => Ok(Some(self.evidence())),
            Ended::Early(reason) => {
                self.note(&reason);
                Ok(Some(self.evidence()))
            }
            Ended::Enough => Ok(None),
        }
    }

    fn run_all(&mut self, steps: &[Step], after_run: &mut AfterRun<'_>) -> Result<Ended, Failure> {
        let begin = Instant::now();
        for (number, step) in steps.iter().enumerate() {
            match self.next(begin, (number, steps), after_run) {
                Ok(ControlFlow::Continue(())) => self.note_forecast(step, &steps[number + 1..]),
                Ok(ControlFlow::Break(())) => {
                    self.progress.clear();
                    return Ok(Ended::Enough);
                }
                Err(stopped) => return self.end_early(stopped, number, steps.len()),
            }
        }
        self.progress.clear();
        Ok(Ended::Whole)
    }

    /// Makes the next run.
    fn next(
        &mut self,
        begin: Instant,
        (number, steps): (usize, &[Step]),
        after_run: &mut AfterRun<'_>,
    ) -> Result<ControlFlow<()>, Stopped> {
        if let Some(time_box) = self.settings.time_box.filter(|time_box| begin.elapsed() >= *time_box) {
            return Err(Stopped::TimeBox(time_box));
        }
        let left = self.time_left(&steps[number..]);
        let shown = self.progress.show(&title(number, steps), left);
        shown.and_then(|()| self.step(number, steps[number], after_run)).map_err(Stopped::Failed)
    }

    /// Keeps the complete pairs, if they are enough for an answer.
    fn end_early(&mut self, stopped: Stopped, number: usize, count: usize) -> Result<Ended, Failure> {
        self.progress.clear();
        let (failure, is_failed_run) = match stopped {
            Stopped::TimeBox(time_box) => (Failure::new(format!("the time of {} has ended", minutes(time_box))), false),
            Stopped::Failed(failure) => {
                let is_failed_run = failure.exit_code != INTERRUPTED_EXIT_CODE;
                (failure, is_failed_run)
            }
        };
        let failure = self.with_what_is_kept(failure, number, count);
        let Some(fewest) = self.settings.fewest_pairs.filter(|_| !is_failed_run) else { return Err(failure) };
        let pairs = self.keep_complete_pairs();
        if pairs < fewest {
            let message =
                format!("{}; an answer needs {fewest} pairs of runs, and {pairs} are finished", failure.message);
            return Err(Failure { message, ..failure });
        }
        Ok(Ended::Early(format!("{}; the answer is from {pairs} pairs of runs", failure.message)))
    }

    /// Drops the runs of an incomplete pair. Returns the number of complete pairs of timed runs.
    fn keep_complete_pairs(&mut self) -> usize {
        let pair_of = |done: &Done| (done.step.purpose, done.step.pair);
        let pairs: Vec<_> = self.done.iter().map(pair_of).collect();
        self.done.retain(|done| pairs.iter().filter(|pair| **pair == pair_of(done)).count() == Side::BOTH.len());
        self.done.iter().filter(|done| done.step.purpose == Purpose::Timed).count() / Side::BOTH.len()
    }

    fn announce(&mut self, counts: Counts) {
        let Counts { discarded, timed, profiled } = counts;
        self.note(&format!(
            "interleaved; per side: {discarded} not counted, then {timed} timed runs and {profiled} profiled runs"
        ));
        // The finding is chosen later. If a run is profiled, there is usually a finding.
        let has_finding = profiled > 0 && self.settings.finding != Wanted::None;
        let planned = PlannedRuns { runs: timed as usize, primary_count: 1 + usize::from(has_finding) };
        self.note(&forecast(&self.design, planned, &[]).words());
    }

    /// The remaining time. Missing: some kind of run has not been made yet.
    fn time_left(&self, steps: &[Step]) -> Option<Duration> {
        steps.iter().map(|step| self.times.get(&(step.side, step.is_profiled)).copied()).sum()
    }

    fn step(&mut self, number: usize, step: Step, after_run: &mut AfterRun<'_>) -> Result<ControlFlow<()>, Failure> {
        let files = self.folder.run(number, &step)?;
        let begin = Instant::now();
        let watchdog = self.limit(&step).map(|limit| Watchdog::start(limit, &self.stop));
        let command = self.command(&step, &files);
        let measured = match self.settings.server {
            Some(load) => run_server_into(command, load, &files.output, &self.stop),
            None => run_measured_into(command, &files.output, &self.stop),
        };
        // A late limit must not end the next run.
        let limit = watchdog.and_then(Watchdog::end);
        self.progress.check_signals()?;
        let name = self.commands.of(step.side).words.first().map(|word| word.to_string_lossy().into_owned());
        let measured = measured.map_err(|error| {
            Failure::new(format!("the {} cannot be run: {}: {error}", step.side.name(), name.unwrap_or_default()))
        })?;
        if after_run(&step, &Finished { measured: &measured, limit })?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
        check_end(&step, &measured, &files)?;
        let printed = self.reader.read([&measured.stdout, &measured.stderr]);
        self.check_printed(&step, &printed)?;
        let run = self.run_of(&step, &measured, (&printed, &files))?;
        let experiment = step.is_profiled.then_some(files.experiment);
        self.done.push(Done { step, printed, run, experiment });
        self.times.insert((step.side, step.is_profiled), begin.elapsed());
        Ok(ControlFlow::Continue(()))
    }

    /// The time after which a run is ended. `None`: no limit.
    fn limit(&self, step: &Step) -> Option<Duration> {
        if !self.settings.ends_slow_candidate || step.side == Side::Baseline {
            return None;
        }
        let baseline = self.times.iter().filter(|((side, _), _)| *side == Side::Baseline).map(|(_, time)| *time);
        Some(LIMIT_OF_TIMES * baseline.max()? + LIMIT_AT_LEAST)
    }

    /// A profiled run is a separate `whittle collect`, as a user would start it.
    fn command(&self, step: &Step, files: &RunFiles) -> Command {
        let SideCommand { words, environment } = self.commands.of(step.side);
        let mut command = match step.is_profiled {
            true => self.collecting(words, files),
            false => {
                let mut command = Command::new(words.first().map(OsString::as_os_str).unwrap_or(OsStr::new("")));
                command.args(words.get(1..).unwrap_or_default());
                command
            }
        };
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn collecting(&self, words: &[OsString], files: &RunFiles) -> Command {
        let ProfiledRuns { engine, interval, metric } = self.settings.profiled;
        // If the path of this program is unknown, whittle is started from the search path.
        let whittle = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("whittle"));
        let mut command = Command::new(whittle);
        command.args(["collect", "--quiet", "--engine", engine, "--output"]).arg(&files.experiment);
        command.arg("--interval").arg(format!("{}us", interval.as_micros()));
        if let Some(metric) = metric {
            command.args(["--metric", metric]);
        }
        command.arg("--").args(words);
        command
    }

    fn run_of(
        &mut self,
        step: &Step,
        measured: &MeasuredRun,
        (printed, files): (&PrintedValues, &RunFiles),
    ) -> Result<Run, Failure> {
        let mut run = Run {
            side: step.side,
            pair: Some(step.pair),
            order: u32::try_from(self.done.len()).unwrap_or(u32::MAX),
            is_profiled: step.is_profiled,
            elapsed_ns: measured.elapsed_ns,
            user_cpu_ns: measured.user_cpu_ns,
            system_cpu_ns: measured.system_cpu_ns,
            units: printed.units,
            metrics: printed.metrics.clone(),
            finding: None,
        };
        if step.is_profiled {
            let profile = finding::load(&files.experiment)?;
            // The measured times include whittle collect. The experiment contains the times of the program alone.
            run = run_of_experiment(&profile, run);
            if step.side == Side::Baseline
                && self.chosen.is_none()
                && self.done.iter().all(|done| !done.step.is_profiled)
            {
                self.choose(&profile)?;
            }
            if let Some(chosen) = &self.chosen {
                run.finding = Some(chosen.cost((step.side, &profile), self.settings.renames));
            }
        }
        Ok(run)
    }

    fn choose(&mut self, profile: &whittle_profile::Profile) -> Result<(), Failure> {
        let wanted = &self.settings.finding;
        self.chosen = finding::choose(profile, wanted)?;
        self.design.finding = self.chosen.as_ref().map(|chosen| chosen.verified.clone());
        let words = match &self.chosen {
            Some(chosen) => format!("second primary endpoint: {}", chosen.words()),
            None if *wanted == Wanted::None => return Ok(()),
            None => "the baseline has no finding; the verdict is about one primary endpoint".to_owned(),
        };
        self.note(&words);
        Ok(())
    }

    /// Fails early if the pattern matches nothing, because it would not match in the next runs either.
    fn check_printed(&self, step: &Step, printed: &PrintedValues) -> Result<(), Failure> {
        let wanted = match &self.design.endpoint {
            PrimaryEndpoint::Metric(name) if printed.metrics.iter().all(|metric| metric.name != *name) => {
                Some(name.as_str())
            }
            _ => self.reader.unit_group().filter(|_| printed.units.is_none()),
        };
        wanted.map_or(Ok(()), |name| {
            Err(Failure::new(format!(
                "the {} printed no number for the group {name} of --metric; try the pattern with whittle stat --metric",
                step.side.name()
            )))
        })
    }

    /// After the first block, prints a forecast. It is computed from the noise of the finished runs.
    fn note_forecast(&mut self, step: &Step, rest: &[Step]) {
        let so_many = self.counted().filter(|done| done.step.purpose == Purpose::Timed).count();
        let is_block = step.purpose == Purpose::Timed && so_many == BLOCK_RUNS;
        if !is_block || rest.is_empty() {
            return;
        }
        let so_far: Vec<Run> = self.counted().map(|done| done.run.clone()).collect();
        let primary_count = 1 + usize::from(self.chosen.is_some());
        let planned = PlannedRuns { runs: self.settings.counts.timed as usize, primary_count };
        let mut words = forecast(&self.design, planned, &so_far).words();
        if let Some(left) = self.time_left(rest) {
            words = format!("{words}; {} left", minutes(left));
        }
        self.note(&words);
    }

    fn counted(&self) -> impl Iterator<Item = &Done> {
        self.done.iter().filter(|done| done.step.purpose != Purpose::Discarded)
    }

    fn note(&mut self, text: &str) {
        self.progress.clear();
        if !self.settings.is_quiet {
            output::note(text);
        }
    }

    /// Adds to a failure's message which runs of the unfinished verification are kept.
    fn with_what_is_kept(&self, failure: Failure, number: usize, count: usize) -> Failure {
        let Some(folder) = self.folder.kept() else { return failure };
        let message = format!(
            "{}; {number} of {count} runs are finished; their outputs and experiments are in {}",
            failure.message,
            folder.join("runs").display()
        );
        Failure { message, ..failure }
    }

    fn evidence(self) -> Evidence {
        let printed: Vec<(Side, &PrintedValues)> = self.counted().map(|done| (done.step.side, &done.printed)).collect();
        let mut doubts = self.reader.doubts(&printed);
        // If no run is discarded, the finding was chosen in a run that counts.
        let is_chosen_in_counted = self.chosen.is_some() && self.settings.counts.discarded == 0;
        doubts.extend(is_chosen_in_counted.then(Chosen::doubt_of_choice));
        let mut runs: Vec<Run> = self.counted().map(|done| done.run.clone()).collect();
        (0_u32..).zip(&mut runs).for_each(|(order, run)| run.order = order);
        let experiments =
            self.counted().filter_map(|done| Some((done.step.side, done.experiment.clone()?, done.run.units)));
        Evidence { experiments: experiments.collect(), design: self.design, runs, doubts }
    }
}

fn title(number: usize, steps: &[Step]) -> String {
    let step = &steps[number];
    let what = match step.purpose {
        Purpose::Discarded => "not counted",
        Purpose::Timed => "timed",
        Purpose::Profiled => "profiled",
    };
    format!("run {} of {}: {}, {what}", number + 1, steps.len(), step.side.name())
}

/// Fails if the run failed, because a failed run is not a measurement.
fn check_end(step: &Step, run: &MeasuredRun, files: &RunFiles) -> Result<(), Failure> {
    let side = step.side.name();
    let text = if run.stderr.trim().is_empty() { &run.stdout } else { &run.stderr };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let last = lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n  ");
    let printed = if last.is_empty() { "it printed nothing".to_owned() } else { format!("its last lines:\n  {last}") };
    if step.is_profiled && !files.experiment.join("manifest.json").is_file() {
        return Err(Failure::new(format!(
            "the {side} could not be collected; {printed}\nwhittle doctor shows what this machine allows; --profiled-runs 0 verifies \
             without profiles"
        )));
    }
    match run.exit_code {
        Some(0) => Ok(()),
        Some(code) => Err(Failure::new(format!("the {side} ended with exit status {code}; {printed}"))),
        None => Err(Failure::new(format!("a signal ended the {side}; {printed}"))),
    }
}
