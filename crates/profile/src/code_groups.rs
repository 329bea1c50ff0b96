//! The packages and binaries of an experiment, which transforms and filters can name.
//!
//! A package contains the functions of its classes and the packages inside it. For example, `java.util` contains
//! `java.util.concurrent`. A binary is named by its file name, `libc.so.6`, or by its path. A transform can turn a
//! package or a binary into one frame: `java.util.*`, `libc.so.6`.

use rustc_hash::FxHashMap;
use whittle_model::{BinaryIndex, FunctionKind, FunctionTable, Table, Tables};

/// The packages and binaries, numbered from 0.
#[derive(Debug)]
pub struct CodeGroups {
    groups: Vec<CodeGroup>,
    /// Per row of functions: its package, or [`NONE`].
    package_of: Vec<u32>,
    /// Per row of binaries: its number, or [`NONE`].
    binary_of: Vec<u32>,
}

#[derive(Debug)]
struct CodeGroup {
    /// Name of the frame that represents the package or binary.
    name: String,
    kind: FunctionKind,
    /// The package that contains this package. [`NONE`] for outermost packages and for binaries.
    parent: u32,
    is_package: bool,
}

impl CodeGroup {
    /// The name of a package. Missing for a binary.
    fn package_name(&self) -> Option<&str> {
        self.name.strip_suffix(PACKAGE_SUFFIX).filter(|_| self.is_package)
    }
}

/// Used if there is no package or binary.
const NONE: u32 = u32::MAX;

/// The suffix of a package's frame.
const PACKAGE_SUFFIX: &str = ".*";

impl CodeGroups {
    /// Finds all packages and binaries.
    pub fn new(tables: &Tables) -> Self {
        let functions = &tables.functions;
        let mut groups = Self { groups: Vec::new(), package_of: Vec::new(), binary_of: Vec::new() };
        let mut packages: FxHashMap<String, u32> = FxHashMap::default();
        groups.package_of = (0..functions.len())
            .map(|row| package(functions, row).map_or(NONE, |name| groups.package(&mut packages, &name)))
            .collect();
        groups.add_binaries(tables);
        groups
    }

    /// Number of packages and binaries.
    pub fn len(&self) -> u32 {
        self.groups.len() as u32
    }

    /// True if there are no packages and binaries.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The name of a group's frame.
    pub fn name(&self, group: u32) -> &str {
        &self.groups[group as usize].name
    }

    /// The kind of a group's code.
    pub fn kind(&self, group: u32) -> FunctionKind {
        self.groups[group as usize].kind
    }

    /// The package with this name.
    pub fn find_package(&self, name: &str) -> Option<u32> {
        self.groups.iter().position(|group| group.package_name() == Some(name)).map(|group| group as u32)
    }

    /// The binary with this file name or path, and its rows in the table.
    pub fn find_binary(&self, tables: &Tables, name: &str) -> Option<(u32, Vec<bool>)> {
        let is_it = |path: &String| !path.is_empty() && (path == name || file_name(path) == name);
        let rows: Vec<bool> = tables.binaries.path.iter().map(is_it).collect();
        let first = rows.iter().position(|is_it| *is_it)?;
        Some((self.binary_of[first], rows))
    }

    /// All packages, each with the number of its functions. Packages inside a package count for it, too.
    pub fn packages(&self) -> Vec<(&str, usize)> {
        let mut counts = vec![0; self.groups.len()];
        for package in self.package_of.iter().filter(|package| **package != NONE) {
            self.with_outer(*package).for_each(|package| counts[package as usize] += 1);
        }
        let counted = self.groups.iter().zip(counts);
        counted.filter_map(|(group, count)| Some((group.package_name()?, count))).collect()
    }

    /// The package of a row of functions.
    pub fn package_of(&self, row: usize) -> Option<u32> {
        Some(self.package_of[row]).filter(|package| *package != NONE)
    }

    /// True if a package is equal to another package or inside it.
    pub fn is_inside(&self, package: u32, other: u32) -> bool {
        self.with_outer(package).any(|package| package == other)
    }

