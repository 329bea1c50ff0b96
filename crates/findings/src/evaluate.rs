//! Computes the findings of an experiment.

use crate::added::Added;
use crate::answered::Answered;
use crate::candidates::{Candidate, candidates};
use crate::code_patterns::code_patterns;
use crate::detector::{Detector, Figure, GainModel, Measure};
use crate::figures::{Known, Verdict, further_evidence, judge, name_classes, name_files, name_waits};
use crate::hot_path::{self, hot_paths, what_to_try};
use crate::lock_holders::{self, Holders};
use crate::matching::{Family, Matches};
use crate::missing::missing;
use crate::options::FindingsOptions;
use crate::places::{Located, locate};
use crate::rules::Circumstances;
use crate::sampled_calls::{Calls, calls};
use crate::saving::Costs;
use crate::site::{Code, Sites, calls_java, place};
use crate::stack_costs::StackCosts;
use crate::stacks::{AnchorPlace, NONE, Stacks};
use crate::sums::{Amounts, Details, Owners, Selected, Sums, Totals, candidate_totals};
use crate::trial_answer::TrialAnswer;
use crate::units::{UnitsByBlock, work_units};
use crate::unknown_classes::UNKNOWN_CLASSES;
use crate::view::{
    CallingPlace, Denied, Evidence, ExpectedSaving, Finding, FindingsView, LeftOut, Minor, NotChecked, REPORTED_RATIO,
    SiteAnswer, Spent, Unexplained,
};
use crate::words::share;
use crate::work::WorkThreads;
use crate::{own_package, quality, rules, saving, scattered};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use whittle_bytecode::edit_site::SiteKind;
use whittle_model::FunctionIndex;
use whittle_profile::AnalysisError;
use whittle_profile::Profile;
use whittle_profile::filter::Predicate;
use whittle_profile::lexer::in_quotes;
use whittle_profile::query::Query;
use whittle_profile::roles::Roles;
use whittle_profile::waits::{StackMeaning, WaitMeaning};
use whittle_views::source::CodeSource;

/// Threads that wait for one of these have no work.
const NO_WORK: [StackMeaning; 2] = [StackMeaning::Known(WaitMeaning::Idle), StackMeaning::Known(WaitMeaning::Accept)];

/// The lower end of the interval of a finding's share must be above this value.
const LOWEST_RATIO: f64 = 0.01;
/// A finding's share of the whole program must be above this value, even if a fix can save more.
const LOWEST_OF_PROGRAM: f64 = 0.02;
/// A pattern that is too small for a finding is mentioned if its share is larger than this value.
const MENTIONED_RATIO: f64 = 0.005;
/// The same for a pattern of elapsed time. Many threads that wait for other reasons can make its share small.
const MENTIONED_OF_ELAPSED: f64 = 0.001;
/// A denied candidate is reported if it has at least this share of the work threads' total.
const DENIED_RATIO: f64 = 0.05;
/// A known cause with a smaller share or expected saving comes after hot paths, which have at least 30 %.
const LARGE_RATIO: f64 = 0.05;
/// With fewer samples, the result may be due to chance.
const FEWEST_SAMPLES: u64 = 8;
/// At most this many findings, small patterns and denied candidates are listed.
const LIMIT: usize = 20;

