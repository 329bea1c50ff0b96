//! Requests to the fleet's routes. A request has the arguments of the command line, as a query string or as JSON.

use crate::question::{LabelFilter, Question, Split, TimeRange, Whose, parse_length};
use crate::regressions::{Change, RegressionsQuestion, Watched};
use crate::saving::SavingQuestion;
use crate::tables::{DAY_S, HOUR_S};
use serde::Deserialize;
use whittle_profile::Flavour;
use whittle_server::OtherError;
use whittle_verdict::regressions::{Measure, Question as Limits};

/// A request. Every field is optional.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Asked {
    pub(super) service: Vec<String>,
    pub(super) version: Vec<String>,
    pub(super) host: Vec<String>,
    pub(super) region: Vec<String>,
    /// Labels, each `NAME=VALUE`.
    pub(super) label: Vec<String>,
    pub(super) since: Option<String>,
    pub(super) until: Option<String>,
    /// How rows are grouped: service, host, version, region, thread.
    pub(super) by: Vec<String>,
    /// Length of the periods that divide the time range, such as `1h`.
    pub(super) every: Option<String>,
    /// The one function of a share, or the watched functions.
    pub(super) function: Vec<String>,
    /// Packages with watched functions.
    pub(super) package: Vec<String>,
    pub(super) from_version: Option<String>,
    pub(super) to_version: Option<String>,
    pub(super) unknown_date: Option<bool>,
    pub(super) flavour: Option<String>,
    pub(super) measure: Option<String>,
    pub(super) unit: Option<String>,
    pub(super) alpha: Option<f64>,
    pub(super) false_discovery: Option<f64>,
    pub(super) margin: Option<f64>,
    pub(super) baseline_version: Vec<String>,
    pub(super) baseline_host: Vec<String>,
    pub(super) baseline_since: Option<String>,
    pub(super) baseline_until: Option<String>,
    pub(super) metric: Option<String>,
    pub(super) mode: Option<String>,
    pub(super) sort: Option<String>,
    pub(super) limit: Option<usize>,
    /// A text that the names of selected functions contain.
    pub(super) search: Option<String>,
    pub(super) price: Option<f64>,
}

/// A query to open, and the query of its baseline.
#[derive(Debug, Default, Deserialize)]
struct Open {
    #[serde(default)]
    baseline: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(flatten)]
    asked: serde_json::Map<String, serde_json::Value>,
}

impl Asked {
    /// Reads a query string: `service=a&service=b&since=24h`.
    pub(super) fn of_query(query: &str) -> Result<Self, OtherError> {
        let mut asked = Self::default();
        let address = reqwest::Url::parse(&format!("http://fleet/?{query}"));
        let address = address.map_err(|error| OtherError::BadRequest(error.to_string()))?;
        for (name, value) in address.query_pairs() {
            asked.set(&name, value.into_owned())?;
        }
        Ok(asked)
    }

