//! Gives the same code the same name on both sides, so that its samples can be merged. The original names can differ
//! for several reasons. The JVM and the compiler number generated code. Libraries can have other folders and versions.
//! The program file can have another name, and packages can be renamed.
//!
//! `javac` numbers lambda bodies (`lambda$parse$3`) and anonymous classes (`Outer$1`) in source order. A new body
//! therefore changes the numbers of all later bodies. Names that differ only in such numbers form a group. In each
//! group:
//!
//! ```text
//! baseline   candidate   treated as
//!   1 2        1 2       the same, number by number
//!   1 2        2 3       the same, number by number: a number is missing if its code has no samples
//!   1 2        3 4       the same, in this order: other code was added above it
//!   1 2        3 4 5     one function, `lambda$parse$*`: the numbers cannot be matched
//! ```

use crate::AnalysisError;
use crate::compare::Run;
use crate::temporary_names::{self, RANDOM_DIGITS};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use whittle_model::{BinaryKind, FunctionKind, Table, Tables};

/// A class or package of the baseline that has another name in the candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rename {
    /// The name in the baseline, with dots.
    from: String,
    /// The name in the candidate, with dots.
    to: String,
}

impl FromStr for Rename {
    type Err = AnalysisError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parts = text.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty());
        let (from, to) = parts.ok_or_else(|| AnalysisError::MalformedRename { text: text.to_owned() })?;
        Ok(Self { from: from.replace('/', "."), to: to.replace('/', ".") })
    }
}

impl Rename {
    /// A function's displayed name such as `com.acme.Log.write(int)`, with the candidate's names.
    pub fn renamed(&self, display_name: &str) -> String {
        let mut name = display_name.to_owned();
        self.apply(&mut name, '.');
        name
    }

    /// The renaming for swapped sides.
    pub fn inverted(&self) -> Self {
        Self { from: self.to.clone(), to: self.from.clone() }
    }

    /// Replaces the baseline's names within a Java name with the candidate's names. `separator` is the character
    /// between packages.
    fn apply(&self, name: &mut String, separator: char) {
        let spelled = |name: &str| name.replace('.', &separator.to_string());
        let (from, to) = (spelled(&self.from), spelled(&self.to));
        let mut renamed = String::with_capacity(name.len());
        let mut rest = name.as_str();
        while let Some(found) = rest.find(&from) {
            let (before, after) = (&rest[..found], &rest[found + from.len()..]);
            // Only whole names are replaced: the method's class, or the class of a parameter (`Lcom/acme/Order;`,
            // `(com.acme.Order, int)`).
            let begins = (renamed.is_empty() && before.is_empty()) || before.ends_with(['L', '(', ' ', ',']);
            let ends = after.is_empty() || after.starts_with(['.', '$', '/', '(', ';', ',', ')', '[']);
            renamed.push_str(before);
            renamed.push_str(if begins && ends { &to } else { &from });
            rest = after;
        }
        renamed.push_str(rest);
        *name = renamed;
    }
}

/// Gives equal code the same name in all runs. The two sides are the baseline's runs and the candidate's runs.
pub(super) fn align(sides: &mut [Vec<Run>; 2], renames: &[Rename]) {
    for run in sides.iter_mut().flatten() {
        normalize(&mut run.tables);
    }
    for run in &mut sides[0] {
        rename(&mut run.tables, renames);
    }
    align_programs(sides);
    align_numbers(sides);
}

/// Removes the parts of names that differ from run to run: numbers of the JVM, hashes, numbers of processes, folders and
/// versions of libraries.
fn normalize(tables: &mut Tables) {
    let functions = &mut tables.functions;
    let names = functions.internal_name.iter_mut().chain(&mut functions.display_name);
    for name in names.chain(&mut tables.object_classes.name) {
        if let Cow::Owned(normalized) = temporary_names::of_code(name) {
            *name = normalized;
        }
    }
    for path in &mut tables.files.path {
        *path = temporary_names::of_file(path);
    }
    let binaries = &mut tables.binaries;
    for (path, kind) in binaries.path.iter_mut().zip(&binaries.kind) {
        if *kind == BinaryKind::Elf {
            *path = library_name(path);
        }
    }
}

