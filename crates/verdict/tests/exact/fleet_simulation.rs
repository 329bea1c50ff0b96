//! Simulates fleets with known true values, and measures the rates of false alarms and of found regressions.
//!
//! The numbers are drawn from fixed seeds, so the results never change.
//! `cargo test -p whittle-verdict --test exact fleet_simulation -- --nocapture` prints all rates.
//!
//! The noise reproduces the project's values for a fleet of 30 hosts (15 upgraded, a function with a share of 1 %,
//! α = 1 %). Three simple tests have false alarms at these rates: 73 % if samples are pooled over hosts, 34 % if hosts
//! are compared with their own past, 1 % if upgraded hosts are compared with other hosts. The last test finds +5 % in
//! 4 % of the cases. To get these rates, hosts differ by 13 %, a day moves all hosts by 1.8 %, and each host and day
//! adds 1.5 %. The function has 3200 samples per host, as in a day at 20 Hz on a fifth of a CPU. The first test checks
//! the generator.

#![allow(clippy::print_stdout, reason = "the rates are the result")]

use whittle_statistics::{Difference, most_different_split, normal_below};
use whittle_testkit::Seeded;
use whittle_verdict::regressions::{
    FleetCosts, FunctionChange, FunctionCosts, HostCosts, HostPeriod, Question, RegressionsView, Upgrade, Word,
    unknown_date, version_change,
};

const HOSTS: usize = 30;
const UPGRADED: usize = 15;
const ALPHA: f64 = 0.01;
const HOST_NOISE: f64 = 0.13;
const DAY_NOISE: f64 = 0.018;
const HOST_DAY_NOISE: f64 = 0.015;
const SAMPLES: f64 = 320_000.0;
const TRAFFIC_NOISE: f64 = 0.2;
const NANOS_A_SAMPLE: f64 = 5e7;
const PERCENT: f64 = 0.01;

/// The true values of a fleet.
#[derive(Clone)]
struct Truth {
    /// Share of each function. The sum can be below 1, because some functions are not examined.
    shares: Vec<f64>,
    /// Each function's domain, by number.
    domains: Vec<usize>,
    periods: usize,
    /// First period with the new version.
    change: usize,
    /// First period in which the change is gone. If this equals `periods`, the change is permanent.
    end: usize,
    /// For each function: cost with the new version ÷ cost with the old version.
    ratios: Vec<f64>,
    /// True: all hosts change. False: half of the hosts change.
    is_everywhere: bool,
    /// Correlation between the noise of consecutive days.
    day_correlation: f64,
}

impl Truth {
    /// Two windows and one function.
    fn two_windows(ratio: f64) -> Self {
        Self {
            shares: vec![PERCENT],
            domains: vec![0],
            periods: 2,
            change: 1,
            end: 2,
            ratios: vec![ratio],
            is_everywhere: false,
            day_correlation: 0.0,
        }
    }

    /// Many functions. `ratios` contains the ratios of the first functions. Shares have a Pareto distribution, and the
    /// first function has a share of 1 %.
    fn many(count: usize, ratios: &[f64]) -> Self {
        let weights: Vec<f64> = (1..count).map(|rank| (rank as f64 / count as f64).powf(-1.0 / 1.16)).collect();
        let sum: f64 = weights.iter().sum();
        let shares =
            std::iter::once(PERCENT).chain(weights.iter().map(|weight| (1.0 - PERCENT) * weight / sum)).collect();
        let ratios = (0..count).map(|function| ratios.get(function).copied().unwrap_or(1.0)).collect();
        Self { shares, domains: (0..count).map(|function| function / 10).collect(), ratios, ..Self::two_windows(1.0) }
    }

    /// A series of this many days in which all hosts change at once.
    fn course(periods: usize, change: usize, ratio: f64) -> Self {
        Self { periods, change, end: periods, is_everywhere: true, ..Self::two_windows(ratio) }
    }

    fn ratio(&self, function: usize, host: usize, period: usize) -> f64 {
        let is_changed = (self.is_everywhere || host < UPGRADED) && (self.change..self.end).contains(&period);
        if is_changed { self.ratios[function] } else { 1.0 }
    }

