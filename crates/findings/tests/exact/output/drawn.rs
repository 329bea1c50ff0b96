//! Invented answers, for tests of the output.

use whittle_findings::{
    CallingPlace, Confidence, Criterion, Denied, EditSite, Endpoint, Evidence, ExpectedSaving, FieldUse, Figure,
    Finding, FindingsView, GainModel, LeftOut, LibraryPlace, LinePart, Measure, Minor, NotChecked, OtherSite,
    QualityFinding, RemedyPromise, Scattered, Severity, SiteAnswer, SiteInstruction, Spent, ThreadGroup, Trial,
    TrialAnswer, TrialPlace, Unexplained, Work,
};

/// An answer without a finding.
pub(crate) fn silent() -> FindingsView {
    FindingsView {
        view: "findings",
        filter: None,
        notes: Vec::new(),
        work: Work {
            groups: vec![ThreadGroup { name: "main".to_owned(), threads_count: 1, cpu_ratio: 1.0 }],
            cpu_ns: Some(5.9e9),
            samples_count: 590,
            from_ns: 2_100_000_000,
            to_ns: 8_100_000_000,
            warm_up: "The compiler had done 95 % of its work by then.".to_owned(),
        },
        quality: Vec::new(),
        findings: Vec::new(),
        tried_together: None,
        minor: Vec::new(),
        left_out: LeftOut::default(),
        union_ratio: 0.0,
        scattered: Vec::new(),
        units: None,
        largest_unexplained: Some(unexplained()),
        denied: vec![Denied {
            detector: "unbuffered-read".to_owned(),
            title: "Unbuffered read".to_owned(),
            function: "app.Main.load()".to_owned(),
            file: Some("Main.java".to_owned()),
            line: Some(40),
            program_ratio: 0.081,
            measure: Measure::Cpu,
            reason: "8,192.0 bytes per call (required: at most 512)".to_owned(),
        }],
        unplaced_ratio: 0.0,
        largest_unplaced: None,
        checked_count: 41,
        unknown_classes: vec!["slow starts", "memory that is never released"],
        not_checked: vec![
            not_checked("gc-pressure", "Garbage collection"),
            not_checked("boxing", "Boxing"),
            NotChecked {
                detector: "lock-contention".to_owned(),
                title: "Lock contention".to_owned(),
                needs: "waits for locks: collect with --events all".to_owned(),
            },
        ],
        guides: None,
    }
}

fn unexplained() -> Unexplained {
    Unexplained { function: "java.util.zip.CRC32.update(int)".to_owned(), ratio: 0.061 }
}

fn not_checked(detector: &str, title: &str) -> NotChecked {
    let needs = "allocations: collect with --events alloc";
    NotChecked { detector: detector.to_owned(), title: title.to_owned(), needs: needs.to_owned() }
}

/// One finding of each kind: a certain finding in the program's own code, a likely finding in a library without a line
/// to edit, and a finding that needs no edit.
pub(crate) fn found() -> FindingsView {
    let groups = vec![
        ThreadGroup { name: "main".to_owned(), threads_count: 1, cpu_ratio: 0.982 },
        ThreadGroup { name: "pool-#-thread-#".to_owned(), threads_count: 4, cpu_ratio: 0.018 },
    ];
    let silent = silent();
    FindingsView {
        filter: Some("time in 1s..9s".to_owned()),
        notes: vec!["samples are added up".to_owned()],
        work: Work { groups, ..silent.work.clone() },
        quality: vec![
            doubt(
                "closure",
                Severity::Serious,
                "Samples explain 71 % of the CPU time. Collect with the engine kernel.",
            ),
            doubt("few_samples", Severity::Note, "590 samples: intervals are wide."),
        ],
        findings: vec![own_code(), in_a_library(), without_a_line()],
        minor: vec![Minor {
            detector: "string-format".to_owned(),
            title: "Formatting per call".to_owned(),
            function: "app.Main.print()".to_owned(),
            file: Some("Main.java".to_owned()),
            line: Some(30),
            program_ratio: 0.012,
            measure: Measure::Cpu,
            expected: None,
        }],
        left_out: LeftOut { minor: 3, ..LeftOut::default() },
        union_ratio: 0.93,
        scattered: vec![Scattered {
            function: "java.lang.Thread.getStackTrace()".to_owned(),
            ratio: 0.21,
            paths_count: 14,
            largest_path_ratio: 0.028,
            finding: Some(2),
        }],
        ..silent
    }
}

