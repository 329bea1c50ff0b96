//! Comparisons of open experiments: for the command line, and for the page, whose user chooses both sides.

use super::served::{served, source};
use crate::arguments::comparison::MeasureArguments;
use crate::experiments::Comparison;
use std::path::PathBuf;
use std::sync::Arc;
use whittle_profile::compare::Rename;
use whittle_server::{ComparedNumbers, Experiments, OtherError, OtherRequest, OtherRoutes, Served, Source};
use whittle_terminal::Failure;

/// The prefix of the route. The page offers comparisons if the server has it.
const PREFIX: &str = "/api/compare/";

/// Compares open experiments. The route takes both sides as [`ComparedNumbers`], and returns the number of the
/// comparison in the list of experiments.
pub(super) struct Comparing {
    pub(super) experiments: Arc<Experiments>,
    /// The unit of values and the renamings of the command line.
    pub(super) measure: MeasureArguments,
    /// The sides of the command line. Renamings go from its baseline to its candidate.
    pub(super) asked: Option<ComparedNumbers>,
    pub(super) source_path: Vec<PathBuf>,
}

impl OtherRoutes for Comparing {
    fn prefix(&self) -> &'static str {
        PREFIX
    }

    fn answer(&self, request: OtherRequest<'_>) -> Result<String, OtherError> {
        if !request.is_post || !request.path.is_empty() {
            return Err(OtherError::NotFound(format!("send the sides of a comparison to {PREFIX}")));
        }
        let malformed = |error| OtherError::BadRequest(format!("not the sides of a comparison: {error}"));
        let sides: ComparedNumbers = serde_json::from_slice(request.body).map_err(malformed)?;
        let number = match self.experiments.comparison_of(&sides) {
            Some(number) => number,
            None => self.add(&sides)?,
        };
        Ok(serde_json::json!({ "experiment": number }).to_string())
    }
}

impl Comparing {
    /// Compares the experiments, and adds the comparison to the list.
    fn add(&self, sides: &ComparedNumbers) -> Result<usize, OtherError> {
        let paths = [&sides.baseline, &sides.candidate].map(|numbers| self.paths(numbers));
        let [baseline, candidate] = paths;
        let loading = Loading {
            baseline: baseline?,
            candidate: candidate?,
            measure: self.measure_of(sides),
            source_path: self.source_path.clone(),
        };
        let served = loading.load().map_err(|failure| OtherError::BadRequest(failure.message))?;
        let number = self.experiments.add(loading.source(Some(sides.clone())), served);
        let reload = move || loading.load().map_err(|failure| failure.message);
        self.experiments.set_reload(number, Box::new(reload));
        Ok(number)
    }

    /// The paths of experiments. A comparison and an unknown number have no path.
    fn paths(&self, numbers: &[usize]) -> Result<Vec<PathBuf>, OtherError> {
        let path = |number: &usize| {
            let source = self.experiments.source(*number).filter(|source| !source.path.is_empty());
            let unknown = || OtherError::NotFound(format!("experiment {number} cannot be compared"));
            source.map(|source| PathBuf::from(source.path)).ok_or_else(unknown)
        };
        numbers.iter().map(path).collect()
    }

    /// The options of the command line. If the user swapped the sides of the command line, renamings are inverted.
    fn measure_of(&self, sides: &ComparedNumbers) -> MeasureArguments {
        let is_swapped =
            self.asked.as_ref().is_some_and(|asked| sides.baseline.iter().all(|run| asked.candidate.contains(run)));
        let mut measure = self.measure.clone();
        if is_swapped {
            measure.rename = measure.rename.iter().map(Rename::inverted).collect();
        }
        measure
    }
}

/// How a comparison is loaded, and loaded again.
pub(super) struct Loading {
    pub(super) baseline: Vec<PathBuf>,
    pub(super) candidate: Vec<PathBuf>,
    pub(super) measure: MeasureArguments,
    pub(super) source_path: Vec<PathBuf>,
}

impl Loading {
    /// Reads the experiments of both sides.
    pub(super) fn load(&self) -> Result<Served, Failure> {
        let Self { baseline, candidate, measure, source_path } = self;
        Ok(served(Comparison { baseline, candidate, measure }.load()?, source_path))
    }

    /// The name of the comparison on the page.
    pub(super) fn source(&self, sides: Option<ComparedNumbers>) -> Source {
        let names = [&self.baseline, &self.candidate].map(|paths| {
            let [first, others @ ..] = paths.as_slice() else { return String::new() };
            let name = source(first, None).name;
            if others.is_empty() { name } else { format!("{name} and {} more", others.len()) }
        });
        Source { name: names.join(" \u{2192} "), path: String::new(), live: None, keeps_program: false, sides }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparing(asked: Option<ComparedNumbers>) -> Comparing {
        let rename = vec!["a.old=a.new".parse().expect("a renaming")];
        Comparing {
            experiments: Arc::new(Experiments::default()),
            measure: MeasureArguments { per: None, rename },
            asked,
            source_path: Vec::new(),
        }
    }

    fn sides(baseline: &[usize], candidate: &[usize]) -> ComparedNumbers {
        ComparedNumbers { baseline: baseline.to_vec(), candidate: candidate.to_vec() }
    }

    #[test]
    fn renamings_are_inverted_if_the_sides_are_swapped() {
        let comparing = comparing(Some(sides(&[1], &[2, 3])));
        let renamed = |sides| comparing.measure_of(&sides).rename[0].renamed("a.old.B.f(a.new.C)");
        assert_eq!(renamed(sides(&[1], &[2])), "a.new.B.f(a.new.C)");
        assert_eq!(renamed(sides(&[2, 3], &[1])), "a.old.B.f(a.old.C)");
    }

    #[test]
    fn wrong_requests_are_explained() {
        let request = |is_post, path, body: &'static str| {
            let request = OtherRequest { is_post, path, query: "", body: body.as_bytes() };
            comparing(None).answer(request).expect_err("no experiment is open").to_string()
        };
        assert!(request(false, "", "").contains("send the sides"));
        assert!(request(true, "", "{}").starts_with("not the sides of a comparison: missing field `baseline`"));
        let unknown = request(true, "", r#"{"baseline":[0],"candidate":[1]}"#);
        assert_eq!(unknown, "experiment 0 cannot be compared");
    }
}
