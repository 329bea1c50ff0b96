//! The layout of a verification: verdict with reasons, warnings, endpoints and functions with bars, runs as points.

use crate::verify::words::{FEWER_SAMPLES, SECONDARY, change, change_ends, interval_notes, nanos, whole_percent};
use crate::verify::{Design, EndpointView, FunctionChange, FunctionsComparison, VerificationView};
use whittle_render::View;
use whittle_render::interval_bar::Scale;
use whittle_render::labelled::{put, put_each, two_columns};
use whittle_render::{Cell, Head, Sheet, SheetRow, harmless};

impl View for VerificationView {
    /// The CSV: one row for each endpoint.
    fn sheet(&self) -> Sheet {
        let heads = CSV_FIELDS.map(|field| Head::text(field, field)).to_vec();
        let rows = self.endpoints.iter().map(|endpoint| SheetRow { cells: csv_cells(endpoint), ..SheetRow::default() });
        Sheet { heads, rows: rows.collect(), ..Sheet::default() }
    }

    fn text_sheets(&self) -> Vec<Sheet> {
        let mut sheets: Vec<Sheet> = self.caution_sheet().into_iter().collect();
        sheets.push(self.verdict_sheet());
        sheets.extend((!self.endpoints.is_empty()).then(|| self.endpoints_sheet()));
        sheets.extend(self.runs_sheet());
        sheets.extend(self.functions.as_ref().map(functions_sheet));
        sheets
    }
}

impl VerificationView {
    /// Warnings before the verdict. `None`: there are no such warnings.
    fn caution_sheet(&self) -> Option<Sheet> {
        let mut rows = Vec::new();
        put_each(&mut rows, "Caution:", &self.cautions().collect::<Vec<_>>());
        (!rows.is_empty()).then(|| two_columns(vec!["The verdict below can mislead".to_owned()], rows))
    }

    fn verdict_sheet(&self) -> Sheet {
        let mut rows = Vec::new();
        put(&mut rows, "Verdict:", &self.headline());
        rows.iter_mut().for_each(|row| row.is_emphasized = true);
        put_design(&mut rows, &self.design);
        put_each(&mut rows, "Reasons:", &self.sentences);
        put_each(&mut rows, "Warnings:", &self.warnings().collect::<Vec<_>>());
        two_columns(vec![format!("Verification: {} {}", self.verdict.mark(), self.words)], rows)
    }

    /// All endpoints on one scale.
    fn endpoints_sheet(&self) -> Sheet {
        let ends =
            |endpoint: &EndpointView| [endpoint.low_ratio, endpoint.high_ratio].map(|end| end.map(|it| it - 1.0));
        let scale = Scale::of_changes(self.endpoints.iter().flat_map(ends).flatten());
        let heads = vec![
            Head::text("", "mark"),
            Head::text("endpoint", "name"),
            Head::number("baseline", "baseline"),
            Head::number("candidate", "candidate"),
            Head::number("change", "change"),
            Head::number("95 % interval", "interval"),
            Head::text(&scale.head(), "bar"),
        ];
        let row = |endpoint: &EndpointView| SheetRow {
            cells: endpoint_cells(endpoint, scale),
            is_emphasized: endpoint.is_primary,
            ..SheetRow::default()
        };
        let mut footer = vec!["* primary endpoint: it was fixed before the runs".to_owned()];
        footer.extend(self.endpoints.iter().any(|it| !it.is_primary).then(|| SECONDARY.to_owned()));
        Sheet { heading: Vec::new(), heads, rows: self.endpoints.iter().map(row).collect(), footer }
    }

    /// The first endpoint's runs as points, one line per side.
    fn runs_sheet(&self) -> Option<Sheet> {
        let first = self.endpoints.first()?;
        let values =
            |side: &crate::verify::SideFigures| -> Vec<f64> { side.values.iter().map(|it| it.value).collect() };
        let (a, b) = (values(&first.baseline), values(&first.candidate));
        let scale = Scale::of_values(a.iter().chain(&b).copied())?;
        let ends = |values: &[f64]| {
            let (low, high) =
                values.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), it| (low.min(*it), high.max(*it)));
            format!("{} to {}", first.shown(Some(low)), first.shown(Some(high)))
        };
        let row = |name: &str, values: &[f64]| {
            let texts = [name.to_owned(), scale.points(values.iter().copied()), ends(values)];
            SheetRow { cells: texts.map(Cell::Text).to_vec(), ..SheetRow::default() }
        };
        let is_whole = !a.is_empty() && !b.is_empty();
        is_whole.then(|| Sheet {
            heading: vec![format!("{}, each run", first.name)],
            heads: ["", "", ""].map(|title| Head::text(title, title)).to_vec(),
            rows: vec![row("baseline", &a), row("candidate", &b)],
            footer: Vec::new(),
        })
    }
}

