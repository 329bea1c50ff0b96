//! The page about the experiment's format, generated from the tables' documentation.

use crate::{Result, generated};
use std::fmt::Write;
use std::path::Path;
use whittle_model::{
    ArchiveTable, BinaryTable, CalibrationTable, CellType, CounterTable, EventKind, FORMAT_VERSION, FileTable,
    FrameTable, FunctionTable, JvmEventTable, LossReason, ObjectClassTable, PhysicalType, RequestTable, SampleTable,
    SampledCallTable, StackTable, SyscallLatencyTable, SyscallTable, Table, ThreadStateTable, ThreadTable, WakeTable,
};

const PAGE: &str = "docs/user/experiment-format.md";

/// The file of users, which is not a table.
const USER_NOTES: &str = r#"
## Notes

The file `notes.json` contains [texts of users](analyzer.md#notes). It is not a part of the format version, and an experiment without
the file is whole.

```json
{
  "notes_version": 1,
  "notes": [
    {"id": 1, "function": "app.Log.flush()", "text": "called once per line"},
    {"id": 2, "from_ns": 1000000000, "to_ns": 2000000000, "text": "the nightly job"}
  ]
}
```

`id` is the identity of a note in its experiment. `function` is a `display_name` of [functions](#functions). `from_ns` and `to_ns` are
nanoseconds since the experiment's start; a note has both or none of them. A note without a function and without times is about the
whole experiment. Whittle keeps fields that it does not know, and does not change a file with a larger `notes_version`.
"#;

const INTRODUCTION: &str = "\
An experiment is a directory `NAME.whittle/` with `manifest.json` and Parquet tables (zstd). Growing tables are written in
parts, `samples-000001.parquet`, `samples-000002.parquet` …: samples, sampled_calls, thread_states, requests, request_parts, wakes, counters,
stacks, frames, functions, binaries. The rows of part 2 follow those of part 1. Each of the other tables is one file, such as
`threads.parquet`. A table without rows has no file. A column that refers to another table contains the row number there,
counted from 0 over all parts in the order of their names. The folder `artefact/` contains the program's files that
`--keep-artefact` kept. No table needs it.

Any SQL engine can read the tables. Row numbers are not stored, so a query must compute them. In DuckDB:

```sql
-- rows of all parts of a table, with the numbers that other tables refer to
CREATE MACRO numbered(files) AS TABLE
  SELECT row_number() OVER (ORDER BY filename, file_row_number) - 1 AS row_index, *
  FROM read_parquet(files, filename = true, file_row_number = true);

-- the ten functions with the most exclusive system CPU
SELECT functions.display_name, sum(samples.duration_ns) / 1e9 AS seconds
FROM 'app.whittle/samples-*.parquet' AS samples
JOIN numbered('app.whittle/stacks-*.parquet') AS stacks ON stacks.row_index = samples.stack
JOIN numbered('app.whittle/frames-*.parquet') AS frames ON frames.row_index = stacks.frame
JOIN numbered('app.whittle/functions-*.parquet') AS functions ON functions.row_index = frames.function
WHERE samples.event = 'cpu' AND samples.mode = 'system'
GROUP BY 1 ORDER BY 2 DESC LIMIT 10;
```

The result is the same as that of `whittle functions app.whittle --mode machine --metrics e.system_cpu --limit 10`: the last
frame of a stack in the kernel is a kernel function. Tables in one file are read in the same way:

```sql
-- the ten files to which most bytes were moved, and by how many system calls
SELECT syscalls.name, files.kind, files.path, sum(calls_count) AS calls, sum(bytes) AS bytes
FROM 'app.whittle/syscalls.parquet' AS syscalls
JOIN numbered('app.whittle/files.parquet') AS files ON files.row_index = syscalls.file
GROUP BY ALL ORDER BY bytes DESC LIMIT 10;
```
";

/// Fails if the page in the repository differs from the generated page.
pub(crate) fn check(root: &Path) -> Result {
    generated::check(root, PAGE, &page())
}

/// Writes the page.
pub(crate) fn write(root: &Path) -> Result {
    generated::write(root, PAGE, &page())
}

fn page() -> String {
    let mut page = format!(
        "# The experiment, format version {FORMAT_VERSION}\n\n\
         <!-- Written by `cargo xtask docs` from the tables' documentation in the code. Do not edit. -->\n\n{INTRODUCTION}"
    );
    add_table::<SampleTable>(&mut page);
    add_table::<StackTable>(&mut page);
    add_table::<FrameTable>(&mut page);
    add_table::<FunctionTable>(&mut page);
    add_table::<BinaryTable>(&mut page);
    add_table::<ThreadTable>(&mut page);
    add_table::<ThreadStateTable>(&mut page);
    add_table::<SyscallTable>(&mut page);
    add_table::<SyscallLatencyTable>(&mut page);
    add_table::<SampledCallTable>(&mut page);
    add_table::<FileTable>(&mut page);
    add_table::<ObjectClassTable>(&mut page);
    add_table::<CalibrationTable>(&mut page);
    add_table::<RequestTable>(&mut page);
    add_table::<WakeTable>(&mut page);
    add_table::<CounterTable>(&mut page);
    add_table::<JvmEventTable>(&mut page);
    add_table::<ArchiveTable>(&mut page);
    page.push_str(USER_NOTES);
    page.push_str("\n## Why data is missing\n\nThe reasons in `frames.reason` and in the manifest's `losses`:\n\n");
    for reason in LossReason::ALL {
        add(&mut page, format_args!("- `{reason}`: {}\n", reason.description()));
    }
    page
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("writing to a String cannot fail");
}

fn add_table<T: Table>(page: &mut String) {
    let description: Vec<&str> = T::DESCRIPTION.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    add(
        page,
        format_args!(
            "\n## {}\n\n{}\n\n| column | type | meaning |\n|---|---|---|\n",
            T::NAME,
            description.join("\n").trim()
        ),
    );
    for column in T::COLUMNS {
        let (cell_type, meaning) = (type_name(column.cell_type), column.description.trim().replace('|', "\\|"));
        add(page, format_args!("| `{}` | {cell_type} | {meaning} |\n", column.name));
    }
}

fn type_name(cell_type: CellType) -> String {
    let name = match cell_type.physical {
        PhysicalType::U32 => "u32".to_owned(),
        PhysicalType::U64 => "u64".to_owned(),
        PhysicalType::F64 => "f64".to_owned(),
        PhysicalType::Bytes => "bytes".to_owned(),
        PhysicalType::Text => "text".to_owned(),
        PhysicalType::Hash128 => "16 bytes".to_owned(),
        PhysicalType::Code(EventKind::NAMES) => "text: an [event](metrics.md#events-of-samples)".to_owned(),
        PhysicalType::Code(names) => format!("text: {}", names.join(", ")),
    };
    if cell_type.optional { format!("{name}, can be missing") } else { name }
}
