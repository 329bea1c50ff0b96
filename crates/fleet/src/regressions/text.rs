//! Writes the answer as text or as CSV. The text has the comparison, then a table for each verdict. The CSV has one row
//! per function.

use super::view::{FleetRegressionsView, HostRow, RegressionRow, is_unnamed};
use super::{Change, RegressionsQuestion, Role};
use crate::cost::Cost;
use crate::periods::Periods;
use crate::question::TimeRange;
use whittle_render::{DrawnCell, DrawnColumn, DrawnTable, DrawnTexts, Sheet, View};
use whittle_verdict::regressions::{Measure, Method, Word};

/// Maximum number of hosts in a list of names.
const NAMED_HOSTS: usize = 5;

impl View for FleetRegressionsView {
    fn sheet(&self) -> Sheet {
        let rows = self.rows.iter().map(csv_row).collect();
        DrawnTable { columns: CSV_COLUMNS.to_vec(), rows, ..DrawnTable::default() }.into()
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let mut sheets = vec![self.top()];
        let sections = [
            (Word::Regressed, "Regressed"),
            (Word::Improved, "Improved"),
            (Word::Moved, "Moved within a package that costs the same as before"),
            (Word::WentAway, "Went away: the function changed, and by the end the change was gone"),
        ];
        sheets.extend(sections.into_iter().filter_map(|(word, title)| self.named(word, title)));
        sheets.extend(self.unnamed());
        sheets
    }
}

impl FleetRegressionsView {
    fn top(&self) -> Sheet {
        let what = match (&self.from_version, &self.to_version) {
            (Some(from), Some(to)) => format!("{from} → {to}"),
            _ => "a change at an unknown date".to_owned(),
        };
        let heading = vec![format!("Regressions of {}, {what}: {} UTC", self.whose, self.time)];
        let texts = vec![
            ("Answer:", self.sentences.clone()),
            ("Compared:", self.compared()),
            ("Hosts:", self.hosts_told()),
            ("Cost:", self.cost_told().into_iter().collect()),
            ("Note:", self.notes.clone()),
        ];
        DrawnTexts { heading, texts }.into()
    }

    fn periods(&self) -> Periods {
        let count = usize::try_from((self.to_s - self.from_s) / self.period_s.max(1)).unwrap_or(0);
        Periods { width_s: self.period_s, from_s: self.from_s, count }
    }

    fn compared(&self) -> Vec<String> {
        let of = match (self.measure, &self.unit) {
            (Measure::PerUnit, Some(unit)) => format!("CPU time per unit of work ({unit})"),
            (Measure::PerUnit, None) => "CPU time per unit of work".to_owned(),
            (Measure::Share, _) => "share of CPU time".to_owned(),
        };
        let by = format!("{} {of}, by the {}, {} mode", self.flavour.name(), self.periods().width_words(), self.mode);
        let span = |span: TimeRange| format!("{} to {}", self.moment(span.from_s), self.moment(span.to_s));
        let times = match (self.method, self.before, self.after) {
            (Method::ChangePoints, ..) => {
                let all = TimeRange { from_s: self.from_s, to_s: self.to_s };
                format!("each {}, {}", self.periods().width_words(), span(all))
            }
            (_, Some(before), Some(after)) => format!("before, {}, with after, {}", span(before), span(after)),
            (_, None, None) => "nothing: no host changed version".to_owned(),
            (_, None, _) => "nothing: no whole period is before the first host's change".to_owned(),
            (_, _, None) => "nothing: no whole period is after the last host's change".to_owned(),
        };
        let confidence = format!("{:.1}", (1.0 - self.question.alpha_ratio) * 100.0);
        let confidence = confidence.strip_suffix(".0").unwrap_or(&confidence);
        vec![times, by, format!("intervals contain the true change with {confidence} % probability")]
    }

