//! The classes with known code, and the search for classes that mention a name. Each class is parsed once.

use crate::class_file::{ClassFile, Code, Method, is_jdk_method};
use crate::edit_site::flow::Flow;
use crate::edit_site::{CallPlace, ClassFiles};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Maximum number of superclasses and interfaces of one class.
const MAX_ANCESTORS: usize = 64;
/// Maximum number of searches for a name in all classes. Searching thousands of classes takes milliseconds.
const MAX_SCANS: usize = 60;
/// Maximum number of classes that are searched for uses of one name.
const MAX_USERS: usize = 200;

/// A parsed class, with the interpretations of its methods.
#[derive(Debug)]
pub(super) struct KnownClass<'c> {
    pub(super) file: ClassFile<'c>,
    flows: RefCell<HashMap<usize, Option<Rc<Flow>>>>,
}

impl<'c> KnownClass<'c> {
    /// The number of a method.
    pub(super) fn method_number(&self, name: &str, descriptor: &str) -> Option<usize> {
        self.file.methods.iter().position(|method| method.name == name && method.descriptor == descriptor)
    }

    /// The number of the method with a name. `None` if no method, or several methods of the source, have this name.
    pub(super) fn only_method(&self, name: &str) -> Option<usize> {
        let methods = &self.file.methods;
        let has_name = |row: &usize| methods[*row].name == name;
        // A bridge only calls the method with the same name.
        let is_bridged = (0..methods.len()).filter(has_name).any(|row| !methods[row].is_from_compiler());
        let is_wanted = |row: &usize| has_name(row) && !(is_bridged && methods[*row].is_from_compiler());
        let mut numbers = (0..methods.len()).filter(is_wanted);
        numbers.next().filter(|_| numbers.next().is_none())
    }

    /// The number of a place's method. If the place has no descriptor, the only method with its name.
    pub(super) fn numbered(&self, place: &CallPlace<'_>) -> Option<usize> {
        let number = self.method_number(place.method, place.descriptor);
        number.or_else(|| self.only_method(place.method).filter(|_| place.descriptor.is_empty()))
    }

    pub(super) fn method(&self, number: usize) -> Option<&Method<'c>> {
        self.file.methods.get(number)
    }

    pub(super) fn code(&self, number: usize) -> Option<&Code<'c>> {
        self.method(number)?.code.as_ref()
    }

    /// The interpretation of a method. `None` if the method has no code.
    pub(super) fn flow(&self, number: usize) -> Option<Rc<Flow>> {
        let mut flows = self.flows.borrow_mut();
        let make = || Flow::of(&self.file, self.method(number)?).map(Rc::new);
        flows.entry(number).or_insert_with(make).clone()
    }

    /// The line of an instruction.
    pub(super) fn line(&self, number: usize, bytecode_index: u32) -> Option<u32> {
        self.code(number)?.line_at(bytecode_index).map(u32::from)
    }
}

/// All classes.
pub(super) struct KnownClasses<'c> {
    source: &'c dyn ClassFiles,
    parsed: RefCell<HashMap<String, Option<Rc<KnownClass<'c>>>>>,
    scans_left: Cell<usize>,
}

impl<'c> KnownClasses<'c> {
    pub(super) fn new(source: &'c dyn ClassFiles) -> Self {
        Self { source, parsed: RefCell::default(), scans_left: Cell::new(MAX_SCANS) }
    }