fn put_design(rows: &mut Vec<SheetRow>, design: &Design) {
    put(rows, "Baseline:", &design.baseline);
    put(rows, "Candidate:", &design.candidate);
    if let Some(finding) = &design.finding {
        let calling = finding.calling.as_ref().map(|calling| format!(", called from {calling}")).unwrap_or_default();
        put(rows, "Finding:", &format!("{} ({}){calling}", finding.title, finding.detector));
    }
}

fn endpoint_cells(endpoint: &EndpointView, scale: Scale) -> Vec<Cell> {
    let text = |text: String| Cell::Text(text);
    let mark = if endpoint.is_primary { "*" } else { "" };
    let [changed, interval] = endpoint.change_cells();
    let bar = endpoint
        .ratio
        .zip(endpoint.interval())
        .map(|(ratio, interval)| scale.bar((interval.low_ratio - 1.0, ratio - 1.0, interval.high_ratio - 1.0)));
    vec![
        text(endpoint.verdict.mark().to_owned()),
        text(format!("{}{mark}", endpoint.name)),
        text(endpoint.shown(endpoint.baseline.mean)),
        text(endpoint.shown(endpoint.candidate.mean)),
        text(changed),
        text(interval),
        text(bar.unwrap_or_default()),
    ]
}

/// Functions that changed, the other functions, and moved cost.
fn functions_sheet(functions: &FunctionsComparison) -> Sheet {
    let looks = if functions.is_looks_like { "that may have changed" } else { "that changed" };
    let heading = vec![format!(
        "Functions {looks}: {} of {} with at least {:.0} samples per run; exclusive CPU time per {}",
        functions.changed.len(),
        functions.tested_count,
        functions.fewest_samples,
        functions.per
    )];
    let shown = || functions.changed.iter().chain(&functions.other);
    let ends = |it: &FunctionChange| [it.low_ratio, it.high_ratio].map(|end| end.map(|it| it - 1.0));
    let scale = Scale::of_changes(shown().flat_map(ends).flatten());
    let heads = vec![
        Head::number("baseline", "baseline"),
        Head::number("candidate", "candidate"),
        Head::number("change", "change"),
        Head::number("interval", "interval"),
        Head::text(&scale.head(), "bar"),
        Head::text("function", "function"),
    ];
    let rows: Vec<SheetRow> = shown().map(|it| function_row(it, scale)).collect();
    let chance = whole_percent(functions.false_discovery_ratio);
    let mut footer = functions.moved.iter().map(|moved| harmless(&moved.sentence)).collect::<Vec<_>>();
    footer.extend(
        (!functions.changed.is_empty()).then(|| {
            format!("About {chance} of the listed functions may be false discoveries (Benjamini and Hochberg)")
        }),
    );
    footer.extend(interval_notes(functions));
    Sheet { heading, heads: if rows.is_empty() { Vec::new() } else { heads }, rows, footer }
}

fn function_row(function: &FunctionChange, scale: Scale) -> SheetRow {
    let ratios = function.low_ratio.zip(function.ratio).zip(function.high_ratio);
    let (changed, interval, bar) = match ratios {
        Some(((low, ratio), high)) => {
            (change(ratio), change_ends(low, high), scale.bar((low - 1.0, ratio - 1.0, high - 1.0)))
        }
        None => ("-".to_owned(), "-".to_owned(), String::new()),
    };
    let name = if function.kind.is_some() { function.name.clone() } else { FEWER_SAMPLES.to_owned() };
    let texts = [nanos(function.baseline_ns), nanos(function.candidate_ns), changed, interval, bar, name];
    SheetRow { cells: texts.map(Cell::Text).to_vec(), ..SheetRow::default() }
}

const CSV_FIELDS: [&str; 19] = [
    "name",
    "unit",
    "is_primary",
    "verdict",
    "is_looks_like",
    "baseline_mean",
    "candidate_mean",
    "baseline_median",
    "candidate_median",
    "ratio",
    "low_ratio",
    "high_ratio",
    "p",
    "adjusted_p",
    "exact_p",
    "equivalence_p",
    "noise_ratio",
    "detectable_ratio",
    "runs",
];

fn csv_cells(endpoint: &EndpointView) -> Vec<Cell> {
    let text = |text: &str| Cell::Text(text.to_owned());
    let count = endpoint.baseline.values.len() + endpoint.candidate.values.len();
    let mut cells = vec![
        text(&endpoint.name),
        endpoint.unit.as_deref().map_or(Cell::Missing, text),
        text(&endpoint.is_primary.to_string()),
        text(endpoint.verdict.word.name()),
        text(&endpoint.verdict.is_looks_like.to_string()),
    ];
    let numbers = [
        endpoint.baseline.mean,
        endpoint.candidate.mean,
        endpoint.baseline.median,
        endpoint.candidate.median,
        endpoint.ratio,
        endpoint.low_ratio,
        endpoint.high_ratio,
        endpoint.p,
        endpoint.adjusted_p,
        endpoint.exact_p,
        endpoint.equivalence_p,
        endpoint.noise_ratio,
        endpoint.detectable_ratio,
    ];
    cells.extend(numbers.map(Cell::Ratio));
    cells.push(Cell::Count(count as f64));
    cells
}
