//! Uses of fields, methods and classes in all known classes.

use crate::class_file::{Constant, MemberReference};
use crate::edit_site::context::Context;
use crate::edit_site::known_classes::{KnownClass, KnownClasses};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A field, identified by its declaring class, its name and its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldKey {
    pub(super) class: String,
    pub(super) name: String,
    pub(super) descriptor: String,
}

impl FieldKey {
    /// The field of `class` that an instruction names.
    pub(super) fn new(class: &KnownClass<'_>, member: &MemberReference<'_>) -> Self {
        Self {
            class: class.file.name.clone().into_owned(),
            name: member.name.clone().into_owned(),
            descriptor: member.descriptor.clone().into_owned(),
        }
    }

    /// True if an instruction uses this field, even if the instruction names a subclass as the owner.
    pub(super) fn is(&self, member: &MemberReference<'_>, classes: &KnownClasses<'_>) -> bool {
        let has_its_name = member.name == self.name && member.descriptor == self.descriptor;
        has_its_name
            && (member.class == self.class
                || classes
                    .declaring_class(&member.class, &member.name, &member.descriptor)
                    .is_some_and(|class| class.file.name == self.class))
    }
}

/// An instruction that uses a field, a method or a class.
#[derive(Debug, Clone)]
pub(super) struct Use<'c> {
    pub(super) class: Rc<KnownClass<'c>>,
    /// The number of the method that contains the instruction.
    pub(super) method: usize,
    pub(super) bytecode_index: u32,
    pub(super) opcode: u8,
    /// The class that the instruction names as the owner.
    owner: String,
}

impl Use<'_> {
    pub(super) fn is_in_constructor(&self) -> bool {
        self.class.method(self.method).is_some_and(|method| method.name == "<init>")
    }

    /// True if the instruction creates a lambda.
    pub(super) fn is_dynamic(&self) -> bool {
        self.opcode == 0xba
    }
}

type Uses<'c> = Rc<Vec<Use<'c>>>;

/// The known uses, so that each use is looked up only once.
#[derive(Default)]
pub(super) struct MemberUses<'c> {
    members: RefCell<HashMap<(String, String), Uses<'c>>>,
    made: RefCell<HashMap<String, Uses<'c>>>,
    subtypes: RefCell<HashMap<String, Rc<Vec<Rc<KnownClass<'c>>>>>>,
}

impl<'c> MemberUses<'c> {
    /// All instructions that use a field.
    pub(super) fn of_field(&self, classes: &KnownClasses<'c>, field: &FieldKey) -> Vec<Use<'c>> {
        let uses = self.of_member(classes, (&field.name, &field.descriptor), &field.class);
        let is_it = |found: &&Use<'c>| {
            matches!(found.opcode, 0xb2..=0xb5)
                && (found.owner == field.class
                    || classes
                        .declaring_class(&found.owner, &field.name, &field.descriptor)
                        .is_some_and(|class| class.file.name == field.class))
        };
        uses.iter().filter(is_it).cloned().collect()
    }