    /// A class of the program or a library. `None` if the class is unknown or part of the JDK.
    pub(super) fn get(&self, name: &str) -> Option<Rc<KnownClass<'c>>> {
        // The superclasses of JDK classes are not needed, and a lookup would search all modules of the JDK.
        if is_jdk_class(name) {
            return None;
        }
        if let Some(known) = self.parsed.borrow().get(name) {
            return known.clone();
        }
        let parsed = self.source.class_file(name).and_then(|bytes| ClassFile::parse(bytes).ok());
        // The file can contain a different class than its name suggests.
        let parsed = parsed.filter(|file| file.name == name);
        let known = parsed.map(|file| Rc::new(KnownClass { file, flows: RefCell::default() }));
        self.parsed.borrow_mut().insert(name.to_owned(), known.clone());
        known
    }

    /// The class itself, then its known superclasses and interfaces, the nearest first.
    pub(super) fn ancestors(&self, name: &str) -> Vec<String> {
        let mut names = vec![name.to_owned()];
        let mut next = 0;
        while next < names.len() && names.len() < MAX_ANCESTORS {
            if let Some(class) = self.get(&names[next]) {
                let parents = class.file.super_name.iter().chain(&class.file.interfaces);
                for parent in parents {
                    if !names.iter().any(|known| known == parent) {
                        names.push(parent.clone().into_owned());
                    }
                }
            }
            next += 1;
        }
        names
    }

    /// True if `class` is `ancestor`, or extends or implements `ancestor`.
    pub(super) fn is_subtype(&self, class: &str, ancestor: &str) -> bool {
        class == ancestor || self.ancestors(class).iter().any(|name| name == ancestor)
    }

    /// The method that a call on `owner` runs: its class and its number. `owner` is searched first, then its ancestors.
    pub(super) fn resolve_method(
        &self,
        owner: &str,
        name: &str,
        descriptor: &str,
    ) -> Option<(Rc<KnownClass<'c>>, usize)> {
        let mut found = None;
        for ancestor in self.ancestors(owner) {
            let Some(class) = self.get(&ancestor) else { continue };
            let Some(number) = class.method_number(name, descriptor) else { continue };
            if class.code(number).is_some() {
                return Some((class, number));
            }
            found = found.or(Some((class, number)));
        }
        found
    }

    /// The class that declares a field. `None` if the class is unknown or part of the JDK.
    pub(super) fn declaring_class(&self, owner: &str, name: &str, descriptor: &str) -> Option<Rc<KnownClass<'c>>> {
        let classes = self.ancestors(owner).into_iter().filter_map(|ancestor| self.get(&ancestor));
        classes
            .into_iter()
            .find(|class| class.file.fields.iter().any(|field| field.name == name && field.descriptor == descriptor))
    }

    /// Classes with all of `texts` among their constants. Classes in the package of `near` come first.
    pub(super) fn mentioning(&self, texts: &[&str], near: &str) -> Vec<Rc<KnownClass<'c>>> {
        let Some(left) = self.scans_left.get().checked_sub(1) else { return Vec::new() };
        self.scans_left.set(left);
        let package = near.rsplit_once('/').map_or("", |(package, _)| package);
        let is_far = |name: &str| name.rsplit_once('/').map_or("", |(package, _)| package) != package;
        let mut names: Vec<&str> = self.source.mentioning(texts);
        names.sort_by_key(|name| (*name != near, is_far(name), *name));
        names.dedup();
        names.truncate(MAX_USERS);
        names.into_iter().filter_map(|name| self.get(name)).collect()
    }

    /// Known classes that extend or implement `ancestor`, without `ancestor` itself.
    pub(super) fn subtypes(&self, ancestor: &str) -> Vec<Rc<KnownClass<'c>>> {
        let mut found: Vec<Rc<KnownClass<'c>>> = Vec::new();
        let mut seen = HashSet::from([ancestor.to_owned()]);
        let mut open = vec![ancestor.to_owned()];
        while let Some(parent) = open.pop() {
            for class in self.mentioning(&[&parent], &parent) {
                let is_child = class.file.super_name.iter().chain(&class.file.interfaces).any(|it| *it == *parent);
                if is_child && seen.insert(class.file.name.clone().into_owned()) {
                    open.push(class.file.name.clone().into_owned());
                    found.push(class);
                }
            }
        }
        found
    }
}

/// True for classes of the JDK, by package.
pub(super) fn is_jdk_class(name: &str) -> bool {
    is_jdk_method(name)
}