    fn draw(&self, numbers: &mut Seeded) -> FleetCosts {
        let upgrade = Upgrade { from: self.change, to: self.change };
        let mut hosts: Vec<HostCosts> = (0..HOSTS)
            .map(|host| HostCosts {
                host: format!("host-{host:02}"),
                upgrade: (host < UPGRADED).then_some(upgrade),
                periods: (0..self.periods).map(|_| HostPeriod::default()).collect(),
            })
            .collect();
        let traffic: Vec<f64> = (0..HOSTS * self.periods).map(|_| (TRAFFIC_NOISE * numbers.normal()).exp()).collect();
        let mut functions: Vec<FunctionCosts> = Vec::new();
        let mut seen = vec![0.0; HOSTS * self.periods];
        let mut expected_sum = vec![0.0; HOSTS * self.periods];
        for (function, share) in self.shares.iter().enumerate() {
            let hosts: Vec<f64> = (0..HOSTS).map(|_| HOST_NOISE * numbers.normal()).collect();
            let days = self.days(numbers);
            let mut cost_ns = Vec::with_capacity(seen.len());
            for cell in 0..seen.len() {
                let (host, period) = (cell / self.periods, cell % self.periods);
                let noise = (hosts[host] + days[period] + HOST_DAY_NOISE * numbers.normal()).exp();
                let expected = SAMPLES * traffic[cell] * share * noise * self.ratio(function, host, period);
                let samples = numbers.poisson(expected);
                expected_sum[cell] += SAMPLES * traffic[cell] * share;
                seen[cell] += samples;
                cost_ns.push(samples * NANOS_A_SAMPLE);
            }
            let domain = Some(format!("domain{}", self.domains[function]));
            functions.push(FunctionCosts { name: format!("f{function}"), domain, cost_ns });
        }
        for cell in 0..seen.len() {
            let rest = numbers.poisson((SAMPLES * traffic[cell] - expected_sum[cell]).max(0.0));
            let samples = seen[cell] + rest;
            hosts[cell / self.periods].periods[cell % self.periods] =
                HostPeriod { cpu_ns: samples * NANOS_A_SAMPLE, samples, units: None };
        }
        FleetCosts { period_count: self.periods, hosts, functions }
    }

    fn days(&self, numbers: &mut Seeded) -> Vec<f64> {
        let r = self.day_correlation;
        let mut last = DAY_NOISE * numbers.normal();
        let mut next = || {
            let day = last;
            last = r * last + (1.0 - r * r).sqrt() * DAY_NOISE * numbers.normal();
            day
        };
        (0..self.periods).map(|_| next()).collect()
    }
}

/// The number of hits and cases, and the resulting rate.
struct Rate {
    hits: u32,
    count: u32,
}

impl Rate {
    fn of(count: u32, seed: u64, mut is_hit: impl FnMut(&mut Seeded) -> bool) -> Self {
        let mut numbers = Seeded::new(seed);
        Self { hits: (0..count).filter(|_| is_hit(&mut numbers)).count() as u32, count }
    }

    fn ratio(&self) -> f64 {
        f64::from(self.hits) / f64::from(self.count)
    }

    /// With 99.9 % probability, this rate gives at most the returned number of hits. More hits refute the rate.
    fn most_hits(&self, ratio: f64) -> u32 {
        let mut probability = (1.0 - ratio).powi(self.count as i32);
        let (mut sum, mut hits) = (probability, 0);
        while sum < 0.999 {
            probability *= f64::from(self.count - hits) / f64::from(hits + 1) * ratio / (1.0 - ratio);
            hits += 1;
            sum += probability;
        }
        hits
    }

    /// The rate that gives at most this many hits with 2.5 % probability (Clopper and Pearson's upper end).
    fn upper(&self) -> f64 {
        let (mut low, mut high) = (self.ratio(), 1.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if self.at_most(middle) > 0.025 { low = middle } else { high = middle }
        }
        low
    }

    /// Probability of at most this many hits at this rate. Uses logarithms, because terms are tiny.
    fn at_most(&self, ratio: f64) -> f64 {
        let (hits, count) = (self.hits, f64::from(self.count));
        let mut log = count * (1.0 - ratio).ln();
        let mut sum = log.exp();
        for hit in 0..hits {
            log += ((count - f64::from(hit)) / f64::from(hit + 1) * ratio / (1.0 - ratio)).ln();
            sum += log.exp();
        }
        sum
    }