/// Computes the findings: causes with places, evidence and the expected saving of a fix.
///
/// The query's filter is applied. All other settings of the query have no effect, because detectors examine stacks as
/// they were recorded.
///
/// # Errors
/// The filter contains a name that does not exist.
pub fn findings(
    profile: &Profile,
    query: &Query,
    options: &FindingsOptions,
    code: &dyn CodeSource,
) -> Result<FindingsView, AnalysisError> {
    let mut work = WorkThreads::new(profile);
    let time = (work.from_ns > 0).then_some(Predicate::Time(work.from_ns, u64::MAX));
    let filter = query.filter.as_ref().map(|filter| profile.predicate(filter, query.mode)).transpose()?;
    let is_whole = matches!(filter, None | Some(Predicate::Time(..)));
    work.narrow(filter.as_ref().map_or((0, u64::MAX), Predicate::time_range));
    let predicate = Predicate::all(time.into_iter().chain(filter).collect());
    let command = &profile.manifest().command;
    let known = Roles::new(profile.tables(), command, options.packages());
    let guess = own_package::guess(profile, work.from_ns, &known, options);
    let own = guess.as_ref().map(|guess| vec![guess.first.package.clone()]);
    let guessed = own.map(|own| FindingsOptions { own, ..options.clone() });
    let roles = guessed.as_ref().map_or(known, |options| Roles::new(profile.tables(), command, options.packages()));
    let code = Code::new(&profile.tables().archive, &roles.own_classes, code);
    let missing: Vec<Option<&str>> = Detector::all().iter().map(|detector| missing(profile, detector)).collect();
    let around = (&code, missing.as_slice());
    let observed = (profile.observed_stacks(), profile.wait_meanings());
    let (mut matches, application) = Matches::new(profile.tables(), &roles.of_function, Detector::all(), observed.0);
    let stacks = Stacks { tables: profile.tables(), roles: &roles.of_function, application: &application };
    let waits = observed.0.iter().zip(observed.1);
    let is_idle: Vec<bool> =
        waits.map(|(stack, meaning)| application[stack.row()] == NONE || NO_WORK.contains(meaning)).collect();
    // With another filter, only a part of the samples of a request is selected.
    let requests = is_whole.then(|| Answered::of(profile, work.from_ns..work.to_ns)).flatten();
    let (predicate, requests) = (predicate.as_ref(), requests.as_ref());
    let selected = Selected { profile, work: &work, predicate, is_idle: &is_idle, requests };
    let sums = Sums::new(&selected);
    let is_wait = |observed: usize| sums.of_stack(observed).blocked_ns > sums.cpu_by_stack[observed];
    let supporting = matches.add_waits(&stacks, observed, is_wait);
    let (mut candidates, mut candidate_of_place) = candidates(&matches, &stacks);
    let of_code = code_patterns(&stacks, (observed.0, &sums), (&matches, &code));
    let of_code = of_code.without_better(matches.owners(Family::Time), &matches.places);
    add(of_code, (&mut matches, &mut candidates, &mut candidate_of_place));
    let mut is_denied = vec![false; matches.places.len()];
    let alone = candidates.iter().filter(|candidate| candidate.places.iter().all(|place| supporting.contains(place)));
    alone.flat_map(|candidate| &candidate.places).for_each(|place| is_denied[*place as usize] = true);
    if is_denied.contains(&true) {
        matches.deny(&is_denied);
    }
    let mut denials = Vec::new();
    // Samples of a denied candidate can become part of another candidate, which can also be denied.
    for _ in 0..MOST_ROUNDS {
        let owners = Owners { matches: &matches, candidates: &candidates, candidate_of_place: &candidate_of_place };
        let evaluation = Evaluation::new((&selected, &sums), stacks, &owners, around);
        let denied = evaluation.denied(&mut denials);
        if denied.is_empty() {
            break;
        }
        denied.into_iter().for_each(|place| is_denied[place as usize] = true);
        matches.deny(&is_denied);
    }
    let owners = Owners { matches: &matches, candidates: &candidates, candidate_of_place: &candidate_of_place };
    let hot_paths = Evaluation::new((&selected, &sums), stacks, &owners, around).hot_paths();
    add(hot_paths, (&mut matches, &mut candidates, &mut candidate_of_place));
    let owners = Owners { matches: &matches, candidates: &candidates, candidate_of_place: &candidate_of_place };
    let mut view = Evaluation::new((&selected, &sums), stacks, &owners, around).view(query, denials);
    view.quality.extend(guess.as_ref().map(quality::guessed_package));
    profile.kept_trials().into_iter().for_each(|text| view.add_tried(text));
    Ok(view)
}

/// Adds candidates. They take their stacks from their present owners.
fn add(added: Added, (matches, candidates, of_place): (&mut Matches, &mut Vec<Candidate>, &mut Vec<u32>)) {
    let first = candidates.len() as u32;
    of_place.extend(added.candidate_of_place.iter().map(|candidate| first + candidate));
    candidates.extend(added.candidates);
    matches.add(added.places, &added.owned);
}

/// Limit of the rounds in which other matching patterns get the samples of denied candidates.
const MOST_ROUNDS: usize = 3;

/// All sums for the current owners of the stacks.
struct Evaluation<'a> {
    profile: &'a Profile,
    selected: &'a Selected<'a>,
    work: &'a WorkThreads,
    owners: &'a Owners<'a>,
    stacks: Stacks<'a>,
    sums: &'a Sums,
    /// Sums of each candidate.
    totals: Vec<Totals>,
    /// Each place's sum, in its detector's measure.
    places: Vec<f64>,
    costs: StackCosts,
    calls: Option<Vec<Calls>>,
    sites: Sites<'a>,
    /// For each detector, the required data that is missing in the experiment.
    missing: &'a [Option<&'static str>],
}

/// The result of a candidate's conditions.
enum Judgement {
    /// All conditions are met.
    Kept(Box<Kept>),
    /// One condition is not met.
    Denied(Box<Denied>),
    /// The data for the detector is missing.
    NotChecked,
    /// The candidate is too small to be checked.
    Small,
}

