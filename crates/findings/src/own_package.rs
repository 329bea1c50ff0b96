//! Guesses the program's own package, if the main class does not show it.
//!
//! Servers and frameworks start many programs with their own main class, from jars. Hardly any CPU sample of such a
//! program has a frame that [`Roles`] recognises as the program's own. The guess is the package that is on the stacks of most
//! CPU samples, without the JDK and without well-known frameworks.

use crate::options::FindingsOptions;
use rustc_hash::FxHashMap;
use whittle_model::{EventKind, Table};
use whittle_profile::Profile;
use whittle_profile::frameworks::{is_framework, is_library};
use whittle_profile::known_packages::of_program;
use whittle_profile::roles::{Role, Roles, class_of, is_in};
use whittle_profile::samples::SampleKind;

/// If a larger share of CPU samples has own code, the own package is not guessed.
const KNOWN_RATIO: f64 = 0.05;
/// A guessed package must be on the stacks of this share of CPU samples.
const GUESSED_RATIO: f64 = 0.2;
/// With fewer CPU samples, nothing is guessed: a share of a fifth would be known only to ±8 percentage points (two standard
/// deviations).
const FEWEST_SAMPLES: u64 = 100;
/// A second package with this share of the samples of the first is also mentioned.
const NEAR_RATIO: f64 = 0.8;
/// The guess looks at this many samples.
const LOOKED_AT: usize = 100_000;

/// The package that is probably the program's own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Guess {
    pub(crate) first: Candidate,
    /// Another package that is on nearly as many stacks.
    pub(crate) second: Option<Candidate>,
}

/// A package that can be the program's own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// With dots: `com.acme`.
    pub(crate) package: String,
    /// Share of the CPU samples with Java code outside the JDK that have the package on their stacks.
    pub(crate) ratio: f64,
}

/// The guess from the samples after `from_ns`. `None`: the main class is known, enough samples have own code, there are few
/// samples, or no package is on many stacks.
pub(crate) fn guess(profile: &Profile, from_ns: u64, roles: &Roles<'_>, options: &FindingsOptions) -> Option<Guess> {
    // The user knows better.
    if roles.has_main_class || !options.own.is_empty() {
        return None;
    }
    let roles = &roles.of_function;
    let counts = cpu_samples(profile, from_ns);
    let tables = profile.tables();
    let (stacks, frames) = (&tables.stacks, &tables.frames);
    let with_role = |wanted: &[Role]| {
        let has = stacks.has_frame(|frame| wanted.contains(&roles[frames.function[frame.row()].row()]));
        counts.iter().filter(|(row, _)| has[*row]).map(|(_, count)| count).sum::<u64>()
    };
    let all = with_role(&[Role::Own, Role::ThirdParty]);
    if all < FEWEST_SAMPLES || with_role(&[Role::Own]) as f64 > KNOWN_RATIO * all as f64 {
        return None;
    }
    let package_of = |row: usize| match roles[row] {
        Role::ThirdParty => package(class_of(&tables.functions.internal_name[row]), options),
        _ => None,
    };
    let packages: Vec<Option<&str>> = (0..tables.functions.len()).map(package_of).collect();
    let mut sets = Sets::default();
    let mut set_of = vec![0; stacks.len()];
    for row in 1..stacks.len() {
        let above = set_of[stacks.parent[row].row()];
        let package = packages[frames.function[stacks.frame[row].row()].row()];
        set_of[row] = package.map_or(above, |package| sets.with(above, package));
    }
    let mut by_package = FxHashMap::<&str, u64>::default();
    for (row, count) in &counts {
        for package in &sets.packages[set_of[*row]] {
            *by_package.entry(package).or_default() += count;
        }
    }
    let mut by_package: Vec<(&str, u64)> = by_package.into_iter().collect();
    by_package.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let mut candidates = by_package.into_iter().map(|(package, count)| Candidate {
        package: package.trim_end_matches('/').replace('/', "."),
        ratio: count as f64 / all as f64,
    });
    let first = candidates.next().filter(|first| first.ratio >= GUESSED_RATIO)?;
    let second = candidates.next().filter(|second| second.ratio >= NEAR_RATIO * first.ratio);
    Some(Guess { first, second })
}

/// The number of CPU samples by row of stacks.
fn cpu_samples(profile: &Profile, from_ns: u64) -> Vec<(usize, u64)> {
    let samples = profile.samples();
    let is_cpu: Vec<bool> = SampleKind::all().map(|kind| kind.event == EventKind::Cpu).collect();
    let observed = profile.observed_stacks();
    let mut counts = vec![0; observed.len()];
    for sample in (0..samples.len()).step_by(samples.len() / LOOKED_AT + 1) {
        let is_counted = samples.time_ns[sample] >= from_ns && is_cpu[usize::from(samples.kind[sample])];
        counts[samples.observed[sample] as usize] += u64::from(is_counted);
    }
    observed.iter().map(|stack| stack.row()).zip(counts).filter(|(_, count)| *count > 0).collect()
}

