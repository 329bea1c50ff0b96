//! The output of findings: text, CSV, JSON, Markdown and SARIF, and the report of one finding.

mod drawn;
mod sarif;

use self::drawn::{found, own_code, silent};
use whittle_findings::{Detector, FindingsView, markdown, report};
use whittle_model::{Closure, Collector, CollectorStatus, Host, Jvm, Manifest, Program};
use whittle_render::{Format, Style, render};

fn text(view: &FindingsView) -> String {
    format!("\n{}", render(view, Format::Text, Style::default()))
}

#[test]
fn text_is_for_reading() {
    assert_eq!(
        text(&found()),
        r#"
Findings
Only samples with time in 1s..9s
Warnings about the data:

serious  Samples explain 71 % of the CPU time. Collect with the engine kernel.
note     590 samples: intervals are wide.

Work threads:  main (98 % of their CPU time), pool-#-thread-# (4 threads, 1.8 %)
               5.9 s CPU in 590 samples, from 2.1 to 8.1 s of the experiment
Warm-up:       The compiler had done 95 % of its work by then.

1 certain         Unbuffered write (unbuffered-write)
Spent here:       84 % (95 % interval 82 to 86 %, in this experiment) of the CPU time of main: 5.0 s; 83 % over all
                  work threads
Expected saving:  73 to 86 % of the CPU time of these threads; 72 to 85 % over all work threads; measured: what the
                  pattern costs; assumed: the calls disappear, and writing a byte to a buffer costs about 1 % of a
                  system call for one byte
Measured saving:  not measured yet, run whittle verify
Trial:            whittle try … 1 measures without an edit: FileOutputStream in Main$CrcOut.<init> (Main.java:4)
                  wrapped in a BufferedOutputStream
Called from:      app.Main$CrcOut.write(int), Main.java:5
                  5 │ w.write(b);
                  also line 7 (12 %)
Edit:             Main.java:4, app.Main$CrcOut.<init>: new java.io.FileOutputStream(…), kept in field CrcOut.w
                  4 │ final OutputStream w = new FileOutputStream(FILE);
                  or app.Main$CrcOut.reopen, Main.java:9: new java.io.FileOutputStream(…)
Field:            app.Main$CrcOut.w, line 4: final java.io.OutputStream w
                  also used by app.Main$CrcOut.close, Main.java:6: w.close()
Found by:         The call is made on field CrcOut.w.
                  The constructor assigns it.
Evidence:         754,662 system calls per second; 1.1 bytes per call
Fix:              Wrap the stream in `new BufferedOutputStream(…)` where it is made.
Check first:      A reader of the file sees the data later.
Criteria:         met: 1.1 bytes per call, at most 512
                  met: 754,662 calls per second, at least 1,000
                  certain: frames and counters agree
Samples:          --filter 'stack has "java.io.FileOutputStream.write(int)" and thread = '\''main'\'''
More:             docs/user/findings/unbuffered-write.md

2 likely          Stack walk per call (pattern-of-a-test)
Spent here:       5.3 % (95 % interval 3.7 to 7.1 %, in this experiment) of the CPU time of main: 0.3 s
Expected saving:  3.4 to 5.3 % of the elapsed time of these threads; measured: what the pattern costs; assumed: the
                  calling method does its work in another way, and the caller's name is not needed
Measured saving:  not measured yet, run whittle verify
Trial:            not possible: no remedy changes that
Library calls:    org.logs.Log.info(java.lang.String), Log.java:77, in logs-1.2.jar
                  for its maintainers: whittle findings … --report 2
From your line:   app.Main.run(), Main.java:21
Edit:             site not found: org.logs.Log has no class file; look for the call at Log.java:77
Evidence:         no counters
Fix:              Pass the name.
Check first:      Who reads the log.
                  Whether it is parsed.
Criteria:         unknown: more than 1,000 stacks per second
                  likely: frames only
Samples:          --filter 'stack has "java.lang.Thread.getStackTrace()"'
More:             docs/user/findings/pattern-of-a-test.md

3 possible        Garbage collection (gc-pressure)
Spent here:       over 99 % (95 % interval 97 to 100 %, in this experiment) of the bytes that main allocated: 321.0
                  MB
Expected saving:  unknown, because data is missing: it depends on the heap's size
Measured saving:  not measured yet, run whittle verify
Trial:            not possible: no remedy changes that
Called from:      app.Main.alloc()
Edit:             no line to edit: see the fix
Evidence:         no counters
Fix:              Pass the name.
                  possible: one weak indicator
Samples:          --filter 'stack has "java.lang.Thread.getStackTrace()"'
More:             docs/user/findings/gc-pressure.md

Result:       All findings together cover 93 % of all work threads' CPU time; savings overlap, so do not add
              them up; largest unexplained function: java.util.zip.CRC32.update(int), 6.1 % of all work threads'
              CPU time
Scattered:    java.lang.Thread.getStackTrace(): 21 % of all work threads' CPU time in total, over 14 paths; the
              largest path has 2.8 %; see finding 2
Too small:    Formatting per call in app.Main.print(), Main.java:30: 1.2 % of the work threads' CPU time
              and 3 more
Denied:       looks like "Unbuffered read" in app.Main.load(), Main.java:40, 8.1 % of the work threads' CPU
              time: denied, because 8,192.0 bytes per call (required: at most 512)
Checked:      41 of 44 patterns checked
Not checked:  Garbage collection, Boxing: needs allocations: collect with --events alloc
              Lock contention: needs waits for locks: collect with --events all
No pattern:   2 kinds of problems: slow starts; memory that is never released

Note: samples are added up
"#
    );
}