/// A large candidate that a condition denied, and its observed stacks with their amounts.
struct Denial {
    denied: Denied,
    stacks: Vec<(usize, f64)>,
}

/// A candidate that meets its conditions.
struct Kept {
    verdict: Verdict,
    located: Located,
    changeable_ns: f64,
    is_method: bool,
}

/// The result for a candidate.
enum Outcome {
    /// A finding, with its heaviest place.
    Finding(Box<Finding>, AnchorPlace),
    /// The candidate is large, but too little is known about it, or the program does it on purpose.
    Denied(Box<Denied>),
    /// The candidate is too small for a finding.
    Minor(Minor),
    /// The candidate is too small to be mentioned.
    Nothing,
}

/// How much of the work threads' CPU time findings cover.
struct Explained {
    /// Share on stacks with a finding.
    union_ratio: f64,
    /// Share on stacks without an application frame and without a finding.
    unplaced_ratio: f64,
    largest_unexplained: Option<Unexplained>,
    /// The innermost function with the most CPU time on stacks without an application frame.
    largest_unplaced: Option<Unexplained>,
}

/// A finding and its candidate.
struct Told {
    finding: Finding,
    /// Number of the candidate.
    candidate: usize,
    heaviest: AnchorPlace,
}

impl<'a> Evaluation<'a> {
    fn new(
        (selected, sums): (&'a Selected<'a>, &'a Sums),
        stacks: Stacks<'a>,
        owners: &'a Owners<'a>,
        (code, missing): (&'a Code<'a>, &'a [Option<&'static str>]),
    ) -> Self {
        let (profile, work) = (selected.profile, selected.work);
        let observed = profile.observed_stacks();
        let (totals, places) = candidate_totals(sums, owners);
        Self {
            profile,
            selected,
            work,
            owners,
            stacks,
            sums,
            totals,
            places,
            costs: StackCosts::new(&stacks, owners, sums, observed),
            calls: calls(profile, work, owners, selected.predicate),
            sites: Sites::new(stacks, owners.matches, (observed, &sums.cpu_by_stack), code),
            missing,
        }
    }

    /// The places of candidates that do not meet their conditions. Adds the large ones to `denials`.
    fn denied(&self, denials: &mut Vec<Denial>) -> Vec<u32> {
        let mut places = Vec::new();
        for (number, candidate) in self.owners.candidates.iter().enumerate() {
            match self.judgement(number, candidate) {
                Judgement::Denied(denied) => denials.extend(self.denial(number, *denied)),
                Judgement::NotChecked => {}
                Judgement::Kept(_) | Judgement::Small => continue,
            }
            places.extend(candidate.places.iter().copied().filter(|place| self.places[*place as usize] > 0.0));
        }
        places
    }

    /// A denied candidate with its stacks. `None`: it is small, or its stacks do not look like a known cause.
    fn denial(&self, number: usize, denied: Denied) -> Option<Denial> {
        let is_told = denied.program_ratio >= DENIED_RATIO && looks_like_pattern(&self.owners.candidates[number]);
        is_told.then(|| Denial { denied, stacks: self.stacks_of(number) })
    }

    /// The observed stacks of a candidate, each with its amount in the detector's measure.
    fn stacks_of(&self, number: usize) -> Vec<(usize, f64)> {
        let measure = Detector::all()[self.owners.candidates[number].detector].measure;
        let (candidate, owners) = (&self.owners.candidates[number], self.owners.matches.owners(Family::of(measure)));
        owners
            .iter()
            .enumerate()
            .filter(|(_, place)| candidate.has(**place))
            .map(|(observed, _)| (observed, self.sums.of_stack(observed).measure(measure)))
            .collect()
    }

    /// The hot paths outside the candidates that are large enough for a finding.
    fn hot_paths(&self) -> Added {
        let is_large = |(number, candidate): (usize, &Candidate)| {
            let measure = Detector::all()[candidate.detector].measure;
            let ratio = saving::program_ratio(measure, self.sums, &self.totals[number]);
            ratio.is_some_and(|ratio| ratio >= REPORTED_RATIO)
                && matches!(self.judgement(number, candidate), Judgement::Kept(_))
        };
        let is_large: Vec<bool> = self.owners.candidates.iter().enumerate().map(is_large).collect();
        let cpu = (self.profile.observed_stacks(), self.sums.cpu_by_stack.as_slice(), self.sums.total.cpu_ns());
        let first_place = self.owners.matches.places.len() as u32;
        hot_paths(&self.stacks, cpu, |observed| self.is_of(&is_large, observed), first_place)
    }

