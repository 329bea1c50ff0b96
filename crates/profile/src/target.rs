//! The code that filters and transforms refer to: a function, a package or a binary.

use crate::function_name::FunctionGroup;
use crate::lexer::{Misread, Quoted, Words, in_quotes};
use crate::reduction::FunctionNames;
use std::fmt;
use whittle_model::{Table, Tables};

/// Names a function, a package or a binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A function, by its displayed name.
    Function(Quoted),
    /// A package, including the packages inside it.
    Package(Quoted),
    /// A binary, by path or file name.
    Binary(Quoted),
}

impl Target {
    /// The quoted name.
    pub fn name(&self) -> &Quoted {
        match self {
            Self::Function(name) | Self::Package(name) | Self::Binary(name) => name,
        }
    }
}

/// The functions that a name refers to.
#[derive(Debug)]
pub struct Members {
    /// Per function, true if the name refers to it.
    pub is_member: Vec<bool>,
    /// The function that represents the whole package or binary, or the shortest run of folded frames.
    pub group: Option<u32>,
    /// Per function, true if it is the program's own code. Empty if this does not matter.
    pub is_own: Vec<bool>,
}

impl Members {
    /// The members, and the function that represents them.
    pub(crate) fn new(is_member: Vec<bool>, group: Option<u32>) -> Self {
        Self { is_member, group, is_own: Vec::new() }
    }
}

impl Target {
    /// Reads a function, a package or a binary.
    pub fn read(words: &mut Words<'_>) -> Result<Self, Misread> {
        match Self::read_group(words)? {
            Some(group) => Ok(group),
            None => words.function_name("a function, `package` or `binary`").map(Self::Function),
        }
    }

    /// Reads a package or a binary, if one is next.
    pub fn read_group(words: &mut Words<'_>) -> Result<Option<Self>, Misread> {
        Ok(if words.take_word("package") {
            Some(Self::Package(words.name("a package, such as \"java.util\"")?))
        } else if words.take_word("binary") {
            Some(Self::Binary(words.name("a file, such as \"libc.so.6\"")?))
        } else {
            None
        })
    }

    /// The functions, or the reason why no function matches.
    pub fn members(&self, names: FunctionNames<'_>) -> Result<Members, String> {
        match self {
            Self::Function(name) => {
                let group = FunctionGroup::find_recorded(names, &name.text).map_err(|error| error.to_string())?;
                Ok(Members::new(group.members(names), None))
            }
            Self::Package(name) => package_members(names, &name.text),
            Self::Binary(name) => binary_members(names, &name.text),
        }
    }
}

/// Formats the target for labels: `A.f`, `package java.util`.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Function(name) => f.pad(&name.text),
            Self::Package(name) => write!(f, "package {}", name.text),
            Self::Binary(name) => write!(f, "binary {}", name.text),
        }
    }
}

impl Target {
    /// The target in the syntax of filters and transforms.
    pub fn written(&self) -> String {
        match self {
            Self::Function(name) => in_quotes(&name.text),
            Self::Package(name) => format!("package {}", in_quotes(&name.text)),
            Self::Binary(name) => format!("binary {}", in_quotes(&name.text)),
        }
    }
}

fn package_members(names: FunctionNames<'_>, name: &str) -> Result<Members, String> {
    let groups = names.groups;
    let wanted = groups.find_package(name).ok_or_else(|| format!("no function is in a package \"{name}\""))?;
    let is_member = (0..names.count()).map(|function| {
        let package = names.row(function).and_then(|row| groups.package_of(row)).or(names.group(function));
        package.is_some_and(|package| groups.is_inside(package, wanted))
    });
    Ok(Members::new(is_member.collect(), Some(names.of_group(wanted))))
}

fn binary_members(names: FunctionNames<'_>, name: &str) -> Result<Members, String> {
    let Tables { functions, binaries, .. } = names.tables;
    let found = names.groups.find_binary(names.tables, name);
    let (wanted, is_it) = found.ok_or_else(|| {
        let known = binaries.len().saturating_sub(1);
        format!("none of the {known} binaries is called \"{name}\", with or without its directory")
    })?;
    let is_member = (0..names.count()).map(|function| match names.row(function) {
        Some(row) => is_it[functions.binary[row].row()],
        None => names.group(function) == Some(wanted),
    });
    Ok(Members::new(is_member.collect(), Some(names.of_group(wanted))))
}