    /// Reads a JSON object with the same words. `baseline` contains only the words that are different for the baseline.
    pub(super) fn of_body(body: &[u8]) -> Result<(Self, Option<Self>), OtherError> {
        let wrong = |error: serde_json::Error| OtherError::BadRequest(error.to_string());
        let Open { baseline, asked } = serde_json::from_slice(body).map_err(wrong)?;
        let read = |object| serde_json::from_value::<Self>(serde_json::Value::Object(object)).map_err(wrong);
        let baseline = baseline.map(|other| {
            let mut merged = asked.clone();
            merged.extend(other);
            read(merged)
        });
        Ok((read(asked)?, baseline.transpose()?))
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), OtherError> {
        let number = |what: &str| OtherError::BadRequest(format!("{name}: expected {what}, found \"{value}\""));
        match name {
            "service" => self.service.push(value),
            "version" => self.version.push(value),
            "host" => self.host.push(value),
            "region" => self.region.push(value),
            "label" => self.label.push(value),
            "by" => self.by.push(value),
            "since" => self.since = Some(value),
            "until" => self.until = Some(value),
            "every" => self.every = Some(value),
            "function" => self.function.push(value),
            "package" => self.package.push(value),
            "from_version" => self.from_version = Some(value),
            "to_version" => self.to_version = Some(value),
            "unknown_date" => self.unknown_date = Some(value.parse().map_err(|_| number("true or false"))?),
            "flavour" => self.flavour = Some(value),
            "measure" => self.measure = Some(value),
            "unit" => self.unit = Some(value),
            "alpha" => self.alpha = Some(value.parse().map_err(|_| number("a number"))?),
            "false_discovery" => self.false_discovery = Some(value.parse().map_err(|_| number("a number"))?),
            "margin" => self.margin = Some(value.parse().map_err(|_| number("a number"))?),
            "baseline_version" => self.baseline_version.push(value),
            "baseline_host" => self.baseline_host.push(value),
            "baseline_since" => self.baseline_since = Some(value),
            "baseline_until" => self.baseline_until = Some(value),
            "metric" => self.metric = Some(value),
            "mode" => self.mode = Some(value),
            "sort" => self.sort = Some(value),
            "limit" => self.limit = Some(value.parse().map_err(|_| number("a number"))?),
            "search" => self.search = Some(value),
            "price" => self.price = Some(value.parse().map_err(|_| number("a number"))?),
            _ => return Err(OtherError::BadRequest(format!("unknown word \"{name}\""))),
        }
        Ok(())
    }

    /// The query for changed functions.
    pub(super) fn regressions(&self, now_s: i64) -> Result<RegressionsQuestion, OtherError> {
        let wrong = |text: &str| OtherError::BadRequest(text.to_owned());
        if !self.version.is_empty() {
            return Err(wrong("regressions takes from_version and to_version, not version"));
        }
        let question = Self { by: Vec::new(), ..self.clone() }.question_of(DAY_S, now_s)?;
        if question.whose.services.len() != 1 {
            return Err(wrong("regressions needs exactly one service=NAME"));
        }
        let period = question.width_s();
        let default = Limits::default();
        Ok(RegressionsQuestion {
            whose: question.whose,
            time: question.time,
            change: match self.unknown_date {
                Some(true) => Change::UnknownDate,
                _ => Change::Version { from: self.from_version.clone(), to: self.to_version.clone() },
            },
            period_s: period,
            flavour: match self.flavour.as_deref() {
                None | Some("exclusive") => Flavour::Exclusive,
                Some("inclusive") => Flavour::Inclusive,
                Some(_) => return Err(wrong("flavour: expected exclusive or inclusive")),
            },
            mode: self.query()?.mode,
            watched: self.watched(),
            unit: self.unit.clone(),
            limits: Limits {
                alpha_ratio: self.alpha.unwrap_or(default.alpha_ratio),
                false_discovery_ratio: self.false_discovery.unwrap_or(default.false_discovery_ratio),
                margin_ratio: self.margin.unwrap_or(default.margin_ratio),
                measure: match self.measure.as_deref() {
                    None => None,
                    Some("share") => Some(Measure::Share),
                    Some("per_unit") => Some(Measure::PerUnit),
                    Some(_) => return Err(wrong("measure: expected share or per_unit")),
                },
                watched: Vec::new(),
            },
            limit: self.query()?.limit,
        })
    }

    fn watched(&self) -> Vec<Watched> {
        let functions = self.function.iter().cloned().map(Watched::Function);
        functions.chain(self.package.iter().cloned().map(Watched::Package)).collect()
    }