    /// Whether a stack belongs to one of the marked candidates. A pattern of allocation without anchors owns all stacks
    /// that allocate, but it does not explain their time.
    fn is_of(&self, is_marked: &[bool], observed: usize) -> bool {
        Family::ALL.iter().any(|family| match self.owners.matches.owners(*family)[observed] {
            NONE => false,
            place => {
                let number = self.owners.candidate_of_place[place as usize] as usize;
                let explains_time = *family != Family::Alloc || looks_like_pattern(&self.owners.candidates[number]);
                is_marked[number] && explains_time
            }
        })
    }

    /// Returns the candidates that meet their conditions, with the sums of these candidates and of all samples. Adds the
    /// large candidates that do not to `denials`.
    fn kept(&self, denials: &mut Vec<Denial>) -> (Vec<(usize, Kept)>, Details) {
        let judged = self.owners.candidates.iter().enumerate().filter_map(|(number, candidate)| {
            match self.judgement(number, candidate) {
                Judgement::Kept(kept) => return Some((number, *kept)),
                Judgement::Denied(denied) => denials.extend(self.denial(number, *denied)),
                Judgement::NotChecked | Judgement::Small => {}
            }
            None
        });
        let kept: Vec<(usize, Kept)> = judged.collect();
        let mut number_of_candidate = vec![NONE; self.owners.candidates.len()];
        kept.iter().enumerate().for_each(|(number, (candidate, _))| number_of_candidate[*candidate] = number as u32);
        let number_of = Family::ALL.map(|family| {
            let number = |place: &u32| match *place {
                NONE => NONE,
                place => number_of_candidate[self.owners.candidate_of_place[place as usize] as usize],
            };
            self.owners.matches.owners(family).iter().map(number).collect::<Vec<u32>>()
        });
        let details = match kept.as_slice() {
            [] => Details::default(),
            kept => self.selected.details(&number_of, kept.len()),
        };
        (kept, details)
    }

    fn view(&self, query: &Query, mut denials: Vec<Denial>) -> FindingsView {
        let detectors = Detector::all();
        let units = UnitsByBlock::new(self.profile, self.work);
        let (mut findings, mut minor): (Vec<Told>, Vec<Minor>) = (Vec::new(), Vec::new());
        let (kept, details) = self.kept(&mut denials);
        for ((number, kept), amounts) in kept.into_iter().zip(&details.few) {
            match self.outcome((number, kept), (&details.all, amounts), query) {
                Outcome::Finding(mut finding, heaviest) => {
                    let cpu_ns = self.totals[number].cpu_ns();
                    let blocks = amounts.measure_blocks(Measure::Cpu);
                    finding.unit_cost = units.as_ref().map(|units| units.cost(cpu_ns, &blocks));
                    findings.push(Told { finding: *finding, candidate: number, heaviest });
                }
                Outcome::Denied(denied) => denials.extend(self.denial(number, *denied)),
                Outcome::Minor(small) => minor.push(small),
                Outcome::Nothing => {}
            }
        }
        yield_to_better(&mut findings, self.owners.candidates);
        findings.sort_by(|a, b| order(&a.finding).partial_cmp(&order(&b.finding)).unwrap_or(Ordering::Equal));
        let findings_left_out = shorten(&mut findings);
        minor.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
        let minor_left_out = shorten(&mut minor);
        for Told { finding, candidate, heaviest } in &mut findings {
            let candidate = &self.owners.candidates[*candidate];
            let detector = &Detector::all()[candidate.detector];
            self.sites.add(finding, (&detector.site, candidate, heaviest));
            finding.trial = self.sites.trial(finding, detector);
        }
        let seen = Circumstances { profile: self.profile, work: self.work, sums: self.sums };
        let by_rule = detectors.iter().filter_map(|detector| rules::finding(detector, &seen));
        let quality = quality::quality(self.profile, self.work, self.sums).into_iter().chain(by_rule).collect();
        let mut is_told = vec![false; self.owners.candidates.len()];
        findings.iter().for_each(|told| is_told[told.candidate] = true);
        let Explained { union_ratio, unplaced_ratio, largest_unexplained, largest_unplaced } = self.explained(&is_told);
        let mut findings: Vec<Finding> = findings.into_iter().map(|told| told.finding).collect();
        findings.iter_mut().enumerate().for_each(|(position, finding)| finding.rank = position + 1);
        let patterns = detectors.iter().zip(self.missing).filter(|(detector, _)| detector.is_pattern());
        let not_checked: Vec<NotChecked> = patterns.filter_map(not_checked).collect();
        let mut denied = self.denied_outside_findings(&denials, &is_told);
        let denied_left_out = shorten(&mut denied);
        FindingsView {
            view: "findings",
            filter: query.filter.as_ref().map(ToString::to_string),
            notes: self.profile.notes().to_vec(),
            quality,
            work: self.work.view(&self.sums.all.cpu_ns, self.sums.samples_count),
            union_ratio,
            scattered: self.scattered(&findings),
            units: units.map(|units| work_units(&units, self.selected, &self.stacks, self.sums.total.cpu_ns())),
            largest_unexplained,
            unplaced_ratio,
            largest_unplaced,
            findings,
            tried_together: None,
            minor,
            denied,
            left_out: LeftOut { findings: findings_left_out, minor: minor_left_out, denied: denied_left_out },
            checked_count: detectors.iter().filter(|it| it.is_pattern()).count() - not_checked.len(),
            unknown_classes: UNKNOWN_CLASSES.to_vec(),
            not_checked,
            guides: None,
        }
    }