    /// Prints the rate, and fails if it is significantly above the limit.
    fn assert_at_most(&self, limit: f64, what: &str) {
        let most = self.most_hits(limit);
        println!(
            "{what}: {} of {} ({:.2} %, at most {:.2} % with 97.5 % certainty); allowed are {most}",
            self.hits,
            self.count,
            self.ratio() * 100.0,
            self.upper() * 100.0
        );
        assert!(self.hits <= most, "{what}: {} of {}, a rate of {limit} allows {most}", self.hits, self.count);
    }

    fn assert_at_least(&self, limit: f64, what: &str) {
        println!("{what}: {} of {} ({:.1} %)", self.hits, self.count, self.ratio() * 100.0);
        assert!(self.ratio() >= limit, "{what}: {} of {}", self.hits, self.count);
    }
}

fn question() -> Question {
    Question { alpha_ratio: ALPHA, false_discovery_ratio: ALPHA, ..Question::default() }
}

fn compared(costs: &FleetCosts) -> RegressionsView {
    version_change(costs, &question()).expect("valid costs")
}

fn searched(costs: &FleetCosts) -> RegressionsView {
    unknown_date(costs, &question()).expect("valid costs")
}

fn has_alarm(view: &RegressionsView) -> bool {
    view.functions.iter().any(|change| change.word.is_change())
}

fn word(view: &RegressionsView, function: &str) -> Word {
    change(view, function).word
}

fn change<'a>(view: &'a RegressionsView, function: &str) -> &'a FunctionChange {
    view.functions.iter().find(|change| change.name == function).expect("the function")
}

/// The first function's share on a host in a period.
fn share(costs: &FleetCosts, host: usize, period: usize) -> f64 {
    costs.functions[0].cost_ns[host * costs.period_count + period] / costs.hosts[host].periods[period].cpu_ns
}

fn log_shares(costs: &FleetCosts, hosts: std::ops::Range<usize>, period: usize) -> Vec<f64> {
    hosts.map(|host| share(costs, host, period).ln()).collect()
}

/// p of a test that compares the samples of upgraded hosts with those of other hosts, as if samples were independent.
fn pooled_p(costs: &FleetCosts) -> f64 {
    let sums = |hosts: std::ops::Range<usize>| -> (f64, f64) {
        hosts.fold((0.0, 0.0), |(hits, all), host| {
            let samples = costs.hosts[host].periods[1].samples;
            (hits + share(costs, host, 1) * samples, all + samples)
        })
    };
    let ((a, all_a), (b, all_b)) = (sums(UPGRADED..HOSTS), sums(0..UPGRADED));
    let both = (a + b) / (all_a + all_b);
    let z = (b / all_b - a / all_a) / (both * (1.0 - both) * (1.0 / all_a + 1.0 / all_b)).sqrt();
    2.0 * normal_below(-z.abs())
}

/// p of a test that compares upgraded hosts with their own past.
fn own_past_p(costs: &FleetCosts) -> f64 {
    let (before, after) = (log_shares(costs, 0..UPGRADED, 0), log_shares(costs, 0..UPGRADED, 1));
    let changes: Vec<f64> = before.iter().zip(&after).map(|(before, after)| after - before).collect();
    Difference::paired(&changes).expect("hosts").p()
}

/// p of a test that compares upgraded hosts with other hosts, after the change only.
fn hosts_p(costs: &FleetCosts) -> f64 {
    let (upgraded, others) = (log_shares(costs, 0..UPGRADED, 1), log_shares(costs, UPGRADED..HOSTS, 1));
    Difference::welch(&others, &upgraded).expect("hosts").p()
}

/// The generated fleets are as difficult as real fleets. Simpler tests have the same rates as in the project's values.
#[test]
fn simpler_tests_are_fooled_by_these_fleets() {
    type Test = fn(&FleetCosts) -> f64;
    const COUNT: u32 = 1500;
    let rate = |ratio: f64, p: Test| {
        let truth = Truth::two_windows(ratio);
        Rate::of(COUNT, 1, |numbers| p(&truth.draw(numbers)) <= ALPHA).ratio()
    };
    let figures: [(&str, Test, f64, f64); 3] = [
        ("samples pooled over hosts", pooled_p, 0.73, 0.82),
        ("hosts against their own past", own_past_p, 0.34, 0.85),
        ("hosts against hosts", hosts_p, 0.01, 0.04),
    ];
    for (name, p, false_alarms, power) in figures {
        let found = (rate(1.0, p), rate(1.05, p));
        println!("{name}: false alarms {:.3} (expected: {false_alarms}), +5 % found {:.3} ({power})", found.0, found.1);
        assert!((found.0 - false_alarms).abs() < 0.05, "{name}: {found:?}");
        assert!((found.1 - power).abs() < 0.08, "{name}: {found:?}");
    }
}