/// The file name of a program or library, without the library's version. The number that a program adds when it unpacks
/// a library is also removed (`libzstd-jni-1.5.5-3123456789.so`).
fn library_name(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some(end) = name.find(".so") else { return temporary_names::without_long_numbers(name) };
    let stem = &name[..end];
    let is_version = |(at, _): &(usize, char)| stem[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    let stem = stem.char_indices().filter(|(_, c)| *c == '-').find(is_version).map_or(stem, |(at, _)| &stem[..at]);
    let without_digits = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_random = stem.len() - without_digits.len() >= RANDOM_DIGITS;
    format!("{}.so", if is_random { without_digits } else { stem })
}

fn rename(tables: &mut Tables, renames: &[Rename]) {
    let functions = &mut tables.functions;
    for row in 0..functions.kind.len() {
        if functions.kind[row] == FunctionKind::Java {
            for rename in renames {
                rename.apply(&mut functions.internal_name[row], '/');
                rename.apply(&mut functions.display_name[row], '.');
            }
        }
    }
    for name in &mut tables.object_classes.name {
        renames.iter().for_each(|rename| rename.apply(name, '.'));
    }
}

/// If each side has exactly one program file that the other side does not have, the two files are the same program.
fn align_programs(sides: &mut [Vec<Run>; 2]) {
    let programs = |runs: &[Run]| -> BTreeSet<String> {
        let binaries = runs.iter().map(|run| &run.tables.binaries);
        let paths = binaries.flat_map(|binaries| binaries.path.iter().zip(&binaries.kind));
        paths
            .filter(|(path, kind)| **kind == BinaryKind::Elf && !path.ends_with(".so") && !path.ends_with(".tmp"))
            .map(|(path, _)| path.clone())
            .collect()
    };
    let (before, after) = (programs(&sides[0]), programs(&sides[1]));
    let gone: Vec<&String> = before.difference(&after).collect();
    let new: Vec<&String> = after.difference(&before).collect();
    if let ([gone], [new]) = (gone.as_slice(), new.as_slice()) {
        let paths = sides[0].iter_mut().flat_map(|run| &mut run.tables.binaries.path);
        paths.filter(|path| path == gone).for_each(|path| (*new).clone_into(path));
    }
}

/// The compiler's numbers in a name: `$` and digits.
type Numbers = Vec<String>;

/// A name without the compiler's numbers, and the numbers themselves.
fn without_numbers(name: &str) -> (String, Numbers) {
    let (mut shape, mut numbers) = (String::with_capacity(name.len()), Numbers::new());
    let mut rest = name;
    while let Some(dollar) = rest.find('$') {
        let (before, after) = rest.split_at(dollar + 1);
        shape.push_str(before);
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            numbers.push(after[..digits].to_owned());
            shape.push('#');
        }
        rest = &after[digits..];
    }
    shape.push_str(rest);
    (shape, numbers)
}

/// A name with its numbers replaced.
fn with_numbers(name: &str, numbers: &Numbers) -> String {
    let (shape, own) = without_numbers(name);
    if own.len() != numbers.len() {
        return name.to_owned();
    }
    let mut numbers = numbers.iter();
    let parts: Vec<&str> = shape.split("$#").collect();
    let mut result = parts[0].to_owned();
    for part in &parts[1..] {
        result.push('$');
        result.push_str(numbers.next().map_or("", String::as_str));
        result.push_str(part);
    }
    result
}

/// For each number, its length and its digits as text. Sorting these pairs sorts by the values of the numbers.
type ByValue = Vec<(usize, String)>;

fn by_value(numbers: &Numbers) -> ByValue {
    numbers.iter().map(|digits| (digits.len(), digits.clone())).collect()
}

