//! The report of one finding. The readers are the maintainers of a library, or colleagues if the code is the program's
//! own.
//!
//! Other people read the report, so it contains no host name, no path and no command line. It contains only facts about
//! the machine that matter for the measurements.

use crate::detector::Detector;
use crate::markdown::{calling_items, site_items};
use crate::view::{Finding, FindingsView};
use crate::words::MEASURED;
use whittle_model::{Closure, CollectorStatus, Manifest};
use whittle_render::markdown_text::{code, item, list, plain};

/// The kernel's folders. Their paths are kept, because they are part of the evidence and the same on all machines.
const KERNEL_FOLDERS: [&str; 3] = ["/proc/", "/sys/", "/dev/"];

/// The report of the finding with this rank as Markdown. `None`: no finding has this rank.
pub fn report(view: &FindingsView, rank: usize, manifest: &Manifest) -> Option<String> {
    let finding = view.findings.iter().find(|finding| finding.rank == rank)?;
    let detector = Detector::of_id(&finding.detector);
    let about = Report { view, finding, detector, manifest };
    Some(without_places(&about.text(), manifest))
}

struct Report<'a> {
    view: &'a FindingsView,
    finding: &'a Finding,
    detector: Option<&'a Detector>,
    manifest: &'a Manifest,
}

