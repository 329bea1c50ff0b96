//! From an experiment to its findings.

use super::candidates::{Candidate, Stacks, candidates};
use super::detector::{Detector, Figure, Measure};
use super::figures::{Calls, Known, Verdict, calls, further_evidence, judge, name_reasons};
use super::matching::{Family, Matches, NONE};
use super::options::FindingsOptions;
use super::places::{Located, locate};
use super::roles::{own_classes, roles};
use super::rules::Circumstances;
use super::saving::Costs;
use super::site::Sites;
use super::stack_costs::StackCosts;
use super::sums::{Amounts, Details, Owners, Selected, Sums, Totals, candidate_totals};
use super::units::{UnitsByBlock, work_units};
use super::view::{Finding, FindingsView, Minor, NotChecked, REPORTED_RATIO, SiteAnswer, Unexplained};
use super::work::WorkThreads;
use super::{quality, rules, saving, scattered};
use crate::filter::Predicate;
use crate::lexer::in_quotes;
use crate::{AnalysisError, CodeSource, Profile, Query};
use rustc_hash::FxHashSet;
use whittle_model::{EventKind, FunctionKind};

/// The lower end of a share's interval has to be above this.
const LOWEST_RATIO: f64 = 0.01;
/// What is smaller than a finding and larger than this is mentioned.
const MENTIONED_RATIO: f64 = 0.005;
/// Fewer samples are chance.
const FEWEST_SAMPLES: u64 = 8;
/// Findings that are told, and mentions.
const LIMIT: usize = 20;

impl Profile {
    /// The findings: causes with their places, their evidence and what a fix is expected to save.
    ///
    /// Of a query only the filter counts: detectors look at stacks as they were recorded.
    ///
    /// # Errors
    /// A filter that names what is not there.
    pub fn findings(
        &self,
        query: &Query,
        options: &FindingsOptions,
        code: &dyn CodeSource,
    ) -> Result<FindingsView, AnalysisError> {
        let work = WorkThreads::new(self);
        let time = (work.from_ns > 0).then_some(Predicate::Time(work.from_ns, u64::MAX));
        let filter = query.filter.as_ref().map(|filter| self.predicate(filter, query.mode)).transpose()?;
        let predicate = Predicate::all(time.into_iter().chain(filter).collect());
        let roles = roles(self.tables(), &self.manifest().command, options);
        let own_classes = own_classes(self.tables(), &self.manifest().command, options);
        let around = (&own_classes, code);
        let (mut matches, application) = Matches::new(self.tables(), &roles, Detector::all(), self.observed_stacks());
        let stacks = Stacks { tables: self.tables(), roles: &roles, application: &application };
        let (candidates, candidate_of_place) = candidates(&matches, &stacks);
        let has_application: Vec<bool> =
            self.observed_stacks().iter().map(|stack| application[stack.row()] != NONE).collect();
        let selected =
            Selected { profile: self, work: &work, predicate: predicate.as_ref(), has_application: &has_application };
        let sums = Sums::new(&selected);
        let mut is_denied = vec![false; matches.places.len()];
        // What a denied candidate leaves can make another one, which can be denied, too.
        for _ in 0..MOST_ROUNDS {
            let owners = Owners { matches: &matches, candidates: &candidates, candidate_of_place: &candidate_of_place };
            let denied = Evaluation::new((&selected, &sums), stacks, &owners, around).denied_places();
            if denied.is_empty() {
                break;
            }
            denied.into_iter().for_each(|place| is_denied[place as usize] = true);
            matches.deny(&is_denied);
        }
        let owners = Owners { matches: &matches, candidates: &candidates, candidate_of_place: &candidate_of_place };
        Ok(Evaluation::new((&selected, &sums), stacks, &owners, around).view(query))
    }
}

/// How often samples of denied candidates are given to what else fits.
const MOST_ROUNDS: usize = 3;

/// Everything that was added up, as stacks are owned now.
struct Evaluation<'a> {
    profile: &'a Profile,
    selected: &'a Selected<'a>,
    work: &'a WorkThreads,
    owners: &'a Owners<'a>,
    stacks: Stacks<'a>,
    sums: &'a Sums,
    /// By candidate.
    totals: Vec<Totals>,
    /// By place, its detector's measure.
    places: Vec<f64>,
    costs: StackCosts,
    calls: Option<Vec<Calls>>,
    sites: Sites<'a>,
}