    fn hosts_told(&self) -> Vec<String> {
        let counts = self.host_counts;
        let first =
            self.hosts.iter().filter(|host| host.role == Role::Upgraded).filter_map(|host| host.changed_from_s).min();
        let last =
            self.hosts.iter().filter(|host| host.role == Role::Upgraded).filter_map(|host| host.changed_to_s).max();
        let mut told = vec![match (self.method, first, last) {
            (Method::ChangePoints, ..) => format!("{} that count", counts.upgraded),
            (_, Some(first), Some(last)) if first < last => format!(
                "{} hosts upgraded from {} to {}; {} hosts not upgraded",
                counts.upgraded,
                self.moment(first),
                self.moment(last),
                counts.others
            ),
            (_, Some(first), _) => {
                format!(
                    "{} hosts upgraded at {}; {} hosts not upgraded",
                    counts.upgraded,
                    self.moment(first),
                    counts.others
                )
            }
            _ => format!("{} hosts upgraded; {} hosts not upgraded", counts.upgraded, counts.others),
        }];
        let left_out: Vec<&HostRow> = self.hosts.iter().filter(|host| host.role == Role::LeftOut).collect();
        let named = |host: &&HostRow| format!("{} ({})", host.host, host.why.as_deref().unwrap_or_default());
        let names: Vec<String> = left_out.iter().take(NAMED_HOSTS).map(named).collect();
        let more = left_out.len() - names.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        told.extend((!names.is_empty()).then(|| format!("left out: {}{more}", names.join(", "))));
        told
    }

    /// The start of a period as text.
    fn moment(&self, moment_s: i64) -> String {
        let periods = self.periods();
        periods.name(usize::try_from((moment_s - periods.from_s) / periods.width_s.max(1)).unwrap_or(0))
    }

    /// Describes the content of the cost columns. Missing: there are no such columns.
    fn cost_told(&self) -> Option<String> {
        let of = if self.method == Method::ChangePoints { "all hosts" } else { "the upgraded hosts together" };
        let has_named = self.rows.iter().any(|row| !is_unnamed(row.change.word));
        has_named.then(|| format!("cost of the change on {of}; {}", self.price.words()))
    }

    /// A table of the functions with this verdict. The verdict must report a change.
    fn named(&self, word: Word, title: &str) -> Option<Sheet> {
        let rows: Vec<&RegressionRow> = self.rows.iter().filter(|row| row.change.word == word).collect();
        if rows.is_empty() {
            return None;
        }
        let is_dated = self.method == Method::ChangePoints;
        let mut columns = NAMED_COLUMNS.to_vec();
        if is_dated {
            columns.insert(
                NAMED_COLUMNS.len() - 1,
                DrawnColumn { above: "", title: "since", field: "", is_number: false },
            );
        }
        let row = |row: &&RegressionRow| {
            let mut cells = self.named_cells(row);
            if is_dated {
                let since: Vec<String> = row.steps.iter().map(|step| self.moment(step.from_s)).collect();
                cells.insert(cells.len() - 1, DrawnCell::text(&since.join(", ")));
            }
            cells
        };
        let moved = rows.iter().filter_map(|row| row.change.moved.as_ref());
        let mut footer: Vec<String> = moved.map(|moved| format!("all of {}", moved.shown())).collect();
        footer.sort_unstable();
        footer.dedup();
        let heading = vec![format!("{title} ({})", self.shown_of(word, rows.len()))];
        let rows = rows.iter().map(row).collect();
        Some(DrawnTable { heading, columns, rows, footer }.into())
    }

    fn shown_of(&self, word: Word, shown: usize) -> String {
        let all = self.counts.iter().find(|count| count.word == word).map_or(0, |count| count.functions);
        if shown < all { format!("{shown} of {all}; set --limit to see more") } else { all.to_string() }
    }

    fn named_cells(&self, row: &RegressionRow) -> Vec<DrawnCell> {
        let text = |text: Option<String>| DrawnCell::text(&text.unwrap_or_else(|| "-".to_owned()));
        let level = |level: Option<f64>| text(level.map(|level| self.measure.shown(level)));
        let change = &row.change;
        vec![
            text(change.change_shown()),
            text(change.interval_shown()),
            level(change.before),
            level(change.after),
            DrawnCell::number(row.cost_of_change.map(|cost| cost.cores), 3),
            DrawnCell::number(row.cost_of_change.map(|cost| cost.cost_per_year), 0),
            DrawnCell::text(&change.name),
        ]
    }

    /// A table of the functions without a detected change.
    fn unnamed(&self) -> Option<Sheet> {
        let unnamed = self.rows.iter().filter(|row| is_unnamed(row.change.word));
        let rows: Vec<Vec<DrawnCell>> = unnamed.map(|row| self.unnamed_cells(row)).collect();
        let all: usize = self.counts.iter().filter(|count| is_unnamed(count.word)).map(|count| count.functions).sum();
        let shown = if rows.len() < all {
            format!("{} of {all}, the highest cost first; set --limit to see more", rows.len())
        } else {
            all.to_string()
        };
        let heading = vec![format!("Unchanged, or not enough power to decide ({shown})")];
        let footer = vec!["* watched".to_owned()];
        let footer = if self.rows.iter().any(|row| row.change.is_watched) { footer } else { Vec::new() };
        (!rows.is_empty()).then(|| DrawnTable { heading, columns: UNNAMED_COLUMNS.to_vec(), rows, footer }.into())
    }

