//! Finds the source file or the bytecode of Java functions.

use crate::java_method::MethodName;
use crate::source::class_index::source_file_of;
use crate::source::listing::{Elsewhere, Rows};
use crate::source::{JavaClass, Lister, Listing, ListingHead, ListingKind, RowKind, SourceRow, SourceText};
use std::borrow::Cow;
use whittle_bytecode::class_file::{ClassFile, Code, Method};
use whittle_model::{FunctionKind, Table};

/// Longest operand that is shown, because strings can have 64 KB.
const MAX_TEXT_CHARS: usize = 200;

/// A function with all data that is needed to find its code.
struct JavaFunction<'a> {
    function: u32,
    name: MethodName<'a>,
    source_file: String,
}

impl Lister<'_> {
    pub(super) fn java_listings(&self, functions: &[u32]) -> Vec<Listing> {
        let mut listings: Vec<Listing> = Vec::new();
        let mut shown: Vec<u32> = Vec::new();
        for function in functions {
            if shown.contains(function) {
                continue;
            }
            let Some(asked) = self.java_function(*function, true) else {
                listings.push(self.empty_listing(*function, "the name does not contain the class".to_owned()));
                continue;
            };
            let origin = self.archived(&asked.name.class).map(|(origin, _)| origin).filter(|origin| !origin.is_empty());
            let class = JavaClass { name: &asked.name.class, source_file: &asked.source_file, origin };
            match self.code.java_source(&class) {
                Ok(source) => {
                    let of_file = self.functions_of_file(&asked);
                    shown.extend(&of_file);
                    listings.push(self.java_source_listing(&asked, source, &of_file));
                }
                Err(reason) => listings.push(self.bytecode_listing(&asked, &reason)),
            }
        }
        listings
    }

    fn java_function(&self, function: u32, is_asked: bool) -> Option<JavaFunction<'_>> {
        let row = self.profile.names().row(function)?;
        let name = MethodName::parse(&self.profile.tables().functions.internal_name[row])?;
        let source_file = self.source_file(row, &name, is_asked);
        Some(JavaFunction { function, name, source_file })
    }

    fn source_file(&self, row: usize, name: &MethodName<'_>, is_asked: bool) -> String {
        let known = self.profile.tables().functions.source_file[row].clone();
        known.or_else(|| self.compiled_from(&name.class, is_asked)).unwrap_or_else(|| name.usual_source_file())
    }

    /// The source file's name from the class file. Classes outside the archive are read only for requested functions.
    fn compiled_from(&self, class: &str, is_asked: bool) -> Option<String> {
        match self.classes.row(class) {
            Some(row) => self.classes.source_file(row),
            None if is_asked => source_file_of(&self.code.class_file(class)?),
            None => None,
        }
    }

    /// Origin and class file of a class in the experiment's archive.
    fn archived(&self, class: &str) -> Option<(&str, Option<&[u8]>)> {
        self.classes.row(class).map(|row| self.classes.class(row))
    }

    fn class_bytes(&self, class: &str) -> Option<Cow<'_, [u8]>> {
        let archived = self.archived(class).and_then(|(_, bytes)| bytes).map(Cow::Borrowed);
        archived.or_else(|| self.code.class_file(class).map(Cow::Owned))
    }

    /// All functions with the same source file.
    fn functions_of_file(&self, asked: &JavaFunction<'_>) -> Vec<u32> {
        let functions = &self.profile.tables().functions;
        let is_there = |function: &u32| {
            let row = *function as usize;
            functions.kind[row] == FunctionKind::Java
                && MethodName::parse(&functions.internal_name[row]).is_some_and(|name| {
                    name.package() == asked.name.package()
                        && (name.class == asked.name.class || self.source_file(row, &name, false) == asked.source_file)
                })
        };
        (0..functions.len() as u32).filter(is_there).collect()
    }

    fn java_source_listing(&self, asked: &JavaFunction<'_>, source: SourceText, functions: &[u32]) -> Listing {
        let head = ListingHead {
            kind: ListingKind::JavaSource,
            why: None,
            source_file: Some(asked.source_file.clone()),
            path: Some(source.path),
        };
        let mut listing = self.source_listing(head, &source.text, functions);
        for (listed, function) in listing.functions.iter_mut().zip(functions) {
            listed.first_row = self.first_line(*function).map(|line| line as usize - 1);
            let row_count = listing.rows.len();
            listed.first_row = listed.first_row.filter(|row| *row < row_count);
        }
        listing
    }

    /// The line where a function's code begins.
    fn first_line(&self, function: u32) -> Option<u32> {
        let row = self.profile.names().row(function)?;
        let tables = self.profile.tables();
        let name = MethodName::parse(&tables.functions.internal_name[row])?;
        let by_class = || {
            let bytes = self.class_bytes(&name.class)?;
            name.find_in(&ClassFile::parse(&bytes).ok()?)?.first_line()
        };
        tables.functions.first_line[row].or_else(by_class).filter(|line| *line > 0)
    }

    /// The instructions of a method with their costs. Without a class file, the listing contains only the costs.
    fn bytecode_listing(&self, asked: &JavaFunction<'_>, reason: &str) -> Listing {
        let without_source = format!("source not found: {reason}");
        let class_name = asked.name.class.replace('/', ".");
        let Some(bytes) = self.class_bytes(&asked.name.class) else {
            let why = format!("{without_source}; no bytecode: the experiment has no class file of {class_name}");
            return self.empty_java_listing(asked, why);
        };
        let class = match ClassFile::parse(&bytes) {
            Ok(class) => class,
            Err(error) => return self.empty_java_listing(asked, format!("{without_source}; {class_name}: {error}")),
        };
        match asked.name.find_in(&class) {
            None => {
                let why = format!("{without_source}; the class file of {class_name} has no such method");
                self.empty_java_listing(asked, why)
            }
            Some(Method { code: None, .. }) => {
                let why = format!("{without_source}; the method has no bytecode: it is native or abstract");
                self.empty_java_listing(asked, why)
            }
            Some(Method { code: Some(code), .. }) => {
                let source_file = class.source_file.as_deref().map(str::to_owned);
                let head =
                    ListingHead { kind: ListingKind::Bytecode, why: Some(without_source), source_file, path: None };
                self.listing_of_code(asked.function, head, instruction_rows(&class, code))
            }
        }
    }

    fn empty_java_listing(&self, asked: &JavaFunction<'_>, why: String) -> Listing {
        let mut listing = self.empty_listing(asked.function, why);
        listing.source_file.get_or_insert_with(|| asked.source_file.clone());
        listing
    }

    fn listing_of_code(&self, function: u32, head: ListingHead, rows: Vec<SourceRow>) -> Listing {
        let mut rows = Rows::new(rows);
        let known: Vec<Option<u32>> = rows.rows.iter().map(|row| row.bytecode_index).collect();
        let costs = self.weights.add_up(|node, _| {
            let frame = self.frame(node).filter(|frame| frame.function.0 == function)?;
            let row = frame.bytecode_index.and_then(|index| known.binary_search(&Some(index)).ok());
            Some(row.unwrap_or_else(|| {
                let place = Elsewhere { line: frame.line, bytecode_index: frame.bytecode_index };
                rows.elsewhere(place, "unknown instruction")
            }))
        });
        let rows = rows.with_costs(&costs, self.shape);
        let mut listing = self.listing(head, &[function], rows);
        listing.functions.iter_mut().for_each(|listed| listed.first_row = Some(0));
        listing
    }
}

fn instruction_rows(class: &ClassFile<'_>, code: &Code<'_>) -> Vec<SourceRow> {
    let rows = code.instructions().map_while(Result::ok).map(|instruction| {
        let words = class.operand_words(&instruction);
        let text = format!("{} {words}", instruction.mnemonic());
        SourceRow {
            kind: RowKind::Instruction,
            line: code.line_at(instruction.bytecode_index).map(u32::from),
            bytecode_index: Some(instruction.bytecode_index),
            ..SourceRow::blank(shortened(text.trim_end()))
        }
    });
    rows.collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