#[test]
fn versions_without_a_change_give_one_alarm_in_a_hundred_at_most() {
    let truth = Truth::two_windows(1.0);
    Rate::of(20_000, 2, |numbers| has_alarm(&compared(&truth.draw(numbers))))
        .assert_at_most(ALPHA, "versions, one function, no change: alarms");
}

#[test]
fn five_percent_more_of_a_one_percent_function_is_found() {
    let truth = Truth::two_windows(1.05);
    Rate::of(2000, 3, |numbers| word(&compared(&truth.draw(numbers)), "f0") == Word::Regressed)
        .assert_at_least(0.85, "versions, one function, +5 %: found");
}

/// A function with few samples does not cause more alarms.
#[test]
fn functions_with_few_samples_give_no_more_alarms() {
    for samples in [3.0, 6.0, 20.0] {
        let truth = Truth { shares: vec![samples / SAMPLES], ..Truth::two_windows(1.0) };
        Rate::of(4000, 4, |numbers| has_alarm(&compared(&truth.draw(numbers))))
            .assert_at_most(ALPHA, &format!("versions, {samples} samples on a host, no change: alarms"));
    }
}

/// In fleets without a change, alarms for any of 150 functions are rare.
#[test]
fn many_functions_without_a_change_give_one_fleet_with_an_alarm_in_a_hundred_at_most() {
    let truth = Truth::many(150, &[]);
    Rate::of(1500, 5, |numbers| has_alarm(&compared(&truth.draw(numbers))))
        .assert_at_most(ALPHA, "versions, 150 functions, no change: fleets with an alarm");
}

/// One of 150 functions changed. The test searches it in two ways: as a watched function, and among all functions.
#[test]
fn five_percent_more_is_found_among_many_functions() {
    let truth = Truth::many(150, &[1.05]);
    let watched = Question { watched: vec!["f0".to_owned()], ..question() };
    let mut is_found = [0_u32; 2];
    const COUNT: u32 = 300;
    let mut numbers = Seeded::new(6);
    for _ in 0..COUNT {
        let costs = truth.draw(&mut numbers);
        is_found[0] += u32::from(word(&compared(&costs), "f0") == Word::Regressed);
        let view = version_change(&costs, &watched).expect("valid costs");
        is_found[1] += u32::from(word(&view, "f0") == Word::Regressed);
    }
    let rate = |hits: u32| Rate { hits, count: COUNT };
    rate(is_found[1]).assert_at_least(0.85, "versions, 150 functions, +5 % of the watched one: found");
    rate(is_found[0]).assert_at_least(0.3, "versions, 150 functions, +5 % of one: found");
}

#[test]
fn of_several_changes_most_are_found_and_few_are_false() {
    let mut truth = Truth::many(150, &[1.1, 1.1, 0.9, 1.1, 0.8]);
    // The changed functions need different domains. Otherwise cost seems to have moved.
    truth.domains = (0..150).map(|function| function % 15).collect();
    let (mut false_part, mut found) = (0.0, 0);
    const COUNT: u32 = 300;
    let mut numbers = Seeded::new(7);
    for _ in 0..COUNT {
        let view = compared(&truth.draw(&mut numbers));
        let named: Vec<&str> =
            view.functions.iter().filter(|it| it.word.is_change()).map(|it| it.name.as_str()).collect();
        let right = named.iter().filter(|name| ["f0", "f1", "f2", "f3", "f4"].contains(name)).count();
        false_part += (named.len() - right) as f64 / named.len().max(1) as f64;
        found += right;
    }
    let (false_part, power) = (false_part / f64::from(COUNT), found as f64 / f64::from(5 * COUNT));
    println!("versions, 150 functions, 5 changed: false discoveries {false_part:.4}, found {power:.3}");
    assert!(false_part <= 0.015 && power >= 0.85, "{false_part} {power}");
}