    fn unnamed_cells(&self, row: &RegressionRow) -> Vec<DrawnCell> {
        let text = |text: Option<String>| DrawnCell::text(&text.unwrap_or_else(|| "-".to_owned()));
        let change = &row.change;
        let mark = if change.is_watched { "*" } else { "" };
        vec![
            text(change.detectable_shown()),
            text(change.interval_shown()),
            text(change.after.map(|level| self.measure.shown(level))),
            DrawnCell::number(Some(change.samples), 0),
            DrawnCell::text(change.word.words()),
            DrawnCell::text(&format!("{}{mark}", change.name)),
        ]
    }
}

const NAMED_COLUMNS: [DrawnColumn; 7] = [
    DrawnColumn { above: "", title: "change", field: "", is_number: true },
    DrawnColumn { above: "", title: "interval", field: "", is_number: true },
    DrawnColumn { above: "", title: "before", field: "", is_number: true },
    DrawnColumn { above: "", title: "after", field: "", is_number: true },
    DrawnColumn { above: "", title: "cores", field: "", is_number: true },
    DrawnColumn { above: "", title: "cost per year", field: "", is_number: true },
    DrawnColumn { above: "", title: "function", field: "", is_number: false },
];

const UNNAMED_COLUMNS: [DrawnColumn; 6] = [
    DrawnColumn { above: "could have", title: "detected", field: "", is_number: true },
    DrawnColumn { above: "", title: "interval", field: "", is_number: true },
    DrawnColumn { above: "", title: "after", field: "", is_number: true },
    DrawnColumn { above: "samples", title: "per host", field: "", is_number: true },
    DrawnColumn { above: "", title: "verdict", field: "", is_number: false },
    DrawnColumn { above: "", title: "function", field: "", is_number: false },
];

const fn field(field: &'static str) -> DrawnColumn {
    DrawnColumn { above: "", title: field, field, is_number: false }
}

const CSV_COLUMNS: [DrawnColumn; 18] = [
    field("word"),
    field("function"),
    field("package"),
    field("is_watched"),
    field("ratio"),
    field("low_ratio"),
    field("high_ratio"),
    field("before"),
    field("after"),
    field("p"),
    field("adjusted_p"),
    field("detectable_ratio"),
    field("samples"),
    field("before_cores"),
    field("after_cores"),
    field("change_cores"),
    field("change_cost_per_year"),
    field("since_s"),
];

/// Writes a probability as text. Many probabilities are very small.
fn probability(p: Option<f64>) -> DrawnCell {
    DrawnCell::text(&p.map_or_else(String::new, |p| format!("{p:e}")))
}

fn csv_row(row: &RegressionRow) -> Vec<DrawnCell> {
    let change = &row.change;
    let number = |number: Option<f64>| DrawnCell::number(number.filter(|number| number.is_finite()), 6);
    let cores = |cost: Option<Cost>| number(cost.map(|cost| cost.cores));
    vec![
        DrawnCell::text(change.word.words()),
        DrawnCell::text(&change.name),
        DrawnCell::text(change.domain.as_deref().unwrap_or_default()),
        DrawnCell::text(if change.is_watched { "true" } else { "false" }),
        number(change.ratio),
        number(change.low_ratio),
        number(change.high_ratio),
        number(change.before),
        number(change.after),
        probability(change.p),
        probability(change.adjusted_p),
        number(change.detectable_ratio),
        number(Some(change.samples)),
        cores(row.cost_before),
        cores(row.cost_after),
        cores(row.cost_of_change),
        number(row.cost_of_change.map(|cost| cost.cost_per_year)),
        DrawnCell::text(&row.steps.first().map_or_else(String::new, |step| step.from_s.to_string())),
    ]
}

impl RegressionsQuestion {
    /// A verdict as text for progress messages.
    pub fn words(&self) -> String {
        let what = match &self.change {
            Change::Version { .. } => "a change of version",
            Change::UnknownDate => "a change",
        };
        format!("looking for {what} in {}, {} …", self.whose.words(), self.time)
    }
}