/// The package that can be a program's own. `None`: it is a framework's, a launcher's, a language's or, by the user's options,
/// a library's, or it is too short.
fn package<'a>(class: &'a str, options: &FindingsOptions) -> Option<&'a str> {
    let is_known = is_framework(class) || is_library(class);
    let is_library = options.third_party.iter().any(|package| is_in(class, package));
    if is_known || is_library { None } else { of_program(class) }
}

/// Sets of packages. Many stacks have the same set. Set 0 is empty.
struct Sets<'a> {
    packages: Vec<Vec<&'a str>>,
    /// The set after adding a package to a set.
    next: FxHashMap<(usize, &'a str), usize>,
}

impl Default for Sets<'_> {
    fn default() -> Self {
        Self { packages: vec![Vec::new()], next: FxHashMap::default() }
    }
}

impl<'a> Sets<'a> {
    fn with(&mut self, set: usize, package: &'a str) -> usize {
        let Self { packages, next } = self;
        *next.entry((set, package)).or_insert_with(|| {
            let mut more = packages[set].clone();
            if more.contains(&package) {
                return set;
            }
            more.push(package);
            packages.push(more);
            packages.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{ArchivedClass, FunctionKind};
    use whittle_testkit::experiment_from_text;

    /// The guess for a program whose classes are in jars, and whose main class was never seen. Each sample counts `times`
    /// times.
    fn guessed(samples: &[&[&str]], times: usize, options: &FindingsOptions) -> Option<Guess> {
        let columns: Vec<&[&str]> = samples.iter().flat_map(|stack| std::iter::repeat_n(*stack, times)).collect();
        let depth = samples.iter().map(|stack| stack.len()).max().unwrap_or(0);
        let line =
            |level: usize| columns.iter().map(|stack| format!("{:<60}", stack.get(level).unwrap_or(&""))).collect();
        let text: Vec<String> = (0..depth).map(line).collect();
        let (manifest, mut tables) = experiment_from_text(&text.join("\n"));
        for row in 1..tables.functions.len() {
            if tables.functions.kind[row] == FunctionKind::Java {
                let class_name = class_of(&tables.functions.internal_name[row]).to_owned();
                let origin = format!("/opt/lib/{}.jar", class_name.replace('/', "-"));
                tables.archive.push(ArchivedClass { class_name, origin, digest: None, bytes: None });
            }
        }
        let profile = Profile::load(manifest, tables).expect("drawn experiments are valid");
        let roles = Roles::new(profile.tables(), &[], options.packages());
        guess(&profile, 0, &roles, options)
    }

    const LOOP: &str = "io/netty/Loop.run()V";
    const SHOP: &str = "com/acme/shop/A.b()V";
    const LIBRARY: &str = "org/lib/x/E.f()V";
    const SAMPLES: [&[&str]; 4] = [
        &[LOOP, SHOP, LIBRARY],
        &[LOOP, "com/acme/till/C.d()V", "java/util/HashMap.get()V"],
        &[LOOP, SHOP, SHOP],
        &[LOOP, LIBRARY],
    ];

    #[test]
    fn the_package_on_most_stacks_is_guessed_and_no_framework() {
        let found = guessed(&SAMPLES, 25, &FindingsOptions::default()).expect("a guess");
        assert_eq!(found.first, Candidate { package: "com.acme".to_owned(), ratio: 0.75 });
        assert_eq!(found.second, None);
        // Twenty-four samples of each kind are too few.
        assert_eq!(guessed(&SAMPLES, 24, &FindingsOptions::default()), None);
    }

    #[test]
    fn the_users_words_are_stronger() {
        let own = FindingsOptions { own: vec!["org.lib".to_owned()], ..FindingsOptions::default() };
        assert_eq!(guessed(&SAMPLES, 25, &own), None);
        let third_party = FindingsOptions { third_party: vec!["com.acme".to_owned()], ..FindingsOptions::default() };
        let found = guessed(&SAMPLES, 25, &third_party).expect("a guess");
        assert_eq!(found.first, Candidate { package: "org.lib".to_owned(), ratio: 0.5 });
    }

    #[test]
    fn a_second_package_on_nearly_as_many_stacks_is_mentioned() {
        let found = guessed(&[&[SHOP, LIBRARY]], 100, &FindingsOptions::default()).expect("a guess");
        let second = found.second.map(|second| (second.package, second.ratio));
        assert_eq!((found.first.package.as_str(), second), ("com.acme", Some(("org.lib".to_owned(), 1.0))));
    }

    #[test]
    fn nothing_is_guessed_if_the_main_class_is_known_or_all_code_is_a_frameworks_or_a_languages() {
        for stack in [
            ["com/acme/shop/Main.main([Ljava/lang/String;)V", LIBRARY],
            [LOOP, "org/springframework/web/A.b()V"],
            [LOOP, "kotlinx/coroutines/DispatchedTask.run()V"],
        ] {
            assert_eq!(guessed(&[&stack], 100, &FindingsOptions::default()), None, "{stack:?}");
        }
    }
}