fn doubt(id: &'static str, severity: Severity, text: &str) -> QualityFinding {
    QualityFinding { id, severity, text: text.to_owned() }
}

/// Unbuffered writes through a field of an inner class.
pub(crate) fn own_code() -> Finding {
    Finding {
        rank: 1,
        detector: "unbuffered-write".to_owned(),
        title: "Unbuffered write".to_owned(),
        confidence: Confidence::Certain,
        criteria: vec![
            Criterion { text: "1.1 bytes per call, at most 512".to_owned(), holds: Some(true) },
            Criterion { text: "754,662 calls per second, at least 1,000".to_owned(), holds: Some(true) },
        ],
        spent: Spent {
            measure: Measure::Cpu,
            ratio: 0.8412,
            low_ratio: 0.8154,
            high_ratio: 0.8631,
            of: "CPU time of main".to_owned(),
            value: 5.05e9,
            samples_count: 505,
            program_ratio: 0.8261,
            work_ratio: 0.8261,
        },
        expected: Some(ExpectedSaving {
            modelled_ratio: 0.812,
            low_ratio: 0.734,
            high_ratio: 0.863,
            endpoint: Endpoint::Cpu,
            model: GainModel::Call,
            program_low_ratio: 0.72,
            program_high_ratio: 0.851,
        }),
        unit_cost: None,
        saving_note: "writing a byte to a buffer costs about 1 % of a system call for one byte".to_owned(),
        anchor: "java.io.FileOutputStream.write(int)".to_owned(),
        calling: CallingPlace {
            function: "app.Main$CrcOut.write(int)".to_owned(),
            file: Some("Main.java".to_owned()),
            line: Some(5),
            text: Some("\t\tw.write(b);".to_owned()),
            lines: vec![LinePart { line: Some(5), ratio: 0.88 }, LinePart { line: Some(7), ratio: 0.12 }],
            library: None,
        },
        site: SiteAnswer::Found(Box::new(site())),
        evidence: vec![
            Evidence {
                figure: Figure::CallsPerSecond,
                value: 754_662.0,
                text: "754,662 system calls per second".to_owned(),
            },
            Evidence { figure: Figure::BytesPerCall, value: 1.1, text: "1.1 bytes per call".to_owned() },
        ],
        fix: "Wrap the stream in `new BufferedOutputStream(…)` where it is made.".to_owned(),
        check_first: vec!["A reader of the file sees the data later.".to_owned()],
        page: "findings/unbuffered-write.md".to_owned(),
        filter: "stack has \"java.io.FileOutputStream.write(int)\" and thread = 'main'".to_owned(),
        anchors: Vec::new(),
        call: None,
        trial: TrialAnswer::Possible(Trial {
            remedy: "buffer-output".to_owned(),
            title: "wrapped in a BufferedOutputStream".to_owned(),
            promise: RemedyPromise::Kept,
            condition: "data reach the file at flush".to_owned(),
            places: vec![TrialPlace {
                words: "FileOutputStream in Main$CrcOut.<init> (Main.java:4)".to_owned(),
                file: Some("Main.java".to_owned()),
                line: Some(4),
                is_in_library: false,
                instruction: instruction(),
            }],
        }),
        tried: None,
    }
}

fn instruction() -> SiteInstruction {
    SiteInstruction {
        class: "app/Main$CrcOut".to_owned(),
        method: "<init>".to_owned(),
        descriptor: "()V".to_owned(),
        bytecode_index: 5,
        operation: "new java/io/FileOutputStream".to_owned(),
    }
}