fn align_numbers(sides: &mut [Vec<Run>; 2]) {
    let mut groups: BTreeMap<String, [BTreeSet<ByValue>; 2]> = BTreeMap::new();
    for (side, runs) in sides.iter().enumerate() {
        for name in runs.iter().flat_map(|run| java_names(&run.tables)) {
            let (shape, numbers) = without_numbers(name);
            if !numbers.is_empty() {
                groups.entry(shape).or_default()[side].insert(by_value(&numbers));
            }
        }
    }
    let digits = |values: &[(usize, String)]| -> Numbers { values.iter().map(|(_, digits)| digits.clone()).collect() };
    // The new numbers on each side. The key consists of the name without numbers and the old numbers.
    let mut renumbered: [FxHashMap<(String, Numbers), Numbers>; 2] = Default::default();
    for (shape, [before, after]) in groups {
        if before.is_empty() || after.is_empty() || !before.is_disjoint(&after) {
            continue;
        }
        if before.len() == after.len() {
            for (old, new) in before.iter().zip(&after) {
                renumbered[0].insert((shape.clone(), digits(old)), digits(new));
            }
        } else {
            for (side, all) in [before, after].iter().enumerate() {
                for numbers in all {
                    renumbered[side].insert((shape.clone(), digits(numbers)), vec!["*".to_owned(); numbers.len()]);
                }
            }
        }
    }
    for (runs, renumbered) in sides.iter_mut().zip(&renumbered) {
        runs.iter_mut().for_each(|run| renumber(&mut run.tables, renumbered));
    }
}

fn java_names(tables: &Tables) -> impl Iterator<Item = &str> {
    let functions = &tables.functions;
    let java = (0..functions.len()).filter(|row| functions.kind[*row] == FunctionKind::Java);
    let names = java.map(|row| functions.internal_name[row].as_str());
    names.chain(tables.object_classes.name.iter().map(String::as_str)).filter(|name| name.contains('$'))
}

