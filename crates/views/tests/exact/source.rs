//! Code with its cost: source lines, bytecode, disassembly, and the reason if there is no code.

#![allow(clippy::unwrap_used, reason = "test code")]

use proptest::prelude::proptest;
use whittle_model::{
    ArchivedClass, BinaryIndex, BinaryKind, EventKind, FrameIndex, FrameKind, FunctionKind, Manifest, NewFrame,
    NewFunction, Program, Sample, State, TableBuilder, Tables, cpu_metrics,
};
use whittle_profile::{AnalysisError, Profile, Query, ViewMode};
use whittle_render::{Format, Style, render};
use whittle_testkit::{RandomShape, experiment_from_samples, experiment_from_text, random_samples};
use whittle_views::source::{
    CodeSource, Disassembly, JavaClass, Listing, ListingKind, MachineInstruction, NativeCode, NoFiles, RowKind,
    SourceText, SourceView,
};

const SAMPLE_CLASS: &[u8] = include_bytes!("../../../bytecode/tests/fixtures/Sample.class");
const SAMPLE_SOURCE: &str = include_str!("../../../bytecode/tests/fixtures/Sample.java");
const WRITE_ALL: &str = "fixtures/Sample.writeAll([BLjava/lang/Object;)I";
const NAME: &str = "fixtures/Sample.name(I)Ljava/lang/String;";

const NO_FILES: NoFiles = NoFiles { reason: "give --source-path" };

/// Sources and machine code of the tests.
struct Known;

impl CodeSource for Known {
    fn java_source(&self, class: &JavaClass<'_>) -> Result<SourceText, String> {
        let found = (class.path() == "fixtures/Sample.java").then(|| SAMPLE_SOURCE.to_owned());
        let text = found.ok_or_else(|| format!("no {}", class.path()))?;
        Ok(SourceText { path: "/src/fixtures/Sample.java".to_owned(), text })
    }

    fn class_file(&self, _class_name: &str) -> Option<Vec<u8>> {
        None
    }

    fn native_source(&self, path: &str) -> Result<SourceText, String> {
        let text = (path == "/src/spin.c").then(|| "int leaf(int x)\n{\n\treturn step(x);\n}\n".to_owned());
        Ok(SourceText { path: path.to_owned(), text: text.ok_or("no such file")? })
    }

    fn machine_code(&self, code: &NativeCode<'_>) -> Result<Disassembly, String> {
        let instruction = |address, text: &str, place: Option<(&str, u32)>| MachineInstruction {
            address,
            text: text.to_owned(),
            source_file: place.map(|(file, _)| file.to_owned()),
            line: place.map(|(_, line)| line),
        };
        match code.symbol {
            "leaf" => Ok(Disassembly {
                path: "/bin/spin".to_owned(),
                note: None,
                instructions: vec![
                    instruction(0x10, "push rbp", Some(("/src/spin.c", 2))),
                    instruction(0x11, "xor eax, eax", Some(("/src/steps.h", 7))),
                    instruction(0x13, "nop", Some(("/src/spin.c", 2))),
                    instruction(0x14, "inc eax", Some(("/src/steps.h", 7))),
                    instruction(0x16, "ret", Some(("/src/spin.c", 3))),
                ],
            }),
            _ => Err("its build id is another one".to_owned()),
        }
    }
}