fn site() -> EditSite {
    let other = |function: &str, line: u32, what: &str| OtherSite {
        function: function.to_owned(),
        file: Some("Main.java".to_owned()),
        line: Some(line),
        what: what.to_owned(),
        instruction: None,
    };
    EditSite {
        constant: None,
        instruction: None,
        class: "app/Main$CrcOut".to_owned(),
        method: "<init>".to_owned(),
        file: Some("Main.java".to_owned()),
        line: Some(4),
        what: "new java.io.FileOutputStream(…), kept in field CrcOut.w".to_owned(),
        text: Some("  final OutputStream w = new FileOutputStream(FILE);".to_owned()),
        steps: vec!["The call is made on field CrcOut.w.".to_owned(), "The constructor assigns it.".to_owned()],
        others: vec![other("app.Main$CrcOut.reopen", 9, "new java.io.FileOutputStream(…)")],
        field: Some(FieldUse {
            field: "app.Main$CrcOut.w".to_owned(),
            declaration: "final java.io.OutputStream w".to_owned(),
            line: Some(4),
            uses: vec![other("app.Main$CrcOut.close", 6, "w.close()")],
        }),
    }
}

/// A library that the program calls walks the stack for a name.
pub(crate) fn in_a_library() -> Finding {
    Finding {
        rank: 2,
        detector: "pattern-of-a-test".to_owned(),
        title: "Stack walk per call".to_owned(),
        confidence: Confidence::Likely,
        criteria: vec![Criterion { text: "more than 1,000 stacks per second".to_owned(), holds: None }],
        spent: Spent {
            ratio: 0.0531,
            low_ratio: 0.0372,
            high_ratio: 0.0712,
            value: 3.1e8,
            program_ratio: 0.0531,
            ..own_code().spent
        },
        expected: Some(ExpectedSaving {
            modelled_ratio: 0.0412,
            low_ratio: 0.0335,
            high_ratio: 0.0531,
            endpoint: Endpoint::Elapsed,
            model: GainModel::Method,
            program_low_ratio: 0.0335,
            program_high_ratio: 0.0531,
        }),
        unit_cost: None,
        saving_note: "the caller's name is not needed.".to_owned(),
        anchor: "java.lang.Thread.getStackTrace()".to_owned(),
        calling: CallingPlace {
            function: "app.Main.run()".to_owned(),
            file: Some("Main.java".to_owned()),
            line: Some(21),
            text: None,
            lines: vec![LinePart { line: Some(21), ratio: 1.0 }],
            library: Some(LibraryPlace {
                function: "org.logs.Log.info(java.lang.String)".to_owned(),
                file: Some("Log.java".to_owned()),
                line: Some(77),
                jar: Some("logs-1.2.jar".to_owned()),
            }),
        },
        site: SiteAnswer::NotFound {
            reason: "org.logs.Log has no class file; look for the call at Log.java:77".to_owned(),
        },
        evidence: Vec::new(),
        fix: "Pass the name.".to_owned(),
        check_first: vec!["Who reads the log.".to_owned(), "Whether it is parsed.".to_owned()],
        page: "findings/pattern-of-a-test.md".to_owned(),
        filter: "stack has \"java.lang.Thread.getStackTrace()\"".to_owned(),
        anchors: Vec::new(),
        call: None,
        trial: TrialAnswer::Impossible { reason: "no remedy changes that".to_owned() },
        tried: None,
    }
}

/// A finding without a line to edit and without a prediction. Its measure is allocated bytes instead of time.
pub(crate) fn without_a_line() -> Finding {
    Finding {
        rank: 3,
        detector: "gc-pressure".to_owned(),
        title: "Garbage collection".to_owned(),
        confidence: Confidence::Possible,
        criteria: Vec::new(),
        spent: Spent {
            measure: Measure::AllocBytes,
            of: "bytes that main allocated".to_owned(),
            value: 3.21e8,
            samples_count: 612,
            ratio: 0.998,
            low_ratio: 0.97,
            high_ratio: 1.0,
            program_ratio: 0.998,
            work_ratio: 0.998,
        },
        expected: None,
        unit_cost: None,
        saving_note: "it depends on the heap's size".to_owned(),
        calling: CallingPlace {
            function: "app.Main.alloc()".to_owned(),
            file: None,
            line: None,
            text: None,
            lines: Vec::new(),
            library: None,
        },
        site: SiteAnswer::None,
        check_first: Vec::new(),
        page: "findings/gc-pressure.md".to_owned(),
        ..in_a_library()
    }
}
