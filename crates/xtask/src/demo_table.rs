//! The demo's last page: two programs side by side, for the whole run and for one unit of work.

use crate::terminal::fold_prose;

/// The figures of one experiment. CPU times are sampled; system CPU is missing where the engine cannot see it.
pub(crate) struct Side {
    pub(crate) documents: f64,
    pub(crate) documents_per_second: f64,
    pub(crate) cpu_ns: f64,
    pub(crate) system_cpu_ns: Option<f64>,
    /// CPU inclusive in `FileOutputStream.write(int)`.
    pub(crate) write_cpu_ns: f64,
    pub(crate) write_system_cpu_ns: Option<f64>,
}

impl Side {
    /// Label and value of each CPU time that both sides may have.
    fn times_ns(&self) -> [(&'static str, Option<f64>); 4] {
        [
            ("CPU", Some(self.cpu_ns)),
            ("system CPU", self.system_cpu_ns),
            ("CPU in write(int), inclusive", Some(self.write_cpu_ns)),
            ("system CPU in write(int), inclusive", self.write_system_cpu_ns),
        ]
    }
}

const LABEL_WIDTH: usize = 37;

/// Both sides as a table, and one careful sentence about it.
pub(crate) fn comparison(slow: &Side, fixed: &Side) -> String {
    let mut lines = vec![
        row("", [pair("slow", ""), pair("fixed", "")], "fixed in"),
        row("Whole run", [pair("s", "% of CPU"), pair("s", "% of CPU")], "% of slow"),
    ];
    for (label, slow_ns, fixed_ns) in measured(slow, fixed) {
        let cell = |ns: f64, cpu_ns: f64| pair(&format!("{:.2}", ns / 1e9), &format!("{:.1}", percent(ns, cpu_ns)));
        lines.push(row(
            label,
            [cell(slow_ns, slow.cpu_ns), cell(fixed_ns, fixed.cpu_ns)],
            &percent_of_slow(fixed_ns, slow_ns),
        ));
    }
    let count = |side: &Side| pair(&format!("{:.0}", side.documents), "");
    lines.push(row("documents", [count(slow), count(fixed)], &percent_of_slow(fixed.documents, slow.documents)));
    lines.push(String::new());
    lines.push(row("Per document", [pair("ms", ""), pair("ms", "")], "% of slow"));
    for (label, slow_ns, fixed_ns) in measured(slow, fixed) {
        let (slow_ns, fixed_ns) = (slow_ns / slow.documents, fixed_ns / fixed.documents);
        let cell = |ns: f64| pair(&format!("{:.2}", ns / 1e6), "");
        lines.push(row(label, [cell(slow_ns), cell(fixed_ns)], &percent_of_slow(fixed_ns, slow_ns)));
    }
    let (slow_rate, fixed_rate) = (slow.documents_per_second, fixed.documents_per_second);
    let rate = |rate: f64| pair(&format!("{rate:.1}"), "");
    lines.push(row("documents/s", [rate(slow_rate), rate(fixed_rate)], &percent_of_slow(fixed_rate, slow_rate)));
    lines.extend([String::new(), fold_prose(&conclusion(slow, fixed))]);
    lines.join("\n")
}

/// The times that both sides have.
fn measured(slow: &Side, fixed: &Side) -> Vec<(&'static str, f64, f64)> {
    let both = slow.times_ns().into_iter().zip(fixed.times_ns());
    both.filter_map(|((label, slow_ns), (_, fixed_ns))| Some((label, slow_ns?, fixed_ns?))).collect()
}

fn pair(value: &str, share: &str) -> String {
    format!("{value:>9}{share:>10}")
}

fn row(label: &str, cells: [String; 2], left: &str) -> String {
    format!("{label:<LABEL_WIDTH$}{}   {}{left:>15}", cells[0], cells[1]).trim_end().to_owned()
}

fn percent(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}

fn percent_of_slow(fixed: f64, slow: f64) -> String {
    if slow > 0.0 { format!("{:.0}", percent(fixed, slow)) } else { "-".to_owned() }
}

fn conclusion(slow: &Side, fixed: &Side) -> String {
    let times = measured(slow, fixed);
    let (label, slow_ns, fixed_ns) = times.last().copied().unwrap_or(("CPU", slow.cpu_ns, fixed.cpu_ns));
    let left = percent(fixed_ns / fixed.documents, slow_ns / slow.documents);
    let cpu_left = percent(fixed.cpu_ns / fixed.documents, slow.cpu_ns / slow.documents);
    let name = label.trim_end_matches(", inclusive");
    format!(
        "Per document it looks like {left:.0} % of the {name} is left, and {cpu_left:.0} % of all CPU. What is left in \
         write(int) is the library's part, which the change did not touch. Both programs ran for the same time and the \
         fixed one wrote more, so compare per document. All CPU includes the start of the JVM and its compiler. This is \
         one run a side: it shows where the cost was, not how large the gain is."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(documents: f64, [cpu, system_cpu, write, write_system]: [f64; 4]) -> Side {
        Side {
            documents,
            documents_per_second: documents / 10.0,
            cpu_ns: cpu * 1e9,
            system_cpu_ns: Some(system_cpu * 1e9),
            write_cpu_ns: write * 1e9,
            write_system_cpu_ns: Some(write_system * 1e9),
        }
    }

    #[test]
    fn the_table_compares_runs_and_documents() {
        let (slow, fixed) = (side(200.0, [10.0, 6.0, 8.0, 5.0]), side(800.0, [8.0, 3.0, 4.0, 2.0]));
        let text = comparison(&slow, &fixed);
        let table: Vec<&str> = text.lines().skip(1).take(12).collect();
        assert_eq!(
            table.join("\n"),
            "\
Whole run                                    s  % of CPU           s  % of CPU      % of slow
CPU                                      10.00     100.0        8.00     100.0             80
system CPU                                6.00      60.0        3.00      37.5             50
CPU in write(int), inclusive              8.00      80.0        4.00      50.0             50
system CPU in write(int), inclusive       5.00      50.0        2.00      25.0             40
documents                                  200                   800                      400

Per document                                ms                    ms                % of slow
CPU                                      50.00                 10.00                       20
system CPU                               30.00                  3.75                       12
CPU in write(int), inclusive             40.00                  5.00                       12
system CPU in write(int), inclusive      25.00                  2.50                       10"
        );
        assert!(
            text.contains("looks like 10 % of the system CPU in write(int) is left, and 20 % of all CPU"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    }

    #[test]
    fn without_system_cpu_its_rows_are_left_out() {
        let without = |side: Side| Side { system_cpu_ns: None, write_system_cpu_ns: None, ..side };
        let text = comparison(&without(side(2.0, [1.0, 0.0, 0.5, 0.0])), &without(side(4.0, [1.0, 0.0, 0.25, 0.0])));
        assert!(!text.contains("system CPU"), "{text}");
        assert!(text.contains("looks like 25 % of the CPU in write(int) is left"), "{text}");
    }
}