/// What conditions say of a candidate.
enum Judgement {
    /// They hold.
    Kept(Box<Kept>),
    /// One says otherwise.
    Denied,
    /// It is too small to be asked.
    Small,
}

/// A candidate that conditions leave.
struct Kept {
    verdict: Verdict,
    located: Located,
    method_ns: f64,
    is_method: bool,
}

/// What becomes of a candidate.
enum Outcome {
    Finding(Box<Finding>),
    /// Too small for a finding.
    Minor(Minor),
    /// Too small for anything.
    Nothing,
}

impl<'a> Evaluation<'a> {
    fn new(
        (selected, sums): (&'a Selected<'a>, &'a Sums),
        stacks: Stacks<'a>,
        owners: &'a Owners<'a>,
        around: (&'a FxHashSet<&'a str>, &'a dyn CodeSource),
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
            sites: Sites::new(stacks, owners.matches, (observed, &sums.cpu_by_stack), around),
        }
    }

    /// The places of candidates that conditions deny.
    fn denied_places(&self) -> Vec<u32> {
        let is_denied =
            |(number, candidate): &(usize, &Candidate)| matches!(self.judgement(*number, candidate), Judgement::Denied);
        let denied = self.owners.candidates.iter().enumerate().filter(is_denied);
        denied
            .flat_map(|(_, candidate)| candidate.places.iter().copied())
            .filter(|place| self.places[*place as usize] > 0.0)
            .collect()
    }

    /// The candidates that are left, and what is told apart of them and of all.
    fn kept(&self) -> (Vec<(usize, Kept)>, Details) {
        let judged = self.owners.candidates.iter().enumerate().filter_map(|(number, candidate)| {
            match self.judgement(number, candidate) {
                Judgement::Kept(kept) => Some((number, *kept)),
                Judgement::Denied | Judgement::Small => None,
            }
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

    fn view(&self, query: &Query) -> FindingsView {
        let detectors = Detector::all();
        let units = UnitsByBlock::new(self.profile, self.work);
        let (mut findings, mut minor): (Vec<(Finding, usize)>, Vec<Minor>) = (Vec::new(), Vec::new());
        let (kept, details) = self.kept();
        for ((number, kept), amounts) in kept.into_iter().zip(&details.few) {
            match self.outcome(number, kept, (&details.all, amounts)) {
                Outcome::Finding(mut finding) => {
                    let cpu_ns = self.totals[number].cpu_ns();
                    let blocks = amounts.measure_blocks(Measure::Cpu);
                    finding.unit_cost = units.as_ref().map(|units| units.cost(cpu_ns, &blocks));
                    findings.push((*finding, number));
                }
                Outcome::Minor(small) => minor.push(small),
                Outcome::Nothing => {}
            }
        }
        yield_to_better(&mut findings, self.owners.candidates);
        findings.sort_by(|a, b| worth(&b.0).total_cmp(&worth(&a.0)));
        findings.truncate(LIMIT);
        minor.sort_by(|a, b| b.program_ratio.total_cmp(&a.program_ratio));
        minor.truncate(LIMIT);
        let owned = findings.iter().fold(0.0, |sum, (_, number)| sum + self.costs.owned_ns(*number));
        for (finding, number) in &mut findings {
            self.add_site(finding, &self.owners.candidates[*number]);
        }
        // Those of threads come last: their time is that of all others.
        let seen = Circumstances { profile: self.profile, work: self.work, sums: self.sums };
        let by_rule = detectors.iter().filter_map(|detector| rules::finding(detector, &seen));
        let mut findings: Vec<Finding> = findings.into_iter().map(|(finding, _)| finding).chain(by_rule).collect();
        findings.iter_mut().enumerate().for_each(|(position, finding)| finding.rank = position + 1);
        let not_checked = self.not_checked(detectors);
        FindingsView {
            view: "findings",
            filter: query.filter.as_ref().map(ToString::to_string),
            notes: self.profile.notes().to_vec(),
            quality: quality::quality(self.profile, self.work, self.sums),
            work: self.work.view(&self.sums.all.cpu_ns, self.sums.samples_count),
            union_ratio: if self.costs.all_ns > 0.0 { (owned / self.costs.all_ns).min(1.0) } else { 0.0 },
            scattered: self.scattered(&findings),
            units: work_units((self.profile, self.work), &self.stacks, self.selected.predicate, self.costs.all_ns),
            largest_unexplained: self.largest_unexplained(),
            findings,
            minor,
            checked_count: detectors.len() - not_checked.len(),
            not_checked,
        }
    }

    /// Asks a candidate's conditions.
    fn judgement(&self, number: usize, candidate: &Candidate) -> Judgement {
        let (detector, totals) = (&Detector::all()[candidate.detector], &self.totals[number]);
        let ratio = saving::program_ratio(detector.measure, self.sums, totals);
        let Some(program_ratio) = ratio.filter(|ratio| *ratio >= MENTIONED_RATIO) else { return Judgement::Small };
        let located = locate(&self.stacks, self.owners.matches, candidate, &self.places);
        let Some(located) = located else { return Judgement::Small };
        let method_ns = self.costs.method_ns(number, candidate);
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
            method_ns,
            anchor_depth: self.costs.depth(number),
        };
        let Some(mut verdict) = judge(detector, &known) else { return Judgement::Denied };
        further_evidence(&known, &mut verdict);
        let condition = detector.gain.method_if.as_ref();
        let is_method =
            condition.is_none_or(|condition| known.figure(condition).is_some_and(|value| condition.is_met_by(value)));
        Judgement::Kept(Box::new(Kept { verdict, located, method_ns, is_method }))
    }

    fn outcome(&self, number: usize, kept: Kept, (all_blocks, amounts): (&Amounts, &Amounts)) -> Outcome {
        let Kept { mut verdict, located, method_ns, is_method } = kept;
        let (detector, totals) = (&Detector::all()[self.owners.candidates[number].detector], &self.totals[number]);
        let Some(spent) = saving::spent(detector.measure, self.work, self.sums, (all_blocks, amounts)) else {
            return Outcome::Nothing;
        };
        if spent.samples_count < FEWEST_SAMPLES {
            return Outcome::Nothing;
        }
        let costs =
            Costs { profile: self.profile, spent: &spent, sums: self.sums, totals, amounts, method_ns, is_method };
        let expected = saving::expected(detector, &costs);
        let worth = expected.as_ref().map_or(spent.program_ratio, |expected| expected.program_ratio);
        if spent.program_ratio < REPORTED_RATIO || spent.low_ratio < LOWEST_RATIO || worth < LOWEST_RATIO {
            return Outcome::Minor(Minor {
                detector: detector.id.clone(),
                title: detector.title.clone(),
                function: located.calling.function,
                file: located.calling.file,
                line: located.calling.line,
                program_ratio: worth,
            });
        }
        name_reasons(&mut verdict.evidence, amounts);
        Outcome::Finding(Box::new(Finding {
            rank: 0,
            detector: detector.id.clone(),
            title: detector.title.clone(),
            confidence: verdict.confidence,
            criteria: verdict.criteria,
            spent,
            expected,
            saving_note: detector.gain.assumption.clone(),
            unit_cost: None,
            anchor: self.stacks.tables.functions.display_name[located.anchor.row()].clone(),
            filter: self.filter(&located),
            calling: located.calling,
            site: SiteAnswer::None,
            evidence: verdict.evidence,
            fix: detector.text.fix.clone(),
            check_first: detector.text.check_first.clone(),
            page: format!("findings/{}.md", detector.id),
        }))
    }

    /// The constant at the edit site, for detectors that ask for it.
    fn argument_value(&self, detector: &Detector, candidate: &Candidate, located: &Located) -> Option<f64> {
        let asks = detector.conditions.iter().any(|condition| condition.figure == Figure::ArgumentValue);
        asks.then(|| self.sites.argument_value(&detector.site, candidate, &located.heaviest)).flatten()
    }

    /// Adds the source's text and the edit site.
    fn add_site(&self, finding: &mut Finding, candidate: &Candidate) {
        let rule = &Detector::all()[candidate.detector].site;
        if let Some(located) = locate(&self.stacks, self.owners.matches, candidate, &self.places) {
            self.sites.add(finding, (rule, candidate, &located.heaviest));
        }
    }

    /// The finding's samples in the language of filters.
    fn filter(&self, located: &Located) -> String {
        let name = |function: whittle_model::FunctionIndex| {
            in_quotes(&self.stacks.tables.functions.display_name[function.row()])
        };
        let anchors: Vec<String> =
            located.anchors.iter().map(|anchor| format!("stack has {}", name(*anchor))).collect();
        let anchors = match anchors.as_slice() {
            [one] => one.clone(),
            several => format!("({})", several.join(" or ")),
        };
        let calling = in_quotes(&located.calling.function);
        let from = self.work.from_ns as f64 / 1e9;
        let time = if from > 0.0 { format!(" and time in {from}s..") } else { String::new() };
        format!("stack has {calling} and {anchors}{time}")
    }

    fn scattered(&self, findings: &[Finding]) -> Vec<super::view::Scattered> {
        let mut scattered =
            scattered::scattered(&self.stacks, self.profile.observed_stacks(), self.sums, self.costs.all_ns);
        for one in &mut scattered {
            let is_of = |finding: &&Finding| finding.calling.function == one.function || finding.anchor == one.function;
            one.finding = findings.iter().find(is_of).map(|finding| finding.rank);
        }
        scattered
    }

    fn largest_unexplained(&self) -> Option<Unexplained> {
        let (function, nanos) = self.costs.largest_unowned()?;
        let function = self.stacks.tables.functions.display_name[function.row()].clone();
        Some(Unexplained { function, ratio: nanos / self.costs.all_ns })
    }

    /// Detectors whose data is missing.
    fn not_checked(&self, detectors: &[Detector]) -> Vec<NotChecked> {
        let needs = |detector: &Detector| {
            let own = self.missing_measure(detector.measure);
            let kernel_alone = !detector.patterns.is_empty()
                && detector
                    .patterns
                    .iter()
                    .flat_map(|pattern| &pattern.anchors)
                    .all(|anchor| anchor.starts_with("kernel:"));
            let kernel = (kernel_alone && !self.sees(FunctionKind::Kernel))
                .then_some("stacks of the kernel (--engine kernel or cpu)");
            let condition = || {
                let required = detector.conditions.iter().filter(|condition| condition.required);
                required.filter_map(|condition| self.missing_figure(condition.figure)).next()
            };
            own.or(kernel).or_else(condition).or_else(|| rules::missing(detector, self.profile))
        };
        let missing = |detector: &Detector| {
            Some(NotChecked {
                detector: detector.id.clone(),
                title: detector.title.clone(),
                needs: needs(detector)?.to_owned(),
            })
        };
        detectors.iter().filter_map(missing).collect()
    }

    fn has(&self, event: EventKind) -> bool {
        self.profile.manifest().metrics.iter().any(|metric| metric.event == event)
    }

    fn sees(&self, kind: FunctionKind) -> bool {
        self.stacks.tables.functions.kind.contains(&kind)
    }

    fn missing_measure(&self, measure: Measure) -> Option<&'static str> {
        let (event, words) = match measure {
            Measure::Cpu => (EventKind::Cpu, "CPU samples"),
            Measure::Elapsed => (EventKind::OffCpu, "samples of blocked threads (--engine kernel, --events off_cpu)"),
            Measure::LockWait => (EventKind::Lock, "waits for Java locks (--events lock)"),
            Measure::AllocBytes => (EventKind::Alloc, "allocations (--events alloc)"),
        };
        (!self.has(event)).then_some(words)
    }

    fn missing_figure(&self, figure: Figure) -> Option<&'static str> {
        match figure {
            Figure::CallsPerSecond | Figure::BytesPerCall if self.calls.is_none() => {
                Some("system calls with their stacks (--engine kernel, --events syscalls)")
            }
            Figure::BlockedRatio => self.missing_measure(Measure::Elapsed),
            Figure::AllocRatio => self.missing_measure(Measure::AllocBytes),
            Figure::FaultsPerSecond if !self.has(EventKind::PageFault) => Some("page faults (--engine kernel)"),
            Figure::KernelRatio if self.profile.manifest().metric("system_cpu").is_none() => {
                Some("CPU samples that tell user from system (--engine kernel or cpu)")
            }
            _ => None,
        }
    }
}

/// What decides the order.
fn worth(finding: &Finding) -> f64 {
    finding.expected.as_ref().map_or(finding.spent.program_ratio, |expected| expected.program_ratio)
}

/// Drops findings that another one in the same calling method explains better.
fn yield_to_better(findings: &mut Vec<(Finding, usize)>, candidates: &[Candidate]) {
    let present: Vec<(&'static str, whittle_model::FunctionIndex)> = findings
        .iter()
        .map(|(_, number)| (Detector::all()[candidates[*number].detector].id.as_str(), candidates[*number].calling))
        .collect();
    findings.retain(|(_, number)| {
        let candidate = &candidates[*number];
        let better = &Detector::all()[candidate.detector].yields_to;
        !present.iter().any(|(id, calling)| *calling == candidate.calling && better.iter().any(|other| other == id))
    });
}