impl Report<'_> {
    fn text(&self) -> String {
        let sections = [
            ("What happens", self.what_happens()),
            ("Where", calling_items(self.finding, "Called by") + &site_items(&self.finding.site)),
            ("Evidence", self.evidence()),
            ("Suggested change", self.change()),
            ("Expected saving", self.saving()),
            ("Checked and unchecked facts", self.checks()),
            ("Measurement conditions", self.measured()),
            ("How to reproduce", self.reproduction()),
        ];
        let sections = sections.map(|(title, text)| format!("## {title}\n\n{}\n\n", text.trim_end()));
        format!("# {}\n\n{}", self.title(), sections.concat())
    }

    fn title(&self) -> String {
        let calling = &self.finding.calling;
        let library = calling.library.as_ref();
        let function = library.map_or(&calling.function, |library| &library.function);
        format!("{} in {}", plain(&self.finding.title), code(function))
    }

    fn what_happens(&self) -> String {
        let whose = match &self.finding.calling.library {
            Some(library) => {
                let jar = library.jar.as_ref().map(|jar| format!(" ({})", code(jar))).unwrap_or_default();
                format!("A program that calls {}{jar} was profiled. ", code(&library.function))
            }
            None => "The program was profiled. ".to_owned(),
        };
        let meaning = self.detector.map(|detector| format!("\n\n{}", detector.text.meaning)).unwrap_or_default();
        format!("{whose}Spent here: {}.{meaning}", plain(&self.finding.spent.words()))
    }

    fn evidence(&self) -> String {
        let evidence: Vec<String> = self.finding.evidence.iter().map(|evidence| plain(&evidence.text)).collect();
        let looks = self.detector.map(|detector| item("How it looks in a profile", &detector.text.looks));
        item("Heaviest function of the pattern", &code(&self.finding.anchor))
            + &list("Values", &evidence)
            + &item("Spent here", &plain(&self.finding.spent.words()))
            + &looks.unwrap_or_default()
    }

    fn change(&self) -> String {
        let example = |title: &str, text: Option<&String>| {
            text.map(|text| format!("\n\n{title}:\n\n```java\n{}\n```", text.trim_end())).unwrap_or_default()
        };
        let text = self.detector.map(|detector| &detector.text);
        let before = example("Before", text.and_then(|text| text.before.as_ref()));
        let after = example("After", text.and_then(|text| text.after.as_ref()));
        let not = text.map(|text| list("When not to", &text.when_not)).filter(|text| !text.is_empty());
        let not = not.map(|not| format!("\n\n{not}")).unwrap_or_default();
        format!("{}{before}{after}{not}", self.finding.fix)
    }

    fn saving(&self) -> String {
        let saving = plain(&self.finding.saving_in_words());
        // Results without a measured change, and notes, can contain names of the program.
        let tried = self.finding.tried.as_ref().filter(|tried| tried.ratio.is_some());
        let tried = tried.map(|tried| item("Tried without an edit", &plain(&tried.words))).unwrap_or_default();
        let cost = self.finding.unit_cost.as_ref().map(|cost| item("Cost per unit", &plain(&cost.words())));
        item("Expected saving", &saving) + &item("Measured saving", MEASURED) + &tried + &cost.unwrap_or_default()
    }

    fn checks(&self) -> String {
        let finding = self.finding;
        let criteria: Vec<String> = finding.criteria_in_words().iter().map(|criterion| plain(criterion)).collect();
        let confidence = format!("{} ({})", finding.confidence.name(), finding.confidence.meaning());
        // The texts of warnings can name other programs on the machine, so only the kinds of warnings are listed.
        let doubts: Vec<String> = self.view.quality.iter().map(|doubt| plain(&doubt.id.replace('_', " "))).collect();
        let doubts = if doubts.is_empty() { "none".to_owned() } else { doubts.join(", ") };
        item("Confidence", &confidence)
            + &list("Checked", &criteria)
            + &list("Check first, because a profile cannot show it", &finding.check_first)
            + &item("Warnings about the data", &doubts)
    }

    fn measured(&self) -> String {
        let manifest = self.manifest;
        let jvm = manifest.jvm.as_ref();
        let facts = [
            jvm.map(|jvm| item("JVM", &plain(format!("{} {}", jvm.name, jvm.version).trim()))),
            jvm.and_then(|jvm| option_words(&jvm.arguments)).map(|options| item("JVM options", &code(&options))),
            self.detector.and_then(|it| it.jdk.as_ref()).map(|jdk| item("Java versions with the pattern", &plain(jdk))),
            manifest.host.as_ref().map(|host| {
                item("Machine", &plain(&format!("{} CPUs, Linux {}", host.cpu_count, release(&host.kernel))))
            }),
            Some(item("Samples", &plain(&self.view.work.amount_in_words()))),
            Some(item("Warm-up", &plain(&self.view.work.warm_up))),
            Some(self.collectors()),
            manifest.closure.as_ref().and_then(Closure::ratio).map(|ratio| {
                item(
                    "Coverage",
                    &format!("samples with a complete stack explain {:.1} % of the CPU time", ratio * 100.0),
                )
            }),
        ];
        facts.into_iter().flatten().collect()
    }

    fn collectors(&self) -> String {
        let used = self.manifest.collectors.iter().filter(|collector| collector.status == CollectorStatus::Used);
        let collectors: Vec<String> = used
            .map(|collector| {
                let interval =
                    collector.interval_ns.map(|nanos| format!(" every {} ms of CPU time", nanos as f64 / 1e6));
                let text = format!("{}, engine {}{}", collector.name, collector.engine, interval.unwrap_or_default());
                plain(&text)
            })
            .collect();
        let writer = &self.manifest.written_by;
        item(
            "Collected by",
            &format!("{}: {}", plain(&format!("{} {}", writer.name, writer.version)), collectors.join("; ")),
        )
    }

    fn reproduction(&self) -> String {
        let calling = &self.finding.calling;
        let function = calling.library.as_ref().map_or(&calling.function, |library| &library.function);
        let conditions = self.detector.map(|detector| detector.conditions.as_slice()).unwrap_or_default();
        let calls: Vec<&str> = conditions.iter().flat_map(|it| it.calls.iter().map(String::as_str)).fold(
            Vec::new(),
            |mut distinct, call| {
                if !distinct.contains(&call) {
                    distinct.push(call);
                }
                distinct
            },
        );
        let strace = (!calls.is_empty()).then(|| {
            let command = format!("strace -f -c -e trace={} -p PID", calls.join(","));
            format!("\n\nWithout whittle, {} counts the calls.", code(&command))
        });
        format!(
            "Run a program that spends some seconds in {}:\n\n```sh\nwhittle collect -o case.whittle -- java …\n\
             whittle findings case.whittle\n```{}",
            code(function),
            strace.unwrap_or_default()
        )
    }
}

