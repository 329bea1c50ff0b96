//! Whose code a function is.
//!
//! The JDK's is told by its package. What is left is the program's own or a third party's. Own is what comes from a
//! folder or from where the main class comes from, and what shares two parts of its package with the main class; a
//! jar beside them is a third party's. Without origins everything that is not the JDK's is the program's own. Where there
//! is no Java at all, native code outside the system's libraries is.

use super::options::FindingsOptions;
use crate::jdk_classes::is_jdk_method;
use crate::system_libraries::SystemLibraries;
use rustc_hash::{FxHashMap, FxHashSet};
use whittle_model::{FunctionKind, Table, Tables};

/// Whose code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The program's own Java code.
    Own,
    /// Java code of a library that is not the JDK.
    ThirdParty,
    /// Java code of the JDK.
    Jdk,
    /// Java code that the JVM or a library made to call other code: it has no lines of its own.
    Glue,
    /// Native, kernel and JVM code, pseudo-functions.
    Other,
}

impl Role {
    /// True for code that somebody other than the JDK's makers wrote.
    pub(crate) fn is_application(self) -> bool {
        matches!(self, Self::Own | Self::ThirdParty)
    }
}

/// Whose code is whose.
pub(crate) struct Roles<'a> {
    /// The role of every row of functions.
    pub(crate) of_function: Vec<Role>,
    /// The archived classes that are the program's own.
    pub(crate) own_classes: FxHashSet<&'a str>,
}

impl<'a> Roles<'a> {
    /// Decides for all functions and classes; `command` is the program's command line.
    pub(crate) fn new(tables: &'a Tables, command: &'a [String], options: &'a FindingsOptions) -> Self {
        let owners = Owners::new(tables, command, options);
        let classes = tables.archive.class_name.iter().map(String::as_str);
        let own_classes = classes.filter(|class| owners.role_of_class(class) == Role::Own).collect();
        Self { of_function: roles(tables, &owners), own_classes }
    }
}

fn roles(tables: &Tables, owners: &Owners<'_>) -> Vec<Role> {
    let functions = &tables.functions;
    let libraries = SystemLibraries::new(&tables.binaries);
    // In a JVM native code is what Java code calls; elsewhere it is the program.
    let is_native_program = !functions.kind.contains(&FunctionKind::Java);
    let is_of_system = |row: usize| libraries.is_system(&tables.binaries.path[functions.binary[row].row()]);
    (0..functions.len())
        .map(|row| match functions.kind[row] {
            FunctionKind::Java => owners.role(&functions.internal_name[row]),
            FunctionKind::Native if is_native_program && !is_of_system(row) && row > 0 => Role::Own,
            _ => Role::Other,
        })
        .collect()
}

/// The class of a Java method by the JVM's name: of `a/B$C.run(I)V` it is `a/B$C`.
pub(crate) fn class_of(internal_name: &str) -> &str {
    let name = internal_name.split('(').next().unwrap_or(internal_name);
    let name = hidden_class(name).unwrap_or(name);
    name.rsplit_once('.').map_or(name, |(class, _)| class)
}

/// What stands before the number of a hidden class, `A$$Lambda/0x7f.run` or `A$$Lambda$1.0x7f.run`.
fn hidden_class(name: &str) -> Option<&str> {
    let end = name.find("/0x").or_else(|| name.find(".0x"))?;
    name[..end].contains("$$").then_some(&name[..end])
}

/// Parts of names that code made at run time has.
const GLUE: &[&str] = &[
    "$$Lambda",
    "$$FastClass",
    "$$EnhancerBy",
    "$$SpringCGLIB",
    "$Proxy",
    "GeneratedMethodAccessor",
    "GeneratedConstructorAccessor",
    "$$InjectedInvoker",
    "LambdaForm$",
];

fn is_glue(internal_name: &str) -> bool {
    GLUE.iter().any(|part| internal_name.contains(part))
}

struct Owners<'a> {
    options: &'a FindingsOptions,
    origin_of_class: FxHashMap<&'a str, &'a str>,
    own_origins: FxHashSet<&'a str>,
    /// The first two parts of the main class's package, `com/acme/`. Missing: it has fewer, or is not known.
    own_package: Option<&'a str>,
}

impl<'a> Owners<'a> {
    fn new(tables: &'a Tables, command: &'a [String], options: &'a FindingsOptions) -> Self {
        let archive = &tables.archive;
        let origin_of_class: FxHashMap<&str, &str> =
            archive.class_name.iter().map(String::as_str).zip(archive.origin.iter().map(String::as_str)).collect();
        // Whoever attaches late may never see the main thread; the command line has its class, too.
        let named =
            || command.iter().skip(1).find_map(|word| archive.class_name.iter().find(|class| is_class(class, word)));
        let main = main_class(tables).or_else(|| named().map(String::as_str));
        let mut own_origins: FxHashSet<&str> =
            main.and_then(|class| origin_of_class.get(class)).copied().into_iter().collect();
        own_origins.extend(origin_of_class.values().filter(|origin| is_folder(origin)));
        let jar = command.windows(2).find(|words| words[0] == "-jar").map(|words| file_name(&words[1]));
        own_origins.extend(origin_of_class.values().filter(|origin| jar.is_some_and(|jar| is_of_jar(origin, jar))));
        Self { options, origin_of_class, own_origins, own_package: main.and_then(two_parts) }
    }

    fn role(&self, internal_name: &str) -> Role {
        if is_jdk_method(internal_name) {
            return if is_glue(internal_name) { Role::Glue } else { Role::Jdk };
        }
        if is_glue(internal_name) {
            return Role::Glue;
        }
        self.role_of_class(class_of(internal_name))
    }