/// A function with a tenth of the cost is removed. All other shares grow by a tenth, but no other function is named.
#[test]
fn a_large_change_is_not_taken_for_a_change_of_all_others() {
    let mut truth = Truth::many(150, &[1.0, 0.02]);
    let large = truth.shares[1];
    println!("the largest function: {large:.3} of all");
    truth.shares.iter_mut().for_each(|share| *share *= 0.99);
    let mut numbers = Seeded::new(8);
    let mut wrong = 0;
    const COUNT: u32 = 200;
    for _ in 0..COUNT {
        let mut costs = truth.draw(&mut numbers);
        make_whole(&mut costs);
        let view = compared(&costs);
        assert_eq!(word(&view, "f1"), Word::Improved);
        wrong += u32::from(view.functions.iter().any(|it| it.word.is_change() && it.name != "f1"));
    }
    Rate { hits: wrong, count: COUNT }.assert_at_most(ALPHA, "versions, the largest function is gone: others named");
}

/// Sets each host's total to the sum of its functions, so saved time is not spent in other functions.
fn make_whole(costs: &mut FleetCosts) {
    for host in 0..costs.hosts.len() {
        for period in 0..costs.period_count {
            let cell = host * costs.period_count + period;
            let cpu_ns: f64 = costs.functions.iter().map(|function| function.cost_ns[cell]).sum();
            costs.hosts[host].periods[period] = HostPeriod { cpu_ns, samples: cpu_ns / NANOS_A_SAMPLE, units: None };
        }
    }
}

#[test]
fn a_course_without_a_change_gives_one_alarm_in_a_hundred_at_most() {
    for (periods, count) in [(12, 3000), (30, 2000), (60, 1500)] {
        let truth = Truth::course(periods, periods, 1.0);
        Rate::of(count, 9, |numbers| has_alarm(&searched(&truth.draw(numbers))))
            .assert_at_most(ALPHA, &format!("unknown date, {periods} days, no change: alarms"));
    }
    // If days are correlated, the error can be larger than claimed, for example at a correlation of 0.6.
    for (day_correlation, limit) in [(0.3, ALPHA), (0.6, 2.5 * ALPHA)] {
        let truth = Truth { day_correlation, ..Truth::course(60, 60, 1.0) };
        let rate = Rate::of(1500, 9, |numbers| has_alarm(&searched(&truth.draw(numbers))));
        rate.assert_at_most(limit, &format!("unknown date, days like their neighbours ({day_correlation}): alarms"));
    }
}

/// The test uses the same series, and tests the best date as if it were the only date, as in the published procedure.
#[test]
fn a_test_that_forgets_the_search_is_fooled_by_these_courses() {
    for (day_correlation, least) in [(0.0, 0.06), (0.6, 0.3)] {
        let truth = Truth { day_correlation, ..Truth::course(60, 60, 1.0) };
        let rate = Rate::of(500, 9, |numbers| {
            let costs = truth.draw(numbers);
            let mean = |day: usize| log_shares(&costs, 0..HOSTS, day).iter().sum::<f64>() / HOSTS as f64;
            let days: Vec<f64> = (0..60).map(mean).collect();
            let split = most_different_split(&days, 1).expect("days");
            let (before, after) = days.split_at(split.position);
            Difference::pooled(before, after).expect("days").p() <= ALPHA
        });
        rate.assert_at_least(
            least,
            &format!("one date of many tested as if it were the only one ({day_correlation}): alarms"),
        );
    }
}

#[test]
fn five_percent_more_is_found_and_dated() {
    for (periods, day, least) in [(60, 30, 0.95), (60, 50, 0.9), (30, 20, 0.85)] {
        let truth = Truth::course(periods, day, 1.05);
        let mut near = 0;
        let rate = Rate::of(400, 10, |numbers| {
            let view = searched(&truth.draw(numbers));
            let found = change(&view, "f0");
            let is_near = found.steps.iter().any(|step| step.period.abs_diff(day) <= 2);
            near += u32::from(found.word == Word::Regressed && is_near);
            found.word == Word::Regressed
        });
        rate.assert_at_least(least, &format!("unknown date, {periods} days, +5 % on day {day}: found"));
        Rate { hits: near, count: 400 }.assert_at_least(least - 0.1, "  and dated within two days");
    }
}

#[test]
fn many_courses() {
    let truth = Truth::many(60, &[1.0]);
    let quiet = Truth { periods: 30, change: 30, end: 30, is_everywhere: true, ..truth.clone() };
    Rate::of(150, 11, |numbers| has_alarm(&searched(&quiet.draw(numbers))))
        .assert_at_most(ALPHA, "unknown date, 60 functions, 30 days, no change: fleets with an alarm");
    let changed = Truth { ratios: Truth::many(60, &[1.05]).ratios, change: 18, ..quiet };
    Rate::of(60, 12, |numbers| word(&searched(&changed.draw(numbers)), "f0") == Word::Regressed)
        .assert_at_least(0.7, "unknown date, 60 functions, 30 days, +5 % of one: found");
}