    /// Checks a candidate's conditions.
    fn judgement(&self, number: usize, candidate: &Candidate) -> Judgement {
        let (detector, totals) = (&Detector::all()[candidate.detector], &self.totals[number]);
        // A candidate without the required data is not reported, so it must not keep samples that another candidate can
        // use.
        if self.missing[candidate.detector].is_some() {
            return Judgement::NotChecked;
        }
        let ratio = saving::program_ratio(detector.measure, self.sums, totals);
        let least = if detector.measure == Measure::Elapsed { MENTIONED_OF_ELAPSED } else { MENTIONED_RATIO };
        let Some(program_ratio) = ratio.filter(|ratio| *ratio >= least) else { return Judgement::Small };
        let line_of = |place: &AnchorPlace, row| self.sites.line(detector.site.kind, place, row);
        let located = locate((&self.stacks, self.owners.matches), candidate, &self.places, line_of);
        let Some(located) = located else { return Judgement::Small };
        let changeable_ns = self.costs.changeable_ns(number, candidate);
        let known = Known {
            profile: self.profile,
            work: self.work,
            sums: self.sums,
            matches: self.owners.matches,
            candidate,
            argument: self.argument_value(detector, candidate, &located),
            totals,
            calls: self.calls.as_ref().map(|calls| &calls[number]),
            program_ratio,
            whole_method_ns: self.costs.whole_method_ns(number),
            faults: self.costs.faults(candidate),
            anchor_depth: self.costs.depth(number),
        };
        let mut verdict = match judge(detector, &known) {
            Ok(verdict) => verdict,
            Err(reason) => return Judgement::Denied(Box::new(denied(detector, located, program_ratio, reason))),
        };
        if detector.is_hot_path() {
            verdict.evidence.extend(self.parts(number, candidate));
        }
        further_evidence(&known, &mut verdict);
        let condition = detector.gain.method_if.as_ref();
        let is_method =
            condition.is_none_or(|condition| known.figure(condition).is_some_and(|value| condition.is_met_by(value)));
        Judgement::Kept(Box::new(Kept { verdict, located, changeable_ns, is_method }))
    }