    /// The role of a class that is not the JDK's.
    fn role_of_class(&self, class: &str) -> Role {
        match self.said(class) {
            Some(role) => role,
            None if self.is_own(class) => Role::Own,
            None => Role::ThirdParty,
        }
    }

    /// What the options say.
    fn said(&self, class: &str) -> Option<Role> {
        let longest =
            |packages: &[String]| packages.iter().filter(|package| is_in(class, package)).map(String::len).max();
        match (longest(&self.options.own), longest(&self.options.third_party)) {
            (None, None) => None,
            (own, third_party) => Some(if own >= third_party { Role::Own } else { Role::ThirdParty }),
        }
    }

    fn is_own(&self, class: &str) -> bool {
        let origin = self.origin_of_class.get(class).copied().unwrap_or("");
        let is_named_alike = self.own_package.is_some_and(|package| class.starts_with(package));
        origin.is_empty() || is_named_alike || self.own_origins.contains(origin)
    }
}

/// True for a class of a package, with dots, or of one inside it; a class may be named, too.
fn is_in(class: &str, package: &str) -> bool {
    let same = |a: u8, b: u8| a == b || (a == b'/' && b == b'.');
    let starts = class.len() >= package.len() && class.bytes().zip(package.bytes()).all(|(a, b)| same(a, b));
    starts && matches!(class.as_bytes().get(package.len()), None | Some(b'/' | b'$' | b'.'))
}

/// True for a class by its name with dots, as on a command line.
fn is_class(class: &str, word: &str) -> bool {
    class.len() == word.len() && class.replace('/', ".") == word
}

/// True for classes of a jar that are not in another one inside it.
fn is_of_jar(origin: &str, jar: &str) -> bool {
    let (outer, inner) = origin.split_once("!/").unwrap_or((origin, ""));
    file_name(outer) == jar && !inner.ends_with(".jar")
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_folder(origin: &str) -> bool {
    let is_file = [".jar", ".war", ".ear", ".zip", ".jmod"].iter().any(|end| origin.ends_with(end));
    !origin.is_empty() && !is_file && !origin.contains("!/") && !origin.starts_with("jrt:")
}

/// The class whose `main` threads begin with: that of the method named `main` nearest to a root.
fn main_class(tables: &Tables) -> Option<&str> {
    let (stacks, frames, functions) = (&tables.stacks, &tables.frames, &tables.functions);
    let is_main: Vec<bool> = functions
        .internal_name
        .iter()
        .map(|name| name.ends_with(".main([Ljava/lang/String;)V") && !is_jdk_method(name))
        .collect();
    if !is_main.contains(&true) {
        return None;
    }
    let is_main = |row: &usize| is_main[frames.function[stacks.frame[*row].row()].row()];
    let nearest = (1..stacks.len()).filter(is_main).min_by_key(|row| frames_above(tables, *row))?;
    Some(class_of(&functions.internal_name[frames.function[stacks.frame[nearest].row()].row()]))
}

/// Number of rows between a row of stacks and the root.
fn frames_above(tables: &Tables, row: usize) -> usize {
    std::iter::successors(Some(row), |row| Some(tables.stacks.parent[*row].row())).take_while(|row| *row != 0).count()
}

/// The first two parts of a class's package: of `com/acme/shop/Main` it is `com/acme/`.
fn two_parts(class: &str) -> Option<&str> {
    let second = class.match_indices('/').nth(1)?.0;
    Some(&class[..=second])
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::experiment_from_text;

    #[test]
    fn classes_belong_to_hidden_classes_and_methods() {
        for (name, class) in [
            ("a/B$C.run(I)V", "a/B$C"),
            ("a/B$$Lambda/0x00007f12.run()V", "a/B$$Lambda"),
            ("a/B$$Lambda$1.0x00007f12.run()V", "a/B$$Lambda$1"),
            ("Main.main([Ljava/lang/String;)V", "Main"),
        ] {
            assert_eq!(class_of(name), class);
        }
    }

    #[test]
    fn without_origins_all_that_is_not_the_jdks_is_own() {
        let (_, tables) = experiment_from_text(
            "
            a.b.Main.main(java.lang.String[])
            a.b.Main$$Lambda$1.0x7f.run()
            org.lib.Parser.parse()
            java.util.HashMap.resize()
            __write[n]
            ",
        );
        let options = FindingsOptions::default();
        assert_eq!(
            Roles::new(&tables, &[], &options).of_function[1..],
            [Role::Own, Role::Glue, Role::Own, Role::Jdk, Role::Other]
        );
        let options = FindingsOptions { third_party: vec!["org.lib".to_owned()], ..options };
        assert_eq!(Roles::new(&tables, &[], &options).of_function[3], Role::ThirdParty);
    }

    #[test]
    fn of_a_jar_with_jars_inside_only_its_own_classes_are_own() {
        assert!(is_of_jar("/opt/shop.jar", "shop.jar") && is_of_jar("/opt/shop.jar!/BOOT-INF/classes", "shop.jar"));
        assert!(!is_of_jar("/opt/shop.jar!/BOOT-INF/lib/parser-2.1.jar", "shop.jar"));
        assert!(is_class("com/acme/Main", "com.acme.Main") && !is_class("com/acme/Main", "com.acme.Mail"));
    }

    #[test]
    fn packages_end_at_their_parts() {
        assert!(is_in("com/acme/A", "com.acme") && is_in("com/acme", "com.acme") && is_in("a/B$C", "a.B"));
        assert!(!is_in("com/acmes/A", "com.acme"));
    }
}
