//! Whose code a thread executed at a sample. The last recorded frame decides, in every view mode:
//!
//! ```text
//! main > app.Shop.order                            own
//! main > app.Shop.order > java.util.HashMap.get    jdk
//! main > app.Shop.order > write > vfs_write        kernel
//! ```
//!
//! Time in the kernel belongs to the kernel, even if no frame of the kernel was recorded. The JVM's own threads are
//! distinguished by their purpose. So every sample has exactly one owner.

use crate::frameworks::{is_framework, is_library};
use crate::roles::{NamedPackages, Role, Roles};
use crate::samples::ObservedStacks;
use whittle_model::{CpuMode, FunctionKind, Table, Tables, ThreadClass};

/// Whose code was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeOwner {
    /// The program.
    Own,
    /// A library or a framework.
    Library,
    /// Java code of the JDK, and Java code that was generated to call other code.
    Jdk,
    /// Machine code outside the JVM that is not the program's.
    Native,
    /// The JVM, on threads of the program or on its service threads.
    Jvm,
    /// The JVM's threads that collect garbage.
    Gc,
    /// The JVM's threads that compile methods.
    Jit,
    /// The Linux kernel.
    Kernel,
    /// The last frame is unknown.
    Unknown,
}

impl CodeOwner {
    /// All owners, in the order in which they are shown.
    pub const ALL: [Self; 9] = [
        Self::Own,
        Self::Library,
        Self::Jdk,
        Self::Native,
        Self::Jvm,
        Self::Gc,
        Self::Jit,
        Self::Kernel,
        Self::Unknown,
    ];

    /// The names of all owners, in the order of [`ALL`](Self::ALL).
    pub const NAMES: &[&str] = &["own", "library", "jdk", "native", "jvm", "gc", "jit", "kernel", "unknown"];

    /// The name in filters and answers.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The owner with a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|owner| owner.name() == name)
    }

    /// The code in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Own => "own code",
            Self::Library => "libraries",
            Self::Jdk => "JDK",
            Self::Native => "native code",
            Self::Jvm => "JVM",
            Self::Gc => "garbage collector",
            Self::Jit => "JIT compiler",
            Self::Kernel => "kernel",
            Self::Unknown => "unknown code",
        }
    }

    /// The owner of a thread's code outside the kernel. `None`: the stack decides.
    pub fn of_thread(class: ThreadClass) -> Option<Self> {
        match class {
            ThreadClass::Gc => Some(Self::Gc),
            ThreadClass::JitCompiler => Some(Self::Jit),
            ThreadClass::JvmService => Some(Self::Jvm),
            ThreadClass::Work | ThreadClass::Unknown => None,
        }
    }

    /// The owner of a sample. `by_stack` is the owner of its stack's last frame.
    pub fn of_sample(by_stack: Self, mode: CpuMode, class: ThreadClass) -> Self {
        match by_stack {
            _ if mode == CpuMode::System => Self::Kernel,
            Self::Kernel => Self::Kernel,
            _ => Self::of_thread(class).unwrap_or(by_stack),
        }
    }
}

/// The owners of functions and stacks.
#[derive(Debug, Default)]
pub struct CodeOwners {
    /// The owner of every row of functions.
    pub of_function: Vec<CodeOwner>,
    /// The owner of the last frame of every observed stack.
    pub of_stack: Vec<CodeOwner>,
}

impl CodeOwners {
    /// False in report files: their engine must be small, so it has no owners and no filter by owner.
    pub const ARE_KNOWN: bool = !cfg!(target_arch = "wasm32");

    /// `command` is the program's command line.
    pub fn new(tables: &Tables, command: &[String], observed: &ObservedStacks) -> Self {
        let of_function = owners_of_functions(tables, command);
        let (stacks, frames) = (&tables.stacks, &tables.frames);
        let owner = |row: usize| match row {
            0 => CodeOwner::Unknown,
            row => of_function[frames.function[stacks.frame[row].row()].row()],
        };
        Self { of_stack: observed.stack.iter().map(|stack| owner(stack.row())).collect(), of_function }
    }
}