    fn outcome(
        &self,
        (number, kept): (usize, Kept),
        (all_blocks, amounts): (&[Amounts], &Amounts),
        query: &Query,
    ) -> Outcome {
        let Kept { mut verdict, located, changeable_ns, is_method } = kept;
        let (detector, totals) = (&Detector::all()[self.owners.candidates[number].detector], &self.totals[number]);
        let Some(spent) = self.spent(detector, (all_blocks, amounts)) else { return Outcome::Nothing };
        if let Some(reason) = reason_against(detector, &spent) {
            let mut denied = denied(detector, located, spent.program_ratio, reason);
            denied.measure = spent.measure;
            return Outcome::Denied(Box::new(denied));
        }
        let costs =
            Costs { profile: self.profile, spent: &spent, sums: self.sums, totals, amounts, changeable_ns, is_method };
        let expected = saving::expected(detector, &costs);
        let middle = expected.as_ref().map_or(0.0, ExpectedSaving::middle_of_program).max(spent.largest_ratio());
        // A user waits for requests, and not for threads: other threads can make a wait's share of the program small.
        let is_wait = detector.measure == Measure::Elapsed && !detector.is_hot_path();
        let requests = self.selected.requests.filter(|_| is_wait);
        let is_large = (middle >= REPORTED_RATIO && spent.largest_ratio() >= LOWEST_OF_PROGRAM)
            || requests.is_some_and(|requests| requests.takes_much(&amounts.spent_by_request));
        if spent.low_ratio < LOWEST_RATIO || !is_large {
            return Outcome::Minor(Minor {
                detector: detector.id.clone(),
                title: detector.title.clone(),
                function: located.calling.function,
                file: located.calling.file,
                line: located.calling.line,
                program_ratio: spent.program_ratio,
                measure: spent.measure,
                expected,
            });
        }
        if detector.site.kind == SiteKind::Lock {
            let holders = self
                .known_holder(number, query)
                .or_else(|| self.lock_holders(&self.owners.candidates[number], &located, totals.blocked_ns));
            verdict.evidence.splice(0..0, holders);
        }
        name_waits(&mut verdict.evidence, amounts, &self.waits_of(number));
        name_files(&mut verdict.evidence, amounts, &self.profile.tables().files);
        name_classes(&mut verdict.evidence, amounts, &self.profile.tables().object_classes);
        let of_requests = self.selected.requests.and_then(|requests| requests.evidence(&amounts.spent_by_request));
        verdict.evidence.splice(0..0, of_requests);
        let finding = Finding {
            rank: 0,
            detector: detector.id.clone(),
            title: detector.title.clone(),
            confidence: verdict.confidence,
            criteria: verdict.criteria,
            spent,
            expected,
            saving_note: detector.gain.assumption.clone(),
            unit_cost: None,
            anchor: self.anchor_name(located.anchor),
            filter: self.filter(&located, query),
            anchors: self.names(&located.anchors),
            calling: located.calling,
            site: SiteAnswer::None,
            fix: match detector.is_hot_path() {
                true => what_to_try(&detector.text.fix, &verdict.evidence),
                false => lock_holders::what_to_try(&detector.text.fix, &verdict.evidence),
            },
            evidence: verdict.evidence,
            check_first: detector.text.check_first.clone(),
            page: format!("findings/{}.md", detector.id),
            call: None,
            trial: TrialAnswer::Impossible { reason: "the finding has no line to edit".to_owned() },
            tried: None,
        };
        Outcome::Finding(Box::new(finding), located.heaviest)
    }

    /// What a finding costs. If it is small in elapsed time, because threads mostly wait for others, but larger in CPU time, this
    /// is the CPU time.
    fn spent(&self, detector: &Detector, (all_blocks, amounts): (&[Amounts], &Amounts)) -> Option<Spent> {
        let in_measure = |measure| saving::spent(measure, self.work, self.sums, (all_blocks, amounts));
        let spent = in_measure(detector.measure)?;
        let is_small = detector.measure == Measure::Elapsed && spent.largest_ratio() < LARGE_RATIO;
        let may_change = is_small && detector.gain.model == GainModel::None && !detector.has_waits();
        let larger = in_measure(Measure::Cpu).filter(|cpu| may_change && cpu.largest_ratio() > spent.largest_ratio());
        Some(larger.unwrap_or(spent))
    }

    /// What a hot path consists of.
    fn parts(&self, number: usize, candidate: &Candidate) -> Vec<Evidence> {
        let observed = self.profile.observed_stacks();
        let path = self.stacks_of(number).into_iter().filter(|(_, cpu)| *cpu > 0.0);
        hot_path::parts(&self.stacks, candidate.calling, path.map(|(stack, cpu)| (observed[stack], cpu)))
    }

    /// A candidate's blocked time by meaning.
    fn waits_of(&self, number: usize) -> FxHashMap<WaitMeaning, f64> {
        let mut by_meaning = FxHashMap::default();
        for (observed, _) in self.stacks_of(number) {
            if let StackMeaning::Known(meaning) = self.profile.wait_meanings()[observed] {
                *by_meaning.entry(meaning).or_default() += self.sums.of_stack(observed).blocked_ns;
            }
        }
        by_meaning
    }

    /// Who held a candidate's lock, if the kernel told it.
    fn known_holder(&self, number: usize, query: &Query) -> Option<Evidence> {
        let predicate = self.profile.selection(query).ok()?;
        let mut is_wait = vec![false; self.profile.tables().stacks.frame.len()];
        for (observed, _) in self.stacks_of(number) {
            is_wait[self.profile.observed_stacks()[observed].row()] = true;
        }
        lock_holders::known_holder(self.profile, predicate.as_ref(), |stack| is_wait[stack.row()])
    }