fn renumber(tables: &mut Tables, renumbered: &FxHashMap<(String, Numbers), Numbers>) {
    if renumbered.is_empty() {
        return;
    }
    let functions = &mut tables.functions;
    for row in 0..functions.kind.len() {
        if functions.kind[row] == FunctionKind::Java && functions.internal_name[row].contains('$') {
            let key = without_numbers(&functions.internal_name[row]);
            if let Some(numbers) = renumbered.get(&key) {
                functions.internal_name[row] = with_numbers(&functions.internal_name[row], numbers);
                // Both names also contain the numbers of the parameters' classes.
                functions.display_name[row] = with_numbers(&functions.display_name[row], numbers);
            }
        }
    }
    for name in &mut tables.object_classes.name {
        if let Some(numbers) = renumbered.get(&without_numbers(name)) {
            *name = with_numbers(name, numbers);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{BinaryIndex, Manifest, NewFunction, Program, TableBuilder};

    fn run(names: &[&str]) -> Run {
        let mut builder = TableBuilder::new();
        for name in names {
            let (kind, binary) = (FunctionKind::Java, BinaryIndex::NONE);
            builder.function(&NewFunction { display_name: name, internal_name: name, kind, binary });
        }
        let manifest = Manifest::new(Program { name: "test".to_owned(), version: String::new() });
        Run { name: String::new(), manifest, tables: builder.into_tables() }
    }

    fn aligned(baseline: &[&str], candidate: &[&str]) -> [Vec<String>; 2] {
        let mut sides = [vec![run(baseline)], vec![run(candidate)]];
        align(&mut sides, &["a.b=a.c".parse().expect("a rename")]);
        sides.map(|runs| runs[0].tables.functions.display_name[1..].to_vec())
    }

    #[test]
    fn lambdas_are_told_by_their_numbers_or_their_order_or_not_at_all() {
        let names = |numbers: &[u32]| -> Vec<String> {
            numbers.iter().map(|number| format!("A.lambda$parse${number}()")).collect()
        };
        let align = |before: &[u32], after: &[u32]| {
            let (before, after) = (names(before), names(after));
            let texts = |names: &'static [String]| names.iter().map(String::as_str).collect::<Vec<_>>();
            aligned(&texts(before.leak()), &texts(after.leak()))
        };
        assert_eq!(align(&[1, 2], &[1, 2]), [names(&[1, 2]), names(&[1, 2])]);
        assert_eq!(align(&[1, 2], &[2]), [names(&[1, 2]), names(&[2])]);
        assert_eq!(align(&[0, 1, 5], &[0, 1, 7]), [names(&[0, 1, 5]), names(&[0, 1, 7])]);
        assert_eq!(align(&[1, 9, 10], &[2, 11, 12]), [names(&[2, 11, 12]), names(&[2, 11, 12])]);
        let one = "A.lambda$parse$*()";
        let [before, after] = align(&[1, 2], &[3, 4, 5]);
        assert!(before.iter().chain(&after).all(|name| name == one), "{before:?} {after:?}");
    }

    #[test]
    fn what_the_jvm_numbers_and_what_was_renamed() {
        let [before, after] = aligned(
            &["A$$Lambda/0x00007f2648000c30.run()", "a.b.C.run()", "a.bc.D.run()"],
            &["A$$Lambda/0x00007f1111111111.run()", "a.c.C.run()", "a.bc.D.run()"],
        );
        assert_eq!(before, after);
    }

    #[test]
    fn classes_of_objects_have_the_names_of_their_code() {
        let named = |names: &[&str]| {
            let mut builder = TableBuilder::new();
            for name in names {
                builder.object_class(name);
            }
            vec![Run { tables: builder.into_tables(), ..run(&[]) }]
        };
        let mut sides = [
            named(&["A$$Lambda/0x00007f2648000c30", "a.b.C[]", "byte[]", "A$1"]),
            named(&["A$$Lambda/0x00007f1111111111", "a.c.C[]", "byte[]", "A$2"]),
        ];
        align(&mut sides, &["a.b=a.c".parse().expect("a rename")]);
        let [before, after] = sides.map(|runs| runs[0].tables.object_classes.name.clone());
        assert_eq!(before, after);
    }

    #[test]
    fn renamed_classes_are_renamed_in_signatures() {
        let rename: Rename = "com.acme.old=com.acme.shop".parse().expect("a rename");
        let renamed = |name: &str, separator| {
            let mut name = name.to_owned();
            rename.apply(&mut name, separator);
            name
        };
        let internal = "com/acme/App.f(Lcom/acme/old/Order;I)Lcom/acme/old/Id;";
        assert_eq!(renamed(internal, '/'), "com/acme/App.f(Lcom/acme/shop/Order;I)Lcom/acme/shop/Id;");
        let shown = "com.acme.old.A.f(com.acme.old.B, com.acme.older.C)";
        assert_eq!(renamed(shown, '.'), "com.acme.shop.A.f(com.acme.shop.B, com.acme.older.C)");
        assert_eq!(renamed("xcom.acme.old.A.f()", '.'), "xcom.acme.old.A.f()");
        assert_eq!(rename.inverted().renamed("com.acme.shop.A.f()"), "com.acme.old.A.f()");
    }

    #[test]
    fn libraries_are_told_by_file_name() {
        assert_eq!(library_name("/usr/lib/x86_64-linux-gnu/libc.so.6"), "libc.so");
        assert_eq!(library_name("/opt/app-1.2/bin/lister"), "lister");
        assert_eq!(library_name("libz.so.1.3.1"), "libz.so");
        assert_eq!(library_name("/tmp/libzstd-jni-1.5.5-3123456789.so"), "libzstd-jni.so");
        assert_eq!(library_name("/tmp/libepoll_x86_6412345678.so"), "libepoll_x86_.so");
        assert_eq!(library_name("/lib/libnss_files-2.31.so"), "libnss_files.so");
        assert_eq!(library_name("/tmp/jna-98/jna8588255081773605818.tmp"), "jna#.tmp");
    }
}
