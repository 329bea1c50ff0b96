//! The modules of a crate, read from its sources: their names, definitions and imports.
//!
//! Tests are left out (`#[cfg(test)]`). An inline module is treated as a part of its file.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Item, UseTree};

/// A module of a crate: one file.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// Names that the module defines.
    pub(crate) defined: BTreeSet<String>,
    /// Names that the module imports, with their paths.
    pub(crate) imported: BTreeMap<String, Vec<String>>,
    /// Paths of `use …::*`.
    pub(crate) globs: Vec<Vec<String>>,
    /// All paths in the module's code, including imports.
    pub(crate) named: BTreeSet<Vec<String>>,
}

/// Reads `root`, which is a `lib.rs` or `main.rs`, and all modules that it declares. Returns the modules by path.
///
/// # Errors
/// A file is missing or is not valid Rust.
pub(crate) fn read(root: &Path) -> Result<BTreeMap<Vec<String>, Module>, String> {
    let mut modules = BTreeMap::new();
    let folder = root.parent().unwrap_or(Path::new("")).to_owned();
    read_module(root, &folder, Vec::new(), &mut modules)?;
    Ok(modules)
}

/// Reads one file. Its child modules are in `folder`.
fn read_module(
    file: &Path,
    folder: &Path,
    path: Vec<String>,
    modules: &mut BTreeMap<Vec<String>, Module>,
) -> Result<(), String> {
    let source = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let parsed = syn::parse_file(&source).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut module = Module::default();
    let mut children = Vec::new();
    module.add_items(&parsed.items, &mut children);
    modules.insert(path.clone(), module);
    for child in children {
        let named = [folder.join(format!("{child}.rs")), folder.join(&child).join("mod.rs")];
        let found: Option<PathBuf> = named.into_iter().find(|file| file.exists());
        let child_file = found.ok_or_else(|| format!("{}: no file for mod {child}", file.display()))?;
        let child_path: Vec<String> = path.iter().cloned().chain([child.clone()]).collect();
        read_module(&child_file, &folder.join(&child), child_path, modules)?;
    }
    Ok(())
}

impl Module {
    fn add_items(&mut self, items: &[Item], children: &mut Vec<String>) {
        for item in items.iter().filter(|item| !is_test(attributes(item))) {
            match item {
                Item::Mod(module) => match &module.content {
                    None => children.push(module.ident.to_string()),
                    Some((_, items)) => self.add_items(items, children),
                },
                Item::Use(import) => self.add_import(&import.tree, &mut Vec::new()),
                _ => {
                    self.defined.extend(defined_name(item));
                    self.add_paths(item.to_token_stream());
                }
            }
        }
    }

    fn add_import(&mut self, tree: &UseTree, before: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_import(&path.tree, before);
                before.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add_import(tree, before)),
            UseTree::Glob(_) => self.globs.push(before.clone()),
            UseTree::Name(name) => self.add_imported(name.ident.to_string(), name.ident.to_string(), before),
            UseTree::Rename(name) => self.add_imported(name.ident.to_string(), name.rename.to_string(), before),
        }
    }

    fn add_imported(&mut self, name: String, shown: String, before: &[String]) {
        // `use a::b::{self}` imports the module.
        let last = (name != "self").then_some(name);
        let path: Vec<String> = before.iter().cloned().chain(last).collect();
        let shown = if shown == "self" { path.last().cloned().unwrap_or_default() } else { shown };
        self.named.insert(path.clone());
        self.imported.insert(shown, path);
    }

    /// Adds each `a::b::c` in code, also inside macros.
    fn add_paths(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end_path(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(sign) if sign.as_char() == ':' && !path.is_empty() && colons < 2 => colons += 1,
                TokenTree::Group(group) => {
                    self.end_path(&mut path);
                    colons = 0;
                    self.add_paths(group.stream());
                }
                _ => {
                    self.end_path(&mut path);
                    colons = 0;
                }
            }
        }
        self.end_path(&mut path);
    }

    fn end_path(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.named.insert(path);
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg") && attribute.meta.to_token_stream().to_string().replace(' ', "") == "cfg(test)"
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn defined_name(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Macro(item) => item.ident.as_ref()?.to_string(),
        Item::Static(item) => item.ident.to_string(),
        Item::Struct(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        Item::Union(item) => item.ident.to_string(),
        _ => return None,
    })
}