fn owners_of_functions(tables: &Tables, command: &[String]) -> Vec<CodeOwner> {
    let roles = Roles::new(tables, command, NamedPackages::default());
    let functions = &tables.functions;
    (0..functions.len())
        .map(|row| match (functions.kind[row], roles.of_function[row]) {
            (FunctionKind::Java, role) => owner_of_java(&functions.internal_name[row], role, roles.has_main_class),
            (FunctionKind::Native, Role::Own) => CodeOwner::Own,
            (FunctionKind::Native, _) => CodeOwner::Native,
            (FunctionKind::Jvm | FunctionKind::Stub, _) => CodeOwner::Jvm,
            (FunctionKind::Kernel, _) => CodeOwner::Kernel,
            (FunctionKind::Pseudo, _) => CodeOwner::Unknown,
        })
        .collect()
}

/// Known frameworks and libraries are never own code. If the main class is unknown, or a server's, all other code can be the
/// program's.
fn owner_of_java(internal_name: &str, role: Role, has_main_class: bool) -> CodeOwner {
    match role {
        Role::Jdk | Role::Glue => CodeOwner::Jdk,
        _ if is_framework(internal_name) || is_library(internal_name) => CodeOwner::Library,
        Role::ThirdParty if has_main_class => CodeOwner::Library,
        _ => CodeOwner::Own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::StackIndex;
    use whittle_testkit::experiment_from_text;

    #[test]
    fn each_owner_has_its_own_name() {
        for (position, owner) in CodeOwner::ALL.into_iter().enumerate() {
            assert_eq!((owner as usize, CodeOwner::from_name(owner.name())), (position, Some(owner)));
        }
        assert_eq!((CodeOwner::NAMES.len(), CodeOwner::from_name("mine")), (CodeOwner::ALL.len(), None));
    }

    #[test]
    fn the_last_frame_decides() {
        let (_, tables) = experiment_from_text(
            "
            app/Shop.run()V  app/Shop.run()V          app/Shop.run()V                       app/Shop.run()V  app/Shop.run()V  app/Shop.run()V
                             java/util/Map.get()V     org/springframework/web/Filter.do()V  memcpy[n]        alloc[j]         write[n]
                                                                                                                              vfs_write[k]
            ",
        );
        let ends: Vec<usize> =
            (1..tables.stacks.len()).filter(|row| !tables.stacks.parent.iter().any(|p| p.row() == *row)).collect();
        let stack = std::iter::once(0).chain([1]).chain(ends).map(StackIndex::from_row).collect::<Vec<_>>();
        let observed = ObservedStacks { is_jvm_thread: vec![false; stack.len()], stack };
        let owners = CodeOwners::new(&tables, &[], &observed);
        let mut names: Vec<&str> = owners.of_stack.iter().map(|owner| owner.name()).collect();
        names[2..].sort_unstable();
        assert_eq!(names, ["unknown", "own", "jdk", "jvm", "kernel", "library", "native"]);
    }

    #[test]
    fn the_kernel_comes_before_the_thread_and_the_thread_before_the_stack() {
        let of = CodeOwner::of_sample;
        assert_eq!(of(CodeOwner::Own, CpuMode::System, ThreadClass::Gc), CodeOwner::Kernel);
        assert_eq!(of(CodeOwner::Kernel, CpuMode::Unknown, ThreadClass::Gc), CodeOwner::Kernel);
        assert_eq!(of(CodeOwner::Native, CpuMode::User, ThreadClass::Gc), CodeOwner::Gc);
        assert_eq!(of(CodeOwner::Unknown, CpuMode::User, ThreadClass::JvmService), CodeOwner::Jvm);
        assert_eq!(of(CodeOwner::Own, CpuMode::User, ThreadClass::Unknown), CodeOwner::Own);
    }

    #[test]
    fn code_of_jars_is_own_only_if_the_main_class_is_unknown() {
        let own = |name: &str, role, has_main| owner_of_java(name, role, has_main) == CodeOwner::Own;
        assert!(own("com/acme/Shop.run()V", Role::Own, true) && own("com/acme/Shop.run()V", Role::ThirdParty, false));
        assert!(!own("com/acme/Shop.run()V", Role::ThirdParty, true) && !own("io/netty/Loop.run()V", Role::Own, true));
        assert!(!own("com/acme/Shop$$Lambda/0x1.run()V", Role::Glue, false));
    }
}
