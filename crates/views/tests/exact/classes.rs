//! Tests of the table of classes, and of the filter `class is`, on experiments drawn as text.

use crate::support::text;
use whittle_packed::{PackOptions, decode, encode};
use whittle_profile::compare::{Run, compare};
use whittle_profile::{AnalysisError, Profile, Query};
use whittle_testkit::experiment_from_text;
use whittle_views::classes::{ClassesView, classes};
use whittle_views::lines::lines;

/// Two lines of the program allocate bytes, one of them through the JDK. One sample has no class, one is no allocation.
const SHOP: &str = "
    @event  alloc                  alloc               alloc               alloc               alloc           cpu
    @class  byte[]                 byte[]              java.lang.String    java.lang.String[]  -               -
    @bytes  4000000                1000000             3000000             1500000             500000          0
    @count  40                     10                  125000              15                  1               1
            app.Shop.order():7     app.Shop.order():7  app.Shop.order():7  app.Shop.read():9   x[t:no_frames]  app.Shop.order():7
            java.util.Arrays.copy  app.Shop.read():9
";

fn profile() -> Profile {
    let (manifest, tables) = experiment_from_text(SHOP);
    Profile::load(manifest, tables).expect("valid")
}

fn filtered(filter: &str) -> Query {
    Query { filter: Some(filter.parse().expect("a filter")), ..Query::default() }
}

fn view(query: &Query, by: &str) -> ClassesView {
    classes(&profile(), query, &by.parse().expect("keys")).expect("classes")
}

#[test]
fn rows_are_classes_or_the_lines_that_allocate_them() {
    assert_eq!(
        text(&view(&Query::default(), "class")),
        "
Allocations by class, user mode
Percent of 10.000 MB Allocated of all samples shown

▼ Allocated MB  Allocated %  Objects  samples  class
        10.000       100.00  125,066        5  <Total>
         5.000        50.00       50        2  byte[]
         3.000        30.00  125,000        1  java.lang.String
         1.500        15.00       15        1  java.lang.String[]
         0.500         5.00        1        1  <unknown>

Note: a sample represents all objects that were allocated since the sample before: rows of few samples are unreliable
"
    );
    assert_eq!(
        text(&view(&filtered("class is \"byte[]\""), "class,site")),
        "
Allocations by class, site, user mode
Only samples with class is \"byte[]\"
Percent of 5.000 MB Allocated of all samples shown

▼ Allocated MB  Allocated %  Objects  samples  class   allocated in
         5.000       100.00       50        2          <Total>
         4.000        80.00       40        1  byte[]  app.Shop.order(), line 7
         1.000        20.00       10        1  byte[]  app.Shop.read(), line 9

Note: a sample represents all objects that were allocated since the sample before: rows of few samples are unreliable
"
    );
    let sites = view(&Query { sort: Some("name".parse().expect("an order")), ..Query::default() }, "site");
    let rows: Vec<_> = sites.rows.iter().map(|row| (row.function.as_deref(), row.line, row.samples_count)).collect();
    assert_eq!(rows, [(None, None, 1), (Some("app.Shop.order()"), Some(7), 2), (Some("app.Shop.read()"), Some(9), 2)]);
    assert!(sites.rows.iter().all(|row| row.class.is_none()));
}

#[test]
fn a_filter_selects_allocations_by_class_in_every_view() {
    let profile = profile();
    for (filter, bytes) in [
        ("class is \"byte[]\"", 5_000_000.0),
        ("class is \"String\"", 3_000_000.0),
        ("class is \"java.lang.String[]\" or class is \"byte[]\"", 6_500_000.0),
        ("class is \"<unknown>\"", 500_000.0),
        ("not class is \"byte[]\" and event is alloc", 5_000_000.0),
        ("class is \"byte[]\" and class is \"String\"", 0.0),
    ] {
        let query = Query { metrics: Some("e.alloc_bytes".parse().expect("a metric")), ..filtered(filter) };
        assert_eq!(lines(&profile, &query).expect("lines").total.numbers, [bytes], "{filter}");
        let of_classes = view(&filtered(filter), "class");
        let sum = of_classes.rows.iter().fold(0.0, |sum, row| sum + row.values.numbers[0]);
        assert_eq!((of_classes.total.numbers[0], sum), (bytes, bytes), "{filter}");
    }
    let of_cpu = |filter: &str| Query { metrics: Some("e.cpu".parse().expect("a metric")), ..filtered(filter) };
    let cpu = |filter: &str| lines(&profile, &of_cpu(filter)).expect("lines").total.numbers[0];
    assert_eq!((cpu("not class is \"byte[]\""), cpu("class is \"<unknown>\"")), (1e9, 0.0));
    let unknown = classes(&profile, &filtered("class is \"byte\""), &"class".parse().expect("keys"));
    let unknown = unknown.expect_err("no such class").to_string();
    assert!(unknown.contains("no allocated object has the class \"byte\""), "{unknown}");
}