/// Other functions of the domain take over a function's cost: the cost moved, and there is no alarm.
#[test]
fn cost_that_moved_within_a_domain_is_seldom_an_alarm() {
    // A function of 1 % loses a fifth of its cost to another function of 1 %, in a domain of 4 %.
    let truth = Truth { shares: vec![0.01, 0.01, 0.02], domains: vec![0; 3], ..Truth::two_windows(1.0) };
    let truth = Truth { ratios: vec![0.8, 1.2, 1.0], ..truth };
    let mut is_moved = 0;
    let alarms = Rate::of(500, 13, |numbers| {
        let view = compared(&truth.draw(numbers));
        is_moved += u32::from(word(&view, "f1") == Word::Moved);
        word(&view, "f1") == Word::Regressed
    });
    alarms.assert_at_most(0.03, "versions, cost moved within a domain: alarms");
    Rate { hits: is_moved, count: 500 }.assert_at_least(0.9, "  and reported as moved");
}

/// A small function in a large domain really costs more. The noise of the domain does not hide this.
#[test]
fn a_regression_in_a_large_domain_is_not_called_moved() {
    let truth = Truth { shares: vec![0.01, 0.1, 0.1], domains: vec![0; 3], ..Truth::two_windows(1.0) };
    let truth = Truth { ratios: vec![1.1, 1.0, 1.0], ..truth };
    Rate::of(500, 14, |numbers| word(&compared(&truth.draw(numbers)), "f0") == Word::Regressed)
        .assert_at_least(0.95, "versions, +10 % in a domain of a fifth: found");
}

#[test]
fn what_went_away_is_no_alarm_and_what_stayed_is_not_called_gone() {
    let stays = Truth { periods: 12, change: 4, end: 12, ratios: vec![1.1], ..Truth::two_windows(1.0) };
    let gone = Truth { end: 10, ..stays.clone() };
    let is = |truth: &Truth, wanted: Word| {
        Rate::of(500, 15, |numbers| word(&compared(&truth.draw(numbers)), "f0") == wanted)
    };
    is(&stays, Word::WentAway).assert_at_most(ALPHA, "versions, a change that stays: called gone");
    is(&stays, Word::Regressed).assert_at_least(0.95, "versions, a change that stays: found");
    is(&gone, Word::Regressed).assert_at_most(0.05, "versions, a change that is gone after six days of eight: alarms");
    let course = Truth { change: 25, end: 40, ..Truth::course(60, 25, 1.1) };
    let is = |wanted: Word| Rate::of(300, 16, |numbers| word(&searched(&course.draw(numbers)), "f0") == wanted);
    is(Word::Regressed).assert_at_most(0.05, "unknown date, a change that is gone: alarms");
    is(Word::WentAway).assert_at_least(0.9, "unknown date, a change that is gone: reported as gone");
}

/// On average, a change of the claimed detectable size is found in 80 % of the cases. "Unchanged" is seldom reported
/// for a change that is as large as the margin.
#[test]
fn the_size_that_could_have_been_seen_is_seen() {
    let mut numbers = Seeded::new(17);
    let quiet = Truth::two_windows(1.0);
    let sizes: Vec<f64> =
        (0..200).filter_map(|_| change(&compared(&quiet.draw(&mut numbers)), "f0").detectable_ratio).collect();
    let size = sizes.iter().sum::<f64>() / sizes.len() as f64;
    let changed = Truth::two_windows(1.0 + size);
    let found = Rate::of(1000, 18, |numbers| word(&compared(&changed.draw(numbers)), "f0") == Word::Regressed);
    println!("versions, claimed detectable change +{:.2} %: found {:.3}", size * 100.0, found.ratio());
    assert!((0.72..0.88).contains(&found.ratio()), "{}", found.ratio());
    let margin = Truth::two_windows(1.05);
    Rate::of(1000, 19, |numbers| word(&compared(&margin.draw(numbers)), "f0") == Word::Unchanged)
        .assert_at_most(0.05, "versions, a change of the margin's size: called unchanged");
    Rate::of(1000, 20, |numbers| word(&compared(&quiet.draw(numbers)), "f0") == Word::Unchanged)
        .assert_at_least(0.9, "versions, no change: reported as unchanged");
}