/// The frames of a stack with one second of CPU, leaf last. Each frame has a function, a frame kind, a line and a
/// bytecode index.
type DrawnStack<'a> = &'a [(&'a str, FrameKind, Option<u32>, Option<u32>)];

fn profile(stacks: &[DrawnStack<'_>], archived: &[(&str, Option<&[u8]>)]) -> Profile {
    let mut builder = TableBuilder::new();
    let thread = builder.thread(Some(1), None, "main");
    for (number, frames) in stacks.iter().enumerate() {
        let frames: Vec<FrameIndex> = frames.iter().map(|frame| add_frame(&mut builder, *frame)).collect();
        let stack = builder.stack(frames);
        let sample = Sample::new(number as u64, thread, stack, EventKind::Cpu);
        builder.sample(Sample { duration_ns: 1_000_000_000, mode: whittle_model::CpuMode::User, ..sample });
    }
    let mut tables = builder.into_tables();
    for (name, bytes) in archived {
        let (class_name, bytes) = ((*name).to_owned(), bytes.map(<[u8]>::to_vec));
        tables.archive.push(ArchivedClass { class_name, origin: "/opt/app.jar".to_owned(), digest: None, bytes });
    }
    load((manifest(), tables))
}

fn manifest() -> Manifest {
    let mut manifest = Manifest::new(Program { name: "test".to_owned(), version: String::new() });
    manifest.state = State::Complete;
    manifest.metrics = cpu_metrics(true);
    manifest
}

fn load((manifest, tables): (Manifest, Tables)) -> Profile {
    Profile::load(manifest, tables).unwrap()
}

fn add_frame(
    builder: &mut TableBuilder,
    (name, kind, line, bytecode_index): (&str, FrameKind, Option<u32>, Option<u32>),
) -> FrameIndex {
    let is_java = name.contains('.');
    let display_name = name.replace('/', ".");
    let display_name = display_name.split('(').next().unwrap();
    let (function_kind, binary) = match is_java {
        true => (FunctionKind::Java, BinaryIndex::NONE),
        false => (FunctionKind::Native, builder.binary("spin", BinaryKind::Elf)),
    };
    let function = builder.function(&NewFunction { display_name, internal_name: name, kind: function_kind, binary });
    if !is_java {
        let file = if name == "leaf" { "/src/spin.c" } else { "/src/steps.h" };
        builder.describe_function(function, Some(file), Some(1));
    }
    builder.frame(NewFrame { function, kind, line, bytecode_index, address: None })
}

const JIT: FrameKind = FrameKind::Jit;

/// Stacks with `writeAll`. In most stacks, `writeAll` is at line 20, at the call with bytecode index 33. Some stacks
/// have a callee below `writeAll`.
fn sample_profile(archived: &[(&str, Option<&[u8]>)]) -> Profile {
    let at = |line, index| (WRITE_ALL, JIT, line, index);
    profile(
        &[
            &[at(Some(20), Some(33))],
            &[at(Some(20), Some(33)), ("java/io/F.write(I)V", JIT, Some(5), Some(1))],
            &[at(Some(20), Some(33)), (NAME, JIT, Some(30), Some(0)), at(Some(20), Some(33))],
            &[at(None, None)],
            &[at(Some(900), Some(34))],
        ],
        archived,
    )
}

const ARCHIVED: &[(&str, Option<&[u8]>)] = &[("fixtures/Sample", Some(SAMPLE_CLASS))];

fn source(profile: &Profile, name: &str, code: &dyn CodeSource) -> SourceView {
    whittle_views::source::source(profile, &Query::default(), name, code).unwrap()
}

fn exclusive_and_inclusive(listing: &Listing, row: usize) -> Option<(f64, f64)> {
    let values = listing.rows[row].values.as_ref()?;
    Some((values.numbers[0] / 1e9, values.numbers[2] / 1e9))
}

/// Rows with cost: kind, line, bytecode index, text, exclusive and inclusive seconds.
fn costs(listing: &Listing) -> Vec<String> {
    let rows = listing.rows.iter().enumerate().filter_map(|(index, row)| {
        let (exclusive, inclusive) = exclusive_and_inclusive(listing, index)?;
        let place = row.line.or(row.bytecode_index).map_or("-".to_owned(), |place| place.to_string());
        Some(format!("{exclusive} {inclusive} {place} {}", row.text.trim()).trim_end().to_owned())
    });
    rows.collect()
}

#[test]
fn source_lines_have_the_cost_of_all_functions_of_the_file() {
    let view = source(&sample_profile(ARCHIVED), "fixtures.Sample.writeAll", &Known);
    let [listing] = view.listings.as_slice() else { panic!("{:?}", view.listings.len()) };
    assert_eq!((listing.kind, listing.path.as_deref()), (ListingKind::JavaSource, Some("/src/fixtures/Sample.java")));
    assert_eq!(listing.rows.len(), SAMPLE_SOURCE.lines().count() + 2);
    assert!(listing.rows.iter().zip(1..).take(60).all(|(row, line)| row.line == Some(line)));
    assert_eq!(
        costs(listing),
        [
            "2 3 20 out.write(b);",
            "0 1 30 case 2: return \"zwölf\";",
            "1 1 - line unknown",
            "1 1 900 beyond the end of this file",
        ]
    );
    let functions: Vec<_> =
        listing.functions.iter().map(|it| (it.function.as_str(), it.is_asked, it.first_row)).collect();
    assert_eq!(functions, [("fixtures.Sample.writeAll", true, Some(17)), ("fixtures.Sample.name", false, Some(27))]);
    assert!(
        listing.why.as_ref().unwrap().contains("the program ran another version of this source"),
        "{:?}",
        listing.why
    );
}

/// Lists a file with many functions, each in a separate class.
#[test]
fn a_file_of_many_classes_is_listed_in_linear_time() {
    const COUNT: usize = 40_000;
    let names: Vec<String> = (0..COUNT).map(|number| format!("fixtures/C{number}.m()V")).collect();
    let classes: Vec<String> = (0..COUNT).map(|number| format!("fixtures/C{number}")).collect();
    let stacks: Vec<Vec<_>> = names.iter().map(|name| vec![(name.as_str(), JIT, Some(20), None)]).collect();
    let stacks: Vec<DrawnStack<'_>> = stacks.iter().map(Vec::as_slice).collect();
    let archived: Vec<(&str, Option<&[u8]>)> =
        classes.iter().map(|class| (class.as_str(), Some(SAMPLE_CLASS))).collect();
    let profile = profile(&stacks, &archived);
    let start = std::time::Instant::now();
    let view = source(&profile, "fixtures.C7.m", &Known);
    // If each function were compared with each class, this would take a minute.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    assert_eq!(view.listings[0].functions.len(), COUNT);
    assert_eq!(costs(&view.listings[0]), [format!("{COUNT} {COUNT} 20 out.write(b);")]);
}

#[test]
fn without_source_the_bytecode_of_an_archived_class_has_the_cost() {
    let view = source(&sample_profile(ARCHIVED), "fixtures.Sample.writeAll", &NO_FILES);
    let [listing] = view.listings.as_slice() else { panic!("{:?}", view.listings.len()) };
    assert_eq!(listing.kind, ListingKind::Bytecode);
    assert_eq!(listing.why.as_deref(), Some("source not found: give --source-path"));
    assert_eq!(listing.source_file.as_deref(), Some("Sample.java"));
    let with_cost: Vec<_> = listing.rows.iter().filter(|row| row.values.is_some()).collect();
    assert_eq!(with_cost[0].text, "invokevirtual java/io/OutputStream.write:(I)V");
    assert_eq!((with_cost[0].bytecode_index, with_cost[0].line), (Some(33), Some(20)));
    assert_eq!(
        costs(listing),
        [
            "2 3 20 invokevirtual java/io/OutputStream.write:(I)V",
            "1 1 - unknown instruction",
            "1 1 900 unknown instruction"
        ]
    );
}

#[test]
fn without_any_code_costs_are_shown_with_the_reason() {
    let damaged: &[(&str, Option<&[u8]>)] = &[("fixtures/Sample", Some(&SAMPLE_CLASS[..200]))];
    let other_class: &[(&str, Option<&[u8]>)] =
        &[("fixtures/Sample", Some(include_bytes!("../../../bytecode/tests/fixtures/Sample$Pair.class")))];
    for (archived, said) in [
        (&[][..], "no bytecode: the experiment has no class file of fixtures.Sample"),
        (&[("fixtures/Sample", None)], "no class file of fixtures.Sample"),
        (damaged, "cannot read the class file"),
        (other_class, "the class file of fixtures.Sample has no such method"),
    ] {
        let view = source(&sample_profile(archived), "fixtures.Sample.writeAll", &NO_FILES);
        let listing = &view.listings[0];
        assert_eq!((listing.kind, listing.source_file.as_deref()), (ListingKind::None, Some("Sample.java")));
        let why = listing.why.as_ref().unwrap();
        assert!(why.starts_with("source not found: give --source-path; ") && why.contains(said), "{why}");
        assert_eq!(costs(listing), ["1 1 - line unknown", "2 3 20", "1 1 900"]);
    }
}

/// `leaf` has no callees. `step` was inlined into `leaf` and has most of the cost.
fn native_profile() -> Profile {
    let leaf = ("leaf", FrameKind::Native, Some(3), None);
    let step = |line| ("step", FrameKind::Inlined, line, None);
    profile(
        &[
            &[leaf, step(Some(7))],
            &[leaf, step(Some(7))],
            &[leaf],
            &[("leaf", FrameKind::Native, None, None)],
            &[leaf, step(Some(8))],
        ],
        &[],
    )
}

#[test]
fn native_functions_have_source_and_disassembly() {
    let view = source(&native_profile(), "leaf", &Known);
    let [text, machine] = view.listings.as_slice() else { panic!("{:?}", view.listings.len()) };
    assert_eq!(text.kind, ListingKind::NativeSource);
    assert_eq!(costs(text), ["1 4 3 return step(x);", "1 1 - line unknown"]);
    assert_eq!((machine.kind, machine.path.as_deref()), (ListingKind::Disassembly, Some("/bin/spin")));
    let texts: Vec<&str> = machine.rows.iter().map(|row| row.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "spin.c:2: {",
            "push rbp",
            "steps.h:7:",
            "xor eax, eax",
            "spin.c:2: {",
            "nop",
            "steps.h:7:",
            "inc eax",
            "spin.c:3: return step(x);",
            "ret",
            "unknown instruction",
            "unknown instruction",
        ]
    );
    // The machine code contains inlined functions, and the cost of each line is shown once.
    assert_eq!(
        costs(machine),
        [
            "2 2 7 steps.h:7:",
            "1 1 3 spin.c:3: return step(x);",
            "1 1 - unknown instruction",
            "1 1 8 unknown instruction"
        ]
    );
    assert_eq!(machine.values.numbers[0], 5e9);
    assert!(machine.why.as_ref().unwrap().contains("per source line, not per instruction"));
}

#[test]
fn an_inlined_function_is_shown_where_it_was_inlined() {
    let view = source(&native_profile(), "step", &Known);
    let [machine] = view.listings.as_slice() else { panic!("{:?}", view.listings.len()) };
    assert_eq!(machine.functions[0].function, "leaf");
    let why = machine.why.as_ref().unwrap();
    assert!(
        why.contains("source not found: no such file")
            && why.contains("this is the code of leaf: the compiler inlined step into it"),
        "{why}"
    );
}

#[test]
fn functions_without_code_are_reported() {
    let (manifest, tables) = experiment_from_text(
        "
        main()        main()          main()
        vfs_write[k]  Interpreter[s]  __write[n]
        ",
    );
    let profile = load((manifest, tables));
    let query = Query { mode: ViewMode::Machine, ..Query::default() };
    for (name, said) in [
        ("vfs_write", "kernel code is not shown"),
        ("Interpreter", "the JVM generated this code at run time"),
        ("<Total>", "does not refer to code"),
        ("__write", "no disassembly: its build id is another one"),
        ("main()", "the name does not contain the class"),
    ] {
        let view = whittle_views::source::source(&profile, &query, name, &Known).unwrap();
        assert_eq!(view.listings[0].kind, ListingKind::None, "{name}");
        let why = view.listings[0].why.as_ref().unwrap();
        assert!(why.contains(said), "{name}: {why}");
    }
    let error = whittle_views::source::source(&profile, &query, "nothing", &Known).unwrap_err();
    assert!(matches!(error, AnalysisError::UnknownFunction { .. }));
}

#[test]
fn text_shows_the_lines_around_costs_and_nothing_that_steers_a_terminal() {
    let profile = sample_profile(ARCHIVED);
    let query = Query { limit: Some(30), ..Query::default() };
    let view = whittle_views::source::source(&profile, &query, "fixtures.Sample.writeAll", &Known).unwrap();
    let text = render(&view, Format::Text, Style::default());
    assert!(text.contains("20              out.write(b);") || text.contains("20              out.write"), "{text}");
    assert!(
        text.contains('⋮') && !text.contains("class Sample<T>") && text.contains("more rows without cost"),
        "{text}"
    );
    let whole = render(&source(&profile, "fixtures.Sample.writeAll", &Known), Format::Text, Style::default());
    assert!(whole.contains("class Sample<T>") && !whole.contains('⋮'), "{whole}");
    assert!(!whole.contains('\u{1b}') && !whole.contains('\t'), "{whole}");
    let csv = render(&view, Format::Csv, Style::default());
    assert_eq!(csv.lines().count(), 1 + SAMPLE_SOURCE.lines().count() + 2);
    let json: serde_json::Value = serde_json::from_str(&render(&view, Format::Json, Style::default())).unwrap();
    let row = &json["listings"][0]["rows"][19];
    assert_eq!(
        (row["line"].as_u64(), row["exclusive_cpu_ns"].as_u64(), row["kind"].as_str()),
        (Some(20), Some(2_000_000_000), Some("source"))
    );
    assert!(json["listings"][0]["rows"][0].get("exclusive_cpu_ns").is_none());
}

proptest! {
    /// For any kind of code and in every mode, the exclusive values of the rows add up to the functions' exclusive
    /// values.
    #[test]
    fn rows_add_up(samples in random_samples(RandomShape { function_count: 3, depth: 6, sample_count: 12, thread_count: 2 })) {
        let profile = load(experiment_from_samples(&samples));
        for mode in ViewMode::ALL {
            let query = Query { mode, ..Query::default() };
            for row in whittle_views::functions::functions(&profile, &query).unwrap().rows {
                let view = whittle_views::source::source(&profile, &query, &row.function, &Known).unwrap();
                assert_eq!(view.values.numbers, row.values.numbers, "{}", row.function);
                let exclusive = |listing: &Listing| -> f64 {
                    listing.rows.iter().filter_map(|row| row.values.as_ref()).map(|values| values.numbers[0]).sum()
                };
                for listing in &view.listings {
                    assert_eq!(exclusive(listing), listing.values.numbers[0], "{}", row.function);
                    assert_eq!(listing.values.numbers, row.values.numbers, "{}", row.function);
                    assert!(listing.rows.iter().all(|row| row.kind == RowKind::Unplaced));
                }
            }
        }
    }
}

#[test]
fn the_details_of_a_java_function_come_from_its_archived_class() {
    let profile = sample_profile(ARCHIVED);
    let details =
        whittle_views::function::function_details(&profile, &Query::default(), "fixtures.Sample.writeAll").unwrap();
    let [function] = details.functions.as_slice() else { panic!("{:?}", details.functions) };
    assert_eq!(function.source_file.as_deref(), Some("Sample.java"));
    assert_eq!(function.load_object.as_deref(), Some("/opt/app.jar"));
    assert_eq!((function.first_line, function.bytecode_bytes), (Some(18), Some(52)));
}