    /// What the lock's holder probably does: what it waits for, or the method that it is in.
    fn lock_holders(&self, candidate: &Candidate, located: &Located, waited_ns: f64) -> Option<Evidence> {
        // The lock of a method of the JDK is not held in the rest of its caller.
        if calls_java(&self.stacks, &located.heaviest) {
            return None;
        }
        let owners = self.owners.matches.owners(Family::Time);
        let is_wait = |observed: usize| candidate.has(owners[observed]);
        let holders = Holders { stacks: &self.stacks, profile: self.profile, sums: self.sums };
        holders.held_while_waiting(candidate.calling, is_wait).or_else(|| {
            let calling = located.heaviest.calling;
            let of_lock = (&place(&self.stacks, calling)?, calling);
            holders.mostly_held_in(of_lock, self.sites.classes(), (is_wait, waited_ns))
        })
    }

    /// The denied candidates with a large share that no finding covers, the largest first.
    fn denied_outside_findings(&self, denials: &[Denial], is_told: &[bool]) -> Vec<Denied> {
        let mut outside: Vec<Denied> = denials
            .iter()
            .filter_map(|denial| {
                let all: f64 = denial.stacks.iter().map(|(_, amount)| amount).sum();
                let rest = denial.stacks.iter().filter(|(observed, _)| !self.is_of(is_told, *observed));
                let rest: f64 = rest.map(|(_, amount)| amount).sum();
                let mut denied = denial.denied.clone();
                denied.program_ratio *= if all > 0.0 { rest / all } else { 0.0 };
                (denied.program_ratio >= DENIED_RATIO).then_some(denied)
            })
            .collect();
        outside.sort_by(|a, b| b.program_ratio.total_cmp(&a.program_ratio));
        outside
    }

    /// The constant at the line to edit, for detectors that check this constant.
    fn argument_value(&self, detector: &Detector, candidate: &Candidate, located: &Located) -> Option<f64> {
        let asks = detector.conditions.iter().any(|condition| condition.figure == Figure::ArgumentValue);
        asks.then(|| self.sites.argument_value(&detector.site, candidate, &located.heaviest)).flatten()
    }

    /// The finding's samples as a filter expression.
    fn filter(&self, located: &Located, query: &Query) -> String {
        // The own code of the calling method has no frame below the method.
        let anchor = |anchor: &String| match *anchor == located.calling.function {
            true => format!("leaf is {}", in_quotes(anchor)),
            false => format!("stack has {}", in_quotes(anchor)),
        };
        let anchors: Vec<String> = self.names(&located.anchors).iter().map(anchor).collect();
        let anchors = match anchors.as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(" or ")),
        };
        let calling = in_quotes(&located.calling.function);
        let from = self.work.from_ns as f64 / 1e9;
        let time = if from > 0.0 { format!(" and time in {from}s..") } else { String::new() };
        let asked = query.filter.as_ref().map_or(String::new(), |filter| format!("({filter}) and "));
        format!("{asked}stack has {calling} and {anchors}{time}")
    }

    /// The anchor's name. A stub of the JVM has the name of the method that it implements.
    fn anchor_name(&self, anchor: FunctionIndex) -> String {
        let name = || self.stacks.tables.functions.display_name[anchor.row()].clone();
        self.stacks.method_of_stub(anchor).map_or_else(name, str::to_owned)
    }

    fn names(&self, functions: &[FunctionIndex]) -> Vec<String> {
        functions.iter().map(|function| self.stacks.tables.functions.display_name[function.row()].clone()).collect()
    }

    fn scattered(&self, findings: &[Finding]) -> Vec<crate::view::Scattered> {
        let mut scattered =
            scattered::scattered(&self.stacks, self.profile.observed_stacks(), self.sums, self.sums.total.cpu_ns());
        for one in &mut scattered {
            let is_of = |finding: &&Finding| finding.calling.function == one.function || finding.anchor == one.function;
            one.finding = findings.iter().find(is_of).map(|finding| finding.rank);
        }
        scattered
    }

    /// The share of CPU time on stacks with a finding, and what is known about the remaining CPU time.
    fn explained(&self, is_told: &[bool]) -> Explained {
        let count = self.stacks.tables.functions.display_name.len();
        let (mut rest, mut unplaced) = (vec![0.0; count], vec![0.0; count]);
        let (mut union_ns, mut unplaced_ns) = (0.0, 0.0);
        for (observed, cpu) in self.sums.cpu_by_stack.iter().enumerate().filter(|(_, cpu)| **cpu > 0.0) {
            let stack = self.profile.observed_stacks()[observed];
            if self.is_of(is_told, observed) {
                union_ns += cpu;
            } else if let Some(function) = self.stacks.application_function(stack) {
                rest[function.row()] += cpu;
            } else {
                unplaced_ns += cpu;
                unplaced[self.stacks.function(stack).row()] += cpu;
            }
        }
        let all_ns = self.sums.total.cpu_ns();
        let name = |function: usize| {
            let name = &self.stacks.tables.functions.display_name[function];
            let method = self.stacks.method_of_stub(FunctionIndex::from_row(function));
            method.map_or_else(|| name.clone(), |method| format!("{name}, which implements {method}"))
        };
        let largest = |by_function: &[f64]| {
            let largest = by_function.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            largest
                .filter(|(_, cpu)| **cpu > 0.0)
                .map(|(function, cpu)| Unexplained { function: name(function), ratio: cpu / all_ns })
        };
        let [union_ratio, unplaced_ratio] =
            [union_ns, unplaced_ns].map(|cpu| if all_ns > 0.0 { (cpu / all_ns).min(1.0) } else { 0.0 });
        let (largest_unexplained, largest_unplaced) = (largest(&rest), largest(&unplaced));
        Explained { union_ratio, unplaced_ratio, largest_unexplained, largest_unplaced }
    }
}