/// The kernel's version: `6.1` for `6.1.0-42-cloud-amd64`. The rest can name the person or company that built the
/// kernel.
fn release(kernel: &str) -> String {
    let numbers = kernel.split(['.', '-']).take(2).take_while(|part| part.chars().all(|c| c.is_ascii_digit()));
    numbers.collect::<Vec<_>>().join(".")
}

/// The options that decide how the JVM runs code. Other options can contain paths and secrets.
fn option_words(arguments: &str) -> Option<String> {
    let is_harmless =
        |word: &&str| word.starts_with("-X") && word.chars().all(|c| c.is_ascii_alphanumeric() || "-:+=.".contains(c));
    let options: Vec<&str> = arguments.split_whitespace().filter(is_harmless).collect();
    (!options.is_empty()).then(|| options.join(" "))
}

/// The text without the host's name, and with only the last part of each path.
fn without_places(text: &str, manifest: &Manifest) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('/') {
        let is_comment = rest[start..].starts_with("//");
        let is_path = !is_comment
            && rest[..start].chars().next_back().is_none_or(|c| !(c.is_alphanumeric() || ".…*/".contains(c)));
        let end = rest[start..].find(|c: char| c.is_whitespace() || "\"'`,;:()<>|".contains(c));
        let path = &rest[start..end.map_or(rest.len(), |end| start + end)];
        let is_kernels = KERNEL_FOLDERS.iter().any(|folder| path.starts_with(folder));
        shown.push_str(&rest[..start]);
        match path.rsplit_once('/').filter(|(folders, _)| is_path && !is_kernels && !folders.is_empty()) {
            Some((_, last)) => shown.extend(["…/", last]),
            None => shown.push_str(path),
        }
        rest = &rest[start + path.len()..];
    }
    shown.push_str(rest);
    match manifest.host.as_ref().filter(|host| host.name.len() > 2) {
        Some(host) => replace_words(&shown, &host.name, "HOST"),
        None => shown,
    }
}

/// Replaces a whole word.
fn replace_words(text: &str, word: &str, with: &str) -> String {
    let is_inner = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut shown = String::with_capacity(text.len());
    let mut done = 0;
    for (start, _) in text.match_indices(word) {
        let end = start + word.len();
        if !is_inner(text[..start].chars().next_back()) && !is_inner(text[end..].chars().next()) {
            shown.extend([&text[done..start], with]);
            done = end;
        }
    }
    shown + &text[done..]
}

/// The readers of a report, in words for a heading.
pub fn report_is_for(finding: &Finding) -> String {
    match &finding.calling.library {
        Some(library) => {
            let of = library.jar.clone().unwrap_or_else(|| library.function.clone());
            format!("the maintainers of {of}")
        }
        None => "colleagues".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_model::{Host, Program};

    fn manifest() -> Manifest {
        let mut manifest = Manifest::new(Program { name: "whittle".to_owned(), version: "1".to_owned() });
        manifest.host = Some(Host { name: "ada".to_owned(), kernel: String::new(), cpu_count: 2, tick_hz: None });
        manifest
    }

    #[test]
    fn places_are_taken_out() {
        let shown = |text: &str| without_places(text, &manifest());
        assert_eq!(shown("reads `/home/ada/app/x.txt`, then goes on"), "reads `…/x.txt`, then goes on");
        assert_eq!(shown("reads /proc/self/smaps on ada, not adamant"), "reads /proc/self/smaps on HOST, not adamant");
        assert_eq!(shown("1/2 of java/io/File a / b"), "1/2 of java/io/File a / b");
    }

    #[test]
    fn kernels_and_options_say_what_matters() {
        assert_eq!(release("6.1.0-42-cloud-amd64"), "6.1");
        let options = option_words("-Xmx1g -Dpassword=x -XX:+UseZGC -javaagent:/home/x.jar -XX:HeapDumpPath=/home/x");
        assert_eq!(options.as_deref(), Some("-Xmx1g -XX:+UseZGC"));
        assert_eq!(option_words("-Da=b"), None);
    }
}
