//! Guesses the program's own package, if the main class does not show it.
//!
//! Servers and frameworks start many programs with their own main class, from jars. Hardly any CPU sample of such a program has
//! a frame that [`Roles`](crate::roles::Roles) recognises as the program's own. The guess is the package that is on the
//! stacks of most CPU samples, without the JDK and without well-known frameworks.

use crate::roles::{Role, class_of, of_program};
use rustc_hash::FxHashMap;
use whittle_model::{EventKind, Table};
use whittle_profile::Profile;
use whittle_profile::samples::SampleKind;

/// If a larger share of CPU samples has own code, the own package is not guessed.
const KNOWN_RATIO: f64 = 0.05;
/// A guessed package must be on the stacks of this share of CPU samples.
const GUESSED_RATIO: f64 = 0.2;
/// The guess looks at this many samples.
const LOOKED_AT: usize = 100_000;

/// Packages of servers, frameworks and libraries. Many programs contain them, and they are no program's own.
const FRAMEWORKS: &[&str] = &[
    "akka/",
    "ch/qos/logback/",
    "com/fasterxml/",
    "com/google/common/",
    "com/google/protobuf/",
    "com/linecorp/armeria/",
    "com/zaxxer/",
    "graphql/",
    "io/dropwizard/",
    "io/grpc/",
    "io/helidon/",
    "io/micrometer/",
    "io/micronaut/",
    "io/netty/",
    "io/opentelemetry/",
    "io/quarkus/",
    "io/reactivex/",
    "io/smallrye/",
    "io/undertow/",
    "io/vertx/",
    "jakarta/",
    "javassist/",
    "javax/",
    "net/bytebuddy/",
    "org/apache/catalina/",
    "org/apache/commons/",
    "org/apache/coyote/",
    "org/apache/cxf/",
    "org/apache/felix/",
    "org/apache/http/",
    "org/apache/hc/",
    "org/apache/jasper/",
    "org/apache/logging/",
    "org/apache/pekko/",
    "org/apache/tomcat/",
    "org/bouncycastle/",
    "org/eclipse/jetty/",
    "org/eclipse/microprofile/",
    "org/glassfish/",
    "org/hibernate/",
    "org/jboss/",
    "org/junit/",
    "org/objectweb/asm/",
    "org/osgi/",
    "org/postgresql/",
    "org/reactivestreams/",
    "org/slf4j/",
    "org/springframework/",
    "org/wildfly/",
    "org/xnio/",
    "reactor/",
    "rx/",
];

/// A package that is probably the program's own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Guess {
    /// With dots: `com.acme`.
    pub(crate) package: String,
    /// Share of the CPU samples with Java code outside the JDK that have the package on their stacks.
    pub(crate) ratio: f64,
}

/// The guess. `None`: enough samples have own code, or no package is on many stacks.
pub(crate) fn guess(profile: &Profile, roles: &[Role]) -> Option<Guess> {
    let counts = cpu_samples(profile);
    let tables = profile.tables();
    let (stacks, frames) = (&tables.stacks, &tables.frames);
    let has_role = |wanted: &[Role]| {
        let has = stacks.has_frame(|frame| wanted.contains(&roles[frames.function[frame.row()].row()]));
        counts.iter().filter(|(row, _)| has[*row]).map(|(_, count)| count).sum::<u64>() as f64
    };
    let all = has_role(&[Role::Own, Role::ThirdParty]);
    if all == 0.0 || has_role(&[Role::Own]) > KNOWN_RATIO * all {
        return None;
    }
    let package_of = |row: usize| match roles[row] {
        Role::ThirdParty => package(class_of(&tables.functions.internal_name[row])),
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
    let most = by_package.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)))?;
    let ratio = most.1 as f64 / all;
    (ratio >= GUESSED_RATIO).then(|| Guess { package: most.0.trim_end_matches('/').replace('/', "."), ratio })
}

/// The number of CPU samples by row of stacks.
fn cpu_samples(profile: &Profile) -> Vec<(usize, u64)> {
    let samples = profile.samples();
    let is_cpu: Vec<bool> = SampleKind::all().map(|kind| kind.event == EventKind::Cpu).collect();
    let observed = profile.observed_stacks();
    let mut counts = vec![0; observed.len()];
    for sample in (0..samples.len()).step_by(samples.len() / LOOKED_AT + 1) {
        counts[samples.observed[sample] as usize] += u64::from(is_cpu[usize::from(samples.kind[sample])]);
    }
    observed.iter().map(|stack| stack.row()).zip(counts).filter(|(_, count)| *count > 0).collect()
}

/// The package that can be a program's own. `None`: it is a framework's, or too short.
fn package(class: &str) -> Option<&str> {
    if FRAMEWORKS.iter().any(|framework| class.starts_with(framework)) {
        return None;
    }
    of_program(class)
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
    use crate::options::FindingsOptions;
    use crate::roles::Roles;
    use whittle_model::{ArchivedClass, FunctionKind};
    use whittle_testkit::experiment_from_text;

    /// The guess for a program in which every class is in a jar of its own, and a server has the main class.
    fn guessed(text: &str) -> Option<Guess> {
        let (manifest, mut tables) = experiment_from_text(text);
        for row in 1..tables.functions.len() {
            if tables.functions.kind[row] == FunctionKind::Java {
                let class_name = class_of(&tables.functions.internal_name[row]).to_owned();
                let origin = format!("/opt/lib/{}.jar", class_name.replace('/', "-"));
                tables.archive.push(ArchivedClass { class_name, origin, digest: None, bytes: None });
            }
        }
        let profile = Profile::load(manifest, tables).expect("drawn experiments are valid");
        let options = FindingsOptions::default();
        let roles = Roles::new(profile.tables(), &[], &options);
        guess(&profile, &roles.of_function)
    }

    #[test]
    fn the_package_on_most_stacks_is_guessed_and_no_framework() {
        let found = guessed(
            "
            io/netty/Loop.run()V    io/netty/Loop.run()V      io/netty/Loop.run()V     io/netty/Loop.run()V
            com/acme/shop/A.b()V    com/acme/till/C.d()V      com/acme/shop/A.b()V     org/lib/x/E.f()V
            org/lib/x/E.f()V        java/util/HashMap.get()V  com/acme/shop/A.b()V
            ",
        );
        assert_eq!(found, Some(Guess { package: "com.acme".to_owned(), ratio: 0.75 }));
    }

    #[test]
    fn nothing_is_guessed_if_own_code_is_known_or_all_code_is_a_frameworks() {
        let own = "
            com/acme/shop/Main.main([Ljava/lang/String;)V
            org/lib/x/E.f()V
            ";
        assert_eq!(guessed(own), None);
        let framework = "
            io/netty/Loop.run()V
            org/springframework/web/A.b()V
            ";
        assert_eq!(guessed(framework), None);
    }

    #[test]
    fn packages_that_organisations_share_need_three_components() {
        assert_eq!(package("org/apache/activemq/artemis/A"), Some("org/apache/activemq/"));
        assert_eq!(package("com/acme/shop/A"), Some("com/acme/"));
        assert_eq!(package("io/vertx/core/A"), None);
        assert_eq!((package("Main"), package("shop/A")), (None, None));
    }
}
