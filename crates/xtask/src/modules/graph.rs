//! The dependencies between modules, and their cycles.

use super::tree::Module;
use std::collections::{BTreeMap, BTreeSet};

/// A module, by its names from the crate's root.
pub(crate) type ModulePath = Vec<String>;

/// The modules that each module uses, with the paths in its code.
pub(crate) type Uses = BTreeMap<ModulePath, BTreeMap<ModulePath, BTreeSet<String>>>;

/// Finds for each module the modules that define the names in its paths. A module and its own child are left out.
pub(crate) fn uses(modules: &BTreeMap<ModulePath, Module>) -> Uses {
    let resolver = Resolver { modules };
    let mut uses = Uses::new();
    for (from, module) in modules {
        let targets = uses.entry(from.clone()).or_default();
        for path in module.named.iter().chain(&module.globs) {
            let found = resolver.follow(from, path, 0);
            for to in found.into_iter().filter(|to| !is_family(from, to) && !to.starts_with(from)) {
                targets.entry(to).or_default().insert(path.join("::"));
            }
        }
    }
    uses
}

/// True if the modules are equal, or one is the direct parent of the other.
fn is_family(one: &[String], other: &[String]) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    long.starts_with(short) && long.len() - short.len() <= 1
}

/// If a chain of re-exports is longer, a name refers to itself.
const MOST_STEPS: usize = 16;

/// Finds the modules that paths refer to.
struct Resolver<'a> {
    modules: &'a BTreeMap<ModulePath, Module>,
}

impl Resolver<'_> {
    /// The modules that `path`, written in `from`, refers to. Empty: the path refers to another crate.
    fn follow(&self, from: &ModulePath, path: &[String], steps: usize) -> BTreeSet<ModulePath> {
        let Some((first, rest)) = path.split_first().filter(|_| steps <= MOST_STEPS) else { return BTreeSet::new() };
        match first.as_str() {
            "crate" => self.inside(Vec::new(), rest, steps),
            "self" => self.inside(from.clone(), rest, steps),
            "super" => {
                let ups = path.iter().take_while(|name| *name == "super").count();
                let depth = from.len().saturating_sub(ups);
                self.inside(from[..depth].to_vec(), &path[ups..], steps)
            }
            _ => self.relative(from, path, steps),
        }
    }

    /// Follows a path that starts with a child module or an imported name.
    fn relative(&self, from: &ModulePath, path: &[String], steps: usize) -> BTreeSet<ModulePath> {
        let child: ModulePath = from.iter().chain(&path[..1]).cloned().collect();
        if self.modules.contains_key(&child) {
            return self.inside(child, &path[1..], steps);
        }
        let import = self.modules[from].imported.get(&path[0]);
        // `use regex;` refers to itself.
        let import = import.filter(|import| import.as_slice() != &path[..1]);
        import.map_or_else(BTreeSet::new, |import| self.follow(from, &joined(import, &path[1..]), steps + 1))
    }

    /// The modules that define `path`, seen from the module `at`.
    fn inside(&self, mut at: ModulePath, mut path: &[String], steps: usize) -> BTreeSet<ModulePath> {
        while let Some((name, rest)) = path.split_first() {
            let child: ModulePath = at.iter().chain([name]).cloned().collect();
            if !self.modules.contains_key(&child) {
                return self.named(at, path, steps);
            }
            (at, path) = (child, rest);
        }
        BTreeSet::from([at])
    }

    /// The modules that define the first name of `path`: the module `at`, or the modules from which `at` imports the
    /// name.
    fn named(&self, at: ModulePath, path: &[String], steps: usize) -> BTreeSet<ModulePath> {
        let Some(module) = self.modules.get(&at) else { return BTreeSet::new() };
        if let Some(import) = module.imported.get(&path[0]).filter(|_| !module.defined.contains(&path[0])) {
            return self.follow(&at, &joined(import, &path[1..]), steps + 1);
        }
        if module.defined.contains(&path[0]) || module.globs.is_empty() {
            return BTreeSet::from([at]);
        }
        module.globs.iter().flat_map(|glob| self.follow(&at, &joined(glob, path), steps + 1)).collect()
    }
}

fn joined(one: &[String], other: &[String]) -> Vec<String> {
    one.iter().chain(other).cloned().collect()
}

/// Strongly connected components of more than one node (Tarjan, SIAM J. Comput. 1972).
pub(crate) fn circles(edges: &BTreeMap<ModulePath, BTreeSet<ModulePath>>) -> Vec<Vec<ModulePath>> {
    let mut search = Search { edges, ..Search::new(edges) };
    for node in edges.keys() {
        if !search.index.contains_key(node) {
            search.visit(node);
        }
    }
    search.found
}

struct Search<'a> {
    edges: &'a BTreeMap<ModulePath, BTreeSet<ModulePath>>,
    index: BTreeMap<&'a ModulePath, usize>,
    lowest: BTreeMap<&'a ModulePath, usize>,
    stack: Vec<&'a ModulePath>,
    found: Vec<Vec<ModulePath>>,
}

impl<'a> Search<'a> {
    fn new(edges: &'a BTreeMap<ModulePath, BTreeSet<ModulePath>>) -> Self {
        Self { edges, index: BTreeMap::new(), lowest: BTreeMap::new(), stack: Vec::new(), found: Vec::new() }
    }

    fn visit(&mut self, node: &'a ModulePath) {
        let index = self.index.len();
        self.index.insert(node, index);
        self.lowest.insert(node, index);
        self.stack.push(node);
        for next in self.edges.get(node).into_iter().flatten() {
            if !self.index.contains_key(next) {
                self.visit(next);
                let lowest = self.lowest[next].min(self.lowest[node]);
                self.lowest.insert(node, lowest);
            } else if self.stack.contains(&next) {
                let lowest = self.index[next].min(self.lowest[node]);
                self.lowest.insert(node, lowest);
            }
        }
        if self.lowest[node] == index {
            let begin = self.stack.iter().position(|on| *on == node).expect("it was pushed");
            let component: Vec<ModulePath> = self.stack.drain(begin..).cloned().collect();
            if component.len() > 1 {
                self.found.push(component);
            }
        }
    }
}
