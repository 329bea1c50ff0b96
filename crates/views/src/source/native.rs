//! Finds the source file and the machine code of native functions.
//!
//! Machine code is listed under the function that contains it after linking. The cost of this function includes the
//! cost of functions that the compiler inlined into it:
//!
//! ```text
//! stack, leaf first                 disassembly of leaf
//! steps_from, inlined, line 38      38: x ^= x >> 27;      all of the cost
//! leaf, line 19                         mov rdx, rdi
//! main, line 53                         shr rdx, 27
//! ```

use crate::source::listing::{Elsewhere, Rows, values_of};
use crate::source::{Disassembly, Lister, Listing, ListingHead, ListingKind, NativeCode, RowKind, SourceRow};
use rustc_hash::FxHashMap;
use whittle_model::{Frame, FrameKind, FunctionKind, Table};
use whittle_profile::entity_tree::ROOT;
use whittle_profile::order::sort_by;

/// Largest number of shown functions if a function was inlined into several functions. The most expensive functions are
/// shown.
const MAX_HOSTS: usize = 3;

impl Lister<'_> {
    pub(super) fn native_listings(&self, functions: &[u32]) -> Vec<Listing> {
        let mut listings: Vec<Listing> = Vec::new();
        let mut shown_files: Vec<&str> = Vec::new();
        for function in functions {
            let mut missing: Vec<String> = Vec::new();
            let table = &self.profile.tables().functions;
            let file = self.profile.names().row(*function).and_then(|row| table.source_file[row].as_deref());
            match file.map(|file| (file, self.code.native_source(file))) {
                None => missing.push(
                    "source not found: the binary has no debug information that names the source file".to_owned(),
                ),
                Some((file, _)) if shown_files.contains(&file) => {}
                Some((file, Ok(source))) => {
                    shown_files.push(file);
                    let head = ListingHead {
                        kind: ListingKind::NativeSource,
                        why: None,
                        source_file: Some(file.to_owned()),
                        path: Some(source.path),
                    };
                    listings.push(self.native_source_listing(head, (file, &source.text)));
                }
                Some((_, Err(reason))) => missing.push(format!("source not found: {reason}")),
            }
            listings.extend(self.disassemblies(*function, missing));
        }
        listings
    }

    fn native_source_listing(&self, head: ListingHead, (file, text): (&str, &str)) -> Listing {
        let table = &self.profile.tables().functions;
        let is_there = |row: &u32| {
            let row = *row as usize;
            matches!(table.kind[row], FunctionKind::Native | FunctionKind::Jvm)
                && table.source_file[row].as_deref() == Some(file)
        };
        let functions: Vec<u32> = (0..table.len() as u32).filter(is_there).collect();
        let mut listing = self.source_listing(head, text, &functions);
        let row_count = listing.rows.len();
        for (listed, function) in listing.functions.iter_mut().zip(&functions) {
            let first = table.first_line[*function as usize].and_then(|line| (line as usize).checked_sub(1));
            listed.first_row = first.filter(|row| *row < row_count);
        }
        listing
    }

    /// The machine code of a function, and of other functions into which it was inlined.
    fn disassemblies(&self, function: u32, mut missing: Vec<String>) -> Vec<Listing> {
        let hosts = self.hosts();
        let owners = self.owners(function, &hosts);
        let mut listings = Vec::new();
        for owner in owners {
            match self.machine_code(owner) {
                Ok(code) => {
                    let mut head = ListingHead {
                        kind: ListingKind::Disassembly,
                        why: (!missing.is_empty()).then(|| missing.join("; ")),
                        source_file: None,
                        path: Some(code.path.clone()),
                    };
                    if owner != function {
                        let names = self.profile.names();
                        let (inner, outer) = (names.display_name(function), names.display_name(owner));
                        head.add(&format!("this is the code of {outer}: the compiler inlined {inner} into it"));
                    }
                    code.note.iter().for_each(|note| head.add(note));
                    listings.push(self.disassembly_listing(owner, head, (&code, &hosts)));
                }
                Err(reason) => missing.push(format!("no disassembly: {reason}")),
            }
        }
        if listings.is_empty() && !missing.is_empty() {
            listings.push(self.empty_listing(function, missing.join("; ")));
        }
        listings
    }

    fn machine_code(&self, function: u32) -> Result<Disassembly, String> {
        let tables = self.profile.tables();
        let row = self.profile.names().row(function).ok_or("this name does not refer to code")?;
        let binary = tables.functions.binary[row].row();
        if tables.binaries.path[binary].is_empty() {
            return Err("the file with the code is unknown".to_owned());
        }
        self.code.machine_code(&NativeCode {
            binary: &tables.binaries.path[binary],
            build_id: tables.binaries.build_id[binary].as_deref(),
            symbol: &tables.functions.internal_name[row],
            address: tables.functions.address[row],
            size_bytes: tables.functions.size_bytes[row],
        })
    }

    /// For each node of the shown stacks, the function that contains its machine code. For an inlined function, this is
    /// the next outer function that was not inlined.
    fn hosts(&self) -> Vec<u32> {
        let tree = &self.weights.reduction.tree;
        let mut hosts: Vec<u32> = Vec::with_capacity(tree.len());
        for node in 0..tree.len() as u32 {
            let is_inside = node != ROOT && self.frame(node).is_some_and(|frame| self.is_inlined(&frame));
            let parent = tree.parent[node as usize] as usize;
            let host = if is_inside && parent != ROOT as usize { hosts[parent] } else { self.function(node) };
            hosts.push(host);
        }
        hosts
    }

    fn is_inlined(&self, frame: &Frame) -> bool {
        let kind = self.profile.names().kind(frame.function.0);
        frame.kind == FrameKind::Inlined && matches!(kind, FunctionKind::Native | FunctionKind::Jvm)
    }

    /// The functions that contain machine code of `function`, the most expensive first. These are all functions into
    /// which it was inlined, and `function` itself unless it was inlined everywhere.
    fn owners(&self, function: u32, hosts: &[u32]) -> Vec<u32> {
        let mut owners: Vec<u32> = Vec::new();
        let costs = self.weights.add_up(|node, _| {
            let owner = (self.function(node) == function).then(|| hosts[node as usize])?;
            let known = owners.iter().position(|known| *known == owner);
            Some(known.unwrap_or_else(|| {
                owners.push(owner);
                owners.len() - 1
            }))
        });
        let mut ranked: Vec<(f64, u32)> =
            owners.iter().enumerate().map(|(row, owner)| (costs.row(row).first_inclusive(), *owner)).collect();
        sort_by(&mut ranked, |a, b| (b.1 == function).cmp(&(a.1 == function)).then(b.0.total_cmp(&a.0)));
        if ranked.is_empty() {
            return vec![function];
        }
        ranked.into_iter().map(|(_, owner)| owner).take(MAX_HOSTS).collect()
    }

    fn disassembly_listing(
        &self,
        function: u32,
        mut head: ListingHead,
        (code, hosts): (&Disassembly, &[u32]),
    ) -> Listing {
        let (rows, lines) = self.machine_rows(code);
        let mut rows = Rows::new(rows);
        let addresses: FxHashMap<u64, usize> =
            rows.rows.iter().enumerate().filter_map(|(row, cells)| Some((cells.address?, row))).collect();
        let tables = self.profile.tables();
        let is_here = |node: u32, below: Option<u32>| {
            let is_inside = |below: u32| {
                hosts[below as usize] == function && self.frame(below).is_some_and(|frame| self.is_inlined(&frame))
            };
            hosts[node as usize] == function && !below.is_some_and(is_inside)
        };
        let mut has_addresses = false;
        let costs = self.weights.add_up(|node, below| {
            let frame = is_here(node, below).then(|| self.frame(node)).flatten()?;
            let by_address = frame.address.and_then(|address| addresses.get(&address));
            has_addresses |= by_address.is_some();
            let file = tables.functions.source_file[frame.function.row()].as_deref();
            let by_line = || lines.get(&(file?, frame.line?));
            Some(by_address.or_else(by_line).copied().unwrap_or_else(|| {
                let place = Elsewhere { line: frame.line, bytecode_index: None };
                rows.elsewhere(place, "unknown instruction")
            }))
        });
        if !has_addresses {
            head.add("cost is known per source line, not per instruction");
        }
        // The sum of the rows is the cost of the function and of everything that was inlined into it.
        let whole = self.weights.add_up(|node, _| (hosts[node as usize] == function).then_some(0));
        let rows = rows.with_costs(&costs, self.shape);
        let mut listing = self.listing(head, &[function], rows);
        listing.values = values_of(&whole.row(0), self.shape);
        listing.functions.iter_mut().for_each(|listed| listed.first_row = Some(0));
        listing
    }

    /// Instructions with their source lines above. Also returns the first row of each line.
    fn machine_rows<'c>(&self, code: &'c Disassembly) -> (Vec<SourceRow>, FxHashMap<(&'c str, u32), usize>) {
        let mut rows: Vec<SourceRow> = Vec::with_capacity(code.instructions.len());
        let mut lines: FxHashMap<(&str, u32), usize> = FxHashMap::default();
        let mut texts: FxHashMap<&str, Option<String>> = FxHashMap::default();
        let mut last: Option<(&str, u32)> = None;
        for instruction in &code.instructions {
            let place = instruction.source_file.as_deref().zip(instruction.line);
            if let Some((file, line)) = place.filter(|_| place != last) {
                let text = texts.entry(file).or_insert_with(|| self.code.native_source(file).ok().map(|it| it.text));
                let text = text.as_ref().and_then(|text| text.lines().nth((line as usize).checked_sub(1)?));
                let name = file.rsplit('/').next().unwrap_or(file);
                lines.entry((file, line)).or_insert(rows.len());
                let text = format!("{name}:{line}: {}", text.unwrap_or_default().trim_start());
                rows.push(SourceRow::source(line, text.trim_end()));
            }
            last = place;
            rows.push(SourceRow {
                kind: RowKind::Instruction,
                line: instruction.line,
                address: Some(instruction.address),
                ..SourceRow::blank(instruction.text.as_str())
            });
        }
        (rows, lines)
    }
}