/// Whether the candidate's stacks look like a known cause. A pattern without anchors and waits matches all stacks.
fn looks_like_pattern(candidate: &Candidate) -> bool {
    let detector = &Detector::all()[candidate.detector];
    detector.is_pattern()
        && detector.patterns.iter().all(|pattern| !pattern.anchors.is_empty() || !pattern.waits.is_empty())
}

/// Why samples are no finding, although all conditions of the detector are met.
fn reason_against(detector: &Detector, spent: &Spent) -> Option<String> {
    if let Some(most) = detector.most_of_threads.filter(|most| spent.ratio > *most) {
        let (ratio, most) = (share(spent.ratio), share(most));
        return Some(format!("it takes {ratio} of the {} (required: at most {most})", spent.of));
    }
    if let Some(least) = detector.least_of_threads.filter(|least| spent.ratio < *least) {
        let (ratio, least) = (share(spent.ratio), share(least));
        return Some(format!("it takes {ratio} of the {} (required: at least {least})", spent.of));
    }
    (spent.samples_count < FEWEST_SAMPLES).then(|| {
        let count = spent.samples_count;
        let samples = if count == 1 { "is only 1 sample" } else { &format!("are only {count} samples") };
        format!("there {samples} (required: at least {FEWEST_SAMPLES})")
    })
}

/// Keeps the first elements of a list. Returns how many it removes.
fn shorten<T>(list: &mut Vec<T>) -> usize {
    let removed = list.len().saturating_sub(LIMIT);
    list.truncate(LIMIT);
    removed
}

/// A candidate that a condition denied.
fn denied(detector: &Detector, located: Located, program_ratio: f64, reason: String) -> Denied {
    let CallingPlace { function, file, line, .. } = located.calling;
    let (id, title) = (detector.id.clone(), detector.title.clone());
    Denied { detector: id, title, function, file, line, program_ratio, measure: detector.measure, reason }
}

fn not_checked((detector, missing): (&Detector, &Option<&'static str>)) -> Option<NotChecked> {
    let needs = (*missing)?.to_owned();
    Some(NotChecked { detector: detector.id.clone(), title: detector.title.clone(), needs })
}

/// The order of findings: known causes, hot paths that call something, known causes that are small, and then long waits and
/// hot paths in own code. In each of these, the largest comes first.
fn order(finding: &Finding) -> (u8, f64) {
    let worth = worth(finding);
    let class = match Detector::of_id(&finding.detector).filter(|detector| detector.unknown_cause) {
        Some(detector) if !detector.is_hot_path() || hot_path::is_own_code(&finding.evidence) => 3,
        Some(_) => 1,
        None if worth.min(finding.spent.largest_ratio()) >= LARGE_RATIO => 0,
        None => 2,
    };
    (class, -worth)
}

/// The expected saving of a finding, or its share if there is no model of the saving.
fn worth(finding: &Finding) -> f64 {
    let modelled = finding.expected.as_ref().filter(|expected| expected.is_modelled());
    modelled.map_or(finding.spent.largest_ratio(), ExpectedSaving::middle_of_program)
}

/// Drops findings that another finding in the same calling method explains better.
fn yield_to_better(findings: &mut Vec<Told>, candidates: &[Candidate]) {
    let of = |told: &Told| &candidates[told.candidate];
    let present: Vec<(&str, FunctionIndex)> =
        findings.iter().map(|told| (Detector::all()[of(told).detector].id.as_str(), of(told).calling)).collect();
    findings.retain(|told| {
        let better = &Detector::all()[of(told).detector].yields_to;
        !present.iter().any(|(id, calling)| *calling == of(told).calling && better.iter().any(|other| other == id))
    });
}