    /// A package, and the packages around it.
    fn with_outer(&self, package: u32) -> impl Iterator<Item = u32> {
        let around = |package: &u32| Some(self.groups[*package as usize].parent).filter(|parent| *parent != NONE);
        std::iter::successors(Some(package), around)
    }

    /// The package with a name. If it is new, it is added with the packages around it.
    fn package(&mut self, known: &mut FxHashMap<String, u32>, name: &str) -> u32 {
        let (mut child, mut first) = (NONE, NONE);
        let mut rest = Some(name);
        while let Some(name) = rest {
            let found = known.get(name).copied();
            let number = found.unwrap_or_else(|| self.add(name.to_owned() + PACKAGE_SUFFIX, FunctionKind::Java, true));
            if child == NONE {
                first = number;
            } else {
                self.groups[child as usize].parent = number;
            }
            if found.is_some() {
                break;
            }
            known.insert(name.to_owned(), number);
            child = number;
            rest = name.rsplit_once('.').map(|(around, _)| around);
        }
        first
    }

    fn add_binaries(&mut self, tables: &Tables) {
        let mut kinds: Vec<FunctionKind> = vec![FunctionKind::Native; tables.binaries.len()];
        for (binary, kind) in tables.functions.binary.iter().zip(&tables.functions.kind) {
            kinds[binary.row()] = *kind;
        }
        let mut known: FxHashMap<&str, u32> = FxHashMap::default();
        for (path, kind) in tables.binaries.path.iter().zip(kinds) {
            let name = file_name(path);
            let number = match known.get(name) {
                _ if path.is_empty() => NONE,
                Some(number) => *number,
                None => self.add(name.to_owned(), kind, false),
            };
            known.insert(name, number);
            self.binary_of.push(number);
        }
        debug_assert_eq!(self.binary_of.get(BinaryIndex::NONE.row()).copied().unwrap_or(NONE), NONE);
    }

    fn add(&mut self, name: String, kind: FunctionKind, is_package: bool) -> u32 {
        self.groups.push(CodeGroup { name, kind, parent: NONE, is_package });
        self.groups.len() as u32 - 1
    }
}

/// The last part of a path, or the whole path if its last part is empty.
fn file_name(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}

/// The package of a Java method, with dots: `java.util` for `java/util/Map$$Lambda/0x7f.get(I)V`.
fn package(functions: &FunctionTable, row: usize) -> Option<String> {
    if functions.kind[row] != FunctionKind::Java {
        return None;
    }
    let name = functions.internal_name[row].split('(').next()?;
    // The suffix that the JVM adds to a lambda's class contains dots and slashes.
    let class = match name.split_once("$$") {
        Some((class, _)) => class,
        None => name.rsplit_once('.')?.0,
    };
    let (package, _class) = class.rsplit_once(['/', '.'])?;
    Some(package.replace('/', "."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::experiment_from_text;

    #[test]
    fn packages_hold_the_packages_inside_them_and_binaries_go_by_their_file_names() {
        let (_, tables) = experiment_from_text(
            "
            a.b.Main.run()
            java/util/Map$$Lambda/0x7f.get(I)V
            Main.main()
            write[n:/lib/libc.so.6]
            ",
        );
        let groups = CodeGroups::new(&tables);
        let names: Vec<&str> = (0..groups.len()).map(|group| groups.name(group)).collect();
        assert_eq!(names, ["a.b.*", "a.*", "java.util.*", "java.*", "libc.so.6"]);
        let (inner, outer) = (groups.find_package("a.b").expect("a.b"), groups.find_package("a").expect("a"));
        assert!(groups.is_inside(inner, outer) && groups.is_inside(inner, inner) && !groups.is_inside(outer, inner));
        assert_eq!(groups.find_package("a."), None);
        assert_eq!(groups.packages(), [("a.b", 1), ("a", 1), ("java.util", 1), ("java", 1)]);
        for name in ["libc.so.6", "/lib/libc.so.6"] {
            let (group, rows) = groups.find_binary(&tables, name).expect("libc");
            assert_eq!((groups.name(group), groups.kind(group)), ("libc.so.6", FunctionKind::Native));
            assert_eq!(rows, [false, true]);
        }
        assert_eq!(groups.find_binary(&tables, ""), None);
    }
}