#[test]
fn what_is_not_recorded_is_said() {
    let by = "class".parse().expect("keys");
    let of = |drawn: &str| {
        let (manifest, tables) = experiment_from_text(drawn);
        classes(&Profile::load(manifest, tables).expect("valid"), &Query::default(), &by).expect("classes")
    };
    let none = of("app.Main.main()");
    assert_eq!((none.rows.len(), none.columns.len()), (0, 0));
    assert_eq!(none.preamble.notes, ["this experiment has no allocations: `--events alloc` records allocations"]);
    let unknown = of("@event  alloc\n@bytes  9\n        app.Main.main()\n");
    assert_eq!(unknown.rows[0].class.as_deref(), Some("<unknown>"));
    assert!(unknown.preamble.notes[0].starts_with("the classes of the objects are unknown"));
    let unfit = Query { metrics: Some("cpu".parse().expect("a metric")), ..Query::default() };
    assert!(matches!(classes(&profile(), &unfit, &by), Err(AnalysisError::UnfitMetric { .. })));
    let unfit = Query { sort: Some("cpu".parse().expect("an order")), ..Query::default() };
    assert!(matches!(classes(&profile(), &unfit, &by), Err(AnalysisError::UnfitMetric { .. })));
    assert!("line".parse::<whittle_views::classes::ClassKeys>().is_err());
}

/// In a report file, samples are added up over time only within a class.
#[test]
fn report_files_keep_the_classes() {
    let (manifest, tables) = experiment_from_text(SHOP);
    let most_samples = PackOptions { most_samples: 1, ..PackOptions::default() };
    for options in [PackOptions::default(), most_samples] {
        let back = decode(&encode(&manifest, &tables, &options).bytes).expect("packed");
        let of_report = Profile::load_for_views(back.manifest, back.tables).expect("valid");
        let by = "class".parse().expect("keys");
        let rows = |profile: &Profile| -> Vec<_> {
            let view = classes(profile, &Query::default(), &by).expect("classes");
            view.rows.into_iter().map(|row| (row.class, row.values.numbers)).collect()
        };
        assert_eq!(rows(&of_report), rows(&profile()));
    }
}

#[test]
fn two_versions_are_compared_class_by_class() {
    let run = |name: &str, drawn: &str| {
        let (manifest, tables) = experiment_from_text(drawn);
        Run { name: name.to_owned(), manifest, tables }
    };
    let after = SHOP.replace("4000000", "9000000").replace("java.lang.String[]", "long[]            ");
    let compared =
        compare(vec![run("before", SHOP)], vec![run("after", &after)], (Some("run".parse().expect("a unit")), &[]));
    let compared = compared.expect("compared");
    let view = classes(&compared, &Query::default(), &"class".parse().expect("keys")).expect("classes");
    assert_eq!(
        text(&view),
        "
Allocations by class, user mode
Baseline before, candidate after
Values are per run; single runs: differences may be noise. Whittle assumes that each run did the same work

  Allocated     Allocated   Allocated  Allocated
baseline MB  candidate MB  ▼ delta MB      ratio  samples  class
     10.000        15.000      +5.000      ×1.50       10  <Total>
      5.000        10.000      +5.000      ×2.00        4  byte[]
      1.500         0.000      -1.500       gone        1  java.lang.String[]
      0.000         1.500      +1.500        new        1  long[]
      0.500         0.500       0.000      ×1.00        2  <unknown>
      3.000         3.000       0.000      ×1.00        2  java.lang.String

Note: a sample represents all objects that were allocated since the sample before: rows of few samples are unreliable
"
    );
    let sites = classes(&compared, &Query::default(), &"site".parse().expect("keys")).expect("classes");
    assert!(sites.rows.iter().all(|row| row.line.is_none()), "line numbers differ between versions");
}