    /// The query for a saving.
    pub(super) fn saving(&self, now_s: i64) -> Result<SavingQuestion, OtherError> {
        let or = |own: &[String], other: &[String]| if own.is_empty() { other.to_vec() } else { own.to_vec() };
        let after = Self { by: Vec::new(), every: None, ..self.clone() };
        let before = Self {
            version: or(&self.baseline_version, &self.version),
            host: or(&self.baseline_host, &self.host),
            since: self.baseline_since.clone().or_else(|| self.since.clone()),
            until: self.baseline_until.clone().or_else(|| self.until.clone()),
            ..after.clone()
        };
        let (before, after) = (before.question(now_s)?, after.question(now_s)?);
        if before == after {
            let text = "both sides are equal; set baseline_version, baseline_host or baseline_since";
            return Err(OtherError::BadRequest(text.to_owned()));
        }
        Ok(SavingQuestion { before, after, unit: self.unit.clone() })
    }

    /// The request as a query. If the start is missing, the query's time range is one hour long.
    pub(super) fn question(&self, now_s: i64) -> Result<Question, OtherError> {
        self.question_of(HOUR_S, now_s)
    }

    fn question_of(&self, length_s: i64, now_s: i64) -> Result<Question, OtherError> {
        let wrong = |text: String| OtherError::BadRequest(text);
        let time = TimeRange::parse((self.since.as_deref(), self.until.as_deref()), length_s, now_s);
        let time = time.map_err(|error| wrong(error.to_string()))?;
        let mut split = Vec::new();
        for word in &self.by {
            let known = Split::of_word(word);
            split.push(
                known.ok_or_else(|| wrong(format!("by={word}: expected service, host, version, region or thread")))?,
            );
        }
        if let Some(every) = &self.every {
            let length_s = parse_length(every).filter(|length_s| *length_s > 0);
            split.push(Split::Time(
                length_s.ok_or_else(|| wrong(format!("every={every}: expected a length such as 1h")))?,
            ));
        }
        let labels =
            self.label.iter().map(|label| label.parse()).collect::<Result<Vec<LabelFilter>, _>>().map_err(wrong)?;
        let (services, versions) = (self.service.clone(), self.version.clone());
        let (hosts, regions) = (self.host.clone(), self.region.clone());
        Ok(Question { whose: Whose { services, versions, hosts, regions, labels }, time, split })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use whittle_testkit::Seeded;

    const NOW_S: i64 = 1_800_000_000;

    #[test]
    fn regressions_are_asked_with_the_words_of_the_command() {
        let query = "service=a&function=A.f&function=B.g&package=app.io&to_version=1.5&every=1h&flavour=inclusive\
                     &measure=per_unit&alpha=0.05&limit=0";
        let asked = Asked::of_query(query).and_then(|asked| asked.regressions(NOW_S)).expect("a question");
        assert_eq!((asked.time.length_s(), asked.period_s, asked.limit), (86_400, Some(3600), None));
        assert_eq!(asked.change, Change::Version { from: None, to: Some("1.5".to_owned()) });
        assert_eq!((asked.flavour, asked.limits.measure), (Flavour::Inclusive, Some(Measure::PerUnit)));
        assert_eq!((asked.limits.alpha_ratio, asked.limits.margin_ratio), (0.05, 0.05));
        let watched =
            [Watched::Function("A.f".into()), Watched::Function("B.g".into()), Watched::Package("app.io".into())];
        assert_eq!(asked.watched, watched);
        for query in ["", "service=a&service=b", "service=a&version=1", "service=a&flavour=any", "service=a&every=x"] {
            let asked = Asked::of_query(query).and_then(|asked| asked.regressions(NOW_S));
            assert!(matches!(asked, Err(OtherError::BadRequest(_))), "{query}");
        }
    }

    #[test]
    fn a_saving_is_of_two_sides() {
        let query = "service=a&since=7d&baseline_since=14d&baseline_until=7d&unit=orders";
        let asked = Asked::of_query(query).and_then(|asked| asked.saving(NOW_S)).expect("a question");
        assert_eq!((asked.before.time.to_s, asked.after.time.to_s), (asked.after.time.from_s, NOW_S));
        assert_eq!((asked.before.whose, asked.unit), (asked.after.whose, Some("orders".to_owned())));
        let same = Asked::of_query("service=a").and_then(|asked| asked.saving(NOW_S));
        assert!(matches!(same, Err(OtherError::BadRequest(_))));
    }

    #[test]
    fn a_query_string_and_json_ask_the_same() {
        let of_query =
            Asked::of_query("service=a%26b&service=c&since=24h&by=version&every=1h&limit=5").expect("readable");
        let body = br#"{"service": ["a&b", "c"], "since": "24h", "by": ["version"], "every": "1h", "limit": 5,
                        "baseline": {"version": ["1"]}}"#;
        let (of_body, baseline) = Asked::of_body(body).expect("readable");
        assert_eq!(of_query, of_body);
        assert_eq!(baseline, Some(Asked { version: vec!["1".to_owned()], ..of_body.clone() }));
        let question = of_body.question(1_800_000_000).expect("a question");
        assert_eq!(question.split, [Split::Version, Split::Time(3600)]);
        assert_eq!(question.time.length_s(), 86_400);
    }

