//! The page about metrics and events, generated from their registry.

use crate::{Result, generated};
use std::fmt::Write;
use std::path::Path;
use whittle_model::{Distance, Engines, EventKind, Metric, Shown, Unit};

const PAGE: &str = "docs/user/metrics.md";

const INTRODUCTION: &str = "\
# Metrics and events

<!-- Written by `cargo xtask docs` from the registry of metrics in the code. Do not edit. -->

A metric is a named quantity with one unit. It adds up the samples of one event. `overview` lists the metrics of an experiment
with their totals. [Views](views.md#metrics) explains how columns are written.

";

const EVENTS: &str = "
## What a collection samples

CPU time is always sampled. `--events` of [`whittle collect`](collect.md) selects further events. By default, whittle
samples every event that the engine supports.

| event | one sample | without an amount | engine |
|---|---|---|---|
";

const KINDS: &str = "
## Events of samples

The column `event` of the table [samples](experiment-format.md#samples), and the [filter](views.md#filters) `event is …`.

| event | one sample |
|---|---|
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
    let mut page = INTRODUCTION.to_owned();
    page.push_str(
        "| metric | added quantity | unit | engine | other names in imported files |\n|---|---|---|---|---|\n",
    );
    Metric::ALL.iter().for_each(|metric| add_metric(&mut page, *metric));
    add(&mut page, format_args!("\nBy default, views show {}.\n", shown_by_default()));
    page.push_str(EVENTS);
    Metric::chosen().for_each(|metric| add_choice(&mut page, metric));
    page.push_str(KINDS);
    for event in EventKind::ALL {
        add(&mut page, format_args!("| `{event}` | {} |\n", event.description()));
    }
    page
}

fn add_metric(page: &mut String, metric: Metric) {
    let facts = metric.facts();
    let unit = match metric.unit() {
        Unit::Nanoseconds => "time",
        Unit::Bytes => "bytes",
        Unit::Count => "count",
    };
    let others: Vec<String> = facts.foreign_names.iter().map(|name| format!("`{name}`")).collect();
    let (name, meaning, engines, others) = (facts.name, metric.description(), facts.engines.words(), others.join(", "));
    add(page, format_args!("| `{name}` | {meaning} | {unit} | {engines} | {others} |\n"));
    if facts.has_reasons {
        let parts = "The same value for one reason of waiting. Only reasons that occur are shown.";
        add(page, format_args!("| `{name}_futex`, `{name}_socket`, … | {parts} | {unit} | {engines} | |\n"));
    }
}

fn shown_by_default() -> String {
    let names = |shown: Shown| {
        let names = Metric::ALL.iter().filter(move |metric| metric.facts().shown == shown);
        names.map(|metric| format!("`{}`", metric.name())).collect::<Vec<_>>().join(" and ")
    };
    let (main, beside) = (names(Shown::ByDefault), names(Shown::BesideDefault));
    format!("{main}, and tables also show {beside}. Without {main}, views show the first metric with a value")
}

fn add_choice(page: &mut String, metric: Metric) {
    let Some(choice) = metric.facts().choice else { return };
    let (word, sample, engines) = (choice.word, choice.one_sample, metric.facts().engines.words());
    let distance = match choice.distance {
        Distance::Following { per_second, .. } => format!("up to about {per_second} samples per second"),
        Distance::Each(amount) => format!("every {}", amount_words(amount, metric.unit())),
        Distance::From(amount) => format!("from {} on", amount_words(amount, metric.unit())),
    };
    let observed = match metric.facts().engines {
        Engines::KernelOrObserved => {
            "; with `cpu` and `ctimer`, [an interval](collect.md#estimates-of-waits) for each thread"
        }
        _ => "",
    };
    add(page, format_args!("| `{word}` | {sample} | {distance}{observed} | {engines} |\n"));
}

fn amount_words(amount: u64, unit: Unit) -> String {
    match unit {
        Unit::Nanoseconds => format!("{} ms", amount / 1_000_000),
        Unit::Bytes => format!("{} MB", amount >> 20),
        Unit::Count => amount.to_string(),
    }
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("writing to a String cannot fail");
}
