//! Selects the needed classes: the classes of the program's functions.

use std::collections::HashSet;
use whittle_model::{FunctionKind, FunctionTable};

/// Packages of the JDK. A jar of the program can also contain them, except `java/`.
const JDK_PACKAGES: [&str; 10] = [
    "java/",
    "javax/",
    "jdk/",
    "sun/",
    "com/sun/",
    "org/w3c/dom/",
    "org/xml/sax/",
    "org/ietf/jgss/",
    "org/jcp/xml/",
    "netscape/javascript/",
];

/// The text before the number of a hidden class. Lambda forms and most lambdas are hidden classes.
const HIDDEN_PARTS: [&str; 4] = ["$$Lambda", "/0x", ".0x", "+0x"];

/// Parts of the names of other classes that the JDK generates while the program runs.
const GENERATED_PARTS: [&str; 3] =
    ["GeneratedMethodAccessor", "GeneratedConstructorAccessor", "GeneratedSerializationConstructorAccessor"];

/// Simple name of a proxy class, without its number.
const PROXY: &str = "$Proxy";

/// The classes of whittle's own agent, which a collection with `--instrument` loads into the JVM.
const OWN_AGENT: &str = "whittle/agent/";

/// The class of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WantedClass {
    /// The name in the JVM, `java/lang/String`.
    pub(super) name: String,
    pub(super) source: ClassSource,
}

/// Where a class can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClassSource {
    /// In the program's jars and folders.
    Program,
    /// In the program's jars and folders, or in the JDK.
    ProgramOrJdk,
    /// In no file.
    MadeAtRunTime,
}

/// The classes of all Java functions, each once, in the order of the functions. Classes of `java.*` are left out. For a
/// lambda's class, the class that contains the lambda is added, because the code is there.
pub(super) fn classes_of(functions: &FunctionTable) -> Vec<WantedClass> {
    let mut seen = HashSet::new();
    let mut classes = Vec::new();
    let rows = functions.internal_name.iter().zip(&functions.kind);
    let names = rows.filter(|(_, kind)| **kind == FunctionKind::Java).filter_map(|(name, _)| class_of(name));
    for name in names {
        for name in [Some(name), written_in(name)].into_iter().flatten() {
            if let Some(source) = source_of(name)
                && seen.insert(name)
            {
                classes.push(WantedClass { name: name.to_owned(), source });
            }
        }
    }
    classes
}

/// The class in `java/lang/String.length()I`.
fn class_of(internal_name: &str) -> Option<&str> {
    let until_parameters = internal_name.split('(').next()?;
    let (class, _method) = until_parameters.rsplit_once('.')?;
    is_class_name(class).then_some(class)
}

/// True for names that are safe as the path of a class file.
pub(super) fn is_class_name(class: &str) -> bool {
    class.split('/').all(|part| !matches!(part, "" | "." | "..")) && !class.contains('\0')
}

/// Where a class can be. `None`: the class is certainly part of the JDK or of whittle's own agent.
pub(super) fn source_of(class: &str) -> Option<ClassSource> {
    if class.starts_with(OWN_AGENT) {
        return None;
    }
    if is_made_at_run_time(class) {
        return Some(ClassSource::MadeAtRunTime);
    }
    match JDK_PACKAGES.iter().position(|package| class.starts_with(package)) {
        Some(0) => None,
        Some(_) => Some(ClassSource::ProgramOrJdk),
        None => Some(ClassSource::Program),
    }
}

fn is_made_at_run_time(class: &str) -> bool {
    let simple_name = class.rsplit('/').next().unwrap_or(class);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_proxy = simple_name.strip_prefix(PROXY).is_some_and(is_number);
    is_proxy || HIDDEN_PARTS.iter().chain(&GENERATED_PARTS).any(|part| class.contains(part))
}

/// The class that contains the source of a generated class.
fn written_in(class: &str) -> Option<&str> {
    let end = HIDDEN_PARTS.iter().filter_map(|part| class.find(part)).min()?;
    (end > 0).then(|| &class[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ClassSource::{MadeAtRunTime, Program, ProgramOrJdk};
    use whittle_model::{BinaryIndex, NewFunction, TableBuilder};

    fn classes(functions: &[(&str, FunctionKind)]) -> Vec<(String, ClassSource)> {
        let mut builder = TableBuilder::new();
        for (name, kind) in functions {
            let binary = BinaryIndex::NONE;
            builder.function(&NewFunction { display_name: name, internal_name: name, kind: *kind, binary });
        }
        let classes = classes_of(&builder.tables().functions);
        classes.into_iter().map(|class| (class.name, class.source)).collect()
    }

    #[test]
    fn every_class_of_the_program_is_wanted_once() {
        let java = FunctionKind::Java;
        let found = classes(&[
            ("a/B.run()V", java),
            ("a/B$C.<init>(La/B;)V", java),
            ("a/B.stop()V", java),
            ("java/lang/Thread.run()V", java),
            ("javax/inject/Provider.get()Ljava/lang/Object;", java),
            ("Main.main([Ljava/lang/String;)V", java),
            ("a/D.without_signature", java),
            ("[unloaded]", java),
            ("std::io.write()", FunctionKind::Native),
        ]);
        let expected = [
            ("a/B", Program),
            ("a/B$C", Program),
            ("javax/inject/Provider", ProgramOrJdk),
            ("Main", Program),
            ("a/D", Program),
        ];
        assert_eq!(found, expected.map(|(name, source)| (name.to_owned(), source)));
    }

    #[test]
    fn classes_made_at_run_time_are_known_by_their_names() {
        for name in [
            "a/B$$Lambda$14/0x0000000800c03000",
            "a/B$$Lambda.0x0000000028040660",
            "a/B$$Lambda/0x00007f2648000c30",
            "java/lang/invoke/LambdaForm$MH/0x00007f2648000c30",
            "java/lang/invoke/LambdaForm$DMH.0x0000000800c03000",
            "jdk/proxy2/$Proxy12",
            "com/sun/proxy/$Proxy7",
            "jdk/internal/reflect/GeneratedMethodAccessor3",
            "a/Hidden+0x0000000800c03000",
        ] {
            assert_eq!(source_of(name), Some(MadeAtRunTime), "{name}");
        }
        for name in ["a/Proxy12", "a/$ProxyFactory", "a/B$Lambda", "a/B$1", "x0x/Y"] {
            assert_eq!(source_of(name), Some(Program), "{name}");
        }
    }

    #[test]
    fn a_lambda_brings_the_class_that_it_was_written_in() {
        let found = classes(&[
            ("a/B$$Lambda$14/0x0000000800c03000.run()V", FunctionKind::Java),
            ("java/lang/invoke/LambdaForm$MH/0x00007f2648000c30.invoke()V", FunctionKind::Java),
        ]);
        let expected = [
            ("a/B$$Lambda$14/0x0000000800c03000", MadeAtRunTime),
            ("a/B", Program),
            ("java/lang/invoke/LambdaForm$MH/0x00007f2648000c30", MadeAtRunTime),
        ];
        assert_eq!(found, expected.map(|(name, source)| (name.to_owned(), source)));
    }

    #[test]
    fn names_that_could_lead_elsewhere_are_no_classes() {
        for name in ["../../etc/passwd.x()V", "a//b.x()V", "/a/b.x()V", "a/./b.x()V", "a\0b.x()V", ".x()V"] {
            assert_eq!(class_of(name), None, "{name}");
        }
    }
}
