//! The tables of one thread in the Firefox Profiler's format. All columns of a table have the same length. Rows refer
//! to rows of other tables by position.

use crate::firefox_categories::{category, subcategory};
use crate::firefox_libs::Libs;
use crate::shown::{ShownFunction, ShownSamples};
use rustc_hash::FxHashMap;
use serde::Serialize;
use whittle_model::FrameKind;
use whittle_profile::entity_tree::ROOT;

/// The Firefox Profiler's code for a resource that is a library.
const RESOURCE_IS_LIBRARY: u32 = 1;

/// The tables of a thread.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadTables {
    stack_table: StackTable,
    frame_table: FrameTable,
    func_table: FuncTable,
    resource_table: ResourceTable,
    native_symbols: NativeSymbols,
    string_array: Vec<String>,
    #[serde(skip)]
    known: Known,
}

/// Finds the rows of nodes, frames, functions, binaries and texts that are already in the tables.
#[derive(Default)]
struct Known {
    stacks: FxHashMap<u32, u32>,
    frames: FxHashMap<(u32, FrameKind), u32>,
    functions: FxHashMap<u32, u32>,
    resources: FxHashMap<usize, i64>,
    strings: FxHashMap<String, u32>,
}

#[derive(Default, Serialize)]
struct StackTable {
    length: u32,
    prefix: Vec<Option<u32>>,
    frame: Vec<u32>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FrameTable {
    length: u32,
    address: Vec<i64>,
    inline_depth: Vec<u32>,
    category: Vec<usize>,
    subcategory: Vec<usize>,
    func: Vec<u32>,
    native_symbol: Vec<Option<u32>>,
    #[serde(rename = "innerWindowID")]
    inner_window_id: Vec<u32>,
    line: Vec<Option<u32>>,
    column: Vec<Option<u32>>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct FuncTable {
    length: u32,
    name: Vec<u32>,
    #[serde(rename = "isJS")]
    is_js: Vec<bool>,
    #[serde(rename = "relevantForJS")]
    relevant_for_js: Vec<bool>,
    resource: Vec<i64>,
    file_name: Vec<Option<u32>>,
    line_number: Vec<Option<u32>>,
    column_number: Vec<Option<u32>>,
}

#[derive(Default, Serialize)]
struct ResourceTable {
    length: u32,
    lib: Vec<usize>,
    name: Vec<u32>,
    host: Vec<Option<u32>>,
    #[serde(rename = "type")]
    kind: Vec<u32>,
}

/// This table is empty, because names of machine code are in `funcTable`.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct NativeSymbols {
    length: u32,
    lib_index: [u32; 0],
    address: [u32; 0],
    name: [u32; 0],
    function_size: [u32; 0],
}

impl ThreadTables {
    /// The row of `stackTable` for a shown node. Adds the node and its parents if they are new.
    pub(super) fn stack(
        &mut self,
        shown: &ShownSamples<'_>,
        leaf: u32,
        (kinds, libs): (&[FrameKind], &mut Libs),
    ) -> u32 {
        let tree = &shown.reduction.tree;
        let mut missing = Vec::new();
        let mut node = leaf;
        let mut prefix = loop {
            if let Some(row) = self.known.stacks.get(&node) {
                break Some(*row);
            }
            // The format needs a frame for each stack, so an empty stack gets the root's row. Other stacks do not
            // contain the root.
            if node == ROOT && leaf != ROOT {
                break None;
            }
            missing.push(node);
            if node == ROOT {
                break None;
            }
            node = tree.parent[node as usize];
        };
        for node in missing.into_iter().rev() {
            let frame = self.frame(shown, tree.entity[node as usize], (kinds[node as usize], libs));
            let row = self.stack_table.length;
            self.stack_table.length += 1;
            self.stack_table.prefix.push(prefix);
            self.stack_table.frame.push(frame);
            self.known.stacks.insert(node, row);
            prefix = Some(row);
        }
        prefix.unwrap_or(0)
    }

    fn frame(&mut self, shown: &ShownSamples<'_>, entity: u32, (kind, libs): (FrameKind, &mut Libs)) -> u32 {
        let next = self.frame_table.length;
        let row = *self.known.frames.entry((entity, kind)).or_insert(next);
        if row == next {
            let function = shown.function(entity);
            let func = self.function(shown, &function, libs);
            let category = category(function.kind);
            let frames = &mut self.frame_table;
            frames.length += 1;
            frames.address.push(-1);
            frames.inline_depth.push(0);
            frames.category.push(category);
            frames.subcategory.push(subcategory(category, kind_name(kind)));
            frames.func.push(func);
            frames.native_symbol.push(None);
            frames.inner_window_id.push(0);
            frames.line.push(shown.place(entity).line);
            frames.column.push(None);
        }
        row
    }

    fn function(&mut self, shown: &ShownSamples<'_>, function: &ShownFunction<'_>, libs: &mut Libs) -> u32 {
        let next = self.func_table.length;
        let row = *self.known.functions.entry(function.number).or_insert(next);
        if row == next {
            let name = self.string(function.name);
            let resource = self.resource(shown, function, libs);
            let file_name = Some(function.source_file).filter(|file| !file.is_empty()).map(|file| self.string(file));
            let functions = &mut self.func_table;
            functions.length += 1;
            functions.name.push(name);
            functions.is_js.push(false);
            functions.relevant_for_js.push(false);
            functions.resource.push(resource);
            functions.file_name.push(file_name);
            functions.line_number.push(function.first_line);
            functions.column_number.push(None);
        }
        row
    }

    /// The resource row of the binary that contains a function, or -1 if the function has no binary.
    fn resource(&mut self, shown: &ShownSamples<'_>, function: &ShownFunction<'_>, libs: &mut Libs) -> i64 {
        if function.binary_path.is_empty() {
            return -1;
        }
        let next = i64::from(self.resource_table.length);
        let row = *self.known.resources.entry(function.binary).or_insert(next);
        if row == next {
            let path = function.binary_path;
            let name = self.string(path.rsplit('/').next().unwrap_or(path));
            let resources = &mut self.resource_table;
            resources.length += 1;
            resources.lib.push(libs.index(shown, function.binary));
            resources.name.push(name);
            resources.host.push(None);
            resources.kind.push(RESOURCE_IS_LIBRARY);
        }
        row
    }

    fn string(&mut self, text: &str) -> u32 {
        if let Some(number) = self.known.strings.get(text) {
            return *number;
        }
        let number = self.string_array.len() as u32;
        self.string_array.push(text.to_owned());
        self.known.strings.insert(text.to_owned(), number);
        number
    }
}

/// The name of the subcategory for a frame kind.
fn kind_name(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Interpreted => "Interpreted",
        FrameKind::C1 => "C1",
        FrameKind::Jit => "C2/JIT",
        FrameKind::Inlined => "Inlined",
        _ => "",
    }
}