/// Causes may exist that no detector knows yet.
#[test]
fn silence_is_no_praise() {
    assert_eq!(
        text(&silent()),
        r#"
Findings

Work threads:  main
               5.9 s CPU in 590 samples, from 2.1 to 8.1 s of the experiment
Warm-up:       The compiler had done 95 % of its work by then.

Result:       None of the 41 checked patterns reaches 3 %; largest unexplained function:
              java.util.zip.CRC32.update(int), 6.1 % of all work threads' CPU time
Denied:       looks like "Unbuffered read" in app.Main.load(), Main.java:40, 8.1 % of the work threads' CPU
              time: denied, because 8,192.0 bytes per call (required: at most 512)
Checked:      41 of 44 patterns checked
Not checked:  Garbage collection, Boxing: needs allocations: collect with --events alloc
              Lock contention: needs waits for locks: collect with --events all
No pattern:   2 kinds of problems: slow starts; memory that is never released
"#
    );
}

/// The output contains no statement that the evidence does not support.
#[test]
fn words_promise_nothing() {
    let view = found();
    let all =
        [text(&view), text(&silent()), markdown(&view), markdown(&silent()), sarif::log(&view).to_string()].concat();
    for forbidden in
        ["at most 8", "guarantee", "upper bound", "no problem", "significant", "times faster", "82.4", "84.1"]
    {
        assert!(!all.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn colour_marks_the_titles() {
    let text = render(&found(), Format::Text, Style { is_coloured: true });
    assert_eq!(text.matches("\u{1b}[1m").count(), 3);
    assert!(text.contains("\u{1b}[1m1 certain"), "{text}");
}

#[test]
fn names_cannot_steer_the_terminal() {
    let mut view = found();
    view.findings[0].calling.text = Some("\u{1b}[2J x".to_owned());
    view.findings[0].calling.function = "app.\u{1b}]0;x\u{7}f()".to_owned();
    view.work.groups[0].name = "a\rb".to_owned();
    assert!(!text(&view).contains(['\u{1b}', '\u{7}', '\r']));
}

#[test]
fn csv_has_a_row_for_each() {
    let csv = render(&found(), Format::Csv, Style::default());
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!(lines.len(), 5, "{csv}");
    assert!(lines[0].starts_with("rank,detector,title,confidence,spent_measure,spent_ratio,"), "{csv}");
    assert!(lines[1].starts_with("1,unbuffered-write,Unbuffered write,certain,cpu,0.8412,0.8154,0.8631,"), "{csv}");
    let width = |line: &str| line.split(',').count();
    assert_eq!(width(lines[0]), 32);
    assert!(lines[3].contains(",possible,alloc_bytes,0.998,"), "{csv}");
}

#[test]
fn json_is_the_view() {
    let json: serde_json::Value =
        serde_json::from_str(&render(&found(), Format::Json, Style::default())).expect("JSON");
    assert_eq!(json["view"], "findings");
    assert_eq!(json["findings"][0]["confidence"], "certain");
    assert_eq!(json["findings"][0]["site"]["state"], "found");
    assert_eq!(json["findings"][0]["site"]["line"], 4);
    assert_eq!(json["findings"][1]["site"]["state"], "not_found");
    assert_eq!(json["findings"][2]["expected"], serde_json::Value::Null);
}

#[test]
fn markdown_is_for_pull_requests() {
    assert_eq!(
        format!("\n{}", markdown(&found())),
        r#"
## Findings

Only samples with `time in 1s..9s`

> **Serious:** Samples explain 71 % of the CPU time. Collect with the engine kernel.
>
> **Note:** 590 samples: intervals are wide.
>

| # | Finding | Confidence | Spent here | Expected saving | Called from | Edit |
|--:|---|---|--:|--:|---|---|
| 1 | Unbuffered write | certain | 84 % of CPU time | 73 to 86 % of CPU time | `Main.java:5` | `Main.java:4` |
| 2 | Stack walk per call | likely | 5.3 % of CPU time | 3.4 to 5.3 % of elapsed time | `Main.java:21` | site not found |
| 3 | Garbage collection | possible | over 99 % of allocated bytes | unknown |  |  |

All findings together cover 93 % of all work threads' CPU time; savings overlap, so do not add them up; largest unexplained function: java.util.zip.CRC32.update(int), 6.1 % of all work threads' CPU time.

### 1. Unbuffered write (certain)

- **Spent here:** 84 % (95 % interval 82 to 86 %, in this experiment) of the CPU time of main: 5.0 s; 83 % over all work threads
- **Expected saving:** 73 to 86 % of the CPU time of these threads; 72 to 85 % over all work threads; measured: what the pattern costs; assumed: the calls disappear, and writing a byte to a buffer costs about 1 % of a system call for one byte
- **Measured saving:** not measured yet, run whittle verify
- **Trial:** whittle try … 1 measures without an edit: FileOutputStream in Main\$CrcOut.\<init\> (Main.java:4) wrapped in a BufferedOutputStream
- **Called from:** `app.Main$CrcOut.write(int), Main.java:5`; also line 7 (12 %)
  `w.write(b);`
- **Edit:** `Main.java:4, app.Main$CrcOut.<init>: new java.io.FileOutputStream(…), kept in field CrcOut.w`
  `final OutputStream w = new FileOutputStream(FILE);`
- **Or there:** `app.Main$CrcOut.reopen, Main.java:9: new java.io.FileOutputStream(…)`
- **Field:** `app.Main$CrcOut.w, line 4: final java.io.OutputStream w`
- **The field is also used by:** `app.Main$CrcOut.close, Main.java:6: w.close()`
- **Found by:**
  - The call is made on field CrcOut.w.
  - The constructor assigns it.
- **Evidence:** 754,662 system calls per second; 1.1 bytes per call
- **Fix:** Wrap the stream in `new BufferedOutputStream(…)` where it is made.
- **Check first:** A reader of the file sees the data later.
- **Criteria (frames and counters agree):**
  - met: 1.1 bytes per call, at most 512
  - met: 754,662 calls per second, at least 1,000
- **The finding's samples:** `--filter 'stack has "java.io.FileOutputStream.write(int)" and thread = 'main''`

### 2. Stack walk per call (likely)

- **Spent here:** 5.3 % (95 % interval 3.7 to 7.1 %, in this experiment) of the CPU time of main: 0.3 s
- **Expected saving:** 3.4 to 5.3 % of the elapsed time of these threads; measured: what the pattern costs; assumed: the calling method does its work in another way, and the caller's name is not needed
- **Measured saving:** not measured yet, run whittle verify
- **Trial:** not possible: no remedy changes that
- **Library line:** `org.logs.Log.info(java.lang.String), Log.java:77, in logs-1.2.jar`
- **Your line:** `app.Main.run(), Main.java:21`
- **Edit:** site not found: org.logs.Log has no class file; look for the call at Log.java:77
- **Fix:** Pass the name.
- **Check first:**
  - Who reads the log.
  - Whether it is parsed.
- **Criteria (frames only):** unknown: more than 1,000 stacks per second
- **The finding's samples:** `--filter 'stack has "java.lang.Thread.getStackTrace()"'`

### 3. Garbage collection (possible)

- **Spent here:** over 99 % (95 % interval 97 to 100 %, in this experiment) of the bytes that main allocated: 321.0 MB
- **Expected saving:** unknown, because data is missing: it depends on the heap's size
- **Measured saving:** not measured yet, run whittle verify
- **Trial:** not possible: no remedy changes that
- **Called from:** `app.Main.alloc()`
- **Edit:** no line to edit: see the fix
- **Fix:** Pass the name.
- **The finding's samples:** `--filter 'stack has "java.lang.Thread.getStackTrace()"'`

### Examined data

- **Work threads:** main (98 % of their CPU time), pool-\#-thread-\# (4 threads, 1.8 %)
- **Time:** 5.9 s CPU in 590 samples, from 2.1 to 8.1 s of the experiment; The compiler had done 95 % of its work by then.
- **Scattered cost:** java.lang.Thread.getStackTrace(): 21 % of all work threads' CPU time in total, over 14 paths; the largest path has 2.8 %; see finding 2
- **Too small to be findings:**
  - Formatting per call in app.Main.print(), Main.java:30: 1.2 % of the work threads' CPU time
  - and 3 more
- **Denied:** looks like "Unbuffered read" in app.Main.load(), Main.java:40, 8.1 % of the work threads' CPU time: denied, because 8,192.0 bytes per call (required: at most 512)
- **Checked:** 41 of 44 patterns checked
- **Not checked:**
  - Garbage collection, Boxing: needs allocations: collect with --events alloc
  - Lock contention: needs waits for locks: collect with --events all
- **No pattern for:** 2 kinds of problems: slow starts; memory that is never released
- **Notes:** samples are added up
"#
    );
}

#[test]
fn markdown_says_that_nothing_was_found() {
    let text = markdown(&silent());
    assert!(text.contains("None of the 41 checked patterns reaches 3 %"), "{text}");
    assert!(!text.contains('|'), "{text}");
}

fn manifest() -> Manifest {
    let mut manifest = Manifest::new(Program { name: "whittle".to_owned(), version: "0.1.0".to_owned() });
    manifest.host =
        Some(Host { name: "build7".to_owned(), kernel: "6.1.0-42-acme".to_owned(), cpu_count: 2, tick_hz: None });
    manifest.command = vec!["java".to_owned(), "-jar".to_owned(), "/home/ada/secret.jar".to_owned()];
    manifest.jvm = Some(Jvm {
        name: "OpenJDK 64-Bit Server VM".to_owned(),
        version: "17.0.15+6".to_owned(),
        arguments: "-Xmx1g -Dkey=secret".to_owned(),
        has_exact_lines: Some(true),
    });
    manifest.collectors = vec![Collector {
        name: "async-profiler 4.6".to_owned(),
        engine: "kernel".to_owned(),
        interval_ns: Some(10_000_000),
        status: CollectorStatus::Used,
        reason: "build7 allows it".to_owned(),
    }];
    manifest.closure = Some(Closure {
        exact_cpu_ns: 1_000,
        sampled_ns: 999,
        rooted_ns: 990,
        exact_user_ns: None,
        exact_system_ns: None,
    });
    manifest
}

#[test]
fn a_report_is_for_maintainers() {
    let report = report(&found(), 2, &manifest()).expect("a second finding");
    assert_eq!(
        format!("\n{report}"),
        r#"
# Stack walk per call in `org.logs.Log.info(java.lang.String)`

## What happens

A program that calls `org.logs.Log.info(java.lang.String)` (`logs-1.2.jar`) was profiled. Spent here: 5.3 % (95 % interval 3.7 to 7.1 %, in this experiment) of the CPU time of main: 0.3 s.

## Where

- **Library line:** `org.logs.Log.info(java.lang.String), Log.java:77, in logs-1.2.jar`
- **Called by:** `app.Main.run(), Main.java:21`
- **Edit:** site not found: org.logs.Log has no class file; look for the call at Log.java:77

## Evidence

- **Heaviest function of the pattern:** `java.lang.Thread.getStackTrace()`
- **Spent here:** 5.3 % (95 % interval 3.7 to 7.1 %, in this experiment) of the CPU time of main: 0.3 s

## Suggested change

Pass the name.

## Expected saving

- **Expected saving:** 3.4 to 5.3 % of the elapsed time of these threads; measured: what the pattern costs; assumed: the calling method does its work in another way, and the caller's name is not needed
- **Measured saving:** not measured yet, run whittle verify

## Checked and unchecked facts

- **Confidence:** likely (frames only)
- **Checked:** unknown: more than 1,000 stacks per second
- **Check first, because a profile cannot show it:**
  - Who reads the log.
  - Whether it is parsed.
- **Warnings about the data:** closure, few samples

## Measurement conditions

- **JVM:** OpenJDK 64-Bit Server VM 17.0.15+6
- **JVM options:** `-Xmx1g`
- **Machine:** 2 CPUs, Linux 6.1
- **Samples:** 5.9 s CPU in 590 samples, from 2.1 to 8.1 s of the experiment
- **Warm-up:** The compiler had done 95 % of its work by then.
- **Collected by:** whittle 0.1.0: async-profiler 4.6, engine kernel every 10 ms of CPU time
- **Coverage:** samples with a complete stack explain 99.0 % of the CPU time

## How to reproduce

Run a program that spends some seconds in `org.logs.Log.info(java.lang.String)`:

```sh
whittle collect -o case.whittle -- java …
whittle findings case.whittle
```

"#
    );
}

#[test]
fn a_report_of_own_code_is_for_colleagues() {
    let mut view = found();
    view.findings[0].evidence[0].text = "754,662 calls per second on /home/ada/out/log.txt of build7".to_owned();
    let report = report(&view, 1, &manifest()).expect("a first finding");
    let detector = Detector::all().iter().find(|detector| detector.id == "unbuffered-write").expect("a detector");
    let after = detector.text.after.as_deref().expect("an example").trim_end();
    for part in ["Main.java:5", "Main.java:4", &detector.text.meaning, after, "strace -f -c -e trace=write"] {
        assert!(report.contains(part), "{part} in {report}");
    }
    for secret in ["ada", "build7", "secret", "acme", "/home"] {
        assert!(!report.contains(secret), "{secret} in {report}");
    }
    assert!(without_escapes(&report).contains("per second on …/log.txt of HOST"), "{report}");
}

fn without_escapes(text: &str) -> String {
    text.replace('\\', "")
}

#[test]
fn there_is_no_report_of_what_was_not_found() {
    assert_eq!(report(&found(), 7, &manifest()), None);
    assert_eq!(report(&silent(), 1, &manifest()), None);
}

#[test]
fn markdown_takes_names_as_names() {
    let mut view = found();
    view.findings = vec![own_code()];
    view.findings[0].calling.function = "app.<img src=x onerror=y>|`.f()".to_owned();
    view.work.groups[0].name = "@everyone <b>".to_owned();
    let text = markdown(&view);
    assert!(text.contains("``app.<img src=x onerror=y>|`.f(), Main.java:5``"), "{text}");
    assert!(text.contains(r"&#64;everyone \<b\>"), "{text}");
}