    #[test]
    fn unknown_words_are_refused() {
        for query in ["colour=red", "limit=many", "since=tomorrow", "by=colour", "every=0s", "label=x"] {
            let asked = Asked::of_query(query).and_then(|asked| asked.question(1_800_000_000));
            assert!(matches!(asked, Err(OtherError::BadRequest(_))), "{query}");
        }
        assert!(Asked::of_body(b"{\"colour\": 1}").is_err());
        assert!(Asked::of_body(b"[]").is_err());
    }

    /// Requests that differ from valid requests in some bytes. The fuzzer cannot call this reader, because it would have
    /// to build the query engine.
    #[test]
    fn changed_requests_get_a_question_or_a_refusal() {
        let seeds: [&[u8]; 4] = [
            b"service=a%26b&service=c&since=2026-11-22T14:30&until=1h&by=version&every=1h&limit=5&label=a=b&price=0.5",
            b"service=a&baseline_since=14d&baseline_until=7d&unit=orders&flavour=inclusive&measure=share&alpha=0.05",
            br#"{"service": ["a&b", "c"], "since": "24h", "by": ["thread"], "baseline": {"version": ["1"]}}"#,
            br#"{"service": ["a"], "from_version": "1", "false_discovery": 1e-3, "baseline_since": "99999d"}"#,
        ];
        let mut random = Seeded::new(16);
        for number in 0..20_000 {
            let mut bytes = seeds[number % seeds.len()].to_vec();
            for _ in 0..1 + random.bits() % 4 {
                change(&mut bytes, &mut random, &seeds);
            }
            let of_query = Asked::of_query(&String::from_utf8_lossy(&bytes));
            let of_body = Asked::of_body(&bytes).map(|(asked, baseline)| baseline.unwrap_or(asked));
            for asked in [of_query, of_body].into_iter().flatten() {
                let question = asked.question(NOW_S).map(|question| question.time);
                let times = [question, asked.saving(NOW_S).map(|saving| saving.after.time)];
                for time in times.into_iter().flatten() {
                    assert!((0..=NOW_S * 1_000).contains(&time.from_s) && time.length_s() >= 0, "{asked:?}");
                }
                let _ = asked.regressions(NOW_S);
            }
        }
    }

    /// Replaces a byte, removes some bytes, or inserts a part of another request.
    fn change(bytes: &mut Vec<u8>, random: &mut Seeded, seeds: &[&[u8]]) {
        let mut below = |end: usize| usize::try_from(random.bits() % (end as u64 + 1)).expect("below the end");
        let at = below(bytes.len());
        let end = (at + below(6)).min(bytes.len());
        match below(2) {
            0 => bytes.splice(at..end, [below(255) as u8]).for_each(drop),
            1 => bytes.drain(at..end).for_each(drop),
            _ => {
                let other = seeds[below(seeds.len() - 1)];
                let from = below(other.len());
                let part = &other[from..(from + below(12)).min(other.len())];
                bytes.splice(at..at, part.iter().copied()).for_each(drop);
            }
        }
    }
}