    /// Assignments of a field.
    pub(super) fn puts(&self, classes: &KnownClasses<'c>, field: &FieldKey) -> Vec<Use<'c>> {
        let mut uses = self.of_field(classes, field);
        uses.retain(|found| matches!(found.opcode, 0xb3 | 0xb5));
        uses
    }

    /// Calls of a context's method, and lambdas that call this method.
    pub(super) fn calls(&self, classes: &KnownClasses<'c>, callee: &Context<'c>) -> Vec<Use<'c>> {
        let Some(method) = callee.class.method(callee.method) else { return Vec::new() };
        let name = &callee.class.file.name;
        let uses = self.of_member(classes, (&method.name, &method.descriptor), name);
        let is_constructor = method.name == "<init>";
        let is_it = |found: &&Use<'c>| {
            matches!(found.opcode, 0xb6..=0xba)
                && (found.owner == **name
                    || !is_constructor
                        && (classes.is_subtype(name, &found.owner) || classes.is_subtype(&found.owner, name)))
        };
        uses.iter().filter(is_it).cloned().collect()
    }

    /// Places that create objects of a class or of its subclasses.
    pub(super) fn made(&self, classes: &KnownClasses<'c>, class: &str) -> Vec<Use<'c>> {
        let subtypes = self.subtypes(classes, class);
        let names = subtypes.iter().map(|subtype| subtype.file.name.clone().into_owned());
        let names: Vec<String> = [class.to_owned()].into_iter().chain(names).collect();
        names.iter().flat_map(|name| self.made_exactly(classes, name).to_vec()).collect()
    }

    /// Known classes that extend or implement a class.
    pub(super) fn subtypes(&self, classes: &KnownClasses<'c>, class: &str) -> Rc<Vec<Rc<KnownClass<'c>>>> {
        if let Some(known) = self.subtypes.borrow().get(class) {
            return Rc::clone(known);
        }
        let found = Rc::new(classes.subtypes(class));
        self.subtypes.borrow_mut().insert(class.to_owned(), Rc::clone(&found));
        found
    }

    fn made_exactly(&self, classes: &KnownClasses<'c>, class: &str) -> Uses<'c> {
        if let Some(known) = self.made.borrow().get(class) {
            return Rc::clone(known);
        }
        let mut uses = Vec::new();
        for user in classes.mentioning(&[class], class) {
            collect_uses(&user, &mut uses, |file, opcode, constant| {
                let made = (opcode == 0xbb).then(|| file.file.constants.class_name(constant)).flatten()?;
                (made == class).then(|| class.to_owned())
            });
        }
        let uses = Rc::new(uses);
        self.made.borrow_mut().insert(class.to_owned(), Rc::clone(&uses));
        uses
    }

    fn of_member(&self, classes: &KnownClasses<'c>, (name, descriptor): (&str, &str), near: &str) -> Uses<'c> {
        let key = (name.to_owned(), descriptor.to_owned());
        if let Some(known) = self.members.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut uses = Vec::new();
        for user in classes.mentioning(&[name, descriptor], near) {
            collect_uses(&user, &mut uses, |class, _, constant| {
                members(class, constant)
                    .into_iter()
                    .find(|member| member.name == name && member.descriptor == descriptor)
                    .map(|member| member.class.into_owned())
            });
        }
        let uses = Rc::new(uses);
        self.members.borrow_mut().insert(key, Rc::clone(&uses));
        uses
    }
}

/// Adds instructions of a class. `owner_of` receives the opcode and the constant of each instruction. If `owner_of`
/// returns an owner, the instruction is added.
fn collect_uses<'c>(
    class: &Rc<KnownClass<'c>>,
    uses: &mut Vec<Use<'c>>,
    owner_of: impl Fn(&KnownClass<'c>, u8, u16) -> Option<String>,
) {
    for (method, found) in class.file.methods.iter().enumerate() {
        let Some(code) = &found.code else { continue };
        for instruction in code.instructions().flatten() {
            let (opcode, bytecode_index) = (instruction.opcode, instruction.bytecode_index);
            if let Some(constant) = instruction.constant()
                && let Some(owner) = owner_of(class, opcode, constant)
            {
                uses.push(Use { class: Rc::clone(class), method, bytecode_index, opcode, owner });
            }
        }
    }
}

/// The members that a constant of an instruction refers to: the member itself, or the method that the lambda calls.
fn members<'c>(class: &KnownClass<'c>, constant: u16) -> Vec<MemberReference<'c>> {
    let constants = &class.file.constants;
    match constants.get(constant) {
        Some(Constant::Member { .. }) => constants.member(constant).into_iter().collect(),
        Some(Constant::InvokeDynamic { bootstrap, .. }) => {
            let bootstrap = class.file.bootstrap_methods.get(usize::from(bootstrap));
            let arguments = bootstrap.map_or(&[][..], |bootstrap| &bootstrap.arguments);
            let handles = arguments.iter().filter_map(|argument| match constants.get(*argument)? {
                Constant::MethodHandle { member, .. } => constants.member(member),
                _ => None,
            });
            handles.collect()
        }
        _ => Vec::new(),
    }
}
